//! Pods and subtrees: what cables join, level by level, of a tree-like fabric.

use super::levels::Levels;
use super::{Bundles, Fabric, NodeId};
use crate::sets::Sets;

/// For each switch a number that it shares with the switches of its level that are connected to it
/// by switches of its level and below: leaves alone, the mid switches of one pod together, the
/// cores of a plane together. In a Dragonfly+ it is shared by the leaves and spines of a group. A switch
/// without a level is alone. Shape `(switches,)`; the number is the lowest id of those switches.
pub fn pods(fabric: &Fabric, levels: &Levels) -> Vec<u32> {
    let count = fabric.num_switches();
    let mut sets = Sets::new(count);
    let mut pod: Vec<u32> = (0..count as u32).collect();
    let level = |s: u32| levels.level(NodeId(s));
    for height in 0..levels.count() as u8 {
        for (a, b) in fabric.cables() {
            let (a, b) = (fabric.node_of(a), fabric.node_of(b));
            if !fabric.is_switch(a) || !fabric.is_switch(b) {
                continue;
            }
            let (Some(low), Some(high)) = (level(a.0).min(level(b.0)), level(a.0).max(level(b.0))) else {
                continue;
            };
            if high == height && low < height {
                sets.join(a.0, b.0);
            }
        }
        let mut first = vec![u32::MAX; count]; // lowest switch of this level, by set
        for s in (0..count as u32).filter(|&s| level(s) == Some(height)) {
            let set = sets.first(s) as usize;
            first[set] = first[set].min(s);
            pod[s as usize] = first[set];
        }
    }
    for group in levels.groups().iter().flat_map(|plane| &plane.groups) {
        let members = || group.leaves.iter().chain(&group.spines);
        let first = members().min().map_or(0, |s| s.0);
        members().for_each(|s| pod[s.ix()] = first);
    }
    pod
}

/// For each switch a number of its subtree: cables join the switches below a height, and those at it that `joins` says join others; any
/// other is alone. Shape `(switches,)`.
pub fn subtrees(bundles: &Bundles, levels: &Levels, height: u8, joins: impl Fn(NodeId) -> bool) -> Vec<u32> {
    let is_in = |s: u32| {
        let switch = NodeId(s);
        levels.level(switch).is_some_and(|level| level < height || level == height && joins(switch))
    };
    let mut sets = Sets::new(bundles.num_switches());
    for (a, b, _) in bundles.iter().filter(|&(a, b, _)| is_in(a) && is_in(b)) {
        sets.join(a, b);
    }
    (0..bundles.num_switches() as u32).map(|s| sets.first(s)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::generate::generate;

    #[test]
    fn a_three_level_tree_has_a_pod_for_each_subtree() {
        // fat-tree:4,3 has 4 pods of 2 leaves and 2 mids, and 4 cores.
        let fabric = generate("fat-tree:4,3").unwrap();
        let levels = Levels::of(&fabric).unwrap();
        let pods = pods(&fabric, &levels);
        let distinct = |height| {
            let mut of: Vec<u32> = levels.at(height).map(|s| pods[s.ix()]).collect();
            of.sort_unstable();
            of.dedup();
            of.len()
        };
        assert_eq!([distinct(0), distinct(1), distinct(2)], [8, 4, 1]);
    }

    #[test]
    fn leaves_and_spines_of_a_group_are_together() {
        let fabric = generate("dragonfly+:3,2,2,1").unwrap();
        let pods = pods(&fabric, &Levels::of(&fabric).unwrap());
        // Four switches a group, its leaves first.
        assert_eq!(pods, [0, 0, 0, 0, 4, 4, 4, 4, 8, 8, 8, 8]);
    }
}
