//! The lightest path into each column of a tile, many columns at a time.
//!
//! A *key* is the extra of a path and, in its lowest bits, the row of the tile that the path comes from: the least
//! key has both. Keys are compared as floating-point numbers, whose order is that of their bits:
//! every 64-bit x86 has a vector instruction for the lesser of two of these, not of two integers.

/// Columns in a processor's vector. A tile's width is a multiple of it.
pub(super) const LANES: usize = 4;

/// Most columns of a tile, whose running minima should stay in registers.
pub(super) const MAX_WIDTH: usize = 5 * LANES;

/// Bits of a key for the row.
const ROW_BITS: u32 = 8;

/// The row of a key whose link is in no row of its tile.
pub(super) const NO_ROW: u8 = u8::MAX;

/// What is added to every key, so that none is a subnormal number.
pub(super) const LEAST_KEY: u32 = 1 << 23;

/// Extras are less.
pub(super) const MAX_EXTRA: u32 = 1 << 22;

const _: () = assert!(LEAST_KEY + (MAX_EXTRA << ROW_BITS) <= f32::INFINITY.to_bits());

/// The key of a path one link longer than that of `head`.
#[inline]
pub(super) fn key(head: u32, weight: u32) -> u32 {
    (weight << ROW_BITS).wrapping_add(head)
}

/// The same extra with another row.
#[inline]
pub(super) fn with_row(key: u32, row: u8) -> u32 {
    key & !0xff | u32::from(row)
}

/// Whether two keys are of the same extra.
#[inline]
pub(super) fn is_alike(one: u32, other: u32) -> bool {
    (one ^ other) >> ROW_BITS == 0
}

/// The least keys of all paths from some rows of a tile, whose keys are `heads`, into each of its columns.
/// Returns the columns, as bits, where another one has the same extra.
#[inline]
pub(super) fn lightest(heads: &[u32], weights: &[u32], width: usize, best: &mut [u32; MAX_WIDTH]) -> u32 {
    if let &[head] = heads {
        let weights = &weights[usize::from(head as u8) * width..][..width];
        best.iter_mut().zip(weights).for_each(|(best, &weight)| *best = key(head, weight));
        return 0;
    }
    match width / LANES {
        1 => two_lightest::<1>(heads, weights, best),
        2 => two_lightest::<2>(heads, weights, best),
        3 => two_lightest::<3>(heads, weights, best),
        4 => two_lightest::<4>(heads, weights, best),
        _ => two_lightest::<5>(heads, weights, best),
    }
}

/// The same, for tiles that are `VECTORS` vectors wide.
#[inline(never)]
fn two_lightest<const VECTORS: usize>(heads: &[u32], weights: &[u32], out: &mut [u32; MAX_WIDTH]) -> u32 {
    let (vectors, _) = weights.as_chunks::<LANES>();
    let (rows, _) = vectors.as_chunks::<VECTORS>();
    let (mut best, mut second) = ([[f32::MAX; LANES]; VECTORS], [[f32::MAX; LANES]; VECTORS]);
    for &head in heads {
        let row = &rows[usize::from(head as u8)];
        for i in 0..VECTORS {
            let keys = row[i].map(|weight| f32::from_bits(key(head, weight)));
            second[i] = lesser(second[i], greater(best[i], keys));
            best[i] = lesser(best[i], keys);
        }
    }
    for (out, best) in out.iter_mut().zip(best.as_flattened()) {
        *out = best.to_bits();
    }
    let pairs = best.as_flattened().iter().zip(second.as_flattened());
    let ties = pairs.map(|(best, second)| u32::from(is_alike(best.to_bits(), second.to_bits())));
    // Mostly there is none, which vectors find sooner.
    if ties.clone().fold(0, |any, tie| any | tie) == 0 {
        return 0;
    }
    ties.enumerate().fold(0, |ties, (column, tie)| ties | tie << column)
}

/// The lesser of two keys, lane by lane: as whole vectors, for which the compiler takes one instruction.
#[inline]
fn lesser(mut one: [f32; LANES], other: [f32; LANES]) -> [f32; LANES] {
    for lane in 0..LANES {
        one[lane] = if one[lane] < other[lane] { one[lane] } else { other[lane] };
    }
    one
}

/// The greater of two keys, lane by lane.
#[inline]
fn greater(mut one: [f32; LANES], other: [f32; LANES]) -> [f32; LANES] {
    for lane in 0..LANES {
        one[lane] = if one[lane] > other[lane] { one[lane] } else { other[lane] };
    }
    one
}
