//! Fat-tree routing against a slow, literal version of itself, on trees damaged at random.

#![allow(clippy::unwrap_used)] // in tests a panic is the right answer, helpers included

mod fabrics;
mod reference;

use lacis_core::fabric::{Fabric, Guid, NodeId, Population, PortId};
use lacis_core::generate;
use lacis_core::routing::opensm::ftree;
use lacis_core::routing::{Options, Sweep};
use lacis_core::sm::lids::{LidOptions, Lids};
use lacis_core::sm::{Lft, NO_ENTRY};
use lacis_core::sm::{RefusalReason, SwitchCount, TreeMisfit};
use proptest::prelude::*;

use fabrics::Damage;

fn damages() -> impl Strategy<Value = Damage> {
    let few = || prop_oneof![3 => Just(0_u64), 1 => 1..20_u64];
    let more = || prop_oneof![2 => Just(0_u64), 1 => 20..60_u64];
    (few(), few(), few(), more(), more(), few()).prop_map(
        |(cable_lost, host_lost, switch_lost, astray, upper_host, dual_port)| Damage {
            cable_lost,
            host_lost,
            switch_lost,
            astray,
            upper_host,
            dual_port,
        },
    )
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 1500, failure_persistence: None, ..ProptestConfig::default() })]
    #[test]
    fn every_entry_and_every_refusal_is_that_of_the_literal_version(seed: u64, damage in damages()) {
        let (fabric, lids, options) = fabrics::random(seed, damage);
        let fast = ftree::route(&Sweep::first(&fabric, &lids, &options));
        let slow = reference::route(&fabric, &lids, &options);
        match (fast, slow) {
            (Ok(fast), Ok(slow)) => {
                for s in fabric.switches() {
                    prop_assert_eq!(fast.row(s), &slow[s.ix()][..], "switch {} of {:?}", s.0, options);
                }
            }
            (Err(refused), Err(word)) => {
                prop_assert!(refused.reason.to_string().contains(word), "{} for {}", refused.reason, word);
            }
            (fast, slow) => prop_assert!(
                false, "one routes and the other does not: {:?}, {:?}", fast.err(), slow.err()
            ),
        }
    }
}

/// The tables of a fabric's switches that `keep` names, routed without the others, under the same LIDs.
fn alone(fabric: &Fabric, lids: &Lids, keep: impl Fn(&str) -> bool) -> Vec<(NodeId, Vec<u8>)> {
    let part = fabric.filtered(|n| keep(&fabric.node(n).description), |_, _| true);
    let mut own = Lids::none(&part);
    for (node, port) in part.nodes().flat_map(|(n, _)| (0..=part.radix(n)).map(move |p| (n, p))) {
        let same = fabric.port(named(fabric, &part.node(node).description), port).unwrap();
        if lids.base(same) != 0 {
            own.set(part.port(node, port).unwrap(), lids.base(same), 0);
        }
    }
    let lft = ftree::route(&Sweep::first(&part, &own, &Options::default())).unwrap();
    let of = |s: NodeId| {
        let mut row = lft.row(s).to_vec();
        row.resize(lids.max_lid() as usize + 1, NO_ENTRY);
        (named(fabric, &part.node(s).description), row)
    };
    part.switches().map(of).collect()
}

#[test]
fn every_rail_is_routed_as_if_it_were_alone() {
    let (fabric, lids) = changed("fat-tree:8,2:rails=2", &[]);
    let lft = ftree::route(&Sweep::first(&fabric, &lids, &Options::default())).unwrap();
    for rail in ["rail1", "rail2"] {
        let hca = format!("HCA-{}", &rail[4..]);
        let rows = alone(&fabric, &lids, |name| name.starts_with(rail) || name.ends_with(&hca));
        assert_eq!(rows.len(), 12);
        for (s, row) in rows {
            assert_eq!(lft.row(s), row);
        }
    }
}

#[test]
fn a_leaf_cut_off_serves_its_own_hosts_and_leaves_the_rest_alone() {
    let (fabric, lids) = changed("fat-tree:8,2", &["leaf-03--spine-*"]);
    let lft = ftree::route(&Sweep::first(&fabric, &lids, &Options::default())).unwrap();
    let cut_off = ["leaf-03", "node0009", "node0010", "node0011", "node0012"];
    for (s, row) in alone(&fabric, &lids, |name| !cut_off.iter().any(|c| name.starts_with(c))) {
        assert_eq!(lft.row(s), row);
    }
    let leaf = named(&fabric, "leaf-03");
    let hosts = hosts_of(&fabric, &lids, leaf);
    assert_eq!(hosts.iter().map(|&lid| lft.get(leaf, lid)).collect::<Vec<_>>(), [1, 2, 3, 4]);
    assert_eq!(lft.row(leaf).iter().filter(|&&port| port != NO_ENTRY).count(), 5);
}

/// Flows per inter-switch link and direction when every host sends to every other: the largest
/// count over the mean.
fn busiest_to_mean(fabric: &Fabric, lids: &Lids, lft: &Lft) -> f64 {
    let mut flows = vec![0_u64; fabric.num_ports()];
    let hosts = fabric.end_ports(Population::Hosts);
    let mut hosts_on = vec![0_u64; fabric.num_switches()];
    for &h in &hosts {
        hosts_on[fabric.edge_switch(h).unwrap().ix()] += 1;
    }
    for &to in &hosts {
        let edge_switch = fabric.edge_switch(to).unwrap();
        for from in fabric.switches().filter(|&s| s != edge_switch && hosts_on[s.ix()] > 0) {
            let mut at = from;
            while at != edge_switch {
                let port = fabric.port(at, lft.get(at, lids.base(to))).unwrap();
                flows[port.ix()] += hosts_on[from.ix()];
                at = fabric.node_of(fabric.peer(port).unwrap());
            }
        }
    }
    let between_switches = |p: &PortId| {
        let is_switch = |q: PortId| fabric.is_switch(fabric.node_of(q));
        is_switch(*p) && fabric.peer(*p).is_some_and(is_switch)
    };
    let loads = (0..fabric.num_ports() as u32).map(PortId).filter(between_switches).map(|p| flows[p.ix()]);
    let loads: Vec<u64> = loads.collect();
    let mean = loads.iter().sum::<u64>() as f64 / loads.len() as f64;
    *loads.iter().max().unwrap() as f64 / mean
}

/// A fabric with cables or nodes taken away or (`+`) added, and the LIDs of a fresh OpenSM.
fn changed(spec: &str, changes: &[&str]) -> (Fabric, Lids) {
    let fabric = generate::generate(spec).unwrap();
    let fabric = generate::edit(&fabric, changes).unwrap();
    let lids = Lids::assign(&fabric, Lids::default_sm(&fabric).unwrap(), &LidOptions::fresh()).unwrap();
    (fabric, lids)
}

fn named(fabric: &Fabric, name: &str) -> NodeId {
    fabric.nodes().find(|(_, n)| &*n.description == name).unwrap().0
}

/// The LIDs of a leaf's hosts, by port.
fn hosts_of(fabric: &Fabric, lids: &Lids, leaf: NodeId) -> Vec<u32> {
    let peers = fabric.ports_of(leaf).filter_map(|p| fabric.peer(p));
    peers.filter(|&q| !fabric.is_switch(fabric.node_of(q))).map(|q| lids.base(q)).collect()
}

fn spines(fabric: &Fabric) -> Options {
    let spines = fabric.nodes().filter(|(_, n)| n.description.starts_with("spine"));
    let roots: Vec<Guid> = spines.map(|(_, n)| n.guid).collect();
    Options { roots: Some(roots), ..Options::default() }
}

#[test]
fn the_kth_host_of_every_leaf_is_reached_over_the_kth_spine() {
    // Each leaf counts for itself: its first host goes up to the spine with the first index, which is
    // that at the lowest port of the first leaf; its next to the next spine, since the first is used.
    // From each of these all other leaves are set by the walk down.
    let (fabric, lids) = changed("fat-tree:8,2", &[]);
    let lft = ftree::route(&Sweep::first(&fabric, &lids, &Options::default())).unwrap();
    let leaves: Vec<NodeId> = (1..=8).map(|i| named(&fabric, &format!("leaf-{i:02}"))).collect();
    for &from in &leaves {
        for &to in leaves.iter().filter(|&&to| to != from) {
            for (k, lid) in hosts_of(&fabric, &lids, to).into_iter().enumerate() {
                let port = fabric.port(from, lft.get(from, lid)).unwrap();
                let spine = fabric.node_of(fabric.peer(port).unwrap());
                assert_eq!(spine, named(&fabric, &format!("spine-{:02}", k + 1)));
            }
        }
    }
}

#[test]
fn a_missing_cable_is_refused_unless_the_roots_are_named() {
    let (fabric, lids) = changed("fat-tree:8,2", &["leaf-03--spine-02"]);
    let refused = ftree::route(&Sweep::first(&fabric, &lids, &Options::default())).unwrap_err();
    // A leaf has a cable to each of 4 spines; leaf-03 has 3.
    let RefusalReason::TreeMisfit { misfit: TreeMisfit::SwitchesDiffer { count, switches, numbers } } =
        refused.reason
    else {
        panic!("{refused}")
    };
    assert_eq!((count, numbers), (SwitchCount::UpwardGroups, [4, 3]));
    assert_eq!(switches, ["leaf-01", "leaf-03"].map(|leaf| fabric.node(named(&fabric, leaf)).guid));
    // With named roots the spine never gets a path to that leaf, and no packet goes there through it.
    let lft = ftree::route(&Sweep::first(&fabric, &lids, &spines(&fabric))).unwrap();
    let (leaf, spine) = (named(&fabric, "leaf-03"), named(&fabric, "spine-02"));
    for lid in hosts_of(&fabric, &lids, leaf) {
        assert_eq!(lft.get(spine, lid), NO_ENTRY);
        for s in (1..=8).map(|i| named(&fabric, &format!("leaf-{i:02}"))).filter(|&s| s != leaf) {
            let port = fabric.port(s, lft.get(s, lid)).unwrap();
            assert_ne!(fabric.peer(port).map(|q| fabric.node_of(q)), Some(spine));
        }
    }
}

#[test]
fn dummies_fill_each_leaf_up_to_the_fullest() {
    let (fabric, lids) = changed("fat-tree:8,2", &["node0002", "node0030", "node0031"]);
    let order = ftree::ca_order(&fabric, &lids, &Options::default()).unwrap();
    let of_leaf = |name| order.iter().find(|l| l.leaf == named(&fabric, name)).unwrap();
    assert_eq!((of_leaf("leaf-01").ports.len(), of_leaf("leaf-01").dummies), (3, 1));
    assert_eq!((of_leaf("leaf-02").ports.len(), of_leaf("leaf-02").dummies), (4, 0));
    assert_eq!((of_leaf("leaf-08").ports.len(), of_leaf("leaf-08").dummies), (2, 2));
}

#[test]
fn cables_between_leaves_make_the_tables_undefined() {
    let undefined = |changes: &[&str]| {
        let (fabric, lids) = changed("fat-tree:8,2", changes);
        ftree::is_undefined(&fabric, &lids, &spines(&fabric))
    };
    assert!(!undefined(&[]));
    assert!(undefined(&["node0001", "node0005", "+leaf-01--leaf-02"]));
    assert!(!undefined(&["node000?", "leaf-01--spine-01", "leaf-01--spine-02", "+spine-01--spine-02"]));
}

#[test]
fn hosts_load_the_links_of_a_regular_tree_evenly() {
    // The tables of OpenSM 3.3.23 itself, counted likewise, give 1.05 and 1.06.
    for (spec, known) in [("fat-tree:8,3", 1.05), ("fat-tree:36,3:pods=8", 1.06)] {
        let (fabric, lids) = changed(spec, &[]);
        let lft = ftree::route(&Sweep::first(&fabric, &lids, &Options::default())).unwrap();
        let ratio = busiest_to_mean(&fabric, &lids, &lft);
        assert!((ratio - known).abs() < 0.005, "{spec}: {ratio}");
    }
}
