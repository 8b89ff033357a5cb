//! Average linkage over the known pairs, by chains of nearest neighbours.
//!
//! F. Murtagh, "A survey of recent advances in hierarchical clustering algorithms", The Computer Journal 26(4), 1983. A
//! mean over known pairs is between the means of its subsets, so a merge brings no cluster nearer, which the chain needs.

/// Two clusters become one.
#[derive(Clone, Copy, Debug)]
pub struct Merge {
    /// Any member of the first.
    pub a: u32,
    /// Any member of the second.
    pub b: u32,
    /// Mean distance between them; not below that of the merges that made them.
    pub height: f64,
    /// Sum over the known pairs between them.
    pub sum: f64,
    /// Number of those pairs.
    pub pairs: u32,
}

/// Merges, nearest first. Clusters without a known pair between them stay apart.
///
/// `distance`: symmetric, NaN where unknown.
pub fn average_linkage(n: usize, distance: &[f64]) -> Vec<Merge> {
    let mut sums: Vec<f64> = distance.iter().map(|d| if d.is_nan() { 0.0 } else { *d }).collect();
    let mut pairs: Vec<u32> = distance.iter().map(|d| u32::from(!d.is_nan())).collect();
    for i in 0..n {
        pairs[i * n + i] = 0;
    }
    let mut height = vec![f64::NEG_INFINITY; n];
    let mut alive: Vec<usize> = (0..n).collect();
    let mut chain: Vec<usize> = Vec::new();
    let mut merges: Vec<Merge> = Vec::with_capacity(n);
    while alive.len() > 1 {
        let top = chain.last().copied().unwrap_or(alive[0]);
        if chain.is_empty() {
            chain.push(top);
        }
        let before = chain.len().checked_sub(2).map(|at| chain[at]);
        let mut nearest: Option<(f64, usize)> = None;
        for &other in &alive {
            let count = pairs[top * n + other];
            if other == top || count == 0 {
                continue;
            }
            let mean = sums[top * n + other] / f64::from(count);
            // The previous cluster wins a tie: chains end.
            let wins = nearest.is_none_or(|(best, _)| mean < best || (mean <= best && Some(other) == before));
            if wins {
                nearest = Some((mean, other));
            }
        }
        match nearest {
            None => {
                alive.retain(|&slot| slot != top);
                chain.clear();
            }
            Some((mean, other)) if Some(other) == before => {
                chain.truncate(chain.len() - 2);
                let (keep, gone) = (top.min(other), top.max(other));
                let at = height[top].max(height[other]).max(mean);
                merges.push(Merge {
                    a: keep as u32,
                    b: gone as u32,
                    height: at,
                    sum: sums[top * n + other],
                    pairs: pairs[top * n + other],
                });
                height[keep] = at;
                alive.retain(|&slot| slot != gone);
                for &slot in alive.iter().filter(|&&slot| slot != keep) {
                    sums[keep * n + slot] += sums[gone * n + slot];
                    pairs[keep * n + slot] += pairs[gone * n + slot];
                    sums[slot * n + keep] = sums[keep * n + slot];
                    pairs[slot * n + keep] = pairs[keep * n + slot];
                }
            }
            Some((_, other)) => chain.push(other),
        }
    }
    merges.sort_by(|one, other| one.height.total_cmp(&other.height)); // stable: a cluster's own merges stay before it
    merges
}
