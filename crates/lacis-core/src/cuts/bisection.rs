//! Bisection bandwidth: the least capacity, one direction, between two halves of the hosts.
//!
//! For a set `S` of switches, the hosts of `S` are one half and the others the other; where these are
//! not equally many, hosts are taken from the larger side one by one, each by cutting its own link,
//! the slowest first. Capacity is that of the cables around `S` and of these links. The least over
//! all `S` is the bisection bandwidth.
//!
//! * *At most*: the best of many `S`: none (half of the hosts' own links), sets grown from some
//!   switches (`grow`), the leaves in order; each improved by moving switch after switch, always the
//!   switch that gains most or loses least, and keeping the best seen (C. M. Fiduccia,
//!   R. M. Mattheyses, "A linear-time heuristic for improving network partitions", DAC 1982).
//! * *At least*: what certainly flows from any half to the other when every flow is divided over all
//!   shortest paths (`spread`).
//!
//! Where the bounds are equal, the figure is exact. Connected components are halved separately and their
//! figures added: planes of a fabric whose hosts have an adapter in each.

use rayon::prelude::*;

use crate::fabric::{Fabric, NodeId, PortId};

use super::rates::Rates;
use super::spread::{self, EQUAL};
use super::{CutGraph, grow, nodes};

/// Bounds of the bisection bandwidth.
#[derive(Clone, Debug, PartialEq)]
pub struct Bisection {
    /// No more, one direction [bytes/s]: the capacity of a cut.
    pub at_most: f64,
    /// No less [bytes/s].
    pub at_least: f64,
    /// Half of what all hosts could send [bytes/s].
    pub injection: f64,
    /// The cut of the component with most hosts: switches on its smaller side; none where it cuts hosts' own
    /// links alone.
    pub side: Vec<NodeId>,
    /// Cables between switches that the cut crosses.
    pub cables: u64,
    /// Capacity of these cables in one direction [bytes/s].
    pub capacity: f64,
    /// Hosts on the smaller side, and on the other.
    pub hosts: [u64; 2],
}

impl Bisection {
    /// Whether the bounds are equal.
    pub fn is_exact(&self) -> bool {
        self.at_most - self.at_least <= EQUAL * self.at_most
    }
}

/// The bisection bandwidth of the given end ports; none where a cable's rate is unknown, or there are
/// fewer than two ports.
pub fn bisection(fabric: &Fabric, ports: &[PortId]) -> Option<Bisection> {
    let net = CutGraph::of(fabric, ports, |_| 1);
    of_net(&net, &Rates::of(fabric, &net, ports)?)
}

/// The same in links of one rate, where the source gives no cable's; none where it gives some, or there are fewer than two
/// ports.
pub fn bisection_in_links(fabric: &Fabric, ports: &[PortId]) -> Option<Bisection> {
    let net = CutGraph::of(fabric, ports, |_| 1);
    of_net(&net, &Rates::alike(fabric, &net, ports)?)
}

fn of_net(net: &CutGraph, rates: &Rates) -> Option<Bisection> {
    let mut components: Vec<Vec<u32>> = vec![Vec::new(); net.whole.len()];
    for s in 0..net.num_switches() as u32 {
        components[net.component[s as usize] as usize].push(s);
    }
    components.retain(|component| net.whole_of(component[0]).senders >= 2);
    components.sort_by_key(|component| std::cmp::Reverse(net.whole_of(component[0]).senders));
    let grown = grow::halves(net);
    let mut sum: Option<Bisection> = None;
    for component in &components {
        let found = of_component(net, rates, component, &grown);
        match &mut sum {
            None => sum = Some(found),
            Some(sum) => {
                sum.at_most += found.at_most;
                sum.at_least += found.at_least;
                sum.injection += found.injection;
            }
        }
    }
    sum
}

fn of_component(net: &CutGraph, rates: &Rates, component: &[u32], grown: &[Vec<u32>]) -> Bisection {
    let inside = |s: &u32| net.component[*s as usize] == net.component[component[0] as usize];
    let mut starts: Vec<Vec<u32>> = vec![Vec::new()];
    starts.extend(grown.iter().filter(|set| inside(&set[0])).cloned());
    starts.push(first_half(net, component));
    let cuts: Vec<(f64, Vec<u32>)> =
        starts.into_par_iter().map(|set| Halving::new(net, rates, component, &set).improved()).collect();
    let best = cuts
        .into_iter()
        .min_by(|(a, x), (b, y)| a.total_cmp(b).then(x.len().cmp(&y.len())).then_with(|| x.cmp(y)));
    let (at_most, mut side) = best.unwrap_or_default();
    let hosts = |set: &[u32]| set.iter().map(|&s| net.ends(s).senders).sum::<u64>();
    let all = hosts(component);
    if 2 * hosts(&side) > all {
        side = component.iter().copied().filter(|s| !side.contains(s)).collect();
    }
    side.sort_unstable();
    let out = side.iter().flat_map(|&s| net.bundles(s).map(move |(far, n)| (s, far, n)));
    let out: Vec<_> = out.filter(|(_, far, _)| side.binary_search(far).is_err()).collect();
    let mut own: Vec<f64> = component.iter().flat_map(|&s| rates.hosts(s)).copied().collect();
    own.sort_by(f64::total_cmp);
    Bisection {
        at_most,
        at_least: spread::least(net, rates, component, at_most).min(at_most),
        injection: own.iter().sum::<f64>() / 2.0,
        cables: out.iter().map(|&(_, _, cables)| cables).sum(),
        capacity: out.iter().map(|&(s, far, _)| rates.between(s, far)).sum(),
        hosts: [hosts(&side), all - hosts(&side)],
        side: nodes(&side),
    }
}

/// The first switches in order of their numbers that have half of the hosts.
fn first_half(net: &CutGraph, component: &[u32]) -> Vec<u32> {
    let (mut set, mut hosts) = (Vec::new(), 0);
    for &s in component.iter().filter(|&&s| net.ends(s).senders > 0) {
        if 2 * (hosts + net.ends(s).senders) > net.whole_of(s).senders {
            break;
        }
        hosts += net.ends(s).senders;
        set.push(s);
    }
    set
}

/// A set of switches and what it costs to halve the hosts along it.
struct Halving<'a> {
    net: &'a CutGraph,
    rates: &'a Rates,
    component: &'a [u32],
    is_in: Vec<bool>,
    /// By switch: capacity to the set.
    into: Vec<f64>,
    capacity: f64,
    hosts: u64,
    all: u64,
    /// About what one more host costs.
    usual: f64,
}

/// Moves in a row that need not gain.
const PATIENCE: usize = 60;
/// Rounds of improvement.
const ROUNDS: usize = 8;

impl<'a> Halving<'a> {
    fn new(net: &'a CutGraph, rates: &'a Rates, component: &'a [u32], set: &[u32]) -> Self {
        let count = net.num_switches();
        let all = net.whole_of(component[0]).senders;
        let own: f64 = component.iter().flat_map(|&s| rates.hosts(s)).sum();
        let mut halving = Self {
            net,
            rates,
            component,
            is_in: vec![false; count],
            into: vec![0.0; count],
            capacity: 0.0,
            hosts: 0,
            all,
            usual: own / all as f64,
        };
        for &s in set {
            halving.flip(s);
        }
        halving
    }

    fn flip(&mut self, s: u32) {
        let is_in = &mut self.is_in[s as usize];
        *is_in = !*is_in;
        let sign = if *is_in { 1.0 } else { -1.0 };
        let hosts = self.net.ends(s).senders;
        self.hosts = if *is_in { self.hosts + hosts } else { self.hosts - hosts };
        self.capacity += sign * (self.rates.degree(s) - 2.0 * self.into[s as usize]);
        for (far, _) in self.net.bundles(s) {
            self.into[far as usize] += sign * self.rates.between(s, far);
        }
    }

    /// About what a number of hosts on the side of the set costs.
    fn imbalance(&self, hosts: u64) -> f64 {
        let (low, high) = (self.all / 2, self.all.div_ceil(2));
        (low.saturating_sub(hosts) + hosts.saturating_sub(high)) as f64 * self.usual
    }

    /// About what a flip adds to the cost.
    fn change(&self, s: u32) -> f64 {
        let (is_in, own) = (self.is_in[s as usize], self.net.ends(s).senders);
        let hosts = if is_in { self.hosts - own } else { self.hosts + own };
        let cables = self.rates.degree(s) - 2.0 * self.into[s as usize];
        let cables = if is_in { -cables } else { cables };
        cables + self.imbalance(hosts) - self.imbalance(self.hosts)
    }

    fn cost(&self) -> f64 {
        self.capacity + self.imbalance(self.hosts)
    }

    /// The exact cost: the slowest links of the larger side are cut.
    fn exact(&self) -> f64 {
        let (low, high) = (self.all / 2, self.all.div_ceil(2));
        let (more, from_set) = if self.hosts > high {
            (self.hosts - high, true)
        } else {
            (low.saturating_sub(self.hosts), false)
        };
        let side = self.component.iter().filter(|&&s| self.is_in[s as usize] == from_set);
        let mut own: Vec<f64> = side.flat_map(|&s| self.rates.hosts(s)).copied().collect();
        own.sort_by(f64::total_cmp);
        let crossing = self.component.iter().filter(|&&s| self.is_in[s as usize]).flat_map(|&s| {
            let far = self.net.bundles(s).filter(|&(far, _)| !self.is_in[far as usize]);
            far.map(move |(far, _)| self.rates.between(s, far))
        });
        crossing.sum::<f64>() + own.iter().take(more as usize).sum::<f64>()
    }

    /// The cost after moving switches as long as that gains, and the set.
    fn improved(mut self) -> (f64, Vec<u32>) {
        for _ in 0..ROUNDS {
            let before = self.cost();
            let mut best = (before, 0);
            let mut moved: Vec<u32> = Vec::new();
            let mut free: Vec<u32> = self.component.to_vec();
            while !free.is_empty() && moved.len() < best.1 + PATIENCE {
                let changes = free.iter().enumerate().map(|(at, &s)| (self.change(s), s, at));
                let Some((_, s, at)) = changes.min_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1))) else {
                    break;
                };
                free.swap_remove(at);
                self.flip(s);
                moved.push(s);
                if self.cost() < best.0 * (1.0 - EQUAL) {
                    best = (self.cost(), moved.len());
                }
            }
            moved[best.1..].iter().rev().for_each(|&s| self.flip(s));
            if best.1 == 0 {
                break;
            }
        }
        let set = self.component.iter().copied().filter(|&s| self.is_in[s as usize]).collect();
        (self.exact(), set)
    }
}
