//! Facts about the cables of groups, in a Dragonfly+ or a dragonfly.

use serde::Serialize;

use super::super::{Cable, Location};

/// How many pairs of a kind have the number of cables that is expected, which is the evidence for it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct PairPeers {
    /// Pairs that have it.
    pub agreeing: usize,
    /// Pairs of the kind.
    pub of: usize,
}

/// Two switches with fewer cables than such pairs have.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct GroupGap {
    /// The two switches.
    pub ends: [Location; 2],
    /// Cables that there are.
    pub have: u16,
    /// Cables that peers have.
    pub expected: u16,
    /// The two ports of each missing cable; empty where the peers' cabling does not show them.
    pub ports: Vec<Cable>,
}

impl GroupGap {
    /// How many cables are missing.
    pub fn missing(&self) -> usize {
        self.expected.saturating_sub(self.have).into()
    }

    /// The missing cables by their two ends: their ports, or the two switches once where the ports are not known.
    pub fn cables(&self) -> Vec<Cable> {
        if self.ports.is_empty() { vec![self.ends.clone()] } else { self.ports.clone() }
    }
}

/// Pairs of switches, all with one switch in common, that lack cables: in different groups, or in one group of a dragonfly.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct GroupGaps {
    /// The switch that all pairs have in common.
    pub switch: Location,
    /// Whether they are in one group.
    pub within: bool,
    /// Each pair, this switch first.
    pub gaps: Vec<GroupGap>,
    /// Pairs that have what is expected.
    pub peers: PairPeers,
}

/// Two groups with fewer cables between them than others have, where cabling does not show which ports these belong to.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ThinGroupPair {
    /// A switch of each group: the one with the fewest global cables, or the first.
    pub switches: [Location; 2],
    /// The switches of each group with fewer global cables than most have; where there is none its cables lead elsewhere.
    pub short: [Vec<Location>; 2],
    /// Cables that there are.
    pub have: u16,
    /// Cables that peers have.
    pub expected: u16,
    /// Pairs of groups that have as many.
    pub peers: PairPeers,
}

/// Two cables whose ends are exchanged.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ExchangedCables {
    /// Each cable: the right end, then the one that is on the other's switch.
    pub cables: [Cable; 2],
    /// Pairs of switches that are cabled as these should be.
    pub peers: PairPeers,
}
