//! A line of the work list: what to do with which cable, and why.

use serde::{Serialize, Serializer};

use super::super::facts::{AbsentHost, AbsentSwitch, DroppingEnd, EndCount, Joins};
use super::super::{Cable, Code, Location, Severity};
use crate::fabric::{CablePart, Guid, Rate};

/// What to do with a cable.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub enum Action {
    /// Plug one in where there is none.
    #[serde(rename = "plug in")]
    PlugIn,
    /// Put a new one in its place.
    #[serde(rename = "replace")]
    Replace,
    /// Move one of its ends.
    #[serde(rename = "move")]
    Move,
    /// Exchange one of its ends with that of another.
    #[serde(rename = "swap")]
    Swap,
    /// Go and look.
    #[serde(rename = "check")]
    Check,
}

/// An end of a cable.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct CableEnd {
    /// The node; switches that share a name have their GUIDs with it.
    pub node: String,
    /// Its GUID; none where it is absent or not determined.
    #[serde(serialize_with = "guid_or_empty")]
    pub guid: Option<Guid>,
    /// The port; none where any free one will do.
    pub port: Option<u8>,
}

impl From<Location> for CableEnd {
    fn from(Location { node, guid, port, .. }: Location) -> Self {
        Self { node, guid, port }
    }
}

#[allow(clippy::ref_option)] // the signature that serde calls
fn guid_or_empty<S: Serializer>(guid: &Option<Guid>, serializer: S) -> Result<S::Ok, S::Error> {
    match guid {
        Some(guid) => guid.serialize(serializer),
        None => serializer.serialize_str(""),
    }
}

/// One line of the work list.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct CableWork {
    /// What to do.
    pub action: Action,
    /// The end to go to first.
    pub here: CableEnd,
    /// The other end; none where there is none, or the pattern does not determine it.
    pub there: Option<CableEnd>,
    /// The racks that the names of the ends begin with, as `A09 – A10`; empty where names have none.
    pub rack: String,
    /// The code of the finding that asks for it.
    pub code: Code,
    /// How bad that is.
    pub severity: Severity,
    /// Why.
    pub reason: Reason,
    /// The same in words.
    pub why: String,
    /// The cable there now, as far as the source knows it.
    pub part: Option<CablePart>,
}

/// Why a cable is to be worked at: what is expected beside what is there.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Reason {
    /// Two switches, or two groups, have fewer cables than their peers.
    Missing {
        /// Cables that there are.
        have: u16,
        /// Cables that peers have.
        expected: u16,
    },
    /// A switch has fewer cables up than its peers, which led to one of several switches.
    OneOfSeveralMissing {
        /// Cables up that there are.
        have: usize,
        /// Cables up that peers have.
        expected: usize,
    },
    /// The port leads elsewhere than the same port of its peers.
    Misplaced {
        /// The switch that theirs leads to.
        expected: Location,
    },
    /// Its end and that of another cable are each on the switch of the other.
    Exchanged {
        /// The other cable.
        with: Cable,
        /// The switch that the end to go to belongs on.
        expected: Location,
    },
    /// It is plugged into one switch and belongs in another, which has as many fewer.
    Astray {
        /// Where it belongs.
        to: Location,
        /// Cables that the switch has which it is plugged into.
        have: u16,
        /// Cables that peers have.
        expected: u16,
    },
    /// No cable of the peers joins such switches.
    Stray {
        /// How the two stand to each other.
        joins: Joins,
    },
    /// It is slower or narrower than the cables of its kind.
    Below {
        /// What it runs at.
        rate: Rate,
        /// What they run at.
        expected: Rate,
    },
    /// All cables of the switch to others are slower or narrower than they could be.
    SwitchBelow {
        /// How many cables.
        cables: usize,
        /// What they run at.
        rate: Rate,
        /// What they could.
        expected: Rate,
    },
    /// A port of it is not active.
    Inactive {
        /// The states of both ends, in the order of the finding's ends.
        states: [Option<&'static str>; 2],
    },
    /// It leads back to the node that it comes from.
    Loopback,
    /// Its ports have counted more errors than is tolerated, or grade its quality as poor.
    Errors {
        /// The counters beyond their thresholds.
        counts: Vec<EndCount>,
    },
    /// It is hotter than is tolerated.
    Hot {
        /// The temperature at either end [°C], in the order of the finding's ends.
        temperatures: [Option<i16>; 2],
        /// What is tolerated [°C].
        limit: i16,
    },
    /// Its ports have dropped more of what they received than is tolerated.
    Dropping {
        /// The ends that have.
        ends: Vec<DroppingEnd>,
    },
    /// Its ends report different rates.
    Uneven {
        /// What each reports, in the order of the finding's ends.
        rates: [Option<Rate>; 2],
    },
    /// One of its ends does not report it.
    OneSided {
        /// That end.
        silent: Location,
    },
    /// The adapter is on the leaf of another rail.
    Crossed {
        /// The host.
        host: String,
        /// The rail of the leaf, from 1.
        rail: usize,
        /// The rail that the adapter's label has elsewhere, from 1.
        expected: usize,
        /// The leaf port that it belongs on, where another crossed adapter of the host has it.
        target: Option<Location>,
    },
    /// The adapter is at another leaf port than its host's others.
    OtherPort {
        /// The port of the others.
        expected: u8,
    },
    /// A host that numbering implies is absent.
    HostAbsent(AbsentHost),
    /// A switch that numbering implies is absent.
    SwitchAbsent(AbsentSwitch),
    /// A host has no adapter on a rail.
    RailLacking {
        /// The rail, from 1.
        rail: usize,
    },
    /// Nodes are apart from the rest of the fabric.
    Apart {
        /// How many.
        nodes: usize,
    },
}
