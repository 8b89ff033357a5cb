//! Filling the table of paths, and looking flows up in it.
//!
//! It has the receivers in the order of their LIDs, [`BLOCK`] by [`BLOCK`]: shape
//! `(blocks, edge_switches, BLOCK, longest)`. A block is filled from one cache line of every switch's
//! forwarding table.

use rayon::prelude::*;

use super::rows::{Bounded, PathTable};
use super::{NO_EDGE_SWITCH, Paths, Steps};
use crate::model::load::{LinkId, SINK};
use crate::ranks::Flow;

/// The largest table kept [bytes].
const TABLE_LIMIT: usize = 96 << 20;

/// Receivers side by side in the table: the entries of one cache line.
const BLOCK: usize = 64;

impl Paths<'_> {
    /// The table, unless it would be too large.
    pub(super) fn tabulate(&self) -> Option<PathTable> {
        let blocks = self.ports.len().div_ceil(BLOCK);
        let narrow = self.links.between_switches() < usize::from(u16::MAX);
        // The first block nearly always shows how long paths get.
        let mut longest = self.fill(1, 1, |_| 0_u8).1.max(1);
        loop {
            let cells = blocks * self.edge_switches.len() * BLOCK * longest;
            if cells * (if narrow { 2 } else { 4 }) > TABLE_LIMIT {
                return None;
            }
            let (table, needed) = if narrow {
                let (links, needed) = self.fill(longest, blocks, |l| l.min(u32::from(u16::MAX)) as u16);
                (PathTable::Narrow { longest, links }, needed)
            } else {
                let (links, needed) = self.fill(longest, blocks, |l| l);
                (PathTable::Wide { longest, links }, needed)
            };
            if needed <= longest {
                return Some(table);
            }
            longest = needed;
        }
    }

    /// Fills the first blocks of a table of given width; also returns the width that they need.
    fn fill<T>(&self, longest: usize, blocks: usize, narrow: impl Fn(LinkId) -> T + Sync) -> (Vec<T>, usize)
    where
        T: Copy + Send,
    {
        let size = self.edge_switches.len() * BLOCK * longest;
        let mut table = vec![narrow(SINK); blocks * size];
        let blocks = table.par_chunks_exact_mut(size.max(1)).zip(self.by_lid.par_chunks(BLOCK));
        let needed = blocks.map(|(block, receivers)| {
            let mut needed = 0;
            for (row, &edge_switch) in block.chunks_exact_mut(BLOCK * longest).zip(&self.edge_switches) {
                for (cell, &to) in row.chunks_exact_mut(longest).zip(receivers) {
                    let mut hops = 0;
                    let arrives = self.walk(edge_switch, self.ports[to as usize], |link| {
                        if let Some(slot) = cell.get_mut(hops) {
                            *slot = narrow(link);
                        }
                        hops += 1;
                    });
                    if arrives {
                        needed = needed.max(hops);
                    } else {
                        cell[0] = narrow(LinkId::MAX);
                    }
                }
            }
            needed
        });
        let needed = needed.max().unwrap_or(0);
        (table, needed)
    }

    /// The number of the row of an edge switch and a receiver.
    #[inline]
    pub(super) fn row(&self, edge_switch: usize, to: usize) -> usize {
        let column = self.column[to] as usize;
        (column / BLOCK * self.edge_switches.len() + edge_switch) * BLOCK + column % BLOCK
    }

    /// `LONGEST` is `longest` where the compiler may know it, else 0.
    pub(super) fn look_up<T, const LONGEST: usize>(
        &self,
        table: &[T],
        longest: usize,
        flows: &[Flow],
        out: &mut Steps,
    ) where
        T: Copy + Into<u32> + PartialEq + Bounded,
    {
        let longest = if LONGEST > 0 { LONGEST } else { longest };
        let n = flows.len();
        out.reset(n, longest + 2);
        let (up, rest) = out.links.split_at_mut(n);
        let (down, between) = rest.split_at_mut(n);
        for (f, flow) in flows.iter().enumerate() {
            let (from, to) = (flow.from as usize, flow.to as usize);
            let edge_switch = self.edge_switch[from];
            if edge_switch == NO_EDGE_SWITCH || self.edge_switch[to] == NO_EDGE_SWITCH {
                up[f] = self.direct(from, to);
                continue;
            }
            let row = &table[self.row(edge_switch as usize, to) * longest..][..longest];
            if row[0] != T::MAX {
                up[f] = self.up[from];
                down[f] = self.down[to];
                for (step, &link) in row.iter().enumerate() {
                    between[step * n + f] = link.into();
                }
            }
        }
    }
}
