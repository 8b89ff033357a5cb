//! One value for each ordered pair from samples, and how repeats of a pair differ.

use super::peaks::step;
use super::stats::{MAD, deviation, median};

/// A repeat further from its pair's median than so many robust deviations does not count in the mean.
const CLIP: f64 = 5.0;
const OUTLIER: f64 = 6.0;
/// Deviations are estimated from about so many pairs.
const MOST_SEEN: usize = 200_000;

/// What was measured between `hosts` numbered from 0: one entry a sample.
#[derive(Clone, Copy, Debug)]
pub struct Samples<'a> {
    /// Number of hosts.
    pub hosts: usize,
    /// The sending host.
    pub from: &'a [u32],
    /// The receiving host.
    pub to: &'a [u32],
    /// Seconds, or bytes per second.
    pub value: &'a [f64],
    /// Whether more is better.
    pub is_rate: bool,
}

/// Samples that cannot be used.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Unused {
    /// From a host to itself.
    pub diagonal: usize,
    /// Not a finite number above 0, or of a host that does not exist.
    pub unusable: usize,
}

/// How far repeats are from the mean of their pair, relative to the level.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Jitter {
    /// Least.
    pub least: f64,
    /// Greatest.
    pub greatest: f64,
    /// Standard deviation of those that count in the means.
    pub deviation: f64,
    /// Samples of pairs that were measured more than once.
    pub samples: usize,
    /// How many of these are too far off to count in a mean.
    pub outliers: usize,
}

/// One value for each ordered pair.
#[derive(Clone, Debug)]
pub struct PairTable {
    /// Number of hosts.
    pub n: usize,
    /// Median of the pairs, in the samples' unit.
    pub level: f64,
    /// Row by sender; NaN where unknown. In the samples' unit.
    pub values: Vec<f64>,
    /// The same relative to the level, more is worse: `value / level - 1`; of rates `ln(level / value)`.
    pub excess: Vec<f64>,
    /// The step to which values are rounded, relative to the level; 0 where they are not.
    pub step: f64,
    /// Known pairs.
    pub pairs: usize,
    /// Samples that were not used.
    pub unused: Unused,
    /// None if no pair has two samples.
    pub jitter: Option<Jitter>,
}

impl PairTable {
    /// The table of samples: the mean of each pair's repeats, outliers left out.
    pub fn of(samples: &Samples<'_>) -> Self {
        let n = samples.hosts;
        let mut unused = Unused::default();
        let mut starts = vec![0_u32; n * n + 1];
        let cell = |at: usize, unused: &mut Unused| -> Option<usize> {
            let (from, to, value) = (samples.from[at] as usize, samples.to[at] as usize, samples.value[at]);
            if from >= n || to >= n || !value.is_finite() || value <= 0.0 {
                unused.unusable += 1;
                return None;
            }
            unused.diagonal += usize::from(from == to);
            (from != to).then_some(from * n + to)
        };
        let count = samples.from.len().min(samples.to.len()).min(samples.value.len());
        for at in 0..count {
            if let Some(cell) = cell(at, &mut unused) {
                starts[cell + 1] += 1;
            }
        }
        for cell in 0..n * n {
            starts[cell + 1] += starts[cell];
        }
        let mut next = starts.clone();
        let mut sorted = vec![0.0; starts[n * n] as usize];
        for at in 0..count {
            if let Some(cell) = cell(at, &mut Unused::default()) {
                sorted[next[cell] as usize] = samples.value[at];
                next[cell] += 1;
            }
        }
        let range = |cell: usize| starts[cell] as usize..starts[cell + 1] as usize;
        let middles: Vec<f64> = (0..n * n).map(|cell| median(&mut sorted[range(cell)])).collect();
        let is_repeated = |cell: &usize| range(*cell).len() > 1;
        let mut off: Vec<f64> = (0..n * n)
            .filter(is_repeated)
            .flat_map(|cell| sorted[range(cell)].iter().map(move |v| (cell, v)))
            .map(|(cell, value)| (value / middles[cell] - 1.0).abs())
            .collect();
        let reach = CLIP * MAD * median(&mut off);
        let enters = |value: f64, middle: f64| (value / middle - 1.0).abs() <= reach;
        let mean = |cell: usize| -> f64 {
            let middle = middles[cell];
            let kept = sorted[range(cell)].iter().filter(|&&value| enters(value, middle));
            let (sum, number) = kept.fold((0.0, 0), |(sum, number), value| (sum + value, number + 1));
            if number > 0 { sum / f64::from(number) } else { middle }
        };
        let values: Vec<f64> = (0..n * n).map(mean).collect();
        let mut known: Vec<f64> = values.iter().copied().filter(|v| v.is_finite()).collect();
        let (pairs, level) = (known.len(), median(&mut known));
        known.sort_unstable_by(f64::total_cmp);
        // Two values that differ may be two kinds of pairs without noise.
        let are_several = known.chunk_by(|a, b| a.total_cmp(b).is_eq()).nth(2).is_some();
        let step = step(&known).filter(|_| are_several).map_or(0.0, |step| step / level);
        let excess = |&v: &f64| if samples.is_rate { (level / v).ln() } else { v / level - 1.0 };
        let mut jitter =
            Jitter { least: 0.0, greatest: 0.0, deviation: 0.0, samples: off.len(), outliers: 0 };
        let (mut squares, mut freedom) = (0.0, 0_usize);
        for cell in (0..n * n).filter(is_repeated) {
            let mut kept = 0;
            for &value in &sorted[range(cell)] {
                let off = (value - values[cell]) / level;
                (jitter.least, jitter.greatest) = (jitter.least.min(off), jitter.greatest.max(off));
                if enters(value, middles[cell]) {
                    squares += off * off;
                    kept += 1;
                } else {
                    jitter.outliers += 1;
                }
            }
            freedom += usize::max(kept, 1) - 1;
        }
        jitter.deviation = (squares / freedom.max(1) as f64).sqrt();
        let jitter = (jitter.samples > 0).then_some(jitter);
        Self { n, level, excess: values.iter().map(excess).collect(), values, step, pairs, unused, jitter }
    }
}

/// The mean of both directions of each pair, or the known one. If they differ by more than six robust deviations of such
/// differences, the worse is an outlier and left out.
pub fn both_directions(n: usize, values: &[f64]) -> Vec<f64> {
    let directions = |i: usize, j: usize| (values[i * n + j], values[j * n + i]);
    let below = |i: usize| (0..i).map(move |j| (i, j));
    let seen = (0..n).flat_map(below).step_by((n * n / MOST_SEEN).max(1));
    let most = OUTLIER * deviation(seen.map(|(i, j)| directions(i, j)).map(|(there, back)| there - back));
    let mut out = vec![f64::NAN; n * n];
    for (i, j) in (0..n).flat_map(below) {
        let (there, back) = directions(i, j);
        let both = match (there.is_nan(), back.is_nan()) {
            (false, false) if (there - back).abs() <= most => f64::midpoint(there, back),
            _ => there.min(back), // the known one
        };
        out[i * n + j] = both;
        out[j * n + i] = both;
    }
    out
}
