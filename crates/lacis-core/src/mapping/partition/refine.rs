//! Fiduccia and Mattheyses' refinement of two sides with given sizes.
//!
//! A pass moves vertices one by one, the one that gains most first and none twice, also where that loses; then it goes back to the
//! best division that was passed. Sides may be off their size by no more than the heaviest vertex; where all have weight 1 what is
//! kept is exact.
//!
//! C. M. Fiduccia, R. M. Mattheyses, "A linear-time heuristic for improving network partitions", DAC 1982. Here gains are kept in
//! heaps with entries that have expired, because bytes are too many for buckets.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use super::side::Side;
use crate::mapping::graph::Graph;

/// How many moves in a row may lose before a pass ends, beside a share of the vertices.
const PATIENCE: usize = 50;

/// What two sides have to be.
#[derive(Clone, Copy, Debug)]
pub(super) struct Target<'a> {
    /// The weight of [`Side::A`].
    pub weight: u64,
    /// By vertex, the side that it is bound to.
    pub bound: &'a [Option<Side>],
}

/// Bytes that a move of each vertex saves.
fn gains(graph: &Graph, side: &[Side]) -> Vec<i64> {
    let gain = |v: u32| {
        let of = |&(u, bytes): &(u32, u64)| {
            if side[u as usize] == side[v as usize] { -bytes.cast_signed() } else { bytes.cast_signed() }
        };
        graph.neighbours(v).iter().map(of).sum()
    };
    (0..graph.len() as u32).map(gain).collect()
}

/// Bytes between the sides.
pub(super) fn cut(graph: &Graph, side: &[Side]) -> u64 {
    graph.edges().filter(|&(a, b, _)| side[a as usize] != side[b as usize]).map(|e| e.2).sum()
}

/// The weight of side A.
pub(super) fn weight_of_a(graph: &Graph, side: &[Side]) -> u64 {
    side.iter().zip(&graph.weight).filter(|(s, _)| **s == Side::A).map(|(_, &w)| u64::from(w)).sum()
}

/// Passes until one finds nothing, at most `passes`. Returns whether the sides have their sizes as nearly as weights allow.
pub(super) fn refine(graph: &Graph, side: &mut [Side], target: Target<'_>, passes: usize) -> bool {
    let heaviest = graph.weight.iter().copied().max().unwrap_or(1);
    let slack = if heaviest <= 1 { 0 } else { u64::from(heaviest) };
    for _ in 0..passes {
        if !pass(graph, side, target, slack) {
            break;
        }
    }
    weight_of_a(graph, side).abs_diff(target.weight) <= slack
}

/// One entry of a heap: the gain, a tie-break by number, the vertex.
type Entry = (i64, Reverse<u32>);

/// One pass; whether it found something better.
fn pass(graph: &Graph, side: &mut [Side], target: Target<'_>, slack: u64) -> bool {
    let mut gain = gains(graph, side);
    let mut heaps: [BinaryHeap<Entry>; 2] = [BinaryHeap::new(), BinaryHeap::new()];
    let mut locked: Vec<bool> = target.bound.iter().map(Option::is_some).collect();
    let entries = |heaps: &mut [BinaryHeap<Entry>; 2]| {
        let mut of_side = [Vec::new(), Vec::new()];
        for v in (0..graph.len() as u32).filter(|&v| !locked[v as usize]) {
            of_side[side[v as usize] as usize].push((gain[v as usize], Reverse(v)));
        }
        let [a, b] = of_side;
        *heaps = [a.into(), b.into()];
    };
    entries(&mut heaps);
    let mut weight = weight_of_a(graph, side);
    let off = |weight: u64| weight.abs_diff(target.weight).saturating_sub(slack);
    // Least is best: first how far sizes are off, then the bytes saved.
    let mut best = (off(weight), 0_i64);
    let (start, mut saved) = (best, 0_i64);
    let (mut moved, mut kept) = (Vec::new(), 0);
    let patience = PATIENCE + graph.len() / 20;
    loop {
        let from = choose(&mut heaps, &gain, side, &locked, weight, target.weight, slack);
        let Some((from, v)) = from else { break };
        heaps[from as usize].pop();
        locked[v as usize] = true;
        saved += gain[v as usize];
        side[v as usize] = from.other();
        let own = u64::from(graph.weight[v as usize]);
        weight = if from == Side::A { weight - own } else { weight + own };
        moved.push(v);
        for &(u, bytes) in graph.neighbours(v) {
            let it = &mut gain[u as usize];
            *it += if side[u as usize] == from { 2 * bytes.cast_signed() } else { -2 * bytes.cast_signed() };
            if !locked[u as usize] {
                heaps[side[u as usize] as usize].push((*it, Reverse(u)));
            }
        }
        let now = (off(weight), -saved);
        if now < best {
            best = now;
            kept = moved.len();
        } else if moved.len() - kept > patience && off(weight) == 0 {
            break;
        }
    }
    for &v in &moved[kept..] {
        side[v as usize] = side[v as usize].other();
    }
    best < start
}

/// The side that gives a vertex away, and the vertex: the side that has too much; else the better of both.
fn choose(
    heaps: &mut [BinaryHeap<Entry>; 2],
    gain: &[i64],
    side: &[Side],
    locked: &[bool],
    weight: u64,
    wanted: u64,
    slack: u64,
) -> Option<(Side, u32)> {
    let mut top = |from: Side| {
        let heap = &mut heaps[from as usize];
        while let Some(&(of, Reverse(v))) = heap.peek() {
            if locked[v as usize] || side[v as usize] != from || gain[v as usize] != of {
                heap.pop();
            } else {
                return Some((of, v));
            }
        }
        None
    };
    // With a weight of 1 each, sides are one off after every second move.
    if weight > wanted + slack || (weight > wanted && slack == 0) {
        return top(Side::A).map(|(_, v)| (Side::A, v));
    }
    if weight + slack < wanted || (weight < wanted && slack == 0) {
        return top(Side::B).map(|(_, v)| (Side::B, v));
    }
    match (top(Side::A), top(Side::B)) {
        (Some(a), Some(b)) if (b.0, Reverse(b.1)) > (a.0, Reverse(a.1)) => Some((Side::B, b.1)),
        (Some(a), _) => Some((Side::A, a.1)),
        (None, b) => b.map(|(_, v)| (Side::B, v)),
    }
}
