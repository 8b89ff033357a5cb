//! The proof against an enumerator that walks every pair, over random fabrics and random damage.

#![allow(clippy::unwrap_used)] // a test fails by panicking

mod cases;
mod enumerator;
mod opareport;

use std::collections::BTreeMap;

use lacis_core::fabric::{Fabric, FabricBuilder, NodeId, NodeKind, Population, PortId};
use lacis_core::sm::lids::Lids;
use lacis_core::sm::{Lft, NO_ENTRY, Routes};
use lacis_core::verify::{Verdict, all_to_all, trace, verify};
use proptest::prelude::*;

use cases::*;
use enumerator::*;

fn check(seed: u64, population: Population, switch_lids: bool) {
    let (fabric, routes) = case(seed);
    let found = verify(&fabric, &routes, population, switch_lids);
    let expected = enumerate(&fabric, &routes, population, switch_lids);

    for verdict in Verdict::ALL {
        let pairs = expected.verdicts.get(&verdict).copied().unwrap_or(0);
        assert_eq!(found.verdicts.get(verdict), pairs, "{verdict:?}, seed {seed}");
    }
    assert_eq!(found.apart, expected.apart, "seed {seed}");
    let hops: BTreeMap<usize, u64> =
        found.hops.iter().copied().enumerate().filter(|&(_, pairs)| pairs > 0).collect();
    assert_eq!(hops, expected.hops, "seed {seed}");
    let unreached: BTreeMap<(u32, PortId), u64> =
        found.unreached.iter().map(|u| ((u.lid, u.port), u.sources)).collect();
    assert_eq!(unreached.len(), found.unreached.len());
    assert_eq!(unreached, expected.unreached, "seed {seed}");

    // Loads never count switch LIDs, nor cables from a switch to itself.
    let nodes_only = enumerate(&fabric, &routes, population, false);
    for port in (0..fabric.num_ports() as u32).map(PortId) {
        let joins_two = fabric.peer(port).is_some_and(|far| fabric.node_of(far) != fabric.node_of(port));
        let load = if joins_two { nodes_only.loads.get(&port).copied().unwrap_or(0) } else { 0 };
        assert_eq!(found.loads[port.ix()], load, "{}, seed {seed}", fabric.port_name(port));
    }
    assert_eq!(found.loads, all_to_all(&fabric, &routes, population));

    let mut loops: Vec<_> = found.credit_loops.iter().map(|l| (l.channels, l.cycle.len())).collect();
    loops.sort_unstable();
    assert_eq!(loops, circles(&expected.waits), "seed {seed}");
    assert_eq!(found.lanes as usize, expected.lanes.len().max(1), "seed {seed}");
    for found in &found.credit_loops {
        let cycle: Vec<Channel> = found.cycle.iter().copied().zip(found.lanes.iter().copied()).collect();
        for (i, &channel) in cycle.iter().enumerate() {
            let next = cycle[(i + 1) % cycle.len()];
            assert!(expected.waits.contains(&(channel, next)), "seed {seed}");
        }
    }

    for failure in &found.failures {
        let verdict = walk(&fabric, &routes.lft, failure.from, failure.to, failure.to_lid).2;
        assert_eq!(verdict, failure.verdict, "seed {seed}");
    }
}

fn check_traces(seed: u64) {
    let (fabric, routes) = case(seed);
    for &from in &fabric.end_ports(Population::All) {
        for lid in 1..=routes.lids.max_lid() {
            let found = trace(&fabric, &routes, from, lid);
            let Some(to) = routes.lids.owner(lid) else {
                assert_eq!(found.verdict, Verdict::UnknownLid);
                continue;
            };
            if to == from {
                continue;
            }
            let (path, _, verdict) = walk(&fabric, &routes.lft, from, to, lid);
            assert_eq!(found.verdict, verdict, "seed {seed}");
            let egress: Vec<PortId> = found.hops.iter().filter_map(|h| h.egress).skip(1).collect();
            let cabled = egress.iter().filter(|&&p| fabric.peer(p).is_some()).count();
            assert_eq!(egress[..cabled], path[..cabled], "seed {seed}");
            assert!(verdict == Verdict::Loop || cabled == path.len(), "seed {seed}");
            for pair in found.hops.windows(2) {
                assert_eq!(pair[0].egress.and_then(|p| fabric.peer(p)), pair[1].ingress);
            }
            if verdict == Verdict::Loop {
                let nodes: Vec<NodeId> = found.hops.iter().map(|h| h.node).collect();
                assert!(nodes[..nodes.len() - 1].contains(nodes.last().unwrap()));
            }
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1000))]

    #[test]
    fn counts_are_those_of_walking_every_pair(seed: u64, all: bool, switch_lids: bool) {
        let population = if all { Population::All } else { Population::Hosts };
        check(seed, population, switch_lids);
    }

    #[test]
    fn a_trace_is_the_walk_of_its_pair(seed: u64) {
        check_traces(seed);
    }
}

/// Four switches in a ring, one node each; every packet goes round clockwise.
fn ring() -> (Fabric, Routes) {
    let mut b = FabricBuilder::new();
    let switches: Vec<_> = (0..4).map(|i| b.add_node(node(NodeKind::Switch, i), 3).unwrap()).collect();
    for i in 0..4 {
        let end = b.add_node(node(NodeKind::Adapter, 4 + i), 1).unwrap();
        b.connect((end, 1), (switches[i], 1)).unwrap();
        b.connect((switches[i], 2), (switches[(i + 1) % 4], 3)).unwrap();
    }
    let fabric = b.finish();
    let mut lids = Lids::none(&fabric);
    for (i, port) in fabric.end_ports(Population::All).into_iter().enumerate() {
        lids.set(port, i as u32 + 1, 0);
    }
    let mut lft = Lft::new(4, 4);
    for s in 0..4 {
        for lid in 1..=4 {
            lft.row_mut(NodeId(s as u32))[lid] = if lid == s + 1 { 1 } else { 2 };
        }
    }
    (fabric, routes(lids, lft))
}

#[test]
fn a_one_way_ring_waits_for_itself() {
    // Hand derivation. Clockwise, node i reaches i+1, i+2, i+3 over 1, 2, 3 cables and 2, 3, 4
    // switches: 4 pairs each, so every clockwise cable carries (4*1 + 4*2 + 4*3) / 4 = 6 pairs and
    // the other direction none. Each clockwise channel waits for the next: a circle of 4.
    let (fabric, routes) = ring();
    let found = verify(&fabric, &routes, Population::Hosts, false);
    assert_eq!(found.verdicts.get(Verdict::Delivered), 12);
    assert_eq!(found.hops, [0, 0, 4, 4, 4]);
    assert_eq!((found.balance.max, found.balance.links, found.balance.used), (6, 8, 4));
    assert!((found.balance.mean - 3.0).abs() < 1e-12);
    assert_eq!(found.credit_loops.len(), 1);
    let cycle: Vec<String> = found.credit_loops[0].cycle.iter().map(|&p| fabric.port_name(p)).collect();
    assert_eq!(cycle, ["\"n0\"[2]", "\"n1\"[2]", "\"n2\"[2]", "\"n3\"[2]"]);
    assert_eq!(found.credit_loops[0].channels, 4);
    assert!(!found.is_good());
}

#[test]
fn a_cut_entry_is_reported_with_its_pair() {
    let (fabric, mut routes) = ring();
    routes.lft.row_mut(NodeId(1))[4] = NO_ENTRY;
    let found = verify(&fabric, &routes, Population::Hosts, false);
    // LID 4 is reached from switch 2 only: the nodes of switches 0 and 1 do not.
    assert_eq!(found.verdicts.get(Verdict::NoEntry), 2);
    assert_eq!(found.unreached[0].sources, 2);
    assert_eq!((found.failures[0].verdict, found.failures[0].to_lid), (Verdict::NoEntry, 4));
    assert_eq!(fabric.node(fabric.node_of(found.failures[0].from)).description.as_ref(), "n4");
}

#[test]
fn the_number_of_threads_changes_nothing() {
    for seed in 0..40 {
        let (fabric, routes) = case(seed);
        let run = |threads| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            pool.install(|| verify(&fabric, &routes, Population::All, true))
        };
        assert_eq!(run(1), run(3), "seed {seed}");
    }
}

#[test]
fn of_equally_short_circles_the_one_from_the_lowest_channel_on_is_reported() {
    // Switch 0 sends to 1, 3 to 0, and 1 to 3 by way of 4 for LIDs 1 and 5, of 2 for all others. So packets wait
    // the way round 0, 1, 2, 3 and round 0, 1, 4, 3: six channels, and 0 to 1 the lowest of both. From there the
    // lower channel leads to 2.
    let mut b = FabricBuilder::new();
    let switches: Vec<_> = (0..5).map(|i| b.add_node(node(NodeKind::Switch, i), 4).unwrap()).collect();
    for i in 0..5 {
        let end = b.add_node(node(NodeKind::Adapter, 5 + i), 1).unwrap();
        b.connect((end, 1), (switches[i], 1)).unwrap();
    }
    for ((from, out), (to, into)) in [
        ((0, 2), (1, 4)),
        ((1, 2), (2, 3)),
        ((1, 3), (4, 3)),
        ((2, 2), (3, 3)),
        ((4, 2), (3, 4)),
        ((3, 2), (0, 3)),
    ] {
        b.connect((switches[from], out), (switches[to], into)).unwrap();
    }
    let fabric = b.finish();
    let (mut lids, mut lft) = (Lids::none(&fabric), Lft::new(5, 5));
    for (i, port) in fabric.end_ports(Population::All).into_iter().enumerate() {
        lids.set(port, i as u32 + 1, 0);
    }
    for s in 0..5 {
        for lid in 1..=5 {
            let out = if s == 1 && (lid == 1 || lid == 5) { 3 } else { 2 };
            lft.row_mut(NodeId(s as u32))[lid] = if lid == s + 1 { 1 } else { out };
        }
    }
    let found = verify(&fabric, &routes(lids, lft), Population::Hosts, false);
    assert_eq!((found.verdicts.failed(), found.credit_loops.len()), (0, 1));
    assert_eq!(found.credit_loops[0].channels, 6);
    let cycle: Vec<String> = found.credit_loops[0].cycle.iter().map(|&p| fabric.port_name(p)).collect();
    assert_eq!(cycle, ["\"n0\"[2]", "\"n1\"[2]", "\"n2\"[2]", "\"n3\"[2]"]);
}
