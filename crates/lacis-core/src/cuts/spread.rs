//! What certainly flows between two halves of the hosts: a lower bound of their bisection bandwidth.
//!
//! | here     | meaning                                                                            |
//! |----------|------------------------------------------------------------------------------------|
//! | `x`      | share of a flow from `s` to `t` that a bundle carries, when it is divided at every switch over the shortest paths by their capacity |
//! | `c`      | what a host sends and takes at most: its link's rate, or its share of its switch's cables |
//! | `φ`      | share of `c` that every host can send at once, whichever hosts send to which        |
//!
//! Let every host of a half send `c`, and every host of the other take `c`. Of what a switch `s` sends,
//! a bundle carries at most `max over t` of `x`, whatever the receivers; of what `t` takes, at most
//! `max over s`. So it carries at most the smaller of the two sums over all switches, and every host
//! can send `φ c`, `φ` being the least capacity of a bundle over that. From half to half flows `φ` times
//! the sum of the smaller `c`. For whole trees that is all that their hosts or their taper allow.
//!
//! Where some switches are equally far from all hosts, as the top of a tree is, flows may all pass through
//! these, divided by their capacities: what a bundle carries then does not depend on which hosts send to which,
//! so that the loads of single hosts add up. For whole trees this bound is exact, and quick to compute.
//!
//! The same paths under all-to-all traffic give another bound, the better one where few cables join the
//! halves: if every host can send `f` to every other at once, the halves exchange `f` times their product.

use rayon::prelude::*;

use super::CutGraph;
use super::rates::Rates;

/// How far apart bounds may be that count as equal: the sums of many rates round.
pub(super) const EQUAL: f64 = 1e-6;

/// The most work: pairs of switches with hosts, times bundles.
const MOST_WORK: u64 = 1 << 28;

/// Bytes/s from any half of a component's hosts to the other; 0 where nothing is known. No better bound is looked
/// for than `enough`.
pub(super) fn least(net: &CutGraph, rates: &Rates, component: &[u32], enough: f64) -> f64 {
    let shape = Shape::of(net, rates, component);
    let edge_switches = &shape.edge_switches;
    // What hosts send, limited by the cables of their switch.
    let limited = |s: u32| {
        let own = rates.hosts(s).iter().sum::<f64>();
        if edge_switches.len() > 1 && own > rates.degree(s) { rates.degree(s) / own } else { 1.0 }
    };
    let sent: Vec<f64> =
        edge_switches.iter().map(|&s| rates.hosts(s).iter().sum::<f64>() * limited(s)).collect();
    let mut each: Vec<f64> =
        edge_switches.iter().flat_map(|&s| rates.hosts(s).iter().map(move |r| r * limited(s))).collect();
    each.sort_by(f64::total_cmp);
    let half: f64 = each[..each.len() / 2].iter().sum();
    if edge_switches.len() < 2 {
        return half;
    }
    let by_tops = shape.share_over_tops(component, &sent) * half;
    let work = (edge_switches.len() as u64).pow(2) * shape.peer.len() as u64;
    if by_tops >= enough * (1.0 - EQUAL) || work > MOST_WORK {
        return by_tops;
    }
    let hosts: Vec<f64> = edge_switches.iter().map(|&s| net.ends(s).senders as f64).collect();
    let hops: Vec<Vec<u32>> = edge_switches.par_iter().map(|&t| shape.hops(t)).collect();
    let links = shape.peer.len();
    let zero = || (vec![0.0; links], vec![0.0; links]);
    let add = |mut a: (Vec<f64>, Vec<f64>), b: (Vec<f64>, Vec<f64>)| {
        a.0.iter_mut().zip(b.0).for_each(|(a, b)| *a += b);
        a.1.iter_mut().zip(b.1).for_each(|(a, b)| *a += b);
        a
    };
    // By sender: the most for any receiver; and all-to-all. By receiver: the most from any sender.
    let sums = |by_sender: bool| {
        let of = |a: usize| {
            let (mut most, mut all) = zero();
            let mut divider = FlowDivider::new(&shape);
            for b in (0..edge_switches.len()).filter(|&b| b != a) {
                let (s, t) = if by_sender { (a, b) } else { (b, a) };
                divider.divide(edge_switches[s], &hops[t], |link, x| {
                    most[link] = f64::max(most[link], x);
                    all[link] += x * hosts[s] * hosts[t];
                });
            }
            for x in &mut most {
                *x *= sent[a];
            }
            (most, all)
        };
        // Sums in the order of switches, whatever the number of threads.
        let found: Vec<_> = (0..edge_switches.len()).collect::<Vec<_>>();
        found
            .chunks(16)
            .map(|some| some.par_iter().map(|&a| of(a)).collect::<Vec<_>>())
            .fold(zero(), |sum, some| some.into_iter().fold(sum, add))
    };
    let (from, all) = sums(true);
    let (to, _) = sums(false);
    let mut share_sent = 1.0_f64;
    let mut to_each = f64::INFINITY;
    for link in 0..links {
        let worst = f64::min(from[link], to[link]);
        if worst > 0.0 {
            share_sent = share_sent.min(shape.capacity[link] / worst);
        }
        if all[link] > 0.0 {
            to_each = to_each.min(shape.capacity[link] / all[link]);
        }
    }
    let count = each.len();
    let slowest = edge_switches.iter().flat_map(|&s| rates.hosts(s)).copied().fold(f64::INFINITY, f64::min);
    let to_each = to_each.min(slowest / (count - 1) as f64);
    let product = ((count / 2) * count.div_ceil(2)) as f64;
    by_tops.max(share_sent * half).max(to_each * product)
}

/// Bundles as links from both ends, in the order of their near ends.
struct Shape {
    edge_switches: Vec<u32>,
    first: Vec<usize>,
    peer: Vec<u32>,
    capacity: Vec<f64>,
}

impl Shape {
    fn of(net: &CutGraph, rates: &Rates, component: &[u32]) -> Self {
        let edge_switches = component.iter().copied().filter(|&s| net.ends(s).senders > 0).collect();
        let mut shape = Self { edge_switches, first: vec![0], peer: Vec::new(), capacity: Vec::new() };
        for s in 0..net.num_switches() as u32 {
            for (far, _) in net.bundles(s) {
                shape.peer.push(far);
                shape.capacity.push(rates.between(s, far));
            }
            shape.first.push(shape.peer.len());
        }
        shape
    }

    fn links(&self, s: u32) -> std::ops::Range<usize> {
        self.first[s as usize]..self.first[s as usize + 1]
    }

    /// Hops of every switch to one.
    fn hops(&self, to: u32) -> Vec<u32> {
        let mut hops = vec![u32::MAX; self.first.len() - 1];
        hops[to as usize] = 0;
        let mut queue = vec![to];
        let mut next = 0;
        while let Some(&s) = queue.get(next) {
            next += 1;
            for link in self.links(s) {
                let far = self.peer[link];
                if hops[far as usize] == u32::MAX {
                    hops[far as usize] = hops[s as usize] + 1;
                    queue.push(far);
                }
            }
        }
        hops
    }
}

impl Shape {
    /// The share of what each edge switch sends (`sent`) that all can send and take at once through the switches
    /// that are equally far from all edge switches; 0 where there is none.
    fn share_over_tops(&self, component: &[u32], sent: &[f64]) -> f64 {
        let capacity = |s: u32| self.links(s).map(|link| self.capacity[link]).sum::<f64>();
        let tops: Vec<(f64, Vec<u32>)> = component
            .par_iter()
            .filter_map(|&top| {
                let hops = self.hops(top);
                let mut distances = self.edge_switches.iter().map(|&edge_switch| hops[edge_switch as usize]);
                let first = distances.next()?;
                (first > 0 && distances.all(|distance| distance == first)).then(|| (capacity(top), hops))
            })
            .collect();
        let all: f64 = tops.iter().map(|(capacity, _)| capacity).sum();
        let mut load = vec![0.0; self.peer.len()];
        let mut divider = FlowDivider::new(self);
        for (capacity, hops) in &tops {
            for (&edge_switch, &sent) in self.edge_switches.iter().zip(sent) {
                divider.divide(edge_switch, hops, |link, x| load[link] += x * sent * capacity / all);
            }
        }
        // What a link carries up for one end, its reverse carries down for another.
        let mut share_sent = if tops.is_empty() { 0.0 } else { 1.0_f64 };
        for s in 0..self.first.len() as u32 - 1 {
            for link in self.links(s) {
                let back = self.links(self.peer[link]).find(|&back| self.peer[back] == s);
                let carried = load[link] + back.map_or(0.0, |back| load[back]);
                if carried > 0.0 {
                    share_sent = share_sent.min(self.capacity[link] / carried);
                }
            }
        }
        share_sent
    }
}

/// Dividing flows over shortest paths.
struct FlowDivider<'a> {
    shape: &'a Shape,
    flow: Vec<f64>,
    queue: Vec<u32>,
}

impl<'a> FlowDivider<'a> {
    fn new(shape: &'a Shape) -> Self {
        Self { shape, flow: vec![0.0; shape.first.len() - 1], queue: Vec::new() }
    }

    /// Divides a flow of 1 from a switch to the one that `hops` lead to, and visits every link with what it carries.
    fn divide(&mut self, from: u32, hops: &[u32], mut visit: impl FnMut(usize, f64)) {
        let Self { shape, flow, queue } = self;
        queue.clear();
        queue.push(from);
        flow[from as usize] = 1.0;
        let mut next = 0;
        // Breadth first: all that comes to a switch is there before it goes on.
        while let Some(&s) = queue.get(next) {
            next += 1;
            let here = std::mem::take(&mut flow[s as usize]);
            if hops[s as usize] == 0 {
                continue;
            }
            let ahead = |&l: &usize| hops[shape.peer[l] as usize] < hops[s as usize];
            let all: f64 = shape.links(s).filter(ahead).map(|l| shape.capacity[l]).sum();
            for link in shape.links(s).filter(ahead) {
                let x = here * shape.capacity[link] / all;
                let far = shape.peer[link];
                if flow[far as usize] == 0.0 {
                    queue.push(far);
                }
                flow[far as usize] += x;
                visit(link, x);
            }
        }
    }
}
