//! End nodes that are one adapter: what a dump lists as several adapters may be the planes or the ports of one.
//!
//! An XDR adapter has an end node for each of its four planes. They share the system image GUID and the description, have
//! one cabled port each, of one lane, and no two are on the same switch; their port GUIDs may be one and the same, that of
//! the aggregated port. Two functions of a dual-port card look alike except that their labels differ or their ports have
//! several lanes.
//!
//! Lists of links (`iblinkinfo`, `ibnetdiscover -p`) tell ports by their own GUIDs: the ports of an adapter appear as end
//! nodes of one name, with neighbouring GUIDs and different port numbers.

use rustc_hash::FxHashMap;

use crate::fabric::{Fabric, Guid, NodeId, NodeKind, PortId};

/// End nodes that are one adapter.
pub(super) enum Parts {
    /// Planes, in node order.
    Planes(Vec<NodeId>),
    /// Ports, in their order.
    Ports(Vec<NodeId>),
}

impl Parts {
    /// All of them.
    pub fn ends(&self) -> &[NodeId] {
        match self {
            Self::Planes(ends) | Self::Ports(ends) => ends,
        }
    }
}

/// All sets of end nodes that are one adapter.
pub(super) fn parts(fabric: &Fabric) -> Vec<Parts> {
    let planes = planes(fabric).into_iter().map(Parts::Planes);
    planes.chain(ports(fabric).into_iter().map(Parts::Ports)).collect()
}

/// The greatest difference between the GUIDs of an adapter's ports.
const NEAR: u64 = 16;

/// The sets of end nodes that are ports of one adapter.
fn ports(fabric: &Fabric) -> Vec<Vec<NodeId>> {
    let mut listed: Vec<(&str, Guid, NodeId, u8)> = Vec::new();
    for end in fabric.end_nodes() {
        let node = fabric.node(end);
        if node.kind == NodeKind::Adapter
            && !node.system_guid.is_some()
            && node.guid.is_some()
            && let Some(port) = only_port(fabric, end)
        {
            listed.push((&node.description, node.guid, end, fabric.number_of(port)));
        }
    }
    if listed.iter().all(|port| port.3 == 1) {
        return Vec::new();
    }
    listed.sort_unstable();
    let is_next = |a: &(&str, Guid, NodeId, u8), b: &(&str, Guid, NodeId, u8)| {
        a.0 == b.0 && b.1.0 - a.1.0 <= NEAR && a.3 < b.3
    };
    let sets = listed.chunk_by(is_next).filter(|set| set.len() > 1);
    sets.map(|set| set.iter().map(|port| port.2).collect()).collect()
}

/// The cabled port of an end node that has one.
fn only_port(fabric: &Fabric, end: NodeId) -> Option<PortId> {
    let mut cabled = fabric.ports_of(end).filter(|&p| fabric.peer(p).is_some());
    cabled.next().filter(|_| cabled.next().is_none())
}

/// The sets of end nodes that are planes of one adapter, each in node order.
pub(super) fn planes(fabric: &Fabric) -> Vec<Vec<NodeId>> {
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
    let lanes = |port| fabric.port_info(port).rate.map(|rate| rate.width.lanes());
    only_port(fabric, end).is_some_and(|port| lanes(port).is_none_or(|lanes| lanes == 1))
}
