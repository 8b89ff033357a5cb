//! Groups of hosts that are nearer to each other than to the rest: leaves, near sets, blocks of ports inside a switch.
//!
//! Pairs are ranked, nearest first. Average linkage of the ranks proposes partitions. Each is judged by the probability that
//! noise alone has one that separates so well: that of the rank sum of the pairs inside, times the number of partitions of
//! these sizes (a union bound). The best is improved host by host. Groups of groups, and groups inside groups, are found
//! likewise.

use super::linkage::average_linkage;
use super::ranks::{Ranked, Sizes};
use super::stats::{LnFactorials, deviation, ln_chance_of_ranks, median};
use crate::sets::Sets;

/// ln of the chance of finding groups in noise, by an upper bound: 1 in 1,000 for three attempts together.
pub const LN_ALPHA: f64 = -8.0;
/// The least distance of two classes, in deviations of noise, at which single hosts can be assigned.
pub const LEAST_GAP: f64 = 1.5;
const SWEEPS: usize = 8;
/// Deviations are estimated from about so many pairs.
const MOST_SEEN: usize = 100_000;
/// Levels beyond the first, in each direction.
const MOST_BEYOND: usize = 3;

/// A partition of hosts, by what pairs inside groups have in common.
#[derive(Clone, Debug, Default)]
pub struct Grouping {
    /// For each host the number of its group, by the order of the first hosts.
    pub group: Vec<u32>,
    /// Number of groups.
    pub groups: usize,
    /// Median of the pairs inside groups, without those inside groups of a finer grouping, relative to the level.
    pub inside: f64,
    /// Median of the pairs between groups that share a group of the next coarser grouping, if there is one.
    pub between: f64,
    /// Robust deviation of these pairs from their median.
    pub noise: f64,
    /// Share of pairs on the wrong side of the best threshold, the mean of both kinds.
    pub wrong: f64,
    /// ln of a bound on the chance of this in noise.
    pub ln_chance: f64,
}

impl Grouping {
    /// By how much pairs between groups are worse.
    pub fn gap(&self) -> f64 {
        self.between - self.inside
    }

    /// Whether noise alone hardly has such groups and single hosts can be assigned. A single group beside lone hosts does not
    /// count: slow hosts look like that.
    pub fn is_clear(&self) -> bool {
        let several = self.sizes().iter().filter(|&&size| size > 1).count() > 1;
        several && self.ln_chance < LN_ALPHA && self.gap() > LEAST_GAP * self.noise
    }

    /// Number of hosts of each group.
    pub fn sizes(&self) -> Vec<usize> {
        let mut sizes = vec![0; self.groups];
        for &g in &self.group {
            sizes[g as usize] += 1;
        }
        sizes
    }
}

/// The best partition of the hosts, clear or not; none if no two hosts share a group.
///
/// `values`: symmetric, NaN where unknown. `container`: groups must not cross these.
pub fn best(n: usize, values: &[f64], container: &[u32]) -> Option<Grouping> {
    let ranked = Ranked::of(n, values);
    let facts = LnFactorials::up_to(n);
    let merges = average_linkage(n, &ranked.ranks);
    let mut sizes = Sizes::new(container, &facts);
    let mut trees = Trees::new(n);
    let (mut sum, mut count) = (0.0, 0);
    let (mut lowest, mut merged) = (0.0, 0);
    for (number, merge) in (1..).zip(&merges) {
        let (a, b) = (trees.root(merge.a), trees.root(merge.b));
        sizes.merge(container[a as usize], trees.size[a as usize], trees.size[b as usize]);
        trees.join(a, b);
        sum += merge.sum;
        count += merge.pairs as usize;
        let chance = ln_chance_of_ranks(count, ranked.pairs(), ranked.mean(sum, count)) + sizes.ln;
        if chance < lowest {
            (lowest, merged) = (chance, number);
        }
    }
    if merged == 0 {
        return None;
    }
    let mut trees = Trees::new(n);
    for merge in &merges[..merged] {
        let (a, b) = (trees.root(merge.a), trees.root(merge.b));
        trees.join(a, b);
    }
    let mut group: Vec<u32> = (0..n as u32).map(|host| trees.root(host)).collect();
    let proposed = group.clone();
    mend(&ranked, &mut group, container);
    let mended = judged(&ranked, group, container, &facts);
    if mended.is_clear() {
        return Some(mended); // whatever its rank sum: outliers weigh less in mended groups, and more in that
    }
    let proposed = judged(&ranked, proposed, container, &facts);
    Some(if mended.ln_chance < proposed.ln_chance { mended } else { proposed })
}

/// The `first` grouping, the clearest, with the groups of its groups and the groups inside them; finest first.
pub fn with_others(n: usize, values: &[f64], first: Grouping) -> Vec<Grouping> {
    let mut all = vec![first];
    for _ in 0..MOST_BEYOND {
        let Some(coarsest) = all.last() else { break };
        let means = between_groups(n, values, coarsest);
        let Some(found) = best(coarsest.groups, &means, &vec![0; coarsest.groups]).filter(Grouping::is_clear)
        else {
            break;
        };
        let group = coarsest.group.iter().map(|&g| found.group[g as usize]).collect();
        all.push(Grouping { group, ..found });
    }
    for _ in 0..MOST_BEYOND {
        let coarse = &all[0];
        let inside = |cell: usize| coarse.group[cell / n] == coarse.group[cell % n];
        let known: Vec<f64> =
            (0..n * n).map(|cell| if inside(cell) { values[cell] } else { f64::NAN }).collect();
        let Some(found) = best(n, &known, &coarse.group).filter(Grouping::is_clear) else { break };
        all.insert(0, found);
    }
    describe_classes(n, values, &mut all);
    all
}

/// The finest grouping in which two hosts share a group; the number of groupings if there is none.
pub fn class(groupings: &[Grouping], i: usize, j: usize) -> usize {
    groupings.iter().position(|grouping| grouping.group[i] == grouping.group[j]).unwrap_or(groupings.len())
}

/// Fills in the medians and noise of pairs of each kind, once all groupings are known.
pub fn describe_classes(n: usize, values: &[f64], groupings: &mut [Grouping]) {
    let mut classes: Vec<Vec<f64>> = vec![Vec::new(); groupings.len() + 1];
    for i in 0..n {
        for j in 0..i {
            let value = values[i * n + j];
            if !value.is_nan() {
                classes[class(groupings, i, j)].push(value);
            }
        }
    }
    let medians: Vec<f64> = classes.iter_mut().map(|class| median(class)).collect();
    for (at, grouping) in groupings.iter_mut().enumerate() {
        (grouping.inside, grouping.between) = (medians[at], medians[at + 1]);
        let off = |at: usize| classes[at].iter().map(move |v| (at, v));
        grouping.noise = deviation(off(at).chain(off(at + 1)).map(|(at, v)| v - medians[at]));
    }
}

/// Medians of the pairs between groups, symmetric.
fn between_groups(n: usize, values: &[f64], grouping: &Grouping) -> Vec<f64> {
    let count = grouping.groups;
    let mut members = vec![Vec::new(); count];
    for (host, &g) in grouping.group.iter().enumerate() {
        members[g as usize].push(host);
    }
    let mut out = vec![f64::NAN; count * count];
    let mut all = Vec::new();
    for g in 0..count {
        for h in 0..g {
            all.clear();
            for &i in &members[g] {
                all.extend(members[h].iter().map(|&j| values[i * n + j]).filter(|v| !v.is_nan()));
            }
            let middle = median(&mut all);
            out[g * count + h] = middle;
            out[h * count + g] = middle;
        }
    }
    out
}

/// A partition with its statistics; groups are numbered by their first hosts.
fn judged(ranked: &Ranked<'_>, mut group: Vec<u32>, container: &[u32], facts: &LnFactorials) -> Grouping {
    let n = group.len();
    let mut number = vec![u32::MAX; n];
    let mut groups = 0;
    for g in &mut group {
        let number = &mut number[*g as usize];
        if *number == u32::MAX {
            *number = groups;
            groups += 1;
        }
        *g = *number;
    }
    let [inside, between] = ranked.split(&group);
    let middle = |sorted: &[f64]| sorted.get(sorted.len() / 2).copied().unwrap_or(f64::NAN);
    let (a, b) = (middle(&inside), middle(&between));
    let step = (ranked.pairs() / MOST_SEEN).max(1);
    let off = inside.iter().map(|v| v - a).chain(between.iter().map(|v| v - b));
    let noise = deviation(off.step_by(step));
    let ln_chance = ranked.ln_chance(&group, container, facts);
    let wrong = ranked.threshold(&group).1;
    Grouping { groups: groups as usize, inside: a, between: b, noise, wrong, ln_chance, group }
}

/// Moves hosts and joins groups while that makes the partition likelier: near pairs inside and far ones between, errors being
/// equally likely in both.
fn mend(ranked: &Ranked<'_>, group: &mut [u32], container: &[u32]) {
    let (near, _) = ranked.threshold(group);
    let n = group.len();
    // +1 for a near pair, -1 for a far one.
    let score = |i: usize, j: usize| -> i64 {
        let value = ranked.values[i * n + j];
        if value.is_nan() { 0 } else { 2 * i64::from(value <= near) - 1 }
    };
    for _ in 0..SWEEPS {
        let has_moved = move_hosts(group, container, &score);
        if !join_groups(group, container, &score) && !has_moved {
            break;
        }
    }
}

/// Host by host, to the group with most near pairs beyond the far ones; alone where no group has more near than far.
fn move_hosts(group: &mut [u32], container: &[u32], score: &impl Fn(usize, usize) -> i64) -> bool {
    let n = group.len();
    let mut sizes = vec![0_u32; n];
    for &g in group.iter() {
        sizes[g as usize] += 1;
    }
    let mut sums = vec![0_i64; n];
    let mut has_moved = false;
    for i in 0..n {
        sums.fill(0);
        for j in (0..n).filter(|&j| j != i && container[j] == container[i]) {
            sums[group[j] as usize] += score(i, j);
        }
        let own = group[i] as usize;
        let mut to = own;
        for g in 0..n {
            if sums[g] > sums[to] {
                to = g;
            }
        }
        if sums[to] < 0 {
            to = sizes.iter().position(|&size| size == 0).unwrap_or(own); // alone
        }
        sizes[own] -= 1;
        sizes[to] += 1;
        has_moved |= to != own;
        group[i] = to as u32;
    }
    has_moved
}

/// Group by group, into the one with most near pairs beyond the far ones.
fn join_groups(group: &mut [u32], container: &[u32], score: &impl Fn(usize, usize) -> i64) -> bool {
    let n = group.len();
    let mut sums = vec![0_i64; n * n];
    for i in 0..n {
        for j in (0..n).filter(|&j| group[j] != group[i] && container[j] == container[i]) {
            sums[group[i] as usize * n + group[j] as usize] += score(i, j);
        }
    }
    let mut into: Vec<u32> = (0..n as u32).collect();
    for g in 0..n {
        let Some(to) = (0..n)
            .filter(|&h| sums[g * n + h] > 0 && into[h] as usize == h && h != g)
            .max_by_key(|&h| (sums[g * n + h], n - h))
        else {
            continue;
        };
        into[g] = to as u32;
        for h in 0..n {
            if h != to {
                sums[to * n + h] += sums[g * n + h];
                sums[h * n + to] = sums[to * n + h];
            }
        }
    }
    let mut has_joined = false;
    for g in group {
        while into[*g as usize] != *g {
            *g = into[*g as usize];
            has_joined = true;
        }
    }
    has_joined
}

/// Trees of joined hosts.
struct Trees {
    sets: Sets,
    size: Vec<u32>,
}

impl Trees {
    fn new(n: usize) -> Self {
        Self { sets: Sets::new(n), size: vec![1; n] }
    }

    fn root(&mut self, host: u32) -> u32 {
        self.sets.first(host)
    }

    fn join(&mut self, a: u32, b: u32) {
        let (low, high) = (a.min(b), a.max(b));
        self.sets.join(low, high);
        self.size[low as usize] += self.size[high as usize];
    }
}
