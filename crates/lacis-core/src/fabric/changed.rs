//! A fabric made of another: fewer nodes and cables, another order, other descriptions and declarations.

use super::cable_part::CableParts;
use super::name::NodeNames;
use super::{Declared, Fabric, NO_PEER, Node, NodeId, PortCounters, PortDetail, PortId, PortState};

impl Fabric {
    /// The nodes for which `keep` holds, with the cables between them for which `keep_cable` holds.
    /// Identities, LIDs and port numbers stay.
    #[must_use]
    pub fn filtered(
        &self,
        keep: impl Fn(NodeId) -> bool,
        keep_cable: impl Fn(PortId, PortId) -> bool,
    ) -> Self {
        let mut new_node = vec![u32::MAX; self.nodes.len()];
        let mut new_port = vec![NO_PEER; self.ports.len()];
        let mut out = Self {
            nodes: Vec::new(),
            num_switches: 0,
            first_port: Vec::new(),
            ports: Vec::new(),
            peer: Vec::new(),
            node_of: Vec::new(),
            names: NodeNames::default(),
            details: Vec::new(),
            counters: PortCounters::default(),
            coverage: self.coverage,
            parts: CableParts::default(),
        };
        for (id, node) in self.nodes().filter(|&(id, _)| keep(id)) {
            new_node[id.ix()] = out.nodes.len() as u32;
            out.first_port.push(out.ports.len() as u32);
            out.num_switches += usize::from(self.is_switch(id));
            for ix in self.first_port[id.ix()]..self.first_port[id.ix() + 1] {
                new_port[ix as usize] = out.ports.len() as u32;
                out.ports.push(self.ports[ix as usize]);
                out.node_of.push(NodeId(new_node[id.ix()]));
            }
            out.nodes.push(node.clone());
        }
        out.first_port.push(out.ports.len() as u32);
        out.peer = vec![NO_PEER; out.ports.len()];
        for (a, b) in self.cables() {
            let (p, q) = (new_port[a.ix()], new_port[b.ix()]);
            if p != NO_PEER && q != NO_PEER && keep_cable(a, b) {
                out.peer[p as usize] = q;
                out.peer[q as usize] = p;
            }
        }
        let moved = |port: PortId| Some(new_port[port.ix()]).filter(|&port| port != NO_PEER).map(PortId);
        out.details = moved_details(&self.details, out.ports.len(), moved);
        out.counters = self.counters.moved(moved);
        out.parts = self.parts.moved(moved);
        for ix in 0..out.ports.len() {
            if out.peer[ix] == NO_PEER {
                out.ports[ix].rate = None;
                out.ports[ix].listed = false;
                out.unplug_detail(ix);
            }
        }
        out
    }

    /// Of a port that has lost its cable, what it can do is still known; its states, and what its link could have been,
    /// are not.
    fn unplug_detail(&mut self, ix: usize) {
        if let Some(detail) = self.details.get_mut(ix)
            && detail.state != Some(PortState::Down)
        {
            let (supported, enabled) = (detail.supported, detail.enabled);
            *detail = PortDetail { supported, enabled, ..PortDetail::default() };
        }
    }

    /// The fabric with its nodes in another order: all of them, switches first.
    #[must_use]
    pub fn in_order(&self, order: &[NodeId]) -> Self {
        let mut new_port = vec![NO_PEER; self.ports.len()];
        let mut out = Self {
            nodes: order.iter().map(|n| self.nodes[n.ix()].clone()).collect(),
            num_switches: self.num_switches,
            first_port: Vec::with_capacity(self.first_port.len()),
            ports: Vec::with_capacity(self.ports.len()),
            peer: vec![NO_PEER; self.peer.len()],
            node_of: Vec::with_capacity(self.node_of.len()),
            names: NodeNames::default(),
            details: Vec::new(),
            counters: PortCounters::default(),
            coverage: self.coverage,
            parts: CableParts::default(),
        };
        for (new, old) in order.iter().enumerate() {
            out.first_port.push(out.ports.len() as u32);
            for ix in self.first_port[old.ix()]..self.first_port[old.ix() + 1] {
                new_port[ix as usize] = out.ports.len() as u32;
                out.ports.push(self.ports[ix as usize]);
                out.node_of.push(NodeId(new as u32));
            }
        }
        out.first_port.push(out.ports.len() as u32);
        for (ix, &far) in self.peer.iter().enumerate().filter(|(_, far)| **far != NO_PEER) {
            out.peer[new_port[ix] as usize] = new_port[far as usize];
        }
        let moved = |port: PortId| Some(new_port[port.ix()]).filter(|&port| port != NO_PEER).map(PortId);
        out.details = moved_details(&self.details, out.ports.len(), moved);
        out.counters = self.counters.moved(moved);
        out.parts = self.parts.moved(moved);
        out
    }

    /// The fabric with other descriptions, for the nodes that `description` has one for.
    #[must_use]
    pub fn renamed(mut self, description: impl Fn(&Node) -> Option<Box<str>>) -> Self {
        for node in &mut self.nodes {
            if let Some(text) = description(node) {
                node.description = text;
            }
        }
        self.names = NodeNames::default();
        self
    }

    /// The fabric with what the site declares of its nodes.
    #[must_use]
    pub fn declared(mut self, declaration: impl Fn(NodeId) -> Option<Declared>) -> Self {
        for (node, id) in self.nodes.iter_mut().zip(0..) {
            node.declared = declaration(NodeId(id));
        }
        self
    }
}

/// Details by the ports that `new_port` says; no table where nothing is known.
pub(super) fn moved_details(
    details: &[PortDetail],
    total: usize,
    new_port: impl Fn(PortId) -> Option<PortId>,
) -> Vec<PortDetail> {
    let mut out = Vec::new();
    for (ix, detail) in details.iter().enumerate().filter(|(_, detail)| !detail.is_unknown()) {
        let Some(port) = new_port(PortId(ix as u32)) else { continue };
        out.resize(total, PortDetail::default());
        out[port.ix()] = *detail;
    }
    out
}
