//! How much a suspect would explain, and how certain that is.

use std::f64::consts::PI;

use rayon::prelude::*;

use super::super::residuals::Residuals;
use super::super::robust::median;
use super::differ::{Difference, Level};
use super::limits::Limits;
use super::sight::normal;
use super::suspects::{Kind, SuspectFlows};

/// A flow that falls short of its explained loss by more is an outlier, σ.
const FAR: f64 = 4.0;
/// Outliers are uniform within so much, ln.
const WIDE: f64 = 1.0;
/// The share of flows to which others leave more than their part of a link, as max-min sharing does.
const LEFT_MORE: f64 = 0.1;
/// The share of flows that lose what their link does, of those to which others may leave more than their part of it.
const LOSE: f64 = 0.5;
/// Flows that are farther from the median, σ, do not enter a mean.
const NEAR: f64 = 3.0;

/// What flows lose, and what found suspects explain of it.
#[derive(Clone, Debug)]
pub struct LossState<'a> {
    pub residuals: &'a Residuals,
    pub columns: &'a SuspectFlows,
    /// By flow: the loss that found suspects cause; the greatest decides.
    pub explained: Vec<f32>,
    /// By [`Kind`]: how much healthy suspects differ, ln.
    pub differ: [Difference; Kind::COUNT],
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
    /// How many would by noise, if all lost `loss`.
    pub likely: f64,
    /// Standard deviation of `loss`: noise, and how much healthy suspects differ.
    pub error: f64,
    /// The degrees of freedom of `error`, which is an estimate.
    pub freedom: f64,
    /// What rounding may add to `loss`.
    pub rounding: f64,
}

impl Weight {
    pub const NOTHING: Self = Self {
        loss: 0.0,
        gain: 0.0,
        open: 0,
        slow: 0,
        likely: 0.0,
        error: f64::INFINITY,
        freedom: 0.0,
        rounding: 0.0,
    };

    /// Whether it loses more than noise, differences of healthy suspects and rounding may feign.
    pub fn is_sure(&self, limits: &Limits) -> bool {
        self.loss - self.rounding >= limits.sure_by(self.freedom) * self.error
    }
}

impl<'a> LossState<'a> {
    pub fn new(residuals: &'a Residuals, columns: &'a SuspectFlows) -> Self {
        let explained = vec![0.0; residuals.len()];
        let sum_up = |scratch: &mut Vec<f32>, at: usize| {
            scratch.clear();
            scratch.extend(columns.decided(at).map(|f| residuals.loss[f]));
            let middle = median(scratch);
            let (mut flows, mut loss, mut variance) = (0, 0.0, 0.0);
            for f in columns.decided(at) {
                let spread = residuals.spread(f);
                if f64::from((residuals.loss[f] - middle).abs()) < NEAR * spread {
                    flows += 1;
                    loss += f64::from(residuals.loss[f]);
                    variance += spread * spread;
                }
            }
            let number = flows.max(1) as f64;
            (middle, Level { loss: loss / number, flows, variance: variance / number })
        };
        let (usual, levels): (Vec<f32>, Vec<Level>) =
            (0..columns.len()).into_par_iter().map_init(Vec::new, sum_up).unzip();
        let differ = [Difference::default(); Kind::COUNT];
        let mut state = Self { residuals, columns, explained, differ, usual, outliers: [0.0; 2] };
        state.compare(&levels);
        state.count_outliers();
        state
    }

    /// Estimates by how much healthy suspects of each kind differ, from what the flows over each lose.
    fn compare(&mut self, levels: &[Level]) {
        for kind in [Kind::Sending, Kind::Receiving, Kind::Inner, Kind::Host, Kind::Cable, Kind::Switch] {
            let own =
                levels.iter().zip(&self.columns.kinds).filter(|&(level, &of)| of == kind && level.flows >= 2);
            let own: Vec<Level> = own.map(|(level, _)| *level).collect();
            let mut losses: Vec<f32> = own.iter().map(|level| level.loss as f32).collect();
            let usual = f64::from(median(&mut losses));
            self.differ[kind as usize] = Difference::of(&own, usual);
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
        let (mut sum, mut weights, mut rounding) = (0.0, 0.0, 0.0);
        let open = |f: &usize| f64::from(self.explained[*f]) < first / 2.0;
        for f in self.columns.decided(suspect).filter(open) {
            let (loss, spread) = (f64::from(self.residuals.loss[f]), self.residuals.spread(f));
            if (loss - first).abs() < NEAR * spread {
                let weight = 1.0 / (spread * spread);
                sum += loss * weight;
                rounding += self.residuals.step(f) / 2.0 * weight;
                weights += weight;
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
        for (f, slack, tells) in self.columns.cells(suspect) {
            let before = f64::from(self.explained[f]);
            let after = before.max(loss - f64::from(slack));
            if after > before {
                let own = self.surprise(f, before) - self.surprise(f, after);
                // Others may leave it as much as it would lose.
                let by_half = |gain: f64| ((1.0 - LOSE) + LOSE * gain.exp()).ln();
                gain += if tells { own } else { by_half(own) };
            }
        }
        let (open, slow, likely) = self.slow(suspect, loss);
        let differ = self.differ[self.columns.kinds[suspect] as usize];
        let variance = differ.deviation.max(limits.differ).powi(2) + 1.0 / weights;
        let freedom = 2.0 * variance * variance / differ.uncertain;
        Weight {
            loss,
            gain,
            open,
            slow,
            likely,
            error: variance.sqrt(),
            freedom,
            rounding: rounding / weights,
        }
    }

    /// The number of flows over a suspect that nothing else explains, how many of them lose at least half of a loss, and how
    /// many would by noise, if all lost it.
    pub fn slow(&self, suspect: usize, loss: f64) -> (usize, usize, f64) {
        let open = self.columns.decided(suspect).filter(|&f| f64::from(self.explained[f]) < loss / 2.0);
        let slow = open.clone().filter(|&f| f64::from(self.residuals.loss[f]) > loss / 2.0).count();
        let likely = open.clone().map(|f| normal(loss / 2.0 / self.residuals.spread(f))).sum();
        (open.count(), slow, likely)
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
