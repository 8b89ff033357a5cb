//! Which row of a table has the only lightest way into every column, told without looking at the
//! columns.
//!
//! In a tree nearly every pod is entered through one of its switches: how heavy the ways to these are
//! differs more than the links from them do. So for each row the least and the greatest of its weights
//! are kept. A row whose heaviest way is lighter than the lightest of every other row is the one.

use super::bipartite_blocks::{Fans, VECTOR};
use super::cables::{Cables, HOLE};
use super::lightest::{ROW_BITS, key, lesser, with_row};

/// The key of a row that no way leads to.
pub(super) const ABSENT: u32 = 0x5000_0000;

// With the weight of any link it is more than other keys with theirs, and less than infinity.
const _: () = assert!(ABSENT > key(HOLE, u8::MAX) + (HOLE << ROW_BITS));
const _: () = assert!(ABSENT + (HOLE << ROW_BITS) < f32::INFINITY.to_bits());

/// Bounds of the weights in each row of the tables.
#[derive(Debug, Default)]
pub(super) struct Bounds {
    /// By tile: whether its bounds are right.
    is_known: Vec<bool>,
    /// By tile: where its rows begin.
    first: Vec<u32>,
    /// By row: the least weight of its links, shifted to where a key has its extra.
    least: Vec<u32>,
    /// By row: the greatest.
    greatest: Vec<u32>,
}

impl Bounds {
    pub(super) fn of(fans: &Fans) -> Self {
        let mut bounds = Self::default();
        for fan in 0..fans.len() as u32 {
            for _ in fans.tiles_of(fan) {
                bounds.first.push(bounds.least.len() as u32);
                let rows = fans.rows_of(fan).len().next_multiple_of(VECTOR);
                bounds.least.resize(bounds.least.len() + rows, 0);
            }
        }
        bounds.is_known.resize(bounds.first.len(), false);
        bounds.greatest.resize(bounds.least.len(), 0);
        bounds
    }

    /// Any links may have become heavier.
    pub(super) fn forget_all(&mut self) {
        self.is_known.fill(false);
    }

    /// Some link of a tile has become heavier.
    #[inline]
    pub(super) fn forget(&mut self, tile: u32) {
        self.is_known[tile as usize] = false;
    }

    /// All rows of a tile that have become heavier since [`Bounds::only`] have been looked at.
    #[inline]
    pub(super) fn trust(&mut self, tile: u32) {
        self.is_known[tile as usize] = true;
    }

    /// Looks at a row again.
    #[inline]
    pub(super) fn look(&mut self, fans: &Fans, cables: &Cables, tile: u32, row: u8) {
        let place = self.first[tile as usize] as usize + usize::from(row);
        let tile = fans.tile(tile);
        let weights = &cables.weights[tile.entry(row, 0) as usize..][..fans.to(tile).len()];
        let weights = || weights.iter().map(|weight| weight << ROW_BITS);
        self.least[place] = weights().min().unwrap_or(0);
        self.greatest[place] = weights().max().unwrap_or(0);
    }

    /// All links of a row have become heavier alike.
    #[inline]
    pub(super) fn raise(&mut self, tile: u32, row: u8, paths: u32) {
        let place = self.first[tile as usize] as usize + usize::from(row);
        self.least[place] += paths << ROW_BITS;
        self.greatest[place] += paths << ROW_BITS;
    }

    /// The row that has the only lightest way into every column, if this can be told. `keys`: by row,
    /// that of the way to its switch, or [`ABSENT`]; also in what is missing to whole vectors.
    #[inline]
    pub(super) fn only(&mut self, fans: &Fans, cables: &Cables, tile: u32, keys: &[u32]) -> Option<u8> {
        if fans.tile(tile).is_bundled {
            return None;
        }
        if !std::mem::replace(&mut self.is_known[tile as usize], true) {
            for row in 0..fans.tile(tile).rows {
                self.look(fans, cables, tile, row);
            }
        }
        let first = self.first[tile as usize] as usize;
        let (keys, _) = keys.as_chunks::<VECTOR>();
        let (least, _) = self.least[first..].as_chunks::<VECTOR>();
        let (greatest, _) = self.greatest[first..].as_chunks::<VECTOR>();
        let mut best = [f32::MAX; VECTOR];
        for (keys, greatest) in keys.iter().zip(greatest) {
            let mut ways = [0.0; VECTOR];
            for (way, (key, greatest)) in ways.iter_mut().zip(keys.iter().zip(greatest)) {
                *way = f32::from_bits(key.wrapping_add(*greatest));
            }
            best = lesser(ways, best);
        }
        let best = best.into_iter().fold(f32::MAX, f32::min).to_bits();
        let limit = with_row(best, u8::MAX).cast_signed();
        let mut rivals = [0_i32; VECTOR];
        for (keys, least) in keys.iter().zip(least) {
            for i in 0..VECTOR {
                rivals[i] += i32::from(keys[i].wrapping_add(least[i]).cast_signed() <= limit);
            }
        }
        (rivals.iter().sum::<i32>() == 1).then_some(best as u8)
    }
}
