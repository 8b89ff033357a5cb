//! What every engine promises on any fabric, and what each claims in its row of the table.

#![allow(clippy::unwrap_used)] // a test fails by panicking

use std::collections::BTreeSet;

use lacis_core::fabric::{Fabric, FabricBuilder, Guid, Node, NodeId, NodeKind, Population, PortId};
use lacis_core::io::torus_conf::{self, TorusConf};
use lacis_core::routing::{Options, route};
use lacis_core::sm::lids::{LidOptions, Lids};
use lacis_core::sm::{Author, Claim, Engine, Routes};
use lacis_core::verify::{Verdict, verify};
use proptest::collection::vec;
use proptest::prelude::*;

/// A drawing of a fabric: adapters per switch, and cables between switches. The first cables make a
/// tree of all switches, so that it is connected.
#[derive(Clone, Debug)]
struct Drawing {
    adapters: Vec<usize>,
    cables: Vec<(usize, usize)>,
    /// Of the GUIDs.
    seed: u64,
    /// Sizes, where the switches are a torus, y fastest.
    torus: Option<[usize; 2]>,
}

/// Random graphs.
fn irregular() -> impl Strategy<Value = Drawing> {
    (2_usize..14).prop_flat_map(|n| {
        let parents = vec(any::<prop::sample::Index>(), n - 1);
        let more = vec((0..n, 0..n), 0..2 * n);
        (vec(0_usize..4, n), parents, more).prop_map(|(adapters, parents, more)| {
            let tree = parents.iter().enumerate().map(|(i, parent)| (i + 1, parent.index(i + 1)));
            let cables = tree.chain(more.into_iter().filter(|(a, b)| a != b)).collect();
            Drawing { adapters, cables, seed: 0, torus: None }
        })
    })
}

/// Trees of two or three tiers, of which some cables are missing, or some are too many.
fn trees() -> impl Strategy<Value = Drawing> {
    let shape = (2_usize..5, 1_usize..4, 1_usize..4, 1_usize..3, any::<bool>());
    (shape, vec(any::<prop::sample::Index>(), 0..4), vec((0_usize..40, 0_usize..40), 0..2)).prop_map(
        |((leaves, spines, adapters, parallel, deep), cut, added)| {
            let mut cables = Vec::new();
            let pods = if deep { 2 } else { 1 };
            let per_pod = leaves + spines;
            for pod in 0..pods {
                for leaf in 0..leaves {
                    for spine in 0..spines {
                        let (leaf, spine) = (pod * per_pod + leaf, pod * per_pod + leaves + spine);
                        cables.extend(vec![(leaf, spine); parallel]);
                    }
                }
            }
            let cores = if deep { spines } else { 0 };
            for core in 0..cores {
                for pod in 0..pods {
                    cables.extend((0..spines).map(|s| (pod * per_pod + leaves + s, pods * per_pod + core)));
                }
            }
            let n = pods * per_pod + cores;
            for index in cut.into_iter().take(cables.len() - 1) {
                cables.swap_remove(index.index(cables.len()));
            }
            cables.extend(added.into_iter().map(|(a, b)| (a % n, b % n)).filter(|(a, b)| a != b));
            let adapters =
                (0..n).map(|s| if s < pods * per_pod && s % per_pod < leaves { adapters } else { 0 });
            Drawing { adapters: adapters.collect(), cables, seed: 0, torus: None }
        },
    )
}

/// Rings and tori of two dimensions.
fn tori() -> impl Strategy<Value = Drawing> {
    (3_usize..7, 1_usize..5, 1_usize..3).prop_map(|(x, y, adapters)| {
        let at = |i: usize, j: usize| (i % x) * y + j % y;
        let mut cables = Vec::new();
        for i in 0..x {
            for j in 0..y {
                cables.push((at(i, j), at(i + 1, j)));
                if y > 2 || (y == 2 && j == 0) {
                    cables.push((at(i, j), at(i, j + 1)));
                }
            }
        }
        Drawing { adapters: vec![adapters; x * y], cables, seed: 0, torus: Some([x, y]) }
    })
}

fn drawings() -> impl Strategy<Value = Drawing> {
    (prop_oneof![irregular(), trees(), tori()], any::<u64>())
        .prop_map(|(drawing, seed)| Drawing { seed, ..drawing })
}

/// The GUID of the n-th node: distinct, its order and that of its reversed bytes at random, and
/// every byte below 0x40, so that an order-preserving map has room.
fn guid(seed: u64, n: u64) -> u64 {
    let mut z = seed.wrapping_add((n + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15));
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    (z & 0x3f3f_3f00_003f_3f3f) | (n >> 4) << 32 | (n & 15) << 24
}

/// The configuration of torus-2QoS for a torus.
fn torus(drawing: &Drawing, fabric: &Fabric) -> Option<TorusConf> {
    let [x, y] = drawing.torus?;
    let guid = |s: usize| fabric.node(NodeId(s as u32)).guid;
    let link = |key: &str, to: usize| format!("{key}_link {} {}\n", guid(0), guid(to));
    let mut conf = format!("torus {x} {y} 1\n") + &link("xp", y) + &link("xm", (x - 1) * y);
    if y > 1 {
        conf += &(link("yp", 1) + &link("ym", y - 1));
    }
    Some(torus_conf::read(conf.as_bytes()).unwrap())
}

/// The fabric of a drawing, its GUIDs mapped.
fn build(drawing: &Drawing, map: impl Fn(u64) -> u64) -> Fabric {
    let mut guids = (0..).map(|n| Guid(map(guid(drawing.seed, n))));
    let mut b = FabricBuilder::new();
    let mut node = |b: &mut FabricBuilder, kind, number: usize, ports| {
        let guid = guids.next().unwrap();
        let id = format!("{number}");
        let node = Node {
            kind,
            guid,
            system_guid: guid,
            id: id.clone().into(),
            description: id.into(),
            vendor: 0,
            device: 0,
            enhanced_port0: false,
            chassis: None,
            declared: None,
        };
        let handle = b.add_node(node, ports).unwrap();
        let end = u32::from(kind != NodeKind::Switch);
        b.port_mut(handle, end).unwrap().guid = guid;
        handle
    };
    let n = drawing.adapters.len();
    let mut used = vec![0_u32; n];
    let switches: Vec<_> = (0..n).map(|s| node(&mut b, NodeKind::Switch, s, 120)).collect();
    let mut next = |s: usize| {
        used[s] += 1;
        (switches[s], used[s])
    };
    for &(a, z) in &drawing.cables {
        let (a, z) = (next(a), next(z));
        b.connect(a, z).unwrap();
    }
    let mut number = n;
    for (s, &count) in drawing.adapters.iter().enumerate() {
        for _ in 0..count {
            let adapter = node(&mut b, NodeKind::Adapter, number, 1);
            b.connect((adapter, 1), next(s)).unwrap();
            number += 1;
        }
    }
    b.finish()
}

fn routed(fabric: &Fabric, lmc: u8, engine: Engine, options: &Options) -> Option<Routes> {
    let sm = Lids::default_sm(fabric)?;
    let lids = assign(fabric, sm, lmc);
    let options = Options { fallback: false, ..options.clone() };
    route(fabric, lids, &[engine], &options).ok()
}

fn assign(fabric: &Fabric, sm: PortId, lmc: u8) -> Lids {
    let mut lids = Lids::assign(fabric, sm, &LidOptions::fresh()).unwrap();
    if lmc > 0 {
        // As many LIDs each, in the same order; their indices do not matter here.
        let bases: Vec<(u32, PortId)> = lids.assigned();
        lids = Lids::none(fabric);
        for (lid, port) in bases {
            let own = if fabric.is_switch(fabric.node_of(port)) { 0 } else { lmc };
            lids.set(port, lid << lmc, own);
        }
    }
    lids
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn every_engine_refuses_or_routes_without_loops_and_keeps_what_its_row_claims(
        drawing in drawings(), lanes in 1_u8..9,
    ) {
        let fabric = build(&drawing, |g| g);
        let options =
            Options { vls: lanes, nue_vls: lanes, torus: torus(&drawing, &fabric), ..Options::default() };
        let apart = pairs_apart(&fabric);
        let least = least_hops(&fabric);
        for &engine in Engine::ALL {
            let Some(routes) = routed(&fabric, 0, engine, &options) else { continue };
            let found = verify(&fabric, &routes, Population::Hosts, false);
            for verdict in [Verdict::Loop, Verdict::DeadPort, Verdict::WrongPort, Verdict::UnknownLid] {
                prop_assert_eq!(found.verdicts.get(verdict), 0, "{} {:?}", engine, verdict);
            }
            if engine.claims(Claim::ReachesAll) {
                prop_assert_eq!(found.verdicts.failed(), apart, "{}", engine);
            } else if found.verdicts.failed() > apart {
                // What is lost is lost for want of an entry, and said.
                prop_assert!(routes.unrouted(&fabric).to_end_nodes > 0, "{}", engine);
            }
            if engine.claims(Claim::ShortestPaths) {
                // The histogram of verify reaches as far as its rows of switches: zeros at its end mean nothing.
                let used = found.hops.iter().rposition(|&pairs| pairs > 0).map_or(0, |last| last + 1);
                prop_assert_eq!(&found.hops[..used], &least, "{}", engine);
            }
            if engine.claims(Claim::NoCreditLoop) {
                prop_assert!(found.credit_loops.is_empty(), "{} {:?}", engine, found.credit_loops);
                prop_assert!(found.lanes <= u32::from(lanes.max(1)), "{} uses {} lanes", engine, found.lanes);
            }
        }
    }

    #[test]
    fn lmc_paths_leave_by_different_systems_where_there_are_several(drawing in drawings()) {
        let fabric = build(&drawing, |g| g);
        let Some(routes) = routed(&fabric, 1, Engine::MinHop, &Options::default()) else { return Ok(()) };
        let single = routed(&fabric, 0, Engine::MinHop, &Options::default()).unwrap();
        for port in fabric.end_ports(Population::Hosts) {
            let Some(edge_switch) = fabric.edge_switch(port) else { continue };
            for switch in fabric.switches().filter(|&s| s != edge_switch) {
                let next = |lid| {
                    let out = fabric.port(switch, routes.lft.get(switch, lid))?;
                    Some(fabric.node_of(fabric.peer(out)?))
                };
                let base = routes.lids.base(port);
                let nearer = nearer(&fabric, switch, edge_switch);
                if nearer.is_empty() {
                    continue; // no cables lead there
                }
                if nearer.len() > 1 {
                    prop_assert_ne!(next(base), next(base + 1));
                }
                prop_assert!(nearer.contains(&next(base).unwrap()));
            }
        }
        prop_assert_eq!(single.lids.assigned().len() + fabric.end_ports(Population::Hosts).len(),
            routes.lids.assigned().len());
    }

    #[test]
    fn relabelling_guids_in_their_order_changes_nothing(drawing in drawings(), lmc in 0_u8..2) {
        let one = build(&drawing, |g| g);
        // Byte by byte 2b + 1: keeps the order of the numbers and of their reversed bytes.
        let two = build(&drawing, |g| 2 * g + 0x0101_0101_0101_0101);
        let roots = |f: &Fabric| Some(vec![f.node(NodeId(0)).guid]);
        for &engine in Engine::ALL {
            for rooted in [false, true] {
                let options = |f| {
                    let roots = if rooted { roots(f) } else { None };
                    Options { roots, torus: torus(&drawing, f), ..Options::default() }
                };
                let a = routed(&one, lmc, engine, &options(&one));
                let b = routed(&two, lmc, engine, &options(&two));
                prop_assert_eq!(a.is_some(), b.is_some(), "{}", engine);
                if let Some((a, b)) = a.zip(b) {
                    prop_assert!(a.lft == b.lft && a.lanes == b.lanes, "{}", engine);
                }
            }
        }
    }
}

/// The neighbours of a switch that are one hop nearer to another.
fn nearer(fabric: &Fabric, from: NodeId, to: NodeId) -> BTreeSet<NodeId> {
    let hops = hops(fabric, to);
    neighbours(fabric, from).filter(|n| hops[n.ix()] + 1 == hops[from.ix()]).collect()
}

/// Ordered pairs of adapters that no cables connect.
fn pairs_apart(fabric: &Fabric) -> u64 {
    let ends = fabric.end_ports(Population::Hosts);
    let edge_switches: Vec<NodeId> = ends.iter().filter_map(|&p| fabric.edge_switch(p)).collect();
    let apart = |&to: &NodeId| {
        let hops = hops(fabric, to);
        edge_switches.iter().filter(|from| hops[from.ix()] == usize::MAX - 1).count() as u64
    };
    edge_switches.iter().map(apart).sum()
}

/// Ordered pairs of adapters by the fewest switches that a packet crosses from one to the other.
fn least_hops(fabric: &Fabric) -> Vec<u64> {
    let ends = fabric.end_ports(Population::Hosts);
    let edge_switches: Vec<NodeId> = ends.iter().filter_map(|&p| fabric.edge_switch(p)).collect();
    let mut pairs = Vec::new();
    for (target, &to) in edge_switches.iter().enumerate() {
        let hops = hops(fabric, to);
        for (source, &from) in edge_switches.iter().enumerate() {
            let crossed = hops[from.ix()] + 1;
            if source != target && crossed < usize::MAX {
                pairs.resize(pairs.len().max(crossed + 1), 0);
                pairs[crossed] += 1;
            }
        }
    }
    pairs
}

fn neighbours(fabric: &Fabric, switch: NodeId) -> impl Iterator<Item = NodeId> {
    let far = fabric.ports_of(switch).filter_map(|p| fabric.peer(p)).map(|p| fabric.node_of(p));
    far.filter(|&n| fabric.is_switch(n))
}

fn hops(fabric: &Fabric, to: NodeId) -> Vec<usize> {
    let mut hops = vec![usize::MAX - 1; fabric.num_switches()];
    hops[to.ix()] = 0;
    let mut queue = vec![to];
    let mut head = 0;
    while let Some(&s) = queue.get(head) {
        head += 1;
        for n in neighbours(fabric, s) {
            if hops[n.ix()] == usize::MAX - 1 {
                hops[n.ix()] = hops[s.ix()] + 1;
                queue.push(n);
            }
        }
    }
    hops
}

#[test]
fn every_engine_of_our_own_claims_something() {
    let silent = |engine: &&Engine| engine.row().author == Author::Lacis && engine.row().claims.is_empty();
    assert_eq!(Engine::ALL.iter().find(silent), None, "its row says nothing that a test could hold it to");
}

#[test]
fn a_refusal_says_why() {
    let fabric = lacis_core::generate::generate("torus:4x4").unwrap();
    for &engine in Engine::ALL {
        let lids = Lids::assign(&fabric, Lids::default_sm(&fabric).unwrap(), &LidOptions::fresh()).unwrap();
        let options = Options { fallback: false, ..Options::default() };
        if let Err(error) = route(&fabric, lids, &[engine], &options) {
            let text = error.to_string();
            assert!(text.starts_with(engine.name()) && text.len() > engine.name().len() + 20, "{text}");
        }
    }
}
