//! When managers sweep, what they keep, and what they do not see.

use std::sync::Arc;

use lacis_core::fabric::NodeId;
use lacis_core::failures::{Managed, Mode, entries};
use lacis_core::generate::generate;
use lacis_core::routing::{Options, route};
use lacis_core::sm::lids::{LidOptions, Lids};
use lacis_core::sm::{Engine, NO_ENTRY};

use super::{after, event, managed};

fn modes(managed: &Managed, changes: &[&str]) -> Vec<Mode> {
    let events: Vec<_> = changes.iter().map(|c| event(managed, c)).collect();
    managed.after(&events).1.iter().map(|s| s.mode).collect()
}

#[test]
fn the_first_sweep_is_what_routing_alone_gives() {
    for (spec, chain) in [
        ("fat-tree:6,3", &[Engine::FTree][..]),
        ("fat-tree:4,2:rails=2", &[Engine::UpDn]),
        ("torus:4x4", &[Engine::FTree, Engine::UpDn]),
    ] {
        let managed = managed(spec, chain);
        let whole = managed.whole();
        let alone = route(whole, managed.routes().lids.clone(), chain, &Options::default()).unwrap();
        assert_eq!(managed.routes().lft, alone.lft, "{spec}");
        assert_eq!(managed.routes().engine_used, alone.engine_used);
    }
}

#[test]
fn losses_keep_and_returns_recompute_even_after_a_moment() {
    let whole = managed("fat-tree:4,2", &[]);
    assert_eq!(modes(&whole, &["cut leaf-01--spine-01"]), [Mode::Kept]);
    assert_eq!(modes(&whole, &["drop node0003 HCA-1"]), [Mode::Kept]);
    let cut = after(&whole, &["cut leaf-01--spine-01"]);
    assert_eq!(modes(&cut, &["restore leaf-01--spine-01"]), [Mode::Recomputed]);
    assert_eq!(modes(&cut, &["restore leaf-01--spine-01", "cut leaf-02--spine-01"]), [Mode::Recomputed]);
    // Down and up again between two sweeps.
    let again = event(&cut, "restore leaf-01--spine-01");
    let flap = [event(&whole, "cut leaf-01--spine-01"), again];
    let (same, sweeps) = whole.after(&flap);
    assert_eq!(sweeps[0].mode, Mode::Recomputed);
    assert_eq!(same.routes(), whole.routes());
}

#[test]
fn what_has_come_back_whole_is_as_it_was() {
    let whole = managed("fat-tree:6,2:pods=3", &[Engine::FTree]);
    for changes in [
        &["cut leaf-01--spine-01:1", "restore leaf-01--spine-01"][..],
        &["drop spine-01", "drop leaf-02", "restore leaf-02", "restore spine-01"],
        &["drop node0001 HCA-1", "restore node0001"],
    ] {
        let back = after(&whole, changes);
        assert_eq!(back.routes(), whole.routes());
        assert_eq!(entries(&whole, &back).changed(), 0);
    }
}

#[test]
fn an_engine_that_refuses_is_asked_again_at_the_next_sweep() {
    // ftree refuses an uneven tree and takes it whole again.
    let whole = managed("fat-tree:6,2", &[Engine::FTree]);
    let cut = after(&whole, &["cut leaf-01--spine-01"]);
    assert_eq!(cut.routes().engine_used, Engine::MinHop);
    assert_eq!(cut.routes().refusals[0].engine, Engine::FTree);
    let back = after(&cut, &["restore leaf-01--spine-01"]);
    assert_eq!((back.routes().engine_used.only(), back.routes().refusals.len()), (Some(Engine::FTree), 0));
    // A spine less for all is even.
    assert_eq!(after(&whole, &["drop spine-01"]).routes().engine_used, Engine::FTree);
}

#[test]
fn minhop_keeps_the_entries_that_ftree_made() {
    // Without leaf-01--spine-01 the other leaves still reach each other over every spine, so none of
    // their entries for each other's nodes has to change; minhop alone would make others.
    let whole = managed("fat-tree:8,2:shuffle=5", &[Engine::FTree]);
    let cut = after(&whole, &["cut leaf-01--spine-01"]);
    assert_eq!(cut.routes().engine_used, Engine::MinHop);
    let fabric = whole.whole();
    let fresh =
        route(cut.fabric(), cut.routes().lids.clone(), &[Engine::MinHop], &Options::default()).unwrap();
    let mut others = 0;
    for leaf in (1..8).map(NodeId) {
        for (lid, port) in cut.routes().lids.assigned() {
            let edge_switch = fabric.edge_switch(port).unwrap();
            if edge_switch == leaf || edge_switch == NodeId(0) || fabric.is_switch(fabric.node_of(port)) {
                continue;
            }
            let old = whole.routes().lft.get(leaf, lid);
            assert_eq!(cut.routes().lft.get(leaf, lid), old);
            others += usize::from(fresh.lft.get(leaf, lid) != old);
        }
    }
    assert!(others > 0);
}

#[test]
fn where_all_refuse_and_none_may_fall_back_the_tables_stay() {
    let spec = generate("fat-tree:6,2").unwrap();
    let lids = Lids::assign(&spec, Lids::default_sm(&spec).unwrap(), &LidOptions::fresh()).unwrap();
    let options = Options { fallback: false, ..Options::default() };
    let whole = Managed::new(Arc::new(spec), lids, &[Engine::FTree], options).unwrap();
    let (cut, sweeps) = whole.after(&[event(&whole, "cut leaf-01--spine-01")]);
    assert_eq!((sweeps[0].engine.as_ref(), sweeps[0].refusals.len(), sweeps[0].fell_back), (None, 1, false));
    assert_eq!(cut.routes().lft, whole.routes().lft);
}

#[test]
fn switches_that_the_manager_does_not_see_go_on_as_they_were() {
    // The manager is on leaf-01. Without its uplinks leaf-04 is on its own.
    let whole = managed("fat-tree:4,2", &[]);
    let lone = after(&whole, &["cut leaf-04--*"]);
    let leaf = NodeId(3);
    assert_eq!(&*whole.whole().node(leaf).description, "leaf-04");
    assert!(!lone.sees(leaf) && lone.sees(NodeId(0)));
    assert_eq!(lone.routes().lft.row(leaf), whole.routes().lft.row(leaf));
    let first = whole.whole().end_nodes().next().unwrap();
    let lid = whole.routes().lids.of_switch(whole.whole(), leaf);
    assert_eq!(lone.routes().lft.get(NodeId(0), lid), NO_ENTRY);
    // Nothing more happens to it that the manager could notice …
    assert_eq!(modes(&lone, &["restore leaf-04[1]"]), []);
    // … and where the manager's own cable is cut, nothing at all.
    assert_eq!(whole.whole().node_of(whole.routes().lids.manager().unwrap()), first);
    let blind = after(&whole, &["cut node0001 HCA-1[1]"]);
    assert_eq!((blind.blind(), whole.blind()), (vec![blind.routes().lids.manager().unwrap()], vec![]));
    assert_eq!(blind.routes().lft, whole.routes().lft);
    assert_eq!(modes(&blind, &["cut leaf-02--spine-01"]), []);
    let sighted = after(&blind, &["cut leaf-02--spine-01", "restore node0001 HCA-1[1]"]);
    let cut = after(&whole, &["cut leaf-02--spine-01", "cut node0001 HCA-1[1]", "restore node0001 HCA-1[1]"]);
    assert_eq!(sighted.routes(), cut.routes());
}

#[test]
fn a_subnet_is_swept_by_its_own_manager_only() {
    let both = managed("fat-tree:4,2:rails=2", &[Engine::FTree]);
    let (cut, sweeps) = both.after(&[event(&both, "cut rail2-leaf-01--rail2-spine-01")]);
    assert_eq!(sweeps.len(), 1);
    assert_eq!(
        (&sweeps[0].engine_before, &sweeps[0].engine),
        (&Engine::FTree.into(), &Some(Engine::MinHop.into()))
    );
    assert_eq!(cut.routes().engine_used.to_string(), "ftree,minhop");
    let first_rail =
        both.whole().switches().filter(|&s| both.whole().node(s).description.starts_with("rail1"));
    for s in first_rail {
        assert_eq!(cut.routes().lft.row(s), both.routes().lft.row(s));
    }
}
