//! Which cables and nodes of a whole fabric are there.

use super::event::Event;
use crate::fabric::{Fabric, NodeId, PortId};

/// What is missing from a fabric at some time.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Present {
    /// Whether each node is missing.
    gone: Vec<bool>,
    /// Whether the cable at each port was cut; a cable that only lost a node with it was not.
    cut: Vec<bool>,
}

impl Present {
    /// Nothing is missing.
    pub fn all(whole: &Fabric) -> Self {
        Self { gone: vec![false; whole.num_nodes()], cut: vec![false; whole.num_ports()] }
    }

    /// Whether a node is there.
    pub fn has(&self, node: NodeId) -> bool {
        !self.gone[node.ix()]
    }

    /// Whether the cable at a port was cut, not dropped with a node.
    pub fn is_cut(&self, port: PortId) -> bool {
        self.cut[port.ix()]
    }

    /// Whether there is a cable at a port that is not cut and whose two nodes are there.
    pub fn is_up(&self, whole: &Fabric, port: PortId) -> bool {
        let there = |p: PortId| self.has(whole.node_of(p));
        !self.is_cut(port) && there(port) && whole.peer(port).is_some_and(there)
    }

    /// What is left of the fabric; nodes and ports keep their numbers.
    pub fn fabric(&self, whole: &Fabric) -> Fabric {
        whole.filtered(|_| true, |a, _| self.is_up(whole, a))
    }

    /// The cables that were cut, not dropped with a node, and no others; nodes and ports keep their numbers.
    pub fn cut_cables(&self, whole: &Fabric) -> Fabric {
        whole.filtered(|_| true, |a, _| self.is_cut(a))
    }

    /// Applies an event.
    pub fn apply(&mut self, whole: &Fabric, event: &Event) {
        let mut set_cables = |cables: &[PortId], cut: bool| {
            for &port in cables {
                for end in [Some(port), whole.peer(port)].into_iter().flatten() {
                    self.cut[end.ix()] = cut;
                }
            }
        };
        match event {
            Event::Cut(cables) => set_cables(cables, true),
            Event::Plug(cables) => set_cables(cables, false),
            Event::Drop(nodes) => nodes.iter().for_each(|n| self.gone[n.ix()] = true),
            Event::Return(nodes) => nodes.iter().for_each(|n| self.gone[n.ix()] = false),
        }
    }
}
