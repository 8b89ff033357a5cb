//! In which order `sssp` and `dfsssp` route their destinations.
//!
//! OpenSM 3.3.23's behaviour: the switches with most LIDs on them first; on each the adapters' ports by
//! port number of the switch; compute nodes before I/O nodes before all others where files list them;
//! last the switches themselves. No path leads to a router, but its LIDs count as load on its switch.

use std::cmp::Reverse;
use std::ops::Range;

use rustc_hash::FxHashSet;

use crate::fabric::subnets::Subnets;
use crate::fabric::{Fabric, Guid, NodeId, NodeKind, PortId};
use crate::routing::Sweep;
use crate::routing::common::destinations::ends_on;
use crate::sm::lids::Lids;

/// An end port that paths lead to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::routing) struct Destination {
    /// The switch that it is cabled to, or that it is.
    pub switch: u32,
    /// The switch's port to it; 0 for the switch itself.
    pub port: u8,
    /// Its LIDs.
    pub lids: Range<u32>,
}

/// Switches that cables connect, and the end ports on them.
#[derive(Clone, Debug, Default)]
pub(in crate::routing) struct SsspSubnet {
    /// Its switches in OpenSM's order.
    pub switches: Vec<u32>,
    /// All destinations in order.
    pub destinations: Vec<Destination>,
    /// Number of LIDs that paths lead to.
    pub num_lids: u32,
    /// By switch, in any order: LIDs on it, its own and routers' too.
    pub load: Vec<(u32, u32)>,
    /// The switch that the manager is on.
    pub manager: u32,
    /// Whether the manager is on an adapter there.
    pub manager_is_adapter: bool,
}

/// All subnets, by their first switches.
pub(in crate::routing) fn subnets(sweep: &Sweep<'_>) -> Vec<SsspSubnet> {
    let Sweep { fabric, lids, options, .. } = *sweep;
    let of = Subnets::of(fabric);
    let count = fabric.switches().map(|switch| of.of_switch(switch) as usize + 1).max().unwrap_or(0);
    let mut all = vec![SsspSubnet::default(); count];
    for switch in fabric.switches_in_opensm_order() {
        all[of.of_switch(switch) as usize].switches.push(switch.0);
    }
    // Without a manager in a subnet, its first end port; its first switch, where it has none.
    let switches = fabric.switches().map(|switch| fabric.port0(switch));
    let ports: Vec<PortId> =
        fabric.end_nodes().flat_map(|node| fabric.ports_of(node)).chain(switches).collect();
    for port in ports.into_iter().rev().chain(lids.manager()) {
        if let Some(switch) = fabric.edge_switch(port) {
            let subnet = &mut all[of.of_switch(switch) as usize];
            (subnet.manager, subnet.manager_is_adapter) = (switch.0, fabric.node_of(port) != switch);
        }
    }
    let lists: Vec<FxHashSet<Guid>> =
        [&options.cn, &options.io].into_iter().flatten().map(|list| list.iter().copied().collect()).collect();
    for subnet in &mut all {
        order_destinations(fabric, lids, &lists, subnet);
    }
    all
}

/// Fills in the destinations of a subnet.
fn order_destinations(fabric: &Fabric, lids: &Lids, lists: &[FxHashSet<Guid>], subnet: &mut SsspSubnet) {
    let destination = |switch: NodeId, port: PortId, end: PortId| {
        let base = lids.base(end);
        let lids = base..base + if base == 0 { 0 } else { 1 << lids.lmc(end) };
        Destination { switch: switch.0, port: fabric.number_of(port), lids }
    };
    let ends_on = |switch: NodeId| {
        ends_on(fabric, switch).map(move |(port, end)| (end, destination(switch, port, end)))
    };
    let itself = |switch: NodeId| destination(switch, fabric.port0(switch), fabric.port0(switch));
    let load = |switch: NodeId| {
        let on_ends: usize = ends_on(switch).map(|(_, destination)| destination.lids.len()).sum();
        on_ends + itself(switch).lids.len()
    };
    let mut queue: Vec<(usize, NodeId)> =
        subnet.switches.iter().map(|&switch| (load(NodeId(switch)), NodeId(switch))).collect();
    queue.sort_by_key(|&(load, _)| Reverse(load));
    // The number of the first list that has a port.
    let class = |end: PortId| {
        let guid = fabric.port_info(end).guid;
        lists.iter().position(|list| list.contains(&guid)).unwrap_or(lists.len())
    };
    let is_router = |end: PortId| fabric.node(fabric.node_of(end)).kind == NodeKind::Router;
    for wanted in 0..=lists.len() {
        for &(_, switch) in &queue {
            let chosen = ends_on(switch).filter(|&(end, _)| !is_router(end) && class(end) == wanted);
            subnet.destinations.extend(chosen.map(|(_, destination)| destination));
        }
    }
    subnet.destinations.extend(queue.iter().map(|&(_, switch)| itself(switch)));
    subnet.destinations.retain(|destination| !destination.lids.is_empty());
    subnet.num_lids = subnet.destinations.iter().map(|destination| destination.lids.len() as u32).sum();
    subnet.load = queue.iter().map(|&(load, switch)| (switch.0, load as u32)).collect();
}
