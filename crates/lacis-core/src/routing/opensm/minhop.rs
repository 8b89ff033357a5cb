//! Minimal hops: shortest paths, each target on the least used of the ports that start one.
//!
//! OpenSM 3.3.23's behaviour. It promises nothing about credit loops, and on trees of three tiers
//! the counters of neighbouring switches move in step, so that the load is far from even.

use crate::fabric::switch_graph::SwitchGraph;
use crate::routing::Sweep;
use crate::routing::common::destination_order::OrderedTargets;
use crate::routing::common::port_choice::{self, Among};
use crate::routing::common::shortest_links::Candidates;
use crate::sm::Lft;

/// Routes any fabric. Uses [`Options::order`](crate::routing::Options::order).
pub fn route(sweep: &Sweep<'_>) -> Lft {
    route_among(sweep, Among::All)
}

/// Shortest paths, with some of the ports that start one.
pub(super) fn route_among(sweep: &Sweep<'_>, among: Among) -> Lft {
    let Sweep { fabric, lids, options, .. } = *sweep;
    let graph = SwitchGraph::weighted(fabric, &options.hop_weights);
    let targets = OrderedTargets::of(fabric, lids, &options.order);
    let candidates = Candidates::shortest(&graph, &targets.columns);
    port_choice::tables(sweep, &graph, &targets, &candidates, among)
}
