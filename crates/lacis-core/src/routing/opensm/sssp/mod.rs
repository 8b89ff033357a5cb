//! Single-source-shortest-path routing: one destination after the other over the shortest paths of
//! least weight, where every path that is laid makes its links heavier.
//!
//! T. Hoefler, T. Schneider, A. Lumsdaine, "Optimized Routing for Large-Scale InfiniBand Networks",
//! Hot Interconnects 17, 2009; in the form that OpenSM 3.3.23 gives it, entry for entry. It promises
//! nothing about credit loops.
//!
//! | here       | in the paper, or in OpenSM                                              |
//! |------------|-------------------------------------------------------------------------|
//! | `base`     | T², where T is the number of LIDs: the weight that each link starts with  |
//! | *weight*   | what has been added to it since                                         |
//! | `extra`    | distance less hops × T²: the weights along a path                       |
//! | `paths`    | num(v), then the number of paths through v                              |
//!
//! OpenSM runs Dijkstra's algorithm on a heap for each LID. Since T² outweighs all that is ever added,
//! a shorter distance is one of fewer hops, then of less extra. So here hops are found once for each
//! home switch (`plan`); extras go from distance to distance, many links at a time, over tables of
//! weights (`fans`, `cables`, `lightest`). Of the switches farthest away many are reached best through
//! the same one: where the least and the greatest weights of its links tell so, no link is looked at
//! (`bounds`). The heap decides only where two switches offer the same way at the same
//! distance; it is run, up to that distance, where this happens (`heap`). Where extras might
//! outweigh a hop, or are too large for the tables, the whole search is done on the heap.

mod bipartite_blocks;
mod bounds;
mod cables;
mod heap;
mod lightest;
mod plan;
mod search;
mod targets;

use crate::fabric::switch_graph::SwitchGraph;
use crate::routing::common::transpose::ByDestination;
use crate::routing::{Refused, Sweep};
use crate::sm::Lft;
use search::Router;

pub(in crate::routing) use targets::{Subnet, Target, subnets};

/// Routes a fabric. Uses [`Options::cn`](crate::routing::Options::cn) and [`Options::io`](crate::routing::Options::io),
/// whose ports are the first destinations.
///
/// # Errors
/// When distances would not fit into 31 bits, as in OpenSM: hops between switches, times the square of
/// the number of LIDs; when switches are cut off by [`Options::avoid_throttled`](crate::routing::Options::avoid_throttled).
pub fn route(sweep: &Sweep<'_>) -> Result<Lft, Refused> {
    let graph = SwitchGraph::avoiding(sweep.fabric, sweep.options.avoid_throttled);
    tables(sweep, &graph, &subnets(sweep))
}

/// The tables of all subnets.
pub(in crate::routing) fn tables(
    sweep: &Sweep<'_>,
    graph: &SwitchGraph,
    subnets: &[Subnet],
) -> Result<Lft, Refused> {
    let Sweep { fabric, lids, options, .. } = *sweep;
    let mut router = Router::new(fabric, graph);
    if options.avoid_throttled && graph.components() != SwitchGraph::of(fabric).components() {
        return Err(Refused::new("links that are not throttled do not connect all switches"));
    }
    for subnet in subnets {
        router.check(fabric, subnet)?;
    }
    let mut by_destination = ByDestination::new(fabric.num_switches(), lids.max_lid() as usize + 1);
    // Switches know themselves from the start. Where OpenSM gives a LID twice, as it may where ports
    // report LIDs that do not fit an LMC, the other owner's path replaces that.
    for target in subnets.iter().flat_map(|subnet| &subnet.targets).filter(|target| target.port == 0) {
        target.lids.clone().for_each(|lid| by_destination.row_mut(lid)[target.home as usize] = 0);
    }
    for subnet in subnets {
        router.enter(subnet);
        for target in &subnet.targets {
            for lid in target.lids.clone() {
                router.route_to(target.home, target.port, by_destination.row_mut(lid));
            }
        }
    }
    Ok(Lft::written(fabric.num_switches(), lids.max_lid(), |tables| by_destination.transpose_to(tables)))
}
