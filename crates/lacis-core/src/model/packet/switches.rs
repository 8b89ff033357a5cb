//! Switches: virtual cut-through, a buffer for each input and lane, and a crossbar.
//!
//! P. Kermani, L. Kleinrock, "Virtual cut-through: a new computer communication switching
//! technique", Computer Networks 3(4), 1979. A packet may go on when its header has crossed the
//! switch, its output is free and the buffer at the other end has room for all of it. Outputs take
//! the inputs that want them by turns.

use super::adaptive::choice::CHOOSE;
use super::application::Application;
use super::calendar::Event;
use super::network::NONE;
use super::settings::Queueing;
use super::simulator::Simulator;
use super::state::{Packet, Queue};

impl<A: Application> Simulator<'_, A> {
    /// The number of the queue that a packet waits in.
    #[inline]
    pub(super) fn queue_of(&self, input: u32, lane: u8, out: u8) -> usize {
        let buffer = input as usize * self.num_lanes + usize::from(lane);
        match self.set.queueing {
            Queueing::Fifo => buffer,
            Queueing::Virtual => buffer * self.net.radix + usize::from(out),
        }
    }

    /// The queues of an input and lane.
    pub(super) fn buffer(&self, input: u32, lane: usize) -> &[Queue] {
        let queues = self.set.queueing.queues(self.net.radix);
        &self.queues[(input as usize * self.num_lanes + lane) * queues..][..queues]
    }

    /// The inputs that want a lane of an output, as a set.
    #[inline]
    fn wants(&self, output: u32, lane: usize) -> &[u64] {
        let index = self.link(output, lane);
        match self.words {
            1 => std::slice::from_ref(&self.lanes[index].wants),
            words => &self.wants[index * words..][..words],
        }
    }

    /// As [`Self::wants`]: the word of one input.
    #[inline]
    fn wants_mut(&mut self, output: u32, lane: usize, number: u8) -> &mut u64 {
        let index = self.link(output, lane);
        match self.words {
            1 => &mut self.lanes[index].wants,
            words => &mut self.wants[index * words + usize::from(number / 64)],
        }
    }

    /// A packet's header has crossed the switch.
    #[inline]
    pub(super) fn ready(&mut self, id: u32) {
        let Packet { at: input, lid, sl, lane, wire, mut out, mut next_lane, .. } = *self.packets.get(id);
        if out == CHOOSE {
            let Some(chosen) = self.choose(input, lid) else {
                self.discard(id, self.now);
                return;
            };
            out = chosen;
            next_lane = self.lane_of(input, out, sl);
            let packet = self.packets.get_mut(id);
            (packet.out, packet.next_lane) = (out, next_lane);
        }
        let queue = self.queue_of(input, lane, out);
        let Queue { first, last } = self.queues[queue];
        let output = self.net.sibling(input, out);
        self.outputs[output as usize].waiting += u64::from(wire);
        if first == NONE {
            self.queues[queue] = Queue { first: id, last: id };
            self.packets.get_mut(id).first_since = self.now;
        } else {
            self.packets.get_mut(last).behind = id;
            self.queues[queue].last = id;
        }
        if self.reads_one() && self.occupied(input) {
            let feeds = self.feeds[input as usize];
            self.watch(feeds);
        }
        if first == NONE {
            self.want(input, output, next_lane);
            self.try_output(output);
        }
    }

    /// Whether an input's packet is being sent.
    #[inline]
    fn occupied(&mut self, input: u32) -> bool {
        let (word, bit) = self.index_of(input);
        if self.at_rest[word] & bit != 0 {
            return false;
        }
        let out = &self.outputs[self.feeds[input as usize] as usize];
        if out.feeding == input && (out.watched || out.busy_until > self.now) {
            return true;
        }
        self.at_rest[word] |= bit;
        false
    }

    /// The word and the bit of an input in [`Simulator::at_rest`].
    #[inline]
    fn index_of(&self, input: u32) -> (usize, u64) {
        let number = usize::from(self.net.number(input));
        (self.net.node(input) as usize * self.words + number / 64, 1 << (number % 64))
    }

    /// Lets the first packet of a queue of an input ask for a lane of its output.
    #[inline]
    pub(super) fn want(&mut self, input: u32, output: u32, lane: u8) {
        let number = self.net.number(input);
        *self.wants_mut(output, usize::from(lane), number) |= 1 << (number % 64);
    }

    /// Makes sure that [`Event::Sent`] comes when an output is free again.
    #[inline]
    pub(super) fn watch(&mut self, output: u32) {
        let out = &mut self.outputs[output as usize];
        if !out.watched {
            out.watched = true;
            self.calendar.enter(out.busy_until, Event::Sent(output));
        }
    }

    /// An output has sent a packet.
    #[inline]
    pub(super) fn sent(&mut self, output: u32) {
        let out = &mut self.outputs[output as usize];
        // Down; or still busy, because it was interrupted: then the end is watched, too.
        out.watched = out.busy_until == u64::MAX;
        let input = out.feeding;
        if self.reads_one() {
            let (word, bit) = self.index_of(input);
            self.at_rest[word] |= bit;
            self.try_outputs_of(input, output);
        }
        self.try_output(output);
    }

    /// Tries the outputs that an input's packets want, except one.
    fn try_outputs_of(&mut self, input: u32, except: u32) {
        for lane in 0..self.num_lanes as u8 {
            match self.set.queueing {
                Queueing::Fifo => {
                    let first = self.queues[self.queue_of(input, lane, 0)].first;
                    if first != NONE {
                        let output = self.net.sibling(input, self.packets.get(first).out);
                        if output != except {
                            self.try_output(output);
                        }
                    }
                }
                Queueing::Virtual => {
                    for out in 1..self.net.radix as u8 {
                        let output = self.net.sibling(input, out);
                        let waits = self.queues[self.queue_of(input, lane, out)].first != NONE;
                        if waits && output != except {
                            self.try_output(output);
                        }
                    }
                }
            }
        }
    }

    /// Sends the next packet by an output, if the output is free and a packet may go.
    #[inline]
    pub(super) fn try_output(&mut self, output: u32) {
        let out = &self.outputs[output as usize];
        if out.watched || out.busy_until > self.now {
            if self.preempts() {
                self.interrupt(output);
            }
            self.watch(output);
            return;
        }
        let mut starved = false;
        if self.arbitrates() {
            let sent;
            (sent, starved) = self.arbitrate(output, false);
            if sent {
                return;
            }
        } else {
            let mut lane = usize::from(out.last_lane);
            for _ in 0..self.num_lanes {
                lane = if lane + 1 < self.num_lanes { lane + 1 } else { 0 };
                if self.try_lane(output, lane, &mut starved).is_some() {
                    return;
                }
            }
        }
        let out = &mut self.outputs[output as usize];
        if starved && out.starved == u64::MAX {
            out.starved = self.now;
        }
    }

    /// Sends the next packet by a lane of a free output and returns its length, or sets `starved` where it waits
    /// for credits.
    #[inline]
    pub(super) fn try_lane(&mut self, output: u32, lane: usize, starved: &mut bool) -> Option<u16> {
        let number = self.next_input(output, lane)?;
        let input = self.net.sibling(output, number);
        let queue = self.queue_with(input, output, lane as u8);
        let id = self.queues[queue].first;
        let wire = self.packets.get(id).wire;
        let index = self.link(output, lane);
        let link = &mut self.lanes[index];
        if !link.suffice(wire, self.now) {
            *starved = true;
            self.wait_for(output, lane, wire);
            return None;
        }
        link.take(wire);
        link.last_input = number;
        self.outputs[output as usize].last_lane = lane as u8;
        self.start(id, input, queue, output);
        Some(wire)
    }

    /// The number of the next input by turns that wants an output on a lane and is at rest.
    #[inline]
    fn next_input(&self, output: u32, lane: usize) -> Option<u8> {
        let rest = self.net.node(output) as usize * self.words;
        let last = usize::from(self.lanes[self.link(output, lane)].last_input);
        // Beyond the last input first, up to it in the end.
        let beyond = (u64::MAX << (last % 64)) << 1;
        let words = self.words;
        if words == 1 {
            let mut bits = self.lanes[self.link(output, lane)].wants;
            if self.reads_one() {
                bits &= self.at_rest[rest];
            }
            let first = if bits & beyond == 0 { bits } else { bits & beyond };
            return (bits != 0).then(|| first.trailing_zeros() as u8);
        }
        let wants = self.wants(output, lane);
        let mut word = last / 64;
        for i in 0..=words {
            // The first word is read twice: its bits beyond the last input first, the others in the end.
            let mut bits = wants[word] & if i == 0 { beyond } else { u64::MAX };
            if self.reads_one() {
                bits &= self.at_rest[rest + word];
            }
            if bits != 0 {
                return Some((word * 64) as u8 + bits.trailing_zeros() as u8);
            }
            word = if word + 1 < words { word + 1 } else { 0 };
        }
        None
    }

    /// The queue of an input whose first packet wants an output on a lane.
    #[inline]
    fn queue_with(&self, input: u32, output: u32, lane: u8) -> usize {
        let out = self.net.number(output);
        if self.num_lanes == 1 {
            return self.queue_of(input, 0, out);
        }
        let fits = |&queue: &usize| {
            let first = self.queues[queue].first;
            first != NONE && {
                let packet = self.packets.get(first);
                packet.out == out && packet.next_lane == lane
            }
        };
        let queues = (0..self.num_lanes as u8).map(|from| self.queue_of(input, from, out));
        queues.clone().find(fits).unwrap_or_else(|| queues.min().unwrap_or(0))
    }

    /// Sends the first packet of a queue of an input, for which there are credits, by an output.
    #[inline]
    fn start(&mut self, id: u32, input: u32, queue: usize, output: u32) {
        let packet = *self.packets.get(id);
        let now = self.now;
        let number = self.net.number(input);
        // It leaves its queue; the one behind it asks for an output.
        let next = packet.behind;
        self.queues[queue].first = next;
        if next != NONE {
            self.packets.get_mut(next).first_since = now;
        }
        // In a uniform queue the next packet asks for what this one did.
        if next == NONE || !self.is_uniform() {
            let lane = usize::from(packet.next_lane);
            *self.wants_mut(output, lane, number) &= !(1 << (number % 64));
            if next != NONE {
                let Packet { out, next_lane, .. } = *self.packets.get(next);
                self.want(input, self.net.sibling(input, out), next_lane);
            }
        }
        if self.num_lanes > 1 {
            self.want_again(input, output, packet.next_lane);
        }
        let out = &mut self.outputs[output as usize];
        let mut until = now + out.time_of(packet.wire);
        self.tally.sent(now, &packet, packet.first_since, out);
        if self.throttles() {
            self.mark(id, output);
        }
        if self.preempts() {
            until = self.take_off(id, input, output, until);
        }
        let out = &mut self.outputs[output as usize];
        out.busy_until = until;
        out.feeding = input;
        out.waiting -= u64::from(packet.wire);
        out.starved = u64::MAX;
        if self.reads_one() {
            let (word, bit) = self.index_of(input);
            self.at_rest[word] &= !bit;
            self.feeds[input as usize] = output;
            if self.waits(input) {
                self.watch(output);
            }
        }
        if self.is_wanted(output) {
            self.watch(output);
        }
        let behind = self.net.peer(input);
        self.give_back(behind, packet.lane, packet.wire, until);
        self.send(id, output, until);
    }

    /// With several lanes, another queue of an input may want the same output on the same lane.
    fn want_again(&mut self, input: u32, output: u32, lane: u8) {
        let out = self.net.number(output);
        for from in 0..self.num_lanes as u8 {
            let first = self.queues[self.queue_of(input, from, out)].first;
            if first != NONE {
                let packet = self.packets.get(first);
                if packet.out == out && packet.next_lane == lane {
                    let number = self.net.number(input);
                    *self.wants_mut(output, usize::from(lane), number) |= 1 << (number % 64);
                }
            }
        }
    }

    /// Whether any packet waits in the buffers of an input.
    #[inline]
    fn waits(&self, input: u32) -> bool {
        let per_input = self.num_lanes * self.set.queueing.queues(self.net.radix);
        let first = input as usize * per_input;
        self.queues[first..][..per_input].iter().any(|queue| queue.first != NONE)
    }

    /// Whether any input wants an output.
    #[inline]
    fn is_wanted(&self, output: u32) -> bool {
        let first = self.link(output, 0);
        match self.words {
            1 => self.lanes[first..][..self.num_lanes].iter().any(|lane| lane.wants != 0),
            words => self.wants[first * words..][..self.num_lanes * words].iter().any(|&bits| bits != 0),
        }
    }
}
