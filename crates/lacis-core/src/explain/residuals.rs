//! What each measured flow is expected to reach, and by how much it falls short.
//!
//! A rate is expected to be at least that of the slowest link of the path, shared evenly by the flows that cross it in the same
//! round, and at most the max-min fair one, as what some flows leave is free for others. Between the two a rate shows nothing:
//! its loss is 0. A time is expected to depend only on the number of links. How much of it hosts reach is estimated: the median
//! over flows of equally many links and equal contention, then the median of each round; flows that may get more by max-min
//! sharing do not enter.

use std::borrow::Cow;

use rustc_hash::FxHashMap;

use super::observed::{Observed, Quantity};
use super::robust::{centre, step, unrounded};
use super::sharing::fair_rates;
use crate::model::fluid::Capacity;
use crate::model::load::{LinkId, Paths, SINK, Steps};
use crate::ranks::Flow;

/// The fewest flows of a class with its own level.
const CLASS: usize = 24;
/// The fewest flows of a round with its own level.
const ROUND: usize = 64;
/// A flow that may get so much more by max-min sharing, ln, is no measure of what others reach.
const SPARE: f32 = 0.02;

/// Flows that are compared with each other: of equally many links and equal contention.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FlowClass {
    /// Links on the path; for times there and back.
    pub links: u32,
    /// Flows on the fullest decisive link, the flow itself included.
    pub contention: u32,
    /// How many flows.
    pub flows: usize,
    /// Median of measured ÷ expected for rates; median of the time, in seconds, for times.
    pub level: f64,
    /// Spread of the losses: standard deviation, by the median absolute deviation.
    pub spread: f64,
}

/// The links of each flow, and its loss.
#[derive(Clone, Debug)]
pub struct Residuals {
    /// Most links of a flow.
    pub width: usize,
    /// Shape `(flows, width)`: links there, and for times back; the sink after the last. A flow without a route has none.
    pub links: Vec<LinkId>,
    /// Shape `(flows, width)`: ln of what a link leaves the flow over what the slowest one does; 0 where it decides.
    pub slack: Vec<f32>,
    /// By flow: expected before levels are applied [bytes/s]; 1 for times.
    pub expected: Vec<f64>,
    /// By flow: how much more than `expected` max-min sharing gives it, ln; 0 for times.
    pub spare: Vec<f32>,
    /// Shape `(flows, width)`: what a link has left for the flow beyond what max-min sharing gives it, over that, ln: more than 0
    /// where another link decides, and 0 for times.
    pub room: Vec<f32>,
    /// By flow: how much it falls short of `expected`, ln, negative where it is faster; not a number without a route.
    pub short: Vec<f32>,
    /// By flow: how much it falls short, ln, where it is slower than `expected` or faster than max-min sharing allows; else 0.
    pub loss: Vec<f32>,
    /// The step to which values were rounded, in their unit; 0 where they were not.
    pub(super) rounded_to: f64,
    /// Links that are known to be slower, and by how much, ln: what they keep from their flows is free for others.
    pub(super) slower: Vec<(LinkId, f64)>,
    /// By flow: the index of its class.
    pub class: Vec<u32>,
    /// The classes.
    pub classes: Vec<FlowClass>,
    /// Flows without a route under the tables.
    pub unrouted: usize,
}

impl Residuals {
    /// Compares what was observed with the paths that tables give and the rates of the links.
    pub fn of(paths: &Paths<'_>, capacity: &Capacity, observed: &Observed) -> Self {
        let mut all = links_of(paths, observed);
        let contention = match observed.quantity {
            Quantity::Rate => all.share(capacity, observed),
            Quantity::Time => {
                all.expected = vec![1.0; observed.len()];
                all.spare = vec![0.0; observed.len()];
                all.room = vec![0.0; all.links.len()];
                vec![1; observed.len()]
            }
        };
        let is_time = observed.quantity == Quantity::Time;
        all.short = (0..observed.len())
            .map(|f| {
                if all.links[f * all.width] == SINK {
                    all.unrouted += 1;
                    return f32::NAN;
                }
                let over = (observed.value[f] / all.expected[f]).ln();
                (if is_time { over } else { -over }) as f32
            })
            .collect();
        all.rounded_to = step(&observed.value);
        all.level(observed, &contention);
        all.compare();
        all
    }

    /// Number of flows, with and without a route.
    pub fn len(&self) -> usize {
        self.loss.len()
    }

    /// Whether there is no flow at all.
    pub fn is_empty(&self) -> bool {
        self.loss.is_empty()
    }

    /// The links of a flow with their slack.
    pub fn of_flow(&self, flow: usize) -> impl Iterator<Item = (LinkId, f32)> + '_ {
        let row = flow * self.width..(flow + 1) * self.width;
        let links = self.links[row.clone()].iter().copied().zip(self.slack[row].iter().copied());
        links.filter(|&(link, _)| link != SINK)
    }

    /// The spread of the flow's class, at least a thousandth.
    pub fn spread(&self, flow: usize) -> f64 {
        self.classes[self.class[flow] as usize].spread
    }

    /// The step to which values were rounded, relative to what a healthy flow in the place of this one reaches.
    pub(super) fn step(&self, flow: usize) -> f64 {
        self.rounded_to / (self.expected[flow] * self.classes[self.class[flow] as usize].level)
    }

    /// The same relative to the value itself.
    pub(super) fn own_step(&self, flow: usize, observed: &Observed) -> f64 {
        self.rounded_to / observed.value[flow]
    }

    /// The same when some flows cross other links than the tables say: `rows` has these flows and their links, up and down
    /// first.
    pub(super) fn moved(
        &self,
        capacity: &Capacity,
        observed: &Observed,
        rows: &[(usize, Vec<LinkId>)],
    ) -> Self {
        let mut all = self.clone();
        for (flow, links) in rows {
            let row = &mut all.links[flow * self.width..(flow + 1) * self.width];
            row.fill(SINK);
            row.iter_mut().zip(links).for_each(|(cell, &link)| *cell = link);
        }
        let contention = all.share(capacity, observed);
        let numbers = self.classes.iter().zip(0..);
        let numbers: FxHashMap<_, u32> = numbers.map(|(l, at)| ((l.links, l.contention), at)).collect();
        for (f, &before) in self.class.iter().enumerate().filter(|&(f, _)| !self.loss[f].is_nan()) {
            let key = (all.of_flow(f).count() as u32, contention[f]);
            let class = numbers.get(&key).copied().unwrap_or(before);
            let level = |class: u32| self.classes[class as usize].level;
            let more = (all.expected[f] / self.expected[f]) * (level(class) / level(before));
            all.short[f] += more.ln() as f32;
            all.class[f] = class;
        }
        all.compare();
        all
    }

    /// The same where some links are known to be slower by so much, ln: other flows may get what theirs leave.
    pub(super) fn eased(&self, capacity: &Capacity, observed: &Observed, slower: Vec<(LinkId, f64)>) -> Self {
        let mut all = Self { slower, ..self.clone() };
        all.share_fairly(capacity, observed);
        all.compare();
        all
    }

    /// Losses, from what flows fall short and what max-min sharing may give them.
    fn compare(&mut self) {
        let loss =
            |(&short, &spare): (&f32, &f32)| if short < 0.0 { (short + spare).min(0.0) } else { short };
        self.loss = self.short.iter().zip(&self.spare).map(loss).collect();
    }

    /// What max-min sharing gives flows, which is kept beside their share of the slowest link. Returns it.
    fn share_fairly(&mut self, capacity: &Capacity, observed: &Observed) -> Vec<f64> {
        let mut rates = Cow::Borrowed(&capacity.rates);
        for &(link, loss) in &self.slower {
            rates.to_mut()[link as usize] *= (-loss).exp();
        }
        let fair = fair_rates(&rates, observed, self.width, &self.links);
        let spare = |(fair, least): (&f64, &f64)| (fair / least).ln().max(0.0) as f32;
        self.spare = fair.iter().zip(&self.expected).map(spare).collect();
        fair
    }

    /// What healthy links have left for flows that get these rates. A link that is known to be slower takes no blame from others:
    /// it may be one of them.
    fn room_beside(&self, rates: &[f64], observed: &Observed, fair: &[f64]) -> Vec<f32> {
        let width = self.width;
        let mut room = vec![0.0; self.links.len()];
        // By link: what its flows get together, and the most that one gets.
        let mut taken = vec![(0.0, 0.0_f64); rates.len()];
        let links = |f: usize| self.links[f * width..][..width].iter().take_while(|&&link| link != SINK);
        let groups = observed.rounds().flat_map(|(flows, shares)| {
            let (begin, end, size) = (flows.start, flows.end, if shares { flows.len() } else { 1 });
            (begin..end).step_by(size.max(1)).map(move |at| at..at + size)
        });
        for flows in groups {
            for f in flows.clone() {
                for &link in links(f) {
                    let (sum, most) = &mut taken[link as usize];
                    (*sum, *most) = (*sum + fair[f], most.max(fair[f]));
                }
            }
            for f in flows.clone() {
                for (room, &link) in room[f * width..].iter_mut().zip(links(f)) {
                    let (sum, most) = taken[link as usize];
                    *room = ((fair[f] + rates[link as usize] - sum).max(most) / fair[f]).ln() as f32;
                }
            }
            for link in flows.flat_map(links) {
                taken[*link as usize] = (0.0, 0.0);
            }
        }
        room
    }

    /// Shares each link among the flows of a round. Returns by flow its contention: flows on the fullest of the links that
    /// decide what it gets, the flow itself included.
    fn share(&mut self, capacity: &Capacity, observed: &Observed) -> Vec<u32> {
        let mut contention = Vec::with_capacity(observed.len());
        let width = self.width;
        let mut load = vec![0_u32; capacity.rates.len()];
        self.expected = vec![f64::NAN; observed.len()];
        self.slack = vec![0.0; self.links.len()];
        for (flows, shares) in observed.rounds() {
            let links = &self.links[flows.start * width..flows.end * width];
            if shares {
                for &link in links {
                    load[link as usize] += 1;
                }
            }
            for f in flows.clone() {
                let row = &self.links[f * width..(f + 1) * width];
                let left =
                    |link: LinkId| capacity.rates[link as usize] / f64::from(load[link as usize].max(1));
                let there = || row.iter().copied().filter(|&link| link != SINK);
                let expected = there().map(left).fold(f64::INFINITY, f64::min);
                self.expected[f] = expected;
                for (slack, link) in self.slack[f * width..].iter_mut().zip(there()) {
                    *slack = (left(link) / expected).ln() as f32;
                }
                let decides = there().filter(|&link| left(link) <= expected * 1.001);
                contention.push(decides.map(|link| load[link as usize].max(1)).max().unwrap_or(1));
            }
            if shares {
                for &link in links {
                    load[link as usize] = 0;
                }
            }
        }
        let fair = self.share_fairly(capacity, observed);
        let fair = if self.slower.is_empty() {
            fair
        } else {
            fair_rates(&capacity.rates, observed, width, &self.links)
        };
        self.room = self.room_beside(&capacity.rates, observed, &fair);
        contention
    }

    /// Subtracts the levels: of each class, then of each round.
    fn level(&mut self, observed: &Observed, contention: &[u32]) {
        let (rows, width) = (&self.links, self.width);
        let links = |f: usize| rows[f * width..][..width].iter().filter(|&&link| link != SINK).count() as u32;
        let mut number: FxHashMap<(u32, u32), u32> = FxHashMap::default();
        let mut members: Vec<Vec<u32>> = Vec::new();
        for f in 0..self.short.len() {
            let key = if self.short[f].is_nan() { (0, 0) } else { (links(f), contention[f]) };
            let next = members.len() as u32;
            let at = *number.entry(key).or_insert_with(|| {
                members.push(Vec::new());
                self.classes.push(FlowClass {
                    links: key.0,
                    contention: key.1,
                    flows: 0,
                    level: 1.0,
                    spread: 0.0,
                });
                next
            });
            members[at as usize].push(f as u32);
            self.class.push(at);
        }
        let spare = &self.spare;
        let is_measure = |f: usize| spare[f] < SPARE;
        let routed = (0..self.short.len()).filter(|&f| !self.short[f].is_nan());
        let rounded_to = self.rounded_to;
        let step = |f: usize| rounded_to / observed.value[f];
        let middle_of = |short: &[f32], flows: &[usize]| {
            if rounded_to <= 0.0 {
                return centre(flows.iter().map(|&f| short[f]).collect());
            }
            let each = flows.iter().map(|&f| (f64::from(short[f]), step(f)));
            centre(unrounded(each).into_iter().map(|one| one as f32).collect())
        };
        let (pooled, pooled_spread) = middle_of(&self.short, &measures(routed, is_measure));
        let is_time = observed.quantity == Quantity::Time;
        for (level, members) in self.classes.iter_mut().zip(&members) {
            level.flows = members.len();
            let own: Vec<usize> = members.iter().map(|&f| f as usize).filter(|&f| is_measure(f)).collect();
            let (middle, spread) = if level.links > 0 && own.len() >= CLASS {
                middle_of(&self.short, &own)
            } else {
                // Rounding, and what is spread over a step, have a variance of a twelfth of its square each.
                let rounding = members.iter().map(|&f| step(f as usize).powi(2) / 6.0).sum::<f64>();
                (pooled, (pooled_spread.powi(2) + rounding / members.len() as f64).sqrt())
            };
            for &f in members {
                self.short[f as usize] -= middle as f32;
            }
            level.level = if is_time { middle.exp() } else { (-middle).exp() };
            level.spread = spread.max(1e-3);
        }
        for (flows, is_round) in observed.rounds() {
            if is_round && flows.len() >= ROUND {
                let routed = flows.clone().filter(|&f| !self.short[f].is_nan());
                let (middle, _) = middle_of(&self.short, &measures(routed, is_measure));
                for short in &mut self.short[flows] {
                    *short -= middle as f32;
                }
            }
        }
    }
}

/// Those of the flows that measure what others reach; all where none does.
fn measures(flows: impl Iterator<Item = usize> + Clone, is_measure: impl Fn(usize) -> bool) -> Vec<usize> {
    let some: Vec<usize> = flows.clone().filter(|&f| is_measure(f)).collect();
    if some.is_empty() { flows.collect() } else { some }
}

/// The links of every flow, row by row.
fn links_of(paths: &Paths<'_>, observed: &Observed) -> Residuals {
    let mut steps = Steps::default();
    let mut each = |flows: &[Flow]| {
        paths.steps(flows, &mut steps);
        let all: Vec<Vec<LinkId>> = steps.each().map(<[LinkId]>::to_vec).collect();
        all
    };
    let mut columns = if observed.is_empty() { Vec::new() } else { each(&observed.flows) };
    if observed.quantity == Quantity::Time && !observed.is_empty() {
        let back: Vec<Flow> = observed.flows.iter().map(|f| Flow { from: f.to, to: f.from }).collect();
        columns.extend(each(&back));
    }
    let width = columns.len().max(1);
    let mut links = vec![SINK; observed.len() * width];
    for (f, row) in links.chunks_exact_mut(width).enumerate() {
        let there = columns.iter().map(|column| column[f]).filter(|&link| link != SINK);
        row.iter_mut().zip(there).for_each(|(cell, link)| *cell = link);
    }
    let slack = vec![0.0; links.len()];
    Residuals {
        width,
        links,
        slack,
        expected: Vec::new(),
        spare: Vec::new(),
        room: Vec::new(),
        short: Vec::new(),
        loss: Vec::new(),
        rounded_to: 0.0,
        slower: Vec::new(),
        class: Vec::new(),
        classes: Vec::new(),
        unrouted: 0,
    }
}
