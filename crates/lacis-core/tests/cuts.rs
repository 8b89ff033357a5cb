//! What some link must carry and what halves of the hosts can exchange, against all sets of switches of small fabrics, against the tables of every
//! engine, and against figures derived by hand.

#![allow(clippy::unwrap_used)] // a test fails by panicking

use lacis_core::cuts::{Bisection, Forced, Why, bisection, forced, forced_by_switches};
use lacis_core::fabric::{Fabric, NodeId, Population};
use lacis_core::generate::{edit, generate};
use lacis_core::routing::{Options, route};
use lacis_core::sm::Engine;
use lacis_core::sm::lids::{LidOptions, Lids};
use lacis_core::verify::verify;
use proptest::prelude::*;

fn of(fabric: &Fabric) -> Forced {
    forced(fabric, &fabric.end_ports(Population::Hosts), |_| 1)
}

fn fabric(spec: &str, selectors: &[&str]) -> Fabric {
    edit(&generate(spec).unwrap(), selectors).unwrap()
}

/// The switches of a fabric as a table of cables, and the hosts on each.
struct Small {
    cables: Vec<Vec<u64>>,
    hosts: Vec<u64>,
}

impl Small {
    fn of(fabric: &Fabric) -> Self {
        let count = fabric.num_switches();
        let mut small = Self { cables: vec![vec![0; count]; count], hosts: vec![0; count] };
        for (p, q) in fabric.cables() {
            let (a, b) = (fabric.node_of(p).ix(), fabric.node_of(q).ix());
            match (a < count, b < count) {
                (true, true) if a != b => {
                    small.cables[a][b] += 1;
                    small.cables[b][a] += 1;
                }
                (true, false) => small.hosts[a] += 1,
                (false, true) => small.hosts[b] += 1,
                _ => {}
            }
        }
        small
    }

    /// Hops between all switches.
    fn hops(&self) -> Vec<Vec<Option<u64>>> {
        let count = self.hosts.len();
        let mut hops = vec![vec![None; count]; count];
        for (s, row) in hops.iter_mut().enumerate() {
            row[s] = Some(0);
            for distance in 0..count as u64 {
                for a in (0..count).filter(|&a| row[a] == Some(distance)).collect::<Vec<_>>() {
                    for b in (0..count).filter(|&b| self.cables[a][b] > 0) {
                        row[b] = row[b].or(Some(distance + 1));
                    }
                }
            }
        }
        hops
    }

    /// The largest bound of all sets of switches, and of the lengths of paths; as the module's
    /// documentation defines them.
    fn largest(&self) -> u64 {
        let (count, hops) = (self.hosts.len(), self.hops());
        let component = |s: usize| (0..count).find(|&t| hops[s][t].is_some()).unwrap();
        let mut most = 0;
        for set in 1_u32..1 << count {
            let is_in = |s: usize| set >> s & 1 == 1;
            let first = set.trailing_zeros() as usize;
            let others: Vec<usize> =
                (0..count).filter(|&s| component(s) == component(first) && !is_in(s)).collect();
            let inside: Vec<usize> = (0..count).filter(|&s| is_in(s)).collect();
            if inside.iter().any(|&s| component(s) != component(first)) {
                continue;
            }
            let sum = |set: &[usize]| set.iter().map(|&s| self.hosts[s]).sum::<u64>();
            let border = |from: &[usize], to: &[usize]| {
                from.iter().filter(|&&a| to.iter().any(|&b| self.cables[a][b] > 0)).count()
            };
            let k: u64 = inside.iter().flat_map(|&a| others.iter().map(move |&b| self.cables[a][b])).sum();
            if k == 0 {
                continue;
            }
            let (h, r) = (sum(&inside), sum(&others));
            most = most.max((h * r).div_ceil(k));
            if border(&inside, &others) == 1 {
                most = most.max(h * r.div_ceil(k));
            }
            if border(&others, &inside) == 1 {
                most = most.max(r * h.div_ceil(k));
            }
        }
        for first in (0..count).filter(|&s| component(s) == s) {
            let members: Vec<usize> = (0..count).filter(|&s| component(s) == first).collect();
            let pairs = || members.iter().flat_map(|&a| members.iter().map(move |&b| (a, b)));
            let all: u64 = pairs().map(|(a, b)| self.hosts[a] * self.hosts[b] * hops[a][b].unwrap()).sum();
            let links: u64 = pairs().map(|(a, b)| self.cables[a][b]).sum();
            if links > 0 {
                most = most.max(all.div_ceil(links));
            }
        }
        most
    }
}

/// The least capacity between halves of the hosts, in links of one rate, over all sets of switches.
fn thinnest(small: &Small) -> u64 {
    let count = small.hosts.len();
    let all: u64 = small.hosts.iter().sum();
    let cost = |set: u32| {
        let is_in = |s: usize| set >> s & 1 == 1;
        let hosts: u64 = (0..count).filter(|&s| is_in(s)).map(|s| small.hosts[s]).sum();
        let pairs = (0..count).flat_map(|a| (0..count).map(move |b| (a, b)));
        let cut: u64 = pairs.filter(|&(a, b)| is_in(a) && !is_in(b)).map(|(a, b)| small.cables[a][b]).sum();
        // Hosts that are too many on a side leave it, each by its own link.
        cut + (all / 2).saturating_sub(hosts) + hosts.saturating_sub(all.div_ceil(2))
    };
    (0..1 << count).map(cost).min().unwrap()
}

fn halves(fabric: &Fabric) -> Bisection {
    bisection(fabric, &fabric.end_ports(Population::Hosts)).unwrap()
}

/// HDR, 4 lanes.
const RATE: f64 = 25e9;

#[test]
fn halves_of_whole_trees_exchange_what_their_hosts_or_their_taper_allow() {
    // Hosts, and how many times they outnumber the cables of some level.
    for (spec, hosts, taper) in [
        ("fat-tree:8,1", 8.0, 1.0),
        ("fat-tree:8,2", 32.0, 1.0),
        ("fat-tree:8,3", 128.0, 1.0),
        ("fat-tree:4,4", 32.0, 1.0),
        ("fat-tree:8,3:taper=3", 192.0, 3.0),
        ("fat-tree:8,3:pods=2", 32.0, 1.0),
        ("pgft:2;4,4;1,2;1,1", 16.0, 2.0),
        // Pods of 8 hosts behind 4 cables.
        ("pgft:3;2,4,4;1,2,2;1,1,1", 32.0, 2.0),
        // Two planes, each halved separately.
        ("fat-tree:8,2:rails=2", 64.0, 1.0),
    ] {
        let found = halves(&fabric(spec, &[]));
        assert!(found.is_exact(), "{spec} {found:?}");
        assert!((found.at_most / RATE - hosts / taper / 2.0).abs() < 1e-6, "{spec} {found:?}");
        assert!((found.injection / RATE - hosts / 2.0).abs() < 1e-6, "{spec} {found:?}");
    }
}

#[test]
fn trees_joined_by_one_cable_exchange_what_it_carries() {
    let found = halves(&fabric("fat-tree:8,2:rails=2,radix=9", &["+rail1-spine-01--rail2-spine-01"]));
    assert!(found.is_exact() && (found.at_most - RATE).abs() < 1.0, "{found:?}");
    assert_eq!((found.cables, found.hosts), (1, [32, 32]));
    assert!((found.capacity - RATE).abs() < 1.0);
    // A ring of 8: two cables, 4 hosts a side.
    let found = halves(&fabric("ring:8", &[]));
    assert!(found.is_exact() && (found.at_most - 2.0 * RATE).abs() < 1.0, "{found:?}");
}

/// Small fabrics of many shapes, damaged and with cables and hosts where none belong.
fn small() -> impl Strategy<Value = Fabric> {
    let specs = [
        "fat-tree:4,2",
        "pgft:2;3,4;1,3;1,2",
        "pgft:2;4,3;1,2;1,3",
        "random:9,3,2",
        "random:8,4,3",
        "mesh:3x3",
        "ring:9",
        "chain:6",
        "hypercube:3",
        "pgft:3;2,2,2;1,2,1;1,1,1",
        "torus:3x3",
    ];
    let draws = (0_u32..50, 0_usize..4, 0_usize..6, 0_usize..6, 0_u64..100_000);
    (prop::sample::select(specs.to_vec()), draws).prop_map(|(spec, (cut, gone, crossed, added, seed))| {
        let mut fabric = generate(spec).unwrap();
        let mut change = |selector: String| {
            if let Ok(changed) = edit(&fabric, &[&selector]) {
                fabric = changed;
            }
        };
        change(format!("random-cables={cut}%,seed={seed}"));
        if gone > 0 {
            change(format!("random-hosts={gone},seed={seed}"));
        }
        let count = fabric.num_switches() as u64;
        let name = |n: u64| {
            fabric.node(NodeId(((seed / 7 + n * n * 31 + n) % count) as u32)).description.to_string()
        };
        let names: Vec<String> = (0..20).map(name).collect();
        let mut change = |selector: String| {
            if let Ok(changed) = edit(&fabric, &[&selector]) {
                fabric = changed;
            }
        };
        (0..crossed).for_each(|i| change(format!("+{}--{}", names[i], names[i + 7])));
        (0..added).for_each(|i| change(format!("+host@{}", names[i / 3 + 14])));
        fabric
    })
}

#[test]
fn hosts_behind_few_cables_force_what_arithmetic_says() {
    // Whole: each leaf's 4 hosts send to 28 others over 4 cables: 7 destinations a cable, 28 flows.
    assert_eq!(of(&fabric("fat-tree:8,2", &[])).flows, 28);
    // One cable of leaf-1 is gone: 28 destinations over 3 cables are 10 on one of them: 40 flows.
    let found = of(&fabric("fat-tree:8,2", &["leaf-01--spine-01"]));
    assert_eq!(found.flows, 40);
    let Why::Cut { inside, hosts, cables, alike, .. } = found.why else { panic!("{:?}", found.why) };
    assert_eq!((inside, hosts, cables, alike), (vec![NodeId(0)], 4, 3, 0));
    // Two trees of 32 hosts, joined by one cable between spines: 32 x 32.
    let fabric = fabric("fat-tree:8,2:rails=2,radix=9", &["+rail1-spine-01--rail2-spine-01"]);
    let found = of(&fabric);
    assert_eq!(found.flows, 32 * 32);
    let Why::Cut { border, hosts, cables, .. } = found.why else { panic!("{:?}", found.why) };
    assert_eq!((border.len(), hosts, cables), (1, 32, 1));
}

#[test]
fn single_switches_force_what_their_own_cables_do_and_not_what_sets_of_them_do() {
    let by_switches =
        |fabric: &Fabric| forced_by_switches(fabric, &fabric.end_ports(Population::Hosts), |_| 1);
    // As above: the leaf that lacks a cable; of the joined trees any leaf, from which 4 hosts send to 60 others over 4
    // cables, 15 destinations on each, and not the cable that joins them.
    assert_eq!(by_switches(&fabric("fat-tree:8,2", &["leaf-01--spine-01"])), 40);
    let joined = fabric("fat-tree:8,2:rails=2,radix=9", &["+rail1-spine-01--rail2-spine-01"]);
    assert_eq!(by_switches(&joined), 4 * 15);
}

#[test]
fn a_ring_is_forced_by_its_halves_and_by_the_lengths_of_its_paths_alike() {
    // 8 switches with a host each. Halves: 4 x 4 flows over 2 cables. Lengths: 8 (1+1+2+2+3+3+4) = 128
    // over 16 links. Both 8.
    assert_eq!(of(&fabric("ring:8", &[])).flows, 8);
    // A hypercube of 16: 8 x 8 over 8 cables; lengths 16 x 32 over 64 links. Both 8.
    assert_eq!(of(&fabric("hypercube:4", &[])).flows, 8);
}

#[test]
fn no_flow_between_switches_forces_nothing() {
    for (spec, selectors) in [("diamond", &[][..]), ("fat-tree:4,2:rails=1", &["leaf-*--spine-*"])] {
        assert_eq!(of(&fabric(spec, selectors)), Forced { flows: 0, why: Why::Nothing });
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn hardly_a_set_of_switches_forces_more(fabric in small()) {
        let (found, largest) = (of(&fabric).flows, Small::of(&fabric).largest());
        prop_assert!(found <= largest);
        prop_assert!(forced_by_switches(&fabric, &fabric.end_ports(Population::Hosts), |_| 1) <= found);
        prop_assert!(100 * found >= 50 * largest, "{} of {}", found, largest);
    }

    #[test]
    fn bisection_bandwidth_is_between_its_bounds(fabric in small()) {
        let small = Small::of(&fabric);
        let joined = small.hops().iter().flatten().all(Option::is_some);
        if !joined || small.hosts.iter().sum::<u64>() < 2 {
            return Ok(());
        }
        let (found, true_one) = (halves(&fabric), thinnest(&small) as f64);
        let (least, most) = (found.at_least / RATE, found.at_most / RATE);
        println!("HALVES {least} {true_one} {most}");
        prop_assert!(least <= true_one + 1e-6 && true_one <= most + 1e-6, "{least} {true_one} {most}");
        // Hardly a thinner cut is missed.
        prop_assert!(most <= 1.34 * true_one + 1e-6, "{true_one} {most}");
    }

    #[test]
    fn no_engine_leaves_less_on_the_fullest_link(fabric in small(), lmc in 0_u8..2) {
        let Some(sm) = Lids::default_sm(&fabric) else { return Ok(()) };
        let lids = Lids::assign(&fabric, sm, &LidOptions { lmc, ..LidOptions::fresh() }).unwrap();
        let least = forced(&fabric, &fabric.end_ports(Population::Hosts), |p| lids.range(p).len() as u64).flows;
        let small = Small::of(&fabric);
        let (hops, hosts) = (small.hops(), &small.hosts);
        let all = 0..hosts.len();
        let apart = all.clone().flat_map(|a| all.clone().map(move |b| (a, b))).filter(|&(a, b)| hops[a][b].is_none());
        let apart = apart.map(|(a, b)| hosts[a] * hosts[b]).sum::<u64>() << lmc;
        for &engine in Engine::ALL {
            let options = Options { fallback: false, ..Options::default() };
            let Ok(routes) = route(&fabric, lids.clone(), &[engine], &options) else { continue };
            let found = verify(&fabric, &routes, Population::Hosts, false);
            if found.verdicts.failed() == apart {
                prop_assert!(found.balance.max >= least, "{engine:?}: {} < {least}", found.balance.max);
            }
        }
    }
}
