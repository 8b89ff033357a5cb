//! Hops from every switch to every switch, as engines that count hops find them.

use rayon::prelude::*;

use crate::fabric::NodeId;
use crate::fabric::switch_graph::SwitchGraph;
use crate::sm::hop_matrix::NO_HOPS;

/// Hops to every switch, target by target.
pub(in crate::routing) struct HopsByDestination {
    pub graph: SwitchGraph,
    /// Shape `(switches, switches)`: by target, then switch.
    pub least: Vec<u8>,
    /// Shape `(switches, links)`: by target, then link.
    pub hops: Vec<u8>,
}

impl HopsByDestination {
    /// Lets `fill` compute each target's least hops by switch and hops by link.
    pub fn build<S: Send>(
        graph: SwitchGraph,
        init: impl Fn(&SwitchGraph) -> S + Sync + Send,
        fill: impl Fn(&SwitchGraph, &mut S, NodeId, &mut [u8], &mut [u8]) + Sync,
    ) -> Self {
        let (switches, links) = (graph.num_switches(), graph.num_links());
        let mut least = vec![NO_HOPS; switches * switches];
        let mut hops = vec![NO_HOPS; switches * links];
        // A fabric without inter-switch links has rows of no length, which are no chunks.
        let targets: Vec<(usize, &mut [u8])> = if links == 0 {
            (0..switches).map(|t| (t, <&mut [u8]>::default())).collect()
        } else {
            hops.chunks_mut(links).enumerate().collect()
        };
        targets.into_par_iter().zip(least.par_chunks_mut(switches.max(1))).for_each_init(
            || init(&graph),
            |state, ((target, hops), least)| fill(&graph, state, NodeId(target as u32), least, hops),
        );
        Self { graph, least, hops }
    }
}
