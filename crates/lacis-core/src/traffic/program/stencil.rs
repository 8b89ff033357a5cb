//! Halo exchange on a grid of one to four dimensions.

use super::message::Message;

/// A grid of ranks, the last dimension fastest (as `MPI_Cart_create` numbers them).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Grid {
    /// Ranks along each dimension, one to four of them.
    pub sizes: Vec<u32>,
    /// Whether the first and the last along a dimension are neighbours.
    pub periodic: bool,
}

impl Grid {
    /// Ranks in all.
    pub(super) fn ranks(&self) -> u64 {
        self.sizes.iter().map(|&s| u64::from(s)).product()
    }

    /// Every rank sends `bytes` to its neighbour on either side along every dimension.
    pub(super) fn messages(&self, bytes: u64, out: &mut Vec<Message>) {
        for rank in 0..self.ranks() as u32 {
            let mut stride = 1;
            for &size in self.sizes.iter().rev() {
                let at = rank / stride % size;
                let base = rank - at * stride;
                for (beside, inside) in [(at + size - 1, at > 0), (at + 1, at + 1 < size)] {
                    if size > 1 && (inside || self.periodic) {
                        out.push(Message::new(rank, base + beside % size * stride, bytes));
                    }
                }
                stride *= size;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(sizes: &[u32], periodic: bool) -> Vec<(u32, u32)> {
        let mut out = Vec::new();
        Grid { sizes: sizes.to_vec(), periodic }.messages(8, &mut out);
        out.iter().map(|m| (m.from, m.to)).collect()
    }

    #[test]
    fn a_plane_of_2_by_3_has_seven_neighbourhoods() {
        // 0 1 2
        // 3 4 5    four across, three down, each in both directions
        let mut found = of(&[2, 3], false);
        found.sort_unstable();
        let pairs = [(0, 1), (1, 2), (3, 4), (4, 5), (0, 3), (1, 4), (2, 5)];
        let mut expected: Vec<_> = pairs.iter().flat_map(|&(a, b)| [(a, b), (b, a)]).collect();
        expected.sort_unstable();
        assert_eq!(found, expected);
    }

    #[test]
    fn a_torus_of_any_dimension_sends_two_a_dimension() {
        for sizes in [&[5][..], &[3, 4], &[3, 4, 5], &[3, 3, 4, 2]] {
            let n: u32 = sizes.iter().product();
            let found = of(sizes, true);
            assert_eq!(found.len() as u32, 2 * n * sizes.len() as u32);
            let arriving = |r| found.iter().filter(|m| m.1 == r).count();
            assert!((0..n).all(|r| arriving(r) == 2 * sizes.len()));
        }
        assert_eq!(of(&[1, 3], false), [(0, 1), (1, 0), (1, 2), (2, 1)]);
    }
}
