//! When enough agree: two thirds.

/// Whether at least two thirds agree.
pub(super) fn agree(agreeing: usize, all: usize) -> bool {
    all > 0 && 3 * agreeing >= 2 * all
}

/// The value that at least two thirds of a sorted list, and at least so many values, share.
pub(super) fn majority<T: Copy + PartialEq>(sorted: &[T], least: usize) -> Option<T> {
    let best = sorted.chunk_by(|a, b| a == b).max_by_key(|run| run.len())?;
    (best.len() >= least && agree(best.len(), sorted.len())).then_some(best[0])
}
