//! Hosts that a measurement puts on another leaf than the cables do: a cable or a name was swapped.

use super::hosts::PairFit;
use super::ranks::Ranked;
use super::stats::{deviation, ln_chance_of_ranks, median};
use super::table::both_directions;

/// Leaves are distinct if noise separates pairs so well with less than this chance, ln.
const LN_ALPHA: f64 = -9.21; // 1 in 10,000
const LEAST_GAP: f64 = 1.5;
/// The least share of pairs assumed on the wrong side.
const LEAST_WRONG: f64 = 0.01;
/// How much likelier another leaf must be than the host's own, ln, before the numbers of hosts and leaves count: 1 in 10,000.
const LN_SURE: f64 = 9.21;

/// A host that is measured among the hosts of another leaf.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Misplaced {
    /// The host.
    pub host: u32,
    /// Its leaf by the cables.
    pub leaf: u32,
    /// The leaf whose hosts it is near.
    pub among: u32,
    /// Near pairs and known pairs with hosts of its own leaf.
    pub own: (u32, u32),
    /// The same for the other leaf.
    pub other: (u32, u32),
}

/// How a measurement and the cables agree about leaves.
#[derive(Clone, Debug, Default)]
pub struct LeafAgreement {
    /// Whether pairs inside leaves and between them differ by more than noise does.
    pub is_clear: bool,
    /// Known pairs inside leaves, without direction.
    pub inside_pairs: usize,
    /// Median of pairs inside leaves, relative to the level.
    pub inside: f64,
    /// And between leaves.
    pub between: f64,
    /// Robust deviation of pairs from these.
    pub noise: f64,
    /// Hosts measured on another leaf; only if `is_clear`.
    pub misplaced: Vec<Misplaced>,
}

/// Compares the table with the leaf of each host. Where pairs differ by less than `least` they do not differ.
pub fn compare(n: usize, excess: &[f64], leaf: &[u32], least: f64) -> LeafAgreement {
    let (fit, _) = PairFit::of(n, excess, 2, |i, j| usize::from(leaf[i] != leaf[j]));
    let values = both_directions(n, &fit.without_hosts(n, excess));
    let ranked = Ranked::of(n, &values);
    let (mut inside, mut between) = (Vec::new(), Vec::new());
    let mut sum = 0.0;
    for i in 0..n {
        for j in (0..i).filter(|j| !values[i * n + j].is_nan()) {
            if leaf[i] == leaf[j] {
                inside.push(values[i * n + j]);
                sum += ranked.ranks[i * n + j];
            } else {
                between.push(values[i * n + j]);
            }
        }
    }
    let count = inside.len();
    if count == 0 || between.is_empty() {
        return LeafAgreement { inside_pairs: count, ..LeafAgreement::default() };
    }
    let (a, b) = (median(&mut inside), median(&mut between));
    let noise = deviation(inside.iter().map(|v| v - a).chain(between.iter().map(|v| v - b)));
    let chance = ln_chance_of_ranks(count, ranked.pairs(), ranked.mean(sum, count));
    let is_clear = chance < LN_ALPHA && b - a > (LEAST_GAP * noise).max(least);
    let misplaced = if is_clear { misplaced(n, &ranked, leaf) } else { Vec::new() };
    LeafAgreement { is_clear, inside_pairs: count, inside: a, between: b, noise, misplaced }
}

/// Near and known pairs of a host with the hosts of each leaf.
fn count(ranked: &Ranked<'_>, leaf: &[u32], near: f64, host: usize, counts: &mut [(u32, u32)]) {
    let n = leaf.len();
    counts.fill((0, 0));
    for j in (0..n).filter(|&j| j != host && !ranked.values[host * n + j].is_nan()) {
        let (yes, known) = &mut counts[leaf[j] as usize];
        *yes += u32::from(ranked.values[host * n + j] <= near);
        *known += 1;
    }
}

/// Near pairs less far ones: how much likelier the host is on that leaf, errors being equally likely in both.
fn score((yes, known): (u32, u32)) -> f64 {
    2.0 * f64::from(yes) - f64::from(known)
}

/// The leaf with the best score, of those that are wanted.
fn best(counts: &[(u32, u32)], wanted: impl Fn(u32) -> bool) -> Option<(u32, (u32, u32))> {
    let all = (0..).zip(counts.iter().copied()).filter(|&(leaf, _)| wanted(leaf));
    all.max_by(|a, b| score(a.1).total_cmp(&score(b.1)).then(b.0.cmp(&a.0)))
}

fn misplaced(n: usize, ranked: &Ranked<'_>, leaf: &[u32]) -> Vec<Misplaced> {
    let leaves = leaf.iter().copied().max().map_or(0, |most| most as usize + 1);
    let mut counts = vec![(0_u32, 0_u32); leaves];
    let (near, _) = ranked.threshold(leaf);
    // How often a pair is on the wrong side when every host counts as on the leaf where it seems to be.
    let seems: Vec<u32> = (0..n)
        .map(|host| {
            count(ranked, leaf, near, host, &mut counts);
            best(&counts, |_| true)
                .filter(|(_, counts)| score(*counts) > 0.0)
                .map_or(leaf[host], |(to, _)| to)
        })
        .collect();
    let (near, wrong) = ranked.threshold(&seems);
    let wrong = wrong.max(LEAST_WRONG);
    let weight = ((1.0 - wrong) / wrong).ln();
    let sure = LN_SURE + ((n * leaves) as f64).ln();
    let mut found = Vec::new();
    for host in 0..n {
        count(ranked, leaf, near, host, &mut counts);
        let own = counts[leaf[host] as usize];
        let Some((among, other)) = best(&counts, |other| other != leaf[host]) else { continue };
        let is_near = 2 * other.0 > other.1 && 2 * own.0 <= own.1;
        if is_near && weight * (score(other) - score(own)) > sure {
            found.push(Misplaced { host: host as u32, leaf: leaf[host], among, own, other });
        }
    }
    found
}
