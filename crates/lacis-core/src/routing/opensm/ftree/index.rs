//! Indices: a tuple of eight bytes per switch that says where in the tree it sits, the order of the
//! leaf switches that follows from them, and the test whether the tree is regular.
//!
//! | here       | meaning                                                            |
//! |------------|--------------------------------------------------------------------|
//! | byte 0     | rank                                                               |
//! | byte `r`   | which of the switches of rank `r` below the same one of rank `r-1` |
//! | all `0xff` | no index                                                           |

use std::collections::VecDeque;

use rustc_hash::FxHashSet;

use super::port_groups::ADAPTER;
use super::rank::UNRANKED;
use super::tree::Tree;
use crate::fabric::{Fabric, NodeId};
use crate::routing::Refused;

/// The tuple of a switch that was not reached.
const NONE: u64 = u64::MAX;

/// Values that one byte of a tuple can take: the last one means "none".
const BYTES: u64 = 255;

/// The leaf switches.
#[derive(Clone, Debug, Default)]
pub(super) struct Leaves {
    /// In the order of their indices, from the first with compute nodes to the last.
    pub(super) switches: Vec<u32>,
    /// The largest number of compute nodes on one of them.
    pub(super) most: usize,
}

/// How far a byte of a tuple is shifted in the number that stands for the tuple.
fn shift(byte: u32) -> u32 {
    8 * (7 - byte)
}

/// The first free tuple that equals `tuple` but for its rank and its byte `byte`.
fn vary(tuple: u64, rank: u32, byte: u32, taken: &FxHashSet<u64>) -> Option<u64> {
    let rest = tuple & !(0xff << shift(0)) & !(0xff << shift(byte)) | u64::from(rank) << shift(0);
    (0..BYTES).map(|b| rest | b << shift(byte)).find(|t| !taken.contains(t))
}

/// Gives every switch within reach of the start an index, going up and down; sorts the bundles of each
/// switch by those of its neighbours. The start is the first leaf; with `quasi`, every root in turn.
pub(super) fn index(tree: &mut Tree, quasi: bool) {
    tree.tuple = vec![NONE; tree.rank.len()];
    let mut taken = FxHashSet::default();
    // The deeper bytes are not in use.
    let ones = (tree.leaf_rank + 1..8).fold(0, |t, byte| t | 0xff << shift(byte));
    let lowest = u64::from(tree.leaf_rank) << shift(0) | ones;
    let order = tree.order.clone();
    if quasi {
        let mut subtree = 0;
        let roots: Vec<u32> = order.iter().copied().filter(|&s| tree.rank[s as usize] == 0).collect();
        for start in roots {
            if tree.tuple[start as usize] == NONE {
                // A root's last byte says which subtree it began; more than a byte counts start anew.
                let of_subtree = if tree.leaf_rank > 1 { subtree % 256 } else { 0 };
                let bare = ones | of_subtree << shift(tree.leaf_rank);
                let Some(tuple) = vary(bare, 0, 1, &taken) else { continue };
                tree.tuple[start as usize] = tuple;
                taken.insert(tuple);
                subtree += 1;
            }
            spread(tree, start, &mut taken);
        }
        for leaf in order.into_iter().filter(|&s| tree.is_leaf(s)).collect::<Vec<_>>() {
            tree.up.sort_by_tuple(leaf, &tree.tuple);
        }
    } else {
        let Some(start) = order.into_iter().find(|&s| tree.is_leaf(s)) else { return };
        tree.tuple[start as usize] = lowest;
        taken.insert(lowest);
        spread(tree, start, &mut taken);
    }
    let mut sorted = tree.tuple.clone();
    sorted.sort_unstable();
    sorted.dedup();
    let place_of = |&t: &u64| {
        if t == NONE { u32::MAX } else { sorted.partition_point(|&other| other < t) as u32 }
    };
    let place: Vec<u32> = tree.tuple.iter().map(place_of).collect();
    for bundles in [&mut tree.up, &mut tree.down, &mut tree.level] {
        bundles.set_places(&place);
    }
}

/// Gives indices to those switches within reach of `start` that have none; sorts the bundles on the way.
fn spread(tree: &mut Tree, start: u32, taken: &mut FxHashSet<u64>) {
    let from_root = tree.rank[start as usize] == 0;
    let mut queue = VecDeque::from([start]);
    while let Some(s) = queue.pop_front() {
        let rank = tree.rank[s as usize];
        let downwards = rank < tree.leaf_rank;
        let upwards = rank != 0 && !(from_root && tree.is_leaf(s));
        for (wanted, bundles, to_rank, byte) in [
            (downwards, &mut tree.down, rank + 1, rank + 1),
            (upwards, &mut tree.up, rank.wrapping_sub(1), rank),
        ] {
            if !wanted {
                continue;
            }
            for bundle in bundles.of(s).iter().filter(|b| b.neighbour != ADAPTER) {
                let v = bundle.neighbour as usize;
                if tree.tuple[v] != NONE {
                    continue;
                }
                if let Some(tuple) = vary(tree.tuple[s as usize], to_rank, byte, taken) {
                    tree.tuple[v] = tuple;
                    taken.insert(tuple);
                    queue.push_back(bundle.neighbour);
                }
            }
            bundles.sort_by_tuple(s, &tree.tuple);
        }
    }
}

/// The leaf switches in the order of their indices.
///
/// # Errors
/// When there are fewer than two.
pub(super) fn leaves(tree: &Tree) -> Result<Leaves, Refused> {
    let at_leaf_rank = |s: &u32| tree.rank[*s as usize] == tree.leaf_rank;
    let mut all: Vec<u32> = tree.order.iter().copied().filter(at_leaf_rank).collect();
    all.sort_by_key(|&s| tree.tuple[s as usize]);
    let first = all.iter().position(|&s| tree.is_leaf(s));
    let last = all.iter().rposition(|&s| tree.is_leaf(s));
    match (first, last) {
        (Some(first), Some(last)) if first < last => {
            let switches = all[first..=last].to_vec();
            let most = switches.iter().map(|&s| tree.num_compute(s)).max().unwrap_or(0);
            Ok(Leaves { switches, most })
        }
        _ => Err(Refused::new("Failed to find leaf switches - topology is not fat-tree")),
    }
}

/// Tests whether the switches of each rank are alike: as many bundles each way, of as many cables.
///
/// # Errors
/// With the two switches that differ, and in what.
pub(super) fn check_regularity(tree: &Tree, fabric: &Fabric) -> Result<(), Refused> {
    let mut reference: Vec<Option<u32>> = Vec::new();
    for &s in &tree.order {
        let rank = tree.rank[s as usize];
        if rank == UNRANKED {
            continue;
        }
        if reference.len() <= rank as usize {
            reference.resize(rank as usize + 1, None);
        }
        let Some(model) = reference[rank as usize] else {
            reference[rank as usize] = Some(s);
            continue;
        };
        let differ = |what: &str, a: usize, b: usize, unit: &str| {
            let guid = |s| fabric.node(NodeId(s)).guid;
            let (model, own) = (guid(model), guid(s));
            Err(Refused::new(format!(
                "Different number of {what} on switches: GUID {model} - {a} {unit}, GUID {own} - {b} {unit}"
            )))
        };
        let ups = |s| tree.up.of(s).len();
        if ups(s) != ups(model) {
            return differ("upward port groups", ups(model), ups(s), "groups");
        }
        let downs = |s| tree.down.of(s).len();
        if rank != tree.leaf_rank && downs(s) != downs(model) {
            return differ("downward port groups", downs(model), downs(s), "port groups");
        }
        let usual = tree.up.of(model).first().map_or(0, |b| b.size);
        if let Some(odd) = tree.up.of(s).iter().find(|b| b.size != usual) {
            return differ("ports in an upward port group", usual.into(), odd.size.into(), "ports");
        }
        let first_down = |s| tree.down.of(s).first().map_or(0, |b| b.size.into());
        if rank != tree.leaf_rank && first_down(s) != first_down(model) {
            // OpenSM's spelling, for those who search for its message.
            return differ("ports in an downward port group", first_down(model), first_down(s), "ports");
        }
    }
    Ok(())
}
