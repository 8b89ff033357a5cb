//! Small fabrics to route.

use std::collections::BTreeMap;

use lacis_core::fabric::{Fabric, FabricBuilder, Guid, Node, NodeId, NodeKind};
use lacis_core::sm::lids::{LidOptions, Lids};

/// A node of a kind, with a GUID.
pub fn node(kind: NodeKind, number: usize, guid: u64) -> Node {
    Node {
        kind,
        guid: Guid(guid),
        system_guid: Guid::NONE,
        id: format!("n{number}").into(),
        description: format!("n{number}").into(),
        vendor: 0,
        device: 0,
        enhanced_port0: false,
        chassis: None,
        declared: None,
    }
}

/// Switches by GUID, cabled at each end's next free port.
pub fn switches(cables: &[(u64, u64)]) -> Fabric {
    let mut b = FabricBuilder::new();
    let mut used = BTreeMap::new();
    for &(from, to) in cables {
        let ends = [from, to].map(|guid| {
            let (handle, port) = used
                .entry(guid)
                .or_insert_with(|| (b.add_node(node(NodeKind::Switch, guid as usize, guid), 8).unwrap(), 0));
            b.port_mut(*handle, 0).unwrap().guid = Guid(guid);
            *port += 1;
            (*handle, *port)
        });
        b.connect(ends[0], ends[1]).unwrap();
    }
    b.finish()
}

/// The largest of the islands of a fabric. The literal rules know of one manager, and each island has its own.
pub fn largest_island(fabric: &Fabric) -> Fabric {
    let mut island: Vec<usize> = (0..fabric.num_nodes()).collect();
    let cables: Vec<_> = fabric.cables().map(|(p, q)| (fabric.node_of(p), fabric.node_of(q))).collect();
    let is_trunk = |&&(a, b): &&(NodeId, NodeId)| fabric.is_switch(a) && fabric.is_switch(b);
    for (a, b) in cables.iter().filter(is_trunk) {
        let (one, other) = (island[a.ix()], island[b.ix()]);
        island.iter_mut().filter(|i| **i == other).for_each(|i| *i = one);
    }
    let size = |i: usize| fabric.switches().filter(|s| island[s.ix()] == i).count();
    let largest = fabric.switches().map(|s| island[s.ix()]).max_by_key(|&i| size(i));
    let is_on = |n: NodeId| fabric.is_switch(n) && Some(island[n.ix()]) == largest;
    let has = |n: NodeId| {
        is_on(n)
            || fabric.ports_of(n).filter_map(|p| fabric.edge_switch(p)).any(is_on) && !fabric.is_switch(n)
    };
    fabric.filtered(has, |_, _| true)
}

/// The LIDs that a fresh manager on the default port gives.
pub fn lids(fabric: &Fabric) -> Lids {
    Lids::default_sm(fabric)
        .map_or_else(|| Lids::none(fabric), |sm| Lids::assign(fabric, sm, &LidOptions::fresh()).unwrap())
}

/// Guids below this are switches, others adapters.
pub const FIRST_ADAPTER: u64 = 0x1_0000;

/// A node by GUID, and a port of it.
type End = (u64, u32);

/// Nodes by GUID, with cables from and to given ports. Adapters' port GUIDs are their node GUIDs.
pub fn cabled(cables: &[(End, End)]) -> Fabric {
    let mut b = FabricBuilder::new();
    let mut handles = BTreeMap::new();
    for &(from, to) in cables {
        let ends = [from, to].map(|(guid, port)| {
            let handle = *handles.entry(guid).or_insert_with(|| {
                let is_switch = guid < FIRST_ADAPTER;
                let kind = if is_switch { NodeKind::Switch } else { NodeKind::Adapter };
                let handle =
                    b.add_node(node(kind, guid as usize, guid), if is_switch { 8 } else { 2 }).unwrap();
                if is_switch {
                    b.port_mut(handle, 0).unwrap().guid = Guid(guid);
                }
                handle
            });
            if guid >= FIRST_ADAPTER {
                b.port_mut(handle, port).unwrap().guid = Guid(guid);
            }
            (handle, port)
        });
        b.connect(ends[0], ends[1]).unwrap();
    }
    b.finish()
}
