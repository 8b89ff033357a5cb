//! The choice of a port among equals, as OpenSM's hop-counting engines make it.
//!
//! OpenSM 3.3.23's behaviour at LMC 0: each switch counts the end nodes that it sends through each
//! of its ports. It goes through the targets in order and takes, of the candidate ports, the first
//! with the smallest count. Switches as targets are sent the same way and are not counted.
//!
//! Targets of one home have the same candidates, and so have most neighbouring homes. While the
//! candidates stay the same, choices go in *rounds*: all candidates at the smallest count are taken
//! once each, in port order, which leaves them equal again, one higher. Only when a round ends on
//! the next higher count, or the candidates change, are counts compared anew.

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
        let mut balance = Balance::<W>::new(port);
        for run in &targets.runs {
            let mask = &table[run.column];
            let lids = &targets.lids[run.range.clone()];
            if run.home.ix() == switch {
                for (&lid, &port) in lids.iter().zip(&targets.ports[run.range.clone()]) {
                    row[lid as usize] = port;
                }
            } else if let Some(only) = single(mask) {
                for &lid in lids {
                    row[lid as usize] = port[only];
                }
                if run.counts {
                    balance.add(only, lids.len() as u32);
                }
            } else if *mask != [0; W] {
                balance.consider(mask);
                if run.counts {
                    balance.spread(lids, row);
                } else {
                    for &lid in lids {
                        row[lid as usize] = balance.first();
                    }
                }
            }
        }
        let order = balance.by_count();
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

/// The only bit, where there is only one.
fn single<const W: usize>(mask: &[u64; W]) -> Option<usize> {
    let count: u32 = mask.iter().map(|w| w.count_ones()).sum();
    (count == 1).then(|| lowest(mask))
}

/// How often each link of a switch was taken, and which of the present candidates is next.
struct Balance<'a, const W: usize> {
    /// Port number by link.
    port: &'a [u8],
    /// By link; behind by [`Balance::settle`] for the links of the present round.
    count: [u32; 256],
    /// The present candidates.
    mask: [u64; W],
    /// The links of the present round, ascending: all candidates with the smallest count …
    round: Vec<u8>,
    /// … and their port numbers.
    round_ports: Vec<u8>,
    /// How many of them have been taken; never all.
    taken: usize,
    /// The smallest count, when the round began …
    least: u32,
    /// … and the next higher one among the candidates.
    above: u32,
}

impl<'a, const W: usize> Balance<'a, W> {
    fn new(port: &'a [u8]) -> Self {
        let (round, round_ports) = (Vec::with_capacity(port.len()), Vec::with_capacity(port.len()));
        Self { port, count: [0; 256], mask: [0; W], round, round_ports, taken: 0, least: 0, above: 0 }
    }

    /// Makes `mask` the candidates; not empty.
    fn consider(&mut self, mask: &[u64; W]) {
        if self.mask != *mask {
            self.settle();
            self.mask = *mask;
            self.compare();
        }
    }

    /// Brings the counts up to date.
    fn settle(&mut self) {
        for (i, &link) in self.round.iter().enumerate() {
            self.count[usize::from(link)] = self.least + u32::from(i < self.taken);
        }
    }

    /// Begins a round: finds the candidates with the smallest count. Counts must be up to date.
    fn compare(&mut self) {
        (self.least, self.above, self.taken) = (u32::MAX, u32::MAX, 0);
        for (word, &bits) in self.mask.iter().enumerate() {
            let mut rest = bits;
            while rest != 0 {
                let link = word * 64 + rest.trailing_zeros() as usize;
                rest &= rest - 1;
                let count = self.count[link];
                if count < self.least {
                    (self.least, self.above) = (count, self.least);
                    self.round.clear();
                } else if count > self.least {
                    self.above = self.above.min(count);
                }
                if count == self.least {
                    self.round.push(link as u8);
                }
            }
        }
        self.round_ports.clear();
        self.round_ports.extend(self.round.iter().map(|&link| self.port[usize::from(link)]));
    }

    /// The port of the first candidate with the smallest count.
    fn first(&self) -> u8 {
        self.round_ports[self.taken]
    }

    /// Chooses a port for each LID, and counts them.
    fn spread(&mut self, mut lids: &[u32], row: &mut [u8]) {
        loop {
            let ports = &self.round_ports[self.taken..];
            for (&lid, &port) in lids.iter().zip(ports) {
                row[lid as usize] = port;
            }
            let Some((_, rest)) = lids.split_at_checked(ports.len()) else {
                self.taken += lids.len();
                return;
            };
            lids = rest;
            self.least += 1;
            self.taken = 0;
            if self.least == self.above {
                self.settle();
                self.compare();
            }
        }
    }

    /// Counts targets on any link.
    fn add(&mut self, link: usize, targets: u32) {
        if has(&self.mask, link) {
            self.settle();
            self.mask = [0; W];
            self.round.clear();
        }
        self.count[link] += targets;
    }

    /// All links, least used first, then by port.
    fn by_count(mut self) -> Vec<u8> {
        self.settle();
        let mut order: Vec<u8> = (0..self.port.len()).map(|link| link as u8).collect();
        order.sort_by_key(|&link| self.count[usize::from(link)]);
        order
    }
}
