//! The random numbers of the patterns: a stream for each pattern, the same on every machine.
//!
//! xoshiro256++ 1.0 (D. Blackman, S. Vigna, "Scrambled linear pseudorandom number generators",
//! ACM TOMS 47(4), 2021), its state filled by `SplitMix64` (Steele, Lea, Flood, OOPSLA 2014), and
//! unbiased bounded numbers by multiplication (D. Lemire, ACM TOMACS 29(1), 2019). Both generators
//! are in the public domain and never change, so a seed keeps its patterns across releases.
//!
//! Pattern `i` of seed `s` starts `SplitMix64` at `mix(mix(s) + i)`, where `mix` is `SplitMix64`'s
//! output function: patterns do not depend on one another, nor on the thread that makes them.

const GOLDEN: u64 = 0x9E37_79B9_7F4A_7C15;

/// `SplitMix64`'s output function of a state that has been advanced once.
fn mix(state: u64) -> u64 {
    let mut z = state.wrapping_add(GOLDEN);
    z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    z ^ (z >> 31)
}

/// A stream of random numbers.
#[derive(Clone, Debug)]
pub struct Rng {
    state: [u64; 4],
}

impl Rng {
    /// The stream of one pattern of a seed.
    pub fn of_pattern(seed: u64, index: u64) -> Self {
        Self::from_splitmix(mix(mix(seed).wrapping_add(index)))
    }

    fn from_splitmix(start: u64) -> Self {
        Self { state: [0, 1, 2, 3].map(|i: u64| mix(start.wrapping_add(GOLDEN.wrapping_mul(i)))) }
    }

    /// The next 64 bits.
    #[inline]
    pub fn next_u64(&mut self) -> u64 {
        let [s0, s1, s2, s3] = &mut self.state;
        let out = s0.wrapping_add(*s3).rotate_left(23).wrapping_add(*s0);
        let t = *s1 << 17;
        *s2 ^= *s0;
        *s3 ^= *s1;
        *s1 ^= *s2;
        *s0 ^= *s3;
        *s2 ^= t;
        *s3 = s3.rotate_left(45);
        out
    }

    /// A number in `0..bound`, each equally likely. `bound` is not 0.
    #[inline]
    pub fn below(&mut self, bound: u32) -> u32 {
        let n = u128::from(bound);
        let mut product = u128::from(self.next_u64()) * n;
        if (product as u64) < u64::from(bound) {
            let threshold = u64::from(bound).wrapping_neg() % u64::from(bound);
            while (product as u64) < threshold {
                product = u128::from(self.next_u64()) * n;
            }
        }
        (product >> 64) as u32
    }

    /// Fisher and Yates' shuffle: every order equally likely.
    pub fn shuffle(&mut self, items: &mut [u32]) {
        for i in (1..items.len()).rev() {
            items.swap(i, self.below(i as u32 + 1) as usize);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn splitmix_gives_the_published_numbers() {
        // The widely published first outputs of SplitMix64 for seed 1234567.
        let expected = [
            6_457_827_717_110_365_317,
            3_203_168_211_198_807_973,
            9_817_491_932_198_370_423,
            4_593_380_528_125_082_431,
        ];
        assert_eq!(Rng::from_splitmix(1_234_567).state, expected);
    }

    #[test]
    fn xoshiro_gives_the_numbers_of_the_reference_program() {
        // Blackman and Vigna's C program started at state 1, 2, 3, 4. The first by hand:
        // rotl(1 + 4, 23) + 1 = 5 * 2^23 + 1.
        let mut rng = Rng { state: [1, 2, 3, 4] };
        let expected = [41_943_041, 58_720_359, 3_588_806_011_781_223, 3_591_011_842_654_386];
        assert_eq!(expected.map(|_| rng.next_u64()), expected);
    }

    #[test]
    fn bounded_numbers_are_even() {
        // 6 * 10,000 throws of a die: each face within 5 sigma (5 * sqrt(60000 * 5/36) = 456).
        let mut rng = Rng::of_pattern(7, 0);
        let mut faces = [0_u32; 6];
        for _ in 0..60_000 {
            faces[rng.below(6) as usize] += 1;
        }
        assert!(faces.iter().all(|n| n.abs_diff(10_000) < 456), "{faces:?}");
        assert_eq!(rng.below(1), 0);
    }

    #[test]
    fn patterns_and_seeds_have_their_own_streams() {
        let first = |seed, index| Rng::of_pattern(seed, index).next_u64();
        assert_eq!(first(1, 2), first(1, 2));
        assert_ne!(first(1, 2), first(2, 1));
        assert_ne!(first(1, 2), first(1, 3));
    }
}
