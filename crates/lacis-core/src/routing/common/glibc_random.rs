//! The random numbers of glibc's `random()`, which are also those of its `rand()`: OpenSM draws
//! from them for `scatter_ports` and where `lash` balances its lanes.
//!
//! An additive feedback generator with 31 words of state, x³¹ + x³ + 1, filled by the minimal
//! standard generator of S. K. Park and K. W. Miller, "Random number generators: good ones are
//! hard to find", Communications of the ACM 31(10), 1988. The constants are those of the
//! generator's default size in the GNU C Library's manual and behaviour.

/// Words of state.
const DEGREE: usize = 31;
/// Distance between the words that are added.
const SEPARATION: usize = 3;

/// `random()` after `srandom(seed)`.
#[derive(Clone, Debug)]
pub(in crate::routing) struct GlibcRandom {
    state: [u32; DEGREE],
    /// The word that the next number is added to.
    next: usize,
}

impl GlibcRandom {
    /// The generator after `srandom(seed)`; seed 0 counts as 1, and an unseeded program has seed 1.
    pub fn new(seed: u32) -> Self {
        let mut state = [0; DEGREE];
        let mut word = i64::from(seed.max(1).cast_signed());
        for slot in &mut state {
            *slot = word as u32;
            word = 16_807 * word % 2_147_483_647;
            if word < 0 {
                word += 2_147_483_647;
            }
        }
        let mut random = Self { state, next: SEPARATION };
        for _ in 0..10 * DEGREE {
            random.draw();
        }
        random
    }

    /// The next number, from 0 to 2³¹ − 1.
    pub fn draw(&mut self) -> u32 {
        let before = (self.next + DEGREE - SEPARATION) % DEGREE;
        self.state[self.next] = self.state[self.next].wrapping_add(self.state[before]);
        let drawn = self.state[self.next] >> 1;
        self.next = (self.next + 1) % DEGREE;
        drawn
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_numbers_are_glibcs() {
        // Printed by a C program that calls srandom(seed) and random() with glibc 2.36: the first
        // five numbers and the 1,006th.
        let printed: [(u32, [u32; 6]); 5] = [
            (1, [1_804_289_383, 846_930_886, 1_681_692_777, 1_714_636_915, 1_957_747_793, 12_548_159]),
            (0, [1_804_289_383, 846_930_886, 1_681_692_777, 1_714_636_915, 1_957_747_793, 12_548_159]),
            (42, [71_876_166, 708_592_740, 1_483_128_881, 907_283_241, 442_951_012, 1_754_128_423]),
            (u32::MAX, [254_925_627, 1_205_188_300, 366_127_624, 1_401_405_153, 76_053_476, 2_127_303_124]),
            (1 << 31, [1_336_741_213, 1_210_407_648, 1_447_044_896, 337_392_383, 82_502_902, 1_777_072_881]),
        ];
        for (seed, expected) in printed {
            let mut random = GlibcRandom::new(seed);
            let drawn: Vec<u32> = (0..1006).map(|_| random.draw()).collect();
            assert_eq!(drawn[..5], expected[..5], "seed {seed}");
            assert_eq!(drawn[1005], expected[5], "seed {seed}");
        }
    }
}
