//! All destinations, in parallel: every ordered pair of end ports has one verdict.

use std::sync::atomic::{AtomicUsize, Ordering};

use rayon::prelude::*;

use super::counts::{Counts, Target};
use super::walk::{BLOCK, Problem, Walker};
use super::wiring::Wiring;
use super::{Verdict, tree};
use crate::fabric::{Fabric, NodeId, Population, PortId};
use crate::sm::Routes;

/// The end ports of a population, with port 0 of every switch where asked.
pub(super) fn end_ports(fabric: &Fabric, population: Population, switch_lids: bool) -> Vec<PortId> {
    let switches = fabric.switches().filter(|_| switch_lids).map(|s| fabric.port0(s));
    switches.chain(fabric.end_ports(population)).collect()
}

/// Which LIDs of a port flows go to.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum ToLids {
    /// To each, one flow.
    All,
    /// To the first.
    Base,
}

/// Counts every ordered pair of different `ports`, per destination LID.
pub(super) fn count(
    fabric: &Fabric,
    routes: &Routes,
    ports: &[PortId],
    to: ToLids,
    dependencies: bool,
) -> Counts {
    let wiring = Wiring::of(fabric);
    let mut weight = vec![0; fabric.num_switches()];
    for edge_switch in ports.iter().filter_map(|&p| fabric.edge_switch(p)) {
        weight[edge_switch.ix()] += 1;
    }
    let mut counts = Counts::new(&wiring, dependencies);
    let targets = targets(fabric, routes, ports, to, &mut counts);
    count_cabled_to_end_nodes(fabric, routes, ports, &targets, &mut counts);

    let blocks: Vec<&[Target]> = targets.chunk_by(|a, b| block_of(a) == block_of(b)).collect();
    let mut at_switch = vec![0; weight.len()];
    for edge_switch in targets.iter().filter_map(|target| target.edge_switch) {
        at_switch[edge_switch as usize] += 1;
    }
    let trees = tree::slots(&at_switch);
    let problem = Problem { fabric, wiring, weight, trees };
    let (table, stride) = (routes.lft.as_slice(), routes.lft.stride());
    // Each thread has a walker and a set of counts, and takes blocks as it becomes free: the sums do not depend on which
    // thread counts what.
    let next_block = AtomicUsize::new(0);
    let threads = rayon::current_num_threads().min(blocks.len());
    let work = |_| {
        let mut walker = Walker::new(&problem);
        let mut counts = Counts::new(&problem.wiring, dependencies);
        while let Some(block) = blocks.get(next_block.fetch_add(1, Ordering::Relaxed)) {
            walker.load_block(table, stride, block_of(&block[0]) * BLOCK);
            for &target in *block {
                walker.count(target, &mut counts);
            }
        }
        counts
    };
    let mut counts =
        (0..threads).into_par_iter().map(work).collect::<Vec<_>>().into_iter().fold(counts, Counts::merge);
    counts.failed.sort_unstable_by_key(|(target, _)| (target.lid, target.port));
    counts
}

fn block_of(target: &Target) -> usize {
    target.lid as usize / BLOCK
}

/// The destination LIDs, ascending. Ports without a LID are counted as such.
fn targets(
    fabric: &Fabric,
    routes: &Routes,
    ports: &[PortId],
    to: ToLids,
    counts: &mut Counts,
) -> Vec<Target> {
    let mut targets = Vec::with_capacity(ports.len());
    for &port in ports {
        let base = routes.lids.base(port);
        let lids = if to == ToLids::All { 1 << routes.lids.lmc(port) } else { 1 };
        let edge_switch = fabric.edge_switch(port).map(|n| n.0);
        let target = |lid| Target { lid, port, edge_switch, own: 1 };
        if base == 0 {
            let sources = ports.len() as u64 - 1;
            counts.verdicts.add(Verdict::UnknownLid, sources);
            counts.failed.extend((sources > 0).then_some((target(0), sources)));
        } else {
            targets.extend((base..base + lids).map(target));
        }
    }
    targets.sort_by_key(|target| target.lid);
    targets
}

/// Sources that are cabled to an end node, with no switch between: what they send arrives there.
fn count_cabled_to_end_nodes(
    fabric: &Fabric,
    routes: &Routes,
    ports: &[PortId],
    targets: &[Target],
    counts: &mut Counts,
) {
    let sources: Vec<PortId> = ports.iter().copied().filter(|&p| fabric.edge_switch(p).is_none()).collect();
    if sources.is_empty() {
        return;
    }
    let mut is_target = vec![false; fabric.num_ports()];
    for target in targets {
        is_target[target.port.ix()] = true;
    }
    let mut reach = vec![0_u64; fabric.num_ports()];
    let lids_of = |port: PortId| if is_target[port.ix()] { 1_u64 << routes.lids.lmc(port) } else { 0 };
    for &source in &sources {
        let near = fabric.peer(source);
        let good = near.map_or(0, lids_of);
        let others = targets.len() as u64 - lids_of(source);
        counts.verdicts.add(Verdict::Delivered, good);
        counts.verdicts.add(Verdict::WrongPort, others - good);
        counts.add_hops(0, good);
        if let Some(near) = near {
            reach[near.ix()] += 1;
        }
    }
    let all = sources.len() as u64;
    for &target in targets {
        let itself = u64::from(target.edge_switch.is_none());
        let failed = all - itself - reach[target.port.ix()];
        if failed > 0 {
            counts.failed.push((target, failed));
        }
    }
}

/// The first source at a switch that is not the destination: makes a pair of a first failure.
pub(super) fn source_at(fabric: &Fabric, ports: &[PortId], switch: u32, target: PortId) -> Option<PortId> {
    ports.iter().copied().find(|&p| fabric.edge_switch(p) == Some(NodeId(switch)) && p != target)
}
