//! Which losses would have shown on a link, and how many flows show them.
//!
//! A loss d is found where its estimate is at least `sure` errors e beyond what rounding may add, e² = τ² + σ² ÷ flows. The estimate is normal about d with
//! that error, so it is found with probability Φ((d − `sure` · e) ÷ e): the recall is the mean of this over the links.

use super::found::ASKED;
use super::limits::Limits;

/// The share of faults that are to be found.
const RECALL: f64 = 0.9;
/// More than so many times as many flows are no number to measure.
const MOST: f64 = 64.0;
/// Steps of the search for the fewest flows.
const STEPS: usize = 30;

/// The flows over a link, as a loss on it would show in them.
#[derive(Clone, Copy, Debug)]
pub struct Sight {
    /// τ: how much healthy links of its kind differ, ln.
    pub differ: f64,
    /// The same, a standard error more.
    pub differ_most: f64,
    /// The variance of the estimate of τ².
    pub uncertain: f64,
    /// Σ 1 ÷ σ² over its flows.
    pub weights: f64,
    /// Σ of what rounding may add to a flow's loss ÷ σ².
    pub rounding: f64,
    /// For each loss of [`ASKED`]: what its flows would gain.
    pub gains: [f64; ASKED.len()],
}

/// A share of the rate as a loss, ln.
fn loss(at: usize) -> f64 {
    -(1.0 - ASKED[at]).ln()
}

impl Sight {
    /// Adds a flow of this spread; `outlier`: the density of outliers, `rounding`: what that may add to its loss.
    pub fn add(&mut self, spread: f64, outlier: f64, rounding: f64) {
        self.weights += spread.powi(-2);
        self.rounding += rounding * spread.powi(-2);
        for (at, gain) in self.gains.iter_mut().enumerate() {
            // A flow that loses so much would add so much: half of it is noise.
            let likely = (-(loss(at) / spread).powi(2) / 2.0).exp() + outlier;
            *gain += ((1.0 + outlier) / likely).ln() - 0.5;
        }
    }

    /// Whether a loss would have been found, on average. `limits`: the thresholds, and the least gain.
    pub fn is_seen(&self, at: usize, (limits, enough): (&Limits, f64)) -> bool {
        loss(at) >= self.least(Self::error(self.differ, self.weights), limits) && self.gains[at] > enough
    }

    /// The least loss that is found with this error.
    fn least(&self, error: f64, limits: &Limits) -> f64 {
        let freedom = 2.0 * error.powi(4) / self.uncertain;
        limits.sure_by(freedom) * error + self.rounding / self.weights
    }

    /// The standard error of a loss.
    fn error(differ: f64, weights: f64) -> f64 {
        (differ * differ + 1.0 / weights).sqrt()
    }

    /// The probability that a loss is found in so many times as many flows.
    fn chance(&self, at: usize, times: f64, (limits, enough): (&Limits, f64)) -> f64 {
        let error = Self::error(self.differ_most, times * self.weights);
        let least = self.least(error, limits).max(limits.loss);
        // A gain of g has a standard deviation of √(2 g).
        let gain = times * self.gains[at].max(0.0);
        normal((loss(at) - least) / error).min(normal((gain - enough) / (2.0 * gain).sqrt().max(1e-9)))
    }
}

/// How many times as many flows find a loss nine times in ten, on the mean of the links that any flow shows: 1 where these do,
/// none where no number does.
pub fn times(links: &[Sight], at: usize, limits: (&Limits, f64)) -> Option<f64> {
    let shown = || links.iter().filter(|link| link.weights > 0.0);
    let number = shown().count();
    let recall = |times: f64| shown().map(|link| link.chance(at, times, limits)).sum::<f64>() / number as f64;
    if number == 0 || recall(MOST) < RECALL {
        return None;
    }
    if recall(1.0) >= RECALL {
        return Some(1.0);
    }
    let (mut low, mut high) = (1.0, MOST);
    for _ in 0..STEPS {
        let middle = f64::midpoint(low, high);
        if recall(middle) < RECALL { low = middle } else { high = middle }
    }
    Some(high)
}

/// The normal distribution function, within 10⁻⁷: M. Abramowitz, I. Stegun, "Handbook of Mathematical Functions", 26.2.17.
pub(super) fn normal(z: f64) -> f64 {
    let t = 1.0 / (1.0 + 0.231_641_9 * z.abs());
    let terms = [0.319_381_530, -0.356_563_782, 1.781_477_937, -1.821_255_978, 1.330_274_429];
    let sum = terms.iter().rev().fold(0.0, |sum, term| (sum + term) * t);
    let beyond = (-z * z / 2.0).exp() / (2.0 * std::f64::consts::PI).sqrt() * sum;
    if z < 0.0 { beyond } else { 1.0 - beyond }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_normal_distribution_is_that_of_its_tables() {
        for (z, p) in [(0.0, 0.5), (1.281_551_6, 0.9), (-1.959_964, 0.025), (4.0, 0.999_968_3)] {
            assert!((normal(z) - p).abs() < 1e-6, "{z}: {}", normal(z));
        }
    }

    #[test]
    fn flows_that_find_a_loss_nine_times_in_ten_follow_from_their_noise() {
        // A loss of a tenth is 0.10536. With 5 errors asked it is found nine times in ten at an error of 0.10536 ÷ 6.2816 =
        // 0.016773. Healthy ones differ by 0.01: 0.016773² − 0.01² = 1.8133e-4 are left for the noise, 0.05² ÷ flows: 13.79
        // flows, of which there are 4.
        let limits = Limits { sure: 5.0, ..Limits::usual(false) };
        let mut link = Sight {
            differ: 0.01,
            differ_most: 0.01,
            uncertain: 0.0,
            weights: 0.0,
            rounding: 0.0,
            gains: [0.0; ASKED.len()],
        };
        (0..4).for_each(|_| link.add(0.05, 1e-4, 0.0));
        // Their gain is not to decide here.
        link.gains = [1e6; ASKED.len()];
        let found = times(&[link], 0, (&limits, 10.0)).unwrap();
        assert!((found - 13.79 / 4.0).abs() < 0.02, "{found}");
        assert_eq!(times(&[link], 2, (&limits, 10.0)), Some(1.0));
        // Where healthy ones differ by 2 %, a tenth is 5.3 of these, and found six times in ten however many flows there are.
        assert_eq!(times(&[Sight { differ_most: 0.02, ..link }], 0, (&limits, 10.0)), None);
        assert_eq!(times(&[], 0, (&limits, 10.0)), None);
    }
}
