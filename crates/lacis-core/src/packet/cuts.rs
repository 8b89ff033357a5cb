//! Cables that fail while packets are under way.
//!
//! From the time of a cut nothing more leaves by either end of the cable; what an end is sending then still
//! arrives. Nobody makes new tables: a switch knows of its own cables, and nothing of others'. What it
//! would send by the lost one, what waits for that included,
//!
//! * it discards where the tables decide, or nothing else begins a shortest path: a switch discards
//!   packets whose port is down (InfiniBand Architecture Specification, volume 1, chapter 18);
//! * it sends by the other ports of shortest paths where it chooses packet by packet;
//! * on Omni-Path it moves the LIDs of that port to others of their group at once.
//!
//! Nobody sends discarded packets again, so their messages do not arrive.

use super::Simulator;
use super::adaptive::CHOOSE;
use super::calendar::Event;
use super::network::NONE;
use super::parts::Way;
use super::program::Program;

impl<P: Program> Simulator<'_, P> {
    /// Whether nothing is under way, and nothing to be sent.
    pub(super) fn is_idle(&self) -> bool {
        self.packets.len() == 0 && self.messages.len() == 0 && self.to_post.len() == 0
    }

    /// A cable fails.
    #[cold]
    pub(super) fn cut(&mut self, number: u32) {
        let (_, port) = self.net.cuts[number as usize];
        let ends = [port, self.net.peer(port)];
        self.down.extend(ends);
        // Ways that were worked out may lead by it.
        self.packets.all_mut().for_each(|packet| packet.way = Way::default());
        self.messages.all_mut().for_each(|message| message.way = Way::default());
        for output in ends {
            self.close(output);
            self.lose(output);
            self.turn_away(output);
        }
    }

    /// Nothing leaves by an output any more.
    fn close(&mut self, output: u32) {
        let out = &mut self.outputs[output as usize];
        // When it has sent its packet, the input of that is at rest.
        if !out.watched && out.busy_until > self.now {
            self.calendar.enter(out.busy_until, Event::Sent(output));
        } else if !out.watched {
            out.feeding = NONE;
        }
        (out.busy_until, out.watched, out.starved) = (u64::MAX, true, u64::MAX);
    }

    /// Sends packets that were to leave a switch by a closed output elsewhere.
    fn turn_away(&mut self, output: u32) {
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
                self.queues[queue].since = self.now;
                moved_up.push(first);
            }
        }
        self.outputs[output as usize].waiting = 0;
        // Those whose headers have yet to cross the switch.
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
    fn take_from(&mut self, queue: usize, number: u8, taken: &mut Vec<u32>) {
        let (mut last, mut next) = (NONE, self.queues[queue].first);
        while next != NONE {
            let (id, packet) = (next, self.packets.get_mut(next));
            next = packet.behind;
            if packet.out != number {
                last = id;
                continue;
            }
            packet.behind = NONE;
            taken.push(id);
            if last == NONE {
                self.queues[queue].first = next;
            } else {
                self.packets.get_mut(last).behind = next;
            }
        }
        self.queues[queue].last = last;
    }
}
