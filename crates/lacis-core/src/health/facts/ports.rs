//! Facts about ports: their states, what they have counted, and cables that lead back.

use serde::Serialize;

use super::super::{Cable, Location};

/// Ports that have a link and are not active, where others are.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct InactivePorts {
    /// The links, each with the states of its ends.
    pub links: Vec<InactiveLink>,
}

/// A link with an end that is not active.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct InactiveLink {
    /// Its ends, the one that is not active first.
    pub cable: Cable,
    /// The states of both ends, as the source has them: `Initialize`.
    pub states: [Option<&'static str>; 2],
    /// The physical states of both ends: `LinkUp`.
    pub physical: [Option<&'static str>; 2],
    /// The host adapter behind it that has no other active port, where it is the link of one.
    pub unreachable: Option<Location>,
}

/// A subnet in which no port with a link is active.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct InactiveSubnet {
    /// How many ports have a link.
    pub ports: usize,
    /// How many of these are in each state.
    pub states: Vec<PortsInState>,
}

/// Ports in one state.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct PortsInState {
    /// The state: `Initialize`.
    pub state: &'static str,
    /// How many ports.
    pub ports: usize,
}

/// Cables between two ports of one node.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct LoopbackCables {
    /// The node.
    pub node: Location,
    /// Each cable.
    pub cables: Vec<Cable>,
}

/// Links whose ports have counted what a tool does not tolerate.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ErrorCounts {
    /// Each link with the counters of its ends.
    pub links: Vec<LinkCounts>,
    /// The thresholds that were used: those that the field's own tool has as its defaults.
    pub thresholds: ThresholdsOf,
}

/// The tool whose defaults decide.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum ThresholdsOf {
    /// `opareport -o errors` with the `opamon.conf` that it comes with.
    Opareport,
    /// `ibqueryerrors`.
    Ibqueryerrors,
}

/// A link, and the counters of its ends beyond their thresholds.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct LinkCounts {
    /// Its ends.
    pub cable: Cable,
    /// Of the first end, then of the second.
    pub counts: Vec<EndCount>,
}

/// A counter of one end.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct EndCount {
    /// The port.
    pub port: Location,
    /// The counter: `LinkDowned`.
    pub counter: &'static str,
    /// Its value.
    pub value: u64,
    /// What is tolerated: at most, or of link quality at least.
    pub threshold: u64,
}

/// Cables hotter than is tolerated.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct HotCables {
    /// Each link.
    pub links: Vec<HotCable>,
    /// What is tolerated, at most [°C].
    pub limit: i16,
}

/// A link, and how hot its cable is at each end.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct HotCable {
    /// Its ends.
    pub cable: Cable,
    /// The temperature at either end [°C]; none where the source does not say.
    pub temperatures: [Option<i16>; 2],
}

/// Links whose ports have dropped more of what they received than is tolerated.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct DroppedPackets {
    /// Each link.
    pub links: Vec<DroppingLink>,
    /// The share of the packets received that is tolerated.
    pub tolerated: f64,
}

/// A link, and what its ends have dropped.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct DroppingLink {
    /// Its ends.
    pub cable: Cable,
    /// The ends that have dropped too much.
    pub ends: Vec<DroppingEnd>,
}

/// A port, and what it has dropped.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct DroppingEnd {
    /// The port.
    pub port: Location,
    /// Packets that arrived with an error: those that this link broke.
    pub errors: u64,
    /// Packets that were marked bad on their way: those that another link broke.
    pub marked: u64,
    /// Packets received.
    pub received: u64,
}
