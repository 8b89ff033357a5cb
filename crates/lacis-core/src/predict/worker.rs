//! One phase after another: flows, their links, their contention, their rates.

use super::outcome::{FlowRate, PhaseResult};
use super::request::Model;
use super::setting::PhaseSetting;
use super::tally::PhaseTally;
use crate::model::fluid::Fluid;
use crate::model::load::{Ask, Contention, LinkId, Steps};
use crate::traffic::Phase;

/// One thread's tools, kept from phase to phase, and what it has gathered.
pub(super) struct PhaseWorker<'a> {
    setting: &'a PhaseSetting<'a>,
    pub phase: Phase,
    pub steps: Steps,
    channels: Steps,
    pub contention: Contention,
    pub fluid: Option<Fluid>,
    histogram: Vec<u64>,
    pub tally: PhaseTally,
}

impl<'a> PhaseWorker<'a> {
    pub(super) fn new(setting: &'a PhaseSetting<'a>) -> Self {
        Self {
            setting,
            phase: Phase::default(),
            steps: Steps::default(),
            channels: Steps::default(),
            contention: Contention::new(setting.paths.links()),
            fluid: setting.capacity.map(|c| match &setting.by_lane {
                None => Fluid::new(c.rates.clone()),
                Some(by_lane) => Fluid::by_lane(&c.rates, by_lane.shares.clone()),
            }),
            histogram: Vec::new(),
            tally: PhaseTally::new(setting),
        }
    }

    /// Makes a phase and shares the links among its flows, without noting anything.
    pub(super) fn prepare(&mut self, phase: usize) {
        let PhaseSetting { phases, paths, request, by_lane, .. } = self.setting;
        phases.fill(phase, request.seed, &mut self.phase);
        paths.steps(&self.phase.flows, &mut self.steps);
        self.contention.count(&self.steps);
        let Some(fluid) = &mut self.fluid else { return };
        if let Some(by_lane) = by_lane {
            let flows = &self.phase.flows;
            by_lane.channels(paths, flows, &self.steps, |_| Ask::default(), &mut self.channels);
            fluid.fill(&self.channels);
        } else {
            fluid.fill(&self.steps);
        }
    }

    /// Runs a phase and notes what its flows get.
    pub(super) fn run(&mut self, phase: usize) {
        self.prepare(phase);
        let mut result = self.note_contention(phase);
        if self.setting.request.model == Model::Fluid {
            self.note_rates(&mut result);
        } else if let Some(matrix) = &mut self.tally.matrix {
            for (&flow, &k) in self.phase.flows.iter().zip(self.contention.of_flows()) {
                matrix.add(flow, if k > 0 { 1.0 / f64::from(k) } else { 0.0 });
            }
        }
        self.tally.phases.push(result);
        self.tally.add_links(phase, self.contention.on_links());
        self.tally.skipped += self.phase.skipped as u64;
    }

    /// Counts flows by contention.
    fn note_contention(&mut self, phase: usize) -> PhaseResult {
        let of_flows = self.contention.of_flows();
        let highest = of_flows.iter().copied().max().unwrap_or(0) as usize;
        self.histogram.clear();
        self.histogram.resize(highest + 1, 0);
        for &k in of_flows {
            self.histogram[k as usize] += 1;
        }
        self.tally.note_contention(phase, &self.histogram)
    }

    /// Notes rates, and relative rates in place of the load model's.
    fn note_rates(&mut self, result: &mut PhaseResult) {
        let (Some(fluid), Some(nominal)) = (&self.fluid, &self.setting.nominal) else { return };
        let mut steps = self.steps.each();
        let (up, down) = (steps.next().unwrap_or(&[]), steps.next().unwrap_or(&[]));
        (result.relative_sum, result.relative_min) = (0.0, f64::NAN);
        let tally = &mut self.tally;
        for (f, &rate) in fluid.rates().iter().enumerate() {
            if self.contention.of_flows()[f] == 0 {
                result.relative_min = 0.0;
                if let Some(matrix) = &mut tally.matrix {
                    matrix.add(self.phase.flows[f], 0.0);
                }
                continue;
            }
            let alone = nominal[up[f] as usize].min(nominal[down[f] as usize]);
            let relative = rate / alone;
            result.relative_sum += relative;
            result.relative_min = result.relative_min.min(relative);
            result.throughput += rate;
            tally.rate_range = (tally.rate_range.0.min(rate), tally.rate_range.1.max(rate));
            tally.add_relative(relative);
            if self.setting.request.keep_flows {
                let (phase, flow) = (result.phase as u32, self.phase.flows[f]);
                tally.flow_rates.push(FlowRate { phase, flow, rate });
            }
            if let Some(matrix) = &mut tally.matrix {
                matrix.add(self.phase.flows[f], relative);
            }
        }
    }

    /// The flows of the prepared phase that cross a link, by number.
    pub(super) fn crossing(&self, link: LinkId) -> Vec<usize> {
        let mut found: Vec<usize> = self
            .steps
            .each()
            .flat_map(|step| step.iter().enumerate().filter(|&(_, &l)| l == link).map(|(f, _)| f))
            .collect();
        found.sort_unstable();
        found
    }
}
