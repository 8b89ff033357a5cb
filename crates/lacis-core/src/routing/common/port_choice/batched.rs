//! The choice of a port where nothing but the counts decides, many targets at a time.
//!
//! Targets of one edge switch have the same candidates, and so have most neighbouring edge switches. While the
//! candidates stay the same, choices go in *rounds*: all candidates at the smallest count are taken
//! once each, in port order, which leaves their counts equal, one higher. Only when a round ends on
//! the next higher count, or the candidates change, are counts compared afresh.

use rayon::prelude::*;

use super::mask::{Bits, has, is_empty, lowest, single};
use super::task::{Among, ChoiceTask};
use crate::bits::ones;
use crate::fabric::NodeId;
use crate::sm::Lft;

/// Tables for all switches.
pub(super) fn tables(task: ChoiceTask<'_>) -> Lft {
    let most_links = (0..task.graph.num_switches()).map(|s| task.graph.links(s).len()).max().unwrap_or(0);
    match most_links.div_ceil(64) {
        0 | 1 => tables_with::<1>(task),
        2 => tables_with::<2>(task),
        3 => tables_with::<3>(task),
        _ => tables_with::<4>(task),
    }
}

/// The same where the links of a switch need so many words.
fn tables_with<const W: usize>(task: ChoiceTask<'_>) -> Lft {
    let mut lft = Lft::new(task.graph.num_switches(), task.sweep.lids.max_lid());
    let stride = lft.stride();
    let rows = lft.as_mut_slice().par_chunks_mut(stride).enumerate();
    rows.for_each_init(Vec::<Bits<W>>::new, |table, (switch, row)| {
        BatchedTable { task, switch, row }.fill(table);
    });
    lft
}

/// One switch's table under construction.
struct BatchedTable<'a> {
    task: ChoiceTask<'a>,
    switch: usize,
    row: &'a mut [u8],
}

impl BatchedTable<'_> {
    fn fill<const W: usize>(self, table: &mut Vec<Bits<W>>) {
        let Self { task: ChoiceTask { sweep, graph, targets, candidates, among }, switch, row } = self;
        candidates.of_switch(graph, switch, table);
        let port = &graph.port[graph.links(switch)];
        if among == Among::FirstNeighbour {
            let peer = &graph.peer[graph.links(switch)];
            for mask in table.iter_mut().filter(|mask| !is_empty(mask)) {
                let first = peer[lowest(mask)];
                for (word, bits) in mask.iter_mut().enumerate() {
                    *bits = ones(*bits)
                        .filter(|bit| peer[64 * word + bit] == first)
                        .fold(0, |b, bit| b | 1 << bit);
                }
            }
        }
        let mut balance = LinkCounts::<W>::new(port);
        if !sweep.counts.is_empty() {
            let ids = port.iter().map(|&number| sweep.fabric.port(NodeId(switch as u32), number));
            for (count, id) in balance.count.iter_mut().zip(ids) {
                *count = id.map_or(0, |id| sweep.count(id));
            }
        }
        let (first, last) = targets.runs.split_at(targets.closing);
        for run in first {
            let mask = &table[run.column];
            let lids = &targets.lids[run.range.clone()];
            if run.edge_switch.ix() == switch {
                for (&lid, &local) in lids.iter().zip(&targets.ports[run.range.clone()]) {
                    row[lid as usize] = local;
                    // Where links to end nodes are candidates too, these are used.
                    if let Some(link) = port.binary_search(&local).ok().filter(|_| run.counts) {
                        balance.add(link, 1);
                    }
                }
            } else if let Some(only) = single(mask) {
                for &lid in lids {
                    row[lid as usize] = port[only];
                }
                if run.counts {
                    balance.add(only, lids.len() as u32);
                }
            } else if !is_empty(mask) {
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
        for run in last {
            let mask = &table[run.column];
            let lid = targets.lids[run.range.start] as usize;
            if run.edge_switch.ix() == switch {
                row[lid] = 0;
            } else if let Some(&link) = order.iter().find(|&&link| has(mask, usize::from(link))) {
                row[lid] = port[usize::from(link)];
            }
        }
    }
}

/// How often each link of a switch was used, and which of the present candidates is next.
struct LinkCounts<'a, const W: usize> {
    /// Port number by link.
    port: &'a [u8],
    /// By link; behind by [`LinkCounts::settle`] for the links of the present round.
    count: [u32; 256],
    /// The present candidates.
    mask: Bits<W>,
    /// The links of the present round, ascending: all candidates with the smallest count.
    round: Vec<u8>,
    /// The port numbers of these links.
    round_ports: Vec<u8>,
    /// How many of the round's links have been used; never all.
    used: usize,
    /// The smallest count, when the round began.
    least: u32,
    /// The next higher count among the candidates, when the round began.
    above: u32,
}

impl<'a, const W: usize> LinkCounts<'a, W> {
    fn new(port: &'a [u8]) -> Self {
        let (round, round_ports) = (Vec::with_capacity(port.len()), Vec::with_capacity(port.len()));
        Self { port, count: [0; 256], mask: [0; W], round, round_ports, used: 0, least: 0, above: 0 }
    }

    /// Makes `mask` the candidates; not empty.
    fn consider(&mut self, mask: &Bits<W>) {
        if self.mask != *mask {
            self.settle();
            self.mask = *mask;
            self.compare();
        }
    }

    /// Brings the counts up to date.
    fn settle(&mut self) {
        for (i, &link) in self.round.iter().enumerate() {
            self.count[usize::from(link)] = self.least + u32::from(i < self.used);
        }
    }

    /// Begins a round: finds the candidates with the smallest count. Counts must be up to date.
    fn compare(&mut self) {
        (self.least, self.above, self.used) = (u32::MAX, u32::MAX, 0);
        for (word, &bits) in self.mask.iter().enumerate() {
            for link in ones(bits).map(|bit| word * 64 + bit) {
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
        self.round_ports[self.used]
    }

    /// Chooses a port for each LID, and counts them.
    fn spread(&mut self, mut lids: &[u32], row: &mut [u8]) {
        loop {
            let ports = &self.round_ports[self.used..];
            for (&lid, &port) in lids.iter().zip(ports) {
                row[lid as usize] = port;
            }
            let Some((_, rest)) = lids.split_at_checked(ports.len()) else {
                self.used += lids.len();
                return;
            };
            lids = rest;
            self.least += 1;
            self.used = 0;
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
