//! An experiment: workloads side by side, run by run, and summed up.
//!
//! A run is one phase of a pattern, or a program with all its phases. Runs are simulated in parallel and summed
//! up in their order, so the result does not depend on the number of threads.

use std::sync::atomic::{AtomicBool, Ordering};

use rayon::prelude::*;

use super::network::Network;
use super::outcome::{Ending, Latencies, Outcome, PortUse, Stuck, Waits};
use super::request::SimulationRequest;
use super::run::simulate;
use super::settings::Settings;
use super::utilisation::{MOST_CELLS, Slots};
use super::workload::{self, SimulateError, Test, Workload};
use super::workloads::{Mix, Record, Work};
use crate::traffic::Traffic;

/// The results of one workload.
#[derive(Clone, Debug, Default)]
pub struct Got {
    /// Flows of a pattern or messages of a program that have a route.
    pub flows: u64,
    /// Flows or messages without a route.
    pub unrouted: u64,
    /// Messages inside hosts.
    pub inside: u64,
    /// Payload over time of each flow whose messages all arrived [bytes/s], in the order of runs and
    /// flows; empty for programs and open loads.
    pub bandwidths: Vec<f64>,
    /// By run: when its last message arrived (ps).
    pub times: Vec<u64>,
    /// Runs in which all its messages arrived; 0 for an open load.
    pub through: usize,
    /// Times of all its messages from posting to arrival.
    pub latencies: Latencies,
    /// Payload that arrived.
    pub payload: u64,
    /// By run, then by phase of a program: when it began and when its last message arrived (ps); none where
    /// nothing was sent.
    pub phases: Vec<Option<(u64, u64)>>,
}

/// The results of all runs.
#[derive(Clone, Debug, Default)]
pub struct Experiment {
    /// Runs simulated to their end.
    pub phases: usize,
    /// Whether it was stopped before all runs were simulated.
    pub partial: bool,
    /// By workload.
    pub works: Vec<Got>,
    /// By run: when the last message arrived (ps).
    pub times: Vec<u64>,
    /// Simulated time of all runs (ps).
    pub simulated: u64,
    /// Every message that arrived, run by run, in the order of arrival; empty unless asked for.
    pub records: Vec<Record>,
    /// By run: one more than the number of its last record.
    pub record_ends: Vec<usize>,
    /// How busy ports were over time, run by run.
    pub slots: Option<Slots>,
    /// By run: one more than the number of its last interval.
    pub slot_ends: Vec<usize>,
    /// Over all runs.
    pub waited: Waits,
    /// By port, summed over all phases.
    pub ports: Vec<PortUse>,
    /// Payload that arrived.
    pub payload: u64,
    /// Packets sent by hosts.
    pub packets: u64,
    /// Packets that arrived.
    pub delivered: u64,
    /// Packets thrown away at the hop limit, or for want of a route or a cable.
    pub discarded: u64,
    /// Links crossed by packets.
    pub hops: u64,
    /// How often switches moved a LID to another port, and when in its phase the last was moved (ps).
    pub moved: (u64, u64),
    /// Packets marked by congestion control.
    pub marked: u64,
    /// Events of the simulations.
    pub events: u64,
    /// The first phase that ended in a deadlock, and its cycle.
    pub deadlock: Option<(usize, Vec<Stuck>)>,
}

/// Simulates workloads side by side, once for each phase of the first; the phases of the others repeat.
/// When `stop` is set, it soon returns the runs that are done.
///
/// # Errors
/// When the tables lead flows in circles that are not to be simulated, when no flow has a route, when a
/// pattern does not fit an open load, and when there is no LID to choose.
pub fn experiment(
    stop: &AtomicBool,
    net: &Network<'_>,
    works: &[Workload<'_>],
    request: &SimulationRequest,
) -> Result<Experiment, SimulateError> {
    let multipath = request.settings.multipath;
    if multipath.needs_lmc() && !net.has_lmc() {
        return Err(SimulateError::OneLid { choice: multipath.name() });
    }
    let runs = works.first().map_or(0, Workload::runs);
    let results: Vec<Result<Option<Experiment>, SimulateError>> = (0..runs)
        .into_par_iter()
        .map(|number| {
            if stop.load(Ordering::Relaxed) {
                return Ok(None);
            }
            run(stop, net, works, request, number, runs)
        })
        .collect();
    let mut sum = Experiment {
        ports: vec![PortUse::default(); net.ports.len()],
        works: vec![Got::default(); works.len()],
        ..Experiment::default()
    };
    let records = |run: &Result<Option<Experiment>, _>| Some(run.as_ref().ok()?.as_ref()?.records.len());
    sum.records.reserve_exact(results.iter().filter_map(records).sum());
    for result in results {
        match result? {
            Some(run) => sum.add(run),
            None => sum.partial = true,
        }
    }
    if sum.works.iter().all(|got| got.flows == 0) && !sum.partial {
        return Err(SimulateError::NothingToSend);
    }
    Ok(sum)
}

/// The most memory that a simulation may need `[bytes]`, with the results of all runs, each of which is kept until
/// they are summed up.
pub fn memory(net: &Network<'_>, works: &[Workload<'_>], request: &SimulationRequest) -> u64 {
    let size = |n: usize, each: usize| (n as u64).saturating_mul(each as u64);
    let flows = works.iter().map(|work| match work.traffic {
        Traffic::Pattern(phases) => phases.max_flows(),
        Traffic::Program(_) => 0,
    });
    let of_run = size(1, size_of::<Experiment>())
        .saturating_add(size(net.ports.len(), size_of::<PortUse>()))
        .saturating_add(size(works.len(), size_of::<Got>() + Latencies::USUAL))
        .saturating_add(size(flows.fold(0, usize::saturating_add), size_of::<f64>()));
    let runs = works.first().map_or(0, Workload::runs) as u64;
    workload::memory(net, works, request).saturating_add(of_run.saturating_mul(runs))
}

/// Simulates one run; none when `stop` was set before it began.
fn run(
    stop: &AtomicBool,
    net: &Network<'_>,
    works: &[Workload<'_>],
    request: &SimulationRequest,
    number: usize,
    runs: usize,
) -> Result<Option<Experiment>, SimulateError> {
    // Every run has its own seed and its share of the cells of intervals.
    let mut set = Settings { seed: request.settings.seed.wrapping_add(number as u64), ..request.settings };
    set.cells = MOST_CELLS / runs.max(1);
    let (mut members, mut got) = (Vec::new(), Vec::new());
    for (index, work) in works.iter().enumerate() {
        let Some(ready) = work.ready(stop, net, request, &set, index, number)? else { return Ok(None) };
        members.push(ready.member);
        got.push(Got { flows: ready.flows, unrouted: ready.unrouted, ..Got::default() });
    }
    // Where all are open loads, the run ends with the longest.
    let untils: Option<Vec<u64>> = works.iter().map(Workload::lasts_until).collect();
    set.horizon = untils.and_then(|untils| untils.into_iter().max()).unwrap_or(set.horizon);
    let mut out = simulate(net, &set, Mix::new(members, request.record), stop);
    for ((got, member), work) in got.iter_mut().zip(std::mem::take(&mut out.application.members)).zip(works) {
        got.through = usize::from(member.is_done());
        got.times = vec![member.time];
        got.payload = member.payload;
        match (member.work, work.test, work.traffic) {
            (Work::Streams(streams), ..) => {
                got.bandwidths = streams.whole().map(|(bytes, at)| rate(bytes, at)).collect();
            }
            (Work::PingPong(pairs), Some(Test::PingPong(rounds)), Traffic::Pattern(phases)) => {
                let whole = pairs.finished.iter().filter(|&&(left, _)| left == 0);
                let bytes = 2 * u64::from(rounds) * phases.bytes();
                got.bandwidths = whole.map(|&(_, at)| rate(bytes, at)).collect();
            }
            (Work::Program(program), ..) => {
                got.inside = program.counts.inside;
                got.phases = program.times;
            }
            _ => {}
        }
        got.latencies = member.latencies;
    }
    // Messages inside hosts count, too.
    let times = vec![got.iter().flat_map(|got| &got.times).copied().max().unwrap_or(0)];
    Ok(Some(Experiment { works: got, times, ..Experiment::of(out, number) }))
}

/// Bytes over a time (ps) [bytes/s].
fn rate(bytes: u64, time: u64) -> f64 {
    bytes as f64 / (time as f64 / 1e12)
}

impl Experiment {
    /// The results of a run.
    fn of(mut out: Outcome<Mix<'_>>, phase: usize) -> Self {
        let stopped = out.ending == Ending::Stopped;
        let mut records = out.application.records.take().unwrap_or_default();
        records.shrink_to_fit();
        Self {
            phases: usize::from(!stopped),
            partial: stopped,
            simulated: out.end,
            record_ends: vec![records.len()],
            records,
            slot_ends: vec![out.slots.as_ref().map_or(0, Slots::len)],
            slots: out.slots,
            waited: out.waited,
            ports: out.ports,
            payload: out.payload,
            packets: out.packets,
            delivered: out.delivered,
            discarded: out.discarded,
            hops: out.hops,
            moved: out.moved,
            marked: out.marked,
            events: out.events,
            deadlock: match out.ending {
                Ending::Deadlock(cycle) => Some((phase, cycle)),
                _ => None,
            },
            ..Self::default()
        }
    }

    /// Adds a later run.
    fn add(&mut self, run: Self) {
        self.phases += run.phases;
        self.partial |= run.partial;
        for (sum, got) in self.works.iter_mut().zip(run.works) {
            sum.add(got);
        }
        self.times.extend(run.times);
        self.simulated += run.simulated;
        let (records, slots) = (self.records.len(), self.slot_ends.last().copied().unwrap_or(0));
        self.record_ends.extend(run.record_ends.iter().map(|end| records + end));
        self.records.extend(run.records);
        self.slot_ends.extend(run.slot_ends.iter().map(|end| slots + end));
        match (&mut self.slots, run.slots) {
            (Some(sum), Some(slots)) => sum.append(slots),
            (sum, slots) => *sum = sum.take().or(slots),
        }
        self.waited.behind_others += run.waited.behind_others;
        self.waited.for_credits += run.waited.for_credits;
        self.waited.for_turn += run.waited.for_turn;
        for (sum, port) in self.ports.iter_mut().zip(&run.ports) {
            sum.busy += port.busy;
            sum.starved += port.starved;
            sum.bytes += port.bytes;
        }
        self.payload += run.payload;
        self.packets += run.packets;
        self.delivered += run.delivered;
        self.discarded += run.discarded;
        self.hops += run.hops;
        self.moved = (self.moved.0 + run.moved.0, self.moved.1.max(run.moved.1));
        self.marked += run.marked;
        self.events += run.events;
        self.deadlock = self.deadlock.take().or(run.deadlock);
    }
}

impl Got {
    /// Adds the results of a later run.
    fn add(&mut self, later: Self) {
        self.flows += later.flows;
        self.unrouted += later.unrouted;
        self.inside += later.inside;
        self.bandwidths.extend(later.bandwidths);
        self.times.extend(later.times);
        self.through += later.through;
        self.latencies.merge(&later.latencies);
        self.payload += later.payload;
        self.phases.extend(later.phases);
    }
}
