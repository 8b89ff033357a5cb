//! Load against counting by hand: every packet is traced hop by hop, and the links that it crosses are noted.

#![allow(clippy::unwrap_used)] // a test fails by panicking

use std::collections::{BTreeMap, BTreeSet};
use std::sync::atomic::AtomicBool;

use lacis_core::fabric::{Fabric, NodeId, PortId};
use lacis_core::generate::{edit, generate};
use lacis_core::model::load::{
    Contention, Counted, Crossings, FAR, GAP, Ideal, LinkId, Links, Paths, Shift, Spray, Steps, all_pairs,
    hops_to, shifts,
};
use lacis_core::ranks::Flow;
use lacis_core::ranks::Participants;
use lacis_core::routing::{Options, route};
use lacis_core::sm::lids::{LidOptions, Lids};
use lacis_core::sm::{Engine, NO_ENTRY, Routes};
use lacis_core::traffic::Rng;
use lacis_core::verify::{Verdict, trace};

struct Net {
    fabric: Fabric,
    routes: Routes,
    ends: Vec<PortId>,
}

/// A tree with two hosts that are cabled to each other and to no switch.
const DIRECT: &str = "direct";

fn fabric(spec: &str) -> Fabric {
    if spec != DIRECT {
        return generate(spec).unwrap();
    }
    let (a, b) = ("node0002 HCA-1[1]", "node0005 HCA-1[1]");
    edit(&generate("fat-tree:4,2").unwrap(), &[a, b, &format!("+{a}--{b}")]).unwrap()
}

/// A fabric under minhop with `damaged` entries of its tables changed at random.
fn net(spec: &str, lmc: u8, damaged: usize) -> Net {
    let fabric = fabric(spec);
    let options = LidOptions { lmc, ..LidOptions::fresh() };
    let lids = Lids::assign(&fabric, Lids::default_sm(&fabric).unwrap(), &options).unwrap();
    let mut routes = route(&fabric, lids, &[Engine::MinHop], &Options::default()).unwrap();
    let mut rng = Rng::of_pattern(damaged as u64, 1);
    for _ in 0..damaged {
        let cell = rng.below(routes.lft.as_slice().len() as u32) as usize;
        routes.lft.as_mut_slice()[cell] = [NO_ENTRY, 0, 1, 2, 3, 4, 5, 200][rng.below(8) as usize];
    }
    let ends = fabric.end_nodes().filter_map(|n| fabric.port(n, 1)).collect();
    Net { fabric, routes, ends }
}

impl Net {
    /// The egress ports of all links that a flow crosses to a receiver's LID; none where it does not arrive.
    fn crossed(&self, flow: Flow, choice: u32) -> Option<BTreeSet<PortId>> {
        let [from, to] = [flow.from, flow.to].map(|end| self.ends[end as usize]);
        if self.fabric.peer(from) == Some(to) {
            return Some([from].into());
        }
        let found = trace(&self.fabric, &self.routes, from, self.routes.lids.base(to) + choice);
        (found.verdict == Verdict::Delivered)
            .then(|| found.hops.iter().filter_map(|hop| hop.egress).collect())
    }

    fn is_between_switches(&self, egress: PortId) -> bool {
        let ends = [Some(egress), self.fabric.peer(egress)];
        ends.into_iter().flatten().all(|port| self.fabric.is_switch(self.fabric.node_of(port)))
    }

    fn hosts(&self) -> u32 {
        self.ends.len() as u32
    }
}

/// The contention of each flow, 0 without a route, and flows by egress port.
fn counted(paths: &[Option<BTreeSet<PortId>>]) -> (Vec<u32>, BTreeMap<PortId, u32>) {
    let mut on = BTreeMap::new();
    for &port in paths.iter().flatten().flatten() {
        *on.entry(port).or_insert(0) += 1;
    }
    let most =
        |path: &Option<BTreeSet<PortId>>| path.iter().flatten().map(|port| on[port]).max().unwrap_or(0);
    (paths.iter().map(most).collect(), on)
}

/// Random flows, some of them the same.
fn flows(rng: &mut Rng, hosts: u32, count: usize) -> Vec<Flow> {
    let mut flow = || {
        let from = rng.below(hosts);
        Flow { from, to: (from + 1 + rng.below(hosts - 1)) % hosts }
    };
    (0..count).map(|_| flow()).collect()
}

/// Paths of two, of four and of up to eight links between switches; 72 hosts are more than one block of receivers.
const SPECS: [(&str, usize); 6] = [
    ("fat-tree:4,2", 8),
    ("fat-tree:12,2", 30),
    ("fat-tree:4,3", 20),
    ("torus:5x4", 20),
    ("chain:9", 5),
    (DIRECT, 3),
];

#[test]
fn flows_cross_what_their_packets_do_and_contend_on_shared_links() {
    let mut lost = 0;
    for (spec, damaged) in SPECS {
        let net = net(spec, 0, damaged);
        let mut rng = Rng::of_pattern(4, 0);
        let flows = flows(&mut rng, net.hosts(), 150);
        let paths: Vec<_> = flows.iter().map(|&flow| net.crossed(flow, 0)).collect();
        let (contention, on) = counted(&paths);
        lost += contention.iter().filter(|&&k| k == 0).count();
        for expected in [0, usize::MAX] {
            let asked = Paths::new(&net.fabric, &net.routes, &net.ends, expected);
            let mut steps = Steps::default();
            asked.steps(&flows, &mut steps);
            assert_eq!(steps.num_flows(), flows.len());
            for (f, path) in paths.iter().enumerate() {
                let found: Vec<PortId> = steps.of_flow(f).map(|link| asked.links().egress(link)).collect();
                let once: BTreeSet<PortId> = found.iter().copied().collect();
                assert_eq!(
                    (found.len(), once),
                    (path.iter().flatten().count(), path.clone().unwrap_or_default()),
                    "{spec}"
                );
            }
            let mut count = Contention::new(asked.links());
            count.count(&steps);
            assert_eq!(count.of_flows(), contention, "{spec}");
            for port in (0..net.fabric.num_ports() as u32).map(PortId) {
                let flows = count.on_links()[asked.links().leaving(port) as usize];
                assert_eq!(flows, on.get(&port).copied().unwrap_or(0), "{spec}");
            }
            let to_first = |&port: &PortId| asked.leads_to(port, 0);
            for switch in net.fabric.switches() {
                let entry = net.routes.lft.get(switch, net.routes.lids.base(net.ends[0]));
                let expected: Vec<PortId> =
                    net.fabric.ports_of(switch).filter(|&p| net.fabric.number_of(p) == entry).collect();
                assert_eq!(net.fabric.ports_of(switch).filter(to_first).collect::<Vec<_>>(), expected);
            }
        }
    }
    assert!(lost > 20, "{lost}");
}

#[test]
fn flows_to_a_chosen_lid_cross_what_the_packets_to_it_do() {
    let net = net("fat-tree:4,3", 2, 60);
    let mut rng = Rng::of_pattern(8, 0);
    let flows = flows(&mut rng, net.hosts(), 200);
    // Only the last two bits of a choice count.
    let choices: Vec<u32> = flows.iter().map(|_| rng.below(1000)).collect();
    let asked = Paths::new(&net.fabric, &net.routes, &net.ends, 0);
    assert!(asked.have_lmc());
    let plain = self::net("fat-tree:4,2", 0, 0);
    assert!(!Paths::new(&plain.fabric, &plain.routes, &plain.ends, 0).have_lmc());
    let mut steps = Steps::default();
    asked.steps_by(&flows, &choices, &mut steps);
    for (f, (&flow, choice)) in flows.iter().zip(&choices).enumerate() {
        let found: BTreeSet<PortId> = steps.of_flow(f).map(|link| asked.links().egress(link)).collect();
        assert_eq!(found, net.crossed(flow, choice % 4).unwrap_or_default());
    }
}

#[test]
fn all_pairs_are_counted_as_if_each_were_walked() {
    for (spec, damaged) in SPECS.into_iter().filter(|spec| spec.0 != "fat-tree:12,2") {
        let net = net(spec, 0, damaged);
        let links = Links::of(&net.fabric);
        // All hosts; then two rails, of which the second takes every third host of the rest.
        let (one, rest): (Vec<u32>, Vec<u32>) = (0..net.hosts()).partition(|host| host % 2 == 0);
        let other: Vec<u32> = rest.into_iter().step_by(3).collect();
        for rails in [vec![(0..net.hosts()).collect()], vec![one, other]] {
            let pairs = rails.iter().flat_map(|rail: &Vec<u32>| {
                rail.iter().flat_map(|&from| rail.iter().map(move |&to| Flow { from, to }))
            });
            let paths: Vec<_> =
                pairs.filter(|flow| flow.from != flow.to).map(|flow| net.crossed(flow, 0)).collect();
            let (contention, on) = counted(&paths);
            let mut expected = BTreeMap::new();
            for k in contention.into_iter().filter(|&k| k > 0) {
                *expected.entry(u64::from(k)).or_insert(0) += 1;
            }
            let ports: Vec<Vec<PortId>> =
                rails.iter().map(|rail| rail.iter().map(|&host| net.ends[host as usize]).collect()).collect();
            let found = all_pairs(&net.fabric, &net.routes, &links, &ports);
            assert_eq!(found.contention, expected.into_iter().collect::<Vec<_>>(), "{spec}");
            assert_eq!(found.unrouted as usize, paths.iter().filter(|path| path.is_none()).count());
            for port in (0..net.fabric.num_ports() as u32).map(PortId) {
                let flows = found.on_link[links.leaving(port) as usize];
                assert_eq!(flows, u64::from(on.get(&port).copied().unwrap_or(0)), "{spec}");
            }
        }
    }
}

/// A shift from its flows, one by one.
fn shift_by_hand(net: &Net, distance: u32) -> Shift {
    let n = net.hosts();
    let paths: Vec<_> = (0..n).map(|from| net.crossed(Flow { from, to: (from + distance) % n }, 0)).collect();
    let (contention, _) = counted(&paths);
    let delivered: Vec<u32> = contention.into_iter().filter(|&k| k > 0).collect();
    Shift {
        distance,
        flows: delivered.len() as u64,
        unrouted: u64::from(n) - delivered.len() as u64,
        relative_sum: delivered.iter().map(|&k| 1.0 / f64::from(k)).sum(),
        max_contention: delivered.iter().copied().max().unwrap_or(0),
    }
}

fn are_alike(found: &[Shift], expected: &[Shift]) {
    assert_eq!(found.len(), expected.len());
    for (found, expected) in found.iter().zip(expected) {
        assert!((found.relative_sum - expected.relative_sum).abs() < 1e-9, "{found:?}, not {expected:?}");
        assert_eq!(*found, Shift { relative_sum: found.relative_sum, ..*expected });
    }
}

#[test]
fn shifts_are_counted_as_if_each_flow_were_walked_before_and_after_a_failure() {
    let stop = AtomicBool::new(false);
    for (spec, damaged) in
        [("fat-tree:4,3", 15), ("torus:5x4", 12), ("fat-tree:8,2", 0), ("chain:9", 3), (DIRECT, 3)]
    {
        let mut net = net(spec, 0, damaged);
        let before = net.routes.clone();
        let participants = Participants::each_port(&net.fabric, &net.ends);
        let ports = net.ends.clone();
        let distances: Vec<u32> = (1..net.hosts()).collect();
        let expected: Vec<Shift> = distances.iter().map(|&d| shift_by_hand(&net, d)).collect();
        let paths = Paths::new(&net.fabric, &before, &ports, 0);
        let found = shifts(&stop, &paths, &participants, &distances).unwrap();
        are_alike(&found.each, &expected);
        let relative = |shift: &Shift| shift.relative_sum / f64::from(net.hosts());
        let worst = expected.iter().map(relative).fold(f64::INFINITY, f64::min);
        assert!((found.worst().unwrap().relative() - worst).abs() < 1e-12);
        let mean = expected.iter().map(relative).sum::<f64>() / distances.len() as f64;
        assert!((found.mean() - mean).abs() < 1e-12);
        assert_eq!(found.max_contention(), expected.iter().map(|s| s.max_contention).max().unwrap());
        let Some(kept) = Counted::new(&stop, &paths, &participants, &distances) else {
            assert_eq!(spec, DIRECT);
            continue;
        };
        are_alike(&kept.shifts().each, &expected);
        // Entries for one receiver change: some flows take another path, some are lost.
        let mut rng = Rng::of_pattern(6, 0);
        let (mut counted, mut changed) = (0, net.routes.clone());
        for _ in 0..60 {
            let receiver = net.ends[rng.below(net.hosts()) as usize];
            let switch = NodeId(rng.below(net.fabric.num_switches() as u32));
            let entry = [NO_ENTRY, 1, 2, 3, 4, 5, 6, 7, 8][rng.below(9) as usize];
            changed.lft.row_mut(switch)[net.routes.lids.base(receiver) as usize] = entry;
            let after = Paths::new(&net.fabric, &changed, &ports, 0);
            if let Some(found) = kept.after(&after, &participants, |port| port == receiver) {
                net.routes = changed.clone();
                let expected: Vec<Shift> = distances.iter().map(|&d| shift_by_hand(&net, d)).collect();
                are_alike(&found.each, &expected);
                counted += usize::from(found.each != kept.shifts().each);
            }
            changed = before.clone();
        }
        assert!(counted > 5, "{spec}: {counted}");
    }
}

/// Links from each switch to a given one, relaxed until nothing changes.
fn hops_by_hand(fabric: &Fabric, edge_switch: NodeId) -> Vec<Option<u32>> {
    let mut hops = vec![None; fabric.num_switches()];
    hops[edge_switch.ix()] = Some(0);
    loop {
        let before = hops.clone();
        for switch in fabric.switches() {
            for far in ahead(fabric, switch).into_iter().map(|(_, far)| far) {
                let by = hops[far.ix()].map(|hops: u32| hops + 1);
                if by.is_some_and(|by| hops[switch.ix()].is_none_or(|here| by < here)) {
                    hops[switch.ix()] = by;
                }
            }
        }
        if hops == before {
            return hops;
        }
    }
}

/// The ports of a switch to other switches.
fn ahead(fabric: &Fabric, switch: NodeId) -> Vec<(PortId, NodeId)> {
    let leads = |port: PortId| fabric.peer(port).map(|far| (port, fabric.node_of(far)));
    fabric.ports_of(switch).filter_map(leads).filter(|&(_, far)| fabric.is_switch(far)).collect()
}

/// Spreads an amount at a switch evenly, switch by switch, and adds it to the links.
fn spread(net: &Net, hops: &[Option<u32>], at: NodeId, amount: f64, on: &mut BTreeMap<PortId, f64>) {
    let mut near = ahead(&net.fabric, at);
    near.retain(|(_, far)| hops[far.ix()] < hops[at.ix()]);
    for &(port, far) in &near {
        let share = amount / near.len() as f64;
        *on.entry(port).or_insert(0.0) += share;
        spread(net, hops, far, share, on);
    }
}

#[test]
fn a_sprayed_flow_is_spread_evenly_at_every_switch() {
    for spec in ["fat-tree:4,3", "torus:4x3", "pgft:2;4,3;1,2;1,2", "random:9,4,2"] {
        let net = net(spec, 0, 0);
        let paths = Paths::new(&net.fabric, &net.routes, &net.ends, 0);
        let (mut spray, mut out) = (Spray::new(&paths), Vec::new());
        let edge_switches: Vec<NodeId> = net.fabric.switches().collect();
        let all = hops_to(&net.fabric, &edge_switches);
        for flow in flows(&mut Rng::of_pattern(2, 0), net.hosts(), 60) {
            let [from, to] = [flow.from, flow.to].map(|end| net.ends[end as usize]);
            let [source, edge_switch] = [from, to].map(|end| net.fabric.edge_switch(end).unwrap());
            let hops = hops_by_hand(&net.fabric, edge_switch);
            let row = &all[edge_switch.ix() * edge_switches.len()..][..edge_switches.len()];
            assert!(row.iter().zip(&hops).all(|(&a, b)| b.map_or(FAR, |b| b as u16) == a));
            let mut expected = BTreeMap::from([(from, 1.0), (net.fabric.peer(to).unwrap(), 1.0)]);
            spread(&net, &hops, source, 1.0, &mut expected);
            spray.shares(flow, &mut out);
            let found: BTreeMap<PortId, f64> =
                out.iter().map(|&(link, share)| (paths.links().egress(link), share)).collect();
            assert_eq!(out.len(), found.len(), "{spec}: a link is listed twice");
            assert!(found.keys().eq(expected.keys()), "{spec}");
            assert!(found.values().zip(expected.values()).all(|(a, b)| (a - b).abs() < 1e-12), "{spec}");
        }
    }
}

#[test]
fn between_islands_nothing_is_sprayed() {
    let net = net("ring:3:trees=2", 0, 0);
    let paths = Paths::new(&net.fabric, &net.routes, &net.ends, 0);
    let (mut spray, mut out) = (Spray::new(&paths), vec![(1, 1.0)]);
    spray.shares(Flow { from: 0, to: net.hosts() - 1 }, &mut out);
    assert!(out.is_empty());
    let hops = hops_to(&net.fabric, &[NodeId(0)]);
    assert_eq!(hops.iter().filter(|&&hops| hops == FAR).count(), 3);
}

/// The size of a maximum matching of some pairs, sender by sender.
fn greatest_matching(pairs: &[Flow], hosts: u32) -> usize {
    fn seat(from: u32, pairs: &[Flow], seen: &mut Vec<bool>, sender_of: &mut Vec<Option<u32>>) -> bool {
        for to in pairs.iter().filter(|pair| pair.from == from).map(|pair| pair.to as usize) {
            if !std::mem::replace(&mut seen[to], true)
                && sender_of[to].is_none_or(|other| seat(other, pairs, seen, sender_of))
            {
                sender_of[to] = Some(from);
                return true;
            }
        }
        false
    }
    let mut sender_of = vec![None; hosts as usize];
    (0..hosts).filter(|&from| seat(from, pairs, &mut vec![false; hosts as usize], &mut sender_of)).count()
}

#[test]
fn most_flows_over_a_link_are_a_greatest_matching_of_the_pairs_that_cross_it() {
    for (spec, damaged) in
        [("fat-tree:4,3", 15), ("torus:4x3:h=2", 12), ("pgft:2;4,3;1,2;1,2", 8), ("chain:5", 0)]
    {
        let net = net(spec, 0, damaged);
        let n = net.hosts();
        let mut over: BTreeMap<PortId, Vec<Flow>> = BTreeMap::new();
        for flow in (0..n).flat_map(|from| (0..n).map(move |to| Flow { from, to })) {
            if flow.from != flow.to {
                for port in net.crossed(flow, 0).into_iter().flatten().filter(|&p| net.is_between_switches(p))
                {
                    over.entry(port).or_default().push(flow);
                }
            }
        }
        let paths = Paths::new(&net.fabric, &net.routes, &net.ends, 0);
        let crossings = Crossings::of(&paths);
        let link = |port: PortId| paths.links().leaving(port);
        assert!(crossings.used().eq(over.keys().map(|&port| link(port))), "{spec}");
        // By link: most at a time, and pairs.
        let mut all: Vec<(usize, u64, LinkId)> = Vec::new();
        for (&port, pairs) in &over {
            let found = crossings.most(link(port));
            assert_eq!(found.len(), greatest_matching(pairs, n), "{spec}");
            assert!(found.iter().all(|flow| pairs.contains(flow)));
            for ends in [|flow: &Flow| flow.from, |flow: &Flow| flow.to] {
                assert_eq!(found.iter().map(ends).collect::<BTreeSet<_>>().len(), found.len());
            }
            assert_eq!(crossings.pairs(link(port)), pairs.len() as u64);
            all.push((found.len(), pairs.len() as u64, link(port)));
        }
        // The worst of all, and of those that a bit of a number chooses: the first of equals.
        let mut rng = Rng::of_pattern(9, 0);
        let draws = (0..200).map(|_| (u64::from(rng.below(u32::MAX)) << 32) | u64::from(rng.below(u32::MAX)));
        for drawn in [u64::MAX].into_iter().chain(draws) {
            let counts = |link: LinkId| drawn >> (link % 64) & 1 == 1;
            let chosen = || all.iter().filter(|candidate| counts(candidate.2));
            let Some(most) = chosen().map(|candidate| candidate.0).max() else { continue };
            let first = chosen().find(|candidate| candidate.0 == most).unwrap();
            let (found, flows) = crossings.worst(counts).unwrap();
            assert_eq!((found, flows.len()), (first.2, most), "{spec}");
        }
        assert!(crossings.worst(|_| false).is_none());
        all.sort_by_key(|&(most, pairs, link)| (std::cmp::Reverse(most), std::cmp::Reverse(pairs), link));
        for count in [0, 1, 3, all.len(), all.len() + 5] {
            let ranked: Vec<(LinkId, usize)> =
                crossings.ranked(count).iter().map(|(link, flows)| (*link, flows.len())).collect();
            let expected: Vec<_> = all.iter().take(count).map(|&(most, _, link)| (link, most)).collect();
            assert_eq!(ranked, expected, "{spec}: {count}");
        }
    }
}

#[test]
fn the_least_rate_of_an_ideal_split_is_as_good_as_any_on_a_grid_of_splits() {
    // Three leaves of two hosts under two spines. A flow from leaf to leaf has one number: its share over the first
    // spine. Flows between the same leaves share it.
    let net = net("pgft:2;2,3;1,2;1,1", 0, 0);
    let paths = Paths::new(&net.fabric, &net.routes, &net.ends, 0);
    let links = paths.links();
    let spray = Spray::new(&paths);
    let leaf = |host: u32| net.fabric.edge_switch(net.ends[host as usize]).unwrap();
    let spines: BTreeSet<NodeId> = ahead(&net.fabric, leaf(0)).into_iter().map(|(_, far)| far).collect();
    let between = |a: NodeId, b: NodeId| {
        let port = ahead(&net.fabric, a).into_iter().find(|&(_, far)| far == b).unwrap().0;
        links.leaving(port) as usize
    };
    for seed in 0..12 {
        let mut rng = Rng::of_pattern(seed, 0);
        let rates: Vec<f64> = (0..links.len()).map(|_| 4.0 + f64::from(rng.below(12))).collect();
        let mut chosen = flows(&mut rng, 6, 4);
        chosen.retain(|flow| leaf(flow.from) != leaf(flow.to));
        let pairs: Vec<(NodeId, NodeId)> =
            chosen.iter().map(|f| (leaf(f.from), leaf(f.to))).collect::<BTreeSet<_>>().into_iter().collect();
        if pairs.is_empty() || pairs.len() > 3 {
            continue;
        }
        let weights: Vec<f64> = chosen.iter().map(|_| 1.0 + f64::from(rng.below(3))).collect();
        // The least rate that a load of the links leaves.
        let least = |load: &[f64]| {
            load.iter()
                .zip(&rates)
                .filter(|(load, _)| **load > 0.0)
                .map(|(load, rate)| rate / load)
                .fold(f64::INFINITY, f64::min)
        };
        let mut best: f64 = 0.0;
        for cell in 0..41_usize.pow(pairs.len() as u32) {
            let mut load = vec![0.0; links.len()];
            for (flow, weight) in chosen.iter().zip(&weights) {
                let (from, to) = (leaf(flow.from), leaf(flow.to));
                let index = pairs.iter().position(|&pair| pair == (from, to)).unwrap();
                let first = (cell / 41_usize.pow(index as u32) % 41) as f64 / 40.0;
                for (&spine, share) in spines.iter().zip([first, 1.0 - first]) {
                    load[between(from, spine)] += weight * share;
                    load[between(spine, to)] += weight * share;
                }
                let end = |host: u32| net.ends[host as usize];
                load[links.leaving(end(flow.from)) as usize] += weight;
                load[links.leaving(net.fabric.peer(end(flow.to)).unwrap()) as usize] += weight;
            }
            best = best.max(least(&load));
        }
        let split = Ideal::new(&spray).split(&chosen, |flow| weights[flow], &rates, || false);
        let mut load = vec![0.0; links.len()];
        for ((shares, flow), weight) in split.shares.iter().zip(&chosen).zip(&weights) {
            // All of it goes up, over the spines, and down.
            let sum = |from: NodeId| -> f64 {
                let leaves = |share: &&(LinkId, f64)| net.fabric.node_of(links.egress(share.0)) == from;
                shares.iter().filter(leaves).map(|share| share.1).sum()
            };
            assert!((sum(leaf(flow.from)) - 1.0).abs() < 1e-9);
            assert!((sum(leaf(flow.to)) - 1.0).abs() < 1e-9);
            assert!((spines.iter().map(|&spine| sum(spine)).sum::<f64>() - 1.0).abs() < 1e-9);
            for &(link, share) in shares {
                load[link as usize] += weight * share;
            }
        }
        let found = least(&load);
        assert!(split.gap <= GAP + 1e-9, "{}", split.gap);
        assert!(found * (1.0 + split.gap) >= best * (1.0 - 1e-9), "seed {seed}: {found}, not {best}");
    }
}
