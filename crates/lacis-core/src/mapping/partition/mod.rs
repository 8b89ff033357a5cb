//! A graph in parts of exactly given sizes, with few bytes between them.
//!
//! Recursive bisection, each by way of smaller graphs, then Fiduccia and Mattheyses' refinement of two parts at a time, those that
//! exchange most first.

mod bisect;
mod coarsen;
mod refine;
mod side;

use bisect::bisect;
use refine::{Target, refine};
use side::Side;

use super::graph::Graph;
use crate::traffic::Rng;

/// A vertex that is bound to no part.
pub(super) const ANY: u32 = u32::MAX;

/// The parts to make.
#[derive(Clone, Copy, Debug)]
pub(super) struct Parts<'a> {
    /// The weight of each, in all that of the vertices.
    pub sizes: &'a [u64],
    /// By vertex, the part that it is bound to, or [`ANY`]. No part has more bound to it than its size.
    pub bound: &'a [u32],
}

/// Divides vertices of weight 1, or of one weight that divides every size; the part of each vertex.
pub(super) fn partition(graph: &Graph, parts: Parts<'_>, seed: u64) -> Vec<u32> {
    let mut part = vec![0; graph.len()];
    let all: Vec<u32> = (0..graph.len() as u32).collect();
    let mut number = vec![0; graph.len()];
    let mut rng = Rng::of_pattern(seed, 0);
    divide(graph, parts, (0, parts.sizes.len()), &all, &mut part, &mut number, &mut rng);
    improve(graph, parts, &mut part);
    part
}

/// Divides some vertices among the parts from `range.0` to before `range.1`.
fn divide(
    graph: &Graph,
    parts: Parts<'_>,
    range: (usize, usize),
    vertices: &[u32],
    part: &mut [u32],
    number: &mut [u32],
    rng: &mut Rng,
) {
    let (first, last) = range;
    if last - first <= 1 {
        for &v in vertices {
            part[v as usize] = first as u32;
        }
        return;
    }
    let total: u64 = parts.sizes[first..last].iter().sum();
    let mut middle = first + 1;
    let mut weight = parts.sizes[first];
    while middle + 1 < last && (weight + parts.sizes[middle]) * 2 <= total + parts.sizes[middle] {
        weight += parts.sizes[middle];
        middle += 1;
    }
    let side_of = |v: &u32| match parts.bound[*v as usize] {
        ANY => None,
        p if (p as usize) < middle => Some(Side::A),
        _ => Some(Side::B),
    };
    let bound: Vec<Option<Side>> = vertices.iter().map(side_of).collect();
    let own = graph.induced(vertices, number);
    let side = bisect(&own, weight, &bound, rng);
    let of = |wanted: Side| {
        let chosen = vertices.iter().zip(&side).filter(move |(_, s)| **s == wanted);
        chosen.map(|(&v, _)| v).collect::<Vec<u32>>()
    };
    divide(graph, parts, (first, middle), &of(Side::A), part, number, rng);
    divide(graph, parts, (middle, last), &of(Side::B), part, number, rng);
}

/// Rounds over all pairs of parts.
const ROUNDS: usize = 3;
/// Passes over a pair.
const PASSES: usize = 4;

/// Refines two parts at a time, those that exchange most first, until a round saves less than a thousandth.
fn improve(graph: &Graph, parts: Parts<'_>, part: &mut [u32]) {
    let count = parts.sizes.len();
    if count < 3 {
        return;
    }
    let mut number = vec![0; graph.len()];
    for _ in 0..ROUNDS {
        let before = graph.cut(part);
        let between = graph.contracted(part, count);
        let mut pairs: Vec<(u32, u32, u64)> = between.edges().collect();
        pairs.sort_by_key(|&(a, b, bytes)| (std::cmp::Reverse(bytes), a, b));
        let mut members: Vec<Vec<u32>> = vec![Vec::new(); count];
        for (v, &p) in (0..).zip(part.iter()) {
            members[p as usize].push(v);
        }
        for (a, b, _) in pairs {
            let both = [members[a as usize].as_slice(), &members[b as usize]].concat();
            let own = graph.induced(&both, &mut number);
            let mut side = vec![Side::A; members[a as usize].len()];
            side.resize(both.len(), Side::B);
            let bound: Vec<Option<Side>> = both
                .iter()
                .map(|&v| match parts.bound[v as usize] {
                    ANY => None,
                    p => Some(if p == a { Side::A } else { Side::B }),
                })
                .collect();
            // Sizes are exact already: the sides have them.
            let weight = refine::weight_of_a(&own, &side);
            let kept = side.clone();
            if !refine(&own, &mut side, Target { weight, bound: &bound }, PASSES)
                || refine::weight_of_a(&own, &side) != weight
            {
                side = kept;
            }
            members[a as usize].clear();
            members[b as usize].clear();
            for (&v, &s) in both.iter().zip(&side) {
                let p = if s == Side::A { a } else { b };
                part[v as usize] = p;
                members[p as usize].push(v);
            }
        }
        let after = graph.cut(part);
        if (before - after) * 1000 <= before {
            break;
        }
    }
}

#[cfg(test)]
mod tests;
