//! The choice of a port with every option, one entry after the other.
//!
//! OpenSM 3.3.23's behaviour. For a LID of a target, a switch takes
//!
//! 1. after a loss ([`Sweep::previous`](crate::routing::Sweep::previous)): the port it had, if that is still a candidate;
//! 2. else, of the candidates, the first with the smallest count. The search follows port numbers or
//!    `port_search_ordering_file`, from the beginning and round;
//! 3. with `port_shifting`, the search begins at a candidate that depends on the counts' sum;
//! 4. with `scatter_ports`, any candidate with the smallest count, at random.
//!
//! With more than one LID a port, all first LIDs are routed, then all second ones, and so on. A
//! switch remembers where it sent the earlier LIDs of a target. It takes only candidates that lead
//! to a system that none of them went to; where there are none, to a switch that none went to; where
//! there are none either, the candidates with the smallest count are ordered by how many LIDs went to that
//! switch. The search begins after the port of the LID before. With [`Among::FirstNeighbour`] LIDs are counted
//! by cable instead of by switch, and the search begins at the beginning.

use rayon::prelude::*;

use super::ports::{NO_LINK, SearchOrder};
use super::task::{Among, ChoiceTask};
use crate::fabric::NodeId;
use crate::routing::common::destination_order::Run;
use crate::routing::common::glibc_random::GlibcRandom;
use crate::sm::Lft;

/// Tables for all switches.
pub(super) fn tables(task: ChoiceTask<'_>) -> Lft {
    let mut lft = Lft::new(task.graph.num_switches(), task.sweep.lids.max_lid());
    let stride = lft.stride();
    if task.sweep.options.scatter == 0 {
        let rows = lft.as_mut_slice().par_chunks_mut(stride).enumerate();
        rows.for_each(|(switch, row)| SequentialTable::new(task, NodeId(switch as u32), None).fill(row));
        return lft;
    }
    // Each subnet has its own manager, which draws for one switch after the other.
    let subnet = task.graph.components();
    let mut random = vec![GlibcRandom::new(task.sweep.options.scatter); subnet.len()];
    for switch in task.sweep.fabric.switches_in_opensm_order() {
        let random = &mut random[subnet[switch.ix()] as usize];
        SequentialTable::new(task, switch, Some(random)).fill(lft.row_mut(switch));
    }
    lft
}

/// One switch's table under construction. Links are named by their index in the order of search.
struct SequentialTable<'a> {
    task: ChoiceTask<'a>,
    switch: NodeId,
    links: SearchOrder,
    /// By link: whether its load is counted.
    is_counted: Vec<bool>,
    /// By link: how many targets it carries.
    count: [u32; 256],
    /// The links of earlier LIDs, [`NO_LINK`] where they do not count; shape `(targets, LIDs of one)`, empty where no target has two.
    trails: Vec<u8>,
    random: Option<&'a mut GlibcRandom>,
}

impl<'a> SequentialTable<'a> {
    fn new(task: ChoiceTask<'a>, switch: NodeId, random: Option<&'a mut GlibcRandom>) -> Self {
        let ChoiceTask { sweep, graph, targets, .. } = task;
        let links = SearchOrder::of(sweep, graph, switch.ix());
        let mut count = [0; 256];
        for (count, &port) in count.iter_mut().zip(&links.port) {
            *count = sweep.fabric.port(switch, port).map_or(0, |port| sweep.count(port));
        }
        let guid = sweep.fabric.node(switch).guid;
        let is_counted =
            links.port.iter().map(|&port| !sweep.options.ignore.contains(&(guid, port))).collect();
        let most = targets.most_lids as usize;
        let trails = vec![NO_LINK; if most > 1 { targets.lids.len() * most } else { 0 }];
        Self { task, switch, links, is_counted, count, trails, random }
    }

    fn fill(mut self, row: &mut [u8]) {
        let targets = self.task.targets;
        let mut choices = Vec::new();
        for nth in 0..targets.most_lids {
            for run in &targets.runs {
                if run.edge_switch != self.switch {
                    self.serve(run, nth, row, &mut choices);
                    continue;
                }
                for target in run.range.clone().filter(|&t| targets.has(t, nth)) {
                    let local = targets.ports[target];
                    row[(targets.lids[target] + nth) as usize] = local;
                    // Where links to end nodes are candidates too, this one is taken.
                    if let Some(link) = self.links.index(local) {
                        self.take(run, target, nth, link);
                    }
                }
            }
        }
    }

    /// Routes the `nth` LIDs of some targets.
    fn serve(&mut self, run: &Run, nth: u32, row: &mut [u8], choices: &mut Vec<u8>) {
        let ChoiceTask { sweep, targets, .. } = self.task;
        let previous = sweep.previous.filter(|lft| self.switch.ix() < lft.num_switches());
        let previous = previous.map_or(&[][..], |lft| lft.row(self.switch));
        choices.clear();
        for target in run.range.clone().filter(|&t| targets.has(t, nth)) {
            let lid = (targets.lids[target] + nth) as usize;
            let had = previous.get(lid).and_then(|&port| self.links.index(port));
            let link = if let Some(kept) = had.filter(|&link| self.may_take(run, link)) {
                kept
            } else {
                if choices.is_empty() {
                    self.find_choices(run, choices);
                }
                if choices.is_empty() {
                    return;
                }
                self.choose(target, nth, choices, row[lid - 1])
            };
            row[lid] = self.links.port[usize::from(link)];
            self.take(run, target, nth, link);
        }
    }

    fn may_take(&self, run: &Run, link: u8) -> bool {
        self.task.candidates.has(run.column, self.links.link[usize::from(link)])
    }

    /// The links that targets are spread over.
    fn find_choices(&self, run: &Run, choices: &mut Vec<u8>) {
        let links = (0..self.links.link.len()).map(|link| link as u8);
        choices.extend(links.filter(|&link| self.may_take(run, link)));
        if self.task.among == Among::FirstNeighbour {
            let first = choices.first().map(|&link| self.links.far(link));
            choices.retain(|&link| Some(self.links.far(link)) == first);
        }
    }

    /// Counts the `nth` LID of a target on a link, where both count.
    fn take(&mut self, run: &Run, target: usize, nth: u32, link: u8) {
        if (run.counts || self.task.sweep.options.count_switches) && self.is_counted[usize::from(link)] {
            self.count[usize::from(link)] += 1;
            let slot = target * self.task.targets.most_lids as usize + nth as usize;
            if let Some(taken) = self.trails.get_mut(slot) {
                *taken = link;
            }
        }
    }

    /// Chooses a link for the `nth` LID of a target, given the port of the LID before it.
    fn choose(&mut self, target: usize, nth: u32, choices: &[u8], before: u8) -> u8 {
        let ChoiceTask { sweep, targets, among, .. } = self.task;
        let listed = sweep.options.order_no_scatter && target < targets.listed;
        if let Some(random) = self.random.as_deref_mut().filter(|_| nth == 0 && !listed) {
            let count = |link: &u8| self.count[usize::from(*link)];
            let least = choices.iter().map(count).min();
            let mut equals = choices.iter().copied().filter(|link| Some(count(link)) == least);
            let drawn = random.draw() as usize % equals.clone().count();
            return equals.nth(drawn).unwrap_or(choices[0]);
        }
        if let [only] = *choices {
            return only;
        }
        let mut start = if nth > 0 && among == Among::All { self.links.after(before) } else { 0 };
        if sweep.options.port_shifting {
            let sum: u64 = choices.iter().map(|&link| u64::from(self.count[usize::from(link)])).sum();
            let size = choices.len() as u64;
            start = around(choices, start).nth((sum / size % size) as usize).unwrap_or(start);
        }
        let new_switch =
            |link| self.trail(target, nth).all(|earlier| self.links.far(earlier) != self.links.far(link));
        let new_system = |link| {
            self.trail(target, nth).all(|earlier| self.links.system(earlier) != self.links.system(link))
        };
        let found = match among {
            Among::All if nth > 0 => {
                self.least(choices, start, new_system).or_else(|| self.least(choices, start, new_switch))
            }
            Among::FirstNeighbour if nth > 0 && !sweep.options.port_shifting => None,
            _ => self.least(choices, start, |_| true),
        };
        found.unwrap_or_else(|| self.least_used(target, nth, choices, start))
    }

    /// The counted links of a target's earlier LIDs.
    fn trail(&self, target: usize, nth: u32) -> impl Iterator<Item = u8> {
        let first = target * self.task.targets.most_lids as usize;
        self.trails[first..][..nth as usize].iter().copied().filter(|&link| link != NO_LINK)
    }

    /// The first wanted link with the smallest count, from `start` on and round.
    fn least(&self, choices: &[u8], start: u8, is_wanted: impl Fn(u8) -> bool) -> Option<u8> {
        let (mut best, mut least) = (None, u32::MAX);
        let (early, late) = choices.split_at(choices.partition_point(|&link| link < start));
        for &link in [late, early].into_iter().flatten() {
            let count = self.count[usize::from(link)];
            if count < least && is_wanted(link) {
                (best, least) = (Some(link), count);
            }
        }
        best
    }

    /// Of links that all lead where earlier LIDs went: one with the smallest count, among these
    /// preferably one that few went to. OpenSM keeps the fewest from greater counts too.
    fn least_used(&self, target: usize, nth: u32, choices: &[u8], start: u8) -> u8 {
        let is_alike = |one: u8, other: u8| match self.task.among {
            Among::All => self.links.far(one) == self.links.far(other),
            Among::FirstNeighbour => one == other,
        };
        let mut best = choices[0];
        let (mut least, mut fewest) = (u32::MAX, usize::MAX);
        for link in around(choices, start) {
            let count = self.count[usize::from(link)];
            let uses = self.trail(target, nth).filter(|&earlier| is_alike(earlier, link)).count();
            if count < least || count == least && uses < fewest {
                (best, least, fewest) = (link, count, fewest.min(uses));
            }
        }
        best
    }
}

/// Ascending links from `start` on, then those before it.
fn around(links: &[u8], start: u8) -> impl Iterator<Item = u8> {
    let (early, late) = links.split_at(links.partition_point(|&link| link < start));
    late.iter().chain(early).copied()
}
