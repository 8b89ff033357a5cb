//! The order in which packets to one switch merge, kept for the other end ports of that switch.

use std::sync::OnceLock;

use super::verdict::Verdict;

/// The order in which the switches' packets to one destination switch merge.
pub(super) struct DestinationTree {
    /// Switches that deliver, the farthest first, without the destination switch itself.
    pub order: Vec<u32>,
    /// Runs of equal depth in `order`: the end of each run and its depth.
    pub runs: Vec<(u32, u8)>,
    /// Switches that a packet still traverses, per switch; 0 if it does not arrive.
    pub depth: Vec<u8>,
    /// Switches with sources but without an entry.
    pub mute: Vec<u32>,
    /// Sources at these switches.
    pub mute_sources: u64,
    /// Sources that deliver, by depth.
    pub sources: Vec<u64>,
}

impl DestinationTree {
    /// The tree from the depths and fates of all switches, if all switches with sources deliver or have no
    /// entry. Other switches matter only if packets pass them, which no tree allows.
    pub fn new(weight: &[u32], depths: &[u32], fates: &[Verdict]) -> Option<Self> {
        let switches = weight.len();
        let mut tree = Self {
            order: Vec::with_capacity(switches),
            runs: Vec::new(),
            depth: vec![0; switches],
            mute: Vec::new(),
            mute_sources: 0,
            sources: Vec::new(),
        };
        for s in 0..switches {
            let depth = depths[s] as usize;
            match fates[s] {
                Verdict::Delivered if depth < usize::from(u8::MAX) => {
                    tree.depth[s] = depth as u8;
                    if tree.sources.len() <= depth {
                        tree.sources.resize(depth + 1, 0);
                    }
                    tree.sources[depth] += u64::from(weight[s]);
                    if depth > 1 {
                        tree.order.push(s as u32);
                    }
                }
                Verdict::NoEntry if depth == 1 && weight[s] > 0 => {
                    tree.mute.push(s as u32);
                    tree.mute_sources += u64::from(weight[s]);
                }
                _ if weight[s] == 0 => {}
                _ => return None,
            }
        }
        tree.order.sort_by_key(|&s| std::cmp::Reverse(tree.depth[s as usize]));
        for (i, &s) in tree.order.iter().enumerate() {
            let depth = tree.depth[s as usize];
            match tree.runs.last_mut() {
                Some((end, d)) if *d == depth => *end = i as u32 + 1,
                _ => tree.runs.push((i as u32 + 1, depth)),
            }
        }
        Some(tree)
    }
}

/// A slot for a tree, filled once it is known whether there is one; none if keeping it would not pay.
pub(super) type TreeSlot = Option<OnceLock<Option<DestinationTree>>>;

/// Room for trees [bytes] that is not worth saving.
const SMALL: usize = 16 << 20;

/// Slots for the trees, given the number of destinations at each switch. In small fabrics a tree is
/// kept for two destinations or more; in large ones for eight, which keeps all trees together
/// (5 bytes a switch) smaller than the tables.
pub(super) fn slots(targets: &[u32]) -> Vec<TreeSlot> {
    let edge_switches = targets.iter().filter(|&&n| n >= 2).count();
    let least = if edge_switches * targets.len() * 5 <= SMALL { 2 } else { 8 };
    targets.iter().map(|&n| (n >= least).then(OnceLock::new)).collect()
}
