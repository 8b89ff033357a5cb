//! Single-source-shortest-path routing: one destination after the other over the paths of least weight,
//! where every path that is added makes its links heavier.
//!
//! T. Hoefler, T. Schneider, A. Lumsdaine, "Optimized Routing for Large-Scale InfiniBand Networks",
//! Hot Interconnects 17, 2009; in the form that OpenSM 3.3.23 gives it, entry for entry. It promises
//! nothing about credit loops.
//!
//! | here       | in the paper, or in OpenSM                                                        |
//! |------------|-----------------------------------------------------------------------------------|
//! | `base`     | T², where T is the number of LIDs: the weight that each link starts with          |
//! | `weight`   | of a link, from its end near the destination: `base` and all paths added since    |
//! | `load`     | num(v): the LIDs on a switch, and so the paths that begin there to any LID        |
//! | `tree`     | by switch, the link over which the search has reached it: its path's first hop    |
//!
//! This file is the whole algorithm: Dijkstra's search from each LID's switch outward, and a
//! walk along every path. [`fast`] makes the same tables sooner, and is what `lacis` runs.

mod by_distance;
mod destinations;
pub mod fast;
mod lightest;

use crate::fabric::switch_graph::SwitchGraph;
use crate::fabric::{Fabric, NodeId};
use crate::routing::common::transpose::ByDestination;
use crate::routing::{Refused, Sweep};
use crate::sm::{Lft, RefusalReason};
use by_distance::{ByDistance, FAR};

pub(in crate::routing) use destinations::{Destination, SsspSubnet, subnets};

/// No link, or no switch.
const NONE: u32 = u32::MAX;

/// Routes a fabric. Uses [`Options::cn`](crate::routing::Options::cn) and [`Options::io`](crate::routing::Options::io),
/// whose ports are the first destinations.
///
/// # Errors
/// When distances would not fit into 31 bits, as in OpenSM: hops between switches, times the square of
/// the number of LIDs; when switches are cut off by [`Options::avoid_throttled`](crate::routing::Options::avoid_throttled).
pub fn route(sweep: &Sweep<'_>) -> Result<Lft, Refused> {
    let graph = SwitchGraph::avoiding(sweep.fabric, sweep.options.avoid_throttled);
    let mut load = vec![0; graph.num_switches()];
    let table = fill_table(sweep, &graph, &subnets(sweep), |subnet, table| {
        subnet.load.iter().for_each(|&(switch, lids)| load[switch as usize] = u64::from(lids));
        let mut weight = vec![base(subnet); graph.num_links()];
        for Destination { switch, port, lids } in &subnet.destinations {
            for lid in lids.clone() {
                let tree = search(&graph, subnet, *switch, *port > 0, &weight);
                let row = table.row_mut(lid);
                if *port > 0 {
                    row[*switch as usize] = *port;
                }
                for &from in &subnet.switches {
                    if let Some(first) = hop(&graph, &tree, from) {
                        row[from as usize] = graph.port[graph.back[first] as usize];
                    }
                    let next = |&link: &usize| hop(&graph, &tree, near_end(&graph, link));
                    for link in std::iter::successors(hop(&graph, &tree, from), next) {
                        weight[link] += load[from as usize];
                    }
                }
            }
        }
    })?;
    Ok(table.lft())
}

/// The link over which a search has reached a switch.
fn hop(graph: &SwitchGraph, tree: &[u32], switch: u32) -> Option<usize> {
    let link = tree[switch as usize] as usize;
    (link < graph.num_links()).then_some(link)
}

/// The switch that a link leaves.
fn near_end(graph: &SwitchGraph, link: usize) -> u32 {
    graph.peer[graph.back[link] as usize]
}

/// A subnet's T².
fn base(subnet: &SsspSubnet) -> u64 {
    u64::from(subnet.num_lids).pow(2)
}

/// Dijkstra's search from a switch, or from an adapter on it: the link over which each switch is reached.
fn search(graph: &SwitchGraph, subnet: &SsspSubnet, from: u32, adapter: bool, weight: &[u64]) -> Vec<u32> {
    let mut tree = vec![NONE; graph.num_switches()];
    let mut heap = unreached(graph, subnet, adapter);
    begin(&mut heap, from, adapter);
    let mut reach = |switch: u32, link| tree[switch as usize] = link;
    while expand(&mut heap, graph, |link| weight[link], &mut reach).is_some() {}
    tree
}

/// The heap before a search: all of a subnet's switches, and the adapter, which has the number after theirs.
fn unreached(graph: &SwitchGraph, subnet: &SsspSubnet, adapter: bool) -> ByDistance {
    let source = adapter.then_some(graph.num_switches() as u32);
    ByDistance::of(graph.num_switches() + 1, subnet.switches.iter().copied().chain(source))
}

/// Begins a search at a switch; or at an adapter, whose link to its switch weighs 1.
fn begin(heap: &mut ByDistance, switch: u32, adapter: bool) {
    if adapter {
        heap.lower(heap.num_vertices() as u32 - 1, 0);
        heap.pop();
    }
    heap.lower(switch, u32::from(adapter));
}

/// A step of the search: gives out the nearest switch and looks along its links; calls `reach(switch, link)`
/// wherever one leads to a switch by a shorter path than known so far. [`None`] once no reached one is left.
#[inline]
fn expand(
    heap: &mut ByDistance,
    graph: &SwitchGraph,
    weight: impl Fn(usize) -> u64,
    reach: &mut impl FnMut(u32, u32),
) -> Option<u32> {
    heap.nearest().filter(|&(distance, _)| distance < FAR)?;
    let (distance, switch) = heap.pop()?;
    for link in graph.links(switch as usize) {
        let far = graph.peer[link];
        let through = u64::from(distance) + weight(link);
        if through < u64::from(heap.distance(far)) {
            heap.lower(far, through as u32);
            reach(far, link as u32);
        }
    }
    Some(switch)
}

/// The table of all subnets; `fill` writes the rows of the LIDs of one.
fn fill_table(
    sweep: &Sweep<'_>,
    graph: &SwitchGraph,
    subnets: &[SsspSubnet],
    mut fill: impl FnMut(&SsspSubnet, &mut ByDestination),
) -> Result<ByDestination, Refused> {
    let Sweep { fabric, lids, options, .. } = *sweep;
    if options.avoid_throttled && graph.components() != SwitchGraph::of(fabric).components() {
        return Err(Refused::new(RefusalReason::UnthrottledApart));
    }
    subnets.iter().try_for_each(|subnet| check(fabric, graph, subnet))?;
    let mut table = ByDestination::new(fabric.num_switches(), lids.max_lid() as usize + 1);
    // Switches know themselves from the start. Where OpenSM gives a LID twice, as it may where ports
    // report LIDs that do not fit an LMC, the other owner's path replaces that.
    for itself in subnets.iter().flat_map(|subnet| &subnet.destinations).filter(|d| d.port == 0) {
        itself.lids.clone().for_each(|lid| table.row_mut(lid)[itself.switch as usize] = 0);
    }
    for subnet in subnets {
        fill(subnet, &mut table);
    }
    Ok(table)
}

/// Whether OpenSM would begin: the manager reaches every switch.
fn check(fabric: &Fabric, graph: &SwitchGraph, subnet: &SsspSubnet) -> Result<(), Refused> {
    let mut is_source = vec![false; graph.num_switches()];
    is_source[subnet.manager as usize] = true;
    let hops = graph.hops_from(&is_source).into_iter().filter(|&hops| hops != NONE).max().unwrap_or(0);
    if u64::from(hops) * base(subnet) + u64::from(subnet.manager_is_adapter) < u64::from(FAR) {
        return Ok(());
    }
    Err(Refused::new(RefusalReason::DistanceFar {
        hops,
        switch: fabric.node(NodeId(subnet.manager)).description.to_string(),
        lids: subnet.num_lids,
    }))
}
