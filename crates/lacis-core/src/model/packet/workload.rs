//! What a user asks for: traffic and how it is sent; several may run at once.

use std::mem::size_of;
use std::sync::atomic::AtomicBool;

use super::adaptive::choice::Choice;
use super::application::{Destinations, PingPong, Poisson, Post, Streams};
use super::calendar::Event;
use super::network::{FlowFate, NONE, Network};
use super::outcome::PortUse;
use super::program::ProgramRun;
use super::request::SimulationRequest;
use super::settings::Settings;
use super::state::{Lane, MessageState, Output, Packet, Queue};
use super::throttle::Throttling;
use super::workloads::{Member, Record, Work};
use crate::ranks::Flow;
use crate::traffic::{Phase, Phases, Program, ProgramSpec, Stripe, Traffic};

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

/// Traffic that runs beside other traffic.
#[derive(Clone, Copy, Debug)]
pub struct Workload<'a> {
    /// What is sent.
    pub traffic: &'a Traffic<'a>,
    /// What each flow of a pattern does; every message is sent once, at once, where none is given. A program says
    /// itself what is sent when, and takes none.
    pub test: Option<Test>,
    /// The service level that its messages ask for; tables that assign service levels override it.
    pub sl: u8,
    /// The rate at which the ranks of a host exchange messages, all together [bytes/s].
    pub local_rate: f64,
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
        "only messages of windows, a burst or a program can be spread over rails, not those of ping-pong or a load"
    )]
    NotStriped,
    /// A test of a program.
    #[error(
        "traffic \"{program}\" is a message program, which says itself what is sent when: it takes no test and no count"
    )]
    TestOfProgram {
        /// As typed.
        program: String,
    },
    /// An open load of nothing.
    #[error("messages of a load are of 1 byte or more")]
    EmptyLoad,
    /// No flow is left to simulate.
    #[error("no flow has a route")]
    NothingToSend,
}

/// A member of a run, and how many flows of a pattern or messages of a program have a route, and have none.
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
    /// What its flows do.
    fn test(&self) -> Test {
        self.test.unwrap_or(Test::Burst(1))
    }

    /// How many runs it asks for: the phases of a pattern; a program is one.
    pub(super) fn runs(&self) -> usize {
        match self.traffic {
            Traffic::Pattern(phases) => phases.len(),
            Traffic::Program(_) => 1,
        }
    }

    /// Whether it is an open load, and until when (ps).
    pub(super) fn lasts_until(&self) -> Option<u64> {
        match self.test {
            Some(Test::Load { duration, .. }) => Some(duration),
            _ => None,
        }
    }

    /// Refuses what cannot be sent on any network.
    ///
    /// # Errors
    /// A test of a program, an open load of nothing, or a test whose messages cannot be spread over rails.
    pub fn check(&self) -> Result<(), SimulateError> {
        match (self.traffic, self.test()) {
            (Traffic::Program(program), _) if self.test.is_some() => {
                Err(SimulateError::TestOfProgram { program: program.spec().to_string() })
            }
            (Traffic::Pattern(phases), Test::Load { .. }) if phases.bytes() == 0 => {
                Err(SimulateError::EmptyLoad)
            }
            (Traffic::Pattern(phases), Test::PingPong(_) | Test::Load { .. })
                if phases.striping().is_some() =>
            {
                Err(SimulateError::NotStriped)
            }
            _ => Ok(()),
        }
    }

    /// Its application for a run, the `number`th of those side by side; none when `stop` was set meanwhile.
    pub(super) fn ready(
        &self,
        stop: &AtomicBool,
        net: &Network<'_>,
        request: &SimulationRequest,
        set: &Settings,
        number: usize,
        run: usize,
    ) -> Result<Option<Ready<'a>>, SimulateError> {
        self.check()?;
        let ends: Vec<u32> =
            self.traffic.participants().ports().iter().map(|port| net.end[port.ix()]).collect();
        let there = |flow: Flow| Flow { from: ends[flow.from as usize], to: ends[flow.to as usize] };
        let mut sieve = Sieve::default();
        let (work, flows, unrouted) = match self.traffic {
            Traffic::Program(program) => {
                let arrives = |flow| sieve.passes(net, there(flow), request);
                let Some(mut run) = ProgramRun::new(program, self.local_rate, arrives, stop) else {
                    return Ok(None);
                };
                let counts = run.counts;
                run.sl = self.sl;
                (Work::Program(Box::new(run)), counts.messages, counts.unrouted)
            }
            Traffic::Pattern(phases) if phases.striping().is_some() => {
                let (count, windows, answer) = match self.test() {
                    Test::Windows { window, windows } => (window, windows, Some(0)),
                    Test::Burst(messages) => (messages, 1, None),
                    Test::PingPong(_) | Test::Load { .. } => return Err(SimulateError::NotStriped),
                };
                let (mut phase, mut stripes) = (Phase::default(), Vec::new());
                let at = (run % phases.len(), request.seed.wrapping_add(number as u64));
                phases.fill_striped(at, count, &mut phase, &mut stripes);
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
            Traffic::Pattern(phases) => {
                let bytes = phases.bytes();
                let mut phase = Phase::default();
                // Random patterns side by side differ.
                phases.fill(run % phases.len(), request.seed.wrapping_add(number as u64), &mut phase);
                let mut flows = phase.flows;
                let all = flows.len();
                flows.retain(|&flow| sieve.passes(net, there(flow), request));
                let count = flows.len();
                let work = match self.test() {
                    Test::Windows { window, windows } => {
                        Work::Streams(Streams::new(flows, bytes, window, windows, Some(0)))
                    }
                    Test::Burst(messages) => Work::Streams(Streams::new(flows, bytes, messages, 1, None)),
                    Test::PingPong(rounds) => Work::PingPong(PingPong::new(flows, bytes, rounds)),
                    Test::Load { load, duration } => {
                        let to = receivers(phases, &flows)?;
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
        let phases = match self.traffic {
            Traffic::Program(program) => return Most::of_program(program, mtu),
            Traffic::Pattern(phases) => phases,
        };
        let (test, bytes) = (self.test(), phases.bytes());
        let flows = phases.max_flows() as u64;
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
                let hosts = phases.participants().ports().len() as u64;
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

/// Messages of a phase up to which they are counted one by one, which takes memory itself; of more their number is known.
const MOST_COUNTED: u64 = 1 << 25;

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
    /// Of a program: a rank has the messages of one phase in flight; phases of a trace may overlap.
    fn of_program(program: &Program<'_>, mtu: u64) -> Self {
        let (phases, in_a_phase) = (program.phases() as u64, program.max_messages() as u64);
        if in_a_phase > MOST_COUNTED {
            let (in_all, noted) = (in_a_phase.saturating_mul(phases), ProgramRun::BY_MESSAGE);
            return Self {
                at_once: in_a_phase,
                in_all,
                packets: in_all,
                least: 0,
                queues: in_a_phase,
                noted,
            };
        }
        let ranks = program.ranks().len() as usize;
        let (mut in_all, mut all_packets, mut least, mut sent) = (0, 0_u64, u64::MAX, Vec::new());
        // By rank, messages and packets: in a phase, and the most in any.
        let (mut now, mut most) = (vec![(0, 0_u64); ranks], vec![(0, 0); ranks]);
        for phase in 0..program.phases() {
            program.fill(phase, &mut sent);
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
        let (at_once, packets) = match program.spec() {
            ProgramSpec::Trace(_) if !program.is_chain() => (in_all, all_packets),
            _ => most.iter().fold((0, 0_u64), |sum, most| (sum.0 + most.0, sum.1.saturating_add(most.1))),
        };
        Self { at_once, in_all, packets, least, queues: at_once, noted: ProgramRun::BY_MESSAGE }
    }
}

/// Bytes for a send queue, its sender, and the flow that it is for: as drawn, and as kept.
const BY_QUEUE: usize = size_of::<Queue>() + 3 * size_of::<u32>() + 2 * size_of::<(Flow, Stripe)>();

/// The most memory that the runs of a simulation may need `[bytes]`, without their results: its arrays, packets in every buffer and messages in
/// every queue; a record of every message and cells of intervals, where these are asked for.
pub(super) fn memory(net: &Network<'_>, works: &[Workload<'_>], request: &SimulationRequest) -> u64 {
    let set = &request.settings;
    let (ports, lanes) = (net.ports.len() as u64, set.lanes.num_lanes(net.routes.lanes.as_ref()) as u64);
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
    let fixed = size(ports, size_of::<Output>() + size_of::<PortUse>())
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
fn receivers(phases: &Phases<'_>, flows: &[Flow]) -> Result<Destinations, SimulateError> {
    if phases.is_all_to_all() {
        return Ok(Destinations::Any);
    }
    // A host that sends nothing is its own receiver.
    let mut to: Vec<u32> = (0..phases.participants().ports().len() as u32).collect();
    for flow in flows {
        let receiver = &mut to[flow.from as usize];
        if *receiver != flow.from {
            return Err(SimulateError::ManyReceivers);
        }
        *receiver = flow.to;
    }
    Ok(Destinations::Fixed(to))
}
