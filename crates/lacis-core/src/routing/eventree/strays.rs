//! Entries that no path up and down leads to: on switches that no packet for that destination
//! passes, for packets that the switch itself sends. They go to the nearest switch that knows the way.

use rayon::prelude::*;

use crate::routing::routes::Lft;

use super::reach::FAR;
use super::rows::Plan;

/// Fills the entries that are still empty, as far as cables lead.
pub(super) fn fill(plan: &Plan<'_>, lft: &mut Lft) {
    let Plan { graph, reach, targets, .. } = *plan;
    let count = graph.num_switches();
    let words = count.div_ceil(64);
    let mut lids: Vec<&[u32]> = vec![&[]; count];
    for home in &targets.homes {
        lids[home.switch as usize] = &targets.lids[home.targets()];
    }
    // One bit for each home that a switch knows a way to.
    let mut known: Vec<u64> = vec![0; count * words];
    for (s, known) in known.chunks_mut(words.max(1)).enumerate() {
        for (home, _) in reach.costs(s).iter().enumerate().filter(|&(_, &cost)| cost != FAR) {
            known[home / 64] |= 1 << (home % 64);
        }
    }
    loop {
        let before = known.clone();
        let stride = lft.stride();
        let rows =
            lft.as_mut_slice().par_chunks_mut(stride).zip(known.par_chunks_mut(words.max(1))).enumerate();
        let learnt: u64 = rows
            .map(|(s, (row, known))| {
                let mut learnt = 0;
                for (word, known) in known.iter_mut().enumerate().filter(|(_, known)| **known != u64::MAX) {
                    for link in graph.links(s) {
                        let mut new = before[graph.peer[link] as usize * words + word] & !*known;
                        *known |= new;
                        learnt |= new;
                        while new != 0 {
                            for &lid in lids[word * 64 + new.trailing_zeros() as usize] {
                                row[lid as usize] = graph.port[link];
                            }
                            new &= new - 1;
                        }
                    }
                }
                learnt
            })
            .reduce(|| 0, |a, b| a | b);
        if learnt == 0 {
            return;
        }
    }
}
