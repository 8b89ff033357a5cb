//! One host and its adapters.

use crate::fabric::{Fabric, NodeId};

/// A host: adapters whose descriptions name it, or which cards, cabling and numbering imply to be its.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Host {
    /// Its name.
    pub name: Box<str>,
    /// Its adapters, in natural order of their labels.
    pub ends: Vec<NodeId>,
    /// Series of the name: equal for hosts named alike (`Hosts::series` entries).
    pub series: u32,
    /// Whether the name says nothing about which machine it is: an installer's, or that of its place.
    pub generic: bool,
    /// Whether no description names it.
    pub inferred: bool,
}

/// The edge switch of an adapter's first cabled port.
pub(super) fn leaf_of(fabric: &Fabric, node: NodeId) -> Option<NodeId> {
    fabric.ports_of(node).find_map(|p| fabric.edge_switch(p))
}

/// A name that installers give, and the adapters that have it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GenericName {
    /// The name.
    pub name: Box<str>,
    /// The adapters, in natural order of their labels.
    pub ends: Vec<NodeId>,
}
