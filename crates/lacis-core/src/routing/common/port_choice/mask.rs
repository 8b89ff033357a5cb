//! Sets of a switch's links, one bit each.

/// Up to `64 * W` links of a switch.
pub(super) type Bits<const W: usize> = [u64; W];

pub(super) fn has<const W: usize>(set: &Bits<W>, bit: usize) -> bool {
    set[bit / 64] >> (bit % 64) & 1 == 1
}

pub(super) fn insert<const W: usize>(set: &mut Bits<W>, bit: usize) {
    set[bit / 64] |= 1 << (bit % 64);
}

pub(super) fn remove<const W: usize>(set: &mut Bits<W>, bit: usize) {
    set[bit / 64] &= !(1 << (bit % 64));
}

pub(super) fn is_empty<const W: usize>(set: &Bits<W>) -> bool {
    *set == [0; W]
}

pub(super) fn size<const W: usize>(set: &Bits<W>) -> u32 {
    set.iter().map(|word| word.count_ones()).sum()
}

pub(super) fn both<const W: usize>(a: &Bits<W>, b: &Bits<W>) -> Bits<W> {
    std::array::from_fn(|i| a[i] & b[i])
}

pub(super) fn without<const W: usize>(a: &Bits<W>, b: &Bits<W>) -> Bits<W> {
    std::array::from_fn(|i| a[i] & !b[i])
}

pub(super) fn either<const W: usize>(a: &Bits<W>, b: &Bits<W>) -> Bits<W> {
    std::array::from_fn(|i| a[i] | b[i])
}

/// The lowest bit; `64 * W` where there is none.
pub(super) fn lowest<const W: usize>(set: &Bits<W>) -> usize {
    let word = set.iter().position(|&word| word != 0);
    word.map_or(64 * W, |i| i * 64 + set[i].trailing_zeros() as usize)
}

/// The only bit, where there is only one.
pub(super) fn single<const W: usize>(set: &Bits<W>) -> Option<usize> {
    (size(set) == 1).then(|| lowest(set))
}

/// The bits from `from` on.
fn tail<const W: usize>(set: &Bits<W>, from: usize) -> Bits<W> {
    std::array::from_fn(|i| match from.saturating_sub(i * 64) {
        0 => set[i],
        skip @ 1..64 => set[i] >> skip << skip,
        _ => 0,
    })
}

/// The first bit from `from` on, else the first of all.
pub(super) fn first_from<const W: usize>(set: &Bits<W>, from: usize) -> usize {
    let ahead = tail(set, from);
    lowest(if is_empty(&ahead) { set } else { &ahead })
}

/// All bits in order, ascending from `from` on, then from the lowest.
pub(super) fn around<const W: usize>(set: &Bits<W>, from: usize) -> impl Iterator<Item = usize> {
    let ahead = tail(set, from);
    ascending(ahead).chain(ascending(without(set, &ahead)))
}

/// All bits, ascending.
pub(super) fn ascending<const W: usize>(mut set: Bits<W>) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        let i = set.iter().position(|&word| word != 0)?;
        let bit = set[i].trailing_zeros() as usize;
        set[i] &= set[i] - 1;
        Some(i * 64 + bit)
    })
}
