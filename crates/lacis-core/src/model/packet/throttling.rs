//! Congestion control: switches mark packets, receivers notify the senders, senders slow down.
//!
//! InfiniBand Architecture Specification, volume 1, annex A10. A switch sets FECN on packets that leave by
//! an output for which more waits than its threshold allows and that has credits: the root of a congestion, not
//! its victims. The receiver answers a marked packet with BECN; with each the sender's index (CCTI) for that
//! queue pair grows, a timer lowers it again, and the congestion control table gives for each index how long
//! to wait after a packet.
//!
//! Assumed: threshold t of 1 to 15 stands for (16 - t) / 16 of a lane's buffer, over all inputs; a BECN takes
//! the latency of an empty network and no bandwidth; the table grows evenly.

use super::application::Application;
use super::calendar::Event;
use super::simulator::Simulator;
use super::throttle::Throttle;

impl<A: Application> Simulator<'_, A> {
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

    /// A packet reaches its receiver at `time`; if it is marked, its sender learns of that.
    #[cold]
    pub(super) fn answer_mark(&mut self, packet: u32, message: u32, hops: u8, time: u64) {
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

    /// A sender learns that a packet of a queue was marked.
    #[cold]
    pub(super) fn slow(&mut self, queue: u32) {
        let now = self.now;
        let Some(throttling) = &mut self.throttling else { return };
        let index = throttling.index(queue as usize, now);
        let Throttle { increase, limit, least, .. } = throttling.how;
        throttling.index[queue as usize].0 = index.saturating_add(increase).min(limit).max(least);
    }

    /// A host sends a packet of a queue, which occupies its link for `time`: notes when the next may leave.
    #[cold]
    pub(super) fn hold(&mut self, packet: u32, queue: u32, time: u64) {
        let now = self.now;
        let Some(throttling) = &mut self.throttling else { return };
        throttling.set(packet, false);
        let index = throttling.index(queue as usize, now);
        let wait = (f64::from(index) * throttling.how.step * time as f64) as u64;
        throttling.ready[queue as usize] = now + time + wait;
    }

    /// Brings a queue that may send to the front of a host's turns. Returns whether there is one.
    #[cold]
    pub(super) fn pick(&mut self, host: u32, lane: usize) -> bool {
        let Some(throttling) = &mut self.throttling else { return true };
        let turns = &mut self.hosts[host as usize].turns[lane];
        let ready = |queue: &u32| throttling.ready[*queue as usize];
        if let Some(index) = turns.iter().position(|queue| ready(queue) <= self.now) {
            turns.rotate_left(index);
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
