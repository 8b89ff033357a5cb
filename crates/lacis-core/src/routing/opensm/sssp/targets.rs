//! In which order `sssp` and `dfsssp` take their destinations.
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
use crate::sm::lids::Lids;

/// An end port that paths lead to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::routing) struct Target {
    /// The switch that it hangs off.
    pub home: u32,
    /// The home's port to it; 0 for the home itself.
    pub port: u8,
    /// Its LIDs.
    pub lids: Range<u32>,
}

/// Switches that cables connect, and what hangs off them.
#[derive(Clone, Debug)]
pub(in crate::routing) struct Subnet {
    /// Its switches in OpenSM's order.
    pub switches: Vec<u32>,
    /// All destinations in order.
    pub targets: Vec<Target>,
    /// Number of LIDs that paths lead to.
    pub num_lids: u32,
    /// By switch, in any order: LIDs on it, its own and routers' too.
    pub load: Vec<(u32, u32)>,
    /// The switch that the manager is on.
    pub manager: u32,
    /// Whether it is an adapter on that switch.
    pub manager_is_adapter: bool,
}

/// All subnets, by their first switches.
pub(in crate::routing) fn subnets(sweep: &Sweep<'_>) -> Vec<Subnet> {
    let Sweep { fabric, lids, options, .. } = *sweep;
    let of = Subnets::of(fabric);
    let mut all: Vec<Subnet> = Vec::new();
    for switch in fabric.switches() {
        if of.of_switch(switch) as usize == all.len() {
            all.push(Subnet {
                switches: Vec::new(),
                targets: Vec::new(),
                num_lids: 0,
                load: Vec::new(),
                manager: switch.0,
                manager_is_adapter: false,
            });
        }
    }
    let order = fabric.switches_in_opensm_order();
    for &switch in &order {
        all[of.of_switch(switch) as usize].switches.push(switch.0);
    }
    let ends: Vec<PortId> = fabric.end_nodes().flat_map(|n| fabric.ports_of(n)).collect();
    for port in ends.into_iter().rev().chain(lids.manager()) {
        if let Some(home) = fabric.home(port) {
            let subnet = &mut all[of.of_switch(home) as usize];
            (subnet.manager, subnet.manager_is_adapter) = (home.0, fabric.node_of(port) != home);
        }
    }
    let lists: Vec<FxHashSet<Guid>> =
        [&options.cn, &options.io].into_iter().flatten().map(|list| list.iter().copied().collect()).collect();
    for subnet in &mut all {
        order_targets(fabric, lids, &lists, subnet);
    }
    all
}

/// Fills in the destinations of a subnet.
fn order_targets(fabric: &Fabric, lids: &Lids, lists: &[FxHashSet<Guid>], subnet: &mut Subnet) {
    let target = |home: NodeId, port: PortId, end: PortId| {
        let base = lids.base(end);
        let lids = base..base + if base == 0 { 0 } else { 1 << lids.lmc(end) };
        Target { home: home.0, port: fabric.number_of(port), lids }
    };
    let ends = |home: NodeId| {
        let far = fabric.ports_of(home).filter_map(move |port| Some((port, fabric.peer(port)?)));
        far.filter(|&(_, end)| !fabric.is_switch(fabric.node_of(end)))
            .map(move |(port, end)| (end, target(home, port, end)))
    };
    let adapters = |home: NodeId| ends(home).filter(|&(end, _)| !is_router(fabric, end));
    let itself = |home: NodeId| target(home, fabric.port0(home), fabric.port0(home));
    let num_lids =
        |home: NodeId| ends(home).map(|(_, t)| t.lids.len()).sum::<usize>() + itself(home).lids.len();
    let mut queue: Vec<(usize, NodeId)> =
        subnet.switches.iter().map(|&switch| (num_lids(NodeId(switch)), NodeId(switch))).collect();
    queue.sort_by_key(|&(lids, _)| Reverse(lids));
    // The place of the first list that has a port.
    let class = |end: PortId| {
        let guid = fabric.port_info(end).guid;
        lists.iter().position(|list| list.contains(&guid)).unwrap_or(lists.len())
    };
    for wanted in 0..=lists.len() {
        for &(_, home) in &queue {
            let chosen = adapters(home).filter(|&(end, _)| class(end) == wanted);
            subnet.targets.extend(chosen.map(|(_, target)| target));
        }
    }
    subnet.targets.extend(queue.iter().map(|&(_, home)| itself(home)));
    subnet.targets.retain(|target| !target.lids.is_empty());
    subnet.num_lids = subnet.targets.iter().map(|target| target.lids.len() as u32).sum();
    subnet.load = queue.iter().map(|&(lids, switch)| (switch.0, lids as u32)).collect();
}

/// Whether a port is one of a router.
fn is_router(fabric: &Fabric, port: PortId) -> bool {
    fabric.node(fabric.node_of(port)).kind == NodeKind::Router
}
