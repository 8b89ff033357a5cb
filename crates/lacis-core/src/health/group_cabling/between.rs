//! Global cables where single pairs of switches are not known: how many each switch has to each other group, or else how many
//! each two groups and each switch have.

use rustc_hash::FxHashMap;

use super::super::facts::PairPeers;
use super::differences::Difference;
use super::expected::usual;
use super::plane::{Pair, Plane, ordered};

/// What is known of global cables.
pub(super) struct Between {
    /// What is wrong, by switches.
    pub differences: Vec<Difference>,
    /// Pairs of groups with too few cables that no difference explains: the two, what they have and should have.
    pub thin: Vec<(Pair, u32, u32)>,
    /// Pairs, of switch and group or of two groups, that have what is expected.
    pub peers: PairPeers,
}

/// By switch and group: global cables too many, or too few.
type Left = FxHashMap<(usize, usize), i32>;

/// What is wrong with global cables; none where neither switches nor groups agree.
pub(super) fn between(plane: &Plane) -> Option<Between> {
    by_switch(plane).or_else(|| by_pair(plane))
}

/// Where every switch has as many cables to each other group.
fn by_switch(plane: &Plane) -> Option<Between> {
    let groups = plane.num_groups();
    let cells: Vec<(usize, usize)> = (0..plane.switches.len())
        .filter(|&s| plane.is_global[s])
        .flat_map(|s| (0..groups).filter(move |&g| g != plane.group[s]).map(move |g| (s, g)))
        .collect();
    let have: Vec<u32> = cells.iter().map(|&(s, g)| plane.to_group(s, g)).collect();
    let all = usual(have.iter().copied())?;
    let differences = cells.iter().zip(&have).map(|(&cell, &n)| (cell, excess(n, all)));
    let mut left: Left = differences.filter(|&(_, n)| n != 0).collect();
    let agreeing = cells.len() - left.len();
    let mut out = moves_between(plane, &mut left);
    out.extend(moves_within(plane, &mut left));
    out.extend(missing(plane, &mut left));
    Some(Between { differences: out, thin: Vec::new(), peers: PairPeers { agreeing, of: cells.len() } })
}

/// How many cables more than expected, or below 0 how many fewer.
fn excess(have: u32, expected: u32) -> i32 {
    have.cast_signed() - expected.cast_signed()
}

fn sorted(left: &Left, wanted: impl Fn(i32) -> bool) -> Vec<(usize, usize)> {
    let mut all: Vec<(usize, usize)> =
        left.iter().filter(|&(_, &n)| wanted(n)).map(|(&cell, _)| cell).collect();
    all.sort_unstable();
    all
}

fn at(left: &Left, s: usize, g: usize) -> i32 {
    left.get(&(s, g)).copied().unwrap_or(0)
}

/// A cable of `a` that leads to group `k` instead of `h`: at both ends a switch has one too many, and one of `h` one too few.
fn moves_between(plane: &Plane, left: &mut Left) -> Vec<Difference> {
    let mut out = Vec::new();
    for (a, k) in sorted(left, |n| n > 0) {
        let own = plane.group[a];
        let wrong =
            plane.global_neighbours(a).into_iter().find(|&c| plane.group[c] == k && at(left, c, own) > 0);
        let right =
            sorted(left, |n| n < 0).into_iter().find(|&(b, g)| g == own && at(left, a, plane.group[b]) < 0);
        let (Some(wrong), Some((right, _))) = (wrong, right) else { continue };
        for (s, g, n) in [(a, k, -1), (wrong, own, -1), (a, plane.group[right], 1), (right, own, 1)] {
            *left.entry((s, g)).or_insert(0) += n;
        }
        out.push(Difference::Moved { kept: a, wrong, right });
    }
    out
}

/// A cable from another group that is on `b'` instead of `b` of the same group: one has one too many, the other one too few.
fn moves_within(plane: &Plane, left: &mut Left) -> Vec<Difference> {
    let mut out = Vec::new();
    for (wrong, g) in sorted(left, |n| n > 0) {
        let is_beside = |s: usize| plane.group[s] == plane.group[wrong];
        let right = sorted(left, |n| n < 0).into_iter().find(|&(s, other)| other == g && is_beside(s));
        let Some((right, _)) = right else { continue };
        *left.entry((wrong, g)).or_insert(0) -= 1;
        *left.entry((right, g)).or_insert(0) += 1;
        out.push(moved_from(plane, g, wrong, right));
    }
    out
}

/// A cable between a group and `wrong` that belongs on `right`: the only one of these, or one of several.
fn moved_from(plane: &Plane, group: usize, wrong: usize, right: usize) -> Difference {
    let kept = plane.global_neighbours(wrong).into_iter().find(|&s| plane.group[s] == group);
    match kept.filter(|_| plane.to_group(wrong, group) == 1) {
        Some(kept) => Difference::Moved { kept, wrong, right },
        None => Difference::OneMoved { wrong, right },
    }
}

/// A switch of each of two groups with too few cables to the other.
fn missing(plane: &Plane, left: &mut Left) -> Vec<Difference> {
    let mut out: Vec<Difference> = Vec::new();
    for (a, g) in sorted(left, |n| n < 0) {
        while at(left, a, g) < 0 {
            let own = plane.group[a];
            let far =
                sorted(left, |n| n < 0).into_iter().find(|&(b, other)| other == own && plane.group[b] == g);
            let Some((b, _)) = far else { break };
            *left.entry((a, g)).or_insert(0) += 1;
            *left.entry((b, own)).or_insert(0) += 1;
            let pair = ordered(a, b);
            match out.last_mut() {
                Some(Difference::Missing(last, n)) if *last == pair => *n += 1,
                _ => out.push(Difference::Missing(pair, 1)),
            }
        }
    }
    out
}

/// Where each two groups have as many cables, and each switch as many global ones.
fn by_pair(plane: &Plane) -> Option<Between> {
    let groups = plane.num_groups();
    let pairs: Vec<Pair> = (0..groups).flat_map(|a| (a + 1..groups).map(move |b| (a, b))).collect();
    let have: Vec<u32> = pairs.iter().map(|&(a, b)| plane.between_groups(a, b)).collect();
    let expected = usual(have.iter().copied())?;
    let members: Vec<usize> = (0..plane.switches.len()).filter(|&s| plane.is_global[s]).collect();
    let of_switch = usual(members.iter().map(|&s| plane.global_cables(s)))?;
    // By switch: global cables too many, or too few.
    let mut own: FxHashMap<usize, i32> = FxHashMap::default();
    own.extend(members.iter().map(|&s| (s, excess(plane.global_cables(s), of_switch))));
    let mut left: FxHashMap<Pair, i32> =
        pairs.iter().zip(&have).map(|(&pair, &n)| (pair, excess(n, expected))).collect();
    let peers = PairPeers { agreeing: left.values().filter(|&&n| n == 0).count(), of: left.len() };

    let mut differences = Vec::new();
    let in_group = |g: usize, own: &FxHashMap<usize, i32>, wanted: fn(i32) -> bool| {
        members.iter().copied().find(|&s| plane.group[s] == g && wanted(own[&s]))
    };
    // A cable too many between two groups, where one beside it has one too few.
    for &(g, k) in pairs.iter().filter(|pair| left[pair] > 0).collect::<Vec<_>>() {
        for (keeps, loses) in [(g, k), (k, g)] {
            let Some(wrong) = in_group(loses, &own, |n| n > 0) else { continue };
            let right = (0..groups)
                .filter(|&h| h != keeps && left[&ordered(keeps, h)] < 0)
                .find_map(|h| in_group(h, &own, |n| n < 0));
            let Some(right) = right else { continue };
            *left.entry((g, k)).or_insert(0) -= 1;
            *left.entry(ordered(keeps, plane.group[right])).or_insert(0) += 1;
            *own.entry(wrong).or_insert(0) -= 1;
            *own.entry(right).or_insert(0) += 1;
            differences.push(moved_from(plane, keeps, wrong, right));
            break;
        }
    }
    let mut thin = Vec::new();
    for (&(g, h), &n) in pairs.iter().zip(&have) {
        let mut placed = 0;
        while left[&(g, h)] + placed < 0 {
            let ends = in_group(g, &own, |n| n < 0).zip(in_group(h, &own, |n| n < 0));
            let Some((a, b)) = ends else { break };
            *own.entry(a).or_insert(0) += 1;
            *own.entry(b).or_insert(0) += 1;
            placed += 1;
            differences.push(Difference::Missing(ordered(a, b), 1));
        }
        if left[&(g, h)] + placed < 0 {
            thin.push(((g, h), n, expected));
        }
    }
    // A switch with one too many beside one of its group with one too few, though its group lacks none.
    for g in 0..groups {
        while let Some(wrong) = in_group(g, &own, |n| n > 0)
            && let Some(right) = in_group(g, &own, |n| n < 0)
        {
            *own.entry(wrong).or_insert(0) -= 1;
            *own.entry(right).or_insert(0) += 1;
            differences.push(Difference::OneMoved { wrong, right });
        }
    }
    Some(Between { differences, thin, peers })
}
