//! The tree as it was built, read from what is left of it: each switch's *slots*, the uplinks that it and its siblings have, with gaps where its own are
//! missing. A gap keeps all other slots in place, and so most entries, when a cable dies.

use rustc_hash::FxHashMap;

use super::order::Order;
use crate::fabric::switch_graph::SwitchGraph;
use crate::fabric::{Fabric, Guid, NodeId};

/// In a slot: the cable is missing.
pub(super) const GAP: u32 = u32::MAX;

/// Places of uplinks.
pub(super) struct Layout {
    /// By switch: how many parents its slots lead to.
    pub parents: Vec<u32>,
    first: Vec<u32>,
    slots: Vec<Slot>,
}

/// A slot for an uplink.
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
        let mut layout = Self { parents: Vec::new(), first: vec![0], slots: Vec::new() };
        let mut patterns: FxHashMap<Vec<u32>, Vec<Pattern>> = FxHashMap::default();
        for s in 0..graph.num_switches() {
            let key: Vec<u32> = bundles.of[s].iter().map(|b| b.0).collect();
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

    /// The link in the slot that a number picks; [`GAP`] where its cable is missing, none without slots.
    #[inline]
    pub fn uplink(&self, s: usize, number: usize) -> Option<u32> {
        let slots = self.slots(s);
        slots.get(number % slots.len().max(1)).map(|slot| slot.link)
    }

    /// A switch's slots: the first cable to each parent in turn, then the second ones.
    #[inline]
    pub fn slots(&self, s: usize) -> &[Slot] {
        &self.slots[self.first[s] as usize..self.first[s + 1] as usize]
    }
}

/// Cables from a switch to one of the next level: that one, and their links by port.
type Bundle = (u32, Vec<u32>);

/// All bundles upwards.
struct Bundles {
    /// By the switch below, then parent.
    of: Vec<Vec<Bundle>>,
    /// By switch: those below it.
    children: Vec<Vec<u32>>,
}

impl Bundles {
    fn of(graph: &SwitchGraph, order: &Order) -> Self {
        let count = graph.num_switches();
        let mut bundles = Self { of: Vec::with_capacity(count), children: vec![Vec::new(); count] };
        for s in 0..count {
            let mut ups: Vec<usize> = graph.links(s).filter(|&l| order.is_regular_up(graph, s, l)).collect();
            ups.sort_by_key(|&l| (graph.peer[l], l));
            let runs = ups.chunk_by(|&a, &b| graph.peer[a] == graph.peer[b]);
            let bundle =
                |cables: &[usize]| (graph.peer[cables[0]], cables.iter().map(|&l| l as u32).collect());
            let own: Vec<Bundle> = runs.map(bundle).collect();
            for &(parent, _) in &own {
                bundles.children[parent as usize].push(s as u32);
            }
            bundles.of.push(own);
        }
        bundles
    }

    /// The links from a switch to a parent, by port.
    fn between(&self, s: usize, parent: u32) -> &[u32] {
        let own = &self.of[s];
        own.binary_search_by_key(&parent, |b| b.0).map_or(&[], |i| &own[i].1)
    }
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
    let is_sibling = |run: &&[u32]| 2 * run.len() >= own.len().max(bundles.of[run[0] as usize].len());
    let siblings: Vec<u32> = runs.filter(is_sibling).map(|run| run[0]).collect();

    let all = siblings.iter().flat_map(|&t| &bundles.of[t as usize]);
    let mut all: Vec<&Bundle> = all.collect();
    all.sort_by_key(|b| b.0);
    let ports = |b: &Bundle| b.1.iter().map(|&l| graph.port[l as usize]).collect::<Vec<u8>>();
    let mut pattern: Vec<(Option<u8>, Guid, Pattern)> = Vec::new();
    for run in all.chunk_by(|a, b| a.0 == b.0) {
        let parent = run[0].0;
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

/// Puts the cables to one parent at the slots of the ports where siblings have theirs.
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
