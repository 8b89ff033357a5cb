//! What decides by which port a packet leaves a switch.

use super::groups::ShortestPorts;
use super::moved::Moves;
use crate::model::packet::network::Network;
use crate::model::packet::settings::{Adaptive, Settings};

/// In place of a port number: the port is chosen when the header has crossed the switch.
pub(in crate::model::packet) const CHOOSE: u8 = 0;

/// What decides by which port a packet leaves a switch.
#[derive(Debug)]
pub(in crate::model::packet) enum Choice {
    /// The forwarding table.
    Tables,
    /// The switch, packet by packet.
    Packets(ShortestPorts),
    /// The table, except for LIDs that the switch has moved.
    Moves(Box<Moves>),
}

impl Choice {
    pub(in crate::model::packet) fn of(net: &Network<'_>, set: &Settings) -> Self {
        match set.adaptive {
            Adaptive::Off => Self::Tables,
            Adaptive::Least | Adaptive::TwoChoices => Self::Packets(ShortestPorts::of(net)),
            Adaptive::OmniPath(how) => Self::Moves(Box::new(Moves::new(net, how))),
        }
    }

    /// Memory that it takes, without the LIDs that are moved [bytes].
    pub(in crate::model::packet) fn size(net: &Network<'_>, set: &Settings) -> u64 {
        if set.adaptive == Adaptive::Off { 0 } else { ShortestPorts::size(net) }
    }

    /// When switches next move LIDs (ps).
    pub(in crate::model::packet) fn next(&self) -> u64 {
        if let Self::Moves(moves) = self { moves.next } else { u64::MAX }
    }

    /// How often switches have moved LIDs, and when they last did (ps).
    pub(in crate::model::packet) fn moved(&self) -> (u64, u64) {
        if let Self::Moves(moves) = self { moves.made } else { (0, 0) }
    }
}
