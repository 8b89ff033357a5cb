//! What each host adds when it sends and when it receives, and which hosts stand out.
//!
//! | here | meaning |
//! |---|---|
//! | `x_ij` | excess of the pair over the level, relative to it |
//! | `m_c` | mean excess of class c |
//! | `a_i`, `b_j` | what i adds by sending, j by receiving; the mean over hosts is 0 |
//!
//! `x_ij = m_c + a_i + b_j + rest`, by alternating means over the known pairs. Residuals beyond 3 robust deviations count as 3
//! (Huber 1964), so that neither outliers nor the few pairs of a class not yet known decide.

use rayon::prelude::*;

use super::stats::{MAD, deviation, median};

const CLIP: f64 = 3.0;
const ROUNDS: usize = 40;
/// Rounds after which the deviation is taken as known.
const NOISES: usize = 6;
/// A round's deviation is estimated from about so many pairs.
const MOST_SEEN: usize = 40_000;
/// Rows that one task sums up; fixed, so that sums do not depend on the number of threads.
const ROWS: usize = 64;
/// A host stands out if it is off by so many robust deviations of the hosts, more where few hosts make these uncertain,
const DEVIATIONS: f64 = 5.0;
/// by so many of its own standard errors,
const ERRORS: f64 = 5.0;
/// and by so much of the level: less is no trouble, however exactly measured.
pub const LEAST: f64 = 0.08;

/// What hosts and classes of pairs add, relative to the level.
#[derive(Clone, Debug)]
pub struct PairFit {
    /// By class.
    pub classes: Vec<f64>,
    /// By sending, as fitted.
    pub sending: Vec<f64>,
    /// By receiving, as fitted.
    pub receiving: Vec<f64>,
    /// Standard error of both, by host; infinite where no pair is known.
    pub errors: Vec<f64>,
    /// Robust deviation of the residuals of pairs.
    pub noise: f64,
    /// The residuals, if kept; NaN where unknown.
    pub rest: Vec<f64>,
}

/// How a host stands out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Side {
    /// By what it sends.
    Sending,
    /// By what it receives.
    Receiving,
    /// By both.
    Both,
}

/// A host that differs from the others.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Outstanding {
    /// Index of the host.
    pub host: u32,
    /// In which direction.
    pub side: Side,
    /// Difference from the median host, relative to the level; above 0 is worse.
    pub by: f64,
    /// The same in robust deviations of the hosts.
    pub deviations: f64,
}

impl PairFit {
    /// Fits a table and returns the class of each pair, which is below `classes`. Residuals are not kept.
    pub(super) fn of(
        n: usize,
        excess: &[f64],
        classes: usize,
        class: impl Fn(usize, usize) -> usize + Sync,
    ) -> (Self, Vec<u8>) {
        let mut fit = Self {
            classes: vec![0.0; classes],
            sending: vec![0.0; n],
            receiving: vec![0.0; n],
            errors: vec![f64::INFINITY; n],
            noise: 0.0,
            rest: Vec::new(),
        };
        let class = &class;
        let of: Vec<u8> =
            (0..n).into_par_iter().flat_map_iter(|i| (0..n).map(move |j| class(i, j) as u8)).collect();
        let known = KnownPairs::of(n, excess, &of, classes);
        for round in 0..ROUNDS {
            if round < NOISES {
                fit.noise = fit.seen_deviation(n, excess, &of);
            }
            let step = fit.improve(n, excess, &of, &known);
            if round >= NOISES && step < 1e-3 * fit.noise {
                break;
            }
        }
        fit.noise = fit.seen_deviation(n, excess, &of);
        for ((error, sends), receives) in fit.errors.iter_mut().zip(&known.rows).zip(&known.columns) {
            let least = sends.min(*receives);
            *error = if least > 0.0 { fit.noise / least.sqrt() } else { f64::INFINITY };
        }
        (fit, of)
    }

    /// Keeps the residuals, and estimates the noise from all of them.
    pub(super) fn keep_rest(mut self, n: usize, excess: &[f64], of: &[u8]) -> Self {
        let rows = excess.par_chunks(n).zip(of.par_chunks(n)).enumerate();
        let rest = |(i, (row, of)): (usize, (&[f64], &[u8]))| -> Vec<f64> {
            (0..n)
                .map(|j| row[j] - self.sending[i] - self.receiving[j] - self.classes[of[j] as usize])
                .collect()
        };
        self.rest = rows.flat_map_iter(rest).collect();
        self.noise = deviation(self.rest.iter().copied());
        self
    }

    /// The deviation of a regular sample of the residuals.
    fn seen_deviation(&self, n: usize, excess: &[f64], of: &[u8]) -> f64 {
        // A step that has no factor in common with the width of a row sees all columns.
        let step = (n * n / MOST_SEEN).max(1);
        let step = (step..step + n).find(|step| gcd(*step, n) == 1).unwrap_or(1);
        deviation((0..n * n).step_by(step).map(|cell| {
            let common = self.classes[of[cell] as usize];
            excess[cell] - common - self.sending[cell / n] - self.receiving[cell % n]
        }))
    }

    /// One round: senders row by row, then receivers and classes from what remains. Returns the greatest step.
    fn improve(&mut self, n: usize, excess: &[f64], of: &[u8], known: &KnownPairs) -> f64 {
        let reach = CLIP * self.noise;
        let clipped = |rest: f64| if rest.is_nan() { 0.0 } else { rest.clamp(-reach, reach) };
        let rows = |start: usize| {
            let mut sums = RowSums {
                sending: Vec::with_capacity(ROWS),
                columns: vec![0.0; n],
                classes: vec![0.0; self.classes.len()],
            };
            let mut rest = vec![0.0; n];
            for i in start..n.min(start + ROWS) {
                let (row, of) = (&excess[i * n..(i + 1) * n], &of[i * n..(i + 1) * n]);
                for (rest, ((value, class), receiving)) in
                    rest.iter_mut().zip(row.iter().zip(of).zip(&self.receiving))
                {
                    *rest = value - self.sending[i] - receiving - self.classes[*class as usize];
                }
                let step = rest.iter().map(|&rest| clipped(rest)).sum::<f64>() / known.rows[i].max(1.0);
                sums.sending.push(step);
                for ((rest, column), class) in rest.iter().zip(&mut sums.columns).zip(of) {
                    let rest = clipped(rest - step);
                    *column += rest;
                    sums.classes[*class as usize] += rest;
                }
            }
            sums
        };
        let starts: Vec<usize> = (0..n).step_by(ROWS).collect();
        let sums: Vec<RowSums> = starts.into_par_iter().map(rows).collect();
        let mut sending: Vec<f64> = sums.iter().flat_map(|sums| sums.sending.iter().copied()).collect();
        let mut receiving = vec![0.0; n];
        let mut classes = vec![0.0; self.classes.len()];
        for rows in &sums {
            receiving.iter_mut().zip(&rows.columns).for_each(|(all, more)| *all += more);
            classes.iter_mut().zip(&rows.classes).for_each(|(all, more)| *all += more);
        }
        receiving.iter_mut().zip(&known.columns).for_each(|(sum, known)| *sum /= known.max(1.0));
        // The mean of all senders belongs to the classes.
        let common = center(&mut sending, &known.rows);
        center(&mut receiving, &known.columns);
        let mut most = 0.0_f64;
        for ((class, sum), count) in self.classes.iter_mut().zip(&classes).zip(&known.classes) {
            let step = common + sum / count.max(1.0);
            *class += step;
            most = most.max(step.abs());
        }
        for (fitted, step) in
            self.sending.iter_mut().zip(&sending).chain(self.receiving.iter_mut().zip(&receiving))
        {
            *fitted += step;
            most = most.max(step.abs());
        }
        most
    }

    /// The table less what hosts add, as far as that exceeds noise.
    pub(super) fn without_hosts(&self, n: usize, excess: &[f64]) -> Vec<f64> {
        let (sending, receiving) = (self.shrunk(&self.sending), self.shrunk(&self.receiving));
        let row = |(i, row): (usize, &[f64])| -> Vec<f64> {
            row.iter().zip(&receiving).map(|(value, receiving)| value - sending[i] - receiving).collect()
        };
        excess.par_chunks(n).enumerate().flat_map_iter(row).collect()
    }

    /// Fitted values shrunk by the share of their square that noise explains (James and Stein 1961).
    fn shrunk(&self, fitted: &[f64]) -> Vec<f64> {
        let square = fitted.iter().map(|v| v * v).sum::<f64>() / fitted.len().max(1) as f64;
        let noise = {
            let errors = self.errors.iter().filter(|error| error.is_finite());
            let (sum, count) = errors.fold((0.0, 0_u32), |(sum, count), e| (sum + e * e, count + 1));
            sum / f64::from(count.max(1))
        };
        let kept = if square > 0.0 { (1.0 - noise / square).max(0.0) } else { 0.0 };
        fitted.iter().map(|v| v * kept).collect()
    }

    /// Hosts that differ from the others, worst first.
    pub fn outstanding(&self) -> Vec<Outstanding> {
        let sides = [&self.sending, &self.receiving].map(|fitted| self.off(fitted));
        let mut found: Vec<Outstanding> = (0..self.errors.len())
            .filter_map(|host| {
                let [sends, receives] = [sides[0][host], sides[1][host]];
                let (side, off) = match (sends, receives) {
                    (Some(one), Some(other)) if one.0 * other.0 > 0.0 => {
                        (Side::Both, (f64::midpoint(one.0, other.0), one.1.max(other.1)))
                    }
                    (Some(one), Some(other)) if one.0.abs() < other.0.abs() => (Side::Receiving, other),
                    (Some(one), _) => (Side::Sending, one),
                    (None, Some(other)) => (Side::Receiving, other),
                    (None, None) => return None,
                };
                Some(Outstanding { host: host as u32, side, by: off.0, deviations: off.1 })
            })
            .collect();
        found.sort_by(|one, other| other.by.total_cmp(&one.by));
        found
    }

    /// For each host that is too far from the median host: its distance, and that in robust deviations.
    fn off(&self, fitted: &[f64]) -> Vec<Option<(f64, f64)>> {
        let known = |host: &usize| self.errors[*host].is_finite();
        let mut values: Vec<f64> = (0..fitted.len()).filter(known).map(|host| fitted[host]).collect();
        let hosts = values.len();
        let middle = median(&mut values);
        let spread = deviation(values.iter().map(|v| v - middle));
        let wanted = DEVIATIONS * (1.0 + 8.0 / hosts.max(1) as f64) * spread;
        (0..fitted.len())
            .map(|host| {
                let by = fitted[host] - middle;
                let least = wanted.max(ERRORS * self.errors[host]).max(LEAST);
                let is_off = hosts >= 4 && known(&host) && by.abs() > least;
                is_off.then(|| (by, by.abs() / spread.max(self.errors[host]).max(1e-9)))
            })
            .collect()
    }
}

/// How many pairs are known, by sender, receiver and class.
struct KnownPairs {
    rows: Vec<f64>,
    columns: Vec<f64>,
    classes: Vec<f64>,
}

impl KnownPairs {
    fn of(n: usize, excess: &[f64], of: &[u8], classes: usize) -> Self {
        let mut known = Self { rows: vec![0.0; n], columns: vec![0.0; n], classes: vec![0.0; classes] };
        for (i, (row, of)) in excess.chunks(n).zip(of.chunks(n)).enumerate() {
            for ((value, class), column) in row.iter().zip(of).zip(&mut known.columns) {
                let one = f64::from(u8::from(!value.is_nan()));
                known.rows[i] += one;
                *column += one;
                known.classes[*class as usize] += one;
            }
        }
        known
    }
}

/// Sums over some rows in a round.
struct RowSums {
    sending: Vec<f64>,
    columns: Vec<f64>,
    classes: Vec<f64>,
}

/// Subtracts the mean of the hosts that have a known pair from them, and returns it.
fn center(step: &mut [f64], known: &[f64]) -> f64 {
    let there = known.iter().filter(|known| **known > 0.0).count().max(1);
    let mean = step.iter().sum::<f64>() / there as f64;
    for (step, known) in step.iter_mut().zip(known) {
        *step = if *known > 0.0 { *step - mean } else { 0.0 };
    }
    mean
}

fn gcd(a: usize, b: usize) -> usize {
    if b == 0 { a } else { gcd(b, a % b) }
}

/// The symmetric and the antisymmetric component of a table.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Symmetry {
    /// Pairs known in both directions.
    pub pairs: usize,
    /// Standard deviation of the means of both directions, relative to the level.
    pub symmetric: f64,
    /// Standard deviation of half of the differences.
    pub antisymmetric: f64,
    /// The share of the antisymmetric component's square that hosts explain which send worse than they receive.
    pub by_hosts: f64,
    /// Robust deviation of the differences there and back.
    pub difference: f64,
    /// The least difference, in the direction whose sender has the lower index.
    pub least: f64,
    /// The greatest difference, likewise.
    pub greatest: f64,
}

impl Symmetry {
    /// Of the excess of pairs, with what hosts add.
    pub fn of(n: usize, excess: &[f64], fit: &PairFit) -> Self {
        let (mut sums, mut means) = ([0.0; 3], 0.0);
        let mut differences = Vec::new();
        let hosts: Vec<f64> = (0..n).map(|host| fit.sending[host] - fit.receiving[host]).collect();
        for i in 0..n {
            for j in i + 1..n {
                let (there, back) = (excess[i * n + j], excess[j * n + i]);
                if there.is_nan() || back.is_nan() {
                    continue;
                }
                let (mean, half) = (f64::midpoint(there, back), (there - back) / 2.0);
                means += mean;
                sums[0] += mean * mean;
                sums[1] += half * half;
                sums[2] += (half - (hosts[i] - hosts[j]) / 2.0).powi(2);
                differences.push(there - back);
            }
        }
        let count = differences.len().max(1) as f64;
        let [least, greatest] =
            [f64::min, f64::max].map(|pick| differences.iter().copied().fold(f64::NAN, pick));
        let mut absolute: Vec<f64> = differences.iter().map(|d| d.abs()).collect();
        let middle = median(&mut absolute);
        Self {
            pairs: differences.len(),
            symmetric: (sums[0] / count - (means / count).powi(2)).max(0.0).sqrt(),
            antisymmetric: (sums[1] / count).sqrt(),
            by_hosts: if sums[1] > 0.0 { (1.0 - sums[2] / sums[1]).max(0.0) } else { 0.0 },
            difference: if middle.is_nan() { 0.0 } else { MAD * middle },
            least: if least.is_nan() { 0.0 } else { least },
            greatest: if greatest.is_nan() { 0.0 } else { greatest },
        }
    }
}
