//! The split of given demands with the greatest least rate.
//!
//! That is a linear program, the *maximum concurrent flow*. It is solved to within [`GAP`] by the Frank-Wolfe
//! method: links get lengths that grow steeply with how full they are, all flows are put on the paths that are
//! then shortest, and the split moves towards that as far as it helps (M. Frank, P. Wolfe, Naval Research
//! Logistics Quarterly 3, 1956; D. Bienstock, *Potential Function Methods for Approximately Solving Linear
//! Programming Problems*, 2002). The same lengths bound what any split can reach; so do the links of hosts, and
//! all links of a switch together.
//!
//! | here      | meaning                                                                |
//! |-----------|------------------------------------------------------------------------|
//! | `full`    | of a link: its load over its remaining rate when each demand has the rate of its weight |
//! | `worst`   | the greatest of these; the rate of a demand is one over it             |
//! | `least`   | a lower bound of `worst`                                            |
//! | `share`    | of what comes to a switch for a destination switch: the fraction that leaves by a link |

use rayon::prelude::*;

use super::shortest::{GAP, Ideal, SplitFlow};
use crate::fabric::NodeId;
use crate::model::load::LinkId;

/// The most steps of a search; it then returns what it has reached.
const STEPS: usize = 400;
/// Lengths to a destination switch that differ by less count as equal: flows are split evenly.
const TIE: f64 = 1e-9;

/// The search for the split with the greatest least rate.
pub(super) struct SplitSearch<'a, 'b, 'c> {
    ideal: &'c Ideal<'a, 'b>,
    left: &'c [f64],
    /// By destination switch and switch: the demand that starts there.
    sent: Vec<f64>,
    /// By link: its load.
    load: Vec<f64>,
    /// By destination switch and index of a link: its load towards that switch.
    flow: Vec<f64>,
    length: Vec<f64>,
    /// By destination switch and switch: the distance by the last lengths.
    far: Vec<f64>,
    used: Vec<u32>,
    pub worst: f64,
    pub least: f64,
}

impl<'a, 'b, 'c> SplitSearch<'a, 'b, 'c> {
    pub(super) fn new(
        ideal: &'c Ideal<'a, 'b>,
        demands: &[SplitFlow],
        left: &'c [f64],
        rates: &[f64],
    ) -> Self {
        let switches = ideal.spray.begin.len() - 1;
        let edge_switches = ideal.near.len();
        let mut sent = vec![0.0; edge_switches * switches];
        let mut load = vec![0.0; rates.len()];
        for demand in demands {
            sent[demand.edge_switch as usize * switches + demand.from as usize] += demand.weight;
            load[demand.up as usize] += demand.weight;
            load[demand.down as usize] += demand.weight;
        }
        let length: Vec<f64> = left.iter().map(|left| 1.0 / left.max(f64::MIN_POSITIVE)).collect();
        let flow = vec![0.0; edge_switches * ideal.width];
        let far = vec![0.0; edge_switches * switches];
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

    /// Puts all demands on their shortest paths, evenly where there are several; sets `far`.
    fn shortest(&mut self) -> Vec<f64> {
        let (ideal, length, sent) = (self.ideal, &self.length, &self.sent);
        let switches = ideal.spray.begin.len() - 1;
        let mut flow = vec![0.0; self.flow.len()];
        let rows = flow.par_chunks_mut(ideal.width.max(1)).zip(self.far.par_chunks_mut(switches.max(1)));
        rows.enumerate().for_each(|(edge_switch, (flow, far))| {
            let sent = &sent[edge_switch * switches..][..switches];
            if sent.iter().all(|&amount| amount == 0.0) {
                return;
            }
            let through = |index: usize, peer: u32, far: &[f64]| {
                length[ideal.spray.links[index].0 as usize] + far[peer as usize]
            };
            let order = &ideal.near[edge_switch];
            for &switch in order.iter().skip(1) {
                let distances =
                    ideal.ahead(edge_switch, switch).map(|(index, peer)| through(index, peer, far));
                far[switch as usize] = distances.fold(f64::INFINITY, f64::min);
            }
            let mut here = sent.to_vec();
            for &switch in order.iter().skip(1).rev() {
                let amount = here[switch as usize];
                if amount == 0.0 {
                    continue;
                }
                let limit = far[switch as usize] * (1.0 + TIE);
                let short = |&(index, peer): &(usize, u32)| through(index, peer, far) <= limit;
                let count = ideal.ahead(edge_switch, switch).filter(short).count().max(1);
                for (index, peer) in ideal.ahead(edge_switch, switch).filter(short) {
                    flow[index] += amount / count as f64;
                    here[peer as usize] += amount / count as f64;
                }
            }
        });
        flow
    }

    /// The loads of links between switches, summed over destination switches.
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

    /// Sets lengths that grow by a factor of e for each `1 / steep` that a link is fuller. Returns a lower bound
    /// of `worst`, and the flows on the shortest paths.
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

    /// A lower bound of `worst` from single switches: all demand that starts at one leaves by its links, and all
    /// that is for it comes by the links to it.
    fn around_leaves(&self) -> f64 {
        let spray = self.ideal.spray;
        let switches = spray.begin.len() - 1;
        // By switch: amount and room, outwards and inwards.
        let mut sums = vec![[(0.0, 0.0); 2]; switches];
        for (sent, near) in self.sent.chunks_exact(switches.max(1)).zip(&self.ideal.near) {
            let edge_switch = near[0] as usize;
            for (switch, amount) in sent.iter().enumerate().filter(|&(switch, _)| switch != edge_switch) {
                sums[switch][0].0 += amount;
                sums[edge_switch][1].0 += amount;
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

    pub(super) fn run(&mut self, stopped: &impl Fn() -> bool) {
        let inner = self.sums(&self.flow);
        let ends: Vec<f64> = self.load.iter().zip(&inner).map(|(load, inner)| load - inner).collect();
        // No split relieves the links of hosts.
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
            // While the lengths give a weak bound, gentle ones do better.
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

    /// How far to move towards other loads: to where the sum of steep exponentials is least.
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

    /// Which demands cannot rise further: those whose every path is long. At least one.
    pub(super) fn held_back(&self, demands: &[SplitFlow], all: bool) -> Vec<bool> {
        let switches = self.ideal.spray.begin.len() - 1;
        let long = |demand: &SplitFlow| {
            let between = self.far[demand.edge_switch as usize * switches + demand.from as usize];
            let between = if between.is_finite() { between } else { 0.0 };
            between + self.length[demand.up as usize] + self.length[demand.down as usize]
        };
        let longest = demands.iter().map(long).fold(0.0, f64::max);
        demands.iter().map(|demand| all || long(demand) >= 0.02 * longest).collect()
    }

    /// The links of a demand, and its share on each.
    pub(super) fn shares(&self, demand: &SplitFlow, out: &mut Vec<(LinkId, f64)>) {
        let (ideal, edge_switch) = (self.ideal, demand.edge_switch as usize);
        out.extend([(demand.up, 1.0), (demand.down, 1.0)]);
        let row = &self.flow[edge_switch * ideal.width..][..ideal.width];
        let mut here = vec![(NodeId(demand.from), 1.0)];
        let mut next: Vec<(NodeId, f64)> = Vec::new();
        while here.first().is_some_and(|(switch, _)| ideal.hops(edge_switch, switch.0) > 0) {
            next.clear();
            for &(switch, amount) in &here {
                let all: f64 = ideal.ahead(edge_switch, switch.0).map(|(index, _)| row[index]).sum();
                let count = ideal.ahead(edge_switch, switch.0).count() as f64;
                for (index, peer) in ideal.ahead(edge_switch, switch.0) {
                    let share = amount * if all > 0.0 { row[index] / all } else { 1.0 / count };
                    if share > 1e-12 {
                        out.push((ideal.spray.links[index].0, share));
                        match next.iter_mut().find(|(other, _)| other.0 == peer) {
                            Some((_, sum)) => *sum += share,
                            None => next.push((NodeId(peer), share)),
                        }
                    }
                }
            }
            std::mem::swap(&mut here, &mut next);
        }
    }
}
