//! What pairs of switches should have, and what is to be done, in groups that are drawn by counts alone.

use rustc_hash::FxHashMap;

use super::super::facts::PairPeers;
use super::between::between;
use super::differences::{Difference, differences};
use super::expected::Expected;
use super::plane::{Pair, Plane};
use crate::fabric::{GroupKind, NodeId};

/// Groups of so many switches each, numbered group by group, with so many cables between some two.
fn plane(groups: usize, size: usize, cables: &[(Pair, u16)]) -> Plane {
    let switches = groups * size;
    Plane {
        kind: GroupKind::Dragonfly,
        switches: (0..switches).map(|s| NodeId(s as u32)).collect(),
        group: (0..switches).map(|s| s / size).collect(),
        is_global: vec![true; switches],
        is_leaf: vec![true; switches],
        is_whole: vec![true; switches],
        count: cables.iter().copied().collect(),
        ports: FxHashMap::default(),
        members: (0..groups).map(|g| (g * size..(g + 1) * size).collect()).collect(),
    }
}

#[test]
fn a_group_has_a_number_of_its_own_where_more_than_three_pairs_show_it() {
    // Four groups, all pairs of each joined by one cable, those of the first by two.
    let of_first = |size: usize| {
        let pairs = (0..4 * size).flat_map(|a| (a + 1..4 * size).map(move |b| (a, b)));
        let within = pairs.filter(|(a, b)| a / size == b / size);
        let cables: Vec<(Pair, u16)> = within.map(|pair| (pair, if pair.0 < size { 2 } else { 1 })).collect();
        Expected::of(&plane(4, size, &cables)).of[&(0, 1)]
    };
    assert_eq!((of_first(3), of_first(4)), (1, 2));
}

#[test]
fn two_groups_have_a_number_of_their_own_where_more_than_two_columns_show_it() {
    // Five groups; each switch is joined to those of its number in other groups by a cable, and those of the first two by two.
    let of_first = |columns: usize| {
        let groups = (0..5).flat_map(|g| (g + 1..5).map(move |h| (g, h)));
        let pairs = groups.flat_map(|(g, h)| (0..columns).map(move |c| (g * columns + c, h * columns + c)));
        let is_first = |pair: Pair| pair.1 < 2 * columns;
        let cables: Vec<(Pair, u16)> = pairs.map(|pair| (pair, if is_first(pair) { 2 } else { 1 })).collect();
        let expected = Expected::of(&plane(5, columns, &cables));
        (expected.between, expected.of[&(0, columns)])
    };
    assert_eq!((of_first(2), of_first(3)), ((true, 1), (true, 2)));
}

#[test]
fn cables_too_many_and_too_few_are_exchanged_moved_missing_or_stray() {
    // Four switches of a group, each two with a cable, but for some; what is expected of the pair of the last two.
    let found = |but: &[(Pair, u16)], last: u16, is_whole: bool| {
        let pairs = (0..4).flat_map(|a| (a + 1..4).map(move |b| (a, b)));
        let mut of: FxHashMap<Pair, u16> = pairs.map(|pair| (pair, 1)).collect();
        let all: Vec<(Pair, u16)> =
            of.iter().map(|(&pair, &n)| (pair, n)).chain(but.iter().copied()).collect();
        of.insert((2, 3), last);
        let mut plane = plane(1, 4, &all);
        plane.is_whole[0] = is_whole;
        differences(&plane, &Expected { of, between: false, peers: [PairPeers { agreeing: 0, of: 0 }; 2] })
    };
    // Two too many and two too few in a ring; without the second one too many, one is moved and one missing.
    let ring = [((0, 3), 2), ((1, 2), 2), ((0, 1), 0), ((2, 3), 0)];
    assert_eq!(found(&ring, 1, true), [Difference::Exchanged((0, 3), (2, 1))]);
    let moved = Difference::Moved { kept: 0, wrong: 3, right: 1 };
    let but_one = [ring[0], ring[2], ring[3]];
    assert_eq!(found(&but_one, 1, true), [moved, Difference::Missing((2, 3), 1)]);
    // One too many alone is no fault, unless none is expected.
    assert_eq!(found(&[((2, 3), 2)], 1, true), []);
    assert_eq!(found(&[], 0, true), [Difference::Stray((2, 3))]);
    // A switch with few of its cables has a plan of its own.
    assert_eq!(found(&[((0, 1), 0)], 1, true), [Difference::Missing((0, 1), 1)]);
    assert_eq!(found(&[((0, 1), 0)], 1, false), []);
}

#[test]
fn global_cables_that_switches_have_to_groups_show_what_is_wrong() {
    // Three groups of two switches: each switch has so many cables to each other group, but for some pairs.
    let found = |each: u16, but: &[(Pair, u16)]| {
        let regular = [(0, 2), (1, 3), (0, 4), (1, 5), (2, 4), (3, 5)];
        let cables: Vec<(Pair, u16)> =
            regular.into_iter().map(|pair| (pair, each)).chain(but.iter().copied()).collect();
        between(&plane(3, 2, &cables)).unwrap().differences
    };
    assert_eq!(found(1, &[]), []);
    // All cables of a pair are missing.
    assert_eq!(found(2, &[((0, 2), 0)]), [Difference::Missing((0, 2), 2)]);
    // Switch 0's cable to switch 2 is on switch 5 of the third group, to which it should have one only, that to switch 4.
    let moved = Difference::Moved { kept: 0, wrong: 5, right: 2 };
    assert_eq!(found(1, &[((0, 2), 0), ((0, 5), 1)]), [moved]);
    // A cable more between the first two groups, and one fewer between the others, in other switches.
    assert_eq!(found(1, &[((0, 3), 1), ((2, 4), 0)]), [Difference::Missing((2, 4), 1)]);
}

/// Five groups of four switches each. The first three of a group are joined to those of their number in all other groups; `others`
/// are cables of the fourth ones.
fn columns(others: &[Pair]) -> Expected {
    let groups = || (0..5).flat_map(|g| (g + 1..5).map(move |h| (g, h)));
    let regular = (0..3).flat_map(|c| groups().map(move |(g, h)| (4 * g + c, 4 * h + c)));
    let cables: Vec<(Pair, u16)> = regular.chain(others.iter().copied()).map(|pair| (pair, 1)).collect();
    Expected::of(&plane(5, 4, &cables))
}

#[test]
fn a_switch_that_has_no_column_of_its_own_is_not_judged_and_of_ten_one_may_have_none() {
    // The fourth of the first group is cabled to the first of the second, whose column has a switch of the first group.
    let expected = columns(&[(3, 4)]);
    assert!(expected.between && !expected.of.contains_key(&(3, 4)));
    // Ten pairs of groups, three columns.
    assert_eq!((expected.peers[1].agreeing, expected.peers[1].of), (30, 30));
    // Two of 17 are more than one in ten.
    assert!(!columns(&[(3, 4), (7, 9)]).between);
}

#[test]
fn a_switch_whose_cables_are_astray_has_the_column_of_most_of_its_neighbours() {
    // Seven groups of four switches in columns. Switch 0 has cables to its own column in the second, fourth and sixth group only, and
    // one to each of the others in between.
    let groups = || (0..7).flat_map(|g| (g + 1..7).map(move |h| (g, h)));
    let regular = (0..4).flat_map(|c| groups().map(move |(g, h)| (4 * g + c, 4 * h + c)));
    let astray = [(0, 4), (0, 9), (0, 12), (0, 18), (0, 20), (0, 27)];
    let cables: Vec<(Pair, u16)> =
        regular.filter(|pair| pair.0 != 0).chain(astray).map(|pair| (pair, 1)).collect();
    let expected = Expected::of(&plane(7, 4, &cables));
    let to: Vec<u16> = [8, 9, 16, 18, 24, 27].map(|other| expected.of[&(0, other)]).to_vec();
    assert_eq!(to, [1, 0, 1, 0, 1, 0]);
}

#[test]
fn a_cable_between_wrong_groups_belongs_to_two_that_have_too_few() {
    // Five groups of four switches; each two groups have a cable, and each switch one.
    let groups = (0..5).flat_map(|g| (g + 1..5).map(move |h| (g, h)));
    let regular = groups.map(|(g, h)| (4 * g + h - 1, 4 * h + g));
    // Switch 2's cable to switch 12, of the fourth group, is on switch 5, of the second. The third and the fourth group lack one,
    // too, but of these no cable is too many elsewhere.
    let is_there = |pair: &Pair| ![(2, 12), (10, 14)].contains(pair);
    let cables: Vec<(Pair, u16)> = regular.filter(is_there).chain([(2, 5)]).map(|pair| (pair, 1)).collect();
    let moved = Difference::Moved { kept: 2, wrong: 5, right: 12 };
    assert_eq!(
        between(&plane(5, 4, &cables)).unwrap().differences,
        [moved, Difference::Missing((10, 14), 1)]
    );
}
