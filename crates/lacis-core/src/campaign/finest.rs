//! The columns of the flows of all pairs, which show what any rounds could distinguish.
//!
//! Flows from the ports of one switch to one port take the same links after the first. So a flow's random number is a product
//! of one of its sender and one of its receiver, and the numbers of all senders at a switch are summed before their path is
//! walked: receivers × switches paths instead of all pairs.
//!
//! | here    | meaning                                                                         |
//! |---------|---------------------------------------------------------------------------------|
//! | `a`, `b` | random numbers of 128 bits, of each port as a sender and as a receiver             |
//! | group   | ports at one switch, or one without a switch                                        |
//!
//! Two different columns agree where a sum of products a · b, each taken once with a sign, is 0 modulo 2¹²⁸: by chance with
//! a probability below 2⁻¹²⁰.

use rayon::prelude::*;
use rustc_hash::FxHashMap;

use super::columns::{LinkColumns, number};
use crate::fabric::NodeId;
use crate::model::load::{Paths, Steps};
use crate::ranks::Flow;

/// The columns of one thread.
struct PairColumns {
    columns: LinkColumns,
    /// By group: the sum of `b` of the receivers that it reaches, and how many there are.
    reached: Vec<(u128, u32)>,
    unrouted: u64,
    /// Receivers that the others at their switch do reach.
    near: Vec<u32>,
    steps: Steps,
    flows: Vec<Flow>,
}

/// The columns of every ordered pair of the ports, and how many pairs have no route.
pub fn of_all_pairs(paths: &Paths<'_>) -> (LinkColumns, u64) {
    let ports = paths.ports().len() as u32;
    let a: Vec<u128> = (0..ports).map(|port| number(Flow { from: port, to: u32::MAX })).collect();
    let b: Vec<u128> = (0..ports).map(|port| number(Flow { from: u32::MAX, to: port })).collect();
    let (groups, group_of) = groups(paths);
    let sums: Vec<u128> = groups
        .iter()
        .map(|group| group.iter().fold(0, |sum: u128, &port| sum.wrapping_add(a[port as usize])))
        .collect();
    let start = || PairColumns {
        columns: LinkColumns::new(paths.links().len()),
        reached: vec![(0, 0); groups.len()],
        unrouted: 0,
        near: Vec::new(),
        steps: Steps::default(),
        flows: Vec::new(),
    };
    let receiver = |mut now: PairColumns, to: u32| {
        now.flows.clear();
        // One port stands for its group: not the receiver itself, where there is another.
        now.flows.extend(
            groups
                .iter()
                .map(|group| Flow { from: group[usize::from(group[0] == to && group.len() > 1)], to }),
        );
        paths.steps(&now.flows, &mut now.steps);
        let has_route: Vec<bool> = (0..groups.len()).map(|g| now.steps.of_flow(g).next().is_some()).collect();
        for (g, &there) in has_route.iter().enumerate() {
            let is_own = group_of[to as usize] == g;
            let senders = groups[g].len() as u32 - u32::from(is_own);
            if senders == 0 {
                continue;
            }
            if !there {
                now.unrouted += u64::from(senders);
                continue;
            }
            let own = if is_own { a[to as usize] } else { 0 };
            let print = sums[g].wrapping_sub(own).wrapping_mul(b[to as usize]);
            // The first is the representative's own link: those of all follow from `reached`.
            for step in now.steps.each().skip(1) {
                now.columns.cross(step[g], print, senders);
            }
            now.reached[g].0 = now.reached[g].0.wrapping_add(b[to as usize]);
            now.reached[g].1 += 1;
            if is_own {
                now.near.push(to);
            }
        }
        now
    };
    let merge = |mut one: PairColumns, other: PairColumns| {
        one.columns.merge(&other.columns);
        for (own, added) in one.reached.iter_mut().zip(&other.reached) {
            *own = (own.0.wrapping_add(added.0), own.1 + added.1);
        }
        one.unrouted += other.unrouted;
        one.near.extend(other.near);
        one
    };
    let mut all = (0..ports).into_par_iter().with_min_len(64).fold(start, receiver).reduce(start, merge);
    let mut is_near = vec![false; ports as usize];
    for &port in &all.near {
        is_near[port as usize] = true;
    }
    for from in 0..ports as usize {
        let (mut sum, mut receivers) = all.reached[group_of[from]];
        if is_near[from] {
            (sum, receivers) = (sum.wrapping_sub(b[from]), receivers - 1);
        }
        let up = paths.links().leaving(paths.ports()[from]);
        all.columns.cross(up, sum.wrapping_mul(a[from]), receivers);
    }
    (all.columns, all.unrouted)
}

/// Ports at one switch together, in the order of their first ports; and the group of each port.
fn groups(paths: &Paths<'_>) -> (Vec<Vec<u32>>, Vec<usize>) {
    let mut groups: Vec<Vec<u32>> = Vec::new();
    let mut of_switch: FxHashMap<NodeId, usize> = FxHashMap::default();
    let mut group_of = Vec::with_capacity(paths.ports().len());
    for (port, &id) in (0..).zip(paths.ports()) {
        let new = groups.len();
        let group = match paths.fabric().edge_switch(id) {
            Some(switch) => *of_switch.entry(switch).or_insert(new),
            None => new,
        };
        if group == new {
            groups.push(Vec::new());
        }
        groups[group].push(port);
        group_of.push(group);
    }
    (groups, group_of)
}
