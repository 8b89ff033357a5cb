//! Links: a packet on its way to the next buffer, and credits on their way back.

use super::adaptive::choice::CHOOSE;
use super::application::Application;
use super::calendar::Event;
use super::network::NONE;
use super::simulator::Simulator;
use super::state::Packet;
use crate::fabric::NodeId;

impl<A: Application> Simulator<'_, A> {
    /// Gives the room of a packet back to the output that sent it here; its tail leaves at `time`.
    #[inline]
    pub(super) fn give_back(&mut self, output: u32, lane: u8, wire: u16, time: u64) {
        if self.set.buffer.is_none() {
            return;
        }
        let time = time + self.set.cable_delay;
        let index = self.link(output, usize::from(lane));
        let link = &mut self.lanes[index];
        link.give(time, wire);
        if link.is_stuck() {
            self.wake(output, lane);
        }
    }

    /// Wakes an output that waits for credits when they are there, if that is known now.
    #[inline(never)]
    fn wake(&mut self, output: u32, lane: u8) {
        let index = self.link(output, usize::from(lane));
        let link = &mut self.lanes[index];
        if let Some(time) = link.wake() {
            self.calendar.enter(time.max(self.now), Event::Credit(output));
        }
    }

    /// A packet waits for credits of a lane of an output.
    #[inline(never)]
    pub(super) fn wait_for(&mut self, output: u32, lane: usize, wire: u16) {
        let index = self.link(output, lane);
        if let Some(time) = self.lanes[index].wait_for(wire) {
            self.calendar.enter(time, Event::Credit(output));
        }
    }

    /// Puts a packet on the link that leaves an output; its tail leaves at `until`.
    #[inline]
    pub(super) fn send(&mut self, id: u32, output: u32, until: u64) {
        let (now, delay) = (self.now, self.set.cable_delay);
        if let Some(slots) = &mut self.slots {
            slots.add(output, now, until);
        }
        let input = self.net.peer(output);
        let packet = self.packets.get_mut(id);
        packet.at = input;
        packet.lane = packet.next_lane;
        packet.behind = NONE;
        let tail = until + delay;
        if !self.net.is_switch(input) {
            self.receive(id, now + delay, tail);
            return;
        }
        packet.hops += 1;
        let Packet { lid, sl, hops, wire, .. } = *packet;
        let known = packet.exits.get(usize::from(hops) - 1).copied().filter(|&out| out != 0);
        let out = known.or_else(|| self.forward(input, lid));
        let Some(out) = out.filter(|_| hops <= self.set.hop_limit) else {
            self.discard(id, tail);
            return;
        };
        if out == CHOOSE {
            let ready = now + delay + self.set.switch_latency;
            let packet = self.packets.get_mut(id);
            (packet.out, packet.ready) = (out, ready);
            self.calendar.enter(ready, Event::Ready(id));
            return;
        }
        let latency = self.set.latency(self.net.number(input), out);
        // A faster link waits until it can send without a break.
        let ahead = if self.net.is_even {
            until - now
        } else {
            self.outputs[self.net.sibling(input, out) as usize].time_of(wire)
        };
        let whole = match self.preemption {
            // Gaps that interruptions leave do not delay the header.
            Some(_) => now + delay + self.outputs[output as usize].time_of(wire),
            None => tail,
        };
        let ready = (now + delay).max(whole.saturating_sub(ahead)) + latency;
        let next_lane = self.lane_of(input, out, sl);
        let packet = self.packets.get_mut(id);
        (packet.out, packet.next_lane, packet.ready) = (out, next_lane, ready);
        self.calendar.enter(ready, Event::Ready(id));
    }

    /// The lane on which a packet leaves a switch.
    #[inline]
    pub(super) fn lane_of(&self, input: u32, out: u8, sl: u8) -> u8 {
        if self.num_lanes == 1 {
            return 0;
        }
        let switch = NodeId(self.net.node(input));
        let lanes = self.net.routes.lanes.as_ref();
        lanes.map_or_else(
            || self.set.lanes.lane(sl),
            |lanes| lanes.vl(switch, self.net.number(input), out, sl),
        )
    }

    /// Discards a packet that has no output, from the buffer that it is in or about to enter; its tail comes at
    /// `tail`.
    pub(super) fn discard(&mut self, id: u32, tail: u64) {
        let packet = self.packets.remove(id);
        let behind = self.net.peer(packet.at);
        self.give_back(behind, packet.lane, packet.wire, tail);
        self.tally.discarded += 1;
        self.tally.last_discard = self.tally.last_discard.max(tail);
    }
}
