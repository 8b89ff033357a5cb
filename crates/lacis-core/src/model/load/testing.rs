//! A small two-tier tree with destination-mod-k tables, made by hand for tests.

use crate::fabric::{Fabric, FabricBuilder, Guid, Node, NodeId, NodeKind, PortId, Rate, Speed};
use crate::sm::lids::Lids;
use crate::sm::{Engine, Lft, Routes};

/// A fabric, its tables and its hosts in order.
pub(crate) struct Net {
    pub fabric: Fabric,
    pub routes: Routes,
    pub hosts: Vec<PortId>,
}

/// `leaves` leaf switches of `per_leaf` hosts (ports 1…), `spines` spines (leaf ports after the
/// hosts; spine port = leaf number + 1), 4xEDR; host number d is reached by spine d mod `spines`.
pub(crate) fn two_tier(leaves: u32, per_leaf: u32, spines: u32) -> Net {
    two_tier_with(leaves, per_leaf, spines, |dest| dest % spines)
}

/// The network of [`two_tier`] with the hosts' descriptions chosen.
pub(crate) fn two_tier_named(
    leaves: u32,
    per_leaf: u32,
    spines: u32,
    name_of: impl Fn(u32) -> String,
) -> Net {
    build(leaves, per_leaf, spines, |dest| dest % spines, name_of)
}

/// The network of [`two_tier`] with the spine chosen by host number.
pub(crate) fn two_tier_with(leaves: u32, per_leaf: u32, spines: u32, spine_of: impl Fn(u32) -> u32) -> Net {
    build(leaves, per_leaf, spines, spine_of, |i| format!("h{i}"))
}

fn build(
    leaves: u32,
    per_leaf: u32,
    spines: u32,
    spine_of: impl Fn(u32) -> u32,
    name_of: impl Fn(u32) -> String,
) -> Net {
    let mut builder = FabricBuilder::new();
    let mut add = |kind, id: String, name: String, ports: u32| {
        let node = Node {
            kind,
            guid: Guid::NONE,
            system_guid: Guid::NONE,
            id: id.into(),
            description: name.into(),
            vendor: 0,
            device: 0,
            enhanced_port0: false,
            chassis: None,
            declared: None,
        };
        let handle = builder.add_node(node, ports as u8).unwrap();
        for number in 1..=ports {
            builder.port_mut(handle, number).unwrap().rate = Some(Rate::x4(Speed::Edr));
        }
        handle
    };
    let leaf: Vec<_> = (0..leaves)
        .map(|i| add(NodeKind::Switch, format!("L{i}"), format!("leaf{i}"), per_leaf + spines))
        .collect();
    let spine: Vec<_> =
        (0..spines).map(|i| add(NodeKind::Switch, format!("S{i}"), format!("spine{i}"), leaves)).collect();
    let host: Vec<_> =
        (0..leaves * per_leaf).map(|i| add(NodeKind::Adapter, format!("H{i}"), name_of(i), 1)).collect();
    for (i, &h) in (0..).zip(&host) {
        builder.connect((h, 1), (leaf[(i / per_leaf) as usize], i % per_leaf + 1)).unwrap();
    }
    for (l, &at) in (0..).zip(&leaf) {
        for (s, &above) in (0..).zip(&spine) {
            builder.connect((at, per_leaf + s + 1), (above, l + 1)).unwrap();
        }
    }
    let fabric = builder.finish();
    let hosts: Vec<PortId> = fabric.end_nodes().filter_map(|n| fabric.port(n, 1)).collect();
    let mut lids = Lids::none(&fabric);
    let mut lft = Lft::new((leaves + spines) as usize, leaves * per_leaf);
    for (d, &port) in (0..).zip(&hosts) {
        let lid = d + 1;
        lids.set(port, lid, 0);
        let edge_switch = d / per_leaf;
        for l in 0..leaves {
            let number = if l == edge_switch { d % per_leaf + 1 } else { per_leaf + spine_of(d) + 1 };
            lft.row_mut(NodeId(l))[lid as usize] = number as u8;
        }
        for s in 0..spines {
            lft.row_mut(NodeId(leaves + s))[lid as usize] = edge_switch as u8 + 1;
        }
    }
    let routes = Routes {
        lids,
        lft,
        lanes: None,
        engine_requested: Engine::File.into(),
        engine_used: Engine::File.into(),
        refusals: Vec::new(),
    };
    Net { fabric, routes, hosts }
}
