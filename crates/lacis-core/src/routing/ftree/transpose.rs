//! From rows by target to rows by switch.

use rayon::prelude::*;

/// Side of the square blocks that are turned at a time: two of them fit the first cache.
const BLOCK: usize = 64;

/// Writes the transpose of `rows`, which has rows of `width` bytes, to `out`.
pub(super) fn transpose(rows: &[u8], width: usize, out: &mut [u8]) {
    if width == 0 || rows.is_empty() {
        return;
    }
    let height = rows.len() / width;
    out.par_chunks_mut(BLOCK * height).enumerate().for_each(|(band, out)| {
        let left = band * BLOCK;
        let columns = out.len() / height;
        for top in (0..height).step_by(BLOCK) {
            let bottom = (top + BLOCK).min(height);
            for (column, out) in out.chunks_exact_mut(height).enumerate().take(columns) {
                for (to, row) in out[top..bottom].iter_mut().zip(top..bottom) {
                    *to = rows[row * width + left + column];
                }
            }
        }
    });
}
