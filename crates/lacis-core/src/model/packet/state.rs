//! What a simulation keeps of packets, messages, outputs and buffers.

use std::collections::VecDeque;

use super::application::Post;
use super::network::{Exits, NONE};

/// A packet in the buffer `at`, or on its way there. One cache line.
#[derive(Clone, Copy, Debug, Default)]
#[repr(align(64))]
pub(super) struct Packet {
    /// When it could first go on from there (ps).
    pub ready: u64,
    /// Since when it has been the first of its queue (ps).
    pub first_since: u64,
    /// The input, by port.
    pub at: u32,
    pub message: u32,
    /// The packet behind it in the same queue.
    pub behind: u32,
    pub lid: u32,
    /// Bytes on the wire.
    pub wire: u16,
    /// Bytes of payload.
    pub payload: u16,
    /// The number of the port that it leaves by.
    pub out: u8,
    /// The lane of the buffer it is in.
    pub lane: u8,
    /// The lane that it leaves on.
    pub next_lane: u8,
    pub sl: u8,
    pub hops: u8,
    /// The ports by which the tables let it leave the first switches; 0 where they are not known.
    pub exits: Exits,
}

/// A message from its posting to its arrival.
#[derive(Clone, Copy, Debug)]
pub(super) struct MessageState {
    pub post: Post,
    /// Bytes that are not sent yet.
    pub to_send: u64,
    /// Bytes that are not received yet.
    pub to_receive: u64,
    /// The next of its send queue.
    pub behind: u32,
    pub lid: u32,
    pub sl: u8,
    pub lane: u8,
    pub exits: Exits,
}

/// Items by number; the number of a removed item is given to the next.
#[derive(Clone, Debug)]
pub(super) struct Slab<T> {
    all: Vec<T>,
    free: Vec<u32>,
}

impl<T> Default for Slab<T> {
    fn default() -> Self {
        Self { all: Vec::new(), free: Vec::new() }
    }
}

impl<T: Copy> Slab<T> {
    #[inline]
    pub(super) fn add(&mut self, item: T) -> u32 {
        if let Some(number) = self.free.pop() {
            self.all[number as usize] = item;
            return number;
        }
        self.all.push(item);
        self.all.len() as u32 - 1
    }

    #[inline]
    pub(super) fn remove(&mut self, number: u32) -> T {
        self.free.push(number);
        self.all[number as usize]
    }

    #[inline]
    pub(super) fn get(&self, number: u32) -> &T {
        &self.all[number as usize]
    }

    #[inline]
    pub(super) fn get_mut(&mut self, number: u32) -> &mut T {
        &mut self.all[number as usize]
    }

    /// All items, removed ones whose number is free included.
    pub(super) fn all_mut(&mut self) -> impl Iterator<Item = &mut T> {
        self.all.iter_mut()
    }

    /// How many there are.
    pub(super) fn len(&self) -> usize {
        self.all.len() - self.free.len()
    }
}

/// Packets or messages in a row. There are many queues, each used seldom, so they are small.
#[derive(Clone, Copy, Debug)]
pub(super) struct Queue {
    pub first: u32,
    pub last: u32,
}

impl Queue {
    pub(super) const EMPTY: Self = Self { first: NONE, last: NONE };
}

/// The sending side of a port. One cache line.
#[derive(Clone, Debug)]
#[repr(align(64))]
pub(super) struct Output {
    /// When the tail of the last packet leaves (ps).
    pub busy_until: u64,
    pub ps_per_byte: f64,
    /// Bytes sent, headers included.
    pub bytes: u64,
    /// Time with a packet to send, but no credits (ps).
    pub starving: u64,
    /// The input whose packet it sends.
    pub feeding: u32,
    /// Whether [`Event::Sent`](super::calendar::Event::Sent) is to come. The output stays busy until then.
    pub watched: bool,
    /// The lane that sent last.
    pub last_lane: u8,
    /// Bytes in this switch's buffers that are to leave by it.
    pub waiting: u64,
    /// Since when it has had packets, but no credits (ps); `u64::MAX` where it does not wait for credits.
    pub starved: u64,
}

impl Output {
    pub(super) fn new(ps_per_byte: f64) -> Self {
        Self {
            busy_until: 0,
            ps_per_byte,
            bytes: 0,
            starving: 0,
            feeding: NONE,
            watched: false,
            last_lane: 0,
            waiting: 0,
            starved: u64::MAX,
        }
    }

    /// How long a packet takes to leave (ps).
    #[inline]
    pub(super) fn time_of(&self, wire: u16) -> u64 {
        (f64::from(wire) * self.ps_per_byte + 0.5) as u64
    }
}

/// A lane of a link as its sender knows it: credits, that is free room in the buffer at the other end, and what
/// waits to be sent. One cache line.
#[derive(Clone, Debug, Default)]
#[repr(align(64))]
pub(super) struct Lane {
    /// The inputs that want it, as a set, in switches of fewer than 64 ports.
    pub wants: u64,
    free: u64,
    /// Credits on their way back, by time of arrival: the first [`HERE`] of them.
    times: [u64; HERE],
    rooms: [u16; HERE],
    /// How many credits are on their way back, those in `later` included.
    returning: u16,
    /// What the output needs to go on; 0 where it does not wait for credits.
    needed: u16,
    /// The number of the input that sent last.
    pub last_input: u8,
    #[expect(clippy::box_collection, reason = "boxed, all fits a cache line; it is rarely there")]
    later: Option<Box<VecDeque<(u64, u16)>>>,
}

/// Credits in flight that fit into the cache line: an output that is busy rarely has more.
const HERE: usize = 2;

impl Lane {
    pub(super) fn new(room: u64) -> Self {
        Self { free: room, ..Self::default() }
    }

    /// Whether there are credits for `bytes` at `now`, which never decreases.
    #[inline]
    pub(super) fn suffice(&mut self, bytes: u16, now: u64) -> bool {
        while self.returning > 0 && self.times[0] <= now {
            self.free += u64::from(self.rooms[0]);
            self.returning -= 1;
            (self.times[0], self.rooms[0]) = (self.times[1], self.rooms[1]);
            if usize::from(self.returning) >= HERE {
                self.fetch();
            }
        }
        self.free >= u64::from(bytes)
    }

    /// Moves the first of `later` into the cache line.
    #[cold]
    fn fetch(&mut self) {
        if let Some((time, room)) = self.later.as_mut().and_then(|later| later.pop_front()) {
            (self.times[HERE - 1], self.rooms[HERE - 1]) = (time, room);
        }
    }

    /// Uses credits, of which there are enough.
    #[inline]
    pub(super) fn take(&mut self, bytes: u16) {
        self.free -= u64::from(bytes);
    }

    /// Gives room back at a time to come.
    #[inline]
    pub(super) fn give(&mut self, time: u64, bytes: u16) {
        let here = usize::from(self.returning);
        if here < HERE && (here == 0 || self.times[here - 1] <= time) {
            (self.times[here], self.rooms[here]) = (time, bytes);
        } else {
            self.insert(time, bytes);
        }
        self.returning += 1;
    }

    #[cold]
    fn insert(&mut self, time: u64, bytes: u16) {
        let here = usize::from(self.returning).min(HERE);
        let index = self.times[..here].partition_point(|&t| t <= time);
        let later = self.later.get_or_insert_default();
        if index == HERE {
            let index = later.partition_point(|&(t, _)| t <= time);
            later.insert(index, (time, bytes));
            return;
        }
        if here == HERE {
            later.push_front((self.times[HERE - 1], self.rooms[HERE - 1]));
        }
        if index == 0 {
            (self.times[1], self.rooms[1]) = (self.times[0], self.rooms[0]);
        }
        (self.times[index], self.rooms[index]) = (time, bytes);
    }

    /// Credits on their way back, by time.
    fn on_their_way(&self) -> impl Iterator<Item = (u64, u16)> + '_ {
        let here = usize::from(self.returning).min(HERE);
        let here = self.times.iter().copied().zip(self.rooms.iter().copied()).take(here);
        here.chain(self.later.iter().flat_map(|later| later.iter().copied()))
    }

    /// Waits for credits for `bytes`. Returns when they are there, if that is known.
    pub(super) fn wait_for(&mut self, bytes: u16) -> Option<u64> {
        self.needed = bytes;
        self.wake()
    }

    /// When the needed credits are there, if that is known; then they are not waited for any more.
    pub(super) fn wake(&mut self) -> Option<u64> {
        let (mut free, needed) = (self.free, u64::from(self.needed));
        let found = self.on_their_way().find(|&(_, bytes)| {
            free += u64::from(bytes);
            free >= needed
        });
        let (time, _) = found?;
        self.needed = 0;
        Some(time)
    }

    /// Whether the output waits for credits that nothing gives back yet.
    #[inline]
    pub(super) fn is_stuck(&self) -> bool {
        self.needed > 0
    }

    /// Credits that the output knows of at `now`.
    pub(super) fn known(&self, now: u64) -> u64 {
        let back = self.on_their_way().take_while(|&(time, _)| time <= now);
        self.free + back.map(|(_, bytes)| u64::from(bytes)).sum::<u64>()
    }

    /// All credits, those on their way back included.
    pub(super) fn total(&self) -> u64 {
        self.free + self.on_their_way().map(|(_, bytes)| u64::from(bytes)).sum::<u64>()
    }
}

/// A host port: its send queues, by lane in the order of their turns.
#[derive(Clone, Debug, Default)]
pub(super) struct HostState {
    pub turns: Vec<VecDeque<u32>>,
    /// Lane that sent last.
    pub last_lane: u8,
    /// When the adapter may send again (ps).
    pub free_at: u64,
    /// Whether [`Event::Host`](super::calendar::Event::Host) is to come.
    pub watched: bool,
    /// When all that has been received is in memory (ps).
    pub drained_at: u64,
    /// Messages posted, where they are counted because a LID is chosen for each.
    pub messages: u32,
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::traffic::Rng;

    #[test]
    fn credits_come_back_at_their_time_however_many_are_on_their_way() {
        // Against a plain list, from which what is due is taken.
        for seed in 0..50 {
            let (mut rng, mut lane) = (Rng::of_pattern(seed, 0), Lane::new(100));
            let (mut free, mut due): (u64, Vec<(u64, u64)>) = (100, Vec::new());
            for now in 0..400 {
                for _ in 0..rng.below(3) {
                    if free > 0 && lane.suffice(1, now) {
                        lane.take(1);
                        free -= 1;
                        let time = now + u64::from(rng.below(12));
                        lane.give(time, 1);
                        due.push((time, 1));
                    }
                }
                due.retain(|&(time, room)| {
                    free += if time <= now { room } else { 0 };
                    time > now
                });
                assert!(lane.suffice(free as u16, now));
                assert!(!lane.suffice(free as u16 + 1, now));
                assert_eq!((lane.known(now), lane.total()), (free, 100));
                let mut times: Vec<u64> = due.iter().map(|&(time, _)| time).collect();
                times.sort_unstable();
                if rng.below(4) == 0 && !times.is_empty() {
                    let wanted = 1 + rng.below(times.len() as u32) as usize;
                    assert_eq!(lane.wait_for((free as usize + wanted) as u16), Some(times[wanted - 1]));
                }
            }
        }
    }
}
