//! Prediction: a pattern's phases through a model, summed up.
//!
//! Phases are independent; relative bandwidths are collected over the flows of all phases. In the
//! [`Model::Load`] a flow's relative bandwidth is 1 / its contention; in the [`Model::Fluid`] it is
//! its max-min fair rate over what its host links could carry alone. A flow without a
//! route has a bandwidth of 0, so that losing pairs is never a gain.
//!
//! [`times`] predicts how long messages of given sizes take.
//!
//! Phases run in parallel. Everything that is merged is a count, a minimum or a maximum, or is
//! summed in the order of the phases, so the result does not depend on the number of threads.

mod beside;
mod by_lane;
mod hottest;
mod matrix;
mod nccl;
mod outcome;
mod request;
mod setting;
mod tally;
mod times;
mod worker;

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use rayon::prelude::*;

use crate::fabric::{Fabric, PortId};
use crate::model::fluid::Capacity;
use crate::model::load::{Multipath, Paths, all_pairs};
use crate::sm::Routes;
use crate::traffic::{Participants, Plan};

pub use beside::{Beside, SharedLink, beside, shared};
pub use matrix::{Cells, Matrix};
pub use nccl::{NcclCollective, NcclLink, NcclReport, NcclStep, nccl, nccl_hosts};
pub use outcome::{Bandwidth, Distribution, FlowRate, HotLink, PhaseResult, Prediction};
pub use request::{Model, PredictError, PredictRequest};
pub use times::{BusyLink, PhaseTime, Times, TimesDemand, TimesRequest, times, times_until};

use by_lane::ByLane;
use setting::PhaseSetting;
use tally::PhaseTally;
use worker::PhaseWorker;

/// The most flows of one phase.
const MOST_FLOWS: usize = 20_000_000;

/// The most rows of a matrix.
const MOST_ROWS: usize = 4096;

/// The most flows that are kept one by one.
const MOST_KEPT: usize = 10_000_000;

/// Phases that a thread takes at a time.
const CHUNK: usize = 8;

/// Predicts what the flows of a plan get under given tables.
///
/// # Errors
/// When a phase has too many flows for the model.
pub fn predict(
    fabric: &Fabric,
    routes: &Routes,
    plan: &Plan<'_>,
    request: &PredictRequest,
) -> Result<Prediction, PredictError> {
    predict_until(&AtomicBool::new(false), fabric, routes, plan, request)
}

/// [`predict`] that gives up soon after `stop` is set.
///
/// # Errors
/// As [`predict`], and when it was stopped.
pub fn predict_until(
    stop: &AtomicBool,
    fabric: &Fabric,
    routes: &Routes,
    plan: &Plan<'_>,
    request: &PredictRequest,
) -> Result<Prediction, PredictError> {
    check(plan, request)?;
    let paths = Paths::new(fabric, routes, plan.participants().ports(), flows_of(plan, request));
    on_paths(stop, routes, &paths, plan, request)
}

/// [`predict_until`] for several plans of the same participants, whose paths are found once for all.
///
/// # Errors
/// As [`predict_until`], for any of them.
pub fn predict_each(
    stop: &AtomicBool,
    fabric: &Fabric,
    routes: &Routes,
    plans: &[Plan<'_>],
    request: &PredictRequest,
) -> Result<Vec<Prediction>, PredictError> {
    let Some(first) = plans.first() else { return Ok(Vec::new()) };
    for plan in plans {
        debug_assert!(
            std::ptr::eq(plan.participants(), first.participants()),
            "plans of different participants"
        );
        check(plan, request)?;
    }
    let expected = plans.iter().map(|plan| flows_of(plan, request)).fold(0, usize::saturating_add);
    let paths = Paths::new(fabric, routes, first.participants().ports(), expected);
    plans.iter().map(|plan| on_paths(stop, routes, &paths, plan, request)).collect()
}

/// Whether the load of all-to-all is summed up, without a path for each flow.
fn is_summed(plan: &Plan<'_>, request: &PredictRequest) -> bool {
    plan.is_all_to_all() && request.model == Model::Load
}

/// How many flows' paths are looked up.
fn flows_of(plan: &Plan<'_>, request: &PredictRequest) -> usize {
    if is_summed(plan, request) { 0 } else { plan.max_flows().saturating_mul(plan.len()) }
}

/// Refuses what is too large.
fn check(plan: &Plan<'_>, request: &PredictRequest) -> Result<(), PredictError> {
    if !is_summed(plan, request) && plan.max_flows() > MOST_FLOWS {
        let (model, flows) = (request.model.name(), plan.max_flows());
        return Err(PredictError::TooManyFlows { model, flows, most: MOST_FLOWS });
    }
    let flows = plan.max_flows().saturating_mul(plan.len());
    if request.keep_flows && flows > MOST_KEPT {
        return Err(PredictError::TooManyToKeep { flows, most: MOST_KEPT });
    }
    let rows = match request.cells {
        Some(Cells::Hosts) => plan.participants().num_hosts(),
        Some(Cells::Leaves) => plan.participants().leaves().len(),
        None => 0,
    };
    if rows > MOST_ROWS {
        return Err(PredictError::MatrixTooLarge { size: rows, most: MOST_ROWS });
    }
    Ok(())
}

/// What the flows of a plan get on given paths.
fn on_paths(
    stop: &AtomicBool,
    routes: &Routes,
    paths: &Paths<'_>,
    plan: &Plan<'_>,
    request: &PredictRequest,
) -> Result<Prediction, PredictError> {
    let fabric = paths.fabric();
    if is_summed(plan, request) {
        return Ok(all_to_all(fabric, routes, paths, plan, request));
    }
    let capacity = (request.model == Model::Fluid).then(|| {
        Capacity::of(fabric, paths.links(), request.host_efficiency).scaled(request.link_efficiency)
    });
    let nominal = capacity.as_ref().map(|_| Capacity::of(fabric, paths.links(), 1.0).rates);
    let by_lane = ByLane::new(request.lanes.as_ref(), routes, Multipath::None, &[0])?;
    let setting = PhaseSetting { plan, paths, request, capacity: capacity.as_ref(), by_lane, nominal };

    // One worker a thread; phases are taken as threads become free.
    let taken = AtomicUsize::new(0);
    let threads = rayon::current_num_threads().min(plan.len().div_ceil(CHUNK)).max(1);
    let work = |_| {
        let mut worker = PhaseWorker::new(&setting);
        loop {
            let first = taken.fetch_add(CHUNK, Ordering::Relaxed);
            if first >= plan.len() || stop.load(Ordering::Relaxed) {
                return worker.tally;
            }
            for phase in first..(first + CHUNK).min(plan.len()) {
                worker.run(phase);
            }
        }
    };
    let tallies: Vec<PhaseTally> = (0..threads).into_par_iter().map(work).collect();
    if stop.load(Ordering::Relaxed) {
        return Err(PredictError::Interrupted);
    }
    let tally = tallies.into_iter().reduce(PhaseTally::merge).unwrap_or_else(|| PhaseTally::new(&setting));
    let hottest = hottest::of_phases(&setting, &tally);
    let unknown_rates = capacity.as_ref().and_then(|c| c.unknown);
    Ok(Prediction { hottest, unknown_rates, ..tally.into_prediction(&setting) })
}

/// All-to-all in the load model: sums instead of flows.
fn all_to_all(
    fabric: &Fabric,
    routes: &Routes,
    paths: &Paths<'_>,
    plan: &Plan<'_>,
    request: &PredictRequest,
) -> Prediction {
    let participants = plan.participants();
    let all = all_pairs(fabric, routes, paths.links(), &rail_ports(participants));
    let lost = (all.unrouted > 0).then_some((0.0, all.unrouted));
    let shares = all.contention.iter().rev().map(|&(k, n)| (1.0 / k as f64, n));
    let relative = Distribution::new(lost.into_iter().chain(shares).collect());
    let max_contention = all.contention.last().map_or(0, |&(k, _)| k);
    let flows = relative.count() - all.unrouted;
    let result = PhaseResult {
        phase: 0,
        flows,
        unrouted: all.unrouted,
        relative_sum: relative.sum(),
        relative_min: relative.min(),
        max_contention,
        throughput: 0.0,
    };
    Prediction {
        model: request.model,
        flows,
        unrouted: all.unrouted,
        skipped: 0,
        mean_relative: result.relative(),
        relative,
        max_contention,
        mean_max_contention: max_contention as f64,
        bandwidth: None,
        phases: vec![result],
        hottest: hottest::of_all_pairs(paths, participants, &all.on_link, request),
        loads: outcome::by_port(fabric, paths.links(), all.on_link),
        matrix: None,
        flow_rates: Vec::new(),
        unknown_rates: None,
    }
}

/// The ports of each rail.
fn rail_ports(participants: &Participants) -> Vec<Vec<PortId>> {
    let hosts = 0..participants.num_hosts() as u32;
    let on = |rail| {
        hosts
            .clone()
            .filter_map(move |h| participants.slot(h, rail))
            .map(|s| participants.ports()[s as usize])
    };
    (0..participants.num_rails()).map(|rail| on(rail).collect()).collect()
}

#[cfg(test)]
mod tests;
