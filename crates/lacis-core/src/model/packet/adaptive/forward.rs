//! The port by which a packet leaves a switch, by the table or by choice.

use super::choice::{CHOOSE, Choice};
use crate::model::packet::application::Application;
use crate::model::packet::simulator::Simulator;

impl<A: Application> Simulator<'_, A> {
    /// The number of the port by which a packet leaves the switch of an input, [`CHOOSE`], or none where
    /// it is lost.
    #[inline]
    pub(in crate::model::packet) fn forward(&self, input: u32, lid: u32) -> Option<u8> {
        match &self.choice {
            Choice::Packets(groups) if groups.may_choose(self.net.node(input), lid) => Some(CHOOSE),
            Choice::Moves(moves) => {
                let out = moves.port(self.net.node(input), lid).or_else(|| self.net.forward(input, lid))?;
                self.is_up(input, out).then_some(out)
            }
            Choice::Tables | Choice::Packets(_) => {
                self.net.forward(input, lid).filter(|&out| self.is_up(input, out))
            }
        }
    }

    /// Whether the cable at a port of an input's switch has not failed.
    #[inline]
    fn is_up(&self, input: u32, out: u8) -> bool {
        self.down.is_empty() || !self.down[self.net.sibling(input, out) as usize]
    }

    /// The number of the port for a packet whose port was [`CHOOSE`]; none where it is lost.
    pub(in crate::model::packet) fn choose(&mut self, input: u32, lid: u32) -> Option<u8> {
        match self.choice {
            Choice::Packets(_) => self.least_waiting(input, lid).or_else(|| self.forward(input, lid)),
            Choice::Tables | Choice::Moves(_) => self.forward(input, lid),
        }
    }

    /// Excludes a port whose cable has failed from all later choices.
    pub(in crate::model::packet) fn leave_out(&mut self, output: u32) {
        let groups = match &mut self.choice {
            Choice::Tables => return,
            Choice::Packets(groups) => groups,
            Choice::Moves(moves) => &mut moves.groups,
        };
        groups.remove(self.net.node(output), self.net.number(output));
    }

    /// The cable at a port has failed: a switch that moves LIDs moves those of that port.
    pub(in crate::model::packet) fn lose(&mut self, output: u32) {
        let mut choice = std::mem::replace(&mut self.choice, Choice::Tables);
        if let Choice::Moves(moves) = &mut choice {
            self.move_away(moves, output);
        }
        self.choice = choice;
    }
}
