//! Entries of tables that lead elsewhere, found from times: flows to one destination through one switch take longer.
//!
//! A flow is *marked* if it takes far longer and no found suspect explains it. Few flows are marked, so they rarely share an
//! entry by chance: k marked of n flows to one destination through one switch are weighed by their likelihood ratio against
//! the share of all flows that are marked.

use rayon::prelude::*;
use rustc_hash::FxHashMap;

use super::super::observed::Observed;
use super::super::robust::median;
use super::found::{FaultSite, PartialFault};
use super::limits::Limits;
use super::weigh::{LossState, chance};
use crate::fabric::Fabric;
use crate::model::load::Links;

/// The fewest marked flows of an entry.
const LEAST: usize = 3;
/// The most entries that are reported.
const MOST: usize = 50;
/// A marked flow loses at least this much more than its hosts usually do, ln.
const LOSS: f64 = 0.07;
/// Gains that differ by less are about the same.
const ALIKE: f64 = 3.0;

/// Marked flows, and the entries that they share.
pub struct Marks<'a> {
    fabric: &'a Fabric,
    links: &'a Links,
    observed: &'a Observed,
    state: &'a LossState<'a>,
    limits: &'a Limits,
    marked: Vec<bool>,
    share_marked: f64,
}

impl<'a> Marks<'a> {
    pub fn new(
        fabric: &'a Fabric,
        links: &'a Links,
        observed: &'a Observed,
        state: &'a LossState<'a>,
        limits: &'a Limits,
    ) -> Self {
        let residuals = state.residuals;
        let mut all = Self { fabric, links, observed, state, limits, marked: Vec::new(), share_marked: 0.0 };
        let is_slow = |f: usize| {
            let rest = f64::from(residuals.loss[f] - state.explained[f] - all.of_hosts(f));
            all.is_open(f) && rest > LOSS.max(4.0 * residuals.spread(f))
        };
        let marked: Vec<bool> = (0..residuals.len()).into_par_iter().map(is_slow).collect();
        let count = marked.iter().filter(|&&marked| marked).count();
        let open = (0..residuals.len()).filter(|&f| all.is_open(f)).count();
        all.share_marked = (count + 1) as f64 / (open + 2) as f64;
        all.marked = marked;
        all
    }

    /// Whether no found suspect explains the flow: if one does, the flow is no evidence.
    fn is_open(&self, f: usize) -> bool {
        self.state.explained[f] == 0.0 && !self.state.residuals.loss[f].is_nan()
    }

    /// What a flow's hosts usually lose. A time crosses both links of each host: one of them counts.
    fn of_hosts(&self, f: usize) -> f32 {
        let starts = |link| !self.fabric.is_switch(self.fabric.node_of(self.links.egress(link)));
        let own = self.state.residuals.of_flow(f).filter(|&(link, _)| starts(link));
        own.filter_map(|(link, _)| self.state.columns.of_link(link)).map(|at| self.state.usual[at]).sum()
    }

    /// Entries that marked flows share, the likeliest first; and those flows.
    pub fn coincide(mut self) -> (Vec<PartialFault>, Vec<usize>) {
        let (mut out, mut explained) = (Vec::new(), Vec::new());
        while out.len() < MOST {
            let all = self.candidates();
            let Some(&(best, gain, flows, marked)) = all.first() else { break };
            let mine: Vec<usize> = (0..self.marked.len())
                .filter(|&f| self.marked[f] && self.entries(f).any(|own| own == best))
                .collect();
            let mut losses: Vec<f32> = mine.iter().map(|&f| self.state.residuals.loss[f]).collect();
            let is_of_mine = |other: FaultSite| mine.iter().any(|&f| self.entries(f).any(|own| own == other));
            let alike = all.iter().skip(1).filter(|other| other.1 > gain - ALIKE && is_of_mine(other.0));
            out.push(PartialFault {
                site: best,
                flows,
                slow: marked,
                share: marked as f64 / flows as f64,
                loss: f64::from(median(&mut losses)),
                swings: false,
                spell: None,
                instead: alike.map(|other| other.0).collect(),
                gain,
            });
            for &f in &mine {
                self.marked[f] = false;
            }
            explained.extend(mine);
        }
        (out, explained)
    }

    /// The entries that lead a flow. A time's path back begins at the second host.
    fn entries(&self, f: usize) -> impl Iterator<Item = FaultSite> + '_ {
        let flow = self.observed.flows[f];
        let mut starts = 0;
        self.state.residuals.of_flow(f).filter_map(move |(link, _)| {
            let egress = self.links.egress(link);
            starts += u32::from(!self.fabric.is_switch(self.fabric.node_of(egress)));
            let destination = if starts > 1 { flow.from } else { flow.to };
            let far = self.fabric.peer(egress).map(|port| self.fabric.node_of(port));
            let switch = far.filter(|&node| self.fabric.is_switch(node));
            switch.map(|switch| FaultSite::Entry { switch, destination, port: None })
        })
    }

    /// Entries with enough marked flows, the likeliest first: gain, flows, marked flows.
    fn candidates(&self) -> Vec<(FaultSite, f64, usize, usize)> {
        let mut counts: FxHashMap<FaultSite, (usize, usize)> = FxHashMap::default();
        for f in (0..self.marked.len()).filter(|&f| self.marked[f]) {
            for entry in self.entries(f) {
                counts.entry(entry).or_default().1 += 1;
            }
        }
        let least = self.limits.enough(self.state.residuals.links.len());
        // The greatest gain of so many marked flows: that without any other flow.
        counts.retain(|_, count| count.1 >= LEAST && -(count.1 as f64) * self.share_marked.ln() > least);
        if counts.is_empty() {
            return Vec::new();
        }
        for f in (0..self.marked.len()).filter(|&f| self.is_open(f)) {
            for entry in self.entries(f) {
                if let Some(count) = counts.get_mut(&entry) {
                    count.0 += 1;
                }
            }
        }
        let enough = counts.into_iter().filter_map(|(entry, (flows, marked))| {
            let gain = -chance(flows, marked, self.share_marked);
            let is_enough = marked as f64 >= self.limits.slow_share * flows as f64 && gain > least;
            is_enough.then_some((entry, gain, flows, marked))
        });
        let mut out: Vec<_> = enough.collect();
        out.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
        out
    }
}
