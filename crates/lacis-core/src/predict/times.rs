//! How long messages take: sizes through the fluid model, phase after phase.
//!
//! The phases of a pattern do not touch each other: each begins in an empty fabric at time 0. Those
//! of a job follow each other: where each waits for the one before it and nothing else, they run
//! apart and their times are added; otherwise all run in one.
//!
//! Phases that run apart do so in parallel. What is merged is a count, or is put in the order of the
//! phases, so the result does not depend on the number of threads.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use rayon::prelude::*;

use crate::fabric::{Fabric, PortId};
use crate::fluid::{Capacity, Group, Messages, OverTime, Unknown};
use crate::load::{Ideal, LinkId, Multipath, Paths, Spray, Steps};
use crate::routing::Routes;
use crate::traffic::{Flow, Job, Message, Phase, Plan, Ranks, Way};

use super::{Distribution, MOST_FLOWS, PredictError};

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
    let capacity =
        Capacity::of(fabric, paths.links(), request.host_efficiency).scaled(request.link_efficiency);
    let unknown_rates = capacity.unknown;
    let mut rates = capacity.rates;
    rates.resize(paths.links().len() + who.num_hosts(), request.local_rate);
    let setting = Setting { paths: &paths, demand, request, rates: &rates, stop };
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
    /// By link [bytes/s], then by host for what stays in it.
    rates: &'a [f64],
    stop: &'a AtomicBool,
}

impl Setting<'_> {
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

/// One thread's tools, kept from phase to phase.
struct Worker<'a> {
    setting: &'a Setting<'a>,
    over_time: OverTime,
    messages: Messages,
    steps: Steps,
    phase: Phase,
    sent: Vec<Message>,
    flows: Vec<Flow>,
    choices: Vec<u32>,
    spray: Option<Spray<'a>>,
    gathered: Gathered,
}

impl<'a> Worker<'a> {
    fn new(setting: &'a Setting<'a>) -> Self {
        Self {
            setting,
            over_time: OverTime::new(setting.rates.to_vec()),
            messages: Messages::default(),
            steps: Steps::default(),
            phase: Phase::default(),
            sent: Vec::new(),
            flows: Vec::new(),
            choices: Vec::new(),
            spray: setting.request.multipath.splits().then(|| Spray::new(setting.paths)),
            gathered: Gathered { on_link: vec![0; setting.rates.len()], ..Gathered::default() },
        }
    }

    /// Runs a phase by itself.
    fn run(&mut self, phase: usize) {
        self.messages.clear();
        self.add(phase);
        if self.over_time.run(&self.messages, self.setting.stop) {
            self.note(phase, 0.0, 0..self.messages.len());
            self.gathered.events += self.over_time.events() as u64;
        }
    }

    /// Runs all phases of a job, each once those that it waits for are through.
    fn run_together(&mut self, phases: usize) {
        let Demand::Job(job, _) = self.setting.demand else { return };
        let mut groups = Vec::with_capacity(phases);
        for phase in 0..phases {
            self.add(phase);
            groups.push(Group { end: self.messages.len(), after: job.after(phase) });
        }
        if self.over_time.run_groups(&self.messages, &groups, self.setting.stop) {
            let mut first = 0;
            for (phase, group) in groups.iter().enumerate() {
                self.note(phase, self.over_time.begun()[phase], first..group.end);
                first = group.end;
            }
            self.gathered.events += self.over_time.events() as u64;
        }
    }

    /// Adds the messages of a phase to those to be run.
    fn add(&mut self, phase: usize) {
        let paths = self.setting.paths;
        match self.setting.demand {
            Demand::Pattern(plan, bytes) => {
                plan.fill(phase, self.setting.request.seed, &mut self.phase);
                self.gathered.skipped += self.phase.skipped as u64;
                self.flows.clone_from(&self.phase.flows);
                self.push(phase, |_| (bytes as f64, 1.0));
            }
            Demand::Job(job, ranks) => {
                job.fill(phase, &mut self.sent);
                self.flows.clear();
                // Those that stay in a host come after the others.
                let mut inside: Vec<(u32, Message)> = Vec::new();
                self.sent.retain(|message| match ranks.way(message) {
                    Way::Fabric(flow) => {
                        self.flows.push(flow);
                        true
                    }
                    Way::Inside(host) => {
                        inside.push((host, *message));
                        false
                    }
                });
                let sent = std::mem::take(&mut self.sent);
                self.push(phase, |f| (sent[f].bytes as f64, sent[f].weight));
                self.sent = sent;
                self.gathered.inside += inside.len() as u64;
                for (host, message) in inside {
                    let link = paths.links().len() as LinkId + host;
                    self.messages.push_weighted(message.bytes as f64, message.weight, [link]);
                }
            }
        }
    }

    /// Adds the messages that `flows` carry; `of` tells their sizes and weights.
    fn push(&mut self, phase: usize, of: impl Fn(usize) -> (f64, f64)) {
        let (paths, multipath) = (self.setting.paths, self.setting.request.multipath);
        if self.setting.stopped() {
            return;
        }
        if let (Some(spray), Multipath::Ideal) = (&self.spray, multipath) {
            let ideal = Ideal::new(spray);
            let rates = &self.setting.rates[..paths.links().len()];
            let split = ideal.split(&self.flows, |f| of(f).1, rates, || self.setting.stopped());
            self.gathered.gap = self.gathered.gap.max(split.gap);
            for (f, parts) in split.parts.into_iter().enumerate() {
                let (bytes, weight) = of(f);
                self.messages.push_parts(bytes, weight, parts);
            }
            return;
        }
        if let Some(spray) = &mut self.spray {
            let mut parts = Vec::new();
            for (f, &flow) in self.flows.iter().enumerate() {
                if f % 1024 == 0 && self.setting.stopped() {
                    return;
                }
                let (bytes, weight) = of(f);
                spray.parts(flow, &mut parts);
                self.messages.push_parts(bytes, weight, parts.iter().copied());
            }
            return;
        }
        if multipath.needs_lmc() {
            // By sender: its messages in this phase. Those of a phase begin one LID further than the last's.
            let mut count = vec![phase as u32; paths.ports().len()];
            self.choices.clear();
            for &flow in &self.flows {
                self.choices.push(multipath.choice(flow, count[flow.from as usize]));
                count[flow.from as usize] = count[flow.from as usize].wrapping_add(1);
            }
            paths.steps_by(&self.flows, &self.choices, &mut self.steps);
        } else {
            paths.steps(&self.flows, &mut self.steps);
        }
        if !self.setting.stopped() {
            self.messages.push_flows(&self.steps, of);
        }
    }

    /// Notes when the messages of a phase ended.
    fn note(&mut self, phase: usize, begun: f64, messages: std::ops::Range<usize>) {
        let ends = self.over_time.ends();
        let mut result = PhaseTime { begun, time: 0.0, messages: 0, bytes: 0 };
        let mut taken: Vec<(f64, u64)> = Vec::new();
        for m in messages {
            let links = self.messages.links(m);
            if links.is_empty() {
                self.gathered.unrouted += 1;
                continue;
            }
            let (bytes, time) = (self.messages.bytes(m) as u64, ends[m] - begun);
            result.messages += 1;
            result.bytes = result.bytes.saturating_add(bytes);
            result.time = result.time.max(time);
            match taken.last_mut() {
                Some(last) if last.0.to_bits() == time.to_bits() => last.1 += 1,
                _ => taken.push((time, 1)),
            }
            for (link, part) in self.messages.parts(m) {
                let carried = &mut self.gathered.on_link[link as usize];
                let here = if part < 1.0 { (bytes as f64 * part).round() as u64 } else { bytes };
                *carried = carried.saturating_add(here);
            }
        }
        self.gathered.completion.append(&mut counted(taken));
        self.gathered.phases.push((phase, result));
    }
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
