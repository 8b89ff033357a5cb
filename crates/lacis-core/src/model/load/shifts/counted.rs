//! Shifts whose counts are kept, and the flows that a failure moves.

use super::outcome::Shifts;
use crate::model::load::Links;
use crate::model::load::rail::{NONE, RailPaths};

/// Shifts with their counts.
#[derive(Clone, Debug)]
pub struct Counted {
    pub(super) shifts: Shifts,
    pub(super) links: Links,
    pub(super) rails: Vec<RailPaths>,
    pub(super) hosts: usize,
    /// By distance: its index among the shifts, or [`NONE`].
    pub(super) index: Vec<u32>,
    /// The row of every host, rail after rail, or [`NONE`].
    pub(super) row: Vec<u32>,
    /// Flows on links, shape `(shifts, links)`.
    pub(super) on_link: Vec<u16>,
    /// Flows by contention, shape `(shifts, width)`.
    pub(super) by_contention: Vec<u32>,
    pub(super) width: usize,
    /// By link: where its users begin in `users`.
    pub(super) users_from: Vec<u32>,
    pub(super) users: Vec<u32>,
}

/// Hosts of a row that reach a receiver by other links than before.
pub(super) struct FlowMove {
    pub rail: usize,
    pub row: usize,
    pub receiver: usize,
    /// The range of its new links in [`FlowMoves::links`].
    pub links: (usize, usize),
}

/// All moves, and their new links.
pub(super) struct FlowMoves {
    pub each: Vec<FlowMove>,
    pub links: Vec<u16>,
}

impl Counted {
    /// The cell by which a move's hosts reached its receiver before.
    pub(super) fn cell(&self, flow: &FlowMove) -> &[u16] {
        self.rails[flow.rail].cell(flow.row, flow.receiver)
    }

    /// The cell of a flow in the shift by a distance; none where the sender has no port.
    pub(super) fn cell_of(&self, flow: u32, distance: usize) -> Option<&[u16]> {
        // Rails are few, and a division costs as much as all the rest.
        let (mut rail, mut receiver) = (0, flow as usize);
        while receiver >= self.hosts {
            (rail, receiver) = (rail + 1, receiver - self.hosts);
        }
        let around = if receiver < distance { self.hosts } else { 0 };
        let row = self.row[rail * self.hosts + (receiver + around - distance)];
        (row != NONE).then(|| self.rails[rail].cell(row as usize, receiver))
    }
}
