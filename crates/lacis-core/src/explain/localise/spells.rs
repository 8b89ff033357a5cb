//! Links that were slow for a time: in some rounds in a row all flows over them, before and after none.
//!
//! Rounds ran in the order of their numbers. For a loss d the likeliest rounds are those in a row whose flows gain most, the
//! segment of greatest sum (J. Bentley, "Programming pearls: algorithm design techniques", CACM 1984); for these rounds the
//! likeliest d is the mean of their flows. Both are sought in turn, from several d. Chance has as many more ways to give such
//! a gain as there are segments, so that many more suspects are assumed. A spell has to be likelier than
//! a link that was always slow, and than one that flaps: slow in as many flows, whenever they ran.
//!
//! | here     | meaning                                                                    |
//! |----------|----------------------------------------------------------------------------|
//! | `gain`   | Σ ln p(y − d) − ln p(y) over the flows in these rounds                       |
//! | `always` | the same over all flows, d being their median                               |
//! | `mixed`  | Σ ln (q p(y − d) + (1 − q) p(y)) − ln p(y) over all flows, q being the share of slow ones |

use std::ops::Range;

use rayon::prelude::*;

use super::super::observed::{ALONE, Observed};
use super::super::robust::median;
use super::found::{FaultSite, PartialFault, Spell};
use super::limits::Limits;
use super::suspects::{Suspect, SuspectFlows};
use super::usual::HostLosses;
use super::weigh::LossState;
use crate::fabric::Fabric;
use crate::model::load::Links;

/// The fewest slow flows of a spell, and the fewest flows outside it.
const LEAST: usize = 3;
/// The fewest rounds of a spell: what happens in one round alone may be that round's doing.
const ROUNDS: usize = 2;
/// The fewest slow flows of each direction, where both are slow.
const EACH: usize = 2;
/// At most this share of the flows in other rounds is slow.
const OUTSIDE: f64 = 0.2;
/// Losses with which the search begins, ln.
const BEGIN: [f64; 5] = [0.1, 0.2, 0.35, 0.6, 1.0];
/// Steps from each.
const STEPS: usize = 4;
/// A spell is by so much likelier than a link that was always slow, ln.
const ALWAYS: f64 = 10.0;
/// Gains that differ by less are about the same.
const ALIKE: f64 = 3.0;
/// The most spells that are reported.
const MOST: usize = 50;

/// A suspect that was slow for a time.
#[derive(Clone, Debug)]
struct Candidate {
    suspect: usize,
    loss: f64,
    gain: f64,
    spell: Spell,
    /// Open flows over it in these rounds.
    flows: Vec<u32>,
    /// Those that are slow.
    slow: usize,
}

/// A flow over a suspect.
#[derive(Clone, Copy)]
struct Crossing {
    flow: u32,
    round: u32,
    /// Its loss, less what its hosts usually lose.
    loss: f64,
    spread: f64,
    /// The link of the suspect that it crosses.
    member: usize,
}

/// The search for spells among flows that ran in rounds.
pub struct SpellSearch<'a> {
    fabric: &'a Fabric,
    links: &'a Links,
    observed: &'a Observed,
    columns: &'a SuspectFlows,
    state: &'a LossState<'a>,
    limits: Limits,
    hosts: HostLosses<'a>,
    /// By flow: whether no found suspect explains it.
    open: Vec<bool>,
    /// Segments of rounds.
    segments: usize,
}

impl<'a> SpellSearch<'a> {
    pub fn new(
        fabric: &'a Fabric,
        links: &'a Links,
        observed: &'a Observed,
        state: &'a LossState<'a>,
        limits: &Limits,
        open: Vec<bool>,
    ) -> Self {
        let columns = state.columns;
        let rounds = observed.rounds().filter(|(_, shares)| *shares).count();
        let segments = (rounds * (rounds + 1) / 2).max(1);
        let usual = Limits { sure: 4.0, ..*limits };
        let limits = Limits { sure: usual.sure_of(columns.len() * segments), ..usual };
        let hosts = HostLosses::new(state, &limits);
        Self { fabric, links, observed, columns, state, limits, hosts, open, segments }
    }

    /// Whether a suspect was more likely slow for a time than always.
    pub fn is_spell(&self, suspect: usize) -> bool {
        self.weigh(suspect).is_some()
    }

    /// What was slow for a time, the likeliest first; and the flows that this explains.
    pub fn spells(mut self) -> (Vec<PartialFault>, Vec<u32>) {
        let is_part = |at: &usize| !matches!(self.columns.suspects[*at], Suspect::Switch(_));
        let suspects: Vec<usize> = (0..self.columns.len()).filter(is_part).collect();
        let mut all: Vec<Candidate> = suspects.par_iter().filter_map(|&at| self.weigh(at)).collect();
        let (mut out, mut explained) = (Vec::new(), Vec::new());
        while out.len() < MOST {
            all.sort_by(|a, b| b.gain.total_cmp(&a.gain).then(a.suspect.cmp(&b.suspect)));
            let Some(best) = all.first().cloned() else { break };
            let alike = all.iter().skip(1).filter(|other| other.gain > best.gain - ALIKE);
            let alike = alike.filter(|other| other.flows.iter().any(|f| best.flows.contains(f)));
            out.push(PartialFault {
                site: FaultSite::Suspect(self.columns.suspects[best.suspect]),
                flows: best.flows.len(),
                slow: best.slow,
                share: best.slow as f64 / best.flows.len() as f64,
                loss: best.loss,
                swings: false,
                spell: Some(best.spell),
                instead: alike
                    .map(|other| FaultSite::Suspect(self.columns.suspects[other.suspect]))
                    .collect(),
                gain: best.gain,
            });
            for &f in &best.flows {
                self.open[f as usize] = false;
            }
            explained.extend(&best.flows);
            all.retain(|other| other.suspect != best.suspect);
            let again = |other: Candidate| {
                let is_touched = other.flows.iter().any(|f| best.flows.contains(f));
                if is_touched { self.weigh(other.suspect) } else { Some(other) }
            };
            all = all.into_par_iter().filter_map(again).collect();
        }
        (out, explained)
    }

    /// The open flows over a suspect that ran in rounds, in their order.
    fn crossings(&self, suspect: usize) -> Vec<Crossing> {
        let mut all = Vec::new();
        for link in self.columns.links_of(self.fabric, self.links, suspect) {
            let Some(member) = self.columns.of_link(link) else { continue };
            let kind = self.columns.kinds[member];
            let is_of_round = |&f: &usize| self.open[f] && self.observed.round[f] != ALONE;
            let flows: Vec<usize> = self.columns.decided(member).filter(is_of_round).collect();
            let odd = self.hosts.of_odd(&flows, kind);
            all.extend(flows.iter().zip(odd).map(|(&f, odd)| Crossing {
                flow: f as u32,
                round: self.observed.round[f],
                loss: f64::from(self.state.residuals.loss[f] - self.hosts.of(f, kind)) - odd,
                spread: self.state.residuals.spread(f),
                member,
            }));
        }
        all.sort_by_key(|one| (one.round, one.flow));
        all
    }

    /// A suspect as slow for a time, if it was.
    fn weigh(&self, suspect: usize) -> Option<Candidate> {
        let all = self.crossings(suspect);
        let could = all.iter().filter(|one| one.loss > self.limits.loss / 2.0).count();
        if could < LEAST || all.len() < 2 * LEAST {
            return None;
        }
        let enough = self.limits.enough(self.columns.len() * self.segments);
        // With little noise a value is likely only at a loss that is close to it: the median of the slow ones.
        let slow = all.iter().filter(|one| one.loss > self.limits.loss / 2.0);
        let typical = f64::from(median(&mut slow.map(|one| one.loss as f32).collect::<Vec<_>>()));
        let found = BEGIN.into_iter().chain([typical]).filter_map(|loss| self.from(&all, loss));
        let (rounds, loss, gain) = found.max_by(|a, b| a.2.total_cmp(&b.2))?;
        if loss < self.limits.loss || gain < enough || !self.is_clear(suspect, &all, &rounds, loss) {
            return None;
        }
        let mut losses: Vec<f32> = all.iter().map(|one| one.loss as f32).collect();
        let usual = f64::from(median(&mut losses));
        let always: f64 = if usual > 0.0 { self.gain(&all, usual) } else { 0.0 };
        let rounds_of_own = all.chunk_by(|a, b| a.round == b.round).count() as f64;
        let ways = (rounds_of_own * (rounds_of_own + 1.0) / 2.0).ln();
        if gain - ways < always + ALWAYS || gain - ways < self.mixed(&all, loss) {
            return None;
        }
        let (before, inside, after) = (&all[..rounds.start], &all[rounds.clone()], &all[rounds.end..]);
        let mut others: Vec<f32> = before.iter().chain(after).map(|one| one.loss as f32).collect();
        let is_slow = |one: &&Crossing| one.loss > loss / 2.0;
        let slow: Vec<&Crossing> = inside.iter().filter(is_slow).collect();
        let spell = Spell {
            first: slow.first()?.round,
            last: slow.last()?.round,
            before: before.last().map(|one| one.round),
            after: after.first().map(|one| one.round),
            others: others.len(),
            others_median: f64::from(median(&mut others)),
        };
        let flows = inside.iter().map(|one| one.flow).collect();
        Some(Candidate { suspect, loss, gain, spell, flows, slow: slow.len() })
    }

    /// The likeliest rounds in a row, as a range of flows, with what these lose and gain; from a loss to begin with.
    fn from(&self, all: &[Crossing], begin: f64) -> Option<(Range<usize>, f64, f64)> {
        let mut loss = begin;
        let mut best = None;
        for _ in 0..STEPS {
            let rounds = self.segment(all, loss)?;
            let inside = &all[rounds.clone()];
            let middle = f64::from(median(&mut inside.iter().map(|one| one.loss as f32).collect::<Vec<_>>()));
            let (mut sum, mut weights) = (0.0, 0.0);
            for one in inside.iter().filter(|one| (one.loss - middle).abs() < 3.0 * one.spread) {
                sum += one.loss / (one.spread * one.spread);
                weights += 1.0 / (one.spread * one.spread);
            }
            if weights == 0.0 || sum <= 0.0 {
                return best;
            }
            let mean = sum / weights;
            let gain = self.gain(inside, mean);
            best = Some((rounds, mean, gain));
            if (mean - loss).abs() < 1e-4 {
                break;
            }
            loss = mean;
        }
        best
    }

    /// The rounds in a row whose flows gain most at a loss, as a range of flows; of equal ones the first.
    fn segment(&self, all: &[Crossing], loss: f64) -> Option<Range<usize>> {
        let (mut begin, mut sum, mut at) = (0, 0.0, 0);
        let mut best: Option<(f64, Range<usize>)> = None;
        for round in all.chunk_by(|a, b| a.round == b.round) {
            if sum <= 0.0 {
                (begin, sum) = (at, 0.0);
            }
            at += round.len();
            sum += self.gain(round, loss);
            if sum > best.as_ref().map_or(0.0, |(most, _)| *most) {
                best = Some((sum, begin..at));
            }
        }
        best.map(|(_, rounds)| rounds)
    }

    fn gain(&self, flows: &[Crossing], loss: f64) -> f64 {
        let more = |one: &Crossing| {
            let surprise = |explained| self.state.surprise_at(one.loss, one.spread, explained);
            surprise(0.0) - surprise(loss)
        };
        flows.iter().map(more).sum()
    }

    /// What the flows would gain if it flapped: slow in as large a share of them, whenever they ran.
    fn mixed(&self, all: &[Crossing], loss: f64) -> f64 {
        let slow = all.iter().filter(|one| one.loss > loss / 2.0).count();
        let share = (slow as f64 / all.len() as f64).clamp(1e-3, 0.999);
        let more = |one: &Crossing| {
            let likely = |explained| (-self.state.surprise_at(one.loss, one.spread, explained)).exp();
            ((share * likely(loss) + (1.0 - share) * likely(0.0)) / likely(0.0)).ln()
        };
        all.iter().map(more).sum()
    }

    /// The share of the values of flows, each repeat by itself, that lose at least half of a loss.
    fn slow_values<'b>(&self, flows: impl Iterator<Item = &'b Crossing>, loss: f64) -> f64 {
        let (mut number, mut slow) = (0_u32, 0_u32);
        for one in flows {
            for more in self.observed.losses(one.flow as usize) {
                number += 1;
                slow += u32::from(one.loss + f64::from(more) > loss / 2.0);
            }
        }
        f64::from(slow) / f64::from(number.max(1))
    }

    /// Whether nearly all flows in these rounds are slow, hardly any other, and these two differ by more than noise; of an
    /// adapter or a cable in both directions.
    fn is_clear(&self, suspect: usize, all: &[Crossing], rounds: &Range<usize>, loss: f64) -> bool {
        let is_slow = |one: &&Crossing| one.loss > loss / 2.0;
        let inside = &all[rounds.clone()];
        let slow = inside.iter().filter(is_slow).count();
        let others = all.len() - inside.len();
        let others_slow = all.iter().filter(is_slow).count() - slow;
        let is_long = inside.chunk_by(|a, b| a.round == b.round).count() >= ROUNDS;
        if slow < LEAST || others < LEAST || !is_long {
            return false;
        }
        let share = self.limits.slow_share;
        if (slow as f64) < share * inside.len() as f64 || others_slow as f64 > OUTSIDE * others as f64 {
            return false;
        }
        // A link that flaps from repeat to repeat has rounds in which most repeats are slow by chance.
        let outside = || all[..rounds.start].iter().chain(&all[rounds.end..]);
        if self.slow_values(inside.iter(), loss) < share || self.slow_values(outside(), loss) > OUTSIDE {
            return false;
        }
        let usual = f64::from(median(&mut outside().map(|one| one.loss as f32).collect::<Vec<_>>()));
        let variance = inside.iter().map(|one| one.spread * one.spread).sum::<f64>() / inside.len() as f64;
        let noise = variance * (1.0 / inside.len() as f64 + 1.0 / others as f64);
        // Two values that are close to each other may be rounded to a step from each other.
        let step = inside.iter().map(|one| self.state.residuals.step(one.flow as usize)).sum::<f64>()
            / inside.len() as f64;
        if loss - usual - step < self.limits.sure * (self.limits.differ.powi(2) + noise).sqrt() {
            return false;
        }
        let is_both = |member: usize| {
            let own = || inside.iter().filter(|one| one.member == member);
            let slow = own().filter(is_slow).count();
            slow >= EACH && slow as f64 >= share * own().count() as f64
        };
        let members = self.columns.links_of(self.fabric, self.links, suspect);
        members.len() < 2 || members.iter().all(|&link| self.columns.of_link(link).is_some_and(is_both))
    }
}
