//! The proof against an enumerator that walks every pair, over random fabrics and random damage.

#![allow(clippy::unwrap_used)] // a test fails by panicking

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use lacis_core::fabric::{Fabric, FabricBuilder, Guid, Node, NodeId, NodeKind, Population, PortId};
use lacis_core::sm::lanes::{Lanes, ServiceLevels, VirtualLanes};
use lacis_core::sm::lids::Lids;
use lacis_core::sm::{Engine, Engines, Lft, NO_ENTRY, Routes};
use lacis_core::verify::{Verdict, all_to_all, trace, verify};
use proptest::prelude::*;

/// A small generator of choices (`SplitMix64`), so that one proptest seed makes one whole case.
struct Dice(u64);

impl Dice {
    fn roll(&mut self, sides: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((z ^ (z >> 31)) % sides as u64) as usize
    }

    fn one_in(&mut self, n: usize) -> bool {
        self.roll(n) == 0
    }
}

fn node(kind: NodeKind, id: usize) -> Node {
    Node {
        kind,
        guid: Guid(id as u64 + 1),
        system_guid: Guid::NONE,
        id: format!("n{id}").into(),
        description: format!("n{id}").into(),
        vendor: 0,
        device: 0,
        enhanced_port0: false,
        chassis: None,
        declared: None,
    }
}

/// Random switches and end nodes (one or two ports, some of them aggregation nodes), cabled at
/// random: any port to any other, so that islands, back-to-back cables and cables from a switch
/// to itself occur.
fn fabric(dice: &mut Dice) -> Fabric {
    let most = if dice.one_in(6) { 24 } else { 7 };
    let (switches, ends) = (1 + dice.roll(most), 1 + dice.roll(12));
    let radix = [70, 40, 3 + dice.roll(6) as u8, 4][dice.roll(4)];
    let mut b = FabricBuilder::new();
    let mut free = Vec::new();
    for id in 0..switches {
        let ports = radix - u8::from(dice.one_in(3));
        let s = b.add_node(node(NodeKind::Switch, id), ports).unwrap();
        free.extend((1..=ports).filter(|p| radix < 40 || p % 7 == 0).map(|p| (s, u32::from(p))));
    }
    let mut cables = Vec::new();
    for id in switches..switches + ends {
        let kind = if dice.one_in(6) { NodeKind::Aggregation } else { NodeKind::Adapter };
        let ports = 1 + u8::from(dice.one_in(5));
        let e = b.add_node(node(kind, id), ports).unwrap();
        for p in 1..=ports {
            if free.is_empty() || dice.one_in(12) {
                free.push((e, u32::from(p)));
            } else {
                cables.push(((e, u32::from(p)), free.swap_remove(dice.roll(free.len()))));
            }
        }
    }
    for (a, z) in cables {
        b.connect(a, z).unwrap();
    }
    while free.len() > 1 && !dice.one_in(30) {
        let a = free.swap_remove(dice.roll(free.len()));
        let z = free.swap_remove(dice.roll(free.len()));
        b.connect(a, z).unwrap();
    }
    b.finish()
}

/// LIDs in random order, with gaps, some missing, some ranges, rarely one claimed twice.
fn lids(fabric: &Fabric, dice: &mut Dice) -> Lids {
    let mut lids = Lids::none(fabric);
    let mut ports: Vec<PortId> = fabric.switches().map(|s| fabric.port0(s)).collect();
    ports.extend(fabric.end_nodes().flat_map(|n| fabric.ports_of(n)));
    let mut next = 1 + dice.roll(70) as u32;
    while !ports.is_empty() {
        let port = ports.swap_remove(dice.roll(ports.len()));
        if !dice.one_in(15) {
            lids.set(port, next, u8::from(dice.one_in(8)));
        }
        if !dice.one_in(20) {
            next += 2 + dice.roll(3) as u32;
        }
    }
    lids
}

/// Shortest routes, parallel ones shared out by LID: the simplest there are.
fn shortest(fabric: &Fabric, lids: &Lids) -> Lft {
    let mut lft = Lft::new(fabric.num_switches(), lids.max_lid());
    for lid in 1..=lids.max_lid() {
        let Some(target) = lids.owner(lid) else { continue };
        let Some(home) = fabric.home(target) else { continue };
        let local = fabric.peer(target).map_or(0, |p| fabric.number_of(p));
        lft.row_mut(home)[lid as usize] = local;
        let mut hops = vec![usize::MAX; fabric.num_switches()];
        hops[home.ix()] = 0;
        let mut queue = VecDeque::from([home]);
        while let Some(s) = queue.pop_front() {
            for port in fabric.ports_of(s) {
                let Some(far) = fabric.peer(port) else { continue };
                let n = fabric.node_of(far);
                if !fabric.is_switch(n) {
                    continue;
                }
                if hops[n.ix()] == usize::MAX {
                    hops[n.ix()] = hops[s.ix()] + 1;
                    queue.push_back(n);
                }
                let first = lft.get(n, lid) == NO_ENTRY;
                if hops[n.ix()] == hops[s.ix()] + 1 && (first || (lid + far.0) % 2 == 0) {
                    lft.row_mut(n)[lid as usize] = fabric.number_of(far);
                }
            }
        }
    }
    lft
}

fn routes(lids: Lids, lft: Lft) -> Routes {
    let name = || Engines::from(Engine::File);
    Routes { lids, lft, lanes: None, engine_requested: name(), engine_used: name(), refusals: Vec::new() }
}

fn case(seed: u64) -> (Fabric, Routes) {
    let mut dice = Dice(seed);
    let fabric = fabric(&mut dice);
    let lids = lids(&fabric, &mut dice);
    let mut lft = shortest(&fabric, &lids);
    let width = fabric.switches().map(|s| fabric.radix(s)).max().unwrap() + 1;
    for _ in 0..[0, 1, 5, 60][dice.roll(4)] {
        let cell = dice.roll(lft.as_slice().len());
        let entry = match dice.roll(5) {
            0 => NO_ENTRY,
            1 => dice.roll(256) as u8,
            2 => lft.as_slice()[cell].saturating_add(width),
            _ => dice.roll(9) as u8,
        };
        lft.as_mut_slice()[cell] = entry;
    }
    let lanes = lanes(&fabric, &lft, &mut dice);
    (fabric, Routes { lanes, ..routes(lids, lft) })
}

/// None, or lanes at random: by LID or by switch and LID; the same everywhere or mapped hop by hop.
fn lanes(fabric: &Fabric, lft: &Lft, dice: &mut Dice) -> Option<Lanes> {
    let most = 1 + dice.roll(4);
    let some = |dice: &mut Dice, n: usize| -> Vec<u8> { (0..n).map(|_| dice.roll(most) as u8).collect() };
    let sl = match dice.roll(3) {
        0 => return None,
        1 => ServiceLevels::ByLid(some(dice, lft.stride())),
        _ => {
            let levels = some(dice, lft.as_slice().len());
            ServiceLevels::BySwitchAndLid { stride: lft.stride(), levels }
        }
    };
    let ports = fabric.switches().map(|s| usize::from(fabric.radix(s))).max().unwrap() + 1;
    let mapped = fabric.num_switches() * ports * ports * 16;
    let vl = match dice.roll(2) {
        0 => VirtualLanes::Same,
        _ => VirtualLanes::Mapped { ports, lanes: some(dice, mapped) },
    };
    Some(Lanes::new(sl, vl))
}

/// The lane of every channel on a way that starts at an end port on `home`, 0 where there are none.
fn lanes_on(fabric: &Fabric, routes: &Routes, home: Option<NodeId>, lid: u32, way: &[PortId]) -> Vec<u8> {
    let Some((lanes, home)) = routes.lanes.as_ref().zip(home) else { return vec![0; way.len()] };
    let sl = lanes.sl(home, lid);
    let mut from = 0;
    let lane = |&port: &PortId| {
        let vl = lanes.vl(fabric.node_of(port), from, fabric.number_of(port), sl);
        from = fabric.number_of(fabric.peer(port).unwrap());
        vl
    };
    way.iter().map(lane).collect()
}

/// The way of one packet: the egress ports of the switches it passes, their number, how it ends.
fn walk(fabric: &Fabric, lft: &Lft, from: PortId, to: PortId, lid: u32) -> (Vec<PortId>, usize, Verdict) {
    let mut way = Vec::new();
    let mut at = if fabric.is_switch(fabric.node_of(from)) { from } else { fabric.peer(from).unwrap() };
    let mut passed = 0;
    loop {
        let node = fabric.node_of(at);
        if !fabric.is_switch(node) {
            return (way, passed, if at == to { Verdict::Delivered } else { Verdict::WrongPort });
        }
        passed += 1;
        // In its second round a loop may be on other lanes than in its first, and the third begins as the second.
        if passed > 2 * fabric.num_switches() + 1 {
            return (way, passed, Verdict::Loop);
        }
        match lft.get(node, lid) {
            NO_ENTRY => return (way, passed, Verdict::NoEntry),
            0 if fabric.port0(node) == to => return (way, passed, Verdict::Delivered),
            0 => return (way, passed, Verdict::WrongPort),
            number => {
                let Some(far) = fabric.port(node, number).and_then(|p| fabric.peer(p)) else {
                    return (way, passed, Verdict::DeadPort);
                };
                way.push(fabric.port(node, number).unwrap());
                at = far;
            }
        }
    }
}

/// An egress port and a lane.
type Channel = (PortId, u8);

#[derive(Default)]
struct Enumerated {
    verdicts: BTreeMap<Verdict, u64>,
    hops: BTreeMap<usize, u64>,
    loads: BTreeMap<PortId, u64>,
    waits: BTreeSet<(Channel, Channel)>,
    lanes: BTreeSet<u8>,
    unreached: BTreeMap<(u32, PortId), u64>,
    apart: u64,
}

/// The ports that packets of a port could come to, whatever the tables.
fn within_reach(fabric: &Fabric, from: PortId) -> BTreeSet<PortId> {
    let mut reached = BTreeSet::new();
    let mut queue = if fabric.is_switch(fabric.node_of(from)) {
        vec![from]
    } else {
        fabric.peer(from).into_iter().collect()
    };
    let mut flooded = BTreeSet::new();
    while let Some(at) = queue.pop() {
        let node = fabric.node_of(at);
        reached.insert(at);
        if fabric.is_switch(node) && flooded.insert(node) {
            reached.insert(fabric.port0(node));
            queue.extend(fabric.ports_of(node).filter_map(|p| fabric.peer(p)));
        }
    }
    reached
}

fn enumerate(fabric: &Fabric, routes: &Routes, population: Population, switch_lids: bool) -> Enumerated {
    let mut ports = fabric.end_ports(population);
    if switch_lids {
        ports.extend(fabric.switches().map(|s| fabric.port0(s)));
    }
    let is_channel = |p: PortId| fabric.is_switch(fabric.node_of(fabric.peer(p).unwrap()));
    let mut out = Enumerated::default();
    let reach: BTreeMap<PortId, BTreeSet<PortId>> =
        ports.iter().map(|&p| (p, within_reach(fabric, p))).collect();
    for &to in &ports {
        let base = routes.lids.base(to);
        for lid in if base == 0 { 0..1 } else { base..base + (1 << routes.lids.lmc(to)) } {
            for &from in ports.iter().filter(|&&p| p != to) {
                let (way, passed, verdict) = match lid {
                    0 => (Vec::new(), 0, Verdict::UnknownLid),
                    _ => walk(fabric, &routes.lft, from, to, lid),
                };
                *out.verdicts.entry(verdict).or_default() += 1;
                out.apart += u64::from(lid != 0 && !reach[&from].contains(&to));
                let channels: Vec<PortId> = way.into_iter().filter(|&p| is_channel(p)).collect();
                let on = lanes_on(fabric, routes, fabric.home(from), lid, &channels);
                let waiting: Vec<Channel> = channels.iter().copied().zip(on.iter().copied()).collect();
                out.waits.extend(waiting.windows(2).map(|w| (w[0], w[1])));
                out.lanes.extend(on);
                if verdict == Verdict::Delivered {
                    *out.hops.entry(passed).or_default() += 1;
                    for &port in &channels {
                        *out.loads.entry(port).or_default() += 1;
                    }
                } else {
                    *out.unreached.entry((lid, to)).or_default() += 1;
                }
            }
        }
    }
    out
}

/// Number of steps from each channel to each, by breadth-first search from every one.
fn distances(waits: &BTreeSet<(Channel, Channel)>) -> BTreeMap<(Channel, Channel), usize> {
    let mut out = BTreeMap::new();
    for &start in &waits.iter().map(|w| w.0).collect::<BTreeSet<_>>() {
        let mut queue = VecDeque::from([(start, 0)]);
        while let Some((at, steps)) = queue.pop_front() {
            for &(_, next) in waits.range((at, (PortId(0), 0))..=(at, (PortId(u32::MAX), 0))) {
                if let std::collections::btree_map::Entry::Vacant(e) = out.entry((start, next)) {
                    e.insert(steps + 1);
                    queue.push_back((next, steps + 1));
                }
            }
        }
    }
    out
}

/// Sizes of the components that wait for themselves, with the length of their shortest cycle.
fn circles(waits: &BTreeSet<(Channel, Channel)>) -> Vec<(usize, usize)> {
    let steps = distances(waits);
    let mutual = |a, b| a == b || (steps.contains_key(&(a, b)) && steps.contains_key(&(b, a)));
    let mut left: BTreeSet<Channel> = waits.iter().map(|w| w.0).collect();
    let mut out = Vec::new();
    while let Some(&first) = left.iter().next() {
        let component: Vec<Channel> = left.iter().copied().filter(|&c| mutual(first, c)).collect();
        if let Some(&shortest) = component.iter().filter_map(|&c| steps.get(&(c, c))).min() {
            out.push((component.len(), shortest));
        }
        left.retain(|c| !component.contains(c));
    }
    out.sort_unstable();
    out
}

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
            let (way, _, verdict) = walk(&fabric, &routes.lft, from, to, lid);
            assert_eq!(found.verdict, verdict, "seed {seed}");
            let egress: Vec<PortId> = found.hops.iter().filter_map(|h| h.egress).skip(1).collect();
            let cabled = egress.iter().filter(|&&p| fabric.peer(p).is_some()).count();
            assert_eq!(egress[..cabled], way[..cabled], "seed {seed}");
            assert!(verdict == Verdict::Loop || cabled == way.len(), "seed {seed}");
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
fn of_equally_short_circles_the_one_from_the_lowest_channel_on_is_told() {
    // Switch 0 sends to 1, 3 to 0, and 1 to 3 by way of 4 for LIDs 1 and 5, of 2 for all others. So packets wait all
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
