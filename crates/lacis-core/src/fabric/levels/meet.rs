//! Which leaves can meet on a route that goes up and then down, and which levels they need for it.

use fixedbitset::FixedBitSet;

use super::assign::{NONE, SwitchGraph};

/// At most so many leaves are met, spread evenly over all; every leaf meets.
const MET: usize = 1024;
/// A level with fewer than one in so many of the cables of the level below may be an appendage.
const APPENDAGE: u32 = 10;

/// The share of pairs of leaves with hosts that can meet, going up and then down a level at each
/// cable. Pairs that cables between adjacent levels do not connect at all are left out (they are
/// different trees, joined by odd cables), and so are leaves without a cable up. 1 where no pair is left.
pub(super) fn share(graph: &SwitchGraph, plane: &[u32], level: &[u8]) -> f64 {
    let level_of = |s: u32| level[s as usize];
    let up = |s: u32| graph.next(s).iter().map(|&(t, _)| t).filter(move |&t| level_of(t) == level_of(s) + 1);
    let mut by_level: Vec<u32> = plane.iter().copied().filter(|&s| level_of(s) != NONE).collect();
    by_level.sort_by_key(|&s| (level_of(s), s));

    let is_leaf = |&s: &u32| level_of(s) == 0 && graph.hosts[s as usize] > 0 && up(s).next().is_some();
    let leaves: Vec<u32> = by_level.iter().copied().filter(is_leaf).collect();
    let met: Vec<u32> = leaves.iter().copied().step_by(leaves.len().div_ceil(MET).max(1)).collect();

    // Downwards, then upwards and down.
    let mut reached = vec![FixedBitSet::new(); level.len()];
    for &s in &by_level {
        reached[s as usize].grow(met.len());
    }
    for (i, &leaf) in met.iter().enumerate() {
        reached[leaf as usize].insert(i);
    }
    let mut join = |into: u32, from: u32| {
        let source = std::mem::take(&mut reached[from as usize]);
        reached[into as usize].union_with(&source);
        reached[from as usize] = source;
    };
    for &s in &by_level {
        up(s).for_each(|t| join(t, s));
    }
    for &s in by_level.iter().rev() {
        up(s).for_each(|t| join(s, t));
    }

    let tree = trees(graph, &by_level, level);
    let mut in_tree = vec![0_u64; level.len()];
    for &leaf in &met {
        in_tree[tree[leaf as usize] as usize] += 1;
    }
    let (mut pairs, mut meeting) = (0, 0); // those of a leaf with itself included
    for &leaf in &leaves {
        pairs += in_tree[tree[leaf as usize] as usize];
        meeting += reached[leaf as usize].count_ones(..) as u64;
    }
    let own = met.len() as u64;
    if pairs == own { 1.0 } else { (meeting - own) as f64 / (pairs - own) as f64 }
}

/// The lowest level, from 1 on, at which all leaves are joined that are joined at all, and from which
/// less than one cable in [`APPENDAGE`] leads on up; the highest level where there is none.
pub(super) fn top(graph: &SwitchGraph, plane: &[u32], leaves: &[u32], level: &[u8]) -> u8 {
    let highest = plane.iter().map(|&s| level[s as usize]).max().unwrap_or(0);
    let mut cables_up = vec![0_u32; usize::from(highest) + 1];
    for (a, b) in graph.cables(plane) {
        let (low, high) =
            (level[a as usize].min(level[b as usize]), level[a as usize].max(level[b as usize]));
        if high - low == 1 {
            cables_up[usize::from(low)] += 1;
        }
    }
    let joined = |top: u8| {
        let below: Vec<u32> = plane.iter().copied().filter(|&s| level[s as usize] <= top).collect();
        let tree = trees(graph, &below, level);
        let mut found: Vec<u32> = leaves.iter().map(|&leaf| tree[leaf as usize]).collect();
        found.sort_unstable();
        found.dedup();
        found.len()
    };
    let all = joined(highest);
    (1..highest)
        .find(|&top| {
            APPENDAGE * cables_up[usize::from(top)] < cables_up[usize::from(top) - 1] && joined(top) == all
        })
        .unwrap_or(highest)
}

/// For each of the switches, the first of them that cables between adjacent levels connect it to.
fn trees(graph: &SwitchGraph, switches: &[u32], level: &[u8]) -> Vec<u32> {
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
                if adjacent && is_in[t as usize] && tree[t as usize] == u32::MAX {
                    tree[t as usize] = start;
                    open.push(t);
                }
            }
        }
    }
    tree
}
