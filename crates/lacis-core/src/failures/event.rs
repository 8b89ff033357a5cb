//! What happens to a fabric.

use super::names::Names;
use crate::fabric::{Fabric, NodeId, PortId};

/// Cables or nodes of the whole fabric that fail or return.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Event {
    /// Cables are cut; each is named by one of its ends.
    Cut(Vec<PortId>),
    /// Nodes are gone.
    Drop(Vec<NodeId>),
    /// Cables that were cut have returned.
    Plug(Vec<PortId>),
    /// Nodes that were gone have returned, with their cables.
    Return(Vec<NodeId>),
}

impl Event {
    /// Whether something comes back.
    pub fn returns(&self) -> bool {
        matches!(self, Self::Plug(_) | Self::Return(_))
    }

    /// The names of its cables or nodes.
    pub fn names(&self, whole: &Fabric) -> Vec<String> {
        let names = Names::of(whole);
        match self {
            Self::Cut(cables) | Self::Plug(cables) => {
                let cable = |&p: &PortId| Some((p, whole.peer(p)?));
                cables.iter().filter_map(cable).map(|both| names.cable(both)).collect()
            }
            Self::Drop(nodes) | Self::Return(nodes) => {
                nodes.iter().map(|&n| names.node(n).to_owned()).collect()
            }
        }
    }
}
