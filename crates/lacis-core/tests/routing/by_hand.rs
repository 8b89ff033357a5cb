//! Tables derived by hand from OpenSM 3.3.23's rules, and which engine routes in the end.

use lacis_core::fabric::{Fabric, Guid, NodeId};
use lacis_core::routing::opensm::minhop;
use lacis_core::routing::{Options, RouteError, Sweep, reroute, route};
use lacis_core::sm::lids::Lids;
use lacis_core::sm::{Engine, Engines, Lft, NO_ENTRY, Routes, UnknownEngine};

use crate::fabrics::{FIRST_ADAPTER, cabled, lids, switches};

fn node_of_guid(fabric: &Fabric, guid: u64) -> NodeId {
    fabric.nodes().find(|(_, n)| n.guid == Guid(guid)).unwrap().0
}

/// The port by which a switch sends to a node: to the LID of its port 1, or of the switch.
fn port(fabric: &Fabric, routes: &Routes, switch: u64, to: u64) -> u8 {
    let node = node_of_guid(fabric, to);
    let end = fabric.port(node, u8::from(!fabric.is_switch(node))).unwrap();
    routes.lft.get(node_of_guid(fabric, switch), routes.lids.base(end))
}

fn routed(fabric: &Fabric, engine: Engine, options: &Options) -> Routes {
    route(fabric, lids(fabric), &[engine], options).unwrap()
}

const C: u64 = FIRST_ADAPTER + 0xC1;
const D1: u64 = FIRST_ADAPTER + 0xD1;
const D2: u64 = FIRST_ADAPTER + 0xD2;
const E: u64 = FIRST_ADAPTER + 0xE1;

/// Switch 1 has two cables to switch 2, behind which are switch 3 with one adapter (`C`), switch
/// 0x104 with two (`D1`, `D2`), and switch 0x00ff with one (`E`).
fn funnel() -> Fabric {
    cabled(&[
        ((1, 1), (2, 1)),
        ((1, 2), (2, 2)),
        ((2, 3), (3, 1)),
        ((2, 4), (0x104, 1)),
        ((2, 5), (0x00ff, 1)),
        ((3, 2), (C, 1)),
        ((0x104, 2), (D1, 1)),
        ((0x104, 3), (D2, 1)),
        ((0x00ff, 2), (E, 1)),
    ])
}

#[test]
fn the_switch_with_most_adapters_is_served_first_and_switches_add_no_load() {
    let f = funnel();
    let routes = routed(&f, Engine::MinHop, &Options::default());
    // Edge switches: 0x104 (two adapters), then 3 and 0xff (one each; last byte 03 before ff). So switch 1
    // counts D1 on port 1, D2 on port 2, C on port 1, E on port 2.
    let ports = [D1, D2, C, E].map(|to| port(&f, &routes, 1, to));
    assert_eq!(ports, [1, 2, 1, 2]);
    // Counters are equal then. Each switch takes port 1, none counts.
    let ports = [2, 3, 0x104, 0x00ff].map(|to| port(&f, &routes, 1, to));
    assert_eq!(ports, [1; 4]);
    assert_eq!(port(&f, &routes, 1, 1), 0);
    assert_eq!(port(&f, &routes, 3, C), 2);
}

#[test]
fn ties_between_edge_switches_are_broken_by_the_byte_reversed_guid() {
    // 0x0102 ends in 02 and 0x00ff in ff: 0x0102 is first, though its number is greater.
    let f = cabled(&[
        ((1, 1), (2, 1)),
        ((1, 2), (2, 2)),
        ((2, 3), (0x00ff, 1)),
        ((2, 4), (0x0102, 1)),
        ((0x00ff, 2), (E, 1)),
        ((0x0102, 2), (D1, 1)),
    ]);
    let routes = routed(&f, Engine::MinHop, &Options::default());
    assert_eq!([D1, E].map(|to| port(&f, &routes, 1, to)), [1, 2]);
}

#[test]
fn the_order_file_goes_first_and_a_switch_in_it_adds_no_load() {
    let f = funnel();
    // E on port 1; switch 3 on port 2 without load; C on port 2. Then D1 on port 1, D2 on port 2.
    let order = [E, 3, 0xDEAD, E, C].map(Guid).to_vec();
    let routes = routed(&f, Engine::MinHop, &Options { order, ..Options::default() });
    assert_eq!([E, 3, C, D1, D2].map(|to| port(&f, &routes, 1, to)), [1, 2, 2, 1, 2]);
}

#[test]
fn adapters_without_a_switch_have_lids_and_no_entries() {
    let f = cabled(&[((1, 1), (C, 1)), ((D1, 1), (D2, 1))]);
    let routes = routed(&f, Engine::MinHop, &Options::default());
    assert_eq!([C, D1, D2].map(|to| port(&f, &routes, 1, to)), [1, NO_ENTRY, NO_ENTRY]);
    assert!([C, D1, D2].iter().all(|&g| routes.lids.base(f.port(node_of_guid(&f, g), 1).unwrap()) != 0));
}

#[test]
fn updn_connects_roots_only_when_asked() {
    // Roots 1 and 2 over switches 3 and 4: from 1 to 2 every path goes down and then up.
    let f = switches(&[(1, 3), (1, 4), (2, 3), (2, 4)]);
    let roots = Some(vec![Guid(1), Guid(2), Guid(0xDEAD)]);
    let mut options = Options { roots, ..Options::default() };
    let routes = routed(&f, Engine::UpDn, &options);
    assert_eq!([2, 3, 4].map(|to| port(&f, &routes, 1, to)), [NO_ENTRY, 1, 2]);
    options.connect_roots = true;
    assert_eq!(port(&f, &routed(&f, Engine::UpDn, &options), 1, 2), 1);
}

#[test]
fn a_refusal_is_recorded_and_minhop_routes() {
    let f = funnel();
    let lids: Lids = lids(&f);
    let options = Options { roots: Some(vec![Guid(0xDEAD)]), ..Options::default() };
    let routes = route(&f, lids.clone(), &[Engine::UpDn], &options).unwrap();
    assert_eq!(
        (routes.engine_requested.only(), routes.engine_used.only()),
        (Some(Engine::UpDn), Some(Engine::MinHop))
    );
    assert_eq!(routes.refusals.len(), 1);
    assert_eq!(routes.refusals[0].engine, Engine::UpDn);
    assert_eq!(routes.lft, routed(&f, Engine::MinHop, &Options::default()).lft);

    let strict = Options { fallback: false, ..options };
    let refused = route(&f, lids.clone(), &[Engine::UpDn], &strict);
    assert_eq!(refused, Err(RouteError::AllRefused(routes.refusals)));
    let routes = route(&f, lids, &[Engine::UpDn, Engine::MinHop, Engine::FTree], &strict).unwrap();
    assert_eq!(
        (routes.engine_requested.to_string().as_str(), routes.engine_used.only()),
        ("updn,minhop,ftree", Some(Engine::MinHop))
    );
}

/// Switch 1 has two cables to switch 2 (ports 1 and 3) and one to switch 3 (port 2); both lead to
/// switch 4, which has two adapters.
fn square() -> Fabric {
    cabled(&[
        ((1, 1), (2, 1)),
        ((1, 2), (3, 1)),
        ((1, 3), (2, 2)),
        ((2, 3), (4, 1)),
        ((3, 2), (4, 2)),
        ((4, 3), (D1, 1)),
        ((4, 4), (D2, 1)),
    ])
}

#[test]
fn dor_stays_with_the_first_neighbour_and_balances_over_the_cables_to_it() {
    let f = square();
    let ports = |engine| {
        let routes = routed(&f, engine, &Options::default());
        [D1, D2].map(|to| port(&f, &routes, 1, to))
    };
    assert_eq!(ports(Engine::MinHop), [1, 2]);
    assert_eq!(ports(Engine::Dor), [1, 3]);
}

#[test]
fn after_a_loss_what_still_leads_there_shortest_is_kept_and_counted() {
    let f = funnel();
    let lids = lids(&f);
    let lid = |guid| lids.base(f.port(node_of_guid(&f, guid), 1).unwrap());
    let mut previous = Lft::new(f.num_switches(), lids.max_lid());
    let row = previous.row_mut(node_of_guid(&f, 1));
    // Port 8 has no cable; on switch 0x104, port 1 leads back.
    (row[lid(D1) as usize], row[lid(D2) as usize], row[lid(C) as usize]) = (2, 2, 8);
    previous.row_mut(node_of_guid(&f, 0x104))[lid(D1) as usize] = 1;
    let options = Options::default();
    for engine in [Engine::MinHop, Engine::Dor] {
        let routes = reroute(&f, lids.clone(), &[engine], &options, &previous).unwrap();
        // D1 and D2 keep port 2, which counts two: C and E are left for port 1.
        assert_eq!([D1, D2, C, E].map(|to| port(&f, &routes, 1, to)), [2, 2, 1, 1]);
        assert_eq!(port(&f, &routes, 0x104, D1), 2);
    }
    // dor would never choose port 2 itself, but it keeps it: neighbours do not matter to what is kept.
    let f = square();
    let lids = crate::fabrics::lids(&f);
    let mut previous = Lft::new(f.num_switches(), lids.max_lid());
    previous.row_mut(node_of_guid(&f, 1)).fill(2);
    let routes = reroute(&f, lids, &[Engine::Dor], &options, &previous).unwrap();
    assert_eq!([D1, D2].map(|to| port(&f, &routes, 1, to)), [2, 2]);
}

#[test]
fn ftree_never_looks_at_old_tables_but_its_fallback_does() {
    // A tree that ftree routes: what was there before makes no difference.
    let previous = |f: &Fabric, lids: &Lids| {
        let mut lft = Lft::new(f.num_switches(), lids.max_lid());
        lft.row_mut(node_of_guid(f, 1)).fill(2);
        lft
    };
    let (f, options) = (funnel(), Options::default());
    let lids = lids(&f);
    let again = reroute(&f, lids.clone(), &[Engine::FTree], &options, &previous(&f, &lids)).unwrap();
    assert_eq!(again.engine_used, Engine::FTree);
    assert_eq!(again.lft, routed(&f, Engine::FTree, &options).lft);
    // All adapters on one switch are no tree: minhop keeps port 2 for both.
    let f = square();
    let lids = crate::fabrics::lids(&f);
    let again = reroute(&f, lids.clone(), &[Engine::FTree], &options, &previous(&f, &lids)).unwrap();
    assert_eq!(again.engine_used, Engine::MinHop);
    assert_eq!([D1, D2].map(|to| port(&f, &again, 1, to)), [2, 2]);
}

#[test]
fn what_an_engine_counted_before_it_failed_stays_counted() {
    let (f, plain) = (funnel(), Options::default());
    let lids = lids(&f);
    let mut counts = vec![0; f.num_ports()];
    counts[f.port(node_of_guid(&f, 1), 1).unwrap().ix()] = 1;
    // An option about a switch that is not there changes nothing.
    let idle = Options { ignore: vec![(Guid(0xDEAD), 1)], ..Options::default() };
    for options in [&plain, &idle] {
        let lft = minhop::route(&Sweep { counts: &counts, ..Sweep::first(&f, &lids, options) });
        let to = |guid| lft.get(node_of_guid(&f, 1), lids.base(f.port(node_of_guid(&f, guid), 1).unwrap()));
        // Port 1 starts at one: D1 takes port 2, then they are equal, and so on.
        assert_eq!([D1, D2, C, E].map(to), [2, 1, 2, 1]);
    }
}

#[test]
fn the_first_valid_line_of_a_search_order_counts() {
    let f = funnel();
    // Port 9 is none, and 2 is there twice; the third line is it, the fourth comes too late.
    let lines = [vec![2, 9], vec![2, 2], vec![2], vec![1, 2]];
    let search_order = lines.map(|line| (Guid(1), line)).to_vec();
    let routes = routed(&f, Engine::MinHop, &Options { search_order, ..Options::default() });
    assert_eq!([D1, D2, C, E].map(|to| port(&f, &routes, 1, to)), [2, 1, 2, 1]);
}

#[test]
fn what_is_not_to_be_counted_is_not() {
    let f = funnel();
    let ignore = vec![(Guid(1), 1)];
    let routes = routed(&f, Engine::MinHop, &Options { ignore, ..Options::default() });
    // Port 1 stays at zero.
    assert_eq!([D1, D2, C, E].map(|to| port(&f, &routes, 1, to)), [1; 4]);
    let options = Options { count_switches: true, ..Options::default() };
    let routes = routed(&f, Engine::MinHop, &options);
    // Two each after the adapters; then switches 2, 3, 0x104 and 0xff (by last byte) in turn.
    assert_eq!([2, 3, 0x104, 0xff].map(|to| port(&f, &routes, 1, to)), [1, 2, 1, 2]);
}

#[test]
fn shifting_begins_the_search_farther_on_as_counts_grow() {
    let f = funnel();
    let options = Options { port_shifting: true, ..Options::default() };
    let routes = routed(&f, Engine::MinHop, &options);
    // Counts 0 0: 0 / 2 = 0, port 1. 1 0: 1 / 2 = 0, port 2 is least. 1 1: 2 / 2 = 1, port 2 is first.
    // 1 2: 3 / 2 = 1, port 1 is least.
    assert_eq!([D1, D2, C, E].map(|to| port(&f, &routes, 1, to)), [1, 2, 2, 1]);
}

#[test]
fn engine_lists_are_read_as_opensm_spells_them() {
    assert_eq!("ftree,updn".parse::<Engines>(), Ok([Engine::FTree, Engine::UpDn][..].into()));
    assert_eq!("ftree,fat".parse::<Engines>(), Err(UnknownEngine("fat".into())));
}
