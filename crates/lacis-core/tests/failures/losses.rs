//! Pairs lost, against every pair traced one by one.

use lacis_core::fabric::{NodeId, Population, PortId};
use lacis_core::failures::{Losses, Managed, PairFate, Survivors};
use lacis_core::sm::Engine;
use lacis_core::verify::{Verdict, trace};

use super::{after, managed};

fn delivered(managed: &Managed, from: PortId, to: PortId) -> bool {
    let lid = managed.routes().lids.base(to);
    trace(managed.fabric(), managed.routes(), from, lid).verdict == Verdict::Delivered
}

/// Whether cables join two switches, by repeated relaxation.
fn joined(managed: &Managed, a: NodeId, b: NodeId) -> bool {
    let f = managed.fabric();
    let mut reached = vec![a];
    for _ in 0..f.num_switches() {
        let far: Vec<NodeId> = reached
            .iter()
            .flat_map(|&s| f.ports_of(s))
            .filter_map(|p| f.peer(p))
            .map(|p| f.node_of(p))
            .collect();
        reached.extend(far.into_iter().filter(|&n| f.is_switch(n)));
        reached.sort_unstable();
        reached.dedup();
    }
    reached.contains(&b)
}

fn one_by_one(before: &Managed, after: &Managed) -> Losses {
    let (old, new) = (before.fabric(), after.fabric());
    let mut losses = Losses::default();
    let ports = before.whole().end_ports(Population::All);
    for &p in &ports {
        let there = after.present().has(new.node_of(p));
        match (old.edge_switch(p).is_some(), new.edge_switch(p).is_some()) {
            (true, false) if there => losses.cut_off.push(p),
            (true, false) => losses.gone.push(p),
            (false, true) => losses.back.push(p),
            _ => {}
        }
    }
    let left: Vec<PortId> =
        ports.into_iter().filter(|&p| old.edge_switch(p).is_some() && new.edge_switch(p).is_some()).collect();
    for (&from, &to) in
        left.iter().flat_map(|from| left.iter().map(move |to| (from, to))).filter(|(a, b)| a != b)
    {
        match (delivered(before, from, to), delivered(after, from, to)) {
            (true, false) if joined(after, new.edge_switch(from).unwrap(), new.edge_switch(to).unwrap()) => {
                losses.unrouted += 1;
            }
            (true, false) => losses.apart += 1,
            (false, true) => losses.regained += 1,
            _ => {}
        }
    }
    losses
}

#[test]
fn losses_are_those_of_every_pair_traced_alone() {
    let sequences: [(&str, Engine, &[&str]); 7] = [
        ("fat-tree:4,2", Engine::MinHop, &["cut leaf-01--spine-01", "drop spine-02", "restore spine-02"]),
        (
            "fat-tree:4,2",
            Engine::MinHop,
            &["cut leaf-04--*", "restore leaf-04[1]", "restore leaf-04--spine-01"],
        ),
        ("fat-tree:4,2", Engine::MinHop, &["cut node0001 HCA-1[1]", "drop spine-01", "cut leaf-03[1]"]),
        ("fat-tree:4,3", Engine::FTree, &["drop random-switches=3,seed=4", "drop random-switches=4,seed=5"]),
        ("itasca:9", Engine::UpDn, &["cut random-cables=9,seed=2", "restore *--*"]),
        ("torus:4x3:h=2", Engine::UpDn, &["drop random-switches=2", "cut random-cables=3", "restore *--*"]),
        ("fat-tree:4,2:rails=2", Engine::MinHop, &["drop rail2-spine-01", "cut rail1-leaf-02--*"]),
    ];
    for (spec, engine, changes) in sequences {
        let mut before = managed(spec, &[engine]);
        for change in changes {
            let next = after(&before, &[change]);
            let reached = Survivors::of(&before, Population::All);
            let losses = reached.losses(&before, &next, usize::MAX);
            let listed: u64 = losses.lost.iter().map(|l| l.sources).sum();
            assert_eq!(listed, losses.pairs(), "{spec} {change}");
            let unrouted =
                losses.lost.iter().filter(|l| l.fate == PairFate::Unrouted).map(|l| l.sources).sum::<u64>();
            assert_eq!(unrouted, losses.unrouted);
            assert_eq!(losses.lost.len(), losses.destinations);
            let none = reached.losses(&before, &next, 0);
            assert_eq!((none.lost.len(), none.destinations), (0, losses.destinations));
            let expected = Losses { destinations: losses.destinations, ..one_by_one(&before, &next) };
            assert_eq!(Losses { lost: Vec::new(), ..losses }, expected, "{spec} {change}");
            before = next;
        }
    }
}

#[test]
fn a_leaf_without_uplinks_is_apart_and_a_dropped_one_takes_its_hosts_along() {
    // 4 leaves of 2 hosts. leaf-02 alone: its 2 hosts and the 6 others lose each other, in both directions.
    let whole = managed("fat-tree:4,2", &[]);
    let reached = Survivors::of(&whole, Population::Hosts);
    assert_eq!(reached.pairs(&whole), (56, 56));
    let apart = reached.losses(&whole, &after(&whole, &["cut leaf-02--spine-*"]), 1);
    assert_eq!((apart.apart, apart.unrouted, apart.cut_off.len()), (24, 0, 0));
    // Host 1 (LID order aside) is reached from leaf-02's two hosts no more, or these from it.
    let first = &apart.lost[0];
    let own = whole.whole().edge_switch(first.port).unwrap() == NodeId(1);
    assert_eq!((first.sources, first.from.len()), if own { (6, 3) } else { (2, 1) });
    let dropped = reached.losses(&whole, &after(&whole, &["drop leaf-02"]), 1);
    assert_eq!((dropped.pairs(), dropped.cut_off.len(), dropped.gone.len()), (0, 2, 0));
    let gone = reached.losses(&whole, &after(&whole, &["drop node0001"]), 1);
    assert_eq!((gone.pairs(), gone.cut_off.len(), gone.gone.len()), (0, 0, 1));
}
