//! numbered's promises, checked without the library's own proof: every entry is followed by hand.

#![allow(clippy::unwrap_used)] // a test fails by panicking

use std::collections::BTreeSet;

use lacis_core::fabric::{Fabric, FabricBuilder, Guid, Node, NodeId, NodeKind, PortId};
use lacis_core::generate::{generate, without};
use lacis_core::routing::native::numbered;
use lacis_core::routing::{Options, Sweep, Tables};
use lacis_core::sm::NO_ENTRY;
use lacis_core::sm::lids::{LidOptions, Lids};

/// A dependency on a lane: a packet goes from one egress port to another.
type Turn = (u8, PortId, PortId);

fn tables(fabric: &Fabric, lids: &Lids, lanes: u8) -> Tables {
    let options = Options { vls: 8, nue_vls: lanes, ..Options::default() };
    numbered::route(&Sweep::first(fabric, lids, &options)).unwrap()
}

fn fresh(fabric: &Fabric) -> Lids {
    Lids::assign(fabric, Lids::default_sm(fabric).unwrap(), &LidOptions::fresh()).unwrap()
}

/// End ports with a LID on a switch, and that switch.
fn ends(fabric: &Fabric, lids: &Lids) -> Vec<(PortId, NodeId)> {
    let ports = fabric.end_nodes().flat_map(|n| fabric.ports_of(n)).filter(|&p| lids.base(p) != 0);
    ports.filter_map(|p| Some((p, fabric.edge_switch(p)?))).collect()
}

/// The egress ports of a packet from a switch to a LID; none where it does not get there.
fn walk(fabric: &Fabric, tables: &Tables, from: NodeId, lid: u32, to: PortId) -> Option<Vec<PortId>> {
    let (mut at, mut passed) = (from, Vec::new());
    loop {
        let port = fabric.port(at, tables.lft.get(at, lid))?;
        let far = fabric.peer(port)?;
        if far == to {
            return Some(passed);
        }
        at = fabric.node_of(far);
        passed.push(port);
        if !fabric.is_switch(at) || passed.len() > fabric.num_switches() {
            return None;
        }
    }
}

/// Whether cables lead from one switch to another.
fn connected(fabric: &Fabric, from: NodeId) -> Vec<bool> {
    let mut seen = vec![false; fabric.num_switches()];
    let mut todo = vec![from];
    while let Some(s) = todo.pop() {
        if !std::mem::replace(&mut seen[s.ix()], true) {
            let far = fabric.ports_of(s).filter_map(|p| fabric.peer(p)).map(|p| fabric.node_of(p));
            todo.extend(far.filter(|&n| fabric.is_switch(n)));
        }
    }
    seen
}

/// Checks every pair of end ports, and that no circle of channels can wait for each other on any of
/// the lanes; returns the number of lanes used.
fn hold(fabric: &Fabric, lids: &Lids, tables: &Tables, lanes: u8, name: &str) -> usize {
    let ends = ends(fabric, lids);
    let edge_switches: BTreeSet<NodeId> = ends.iter().map(|&(_, edge_switch)| edge_switch).collect();
    let mut turns: BTreeSet<Turn> = BTreeSet::new();
    let mut used = BTreeSet::new();
    for &from in &edge_switches {
        let reach = connected(fabric, from);
        for &(to, edge_switch) in &ends {
            for lid in lids.range(to) {
                let lane = tables.lanes.as_ref().map_or(0, |l| l.sl(from, lid));
                assert!(lane < lanes.max(1), "{name}: lane {lane} of {lanes}");
                let path = walk(fabric, tables, from, lid, to);
                assert_eq!(path.is_some(), reach[edge_switch.ix()], "{name}: {from:?} to LID {lid}");
                used.insert(lane);
                for pair in path.unwrap_or_default().windows(2) {
                    turns.insert((lane, pair[0], pair[1]));
                }
            }
        }
    }
    for &lane in &used {
        assert!(is_acyclic(turns.iter().filter(|t| t.0 == lane)), "{name}: circle on lane {lane}");
    }
    used.len()
}

/// Takes away what nothing leads to, until nothing is left or only circles are.
fn is_acyclic<'a>(turns: impl Iterator<Item = &'a Turn>) -> bool {
    let mut left: Vec<(PortId, PortId)> = turns.map(|&(_, from, to)| (from, to)).collect();
    loop {
        let ends: BTreeSet<PortId> = left.iter().map(|t| t.1).collect();
        let before = left.len();
        left.retain(|t| ends.contains(&t.0));
        if left.len() == before {
            return left.is_empty();
        }
    }
}

#[test]
fn a_circle_is_seen_by_the_check() {
    let dependency = |a, b| (0, PortId(a), PortId(b));
    assert!(is_acyclic([dependency(1, 2), dependency(2, 3), dependency(1, 3)].iter()));
    assert!(!is_acyclic([dependency(0, 1), dependency(1, 2), dependency(2, 3), dependency(3, 1)].iter()));
}

/// `SplitMix64` (Steele, Lea, Flood, 2014).
struct Random(u64);

impl Random {
    fn below(&mut self, n: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((z ^ (z >> 31)) % n as u64) as usize
    }
}

/// Switches cabled at random, parallel cables and cables back to the same switch included; in one component
/// or several; some with adapters of one or two ports.
fn random(seed: u64) -> Fabric {
    let mut r = Random(seed);
    let mut b = FabricBuilder::new();
    let mut number = 0;
    let mut add = |b: &mut FabricBuilder, kind, ports| {
        number += 1;
        let node = Node {
            kind,
            guid: Guid(number),
            system_guid: Guid(number),
            id: number.to_string().into(),
            description: number.to_string().into(),
            vendor: 0,
            device: 0,
            enhanced_port0: false,
            chassis: None,
            declared: None,
        };
        b.add_node(node, ports).unwrap()
    };
    let n = 1 + r.below(14);
    let switches: Vec<_> = (0..n).map(|_| add(&mut b, NodeKind::Switch, 100)).collect();
    let mut used = vec![0_u32; n];
    let mut port = |s: usize| {
        used[s] += 1;
        (switches[s], used[s])
    };
    let whole = r.below(4) > 0;
    for s in 1..n {
        if whole || r.below(4) > 0 {
            let (a, z) = (port(s), port(r.below(s)));
            b.connect(a, z).unwrap();
        }
    }
    for _ in 0..r.below(2 * n + 1) {
        let (a, z) = (port(r.below(n)), port(r.below(n)));
        b.connect(a, z).unwrap();
    }
    for s in 0..n {
        for _ in 0..r.below(4) {
            let adapter = add(&mut b, NodeKind::Adapter, 2);
            b.connect((adapter, 1), port(s)).unwrap();
            if r.below(6) == 0 {
                b.connect((adapter, 2), port(r.below(n))).unwrap();
            }
        }
    }
    b.finish()
}

#[test]
fn a_thousand_random_fabrics_are_reached_everywhere_without_circles_on_1_2_4_and_8_lanes() {
    let mut several = 0;
    for seed in 0..1000 {
        let fabric = random(seed);
        let lids = fresh(&fabric);
        for lanes in [1, 2, 4, 8] {
            let made = tables(&fabric, &lids, lanes);
            several += usize::from(hold(&fabric, &lids, &made, lanes, &format!("seed {seed}")) > 1);
        }
    }
    assert!(several > 1000, "lanes are used: {several}");
}

/// Named fabrics, whole and with some of their cables gone.
const NAMED: [&str; 14] = [
    "ring:9",
    "chain:5",
    "torus:5x4:h=2",
    "torus:4x4x3",
    "mesh:5x5",
    "hypercube:5",
    "dragonfly:2,4,2",
    "random:24,3,2",
    "random:16,5,3",
    "fat-tree:8,2",
    "fat-tree:4,3",
    "fat-tree:4,4",
    "itasca:9",
    "fat-tree:4,3:rails=2",
];

#[test]
fn named_fabrics_hold_on_1_2_4_and_8_lanes_whole_and_broken() {
    for spec in NAMED {
        for cut in [None, Some("random-cables=5%"), Some("random-cables=20%,seed=3")] {
            let whole = generate(spec).unwrap();
            let fabric = cut.map_or_else(|| whole.clone(), |cut| without(&whole, &[cut]).unwrap());
            let lids = fresh(&fabric);
            for lanes in [1, 2, 4, 8] {
                hold(&fabric, &lids, &tables(&fabric, &lids, lanes), lanes, &format!("{spec} {cut:?}"));
            }
        }
    }
}

#[test]
fn on_trees_of_switches_all_paths_are_shortest_and_links_carry_no_more_than_the_hosts_force_them_to() {
    // 36-port switches, two tiers: of the 648 hosts the 18 on a leaf send to 630 others each, over
    // 18 uplinks; evenly that is 630 packets an uplink, and as many down.
    let fabric = generate("fat-tree:36,2").unwrap();
    let lids = fresh(&fabric);
    let made = tables(&fabric, &lids, 1);
    let mut load = vec![0_u32; fabric.num_ports()];
    let ends = ends(&fabric, &lids);
    for &(from, source) in &ends {
        for &(to, edge_switch) in ends.iter().filter(|(to, _)| *to != from) {
            let path = walk(&fabric, &made, source, lids.base(to), to).unwrap();
            assert_eq!(path.len(), if source == edge_switch { 0 } else { 2 });
            for port in path {
                load[port.ix()] += 1;
            }
        }
    }
    let used: BTreeSet<u32> = load.into_iter().filter(|&n| n > 0).collect();
    assert_eq!(used, BTreeSet::from([630]));
}

#[test]
fn one_lane_needs_no_table_and_zero_means_all() {
    let fabric = generate("torus:4x4").unwrap();
    let lids = fresh(&fabric);
    assert!(tables(&fabric, &lids, 1).lanes.is_none());
    let used = |nue_vls, vls| {
        let options = Options { vls, nue_vls, ..Options::default() };
        let made = numbered::route(&Sweep::first(&fabric, &lids, &options)).unwrap();
        let level = |&(port, edge_switch): &(PortId, NodeId)| {
            made.lanes.as_ref().map_or(0, |l| l.sl(edge_switch, lids.base(port)))
        };
        ends(&fabric, &lids).iter().map(level).collect::<BTreeSet<u8>>().len()
    };
    assert_eq!((used(0, 8), used(0, 2), used(8, 4), used(3, 8)), (8, 2, 4, 3));
}

#[test]
fn every_switch_has_an_entry_for_every_lid_of_its_component_its_own_included() {
    for spec in NAMED {
        let fabric = generate(spec).unwrap();
        let lids = fresh(&fabric);
        let made = tables(&fabric, &lids, 4);
        for switch in fabric.switches() {
            let reach = connected(&fabric, switch);
            for (lid, port) in lids.assigned() {
                let there = fabric.edge_switch(port).is_some_and(|edge_switch| reach[edge_switch.ix()]);
                let entry = made.lft.get(switch, lid);
                assert_eq!(entry != NO_ENTRY, there, "{spec} {switch:?} {lid}");
                assert_eq!(entry == 0, port == fabric.port0(switch), "{spec} {switch:?} {lid}");
            }
        }
    }
}

/// 2^LMC LIDs for every host.
fn with_lmc(fabric: &Fabric, lmc: u8) -> Lids {
    let mut lids = Lids::none(fabric);
    for (base, port) in (1..).zip(fabric.end_ports_in_opensm_order()) {
        lids.set(port, base << lmc, if fabric.is_switch(fabric.node_of(port)) { 0 } else { lmc });
    }
    lids
}

#[test]
fn several_lids_of_a_port_leave_by_different_channels_where_they_can() {
    let different = |spec: &str, lmc: u8| {
        let fabric = generate(spec).unwrap();
        let lids = with_lmc(&fabric, lmc);
        let made = tables(&fabric, &lids, 1);
        hold(&fabric, &lids, &made, 1, spec);
        let ends = ends(&fabric, &lids);
        let pairs =
            ends.iter().flat_map(|&(to, edge_switch)| ends.iter().map(move |from| (from.1, to, edge_switch)));
        let channels = |(from, to, _)| lids.range(to).map(|lid| made.lft.get(from, lid)).collect();
        let sets = pairs.filter(|(from, _, edge_switch)| from != edge_switch).map(channels);
        sets.map(|ports: BTreeSet<u8>| ports.len()).collect::<Vec<usize>>()
    };
    // Two tiers, 4 spines: of four LIDs each has its own spine, from every other leaf.
    assert!(different("fat-tree:8,2", 2).iter().all(|&ports| ports == 4));
    // A hypercube of 16 switches with a host each: by the loads alone both LIDs would take one path from
    // everywhere, for no channel has more to carry than another.
    assert!(different("hypercube:4", 1).contains(&2));
}
