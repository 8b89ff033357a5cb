//! Robust statistics, and bounds on chance.

use std::f64::consts::PI;

pub(super) use super::super::robust::{MAD, quantile};

/// The median; NaN of none. Values change their order; none may be NaN.
pub fn median(values: &mut [f64]) -> f64 {
    quantile(values, 0.5)
}

/// The median of the absolute values as a standard deviation.
pub fn deviation(values: impl Iterator<Item = f64>) -> f64 {
    let mut all: Vec<f64> = values.filter(|v| !v.is_nan()).map(f64::abs).collect();
    let middle = median(&mut all);
    if middle.is_nan() { 0.0 } else { MAD * middle }
}

/// Logarithms of factorials up to a number.
pub struct LnFactorials(Vec<f64>);

impl LnFactorials {
    pub fn up_to(n: usize) -> Self {
        let mut table = vec![0.0; n + 1];
        for k in 1..=n {
            table[k] = table[k - 1] + (k as f64).ln();
        }
        Self(table)
    }

    pub fn of(&self, k: usize) -> f64 {
        self.0[k]
    }
}

/// `ln(n!)` of a large number, Stirling's series.
fn ln_factorial(n: f64) -> f64 {
    if n < 2.0 { 0.0 } else { n * n.ln() - n + 0.5 * (2.0 * PI * n).ln() + 1.0 / (12.0 * n) }
}

/// Bounds ln P that `chosen` of `all` values, drawn without looking, have ranks whose mean is as low as this.
///
/// The least of three bounds. Chernoff's for uniform ranks: draws without replacement stray no further than with (Hoeffding
/// 1963, section 6). The normal tail of the rank sum, with the variance of a finite population: tails of uniform ranks are
/// below it. And `1 / (all choose chosen)` if the chosen are the lowest.
///
/// `mean`: of the ranks, scaled to 0 … 1.
pub fn ln_chance_of_ranks(chosen: usize, all: usize, mean: f64) -> f64 {
    if chosen == 0 || chosen >= all || mean >= 0.5 {
        return 0.0;
    }
    let (m, n) = (chosen as f64, all as f64);
    let variance = (n - m) * (n + 1.0) / (12.0 * m) / (n * n);
    let normal = (0.5 - mean).powi(2) / variance / 2.0;
    let lowest = m / (2.0 * n);
    let exact = if mean <= lowest * (1.0 + 1e-9) {
        ln_factorial(n) - ln_factorial(m) - ln_factorial(n - m)
    } else {
        0.0
    };
    -normal.max(m * rate_of_uniform(mean)).max(exact)
}

/// Cramér's rate of a mean of uniform numbers: the supremum of `θ x - ln((exp θ - 1) / θ)`.
fn rate_of_uniform(mean: f64) -> f64 {
    // The tilted mean 1/(1 - e^-θ) - 1/θ grows with θ, which is negative here; it is about -1/θ where the mean is small.
    let tilted = |t: f64| 1.0 / (1.0 - (-t).exp()) - 1.0 / t;
    let (mut low, mut high) = (-2.0 / mean.max(1e-12), -1e-6);
    for _ in 0..60 {
        let middle = f64::midpoint(low, high);
        if tilted(middle) < mean { low = middle } else { high = middle }
    }
    let t = f64::midpoint(low, high);
    t * mean - ((t.exp() - 1.0) / t).ln()
}

/// ln of the number of partitions of an integer, by Hardy and Ramanujan's formula, which is a little high: sizes that
/// groups can have.
pub fn ln_sizes(n: usize) -> f64 {
    let n = n as f64;
    (PI * (2.0 * n / 3.0).sqrt() - (4.0 * n * 3.0_f64.sqrt()).ln()).max(0.0)
}

/// The quantile of the normal law for a probability from 0.5 to 1, to 0.0005 (Abramowitz and Stegun, 26.2.23).
pub fn normal_quantile(p: f64) -> f64 {
    let t = (-2.0 * (1.0 - p).max(1e-300).ln()).sqrt();
    t - (2.515_517 + t * (0.802_853 + t * 0.010_328))
        / (1.0 + t * (1.432_788 + t * (0.189_269 + t * 0.001_308)))
}
