//! Which switches are above which, by cables from level to level.

use crate::routing::graph::SwitchGraph;

use super::order::Order;

/// The switches above each.
pub(super) struct Above {
    first: Vec<u32>,
    all: Vec<u32>,
    words: usize,
    bits: Vec<u64>,
}

impl Above {
    /// Of all switches.
    pub fn of(graph: &SwitchGraph, order: &Order) -> Self {
        let count = graph.num_switches();
        let words = count.div_ceil(64);
        let mut bits = vec![0_u64; count * words];
        let mut descending: Vec<usize> = (0..count).collect();
        descending.sort_by_key(|&s| std::cmp::Reverse(order.level[s]));
        for &s in &descending {
            bits[s * words + s / 64] |= 1 << (s % 64);
            let mut last = usize::MAX;
            for link in graph.links(s).filter(|&l| order.is_regular_up(graph, s, l)) {
                let far = graph.peer[link] as usize;
                if std::mem::replace(&mut last, far) != far {
                    for w in 0..words {
                        bits[s * words + w] |= bits[far * words + w];
                    }
                }
            }
        }
        let (mut first, mut all) = (vec![0], Vec::new());
        for row in bits.chunks(words.max(1)) {
            for (&word, base) in row.iter().zip((0..).step_by(64)) {
                let mut rest = word;
                while rest != 0 {
                    all.push(base + rest.trailing_zeros());
                    rest &= rest - 1;
                }
            }
            first.push(all.len() as u32);
        }
        Self { first, all, words, bits }
    }

    /// The switches above one, itself included.
    #[inline]
    pub fn of_switch(&self, s: usize) -> &[u32] {
        &self.all[self.first[s] as usize..self.first[s + 1] as usize]
    }

    /// Whether `high` is above `low`, or the same.
    #[inline]
    pub fn is_above(&self, low: usize, high: usize) -> bool {
        self.bits[low * self.words + high / 64] >> (high % 64) & 1 == 1
    }
}
