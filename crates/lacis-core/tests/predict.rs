//! Predictions over generated fabrics and the engines' own tables: what theory and field reports
//! say must come out.

#![allow(clippy::unwrap_used)] // a test fails by panicking

use std::collections::BTreeSet;
use std::sync::atomic::AtomicBool;

use lacis_core::fabric::{Fabric, Guid, Population, PortId};
use lacis_core::generate::{generate, shuffle_guids};
use lacis_core::predict::{Cells, Model, PredictRequest, Prediction, predict, predict_each};
use lacis_core::ranks::{HostPorts, Participants};
use lacis_core::routing::opensm::ftree;
use lacis_core::routing::{Options, route};
use lacis_core::sm::lids::{LidOptions, Lids};
use lacis_core::sm::{Engine, NO_ENTRY, Routes};
use lacis_core::traffic::{Phases, Rng, Traffic};

fn assigned(fabric: &Fabric) -> Lids {
    Lids::assign(fabric, Lids::default_sm(fabric).unwrap(), &LidOptions::fresh()).unwrap()
}

fn routed(fabric: &Fabric, engine: Engine, options: &Options) -> Routes {
    let routes = route(fabric, assigned(fabric), &[engine], options).unwrap();
    assert_eq!(routes.engine_used, engine);
    routes
}

fn each_host(fabric: &Fabric) -> Participants {
    Participants::each_port(fabric, &fabric.end_ports(Population::All))
}

fn ask(
    fabric: &Fabric,
    routes: &Routes,
    participants: &Participants,
    pattern: &str,
    request: &PredictRequest,
) -> Prediction {
    let phases = Phases::new(&pattern.parse().unwrap(), participants, 100, Vec::new()).unwrap();
    predict(fabric, routes, &Traffic::Pattern(phases), request).unwrap()
}

fn load(fabric: &Fabric, routes: &Routes, participants: &Participants, pattern: &str) -> Prediction {
    ask(fabric, routes, participants, pattern, &PredictRequest::default())
}

/// minhop with the given ports routed first (`guid_routing_order_file`).
fn minhop_in_order(fabric: &Fabric, order: &[PortId]) -> Routes {
    let order = order.iter().map(|&p| fabric.port_info(p).guid).collect();
    routed(fabric, Engine::MinHop, &Options { order, ..Options::default() })
}

fn shuffled(ports: &[PortId], seed: u64) -> Vec<PortId> {
    let mut slots: Vec<u32> = (0..ports.len() as u32).collect();
    Rng::of_pattern(seed, 0).shuffle(&mut slots);
    slots.into_iter().map(|i| ports[i as usize]).collect()
}

/// With destinations routed in topological order, every cyclic shift in that order uses every link
/// of a full tree at most once (E. Zahavi et al., "Optimized InfiniBand fat-tree routing for shift
/// all-to-all communication patterns", Concurrency and Computation 22(2), 2010).
#[test]
fn ftree_on_a_full_tree_runs_every_shift_in_its_own_order_free_of_contention() {
    for (spec, seed) in [("fat-tree:8,3", None), ("fat-tree:8,3", Some(11)), ("fat-tree:36,2", Some(5))] {
        let plain = generate(spec).unwrap();
        let fabric = seed.map_or(plain.clone(), |s| shuffle_guids(&plain, s));
        let leaves = ftree::ca_order(&fabric, &assigned(&fabric), &Options::default()).unwrap();
        let order: Vec<PortId> = leaves.into_iter().flat_map(|l| l.ports).collect();
        let routes = routed(&fabric, Engine::FTree, &Options::default());
        let n = order.len() as u64;

        let participants = Participants::each_port(&fabric, &order);
        let all = load(&fabric, &routes, &participants, "mpigraph");
        assert_eq!((all.max_contention, all.flows, all.unrouted), (1, n * (n - 1), 0), "{spec}");
        // The same tables do not serve an order of the hosts that is not theirs.
        let participants = Participants::each_port(&fabric, &shuffled(&order, 1));
        assert!(load(&fabric, &routes, &participants, "shift:1-20").mean_relative < 0.9);
    }
}

/// All shifts together are all-to-all: the same flows on every link.
#[test]
fn all_shifts_load_the_links_as_all_to_all_does() {
    for (spec, engine) in
        [("fat-tree:8,3", Engine::MinHop), ("itasca", Engine::MinHop), ("fat-tree:8,2", Engine::UpDn)]
    {
        let fabric = generate(spec).unwrap();
        let routes = routed(&fabric, engine, &Options::default());
        let participants = each_host(&fabric);
        let (shifts, all) = (
            load(&fabric, &routes, &participants, "mpigraph"),
            load(&fabric, &routes, &participants, "alltoall"),
        );
        assert_eq!((shifts.loads, shifts.flows), (all.loads.clone(), all.flows), "{spec}");
        assert_eq!(all.max_contention, *all.loads.iter().max().unwrap());
        assert_eq!(all.hottest[0].contention, all.max_contention);
    }
}

/// Leaf against leaf, 8 nodes of each 16, on the director fabric of the field report: min-hop in
/// node order is free of contention between any two leaves, near (under the same mids, 9 leaves a
/// set) or far. All 32 pairs at once, near ones still are; far ones share links two by two.
#[test]
fn ordered_min_hop_on_itasca_is_clean_leaf_by_leaf_and_two_to_one_far_away_all_at_once() {
    let fabric = generate("itasca").unwrap();
    let participants = each_host(&fabric);
    assert_eq!((participants.num_hosts(), participants.leaves().len()), (1024, 64));
    let routes = minhop_in_order(&fabric, participants.ports());
    for a in (0..64_u32).step_by(3) {
        for b in 0..a {
            let pair = format!("leaf-offset:offset={},nodes=8,leaves={b},{a}", a ^ b);
            let alone = load(&fabric, &routes, &participants, &pair);
            assert_eq!((alone.flows, alone.max_contention), (16, 1), "{pair}");
        }
    }
    // Offset 16 pairs leaf l with l + 16 or l - 16: never in one set of 9. Offset 1 within set 0
    // pairs leaves 0-1, 2-3, 4-5, 6-7.
    let at_once = |pattern: &str| load(&fabric, &routes, &participants, pattern).max_contention;
    assert_eq!(at_once("leaf-offset:offset=16,nodes=8"), 2);
    assert_eq!(at_once("leaf-offset:offset=32,nodes=8"), 2);
    assert_eq!(at_once("leaf-offset:offset=1,2,4,nodes=8,leaves=0-7"), 1);
}

/// The same in a shuffled order breaks the near sets, too: the worst contention of a near round is
/// 4.5 on the average, as an independent count of this fabric found.
#[test]
fn a_shuffled_order_breaks_near_sets_on_itasca() {
    let fabric = generate("itasca").unwrap();
    let participants = each_host(&fabric);
    let mut sum = 0.0;
    for seed in 0..8 {
        let routes = minhop_in_order(&fabric, &shuffled(participants.ports(), seed));
        let near = load(&fabric, &routes, &participants, "leaf-offset:offset=1,2,4,nodes=8");
        sum += near.mean_max_contention / 8.0;
    }
    assert!((4.2..=4.8).contains(&sum), "{sum}");
}

/// A route's length: 3 switches between leaves of a near set, 5 otherwise.
#[test]
fn near_and_far_on_itasca_differ_by_two_switches() {
    let fabric = generate("itasca").unwrap();
    let participants = each_host(&fabric);
    let routes = minhop_in_order(&fabric, participants.ports());
    let mut steps = lacis_core::model::load::Steps::default();
    let paths = lacis_core::model::load::Paths::new(&fabric, &routes, participants.ports(), 0);
    for (a, b) in [(0, 1), (0, 8), (0, 9), (8, 9), (62, 63), (63, 0), (54, 62)] {
        paths.steps(&[lacis_core::ranks::Flow { from: a * 16, to: b * 16 + 3 }], &mut steps);
        let switches = if a / 9 == b / 9 { 3 } else { 5 };
        assert_eq!(steps.of_flow(0).count(), switches + 1, "{a} {b}");
    }
}

/// Two pairs whose destinations the tables send over the same core: the inter-switch link is full,
/// the host links half used, the other core idle; both pairs together get what one link carries.
#[test]
fn two_pairs_forced_over_one_core_share_its_link() {
    let fabric = generate("article").unwrap();
    let mut routes = routed(&fabric, Engine::MinHop, &Options::default());
    let participants = each_host(&fabric);
    let edges = [
        fabric.edge_switch(participants.ports()[0]).unwrap(),
        fabric.edge_switch(participants.ports()[2]).unwrap(),
    ];
    for (i, &port) in participants.ports().iter().enumerate() {
        let lid = routes.lids.base(port) as usize;
        routes.lft.row_mut(edges[1 - i / 2])[lid] = 26; // the port to core2
    }
    assert_eq!(participants.names(), ["NodeA hfi1_0", "NodeB hfi1_0", "NodeC hfi1_0", "NodeD hfi1_0"]);
    let pairs = vec![(0, 2), (1, 3)];
    let traffic =
        Traffic::Pattern(Phases::new(&"file:pairs".parse().unwrap(), &participants, 1, vec![pairs]).unwrap());
    for host_efficiency in [1.0, 0.9904] {
        let request = PredictRequest { model: Model::Fluid, host_efficiency, ..PredictRequest::default() };
        let result = predict(&fabric, &routes, &traffic, &request).unwrap();
        let total = result.bandwidth.unwrap().total;
        assert!((12.38e9..=12.5e9 + 1.0).contains(&total), "{total}");
        assert_eq!((result.max_contention, result.flows), (2, 2));
        let hot = |name: &str| {
            let named = |h: &&lacis_core::predict::HotLink| fabric.port_name(h.egress) == name;
            result.hottest.iter().find(named).and_then(|h| h.utilisation)
        };
        let near = |got: Option<f64>, expected: f64| got.is_some_and(|g| (g - expected).abs() < 0.01);
        assert!(near(hot("\"edge1\"[26]"), 1.0) && near(hot("\"core2\"[2]"), 1.0));
        assert!(near(hot("\"NodeA hfi1_0\"[1]"), 0.5) && near(hot("\"edge2\"[2]"), 0.5));
        assert!(hot("\"edge1\"[25]").is_none() && hot("\"core1\"[2]").is_none()); // never used
    }
}

/// 24 leaves of 12 hosts and 12 uplinks, routed by min-hop: the 12 destinations behind a leaf take
/// 12 different uplinks of any other leaf when routed in node order, and as many as 12 throws of a
/// 12-sided die show faces when routed in random order: 12 (1 - (11/12)^12) = 7.78. (Drawn without
/// replacement from 23 of each uplink, exactly 12 (1 - prod_{i<12} (253 - i)/(276 - i)) = 7.87.)
#[test]
fn ordered_destinations_take_distinct_uplinks_and_shuffled_ones_collide() {
    let fabric = generate("pgft:2;12,24;1,12;1,1").unwrap();
    let participants = each_host(&fabric);
    let distinct = |routes: &Routes| {
        let (mut sum, mut count, mut least) = (0, 0, 12);
        for (l, &leaf) in participants.leaves().iter().enumerate() {
            let behind = |other: usize| participants.ports()[other * 12..][..12].iter();
            for other in (0..24).filter(|&other| other != l) {
                let uplinks: BTreeSet<u8> =
                    behind(other).map(|&p| routes.lft.get(leaf, routes.lids.base(p))).collect();
                (sum, count, least) = (sum + uplinks.len(), count + 1, least.min(uplinks.len()));
            }
        }
        (sum as f64 / f64::from(count), least)
    };
    assert_eq!(distinct(&minhop_in_order(&fabric, participants.ports())).1, 12);
    let means =
        (0..4).map(|seed| distinct(&minhop_in_order(&fabric, &shuffled(participants.ports(), seed))).0);
    let mean = means.sum::<f64>() / 4.0;
    assert!((mean - 7.87).abs() < 0.1, "{mean}"); // 2,208 samples of deviation 0.9: 5 sigma
}

#[test]
fn the_result_is_the_same_on_any_number_of_threads() {
    let fabric = generate("fat-tree:8,3").unwrap();
    let routes = routed(&fabric, Engine::MinHop, &Options::default());
    let participants = each_host(&fabric);
    for (pattern, model) in [
        ("bisection", Model::Load),
        ("permutation", Model::Fluid),
        ("shift", Model::Fluid),
        ("alltoall", Model::Load),
    ] {
        let request = PredictRequest { model, cells: Some(Cells::Leaves), ..PredictRequest::default() };
        let with = |threads| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            format!("{:?}", pool.install(|| ask(&fabric, &routes, &participants, pattern, &request)))
        };
        let one = with(1);
        assert!(one == with(2) && one == with(3), "{pattern}");
    }
}

/// Hosts with adapters on several rails, drawn from the ports of a fabric; some hosts lack a rail.
fn on_rails(fabric: &Fabric, rails: usize, seed: u64) -> Participants {
    let ports = shuffled(&fabric.end_ports(Population::All), seed);
    let hosts = ports.chunks_exact(rails).enumerate().map(|(number, ports)| HostPorts {
        name: format!("h{number}"),
        ports: ports
            .iter()
            .enumerate()
            .map(|(rail, &port)| (rails == 1 || (number + rail) % 5 > 0).then_some(port))
            .collect(),
    });
    Participants::new(fabric, &hosts.collect::<Vec<_>>(), None)
}

/// Where nothing is kept of links, patterns are counted rail by rail, and that shows nowhere: paths of two links and of
/// more, flows lost for want of an entry and in circles, rails that hosts lack.
#[test]
fn patterns_counted_rail_by_rail_get_what_they_get_flow_by_flow() {
    let stop = AtomicBool::new(false);
    let request = PredictRequest { hottest: 0, seed: 5, ..PredictRequest::default() };
    let (mut unrouted, mut skipped) = (0, 0);
    for (spec, rails) in [("fat-tree:8,2", 1), ("fat-tree:4,3", 3), ("torus:5x4", 2), ("chain:9", 1)] {
        let fabric = generate(spec).unwrap();
        let mut routes = routed(&fabric, Engine::MinHop, &Options::default());
        let participants = on_rails(&fabric, rails, 3);
        let mut rng = Rng::of_pattern(1, 0);
        for damaged in [0, 12] {
            for _ in 0..damaged {
                let port = participants.ports()[rng.below(participants.ports().len() as u32) as usize];
                let switch = fabric.switches().nth(rng.below(fabric.num_switches() as u32) as usize).unwrap();
                routes.lft.row_mut(switch)[routes.lids.base(port) as usize] =
                    [NO_ENTRY, 1, 2, 3][rng.below(4) as usize];
            }
            let patterns = ["bisection", "pairs", "permutation", "shift", "shift:1,3"];
            let traffic = patterns.map(|pattern| {
                let phases = Phases::new(&pattern.parse().unwrap(), &participants, 100, Vec::new()).unwrap();
                Traffic::Pattern(phases)
            });
            let together = predict_each(&stop, &fabric, &routes, &traffic, &request).unwrap();
            for (found, (pattern, traffic)) in together.into_iter().zip(patterns.iter().zip(&traffic)) {
                let alone = predict(&fabric, &routes, traffic, &request).unwrap();
                assert!(found.flows > 0);
                unrouted += found.unrouted;
                skipped += found.skipped;
                let found = Prediction { loads: alone.loads.clone(), ..found };
                assert_eq!(found, alone, "{spec} {pattern}");
            }
        }
    }
    assert!(unrouted > 0 && skipped > 0);
}

/// The load model on a crossbar: flows share nothing but host links.
#[test]
fn a_single_switch_has_no_contention_except_at_the_hosts() {
    let fabric = generate("diamond").unwrap();
    let routes = routed(&fabric, Engine::MinHop, &Options::default());
    let participants = each_host(&fabric);
    for pattern in ["bisection", "permutation", "pairs", "mpigraph"] {
        let result = load(&fabric, &routes, &participants, pattern);
        assert_eq!((result.max_contention, result.mean_relative.to_bits()), (1, 1.0_f64.to_bits()));
    }
    let all = load(&fabric, &routes, &participants, "alltoall");
    assert_eq!((all.max_contention, all.flows), (31, 32 * 31));
}

/// Max-min fairness never gives a flow less than an even share of its busiest link: the load model
/// is a lower bound of the fluid one where all links have one rate.
#[test]
fn fluid_gives_at_least_what_load_counts() {
    let fabric = generate("fat-tree:8,3").unwrap();
    let routes = routed(&fabric, Engine::MinHop, &Options::default());
    let participants = each_host(&fabric);
    for pattern in ["bisection", "permutation", "shift"] {
        let load = load(&fabric, &routes, &participants, pattern);
        let request = PredictRequest { model: Model::Fluid, ..PredictRequest::default() };
        let fluid = ask(&fabric, &routes, &participants, pattern, &request);
        assert_eq!((fluid.flows, fluid.max_contention), (load.flows, load.max_contention));
        assert!(fluid.mean_relative >= load.mean_relative - 1e-9 && fluid.relative.max() <= 1.0 + 1e-9);
        for q in [0.0, 0.01, 0.5, 0.99] {
            assert!(fluid.relative.quantile(q) >= load.relative.quantile(q) - 1e-4, "{pattern} {q}");
        }
    }
}

/// Guards against a GUID order that would make the tests above pass by accident.
#[test]
fn generated_ports_have_guids() {
    let fabric = generate("itasca").unwrap();
    assert!(each_host(&fabric).ports().iter().all(|&p| fabric.port_info(p).guid != Guid::NONE));
}
