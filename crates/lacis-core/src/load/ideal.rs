//! Ideal adaptive routing: each flow split over all shortest paths so that the rates are max-min fair.
//!
//! Which splits let all flows rise furthest is a linear program, the *maximum concurrent flow*. It is
//! solved to within [`GAP`] by the Frank-Wolfe method: links get lengths that grow steeply with how full
//! they are, all flows are put on what is shortest then, and the split moves that way as far as it helps
//! (M. Frank, P. Wolfe, Naval Research Logistics Quarterly 3, 1956; D. Bienstock, *Potential Function
//! Methods for Approximately Solving Linear Programming Problems*, 2002). The same lengths prove how much
//! better any split could be. Then the flows that this holds back are settled, and the others rise in what
//! is left, as water filling does (M. Allalouf, Y. Shavitt, "Centralized and distributed algorithms for
//! routing and weighted max-min fair bandwidth allocation", IEEE/ACM Transactions on Networking 16(5),
//! 2008). Settled flows keep their split. So the least rate is within the gap of the best possible, and those
//! above it are a lower bound.
//!
//! Flows to the same switch are split alike wherever they meet: that costs the least rate nothing, because
//! they could trade places.
//!
//! | here      | meaning                                                                |
//! |-----------|------------------------------------------------------------------------|
//! | `full`    | of a link: what crosses it over what is left of it, when all demands are met once |
//! | `worst`   | the greatest of these; the rate of a demand is one over it             |
//! | `least`   | what `worst` cannot be less than, by the lengths                        |
//! | `part`    | of what comes to a switch for a home: how much leaves by a link        |

use rayon::prelude::*;

use super::multipath::{FAR, Spray};
use super::{LinkId, SINK};
use crate::fabric::NodeId;
use crate::traffic::Flow;

/// How far the least rate may be below the best possible when the search ends well.
pub const GAP: f64 = 0.01;
/// The most steps of a search; it tells what it has reached.
const STEPS: usize = 400;
/// The most searches: each settles some flows.
const LEVELS: usize = 32;
/// Lengths to a home that differ by less are equal: what comes is split evenly.
const TIE: f64 = 1e-9;

/// Splits flows over the shortest paths between the switches that they hang off.
#[derive(Debug)]
pub struct Ideal<'a, 'b> {
    spray: &'b Spray<'a>,
    /// By home: the switches from which a way leads there, nearest first.
    near: Vec<Vec<u32>>,
    /// Links to other switches.
    width: usize,
}

/// Parts of all flows, and how good they are.
#[derive(Clone, Debug, Default)]
pub struct Split {
    /// By flow: links and the part of the flow that crosses each; none where there is no way.
    pub parts: Vec<Vec<(LinkId, f64)>>,
    /// How far the least rate may be below the best possible, relative.
    pub gap: f64,
}

/// A flow that takes part in a search.
#[derive(Clone, Copy)]
struct Demand {
    flow: u32,
    from: u32,
    home: u32,
    up: LinkId,
    down: LinkId,
    weight: f64,
}

impl<'a, 'b> Ideal<'a, 'b> {
    /// Sorts the switches by how far they are from each home.
    pub fn new(spray: &'b Spray<'a>) -> Self {
        let switches = spray.begin.len() - 1;
        let near = |row: &[u16]| {
            let mut order: Vec<u32> = (0..switches as u32).filter(|&s| row[s as usize] != FAR).collect();
            order.sort_by_key(|&s| row[s as usize]);
            order
        };
        let near = spray.hops.chunks_exact(switches.max(1)).map(near).collect();
        Self { spray, near, width: spray.links.len() }
    }

    /// Splits flows over links of given rates; `weight` tells how much a flow is to get of what others do.
    /// Gives up, with what it has, when `stopped` says so.
    pub fn split(
        &self,
        flows: &[Flow],
        weight: impl Fn(usize) -> f64,
        rates: &[f64],
        stopped: impl Fn() -> bool,
    ) -> Split {
        let paths = self.spray.paths;
        let mut out = Split { parts: vec![Vec::new(); flows.len()], gap: 0.0 };
        let mut demands = Vec::new();
        for (f, &flow) in flows.iter().enumerate() {
            let (Some((_, from)), Some((home, _))) = (paths.home_of(flow.from), paths.home_of(flow.to))
            else {
                let direct = paths.direct(flow.from as usize, flow.to as usize);
                out.parts[f].extend((direct != SINK).then_some((direct, 1.0)));
                continue;
            };
            let (up, down) = paths.host_links(flow);
            if self.hops(home, from.0) != FAR {
                let (from, home, weight) = (from.0, home as u32, weight(f));
                demands.push(Demand { flow: f as u32, from, home, up, down, weight });
            }
        }
        let (mut left, mut taken) = (rates.to_vec(), Vec::new());
        for level in 0..LEVELS {
            if demands.is_empty() || stopped() {
                break;
            }
            let mut search = Search::new(self, &demands, &left, rates);
            search.run(&stopped);
            if level == 0 {
                out.gap = (search.worst / search.least - 1.0).max(0.0);
            }
            let held = search.held_back(&demands, level + 1 == LEVELS);
            let rate = 1.0 / search.worst;
            let mut next = Vec::new();
            for (demand, held) in demands.iter().zip(held) {
                if !held {
                    next.push(*demand);
                    continue;
                }
                let parts = &mut out.parts[demand.flow as usize];
                search.parts(demand, parts);
                taken.extend(parts.iter().map(|&(link, part)| (link, rate * demand.weight * part)));
            }
            for (link, taken) in taken.drain(..) {
                // What is full stays a link, so that lengths stay numbers.
                let link = link as usize;
                left[link] = (left[link] - taken).max(1e-9 * rates[link]);
            }
            demands = next;
        }
        out
    }

    fn hops(&self, home: usize, switch: u32) -> u16 {
        self.spray.hops[home * (self.spray.begin.len() - 1) + switch as usize]
    }

    /// The links of a switch that lead nearer to a home: place, and switch at the other end.
    fn ahead(&self, home: usize, switch: u32) -> impl Iterator<Item = (usize, u32)> {
        let range = self.spray.begin[switch as usize]..self.spray.begin[switch as usize + 1];
        let here = self.hops(home, switch);
        range.filter_map(move |place| {
            let peer = self.spray.links[place].1;
            (self.hops(home, peer) < here).then_some((place, peer))
        })
    }
}

/// The search for the splits that let given demands rise furthest.
struct Search<'a, 'b, 'c> {
    ideal: &'c Ideal<'a, 'b>,
    left: &'c [f64],
    /// By home and switch: what is to be sent from there.
    sent: Vec<f64>,
    /// By link: what crosses it.
    load: Vec<f64>,
    /// By home and place of a link: what crosses it towards the home.
    flow: Vec<f64>,
    length: Vec<f64>,
    /// By home and switch, by the last lengths.
    far: Vec<f64>,
    used: Vec<u32>,
    worst: f64,
    least: f64,
}

impl<'a, 'b, 'c> Search<'a, 'b, 'c> {
    fn new(ideal: &'c Ideal<'a, 'b>, demands: &[Demand], left: &'c [f64], rates: &[f64]) -> Self {
        let switches = ideal.spray.begin.len() - 1;
        let homes = ideal.near.len();
        let mut sent = vec![0.0; homes * switches];
        let mut load = vec![0.0; rates.len()];
        for demand in demands {
            sent[demand.home as usize * switches + demand.from as usize] += demand.weight;
            load[demand.up as usize] += demand.weight;
            load[demand.down as usize] += demand.weight;
        }
        let length: Vec<f64> = left.iter().map(|left| 1.0 / left.max(f64::MIN_POSITIVE)).collect();
        let flow = vec![0.0; homes * ideal.width];
        let far = vec![0.0; homes * switches];
        let mut search =
            Self { ideal, left, sent, load, flow, length, far, used: Vec::new(), worst: 0.0, least: 0.0 };
        search.flow = search.shortest();
        let inner = search.sums(&search.flow);
        search.load.iter_mut().zip(inner).for_each(|(load, inner)| *load += inner);
        let between = ideal.spray.links.iter().map(|link| link.0);
        let hosts = demands.iter().flat_map(|demand| [demand.up, demand.down]);
        let mut used: Vec<u32> = between.chain(hosts).collect();
        used.sort_unstable();
        used.dedup();
        search.used = used;
        search
    }

    /// All that is sent on what is shortest now, evenly where that is several; notes how far it is.
    fn shortest(&mut self) -> Vec<f64> {
        let (ideal, length, sent) = (self.ideal, &self.length, &self.sent);
        let switches = ideal.spray.begin.len() - 1;
        let mut flow = vec![0.0; self.flow.len()];
        let rows = flow.par_chunks_mut(ideal.width.max(1)).zip(self.far.par_chunks_mut(switches.max(1)));
        rows.enumerate().for_each(|(home, (flow, far))| {
            let sent = &sent[home * switches..][..switches];
            if sent.iter().all(|&amount| amount == 0.0) {
                return;
            }
            let through = |place: usize, peer: u32, far: &[f64]| {
                length[ideal.spray.links[place].0 as usize] + far[peer as usize]
            };
            let order = &ideal.near[home];
            for &switch in order.iter().skip(1) {
                let ways = ideal.ahead(home, switch).map(|(place, peer)| through(place, peer, far));
                far[switch as usize] = ways.fold(f64::INFINITY, f64::min);
            }
            let mut here = sent.to_vec();
            for &switch in order.iter().skip(1).rev() {
                let amount = here[switch as usize];
                if amount == 0.0 {
                    continue;
                }
                let limit = far[switch as usize] * (1.0 + TIE);
                let short = |&(place, peer): &(usize, u32)| through(place, peer, far) <= limit;
                let count = ideal.ahead(home, switch).filter(short).count().max(1);
                for (place, peer) in ideal.ahead(home, switch).filter(short) {
                    flow[place] += amount / count as f64;
                    here[peer as usize] += amount / count as f64;
                }
            }
        });
        flow
    }

    /// What crosses links between switches, over all homes.
    fn sums(&self, flow: &[f64]) -> Vec<f64> {
        let mut sums = vec![0.0; self.load.len()];
        for row in flow.chunks_exact(self.ideal.width.max(1)) {
            for (&amount, link) in row.iter().zip(&self.ideal.spray.links) {
                sums[link.0 as usize] += amount;
            }
        }
        sums
    }

    fn full(&self, link: u32) -> f64 {
        self.load[link as usize] / self.left[link as usize]
    }

    fn fullest(&self) -> f64 {
        self.used.iter().map(|&link| self.full(link)).fold(0.0, f64::max)
    }

    /// Lengths that grow by a factor of e for each `1 / steep` that a link is fuller; says what `worst`
    /// cannot be less than.
    fn measure(&mut self, steep: f64, ends: &[f64]) -> (f64, Vec<f64>) {
        let mut sum = 0.0;
        for &link in &self.used {
            let weight = (steep * (self.full(link) - self.worst)).exp();
            self.length[link as usize] = weight / self.left[link as usize];
            sum += weight;
        }
        for &link in &self.used {
            self.length[link as usize] /= sum;
        }
        let flow = self.shortest();
        let between: f64 = self
            .sent
            .iter()
            .zip(&self.far)
            .map(|(sent, far)| if *sent > 0.0 { sent * far } else { 0.0 })
            .sum();
        let hosts: f64 = self.used.iter().map(|&link| ends[link as usize] * self.length[link as usize]).sum();
        (between + hosts, flow)
    }

    /// What `worst` cannot be less than because of any one switch: all that is sent there leaves it by its links,
    /// and all that is for it comes by the links to it.
    fn around_leaves(&self) -> f64 {
        let spray = self.ideal.spray;
        let switches = spray.begin.len() - 1;
        // By switch: amount and room, outwards and inwards.
        let mut sums = vec![[(0.0, 0.0); 2]; switches];
        for (sent, near) in self.sent.chunks_exact(switches.max(1)).zip(&self.ideal.near) {
            let home = near[0] as usize;
            for (switch, amount) in sent.iter().enumerate().filter(|&(switch, _)| switch != home) {
                sums[switch][0].0 += amount;
                sums[home][1].0 += amount;
            }
        }
        for switch in 0..switches {
            for &(link, peer) in &spray.links[spray.begin[switch]..spray.begin[switch + 1]] {
                sums[switch][0].1 += self.left[link as usize];
                sums[peer as usize][1].1 += self.left[link as usize];
            }
        }
        sums.iter().flatten().map(|(amount, room)| amount / room).fold(0.0, f64::max)
    }

    fn run(&mut self, stopped: &impl Fn() -> bool) {
        let inner = self.sums(&self.flow);
        let ends: Vec<f64> = self.load.iter().zip(&inner).map(|(load, inner)| load - inner).collect();
        // No split takes anything off the links of hosts.
        let of_hosts = |&link: &u32| ends[link as usize] / self.left[link as usize];
        self.least = self.used.iter().map(of_hosts).fold(self.around_leaves(), f64::max);
        let mut by_lengths: f64 = 0.0;
        let many = (self.used.len() as f64).ln().max(1.0);
        let mut aim = 0.16;
        for step in 0..STEPS {
            self.worst = self.fullest();
            let steep = 2.0 * many / (aim * self.worst);
            let (least, flow) = self.measure(steep, &ends);
            by_lengths = by_lengths.max(least);
            self.least = self.least.max(least);
            if self.worst <= self.least * (1.0 + GAP) || stopped() {
                break;
            }
            // While lengths prove little, they are better steep by little.
            if self.worst <= by_lengths * (1.0 + aim) || step % 40 == 39 {
                aim = (aim / 2.0).max(GAP / 2.0);
            }
            let target = self.sums(&flow);
            let by = self.reach(&target, &ends, steep);
            for (now, aim) in self.flow.iter_mut().zip(&flow) {
                *now += by * (aim - *now);
            }
            for &link in &self.used {
                let link = link as usize;
                self.load[link] += by * (target[link] + ends[link] - self.load[link]);
            }
        }
    }

    /// How far to go towards other loads: where the sum of steep exponentials is least.
    fn reach(&self, target: &[f64], ends: &[f64], steep: f64) -> f64 {
        let change = |link: usize| (target[link] + ends[link] - self.load[link]) / self.left[link];
        let slope = |by: f64| -> f64 {
            let term = |&link: &u32| {
                let change = change(link as usize);
                change * (steep * (self.full(link) + by * change - self.worst)).min(600.0).exp()
            };
            self.used.iter().map(term).sum()
        };
        let (mut low, mut high) = (0.0, 1.0);
        if slope(high) < 0.0 {
            return high;
        }
        for _ in 0..20 {
            let middle = 0.5 * (low + high);
            if slope(middle) < 0.0 { low = middle } else { high = middle }
        }
        0.5 * (low + high)
    }

    /// Which demands cannot rise further: those to which every way is long. At least one.
    fn held_back(&self, demands: &[Demand], all: bool) -> Vec<bool> {
        let switches = self.ideal.spray.begin.len() - 1;
        let long = |demand: &Demand| {
            let between = self.far[demand.home as usize * switches + demand.from as usize];
            let between = if between.is_finite() { between } else { 0.0 };
            between + self.length[demand.up as usize] + self.length[demand.down as usize]
        };
        let longest = demands.iter().map(long).fold(0.0, f64::max);
        demands.iter().map(|demand| all || long(demand) >= 0.02 * longest).collect()
    }

    /// The links of a demand and its parts there.
    fn parts(&self, demand: &Demand, out: &mut Vec<(LinkId, f64)>) {
        let (ideal, home) = (self.ideal, demand.home as usize);
        out.extend([(demand.up, 1.0), (demand.down, 1.0)]);
        let row = &self.flow[home * ideal.width..][..ideal.width];
        let mut here = vec![(NodeId(demand.from), 1.0)];
        let mut next: Vec<(NodeId, f64)> = Vec::new();
        while here.first().is_some_and(|(switch, _)| ideal.hops(home, switch.0) > 0) {
            next.clear();
            for &(switch, amount) in &here {
                let all: f64 = ideal.ahead(home, switch.0).map(|(place, _)| row[place]).sum();
                let count = ideal.ahead(home, switch.0).count() as f64;
                for (place, peer) in ideal.ahead(home, switch.0) {
                    let part = amount * if all > 0.0 { row[place] / all } else { 1.0 / count };
                    if part > 1e-12 {
                        out.push((ideal.spray.links[place].0, part));
                        match next.iter_mut().find(|(other, _)| other.0 == peer) {
                            Some((_, sum)) => *sum += part,
                            None => next.push((NodeId(peer), part)),
                        }
                    }
                }
            }
            std::mem::swap(&mut here, &mut next);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::load::testing::two_tier;
    use crate::load::{Links, Paths};

    const RATE: f64 = 12.0;

    /// The splits of flows of weight 1 on links of one rate, but for those named.
    fn split(net: &crate::load::testing::Net, flows: &[(u32, u32)], slow: &[(LinkId, f64)]) -> Split {
        let paths = Paths::new(&net.fabric, &net.routes, &net.hosts, 0);
        let spray = Spray::new(&paths);
        let flows: Vec<Flow> = flows.iter().map(|&(from, to)| Flow { from, to }).collect();
        let mut rates = vec![RATE; paths.links().len()];
        for &(link, rate) in slow {
            rates[link as usize] = rate;
        }
        Ideal::new(&spray).split(&flows, |_| 1.0, &rates, || false)
    }

    /// The link from a leaf to a spine, or back.
    fn between(net: &crate::load::testing::Net, from: u32, to: u32) -> LinkId {
        let links = Links::of(&net.fabric);
        let leads = |&p: &crate::fabric::PortId| {
            net.fabric.peer(p).map(|q| net.fabric.node_of(q)) == Some(NodeId(to))
        };
        links.leaving(net.fabric.ports_of(NodeId(from)).find(leads).unwrap())
    }

    #[test]
    fn where_all_is_alike_the_best_split_is_even() {
        let net = two_tier(3, 4, 4);
        let flows: Vec<(u32, u32)> = (0..12).map(|i| (i, (i + 5) % 12)).collect();
        let out = split(&net, &flows, &[]);
        assert!(out.gap < 1e-9);
        for (parts, &(from, to)) in out.parts.iter().zip(&flows) {
            let inner: Vec<f64> = parts[2..].iter().map(|p| p.1).collect();
            let expected = if from / 4 == to / 4 { vec![] } else { vec![0.25; 8] };
            assert_eq!(inner, expected);
        }
    }

    #[test]
    fn parts_keep_to_the_rates_of_links_and_all_of_a_flow_arrives() {
        // Leaf 0 (switch 0) reaches its spines (switches 3 to 6) by links of rates 12, 12, 6 and 6: 36 in all for
        // four flows, so each gets 9 at best, in parts 1/3, 1/3, 1/6, 1/6.
        let net = two_tier(3, 4, 4);
        let slow = [(between(&net, 0, 5), 6.0), (between(&net, 0, 6), 6.0)];
        let out = split(&net, &[(0, 4), (1, 5), (2, 6), (3, 7)], &slow);
        assert!(out.gap <= GAP);
        let share = |spine: u32| {
            let link = between(&net, 0, spine);
            let of =
                |parts: &Vec<(LinkId, f64)>| parts.iter().filter(|p| p.0 == link).map(|p| p.1).sum::<f64>();
            out.parts.iter().map(of).sum::<f64>()
        };
        for (spine, expected) in [(3, 4.0 / 3.0), (4, 4.0 / 3.0), (5, 2.0 / 3.0), (6, 2.0 / 3.0)] {
            // At the best rate no link is more than a gap above its own.
            assert!(share(spine) <= expected * (1.0 + 2.0 * GAP), "{spine}: {}", share(spine));
        }
        for parts in &out.parts {
            assert!((parts.iter().map(|p| p.1).sum::<f64>() - 4.0).abs() < 1e-9); // four links each
        }
    }

    #[test]
    fn who_can_get_out_of_the_way_does() {
        // Leaf 2 hardly reaches any but the last spine: what leaf 0 sends to the same leaf keeps off it.
        let net = two_tier(3, 4, 4);
        let slow: Vec<(LinkId, f64)> = [3, 4, 5].map(|spine| (between(&net, 2, spine), 1e-3)).to_vec();
        let out = split(&net, &[(0, 4), (1, 5), (2, 6), (8, 7)], &slow);
        assert!(out.gap <= GAP);
        let link = between(&net, 6, 1);
        let onto: f64 = out.parts.iter().flatten().filter(|p| p.0 == link).map(|p| p.1).sum();
        assert!(onto <= 1.0 + 2.0 * GAP, "{onto}");
    }
}
