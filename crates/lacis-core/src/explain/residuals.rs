//! What each measured flow is expected to reach, and by how much it falls short.
//!
//! A rate is expected to be that of the slowest link of the path, shared by the flows that cross it in the same round; a time is
//! expected to depend only on the number of links. How much of it hosts reach is estimated: the median over flows of equally
//! many links and equal contention, then the median of each round.

use rustc_hash::FxHashMap;

use super::observed::{Observed, Quantity};
use super::robust::centre;
use crate::model::fluid::Capacity;
use crate::model::load::{LinkId, Paths, SINK, Steps};
use crate::ranks::Flow;

/// The fewest flows of a class with its own level.
const CLASS: usize = 24;
/// The fewest flows of a round with its own level.
const ROUND: usize = 64;

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
    /// By flow: how much it falls short, ln; not a number without a route.
    pub loss: Vec<f32>,
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
                vec![1; observed.len()]
            }
        };
        let is_time = observed.quantity == Quantity::Time;
        all.loss = (0..observed.len())
            .map(|f| {
                if all.links[f * all.width] == SINK {
                    all.unrouted += 1;
                    return f32::NAN;
                }
                let over = (observed.value[f] / all.expected[f]).ln();
                (if is_time { over } else { -over }) as f32
            })
            .collect();
        all.level(observed, &contention);
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
            all.loss[f] += more.ln() as f32;
            all.class[f] = class;
        }
        all
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
        contention
    }

    /// Subtracts the levels: of each class, then of each round.
    fn level(&mut self, observed: &Observed, contention: &[u32]) {
        let (rows, width) = (&self.links, self.width);
        let links = |f: usize| rows[f * width..][..width].iter().filter(|&&link| link != SINK).count() as u32;
        let mut number: FxHashMap<(u32, u32), u32> = FxHashMap::default();
        let mut members: Vec<Vec<u32>> = Vec::new();
        for f in 0..self.len() {
            let key = if self.loss[f].is_nan() { (0, 0) } else { (links(f), contention[f]) };
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
        let routed = self.loss.iter().copied().filter(|loss| !loss.is_nan()).collect();
        let (pooled, pooled_spread) = centre(routed);
        let is_time = observed.quantity == Quantity::Time;
        for (level, members) in self.classes.iter_mut().zip(&members) {
            level.flows = members.len();
            let own: Vec<f32> = members.iter().map(|&f| self.loss[f as usize]).collect();
            let (middle, spread) =
                if level.links > 0 && own.len() >= CLASS { centre(own) } else { (pooled, pooled_spread) };
            for &f in members {
                self.loss[f as usize] -= middle as f32;
            }
            level.level = if is_time { middle.exp() } else { (-middle).exp() };
            level.spread = spread.max(1e-3);
        }
        for (flows, is_round) in observed.rounds() {
            if is_round && flows.len() >= ROUND {
                let own = &mut self.loss[flows];
                let (middle, _) = centre(own.iter().copied().filter(|loss| !loss.is_nan()).collect());
                for loss in own {
                    *loss -= middle as f32;
                }
            }
        }
    }
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
        loss: Vec::new(),
        class: Vec::new(),
        classes: Vec::new(),
        unrouted: 0,
    }
}

#[cfg(test)]
mod tests {
    use super::super::observed::{ALONE, Values};
    use super::*;
    use crate::model::load::testing::{Net, two_tier};
    use crate::ranks::Participants;

    /// Two leaves of four hosts, two spines; 12.5 GB/s a link. Host d is reached by spine d mod 2.
    fn residuals(flows: &[(u32, u32, u32, f64)], quantity: Quantity) -> (Observed, Residuals) {
        residuals_on(&two_tier(2, 4, 2), flows, quantity)
    }

    fn residuals_on(net: &Net, flows: &[(u32, u32, u32, f64)], quantity: Quantity) -> (Observed, Residuals) {
        let participants = Participants::each_port(&net.fabric, &net.hosts);
        let paths = Paths::new(&net.fabric, &net.routes, participants.ports(), 0);
        let capacity = Capacity::of(&net.fabric, paths.links(), 1.0);
        let column = |of: fn(&(u32, u32, u32, f64)) -> u32| flows.iter().map(of).collect::<Vec<_>>();
        let (source, destination, round) = (column(|f| f.0), column(|f| f.1), column(|f| f.2));
        let value: Vec<f64> = flows.iter().map(|f| f.3).collect();
        let values = Values { source: &source, destination: &destination, round: &round, value: &value };
        let observed = Observed::of(&participants, 0, quantity, &values);
        let found = Residuals::of(&paths, &capacity, &observed);
        (observed, found)
    }

    #[test]
    fn flows_of_a_round_share_links_and_flows_alone_do_not() {
        // 0 → 4 and 1 → 6 both leave leaf 0 by spine 0: half each. 2 → 5 goes by spine 1. Alone, each gets the whole link.
        let flows = |round| [(0, 4, round, 6e9), (1, 6, round, 6e9), (2, 5, round, 12e9)];
        let (_, shared) = residuals(&flows(1), Quantity::Rate);
        let expected: Vec<f64> = shared.expected.iter().map(|rate| rate / 12.5e9).collect();
        assert!(expected.iter().zip([0.5, 0.5, 1.0]).all(|(a, b)| (a - b).abs() < 1e-9), "{expected:?}");
        // The host's own link would leave twice as much.
        let slack: Vec<f32> = shared.of_flow(0).map(|(_, slack)| slack).collect();
        assert_eq!(slack.iter().filter(|slack| slack.abs() < 1e-6).count(), 2);
        assert_eq!(slack.iter().filter(|slack| (*slack - 2.0_f32.ln()).abs() < 1e-6).count(), 2);
        let (_, alone) = residuals(&flows(ALONE), Quantity::Rate);
        assert!(alone.expected.iter().all(|rate| (rate / 12.5e9 - 1.0).abs() < 1e-9));
    }

    #[test]
    fn flows_of_288_hosts_at_once_are_compared_by_the_287_on_the_link_that_decides() {
        // All of two leaves of 144 hosts send to host 0: 287 flows share its link, and get 12.5 GB/s / 287 each. Those of
        // the other leaf also share the link down to its leaf, but only 144 of them.
        let flows: Vec<_> = (1..288).map(|from| (from, 0, 1, 12.5e9 / 287.0)).collect();
        let (_, found) = residuals_on(&two_tier(2, 144, 1), &flows, Quantity::Rate);
        let mut classes: Vec<_> = found.classes.iter().map(|l| (l.links, l.contention, l.flows)).collect();
        classes.sort_unstable();
        assert_eq!(classes, [(2, 287, 143), (4, 287, 144)]);
        assert!(found.expected.iter().all(|rate| (rate / 12.5e9 * 287.0 - 1.0).abs() < 1e-9));
        assert!(found.loss.iter().all(|loss| loss.abs() < 1e-6));
    }

    #[test]
    fn what_hosts_reach_is_estimated_by_class_and_a_slow_flow_stands_out() {
        // All 56 pairs: those of one leaf reach 12 GB/s, others 11; 0 → 7 reaches half.
        let pairs = (0..8_u32).flat_map(|a| (0..8).map(move |b| (a, b))).filter(|(a, b)| a != b);
        let rate = |a, b| {
            if (a, b) == (0, 7) {
                5.5e9
            } else if a / 4 == b / 4 {
                12e9
            } else {
                11e9
            }
        };
        let flows: Vec<_> = pairs.map(|(a, b)| (a, b, ALONE, rate(a, b))).collect();
        let (observed, found) = residuals(&flows, Quantity::Rate);
        let mut classes: Vec<_> =
            found.classes.iter().map(|l| (l.links, l.flows, (l.level * 100.0).round())).collect();
        classes.sort_unstable_by_key(|class| class.0);
        assert_eq!(classes, [(2, 24, 96.0), (4, 32, 88.0)]);
        for (flow, loss) in observed.flows.iter().zip(&found.loss) {
            let expected = if (flow.from, flow.to) == (0, 7) { 2.0_f32.ln() } else { 0.0 };
            assert!((loss - expected).abs() < 1e-5, "{flow:?} {loss}");
        }
    }

    #[test]
    fn times_cross_the_links_there_and_back() {
        let (_, found) = residuals(&[(0, 1, ALONE, 1e-6), (0, 4, ALONE, 2e-6)], Quantity::Time);
        let links: Vec<usize> = (0..2).map(|f| found.of_flow(f).count()).collect();
        assert_eq!(links, [4, 8]);
    }
}
