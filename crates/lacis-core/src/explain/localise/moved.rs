//! Entries of tables that lead elsewhere, found from flows that share links unexpectedly.
//!
//! Flows to a host that leave a switch by another port cross other links from there on. The flows with which they now share
//! links get less, those with which they would have shared get more. Each such hypothesis predicts the rate of every flow that
//! it touches without a free parameter, so likelihoods can be compared. With and without the entry, the host that receives its
//! flows may be as slow or fast as healthy ones are (`receiver`): its other flows say how much.

mod receiver;
#[cfg(test)]
mod tests;
mod weighed;

use rayon::prelude::*;
use rustc_hash::{FxHashMap, FxHashSet};

use super::super::observed::Observed;
use super::super::residuals::Residuals;
use super::found::{FaultSite, PartialFault};
use super::limits::Limits;
use super::rows::{BETWEEN, FlowRows};
use super::suspects::{Kind, SuspectFlows};
use super::weigh::{LossState, chance};
use crate::fabric::{NodeId, PortId};
use crate::model::fluid::Capacity;
use crate::model::load::{LinkId, Paths, SINK};
use receiver::Receiver;

/// A flow more than so many σ from its expected rate is off.
const OFF: f64 = 3.0;
/// What a flow that is far too fast says at least for an entry by which another left its link, ln.
const FAST: f64 = 5.0;
/// Links with more flows than this leave hardly more to each if one leaves.
const FEW: usize = 8;
/// The most entries that are weighed, those first whose flows are least likely off by chance.
const LOOKED_AT: usize = 20_000;
/// Gains that differ by less are about the same.
const ALIKE: f64 = 3.0;
/// The largest table of rounds and links.
const CELLS: usize = 1 << 26;

/// An entry that leads elsewhere.
#[derive(Clone, Debug)]
pub struct Moved {
    pub switch: NodeId,
    pub destination: u32,
    /// The port to which it leads.
    pub port: PortId,
    /// ln of how much likelier the losses are with it, beside the suspects that were found.
    pub gain: f64,
    /// The same without any suspects.
    pub bare: f64,
    /// The least gain of such an entry.
    pub enough: f64,
    /// Whether the path is longer than by the tables.
    is_longer: bool,
    /// Flows that it would make faster or slower.
    pub touched: Vec<u32>,
    /// Flows that it makes slower, and that are.
    pub slowed: usize,
    /// By how much, the median, ln; below 0 where it only makes flows faster.
    pub loss: f64,
    /// Other entries that explain the same about as well.
    pub instead: Vec<FaultSite>,
}

impl Moved {
    /// As a fault that slows some of its flows.
    pub fn as_fault(&self) -> PartialFault {
        PartialFault {
            site: self.site(),
            flows: self.touched.len(),
            slow: self.slowed,
            share: self.slowed as f64 / self.touched.len().max(1) as f64,
            loss: self.loss,
            swings: false,
            spell: None,
            instead: self.instead.clone(),
            gain: self.gain,
        }
    }

    /// The entry.
    pub fn site(&self) -> FaultSite {
        FaultSite::Entry { switch: self.switch, destination: self.destination, port: Some(self.port) }
    }
}

/// Rounds of flows that share the network, prepared to ask what one flow more or less on a link would change.
pub struct Rounds<'a> {
    rows: FlowRows<'a>,
    residuals: &'a Residuals,
    capacity: &'a Capacity,
    columns: &'a SuspectFlows,
    /// By round: its flows.
    ranges: Vec<std::ops::Range<usize>>,
    /// By flow: its round, or none where it shares with no other.
    round: Vec<u32>,
    /// Flows by round and link.
    load: Vec<u32>,
    /// By flow: its destination.
    destination: Vec<u32>,
    /// Flows, sorted by destination.
    to: Vec<u32>,
    /// By destination: where its flows begin in `to`.
    starts: Vec<usize>,
    /// ln of the level by number of links and contention.
    levels: FxHashMap<(u32, u32), f64>,
}

const NONE: u32 = u32::MAX;

/// An entry that may lead elsewhere.
struct Entry {
    switch: NodeId,
    /// The destination.
    to: u32,
    /// The flows that the entry directs.
    flows: Vec<u32>,
    /// What all flows to the destination say of its own loss: beside what suspects explain, and without any.
    receivers: [Receiver; 2],
}

/// Buffers that are reused from entry to entry.
#[derive(Default)]
struct EntryScratch {
    tail: Vec<LinkId>,
    added: Vec<LinkId>,
    removed: Vec<LinkId>,
    row: Vec<LinkId>,
    others: Vec<u32>,
}

impl<'a> Rounds<'a> {
    /// None if no flows share a round, or if rounds and links are too many.
    pub fn new(
        paths: &'a Paths<'a>,
        capacity: &'a Capacity,
        observed: &'a Observed,
        residuals: &'a Residuals,
        columns: &'a SuspectFlows,
    ) -> Option<Self> {
        let shared = observed.rounds().filter(|(flows, shares)| *shares && flows.len() > 1);
        let ranges: Vec<_> = shared.map(|(flows, _)| flows).collect();
        let links = capacity.rates.len();
        if ranges.is_empty() || residuals.width <= BETWEEN || ranges.len().saturating_mul(links) > CELLS {
            return None;
        }
        let mut round = vec![NONE; observed.len()];
        let mut load = vec![0_u32; ranges.len() * links];
        for (at, flows) in ranges.iter().enumerate() {
            round[flows.clone()].fill(at as u32);
            for &link in &residuals.links[flows.start * residuals.width..flows.end * residuals.width] {
                load[at * links + link as usize] += u32::from(link != SINK);
            }
        }
        let mut starts = vec![0_usize; paths.ports().len() + 1];
        observed.flows.iter().for_each(|flow| starts[flow.to as usize + 1] += 1);
        for at in 1..starts.len() {
            starts[at] += starts[at - 1];
        }
        let (mut next, mut to) = (starts.clone(), vec![0; observed.len()]);
        for (f, flow) in (0..).zip(&observed.flows) {
            to[next[flow.to as usize]] = f;
            next[flow.to as usize] += 1;
        }
        let destination = observed.flows.iter().map(|flow| flow.to).collect();
        let levels = residuals.classes.iter().map(|l| ((l.links, l.contention), l.level.ln())).collect();
        let rows = FlowRows { paths, residuals };
        Some(Self {
            rows,
            residuals,
            capacity,
            columns,
            ranges,
            round,
            load,
            destination,
            to,
            starts,
            levels,
        })
    }

    /// Entries that explain more than `limits` ask when nothing else is found: the likeliest first, one for each switch and
    /// destination.
    pub fn likely(&self, state: &LossState<'_>, limits: &Limits) -> Vec<Moved> {
        let (asked, pairs) = self.asked();
        let differ = state.differ[Kind::Receiving as usize].deviation.max(limits.differ);
        let each = |&(switch, to): &(NodeId, u32)| {
            let mut scratch = EntryScratch::default();
            let entry = Entry {
                switch,
                to,
                flows: self.flows_through(switch, to),
                receivers: [true, false].map(|found| self.receiver(state, to, found, differ)),
            };
            let ports = self.rows.paths.fabric().ports_of(switch);
            let all: Vec<Moved> =
                ports.filter_map(|port| self.weigh(state, &entry, port, &mut scratch)).collect();
            let longer = all.iter().filter(|one| one.is_longer).count();
            let counts = [all.len() - longer, longer];
            let order = |a: &Moved, b: &Moved| a.bare.total_cmp(&b.bare).then(b.port.cmp(&a.port));
            let best = [false, true].map(|longer| {
                all.iter().filter(|one| one.is_longer == longer).max_by(|a, b| order(a, b)).cloned()
            });
            (counts, best)
        };
        let weighed: Vec<_> = asked.par_iter().map(each).collect();
        // The number of ports of all switches and destinations, scaled up from those that were weighed.
        let enough = [0, 1].map(|at| {
            let ports: usize = weighed.iter().map(|(counts, _)| counts[at]).sum();
            limits.enough(ports * pairs / asked.len().max(1))
        });
        let likely = |best: [Option<Moved>; 2]| {
            let all = best.into_iter().flatten().map(|one| {
                let enough = enough[usize::from(one.is_longer)];
                Moved { enough, ..one }
            });
            let over = |one: &Moved| one.bare - one.enough;
            all.filter(|one| over(one) > 0.0).max_by(|a, b| over(a).total_cmp(&over(b)))
        };
        let mut all: Vec<Moved> = weighed.into_iter().filter_map(|(_, best)| likely(best)).collect();
        let key = |one: &Moved| (one.switch, one.destination);
        all.sort_by(|a, b| b.bare.total_cmp(&a.bare).then_with(|| key(a).cmp(&key(b))));
        all
    }

    /// The likeliest entry that touches a flow of the given one, beside what else was found.
    pub fn instead_of(&self, state: &LossState<'_>, limits: &Limits, one: &Moved) -> Option<Moved> {
        let touched: FxHashSet<u32> = one.touched.iter().copied().collect();
        let mut all = self.likely(state, limits);
        all.retain(|other| other.gain > other.enough && other.touched.iter().any(|f| touched.contains(f)));
        // Of equal ones the first: the sort keeps their order.
        all.sort_by(|a, b| b.gain.total_cmp(&a.gain));
        let best = all.first()?.clone();
        let alike = all.iter().skip(1).filter(|other| other.gain > best.gain - ALIKE);
        let instead = alike.map(Moved::site).collect();
        Some(Moved { instead, ..best })
    }

    /// The flows to a destination.
    fn flows_to(&self, to: u32) -> &[u32] {
        &self.to[self.starts[to as usize]..self.starts[to as usize + 1]]
    }

    /// Those that pass a switch.
    fn flows_through(&self, switch: NodeId, to: u32) -> Vec<u32> {
        let through =
            |&f: &u32| self.round[f as usize] != NONE && self.rows.links_to(f as usize, switch).is_some();
        self.flows_to(to).iter().copied().filter(through).collect()
    }

    /// Switches and destinations whose flows are off, the least likely by chance first; and the number of all.
    fn asked(&self) -> (Vec<(NodeId, u32)>, usize) {
        let is_off = |f: usize| {
            self.round[f] != NONE && f64::from(self.residuals.loss[f].abs()) > OFF * self.residuals.spread(f)
        };
        let off: Vec<bool> = (0..self.residuals.len()).into_par_iter().map(is_off).collect();
        let share_off = (off.iter().filter(|&&off| off).count() + 1) as f64 / (off.len() + 2) as f64;
        let of_destination = |to: u32| {
            let mut counts: Vec<(NodeId, usize, usize)> = Vec::new();
            for &f in &self.to[self.starts[to as usize]..self.starts[to as usize + 1]] {
                let f = f as usize;
                if self.round[f] == NONE {
                    continue;
                }
                let switches = self.rows.switches(f);
                for switch in switches {
                    let own = counts.iter().position(|count| count.0 == switch).unwrap_or_else(|| {
                        counts.push((switch, 0, 0));
                        counts.len() - 1
                    });
                    counts[own].1 += 1;
                    counts[own].2 += usize::from(off[f]);
                }
            }
            let by_chance = |(switch, flows, off)| (chance(flows, off, share_off), switch, to);
            counts.into_iter().map(by_chance).collect::<Vec<_>>()
        };
        let destinations = 0..self.starts.len() as u32 - 1;
        let mut all: Vec<(f64, NodeId, u32)> =
            destinations.into_par_iter().flat_map_iter(of_destination).collect();
        let left = self.left_by(&off);
        for one in &mut all {
            // No outlier is as fast as flows whose link another flow left: these come first.
            if let Some(&number) = left.get(&(one.1, one.2)) {
                one.0 -= f64::from(number) * FAST;
            }
        }
        let number = all.len();
        all.retain(|one| one.0 < 0.0);
        all.sort_by(|a, b| a.0.total_cmp(&b.0).then((a.1, a.2).cmp(&(b.1, b.2))));
        all.truncate(LOOKED_AT);
        (all.into_iter().map(|(_, switch, to)| (switch, to)).collect(), number)
    }

    /// Switches and destinations of flows that share a link with one that is far too fast, which it is if the other left: how
    /// many such there are.
    fn left_by(&self, off: &[bool]) -> FxHashMap<(NodeId, u32), u32> {
        let mut out: FxHashMap<(NodeId, u32), u32> = FxHashMap::default();
        for fast in (0..off.len()).filter(|&f| off[f] && self.residuals.loss[f] < 0.0) {
            let range = &self.ranges[self.round[fast] as usize];
            let mut met: Vec<u32> = Vec::new();
            for at in self.rows.of(fast).iter().filter_map(|&link| self.columns.of_link(link)) {
                let others = self.columns.within(at, range);
                // A link of many flows leaves hardly more to each if one of them leaves it.
                if others.len() <= FEW {
                    met.extend(others.iter().filter(|&&other| other as usize != fast));
                }
            }
            met.sort_unstable();
            met.dedup();
            for &other in &met {
                let to = self.destination[other as usize];
                self.rows
                    .switches(other as usize)
                    .for_each(|switch| *out.entry((switch, to)).or_default() += 1);
            }
        }
        out
    }
}
