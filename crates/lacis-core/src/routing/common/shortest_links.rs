//! For every switch and every edge switch: the links that may carry the traffic.
//!
//! Breadth-first search from 64 edge switches at once: each switch holds a 64-bit word with one bit per
//! edge switch, and a level of the search is one pass over the links. The links by which a switch is
//! reached first are those whose far end is one hop nearer to the edge switch, which is all that
//! balancing needs; hop counts are never stored.
//!
//! After the multi-source search of M. Then et al., "The More the Merrier: Efficient Multi-Source
//! Graph Traversal", VLDB 8(4), 2014.

use rayon::prelude::*;

use super::hop_weights;
use crate::bits::ones;
use crate::fabric::NodeId;
use crate::fabric::switch_graph::SwitchGraph;
use crate::sm::hop_matrix::MAX_HOPS;

/// The links that may be taken, one bit per link and edge switch. Edge switches are *columns*; 64 columns
/// make a *batch*.
#[derive(Debug)]
pub(in crate::routing) struct Candidates {
    /// By batch, then link: the columns for which the link may be taken.
    batches: Vec<Vec<u64>>,
}

impl Candidates {
    /// Lets `fill` compute each batch from its edge switches; independent of the number of threads.
    pub fn build(
        graph: &SwitchGraph,
        columns: &[NodeId],
        fill: impl Fn(&[NodeId], &mut [u64]) + Sync,
    ) -> Self {
        let batch = |edge_switches: &[NodeId]| {
            let mut links = vec![0; graph.num_links()];
            fill(edge_switches, &mut links);
            links
        };
        Self { batches: columns.par_chunks(64).map(batch).collect() }
    }

    /// All links that start a shortest path.
    pub fn shortest(graph: &SwitchGraph, columns: &[NodeId]) -> Self {
        Self::build(graph, columns, |edge_switches, links| {
            mark_shortest(graph, edge_switches, u64::MAX, links);
        })
    }

    /// Whether a link may be taken to a column.
    pub fn has(&self, column: usize, link: usize) -> bool {
        self.batches[column / 64][link] >> (column % 64) & 1 == 1
    }

    /// The first link of each switch that may be taken to the columns of a batch: calls `found(switch, bit, link)`.
    pub fn first(&self, graph: &SwitchGraph, batch: usize, mut found: impl FnMut(usize, usize, usize)) {
        for switch in 0..graph.num_switches() {
            let mut seen = 0;
            for link in graph.links(switch) {
                let new = self.batches[batch][link] & !seen;
                seen |= new;
                ones(new).for_each(|bit| found(switch, bit, link));
            }
        }
    }

    /// The candidates of one switch as masks over its links, `W` words a column: bit `i` of a
    /// mask is the switch's `i`-th link. `table` is overwritten.
    pub fn of_switch<const W: usize>(&self, graph: &SwitchGraph, switch: usize, table: &mut Vec<[u64; W]>) {
        table.clear();
        table.resize(self.batches.len() * 64, [0; W]);
        let links = graph.links(switch);
        for (batch, masks) in self.batches.iter().zip(table.as_chunks_mut::<64>().0) {
            for (word, links) in batch[links.clone()].chunks(64).enumerate() {
                let mut block = [0; 64];
                block[..links.len()].copy_from_slice(links);
                transpose(&mut block);
                for (mask, row) in masks.iter_mut().zip(block) {
                    mask[word] = row;
                }
            }
        }
    }
}

/// Sets, on every link that starts a shortest path to an edge switch, that edge switch's bit, as far as it is in
/// `wanted`.
pub(in crate::routing) fn mark_shortest(
    graph: &SwitchGraph,
    edge_switches: &[NodeId],
    wanted: u64,
    links: &mut [u64],
) {
    if let Some(weight) = &graph.weight {
        return hop_weights::mark(graph, weight, edge_switches, wanted, links);
    }
    search(graph, edge_switches, |_, switch, new, frontier| {
        let new = new & wanted;
        for link in graph.links(switch) {
            links[link] |= frontier[graph.peer[link] as usize] & new;
        }
    });
}

/// Breadth-first search from up to 64 edge switches, a hop a link. Calls `reached(hops, switch, new, frontier)`
/// for each switch that is `hops` ≥ 1 away from the edge switches in `new`; `frontier` has, by switch, the edge
/// switches that are `hops - 1` away.
pub(in crate::routing) fn search(
    graph: &SwitchGraph,
    edge_switches: &[NodeId],
    mut reached: impl FnMut(u32, usize, u64, &[u64]),
) {
    let mut frontier = vec![0_u64; graph.num_switches()];
    for (bit, edge_switch) in edge_switches.iter().enumerate() {
        frontier[edge_switch.ix()] |= 1 << bit;
    }
    let everyone = u64::MAX >> (64 - edge_switches.len());
    let mut visited = frontier.clone();
    let mut next = vec![0; graph.num_switches()];
    for hops in 1..=MAX_HOPS {
        let mut any = 0;
        for switch in 0..graph.num_switches() {
            next[switch] = 0;
            if visited[switch] == everyone {
                continue;
            }
            let reach = graph.links(switch).fold(0, |r, link| r | frontier[graph.peer[link] as usize]);
            let new = reach & !visited[switch];
            if new != 0 {
                next[switch] = new;
                visited[switch] |= new;
                any |= new;
                reached(hops, switch, new, &frontier);
            }
        }
        if any == 0 {
            break;
        }
        std::mem::swap(&mut frontier, &mut next);
    }
}

/// Transposes a 64 × 64 bit matrix: afterwards bit `i` of word `j` is what bit `j` of word `i` was.
/// (H. S. Warren, "Hacker's Delight", 7-3.)
fn transpose(m: &mut [u64; 64]) {
    let mut width = 32;
    let mut mask = 0x0000_0000_FFFF_FFFF_u64;
    while width != 0 {
        let mut row = 0;
        while row < 64 {
            let swap = ((m[row] >> width) ^ m[row + width]) & mask;
            m[row] ^= swap << width;
            m[row + width] ^= swap;
            row = (row + width + 1) & !width;
        }
        width /= 2;
        mask ^= mask << width;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn transposing_moves_each_bit_across_the_diagonal() {
        for (i, j) in [(0, 0), (0, 63), (1, 2), (31, 32), (63, 5), (40, 40)] {
            let mut m = [0; 64];
            m[i] = 1 << j;
            transpose(&mut m);
            let mut mirrored = [0; 64];
            mirrored[j] = 1 << i;
            assert_eq!(m, mirrored);
        }
    }
}
