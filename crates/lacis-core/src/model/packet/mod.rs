//! Packets: every packet, buffer and credit, event by event.
//!
//! What the fluid model leaves out decides how much a static table costs: a packet that waits for
//! a busy output keeps those behind it waiting (head-of-line blocking), and full buffers keep
//! switches upstream waiting (credits). Here each packet is followed. An *event* is what is taken
//! from the calendar: a header that has crossed a switch, an output that becomes free while somebody
//! waits for it, credits that somebody waits for, a host's turn, a message. Nothing happens at idle
//! ports, and a packet that waits for nobody costs one event a switch.
//!
//! | room         | what it models                                            |
//! |--------------|-----------------------------------------------------------|
//! | [`Settings`] | the constants of switches, cables and hosts               |
//! | [`Network`]  | the fabric and its tables                                 |
//! | [`Program`]  | what the hosts send                                       |
//! | [`Workload`] | what a user asks for: traffic and a test, or a job        |
//! | [`Mix`]      | several programs at once                                  |
//! | `switches`   | input buffers, crossbar                                   |
//! | `links`      | packets to the next buffer, credits back                  |
//! | `hosts`      | messages into packets and back                            |
//! | `adaptive`   | choosing among shortest paths                              |
//! | `arbitration`| which lane goes next                                        |
//! | `preemption` | packets that interrupt others                               |
//! | `throttling` | congestion control                                          |
//! | `calendar`   | the order of events                                       |
//! | `cuts`       | cables that fail                                          |
//! | `deadlock`   | who waits for whom when nothing moves any more            |
//!
//! Times are whole picoseconds, so that sums are exact.

mod adaptive;
mod arbitration;
mod calendar;
mod deadlock;
mod device;
mod experiment;
mod features;
mod hosts;
mod job;
mod link_failures;
mod links;
mod network;
mod outcome;
mod preemption;
mod program;
mod settings;
mod state;
mod switches;
mod throttling;
mod utilisation;
mod workload;
mod workloads;

use std::collections::VecDeque;
use std::sync::atomic::{AtomicBool, Ordering};

pub use adaptive::{Algorithm, OmniPath};
pub use deadlock::Stuck;
pub use device::{Constant, DEVICES, Device};
pub use experiment::{Experiment, Got, Request, experiment};
pub use job::{Counts, JobProgram};
pub use network::Network;
pub use outcome::{Ending, Latencies, Outcome, PortUse, Waits};
pub use program::{Arrived, Destinations, PingPong, Poisson, Post, Program, REMINDER, Streams};
pub use settings::{Adaptive, Queueing, Reads, Settings};
pub use throttling::Throttle;
pub use utilisation::Slots;
pub use workload::{Demand, SimulateError, Test, Workload, memory};
pub use workloads::{Member, Mix, Record, Work};

use crate::traffic::Rng;
use adaptive::Choice;
use arbitration::Arbiter;
use calendar::{Calendar, Event};
use network::NONE;
use outcome::Tally;
use preemption::Preemption;
use state::{Host, Lane, Message, Output, Packet, Queue, Slab};
use throttling::Throttling;

/// Runs a program until nothing is left to do, or until `stop` is set.
pub fn simulate<P: Program>(net: &Network<'_>, set: &Settings, program: P, stop: &AtomicBool) -> Outcome<P> {
    let mut simulator = Simulator::new(net, set, program);
    let ending = simulator.run(stop);
    simulator.outcome(ending)
}

/// About how many events a day of the calendar holds.
const AT_A_TIME: u64 = 32;
/// Events between two looks at whether to stop.
const STRIDE: u64 = 1 << 16;

struct Simulator<'a, P> {
    net: &'a Network<'a>,
    set: &'a Settings,
    program: P,
    /// Lanes of a link.
    num_lanes: usize,
    /// Words of a set of ports of a switch.
    words: usize,
    now: u64,
    /// Until when there is nothing to do but events (ps).
    pause: u64,
    calendar: Calendar,
    packets: Slab<Packet>,
    messages: Slab<Message>,
    to_post: Slab<Post>,
    posts: Vec<Post>,
    /// By send queue: its host; and its messages.
    senders: Vec<u32>,
    send_queues: Vec<Queue>,
    hosts: Vec<Host>,
    /// By port.
    outputs: Vec<Output>,
    /// By port and lane.
    lanes: Vec<Lane>,
    /// By port and lane, sets: the inputs that want it; empty where [`Lane::wants`] has them.
    wants: Vec<u64>,
    /// By switch, sets: the inputs none of whose packets is being sent.
    at_rest: Vec<u64>,
    /// By port of a switch: the output that its packet is being sent by.
    feeds: Vec<u32>,
    /// By port of a switch, lane and, with virtual output queues, number of the output.
    queues: Vec<Queue>,
    /// By port; empty where lanes take turns.
    arbiters: Vec<Arbiter>,
    preemption: Option<Box<Preemption>>,
    throttling: Option<Box<Throttling>>,
    /// Who chooses the ports.
    choice: Choice,
    candidates: Vec<u8>,
    rng: Rng,
    tally: Tally,
    /// How busy ports are over time, where that was asked for.
    slots: Option<Slots>,
    /// By port: whether its cable has failed; empty where none ever does.
    down: Vec<bool>,
    /// Cuts to come, those of a time as one.
    cuts_ahead: usize,
}

impl<'a, P: Program> Simulator<'a, P> {
    fn new(net: &'a Network<'a>, set: &'a Settings, program: P) -> Self {
        debug_assert!(
            set.queueing == Queueing::Virtual || set.reads == Reads::One,
            "one queue is read by one output at a time"
        );
        debug_assert!(
            net.cuts.is_empty() || !set.quality.preempt,
            "what interrupted packets do is not known"
        );
        let num_lanes = set.quality.num_lanes(net.routes.lanes.as_ref());
        let ports = net.ports.len();
        let words = net.radix.div_ceil(64);
        let room = set.buffer.map_or(u64::MAX / 2, u64::from);
        let senders = program.senders();
        let host = Host { turns: vec![VecDeque::new(); num_lanes], ..Host::default() };
        // A packet's way to the next switch should lie within the calendar's year.
        let packet = f64::from(set.mtu + set.header) * net.ps_per_byte.iter().copied().fold(0.0, f64::max);
        let year = 2 * (packet as u64 + set.switch_latency + 2 * set.cable_delay);
        let busy = senders.len().min(net.ends.len()) as u64;
        let urgent = set.quality.arbitration.filter(|_| set.quality.preempt).map(|tables| tables.urgent());
        let throttling = set
            .throttle
            .map(|how| Box::new(Throttling::new(how, net.switch_ports, senders.len(), net.ends.len())));
        let choice = Choice::of(net, set);
        let pause = choice.next().min(set.horizon);
        Self {
            num_lanes,
            words,
            now: 0,
            calendar: Calendar::new(year, AT_A_TIME * packet as u64 / (1 + busy)),
            packets: Slab::default(),
            messages: Slab::default(),
            to_post: Slab::default(),
            posts: Vec::new(),
            send_queues: vec![Queue::EMPTY; senders.len()],
            senders,
            hosts: vec![host; net.ends.len()],
            outputs: net.ps_per_byte.iter().map(|&ps| Output::new(ps)).collect(),
            lanes: vec![Lane::new(room); ports * num_lanes],
            wants: vec![0; if words > 1 { ports * num_lanes * words } else { 0 }],
            at_rest: vec![u64::MAX; net.fabric.num_nodes() * words],
            feeds: vec![NONE; net.switch_ports],
            queues: vec![Queue::EMPTY; net.switch_ports * num_lanes * set.queueing.queues(net.radix)],
            arbiters: vec![Arbiter::default(); if set.quality.arbitration.is_some() { ports } else { 0 }],
            preemption: urgent.map(|urgent| Box::new(Preemption::new(urgent, ports))),
            throttling,
            choice,
            pause,
            candidates: Vec::new(),
            rng: Rng::of_pattern(set.seed, u64::MAX),
            tally: Tally::new(),
            slots: (set.interval > 0).then(|| {
                let has_cable = net.ports.iter().map(|port| port.peer != NONE);
                Slots::new(set.interval, has_cable, set.cells)
            }),
            down: vec![false; if net.cuts.is_empty() { 0 } else { ports }],
            cuts_ahead: 0,
            net,
            set,
            program,
        }
    }

    fn run(&mut self, stop: &AtomicBool) -> Ending {
        let mut posts = Vec::new();
        self.enter_cuts();
        self.program.begin(&mut posts);
        self.posts = posts;
        self.take_posts();
        while let Some((time, event)) = self.next_event() {
            if time >= self.pause {
                if self.is_idle_cut(event) {
                    continue;
                }
                if self.pause(time) {
                    return Ending::Horizon;
                }
            }
            self.now = time;
            self.tally.events += 1;
            if self.act(event) {
                return Ending::Over;
            }
            if self.tally.events.is_multiple_of(STRIDE) {
                debug_assert!(self.is_conserved(), "packets or credits were lost");
                if stop.load(Ordering::Relaxed) {
                    return Ending::Stopped;
                }
                if let Some(stuck) = self.deadlock() {
                    return Ending::Deadlock(stuck);
                }
            }
        }
        debug_assert!(self.is_conserved(), "packets or credits were lost");
        let deadlock = self.deadlock();
        debug_assert!(deadlock.is_some() || self.packets.len() == 0, "packets were forgotten");
        deadlock.map_or(Ending::Done, Ending::Deadlock)
    }

    /// Does what an event asks for. Says whether the program is over.
    #[inline]
    fn act(&mut self, event: Event) -> bool {
        match event {
            Event::Ready(packet) => self.ready(packet),
            Event::Sent(output) => self.sent(output),
            Event::Credit(output) => self.credit(output),
            Event::Host(host) => {
                self.hosts[host as usize].watched = false;
                self.try_host(host);
            }
            Event::Post(number) => {
                let post = self.to_post.remove(number);
                self.post(post);
                let mut posts = std::mem::take(&mut self.posts);
                self.program.posted(&post, &mut posts);
                self.posts = posts;
                self.take_posts();
                return self.program.is_over();
            }
            Event::Queue(message) => self.queue(message),
            Event::Slow(queue) => self.slow(queue),
            Event::Cut(number) => self.cut(number),
            Event::Arrive(message) => {
                self.arrive(message);
                return self.program.is_over();
            }
        }
        false
    }

    /// Does what is due by a time besides events. Says whether the horizon is.
    #[cold]
    fn pause(&mut self, time: u64) -> bool {
        let mut due = self.choice.next().min(self.set.horizon);
        while time >= due {
            if due >= self.set.horizon {
                return true;
            }
            self.now = due;
            self.adjust();
            due = self.choice.next().min(self.set.horizon);
        }
        self.pause = due.min(self.next_cut());
        false
    }

    /// The next event and its time.
    #[inline]
    fn next_event(&mut self) -> Option<(u64, Event)> {
        if let Some(next) = self.calendar.next() {
            return Some(next);
        }
        self.calendar.turn()?;
        self.look_ahead();
        self.calendar.next()
    }

    /// Reads what the events of a day will need. They wait for memory, each for several places one after the
    /// other; reads that do not depend on each other are waited for together.
    #[inline(never)]
    fn look_ahead(&self) {
        let mut sum = 0;
        for event in self.calendar.today() {
            match event {
                Event::Ready(packet) => sum ^= self.packets.get(packet).at,
                Event::Host(host) => sum ^= u32::from(self.hosts[host as usize].watched),
                _ => {}
            }
        }
        let lane = |output: u32| u32::from(self.lanes[self.link(output, 0)].turn);
        let output = |output: u32| self.outputs[output as usize].feeding ^ lane(output);
        for event in self.calendar.today() {
            sum ^= match event {
                Event::Ready(packet) => {
                    let Packet { at, out, lane: from, .. } = *self.packets.get(packet);
                    let queue = self.queues[self.queue_of(at, from, out)].first;
                    queue ^ output(self.net.sibling(at, out)) ^ lane(self.net.peer(at))
                }
                Event::Sent(sent) | Event::Credit(sent) => output(sent),
                Event::Host(host) => {
                    output(self.net.ends[host as usize]) ^ self.left_to_send(host).unwrap_or(0)
                }
                Event::Post(_) | Event::Queue(_) | Event::Arrive(_) | Event::Slow(_) | Event::Cut(_) => 0,
            };
        }
        std::hint::black_box(sum);
    }

    /// Credits that an output waited for have come back.
    fn credit(&mut self, output: u32) {
        if self.net.is_switch(output) {
            self.try_output(output);
        } else {
            self.try_host(self.net.end[output as usize]);
        }
    }

    /// Whether all packets are accounted for, and all room in buffers.
    fn is_conserved(&self) -> bool {
        let tally = &self.tally;
        let packets = tally.injected == tally.delivered + tally.discarded + self.packets.len() as u64;
        let room =
            self.set.buffer.is_none_or(|room| self.lanes.iter().all(|lane| lane.total() <= u64::from(room)));
        packets && room
    }
}
