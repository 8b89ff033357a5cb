//! Disjoint sets of numbers, joined pair by pair (union-find with path halving).

/// The numbers from 0 on, in sets that have no number in common.
pub(crate) struct Sets {
    parent: Vec<u32>,
}

impl Sets {
    /// Each number by itself.
    pub fn new(count: usize) -> Self {
        Self { parent: (0..count as u32).collect() }
    }

    /// The first member of a number's set.
    pub fn first(&mut self, mut of: u32) -> u32 {
        while self.parent[of as usize] != of {
            self.parent[of as usize] = self.parent[self.parent[of as usize] as usize];
            of = self.parent[of as usize];
        }
        of
    }

    /// Makes two numbers' sets one.
    pub fn join(&mut self, a: u32, b: u32) {
        let (a, b) = (self.first(a), self.first(b));
        self.parent[a.max(b) as usize] = a.min(b);
    }

    /// The sets of some numbers in ascending order, in order of their first.
    pub fn members(&mut self, of: &[u32]) -> Vec<Vec<u32>> {
        let mut keyed: Vec<(u32, u32)> = of.iter().map(|&s| (self.first(s), s)).collect();
        keyed.sort_unstable();
        keyed.chunk_by(|a, b| a.0 == b.0).map(|set| set.iter().map(|&(_, s)| s).collect()).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn joined_numbers_share_the_first_of_them() {
        let mut sets = Sets::new(6);
        sets.join(4, 2);
        sets.join(5, 4);
        sets.join(1, 1);
        assert_eq!([0, 1, 2, 3, 4, 5].map(|n| sets.first(n)), [0, 1, 2, 3, 2, 2]);
        assert_eq!(sets.members(&[0, 2, 4, 5]), [vec![0], vec![2, 4, 5]]);
    }
}
