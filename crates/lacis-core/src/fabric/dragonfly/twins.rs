//! Switches that are cabled to nearly the same others.

use super::Cabling;
use crate::sets::Sets;

/// Sets of two or more switches, each cabled to nearly the same others as another of its set: of all that the two are cabled
/// to, they share two thirds. Each set in node order, the sets in order of their first switch.
pub(super) fn near_twins(cabling: &Cabling, plane: &[u32]) -> Vec<Vec<u32>> {
    let mut sets = Sets::new(cabling.hosts.len());
    let degree: Vec<usize> = (0..cabling.hosts.len() as u32).map(|s| cabling.degree(s)).collect();
    let mut shared = vec![0_usize; cabling.hosts.len()];
    let mut beside = Vec::new();
    for &s in plane {
        for (t, _) in cabling.next(s) {
            for (other, _) in cabling.next(t).filter(|&(other, _)| other > s) {
                if shared[other as usize] == 0 {
                    beside.push(other);
                }
                shared[other as usize] += 1;
            }
        }
        for other in beside.drain(..) {
            let both = std::mem::take(&mut shared[other as usize]);
            // Two thirds of the union, which has the two degrees less what is shared.
            if 5 * both >= 2 * (degree[s as usize] + degree[other as usize]) {
                sets.join(s, other);
            }
        }
    }
    let mut found = sets.members(plane);
    found.retain(|set| set.len() > 1);
    found
}
