//! Tables derived by hand from OpenSM 3.3.23's rules, and which engine routes in the end.

use lacis_core::fabric::{Fabric, Guid, NodeId};
use lacis_core::lids::Lids;
use lacis_core::routing::{Engine, NO_ENTRY, Options, RouteError, Routes, UnknownEngine, route};

use crate::fabrics::{FIRST_ADAPTER, cabled, lids, switches};

fn find(fabric: &Fabric, guid: u64) -> NodeId {
    fabric.nodes().find(|(_, n)| n.guid == Guid(guid)).unwrap().0
}

/// The port by which a switch sends to a node: to the LID of its port 1, or of the switch.
fn port(fabric: &Fabric, routes: &Routes, switch: u64, to: u64) -> u8 {
    let node = find(fabric, to);
    let end = fabric.port(node, u8::from(!fabric.is_switch(node))).unwrap();
    routes.lft.get(find(fabric, switch), routes.lids.base(end))
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
    // Homes: 0x104 (two adapters), then 3 and 0xff (one each; last byte 03 before ff). So switch 1
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
fn ties_between_homes_are_broken_by_the_byte_reversed_guid() {
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
    assert!([C, D1, D2].iter().all(|&g| routes.lids.base(f.port(find(&f, g), 1).unwrap()) != 0));
}

#[test]
fn updn_connects_roots_only_when_told() {
    // Roots 1 and 2 over switches 3 and 4: from 1 to 2 every way goes down and up again.
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
    assert_eq!((routes.engine_requested.as_str(), routes.engine_used.as_str()), ("updn", "minhop"));
    assert_eq!(routes.refusals.len(), 1);
    assert_eq!(routes.refusals[0].engine, "updn");
    assert_eq!(routes.lft, routed(&f, Engine::MinHop, &Options::default()).lft);

    let strict = Options { fallback: false, ..options };
    let refused = route(&f, lids.clone(), &[Engine::UpDn], &strict);
    assert_eq!(refused, Err(RouteError::AllRefused(routes.refusals)));
    let routes = route(&f, lids, &[Engine::UpDn, Engine::MinHop, Engine::FTree], &strict).unwrap();
    assert_eq!(
        (routes.engine_requested.as_str(), routes.engine_used.as_str()),
        ("updn,minhop,ftree", "minhop")
    );
}

#[test]
fn more_than_one_lid_a_port_is_not_routed() {
    let f = funnel();
    let mut lids = lids(&f);
    lids.set(f.port(find(&f, C), 1).unwrap(), 64, 2);
    let error = route(&f, lids, &[], &Options::default()).unwrap_err();
    assert!(matches!(error, RouteError::Lmc { lmc: 2, .. }));
}

#[test]
fn engine_lists_are_read_as_opensm_spells_them() {
    assert_eq!(Engine::parse_chain("ftree,updn"), Ok(vec![Engine::FTree, Engine::UpDn]));
    assert_eq!(Engine::parse_chain("ftree,fat"), Err(UnknownEngine("fat".into())));
}
