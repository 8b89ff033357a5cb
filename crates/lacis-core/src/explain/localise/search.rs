//! The search for the set of suspects that explains most.

#[cfg(test)]
mod tests;

use std::cmp::Ordering;
use std::collections::BinaryHeap;

use rayon::prelude::*;

use super::super::fitness::Fitness;
use super::super::residuals::Residuals;
use super::super::robust::median;
use super::found::{ASKED, FoundSuspect, Located};
use super::limits::Limits;
use super::sight::{Sight, times};
use super::suspects::{Kind, Suspect, SuspectFlows};
use super::weigh::{LossState, Weight};
use crate::fabric::Fabric;
use crate::model::load::{LinkId, Links};

/// The most suspects that are found.
const MOST: usize = 1000;
/// Passes over what was found.
const PASSES: usize = 4;
/// Gains that differ by less are about the same: odds of e³ = 20.
const ALIKE: f64 = 3.0;
/// A suspect in the queue: the greatest gain first, of equal ones the first suspect.
#[derive(Debug, PartialEq)]
struct Queued {
    gain: f64,
    suspect: usize,
    /// How much was found when it was weighed.
    found: usize,
}

impl Eq for Queued {}

impl Ord for Queued {
    fn cmp(&self, other: &Self) -> Ordering {
        self.gain.total_cmp(&other.gain).then(other.suspect.cmp(&self.suspect))
    }
}

impl PartialOrd for Queued {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

pub struct Search<'a> {
    fabric: &'a Fabric,
    links: &'a Links,
    pub columns: &'a SuspectFlows,
    limits: Limits,
    pub state: LossState<'a>,
    /// Suspects and their losses, in the order in which they were found.
    found: Vec<(usize, f64)>,
}

impl<'a> Search<'a> {
    pub fn new(
        fabric: &'a Fabric,
        links: &'a Links,
        residuals: &'a Residuals,
        columns: &'a SuspectFlows,
        limits: Limits,
    ) -> Self {
        let state = LossState::new(residuals, columns);
        Self { fabric, links, columns, limits, state, found: Vec::new() }
    }

    /// Finds suspects until a pass changes nothing.
    pub fn run(&mut self) {
        for _ in 0..PASSES {
            let before = self.found.len();
            self.greedy();
            let grown = self.found.len() > before;
            if !self.revise() && !grown {
                break;
            }
            // Flows that are explained are no outliers, so fewer are assumed and the rest is judged more exactly.
            self.state.count_outliers();
        }
    }

    /// Whether a weight is enough for a suspect to be found.
    fn is_sure(&self, suspect: usize, weight: &Weight) -> bool {
        weight.is_sure(&self.limits) && self.is_likely(suspect, weight)
    }

    /// Whether it is slow on most of its flows, disregarding how much healthy suspects differ.
    fn is_likely(&self, suspect: usize, weight: &Weight) -> bool {
        if weight.loss < self.limits.loss || !self.is_slow_all_over(suspect, weight.loss) {
            return false;
        }
        weight.slow as f64 >= self.limits.slow_share * weight.likely && weight.gain > self.enough()
    }

    /// The least gain of a suspect: in few measurements does chance give any suspect as much.
    pub fn enough(&self) -> f64 {
        self.limits.enough(self.columns.len())
    }

    /// Whether a host or cable is slow in both directions, a switch on most of the links that lead to it. Otherwise one of
    /// these links is to blame.
    fn is_slow_all_over(&self, suspect: usize, loss: f64) -> bool {
        let links = self.columns.links_of(self.fabric, self.links, suspect);
        if links.len() < 2 {
            return true;
        }
        let (mut slow, mut judged) = (0, 0);
        for member in links.into_iter().filter_map(|link| self.columns.of_link(link)) {
            let (open, own, likely) = self.state.slow(member, loss);
            if open >= 3 {
                judged += 1;
                slow += usize::from(own as f64 >= self.limits.slow_share * likely);
            }
        }
        match self.columns.suspects[suspect] {
            Suspect::Host(_) | Suspect::Cable(_) => slow == 2,
            _ => 10 * slow >= 8 * judged && slow >= 2,
        }
    }

    fn weigh(&self, suspect: usize) -> Weight {
        self.state.weigh(suspect, &self.limits, &mut Vec::new())
    }

    fn greedy(&mut self) {
        let all: Vec<usize> = (0..self.columns.len()).collect();
        let gains: Vec<f64> = all
            .par_iter()
            .map_init(Vec::new, |scratch, &suspect| self.state.weigh(suspect, &self.limits, scratch).gain)
            .collect();
        let queued =
            |(suspect, &gain): (usize, &f64)| (gain > 0.0).then_some(Queued { gain, suspect, found: 0 });
        let mut queue: BinaryHeap<Queued> = gains.iter().enumerate().filter_map(queued).collect();
        while let Some(top) = queue.pop() {
            if self.found.len() == MOST {
                break;
            }
            if top.found == self.found.len() {
                let weight = self.weigh(top.suspect);
                if self.is_sure(top.suspect, &weight) {
                    self.state.explain(top.suspect, weight.loss);
                    self.found.push((top.suspect, weight.loss));
                }
                continue;
            }
            let gain = self.weigh(top.suspect).gain;
            if gain > 0.0 {
                queue.push(Queued { gain, suspect: top.suspect, found: self.found.len() });
            }
        }
    }

    /// How unlikely the losses are with what was found, plus the least gain of each suspect. Sets of suspects are compared by
    /// this, at one share of outliers.
    pub fn cost(&self, outliers: [f64; 2]) -> f64 {
        let mut state = self.state.clone();
        state.outliers = outliers;
        let routed = (0..state.residuals.len()).filter(|&f| !state.residuals.loss[f].is_nan());
        let losses: f64 = routed.map(|f| state.surprise(f, f64::from(state.explained[f]))).sum();
        losses + self.enough() * self.found.len() as f64
    }

    /// The greatest gain of a found suspect that explains one of these flows.
    pub fn gain_over(&mut self, flows: &[u32]) -> f64 {
        let mut greatest = 0.0_f64;
        for at in 0..self.found.len() {
            let suspect = self.found[at].0;
            if flows.iter().any(|&f| self.columns.flows(suspect).any(|(own, _)| own == f as usize)) {
                self.without(at);
                greatest = greatest.max(self.weigh(suspect).gain);
            }
        }
        self.without(usize::MAX);
        greatest
    }

    /// The links that were found, by their index in what was found.
    pub fn found_links(&self) -> Vec<(usize, usize)> {
        let all = self.found.iter().map(|found| found.0).enumerate();
        all.filter(|&(_, at)| matches!(self.columns.suspects[at], Suspect::Link(_))).collect()
    }

    /// The links, adapters and cables that were found, by their index in what was found.
    pub fn found_parts(&self) -> Vec<(usize, usize)> {
        let all = self.found.iter().map(|found| found.0).enumerate();
        all.filter(|&(_, at)| !matches!(self.columns.suspects[at], Suspect::Switch(_))).collect()
    }

    /// The links of all that was found, with what they lose, ln; of several losses the greatest.
    pub fn found_losses(&self) -> Vec<(LinkId, f64)> {
        let mut all: Vec<(LinkId, f64)> = Vec::new();
        for &(suspect, loss) in &self.found {
            let links = self.columns.links_of(self.fabric, self.links, suspect);
            all.extend(links.into_iter().map(|link| (link, loss)));
        }
        all.sort_unstable_by(|a, b| a.0.cmp(&b.0).then(b.1.total_cmp(&a.1)));
        all.dedup_by_key(|one| one.0);
        all
    }

    /// Takes back what was found at some indices.
    pub fn take_back(&mut self, indices: &[usize]) {
        let mut index = 0;
        self.found.retain(|_| {
            index += 1;
            !indices.contains(&(index - 1))
        });
        self.without(usize::MAX);
    }

    /// By flow: whether no found suspect but the one at this index explains it.
    pub fn open_without(&mut self, index: usize) -> Vec<bool> {
        self.without(index);
        let is_open = |(&loss, &explained): (&f32, &f32)| explained == 0.0 && !loss.is_nan();
        let open = self.state.residuals.loss.iter().zip(&self.state.explained).map(is_open).collect();
        self.without(usize::MAX);
        open
    }

    /// Explains flows by all suspects found except one.
    fn without(&mut self, left_out: usize) {
        self.state.explained.fill(0.0);
        for (at, &(suspect, loss)) in self.found.iter().enumerate() {
            if at != left_out {
                self.state.explain(suspect, loss);
            }
        }
    }

    /// Weighs each suspect beside the others: it is removed when no longer needed, or replaced by one that explains more.
    /// Returns whether anything changed.
    fn revise(&mut self) -> bool {
        let mut changed = false;
        let mut at = 0;
        while at < self.found.len() {
            self.without(at);
            let (suspect, before) = self.found[at];
            let likely = |(rival, weight): &(usize, Weight)| self.is_likely(*rival, weight);
            let rivals: Vec<_> = self.rivals(suspect).into_iter().filter(likely).collect();
            // An unsure suspect that explains clearly more keeps others from being blamed for it.
            let least = rivals.first().map_or(0.0, |(_, weight)| weight.gain - ALIKE);
            let mut sure = rivals.into_iter().take_while(|(_, weight)| weight.gain >= least);
            if let Some((rival, weight)) = sure.find(|(_, weight)| weight.is_sure(&self.limits)) {
                changed |= rival != suspect || (weight.loss - before).abs() > 1e-6;
                self.found[at] = (rival, weight.loss);
                at += 1;
            } else {
                self.found.remove(at);
                changed = true;
            }
        }
        self.without(usize::MAX);
        changed
    }

    /// A suspect and those that share most of its slow flows, the greatest gain first.
    fn rivals(&self, suspect: usize) -> Vec<(usize, Weight)> {
        let own = self.weigh(suspect);
        let is_open = |f: &usize| f64::from(self.state.explained[*f]) < own.loss / 2.0;
        let is_slow = |f: &usize| f64::from(self.state.residuals.loss[*f]) > own.loss / 2.0;
        let mut met: Vec<usize> = Vec::new();
        for f in self.columns.decided(suspect).filter(is_open).filter(is_slow).take(64) {
            let links = self.state.residuals.of_flow(f);
            let mut here: Vec<usize> =
                links.flat_map(|(link, _)| self.columns.with_link(self.fabric, self.links, link)).collect();
            here.sort_unstable();
            here.dedup();
            met.extend(here);
        }
        met.sort_unstable();
        let wanted = own.slow.min(64) / 2;
        let chunks = met.chunk_by(|a, b| a == b).filter(|chunk| chunk.len() > wanted);
        let mut others: Vec<usize> = chunks.map(|chunk| chunk[0]).filter(|&at| at != suspect).collect();
        others.push(suspect);
        let weighed = |other: usize| (other, self.weigh(other));
        let mut all: Vec<_> =
            others.into_iter().map(weighed).filter(|(_, weight)| weight.gain > 0.0).collect();
        // Among equals the found suspect comes first.
        all.sort_by(|a, b| {
            b.1.gain.total_cmp(&a.1.gain).then((a.0 != suspect).cmp(&(b.0 != suspect))).then(a.0.cmp(&b.0))
        });
        all
    }

    /// Describes each suspect that was found, and leaves flows explained by all of them.
    pub fn report(&mut self) -> Located {
        let mut found = Vec::new();
        for at in 0..self.found.len() {
            self.without(at);
            found.extend(self.describe(self.found[at].0));
        }
        self.without(usize::MAX);
        found.sort_by(|a: &FoundSuspect, b: &FoundSuspect| {
            b.gain.total_cmp(&a.gain).then(a.suspect.cmp(&b.suspect))
        });
        let kinds = [Kind::Sending, Kind::Receiving, Kind::Inner];
        let (visible, times) = self.visible();
        Located {
            found,
            partial: Vec::new(),
            links: self.columns.kinds.iter().filter(|kind| kinds.contains(kind)).count(),
            visible,
            times,
            groups: Vec::new(),
            fitness: Fitness::default(),
            unexplained: self.unexplained(),
            differ: kinds.map(|kind| self.state.differ[kind as usize].deviation),
        }
    }

    fn describe(&self, suspect: usize) -> Option<FoundSuspect> {
        let rivals = self.rivals(suspect);
        let &(_, own) = rivals.iter().find(|(at, _)| *at == suspect)?;
        let alike: Vec<_> = rivals.iter().filter(|(_, weight)| weight.gain > own.gain - ALIKE).collect();
        let sum: f64 = alike.iter().map(|(_, weight)| (weight.gain - own.gain).exp()).sum();
        let mut instead: Vec<(Suspect, f64)> = vec![(self.columns.suspects[suspect], 1.0 / sum)];
        let others = alike.iter().filter(|(at, _)| *at != suspect);
        instead.extend(
            others.map(|(at, weight)| (self.columns.suspects[*at], (weight.gain - own.gain).exp() / sum)),
        );
        let loss = |f: usize| self.state.residuals.loss[f];
        let is_open = |f: &usize| f64::from(self.state.explained[*f]) < own.loss / 2.0;
        let mut crossing: Vec<f32> = self.columns.decided(suspect).filter(is_open).map(loss).collect();
        let mut beside = self.beside(suspect);
        Some(FoundSuspect {
            suspect: self.columns.suspects[suspect],
            loss: own.loss,
            error: own.error,
            flows: own.open,
            slow: own.slow,
            median: f64::from(median(&mut crossing)),
            beside: beside.len(),
            beside_median: f64::from(median(&mut beside)),
            instead,
            gain: own.gain,
        })
    }

    /// Losses of unexplained flows that share a link with flows over a suspect but do not cross it.
    fn beside(&self, suspect: usize) -> Vec<f32> {
        let residuals = self.state.residuals;
        let mut crosses = vec![false; residuals.len()];
        let mut links: Vec<u32> = Vec::new();
        for (f, _) in self.columns.flows(suspect) {
            crosses[f] = true;
            links.extend(residuals.of_flow(f).map(|(link, _)| link));
        }
        links.sort_unstable();
        links.dedup();
        let mut out = Vec::new();
        for link in links {
            let at = self.columns.with_link(self.fabric, self.links, link).next();
            for f in at.into_iter().flat_map(|at| self.columns.decided(at)) {
                if !crosses[f] && self.state.explained[f] == 0.0 {
                    crosses[f] = true;
                    out.push(residuals.loss[f]);
                }
            }
        }
        out
    }

    /// For each loss of [`ASKED`]: the number of links on which it would have been found, and how many times as many flows find
    /// it nine times in ten.
    fn visible(&self) -> (Vec<usize>, Vec<Option<f64>>) {
        let is_link = |&at: &usize| matches!(self.columns.suspects[at], Suspect::Link(_));
        let links: Vec<usize> = (0..self.columns.len()).filter(is_link).collect();
        let each: Vec<Sight> = links.par_iter().map(|&at| self.sight(at)).collect();
        let limits = (&self.limits, self.enough());
        let count = |at: usize| each.iter().filter(|sight| sight.is_seen(at, limits)).count();
        ((0..ASKED.len()).map(count).collect(), (0..ASKED.len()).map(|at| times(&each, at, limits)).collect())
    }

    /// What the flows over a link would show of losses on it.
    fn sight(&self, at: usize) -> Sight {
        let own = self.state.differ[self.columns.kinds[at] as usize];
        let differ = own.deviation.max(self.limits.differ);
        let (differ_most, uncertain) = (own.most().max(differ), own.uncertain);
        let mut sight =
            Sight { differ, differ_most, uncertain, weights: 0.0, rounding: 0.0, gains: [0.0; ASKED.len()] };
        for f in self.columns.decided(at).filter(|&f| self.state.explained[f] == 0.0) {
            let spread = self.state.residuals.spread(f);
            sight.add(spread, self.state.outlier(spread, 0), self.state.residuals.step(f) / 2.0);
        }
        sight
    }

    fn unexplained(&self) -> Vec<u32> {
        let residuals = self.state.residuals;
        let is_slow = |f: usize| {
            let rest = f64::from(residuals.loss[f] - self.state.explained[f]);
            rest > self.limits.loss && rest > 5.0 * residuals.spread(f)
        };
        (0..residuals.len()).filter(|&f| is_slow(f)).map(|f| f as u32).collect()
    }
}
