//! How long messages take: sizes through the fluid model, phase after phase.
//!
//! The phases of a pattern are independent: each begins in an empty fabric at time 0. Where each phase
//! of a program waits for the one before it and nothing else, phases run separately and their times are
//! added; otherwise all run together.
//!
//! Separate phases run in parallel. What is merged is a count, or is put in the order of the phases, so
//! the result does not depend on the number of threads.

mod outcome;
mod request;
mod setting;
mod worker;

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use rayon::prelude::*;

use super::by_lane::ByLane;
use super::{Distribution, MOST_FLOWS, PredictError};
use crate::fabric::Fabric;
use crate::model::fluid::Capacity;
use crate::model::load::{Multipath, Paths};
use crate::sm::Routes;
use crate::traffic::Traffic;
pub use outcome::{BusyLink, PhaseTime, Times};
pub use request::TimesRequest;
use setting::{TimesSetting, TimesTally, counted};
use worker::TimesWorker;

/// The most messages sprayed at once: each may cross hundreds of links.
const MOST_SPRAYED: usize = 500_000;

/// The most links between switches times receiving switches for which ideal splits are sought: a search
/// keeps two numbers for each.
const MOST_CELLS: usize = 1 << 25;

/// How long traffic takes under given tables.
///
/// # Errors
/// When too many messages would be in flight at once.
pub fn times(
    fabric: &Fabric,
    routes: &Routes,
    traffic: &Traffic<'_>,
    request: &TimesRequest,
) -> Result<Times, PredictError> {
    times_until(&AtomicBool::new(false), fabric, routes, traffic, request)
}

/// [`times`] that gives up soon after `stop` is set.
///
/// # Errors
/// As [`times`], and when it was stopped.
pub fn times_until(
    stop: &AtomicBool,
    fabric: &Fabric,
    routes: &Routes,
    traffic: &Traffic<'_>,
    request: &TimesRequest,
) -> Result<Times, PredictError> {
    let (participants, phases, most) = (traffic.participants(), traffic.num_phases(), traffic.max_messages());
    let chain = traffic.runs_by_phase();
    let together = if chain { most } else { most.saturating_mul(phases) };
    let limit = if request.multipath.splits() { MOST_SPRAYED } else { MOST_FLOWS };
    if together > limit {
        return Err(PredictError::TooManyFlows { model: "fluid", flows: together, most: limit });
    }
    let paths = Paths::new(fabric, routes, participants.ports(), most.saturating_mul(phases));
    if request.multipath.needs_lmc() && !paths.have_lmc() {
        return Err(PredictError::OneLid { choice: request.multipath.name() });
    }
    let cells = paths.links().between_switches().saturating_mul(participants.leaves().len());
    if request.multipath == Multipath::Ideal && cells > MOST_CELLS {
        return Err(PredictError::IdealTooLarge { cells, most: MOST_CELLS });
    }
    let levels = traffic.service_levels(0);
    let by_lane = ByLane::new(request.lanes.as_ref(), routes, request.multipath, &levels)?;
    let capacity =
        Capacity::of(fabric, paths.links(), request.host_efficiency).scaled(request.link_efficiency);
    let unknown_rates = capacity.unknown;
    let mut rates = capacity.rates;
    rates.resize(paths.links().len() + participants.num_hosts(), request.local_rate);
    let setting = TimesSetting { paths: &paths, traffic, request, by_lane, rates: &rates, stop };
    let mut tally = if chain {
        run_separately(&setting, phases)
    } else {
        let mut worker = TimesWorker::new(&setting);
        worker.run_together(phases);
        worker.tally
    };
    if stop.load(Ordering::Relaxed) {
        return Err(PredictError::Interrupted);
    }
    tally.phases.sort_unstable_by_key(|p| p.0);
    let mut phases: Vec<PhaseTime> = tally.phases.iter().map(|p| p.1).collect();
    let mut total = 0.0;
    for phase in phases.iter_mut().filter(|p| p.time.is_finite()) {
        match traffic {
            Traffic::Program(_) if chain => {
                phase.begun = total;
                total += phase.time;
            }
            Traffic::Program(_) => total = f64::max(total, phase.begun + phase.time),
            Traffic::Pattern(_) => total += phase.time,
        }
    }
    Ok(Times {
        total,
        messages: phases.iter().map(|p| p.messages).sum(),
        bytes: phases.iter().fold(0, |sum, p| sum.saturating_add(p.bytes)),
        completion: distribution(tally.completion),
        inside: tally.inside,
        unrouted: tally.unrouted,
        skipped: tally.skipped,
        events: tally.events,
        busiest: busiest(&setting, &tally.on_link, total),
        gap: (request.multipath == Multipath::Ideal).then_some(tally.gap),
        unknown_rates,
        phases,
    })
}

/// Runs independent phases, in parallel.
fn run_separately(setting: &TimesSetting<'_>, phases: usize) -> TimesTally {
    let taken = AtomicUsize::new(0);
    let threads = rayon::current_num_threads().min(phases).max(1);
    let work = |_| {
        let mut worker = TimesWorker::new(setting);
        loop {
            let phase = taken.fetch_add(1, Ordering::Relaxed);
            if phase >= phases || setting.stopped() {
                return worker.tally;
            }
            worker.run(phase);
        }
    };
    let all: Vec<TimesTally> = (0..threads).into_par_iter().map(work).collect();
    all.into_iter().reduce(TimesTally::merge).unwrap_or_default()
}

fn distribution(completion: Vec<(f64, u64)>) -> Distribution {
    Distribution::new(counted(completion))
}

/// The links that take longest for what they carry.
fn busiest(setting: &TimesSetting<'_>, on_link: &[u64], total: f64) -> Vec<BusyLink> {
    let links = setting.paths.links();
    let needs = |link: u32| on_link[link as usize] as f64 / setting.rates[link as usize];
    let mut used: Vec<u32> = (1..links.len() as u32).filter(|&l| on_link[l as usize] > 0).collect();
    used.sort_by(|&a, &b| needs(b).total_cmp(&needs(a)).then(a.cmp(&b)));
    used.truncate(setting.request.hottest);
    let busy = |link: u32| {
        let utilisation = if total > 0.0 { needs(link) / total } else { 0.0 };
        BusyLink { egress: links.egress(link), bytes: on_link[link as usize], utilisation }
    };
    used.into_iter().map(busy).collect()
}
