//! The groups of a plane as one node each.

/// The cables between each two groups.
pub(super) struct Quotient {
    groups: usize,
    cables: Vec<u32>,
}

impl Quotient {
    /// Of so many groups, without cables.
    pub fn new(groups: usize) -> Self {
        Self { groups, cables: vec![0; groups * groups] }
    }

    /// Adds cables between two groups.
    pub fn add(&mut self, a: u32, b: u32, cables: u32) {
        for (a, b) in [(a, b), (b, a)] {
            self.cables[a as usize * self.groups + b as usize] += cables;
        }
    }

    /// Whether nearly each two groups are joined, by more than a slip of a cable would.
    pub fn is_nearly_complete(&self) -> bool {
        let pairs = || (0..self.groups).flat_map(|a| (0..a).map(move |b| (a, b)));
        let mut joined: Vec<u32> =
            pairs().map(|(a, b)| self.cables[a * self.groups + b]).filter(|&n| n > 0).collect();
        joined.sort_unstable();
        let Some(&median) = joined.get(joined.len() / 2) else { return false };
        let is_joined = |a: usize, b: usize| 3 * self.cables[a * self.groups + b] >= median;
        let count = pairs().filter(|&(a, b)| is_joined(a, b)).count();
        3 * count >= 2 * pairs().count() && (self.groups < 3 || self.has_odd_ring(is_joined))
    }

    /// Whether some ring of groups has an odd number of them. In a tree none has: each cable leads a level up or down.
    fn has_odd_ring(&self, is_joined: impl Fn(usize, usize) -> bool) -> bool {
        let mut side = vec![None; self.groups];
        let mut open = Vec::new();
        for start in 0..self.groups {
            if side[start].is_none() {
                side[start] = Some(false);
                open.push(start);
            }
            while let Some(a) = open.pop() {
                for b in (0..self.groups).filter(|&b| b != a && is_joined(a, b)) {
                    if side[b].is_none() {
                        side[b] = side[a].map(|side| !side);
                        open.push(b);
                    } else if side[b] == side[a] {
                        return true;
                    }
                }
            }
        }
        false
    }
}
