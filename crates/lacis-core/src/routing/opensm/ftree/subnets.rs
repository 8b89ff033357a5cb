//! The parts of a fabric that no cable between switches connects: planes, rails, what damage cut off.
//!
//! OpenSM sees one part, that of its own port; here each part is routed as the OpenSM of that part
//! would.

use super::rank;
use crate::fabric::switch_graph::SwitchGraph;
use crate::fabric::{Fabric, NodeId};

/// All parts.
pub(super) struct Parts {
    of: Vec<u32>,
    /// By part: its first switch, its number of switches, its number of cabled adapter ports.
    sizes: Vec<(u32, usize, usize)>,
}

/// One part.
#[derive(Clone, Copy)]
pub(super) struct Part<'a> {
    of: &'a [u32],
    number: u32,
    /// Its first switch.
    pub(super) first: NodeId,
}

impl Part<'_> {
    /// Whether a switch belongs to the part.
    pub(super) fn has(self, fabric: &Fabric, node: NodeId) -> bool {
        fabric.is_switch(node) && self.of[node.ix()] == self.number
    }
}

impl Parts {
    /// Finds the parts of a fabric.
    pub(super) fn of(fabric: &Fabric) -> Self {
        let of = SwitchGraph::of(fabric).components();
        let mut sizes: Vec<(u32, usize, usize)> = Vec::new();
        for s in fabric.switches() {
            let number = of[s.ix()] as usize;
            if number == sizes.len() {
                sizes.push((s.0, 0, 0));
            }
            let peers = fabric.ports_of(s).filter_map(|p| fabric.peer(p));
            sizes[number].1 += 1;
            sizes[number].2 += peers.filter(|&q| rank::is_adapter(fabric, fabric.node_of(q))).count();
        }
        Self { of, sizes }
    }

    /// The parts with several switches and several adapter ports. Where there is none: the part
    /// with most adapter ports, for which OpenSM has a reason to refuse.
    pub(super) fn trees(&self) -> Vec<Part<'_>> {
        let first = |number: usize| NodeId(self.sizes.get(number).map_or(0, |size| size.0));
        let part = |number: usize| Part { of: &self.of, number: number as u32, first: first(number) };
        let trees: Vec<_> =
            (0..self.sizes.len()).filter(|&n| self.sizes[n].1 > 1 && self.sizes[n].2 > 1).collect();
        if trees.is_empty() {
            let most = (0..self.sizes.len()).rev().max_by_key(|&n| self.sizes[n].2);
            return vec![part(most.unwrap_or(0))];
        }
        trees.into_iter().map(part).collect()
    }

    /// The switches that are a part each on their own.
    pub(super) fn lone_switches(&self) -> impl Iterator<Item = NodeId> {
        self.sizes.iter().filter(|size| size.1 == 1).map(|size| NodeId(size.0))
    }
}
