//! Switches with hosts above the leaves: those that the cabling plan has there, and those that only hang there.
//!
//! A spine with a few storage hosts is one of the plan: the leaves below it have as many cables up as other leaves
//! have. What hangs on a single switch and joins nothing is a level below it. What hangs on a few leaves and has hosts is a leaf itself: the switches that it hangs on have its cables beside
//! what the others have. And what leads to nothing lower is one, though it hangs on cores. How many hosts they have
//! tells nothing.

use super::assign::{LevelGraph, NONE};

/// The switches with hosts above level 0 that are not of the plan.
pub(super) fn beside(graph: &LevelGraph, plane: &[u32], level: &[u8]) -> Vec<u32> {
    let is_high = |&s: &u32| graph.has_hosts(s) && !matches!(level[s as usize], 0 | NONE);
    let high: Vec<u32> = plane.iter().copied().filter(is_high).collect();
    if high.is_empty() {
        return high;
    }
    let up: Vec<u32> = (0..level.len() as u32).map(|s| cables_up(graph, level, s, |_| true)).collect();
    high.into_iter().filter(|&s| is_beside(graph, plane, level, &up, s)).collect()
}

/// The switches that hang on a single one below them, where most others of their level that are cabled to it join several,
/// with twice as many cables: these join nothing, as a management leaf that has lost its hosts. Each with the level below
/// that of the switch that it hangs on.
pub(super) fn hanging(graph: &LevelGraph, plane: &[u32], level: &[u8]) -> Vec<(u32, u8)> {
    let of_hanging = |&s: &u32| {
        let &[(below, own)] = graph.next(s) else { return None };
        let (at, under) = (level[s as usize], level[below as usize]);
        if at == NONE || under == 0 || under >= at {
            return None;
        }
        let joins = |other: u32| {
            let next = graph.next(other);
            next.len() > 1 && next.iter().map(|&(_, n)| n).sum::<u32>() >= 2 * own
        };
        let (mut joining, mut all) = (0, 0);
        for &(other, _) in graph.next(below).iter().filter(|&&(t, _)| t != s && level[t as usize] == at) {
            all += 1;
            joining += usize::from(joins(other));
        }
        (2 * joining > all).then(|| (s, under - 1))
    };
    plane.iter().filter_map(of_hanging).collect()
}

/// Hosts above level 0 on switches that no other of their level supports: one without hosts that leads to most of the
/// switches below and to at most twice as many.
pub(super) fn unsupported(graph: &LevelGraph, plane: &[u32], level: &[u8]) -> u64 {
    let below = |s: u32| {
        let next = graph.next(s).iter().map(|&(t, _)| t);
        next.filter(move |&t| level[t as usize].checked_add(1) == Some(level[s as usize]))
    };
    let mut shared = vec![0_u32; level.len()];
    let is_supported = |s: u32, shared: &mut [u32]| {
        let mut beside: Vec<u32> = Vec::new();
        for t in below(s) {
            for &(u, _) in graph.next(t) {
                if u != s && level[u as usize] == level[s as usize] && !graph.is_often_hosted(u) {
                    if shared[u as usize] == 0 {
                        beside.push(u);
                    }
                    shared[u as usize] += 1;
                }
            }
        }
        let own = below(s).count();
        let of = |&u: &u32| (std::mem::take(&mut shared[u as usize]) as usize, below(u).count());
        let all: Vec<(usize, usize)> = beside.iter().map(of).collect();
        all.into_iter().any(|(both, theirs)| 4 * both >= 3 * own && theirs <= 2 * own)
    };
    let is_high = |&s: &u32| graph.hosts[s as usize] > 0 && !matches!(level[s as usize], 0 | NONE);
    let high = plane.iter().copied().filter(is_high).filter(|&s| !is_supported(s, &mut shared));
    high.map(|s| u64::from(graph.hosts[s as usize])).sum()
}

/// The cables of a switch to the next level's switches that count.
fn cables_up(graph: &LevelGraph, level: &[u8], s: u32, counts: impl Fn(u32) -> bool) -> u32 {
    let above = level[s as usize].wrapping_add(1);
    let up = graph.next(s).iter().filter(|&&(t, _)| level[t as usize] == above && counts(t));
    up.map(|&(_, n)| n).sum()
}

/// Whether a switch leads to none below, or these have as many cables up as their like without those to it and its
/// kind, rather than with them. `up`: all cables up, by switch.
fn is_beside(graph: &LevelGraph, plane: &[u32], level: &[u8], up: &[u32], s: u32) -> bool {
    let below = level[s as usize] - 1;
    let is_like = |t: u32| graph.kinds.first(t) == graph.kinds.first(s);
    let (mut with, mut without, mut others) = (Vec::new(), Vec::new(), Vec::new());
    for &t in plane.iter().filter(|&&t| level[t as usize] == below) {
        let to_kind = cables_up(graph, level, t, is_like);
        if to_kind == 0 {
            others.push(up[t as usize]);
        } else {
            with.push(up[t as usize]);
            without.push(up[t as usize] - to_kind);
        }
    }
    // A host or two on one of many alike that lead nowhere, the free chips of a director, are no leaf's.
    if with.is_empty() {
        return graph.usual_hosts[s as usize] >= 1.0;
    }
    // What half of them lead to is a spine that some have lost their cable to.
    if others.len() <= with.len() {
        return false;
    }
    let (Some(with), Some(without), Some(others)) = (median(with), median(without), median(others)) else {
        return false;
    };
    3 * without.abs_diff(others) < with.abs_diff(others)
}

/// The middle of some numbers, the higher of two.
fn median(mut numbers: Vec<u32>) -> Option<u32> {
    numbers.sort_unstable();
    numbers.get(numbers.len() / 2).copied()
}
