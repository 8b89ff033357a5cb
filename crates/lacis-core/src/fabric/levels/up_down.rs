//! Which leaves are connected by a path that goes up and then down, and which levels such paths need.

use fixedbitset::FixedBitSet;
use rustc_hash::FxHashSet;

use super::assign::{LevelGraph, NONE};

/// The most leaves that are ends of paths, sampled evenly from all; every leaf is a beginning.
const SAMPLE: usize = 1024;
/// A level with fewer than one in so many of the cables of the level below may be an appendage.
const APPENDAGE: u32 = 3;

/// How well paths up and down connect the leaves of a plane.
pub(super) struct LeafPairs {
    /// Share of the pairs of leaves that are connected; 1 where there is no pair.
    pub share: f64,
    /// Share of the pairs of leaves that are connected, where appended leaves are left out.
    pub share_of_others: f64,
    /// Leaves connected to fewer than half of their tree's: below another leaf with a switch between, for example.
    pub appended: Vec<u32>,
    /// Leaves with hosts and a cable up.
    pub leaves: usize,
}

/// Which pairs of leaves with hosts are connected by a path up and then down, a level at each cable. Pairs
/// in different trees, which only odd cables join, are left out, and so are leaves without a cable up.
/// `joints`: cables that count as odd.
pub(super) fn leaf_pairs(graph: &LevelGraph, plane: &[u32], level: &[u8], joints: &Joints) -> LeafPairs {
    let leaves = LeafTree::of(graph, plane, level, joints);
    let mut reached = leaves.below();
    for &s in leaves.by_level.iter().rev() {
        leaves.up(s).for_each(|t| join(&mut reached, s, t));
    }
    let tree = trees(graph, &leaves.by_level, level, joints);
    let tree_of = |leaf: u32| tree[leaf as usize] as usize;
    // Both count a leaf's pair with itself.
    let mut in_tree = vec![0_u32; level.len()];
    for &leaf in &leaves.sample {
        in_tree[tree_of(leaf)] += 1;
    }
    let connected = |leaf: u32| reached[leaf as usize].count_ones(..) as u32;
    let is_appended = |leaf: &u32| 2 * connected(*leaf) < in_tree[tree_of(*leaf)];
    let appended: Vec<u32> = leaves.all.iter().copied().filter(is_appended).collect();

    let share = |is_counted: &dyn Fn(u32) -> bool| {
        let mut counted = FixedBitSet::new();
        counted.grow(leaves.sample.len());
        let mut in_tree = vec![0_u64; level.len()];
        for (i, &leaf) in leaves.sample.iter().enumerate().filter(|&(_, &leaf)| is_counted(leaf)) {
            counted.insert(i);
            in_tree[tree_of(leaf)] += 1;
        }
        let own = counted.count_ones(..) as u64;
        let (mut pairs, mut connected) = (0, 0);
        for &leaf in leaves.all.iter().filter(|&&leaf| is_counted(leaf)) {
            pairs += in_tree[tree_of(leaf)];
            connected += reached[leaf as usize].intersection_count(&counted) as u64;
        }
        if pairs == own { 1.0 } else { (connected - own) as f64 / (pairs - own) as f64 }
    };
    LeafPairs {
        share: share(&|_| true),
        share_of_others: share(&|leaf| appended.binary_search(&leaf).is_err()),
        leaves: leaves.all.len(),
        appended,
    }
}

/// Bundles of cables between adjacent levels by which trees are joined, the lower end first.
pub(super) type Joints = FxHashSet<(u32, u32)>;

/// The bundles of cables up whose far ends lead down to other leaves than most cables up of the same
/// switch do: a leaf of one tree on a spine of another.
pub(super) fn joints(graph: &LevelGraph, plane: &[u32], level: &[u8]) -> Joints {
    let none = Joints::default();
    let leaves = LeafTree::of(graph, plane, level, &none);
    let below = leaves.below();
    let mut joints = Joints::default();
    for &s in &leaves.by_level {
        let beside = |t: u32| {
            let mut beside = below[t as usize].clone();
            beside.difference_with(&below[s as usize]);
            beside
        };
        let ups: Vec<(u32, FixedBitSet)> = leaves.up(s).map(|t| (t, beside(t))).collect();
        let most = ups.iter().max_by_key(|(t, beside)| {
            let like = ups.iter().filter(|(_, other)| are_alike(beside, other));
            (like.count(), std::cmp::Reverse(*t))
        });
        let Some((_, most)) = most else { continue };
        let foreign = ups.iter().filter(|(_, beside)| !are_alike(beside, most));
        joints.extend(foreign.map(|&(t, _)| (s, t)));
    }
    joints
}

/// Whether two sets share half of the smaller.
fn are_alike(a: &FixedBitSet, b: &FixedBitSet) -> bool {
    2 * a.intersection_count(b) >= a.count_ones(..).min(b.count_ones(..))
}

/// The leaves of a plane, and the switches that lead up from them.
struct LeafTree<'a> {
    graph: &'a LevelGraph,
    level: &'a [u8],
    joints: &'a Joints,
    /// All switches, the lowest first.
    by_level: Vec<u32>,
    /// Leaves with hosts and a cable up.
    all: Vec<u32>,
    /// The sample of these that are ends of paths.
    sample: Vec<u32>,
}

impl<'a> LeafTree<'a> {
    fn of(graph: &'a LevelGraph, plane: &[u32], level: &'a [u8], joints: &'a Joints) -> Self {
        let mut by_level: Vec<u32> = plane.iter().copied().filter(|&s| level[s as usize] != NONE).collect();
        by_level.sort_by_key(|&s| (level[s as usize], s));
        let mut leaves = Self { graph, level, joints, by_level, all: Vec::new(), sample: Vec::new() };
        let is_leaf =
            |&s: &u32| level[s as usize] == 0 && graph.has_hosts(s) && leaves.up(s).next().is_some();
        let all: Vec<u32> = leaves.by_level.iter().copied().filter(is_leaf).collect();
        leaves.sample = all.iter().copied().step_by(all.len().div_ceil(SAMPLE).max(1)).collect();
        leaves.all = all;
        leaves
    }

    /// The switches of the next level that a switch has cables to.
    fn up(&self, s: u32) -> impl Iterator<Item = u32> {
        let above = self.level[s as usize] + 1;
        let next = self.graph.next(s).iter().map(|&(t, _)| t);
        next.filter(move |&t| self.level[t as usize] == above && !self.joints.contains(&(s, t)))
    }

    /// By switch: the sampled leaves below it.
    fn below(&self) -> Vec<FixedBitSet> {
        let mut below = vec![FixedBitSet::new(); self.level.len()];
        for &s in &self.by_level {
            below[s as usize].grow(self.sample.len());
        }
        for (i, &leaf) in self.sample.iter().enumerate() {
            below[leaf as usize].insert(i);
        }
        for &s in &self.by_level {
            self.up(s).for_each(|t| join(&mut below, t, s));
        }
        below
    }
}

/// Adds a switch's leaves to those of another.
fn join(reached: &mut [FixedBitSet], into: u32, from: u32) {
    let source = std::mem::take(&mut reached[from as usize]);
    reached[into as usize].union_with(&source);
    reached[from as usize] = source;
}

/// The lowest level, from 1 on, up to which all leaves are joined that all levels join, and from which fewer
/// than one cable leads up for each [`APPENDAGE`] that lead to it; the highest level where there is none. What
/// leads up to a switch with hosts is a management leaf's cable, for example, and does not make a level.
pub(super) fn top(graph: &LevelGraph, plane: &[u32], leaves: &[u32], level: &[u8]) -> u8 {
    let highest = plane.iter().map(|&s| level[s as usize]).max().unwrap_or(0);
    let mut cables_up = vec![0_u32; usize::from(highest) + 1];
    let mut without_hosts = cables_up.clone();
    for (a, b) in graph.cables(plane) {
        let (low, high) = if level[a as usize] < level[b as usize] { (a, b) } else { (b, a) };
        let at = usize::from(level[low as usize]);
        if level[high as usize] - level[low as usize] == 1 {
            cables_up[at] += 1;
            without_hosts[at] += u32::from(graph.hosts[high as usize] == 0);
        }
    }
    let joined = |top: u8| {
        let below: Vec<u32> = plane.iter().copied().filter(|&s| level[s as usize] <= top).collect();
        let tree = trees(graph, &below, level, &Joints::default());
        let mut found: Vec<u32> = leaves.iter().map(|&leaf| tree[leaf as usize]).collect();
        found.sort_unstable();
        found.dedup();
        found.len()
    };
    let all = joined(highest);
    (1..highest)
        .find(|&top| {
            APPENDAGE * without_hosts[usize::from(top)] < cables_up[usize::from(top) - 1]
                && joined(top) == all
        })
        .unwrap_or(highest)
}

/// For each of the switches, the first in its tree. Cables between adjacent levels make a tree, joints left out.
fn trees(graph: &LevelGraph, switches: &[u32], level: &[u8], joints: &Joints) -> Vec<u32> {
    let mut tree = vec![u32::MAX; level.len()];
    let mut is_in = vec![false; level.len()];
    for &s in switches {
        is_in[s as usize] = true;
    }
    let mut open = Vec::new();
    for &start in switches {
        if tree[start as usize] != u32::MAX {
            continue;
        }
        tree[start as usize] = start;
        open.push(start);
        while let Some(s) = open.pop() {
            for &(t, _) in graph.next(s) {
                let adjacent = level[s as usize].abs_diff(level[t as usize]) == 1;
                let is_joint = joints.contains(&(s, t)) || joints.contains(&(t, s));
                if adjacent && !is_joint && is_in[t as usize] && tree[t as usize] == u32::MAX {
                    tree[t as usize] = start;
                    open.push(t);
                }
            }
        }
    }
    tree
}
