//! Pre-emption: a packet of a lane of high priority interrupts one of another lane on a link.
//!
//! Omni-Path's Traffic Flow Optimization: packets cross a link as flits of 65 bits, and those of a
//! latency-sensitive message pass between two flits of a bulk packet, which goes on afterwards. Here
//! this happens at once, since a flit takes less than a nanosecond. The bulk packet's tail is late by
//! the time of the packets that pass, also on the links behind the next switches: its flits have gaps
//! there, which packets of high priority fill. These do not interrupt each other. The room that an
//! interrupted packet held counts as free when it would have been without the interruption.

use super::application::Application;
use super::calendar::Event;
use super::flights::Flight;
use super::network::NONE;
use super::simulator::Simulator;

impl<A: Application> Simulator<'_, A> {
    /// A packet of an input of the switch ([`NONE`] at a host) leaves by an output; its tail would leave at `until`.
    /// Returns when it will.
    #[cold]
    pub(super) fn take_off(&mut self, packet: u32, input: u32, output: u32, until: u64) -> u64 {
        let (message, lane) = {
            let packet = self.packets.get(packet);
            (packet.message, packet.next_lane)
        };
        let mut tail_at = 0;
        let latency =
            if input == NONE { 0 } else { self.set.latency(self.net.number(input), self.net.number(output)) };
        let behind = if input == NONE { NONE } else { self.net.peer(input) };
        let Some(preemption) = &mut self.preemption else { return until };
        if let Some(before) = preemption.flights.get_mut(behind as usize)
            && (before.packet, before.message) == (packet, message)
        {
            before.next = output;
            tail_at = before.until + self.set.cable_delay + latency;
        }
        let until_late = until.max(tail_at);
        preemption.flights[output as usize] = Flight {
            packet,
            message,
            lane,
            work_until: until,
            tail_at,
            until: until_late,
            next: NONE,
            urgent_until: 0,
            is_watched: false,
        };
        until_late
    }

    /// Lets a packet of high priority interrupt the one that an output sends.
    #[cold]
    pub(super) fn interrupt(&mut self, output: u32) {
        let (now, port) = (self.now, output as usize);
        let Some(preemption) = &mut self.preemption else { return };
        let flight = preemption.flights[port];
        if flight.until <= now || preemption.interrupts(flight.lane) {
            return;
        }
        if flight.urgent_until > now {
            if !std::mem::replace(&mut preemption.flights[port].is_watched, true) {
                self.calendar.enter(flight.urgent_until, Event::Credit(output));
            }
            return;
        }
        let mut flight = Flight { is_watched: true, ..flight };
        let host = self.net.end[port];
        let free_at = if self.net.is_switch(output) { 0 } else { self.hosts[host as usize].free_at };
        let busy_until = self.outputs[port].busy_until;
        let (sent, _) = self.arbitrate(output, true);
        if !sent {
            return;
        }
        let urgent_until = self.outputs[port].busy_until;
        flight.urgent_until = urgent_until;
        // The link was idle while flits were missing: it does not carry the rest and what interrupts at once.
        flight.work_until = flight.work_until.max(now) + urgent_until - now;
        self.outputs[port].busy_until = busy_until;
        if !self.net.is_switch(output) {
            let host = &mut self.hosts[host as usize];
            host.free_at = free_at + host.free_at.saturating_sub(now);
        }
        if let Some(preemption) = &mut self.preemption {
            preemption.flights[port] = flight;
        }
        self.postpone(output);
        self.calendar.enter(urgent_until, Event::Credit(output));
    }

    /// Delays the packet that an output sends, on this and the next links.
    fn postpone(&mut self, output: u32) {
        let Some(preemption) = &mut self.preemption else { return };
        let mut output = output;
        loop {
            let flight = &mut preemption.flights[output as usize];
            let until = flight.work_until.max(flight.tail_at);
            if until <= flight.until {
                return;
            }
            flight.until = until;
            self.outputs[output as usize].busy_until = until;
            let Flight { packet, message, next, .. } = *flight;
            let ahead = self.net.peer(output);
            let tail = until + self.set.cable_delay;
            if !self.net.is_switch(ahead) {
                let late = preemption.late.entry(message).or_default();
                *late = (*late).max(tail + self.set.receive_overhead);
                return;
            }
            if next == NONE {
                return;
            }
            let after = &mut preemption.flights[next as usize];
            if (after.packet, after.message) != (packet, message) {
                return;
            }
            let [from, to] = [ahead, next].map(|port| self.net.number(port));
            after.tail_at = tail + self.set.latency(from, to);
            output = next;
        }
    }

    /// When a message that would arrive now will arrive, if interruptions delay it.
    pub(super) fn late(&mut self, message: u32) -> Option<u64> {
        self.preemption.as_mut()?.late.remove(&message).filter(|&time| time > self.now)
    }
}
