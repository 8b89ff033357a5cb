//! Minimal hops: shortest paths, each target on the least used of the ports that start one.
//!
//! OpenSM 3.3.23's behaviour. It promises nothing about credit loops, and on trees of three tiers
//! the counters of neighbouring switches move in step, so that the load is far from even.

use super::Sweep;
use super::candidates::Candidates;
use super::choice::{self, Among};
use super::graph::SwitchGraph;
use super::routes::Lft;
use super::targets::Targets;

/// Routes any fabric. Uses [`Options::order`](super::Options::order).
pub fn route(sweep: &Sweep<'_>) -> Lft {
    let Sweep { fabric, lids, options, .. } = *sweep;
    let graph = SwitchGraph::weighted(fabric, &options.hop_weights);
    let targets = Targets::of(fabric, lids, &options.order);
    let candidates = Candidates::shortest(&graph, &targets.columns);
    choice::tables(sweep, &graph, &targets, &candidates, Among::All)
}
