//! Which switches are above which, by cables from level to level.

use fixedbitset::FixedBitSet;

use crate::routing::graph::SwitchGraph;

use super::order::Order;

/// By switch: those above it, itself included.
pub(super) fn above(graph: &SwitchGraph, order: &Order) -> Vec<FixedBitSet> {
    let count = graph.num_switches();
    let mut above = vec![FixedBitSet::with_capacity(count); count];
    let mut descending: Vec<usize> = (0..count).collect();
    descending.sort_by_key(|&s| std::cmp::Reverse(order.level[s]));
    for s in descending {
        let mut own = std::mem::take(&mut above[s]);
        own.insert(s);
        for link in graph.links(s).filter(|&l| order.is_regular_up(graph, s, l)) {
            own.union_with(&above[graph.peer[link] as usize]);
        }
        above[s] = own;
    }
    above
}
