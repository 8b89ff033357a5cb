//! The choice of a port with every option, one entry after the other.
//!
//! OpenSM 3.3.23's behaviour. For a LID of a target, a switch takes
//!
//! 1. after a loss ([`Sweep::previous`]): the port it had, if that is still a candidate;
//! 2. else, of the candidates, the first with the smallest count. The search goes by port number or
//!    as `port_search_ordering_file` says, from the beginning and round;
//! 3. with `port_shifting`, the search begins at a candidate that depends on the counts' sum;
//! 4. with `scatter_ports`, any candidate with the smallest count, at random.
//!
//! With more than one LID a port, all first LIDs are routed, then all second ones, and so on. A
//! switch remembers where it sent the earlier LIDs of a target. It takes only candidates that lead
//! to a system that none of them went to; where there are none, to a switch that none went to; where
//! there are none either, candidates of the same count are told apart by how many LIDs went to that
//! switch. The search begins after the port of the LID before. With [`Among::FirstNeighbour`]
//! it is the cables that are told apart so, and the search begins at the beginning.

use rayon::prelude::*;

use super::counters::Tally;
use super::mask::{self, Bits};
use super::ports::{Ports, ignored};
use super::task::{Among, Task};
use crate::fabric::{Fabric, NodeId};
use crate::routing::common::destination_order::Run;
use crate::routing::common::glibc_random::GlibcRandom;
use crate::sm::Lft;

/// Tables for all switches.
pub(super) fn tables(task: Task<'_>) -> Lft {
    let mut lft = Lft::new(task.graph.num_switches(), task.sweep.lids.max_lid());
    let stride = lft.stride();
    if task.sweep.options.scatter == 0 {
        let rows = lft.as_mut_slice().par_chunks_mut(stride).enumerate();
        rows.for_each_init(Scratch::default, |scratch, (switch, row)| scratch.fill(task, switch, row, None));
        return lft;
    }
    // Each subnet has a manager of its own, which draws for one switch after the other.
    let subnet = task.graph.components();
    let seeded = GlibcRandom::new(task.sweep.options.scatter);
    let mut random = vec![seeded; subnet.len()];
    let mut scratch = Scratch::default();
    for switch in task.sweep.fabric.switches_in_opensm_order() {
        let random = &mut random[subnet[switch.ix()] as usize];
        scratch.fill(task, switch.ix(), lft.row_mut(switch), Some(random));
    }
    lft
}

/// Room for one switch's work, by the number of words that its links need.
#[derive(Default)]
struct Scratch {
    one: Buffers<1>,
    two: Buffers<2>,
    three: Buffers<3>,
    four: Buffers<4>,
}

impl Scratch {
    fn fill(&mut self, task: Task<'_>, switch: usize, row: &mut [u8], random: Option<&mut GlibcRandom>) {
        match task.graph.links(switch).len().div_ceil(64) {
            0 | 1 => SwitchTable::new(task, switch, &mut self.one, random).fill(row),
            2 => SwitchTable::new(task, switch, &mut self.two, random).fill(row),
            3 => SwitchTable::new(task, switch, &mut self.three, random).fill(row),
            _ => SwitchTable::new(task, switch, &mut self.four, random).fill(row),
        }
    }
}

/// What one switch keeps while its table is made.
#[derive(Default)]
struct Buffers<const W: usize> {
    /// Candidates by column.
    table: Vec<Bits<W>>,
    /// How many targets each link carries.
    tally: Tally<W>,
    /// Where the earlier LIDs of each target went; empty where none has two.
    trails: Vec<Trail<W>>,
    /// How many of them, shape `(targets, links)`; see [`SwitchTable::slot`].
    uses: Vec<u8>,
}

/// Where the earlier LIDs of a target went.
#[derive(Clone, Copy)]
struct Trail<const W: usize> {
    /// All links to the same switches.
    switches: Bits<W>,
    /// All links to the same systems.
    systems: Bits<W>,
}

/// One switch's table under construction.
struct SwitchTable<'a, const W: usize> {
    task: Task<'a>,
    switch: NodeId,
    ports: Ports,
    /// Links whose load is counted.
    counted: Bits<W>,
    /// By link, all links to the same switch, and to the same system; empty where it does not matter.
    same_switch: Vec<Bits<W>>,
    same_system: Vec<Bits<W>>,
    buffers: &'a mut Buffers<W>,
    random: Option<&'a mut GlibcRandom>,
}

impl<'a, const W: usize> SwitchTable<'a, W> {
    fn new(
        task: Task<'a>,
        switch: usize,
        buffers: &'a mut Buffers<W>,
        random: Option<&'a mut GlibcRandom>,
    ) -> Self {
        let Task { sweep, graph, targets, candidates, among } = task;
        let ports = Ports::of(sweep, graph, switch);
        candidates.of_switch(graph, switch, &mut buffers.table);
        ports.arrange(&mut buffers.table);
        let switch = NodeId(switch as u32);
        let counted_before = |&number: &u8| sweep.fabric.port(switch, number).map_or(0, |p| sweep.count(p));
        buffers.tally.reset(ports.port.iter().map(counted_before));
        let mut counted = [u64::MAX; W];
        for link in ignored(sweep, switch).filter_map(|port| ports.bit(port)) {
            mask::remove(&mut counted, link);
        }
        let (mut same_switch, mut same_system) = (Vec::new(), Vec::new());
        buffers.trails.clear();
        buffers.uses.clear();
        if targets.most_lids > 1 {
            buffers.trails.resize(targets.lids.len(), Trail { switches: [0; W], systems: [0; W] });
            buffers.uses.resize(targets.lids.len() * ports.port.len(), 0);
            same_system = ports.groups(|to, other| same_system_guid(sweep.fabric, to, other));
        }
        if targets.most_lids > 1 || among == Among::FirstNeighbour {
            same_switch = ports.groups(|_, _| false);
        }
        Self { task, switch, ports, counted, same_switch, same_system, buffers, random }
    }

    fn fill(mut self, row: &mut [u8]) {
        let targets = self.task.targets;
        for nth in 0..targets.most_lids {
            for run in &targets.runs {
                if run.edge_switch != self.switch {
                    self.serve(run, nth, row);
                    continue;
                }
                for target in run.range.clone().filter(|&t| targets.has(t, nth)) {
                    let local = targets.ports[target];
                    row[(targets.lids[target] + nth) as usize] = local;
                    // Where links to end nodes are candidates too, this one is taken.
                    let link = self.ports.bit(local).filter(|&link| mask::has(&self.counted, link));
                    if let Some(link) = link.filter(|_| run.counts || self.task.sweep.options.count_switches)
                    {
                        self.count(target, link);
                    }
                }
            }
        }
    }

    /// Routes the `nth` LIDs of some targets.
    fn serve(&mut self, run: &Run, nth: u32, row: &mut [u8]) {
        let Task { sweep, targets, among, .. } = self.task;
        let candidates = self.buffers.table[run.column];
        if mask::is_empty(&candidates) {
            return;
        }
        let choices = match among {
            Among::All => candidates,
            Among::FirstNeighbour => mask::both(&candidates, &self.same_switch[mask::lowest(&candidates)]),
        };
        let previous = sweep.previous.filter(|lft| self.switch.ix() < lft.num_switches());
        let previous = previous.map_or(&[][..], |lft| lft.row(self.switch));
        let counts = run.counts || sweep.options.count_switches;
        for target in run.range.clone().filter(|&t| targets.has(t, nth)) {
            let lid = (targets.lids[target] + nth) as usize;
            let had = previous.get(lid).and_then(|&port| self.ports.bit(port));
            let link = match had.filter(|&link| mask::has(&candidates, link)) {
                Some(kept) => kept,
                None => self.choose(target, nth, &choices, row[lid - 1]),
            };
            row[lid] = self.ports.port[link];
            if counts && mask::has(&self.counted, link) {
                self.count(target, link);
            }
        }
    }

    /// Chooses a link for the `nth` LID of a target, given the port of the LID before it.
    fn choose(&mut self, target: usize, nth: u32, choices: &Bits<W>, before: u8) -> usize {
        let Task { sweep, targets, among, .. } = self.task;
        let tally = &self.buffers.tally;
        let listed = sweep.options.order_no_scatter && target < targets.listed;
        if let Some(random) = self.random.as_deref_mut().filter(|_| nth == 0 && !listed) {
            let least = tally.least(choices);
            let drawn = random.draw() % mask::size(&least);
            return mask::ascending(least).nth(drawn as usize).unwrap_or_else(|| mask::lowest(&least));
        }
        if let Some(only) = mask::single(choices) {
            return only;
        }
        let mut start = 0;
        if nth > 0 && among == Among::All {
            start = self.ports.after(before);
        }
        if sweep.options.port_shifting {
            let size = u64::from(mask::size(choices));
            let shift = tally.sum(choices) / size % size;
            start = mask::around(choices, start).nth(shift as usize).unwrap_or(start);
        }
        let fresh = match among {
            _ if nth == 0 => *choices,
            Among::FirstNeighbour if sweep.options.port_shifting => *choices,
            Among::FirstNeighbour => [0; W],
            Among::All => {
                let Trail { switches, systems } = &self.buffers.trails[target];
                let fresh = mask::without(choices, systems);
                if mask::is_empty(&fresh) { mask::without(choices, switches) } else { fresh }
            }
        };
        if mask::is_empty(&fresh) {
            return self.least_used(target, choices, start);
        }
        mask::first_from(&tally.least(&fresh), start)
    }

    /// Of links that all lead where earlier LIDs went: one with the smallest count, among these
    /// preferably one that few went to. OpenSM keeps the fewest from greater counts too.
    fn least_used(&self, target: usize, choices: &Bits<W>, start: usize) -> usize {
        let mut best = mask::lowest(choices);
        let (mut least, mut fewest) = (u32::MAX, u8::MAX);
        for link in mask::around(choices, start) {
            let (count, uses) = (self.buffers.tally.count(link), self.buffers.uses[self.slot(target, link)]);
            if count < least || count == least && uses < fewest {
                (best, least, fewest) = (link, count, fewest.min(uses));
            }
        }
        best
    }

    fn count(&mut self, target: usize, link: usize) {
        self.buffers.tally.add(link);
        let slot = self.slot(target, link);
        if let Some(trail) = self.buffers.trails.get_mut(target) {
            trail.switches = mask::either(&trail.switches, &self.same_switch[link]);
            trail.systems = mask::either(&trail.systems, &self.same_system[link]);
            self.buffers.uses[slot] = self.buffers.uses[slot].saturating_add(1);
        }
    }

    /// Where [`Buffers::uses`] has how many LIDs of a target went to the switch behind a link, or, with
    /// [`Among::FirstNeighbour`], by this very link.
    fn slot(&self, target: usize, link: usize) -> usize {
        let to_switch = || self.same_switch.get(link).map_or(link, mask::lowest);
        let slot = if self.task.among == Among::All { to_switch() } else { link };
        target * self.ports.port.len() + slot
    }
}

/// Whether two switches are chips of one system.
fn same_system_guid(fabric: &Fabric, a: u32, b: u32) -> bool {
    let system = |switch| fabric.node(NodeId(switch)).system_guid;
    system(a) == system(b)
}
