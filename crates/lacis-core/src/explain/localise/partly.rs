//! What makes some of its flows slow, not all: links that come and go, and entries of tables that lead elsewhere.
//!
//! A flow is *marked* where it falls far short and nothing found explains it, or where its repeats differ far. Marks that meet by
//! chance are rare: k of the n flows over a link, or of those to one destination through one switch, count by their
//! likelihood ratio against the part of all flows that are marked.

use rayon::prelude::*;
use rustc_hash::{FxHashMap, FxHashSet};

use super::super::observed::{Observed, Quantity};
use super::super::residuals::Residuals;
use super::super::robust::{centre, median};
use super::columns::DECIDES;
use super::found::{Part, Partly};
use super::limits::Limits;
use super::weigh::{State, chance};
use crate::fabric::Fabric;
use crate::model::load::{LinkId, Links};

/// Marked flows that are to meet, at least.
const LEAST: usize = 3;
/// The part of a link's flows that are marked, at least.
const SHARE: f64 = 0.25;
/// The most that are taken up.
const MOST: usize = 50;
/// A flow that loses less than its hosts usually do and this is not marked, ln.
const LOSS: f64 = 0.07;
/// Repeats that differ by less are steady, ln.
const SWING: f64 = 0.15;
/// Gains that differ by less are about the same.
const ALIKE: f64 = 3.0;

/// What a flow's hosts usually lose.
fn of_hosts(fabric: &Fabric, links: &Links, observed: &Observed, state: &State<'_>, f: usize) -> f32 {
    let mut sum = 0.0;
    for (link, _) in state.residuals.of_flow(f) {
        let egress = links.egress(link);
        let starts = !fabric.is_switch(fabric.node_of(egress));
        let ends = fabric.peer(egress).is_some_and(|far| !fabric.is_switch(fabric.node_of(far)));
        // A time crosses both links of both hosts: one of each counts.
        let counts = starts || (ends && observed.quantity == Quantity::Rate);
        if let Some(at) = state.columns.of_link(link).filter(|_| counts) {
            sum += state.usual[at];
        }
    }
    sum
}

/// Marks, and what they meet on.
pub struct Marks<'a> {
    fabric: &'a Fabric,
    links: &'a Links,
    observed: &'a Observed,
    state: &'a State<'a>,
    limits: &'a Limits,
    marked: Vec<bool>,
    /// Marked because of its repeats.
    swings: Vec<bool>,
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
        let (usual, spread) = centre(observed.swing.clone());
        let most = (usual + 6.0 * spread).max(SWING);
        let is_slow = |f: usize| {
            let rest = f64::from(
                residuals.loss[f] - state.explained[f] - of_hosts(fabric, links, observed, state, f),
            );
            rest > LOSS.max(4.0 * residuals.spread(f))
        };
        let swings: Vec<bool> = observed
            .swing
            .iter()
            .zip(&residuals.loss)
            .map(|(&swing, loss)| f64::from(swing) > most && !loss.is_nan())
            .collect();
        // What another fault explains neither speaks for nor against.
        let is_open = |f: usize| state.explained[f] == 0.0 && !residuals.loss[f].is_nan();
        let marked: Vec<bool> =
            (0..residuals.len()).into_par_iter().map(|f| is_open(f) && (swings[f] || is_slow(f))).collect();
        let count = marked.iter().filter(|&&marked| marked).count();
        let open = (0..residuals.len()).filter(|&f| is_open(f)).count();
        let part = (count + 1) as f64 / (open + 2) as f64;
        Self { fabric, links, observed, state, limits, marked, swings, part }
    }

    /// What marks meet on, the likeliest first.
    pub fn meet(mut self) -> Vec<Partly> {
        let mut out = Vec::new();
        while out.len() < MOST {
            let all = self.candidates();
            let Some(&(best, gain, flows, marked)) = all.first() else { break };
            let mine = self.flows_of(best);
            let swings = mine.iter().filter(|&&f| self.swings[f]).count();
            let mut losses: Vec<f32> = mine.iter().map(|&f| self.loss(f)).collect();
            let alike = all.iter().skip(1).filter(|other| other.1 > gain - ALIKE);
            out.push(Partly {
                part: best,
                flows,
                slow: marked,
                loss: f64::from(median(&mut losses)),
                swings: 2 * swings > mine.len(),
                instead: alike.map(|other| other.0).collect(),
                gain,
            });
            for f in mine {
                self.marked[f] = false;
            }
        }
        out
    }

    fn residuals(&self) -> &'a Residuals {
        self.state.residuals
    }

    /// The loss of a marked flow while it is slow.
    fn loss(&self, f: usize) -> f32 {
        if self.swings[f] { self.observed.swing[f] } else { self.residuals().loss[f] }
    }

    /// The marked flows of a part.
    fn flows_of(&self, part: Part) -> Vec<usize> {
        let mine = |f: &usize| self.marked[*f] && self.parts(*f).any(|own| own == part);
        (0..self.residuals().len()).filter(mine).collect()
    }

    /// The links of a flow, and the entries that lead it.
    fn parts(&self, f: usize) -> impl Iterator<Item = Part> + '_ {
        let flow = self.observed.flows[f];
        let mut starts = 0;
        self.residuals().of_flow(f).flat_map(move |(link, slack)| {
            let egress = self.links.egress(link);
            let is_start = !self.fabric.is_switch(self.fabric.node_of(egress));
            starts += u32::from(is_start);
            // Of a time the way back begins at the second host.
            let destination = if starts > 1 { flow.from } else { flow.to };
            let far = self.fabric.peer(egress).map(|port| self.fabric.node_of(port));
            let switch = far.filter(|&node| self.fabric.is_switch(node));
            let entry = switch.map(|switch| Part::Entry { switch, destination });
            [(slack < DECIDES).then_some(Part::Link(link)), entry].into_iter().flatten()
        })
    }

    /// Parts on which enough marks meet, the likeliest first: gain, flows, marked flows.
    fn candidates(&self) -> Vec<(Part, f64, usize, usize)> {
        let mut counts: FxHashMap<Part, (usize, usize)> = FxHashMap::default();
        let marked: Vec<usize> = (0..self.marked.len()).filter(|&f| self.marked[f]).collect();
        for &f in &marked {
            for part in self.parts(f) {
                counts.entry(part).or_default().1 += 1;
            }
        }
        let entries = (self.residuals().len() * self.residuals().width) as f64;
        let links = self.links.len() as f64;
        let wanted = |part: &Part| match part {
            Part::Link(_) => (SHARE, links.ln() - self.limits.chance.ln()),
            Part::Entry { .. } => (self.limits.part, entries.ln() - self.limits.chance.ln()),
        };
        // The most that so many marks can be worth: where no other flow is there.
        let can_be = |part: &Part, marked: usize| -(marked as f64) * self.part.ln() > wanted(part).1;
        counts.retain(|part, count| count.1 >= LEAST && can_be(part, count.1));
        self.count_entries(&mut counts);
        let told = counts.into_iter().filter_map(|(part, (flows, marked))| {
            let flows = match part {
                Part::Link(link) => self.open(link),
                Part::Entry { .. } => flows,
            };
            let gain = -chance(flows, marked, self.part);
            let (share, least) = wanted(&part);
            let is_told = marked as f64 >= share * flows as f64 && gain > least;
            is_told.then_some((part, gain, flows, marked))
        });
        let mut out: Vec<_> = told.collect();
        out.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
        out
    }

    /// How many flows that nothing else explains a link decides about.
    fn open(&self, link: LinkId) -> usize {
        let columns = self.state.columns;
        let flows = columns.of_link(link).into_iter().flat_map(|at| columns.decided(at));
        flows.filter(|&f| self.state.explained[f] == 0.0).count()
    }

    /// How many flows that nothing else explains are led by each entry.
    fn count_entries(&self, counts: &mut FxHashMap<Part, (usize, usize)>) {
        let asked = counts.keys().filter_map(|part| match part {
            Part::Entry { destination, .. } => Some(*destination),
            Part::Link(_) => None,
        });
        let is_asked: FxHashSet<u32> = asked.collect();
        let is_time = self.observed.quantity == Quantity::Time;
        for (f, flow) in self.observed.flows.iter().enumerate() {
            let here = is_asked.contains(&flow.to) || (is_time && is_asked.contains(&flow.from));
            if here && self.state.explained[f] == 0.0 {
                for part in self.parts(f).filter(|part| matches!(part, Part::Entry { .. })) {
                    if let Some(count) = counts.get_mut(&part) {
                        count.0 += 1;
                    }
                }
            }
        }
    }
}
