//! Links that flap: some of the values measured over them are slow, all by about as much.
//!
//! Each value over such a link is normal about 0 or, with probability q, about a loss d. That is weighed against all of them
//! being normal about 0, and about one other loss: a flap has two levels, a slow link one. One odd flow accuses no link: what
//! a flow adds is bounded, however many repeats it has.

use rayon::prelude::*;

use super::super::observed::Observed;
use super::super::robust::{centre, median};
use super::found::{FaultSite, PartialFault};
use super::limits::Limits;
use super::suspects::{Kind, Suspect, SuspectFlows};
use super::usual::HostLosses;
use super::weigh::{LossState, chance};

/// The fewest slow flows of a flapping link.
const LEAST: usize = 3;
/// A value more than so many σ off is slow.
const FAR: f64 = 3.0;
/// What one flow adds at most: the odds, ln, of a flow that is odd for another reason.
const ODD: f64 = 5.0;
/// A link that is slow in less than this share of its values may have met a few outliers more than others; one that is in all
/// but this share is no flap if it may be slow always.
const SELDOM: f64 = 0.1;
/// Two levels are at least so many σ apart,
const APART: f64 = 2.0;
/// and by so much likelier than one level, ln.
const TWO: f64 = 10.0;
/// Steps towards the likeliest q and d.
const STEPS: usize = 12;
/// Gains that differ by less are about the same.
const ALIKE: f64 = 3.0;
/// The most flaps that are reported.
const MOST: usize = 50;

/// A link that is slow some of the time.
#[derive(Clone, Debug)]
struct Flap {
    suspect: usize,
    loss: f64,
    share: f64,
    gain: f64,
    flows: usize,
    /// Flows whose losses are likelier with it than without.
    slow: Vec<u32>,
}

/// The search for flaps among all values.
pub struct FlapSearch<'a> {
    observed: &'a Observed,
    columns: &'a SuspectFlows,
    state: &'a LossState<'a>,
    limits: &'a Limits,
    /// By flow: whether no found suspect explains it.
    open: Vec<bool>,
    hosts: HostLosses<'a>,
    /// Standard deviation of a value, ln, beside that of the medians of flows.
    factor: f64,
    /// The share of all values that are far too slow.
    outliers: f64,
}

impl<'a> FlapSearch<'a> {
    pub fn new(
        observed: &'a Observed,
        columns: &'a SuspectFlows,
        state: &'a LossState<'a>,
        limits: &'a Limits,
        open: Vec<bool>,
    ) -> Self {
        let residuals = state.residuals;
        let hosts = HostLosses::new(state, limits);
        let mut all = Self { observed, columns, state, limits, open, hosts, factor: 1.0, outliers: 0.0 };
        let each = |f: usize| all.of(f, Kind::Inner).map(move |value| (value / residuals.spread(f)) as f32);
        let values: Vec<f32> = (0..residuals.len()).filter(|&f| all.open[f]).flat_map(each).collect();
        let (_, factor) = centre(values.clone());
        let factor = factor.max(1.0);
        let far = values.iter().filter(|&&z| f64::from(z) > FAR * factor).count();
        all.outliers = (far + 1) as f64 / (values.len() + 2) as f64;
        all.factor = factor;
        all
    }

    /// The losses of a flow's values; of links between switches less what the flow's hosts usually lose.
    fn of(&self, flow: usize, kind: Kind) -> impl Iterator<Item = f64> + Clone + '_ {
        let middle = self.state.residuals.loss[flow] - self.hosts.of(flow, kind);
        self.observed.losses(flow).map(move |loss| f64::from(middle + loss))
    }

    /// Whether a link is more likely slow at times than always.
    pub fn is_flap(&self, suspect: usize) -> bool {
        self.weigh(suspect).is_some_and(|flap| {
            flap.gain > self.limits.enough(self.columns.len()) && (SELDOM..1.0 - SELDOM).contains(&flap.share)
        })
    }

    /// Links that flap, the likeliest first.
    pub fn flaps(mut self) -> Vec<PartialFault> {
        let links: Vec<usize> = (0..self.columns.len())
            .filter(|&at| matches!(self.columns.suspects[at], Suspect::Link(_)))
            .collect();
        let enough = self.limits.enough(self.columns.len());
        let mut all: Vec<Flap> = links.par_iter().filter_map(|&at| self.weigh(at)).collect();
        all.retain(|flap| flap.gain > enough);
        let mut out = Vec::new();
        while out.len() < MOST {
            all.sort_by(|a, b| b.gain.total_cmp(&a.gain).then(a.suspect.cmp(&b.suspect)));
            let Some(best) = all.first().cloned() else { break };
            let alike = all.iter().skip(1).filter(|other| other.gain > best.gain - ALIKE);
            let alike = alike.filter(|other| other.slow.iter().any(|f| best.slow.contains(f)));
            let instead = alike.filter_map(|other| self.site(other.suspect)).collect();
            let kind = self.columns.kinds[best.suspect];
            let swings = best.slow.iter().filter(|&&f| self.swings(f as usize, kind, best.loss)).count();
            if let Some(site) = self.site(best.suspect) {
                out.push(PartialFault {
                    site,
                    flows: best.flows,
                    slow: best.slow.len(),
                    share: best.share,
                    loss: best.loss,
                    swings: 2 * swings > best.slow.len(),
                    spell: None,
                    instead,
                    gain: best.gain,
                });
            }
            for &f in &best.slow {
                self.open[f as usize] = false;
            }
            all.retain(|flap| flap.suspect != best.suspect);
            all = all.into_par_iter().filter_map(|flap| self.weigh_again(flap, &best.slow)).collect();
            all.retain(|flap| flap.gain > enough);
        }
        out
    }

    fn site(&self, suspect: usize) -> Option<FaultSite> {
        match self.columns.suspects[suspect] {
            link @ Suspect::Link(_) => Some(FaultSite::Suspect(link)),
            _ => None,
        }
    }

    fn weigh_again(&self, flap: Flap, explained: &[u32]) -> Option<Flap> {
        let is_touched = flap.slow.iter().any(|f| explained.contains(f));
        if is_touched { self.weigh(flap.suspect) } else { Some(flap) }
    }

    /// Whether a flow is slow in some of its repeats and not in others.
    fn swings(&self, flow: usize, kind: Kind, loss: f64) -> bool {
        let slow = self.of(flow, kind).filter(|&value| value > loss / 2.0).count();
        slow > 0 && slow < self.of(flow, kind).count()
    }

    /// A link as a flap, if it may be one.
    fn weigh(&self, suspect: usize) -> Option<Flap> {
        let kind = self.columns.kinds[suspect];
        let flows: Vec<usize> = self.columns.decided(suspect).filter(|&f| self.open[f]).collect();
        let spread = |f: usize| self.state.residuals.spread(f) * self.factor;
        let odd = self.hosts.of_odd(&flows, kind);
        let mut far: Vec<f32> = Vec::new();
        let (mut number, mut slow) = (0, 0);
        for (&f, odd) in flows.iter().zip(&odd) {
            let before = far.len();
            let losses = self.of(f, kind).map(|value| value - odd);
            far.extend(losses.filter(|value| *value > FAR * spread(f)).map(|value| value as f32));
            number += self.observed.starts[f + 1] - self.observed.starts[f];
            slow += usize::from(far.len() > before);
        }
        if slow < LEAST || -chance(number, far.len(), self.outliers) < LEAST as f64 {
            return None;
        }
        let values: Vec<(f64, f64, usize)> = (0..)
            .zip(flows.iter().zip(&odd))
            .flat_map(|(at, (&f, odd))| self.of(f, kind).map(move |value| (value - odd, spread(f), at)))
            .collect();
        let normal =
            |value: f64, middle: f64, spread: f64| (-((value - middle) / spread).powi(2) / 2.0).exp();
        let mut loss = f64::from(median(&mut far));
        let mut share = far.len() as f64 / number as f64;
        for _ in 0..STEPS {
            let (mut sum, mut weights, mut slow) = (0.0, 0.0, 0.0);
            for &(value, spread, _) in &values {
                let at = share * normal(value, loss, spread);
                let p = at / (at + (1.0 - share) * normal(value, 0.0, spread) + self.outlier(spread));
                sum += p * value / (spread * spread);
                weights += p / (spread * spread);
                slow += p;
            }
            if weights == 0.0 {
                return None;
            }
            loss = sum / weights;
            share = (slow / number as f64).clamp(1e-3, 0.95);
        }
        let level = f64::from(median(&mut values.iter().map(|value| value.0 as f32).collect::<Vec<_>>()));
        let wide = values.iter().map(|value| value.1).sum::<f64>() / number as f64;
        let (mut gains, mut rivals) = (vec![0.0; flows.len()], vec![0.0; flows.len()]);
        for &(value, spread, at) in &values {
            let outlier = self.outlier(spread);
            let without = (normal(value, 0.0, spread) + outlier).ln();
            let both = share * normal(value, loss, spread) + (1.0 - share) * normal(value, 0.0, spread);
            gains[at] += (both + outlier).ln() - without;
            rivals[at] += (normal(value, level, spread) + outlier).ln() - without;
        }
        let slow: Vec<u32> =
            flows.iter().zip(&gains).filter(|&(_, &gain)| gain > 0.0).map(|(&f, _)| f as u32).collect();
        let gain = gains.iter().map(|gain| gain.min(ODD)).sum::<f64>();
        let has_two = loss > APART * wide && gains.iter().sum::<f64>() > rivals.iter().sum::<f64>() + TWO;
        let is_flap = slow.len() >= LEAST && share >= SELDOM && loss > self.limits.loss && has_two;
        is_flap.then_some(Flap { suspect, loss, share, gain, flows: flows.len(), slow })
    }

    fn outlier(&self, spread: f64) -> f64 {
        self.outliers * spread * (2.0 * std::f64::consts::PI).sqrt()
    }
}
