//! The tally of one thread, and how two are merged.

use super::matrix::{self, Matrix};
use super::outcome::{Bandwidth, Distribution, FlowRate, PhaseResult, Prediction, by_port};
use super::request::Model;
use super::setting::PhaseSetting;

/// Bins of relative bandwidth in the fluid model.
const BINS: usize = 1 << 16;

/// Counts, extremes and per-phase sums: merging them in any order gives the same.
#[derive(Debug)]
pub(super) struct PhaseTally {
    /// Load model: flows by contention.
    pub by_contention: Vec<u64>,
    /// Fluid model: flows by bin, with the least value in each.
    bins: Vec<(u64, f64)>,
    pub max_relative: f64,
    pub rate_range: (f64, f64),
    pub phases: Vec<PhaseResult>,
    pub unrouted: u64,
    pub skipped: u64,
    /// By link: flows over all phases.
    pub total: Vec<u64>,
    /// By link: the greatest number of flows in a phase.
    pub peak: Vec<u32>,
    /// By link: the first phase that had so many.
    pub peak_phase: Vec<u32>,
    pub matrix: Option<matrix::Builder>,
    /// Every flow with its rate, where asked for.
    pub flow_rates: Vec<FlowRate>,
}

impl PhaseTally {
    pub(super) fn new(setting: &PhaseSetting<'_>) -> Self {
        let links = setting.paths.links().len();
        let bins = if setting.request.model == Model::Fluid { BINS + 1 } else { 0 };
        let participants = setting.phases.participants();
        Self {
            by_contention: Vec::new(),
            bins: vec![(0, f64::INFINITY); bins],
            max_relative: 0.0,
            rate_range: (f64::INFINITY, 0.0),
            phases: Vec::new(),
            unrouted: 0,
            skipped: 0,
            total: vec![0; links],
            peak: vec![0; links],
            peak_phase: vec![0; links],
            matrix: setting.request.cells.map(|cells| matrix::Builder::new(cells, participants)),
            flow_rates: Vec::new(),
        }
    }

    pub(super) fn add_relative(&mut self, relative: f64) {
        let bin = ((relative * BINS as f64) as usize).min(BINS);
        let (count, least) = &mut self.bins[bin];
        *count += 1;
        *least = least.min(relative);
        self.max_relative = self.max_relative.max(relative);
    }

    /// Notes the flows of a phase by contention, those without a route first.
    pub(super) fn note_contention(&mut self, phase: usize, flows: &[u64]) -> PhaseResult {
        let (unrouted, highest) = (flows[0], flows.len() - 1);
        self.unrouted += unrouted;
        if self.by_contention.len() < flows.len() {
            self.by_contention.resize(flows.len(), 0);
        }
        let (mut delivered, mut relative_sum) = (0, 0.0);
        for (k, &flows) in flows.iter().enumerate().skip(1) {
            self.by_contention[k] += flows;
            delivered += flows;
            relative_sum += flows as f64 / k as f64;
        }
        let least = if highest > 0 { 1.0 / highest as f64 } else { f64::NAN };
        PhaseResult {
            phase,
            flows: delivered,
            unrouted,
            relative_sum,
            relative_min: if unrouted > 0 { 0.0 } else { least },
            max_contention: highest as u64,
            throughput: 0.0,
        }
    }

    /// Notes the flows on every link in a phase.
    pub(super) fn add_links(&mut self, phase: usize, on_link: &[u32]) {
        let mut higher = false;
        for ((total, &peak), &flows) in self.total.iter_mut().zip(&self.peak).zip(on_link) {
            *total += u64::from(flows);
            higher |= flows > peak;
        }
        // Phases of one thread come in ascending order, so the first to reach a peak keeps it.
        if higher {
            for (link, &flows) in on_link.iter().enumerate() {
                if flows > self.peak[link] {
                    (self.peak[link], self.peak_phase[link]) = (flows, phase as u32);
                }
            }
        }
    }

    pub(super) fn merge(mut self, other: Self) -> Self {
        let len = self.by_contention.len().max(other.by_contention.len());
        self.by_contention.resize(len, 0);
        for (a, b) in self.by_contention.iter_mut().zip(other.by_contention) {
            *a += b;
        }
        for (a, b) in self.bins.iter_mut().zip(other.bins) {
            *a = (a.0 + b.0, a.1.min(b.1));
        }
        self.max_relative = self.max_relative.max(other.max_relative);
        self.rate_range =
            (self.rate_range.0.min(other.rate_range.0), self.rate_range.1.max(other.rate_range.1));
        self.phases.extend(other.phases);
        self.flow_rates.extend(other.flow_rates);
        self.unrouted += other.unrouted;
        self.skipped += other.skipped;
        for link in 0..self.total.len() {
            self.total[link] += other.total[link];
            let rank = |peak: u32, phase: u32| (std::cmp::Reverse(peak), phase);
            let (peak, phase) = (other.peak[link], other.peak_phase[link]);
            if rank(peak, phase) < rank(self.peak[link], self.peak_phase[link]) {
                (self.peak[link], self.peak_phase[link]) = (peak, phase);
            }
        }
        if let (Some(a), Some(b)) = (&mut self.matrix, &other.matrix) {
            a.merge(b);
        }
        self
    }

    fn distribution(&self, model: Model) -> Distribution {
        let mut values: Vec<(f64, u64)> = match model {
            Model::Load => {
                let counts = self.by_contention.iter().enumerate().skip(1).rev().filter(|&(_, &n)| n > 0);
                counts.map(|(k, &n)| (1.0 / k as f64, n)).collect()
            }
            Model::Fluid => {
                let mut values: Vec<(f64, u64)> =
                    self.bins.iter().filter(|b| b.0 > 0).map(|&(n, least)| (least, n)).collect();
                // The last bin holds the greatest value, too, which is known exactly.
                if let Some(last) = values.last_mut()
                    && last.0 < self.max_relative
                {
                    last.1 -= 1;
                    values.push((self.max_relative, 1));
                }
                values.retain(|v| v.1 > 0);
                values
            }
        };
        if self.unrouted > 0 {
            values.insert(0, (0.0, self.unrouted));
        }
        Distribution::new(values)
    }

    pub(super) fn into_prediction(mut self, setting: &PhaseSetting<'_>) -> Prediction {
        let model = setting.request.model;
        self.phases.sort_unstable_by_key(|p| p.phase);
        self.flow_rates.sort_by_key(|one| one.phase); // those of a phase are one thread's, in order
        let flows: u64 = self.phases.iter().map(|p| p.flows).sum();
        let each = (flows + self.unrouted) as f64;
        let count = self.phases.len().max(1) as f64;
        let sum = |of: fn(&PhaseResult) -> f64| self.phases.iter().map(of).sum::<f64>();
        let relative = self.distribution(model);
        let mean_relative = match model {
            Model::Load => relative.sum() / each,
            Model::Fluid => sum(|p| p.relative_sum) / each,
        };
        let throughput = sum(|p| p.throughput);
        let bandwidth = (model == Model::Fluid && flows > 0).then(|| Bandwidth {
            mean: throughput / each,
            min: if self.unrouted > 0 { 0.0 } else { self.rate_range.0 },
            max: self.rate_range.1,
            total: throughput / count,
        });
        let paths = setting.paths;
        Prediction {
            model,
            flows,
            unrouted: self.unrouted,
            skipped: self.skipped,
            mean_relative,
            relative,
            max_contention: self.phases.iter().map(|p| p.max_contention).max().unwrap_or(0),
            mean_max_contention: sum(|p| p.max_contention as f64) / count,
            bandwidth,
            hottest: Vec::new(),
            loads: by_port(paths.fabric(), paths.links(), self.total),
            matrix: self.matrix.as_ref().map(matrix::Builder::finish) as Option<Matrix>,
            flow_rates: self.flow_rates,
            unknown_rates: None,
            phases: self.phases,
        }
    }
}
