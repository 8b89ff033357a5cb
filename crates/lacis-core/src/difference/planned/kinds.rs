//! Kinds of cables: `opareport` has a report for each.
//!
//! A planned cable is of every kind that it may be: by what the plan says, and by what its ports lead to.

use super::outcome::{Counts, Verdict};
use crate::fabric::{Fabric, NodeKind, PortId};
use crate::io::plan::Cable;

/// A kind of cables; a cable may be of several.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum CableKind {
    /// Not between two chips of one director: `verifyextlinks`.
    External,
    /// To a host: `verifyfilinks`.
    Hosts,
    /// Between switches: `verifyislinks`.
    BetweenSwitches,
    /// Between switches, and not inside a director: `verifyextislinks`.
    ExternalBetweenSwitches,
}

impl CableKind {
    /// All kinds of cables.
    pub const ALL: [Self; 4] =
        [Self::External, Self::Hosts, Self::BetweenSwitches, Self::ExternalBetweenSwitches];

    /// Its stable name.
    pub fn name(self) -> &'static str {
        match self {
            Self::External => "external",
            Self::Hosts => "hosts",
            Self::BetweenSwitches => "between_switches",
            Self::ExternalBetweenSwitches => "external_between_switches",
        }
    }
}

/// How many cables of each kind have each verdict.
pub type ByKind = [Counts; CableKind::ALL.len()];

/// The kinds of a cable: external, to a host, between switches.
#[derive(Clone, Copy, Default)]
pub(super) struct Is {
    external: bool,
    hosts: bool,
    between: bool,
}

impl Is {
    /// Of the found cable at a port.
    pub(super) fn found(fabric: &Fabric, port: PortId) -> Self {
        let Some(far) = fabric.peer(port) else { return Self::default() };
        let (a, b) = (fabric.node_of(port), fabric.node_of(far));
        let system = fabric.node(a).system_guid;
        let is_inside = a == b || (system.is_some() && system == fabric.node(b).system_guid);
        let between = fabric.is_switch(a) && fabric.is_switch(b);
        Self { external: !is_inside, hosts: !between, between }
    }

    /// Of a planned cable.
    pub(super) fn planned(fabric: &Fabric, cable: &Cable, ports: [Option<PortId>; 2]) -> Self {
        let kinds = cable.ends.each_ref().map(|end| end.kind);
        let is_host = |kind: &Option<NodeKind>| kind.is_some_and(|kind| kind != NodeKind::Switch);
        let mut is = Self {
            external: !cable.internal,
            hosts: kinds.iter().any(is_host),
            between: kinds == [Some(NodeKind::Switch); 2],
        };
        for port in ports.into_iter().flatten().filter(|&port| fabric.peer(port).is_some()) {
            let found = Self::found(fabric, port);
            is.external |= found.external;
            is.hosts |= found.hosts;
            is.between |= found.between;
        }
        is
    }

    /// Counts a cable with its verdict.
    pub(super) fn count(self, verdict: Verdict, into: &mut ByKind) {
        let kinds = [self.external, self.hosts, self.between, self.external && self.between];
        for (counts, _) in into.iter_mut().zip(kinds).filter(|(_, is)| *is) {
            counts[verdict as usize] += 1;
        }
    }
}
