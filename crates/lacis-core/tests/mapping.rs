//! Ranks mapped to hosts: on random jobs every rank keeps a seat and no host gets more than it had, bonds hold, and nothing is worse
//! than before; on a few hosts no order is better.

#![allow(clippy::unwrap_used)] // a test fails by panicking

use lacis_core::fabric::Fabric;
use lacis_core::generate::generate;
use lacis_core::mapping::{Demand, Mapping, MappingError, Request, Site, map};
use lacis_core::model::fluid::Capacity;
use lacis_core::model::load::{Paths, Steps};
use lacis_core::ranks::{Flow, HostPorts, Participants};
use lacis_core::routing::{self, Options};
use lacis_core::sm::lids::{LidOptions, Lids};
use lacis_core::sm::{Engine, Routes};
use proptest::prelude::*;

struct Net {
    fabric: Fabric,
    routes: Routes,
    participants: Participants,
}

/// A fabric with its tables, and its first hosts, each with the port of one adapter.
fn net(spec: &str, hosts: usize) -> Net {
    let fabric = generate(spec).unwrap();
    let lids = Lids::assign(&fabric, Lids::default_sm(&fabric).unwrap(), &LidOptions::fresh()).unwrap();
    let routes = routing::route(&fabric, lids, &[Engine::MinHop], &Options::default()).unwrap();
    let nodes =
        fabric.end_nodes().filter_map(|node| fabric.ports_of(node).find(|&p| fabric.peer(p).is_some()));
    let named = |(i, port)| HostPorts { name: format!("h{i}"), ports: vec![Some(port)] };
    // Every second host, so that leaves are not full.
    let chosen: Vec<HostPorts> = nodes.step_by(2).take(hosts).enumerate().map(named).collect();
    let participants = Participants::new(&fabric, &chosen, None);
    Net { fabric, routes, participants }
}

impl Net {
    fn map(&self, request: &Request<'_>) -> Result<Mapping, MappingError> {
        map(&self.fabric, &self.routes, &self.participants, request)
    }
}

fn request<'a>(given: &'a [u32], demands: &'a [Demand]) -> Request<'a> {
    Request { given, demands, grid: &[], apart: &[], pinned: &[], effort: 3_000_000, seed: 1 }
}

fn sorted(hosts: &[u32]) -> Vec<u32> {
    let mut sorted = hosts.to_vec();
    sorted.sort_unstable();
    sorted
}

/// Patterns of eight ranks, by sender, receiver and bytes.
fn patterns() -> [Vec<Demand>; 5] {
    let demand = |from, to, bytes| Demand { from, to, bytes };
    let ring = (0..8).map(|r| demand(r, (r + 1) % 8, 1000)).collect();
    let cube = (0..8).flat_map(|r| [1, 2, 4].map(|bit| demand(r, r ^ bit, 1000 * u64::from(bit)))).collect();
    let star = (1..8).flat_map(|r| [demand(r, 0, 500), demand(0, r, 700)]).collect();
    let halves = (0..4).map(|r| demand(r, r + 4, 1000)).collect();
    let uneven = (0..8)
        .flat_map(|r| (0..r).map(move |s| demand(r, s, u64::from(r * 13 + s * 7) % 17 * 100)))
        .collect();
    [ring, cube, star, halves, uneven]
}

/// The least of all orders: seconds of the most loaded link, then bytes times tiers. Written apart from the mapper: by the paths
/// of whole lists of flows, and every order counted afresh.
fn least(net: &Net, demands: &[Demand]) -> (f64, u64) {
    let hosts = net.participants.num_hosts() as u32;
    let paths = Paths::new(&net.fabric, &net.routes, net.participants.ports(), 0);
    let flows: Vec<Flow> = (0..hosts)
        .flat_map(|from| (0..hosts).map(move |to| Flow { from, to }))
        .filter(|f| f.from != f.to)
        .collect();
    let mut steps = Steps::default();
    paths.steps(&flows, &mut steps);
    let mut links = vec![Vec::new(); (hosts * hosts) as usize];
    for (i, flow) in flows.iter().enumerate() {
        links[(flow.from * hosts + flow.to) as usize] = steps.of_flow(i).collect();
    }
    let rates = Capacity::of(&net.fabric, paths.links(), 1.0).rates;
    let leaf: Vec<_> = (0..hosts).map(|h| net.participants.leaf_of(h)).collect();
    let site = Site::of(&net.fabric, &net.participants);
    let mut order: Vec<u32> = (0..hosts).collect();
    let mut best = (f64::INFINITY, u64::MAX);
    loop {
        let mut load = vec![0_u64; rates.len()];
        let mut climbed = 0;
        for d in demands {
            let (a, b) = (order[d.from as usize], order[d.to as usize]);
            links[(a * hosts + b) as usize].iter().for_each(|&l| load[l as usize] += d.bytes);
            let above = if site.pod[a as usize] == site.pod[b as usize] { 2 } else { 3 };
            climbed += d.bytes * if leaf[a as usize] == leaf[b as usize] { 1 } else { above };
        }
        let busiest = load.iter().zip(&rates).skip(1).map(|(&l, r)| l as f64 / r).fold(0.0, f64::max);
        if busiest < best.0 * (1.0 - 1e-9) || (busiest < best.0 * (1.0 + 1e-9) && climbed < best.1) {
            best = (busiest, climbed);
        }
        // The next order, by dictionary.
        let Some(i) = (0..order.len() - 1).rev().find(|&i| order[i] < order[i + 1]) else { return best };
        let j = (0..order.len()).rev().find(|&j| order[j] > order[i]).unwrap();
        order.swap(i, j);
        order[i + 1..].reverse();
    }
}

#[test]
fn of_eight_hosts_no_order_is_better() {
    for spec in ["fat-tree:6,2", "fat-tree:4,3", "torus:4x4"] {
        let net = net(spec, 8);
        let given: Vec<u32> = (0..8).collect();
        assert_eq!(net.participants.num_hosts(), 8);
        for (i, demands) in patterns().iter().enumerate() {
            let found = net.map(&request(&given, demands)).unwrap();
            let (busiest, climbed) = least(&net, demands);
            let cost = found.chosen.cost;
            assert!(found.is_exact && (cost.busiest / busiest - 1.0).abs() < 1e-9, "{spec} {i}");
            assert_eq!(cost.climbed, climbed, "{spec} {i}");
        }
    }
}

/// A fabric's number, ranks of each host, senders with receivers and bytes, and a seed.
type Job = (usize, Vec<u32>, Vec<(u32, u32, u64)>, u64);

fn job() -> impl Strategy<Value = Job> {
    (0_usize..4, prop::collection::vec(1_u32..4, 3..12), any::<u64>()).prop_flat_map(|(spec, seats, seed)| {
        let ranks = seats.iter().sum::<u32>();
        let rows = prop::collection::vec((0..ranks, 0..ranks, 0_u64..10_000), 0..4 * ranks as usize);
        (Just(spec), Just(seats), rows, Just(seed))
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, ..ProptestConfig::default() })]

    #[test]
    fn hosts_stay_and_nothing_gets_worse((spec, seats, rows, seed) in job()) {
        let spec = ["fat-tree:8,2", "fat-tree:4,3", "torus:4x4x2", "dragonfly:4,2,2"][spec];
        let net = net(spec, seats.len());
        prop_assume!(net.participants.num_hosts() == seats.len());
        // Seats of different hosts by turns.
        let most = seats.iter().copied().max().unwrap_or(0);
        let turns = (0..most).flat_map(|turn| (0..).zip(&seats).map(move |(host, &count)| (host, turn < count)));
        let given: Vec<u32> = turns.filter(|seat| seat.1).map(|seat| seat.0).collect();
        let demands: Vec<Demand> = rows.iter().map(|&(from, to, bytes)| Demand { from, to, bytes }).collect();
        let free = Request { seed, ..request(&given, &demands) };
        let found = net.map(&free).unwrap();
        prop_assert_eq!(sorted(&found.host), sorted(&given));
        prop_assert!(found.chosen.cost <= found.given.cost && found.chosen.cost <= found.by_bytes.cost);
        prop_assert_eq!(found.chosen.tiers.iter().sum::<u64>(), found.given.tiers.iter().sum::<u64>());
        prop_assert_eq!(&found, &net.map(&free).unwrap());
        // What it costs is what it costs where it is the order given.
        let again = net.map(&Request { effort: 0, ..request(&found.host, &demands) }).unwrap();
        prop_assert_eq!(&again.given, &found.chosen);

        let ranks = given.len() as u32;
        let apart: Vec<u32> = (0..seats.len() as u32).map(|i| (i * 5 + seed as u32 % 7) % ranks).collect();
        let pinned = [(seed as u32 % ranks, given[(seed / 7) as usize % given.len()])];
        let mut lone: Vec<u32> = apart.clone();
        lone.sort_unstable();
        lone.dedup();
        // A host whose only seat is that of a pinned rank has none for a rank that has to be apart.
        let is_taken = seats[pinned[0].1 as usize] == 1 && !lone.contains(&pinned[0].0);
        let able = seats.len() - usize::from(is_taken);
        let answer = net.map(&Request { apart: &apart, pinned: &pinned, ..free });
        if lone.len() > able {
            prop_assert_eq!(answer, Err(MappingError::Apart { apart: lone.len(), hosts: able }));
            return Ok(());
        }
        let bound = answer.unwrap();
        prop_assert_eq!(sorted(&bound.host), sorted(&given));
        prop_assert_eq!(bound.host[pinned[0].0 as usize], pinned[0].1);
        let hosts: Vec<u32> = lone.iter().map(|&r| bound.host[r as usize]).collect();
        let mut once = sorted(&hosts);
        once.dedup();
        prop_assert_eq!(once.len(), hosts.len(), "{:?}", hosts);
    }
}

#[test]
fn what_cannot_be_is_refused() {
    let net = net("fat-tree:4,2", 4);
    let given = [0, 0, 1, 1];
    let good = request(&given, &[]);
    let refused = |request: &Request<'_>| net.map(request).unwrap_err().to_string();
    let stray = [Demand { from: 0, to: 4, bytes: 1 }];
    assert_eq!(
        refused(&Request { demands: &stray, ..good }),
        "rank 4 sends or receives, and there are ranks 0 to 3"
    );
    assert_eq!(refused(&Request { given: &[], ..good }), "there is no rank to map");
    assert_eq!(refused(&Request { given: &[0, 9], ..good }), "host number 9 takes no part, of 4");
    assert_eq!(refused(&Request { grid: &[3, 2], ..good }), "a grid of 6 points, for 4 ranks");
    assert_eq!(
        refused(&Request { apart: &[0, 1, 2], ..good }),
        "3 ranks are to be on hosts of their own, and 2 hosts of the list have a seat for one"
    );
    assert_eq!(
        refused(&Request { pinned: &[(0, 1), (1, 1), (2, 1)], ..good }),
        "3 ranks are pinned to a host that the list has 2 times"
    );
    assert_eq!(refused(&Request { pinned: &[(0, 1), (0, 0)], ..good }), "rank 0 is pinned twice");
    assert_eq!(
        refused(&Request { apart: &[0, 1], pinned: &[(0, 1), (1, 1)], ..good }),
        "ranks 0 and 1 are to be on hosts of their own, and both are pinned to one"
    );
    let many = [Demand { from: 0, to: 1, bytes: u64::MAX }, Demand { from: 1, to: 0, bytes: 1 }];
    assert_eq!(refused(&Request { demands: &many, ..good }), "more than 2^60 bytes in all");
}
