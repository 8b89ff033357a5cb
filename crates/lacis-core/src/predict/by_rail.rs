//! Patterns in which every host sends once and receives once at most, counted rail by rail: nothing is kept of links and
//! of single flows.

use super::request::{Model, PredictRequest};
use super::setting::PhaseSetting;
use super::tally::PhaseTally;
use crate::model::load::{PairCounter, PairPaths};
use crate::traffic::{Phase, Phases};

/// Whether phases can be counted so, and nothing is asked for that they would not show.
pub(super) fn fits(phases: &Phases<'_>, request: &PredictRequest) -> bool {
    let asks_more = request.hottest > 0 || request.cells.is_some() || request.lanes.is_some();
    request.model == Model::Load && !asks_more && phases.each_host_once()
}

/// One thread's tools, and what it has gathered.
pub(super) struct PairWorker<'a> {
    phases: &'a Phases<'a>,
    seed: u64,
    phase: Phase,
    counter: PairCounter<'a>,
    pub tally: PhaseTally,
}

impl<'a> PairWorker<'a> {
    pub(super) fn new(setting: &'a PhaseSetting<'a>, paths: &'a PairPaths) -> Self {
        Self {
            phases: setting.phases,
            seed: setting.request.seed,
            phase: Phase::default(),
            counter: PairCounter::new(paths),
            tally: PhaseTally::new(setting),
        }
    }

    /// Runs a phase and notes what its flows get.
    pub(super) fn run(&mut self, phase: usize) {
        self.phases.fill_pairs(phase, self.seed, &mut self.phase);
        let counts = self.counter.count(&self.phase.flows);
        let result = self.tally.note_contention(phase, counts.by_contention);
        self.tally.phases.push(result);
        self.tally.skipped += counts.skipped;
    }
}
