//! Congestion control: switches mark packets, receivers tell the senders, senders slow down.
//!
//! InfiniBand Architecture Specification, volume 1, annex A10. A switch sets FECN on packets that leave by
//! an output for which more waits than its threshold allows and that has credits: the root of a congestion, not
//! its victims. The receiver answers a marked packet with BECN; with each the sender's index (CCTI) for that
//! queue pair grows, a timer lowers it again, and the congestion control table tells for each index how long
//! to wait after a packet.
//!
//! Assumed: threshold t of 1 to 15 stands for (16 - t) / 16 of a lane's buffer, over all inputs; a BECN takes
//! the way back of an empty network and no bandwidth; the table grows evenly.

use super::Simulator;
use super::calendar::Event;
use super::program::Program;

/// The parameters of congestion control.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Throttle {
    /// 0: never mark; 1 to 15: the greater, the sooner.
    pub threshold: u8,
    /// Packets left unmarked between two that are marked.
    pub marking_rate: u16,
    /// Packets of less payload are not marked.
    pub packet_size: u32,
    /// What a BECN adds to the index.
    pub increase: u16,
    /// The greatest index, and the least.
    pub limit: u16,
    /// The least index.
    pub least: u16,
    /// How often the index falls by one (ps).
    pub timer: u64,
    /// By how much the wait after a packet grows with each index, in parts of the packet's time on its link.
    pub step: f64,
}

impl Default for Throttle {
    fn default() -> Self {
        Self {
            threshold: 8,
            marking_rate: 0,
            packet_size: 512,
            increase: 1,
            limit: 127,
            least: 0,
            timer: 10 * 1_024_000,
            step: 0.125,
        }
    }
}

/// What switches and senders remember.
#[derive(Debug)]
pub(super) struct Throttling {
    how: Throttle,
    /// By port of a switch: packets that may yet pass unmarked.
    unmarked: Vec<u16>,
    /// By packet, as bits: whether it is marked.
    marked: Vec<u64>,
    /// By send queue: its index, and since when.
    index: Vec<(u16, u64)>,
    /// By send queue: when its next packet may leave (ps).
    ready: Vec<u64>,
    /// By host: when it looks again (ps).
    looks: Vec<u64>,
    /// Packets marked so far.
    pub marks: u64,
}

impl Throttling {
    /// Bytes for a send queue.
    pub(super) const BY_QUEUE: usize = size_of::<(u16, u64)>() + size_of::<u64>();

    pub(super) fn new(how: Throttle, switch_ports: usize, queues: usize, hosts: usize) -> Self {
        Self {
            how,
            unmarked: vec![0; switch_ports],
            marked: Vec::new(),
            index: vec![(how.least, 0); queues],
            ready: vec![0; queues],
            looks: vec![0; hosts],
            marks: 0,
        }
    }

    /// The index of a queue, after what the timer took from it.
    fn index(&mut self, queue: usize, now: u64) -> u16 {
        let (index, since) = self.index[queue];
        let fallen = (now - since) / self.how.timer;
        let index = u64::from(index).saturating_sub(fallen).max(u64::from(self.how.least)) as u16;
        self.index[queue] = (index, since + fallen * self.how.timer);
        index
    }

    fn set(&mut self, packet: u32, marked: bool) {
        let (word, bit) = (packet as usize / 64, 1_u64 << (packet % 64));
        if self.marked.len() <= word {
            self.marked.resize(word + 1, 0);
        }
        self.marked[word] = if marked { self.marked[word] | bit } else { self.marked[word] & !bit };
    }
}

impl<P: Program> Simulator<'_, P> {
    /// Marks a packet that leaves a switch by an output, if that is congested.
    #[cold]
    pub(super) fn mark(&mut self, packet: u32, output: u32) {
        let (Some(throttling), Some(room)) = (&mut self.throttling, self.set.buffer) else { return };
        let Throttle { threshold, marking_rate, packet_size, .. } = throttling.how;
        let out = &self.outputs[output as usize];
        let before = out.waiting - u64::from(self.packets.get(packet).wire);
        let is_full = threshold > 0 && before * 16 >= u64::from(room) * u64::from(16 - threshold.min(15));
        if !is_full || out.starved != u64::MAX || u32::from(self.packets.get(packet).payload) < packet_size {
            return;
        }
        let left = &mut throttling.unmarked[output as usize];
        if *left > 0 {
            *left -= 1;
            return;
        }
        *left = marking_rate;
        throttling.set(packet, true);
        throttling.marks += 1;
    }

    /// A packet has come to its receiver, at a time to come; if it is marked, its sender is told.
    #[cold]
    pub(super) fn tell(&mut self, packet: u32, message: u32, hops: u8, time: u64) {
        let Some(throttling) = &mut self.throttling else { return };
        let word = throttling.marked.get(packet as usize / 64).copied().unwrap_or(0);
        if word >> (packet % 64) & 1 == 0 {
            return;
        }
        throttling.set(packet, false);
        let queue = self.messages.get(message).post.queue;
        let hops = u64::from(hops);
        let back = (hops + 1) * self.set.cable_delay + hops * self.set.switch_latency;
        self.calendar.enter(time + back, Event::Slow(queue));
    }

    /// A sender is told that a packet of a queue was marked.
    #[cold]
    pub(super) fn slow(&mut self, queue: u32) {
        let now = self.now;
        let Some(throttling) = &mut self.throttling else { return };
        let index = throttling.index(queue as usize, now);
        let Throttle { increase, limit, least, .. } = throttling.how;
        throttling.index[queue as usize].0 = index.saturating_add(increase).min(limit).max(least);
    }

    /// A host sends a new packet of a queue, which takes its link a time: when the next may leave.
    #[cold]
    pub(super) fn hold(&mut self, packet: u32, queue: u32, time: u64) {
        let now = self.now;
        let Some(throttling) = &mut self.throttling else { return };
        throttling.set(packet, false);
        let index = throttling.index(queue as usize, now);
        let wait = (f64::from(index) * throttling.how.step * time as f64) as u64;
        throttling.ready[queue as usize] = now + time + wait;
    }

    /// Brings a queue that may send to the front of a host's turns. Says whether there is one.
    #[cold]
    pub(super) fn pick(&mut self, host: u32, lane: usize) -> bool {
        let Some(throttling) = &mut self.throttling else { return true };
        let turns = &mut self.hosts[host as usize].turns[lane];
        let ready = |queue: &u32| throttling.ready[*queue as usize];
        if let Some(place) = turns.iter().position(|queue| ready(queue) <= self.now) {
            turns.rotate_left(place);
            return true;
        }
        if let Some(time) = turns.iter().map(ready).min() {
            let looks = &mut throttling.looks[host as usize];
            if *looks <= self.now || time < *looks {
                *looks = time;
                self.calendar.enter(time, Event::Credit(self.net.ends[host as usize]));
            }
        }
        false
    }
}
