//! The generator of seeded choices: small, fast, the same on every machine.
//!
//! G. L. Steele, D. Lea, C. H. Flood, "Fast splittable pseudorandom number generators",
//! OOPSLA 2014 (`SplitMix64`). A bounded number is drawn without bias by rejection:
//! D. Lemire, "Fast random integer generation in an interval", ACM TOMACS 29(1), 2019.

/// A stream of 64-bit numbers from a seed.
#[derive(Clone, Debug)]
pub struct SplitMix64(u64);

impl SplitMix64 {
    /// The stream of a seed.
    pub fn new(seed: u64) -> Self {
        Self(seed)
    }

    /// The next number, every bit of it.
    pub fn draw(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let z = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// A number below `bound`, all equally likely; 0 for a bound of 0.
    pub fn below(&mut self, bound: usize) -> usize {
        if bound == 0 {
            return 0;
        }
        let bound = bound as u64;
        let rest = bound.wrapping_neg() % bound;
        loop {
            let wide = u128::from(self.draw()) * u128::from(bound);
            if (wide as u64) >= rest {
                return (wide >> 64) as usize;
            }
        }
    }

    /// Puts items in a random order (Fisher and Yates).
    pub fn shuffle<T>(&mut self, items: &mut [T]) {
        for i in (1..items.len()).rev() {
            items.swap(i, self.below(i + 1));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_stream_is_that_of_the_paper() {
        // First outputs for seed 1234567 of the reference implementation (Vigna, splitmix64.c), as
        // published with its test vectors.
        let mut rng = SplitMix64::new(1_234_567);
        assert_eq!([rng.draw(), rng.draw()], [6_457_827_717_110_365_317, 3_203_168_211_198_807_973]);
    }

    #[test]
    fn bounded_numbers_cover_their_range_evenly() {
        let mut rng = SplitMix64::new(7);
        let mut seen = [0_u32; 5];
        for _ in 0..5000 {
            seen[rng.below(5)] += 1;
        }
        // Binomial(5000, 1/5): mean 1000, standard deviation 28; six of them allowed.
        assert!(seen.iter().all(|n| n.abs_diff(1000) < 170), "{seen:?}");
        assert_eq!(rng.below(0), 0);
    }

    #[test]
    fn a_shuffle_keeps_every_item() {
        let mut items: Vec<u32> = (0..100).collect();
        SplitMix64::new(1).shuffle(&mut items);
        assert_ne!(items, (0..100).collect::<Vec<_>>());
        items.sort_unstable();
        assert_eq!(items, (0..100).collect::<Vec<_>>());
    }
}
