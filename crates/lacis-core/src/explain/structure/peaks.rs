//! Peaks in the distribution of values: how many kinds of pairs there are, by their values alone.
//!
//! The density at a sorted value is `k / (distance of the values k/2 before and after)`, whose error is the same at high and
//! low density (Loftsgaarden and Quesenberry 1965). Two peaks are separate if the density between them is lower by more than
//! chance allows: the logarithm of such a distance has the variance 1/k. Wide windows first, then narrower ones inside each
//! section.

use rayon::prelude::*;

use super::stats::quantile;

/// The most values that are examined: of more, a regular sample.
const MOST: usize = 1 << 17;
/// Least window, in values.
const LEAST_WINDOW: usize = 16;
/// −ln of the chance of a cut where there is no valley, for each window.
const LN_SURE: f64 = 11.5;
/// The valley must be lower by this factor, however sure it is.
const LEAST_DEPTH: f64 = 2.0;

/// A group of pairs with about the same value.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Peak {
    /// Median of its values.
    pub center: f64,
    /// Half the distance between the 16th and the 84th percentile: one standard deviation, of a normal peak.
    pub width: f64,
    /// Number of values.
    pub count: usize,
    /// Least value.
    pub least: f64,
    /// Greatest value.
    pub greatest: f64,
}

/// The peaks of values, by their centers. Values that are not finite are left out.
pub fn peaks(values: &[f64]) -> Vec<Peak> {
    let mut sorted: Vec<f64> = values.iter().copied().filter(|v| v.is_finite()).collect();
    sorted.par_sort_unstable_by(f64::total_cmp);
    let step = sorted.len().div_ceil(MOST).max(1);
    let spread = spread(&sorted);
    let seen: Vec<f64> = spread.into_iter().step_by(step).collect();
    let mut cuts = Vec::new();
    split(&seen, 0, seen.len() / 4, &mut cuts);
    cuts.sort_unstable();
    let mut ends: Vec<usize> = cuts
        .iter()
        .map(|&cut| sorted.partition_point(|v| *v < f64::midpoint(seen[cut - 1], seen[cut])))
        .collect();
    ends.push(sorted.len());
    let mut start = 0;
    let mut found = Vec::new();
    for end in ends {
        if end > start {
            found.push(peak(&mut sorted[start..end]));
        }
        start = end;
    }
    found
}

fn peak(values: &mut [f64]) -> Peak {
    let (least, greatest) = (values[0], values[values.len() - 1]);
    let [low, center, high] = [0.16, 0.5, 0.84].map(|p| quantile(values, p));
    Peak { center, width: (high - low) / 2.0, count: values.len(), least, greatest }
}

/// The step to which sorted values are rounded, of a clock or of a table's decimals; none where most of them differ.
pub fn step(sorted: &[f64]) -> Option<f64> {
    let steps = sorted.windows(2).map(|pair| pair[1] - pair[0]).filter(|step| *step > 0.0);
    let mut steps: Vec<f64> = steps.collect();
    if 2 * steps.len() >= sorted.len() || steps.is_empty() {
        return None;
    }
    // A low quantile, as values that differ only in their last bit are no step.
    Some(quantile(&mut steps, 0.05))
}

/// Undoes rounding: equal values are spread evenly over the rounding step.
fn spread(sorted: &[f64]) -> Vec<f64> {
    let Some(step) = step(sorted) else { return sorted.to_vec() };
    sorted
        .chunk_by(|a, b| a.total_cmp(b).is_eq())
        .flat_map(|tied| {
            let each = step / tied.len() as f64;
            tied.iter().enumerate().map(move |(at, v)| v + (at as f64 + 0.5) * each - step / 2.0)
        })
        .collect()
}

/// Adds the indices at which values, the first of them number `first`, split into peaks.
fn split(values: &[f64], first: usize, window: usize, cuts: &mut Vec<usize>) {
    let mut window = window;
    while window >= LEAST_WINDOW {
        if let Some(cut) = valley(values, window) {
            split(&values[..cut], first, window, cuts);
            split(&values[cut..], first + cut, window, cuts);
            cuts.push(first + cut);
            return;
        }
        window /= 2;
    }
}

/// The deepest valley between two peaks, if deeper than chance makes: the index of the first value beyond it.
fn valley(values: &[f64], window: usize) -> Option<usize> {
    let half = window / 2;
    if values.len() < 3 * window {
        return None;
    }
    let widths: Vec<f64> = (half..values.len() - half).map(|i| values[i + half] - values[i - half]).collect();
    // Both directions of a pair may be one measurement: half of the values count.
    let windows = (values.len() / window).max(2) as f64;
    let sure = 2.0 * (windows.ln() + LN_SURE);
    let depth = (sure * 2.0 / half as f64).sqrt().exp().max(LEAST_DEPTH);
    let mut after: Vec<f64> = widths.clone();
    for i in (0..after.len() - 1).rev() {
        after[i] = after[i].min(after[i + 1]);
    }
    let mut before = f64::INFINITY;
    let mut best = (depth, None);
    for (i, &width) in widths.iter().enumerate() {
        before = before.min(width);
        let lower = before.max(after[i]).max(f64::MIN_POSITIVE);
        if width / lower > best.0 {
            best = (width / lower, Some(i));
        }
    }
    let middle = best.1? + half;
    (middle - half + 1..=middle + half).max_by(|&a, &b| {
        let space = |i: usize| values[i] - values[i - 1];
        space(a).total_cmp(&space(b)).then(b.cmp(&a))
    })
}
