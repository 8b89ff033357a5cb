//! Entries of tables that lead elsewhere, told from times: flows to one destination through one switch take longer.
//!
//! A flow is *marked* where it takes far longer and nothing found explains it. Marks that meet by chance are rare: k of the n
//! flows to one destination through one switch count by their likelihood ratio against the part of all flows that are marked.

use rayon::prelude::*;
use rustc_hash::FxHashMap;

use super::super::observed::Observed;
use super::super::robust::median;
use super::found::{Part, Partly};
use super::limits::Limits;
use super::weigh::{State, chance};
use crate::fabric::Fabric;
use crate::model::load::Links;

/// Marked flows that are to meet, at least.
const LEAST: usize = 3;
/// The most that are taken up.
const MOST: usize = 50;
/// A flow that loses less than its hosts usually do and this is not marked, ln.
const LOSS: f64 = 0.07;
/// Gains that differ by less are about the same.
const ALIKE: f64 = 3.0;

/// Marks, and what they meet on.
pub struct Marks<'a> {
    fabric: &'a Fabric,
    links: &'a Links,
    observed: &'a Observed,
    state: &'a State<'a>,
    limits: &'a Limits,
    marked: Vec<bool>,
    part: f64,
}

impl<'a> Marks<'a> {
    pub fn new(
        fabric: &'a Fabric,
        links: &'a Links,
        observed: &'a Observed,
        state: &'a State<'a>,
        limits: &'a Limits,
    ) -> Self {
        let residuals = state.residuals;
        let mut all = Self { fabric, links, observed, state, limits, marked: Vec::new(), part: 0.0 };
        let is_slow = |f: usize| {
            let rest = f64::from(residuals.loss[f] - state.explained[f] - all.of_hosts(f));
            all.is_open(f) && rest > LOSS.max(4.0 * residuals.spread(f))
        };
        let marked: Vec<bool> = (0..residuals.len()).into_par_iter().map(is_slow).collect();
        let count = marked.iter().filter(|&&marked| marked).count();
        let open = (0..residuals.len()).filter(|&f| all.is_open(f)).count();
        all.part = (count + 1) as f64 / (open + 2) as f64;
        all.marked = marked;
        all
    }

    /// What another fault explains neither speaks for nor against.
    fn is_open(&self, f: usize) -> bool {
        self.state.explained[f] == 0.0 && !self.state.residuals.loss[f].is_nan()
    }

    /// What a flow's hosts usually lose. A time crosses both links of both hosts: one of each counts.
    fn of_hosts(&self, f: usize) -> f32 {
        let starts = |link| !self.fabric.is_switch(self.fabric.node_of(self.links.egress(link)));
        let own = self.state.residuals.of_flow(f).filter(|&(link, _)| starts(link));
        own.filter_map(|(link, _)| self.state.columns.of_link(link)).map(|at| self.state.usual[at]).sum()
    }

    /// What marks meet on, the likeliest first; and the flows that are marked there.
    pub fn meet(mut self) -> (Vec<Partly>, Vec<usize>) {
        let (mut out, mut taken) = (Vec::new(), Vec::new());
        while out.len() < MOST {
            let all = self.candidates();
            let Some(&(best, gain, flows, marked)) = all.first() else { break };
            let mine: Vec<usize> = (0..self.marked.len())
                .filter(|&f| self.marked[f] && self.parts(f).any(|own| own == best))
                .collect();
            let mut losses: Vec<f32> = mine.iter().map(|&f| self.state.residuals.loss[f]).collect();
            let alike = all.iter().skip(1).filter(|other| other.1 > gain - ALIKE);
            out.push(Partly {
                part: best,
                flows,
                slow: marked,
                share: marked as f64 / flows as f64,
                loss: f64::from(median(&mut losses)),
                swings: false,
                instead: alike.map(|other| other.0).collect(),
                gain,
            });
            for &f in &mine {
                self.marked[f] = false;
            }
            taken.extend(mine);
        }
        (out, taken)
    }

    /// The entries that lead a flow. Of a time the way back begins at the second host.
    fn parts(&self, f: usize) -> impl Iterator<Item = Part> + '_ {
        let flow = self.observed.flows[f];
        let mut starts = 0;
        self.state.residuals.of_flow(f).filter_map(move |(link, _)| {
            let egress = self.links.egress(link);
            starts += u32::from(!self.fabric.is_switch(self.fabric.node_of(egress)));
            let destination = if starts > 1 { flow.from } else { flow.to };
            let far = self.fabric.peer(egress).map(|port| self.fabric.node_of(port));
            let switch = far.filter(|&node| self.fabric.is_switch(node));
            switch.map(|switch| Part::Entry { switch, destination, port: None })
        })
    }

    /// Entries on which enough marks meet, the likeliest first: gain, flows, marked flows.
    fn candidates(&self) -> Vec<(Part, f64, usize, usize)> {
        let mut counts: FxHashMap<Part, (usize, usize)> = FxHashMap::default();
        for f in (0..self.marked.len()).filter(|&f| self.marked[f]) {
            for part in self.parts(f) {
                counts.entry(part).or_default().1 += 1;
            }
        }
        let least = self.limits.enough(self.state.residuals.links.len());
        // The most that so many marks can be worth: where no other flow is there.
        counts.retain(|_, count| count.1 >= LEAST && -(count.1 as f64) * self.part.ln() > least);
        if counts.is_empty() {
            return Vec::new();
        }
        for f in (0..self.marked.len()).filter(|&f| self.is_open(f)) {
            for part in self.parts(f) {
                if let Some(count) = counts.get_mut(&part) {
                    count.0 += 1;
                }
            }
        }
        let told = counts.into_iter().filter_map(|(part, (flows, marked))| {
            let gain = -chance(flows, marked, self.part);
            let is_told = marked as f64 >= self.limits.part * flows as f64 && gain > least;
            is_told.then_some((part, gain, flows, marked))
        });
        let mut out: Vec<_> = told.collect();
        out.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
        out
    }
}
