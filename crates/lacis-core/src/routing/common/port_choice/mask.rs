//! Sets of a switch's links, one bit each.

/// Up to `64 * W` links of a switch.
pub(super) type Bits<const W: usize> = [u64; W];

pub(super) fn has<const W: usize>(set: &Bits<W>, bit: usize) -> bool {
    set[bit / 64] >> (bit % 64) & 1 == 1
}

pub(super) fn is_empty<const W: usize>(set: &Bits<W>) -> bool {
    *set == [0; W]
}

/// The lowest bit; `64 * W` where there is none.
pub(super) fn lowest<const W: usize>(set: &Bits<W>) -> usize {
    let word = set.iter().position(|&word| word != 0);
    word.map_or(64 * W, |i| i * 64 + set[i].trailing_zeros() as usize)
}

/// The only bit, where there is only one.
pub(super) fn single<const W: usize>(set: &Bits<W>) -> Option<usize> {
    (set.iter().map(|word| word.count_ones()).sum::<u32>() == 1).then(|| lowest(set))
}
