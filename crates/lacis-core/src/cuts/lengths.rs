//! How many links all flows use together at least: the sum of the lengths of shortest paths.

use rayon::prelude::*;

use super::CutGraph;
use crate::fabric::{Fabric, PortId};

/// Flows on the mean link between switches when all given end ports send to each other over shortest paths.
pub fn mean_hops(fabric: &Fabric, ports: &[PortId]) -> f64 {
    let net = CutGraph::of(fabric, ports, |_| 1);
    let hops: u64 = sums(&net).iter().map(|&(_, sum)| sum).sum();
    let links: u64 = net.degree.iter().sum();
    if links == 0 { 0.0 } else { hops as f64 / links as f64 }
}

/// The component whose mean link carries most: the flows on that, rounded up, which its fullest link carries at least; the
/// links that all its flows use together at least, each counted with its flows; and the links that it has.
pub(super) fn longest(net: &CutGraph) -> Option<(u64, u64, u64)> {
    let components = net.whole.len();
    let (mut hops, mut links) = (vec![0_u64; components], vec![0_u64; components]);
    for (component, sum) in sums(net) {
        hops[component] += sum;
    }
    for s in 0..net.num_switches() {
        links[net.component[s] as usize] += net.degree[s];
    }
    let found = hops.into_iter().zip(links).filter(|&(_, links)| links > 0);
    found.map(|(hops, links)| (hops.div_ceil(links), hops, links)).max()
}

/// For each switch that sends, its component, and how many links its flows use together at least.
fn sums(net: &CutGraph) -> Vec<(usize, u64)> {
    let by_twins = net.twins().par_iter().map(|twins| of_twins(net, twins)).collect::<Vec<_>>();
    by_twins.into_iter().flatten().collect()
}

/// For each twin that sends, its component, and how many links its flows use together at least. Twins are equally far
/// from every other switch, and two hops from each other.
fn of_twins(net: &CutGraph, twins: &[u32]) -> Vec<(usize, u64)> {
    let cabled = |&s: &u32| net.ends(s).senders > 0 && net.degree[s as usize] > 0;
    let sending = || twins.iter().copied().filter(cabled);
    let Some(first) = sending().next() else { return Vec::new() };
    let mut sum = 0;
    walk(net, first, |s, hops| sum += hops * net.ends(s).receivers);
    let cost = |s: u32| {
        let (own, of_first) = (net.ends(s).receivers, net.ends(first).receivers);
        let sum = if s == first { sum } else { sum + 2 * of_first - 2 * own };
        (net.component[s as usize] as usize, sum * net.ends(s).senders)
    };
    sending().map(cost).collect()
}

/// Visits every switch of a component with its distance from one of them.
fn walk(net: &CutGraph, from: u32, mut visit: impl FnMut(u32, u64)) {
    let mut hops = vec![u32::MAX; net.num_switches()];
    hops[from as usize] = 0;
    let mut queue = vec![from];
    let mut next = 0;
    while let Some(&s) = queue.get(next) {
        next += 1;
        visit(s, u64::from(hops[s as usize]));
        for (far, _) in net.bundles(s) {
            if hops[far as usize] == u32::MAX {
                hops[far as usize] = hops[s as usize] + 1;
                queue.push(far);
            }
        }
    }
}
