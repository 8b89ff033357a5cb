//! Cables that fail while packets are in flight.
//!
//! After a cut nothing leaves by either end of the cable; a packet that is being sent still arrives. No tables
//! are recomputed: a switch knows the state of its own cables alone. Packets that are to leave by the lost
//! cable, or already wait for it,
//!
//! * are discarded where the table decides: a switch discards packets whose port is down (InfiniBand Architecture
//!   Specification, volume 1, chapter 18);
//! * leave by the other ports of shortest paths where the switch chooses packet by packet;
//! * on Omni-Path leave by the ports of their group to which the switch moves the LIDs of that port at once.
//!
//! Where no other port begins a shortest path the table decides after all. Packets that waited join the end of
//! their new queue. Discarded packets are not retransmitted, so their messages do not arrive.

use super::adaptive::choice::CHOOSE;
use super::application::Application;
use super::calendar::Event;
use super::network::NONE;
use super::simulator::Simulator;

impl<A: Application> Simulator<'_, A> {
    /// Enters all cuts into the calendar, those of the same time as one event.
    pub(super) fn enter_cuts(&mut self) {
        for (number, (at, _)) in (0..).zip(&self.net.cuts) {
            self.calendar.enter(*at, Event::Cut(number));
        }
        self.cuts_ahead = self.net.cuts.len();
        self.pause = self.pause.min(self.next_cut());
    }

    /// When the next cables fail (ps).
    pub(super) fn next_cut(&self) -> u64 {
        let cuts = &self.net.cuts;
        cuts.get(cuts.len() - self.cuts_ahead).map_or(u64::MAX, |(at, _)| *at)
    }

    /// Whether an event is a cut that concerns no packet: none is in flight, and only cuts are to come.
    #[cold]
    pub(super) fn is_idle_cut(&mut self, event: Event) -> bool {
        if !matches!(event, Event::Cut(_)) {
            return false;
        }
        self.cuts_ahead -= 1;
        self.packets.len() == 0 && self.calendar.len() == self.cuts_ahead
    }

    /// Cables fail: all that do at one time.
    #[cold]
    pub(super) fn cut(&mut self, number: u32) {
        let (_, ports) = &self.net.cuts[number as usize];
        let outputs: Vec<u32> = ports.iter().flat_map(|&port| [port, self.net.peer(port)]).collect();
        for &output in &outputs {
            self.down[output as usize] = true;
            self.close(output);
            self.leave_out(output);
        }
        for &output in &outputs {
            self.lose(output);
        }
        for &output in &outputs {
            self.redirect(output);
        }
    }

    /// Closes an output: nothing leaves by it any more.
    fn close(&mut self, output: u32) {
        let out = &mut self.outputs[output as usize];
        // When it has sent its packet, the packet's input is at rest.
        if !out.watched && out.busy_until > self.now {
            self.calendar.enter(out.busy_until, Event::Sent(output));
        } else if !out.watched {
            out.feeding = NONE;
        }
        (out.busy_until, out.watched, out.starved) = (u64::MAX, true, u64::MAX);
    }

    /// Finds other outputs for packets that were to leave by a closed one.
    fn redirect(&mut self, output: u32) {
        let number = self.net.number(output);
        let first = output - u32::from(number);
        let ports = first..first + self.net.num_ports_of(output);
        let mut waiting = Vec::new();
        let mut moved_up = Vec::new();
        let per_input = self.num_lanes * self.set.queueing.queues(self.net.radix);
        for queue in ports.start as usize * per_input..ports.end as usize * per_input {
            let was = self.queues[queue].first;
            self.take_from(queue, number, &mut waiting);
            let first = self.queues[queue].first;
            if first != was && first != NONE {
                self.packets.get_mut(first).first_since = self.now;
                moved_up.push(first);
            }
        }
        self.outputs[output as usize].waiting = 0;
        // Packets whose headers have yet to cross the switch.
        for packet in self.packets.all_mut() {
            if ports.contains(&packet.at) && packet.out == number {
                packet.out = CHOOSE;
            }
        }
        for packet in moved_up {
            let packet = *self.packets.get(packet);
            let output = self.net.sibling(packet.at, packet.out);
            self.want(packet.at, output, packet.next_lane);
            self.try_output(output);
        }
        for packet in waiting {
            self.ready(packet);
        }
    }

    /// Takes the packets that would leave by a port out of a queue.
    fn take_from(&mut self, queue: usize, number: u8, removed: &mut Vec<u32>) {
        let (mut last, mut next) = (NONE, self.queues[queue].first);
        while next != NONE {
            let (id, packet) = (next, self.packets.get_mut(next));
            next = packet.behind;
            if packet.out != number {
                last = id;
                continue;
            }
            packet.behind = NONE;
            removed.push(id);
            if last == NONE {
                self.queues[queue].first = next;
            } else {
                self.packets.get_mut(last).behind = next;
            }
        }
        self.queues[queue].last = last;
    }
}
