//! Arbitration among the lanes of an output by its tables.

use super::application::Application;
use super::simulator::Simulator;

impl<A: Application> Simulator<'_, A> {
    /// Sends the next packet by an output of a switch or a host, as its tables decide. Returns whether it sent one,
    /// and whether any waits for credits.
    pub(super) fn arbitrate(&mut self, output: u32, urgent: bool) -> (bool, bool) {
        let Some(tables) = &self.set.lanes.arbitration else { return (false, false) };
        let turns = self.arbiters[output as usize].turns(tables, urgent);
        let (mut next, mut starved) = (0, false);
        while let Some(turn) = turns.get(next) {
            next += 1;
            let lane = usize::from(turn.lane);
            let sent = if self.net.is_switch(output) {
                self.try_lane(output, lane, &mut starved)
            } else {
                self.try_host_lane(self.net.end[output as usize], lane, &mut starved)
            };
            if let Some(bytes) = sent {
                self.arbiters[output as usize].charge(tables, turn, bytes);
                return (true, starved);
            }
        }
        (false, starved)
    }
}
