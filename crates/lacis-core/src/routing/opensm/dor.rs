//! Dimension order: shortest paths, each switch sending all that it can to the first of its
//! neighbours, and balancing only over the cables to it.
//!
//! OpenSM 3.3.23's behaviour. Dimensions are where the cables are plugged: if every switch of a mesh
//! has the dimensions on the same ports, packets finish one dimension after the other, and there is
//! no credit loop. On a torus each ring is one.

use crate::fabric::switch_graph::SwitchGraph;
use crate::routing::Sweep;
use crate::routing::common::destination_order::OrderedTargets;
use crate::routing::common::port_choice::{self, Among};
use crate::routing::common::shortest_links::Candidates;
use crate::sm::Lft;

/// Routes any fabric. Uses the same [`Options`](crate::routing::Options) as [`minhop`](super::minhop).
pub fn route(sweep: &Sweep<'_>) -> Lft {
    let Sweep { fabric, lids, options, .. } = *sweep;
    let graph = SwitchGraph::weighted(fabric, &options.hop_weights);
    let targets = OrderedTargets::of(fabric, lids, &options.order);
    let candidates = Candidates::shortest(&graph, &targets.columns);
    port_choice::tables(sweep, &graph, &targets, &candidates, Among::FirstNeighbour)
}
