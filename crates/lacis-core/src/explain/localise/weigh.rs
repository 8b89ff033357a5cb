//! How much a suspect would explain, and how certain that is.

use std::f64::consts::PI;

use rayon::prelude::*;

use super::super::residuals::Residuals;
use super::super::robust::{centre, median};
use super::limits::Limits;
use super::suspects::{Kind, SuspectFlows};

/// A flow that falls short of its explained loss by more is an outlier, σ.
const FAR: f64 = 4.0;
/// Outliers are uniform within so much, ln.
const WIDE: f64 = 1.0;
/// The share of flows to which others leave more than their part of a link, as max-min sharing does.
const LEFT_MORE: f64 = 0.1;
/// The efficiency of the median absolute deviation of normal values: P. J. Huber, "Robust Statistics", 1981, section 5.1.
const EFFICIENCY: f64 = 0.37;
/// The variance of a normal sample's median over that of its mean.
const MEDIAN: f64 = 1.571;

/// What flows lose, and what found suspects explain of it.
#[derive(Clone, Debug)]
pub struct LossState<'a> {
    pub residuals: &'a Residuals,
    pub columns: &'a SuspectFlows,
    /// By flow: the loss that found suspects cause; the greatest decides.
    pub explained: Vec<f32>,
    /// By [`Kind`]: how much healthy suspects differ, ln.
    pub differ: [f64; Kind::COUNT],
    /// The same, a standard error more: what is promised of further flows is not to hang on a lucky estimate.
    pub differ_most: [f64; Kind::COUNT],
    /// By suspect: median loss of the flows for which it is decisive.
    pub usual: Vec<f32>,
    /// The shares of all flows that are outliers: far too slow, far too fast.
    pub outliers: [f64; 2],
}

/// A suspect with a loss.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Weight {
    /// What all flows over it lose, ln.
    pub loss: f64,
    /// ln of how much likelier the losses are with it than without.
    pub gain: f64,
    /// Flows that nothing else explains and for which it is decisive.
    pub open: usize,
    /// Those that lose at least half of `loss`.
    pub slow: usize,
    /// Standard deviation of `loss`: noise, and how much healthy suspects differ.
    pub error: f64,
}

impl Weight {
    pub const NOTHING: Self = Self { loss: 0.0, gain: 0.0, open: 0, slow: 0, error: f64::INFINITY };
}

impl<'a> LossState<'a> {
    pub fn new(residuals: &'a Residuals, columns: &'a SuspectFlows) -> Self {
        let explained = vec![0.0; residuals.len()];
        let sum_up = |scratch: &mut Vec<f32>, at: usize| {
            scratch.clear();
            let mut sum = 0.0;
            for f in columns.decided(at) {
                scratch.push(residuals.loss[f]);
                sum += residuals.spread(f).powi(2);
            }
            let variance = sum / scratch.len().max(1) as f64;
            (median(scratch), (scratch.len(), variance))
        };
        let (usual, noise): (Vec<f32>, Vec<_>) =
            (0..columns.len()).into_par_iter().map_init(Vec::new, sum_up).unzip();
        let differ = [0.0; Kind::COUNT];
        let mut state =
            Self { residuals, columns, explained, differ, differ_most: differ, usual, outliers: [0.0; 2] };
        state.compare(&noise);
        state.count_outliers();
        state
    }

    /// Estimates by how much healthy suspects of each kind differ: the spread of their medians, less the noise in these. Only
    /// the fast side is used, which faults do not reach. `rows`: number of flows and their variance by suspect.
    fn compare(&mut self, rows: &[(usize, f64)]) {
        for kind in [Kind::Sending, Kind::Receiving, Kind::Inner, Kind::Host, Kind::Cable, Kind::Switch] {
            let mut medians = Vec::new();
            let mut noise = Vec::new();
            for at in (0..self.columns.len()).filter(|&at| self.columns.kinds[at] == kind) {
                let (flows, variance) = rows[at];
                if flows >= 2 {
                    medians.push(self.usual[at]);
                    noise.push((MEDIAN * variance / flows as f64) as f32);
                }
            }
            let (middle, spread) = centre(medians.clone());
            medians.sort_unstable_by(f32::total_cmp);
            let low = medians.get(medians.len() / 20).map_or(0.0, |&low| f64::from(low));
            let spread = spread.max((middle - low) / 1.645);
            let noise = f64::from(median(&mut noise));
            self.differ[kind as usize] = (spread * spread - noise).max(0.0).sqrt();
            // Var s² of k normal values is 2 s⁴ ÷ k, and by their median deviation that over its efficiency.
            let error = (2.0 / (EFFICIENCY * medians.len().max(1) as f64)).sqrt();
            self.differ_most[kind as usize] = (spread * spread * (1.0 + error) - noise).max(0.0).sqrt();
        }
    }

    /// Standard deviation of the flows over a suspect, taken from its first.
    fn spread(&self, suspect: usize) -> f64 {
        self.columns.decided(suspect).next().map_or(0.0, |f| self.residuals.spread(f))
    }

    /// Estimates how many flows are outliers: far off after all that was found is taken into account.
    pub fn count_outliers(&mut self) {
        let mut far = [0_usize; 2];
        for f in 0..self.residuals.len() {
            let z = f64::from(self.residuals.loss[f] - self.explained[f]) / self.residuals.spread(f);
            far[usize::from(z < 0.0)] += usize::from(z.abs() > FAR);
        }
        // With few flows this is uncertain: count one more as far off.
        self.outliers = far.map(|far| (far + 1) as f64 / (self.residuals.len() + 2) as f64);
    }

    /// How unlikely a flow's loss is when so much of it is explained: −ln of the density of a normal value or an outlier, up to
    /// a constant.
    pub fn surprise(&self, f: usize, explained: f64) -> f64 {
        self.surprise_at(f64::from(self.residuals.loss[f]), self.residuals.spread(f), explained)
    }

    /// The same for a loss and a spread.
    pub fn surprise_at(&self, loss: f64, spread: f64, explained: f64) -> f64 {
        let z = (loss - explained) / spread;
        -((-z * z / 2.0).exp() + self.outlier(spread, usize::from(z < 0.0))).ln()
    }

    /// How unlikely a flow's loss is where it is slowed by sharing a link. Those that share with it may get less than their
    /// part by other links, and leave it more: of its loss, some flows lose half only.
    pub fn surprise_shared(&self, loss: f64, spread: f64, explained: f64) -> f64 {
        if explained <= 0.0 {
            return self.surprise_at(loss, spread, explained);
        }
        let half = explained / 2.0;
        let (z, beyond) = ((loss - explained) / spread, (loss - loss.clamp(half, explained)) / spread);
        let flat = (spread * (2.0 * PI).sqrt() / half).min(1.0) * (-beyond * beyond / 2.0).exp();
        let likely = (1.0 - LEFT_MORE) * (-z * z / 2.0).exp() + LEFT_MORE * flat;
        -(likely + self.outlier(spread, usize::from(z < 0.0))).ln()
    }

    /// Density of outliers, too slow or too fast, relative to that of the normal distribution's middle.
    pub fn outlier(&self, spread: f64, side: usize) -> f64 {
        self.outliers[side] * spread * (2.0 * PI).sqrt() / WIDE
    }

    /// The loss at which a suspect explains most, beside what is explained already.
    pub fn weigh(&self, suspect: usize, limits: &Limits, scratch: &mut Vec<f32>) -> Weight {
        if f64::from(self.usual[suspect]) < limits.loss / 2.0 {
            return Weight::NOTHING;
        }
        let loss = |f: usize| self.residuals.loss[f];
        // By the flows that nothing explains; or by all, if what explains them falls far short.
        scratch.clear();
        scratch.extend(self.columns.decided(suspect).filter(|&f| self.explained[f] == 0.0).map(loss));
        let open = scratch.len();
        let by_open =
            if open >= 2 { self.try_loss(suspect, median(scratch), limits) } else { Weight::NOTHING };
        let all = self.columns.decided(suspect).count();
        if open == all || 2 * open > all {
            return by_open;
        }
        scratch.clear();
        scratch.extend(self.columns.decided(suspect).map(|f| loss(f) - self.explained[f]));
        if scratch.len() < 2 || f64::from(median(scratch)) < 3.0 * self.spread(suspect) {
            return by_open;
        }
        scratch.clear();
        scratch.extend(self.columns.decided(suspect).map(loss));
        let by_all = self.try_loss(suspect, median(scratch), limits);
        if by_all.gain > by_open.gain { by_all } else { by_open }
    }

    fn try_loss(&self, suspect: usize, first: f32, limits: &Limits) -> Weight {
        let first = f64::from(first);
        if first < limits.loss / 2.0 {
            return Weight::NOTHING;
        }
        // The mean of those near the median is more exact than the median.
        let (mut sum, mut weights) = (0.0, 0.0);
        let open = |f: &usize| f64::from(self.explained[*f]) < first / 2.0;
        for f in self.columns.decided(suspect).filter(open) {
            let (loss, spread) = (f64::from(self.residuals.loss[f]), self.residuals.spread(f));
            if (loss - first).abs() < 3.0 * spread {
                sum += loss / (spread * spread);
                weights += 1.0 / (spread * spread);
            }
        }
        if weights == 0.0 {
            return Weight::NOTHING;
        }
        let loss = sum / weights;
        if loss < limits.loss {
            return Weight::NOTHING;
        }
        let mut gain = 0.0;
        for (f, slack) in self.columns.flows(suspect) {
            let before = f64::from(self.explained[f]);
            let after = before.max(loss - f64::from(slack));
            if after > before {
                gain += self.surprise(f, before) - self.surprise(f, after);
            }
        }
        let (open, slow) = self.slow(suspect, loss);
        let differ = self.differ[self.columns.kinds[suspect] as usize].max(limits.differ);
        Weight { loss, gain, open, slow, error: (differ * differ + 1.0 / weights).sqrt() }
    }

    /// The number of flows over a suspect that nothing else explains, and how many of them lose at least half of a loss.
    pub fn slow(&self, suspect: usize, loss: f64) -> (usize, usize) {
        let open = self.columns.decided(suspect).filter(|&f| f64::from(self.explained[f]) < loss / 2.0);
        (open.clone().count(), open.filter(|&f| f64::from(self.residuals.loss[f]) > loss / 2.0).count())
    }

    /// Adds a suspect's loss to what is explained.
    pub fn explain(&mut self, suspect: usize, loss: f64) {
        for (f, slack) in self.columns.flows(suspect) {
            self.explained[f] = self.explained[f].max(loss as f32 - slack);
        }
    }
}

/// ln of the probability that at least `k` of `n` independent events of probability `p` happen: Chernoff's bound.
pub fn chance(n: usize, k: usize, p: f64) -> f64 {
    let (n, k) = (n as f64, k as f64);
    let share = k / n;
    if n == 0.0 || share <= p {
        return 0.0;
    }
    let rest = if share < 1.0 { (1.0 - share) * ((1.0 - share) / (1.0 - p)).ln() } else { 0.0 };
    -n * (share * (share / p).ln() + rest)
}
