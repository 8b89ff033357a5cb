use std::collections::BTreeMap;
use std::sync::atomic::AtomicBool;

use super::candidates::LeafPorts;
use super::columns::LinkColumns;
use super::finest;
use super::gain::{Counter, Maker, Numbers, SuspectClasses};
use super::*;
use crate::fabric::NodeId;
use crate::generate::generate;
use crate::model::load::testing::two_tier;
use crate::model::load::{Paths, Steps};
use crate::ranks::Participants;
use crate::routing::{self, Options};
use crate::sm::lids::{LidOptions, Lids};
use crate::sm::{Engine, Routes};

fn routed(spec: &str) -> (crate::fabric::Fabric, Routes) {
    let fabric = generate(spec).unwrap();
    let lids = Lids::assign(&fabric, Lids::default_sm(&fabric).unwrap(), &LidOptions::fresh()).unwrap();
    let routes = routing::route(&fabric, lids, &[Engine::FTree], &Options::default()).unwrap();
    (fabric, routes)
}

fn hosts(fabric: &crate::fabric::Fabric) -> Participants {
    let ports: Vec<_> = fabric
        .end_nodes()
        .flat_map(|node| fabric.ports_of(node))
        .filter(|&p| fabric.edge_switch(p).is_some())
        .collect();
    Participants::each_port(fabric, &ports)
}

fn campaign(spec: &str, given: &[Vec<Flow>], rounds: usize) -> Campaign {
    campaign_to(spec, given, &Goal { rounds, crossings: 2, seed: 1 })
}

fn campaign_to(spec: &str, given: &[Vec<Flow>], goal: &Goal) -> Campaign {
    let (fabric, routes) = routed(spec);
    let participants = hosts(&fabric);
    let paths = Paths::new(&fabric, &routes, participants.ports(), 0);
    choose(&AtomicBool::new(false), &paths, &participants, given, goal).unwrap()
}

/// Classes of links by the literal rows, as sets of flows: no fingerprints.
fn literal(spec: &str, rounds: &[Vec<Flow>]) -> usize {
    let (fabric, routes) = routed(spec);
    let participants = hosts(&fabric);
    let paths = Paths::new(&fabric, &routes, participants.ports(), 0);
    let n = participants.ports().len() as u32;
    let mut columns: BTreeMap<LinkId, Vec<(u32, u32)>> = BTreeMap::new();
    let mut suspects: Vec<LinkId> = Vec::new();
    let all: Vec<Flow> =
        (0..n).flat_map(|from| (0..n).map(move |to| Flow { from, to })).filter(|f| f.from != f.to).collect();
    let mut steps = Steps::default();
    paths.steps(&all, &mut steps);
    (0..all.len()).for_each(|f| suspects.extend(steps.of_flow(f)));
    for flow in rounds.iter().flatten() {
        paths.steps(&[*flow], &mut steps);
        steps.of_flow(0).for_each(|link| columns.entry(link).or_default().push((flow.from, flow.to)));
    }
    let mut found: Vec<Vec<(u32, u32)>> =
        suspects.into_iter().map(|link| columns.get(&link).cloned().unwrap_or_default()).collect();
    for column in &mut found {
        column.sort_unstable();
    }
    found.sort_unstable();
    found.dedup();
    found.len()
}

#[test]
fn every_link_of_a_tree_is_distinguished_in_a_few_rounds() {
    // 8 ports, 2 levels: 32 hosts on 8 leaves, 4 spines. Suspects: each host's link, 4 up and 4 down a leaf, in both directions.
    let found = campaign("fat-tree:8,2", &[], 16);
    assert_eq!(found.suspects, 2 * 32 + 2 * 32);
    assert_eq!((found.finest, found.classes), (128, 128));
    assert_eq!(found.inseparable, []);
    assert_eq!((found.uncrossed, found.unrouted), (0, 0));
    assert!(found.least_crossings >= 2);
    assert!(found.rounds.len() <= 12, "{}", found.rounds.len());
    let rounds: Vec<_> = found.rounds.iter().map(|round| round.flows.clone()).collect();
    assert_eq!(literal("fat-tree:8,2", &rounds), 128);
}

#[test]
fn rounds_between_leaves_alone_cannot_distinguish_a_spine_s_cable_from_the_host_s() {
    // By destination mod k a cable from a spine down to a leaf serves one host: the same flows cross both.
    let between: Vec<Vec<Flow>> = (1..8)
        .map(|offset| (0..32).map(|from| Flow { from, to: (from + 4 * offset) % 32 }).collect())
        .collect();
    let found = campaign("fat-tree:8,2", &between, 0);
    assert_eq!(found.rounds.len(), 7);
    assert!(found.classes < found.finest);
    assert!(found.inseparable.iter().all(|class| class.can_be_split));
    let down = found.inseparable.iter().filter(|class| class.links.len() == 2).count();
    assert_eq!(down, found.inseparable.len());
    assert_eq!(found.classes, literal("fat-tree:8,2", &between));
    // The rounds that are added to them split all.
    let more = campaign("fat-tree:8,2", &between, 8);
    assert_eq!(more.classes, more.finest);
    assert!(more.rounds.len() > 7);
}

#[test]
fn what_no_pair_can_split_is_said() {
    // Two hosts on one leaf: host 0's link up and host 1's link down carry the same single flow.
    let net = two_tier(1, 2, 1);
    let participants = Participants::each_port(&net.fabric, &net.hosts);
    let paths = Paths::new(&net.fabric, &net.routes, participants.ports(), 0);
    let goal = Goal { rounds: 8, crossings: 2, seed: 1 };
    let found = choose(&AtomicBool::new(false), &paths, &participants, &[], &goal).unwrap();
    assert_eq!((found.suspects, found.finest, found.classes), (4, 2, 2));
    assert_eq!(found.inseparable.len(), 2);
    assert!(found.inseparable.iter().all(|class| !class.can_be_split && class.links.len() == 2));
}

#[test]
fn no_round_is_measured_twice() {
    let rounds = campaign_to("fat-tree:8,2", &[], &Goal { rounds: 16, crossings: 8, seed: 1 }).rounds;
    let flows: std::collections::BTreeSet<_> = rounds.iter().map(|round| &round.flows).collect();
    assert_eq!(flows.len(), rounds.len());
}

#[test]
fn flows_of_a_round_are_disjoint() {
    for round in campaign("fat-tree:8,2", &[], 16).rounds {
        let (mut from, mut to): (Vec<_>, Vec<_>) = round.flows.iter().map(|f| (f.from, f.to)).unzip();
        for side in [&mut from, &mut to] {
            let all = side.len();
            side.sort_unstable();
            side.dedup();
            assert_eq!(side.len(), all);
        }
    }
}

#[test]
fn the_gain_of_a_candidate_is_what_its_columns_add() {
    // The literal rows: all columns with the candidate's flows, less those without.
    let (fabric, routes) = routed("fat-tree:8,2");
    let participants = hosts(&fabric);
    let paths = Paths::new(&fabric, &routes, participants.ports(), 0);
    let suspects = finest::of_all_pairs(&paths).0.crossed();
    let numbers = Numbers::of(paths.links().len(), &suspects);
    let order = LeafPorts::of(&participants);
    let goal = Goal { rounds: 0, crossings: 3, seed: 0 };
    let (mut columns, mut steps) = (LinkColumns::new(paths.links().len()), Steps::default());
    let mut counter = Counter::default();
    let kinds: Vec<Kind> = order.regular().into_iter().chain(LeafPorts::random(5, 0)).collect();
    let lacks = |columns: &LinkColumns| -> u64 {
        suspects.iter().map(|&link| u64::from(3_u32.saturating_sub(columns.crossings[link as usize]))).sum()
    };
    let (mut free, mut shared) = (0, 0);
    for taken in [Kind::Shift(3), Kind::Random(9), Kind::Inside(1), Kind::Leaves(2, 1)] {
        let classes = SuspectClasses::of(&columns, &suspects, &goal);
        for &kind in &kinds {
            let candidate = Maker::default().make(&paths, &numbers, &order, kind);
            let (flows, mut after) = (order.flows(kind), columns.clone());
            paths.steps(&flows, &mut steps);
            assert_eq!(after.add(&flows, &steps).0, candidate.contention);
            let gain = classes.gain(&candidate, &order, &mut counter);
            assert_eq!(gain.splits, after.progress(&suspects) - columns.progress(&suspects), "{kind}");
            assert_eq!(gain.crosses, lacks(&columns) - lacks(&after), "{kind}");
            *(if candidate.contention > 1 { &mut shared } else { &mut free }) += 1;
        }
        let flows = order.flows(taken);
        paths.steps(&flows, &mut steps);
        columns.add(&flows, &steps);
    }
    assert!(free > 50 && shared > 50, "{free} {shared}");
}

/// Columns of all pairs by the literal rows, a path for every flow.
fn all_pairs(paths: &Paths<'_>) -> (LinkColumns, u64) {
    let n = paths.ports().len() as u32;
    let (mut columns, mut steps, mut unrouted) = (LinkColumns::new(paths.links().len()), Steps::default(), 0);
    for from in 0..n {
        let flows: Vec<Flow> = (0..n).filter(|&to| to != from).map(|to| Flow { from, to }).collect();
        paths.steps(&flows, &mut steps);
        unrouted += columns.add(&flows, &steps).1;
    }
    (columns, unrouted)
}

#[test]
fn columns_of_all_pairs_are_those_of_every_flow() {
    for (spec, lost) in [("fat-tree:8,2", 0), ("fat-tree:8,2", 3), ("torus:3x3", 0), ("fat-tree:4,3", 1)] {
        let fabric = generate(spec).unwrap();
        let lids = Lids::assign(&fabric, Lids::default_sm(&fabric).unwrap(), &LidOptions::fresh()).unwrap();
        let mut routes = routing::route(&fabric, lids, &[Engine::MinHop], &Options::default()).unwrap();
        let participants = hosts(&fabric);
        // Some switches lack a route to some hosts: one of them the switch that the host hangs off.
        for k in 0..lost {
            let lid = routes.lids.base(participants.ports()[7 * k]) as usize;
            let switch =
                if k == 1 { fabric.edge_switch(participants.ports()[7]).unwrap() } else { NodeId(k as u32) };
            routes.lft.row_mut(switch)[lid] = 255;
        }
        let paths = Paths::new(&fabric, &routes, participants.ports(), 0);
        let (literal, found) = (all_pairs(&paths), finest::of_all_pairs(&paths));
        assert_eq!(found.1, literal.1, "{spec}");
        assert_eq!(found.1 > 0, lost > 0, "{spec}");
        assert_eq!(found.0.crossings, literal.0.crossings, "{spec}");
        let suspects = literal.0.crossed();
        assert_eq!(found.0.classes(&suspects), literal.0.classes(&suspects), "{spec}");
        assert_eq!(found.0.inseparable(&suspects, &found.0), literal.0.inseparable(&suspects, &literal.0));
    }
}
