//! What the tables do with the packets for one destination, from all switches at once.
//!
//! For one LID every switch has one entry, so the next hops form a functional graph. All packets
//! that enter a switch share their fate, and the number of flows on a link is the number of
//! sources in the subtree behind it: no pair is walked.
//!
//! The general walk peels off switches to which no other switch (any longer) sends; what is left over lies on
//! forwarding loops. It is exact for any table. Its result also yields a [`DestinationTree`]: the order of the
//! switches by distance. End ports of one switch nearly always see equal distances, so for the
//! other destinations there the tree is checked hop by hop and reused, which saves the peeling.
//!
//! | here     | meaning                                                             |
//! |----------|---------------------------------------------------------------------|
//! | `weight` | sources at each switch                                              |
//! | `through`| sources whose packets pass a switch: its own and those behind it    |
//! | `depth`  | switches that a packet still traverses, this one included           |
//! | `fate`   | how a packet ends that is at this switch                            |

use super::counts::{Counts, Target};
use super::tree::{DestinationTree, TreeSlot};
use super::verdict::Verdict;
use super::wiring::{NOT_A_SWITCH, Step, Wiring};
use crate::fabric::Fabric;
use crate::sm::NO_ENTRY;

/// Destinations handled together: one cache line of each switch's table.
pub(super) const BLOCK: usize = 64;

/// Everything that does not change from one destination to the next.
pub(super) struct Problem<'a> {
    pub fabric: &'a Fabric,
    pub wiring: Wiring,
    pub weight: Vec<u32>,
    /// One tree per switch with enough destinations for it to pay.
    pub trees: Vec<TreeSlot>,
}

/// Working memory of one thread.
pub(super) struct Walker<'a> {
    problem: &'a Problem<'a>,
    /// The table entries of one block, shape `(switches, BLOCK)`.
    tile: Vec<u8>,
    through: Vec<u32>,
    channel: Vec<u32>,
    pending: Vec<u32>,
    order: Vec<u32>,
    depth: Vec<u32>,
    fate: Vec<Verdict>,
    /// The hops of one destination that carry flows.
    legs: Vec<Leg>,
}

#[derive(Clone, Copy)]
struct Leg {
    channel: u32,
    next: u32,
    flows: u32,
}

/// In `Walker::channel`: the packet stops at this switch.
const STOPS: u32 = u32::MAX;

impl<'a> Walker<'a> {
    pub(super) fn new(problem: &'a Problem<'a>) -> Self {
        let switches = problem.weight.len();
        Self {
            problem,
            tile: vec![NO_ENTRY; switches * BLOCK],
            through: vec![0; switches],
            channel: vec![STOPS; switches],
            pending: vec![0; switches],
            order: Vec::with_capacity(switches),
            depth: vec![0; switches],
            fate: vec![Verdict::NoEntry; switches],
            legs: Vec::with_capacity(switches),
        }
    }

    /// Copies the entries for the LIDs from `lid0` out of all tables (rows of `stride` bytes).
    pub(super) fn load_block(&mut self, table: &[u8], stride: usize, lid0: usize) {
        let len = BLOCK.min(stride.saturating_sub(lid0));
        for (row, tile) in table.chunks_exact(stride).zip(self.tile.as_chunks_mut::<BLOCK>().0) {
            if len == BLOCK {
                tile.copy_from_slice(&row[lid0..lid0 + BLOCK]);
            } else {
                tile.fill(NO_ENTRY);
                tile[..len].copy_from_slice(&row[row.len() - len..]);
            }
        }
    }

    /// Counts one destination of the block.
    pub(super) fn count(&mut self, target: Target, counts: &mut Counts) {
        let problem = self.problem;
        let slot = target
            .edge_switch
            .and_then(|edge_switch| Some((edge_switch, problem.trees[edge_switch as usize].as_ref()?)));
        let Some((edge_switch, slot)) = slot else {
            self.settle(target);
            self.count_settled(target, counts);
            return;
        };
        let mut settled = false;
        let tree = slot.get_or_init(|| {
            settled = true;
            self.settle(target);
            DestinationTree::new(&problem.weight, &self.depth, &self.fate)
        });
        let counted = match tree {
            Some(tree) if counts.words == 0 => self.count_along::<0>(tree, edge_switch, target, counts),
            Some(tree) if counts.words == 1 => self.count_along::<1>(tree, edge_switch, target, counts),
            Some(tree) => self.count_along::<4>(tree, edge_switch, target, counts),
            None => false,
        };
        if !counted {
            if !settled {
                self.settle(target);
            }
            self.count_settled(target, counts);
        }
    }

    /// Sets the bit of every switch from which packets for the target arrive.
    pub(super) fn mark_arrivals(&mut self, target: Target, bits: &mut [u64]) {
        self.settle(target);
        for (s, &fate) in self.fate.iter().enumerate() {
            bits[s / 64] |= u64::from(fate == Verdict::Delivered) << (s % 64);
        }
    }

    fn entry(&self, switch: usize, target: Target) -> u8 {
        self.tile[switch * BLOCK + target.lid as usize % BLOCK]
    }

    /// Finds the fate and depth of every switch, and an order in which each precedes its next hop.
    fn settle(&mut self, target: Target) {
        let wiring = &self.problem.wiring;
        let switches = self.problem.weight.len();
        self.pending.fill(0);
        for s in 0..switches {
            self.channel[s] = match wiring.step(self.problem.fabric, s, self.entry(s, target), target.port) {
                Step::Forward(channel) => {
                    self.pending[wiring.next[channel as usize] as usize] += 1;
                    channel
                }
                Step::Stop(verdict) => {
                    self.fate[s] = verdict;
                    STOPS
                }
            };
        }
        self.order.clear();
        self.order.extend((0..switches as u32).filter(|&s| self.pending[s as usize] == 0));
        let mut done = 0;
        while let Some(&s) = self.order.get(done) {
            done += 1;
            if let Some(n) = self.next_of(s as usize) {
                self.pending[n] -= 1;
                if self.pending[n] == 0 {
                    self.order.push(n as u32);
                }
            }
        }
        for s in 0..switches {
            if self.pending[s] > 0 {
                self.fate[s] = Verdict::Loop;
            }
        }
        for i in (0..self.order.len()).rev() {
            let s = self.order[i] as usize;
            self.depth[s] = 1;
            if let Some(n) = self.next_of(s) {
                self.fate[s] = self.fate[n];
                self.depth[s] = self.depth[n].saturating_add(1);
            }
        }
    }

    fn next_of(&self, s: usize) -> Option<usize> {
        let channel = self.channel[s];
        (channel != STOPS).then(|| self.problem.wiring.next[channel as usize] as usize)
    }

    /// Counts along a tree made for another destination; false, with nothing counted, if some hop
    /// does not fit it. `WORDS` is 0 without dependencies, 1 for up to 63 ports a switch.
    fn count_along<const WORDS: usize>(
        &mut self,
        tree: &DestinationTree,
        edge_switch: u32,
        target: Target,
        counts: &mut Counts,
    ) -> bool {
        let wiring = &self.problem.wiring;
        let column = target.lid as usize % BLOCK;
        let tiles = self.tile.as_chunks::<BLOCK>().0;
        let arrived = wiring.step(
            self.problem.fabric,
            edge_switch as usize,
            tiles[edge_switch as usize][column],
            target.port,
        );
        if arrived != Step::Stop(Verdict::Delivered)
            || tree.mute.iter().any(|&s| tiles[s as usize][column] != NO_ENTRY)
        {
            return false;
        }
        self.through.copy_from_slice(&self.problem.weight);
        self.legs.clear();
        let mut start = 0;
        for &(end, depth) in &tree.runs {
            for &s in &tree.order[start..end as usize] {
                let flows = self.through[s as usize];
                if flows == 0 {
                    continue;
                }
                let entry = usize::from(tiles[s as usize][column]);
                let channel = s as usize * wiring.width + entry;
                // An entry beyond the row of channels would read the next switch's.
                let next = match wiring.next.get(channel) {
                    Some(&next) if entry < wiring.width => next,
                    _ => NOT_A_SWITCH,
                };
                if tree.depth.get(next as usize) != Some(&(depth - 1)) {
                    return false;
                }
                self.through[next as usize] += flows;
                self.legs.push(Leg { channel: channel as u32, next, flows });
            }
            start = end as usize;
        }
        for &Leg { channel, next, flows } in &self.legs {
            let (channel, out) = (channel as usize, usize::from(tiles[next as usize][column]));
            counts.load[channel] += u64::from(flows);
            if WORDS == 1 {
                counts.depends[channel] |= 1 << (out % 64);
            } else if WORDS > 1 {
                counts.depends[channel * counts.words + out / 64] |= 1 << (out % 64);
            }
        }
        let own = u64::from(target.own);
        for (depth, &sources) in tree.sources.iter().enumerate() {
            let sources = if depth == 1 { sources - own } else { sources };
            counts.add_hops(depth, sources);
            counts.verdicts.add(Verdict::Delivered, sources);
        }
        if tree.mute_sources > 0 {
            counts.verdicts.add(Verdict::NoEntry, tree.mute_sources);
            counts.failed.push((target, tree.mute_sources));
            counts.add_failure(Verdict::NoEntry, target, tree.mute[0]);
        }
        true
    }

    /// Counts what [`Walker::settle`] found.
    fn count_settled(&mut self, target: Target, counts: &mut Counts) {
        self.through.copy_from_slice(&self.problem.weight);
        if let Some(edge_switch) = target.edge_switch {
            self.through[edge_switch as usize] -= target.own;
        }
        let mut failed = 0;
        for s in 0..self.through.len() {
            let (sources, fate) = (u64::from(self.through[s]), self.fate[s]);
            counts.verdicts.add(fate, sources);
            if fate == Verdict::Delivered {
                counts.add_hops(self.depth[s] as usize, sources);
            } else if sources > 0 {
                failed += sources;
                counts.add_failure(fate, target, s as u32);
            }
        }
        if failed > 0 {
            counts.failed.push((target, failed));
        }
        for i in 0..self.order.len() {
            let s = self.order[i] as usize;
            let Some(n) = self.next_of(s) else { continue };
            let flows = self.through[s];
            self.through[n] += flows;
            if flows > 0 {
                self.add_dependency(s, n, target, counts);
                if self.fate[s] == Verdict::Delivered {
                    counts.load[self.channel[s] as usize] += u64::from(flows);
                }
            }
        }
        self.add_loops(target, counts);
    }

    /// Packets in a forwarding loop hold buffers on the whole loop.
    fn add_loops(&mut self, target: Target, counts: &mut Counts) {
        for s in 0..self.pending.len() {
            let mut round = Vec::new();
            let mut at = s;
            while self.pending[at] > 0 {
                self.pending[at] = 0;
                round.push(at);
                at = self.next_of(at).unwrap_or(at);
            }
            if round.iter().any(|&s| self.through[s] > 0) {
                for &s in &round {
                    if let Some(n) = self.next_of(s) {
                        self.add_dependency(s, n, target, counts);
                    }
                }
            }
        }
    }

    fn add_dependency(&self, s: usize, next: usize, target: Target, counts: &mut Counts) {
        let out = usize::from(self.entry(next, target));
        if counts.words > 0 && out < self.problem.wiring.width {
            counts.depends[self.channel[s] as usize * counts.words + out / 64] |= 1 << (out % 64);
        }
    }
}
