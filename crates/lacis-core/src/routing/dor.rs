//! Dimension order: shortest paths, each switch sending all that it can to the first of its
//! neighbours, and balancing only over the cables to it.
//!
//! OpenSM 3.3.23's behaviour. Dimensions are where the cables are plugged: if every switch of a mesh
//! has the dimensions on the same ports, packets finish one dimension after the other, and there is
//! no credit loop. On a torus each ring is one.

use super::Sweep;
use super::candidates::Candidates;
use super::choice::{self, Among};
use super::graph::SwitchGraph;
use super::routes::Lft;
use super::targets::Targets;

/// Routes any fabric. Uses the same [`Options`](super::Options) as [`minhop`](super::minhop).
pub fn route(sweep: &Sweep<'_>) -> Lft {
    let Sweep { fabric, lids, options, .. } = *sweep;
    let graph = SwitchGraph::weighted(fabric, &options.hop_weights);
    let targets = Targets::of(fabric, lids, &options.order);
    let candidates = Candidates::shortest(&graph, &targets.columns);
    choice::tables(sweep, &graph, &targets, &candidates, Among::FirstNeighbour)
}
