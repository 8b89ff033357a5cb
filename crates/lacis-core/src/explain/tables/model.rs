//! How likely measured rates are beside expected ones.

use rayon::prelude::*;

use super::expected::Expected;
use crate::explain::observed::Observed;

/// The greatest level, ln: hosts reach no more than links carry, except by rounding.
const MOST: f64 = 0.1;
/// Steps of the fit of level and scale.
const STEPS: usize = 30;
/// The least scale: no measurement is taken as more exact.
const LEAST: f64 = 0.003;
/// ln(measured ÷ expected) of a flow that was measured though it has no route.
const ABSURD: f64 = 3.0;
/// Half of the values of Student's t with three degrees of freedom are within so many scales.
pub(super) const HALF: f64 = 0.7649;

/// A candidate's level and scale, and the likelihood of each flow.
#[derive(Clone, Debug)]
pub(super) struct Model {
    pub level: f64,
    pub scale: f64,
    /// ln, by flow.
    pub each: Vec<f64>,
    /// Their sum.
    pub total: f64,
}

impl Model {
    /// Maximises the likelihood over level and scale. Student's t is a normal distribution with random variance, so both follow
    /// from repeated weighted means. If the links' rates are known, the level is at most 1.
    pub(super) fn fit(measured: &[f64], observed: &Observed, expected: &Expected, is_known: bool) -> Self {
        let most = if is_known { MOST } else { f64::INFINITY };
        let rounds: Vec<_> = observed.rounds().map(|(flows, _)| flows).collect();
        let mut model = Self {
            level: start(measured, &rounds, expected).min(most),
            scale: 0.2,
            each: Vec::new(),
            total: 0.0,
        };
        for _ in 0..STEPS {
            let sums = |(number, flows): (usize, &std::ops::Range<usize>)| {
                let mut sum = [0.0; 4];
                for f in flows.clone() {
                    model.weigh(measured[f], expected, number, f, |over, weight, share| {
                        for (sum, term) in
                            sum.iter_mut().zip([share, weight, weight * over, weight * over * over])
                        {
                            *sum += term;
                        }
                    });
                }
                sum
            };
            let by_round: Vec<[f64; 4]> = rounds.par_iter().enumerate().map(sums).collect();
            let [n, weight, first, second] =
                by_round.iter().fold([0.0; 4], |a, b| std::array::from_fn(|i| a[i] + b[i]));
            if weight <= 0.0 {
                break;
            }
            let level = (first / weight).min(most);
            let scale =
                ((second - 2.0 * level * first + level * level * weight) / n).max(0.0).sqrt().max(LEAST);
            let moved = (level - model.level).abs() + (scale - model.scale).abs();
            (model.level, model.scale) = (level, scale);
            if moved < 1e-6 {
                break;
            }
        }
        let each = |(number, flows): (usize, &std::ops::Range<usize>)| {
            flows.clone().map(|f| model.density(measured[f], expected, number, f).ln()).collect::<Vec<f64>>()
        };
        let each: Vec<f64> = rounds.par_iter().enumerate().map(each).collect::<Vec<_>>().concat();
        model.total = each.iter().sum();
        model.each = each;
        model
    }

    /// Calls `add` with what a flow adds to the sums of a step: ln(measured ÷ expected), its weight, and its share of the flow.
    fn weigh(
        &self,
        measured: f64,
        expected: &Expected,
        round: usize,
        flow: usize,
        mut add: impl FnMut(f64, f64, f64),
    ) {
        match expected {
            Expected::Certain(rates) => {
                let over = measured - rates[flow];
                if !over.is_nan() {
                    add(over, self.weight(over), 1.0);
                }
            }
            Expected::Mixed(rounds) => {
                let whole: f64 =
                    rounds[round].iter().map(|&(rate, share)| share * self.at(measured - rate)).sum();
                for &(rate, share) in &rounds[round] {
                    let over = measured - rate;
                    let mine = share * self.at(over) / whole;
                    add(over, mine * self.weight(over), mine);
                }
            }
        }
    }

    fn weight(&self, over: f64) -> f64 {
        let t = (over - self.level) / self.scale;
        4.0 / (3.0 + t * t)
    }

    /// The density of Student's t with three degrees of freedom: 2 / (√3 π) · (1 + t² / 3)⁻².
    fn at(&self, over: f64) -> f64 {
        let t = (over - self.level) / self.scale;
        let one = 1.0 + t * t / 3.0;
        2.0 / (3.0_f64.sqrt() * std::f64::consts::PI * self.scale * one * one)
    }

    fn density(&self, measured: f64, expected: &Expected, round: usize, flow: usize) -> f64 {
        match expected {
            Expected::Certain(rates) if rates[flow].is_nan() => self.at(self.level + ABSURD),
            Expected::Certain(rates) => self.at(measured - rates[flow]),
            Expected::Mixed(rounds) => {
                rounds[round].iter().map(|&(rate, share)| share * self.at(measured - rate)).sum()
            }
        }
    }

    /// Vuong's statistic: the sum of the differences over its standard deviation; 0 if all are equal.
    pub(super) fn apart(&self, other: &Self) -> f64 {
        let n = self.each.len() as f64;
        let (mut sum, mut squares) = (0.0, 0.0);
        for (a, b) in self.each.iter().zip(&other.each) {
            sum += a - b;
            squares += (a - b) * (a - b);
        }
        let variance = squares - sum * sum / n.max(1.0);
        if sum.abs() < 1e-9 || variance <= 0.0 { 0.0 } else { sum / variance.sqrt() }
    }
}

/// The initial level: the median of ln(measured ÷ expected), for a mixture of its mean expectation.
fn start(measured: &[f64], rounds: &[std::ops::Range<usize>], expected: &Expected) -> f64 {
    let mut over: Vec<f64> = match expected {
        Expected::Certain(rates) => measured.iter().zip(rates).map(|(m, rate)| m - rate).collect(),
        Expected::Mixed(mixed) => rounds
            .iter()
            .zip(mixed)
            .flat_map(|(flows, rates)| {
                let mean: f64 = rates.iter().map(|(rate, share)| rate * share).sum();
                measured[flows.clone()].iter().map(move |m| m - mean)
            })
            .collect(),
    };
    over.retain(|over| !over.is_nan());
    let middle = over.len() / 2;
    if over.is_empty() { 0.0 } else { *over.select_nth_unstable_by(middle, f64::total_cmp).1 }
}
