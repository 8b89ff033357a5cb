//! How little the fullest link can carry, whatever the tables: a bound by duality.
//!
//! Let `y` be any weights of links. Of the paths between two hosts the lightest weighs `w`; so
//! whichever shortest paths are taken, the sum over links of weight × load is at least the sum of `w`
//! over all pairs, and some link's load is at least that by the sum of all weights. This holds for paths
//! that are split, too, so for tables all the more. What a single switch cannot split is a bound, too;
//! the greater counts. Good weights are found as in N. Garg and J. Könemann, "Faster and simpler algorithms for multicommodity flow", SIAM
//! J. Comput. 37(2), 2007: links on the lightest paths get heavier. Bad ones would give a lower bound, never
//! a wrong one.

use lacis_core::fabric::{Fabric, NodeId, Population, PortId};

/// With steps that begin at 3 the bound comes within 2 % of what linear programming finds.
const ROUNDS: usize = 600;

/// What bounds the loads of a fabric where each host sends to each other.
pub struct Bound {
    /// Pairs that some link between switches must carry.
    pub least: f64,
    /// The most hops between switches of hosts.
    pub hops: usize,
}

impl Bound {
    pub fn of(fabric: &Fabric) -> Self {
        let homes = fabric.end_ports(Population::Hosts).into_iter().filter_map(|p| fabric.home(p));
        let homes: Vec<NodeId> = homes.collect();
        let farthest = |&home: &NodeId| {
            let hops = hops(fabric, home);
            homes.iter().map(|other| hops[other.ix()]).max()
        };
        let hops = homes.iter().filter_map(farthest).max().unwrap_or(0);
        Self { least: least_load(fabric), hops }
    }
}

fn least_load(fabric: &Fabric) -> f64 {
    let count = fabric.num_switches();
    let mut hosts = vec![0.0_f64; count];
    for home in fabric.end_ports(Population::Hosts).into_iter().filter_map(|p| fabric.home(p)) {
        hosts[home.ix()] += 1.0;
    }
    let hops: Vec<Vec<usize>> = (0..count).map(|home| hops(fabric, NodeId(home as u32))).collect();
    let mut weight = vec![1.0_f64; fabric.num_ports()];
    let mut best = whole_destinations(fabric, &hosts);
    for round in 0..ROUNDS {
        let mut load = vec![0.0_f64; fabric.num_ports()];
        let mut total = 0.0;
        for home in (0..count).filter(|&h| hosts[h] > 0.0) {
            total += lightest(fabric, &hops[home], &weight, &hosts, home, &mut load);
        }
        let all: f64 = links(fabric).map(|(p, _)| weight[p.ix()]).sum();
        best = best.max(total / all);
        let fullest = load.iter().fold(0.0_f64, |a, &b| a.max(b)).max(1.0);
        let step = 3.0 / (1.0 + round as f64 / 30.0);
        for (weight, load) in weight.iter_mut().zip(&load) {
            *weight *= (step * load / fullest).exp();
        }
    }
    best
}

/// A switch sends all that its hosts have for a destination one way: `h` hosts with `d` destinations
/// elsewhere, over `k` cables, put at least `h ⌈d / k⌉` on one of them.
fn whole_destinations(fabric: &Fabric, hosts: &[f64]) -> f64 {
    let all: f64 = hosts.iter().sum();
    let fullest = fabric.switches().map(|s| {
        let (own, cables) = (hosts[s.ix()], out(fabric, s).count() as f64);
        if own > 0.0 && cables > 0.0 { own * ((all - own) / cables).ceil() } else { 0.0 }
    });
    fullest.fold(0.0, f64::max)
}

/// Weight of the lightest paths of all hosts to those of a home; adds their loads.
fn lightest(
    fabric: &Fabric,
    hops: &[usize],
    weight: &[f64],
    hosts: &[f64],
    home: usize,
    load: &mut [f64],
) -> f64 {
    let mut order: Vec<usize> = (0..hops.len()).filter(|&s| hops[s] != usize::MAX).collect();
    order.sort_by_key(|&s| hops[s]);
    let mut way: Vec<(f64, Option<PortId>)> = vec![(0.0, None); hops.len()];
    let mut total = 0.0;
    for &s in &order {
        let nearer =
            out(fabric, NodeId(s as u32)).filter(|&(_, far)| hops[s] > 0 && hops[far.ix()] == hops[s] - 1);
        let weighed = nearer.map(|(p, far)| (weight[p.ix()] + way[far.ix()].0, Some(p)));
        if let Some(lightest) = weighed.min_by(|a, b| a.0.total_cmp(&b.0)) {
            way[s] = lightest;
        }
        total += hosts[s] * hosts[home] * way[s].0;
    }
    let mut passing: Vec<f64> = hosts.iter().map(|n| n * hosts[home]).collect();
    for &s in order.iter().rev() {
        if let Some(port) = way[s].1 {
            load[port.ix()] += passing[s];
            let far = fabric.node_of(fabric.peer(port).unwrap());
            passing[far.ix()] += passing[s];
        }
    }
    total
}

/// Links between switches, by their egress ports.
fn links(fabric: &Fabric) -> impl Iterator<Item = (PortId, NodeId)> {
    fabric.switches().flat_map(|s| out(fabric, s))
}

fn out(fabric: &Fabric, switch: NodeId) -> impl Iterator<Item = (PortId, NodeId)> {
    let far = fabric.ports_of(switch).filter_map(|p| Some((p, fabric.node_of(fabric.peer(p)?))));
    far.filter(|&(_, far)| fabric.is_switch(far))
}

fn hops(fabric: &Fabric, home: NodeId) -> Vec<usize> {
    let mut hops = vec![usize::MAX; fabric.num_switches()];
    hops[home.ix()] = 0;
    let mut queue = std::collections::VecDeque::from([home]);
    while let Some(s) = queue.pop_front() {
        for (_, far) in out(fabric, s) {
            if hops[far.ix()] == usize::MAX {
                hops[far.ix()] = hops[s.ix()] + 1;
                queue.push_back(far);
            }
        }
    }
    hops
}
