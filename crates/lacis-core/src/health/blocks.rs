//! The repeating units of a tree: between two adjacent levels the switches fall into *blocks* in
//! which every lower switch is cabled to every upper one (a pod's leaves and mids, or the mids and
//! cores of one plane). Trees of the fat-tree family have this form; a block is found from the
//! majority, so that missing and stray cables do not hide it.

use rustc_hash::FxHashMap;

use super::context::Context;
use super::majority::agree;
use crate::fabric::NodeId;

/// Cables between a lower and an upper switch, counted.
type Pair = (NodeId, NodeId, u16);

/// A block: `count[i * uppers.len() + j]` cables join `lowers[i]` and `uppers[j]`.
#[derive(Clone)]
pub(super) struct Block {
    pub lowers: Vec<NodeId>,
    pub uppers: Vec<NodeId>,
    pub count: Vec<u16>,
}

/// The blocks between a level and the next, and the pairs of switches that join different blocks.
pub(super) struct Tier {
    pub blocks: Vec<Block>,
    pub strays: Vec<Pair>,
}

impl Block {
    pub fn at(&self, lower: usize, upper: usize) -> u16 {
        self.count[lower * self.uppers.len() + upper]
    }

    /// Adds cables to a pair, or takes some away.
    pub fn add(&mut self, (lower, upper): (usize, usize), cables: i16) {
        let count = &mut self.count[lower * self.uppers.len() + upper];
        *count = count.saturating_add_signed(cables);
    }

    /// Cables of a lower switch to all uppers of the block.
    pub fn of_lower(&self, lower: usize) -> usize {
        let width = self.uppers.len();
        sum(&self.count[lower * width..(lower + 1) * width])
    }

    /// The number of cables that a lower switch should have to all uppers: as many as it should have to each; or what two
    /// thirds of its peers have, if none has as many: uneven stripes; or what five in six have, or all but one: some of
    /// the uppers are half as large, and each is on a half of the lowers.
    pub fn in_all(&self, peers: &[usize], expected: &[u16]) -> usize {
        let all = sum(expected);
        let have = || peers.iter().map(|&i| self.of_lower(i));
        let is_usual = |n: usize| {
            n + 1 >= peers.len().max(3)
                || 6 * n >= 5 * peers.len()
                || agree(n, peers.len()) && have().all(|n| n < all)
        };
        let usual = mode(have()).filter(|&(total, n)| total <= all && is_usual(n));
        usual.map_or(all, |(total, _)| total)
    }

    /// The number of cables that pairs of this block should have; nothing if peers do not agree.
    /// A column (one upper switch) may have its own number.
    pub fn expected(&self) -> Option<Vec<u16>> {
        let overall =
            mode(self.count.iter().copied()).filter(|&(value, n)| value > 0 && agree(n, self.count.len()));
        let rows = self.lowers.len();
        (0..self.uppers.len())
            .map(|j| {
                let column = mode((0..rows).map(|i| self.at(i, j)));
                column
                    .filter(|&(value, n)| value > 0 && rows >= 3 && agree(n, rows))
                    .or(overall)
                    .map(|(value, _)| value)
            })
            .collect()
    }
}

/// All cables of some pairs.
pub(super) fn sum(counts: &[u16]) -> usize {
    counts.iter().map(|&n| usize::from(n)).sum()
}

/// The commonest value and how often it occurs; of equals the larger value.
fn mode<T: Copy + Ord>(values: impl Iterator<Item = T>) -> Option<(T, usize)> {
    let mut counts: Vec<(T, usize)> = Vec::new();
    for value in values {
        match counts.iter_mut().find(|c| c.0 == value) {
            Some(c) => c.1 += 1,
            None => counts.push((value, 1)),
        }
    }
    counts.into_iter().max_by_key(|&(value, n)| (n, value))
}

impl Tier {
    /// How many cables are in blocks whose pairs agree, or join different blocks.
    pub fn compared(&self) -> usize {
        let blocks = self.blocks.iter().filter(|block| block.expected().is_some());
        let within: usize = blocks.map(|block| sum(&block.count)).sum();
        let strays: usize = self.strays.iter().map(|stray| usize::from(stray.2)).sum();
        if within == 0 { 0 } else { within + strays }
    }

    /// The blocks between `level` and the level above it.
    pub fn of(ctx: &Context, level: u8) -> Self {
        let pairs = pairs(ctx, level);
        let rows: Vec<&[Pair]> = pairs.chunk_by(|a, b| a.0 == b.0).collect();

        // Lower switches with exactly the same uppers, the largest such groups first.
        let mut group_of: FxHashMap<Vec<NodeId>, usize> = FxHashMap::default();
        let mut groups: Vec<(Vec<NodeId>, Vec<usize>)> = Vec::new();
        for (r, row) in rows.iter().enumerate() {
            let uppers: Vec<NodeId> = row.iter().map(|p| p.1).collect();
            let g = *group_of.entry(uppers).or_insert_with_key(|uppers| {
                groups.push((uppers.clone(), Vec::new()));
                groups.len() - 1
            });
            groups[g].1.push(r);
        }
        groups.sort_by_key(|(uppers, rows)| (std::cmp::Reverse((rows.len(), uppers.len())), rows[0]));

        // Each group joins the block that holds most of its uppers, or founds one.
        let mut block_of_upper: Vec<usize> = vec![usize::MAX; ctx.fabric.num_switches()];
        let mut block_of_row = vec![0; rows.len()];
        let mut blocks = 0;
        for (uppers, members) in &groups {
            let mut known: Vec<usize> =
                uppers.iter().map(|u| block_of_upper[u.ix()]).filter(|&b| b != usize::MAX).collect();
            known.sort_unstable();
            let best = known
                .chunk_by(|a, b| a == b)
                .map(|run| (run.len(), std::cmp::Reverse(run[0])))
                .max()
                .filter(|&(n, _)| 2 * n >= uppers.len());
            let block = best.map_or(blocks, |(_, std::cmp::Reverse(b))| b);
            blocks += usize::from(block == blocks);
            for upper in uppers {
                if block_of_upper[upper.ix()] == usize::MAX {
                    block_of_upper[upper.ix()] = block;
                }
            }
            for &r in members {
                block_of_row[r] = block;
            }
        }

        // An upper switch belongs where most of its lowers are.
        let mut votes: Vec<(NodeId, usize)> =
            rows.iter().zip(&block_of_row).flat_map(|(row, &b)| row.iter().map(move |p| (p.1, b))).collect();
        votes.sort_unstable();
        for upper in votes.chunk_by(|a, b| a.0 == b.0) {
            let best =
                upper.chunk_by(|a, b| a == b).map(|run| (run.len(), std::cmp::Reverse(run[0].1))).max();
            if let Some((_, std::cmp::Reverse(block))) = best {
                block_of_upper[upper[0].0.ix()] = block;
            }
        }
        Self::assemble(blocks, &rows, &block_of_row, &block_of_upper)
    }

    fn assemble(blocks: usize, rows: &[&[Pair]], block_of_row: &[usize], block_of_upper: &[usize]) -> Self {
        let mut lowers: Vec<Vec<NodeId>> = vec![Vec::new(); blocks];
        let mut uppers: Vec<Vec<NodeId>> = vec![Vec::new(); blocks];
        let mut column = vec![0; block_of_upper.len()];
        for (row, &b) in rows.iter().zip(block_of_row) {
            lowers[b].push(row[0].0);
        }
        for (u, &b) in block_of_upper.iter().enumerate().filter(|(_, b)| **b != usize::MAX) {
            column[u] = uppers[b].len();
            uppers[b].push(NodeId(u as u32));
        }
        let mut out: Vec<Block> = lowers
            .into_iter()
            .zip(uppers)
            .map(|(lowers, uppers)| {
                let count = vec![0; lowers.len() * uppers.len()];
                Block { lowers, uppers, count }
            })
            .collect();
        let mut strays = Vec::new();
        let mut next_row = vec![0; blocks];
        for (row, &b) in rows.iter().zip(block_of_row) {
            let width = out[b].uppers.len();
            for &(lower, upper, n) in *row {
                if block_of_upper[upper.ix()] == b {
                    out[b].count[next_row[b] * width + column[upper.ix()]] = n;
                } else {
                    strays.push((lower, upper, n));
                }
            }
            next_row[b] += 1;
        }
        out.retain(|b| !b.uppers.is_empty());
        Self { blocks: out, strays }
    }
}

/// Pairs of switches of a level and the next that share cables, in order of the lower, then the upper.
fn pairs(ctx: &Context, level: u8) -> Vec<Pair> {
    let fabric = ctx.fabric;
    let mut out: Vec<Pair> = Vec::new();
    let mut uppers: Vec<NodeId> = Vec::new();
    for lower in fabric.switches().filter(|&s| ctx.level_of(s) == Some(level)) {
        uppers.clear();
        uppers.extend(
            fabric
                .ports_of(lower)
                .filter_map(|p| fabric.peer(p))
                .map(|p| fabric.node_of(p))
                .filter(|&n| fabric.is_switch(n) && ctx.level_of(n) == Some(level + 1)),
        );
        uppers.sort_unstable();
        out.extend(uppers.chunk_by(|a, b| a == b).map(|run| (lower, run[0], run.len() as u16)));
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A block with a row of cables for each lower switch.
    fn block<const N: usize>(rows: &[[u16; N]]) -> Block {
        let lowers = (0..rows.len()).map(|at| NodeId(at as u32)).collect();
        let uppers = (0..N).map(|at| NodeId((rows.len() + at) as u32)).collect();
        Block { lowers, uppers, count: rows.concat() }
    }

    #[test]
    fn a_switch_should_have_as_many_cables_as_its_peers_agree_on() {
        // Four to two uppers, two to each. So many peers have three, the others as many as is said.
        let usual = |three: usize, others: &[u16]| {
            let rows: Vec<[u16; 2]> =
                std::iter::repeat_n([2, 1], three).chain(others.iter().map(|&n| [n, 0])).collect();
            let peers: Vec<usize> = (0..rows.len()).collect();
            block(&rows).in_all(&peers, &[2, 2])
        };
        // All but one of three; of two, one is not most.
        assert_eq!((usual(2, &[4]), usual(1, &[1])), (3, 4));
        // Five in six; fewer where a peer has all four, but two thirds where none has.
        assert_eq!((usual(10, &[4, 4]), usual(9, &[4, 4, 4]), usual(9, &[2, 2, 2])), (3, 4, 3));
        // Peers with more than that have a cable too many each.
        assert_eq!(usual(0, &[5, 5, 5]), 4);
    }

    #[test]
    fn an_upper_switch_has_a_number_of_its_own_where_three_lower_ones_show_it() {
        assert_eq!(block(&[[2, 1]; 3]).expected(), Some(vec![2, 1]));
        assert_eq!(block(&[[2, 1]; 2]).expected(), None);
    }

    #[test]
    fn cables_between_blocks_are_compared_only_where_some_block_is() {
        let strays = vec![(NodeId(0), NodeId(9), 3)];
        let compared =
            |rows: &[[u16; 2]]| Tier { blocks: vec![block(rows)], strays: strays.clone() }.compared();
        assert_eq!(compared(&[[2, 1]; 2]), 0);
        assert_eq!(compared(&[[1, 1]; 2]), 4 + 3);
    }
}
