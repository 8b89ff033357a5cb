//! A message program as an application: ranks that send what the phases of a [`Program`] list.
//!
//! * **Ranks do not wait for each other**: a rank enters a phase when all messages that it sends and receives
//!   in the phases before have arrived. So a fast rank runs ahead of a slow one, as in MPI. A message has been
//!   sent when it has arrived, as in a rendezvous protocol.
//! * The phases of a **trace begin for all ranks at once**, when all messages of the phases that they wait
//!   for have arrived: that is what the format says.
//!
//! The messages of a rank in a phase leave side by side, each by its own send queue. Messages inside a host
//! use neither its adapter nor the fabric: they pass one after another through its memory.
//!
//! | here    | meaning                                                              |
//! |---------|----------------------------------------------------------------------|
//! | `line`  | a rank and a rail that it sends by                                   |
//! | `left`  | messages that a rank sends or receives in a phase and that are to arrive |
//! | `open`  | a phase that some rank has entered, and some has not left            |

use std::sync::atomic::{AtomicBool, Ordering};

use rustc_hash::FxHashSet;

use super::application::{Application, Arrived, Post, REMINDER};
use super::state::Slab;
use crate::ranks::{Delivery, Flow};
use crate::traffic::{Message, Program, ProgramSpec};

/// A program that runs.
#[derive(Debug)]
pub struct ProgramRun<'a> {
    program: &'a Program<'a>,
    /// Time of each byte of a message inside a host (ps).
    ps_per_byte: f64,
    /// Flows that do not arrive.
    lost: FxHashSet<Flow>,
    rails: usize,
    /// By index of a port: its rail.
    rail: Vec<u32>,
    /// By line: its first send queue.
    first: Vec<u32>,
    /// By send queue: its port.
    senders: Vec<u32>,
    /// By phase.
    open: Vec<Option<OpenPhase>>,
    /// By rank: the phase it is in.
    at: Vec<u32>,
    /// By phase of a trace: how many unfinished phases it waits for, and which phases wait for it.
    waits: Vec<(u32, Vec<u32>)>,
    in_flight: Slab<SentMessages>,
    /// By host: when its memory is free (ps).
    memory_free: Vec<u64>,
    /// Ranks, or phases of a trace, that are finished.
    finished: usize,
    sent: Vec<Message>,
    /// By rail: messages posted by the current rank.
    used: Vec<u32>,
    /// By phase: when it began and when its last message arrived (ps); none where nothing was sent.
    pub times: Vec<Option<(u64, u64)>>,
    /// The service level of messages that ask for none.
    pub sl: u8,
    /// No phase waits for messages without a route.
    pub counts: MessageCounts,
}

/// Messages of a program.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct MessageCounts {
    /// Messages with a route.
    pub messages: u64,
    /// Messages with a route that stay inside a host.
    pub inside: u64,
    /// Messages without a route.
    pub unrouted: u64,
    /// The most at a time, if ranks keep pace.
    pub at_once: u64,
}

/// A message in flight.
#[derive(Clone, Copy, Debug)]
pub(super) struct SentMessages {
    pub phase: u32,
    /// Ranks.
    pub from: u32,
    pub to: u32,
    pub posted: u64,
}

#[derive(Debug, Default)]
struct OpenPhase {
    /// By rank.
    left: Vec<u32>,
    /// By rank: the first of its messages.
    begin: Vec<u32>,
    messages: Vec<Message>,
    /// Ranks that have not left it; of a trace, messages that have not arrived.
    inside: u32,
}

impl<'a> ProgramRun<'a> {
    /// Memory for a message [bytes]: its record in flight, and its entries in two phases and in `sent`.
    pub(super) const BY_MESSAGE: usize =
        size_of::<SentMessages>() + size_of::<u32>() + 3 * size_of::<Message>();

    /// A run of a program. `rate` is that of a host's memory [bytes/s]; `arrives`: whether a flow has a route.
    /// None when `stop` was set meanwhile.
    pub fn new(
        program: &'a Program<'a>,
        rate: f64,
        mut arrives: impl FnMut(Flow) -> bool,
        stop: &AtomicBool,
    ) -> Option<Self> {
        let ranks = program.ranks();
        let participants = ranks.participants();
        let rails = participants.num_rails().max(1);
        let mut rail = vec![0; participants.ports().len()];
        for r in 0..participants.num_rails() {
            for host in 0..participants.num_hosts() as u32 {
                if let Some(slot) = participants.slot(host, r) {
                    rail[slot as usize] = r as u32;
                }
            }
        }
        let lines = ranks.len() as usize * rails;
        // The most messages of a line in a phase, and the port that they leave by.
        let (mut most, mut now) = (vec![0_u32; lines], vec![0_u32; lines]);
        let mut port = vec![0; lines];
        let (mut known, mut lost) = (FxHashSet::default(), FxHashSet::default());
        let mut counts = MessageCounts::default();
        let mut sent = Vec::new();
        for phase in 0..program.phases() {
            if stop.load(Ordering::Relaxed) {
                return None;
            }
            program.fill(phase, &mut sent);
            now.fill(0);
            let mut here = 0;
            for message in &sent {
                let Delivery::Fabric(flow) = message.delivery(ranks) else {
                    counts.inside += 1;
                    here += 1;
                    continue;
                };
                if lost.contains(&flow) || (known.insert(flow) && !arrives(flow)) {
                    counts.unrouted += 1;
                    lost.insert(flow);
                    continue;
                }
                here += 1;
                let line = message.from as usize * rails + rail[flow.from as usize] as usize;
                now[line] += 1;
                most[line] = most[line].max(now[line]);
                port[line] = flow.from;
            }
            counts.messages += here;
            counts.at_once = counts.at_once.max(here);
        }
        let mut first = Vec::with_capacity(lines);
        let mut senders = Vec::new();
        for (&most, &port) in most.iter().zip(&port) {
            first.push(senders.len() as u32);
            senders.extend(std::iter::repeat_n(port, most as usize));
        }
        let phases = program.phases();
        let mut waits: Vec<(u32, Vec<u32>)> = vec![(0, Vec::new()); phases];
        for phase in 0..phases {
            let after = program.after(phase);
            waits[phase].0 = after.len() as u32;
            for before in after {
                waits[before as usize].1.push(phase as u32);
            }
        }
        Some(Self {
            program,
            ps_per_byte: 1e12 / rate,
            lost,
            rails,
            rail,
            first,
            senders,
            open: (0..phases).map(|_| None).collect(),
            at: vec![0; ranks.len() as usize],
            waits,
            in_flight: Slab::default(),
            memory_free: vec![0; participants.num_hosts()],
            finished: 0,
            sent,
            used: vec![0; rails],
            times: vec![None; phases],
            sl: 0,
            counts,
        })
    }

    /// Whether all messages of all phases have arrived.
    pub fn is_done(&self) -> bool {
        self.finished == if self.is_trace() { self.open.len() } else { self.at.len() }
    }

    /// The message that a post carries, by its tag.
    pub(super) fn sent(&self, tag: u32) -> SentMessages {
        *self.in_flight.get(tag)
    }

    fn is_trace(&self) -> bool {
        matches!(self.program.spec(), ProgramSpec::Trace(_))
    }

    /// Lists the messages of a phase by sender, if they are not listed yet.
    fn open(&mut self, phase: u32) -> &mut OpenPhase {
        let Self { program, lost, sent, .. } = self;
        let ranks = program.ranks();
        self.open[phase as usize].get_or_insert_with(|| {
            program.fill(phase as usize, sent);
            if !lost.is_empty() {
                sent.retain(|m| !matches!(m.delivery(ranks), Delivery::Fabric(flow) if lost.contains(&flow)));
            }
            let n = ranks.len() as usize;
            let (mut left, mut begin) = (vec![0; n], vec![0; n + 1]);
            for message in sent.iter() {
                left[message.from as usize] += 1;
                left[message.to as usize] += 1;
                begin[message.from as usize + 1] += 1;
            }
            (0..n).for_each(|r| begin[r + 1] += begin[r]);
            // Stable: the messages of a rank keep their order.
            sent.sort_by_key(|m| m.from);
            OpenPhase { left, begin, messages: sent.clone(), inside: n as u32 }
        })
    }

    /// Posts what a rank sends in a phase.
    fn post(&mut self, phase: u32, rank: u32, now: u64, posts: &mut Vec<Post>) {
        let open = self.open(phase);
        let range = open.begin[rank as usize] as usize..open.begin[rank as usize + 1] as usize;
        if range.is_empty() {
            return;
        }
        let times = self.times[phase as usize].get_or_insert((now, now));
        times.0 = times.0.min(now);
        self.used.fill(0);
        for index in range {
            let message = self.open(phase).messages[index];
            let Message { from, to, bytes, .. } = message;
            let tag = self.in_flight.add(SentMessages { phase, from, to, posted: now });
            posts.push(match message.delivery(self.program.ranks()) {
                Delivery::Inside(host) => {
                    let free = &mut self.memory_free[host as usize];
                    *free = (*free).max(now) + (bytes as f64 * self.ps_per_byte).round() as u64;
                    Post { at: *free, queue: REMINDER, to: 0, bytes, sl: 0, tag }
                }
                Delivery::Fabric(flow) => {
                    let rail = self.rail[flow.from as usize] as usize;
                    let queue = self.first[rank as usize * self.rails + rail] + self.used[rail];
                    self.used[rail] += 1;
                    let sl = message.sl.unwrap_or(self.sl);
                    Post { at: now, queue, to: flow.to, bytes, sl, tag }
                }
            });
        }
    }

    /// Leads a rank from phase to phase until it has to wait for messages.
    fn go_on(&mut self, rank: u32, now: u64, posts: &mut Vec<Post>) {
        while (self.at[rank as usize] as usize) < self.open.len() {
            let phase = self.at[rank as usize];
            self.post(phase, rank, now, posts);
            if self.open(phase).left[rank as usize] > 0 {
                return;
            }
            self.leave(rank);
        }
        self.finished += 1;
    }

    /// A rank leaves its phase; when all have, its memory is freed.
    fn leave(&mut self, rank: u32) {
        let phase = self.at[rank as usize];
        self.at[rank as usize] += 1;
        let open = self.open(phase);
        open.inside -= 1;
        if open.inside == 0 {
            self.open[phase as usize] = None;
        }
    }

    /// Begins phases of a trace and, where these have no messages, those that wait only for them.
    fn begin_phases(&mut self, mut ready: Vec<u32>, now: u64, posts: &mut Vec<Post>) {
        while let Some(phase) = ready.pop() {
            let open = self.open(phase);
            open.inside = open.messages.len() as u32;
            if open.inside > 0 {
                (0..self.at.len() as u32).for_each(|rank| self.post(phase, rank, now, posts));
            } else {
                self.end_phase(phase, &mut ready);
            }
        }
    }

    /// Ends a phase of a trace; phases that waited only for it become ready.
    fn end_phase(&mut self, phase: u32, ready: &mut Vec<u32>) {
        self.open[phase as usize] = None;
        self.finished += 1;
        for follower in std::mem::take(&mut self.waits[phase as usize].1) {
            let waits = &mut self.waits[follower as usize].0;
            *waits -= 1;
            if *waits == 0 {
                ready.push(follower);
            }
        }
    }
}

impl Application for ProgramRun<'_> {
    fn senders(&self) -> Vec<u32> {
        self.senders.clone()
    }

    fn begin(&mut self, posts: &mut Vec<Post>) {
        if self.is_trace() {
            let ready = (0..self.waits.len()).rev().filter(|&p| self.waits[p].0 == 0);
            self.begin_phases(ready.map(|p| p as u32).collect(), 0, posts);
        } else {
            (0..self.at.len() as u32).for_each(|rank| self.go_on(rank, 0, posts));
        }
    }

    fn posted(&mut self, post: &Post, posts: &mut Vec<Post>) {
        if post.queue == REMINDER {
            self.arrived(&Arrived { at: post.at, post: *post }, posts);
        }
    }

    fn arrived(&mut self, message: &Arrived, posts: &mut Vec<Post>) {
        let Arrived { at: now, post } = *message;
        let SentMessages { phase, from, to, .. } = self.in_flight.remove(post.tag);
        if let Some(times) = &mut self.times[phase as usize] {
            times.1 = now;
        }
        if self.is_trace() {
            let open = self.open(phase);
            open.inside -= 1;
            if open.inside == 0 {
                let mut ready = Vec::new();
                self.end_phase(phase, &mut ready);
                self.begin_phases(ready, now, posts);
            }
            return;
        }
        for rank in [from, to] {
            let left = &mut self.open(phase).left[rank as usize];
            *left -= 1;
            let is_free = *left == 0 && self.at[rank as usize] == phase;
            if is_free {
                self.leave(rank);
                self.go_on(rank, now, posts);
            }
        }
    }
}
