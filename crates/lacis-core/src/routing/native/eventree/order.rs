//! Which direction is up: an order of all switches in which every two switches that must talk can meet.
//!
//! A cable leads up to the end on the higher level, between equals to that which comes later in the tree. A path that
//! climbs and then descends never closes a circle of links that wait for each other (Autonet's
//! up*/down* rule), whatever the order. But two switches meet only where something is above both.
//! In a tree leaves always are below a common top; tops themselves, or a leaf and a top that it has
//! lost its cables to, may not be. Where end nodes hang on such switches the order is bent (`bend`).

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use fixedbitset::FixedBitSet;

use crate::fabric::levels::Levels;
use crate::fabric::switch_graph::SwitchGraph;
use crate::fabric::{Fabric, Guid};
use crate::routing::Refused;
use crate::sm::RefusalReason;

/// Higher trees than this are refused: the length of a path up and down must fit into a byte.
const HIGHEST: u32 = 100;

/// Levels, and directions of links.
pub(super) struct LevelOrder {
    /// By switch.
    pub level: Vec<u8>,
    /// By link: whether it leads up from its near end.
    pub climbs: Vec<bool>,
    /// By link: the levels it spans; 2 between equals, which saves a level up and one down.
    pub cost: Vec<u8>,
    /// All switches, every one after those below it; where that leaves a choice, by height.
    pub ascending: Vec<u32>,
    /// By switch: its position by level, then in the tree.
    height: Vec<u32>,
}

/// By switch: its level in the fabric, or by distance from given roots.
///
/// # Errors
/// Where the fabric has no levels, or no root is in it.
pub(super) fn levels(
    fabric: &Fabric,
    graph: &SwitchGraph,
    roots: Option<&[Guid]>,
) -> Result<Vec<u8>, Refused> {
    if let Some(roots) = roots {
        return levels_below(fabric, graph, roots);
    }
    let levels = Levels::of(fabric).ok_or_else(|| Refused::new(RefusalReason::LevelsUnknown))?;
    Ok(fabric.switches().map(|s| levels.level(s).unwrap_or(0)).collect())
}

impl LevelOrder {
    /// The order by levels; `position` by switch, for those of one level.
    pub fn of(graph: &SwitchGraph, level: Vec<u8>, position: &[u32]) -> Self {
        let mut by_height: Vec<usize> = (0..level.len()).collect();
        by_height.sort_unstable_by_key(|&s| (level[s], position[s]));
        let mut height = vec![0; by_height.len()];
        by_height.iter().zip(0..).for_each(|(&s, at)| height[s] = at);
        let mut climbs = Vec::with_capacity(graph.num_links());
        let mut cost = Vec::with_capacity(graph.num_links());
        for s in 0..graph.num_switches() {
            for link in graph.links(s) {
                let far = graph.peer[link] as usize;
                climbs.push(height[far] > height[s]);
                cost.push(match level[s].abs_diff(level[far]) {
                    0 => 2,
                    levels => levels,
                });
            }
        }
        let mut order = Self { level, climbs, cost, ascending: Vec::new(), height };
        order.sort(graph);
        order
    }

    /// Whether a link joins a switch to one that is one level higher, as a tree's cables do.
    #[inline]
    pub fn is_regular_up(&self, graph: &SwitchGraph, switch: usize, link: usize) -> bool {
        self.level[graph.peer[link] as usize] == self.level[switch] + 1
    }

    /// Lists the switches from the lowest to the highest.
    fn sort(&mut self, graph: &SwitchGraph) {
        let count = graph.num_switches();
        let mut below: Vec<u32> = vec![0; count];
        (0..count).flat_map(|s| self.above(graph, s)).for_each(|far| below[far as usize] += 1);
        let lowest = (0..count).filter(|&s| below[s] == 0);
        let mut free: BinaryHeap<Reverse<(u32, u32)>> =
            lowest.map(|s| Reverse((self.height[s], s as u32))).collect();
        let mut ascending = Vec::with_capacity(count);
        while let Some(Reverse((_, s))) = free.pop() {
            ascending.push(s);
            for far in self.above(graph, s as usize) {
                below[far as usize] -= 1;
                if below[far as usize] == 0 {
                    free.push(Reverse((self.height[far as usize], far)));
                }
            }
        }
        self.ascending = ascending;
    }

    /// Turns round all cables among some switches.
    pub fn turn_round(&mut self, graph: &SwitchGraph, among: &[bool]) {
        for s in (0..among.len()).filter(|&s| among[s]) {
            for link in
                graph.links(s).filter(|&l| graph.peer[l] as usize != s && among[graph.peer[l] as usize])
            {
                self.climbs[link] = !self.climbs[link];
            }
        }
        self.sort(graph);
    }

    /// Puts a switch below some of its neighbours that are below it, unless that would close a circle; whether it did.
    pub fn lower(&mut self, graph: &SwitchGraph, switch: usize, neighbours: &[u32]) -> bool {
        let links: Vec<usize> =
            graph.links(switch).filter(|&l| neighbours.contains(&graph.peer[l])).collect();
        let lead_up = |climbs: &mut Vec<bool>, is_up: bool| {
            for &link in &links {
                climbs[link] = is_up;
                climbs[graph.back[link] as usize] = !is_up;
            }
        };
        lead_up(&mut self.climbs, true);
        self.sort(graph);
        let has_circle = self.ascending.len() < graph.num_switches();
        if has_circle {
            lead_up(&mut self.climbs, false);
            self.sort(graph);
        }
        !has_circle
    }

    /// By switch: those above it by cables from level to level, itself included.
    pub fn all_above(&self, graph: &SwitchGraph) -> Vec<FixedBitSet> {
        let mut descending: Vec<usize> = (0..graph.num_switches()).collect();
        descending.sort_by_key(|&s| Reverse(self.level[s]));
        all_over(graph, descending, |s, link| self.is_regular_up(graph, s, link))
    }

    /// By switch: those that paths up lead to, itself included.
    pub fn all_climbed_to(&self, graph: &SwitchGraph) -> Vec<FixedBitSet> {
        let descending = self.ascending.iter().rev().map(|&s| s as usize);
        all_over(graph, descending, |_, link| self.climbs[link])
    }

    /// The switches just above one, once for each cable.
    pub fn above(&self, graph: &SwitchGraph, s: usize) -> impl Iterator<Item = u32> {
        graph.links(s).filter(|&l| self.climbs[l]).map(|l| graph.peer[l])
    }
}

/// By switch: itself and those that such links lead to, one after the other; of these each comes before.
fn all_over(
    graph: &SwitchGraph,
    descending: impl IntoIterator<Item = usize>,
    leads: impl Fn(usize, usize) -> bool,
) -> Vec<FixedBitSet> {
    let count = graph.num_switches();
    let mut over = vec![FixedBitSet::with_capacity(count); count];
    for s in descending {
        let mut own = std::mem::take(&mut over[s]);
        own.insert(s);
        graph.links(s).filter(|&l| leads(s, l)).for_each(|l| own.union_with(&over[graph.peer[l] as usize]));
        over[s] = own;
    }
    over
}

/// Levels by distance from the given switches, which are the highest.
fn levels_below(fabric: &Fabric, graph: &SwitchGraph, roots: &[Guid]) -> Result<Vec<u8>, Refused> {
    let is_root: Vec<bool> = fabric.switches().map(|s| roots.contains(&fabric.node(s).guid)).collect();
    if !is_root.contains(&true) {
        return Err(Refused::new(RefusalReason::RootsAbsent { given: roots.len() }));
    }
    let distance = graph.hops_from(&is_root);
    let deepest = distance.iter().copied().filter(|&d| d != u32::MAX).max().unwrap_or(0);
    if deepest > HIGHEST {
        return Err(Refused::new(RefusalReason::RootFar { hops: deepest, most: HIGHEST }));
    }
    Ok(distance.iter().map(|&d| if d == u32::MAX { 0 } else { (deepest - d) as u8 }).collect())
}
