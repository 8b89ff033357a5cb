//! Switches that are cabled to nearly the same others.

use super::Cabling;

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

/// Disjoint sets of switches.
pub(super) struct Sets {
    parent: Vec<u32>,
}

impl Sets {
    /// Each switch by itself.
    pub fn new(count: usize) -> Self {
        Self { parent: (0..count as u32).collect() }
    }

    /// The first member of an element's set.
    pub fn first(&mut self, mut s: u32) -> u32 {
        while self.parent[s as usize] != s {
            self.parent[s as usize] = self.parent[self.parent[s as usize] as usize];
            s = self.parent[s as usize];
        }
        s
    }

    /// Makes two elements' sets one.
    pub fn join(&mut self, a: u32, b: u32) {
        let (a, b) = (self.first(a), self.first(b));
        self.parent[a.max(b) as usize] = a.min(b);
    }

    /// The sets of some elements in ascending order, in order of their first.
    pub fn members(&mut self, of: &[u32]) -> Vec<Vec<u32>> {
        let mut keyed: Vec<(u32, u32)> = of.iter().map(|&s| (self.first(s), s)).collect();
        keyed.sort_unstable();
        keyed.chunk_by(|a, b| a.0 == b.0).map(|set| set.iter().map(|&(_, s)| s).collect()).collect()
    }
}
