//! Planes of one adapter: what a dump lists as several adapters, each on a network of its own, is one adapter whose port is
//! spread over them.
//!
//! An XDR adapter has an end node for each of its four planes. They share the system image GUID and the description, have
//! one cabled port each, of one lane, and no two are on the same switch; their port GUIDs may be one and the same, that of
//! the aggregated port. Two functions of a dual-port card look alike except that their labels differ or their ports have
//! several lanes.

use rustc_hash::FxHashMap;

use crate::fabric::{Fabric, Guid, NodeId, NodeKind, PortId};

/// The sets of end nodes that are planes of one adapter, each in node order.
pub(super) fn sets(fabric: &Fabric) -> Vec<Vec<NodeId>> {
    let mut by_card: FxHashMap<(Guid, &str), Vec<NodeId>> = FxHashMap::default();
    for end in fabric.end_nodes() {
        let node = fabric.node(end);
        if node.kind == NodeKind::Adapter && node.system_guid.is_some() {
            by_card.entry((node.system_guid, &node.description)).or_default().push(end);
        }
    }
    let mut found: Vec<Vec<NodeId>> = by_card.into_values().filter(|ends| ends.len() > 1).collect();
    if found.is_empty() {
        return found;
    }
    found.sort_unstable();
    let leaf = |&end: &NodeId| fabric.ports_of(end).find_map(|port| fabric.edge_switch(port));
    found.retain(|ends| {
        let mut leaves: Vec<Option<NodeId>> = ends.iter().map(leaf).collect();
        leaves.sort_unstable();
        let are_apart = leaves.windows(2).all(|pair| pair[0] != pair[1]);
        are_apart && ends.iter().all(|&end| is_plane(fabric, end))
    });
    found
}

/// Whether an end node has one cabled port, whose link has one lane or an unknown width.
fn is_plane(fabric: &Fabric, end: NodeId) -> bool {
    let cabled: Vec<PortId> = fabric.ports_of(end).filter(|&p| fabric.peer(p).is_some()).collect();
    let [port] = cabled[..] else { return false };
    fabric.port_info(port).rate.is_none_or(|rate| rate.width.lanes() == 1)
}
