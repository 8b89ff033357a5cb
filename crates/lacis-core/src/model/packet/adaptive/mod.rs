//! Adaptive routing: switches that do not leave the choice among shortest paths to the tables.
//!
//! | room      | who chooses, and how often                                   |
//! |-----------|--------------------------------------------------------------|
//! | `packets` | each packet anew (InfiniBand, Ultra Ethernet)                |
//! | `moves`   | each switch moves LIDs, every so many milliseconds (Omni-Path) |
//! | `groups`  | the ports that begin shortest paths                          |

mod groups;
mod moves;
mod packets;

pub use moves::{Algorithm, OmniPath};

use super::Simulator;
use super::network::Network;
use super::program::Program;
use super::settings::{Adaptive, Settings};
use groups::Groups;
use moves::Moves;

/// The number that stands for a port that is chosen when the header has crossed the switch.
pub(super) const CHOOSE: u8 = 0;

/// Who decides by which port a packet leaves a switch.
#[derive(Debug)]
pub(super) enum Choice {
    /// The forwarding table.
    Tables,
    /// The switch, packet by packet.
    Packets(Groups),
    /// The table, but for LIDs that the switch has moved.
    Moves(Box<Moves>),
}

impl Choice {
    pub(super) fn of(net: &Network<'_>, set: &Settings) -> Self {
        match set.adaptive {
            Adaptive::Off => Self::Tables,
            Adaptive::Least | Adaptive::TwoChoices => Self::Packets(Groups::of(net)),
            Adaptive::OmniPath(how) => Self::Moves(Box::new(Moves::new(net, how))),
        }
    }

    /// Bytes that it takes, but for LIDs that are moved.
    pub(super) fn size(net: &Network<'_>, set: &Settings) -> u64 {
        if set.adaptive == Adaptive::Off { 0 } else { Groups::size(net) }
    }

    /// When switches next move LIDs (ps).
    pub(super) fn next(&self) -> u64 {
        if let Self::Moves(moves) = self { moves.next } else { u64::MAX }
    }

    /// How often switches have moved LIDs, and when they last did (ps).
    pub(super) fn moved(&self) -> (u64, u64) {
        if let Self::Moves(moves) = self { moves.made } else { (0, 0) }
    }
}

impl<P: Program> Simulator<'_, P> {
    /// The number of the port by which a packet leaves the switch of an input, [`CHOOSE`], or none where
    /// it is lost.
    #[inline]
    pub(super) fn forward(&self, input: u32, lid: u32) -> Option<u8> {
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

    /// The number of the port by which a packet is to leave that was told to [`CHOOSE`].
    pub(super) fn choose(&mut self, input: u32, lid: u32) -> Option<u8> {
        match self.choice {
            Choice::Packets(_) => self.least_waiting(input, lid).or_else(|| self.forward(input, lid)),
            Choice::Tables | Choice::Moves(_) => self.forward(input, lid),
        }
    }

    /// Leaves a port whose cable has failed out of all choices to come.
    pub(super) fn leave_out(&mut self, output: u32) {
        let groups = match &mut self.choice {
            Choice::Tables => return,
            Choice::Packets(groups) => groups,
            Choice::Moves(moves) => &mut moves.groups,
        };
        groups.remove(self.net.node(output), self.net.number(output));
    }

    /// A switch that moves LIDs has lost the cable at a port.
    pub(super) fn lose(&mut self, output: u32) {
        let mut choice = std::mem::replace(&mut self.choice, Choice::Tables);
        if let Choice::Moves(moves) = &mut choice {
            self.move_away(moves, output);
        }
        self.choice = choice;
    }
}
