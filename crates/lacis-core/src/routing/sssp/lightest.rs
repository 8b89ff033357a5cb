//! The two lightest ways into each column of a table.
//!
//! A *key* is the extra of a way and below it, in its lowest bits, the row of the table that the way
//! comes from: so the least key tells both. Keys are compared as floating-point numbers, whose order
//! is that of their bits: every 64-bit x86 has a vector instruction for the smaller of two of these,
//! not of two integers.

use super::fans::{HOLE, MAX_WIDTH};

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

/// Rows of a table that ways lead through, and the keys of these ways before the table.
#[derive(Debug, Default)]
pub(super) struct Heads {
    rows: Vec<u8>,
    keys: Vec<u32>,
}

impl Heads {
    /// Sets the rows; `extra` tells that of the way to each.
    #[inline]
    pub(super) fn set(&mut self, rows: &[u8], extra: impl Fn(u8) -> u32) {
        self.rows.clear();
        self.rows.extend_from_slice(rows);
        self.keys.clear();
        self.keys.extend(rows.iter().map(|&row| LEAST + (extra(row) << ROW_BITS | u32::from(row))));
    }

    /// By column, the least key and the next one, of all rows. Columns beyond `width`: anything.
    #[inline]
    pub(super) fn two_lightest(&self, weights: &[u32], width: u32) -> [[u32; MAX_WIDTH]; 2] {
        match width {
            4 => self.of::<4>(weights),
            8 => self.of::<8>(weights),
            12 => self.of::<12>(weights),
            16 => self.of::<16>(weights),
            _ => self.of::<MAX_WIDTH>(weights),
        }
    }

    #[inline(never)]
    fn of<const WIDTH: usize>(&self, weights: &[u32]) -> [[u32; MAX_WIDTH]; 2] {
        let (weights, _) = weights.as_chunks::<WIDTH>();
        let (mut best, mut second) = ([f32::MAX; WIDTH], [f32::MAX; WIDTH]);
        for (&row, &key) in self.rows.iter().zip(&self.keys) {
            let keys = weights[usize::from(row)].map(|w| f32::from_bits((w << ROW_BITS).wrapping_add(key)));
            let worse = greater(best, keys);
            best = lesser(best, keys);
            second = lesser(second, worse);
        }
        [best, second].map(|keys| {
            let mut all = [0; MAX_WIDTH];
            all.iter_mut().zip(keys).for_each(|(all, key)| *all = key.to_bits());
            all
        })
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
