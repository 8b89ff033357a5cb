//! Facts about hosts: their rails, leaf ports and names.

use serde::Serialize;

use super::super::Location;

/// Hosts without an adapter on a rail that others of their series have.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct MissingRail {
    /// The hosts.
    pub hosts: Vec<Location>,
    /// The rail, from 1.
    pub rail: usize,
    /// What others call their adapter on it, if most agree.
    pub label: Option<String>,
    /// The absent leaf that they would be on, where that is the cause.
    pub absent_leaf: Option<String>,
    /// Hosts without a name on the same leaves, which lack it for the same cause.
    pub unnamed: usize,
}

/// Adapters of a host on leaves of other rails than their labels have elsewhere.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct CrossedRails {
    /// The host.
    pub host: String,
    /// Each adapter.
    pub adapters: Vec<CrossedAdapter>,
}

impl CrossedRails {
    /// Whether two adapters are each on the other's rail.
    pub fn are_exchanged(&self) -> bool {
        matches!(&self.adapters[..], [a, b] if a.rail == b.expected_rail && b.rail == a.expected_rail)
    }
}

/// An adapter on the leaf of another rail.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct CrossedAdapter {
    /// The adapter.
    pub adapter: Location,
    /// Its label.
    pub label: String,
    /// The leaf that it is on, with the port where that is known.
    pub leaf: Option<Location>,
    /// The rail of that leaf, from 1.
    pub rail: usize,
    /// The rail that the label has elsewhere, from 1.
    pub expected_rail: usize,
    /// The leaf port of that rail that another crossed adapter of the host has taken.
    pub target: Option<Location>,
}

impl CrossedAdapter {
    /// The leaf port that it is at, if that is known.
    pub fn leaf_port(&self) -> Option<&Location> {
        self.leaf.as_ref().filter(|leaf| leaf.port.is_some())
    }

    pub(super) fn ends(&self) -> impl Iterator<Item = Location> + '_ {
        [Some(&self.adapter), self.leaf_port()].into_iter().flatten().cloned()
    }
}

/// Adapters of a host on one leaf, where others of its series have a leaf for each.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct SharedLeaf {
    /// The host.
    pub host: String,
    /// Its adapters on the leaf.
    pub adapters: Vec<Location>,
    /// What these are called, without the host's name; empty where they have no labels.
    pub labels: Vec<String>,
    /// The leaf.
    pub leaf: Location,
}

/// Hosts whose rails share an adapter card, all alike.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct SharedCard {
    /// Each host and the first of its adapters on the card.
    pub hosts: Vec<HostCard>,
    /// The ports on the card.
    pub ports: Vec<CardPort>,
}

/// A host and its adapter card.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct HostCard {
    /// The host.
    pub host: String,
    /// Its first adapter on the card.
    pub adapter: Location,
}

/// A port of an adapter card.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct CardPort {
    /// Label of the adapter; empty where it has none.
    pub label: String,
    /// Number of the port.
    pub port: u8,
}

/// An adapter at another leaf port than its host's others.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct UnexpectedPort {
    /// The adapter.
    pub adapter: Location,
    /// The leaf port that it is at.
    pub leaf: Location,
    /// The port number that the host's other adapters have.
    pub expected: u8,
    /// What is at that port of this leaf.
    pub there: Option<Location>,
}

/// Hosts that numbering and leaf ports imply.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct AbsentHosts {
    /// Each host, in natural order.
    pub hosts: Vec<AbsentHost>,
}

/// A host that numbering and leaf ports imply.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct AbsentHost {
    /// It, by the name that its leaf port implies.
    pub host: Location,
    /// The empty leaf ports that it belongs on.
    pub ports: Vec<Location>,
}

/// A host that has the name its installer gave it.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct GenericHost {
    /// Its name.
    pub host: String,
    /// Its adapters.
    pub adapters: Vec<PlacedAdapter>,
    /// Its probable name by its leaf ports.
    pub likely: Option<String>,
    /// What it is for, where its place shows it; none where nothing does, and it counts as compute.
    pub group: Option<&'static str>,
}

/// An adapter and its place.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct PlacedAdapter {
    /// The adapter.
    pub adapter: Location,
    /// The leaf port that it is at.
    pub leaf: Option<Location>,
}

impl PlacedAdapter {
    pub(super) fn ends(&self) -> impl Iterator<Item = Location> + '_ {
        [Some(&self.adapter), self.leaf.as_ref()].into_iter().flatten().cloned()
    }
}

/// Adapters whose description names no host.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct UnnamedAdapters {
    /// The description of the first.
    pub description: String,
    /// Each adapter, with its probable name where its leaf port shows it.
    pub adapters: Vec<PlacedAdapter>,
    /// The hosts that these probably belong to, in natural order.
    pub likely_hosts: Vec<String>,
}
