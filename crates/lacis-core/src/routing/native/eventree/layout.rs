//! The tree as it was built, read from what is left of it: each switch's *slots*, the uplinks that it and its siblings have, with gaps where its own are
//! missing. Slots follow which group of cores an uplink reaches, not its port: a slot of any two switches of a level leads to the
//! same cores. A gap keeps the indices of all other slots, and so most entries, when a cable dies.

use std::cmp::Ordering;

use rustc_hash::FxHashMap;

use super::order::LevelOrder;
use crate::fabric::switch_graph::SwitchGraph;
use crate::fabric::tree::Tree;

/// In a slot: the cable is missing.
pub(super) const GAP: u32 = u32::MAX;

/// The slots of uplinks.
pub(super) struct Layout {
    /// By switch: how many parents its slots lead to.
    pub parents: Vec<u32>,
    first: Vec<u32>,
    slots: Vec<Slot>,
    /// By switch: its other links, by the position of the far end; of parallel cables both ends have the same sequence.
    others: Vec<Vec<u32>>,
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
    /// Reads the cables of a tree.
    pub fn of(graph: &SwitchGraph, order: &LevelOrder, tree: &Tree) -> Self {
        let mut layout = Self { parents: Vec::new(), first: vec![0], slots: Vec::new(), others: Vec::new() };
        let mut patterns: FxHashMap<&[u32], Vec<Pattern>> = FxHashMap::default();
        for (s, own) in tree.parents.iter().enumerate() {
            let pattern = patterns.entry(own).or_insert_with_key(|own| pattern(graph, tree, own));
            let links: Vec<Vec<u32>> = pattern.iter().map(|p| filled_slots(graph, s, p)).collect();
            for nth in 0..links.iter().map(Vec::len).max().unwrap_or(0) {
                let here =
                    links.iter().zip(&*pattern).filter_map(|(links, p)| Some((*links.get(nth)?, p.parent)));
                layout.slots.extend(here.map(|(link, parent)| Slot { link, parent }));
            }
            layout.parents.push(pattern.len() as u32);
            layout.first.push(layout.slots.len() as u32);
            let others = graph.links(s).filter(|&l| !order.is_regular_up(graph, s, l));
            let mut others: Vec<u32> = others.map(|l| l as u32).collect();
            others.sort_by_key(|&l| {
                let (link, far) = (l as usize, graph.peer[l as usize] as usize);
                // As in slots the lower end is that of the lower level, also where packets climb by the cable the other way.
                let is_lower = match order.level[s].cmp(&order.level[far]) {
                    Ordering::Equal => order.climbs[link],
                    levels => levels.is_lt(),
                };
                let from_below = if is_lower { link } else { graph.back[link] as usize };
                (tree.position[far], graph.port[from_below])
            });
            layout.others.push(others);
        }
        layout
    }

    /// The links of a switch that are in no slot: those down, and those that do not join adjacent levels.
    #[inline]
    pub fn others(&self, s: usize) -> &[u32] {
        &self.others[s]
    }

    /// The link in the slot that a number picks; [`GAP`] where its cable is missing, none without slots.
    #[inline]
    pub fn uplink(&self, s: usize, number: usize) -> Option<u32> {
        let slots = self.slots(s);
        slots.get(number % slots.len().max(1)).map(|slot| slot.link)
    }

    /// All links of some switches, one after the other, each switch's slots first: a sequence that ports do not change.
    pub fn links(&self, of: &[u32]) -> impl Iterator<Item = usize> {
        let slots = |s: usize| self.slots(s).iter().map(|slot| slot.link).filter(|&link| link != GAP);
        let of_switch = move |s: usize| slots(s).chain(self.others(s).iter().copied());
        of.iter().flat_map(move |&s| of_switch(s as usize)).map(|link| link as usize)
    }

    /// A switch's slots: the first cable to each parent in turn, then the second ones.
    #[inline]
    pub fn slots(&self, s: usize) -> &[Slot] {
        &self.slots[self.first[s] as usize..self.first[s + 1] as usize]
    }
}

/// A parent that a switch has or should have, and how many cables its siblings have to it.
struct Pattern {
    parent: u32,
    cables: usize,
    /// Whether others stand beside it that siblings have in its place.
    is_part: bool,
}

/// What the uplinks of a switch with these parents should be: its siblings are those that share half of
/// its parents or more, and it should have the parents that half of them have, with as many cables as is usual. In
/// order of the planes that they reach. Parents that no sibling has both of, and at most half have one of, are parts of one, such as spines
/// with half of the ports: a switch has one of them, and they come last, so that slots of siblings are the same.
fn pattern(graph: &SwitchGraph, tree: &Tree, own: &[u32]) -> Vec<Pattern> {
    let mut relatives: Vec<u32> = own.iter().flat_map(|&p| &tree.children[p as usize]).copied().collect();
    relatives.sort_unstable();
    let runs = relatives.chunk_by(|a, b| a == b);
    let is_sibling = |run: &&[u32]| 2 * run.len() >= own.len().max(tree.parents[run[0] as usize].len());
    let siblings: Vec<u32> = runs.filter(is_sibling).map(|run| run[0]).collect();

    let parents = |&s: &u32| tree.parents[s as usize].iter().map(move |&p| (p, s));
    let mut cabled: Vec<(u32, u32)> = siblings.iter().flat_map(parents).collect();
    cabled.sort_unstable();
    let runs: Vec<&[(u32, u32)]> = cabled.chunk_by(|a, b| a.0 == b.0).collect();
    let has_half = |run: &[(u32, u32)]| siblings.len() >= 4 && 2 * run.len() <= siblings.len();
    let is_apart = |a: &[(u32, u32)], b: &[(u32, u32)]| a.iter().all(|a| b.iter().all(|b| a.1 != b.1));
    let parts_beside = |run: &'_ [(u32, u32)]| {
        let others: Vec<u32> = if has_half(run) {
            runs.iter()
                .filter(|other| has_half(other) && is_apart(run, other))
                .map(|other| other[0].0)
                .collect()
        } else {
            Vec::new()
        };
        others
    };
    let mut pattern = Vec::new();
    for run in &runs {
        let parent = run[0].0;
        let parts = parts_beside(run);
        let has_other_part = parts.iter().any(|part| own.contains(part));
        if !own.contains(&parent) && (2 * run.len() < siblings.len() || has_other_part) {
            continue;
        }
        let mut seen: Vec<usize> =
            run.iter().map(|&(_, s)| cables(graph, s as usize, parent).count()).collect();
        seen.sort_unstable();
        pattern.push(Pattern { parent, cables: seen[seen.len() / 2], is_part: !parts.is_empty() });
    }
    pattern.sort_by_key(|p| (p.is_part, tree.plane[p.parent as usize], tree.position[p.parent as usize]));
    pattern
}

/// A switch's links to another.
fn cables(graph: &SwitchGraph, s: usize, far: u32) -> impl Iterator<Item = usize> {
    graph.links(s).filter(move |&l| graph.peer[l] == far)
}

/// A switch's cables to a parent, and gaps for those that it lacks. These come last: of parallel cables nothing says which is missing.
fn filled_slots(graph: &SwitchGraph, s: usize, pattern: &Pattern) -> Vec<u32> {
    let mut slots: Vec<u32> = cables(graph, s, pattern.parent).map(|l| l as u32).collect();
    slots.resize(slots.len().max(pattern.cables), GAP);
    slots
}

#[cfg(test)]
mod tests {
    use super::super::order::levels;
    use super::*;
    use crate::generate::{generate, shuffle_ports};

    #[test]
    fn both_ends_have_parallel_cables_in_the_same_sequence_also_where_packets_climb_the_other_way() {
        // Six leaves, four spines, three cables from each to each.
        let fabric = shuffle_ports(&generate("pgft:2;4,6;1,4;1,3").unwrap(), 5);
        let graph = SwitchGraph::of(&fabric);
        let level = levels(&fabric, &graph, None).unwrap();
        let tree = Tree::of(&fabric, &graph, &level);
        let mut order = LevelOrder::of(&graph, level, &tree.position);
        let spine = order.level.iter().position(|&level| level == 1).unwrap();
        assert!(order.lower(&graph, spine, &tree.children[spine][..2]));
        let layout = Layout::of(&graph, &order, &tree);
        for leaf in (0..graph.num_switches()).filter(|&s| order.level[s] == 0) {
            let of_spine = |slot: &&Slot| slot.parent as usize == spine;
            let up: Vec<u32> = layout.slots(leaf).iter().filter(of_spine).map(|slot| slot.link).collect();
            let down =
                layout.others(spine).iter().filter(|&&link| graph.peer[link as usize] as usize == leaf);
            assert_eq!(up, down.map(|&link| graph.back[link as usize]).collect::<Vec<_>>());
            assert_eq!(up.len(), 3);
        }
    }
}
