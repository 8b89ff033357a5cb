//! Levels as a site declares them.

use std::collections::VecDeque;

use super::assign::{LevelGraph, NONE};
use crate::fabric::Declared;

/// The levels of a plane from its roots, by switch; none where no root of it is declared. Leaves are the
/// switches at the distance from the nearest root at which most adapters are, those farther away, and those
/// with adapters that lead no farther.
pub(super) fn from_roots(graph: &LevelGraph, plane: &[u32]) -> Option<Vec<u8>> {
    let mut distance = vec![NONE; graph.hosts.len()];
    let mut open: VecDeque<u32> =
        plane.iter().copied().filter(|&s| graph.declared[s as usize] == Some(Declared::Root)).collect();
    if open.is_empty() {
        return None;
    }
    for &root in &open {
        distance[root as usize] = 0;
    }
    while let Some(s) = open.pop_front() {
        for &(t, _) in graph.next(s) {
            if distance[t as usize] == NONE {
                distance[t as usize] = (distance[s as usize] + 1).min(NONE - 1);
                open.push_back(t);
            }
        }
    }
    let mut adapters = [0_u64; NONE as usize];
    for &s in plane {
        adapters[usize::from(distance[s as usize])] += u64::from(graph.hosts[s as usize]);
    }
    let most = adapters.iter().max().copied().unwrap_or(0);
    let bottom = adapters.iter().position(|&n| n == most).unwrap_or(0) as u8;
    let mut level = vec![NONE; graph.hosts.len()];
    for &s in plane {
        let own = distance[s as usize];
        let leads_on = graph.next(s).iter().any(|&(t, _)| distance[t as usize] > own);
        let ends = own > 0 && graph.hosts[s as usize] > 0 && !leads_on;
        level[s as usize] = if ends { 0 } else { bottom.saturating_sub(own) };
    }
    Some(level)
}

/// Moves the declared switches of a plane to the levels that they are declared to have.
pub(super) fn obey(graph: &LevelGraph, plane: &[u32], level: &mut [u8]) {
    let top = plane.iter().map(|&s| level[s as usize]).filter(|&l| l != NONE).max().unwrap_or(0);
    for &s in plane {
        let own = &mut level[s as usize];
        *own = match graph.declared[s as usize] {
            Some(Declared::Leaf) => 0,
            Some(Declared::Spine) => (*own).clamp(1, top.saturating_sub(1).max(1)),
            Some(Declared::Core | Declared::Root) => top,
            Some(Declared::Host(_)) | None => *own,
        };
    }
}
