//! A graph in two sides of given sizes with few bytes between them, by way of smaller graphs.

use super::coarsen::matched;
use super::refine::{Target, cut, refine, weight_of_a};
use super::side::Side;
use crate::mapping::graph::Graph;
use crate::traffic::Rng;

/// Graphs of so many vertices are divided directly.
const SMALL: usize = 80;
/// How many divisions the smallest graph gets.
const STARTS: u32 = 8;
const PASSES: usize = 6;

/// Divides a graph: side A has exactly `weight` where all vertices have weight 1, and as nearly as they allow otherwise.
pub(super) fn bisect(graph: &Graph, weight: u64, bound: &[Option<Side>], rng: &mut Rng) -> Vec<Side> {
    let target = Target { weight, bound };
    if graph.len() <= SMALL {
        return grown(graph, target, rng);
    }
    let total: u64 = graph.weight.iter().map(|&w| u64::from(w)).sum();
    let most = (total / 20).max(2) as u32;
    let (set, sets) = matched(graph, bound, most, rng);
    if sets * 20 > graph.len() * 19 {
        return grown(graph, target, rng);
    }
    let small = graph.contracted(&set, sets);
    let mut bound_sets = vec![None; sets];
    for (&s, &b) in set.iter().zip(bound) {
        bound_sets[s as usize] = b;
    }
    let of_sets = bisect(&small, weight, &bound_sets, rng);
    let mut side: Vec<Side> = set.iter().map(|&s| of_sets[s as usize]).collect();
    refine(graph, &mut side, target, PASSES);
    side
}

/// The best of several divisions, each grown from a vertex and refined.
fn grown(graph: &Graph, target: Target<'_>, rng: &mut Rng) -> Vec<Side> {
    let mut best: Option<((u64, u64), Vec<Side>)> = None;
    for _ in 0..STARTS {
        let mut side = grow(graph, target, rng);
        refine(graph, &mut side, target, PASSES);
        let off = weight_of_a(graph, &side).abs_diff(target.weight);
        let slack = u64::from(graph.weight.iter().copied().max().unwrap_or(1)).saturating_sub(1);
        let key = (off.saturating_sub(slack), cut(graph, &side));
        if best.as_ref().is_none_or(|(least, _)| key < *least) {
            best = Some((key, side));
        }
    }
    best.map(|(_, side)| side).unwrap_or_default()
}

/// Side A grown from a vertex, or from those that are bound to it, always by the vertex with which it gains most.
fn grow(graph: &Graph, target: Target<'_>, rng: &mut Rng) -> Vec<Side> {
    let n = graph.len();
    let mut side = vec![Side::B; n];
    let mut near = vec![0_i64; n];
    let mut free: Vec<bool> = target.bound.iter().map(Option::is_none).collect();
    let mut weight = 0;
    let take = |v: u32, side: &mut [Side], near: &mut [i64]| {
        side[v as usize] = Side::A;
        for &(u, bytes) in graph.neighbours(v) {
            near[u as usize] += 2 * bytes.cast_signed();
        }
        u64::from(graph.weight[v as usize])
    };
    for v in 0..n as u32 {
        let all: u64 = graph.neighbours(v).iter().map(|e| e.1).sum();
        near[v as usize] -= all.cast_signed();
    }
    for v in (0..n as u32).filter(|&v| target.bound[v as usize] == Some(Side::A)) {
        weight += take(v, &mut side, &mut near);
    }
    let mut is_first = weight == 0;
    while weight < target.weight {
        let candidates = (0..n as u32).filter(|&v| free[v as usize]);
        let next = if is_first {
            let all: Vec<u32> = candidates.collect();
            all.get(rng.below(all.len().max(1) as u32) as usize).copied()
        } else {
            candidates.max_by_key(|&v| (near[v as usize], std::cmp::Reverse(v)))
        };
        is_first = false;
        let Some(v) = next else { break };
        free[v as usize] = false;
        weight += take(v, &mut side, &mut near);
    }
    side
}
