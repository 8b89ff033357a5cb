//! The event queue: a calendar of days, after R. Brown, "Calendar queues: a fast O(1) priority queue
//! implementation for the simulation event set problem", Communications of the ACM 31(10), 1988.
//!
//! Nearly all events lie within a packet time or two of now. So a year of [`DAYS`] short days holds
//! them unsorted, day by day; a day is sorted when it comes. What lies beyond a year waits in a heap.
//! Events at the same time come in the order in which they were entered.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// Days of a year; a power of two.
const DAYS: u64 = 1 << 13;

/// What happens, and the number of the thing that it happens to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Event {
    /// A packet's header has crossed a switch: it may go on.
    Ready(u32),
    /// An output has sent a packet's tail.
    Sent(u32),
    /// Credits that an output waits for have come back.
    Credit(u32),
    /// A host may send its next packet.
    Host(u32),
    /// A message is to be posted.
    Post(u32),
    /// A posted message has reached the adapter.
    Queue(u32),
    /// A message has arrived whole.
    Arrive(u32),
    /// A sender is told of a marked packet of its send queue.
    Slow(u32),
}

/// Events to come.
#[derive(Debug)]
pub(super) struct Calendar {
    /// A day is two to this many picoseconds.
    shift: u32,
    /// Number of the present day.
    today: u64,
    /// What is left of it, latest first.
    left: Vec<(u64, Event)>,
    /// Those of the coming year, each with the one of the same day that was entered before it.
    notes: Vec<Note>,
    unused: u32,
    /// By day of the year: what was entered last.
    days: Vec<u32>,
    /// By day of the year, as bits: whether anything happens.
    marked: Vec<u64>,
    /// What lies beyond: time, order of entry, event.
    beyond: BinaryHeap<Reverse<(u64, u64, Event)>>,
    entered: u64,
}

#[derive(Clone, Copy, Debug)]
struct Note {
    time: u64,
    event: Event,
    before: u32,
}

/// No note.
const NONE: u32 = u32::MAX;

impl Calendar {
    /// An empty calendar; `year` is the least that its year is to be, and `day` about what a day is to be (ps).
    pub(super) fn new(year: u64, day: u64) -> Self {
        Self {
            shift: day.max(1).ilog2().max((year / DAYS).max(1).next_power_of_two().ilog2()),
            today: 0,
            left: Vec::new(),
            notes: Vec::new(),
            unused: NONE,
            days: vec![NONE; DAYS as usize],
            marked: vec![0; DAYS as usize / 64],
            beyond: BinaryHeap::new(),
            entered: 0,
        }
    }

    /// Enters an event; `time` is not before that of the last event taken.
    #[inline]
    pub(super) fn enter(&mut self, time: u64, event: Event) {
        let day = time >> self.shift;
        if day <= self.today {
            let place = self.left.partition_point(|&(t, _)| t > time);
            self.left.insert(place, (time, event));
        } else if day - self.today < DAYS {
            self.note((day % DAYS) as usize, time, event);
        } else {
            self.entered += 1;
            self.beyond.push(Reverse((time, self.entered, event)));
        }
    }

    #[inline]
    fn note(&mut self, day: usize, time: u64, event: Event) {
        let note = Note { time, event, before: self.days[day] };
        let place = self.unused;
        if let Some(unused) = self.notes.get_mut(place as usize) {
            self.unused = unused.before;
            *unused = note;
            self.days[day] = place;
        } else {
            self.days[day] = self.notes.len() as u32;
            self.notes.push(note);
        }
        self.marked[day / 64] |= 1 << (day % 64);
    }

    /// Takes out the next event and its time.
    #[inline]
    pub(super) fn next(&mut self) -> Option<(u64, Event)> {
        while self.left.is_empty() {
            self.turn()?;
        }
        self.left.pop()
    }

    /// Whether nothing more happens today.
    #[inline]
    pub(super) fn is_day_over(&self) -> bool {
        self.left.is_empty()
    }

    /// What is still to happen today, as far as it is known.
    pub(super) fn today(&self) -> impl Iterator<Item = Event> + '_ {
        self.left.iter().map(|&(_, event)| event)
    }

    /// Goes on to the next day on which anything happens; `None` if there is none.
    pub(super) fn turn(&mut self) -> Option<()> {
        self.today = match (self.next_marked(), self.beyond.peek()) {
            (Some(day), _) => day,
            (None, Some(Reverse((time, ..)))) => time >> self.shift,
            (None, None) => return None,
        };
        while let Some(&Reverse((time, _, event))) = self.beyond.peek() {
            let day = time >> self.shift;
            if day - self.today >= DAYS {
                break;
            }
            self.beyond.pop();
            self.note((day % DAYS) as usize, time, event);
        }
        let today = (self.today % DAYS) as usize;
        self.marked[today / 64] &= !(1 << (today % 64));
        let mut place = std::mem::replace(&mut self.days[today], NONE);
        while place != NONE {
            let note = &mut self.notes[place as usize];
            self.left.push((note.time, note.event));
            let before = std::mem::replace(&mut note.before, self.unused);
            self.unused = place;
            place = before;
        }
        // They come as entered, last first: equal ones stay in that order.
        if self.left.len() > 1 {
            self.left.sort_by_key(|&(time, _)| Reverse(time));
        }
        Some(())
    }

    /// The next day of the year with a mark.
    fn next_marked(&self) -> Option<u64> {
        let first = self.today + 1;
        let words = DAYS / 64;
        let start = first % DAYS;
        // The first word is looked at twice: its high bits first, its low bits last.
        (0..=words).find_map(|i| {
            let word = (start / 64 + i) % words;
            let mask = match i {
                0 => u64::MAX << (start % 64),
                _ if i == words => !(u64::MAX << (start % 64)),
                _ => u64::MAX,
            };
            let bits = self.marked[word as usize] & mask;
            let day = word * 64 + u64::from(bits.trailing_zeros());
            (bits != 0).then(|| first + (day + DAYS - start) % DAYS)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::traffic::Rng;

    #[test]
    fn events_come_by_time_and_equal_ones_as_they_were_entered() {
        // Against a sorted list; delays from 0 to several years, entered while others are taken.
        for day in [1, 64, 1 << 20] {
            let (mut calendar, mut rng) = (Calendar::new(0, day), Rng::of_pattern(7, day));
            let mut expected: Vec<(u64, u64)> = Vec::new();
            let (mut now, mut count) = (0, 0);
            for _ in 0..20_000 {
                if rng.below(3) > 0 {
                    let reach = 1 << rng.below(36);
                    let time = now + rng.next_u64() % reach;
                    calendar.enter(time, Event::Ready(count as u32));
                    expected.push((time, count));
                    count += 1;
                } else if let Some((time, event)) = calendar.next() {
                    let first = expected.iter().copied().min().unwrap();
                    assert_eq!((time, event), (first.0, Event::Ready(first.1 as u32)));
                    expected.retain(|&e| e != first);
                    now = time;
                }
                if expected.len() > 300 {
                    while let Some((time, event)) = calendar.next() {
                        let first = expected.iter().copied().min().unwrap();
                        assert_eq!((time, event), (first.0, Event::Ready(first.1 as u32)));
                        expected.retain(|&e| e != first);
                        now = time;
                    }
                    assert!(expected.is_empty());
                }
            }
        }
    }
}
