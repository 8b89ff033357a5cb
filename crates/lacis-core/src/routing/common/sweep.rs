//! What an engine is given, and what it gives back.

use super::options::Options;
use crate::fabric::{Fabric, PortId};
use crate::sm::lanes::PathLanes;
use crate::sm::lids::Lids;
use crate::sm::{Lft, RefusalReason, within};

/// A sweep of the subnet manager, as an engine sees it: all that tables depend on.
#[derive(Clone, Copy, Debug)]
pub struct Sweep<'a> {
    /// The fabric as it is now.
    pub fabric: &'a Fabric,
    /// Its LIDs, and the manager's port ([`Lids::manager`]).
    pub lids: &'a Lids,
    /// The manager's options.
    pub options: &'a Options,
    /// The tables of the sweep before, rows by the switches of `fabric`, where a manager honours
    /// them: after losses, not after returns. Empty rows for switches that had none.
    pub previous: Option<&'a Lft>,
    /// Paths that engines which failed in this sweep have counted already, by egress port
    /// ([`PortId`]); none where it is empty.
    pub counts: &'a [u32],
}

impl<'a> Sweep<'a> {
    /// A first sweep.
    pub fn first(fabric: &'a Fabric, lids: &'a Lids, options: &'a Options) -> Self {
        Self { fabric, lids, options, previous: None, counts: &[] }
    }

    /// Paths counted on an egress port before the engine starts.
    pub fn count(&self, port: PortId) -> u32 {
        self.counts.get(port.ix()).copied().unwrap_or(0)
    }
}

/// What an engine makes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Tables {
    /// Forwarding tables.
    pub lft: Lft,
    /// Lanes, from the engines that assign them.
    pub lanes: Option<PathLanes>,
}

impl From<Lft> for Tables {
    fn from(lft: Lft) -> Self {
        Self { lft, lanes: None }
    }
}

/// Why an engine does not route a fabric.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{}", within(reason, subnet.as_deref()))]
pub struct Refused {
    /// The reason.
    pub reason: RefusalReason,
    /// The first switch of the subnet that it does not route, by name; none where there is one subnet.
    pub subnet: Option<String>,
    /// Paths that it counted before it gave up, by egress port; empty for most engines. OpenSM
    /// does not reset them before the next engine.
    pub counts: Vec<u32>,
}

impl Refused {
    /// A refusal with its reason.
    pub fn new(reason: impl Into<RefusalReason>) -> Self {
        Self { reason: reason.into(), subnet: None, counts: Vec::new() }
    }

    /// The same, of one subnet among several, by its first switch.
    #[must_use]
    pub fn within(self, switch: &str) -> Self {
        Self { subnet: Some(switch.to_owned()), ..self }
    }
}
