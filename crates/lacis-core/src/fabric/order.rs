//! The orders in which managers go through a fabric.
//!
//! OpenSM 3.3.23 keeps switches, nodes and end ports in trees keyed by the GUID as stored in
//! memory, so on little-endian machines by the byte-reversed GUID (see [`super::Guid::opensm_key`]).
//! Equal GUIDs, which OpenSM would reject, are ordered by index here. Omni-Path's manager uses the order of discovery.

use super::{Fabric, Guid, NodeId, PortId};

impl Fabric {
    /// All switches in OpenSM's order.
    pub fn switches_in_opensm_order(&self) -> Vec<NodeId> {
        let mut order: Vec<NodeId> = self.switches().collect();
        order.sort_by_key(|&n| (self.node(n).guid.opensm_key(), n));
        order
    }

    /// All nodes in OpenSM's order.
    pub fn nodes_in_opensm_order(&self) -> Vec<NodeId> {
        let mut order: Vec<NodeId> = self.nodes().map(|(n, _)| n).collect();
        order.sort_by_key(|&n| (self.node(n).guid.opensm_key(), n));
        order
    }

    /// All end ports (port 0 of each switch, and each cabled port of an end node) in OpenSM's order.
    pub fn end_ports_in_opensm_order(&self) -> Vec<PortId> {
        let of_switches = self.switches().map(|s| self.port0(s));
        let of_end_nodes = self.end_nodes().flat_map(|n| self.ports_of(n));
        let mut order: Vec<PortId> =
            of_switches.chain(of_end_nodes.filter(|&p| self.peer(p).is_some())).collect();
        order.sort_by_key(|&p| (self.end_port_guid(p).opensm_key(), p));
        order
    }

    /// All nodes in the order in which Omni-Path's manager discovers them from a port: breadth first, each
    /// node's neighbours by ascending port. Nodes that it cannot reach follow, by index.
    pub fn discovery_order(&self, manager: PortId) -> Vec<NodeId> {
        let mut order = vec![self.node_of(manager)];
        let mut seen = vec![false; self.num_nodes()];
        seen[order[0].ix()] = true;
        let mut done = 0;
        while let Some(&node) = order.get(done) {
            done += 1;
            // It runs on one port; other nodes than switches do not forward.
            let forwards = |port: PortId| self.is_switch(node) || port == manager;
            for far in self.ports_of(node).filter(|&p| forwards(p)).filter_map(|p| self.peer(p)) {
                let next = self.node_of(far);
                if !std::mem::replace(&mut seen[next.ix()], true) {
                    order.push(next);
                }
            }
        }
        order.extend(self.nodes().map(|(node, _)| node).filter(|node| !seen[node.ix()]));
        order
    }

    /// The GUID of an end port; a switch's port 0 has its switch's where the source names no other.
    pub fn end_port_guid(&self, port: PortId) -> Guid {
        let (own, node) = (self.port_info(port).guid, self.node_of(port));
        if own.is_some() || !self.is_switch(node) { own } else { self.node(node).guid }
    }
}
