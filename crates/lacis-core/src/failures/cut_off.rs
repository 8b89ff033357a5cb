//! What one failure cuts off whatever the tables: switches and cables that alone join two parts of a fabric.
//!
//! Articulation points and bridges of the graph of switches, by one depth-first search (J. Hopcroft, R. Tarjan,
//! "Algorithm 447: efficient algorithms for graph manipulation", Comm. ACM 16(6), 1973). Exact.

use std::cmp::Reverse;

use super::single_failures::Failing;
use crate::fabric::switch_graph::SwitchGraph;
use crate::fabric::{Fabric, NodeId, NodeKind};

/// A part whose failure alone leaves host adapters without a path to most of the others.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CutOff {
    /// The switch or cable that fails.
    pub failing: Failing,
    /// Adapters that are left, and that the largest part left does not reach; those on a failed switch do not count.
    pub adapters: u64,
}

const NONE: u32 = u32::MAX;

/// The switches and cables between switches that cut adapters off when they fail alone; those with most adapters first,
/// switches before cables.
pub fn cut_off(fabric: &Fabric) -> Vec<CutOff> {
    let graph = SwitchGraph::of(fabric);
    let search = Search::of(&graph);
    let on: Vec<u64> = fabric.switches().map(|s| adapters_on(fabric, s)).collect();

    // By switch: adapters on it and below it in the search, and in its whole component.
    let mut below = on.clone();
    for &s in search.order.iter().rev() {
        if let Some(parent) = search.parent(&graph, s) {
            below[parent] += below[s];
        }
    }
    let mut whole = below.clone();
    for &s in &search.order {
        if let Some(parent) = search.parent(&graph, s) {
            whole[s] = whole[parent];
        }
    }

    // By switch: adapters in the parts below that fall off without it, all together and in the largest.
    let mut parts = vec![(0, 0); on.len()];
    let mut cables = Vec::new();
    for &s in &search.order {
        let Some((link, parent)) = search.via[s].zip(search.parent(&graph, s)) else { continue };
        if search.low[s] >= search.entered[parent] {
            let (all, largest) = parts[parent];
            parts[parent] = (all + below[s], below[s].max(largest));
        }
        if search.low[s] > search.entered[parent] {
            let port = fabric.port(NodeId(parent as u32), graph.port[link]);
            let lower = port.and_then(|p| Some(p.min(fabric.peer(p)?)));
            cables.extend(lower.map(|p| (Failing::Cable(p), below[s].min(whole[s] - below[s]))));
        }
    }
    let switches = fabric.switches().map(|s| {
        let (all, largest) = parts[s.ix()];
        let above = whole[s.ix()] - on[s.ix()] - all;
        (Failing::Switch(s), all + above - largest.max(above))
    });
    let found = switches.chain(cables).filter(|&(_, adapters)| adapters > 0);
    let mut found: Vec<CutOff> = found.map(|(failing, adapters)| CutOff { failing, adapters }).collect();
    found.sort_by_key(|found| Reverse(found.adapters));
    found
}

/// Ports of host adapters on a switch.
fn adapters_on(fabric: &Fabric, switch: NodeId) -> u64 {
    let far = fabric.ports_of(switch).filter_map(|p| fabric.peer(p));
    far.filter(|&p| fabric.node(fabric.node_of(p)).kind == NodeKind::Adapter).count() as u64
}

/// A depth-first search of the switches, component after component.
struct Search {
    /// The switches as they were entered.
    order: Vec<usize>,
    /// By switch: its place in that order.
    entered: Vec<u32>,
    /// By switch: the link by which it was entered, as seen from its parent; none for the first of a component.
    via: Vec<Option<usize>>,
    /// By switch: the earliest switch that a link from it or from below leads to, but for the one that it was entered by.
    low: Vec<u32>,
}

impl Search {
    fn of(graph: &SwitchGraph) -> Self {
        let n = graph.num_switches();
        let mut search =
            Self { order: Vec::new(), entered: vec![NONE; n], via: vec![None; n], low: vec![NONE; n] };
        let mut next: Vec<usize> = (0..n).map(|s| graph.links(s).start).collect();
        for first in 0..n {
            if search.entered[first] != NONE {
                continue;
            }
            search.enter(first, None);
            let mut stack = vec![first];
            while let Some(&s) = stack.last() {
                let link = next[s];
                if link == graph.links(s).end {
                    stack.pop();
                    if let Some(&parent) = stack.last() {
                        search.low[parent] = search.low[parent].min(search.low[s]);
                    }
                    continue;
                }
                next[s] += 1;
                let far = graph.peer[link] as usize;
                if search.entered[far] == NONE {
                    search.enter(far, Some(link));
                    stack.push(far);
                } else if search.via[s] != Some(graph.back[link] as usize) {
                    search.low[s] = search.low[s].min(search.entered[far]);
                }
            }
        }
        search
    }

    fn enter(&mut self, switch: usize, via: Option<usize>) {
        self.entered[switch] = self.order.len() as u32;
        self.low[switch] = self.entered[switch];
        self.via[switch] = via;
        self.order.push(switch);
    }

    /// The switch from which another was entered.
    fn parent(&self, graph: &SwitchGraph, switch: usize) -> Option<usize> {
        self.via[switch].map(|link| graph.peer[graph.back[link] as usize] as usize)
    }
}

#[cfg(test)]
mod tests {
    use super::super::Names;
    use super::*;
    use crate::generate::{generate, without};

    /// Adapters that the largest part left does not reach, counted by taking the part away.
    fn counted(fabric: &Fabric, failing: Failing, names: &Names<'_>) -> u64 {
        let left = without(fabric, &[&failing.name(fabric, names)]).unwrap();
        let component = SwitchGraph::of(&left).components();
        let mut parts = vec![0; left.num_switches() + 1];
        for s in left.switches() {
            parts[component[s.ix()] as usize] += adapters_on(&left, s);
        }
        let all: u64 = parts.iter().sum();
        all - parts.iter().max().copied().unwrap_or(0)
    }

    #[test]
    fn what_is_cut_off_is_what_taking_the_part_away_cuts_off() {
        for (spec, gone) in [
            ("chain:6,h=2", vec![]),
            ("ring:5", vec![]),
            ("fat-tree:4,3", vec![]),
            ("fat-tree:4,2", vec!["leaf-01--spine-01", "leaf-02--spine-02"]),
            ("fat-tree:6,3", vec!["random-cables=45%,seed=1"]),
            ("fat-tree:6,3", vec!["random-cables=50%,seed=2"]),
            ("mesh:4x4", vec!["random-cables=30%,seed=3"]),
            ("mesh:5x5,h=3", vec!["random-cables=35%,seed=4"]),
        ] {
            let whole = without(&generate(spec).unwrap(), &gone).unwrap();
            // One component: what others have is cut off anyway.
            let component = SwitchGraph::of(&whole).components();
            let first = whole.filtered(
                |n| {
                    let port = whole.ports_of(n).find_map(|p| whole.peer(p));
                    let at = if whole.is_switch(n) { Some(n) } else { port.map(|p| whole.node_of(p)) };
                    at.is_some_and(|s| component[s.ix()] == 0)
                },
                |_, _| true,
            );
            let names = Names::of(&first);
            let found = cut_off(&first);
            assert!(found.is_sorted_by_key(|found| Reverse(found.adapters)), "{spec}");
            for failing in Failing::all(&first, false) {
                let adapters =
                    found.iter().find(|found| found.failing == failing).map_or(0, |found| found.adapters);
                assert_eq!(adapters, counted(&first, failing, &names), "{spec}: {failing:?}");
            }
        }
    }

    #[test]
    fn two_cables_beside_each_other_are_no_bridge_and_planes_are_counted_apart() {
        // Three switches in a row with two hosts each: the middle one and either cable cut off two.
        let found = cut_off(&generate("chain:3,h=2").unwrap());
        assert_eq!(found.iter().map(|found| found.adapters).collect::<Vec<_>>(), [2, 2, 2]);
        assert_eq!(found[0].failing, Failing::Switch(NodeId(1)));
        assert_eq!(cut_off(&generate("fat-tree:4,2:rails=2").unwrap()), []);
    }
}
