//! Facts about nodes: identities, islands, absent switches.

use serde::Serialize;

use super::super::Location;
use crate::fabric::Guid;

/// Two nodes or ports that have one GUID.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct SharedGuid {
    /// The GUID.
    pub guid: Guid,
    /// The nodes or ports that carry it.
    pub carriers: Vec<Location>,
}

/// Ports that answer to one LID.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct SharedLid {
    /// The LID.
    pub lid: u64,
    /// The ports.
    pub ports: Vec<Location>,
}

/// Ports without a LID, where the ports of their kind have one.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct MissingLids {
    /// The ports.
    pub ports: Vec<Location>,
    /// How many ports of the same subnet and kind, of end nodes or of switches, have one.
    pub with_lid: usize,
}

/// Nodes that no cable connects to the rest of the fabric.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Island {
    /// All of them, switches first.
    pub nodes: Vec<Location>,
    /// How many of them are switches.
    pub switches: usize,
    /// Whether any of them has a cable.
    pub cabled: bool,
}

/// End nodes without any cable.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct UncabledEndNodes {
    /// The nodes.
    pub nodes: Vec<Location>,
}

/// On which side of others switches are, by level.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Side {
    /// At the higher level.
    Above,
    /// At the lower level.
    Below,
}

/// A switch that numbering and cabling imply but that is absent.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct AbsentSwitch {
    /// It, by the name that its series implies.
    pub switch: Location,
    /// How many switches of its series are there.
    pub present: usize,
    /// The numbers of its series.
    pub numbers: SeriesNumbers,
    /// The ports that would lead to it, where these show it.
    pub empty: Option<EmptyPorts>,
    /// What the other switches of its series are, where the fabric has levels.
    pub role: Option<&'static str>,
    /// Hosts that would be on it: those that lack a rail whose leaf it is.
    pub hosts: Vec<Location>,
    /// Hosts without a name on the same leaves as those, which lack it for the same cause.
    pub unnamed: usize,
}

/// The numbers that the names of a series have.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum SeriesNumbers {
    /// One number each, from the first to the last.
    Run {
        /// The first.
        first: u32,
        /// The last.
        last: u32,
    },
    /// Two or three numbers each.
    Grid {
        /// How many combinations there are.
        size: usize,
    },
}

/// Ports that are empty on all of some switches.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct EmptyPorts {
    /// Their numbers.
    pub ports: Vec<u8>,
    /// How many switches.
    pub switches: usize,
    /// Where these are, seen from the absent switch.
    pub side: Side,
    /// Each of the ports, switch by switch.
    pub ends: Vec<Location>,
}

/// Planes whose managers have the same subnet prefix.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct SharedPrefix {
    /// The prefix.
    pub prefix: String,
    /// The planes, from 1.
    pub planes: Vec<usize>,
}

/// Adapters with the same host name and label.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct SharedName {
    /// The name.
    pub name: String,
    /// The leaf port of each, or the adapter where it has no cable.
    pub at: Vec<Location>,
}

/// Switches with the same description.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct SharedDescription {
    /// The description, as the switches have it.
    pub description: String,
    /// Its readable part.
    pub name: String,
    /// The switches.
    pub switches: Vec<Location>,
}
