//! The choice of a port among equals, as OpenSM's hop-counting engines make it.
//!
//! OpenSM 3.3.23's behaviour at LMC 0: each switch counts the end nodes that it sends through each
//! of its ports. It goes through the targets in order and takes, of the candidate ports, the first
//! with the smallest count. Switches as targets are sent the same way and are not counted.
//!
//! Targets of one home have the same candidates, and so have most neighbouring homes. So the set
//! of candidates at the smallest count is kept, and a choice is its lowest bit; counts are compared
//! anew only when the candidates change or the next higher count has been reached.

use rayon::prelude::*;

use super::candidates::Candidates;
use super::graph::SwitchGraph;
use super::routes::Lft;
use super::targets::Targets;
use crate::lids::Lids;

/// Tables for all switches: every target goes to the least used of its candidates.
pub(super) fn tables(graph: &SwitchGraph, targets: &Targets, candidates: &Candidates, lids: &Lids) -> Lft {
    let mut lft = Lft::new(graph.num_switches(), lids.max_lid());
    let stride = lft.stride();
    let rows = lft.as_mut_slice().par_chunks_mut(stride).enumerate();
    rows.for_each_init(Scratch::default, |scratch, (switch, row)| {
        let sheet = Sheet { graph, targets, candidates, switch, row };
        match graph.links(switch).len().div_ceil(64) {
            0 | 1 => sheet.fill(&mut scratch.one),
            2 => sheet.fill(&mut scratch.two),
            3 => sheet.fill(&mut scratch.three),
            _ => sheet.fill(&mut scratch.four),
        }
    });
    lft
}

/// Candidate masks of one switch, by the number of words that its links need.
#[derive(Default)]
struct Scratch {
    one: Vec<[u64; 1]>,
    two: Vec<[u64; 2]>,
    three: Vec<[u64; 3]>,
    four: Vec<[u64; 4]>,
}

/// One switch's table under construction.
struct Sheet<'a> {
    graph: &'a SwitchGraph,
    targets: &'a Targets,
    candidates: &'a Candidates,
    switch: usize,
    row: &'a mut [u8],
}

impl Sheet<'_> {
    fn fill<const W: usize>(self, table: &mut Vec<[u64; W]>) {
        let Self { graph, targets, candidates, switch, row } = self;
        candidates.of_switch(graph, switch, table);
        let port = &graph.port[graph.links(switch)];
        let mut balance = Balance::<W>::new();
        for run in &targets.runs {
            let mask = table[run.column];
            if run.home.ix() == switch {
                for (&lid, &port) in run.lids.iter().zip(&run.ports) {
                    row[lid as usize] = port;
                }
            } else if let Some(only) = single(&mask) {
                balance.add(only, if run.counts { run.lids.len() as u32 } else { 0 });
                for &lid in &run.lids {
                    row[lid as usize] = port[only];
                }
            } else if mask != [0; W] {
                balance.consider(&mask);
                for &lid in &run.lids {
                    row[lid as usize] = port[balance.first()];
                    if run.counts {
                        balance.take();
                    }
                }
            }
        }
        let order = balance.by_count(port.len());
        for &(lid, column) in &targets.switches {
            let mask = table[column];
            if targets.columns[column].ix() == switch {
                row[lid as usize] = 0;
            } else if let Some(&link) = order.iter().find(|&&link| has(&mask, usize::from(link))) {
                row[lid as usize] = port[usize::from(link)];
            }
        }
    }
}

fn has<const W: usize>(mask: &[u64; W], bit: usize) -> bool {
    mask[bit / 64] >> (bit % 64) & 1 == 1
}

/// The lowest bit; `64 * W` where there is none.
fn lowest<const W: usize>(mask: &[u64; W]) -> usize {
    let word = mask.iter().position(|&w| w != 0);
    word.map_or(64 * W, |w| w * 64 + mask[w].trailing_zeros() as usize)
}

/// Clears the lowest bit.
fn drop_lowest<const W: usize>(mask: &mut [u64; W]) {
    if let Some(word) = mask.iter_mut().find(|w| **w != 0) {
        *word &= *word - 1;
    }
}

/// The only bit, where there is only one.
fn single<const W: usize>(mask: &[u64; W]) -> Option<usize> {
    let count: u32 = mask.iter().map(|w| w.count_ones()).sum();
    (count == 1).then(|| lowest(mask))
}

/// How often each link of a switch was taken, and which of the present candidates is next.
struct Balance<const W: usize> {
    count: [u32; 256],
    /// The present candidates.
    mask: [u64; W],
    /// The candidates that had the smallest count when this round began, …
    round: [u64; W],
    /// … those of them that have not been taken since: never none while there are candidates, …
    left: [u64; W],
    /// … their count, …
    least: u32,
    /// … and the smallest count of the other candidates.
    above: u32,
}

impl<const W: usize> Balance<W> {
    fn new() -> Self {
        Self { count: [0; 256], mask: [0; W], round: [0; W], left: [0; W], least: 0, above: 0 }
    }

    /// Makes `mask` the candidates; not empty.
    fn consider(&mut self, mask: &[u64; W]) {
        if self.mask != *mask {
            self.mask = *mask;
            self.compare();
        }
    }

    /// Finds the candidates with the smallest count.
    fn compare(&mut self) {
        (self.least, self.above) = (u32::MAX, u32::MAX);
        let mut rest = self.mask;
        while rest != [0; W] {
            let bit = lowest(&rest);
            drop_lowest(&mut rest);
            let count = self.count[bit];
            if count < self.least {
                (self.least, self.above) = (count, self.least);
                self.round = [0; W];
            } else if count > self.least {
                self.above = self.above.min(count);
            }
            if count == self.least {
                self.round[bit / 64] |= 1 << (bit % 64);
            }
        }
        self.left = self.round;
    }

    /// The first candidate with the smallest count.
    fn first(&self) -> usize {
        lowest(&self.left)
    }

    /// Counts a target on that candidate.
    fn take(&mut self) {
        self.count[self.first()] += 1;
        drop_lowest(&mut self.left);
        if self.left == [0; W] {
            self.least += 1;
            self.left = self.round;
            if self.least == self.above {
                self.compare();
            }
        }
    }

    /// Counts targets on any link.
    fn add(&mut self, link: usize, targets: u32) {
        self.count[link] += targets;
        if has(&self.mask, link) {
            self.mask = [0; W];
        }
    }

    /// All links, least used first, then by port.
    fn by_count(&self, links: usize) -> Vec<u8> {
        let mut order: Vec<u8> = (0..links).map(|link| link as u8).collect();
        order.sort_by_key(|&link| self.count[usize::from(link)]);
        order
    }
}
