//! Reading ahead: what the next events of the day will read is asked of memory while the events before them are
//! handled. Buffers of large fabrics do not fit the processor's caches, and an event alone would wait for one line
//! after another. Nothing is changed, so a simulation has the same result without it.

use std::hint::black_box;

use super::adaptive::choice::CHOOSE;
use super::application::Application;
use super::calendar::Event;
use super::network::NONE;
use super::simulator::Simulator;
use super::state::Packet;

/// How many events before its own a packet is read; what it leads to is read when it is the next event's.
const PACKETS_AHEAD: usize = 2;

impl<A: Application> Simulator<'_, A> {
    /// Reads what the next events need first.
    #[inline]
    pub(super) fn read_ahead(&self) {
        match self.calendar.ahead(PACKETS_AHEAD) {
            Some(Event::Ready(packet)) => {
                black_box(self.packets.get(packet).at);
            }
            Some(Event::Sent(output)) => {
                black_box(self.lanes[self.link(output, 0)].wants);
            }
            _ => {}
        }
        match self.calendar.ahead(0) {
            Some(Event::Ready(packet)) => self.read_buffers(packet),
            Some(Event::Sent(output)) if self.num_lanes == 1 => {
                if let Some(number) = self.next_input(output, 0) {
                    let queue = self.queue_with(self.net.sibling(output, number), output, 0);
                    let first = self.queues[queue].first;
                    if first != NONE {
                        black_box(self.packets.get(first).wire);
                    }
                }
            }
            _ => {}
        }
    }

    /// Reads the queue that a packet is about to join, and the credits of the buffer that it will leave.
    #[inline]
    fn read_buffers(&self, packet: u32) {
        let Packet { at: input, lane, out, .. } = *self.packets.get(packet);
        if out != CHOOSE {
            black_box(self.queues[self.queue_of(input, lane, out)].last);
        }
        black_box(self.lanes[self.link(self.net.peer(input), usize::from(lane))].wants);
    }
}
