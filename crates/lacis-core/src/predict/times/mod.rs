//! How long messages take: sizes through the fluid model, phase after phase.
//!
//! The phases of a pattern do not touch each other: each begins in an empty fabric at time 0. Those
//! of a job follow each other: where each waits for the one before it and nothing else, they run
//! apart and their times are added; otherwise all run in one.
//!
//! Phases that run apart do so in parallel. What is merged is a count, or is put in the order of the
//! phases, so the result does not depend on the number of threads.

mod worker;

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use rayon::prelude::*;

use super::by_lane::ByLane;
use super::{Distribution, MOST_FLOWS, PredictError};
use crate::fabric::{Fabric, PortId};
use crate::model::fluid::{Capacity, Unknown};
use crate::model::load::{LinkId, Multipath, Paths};
use crate::qos::Quality;
use crate::sm::Routes;
use crate::traffic::{Job, Plan, Ranks};
use worker::Worker;

/// The most messages at once whose switches spray: each may cross hundreds of links.
const MOST_SPRAYED: usize = 500_000;

/// The most links between switches times receiving switches for which ideal splits are sought: a search
/// keeps two numbers for each.
const MOST_CELLS: usize = 1 << 25;

/// What is sent.
#[derive(Clone, Copy, Debug)]
pub enum Demand<'a> {
    /// A pattern whose flows are messages of this many bytes.
    Pattern(&'a Plan<'a>, u64),
    /// A job on its ranks.
    Job(&'a Job, &'a Ranks<'a>),
}

/// What is assumed, and how much is told.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TimesRequest {
    /// Seed of the random patterns.
    pub seed: u64,
    /// Part of a host link's rate that a host can use, 1 for all.
    pub host_efficiency: f64,
    /// Part of every link's rate that carries payload, 1 for all.
    pub link_efficiency: f64,
    /// Rate at which the ranks of a host exchange messages, all together [bytes/s].
    pub local_rate: f64,
    /// Lanes by which links are divided first; none: all messages of a link share it alike.
    pub lanes: Option<Quality>,
    /// How many of the hottest links to tell.
    pub hottest: usize,
    /// Who chooses among paths.
    pub multipath: Multipath,
}

/// One phase.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PhaseTime {
    /// When it began `[s]`; 0 for the phases of a pattern.
    pub begun: f64,
    /// From then to its last message's end `[s]`.
    pub time: f64,
    /// Messages that arrive.
    pub messages: u64,
    /// Their bytes.
    pub bytes: u64,
}

/// A link and what it carries in all.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BusyLink {
    /// The port that it leaves.
    pub egress: PortId,
    /// Bytes over all phases.
    pub bytes: u64,
    /// Part of all the time that it needs for them at its full rate.
    pub utilisation: f64,
}

/// How long it takes.
#[derive(Clone, Debug, PartialEq)]
pub struct Times {
    /// From the first message's beginning to the last one's end, where phases follow each other;
    /// otherwise the sum over phases, each alone `[s]`.
    pub total: f64,
    /// Every phase, in order.
    pub phases: Vec<PhaseTime>,
    /// How long messages take from the beginning of their phase `[s]`.
    pub completion: Distribution,
    /// Messages that arrive.
    pub messages: u64,
    /// Their bytes.
    pub bytes: u64,
    /// Of them, those that stay in their host.
    pub inside: u64,
    /// Messages without a route. They load nothing, and nobody waits for them.
    pub unrouted: u64,
    /// Pairs of hosts left out on a rail that one of them lacks.
    pub skipped: u64,
    /// At how many times messages ended, over all phases.
    pub events: u64,
    /// The links that need longest for what they carry.
    pub busiest: Vec<BusyLink>,
    /// With ideal splits: how far the least rate of a phase may be below the best possible, relative.
    pub gap: Option<f64>,
    /// Rates that had to be assumed.
    pub unknown_rates: Option<Unknown>,
}

/// How long a pattern or a job takes under given tables.
///
/// # Errors
/// When too many messages are under way at once.
pub fn times(
    fabric: &Fabric,
    routes: &Routes,
    demand: Demand<'_>,
    request: &TimesRequest,
) -> Result<Times, PredictError> {
    times_until(&AtomicBool::new(false), fabric, routes, demand, request)
}

/// [`times`] that gives up soon after `stop` is set.
///
/// # Errors
/// As [`times`], and when it was stopped.
pub fn times_until(
    stop: &AtomicBool,
    fabric: &Fabric,
    routes: &Routes,
    demand: Demand<'_>,
    request: &TimesRequest,
) -> Result<Times, PredictError> {
    let (who, phases, most, chain) = match demand {
        Demand::Pattern(plan, _) => (plan.participants(), plan.len(), plan.max_flows(), true),
        Demand::Job(job, ranks) => (ranks.participants(), job.phases(), job.max_messages(), job.is_chain()),
    };
    let together = if chain { most } else { most.saturating_mul(phases) };
    let limit = if request.multipath.splits() { MOST_SPRAYED } else { MOST_FLOWS };
    if together > limit {
        return Err(PredictError::TooManyFlows { model: "fluid", flows: together, most: limit });
    }
    let paths = Paths::new(fabric, routes, who.ports(), most.saturating_mul(phases));
    if request.multipath.needs_lmc() && !paths.have_lmc() {
        return Err(PredictError::OneLid { choice: request.multipath.name() });
    }
    let cells = paths.links().between_switches().saturating_mul(who.leaves().len());
    if request.multipath == Multipath::Ideal && cells > MOST_CELLS {
        return Err(PredictError::IdealTooLarge { cells, most: MOST_CELLS });
    }
    let levels = if let Demand::Job(job, _) = demand { job.levels(0) } else { vec![0] };
    let by_lane = ByLane::new(request.lanes.as_ref(), routes, request.multipath, &levels)?;
    let capacity =
        Capacity::of(fabric, paths.links(), request.host_efficiency).scaled(request.link_efficiency);
    let unknown_rates = capacity.unknown;
    let mut rates = capacity.rates;
    rates.resize(paths.links().len() + who.num_hosts(), request.local_rate);
    let setting = Setting { paths: &paths, demand, request, by_lane, rates: &rates, stop };
    let mut gathered = if chain {
        apart(&setting, phases)
    } else {
        let mut worker = Worker::new(&setting);
        worker.run_together(phases);
        worker.gathered
    };
    if stop.load(Ordering::Relaxed) {
        return Err(PredictError::Interrupted);
    }
    gathered.phases.sort_unstable_by_key(|p| p.0);
    let mut phases: Vec<PhaseTime> = gathered.phases.iter().map(|p| p.1).collect();
    let mut total = 0.0;
    for phase in phases.iter_mut().filter(|p| p.time.is_finite()) {
        match demand {
            Demand::Job(..) if chain => {
                phase.begun = total;
                total += phase.time;
            }
            Demand::Job(..) => total = f64::max(total, phase.begun + phase.time),
            Demand::Pattern(..) => total += phase.time,
        }
    }
    Ok(Times {
        total,
        messages: phases.iter().map(|p| p.messages).sum(),
        bytes: phases.iter().fold(0, |sum, p| sum.saturating_add(p.bytes)),
        completion: distribution(gathered.completion),
        inside: gathered.inside,
        unrouted: gathered.unrouted,
        skipped: gathered.skipped,
        events: gathered.events,
        busiest: busiest(&setting, &gathered.on_link, total),
        gap: (request.multipath == Multipath::Ideal).then_some(gathered.gap),
        unknown_rates,
        phases,
    })
}

/// What all threads share.
struct Setting<'a> {
    paths: &'a Paths<'a>,
    demand: Demand<'a>,
    request: &'a TimesRequest,
    by_lane: Option<ByLane>,
    /// By link [bytes/s], then by host for what stays in it.
    rates: &'a [f64],
    stop: &'a AtomicBool,
}

impl Setting<'_> {
    /// A link, or with lanes its channel for messages of a service level that no table gives a lane.
    fn by_level(&self, link: LinkId, sl: u8) -> LinkId {
        self.by_lane.as_ref().map_or(link, |by_lane| by_lane.channel(link, sl))
    }

    /// The link of a channel, or the link itself.
    fn link(&self, channel: LinkId) -> LinkId {
        self.by_lane.as_ref().map_or(channel, |by_lane| by_lane.shares.link(channel))
    }

    fn stopped(&self) -> bool {
        self.stop.load(Ordering::Relaxed)
    }
}

/// What one thread has gathered.
#[derive(Default)]
struct Gathered {
    phases: Vec<(usize, PhaseTime)>,
    completion: Vec<(f64, u64)>,
    inside: u64,
    unrouted: u64,
    skipped: u64,
    events: u64,
    on_link: Vec<u64>,
    gap: f64,
}

impl Gathered {
    fn merge(mut self, other: Self) -> Self {
        self.phases.extend(other.phases);
        self.completion.extend(other.completion);
        self.inside += other.inside;
        self.unrouted += other.unrouted;
        self.skipped += other.skipped;
        self.events += other.events;
        self.gap = self.gap.max(other.gap);
        self.on_link.iter_mut().zip(other.on_link).for_each(|(a, b)| *a = a.saturating_add(b));
        self
    }
}

/// Runs phases that do not touch each other.
fn apart(setting: &Setting<'_>, phases: usize) -> Gathered {
    let taken = AtomicUsize::new(0);
    let threads = rayon::current_num_threads().min(phases).max(1);
    let work = |_| {
        let mut worker = Worker::new(setting);
        loop {
            let phase = taken.fetch_add(1, Ordering::Relaxed);
            if phase >= phases || setting.stopped() {
                return worker.gathered;
            }
            worker.run(phase);
        }
    };
    let all: Vec<Gathered> = (0..threads).into_par_iter().map(work).collect();
    all.into_iter().reduce(Gathered::merge).unwrap_or_default()
}

/// Values in ascending order, equal ones together.
fn counted(mut values: Vec<(f64, u64)>) -> Vec<(f64, u64)> {
    values.sort_unstable_by(|a, b| a.0.total_cmp(&b.0));
    values.dedup_by(|next, kept| {
        let same = next.0.to_bits() == kept.0.to_bits();
        if same {
            kept.1 += next.1;
        }
        same
    });
    values
}

fn distribution(completion: Vec<(f64, u64)>) -> Distribution {
    Distribution::new(counted(completion))
}

/// The links that need longest for what they carry.
fn busiest(setting: &Setting<'_>, on_link: &[u64], total: f64) -> Vec<BusyLink> {
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
