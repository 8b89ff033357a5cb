//! Fluid over time: messages of given sizes at max-min fair rates.
//!
//! Between two *events* rates are constant. At an event messages end, together where their ends differ by
//! less than [`TIE`], and messages that waited for them begin; then rates are recomputed where they may have
//! changed. A message that ends at level `r` changes no level below `r`: no link of its path was full before
//! the water had passed those. Of the other messages only those change that links shared by two of them
//! connect to a link of the ended message. A message that begins reaches at least the least even share on its
//! path, and no level below that changes. So an event costs no more than the messages that it may affect.
//! Where all messages begin at once and need the same time at level 1, those of higher levels end first, and
//! no rate ever changes: one filling is enough.
//!
//! With lanes there is no such bound, because other lanes may get what a message leaves. Then everything that is
//! connected to a link of a message that began or ended is recomputed.
//!
//! | here      | meaning                                                              |
//! |-----------|----------------------------------------------------------------------|
//! | `level`   | rate of a message over its weight [bytes/s]                          |
//! | `floor`   | level below which an event changes nothing                           |
//! | `region`  | messages whose rates may change, and `edges`, the links they cross   |
//! | `left`    | bytes that a message still had to send at time `since`               |
//! | `ends`    | when each message ends if no rate changes any more                   |

use std::sync::atomic::{AtomicBool, Ordering};

use super::filling::Filling;
use super::flows_by_link::OnLinks;
use super::lanes::LaneShares;
use super::next_finish::Timers;
use super::{Messages, TIE};
use crate::model::load::LinkId;

/// Relative difference below which a rate counts as unchanged.
const SAME: f64 = 1e-13;

/// Messages that begin together, when all messages of certain other groups have ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MessageGroup {
    /// One more than the last of its messages; it begins where the group before it ends.
    pub end: usize,
    /// The groups that it waits for, by number.
    pub after: Vec<u32>,
}

/// Runs messages through links. Kept between runs; a run costs little allocation.
#[derive(Clone, Debug, Default)]
pub struct OverTime {
    filling: Filling,
    timers: Timers,
    on: OnLinks,
    // By message.
    group: Vec<u32>,
    alive: Vec<bool>,
    left: Vec<f64>,
    since: Vec<f64>,
    rate: Vec<f64>,
    ends: Vec<f64>,
    // Of one event.
    in_region: Vec<bool>,
    region: Vec<u32>,
    // By group.
    begun: Vec<f64>,
    waits: Vec<usize>,
    running: Vec<usize>,
    followers: Vec<Vec<u32>>,
    /// Scratch space.
    times: Vec<f64>,
    // Results.
    now: f64,
    in_flight: usize,
    events: usize,
    rounds: usize,
}

impl OverTime {
    /// Links of given capacities [bytes/s], by number.
    pub fn new(capacity: Vec<f64>) -> Self {
        Self { filling: Filling::new(capacity), ..Self::default() }
    }

    /// Links of given capacities [bytes/s] with lanes: messages cross channels, and each link is divided among its lanes first.
    pub fn by_lane(capacity: &[f64], lanes: LaneShares) -> Self {
        Self { filling: Filling::by_lane(capacity, lanes), ..Self::default() }
    }

    /// Runs messages that begin all at once. False when `stop` was set meanwhile.
    pub fn run(&mut self, messages: &Messages, stop: &AtomicBool) -> bool {
        self.run_groups(messages, &[MessageGroup { end: messages.len(), after: Vec::new() }], stop)
    }

    /// Runs groups of messages, which follow each other in `messages`. A group that waits for itself, directly
    /// or through others, never begins. False when `stop` was set meanwhile.
    pub fn run_groups(&mut self, messages: &Messages, groups: &[MessageGroup], stop: &AtomicBool) -> bool {
        if let [MessageGroup { end, after }] = groups
            && (*end, after.is_empty()) == (messages.len(), true)
            && self.filling.lanes().is_none()
            && messages.are_alike()
        {
            self.run_alike(messages);
            return !stop.load(Ordering::Relaxed);
        }
        self.reset(messages, groups);
        let mut ready: Vec<u32> = (0..groups.len() as u32).filter(|&g| self.waits[g as usize] == 0).collect();
        let mut due = Vec::new();
        loop {
            if stop.load(Ordering::Relaxed) {
                return false;
            }
            self.in_flight -= due.len();
            for &m in &due {
                self.alive[m as usize] = false;
                self.ends[m as usize] = self.now;
            }
            if self.in_flight == 0 && ready.is_empty() {
                return true;
            }
            let floor = self.make_room(messages, &due);
            self.refill(messages, groups, floor, &mut ready);
            let next = self.timers.first();
            if !next.is_finite() {
                return true;
            }
            self.now = self.now.max(next);
            self.events += 1;
            self.timers.until(self.now * (1.0 + TIE), &mut due);
            for &m in &due {
                let group = self.group[m as usize];
                self.running[group as usize] -= 1;
                if self.running[group as usize] == 0 {
                    self.release(group, &mut ready);
                }
            }
        }
    }

    /// Runs messages that begin together and would need the same time at the same level.
    fn run_alike(&mut self, messages: &Messages) {
        refill(&mut self.ends, messages.len(), f64::INFINITY);
        refill(&mut self.begun, 1, 0.0);
        self.filling.reset(messages.len());
        self.region.clear();
        self.region.extend(messages.going());
        self.filling.load(messages, &self.region);
        self.rounds = self.filling.raise(messages, &self.region);
        self.filling.forget_edges();
        let level = &self.filling.level;
        self.times.clear();
        for &m in &self.region {
            let at = m as usize;
            self.ends[at] = messages.bytes(at) / (level[at] * messages.weight(at));
            self.times.push(self.ends[at]);
        }
        self.times.sort_unstable_by(f64::total_cmp);
        self.times.dedup();
        // Ends that differ by less than `TIE` are those of one event.
        let all = self.times.len();
        let mut event = f64::NEG_INFINITY;
        self.times.retain(|&time| {
            let is_new = time > event * (1.0 + TIE);
            event = if is_new { time } else { event };
            is_new && time.is_finite()
        });
        if self.times.len() < all {
            for &m in &self.region {
                let end = &mut self.ends[m as usize];
                let event = self.times.partition_point(|time| time <= end);
                *end = if end.is_finite() { self.times[event - 1] } else { *end };
            }
        }
        (self.now, self.events) = (self.times.last().copied().unwrap_or(0.0), self.times.len());
    }

    fn reset(&mut self, messages: &Messages, groups: &[MessageGroup]) {
        let n = messages.len();
        refill(&mut self.alive, n, false);
        refill(&mut self.left, n, 0.0);
        refill(&mut self.since, n, 0.0);
        refill(&mut self.rate, n, 0.0);
        refill(&mut self.ends, n, f64::INFINITY);
        refill(&mut self.in_region, n, false);
        refill(&mut self.begun, groups.len(), f64::INFINITY);
        refill(&mut self.running, groups.len(), 0);
        refill(&mut self.followers, groups.len(), Vec::new());
        self.group.clear();
        self.waits.clear();
        for (g, group) in (0..).zip(groups) {
            self.group.resize(group.end.clamp(self.group.len(), n), g);
            self.waits.push(group.after.len());
            for &before in &group.after {
                if let Some(followers) = self.followers.get_mut(before as usize) {
                    followers.push(g);
                }
            }
        }
        self.group.resize(n, 0);
        self.filling.reset(n);
        self.timers.reset(n);
        self.on.listed = false;
        (self.now, self.in_flight, self.events, self.rounds) = (0.0, 0, 0, 0);
    }

    /// A group has ended: groups that waited only for it are ready.
    fn release(&mut self, group: u32, ready: &mut Vec<u32>) {
        for &g in &self.followers[group as usize] {
            self.waits[g as usize] -= 1;
            if self.waits[g as usize] == 0 {
                ready.push(g);
            }
        }
    }

    /// Makes the links of ended messages edges. Returns the level below which nothing changes.
    fn make_room(&mut self, messages: &Messages, ended: &[u32]) -> f64 {
        let mut floor = f64::INFINITY;
        self.timers.set(ended, |_| f64::INFINITY);
        if self.in_flight == 0 {
            return floor; // no message is left to use it
        }
        for &m in ended {
            floor = floor.min(self.filling.level[m as usize]);
            self.filling.mark(messages.links(m as usize));
        }
        floor
    }

    /// Begins the groups that are ready: their messages are the region, their links edges.
    fn begin(&mut self, messages: &Messages, groups: &[MessageGroup], ready: &mut Vec<u32>) {
        self.region.clear();
        while let Some(g) = ready.pop() {
            let at = g as usize;
            let first = if at == 0 { 0 } else { groups[at - 1].end };
            let before = self.region.len();
            let all = first..groups[at].end.min(messages.len());
            self.region.extend(all.filter(|&m| messages.goes(m)).map(|m| m as u32));
            self.begun[at] = self.now;
            self.running[at] = self.region.len() - before;
            if self.running[at] == 0 {
                self.release(g, ready);
            }
        }
        for &m in &self.region {
            let at = m as usize;
            (self.alive[at], self.in_region[at]) = (true, true);
            (self.left[at], self.since[at]) = (messages.bytes(at), self.now);
        }
        self.in_flight += self.region.len();
        self.filling.load(messages, &self.region);
    }

    /// Begins the groups that are ready, and recomputes rates where an event may have changed them.
    fn refill(&mut self, messages: &Messages, groups: &[MessageGroup], floor: f64, ready: &mut Vec<u32>) {
        let listed = self.on.listed;
        self.begin(messages, groups, ready);
        let alone = self.region.len() == self.in_flight;
        if listed || !alone {
            let fresh = if listed { &self.region[..] } else { &[] };
            self.on.list(messages, fresh, &self.alive, self.filling.num_links());
        }
        if !alone {
            let floor = if self.filling.lanes().is_some() {
                0.0
            } else {
                self.region.iter().fold(floor, |f, &m| f.min(self.even_level(messages, m as usize)))
            };
            self.spread(messages, floor * (1.0 - TIE));
        }
        self.rounds += self.filling.raise(messages, &self.region);
        let (left, since, rate, ends) = (&mut self.left, &mut self.since, &mut self.rate, &mut self.ends);
        let (level, now, in_region) = (&self.filling.level, self.now, &mut self.in_region);
        self.region.retain(|&m| {
            let at = m as usize;
            in_region[at] = false;
            let new = level[at] * messages.weight(at);
            let same = rate[at] > 0.0 && (new - rate[at]).abs() <= new * SAME;
            if !same {
                left[at] = (left[at] - rate[at] * (now - since[at])).max(0.0);
                (since[at], rate[at]) = (now, new);
                ends[at] = if left[at] > 0.0 { now + left[at] / new } else { now };
            }
            !same
        });
        self.timers.set(&self.region, |m| ends[m as usize]);
        self.filling.forget_edges();
    }

    /// A lower bound of a message's level: the least even share on its path.
    fn even_level(&self, messages: &Messages, m: usize) -> f64 {
        let even = |&l: &LinkId| self.filling.capacity(l) / self.on.uses[l as usize].max(f64::MIN_POSITIVE);
        messages.links(m).iter().map(even).fold(f64::INFINITY, f64::min)
    }

    /// Grows the region from the edges, over messages at `floor` and above; then sets what filling needs.
    fn spread(&mut self, messages: &Messages, floor: f64) {
        let (filling, on) = (&mut self.filling, &mut self.on);
        let mut next = 0;
        while let Some(&link) = filling.edges.get(next) {
            next += 1;
            on.forget_ended(link, &self.alive);
            for (m, _) in on.link(link) {
                let at = m as usize;
                if !self.in_region[at] && filling.level[at] >= floor {
                    self.in_region[at] = true;
                    self.region.push(m);
                    filling.mark(messages.links(at));
                }
            }
        }
        for &link in &filling.edges {
            let (mut left, mut rising) = (filling.capacity(link), 0.0);
            for (m, used) in on.link(link) {
                if self.in_region[m as usize] {
                    rising += used;
                } else {
                    left -= filling.level[m as usize] * used;
                }
            }
            (filling.left[link as usize], filling.rising[link as usize]) = (left, rising);
        }
    }

    /// When each message ended `[s]`; infinite for one without a route or without an end.
    pub fn ends(&self) -> &[f64] {
        &self.ends
    }

    /// When each group began `[s]`; infinite for one that never did.
    pub fn begun(&self) -> &[f64] {
        &self.begun
    }

    /// When the last message ended `[s]`.
    pub fn makespan(&self) -> f64 {
        self.now
    }

    /// At how many times messages ended.
    pub fn events(&self) -> usize {
        self.events
    }

    /// Rounds of filling, over all events.
    pub fn rounds(&self) -> usize {
        self.rounds
    }
}

/// Makes a list one of `n` equal values.
fn refill<T: Clone>(list: &mut Vec<T>, n: usize, value: T) {
    list.clear();
    list.resize(n, value);
}
