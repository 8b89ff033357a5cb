//! The tree as it was built, read from what is left of it: in which order its switches stand, and
//! each switch's *slots*, the uplinks that it and its siblings have, with gaps where its own are
//! missing. A gap keeps all other slots in place, and so most entries, when a cable dies.

use rustc_hash::FxHashMap;

use crate::fabric::{Fabric, Guid, NodeId};
use crate::routing::graph::SwitchGraph;

use super::order::Order;

/// In a slot: the cable is missing.
pub(super) const GAP: u32 = u32::MAX;

/// Places of switches and their uplinks.
pub(super) struct Layout {
    /// By switch: its place among the switches of its level and part, neighbours together.
    pub ordinal: Vec<u32>,
    /// By switch: how many parents its slots lead to.
    pub parents: Vec<u32>,
    first: Vec<u32>,
    slots: Vec<Slot>,
}

/// A place for an uplink.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Slot {
    /// The link, [`GAP`] where it is missing.
    pub link: u32,
    /// The switch that it leads to, or would.
    pub parent: u32,
}

impl Layout {
    /// Reads a fabric.
    pub fn of(fabric: &Fabric, graph: &SwitchGraph, order: &Order) -> Self {
        let bundles = Bundles::of(graph, order);
        let ordinal = ordinals(fabric, graph, order, &bundles);
        let mut layout = Self { ordinal, parents: Vec::new(), first: vec![0], slots: Vec::new() };
        let mut patterns: FxHashMap<Vec<u32>, Vec<Pattern>> = FxHashMap::default();
        for s in 0..graph.num_switches() {
            let key: Vec<u32> = bundles.of_switch(s).iter().map(|b| b.parent).collect();
            let pattern = patterns.entry(key).or_insert_with_key(|own| pattern(fabric, graph, &bundles, own));
            let links: Vec<Vec<u32>> =
                pattern.iter().map(|p| places(graph, bundles.between(s, p.parent), &p.ports)).collect();
            let most = links.iter().map(Vec::len).max().unwrap_or(0);
            for nth in 0..most {
                let here =
                    links.iter().zip(&*pattern).filter_map(|(links, p)| Some((*links.get(nth)?, p.parent)));
                layout.slots.extend(here.map(|(link, parent)| Slot { link, parent }));
            }
            layout.parents.push(pattern.len() as u32);
            layout.first.push(layout.slots.len() as u32);
        }
        layout
    }

    /// A switch's slots: the first cable to each parent in turn, then the second ones.
    #[inline]
    pub fn slots(&self, s: usize) -> &[Slot] {
        &self.slots[self.first[s] as usize..self.first[s + 1] as usize]
    }
}

/// Cables from a switch to one of the next level.
struct Bundle {
    parent: u32,
    first: u32,
    end: u32,
}

/// All bundles upwards.
struct Bundles {
    /// By the switch below, and the end.
    first: Vec<u32>,
    /// By the switch below, then parent.
    all: Vec<Bundle>,
    /// Their links, by port.
    links: Vec<u32>,
    /// By switch: those below it.
    children: Vec<Vec<u32>>,
}

impl Bundles {
    fn of(graph: &SwitchGraph, order: &Order) -> Self {
        let count = graph.num_switches();
        let mut bundles =
            Self { first: vec![0], all: Vec::new(), links: Vec::new(), children: vec![Vec::new(); count] };
        for s in 0..count {
            let mut ups: Vec<usize> = graph.links(s).filter(|&l| order.is_regular_up(graph, s, l)).collect();
            ups.sort_by_key(|&l| (graph.peer[l], l));
            for cables in ups.chunk_by(|&a, &b| graph.peer[a] == graph.peer[b]) {
                let (parent, first) = (graph.peer[cables[0]], bundles.links.len() as u32);
                bundles.links.extend(cables.iter().map(|&l| l as u32));
                bundles.all.push(Bundle { parent, first, end: bundles.links.len() as u32 });
                bundles.children[parent as usize].push(s as u32);
            }
            bundles.first.push(bundles.all.len() as u32);
        }
        bundles
    }

    fn of_switch(&self, s: usize) -> &[Bundle] {
        &self.all[self.first[s] as usize..self.first[s + 1] as usize]
    }

    fn links(&self, bundle: &Bundle) -> &[u32] {
        &self.links[bundle.first as usize..bundle.end as usize]
    }

    /// The links from a switch to a parent, by port.
    fn between(&self, s: usize, parent: u32) -> &[u32] {
        let own = self.of_switch(s);
        own.binary_search_by_key(&parent, |b| b.parent).map_or(&[], |i| self.links(&own[i]))
    }
}

/// Numbers the switches of each level from 0: part by part, in each as seen from above, by the ports
/// that lead down to them. Where their parents disagree the middle one counts, so that a missing
/// cable or a crossed one changes nothing.
fn ordinals(fabric: &Fabric, graph: &SwitchGraph, order: &Order, bundles: &Bundles) -> Vec<u32> {
    let count = graph.num_switches();
    let mut descending: Vec<usize> = (0..count).collect();
    descending.sort_by_key(|&s| std::cmp::Reverse(order.level[s]));
    let mut path: Vec<Vec<u8>> = vec![Vec::new(); count];
    for &s in &descending {
        let step = |b: &Bundle| {
            let port = graph.port[graph.back[bundles.links(b)[0] as usize] as usize];
            (&path[b.parent as usize], port)
        };
        let mut steps: Vec<(&Vec<u8>, u8)> = bundles.of_switch(s).iter().map(step).collect();
        steps.sort_unstable();
        if let Some(&(above, port)) = steps.get(steps.len() / 2) {
            let mut own = above.clone();
            own.push(port);
            path[s] = own;
        }
    }
    let part = graph.components();
    let mut sorted = descending;
    let guid = |s: usize| fabric.node(NodeId(s as u32)).guid;
    sorted.sort_by(|&a, &b| {
        let key = |s: usize| (order.level[s], part[s], &path[s], guid(s), s);
        key(a).cmp(&key(b))
    });
    let mut ordinal = vec![0; count];
    for group in sorted.chunk_by(|&a, &b| order.level[a] == order.level[b] && part[a] == part[b]) {
        for (&s, place) in group.iter().zip(0..) {
            ordinal[s] = place;
        }
    }
    ordinal
}

/// A parent that a switch has or should have, and the ports where its siblings have their cables to it.
struct Pattern {
    parent: u32,
    ports: Vec<u8>,
}

/// What the uplinks of a switch with these parents should be: its siblings are those that share half of
/// its parents or more, and it should have the parents that half of them have, at the usual ports.
fn pattern(fabric: &Fabric, graph: &SwitchGraph, bundles: &Bundles, own: &[u32]) -> Vec<Pattern> {
    let mut relatives: Vec<u32> = own.iter().flat_map(|&p| &bundles.children[p as usize]).copied().collect();
    relatives.sort_unstable();
    let runs = relatives.chunk_by(|a, b| a == b);
    let is_sibling = |run: &&[u32]| 2 * run.len() >= own.len().max(bundles.of_switch(run[0] as usize).len());
    let siblings: Vec<u32> = runs.filter(is_sibling).map(|run| run[0]).collect();

    let all = siblings.iter().flat_map(|&t| bundles.of_switch(t as usize));
    let mut all: Vec<&Bundle> = all.collect();
    all.sort_by_key(|b| b.parent);
    let ports = |b: &Bundle| bundles.links(b).iter().map(|&l| graph.port[l as usize]).collect::<Vec<u8>>();
    let mut pattern: Vec<(Option<u8>, Guid, Pattern)> = Vec::new();
    for run in all.chunk_by(|a, b| a.parent == b.parent) {
        let parent = run[0].parent;
        if 2 * run.len() < siblings.len() && !own.contains(&parent) {
            continue;
        }
        let mut seen: Vec<Vec<u8>> = run.iter().map(|b| ports(b)).collect();
        seen.sort_unstable_by(|a, b| (a.len(), a).cmp(&(b.len(), b)));
        let ports = seen.swap_remove(seen.len() / 2);
        let guid = fabric.node(NodeId(parent)).guid;
        pattern.push((ports.first().copied(), guid, Pattern { parent, ports }));
    }
    pattern.sort_by_key(|&(port, guid, ref p)| (port, guid, p.parent));
    pattern.into_iter().map(|(.., p)| p).collect()
}

/// Puts the cables to one parent in the places of the ports where siblings have theirs.
fn places(graph: &SwitchGraph, links: &[u32], usual: &[u8]) -> Vec<u32> {
    if links.len() >= usual.len() {
        return links.to_vec();
    }
    let mut places = vec![GAP; usual.len()];
    let mut rest = links.to_vec();
    rest.retain(|&link| match usual.iter().position(|&p| p == graph.port[link as usize]) {
        Some(at) if places[at] == GAP => {
            places[at] = link;
            false
        }
        _ => true,
    });
    for (place, link) in places.iter_mut().filter(|p| **p == GAP).zip(rest) {
        *place = link;
    }
    places
}
