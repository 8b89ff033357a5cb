//! What a user asks for: a pattern and what its flows do, or a job; several may run at once.

use std::mem::size_of;
use std::sync::atomic::AtomicBool;

use super::adaptive::choice::Choice;
use super::calendar::Event;
use super::job::JobProgram;
use super::network::{FlowFate, NONE, Network};
use super::outcome::PortUse;
use super::program::{Destinations, PingPong, Poisson, Post, Streams};
use super::request::SimulationRequest;
use super::settings::Settings;
use super::state::{Lane, MessageState, Output, Packet, Queue};
use super::throttle::Throttling;
use super::workloads::{Member, Record, Work};
use crate::ranks::Flow;
use crate::traffic::{Job, JobSpec, Participants, Phase, Plan, Ranks, Stripe};

/// What each flow of a pattern does.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Test {
    /// Sends windows of messages, each answered by an empty one, as `osu_mbw_mr` does.
    Windows {
        /// Messages of a window.
        window: u32,
        /// How many windows.
        windows: u32,
    },
    /// Sends so many messages at once, without an answer.
    Burst(u32),
    /// Sends a message and waits for one that comes back, so many times.
    PingPong(u32),
    /// Each sender posts messages at random times, whether the network keeps up or not.
    Load {
        /// Share of the fastest sender's link that the messages would fill, on average.
        load: f64,
        /// For how long (ps). The run then ends, unless other workloads are still to finish.
        duration: u64,
    },
}

/// What is sent.
#[derive(Clone, Copy, Debug)]
pub enum Demand<'a> {
    /// A pattern, what its flows do, and the payload of a message.
    Pattern(&'a Plan<'a>, Test, u64),
    /// A job on its ranks, and the rate at which those of a host exchange messages, all together [bytes/s].
    Job(&'a Job, &'a Ranks<'a>, f64),
}

/// Traffic that runs beside other traffic.
#[derive(Clone, Copy, Debug)]
pub struct Workload<'a> {
    /// What is sent.
    pub demand: Demand<'a>,
    /// The service level that its messages ask for; tables that assign service levels override it.
    pub sl: u8,
}

/// Why nothing is simulated.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum SimulateError {
    /// Tables with a loop.
    #[error("the tables lead {flows} of the flows in circles, the first from {from} to {to}")]
    Circles {
        /// How many.
        flows: usize,
        /// Sender of the first.
        from: String,
        /// Its receiver.
        to: String,
    },
    /// A pattern that an open load cannot have.
    #[error("an open load needs a pattern in which a host sends to one other, or alltoall")]
    ManyReceivers,
    /// A choice among LIDs where every port has one.
    #[error(
        "{choice} chooses among the LIDs of a port, and every port has one: the tables need an LMC above 0"
    )]
    OneLid {
        /// As typed.
        choice: &'static str,
    },
    /// Spreading over rails with a test that has none.
    #[error(
        "only messages of windows, a burst or a job can be spread over rails, not those of ping-pong or a load"
    )]
    NotStriped,
    /// No flow is left to simulate.
    #[error("no flow has a route")]
    NothingToSend,
}

/// A member of a run, and how many flows of a pattern or messages of a job have a route, and have none.
pub(super) struct Ready<'a> {
    pub member: Member<'a>,
    pub flows: u64,
    pub unrouted: u64,
}

/// Keeps the flows that are simulated, and notes those that circle.
#[derive(Default)]
struct Sieve {
    circling: Vec<Flow>,
}

impl Sieve {
    /// Whether a flow between ends is simulated.
    fn passes(&mut self, net: &Network<'_>, flow: Flow, request: &SimulationRequest) -> bool {
        if flow.from == NONE || flow.to == NONE {
            return false;
        }
        match net.fate(flow, request.settings.multipath) {
            FlowFate::Arrives => true,
            FlowFate::Lost => false,
            FlowFate::Circles => {
                self.circling.push(flow);
                request.circles
            }
        }
    }

    fn check(&self, net: &Network<'_>, circles: bool) -> Result<(), SimulateError> {
        let Some(first) = self.circling.first().filter(|_| !circles) else { return Ok(()) };
        let [from, to] = [first.from, first.to].map(|end| net.name(end));
        Err(SimulateError::Circles { flows: self.circling.len(), from, to })
    }
}

impl<'a> Workload<'a> {
    fn participants(&self) -> &'a Participants {
        match self.demand {
            Demand::Pattern(plan, ..) => plan.participants(),
            Demand::Job(_, ranks, _) => ranks.participants(),
        }
    }

    /// How many runs it asks for: the phases of a pattern; a job is one.
    pub(super) fn runs(&self) -> usize {
        match self.demand {
            Demand::Pattern(plan, ..) => plan.len(),
            Demand::Job(..) => 1,
        }
    }

    /// Whether it is an open load, and until when (ps).
    pub(super) fn lasts_until(&self) -> Option<u64> {
        match self.demand {
            Demand::Pattern(_, Test::Load { duration, .. }, _) => Some(duration),
            _ => None,
        }
    }

    /// Its program for a run, the `number`th of those side by side; none when `stop` was set meanwhile.
    pub(super) fn ready(
        &self,
        stop: &AtomicBool,
        net: &Network<'_>,
        request: &SimulationRequest,
        set: &Settings,
        number: usize,
        run: usize,
    ) -> Result<Option<Ready<'a>>, SimulateError> {
        let ends: Vec<u32> = self.participants().ports().iter().map(|port| net.end[port.ix()]).collect();
        let there = |flow: Flow| Flow { from: ends[flow.from as usize], to: ends[flow.to as usize] };
        let mut sieve = Sieve::default();
        let (work, flows, unrouted) = match self.demand {
            Demand::Job(job, ranks, rate) => {
                let arrives = |flow| sieve.passes(net, there(flow), request);
                let Some(mut program) = JobProgram::new(job, ranks, rate, arrives, stop) else {
                    return Ok(None);
                };
                let counts = program.counts;
                program.sl = self.sl;
                (Work::Job(Box::new(program)), counts.messages, counts.unrouted)
            }
            Demand::Pattern(plan, test, bytes) if plan.striping().is_some() => {
                let (count, windows, answer) = match test {
                    Test::Windows { window, windows } => (window, windows, Some(0)),
                    Test::Burst(messages) => (messages, 1, None),
                    Test::PingPong(_) | Test::Load { .. } => return Err(SimulateError::NotStriped),
                };
                let (mut phase, mut stripes) = (Phase::default(), Vec::new());
                let at = (run % plan.len(), request.seed.wrapping_add(number as u64));
                plan.fill_striped(at, (bytes, count), &mut phase, &mut stripes);
                // A message does not arrive where any of its stripes has no route.
                let pairs = stripes.last().map_or(0, |stripe| stripe.pair as usize + 1);
                let (mut is_there, mut is_lost) = (vec![false; pairs], vec![false; pairs]);
                for (flow, stripe) in phase.flows.iter().zip(&stripes) {
                    is_there[stripe.pair as usize] = true;
                    is_lost[stripe.pair as usize] |= !sieve.passes(net, there(*flow), request);
                }
                let lost = is_lost.iter().filter(|&&lost| lost).count() as u64;
                let all = is_there.iter().filter(|&&there| there).count() as u64;
                let kept = |stripe: &Stripe| !is_lost[stripe.pair as usize];
                let flows: Vec<Flow> = phase
                    .flows
                    .iter()
                    .zip(&stripes)
                    .filter(|(_, stripe)| kept(stripe))
                    .map(|(&flow, _)| flow)
                    .collect();
                stripes.retain(kept);
                (Work::Streams(Streams::striped(&flows, &stripes, windows, answer)), all - lost, lost)
            }
            Demand::Pattern(plan, test, bytes) => {
                let mut phase = Phase::default();
                // Random patterns side by side differ.
                plan.fill(run % plan.len(), request.seed.wrapping_add(number as u64), &mut phase);
                let mut flows = phase.flows;
                let all = flows.len();
                flows.retain(|&flow| sieve.passes(net, there(flow), request));
                let count = flows.len();
                let work = match test {
                    Test::Windows { window, windows } => {
                        Work::Streams(Streams::new(flows, bytes, window, windows, Some(0)))
                    }
                    Test::Burst(messages) => Work::Streams(Streams::new(flows, bytes, messages, 1, None)),
                    Test::PingPong(rounds) => Work::PingPong(PingPong::new(flows, bytes, rounds)),
                    Test::Load { load, duration } => {
                        let to = receivers(plan, &flows)?;
                        let rates = ends.iter().filter(|&&end| end != NONE);
                        let rates = rates.map(|&end| net.ps_per_byte[net.ends[end as usize] as usize]);
                        let fastest = rates.filter(|&ps| ps > 0.0).fold(f64::INFINITY, f64::min);
                        let gap = bytes.max(1) as f64 * fastest / load;
                        let seed = set.seed.wrapping_add(number as u64);
                        Work::Poisson(Poisson::new(ends.len() as u32, to, bytes, gap, duration, seed))
                    }
                };
                (work, count as u64, (all - count) as u64)
            }
        };
        sieve.check(net, request.circles)?;
        Ok(Some(Ready { member: Member::new(work, ends, self.sl), flows, unrouted }))
    }

    /// The most that it posts; packets carry up to `mtu` bytes.
    fn most(&self, net: &Network<'_>, mtu: u64) -> Most {
        let (plan, test, bytes) = match self.demand {
            Demand::Job(job, ..) => return Most::of_job(job, mtu),
            Demand::Pattern(plan, test, bytes) => (plan, test, bytes),
        };
        let flows = plan.max_flows() as u64;
        let (at_once, in_all) = match test {
            Test::Windows { window, windows } => {
                let answered = (u64::from(window) + 1) * u64::from(windows);
                (flows.saturating_mul(u64::from(window)), flows.saturating_mul(answered))
            }
            Test::Burst(count) => {
                let all = flows.saturating_mul(u64::from(count));
                (all, all)
            }
            Test::PingPong(rounds) => (flows, flows.saturating_mul(2 * u64::from(rounds))),
            Test::Load { load, duration } => {
                let hosts = plan.participants().ports().len() as u64;
                let rates = net.ps_per_byte.iter().copied().filter(|&ps| ps > 0.0);
                let gap = rates.fold(f64::INFINITY, f64::min) * bytes.max(1) as f64 / load;
                (hosts, hosts.saturating_mul((duration as f64 / gap) as u64))
            }
        };
        let (packets, queues) = match test {
            Test::Load { .. } => (u64::MAX, at_once),
            // A flow has a queue, and its answers have one.
            _ => (at_once.saturating_mul(bytes.div_ceil(mtu).max(1)), flows.saturating_mul(2)),
        };
        Most { at_once, in_all, packets, least: bytes, queues, noted: 0 }
    }
}

/// The most that a workload posts; each stripe of a message counts as one.
struct Most {
    /// Messages at a time.
    at_once: u64,
    /// Messages in a run.
    in_all: u64,
    /// Packets at a time.
    packets: u64,
    /// The smallest message.
    least: u64,
    /// Send queues.
    queues: u64,
    /// Memory of its program for each message in flight [bytes].
    noted: usize,
}

impl Most {
    /// Of a job: a rank has the messages of one phase in flight; phases of a trace may overlap.
    fn of_job(job: &Job, mtu: u64) -> Self {
        let ranks = job.ranks() as usize;
        let (mut in_all, mut all_packets, mut least, mut sent) = (0, 0_u64, u64::MAX, Vec::new());
        // By rank, messages and packets: in a phase, and the most in any.
        let (mut now, mut most) = (vec![(0, 0_u64); ranks], vec![(0, 0); ranks]);
        for phase in 0..job.phases() {
            job.fill(phase, &mut sent);
            now.fill((0, 0));
            for message in &sent {
                let packets = message.bytes.div_ceil(mtu).max(1);
                let of_rank: &mut (u64, u64) = &mut now[message.from as usize];
                *of_rank = (of_rank.0 + 1, of_rank.1.saturating_add(packets));
                all_packets = all_packets.saturating_add(packets);
                (in_all, least) = (in_all + 1, least.min(message.bytes));
            }
            for (most, now) in most.iter_mut().zip(&now) {
                *most = (most.0.max(now.0), most.1.max(now.1));
            }
        }
        let (at_once, packets) = match job.spec() {
            JobSpec::Trace(_) if !job.is_chain() => (in_all, all_packets),
            _ => most.iter().fold((0, 0_u64), |sum, most| (sum.0 + most.0, sum.1.saturating_add(most.1))),
        };
        Self { at_once, in_all, packets, least, queues: at_once, noted: JobProgram::BY_MESSAGE }
    }
}

/// Bytes for a send queue, its sender, and the flow that it is for: as drawn, and as kept.
const BY_QUEUE: usize = size_of::<Queue>() + 3 * size_of::<u32>() + 2 * size_of::<(Flow, Stripe)>();

/// The most memory that a simulation may need `[bytes]`: its arrays, packets in every buffer and messages in
/// every queue; a record of every message and cells of intervals, where these are asked for.
pub fn memory(net: &Network<'_>, works: &[Workload<'_>], request: &SimulationRequest) -> u64 {
    let set = &request.settings;
    let (ports, lanes) = (net.ports.len() as u64, set.quality.num_lanes(net.routes.lanes.as_ref()) as u64);
    let size = |n: u64, each: usize| n.saturating_mul(each as u64);
    let (mut in_all, mut of_messages, mut least, mut posted) = (0_u64, 0_u64, u64::MAX, 0_u64);
    let by_queue = BY_QUEUE + if set.throttle.is_some() { Throttling::BY_QUEUE } else { 0 };
    for work in works {
        let most = work.most(net, set.mtu.into());
        in_all = in_all.saturating_add(most.in_all);
        of_messages = of_messages.saturating_add(most.packets);
        least = least.min(most.least);
        posted = posted
            .saturating_add(size(
                most.at_once,
                size_of::<MessageState>() + size_of::<Post>() + 8 + most.noted,
            ))
            .saturating_add(size(most.queues, by_queue));
    }
    let wire = u64::from(set.mtu + set.header);
    let in_buffers = set.buffer.map_or(u64::MAX, |room| {
        (net.switch_ports as u64 * lanes)
            .saturating_mul(u64::from(room).div_ceil(wire.min(least.saturating_add(1))))
    });
    let packets = in_buffers.min(of_messages);
    let queues = set.queueing.queues(net.radix) as u64;
    let fixed = size(ports, size_of::<Output>() + 2 * size_of::<PortUse>())
        + size(ports * lanes, size_of::<Lane>() + 8 * net.radix.div_ceil(64))
        + size(net.switch_ports as u64 * lanes * queues, size_of::<Queue>())
        + Choice::size(net, set);
    let moving = size(packets, size_of::<Packet>() + 2 * size_of::<(u64, Event)>()).saturating_add(posted);
    let runs = works.first().map_or(0, Workload::runs) as u64;
    let at_a_time = (rayon::current_num_threads() as u64).min(runs);
    // Once while it is simulated, and once more in the sum of all runs.
    let kept = if request.record { size(in_all.saturating_mul(runs), 2 * size_of::<Record>()) } else { 0 };
    let cells = if set.interval > 0 { size(set.cells as u64, 8) } else { 0 };
    fixed.saturating_add(moving).saturating_mul(at_a_time).saturating_add(kept).saturating_add(cells)
}

/// The receivers of an open load.
fn receivers(plan: &Plan<'_>, flows: &[Flow]) -> Result<Destinations, SimulateError> {
    if plan.is_all_to_all() {
        return Ok(Destinations::Any);
    }
    // A host that sends nothing is its own receiver.
    let mut to: Vec<u32> = (0..plan.participants().ports().len() as u32).collect();
    for flow in flows {
        let receiver = &mut to[flow.from as usize];
        if *receiver != flow.from {
            return Err(SimulateError::ManyReceivers);
        }
        *receiver = flow.to;
    }
    Ok(Destinations::Fixed(to))
}
