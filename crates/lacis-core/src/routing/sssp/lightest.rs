//! The two lightest ways into each column of a table.
//!
//! A *key* is the extra of a way and below it, in its lowest bits, the row of the table that the way
//! comes from: so the least key tells both. Keys are compared as floating-point numbers, whose order
//! is that of their bits: every 64-bit x86 has a vector instruction for the smaller of two of these,
//! not of two integers.

use super::cables::HOLE;
use super::fans::{MAX_WIDTH, VECTOR};

/// Bits for the row.
const ROW_BITS: u32 = 8;

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
pub(super) fn key(extra: u32, row: u8) -> u32 {
    LEAST + (extra << ROW_BITS | u32::from(row))
}

/// The same extra with another row.
#[inline]
pub(super) fn with_row(key: u32, row: u8) -> u32 {
    key & !0xff | u32::from(row)
}

/// The least keys of all ways from some rows of a table, whose keys before it are `heads`, into each
/// of its columns. Columns beyond `width`: anything. Returns those, as bits, where another way is as
/// light.
#[inline]
pub(super) fn lightest(heads: &[u32], weights: &[u32], width: u32, best: &mut [u32; MAX_WIDTH]) -> u32 {
    let mut second = [0; MAX_WIDTH];
    match width {
        4 => two_lightest::<4>(heads, weights, best, &mut second),
        8 => two_lightest::<8>(heads, weights, best, &mut second),
        12 => two_lightest::<12>(heads, weights, best, &mut second),
        16 => two_lightest::<16>(heads, weights, best, &mut second),
        _ => two_lightest::<MAX_WIDTH>(heads, weights, best, &mut second),
    }
    let is_tie = |column: usize| u32::from((best[column] ^ second[column]) >> ROW_BITS == 0);
    let mut some = [0; VECTOR];
    for column in 0..MAX_WIDTH {
        some[column % VECTOR] |= is_tie(column);
    }
    if some == [0; VECTOR] {
        0
    } else {
        (0..MAX_WIDTH).fold(0, |ties, column| ties | is_tie(column) << column)
    }
}

/// By column, the least key and the next one, of all rows.
#[inline(never)]
fn two_lightest<const WIDTH: usize>(
    heads: &[u32],
    weights: &[u32],
    best_out: &mut [u32; MAX_WIDTH],
    second_out: &mut [u32; MAX_WIDTH],
) {
    let (weights, _) = weights.as_chunks::<WIDTH>();
    let (mut best, mut second) = ([f32::MAX; WIDTH], [f32::MAX; WIDTH]);
    for &head in heads {
        let weights = &weights[usize::from(head as u8)];
        let keys = weights.map(|w| f32::from_bits((w << ROW_BITS).wrapping_add(head)));
        let worse = greater(best, keys);
        best = lesser(best, keys);
        second = lesser(second, worse);
    }
    for (out, keys) in [(best_out, best), (second_out, second)] {
        for (out, key) in out.iter_mut().zip(keys) {
            *out = key.to_bits();
        }
    }
}

#[inline]
fn lesser<const N: usize>(mut a: [f32; N], b: [f32; N]) -> [f32; N] {
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
