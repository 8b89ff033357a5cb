//! Sets of switches that lie within each other, from single edge switches to the whole fabric, and the cables that leave each.
//!
//! In a tree these are the subtrees. Below the switches of a level that reach at most half of the subtrees beside each other, such
//! as spines with half of the ports, there is a set of its own: what shares such a *part*, before all that the level joins.

use std::collections::{BTreeMap, BTreeSet};

use rustc_hash::FxHashMap;

use crate::fabric::levels::Levels;
use crate::fabric::{Bundles, Fabric, NodeId, subtrees};

/// Sets of switches: each tier joins sets of the one before. The first has each switch alone, the last has all as one.
pub(super) struct Nested {
    /// By tier, then switch: a number of its set.
    pub set_of: Vec<Vec<u32>>,
    /// By tier: the sets that have an edge switch, each with those of the tier before that it joins.
    pub joined: Vec<BTreeMap<u32, Vec<u32>>>,
    /// Cables by the set that they leave, with its tier, and the first tier that has both of their ends in one set.
    cables: FxHashMap<(usize, u32, usize), u32>,
    /// The switches that are parts.
    pub parts: Vec<NodeId>,
}

impl Nested {
    /// The sets of a fabric, with or without those of parts; `is_edge` by switch.
    pub fn of(fabric: &Fabric, is_edge: &[bool], with_parts: bool) -> Self {
        let bundles = Bundles::of(fabric);
        let count = fabric.num_switches();
        let mut set_of: Vec<Vec<u32>> = vec![(0..count as u32).collect()];
        let mut parts = Vec::new();
        if let Some(levels) = Levels::of(fabric) {
            for height in 1..levels.count() as u8 {
                let below = set_of[set_of.len() - 1].clone();
                let whole = subtrees(&bundles, &levels, height, |_| true);
                let of_level = if with_parts {
                    parts_of(&bundles, &levels, height, is_edge, &below, &whole)
                } else {
                    Vec::new()
                };
                if !of_level.is_empty() {
                    set_of.push(subtrees(&bundles, &levels, height, |s| of_level.binary_search(&s).is_ok()));
                    parts.extend(of_level);
                }
                set_of.push(whole);
            }
        }
        set_of.push(vec![0; count]);
        let joined = joined_sets(&set_of, is_edge);
        let cables = cables_out(&bundles, &set_of);
        Self { set_of, joined, cables, parts }
    }

    /// The last tier.
    pub fn last(&self) -> usize {
        self.set_of.len() - 1
    }

    /// Cables that leave a set of a tier for others within the same set of another tier.
    pub fn cables_out(&self, tier: usize, set: u32, within: usize) -> u32 {
        (tier + 1..=within).filter_map(|first| self.cables.get(&(tier, set, first))).sum()
    }
}

/// The switches at a height that join several sets with edge switches, and at most half of those that all at the height join.
fn parts_of(
    bundles: &Bundles,
    levels: &Levels,
    height: u8,
    is_edge: &[bool],
    below: &[u32],
    whole: &[u32],
) -> Vec<NodeId> {
    let is_under = |s: usize| levels.level(NodeId(s as u32)).is_some_and(|level| level < height);
    let edges = || (0..is_edge.len()).filter(|&s| is_edge[s] && is_under(s));
    let mut joined: Vec<(u32, u32)> = edges().map(|s| (whole[s], below[s])).collect();
    joined.sort_unstable();
    joined.dedup();
    let mut sizes: FxHashMap<u32, usize> = FxHashMap::default();
    for &(whole, _) in &joined {
        *sizes.entry(whole).or_default() += 1;
    }
    let has_edge: BTreeSet<u32> = joined.iter().map(|&(_, below)| below).collect();
    let is_part = |s: &NodeId| {
        let far = bundles.of_switch(s.0).iter().map(|&(far, _)| far as usize);
        let mut under: Vec<u32> = far
            .filter(|&far| is_under(far))
            .map(|far| below[far])
            .filter(|set| has_edge.contains(set))
            .collect();
        under.sort_unstable();
        under.dedup();
        let all = sizes.get(&whole[s.ix()]).copied().unwrap_or(0);
        under.len() > 1 && 2 * under.len() <= all
    };
    levels.at(height).filter(is_part).collect()
}

/// By tier: the sets with an edge switch, each with those of the tier before that have one.
fn joined_sets(set_of: &[Vec<u32>], is_edge: &[bool]) -> Vec<BTreeMap<u32, Vec<u32>>> {
    let mut joined: Vec<BTreeMap<u32, Vec<u32>>> = vec![BTreeMap::new(); set_of.len()];
    for s in (0..is_edge.len()).filter(|&s| is_edge[s]) {
        joined[0].insert(set_of[0][s], Vec::new());
        for tier in 1..set_of.len() {
            let below = joined[tier].entry(set_of[tier][s]).or_default();
            if !below.contains(&set_of[tier - 1][s]) {
                below.push(set_of[tier - 1][s]);
            }
        }
    }
    joined
}

/// Cables by the set that they leave, with its tier, and the first tier that has both ends in one set.
fn cables_out(bundles: &Bundles, set_of: &[Vec<u32>]) -> FxHashMap<(usize, u32, usize), u32> {
    let mut cables: FxHashMap<(usize, u32, usize), u32> = FxHashMap::default();
    for (a, b, count) in bundles.iter() {
        let (a, b) = (a as usize, b as usize);
        let Some(first) = set_of.iter().position(|set_of| set_of[a] == set_of[b]) else { continue };
        for (tier, set_of) in set_of[..first].iter().enumerate() {
            for end in [a, b] {
                *cables.entry((tier, set_of[end], first)).or_default() += count;
            }
        }
    }
    cables
}
