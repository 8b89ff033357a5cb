//! Counts of a switch's links, kept so that the least of any set is found without looking at each.

use super::mask::{Bits, is_empty, without};

/// A count for each of up to `64 * W` links, written across: plane `i` has bit `i` of every count.
#[derive(Default)]
pub(super) struct Tally<const W: usize> {
    planes: Vec<Bits<W>>,
    /// The counts themselves.
    counts: Vec<u32>,
}

impl<const W: usize> Tally<W> {
    /// Sets all counts, one a link.
    pub fn reset(&mut self, counts: impl Iterator<Item = u32>) {
        self.planes.clear();
        self.counts.clear();
        self.counts.extend(counts);
        for (link, &count) in self.counts.iter().enumerate() {
            let bits = (u32::BITS - count.leading_zeros()) as usize;
            self.planes.resize(self.planes.len().max(bits), [0; W]);
            for (i, plane) in self.planes.iter_mut().enumerate() {
                plane[link / 64] |= u64::from(count >> i & 1) << (link % 64);
            }
        }
    }

    /// Counts a link once more.
    pub fn add(&mut self, link: usize) {
        self.counts[link] += 1;
        let (word, bit) = (link / 64, 1 << (link % 64));
        for plane in &mut self.planes {
            plane[word] ^= bit;
            if plane[word] & bit != 0 {
                return;
            }
        }
        let mut plane = [0; W];
        plane[word] = bit;
        self.planes.push(plane);
    }

    /// The links of a set that have the smallest count in it.
    pub fn least(&self, set: &Bits<W>) -> Bits<W> {
        self.planes.iter().rev().fold(*set, |left, plane| {
            let zeros = without(&left, plane);
            if is_empty(&zeros) { left } else { zeros }
        })
    }

    /// A link's count.
    pub fn count(&self, link: usize) -> u32 {
        self.counts[link]
    }

    /// The sum of the counts of a set.
    pub fn sum(&self, set: &Bits<W>) -> u64 {
        let ones = |plane: &Bits<W>| -> u64 {
            plane.iter().zip(set).map(|(a, b)| u64::from((a & b).count_ones())).sum()
        };
        self.planes.iter().rev().fold(0, |sum, plane| (sum << 1) + ones(plane))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn least_and_sum_are_those_of_counts_kept_one_by_one() {
        // A walk over 70 links, each step counting one; after every step all is compared.
        let mut counts: Vec<u32> = (0..70).map(|link| link * 7 % 5).collect();
        let mut tally = Tally::<2>::default();
        tally.reset(counts.iter().copied());
        let mut state = 1_u64;
        for _ in 0..2000 {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            let link = (state >> 40) as usize % 70;
            counts[link] += 1;
            tally.add(link);
            let set = [state ^ state >> 20, (state >> 30) & 63];
            let members: Vec<usize> = (0..70).filter(|&l| set[l / 64] >> (l % 64) & 1 == 1).collect();
            let least = members.iter().map(|&l| counts[l]).min();
            let expected = members.iter().filter(|&&l| Some(counts[l]) == least);
            let expected = expected.fold([0_u64; 2], |mut s, &l| {
                s[l / 64] |= 1 << (l % 64);
                s
            });
            assert_eq!(tally.least(&set), expected);
            assert_eq!(tally.sum(&set), members.iter().map(|&l| u64::from(counts[l])).sum::<u64>());
            assert_eq!(tally.count(link), counts[link]);
        }
    }
}
