//! How communication libraries spread messages over the rails that two hosts have in common.
//!
//! * **PSM2**: up to 64,000 bytes a message travels whole, and successive messages to a peer take the rails by turns.
//!   Above, the receiver grants windows of its share, rounded up to whole pages and of 128 KiB at the most, by turns on
//!   the rails (`opa-psm2`: `PSM2_MQ_RNDV_HFI_THRESH`, `PSM2_MQ_RNDV_HFI_WINDOW`).
//! * **UCX**: below the threshold of rendezvous a message travels whole on the first rail (`UCX_MAX_EAGER_RAILS=1`);
//!   from there on it is split evenly over two (`UCX_MAX_RNDV_RAILS=2`). UCX computes the threshold itself; 16 KiB is
//!   assumed.

use std::str::FromStr;

/// How messages are spread.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Striping {
    /// Largest message that travels whole `[bytes]`.
    pub whole: u64,
    /// Whether such messages take the rails by turns; otherwise all are on the first.
    pub by_turns: bool,
    /// Rails that a larger message uses at the most.
    pub most_rails: u32,
    /// Largest window of a larger message `[bytes]`; none: one stripe per rail.
    pub window: Option<u64>,
}

/// A window is a whole number of these `[bytes]`.
const PAGE: u64 = 4096;

impl Striping {
    /// As PSM2 does it.
    pub const PSM2: Self = Self { whole: 64_000, by_turns: true, most_rails: 4, window: Some(128 << 10) };
    /// As UCX does it.
    pub const UCX: Self = Self { whole: (16 << 10) - 1, by_turns: false, most_rails: 2, window: None };

    /// Spreads `count` messages of `bytes` each over `rails` rails, and visits each rail with the bytes of a message on
    /// it and how many messages. The first is message number `turn` to its peer.
    pub fn spread(self, bytes: u64, count: u32, rails: u32, turn: u64, mut visit: impl FnMut(u32, u64, u32)) {
        if rails == 0 || count == 0 {
            return;
        }
        if bytes <= self.whole || rails == 1 {
            if !self.by_turns {
                return visit(0, bytes, count);
            }
            let first = (turn % u64::from(rails)) as u32;
            for rail in 0..rails {
                let before = (rail + rails - first) % rails; // messages before this rail's first
                if before < count {
                    visit(rail, bytes, (count - before).div_ceil(rails));
                }
            }
            return;
        }
        let rails = u64::from(rails.min(self.most_rails));
        let share = bytes.div_ceil(rails);
        let window = match self.window {
            None => share,
            Some(most) => share.div_ceil(PAGE).saturating_mul(PAGE).min(most),
        };
        let (windows, last) = ((bytes - 1) / window, (bytes - 1) % window + 1); // whole ones, and the rest
        for rail in 0..rails {
            let mine = windows / rails + u64::from(rail < windows % rails);
            let stripe = mine * window + if windows % rails == rail { last } else { 0 };
            if stripe > 0 {
                visit(rail as u32, stripe, count);
            }
        }
    }
}

impl FromStr for Striping {
    type Err = ();

    fn from_str(text: &str) -> Result<Self, ()> {
        match text {
            "psm2" => Ok(Self::PSM2),
            "ucx" => Ok(Self::UCX),
            _ => Err(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn spread(how: Striping, bytes: u64, count: u32, rails: u32, turn: u64) -> Vec<(u32, u64, u32)> {
        let mut out = Vec::new();
        how.spread(bytes, count, rails, turn, |rail, bytes, count| out.push((rail, bytes, count)));
        out
    }

    #[test]
    fn small_messages_take_turns_and_large_ones_are_split_as_psm2_does_it() {
        let psm2 = Striping::PSM2;
        assert_eq!(spread(psm2, 64_000, 1, 2, 0), [(0, 64_000, 1)]);
        assert_eq!(spread(psm2, 64_000, 1, 2, 5), [(1, 64_000, 1)]);
        assert_eq!(spread(psm2, 8, 5, 2, 0), [(0, 8, 3), (1, 8, 2)]);
        assert_eq!(spread(psm2, 8, 4, 3, 2), [(0, 8, 1), (1, 8, 1), (2, 8, 2)]);
        // Half of 64,001 is 32,001, in whole pages 32,768: one window, then what is left.
        assert_eq!(spread(psm2, 64_001, 1, 2, 1), [(0, 32_768, 1), (1, 31_233, 1)]);
        // 1 MiB: eight windows of 128 KiB. One byte more: a ninth, on the first rail.
        assert_eq!(spread(psm2, 1 << 20, 7, 2, 0), [(0, 512 << 10, 7), (1, 512 << 10, 7)]);
        assert_eq!(spread(psm2, (1 << 20) + 1, 1, 2, 0), [(0, (512 << 10) + 1, 1), (1, 512 << 10, 1)]);
        assert_eq!(spread(psm2, 1 << 20, 1, 1, 3), [(0, 1 << 20, 1)]);
    }

    #[test]
    fn ucx_keeps_small_messages_on_one_rail_and_splits_over_two() {
        assert_eq!(spread(Striping::UCX, 16_383, 9, 4, 3), [(0, 16_383, 9)]);
        assert_eq!(spread(Striping::UCX, 16_385, 1, 4, 3), [(0, 8_193, 1), (1, 8_192, 1)]);
    }

    #[test]
    fn nothing_is_lost_and_no_rail_is_beyond_the_last() {
        for how in [Striping::PSM2, Striping::UCX] {
            for bytes in [0, 1, 63_999, 64_000, 64_001, 131_072, 131_073, 1 << 20, 12_345_678] {
                for (rails, count, turn) in [(1, 1, 0), (2, 3, 1), (3, 4, 7), (4, 1, 3), (8, 5, 2)] {
                    let stripes = spread(how, bytes, count, rails, turn);
                    let sum: u64 = stripes.iter().map(|p| p.1 * u64::from(p.2)).sum();
                    assert_eq!(sum, bytes * u64::from(count));
                    assert!(stripes.iter().all(|p| p.0 < rails));
                }
            }
        }
    }
}
