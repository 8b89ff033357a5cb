//! The two lightest ways into each column of a table.
//!
//! A *key* is the extra of a way and below it, in its lowest bits, the row of the table that the way
//! comes from: so the least key tells both. Keys are compared as floating-point numbers, whose order
//! is that of their bits: every 64-bit x86 has a vector instruction for the smaller of two of these,
//! not of two integers.

use super::bipartite_blocks::MAX_WIDTH;
use super::cables::HOLE;

/// Bits for the row.
pub(super) const ROW_BITS: u32 = 8;

/// What is added to every key, so that none is a subnormal number.
const LEAST: u32 = 1 << 23;

// The greatest key, of a hole behind a hole, is below that of infinity.
const _: () = assert!(LEAST + ((HOLE + HOLE) << ROW_BITS) + 255 < f32::INFINITY.to_bits());

/// The extra and the row of a key.
#[inline]
pub(super) fn total(key: u32) -> (u32, u8) {
    ((key - LEAST) >> ROW_BITS, key as u8)
}

/// The key of a way.
#[inline]
pub(super) const fn key(extra: u32, row: u8) -> u32 {
    LEAST + (extra << ROW_BITS | row as u32)
}

/// The same extra with another row.
#[inline]
pub(super) fn with_row(key: u32, row: u8) -> u32 {
    key & !0xff | u32::from(row)
}

/// The key of a way one link farther, given the weight of that.
#[inline]
pub(super) fn way(head: u32, weight: u32) -> u32 {
    (weight << ROW_BITS).wrapping_add(head)
}

/// Whether two keys are of the same extra.
#[inline]
pub(super) fn is_alike(one: u32, other: u32) -> bool {
    (one ^ other) >> ROW_BITS == 0
}

/// The least keys of all ways from some rows of a table, whose keys before it are `heads`, into each
/// of its columns. Columns beyond `width`: anything. Returns those, as bits, where another way is as
/// light.
#[inline]
pub(super) fn lightest(heads: &[u32], weights: &[u32], width: u32, best: &mut [u32; MAX_WIDTH]) -> u32 {
    if let &[head] = heads {
        let weights = &weights[usize::from(head as u8) * width as usize..][..width as usize];
        for (best, &weight) in best.iter_mut().zip(weights) {
            *best = way(head, weight);
        }
        return 0;
    }
    match width {
        4 => two_lightest::<4, 1>(heads, weights, best),
        8 => two_lightest::<4, 2>(heads, weights, best),
        12 => two_lightest::<4, 3>(heads, weights, best),
        16 => two_lightest::<16, 1>(heads, weights, best),
        _ => two_lightest::<4, 5>(heads, weights, best),
    }
}

/// By column, the least key of all rows; and where the next one is alike.
#[inline(never)]
fn two_lightest<const LANES: usize, const PARTS: usize>(
    heads: &[u32],
    weights: &[u32],
    out: &mut [u32; MAX_WIDTH],
) -> u32 {
    let (parts, _) = weights.as_chunks::<LANES>();
    let (rows, _) = parts.as_chunks::<PARTS>();
    let (mut best, mut second) = ([[f32::MAX; LANES]; PARTS], [[f32::MAX; LANES]; PARTS]);
    for &head in heads {
        let row = &rows[usize::from(head as u8)];
        for i in 0..PARTS {
            let mut keys = [0.0; LANES];
            for (key, &weight) in keys.iter_mut().zip(&row[i]) {
                *key = f32::from_bits(way(head, weight));
            }
            second[i] = lesser(second[i], greater(best[i], keys));
            best[i] = lesser(best[i], keys);
        }
    }
    for (out, key) in out.iter_mut().zip(best.as_flattened()) {
        *out = key.to_bits();
    }
    let mut some = [0; LANES];
    for i in 0..PARTS {
        for lane in 0..LANES {
            some[lane] |= u32::from(is_alike(best[i][lane].to_bits(), second[i][lane].to_bits()));
        }
    }
    if some == [0; LANES] {
        return 0;
    }
    let keys = best.as_flattened().iter().zip(second.as_flattened());
    let ties = keys.map(|(best, second)| u32::from(is_alike(best.to_bits(), second.to_bits())));
    ties.enumerate().fold(0, |ties, (column, is_tie)| ties | is_tie << column)
}

#[inline]
pub(super) fn lesser<const N: usize>(mut a: [f32; N], b: [f32; N]) -> [f32; N] {
    for i in 0..N {
        a[i] = if a[i] < b[i] { a[i] } else { b[i] };
    }
    a
}

#[inline]
fn greater<const N: usize>(mut a: [f32; N], b: [f32; N]) -> [f32; N] {
    for i in 0..N {
        a[i] = if a[i] > b[i] { a[i] } else { b[i] };
    }
    a
}
