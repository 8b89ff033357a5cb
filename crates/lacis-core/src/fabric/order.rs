//! The orders in which OpenSM goes through a fabric.
//!
//! OpenSM 3.3.23 keeps switches, nodes and end ports in trees keyed by the GUID as it lies in
//! memory, so on little-endian machines by the byte-reversed GUID (see [`super::Guid::opensm_key`]).
//! Equal GUIDs, which OpenSM would reject, are ordered by index here.

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

    /// The GUID of an end port; a switch's port 0 has its switch's where the source names no other.
    pub fn end_port_guid(&self, port: PortId) -> Guid {
        let (own, node) = (self.port_info(port).guid, self.node_of(port));
        if own.is_some() || !self.is_switch(node) { own } else { self.node(node).guid }
    }
}
