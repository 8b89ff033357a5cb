//! The unit of rates, settled by rows that have both a rate and what it follows from.
//!
//! "MB" is 10⁶ bytes in some versions of a benchmark and 2²⁰ in others, 4.86 % more. Bytes ÷ time, or bytes × messages a
//! second, of a row decides, if it is printed with enough digits; the rows of a run share their unit.

use super::table::{Class, Line, NONE, Sink, float};
use crate::io::NoteKind;

/// 2²⁰ bytes.
pub(super) const MEBI: f64 = 1_048_576.0;

/// Rates of one run, kept in the first of several units until a row settles which it is.
#[derive(Debug)]
pub(super) struct Scale {
    /// Factors to bytes per second; the first is assumed.
    factors: Vec<f64>,
    /// By factor: how many rows speak for it.
    votes: Vec<u32>,
    /// The values kept, by index.
    kept: Vec<usize>,
    /// A line with a rate.
    line: usize,
}

impl Scale {
    /// Of rates in one of these units; the first is assumed where no row decides.
    pub(super) fn new(factors: &[f64]) -> Self {
        Self { factors: factors.to_vec(), votes: vec![0; factors.len()], kept: Vec::new(), line: 0 }
    }

    /// Assumes one of the units.
    pub(super) fn assume(&mut self, factor: f64) {
        if let Some(at) = self.factors.iter().position(|&known| known.to_bits() == factor.to_bits()) {
            self.factors.swap(0, at);
            self.votes.swap(0, at);
        }
    }

    /// Keeps a rate.
    pub(super) fn pair(
        &mut self,
        series: u32,
        ends: (u32, u32),
        printed: f64,
        line: &Line<'_>,
        sink: &mut Sink,
    ) {
        let before = sink.table.value.len();
        sink.pair(series, ends, Class::Unknown, printed * self.factors[0], line);
        if sink.table.value.len() > before {
            self.kept.push(before);
            self.line = line.number;
        }
    }

    /// Keeps a rate of all ranks together.
    pub(super) fn value(&mut self, series: u32, printed: f64, line: &Line<'_>, sink: &mut Sink) {
        self.pair(series, (NONE, NONE), printed, line, sink);
    }

    /// A row that has the rate, and the text of a number that bytes per second are in proportion to; `expected` computes them.
    pub(super) fn evidence(&mut self, printed: &str, from: &str, expected: impl Fn(f64) -> f64) {
        let (Some(rate), Some(number)) = (float(printed), float(from)) else { return };
        let wanted = expected(number);
        if !(wanted.is_finite() && wanted > 0.0 && rate > 0.0) {
            return;
        }
        // Half of what separates 10⁶ and 2²⁰.
        if rounding(printed, rate) + rounding(from, number) > 0.02 {
            return;
        }
        let distance = |factor: f64| (rate * factor / wanted).ln().abs();
        let nearest = (0..self.factors.len())
            .min_by(|&a, &b| distance(self.factors[a]).total_cmp(&distance(self.factors[b])));
        if let Some(at) = nearest.filter(|&at| distance(self.factors[at]) < 0.022) {
            self.votes[at] += 1;
        }
    }

    /// Whether any row decided.
    pub(super) fn is_settled(&self) -> bool {
        self.votes.iter().any(|&votes| votes > 0)
    }

    /// Ends the run: its rates get the unit that most rows speak for; another one than assumed is remarked on.
    pub(super) fn settle(&mut self, sink: &mut Sink) {
        if let Some(factor) = self.settle_quietly(sink) {
            let text = format!("a unit is {factor} bytes/s, not {}", self.factors[0]);
            sink.notes.add(NoteKind::UnitByRows, self.line, &text);
        }
    }

    /// The same where the output does not say its unit; the unit, if it is not the one assumed.
    pub(super) fn settle_quietly(&mut self, sink: &mut Sink) -> Option<f64> {
        let most = (0..self.factors.len()).rev().max_by_key(|&at| (self.votes[at], at == 0)).unwrap_or(0);
        let is_other = most > 0 && !self.kept.is_empty();
        for &at in self.kept.iter().filter(|_| is_other) {
            sink.table.value[at] = sink.table.value[at] / self.factors[0] * self.factors[most];
        }
        self.kept.clear();
        self.votes.fill(0);
        is_other.then(|| self.factors[most])
    }
}

/// The greatest relative error of a number that was rounded as printed.
fn rounding(text: &str, value: f64) -> f64 {
    let text = text.trim_end_matches(|c: char| !c.is_ascii_digit());
    let (mantissa, exponent) = text.split_once(['e', 'E']).unwrap_or((text, "0"));
    let decimals = mantissa.split_once('.').map_or(0, |(_, after)| after.len().min(99));
    let decimals = i32::try_from(decimals).unwrap_or(99);
    let exponent: i32 = exponent.parse().unwrap_or(0);
    0.5 * 10_f64.powi(exponent - decimals) / value.abs().max(f64::MIN_POSITIVE)
}
