//! How many cables each two switches of a plane with groups should have.
//!
//! Within a group all pairs have as many as most of the group, or of all groups, have. Between groups one of these holds:
//! every switch has as many to every switch of other groups; or switches fall into *columns* with one switch of each group, and
//! a switch has cables to its own column alone. Where neither does, single pairs are not known, only how many cables each switch
//! and each two groups have ([`super::between`]).

use rustc_hash::FxHashMap;

use super::super::facts::PairPeers;
use super::super::majority::agree;
use super::plane::{Pair, Plane};

/// Most cables that may break a pattern for it to count: one in so many.
const BREAKING: usize = 10;

/// What pairs should have.
pub(super) struct Expected {
    /// By pair; pairs that are not here are not judged.
    pub of: FxHashMap<Pair, u16>,
    /// Whether pairs in different groups are among them.
    pub between: bool,
    /// Pairs within groups that have what is expected, and pairs between groups.
    pub peers: [PairPeers; 2],
}

impl Expected {
    pub fn of(plane: &Plane) -> Self {
        let none = PairPeers { agreeing: 0, of: 0 };
        let mut expected = Self { of: FxHashMap::default(), between: false, peers: [none; 2] };
        expected.within(plane);
        expected.peers[0] = expected.agreeing(plane, true);
        if let Some(between) = full(plane).or_else(|| columns(plane)) {
            expected.of.extend(between);
            expected.between = true;
            expected.peers[1] = expected.agreeing(plane, false);
        }
        // No cable joins other pairs: two leaves, a leaf and a spine of another group.
        let odd = plane.count.keys().filter(|&&pair| plane.is_odd(pair));
        expected.of.extend(odd.map(|&pair| (pair, 0)));
        expected
    }

    fn within(&mut self, plane: &Plane) {
        let pairs: Vec<Vec<Pair>> = (0..plane.num_groups()).map(|group| plane.pairs_within(group)).collect();
        let overall = usual(pairs.iter().flatten().map(|&pair| plane.at(pair)));
        for of_group in pairs.iter().filter(|pairs| !pairs.is_empty()) {
            let own = usual(of_group.iter().map(|&pair| plane.at(pair))).filter(|_| of_group.len() > 3);
            // Where pairs do not agree nothing is judged.
            let Some(all) = own.or(overall) else { continue };
            self.of.extend(of_group.iter().map(|&pair| (pair, all)));
        }
    }

    /// The pairs within groups, or between, that have what is expected, of those that should have cables.
    fn agreeing(&self, plane: &Plane, within: bool) -> PairPeers {
        let (mut agreeing, mut of) = (0, 0);
        for (&pair, &n) in self.of.iter().filter(|&(&pair, &n)| n > 0 && plane.is_within(pair) == within) {
            of += 1;
            agreeing += usize::from(plane.at(pair) == n);
        }
        PairPeers { agreeing, of }
    }
}

/// The number that two thirds of some have, if it is not 0.
pub(super) fn usual<T: Copy + Ord + Default + std::hash::Hash>(values: impl Iterator<Item = T>) -> Option<T> {
    let mut counts: FxHashMap<T, usize> = FxHashMap::default();
    values.for_each(|value| *counts.entry(value).or_insert(0) += 1);
    let all: usize = counts.values().sum();
    let most = counts.into_iter().max_by_key(|&(value, n)| (n, value));
    most.filter(|&(value, n)| value != T::default() && agree(n, all)).map(|(value, _)| value)
}

/// What pairs between groups should have where all have as many.
fn full(plane: &Plane) -> Option<Vec<(Pair, u16)>> {
    let pairs = plane.pairs_between();
    let n = usual(pairs.iter().map(|&pair| plane.at(pair)))?;
    Some(pairs.into_iter().map(|pair| (pair, n)).collect())
}

/// What pairs between groups should have where switches fall into columns.
fn columns(plane: &Plane) -> Option<Vec<(Pair, u16)>> {
    let column = column_of(plane)?;
    let pairs = plane.pairs_between();
    let same = |&(a, b): &Pair| column[a].is_some() && column[a] == column[b];
    let usual_of_all = usual(pairs.iter().filter(|pair| same(pair)).map(|&pair| plane.at(pair)))?;
    // Two groups may have a number of their own.
    let mut of_groups: FxHashMap<Pair, Vec<u16>> = FxHashMap::default();
    for &(a, b) in pairs.iter().filter(|pair| same(pair)) {
        of_groups.entry((plane.group[a], plane.group[b])).or_default().push(plane.at((a, b)));
    }
    let own = |(a, b): Pair| {
        let all = of_groups.get(&(plane.group[a], plane.group[b]));
        all.filter(|all| all.len() > 2).and_then(|all| usual(all.iter().copied()))
    };
    let number = |pair: Pair| if same(&pair) { own(pair).unwrap_or(usual_of_all) } else { 0 };
    let (mut breaking, mut all) = (0, 0);
    for &pair in &pairs {
        breaking += usize::from(plane.at(pair).abs_diff(number(pair)));
        all += usize::from(number(pair));
    }
    let known = |&(a, b): &Pair| column[a].is_some() && column[b].is_some();
    let counts = |&(pair, n): &(Pair, u16)| n > 0 || plane.at(pair) > 0;
    let numbered = pairs.iter().copied().filter(known).map(|pair| (pair, number(pair)));
    (BREAKING * breaking <= all).then(|| numbered.filter(counts).collect())
}

/// The first switch of a switch's column.
fn first(column: &mut [usize], mut s: usize) -> usize {
    while column[s] != s {
        column[s] = column[column[s]];
        s = column[s];
    }
    s
}

/// The column of each switch that has global cables, where nearly all are in one: switches that are cabled to each other, and to
/// the same others.
fn column_of(plane: &Plane) -> Option<Vec<Option<usize>>> {
    let size = plane.switches.len();
    let near: Vec<Vec<usize>> = (0..size).map(|s| plane.global_neighbours(s)).collect();
    let with_global = near.iter().filter(|near| !near.is_empty()).count();
    let mut column: Vec<usize> = (0..size).collect();
    for s in 0..size {
        for &t in near[s].iter().filter(|&&t| t > s) {
            // Both count themselves, and each other.
            let both = 2 + near[s].iter().filter(|other| near[t].binary_search(other).is_ok()).count();
            let either = near[s].len() + near[t].len() + 2 - both;
            if 2 * both > either {
                let (a, b) = (first(&mut column, s), first(&mut column, t));
                column[a.max(b)] = a.min(b);
            }
        }
    }
    let mut of: Vec<Option<usize>> = vec![None; size];
    let mut taken: FxHashMap<Pair, usize> = FxHashMap::default();
    let mut members = vec![0; size];
    for s in 0..size {
        members[first(&mut column, s)] += 1;
    }
    let mut alone = 0;
    for s in (0..size).filter(|&s| !near[s].is_empty()) {
        let c = first(&mut column, s);
        if members[c] > 1 && taken.insert((c, plane.group[s]), s).is_none() {
            of[s] = Some(c);
        } else {
            alone += 1;
        }
    }
    if BREAKING * alone > with_global {
        return None;
    }
    // What is in none belongs to the column of most of its neighbours that has no switch of its group.
    for s in (0..size).filter(|&s| of[s].is_none()).collect::<Vec<_>>() {
        let mut votes: Vec<usize> = near[s].iter().filter_map(|&t| of[t]).collect();
        votes.sort_unstable();
        let best = votes.chunk_by(|a, b| a == b).max_by_key(|run| run.len()).map(|run| run[0]);
        of[s] = best.filter(|&c| taken.insert((c, plane.group[s]), s).is_none());
    }
    Some(of)
}
