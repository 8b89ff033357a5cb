//! Ranked pairs, and the chance of a partition that separates them.

use rayon::prelude::*;
use rustc_hash::FxHashMap;

use super::stats::{LnFactorials, ln_chance_of_ranks, ln_sizes};

/// Pairs of hosts, nearest first.
pub struct Ranked<'a> {
    n: usize,
    /// Symmetric, NaN where unknown.
    pub values: &'a [f64],
    /// Twice the mean rank of each pair, from 2; NaN where unknown.
    pub ranks: Vec<f64>,
    /// Pairs in their order, the higher number first.
    sorted: Vec<(u16, u16)>,
}

impl<'a> Ranked<'a> {
    pub fn of(n: usize, values: &'a [f64]) -> Self {
        let mut keys: Vec<u64> = (0..n)
            .flat_map(|i| (0..i).map(move |j| (values[i * n + j], i, j)))
            .filter(|(value, ..)| !value.is_nan())
            .map(|(value, i, j)| key(value) | (i << 16 | j) as u64)
            .collect();
        keys.par_sort_unstable();
        let pair = |key: &u64| ((key >> 16) as u16, *key as u16);
        let sorted: Vec<_> = keys.iter().map(pair).collect();
        let mut ranks = vec![f64::NAN; n * n];
        let mut before = 0;
        for tied in keys.chunk_by(|a, b| a >> 32 == b >> 32) {
            let rank = (2 * before + tied.len() + 1) as f64;
            for (i, j) in tied.iter().map(pair) {
                let (i, j) = (i as usize, j as usize);
                ranks[i * n + j] = rank;
                ranks[j * n + i] = rank;
            }
            before += tied.len();
        }
        Self { n, values, ranks, sorted }
    }

    pub fn pairs(&self) -> usize {
        self.sorted.len()
    }

    /// The mean rank from a sum of `ranks`, scaled to 0 … 1.
    pub fn mean(&self, sum: f64, count: usize) -> f64 {
        (sum / 2.0 / count.max(1) as f64 - 0.5) / self.sorted.len().max(1) as f64
    }

    fn cell(&self, (i, j): (u16, u16)) -> usize {
        i as usize * self.n + j as usize
    }

    /// ln of a bound on the chance of these groups in noise, from the ranks inside and the number of partitions of these sizes.
    pub fn ln_chance(&self, group: &[u32], container: &[u32], facts: &LnFactorials) -> f64 {
        let inside = self.sorted.iter().filter(|&&pair| is_inside(group, pair));
        let (sum, count) =
            inside.fold((0.0, 0), |(sum, count), &pair| (sum + self.ranks[self.cell(pair)], count + 1));
        let mut sizes = Sizes::new(container, facts);
        let mut so_far = vec![0_u32; self.n];
        for (host, &g) in group.iter().enumerate() {
            let size = &mut so_far[g as usize];
            if *size > 0 {
                sizes.merge(container[host], *size, 1);
            }
            *size += 1;
        }
        ln_chance_of_ranks(count, self.pairs(), self.mean(sum, count)) + sizes.ln
    }

    /// Values of the pairs inside groups, and of those between, each in their order, to a millionth.
    pub fn split(&self, group: &[u32]) -> [Vec<f64>; 2] {
        let mut out = [Vec::new(), Vec::new()];
        for &pair in &self.sorted {
            out[usize::from(!is_inside(group, pair))].push(self.values[self.cell(pair)]);
        }
        out
    }

    /// The value up to which a pair is near, and the share of pairs on the wrong side of it, the mean of both kinds. It is
    /// where they are fewest (Youden 1950), in the middle of the gap between near and far pairs.
    pub fn threshold(&self, group: &[u32]) -> (f64, f64) {
        let inside = self.sorted.iter().filter(|&&pair| is_inside(group, pair)).count().max(1) as f64;
        let between = (self.sorted.len() as f64 - inside).max(1.0);
        let mut best = (0, 0.5);
        let mut below = [0.0; 2];
        for (at, &pair) in self.sorted.iter().enumerate() {
            below[usize::from(!is_inside(group, pair))] += 1.0;
            let wrong = f64::midpoint(1.0 - below[0] / inside, below[1] / between);
            if wrong < best.1 {
                let rank = self.ranks[self.cell(pair)];
                let next = self.sorted.get(at + 1).map(|&next| self.ranks[self.cell(next)]);
                if next.is_none_or(|next| next > rank) {
                    best = (at + 1, wrong);
                }
            }
        }
        let (near, far) = self.sorted.split_at(best.0);
        let of = |pairs: &[(u16, u16)], wanted: bool| -> Vec<(u16, u16)> {
            pairs.iter().copied().filter(|&pair| is_inside(group, pair) == wanted).collect()
        };
        let (near, far) = (of(near, true), of(far, false));
        let value = |pair: Option<&(u16, u16)>| pair.map_or(f64::NAN, |&pair| self.values[self.cell(pair)]);
        // The 95th percentile of the near and the 5th of the far pairs, so that outliers do not narrow the gap.
        let low = value(near.get(near.len() * 95 / 100));
        let high = value(far.get(far.len() * 5 / 100));
        (if high > low { f64::midpoint(low, high) } else { low }, best.1)
    }
}

/// The upper half of a number whose order is that of the values; the lower half is free. Values that differ by less than a
/// millionth of themselves are tied.
fn key(value: f64) -> u64 {
    let bits = (value + 0.0).to_bits(); // no negative zero
    let ordered = if bits >> 63 == 0 { bits | 1 << 63 } else { !bits };
    ordered & !0xffff_ffff
}

fn is_inside(group: &[u32], (i, j): (u16, u16)) -> bool {
    group[i as usize] == group[j as usize]
}

/// ln of how many partitions have the sizes of the groups so far, times how many choices of sizes there are.
pub struct Sizes<'a> {
    facts: &'a LnFactorials,
    /// How many groups of a container have a size.
    count: FxHashMap<(u32, u32), u32>,
    pub ln: f64,
}

impl<'a> Sizes<'a> {
    /// All hosts alone. Groups stay inside containers.
    pub fn new(container: &[u32], facts: &'a LnFactorials) -> Self {
        let mut hosts = vec![0_u32; container.len()];
        for &c in container {
            hosts[c as usize] += 1;
        }
        let mut count = FxHashMap::default();
        let mut ln = 0.0;
        for (c, &hosts) in hosts.iter().enumerate().filter(|(_, hosts)| **hosts > 0) {
            count.insert((c as u32, 1), hosts);
            ln += ln_sizes(hosts as usize);
        }
        Self { facts, count, ln }
    }

    /// Joins two groups of these sizes. A container of h hosts has `h! / (Π size! Π count!)` partitions of these sizes, where
    /// `count` is the number of groups of each size.
    pub fn merge(&mut self, container: u32, a: u32, b: u32) {
        self.change(container, a, |count| count.saturating_sub(1));
        self.change(container, b, |count| count.saturating_sub(1));
        self.change(container, a + b, |count| count + 1);
        let of = |k: u32| self.facts.of(k as usize);
        self.ln += of(a) + of(b) - of(a + b);
    }

    fn change(&mut self, container: u32, size: u32, to: impl Fn(u32) -> u32) {
        let count = self.count.entry((container, size)).or_default();
        self.ln += self.facts.of(*count as usize);
        *count = to(*count);
        self.ln -= self.facts.of(*count as usize);
    }
}
