//! Prediction: traffic through a model, summed up.
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
mod by_rail;
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
use crate::model::load::{Multipath, PairPaths, Paths, all_pairs};
use crate::ranks::Participants;
use crate::sm::Routes;
use crate::traffic::{Phases, Traffic};

pub use beside::{Beside, SharedLink, beside, shared};
pub use matrix::{Cells, Matrix};
pub use nccl::{NcclCollective, NcclLink, NcclReport, NcclStep, nccl, nccl_hosts};
pub use outcome::{Bandwidth, Distribution, FlowRate, HotLink, PhaseResult, Prediction};
pub use request::{Model, PredictError, PredictRequest};
pub use times::{BusyLink, PhaseTime, Times, TimesRequest, times, times_until};

use by_lane::ByLane;
use by_rail::PairWorker;
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

/// Predicts what the flows of a pattern get under given tables.
///
/// # Errors
/// When a phase has too many flows for the model, or the traffic is a program.
pub fn predict(
    fabric: &Fabric,
    routes: &Routes,
    traffic: &Traffic<'_>,
    request: &PredictRequest,
) -> Result<Prediction, PredictError> {
    predict_until(&AtomicBool::new(false), fabric, routes, traffic, request)
}

/// [`predict`] that gives up soon after `stop` is set.
///
/// # Errors
/// As [`predict`], and when it was stopped.
pub fn predict_until(
    stop: &AtomicBool,
    fabric: &Fabric,
    routes: &Routes,
    traffic: &Traffic<'_>,
    request: &PredictRequest,
) -> Result<Prediction, PredictError> {
    let phases = checked(traffic, request)?;
    let paths = Paths::new(fabric, routes, phases.participants().ports(), flows_of(phases, request));
    on_paths(stop, routes, &paths, None, phases, request)
}

/// [`predict_until`] for several patterns of the same participants, whose paths are found once for all. Without
/// [`Prediction::loads`], so that random bisections and shifts take a third of the time where no hottest links are asked for.
///
/// # Errors
/// As [`predict_until`], for any of them.
pub fn predict_each(
    stop: &AtomicBool,
    fabric: &Fabric,
    routes: &Routes,
    traffic: &[Traffic<'_>],
    request: &PredictRequest,
) -> Result<Vec<Prediction>, PredictError> {
    let all = traffic.iter().map(|one| checked(one, request)).collect::<Result<Vec<_>, _>>()?;
    let Some(first) = all.first() else { return Ok(Vec::new()) };
    for phases in &all {
        debug_assert!(
            std::ptr::eq(phases.participants(), first.participants()),
            "patterns of different participants"
        );
    }
    let expected = all.iter().map(|phases| flows_of(phases, request)).fold(0, usize::saturating_add);
    let participants = first.participants();
    let mut paths = Paths::new(fabric, routes, participants.ports(), 0);
    let fit = all.iter().all(|phases| is_summed(phases, request) || by_rail::fits(phases, request));
    let pairs = if fit { PairPaths::new(&paths, participants, expected) } else { None };
    if pairs.is_none() {
        paths = paths.expecting(expected);
    }
    let one = |phases| {
        let found = on_paths(stop, routes, &paths, pairs.as_ref(), phases, request)?;
        Ok(Prediction { loads: Vec::new(), ..found })
    };
    all.into_iter().map(one).collect()
}

/// Whether the load of all-to-all is summed up, without a path for each flow.
fn is_summed(phases: &Phases<'_>, request: &PredictRequest) -> bool {
    phases.is_all_to_all() && request.model == Model::Load
}

/// How many flows' paths are looked up.
fn flows_of(phases: &Phases<'_>, request: &PredictRequest) -> usize {
    if is_summed(phases, request) { 0 } else { phases.max_flows().saturating_mul(phases.len()) }
}

/// The phases of a pattern; refuses programs and what is too large.
fn checked<'a, 't>(
    traffic: &'t Traffic<'a>,
    request: &PredictRequest,
) -> Result<&'t Phases<'a>, PredictError> {
    let phases = match traffic {
        Traffic::Pattern(phases) => phases,
        Traffic::Program(program) => {
            let (program, model) = (program.spec().to_string(), request.model.name());
            return Err(PredictError::HasSizes { program, model });
        }
    };
    if !is_summed(phases, request) && phases.max_flows() > MOST_FLOWS {
        let (model, flows) = (request.model.name(), phases.max_flows());
        return Err(PredictError::TooManyFlows { model, flows, most: MOST_FLOWS });
    }
    let flows = phases.max_flows().saturating_mul(phases.len());
    if request.keep_flows && flows > MOST_KEPT {
        return Err(PredictError::TooManyToKeep { flows, most: MOST_KEPT });
    }
    let rows = match request.cells {
        Some(Cells::Hosts) => phases.participants().num_hosts(),
        Some(Cells::Leaves) => phases.participants().leaves().len(),
        None => 0,
    };
    if rows > MOST_ROWS {
        return Err(PredictError::MatrixTooLarge { size: rows, most: MOST_ROWS });
    }
    Ok(phases)
}

/// What the flows of a phases get on given paths; `pairs` are the same paths where flows are counted rail by rail.
fn on_paths(
    stop: &AtomicBool,
    routes: &Routes,
    paths: &Paths<'_>,
    pairs: Option<&PairPaths>,
    phases: &Phases<'_>,
    request: &PredictRequest,
) -> Result<Prediction, PredictError> {
    let fabric = paths.fabric();
    if is_summed(phases, request) {
        return Ok(all_to_all(fabric, routes, paths, phases, request));
    }
    let capacity = (request.model == Model::Fluid).then(|| {
        Capacity::of(fabric, paths.links(), request.host_efficiency).scaled(request.link_efficiency)
    });
    let nominal = capacity.as_ref().map(|_| Capacity::of(fabric, paths.links(), 1.0).rates);
    let by_lane = ByLane::new(request.lanes.as_ref(), routes, Multipath::None, &[0])?;
    let setting = PhaseSetting { phases, paths, request, capacity: capacity.as_ref(), by_lane, nominal };

    let tallies = if let Some(pairs) = pairs {
        let worker = || PairWorker::new(&setting, pairs);
        in_chunks(stop, phases.len(), worker, PairWorker::run, |worker| worker.tally)
    } else {
        let worker = || PhaseWorker::new(&setting);
        in_chunks(stop, phases.len(), worker, PhaseWorker::run, |worker| worker.tally)
    };
    if stop.load(Ordering::Relaxed) {
        return Err(PredictError::Interrupted);
    }
    let tally = tallies.into_iter().reduce(PhaseTally::merge).unwrap_or_else(|| PhaseTally::new(&setting));
    let hottest = hottest::of_phases(&setting, &tally);
    let unknown_rates = capacity.as_ref().and_then(|c| c.unknown);
    Ok(Prediction { hottest, unknown_rates, ..tally.into_prediction(&setting) })
}

/// Runs all phases, a worker for each thread: phases are taken as threads become free. Returns what each has gathered.
fn in_chunks<W>(
    stop: &AtomicBool,
    phases: usize,
    worker: impl Fn() -> W + Sync,
    run: impl Fn(&mut W, usize) + Sync,
    gathered: impl Fn(W) -> PhaseTally + Sync,
) -> Vec<PhaseTally> {
    let taken = AtomicUsize::new(0);
    let threads = rayon::current_num_threads().min(phases.div_ceil(CHUNK)).max(1);
    let work = |_| {
        let mut worker = worker();
        loop {
            let first = taken.fetch_add(CHUNK, Ordering::Relaxed);
            if first >= phases || stop.load(Ordering::Relaxed) {
                return gathered(worker);
            }
            for phase in first..(first + CHUNK).min(phases) {
                run(&mut worker, phase);
            }
        }
    };
    (0..threads).into_par_iter().map(work).collect()
}

/// All-to-all in the load model: sums instead of flows.
fn all_to_all(
    fabric: &Fabric,
    routes: &Routes,
    paths: &Paths<'_>,
    phases: &Phases<'_>,
    request: &PredictRequest,
) -> Prediction {
    let participants = phases.participants();
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
