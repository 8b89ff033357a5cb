//! The state of a simulation.

use std::collections::VecDeque;

use super::adaptive::choice::Choice;
use super::application::{Application, Post};
use super::arbiter::Arbiter;
use super::calendar::Calendar;
use super::flights::Preemption;
use super::network::{NONE, Network};
use super::outcome::PacketCounters;
use super::settings::{Queueing, Reads, Settings};
use super::state::{HostState, Lane, MessageState, Output, Packet, Queue, Slab};
use super::throttle::Throttling;
use super::utilisation::Slots;
use crate::traffic::Rng;

/// About how many events a day of the calendar holds.
const AT_A_TIME: u64 = 32;

/// A fabric, its hosts and all packets on their way, at one time.
pub(super) struct Simulator<'a, A> {
    pub(super) net: &'a Network<'a>,
    pub(super) set: &'a Settings,
    pub(super) application: A,
    /// Lanes of a link.
    pub(super) num_lanes: usize,
    /// Words of a set of ports of a switch.
    pub(super) words: usize,
    pub(super) now: u64,
    /// Until when there is nothing to do but events (ps).
    pub(super) pause: u64,
    pub(super) calendar: Calendar,
    pub(super) packets: Slab<Packet>,
    pub(super) messages: Slab<MessageState>,
    pub(super) to_post: Slab<Post>,
    pub(super) posts: Vec<Post>,
    /// By send queue: its host.
    pub(super) senders: Vec<u32>,
    /// By send queue: its messages.
    pub(super) send_queues: Vec<Queue>,
    pub(super) hosts: Vec<HostState>,
    /// By port.
    pub(super) outputs: Vec<Output>,
    /// By port and lane.
    pub(super) lanes: Vec<Lane>,
    /// By port and lane, sets: the inputs that want it; empty where [`Lane::wants`] has them.
    pub(super) wants: Vec<u64>,
    /// By switch, sets: the inputs none of whose packets is being sent.
    pub(super) at_rest: Vec<u64>,
    /// By port of a switch: the output that its packet is being sent by.
    pub(super) feeds: Vec<u32>,
    /// By port of a switch, lane and, with virtual output queues, number of the output.
    pub(super) queues: Vec<Queue>,
    /// By port; empty where lanes take turns.
    pub(super) arbiters: Vec<Arbiter>,
    pub(super) preemption: Option<Box<Preemption>>,
    pub(super) throttling: Option<Box<Throttling>>,
    /// What chooses the ports.
    pub(super) choice: Choice,
    pub(super) candidates: Vec<u8>,
    pub(super) rng: Rng,
    pub(super) tally: PacketCounters,
    /// How busy ports are over time, where that was asked for.
    pub(super) slots: Option<Slots>,
    /// By port: whether its cable has failed; empty where none ever does.
    pub(super) down: Vec<bool>,
    /// Cuts to come, those of a time as one.
    pub(super) cuts_ahead: usize,
}

impl<'a, A: Application> Simulator<'a, A> {
    pub(super) fn new(net: &'a Network<'a>, set: &'a Settings, application: A) -> Self {
        debug_assert!(
            set.queueing == Queueing::Virtual || set.reads == Reads::One,
            "one queue is read by one output at a time"
        );
        debug_assert!(net.cuts.is_empty() || !set.lanes.preempt, "what interrupted packets do is not known");
        let num_lanes = set.lanes.num_lanes(net.routes.lanes.as_ref());
        let ports = net.ports.len();
        let words = net.radix.div_ceil(64);
        let room = set.buffer.map_or(u64::MAX / 2, u64::from);
        let senders = application.senders();
        let host = HostState { turns: vec![VecDeque::new(); num_lanes], ..HostState::default() };
        // A packet should reach the next switch within the calendar's year.
        let packet = f64::from(set.mtu + set.header) * net.ps_per_byte.iter().copied().fold(0.0, f64::max);
        let year = 2 * (packet as u64 + set.switch_latency + 2 * set.cable_delay);
        let busy = senders.len().min(net.ends.len()) as u64;
        let urgent = set.lanes.arbitration.filter(|_| set.lanes.preempt).map(|tables| tables.urgent());
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
            arbiters: vec![Arbiter::default(); if set.lanes.arbitration.is_some() { ports } else { 0 }],
            preemption: urgent.map(|urgent| Box::new(Preemption::new(urgent, ports))),
            throttling,
            choice,
            pause,
            candidates: Vec::new(),
            rng: Rng::of_pattern(set.seed, u64::MAX),
            tally: PacketCounters::new(),
            slots: (set.interval > 0).then(|| {
                let has_cable = net.ports.iter().map(|port| port.peer != NONE);
                Slots::new(set.interval, has_cable, set.cells)
            }),
            down: vec![false; if net.cuts.is_empty() { 0 } else { ports }],
            cuts_ahead: 0,
            net,
            set,
            application,
        }
    }

    /// Whether all packets are accounted for, and all room in buffers.
    pub(super) fn is_conserved(&self) -> bool {
        let tally = &self.tally;
        let packets = tally.injected == tally.delivered + tally.discarded + self.packets.len() as u64;
        let room =
            self.set.buffer.is_none_or(|room| self.lanes.iter().all(|lane| lane.total() <= u64::from(room)));
        packets && room
    }
}
