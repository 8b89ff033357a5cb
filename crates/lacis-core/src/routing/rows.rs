//! Tables by target, as engines that follow one target through the fabric make them, and their turning
//! into tables by switch.

use rayon::prelude::*;

use super::NO_ENTRY;

/// Rows of the blocks that are turned at a time: their bytes in a column make a word.
const ROWS: usize = 8;

/// Words of a row of a block: as many as a vector register holds on every 64-bit x86.
const WORDS: usize = 2;

/// Columns of a block.
const COLUMNS: usize = 8 * WORDS;

/// Number of columns, and of rows, turned in one go: a cache line of each.
const BAND: usize = 64;

/// Rows of a block, each of some words.
type Block = [[u64; WORDS]; ROWS];

/// One row for each LID: the port of every switch towards it.
pub(super) struct Rows {
    switches: usize,
    /// `switches`, rounded up to whole blocks.
    width: usize,
    lids: usize,
    bytes: Vec<u8>,
}

impl Rows {
    /// No entry anywhere.
    pub(super) fn new(switches: usize, lids: usize) -> Self {
        let width = switches.next_multiple_of(COLUMNS);
        let bytes = vec![NO_ENTRY; width * lids.next_multiple_of(ROWS)];
        Self { switches, width, lids, bytes }
    }

    /// The row of a LID, to fill.
    pub(super) fn of(&mut self, lid: u32) -> &mut [u8] {
        &mut self.bytes[lid as usize * self.width..][..self.switches]
    }

    /// Writes the transpose to `out`: one row for each switch.
    pub(super) fn transpose_to(&self, out: &mut [u8]) {
        let whole = self.lids - self.lids % ROWS;
        out.par_chunks_mut(BAND * self.lids).enumerate().for_each(|(band, out)| {
            for first in (0..self.lids).step_by(BAND) {
                for (block, out) in out.chunks_mut(COLUMNS * self.lids).enumerate() {
                    for top in (first..self.lids.min(first + BAND)).step_by(ROWS) {
                        let turned = transpose(self.block(top, band * BAND + block * COLUMNS));
                        let columns = (0..WORDS).flat_map(|word| turned.iter().map(move |row| row[word]));
                        for (out, column) in out.chunks_exact_mut(self.lids).zip(columns) {
                            let column = column.to_le_bytes();
                            if top < whole {
                                out[top..top + ROWS].copy_from_slice(&column);
                            } else {
                                out[whole..].copy_from_slice(&column[..self.lids - whole]);
                            }
                        }
                    }
                }
            }
        });
    }

    /// The block whose first row and column are given. The lowest byte of a word is its first column.
    #[inline]
    fn block(&self, top: usize, left: usize) -> Block {
        let mut block = Block::default();
        for (i, row) in block.iter_mut().enumerate() {
            let (words, _) = self.bytes[(top + i) * self.width + left..][..COLUMNS].as_chunks();
            for (word, bytes) in row.iter_mut().zip(words) {
                *word = u64::from_le_bytes(*bytes);
            }
        }
        block
    }
}

/// Transposes each word's eight by eight bytes by exchanging halves, quarters and eighths of it.
/// H. S. Warren, "Hacker's Delight", 2nd edition, section 7-3, does it with bits.
#[inline]
fn transpose(mut rows: Block) -> Block {
    const STEPS: [(usize, u64); 3] =
        [(4, 0x0000_0000_ffff_ffff), (2, 0x0000_ffff_0000_ffff), (1, 0x00ff_00ff_00ff_00ff)];
    for (distance, mask) in STEPS {
        for i in (0..ROWS).filter(|i| i & distance == 0) {
            for word in 0..WORDS {
                let (low, high) = (rows[i][word], rows[i + distance][word]);
                let moved = (low >> (8 * distance) ^ high) & mask;
                rows[i][word] = low ^ moved << (8 * distance);
                rows[i + distance][word] = high ^ moved;
            }
        }
    }
    rows
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_become_columns_at_any_size() {
        for (switches, lids) in [(1, 1), (7, 9), (8, 8), (65, 30), (130, 17)] {
            let port = |s: usize, lid: usize| (s * 37 + lid * 11) as u8;
            let mut rows = Rows::new(switches, lids);
            for lid in 0..lids {
                rows.of(lid as u32).iter_mut().enumerate().for_each(|(s, p)| *p = port(s, lid));
            }
            let mut out = vec![0; switches * lids];
            rows.transpose_to(&mut out);
            let wanted: Vec<u8> = (0..switches * lids).map(|i| port(i / lids, i % lids)).collect();
            assert_eq!(out, wanted, "{switches} switches, {lids} LIDs");
        }
    }
}
