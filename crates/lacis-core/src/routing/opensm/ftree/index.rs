//! Index tuples: eight bytes per switch that say where in the tree it sits. They order the port groups and the
//! leaf switches.
//!
//! | byte       | meaning                                                              |
//! |------------|----------------------------------------------------------------------|
//! | 0          | rank                                                                 |
//! | `r`        | which of the switches of rank `r` below the same one of rank `r - 1` |
//! | all `0xff` | no tuple                                                             |
//!
//! A tuple is kept as a number, its first byte the most significant, so that numbers compare as tuples do.

use std::collections::VecDeque;

use rustc_hash::FxHashSet;

use super::tree::{NO_TUPLE, RankedTree};
use crate::routing::Refused;
use crate::sm::TreeMisfit;

/// Gives tuples to the switches of a ranked tree, sorts the port groups by them, and lists the leaf switches.
///
/// # Errors
/// When there are fewer than two leaf switches.
pub(super) fn index(tree: &mut RankedTree, quasi: bool) -> Result<(), Refused> {
    let mut indexing = Indexing { tree, taken: FxHashSet::default() };
    if quasi {
        indexing.index_from_roots();
    } else {
        indexing.index_from_first_leaf();
    }
    let at_leaf_rank = |s: &u32| tree.rank[*s as usize] == tree.leaf_rank;
    let mut leaves: Vec<u32> = tree.order.iter().copied().filter(at_leaf_rank).collect();
    leaves.sort_by_key(|&s| tree.tuple[s as usize]);
    let is_leaf = |&s: &u32| tree.is_leaf(s);
    tree.leaves = match (leaves.iter().position(is_leaf), leaves.iter().rposition(is_leaf)) {
        (Some(first), Some(last)) if first < last => leaves[first..=last].to_vec(),
        _ => return Err(Refused::new(TreeMisfit::LeafRangeAbsent)),
    };
    Ok(())
}

/// How far a byte of a tuple is shifted in the number that stands for the tuple.
fn shift(byte: u32) -> u32 {
    8 * (7 - byte)
}

struct Indexing<'a> {
    tree: &'a mut RankedTree,
    taken: FxHashSet<u64>,
}

impl Indexing<'_> {
    /// From the first leaf switch: all switches that it is connected with.
    fn index_from_first_leaf(&mut self) {
        let Some(start) = self.tree.order.iter().copied().find(|&s| self.tree.is_leaf(s)) else { return };
        self.give(start, u64::from(self.tree.leaf_rank) << shift(0) | self.unused_bytes());
        self.spread(start);
    }

    /// From every root in turn (`quasi_ftree_indexing`).
    fn index_from_roots(&mut self) {
        let (order, leaf_rank) = (self.tree.order.clone(), self.tree.leaf_rank);
        let mut subtree = 0;
        for &start in order.iter().filter(|&&s| self.tree.rank[s as usize] == 0).collect::<Vec<_>>() {
            if self.tree.tuple[start as usize] == NO_TUPLE {
                // A root's last byte says which subtree it began; beyond a byte, counting starts over.
                let of_subtree = if leaf_rank > 1 { subtree % 256 } else { 0 };
                let bare = self.unused_bytes() | of_subtree << shift(leaf_rank);
                let Some(tuple) = self.first_free(bare, 0, 1) else { continue };
                self.give(start, tuple);
                subtree += 1;
            }
            self.spread(start);
        }
        for leaf in order {
            if self.tree.is_leaf(leaf) {
                self.tree.up.sort_by_tuple(leaf, &self.tree.tuple);
            }
        }
    }

    /// Bytes beyond the leaf rank are `0xff` in every tuple.
    fn unused_bytes(&self) -> u64 {
        (self.tree.leaf_rank + 1..8).fold(0, |tuple, byte| tuple | 0xff << shift(byte))
    }

    fn give(&mut self, switch: u32, tuple: u64) {
        self.tree.tuple[switch as usize] = tuple;
        self.taken.insert(tuple);
    }

    /// The first tuple not taken that equals `tuple` but for its rank and for `byte`, which is 0 to 254.
    fn first_free(&self, tuple: u64, rank: u32, byte: u32) -> Option<u64> {
        let rest = tuple & !(0xff << shift(0)) & !(0xff << shift(byte)) | u64::from(rank) << shift(0);
        (0..255).map(|b| rest | b << shift(byte)).find(|t| !self.taken.contains(t))
    }

    /// Breadth first, down and up; sorts the port groups of each switch on the way.
    fn spread(&mut self, start: u32) {
        let from_root = self.tree.rank[start as usize] == 0;
        let mut queue = VecDeque::from([start]);
        while let Some(s) = queue.pop_front() {
            let rank = self.tree.rank[s as usize];
            if rank < self.tree.leaf_rank {
                let below: Vec<u32> = self.tree.down.switches(s).collect();
                self.vary(s, below, rank + 1, rank + 1, &mut queue);
                self.tree.down.sort_by_tuple(s, &self.tree.tuple);
            }
            if rank != 0 && !(from_root && self.tree.is_leaf(s)) {
                let above: Vec<u32> = self.tree.up.switches(s).collect();
                self.vary(s, above, rank - 1, rank, &mut queue);
                self.tree.up.sort_by_tuple(s, &self.tree.tuple);
            }
        }
    }

    /// Gives neighbours without a tuple that of `s`, with another rank and one byte varied.
    fn vary(&mut self, s: u32, neighbours: Vec<u32>, rank: u32, byte: u32, queue: &mut VecDeque<u32>) {
        for v in neighbours {
            if self.tree.tuple[v as usize] == NO_TUPLE
                && let Some(tuple) = self.first_free(self.tree.tuple[s as usize], rank, byte)
            {
                self.give(v, tuple);
                queue.push_back(v);
            }
        }
    }
}
