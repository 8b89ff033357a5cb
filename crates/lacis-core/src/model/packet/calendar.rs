//! The event queue: a calendar of days, after R. Brown, "Calendar queues: a fast O(1) priority queue
//! implementation for the simulation event set problem", Communications of the ACM 31(10), 1988.
//!
//! Nearly all events come within a packet time or two. So a year of short days holds them unsorted,
//! day by day; a day is sorted when it comes. Events beyond the year wait in a heap.
//! Events at the same time come in the order in which they were entered.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// Least and most days of a year; powers of two.
const DAYS: (u64, u64) = (1 << 6, 1 << 13);

/// An event, and the number of the packet, output, host or message that it concerns.
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
    /// The sender of a send queue learns of a marked packet.
    Slow(u32),
    /// Cables fail: all that do at one time.
    Cut(u32),
}

/// Events to come.
#[derive(Debug)]
pub(super) struct Calendar {
    /// A day is two to this many picoseconds.
    shift: u32,
    /// Number of the present day.
    today: u64,
    /// Its events to come, latest first.
    left: Vec<(u64, Event)>,
    /// By day of the coming year: its events, in the order of entry.
    days: Vec<Vec<(u64, Event)>>,
    /// By day of the year, as bits: whether anything happens.
    marked: Vec<u64>,
    /// Events beyond the year: time, order of entry, event.
    beyond: BinaryHeap<Reverse<(u64, u64, Event)>>,
    entered: u64,
}

impl Calendar {
    /// An empty calendar with a year of at least `year` and days of about `day` (ps).
    pub(super) fn new(year: u64, day: u64) -> Self {
        let (least, most) = DAYS;
        let shift = day.max(1).ilog2().max((year / most).max(1).next_power_of_two().ilog2());
        let days = ((year >> shift) + 2).next_power_of_two().clamp(least, most);
        Self {
            shift,
            today: 0,
            left: Vec::new(),
            days: vec![Vec::new(); days as usize],
            marked: vec![0; days as usize / 64],
            beyond: BinaryHeap::new(),
            entered: 0,
        }
    }

    /// The index of a day in its year.
    #[inline]
    fn day_of_year(&self, day: u64) -> usize {
        day as usize & (self.days.len() - 1)
    }

    /// Enters an event; `time` is not before that of the last event taken.
    #[inline]
    pub(super) fn enter(&mut self, time: u64, event: Event) {
        let day = time >> self.shift;
        if day > self.today && day - self.today < self.days.len() as u64 {
            self.note(day, time, event);
        } else {
            self.enter_elsewhere(time, event);
        }
    }

    /// Enters an event of today or of a year to come.
    #[inline(never)]
    fn enter_elsewhere(&mut self, time: u64, event: Event) {
        if time >> self.shift <= self.today {
            let index = self.left.partition_point(|&(t, _)| t > time);
            self.left.insert(index, (time, event));
        } else {
            self.entered += 1;
            self.beyond.push(Reverse((time, self.entered, event)));
        }
    }

    /// Notes an event of the coming year.
    #[inline]
    fn note(&mut self, day: u64, time: u64, event: Event) {
        let day = self.day_of_year(day);
        self.days[day].push((time, event));
        self.marked[day / 64] |= 1 << (day % 64);
    }

    /// Takes out the next event of today and its time.
    #[inline]
    pub(super) fn next(&mut self) -> Option<(u64, Event)> {
        self.left.pop()
    }

    /// How many events are to come; counted, day by day.
    pub(super) fn len(&self) -> usize {
        self.left.len() + self.days.iter().map(Vec::len).sum::<usize>() + self.beyond.len()
    }

    /// Goes on to the next day on which anything happens; `None` if there is none.
    pub(super) fn go_on(&mut self) -> Option<()> {
        self.today = match (self.next_marked(), self.beyond.peek()) {
            (Some(day), _) => day,
            (None, Some(Reverse((time, ..)))) => time >> self.shift,
            (None, None) => return None,
        };
        while let Some(&Reverse((time, _, event))) = self.beyond.peek() {
            let day = time >> self.shift;
            if day - self.today >= self.days.len() as u64 {
                break;
            }
            self.beyond.pop();
            self.note(day, time, event);
        }
        let today = self.day_of_year(self.today);
        self.marked[today / 64] &= !(1 << (today % 64));
        // Nothing is left of the day before: its memory is reused.
        std::mem::swap(&mut self.left, &mut self.days[today]);
        // Events are taken from the end, at equal times the first entered first.
        self.left.reverse();
        self.left.sort_by_key(|&(time, _)| Reverse(time));
        Some(())
    }

    /// The next day of the year with a mark.
    fn next_marked(&self) -> Option<u64> {
        let first = self.today + 1;
        let (days, words) = (self.days.len() as u64, self.marked.len());
        let start = self.day_of_year(first);
        // The first word is looked at twice: its high bits first, its low bits last.
        (0..=words).find_map(|i| {
            let word = (start / 64 + i) % words;
            let mask = match i {
                0 => u64::MAX << (start % 64),
                _ if i == words => !(u64::MAX << (start % 64)),
                _ => u64::MAX,
            };
            let bits = self.marked[word] & mask;
            let day = word as u64 * 64 + u64::from(bits.trailing_zeros());
            (bits != 0).then(|| first + (day + days - start as u64) % days)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::traffic::Rng;

    fn next(calendar: &mut Calendar) -> Option<(u64, Event)> {
        calendar.next().or_else(|| calendar.go_on().and_then(|()| calendar.next()))
    }

    #[test]
    fn events_come_by_time_and_equal_ones_as_they_were_entered() {
        // Against a sorted list; delays from 0 to several years, entered while others are taken.
        // Years of 64 days, one word of marks, and of many words.
        for (year, day) in [(0, 1), (0, 64), (0, 1 << 20), (300, 1), (1 << 12, 1), (1 << 24, 1 << 11)] {
            let (mut calendar, mut rng) = (Calendar::new(year, day), Rng::of_pattern(7, day));
            let mut expected: Vec<(u64, u64)> = Vec::new();
            let (mut now, mut count) = (0, 0);
            for _ in 0..20_000 {
                if rng.below(3) > 0 {
                    let reach = 1 << rng.below(36);
                    let time = now + rng.next_u64() % reach;
                    calendar.enter(time, Event::Ready(count as u32));
                    expected.push((time, count));
                    count += 1;
                } else if let Some((time, event)) = next(&mut calendar) {
                    let first = expected.iter().copied().min().unwrap();
                    assert_eq!((time, event), (first.0, Event::Ready(first.1 as u32)));
                    expected.retain(|&e| e != first);
                    now = time;
                }
                if expected.len() > 300 {
                    while let Some((time, event)) = next(&mut calendar) {
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

    #[test]
    fn all_that_is_to_come_is_counted_wherever_it_waits() {
        // Today, on other days of the year, and beyond it.
        let (mut calendar, mut rng) = (Calendar::new(0, 64), Rng::of_pattern(3, 3));
        let (mut now, mut there) = (0, 0);
        for number in 0..5000 {
            assert_eq!(calendar.len(), there);
            let reach = 1 << rng.below(20);
            if rng.below(5) > 1 {
                calendar.enter(now + u64::from(rng.below(reach)), Event::Sent(number));
                there += 1;
            } else if let Some((time, _)) = next(&mut calendar) {
                (now, there) = (time, there - 1);
            }
        }
        assert!(there > 100);
        while next(&mut calendar).is_some() {
            there -= 1;
        }
        assert_eq!((there, calendar.len()), (0, 0));
    }
}
