//! Which sweeps run no engine with the unicast cache; `tests/oracle/test_ucast_cache.py` asks OpenSM the same.

use std::sync::Arc;

use lacis_core::failures::Mode::{self, Cached, Kept, Recomputed};
use lacis_core::failures::{Managed, entries};
use lacis_core::generate::generate;
use lacis_core::io;
use lacis_core::routing::Options;
use lacis_core::sm::Engine;
use lacis_core::sm::lids::{LidOptions, Lids};

use super::event;

fn with_cache(fabric: lacis_core::fabric::Fabric, chain: &[Engine]) -> Managed {
    let lids = Lids::assign(&fabric, Lids::default_sm(&fabric).unwrap(), &LidOptions::fresh()).unwrap();
    let options = Options { ucast_cache: true, ..Options::default() };
    Managed::new(Arc::new(fabric), lids, chain, options).unwrap()
}

/// The modes of one sweep after another; the changes of one are joined by ` + `.
fn story(first: &Managed, steps: &[&str]) -> (Managed, Vec<Mode>) {
    let mut now = first.clone();
    let mut modes = Vec::new();
    for step in steps {
        let mut present = now.clone();
        let mut events = Vec::new();
        for change in step.split(" + ") {
            let one = event(&present, change);
            present = present.after(std::slice::from_ref(&one)).0;
            events.push(one);
        }
        let (after, sweeps) = now.after(&events);
        now = after;
        modes.extend(sweeps.iter().map(|s| s.mode));
    }
    (now, modes)
}

#[test]
fn end_nodes_and_whole_leaves_may_go_and_return() {
    // The manager is on leaf-01; spines have no end nodes, so they are no leaves.
    let whole = with_cache(generate("fat-tree:4,2").unwrap(), &[Engine::FTree]);
    for (steps, modes) in [
        (&["drop node0003", "restore node0003"][..], &[Cached, Cached][..]),
        (&["cut leaf-02[1]", "drop node0005", "restore node0005 + restore leaf-02[1]"], &[Cached; 3]),
        (
            &[
                "drop leaf-02",
                "drop leaf-03 + drop node0007",
                "restore leaf-03",
                "restore leaf-02 + restore node0007",
            ],
            &[Cached; 4],
        ),
        // Cut off, not switched off: both spines find it again before it is asked for its LID.
        (&["cut leaf-04--*", "restore leaf-04--*"], &[Cached; 2]),
        (&["cut leaf-02--spine-01 + restore leaf-02--spine-01"], &[Cached]),
        (&["drop leaf-02 + restore leaf-02"], &[Cached]),
        // No cable between two switches that are there may be missing, and no switch that is no leaf.
        (&["cut leaf-02--spine-01", "restore leaf-02--spine-01"], &[Kept, Recomputed]),
        (&["drop spine-01", "restore spine-01"], &[Kept, Recomputed]),
        (
            &["cut leaf-04--*", "restore leaf-04--spine-01", "restore leaf-04--spine-02"],
            &[Cached, Recomputed, Recomputed],
        ),
        // After an engine the notes begin afresh.
        (&["drop node0003", "cut leaf-02--spine-01", "restore node0003"], &[Cached, Kept, Recomputed]),
        (
            &["drop leaf-02", "drop spine-01", "restore spine-01", "restore leaf-02"],
            &[Cached, Kept, Recomputed, Recomputed],
        ),
    ] {
        let (now, found) = story(&whole, steps);
        assert_eq!(found, modes, "{steps:?}");
        if modes.iter().all(|&mode| mode == Cached) {
            assert_eq!(now.routes(), whole.routes(), "{steps:?}");
        }
    }
}

#[test]
fn entries_for_what_is_gone_stay_and_no_engine_is_asked() {
    let whole = with_cache(generate("fat-tree:6,2").unwrap(), &[Engine::FTree]);
    let (gone, modes) = story(&whole, &["drop leaf-02"]);
    assert_eq!(modes, [Cached]);
    assert_eq!(entries(&whole, &gone).changed(), 0);
    // Without its cache ftree takes the smaller tree too, and has no entries for the leaf.
    let without = super::after(&super::managed("fat-tree:6,2", &[Engine::FTree]), &["drop leaf-02"]);
    assert!(entries(&whole, &without).lost > 0);
}

#[test]
fn leaves_that_were_joined_are_not_missed_in_silence() {
    let ring = with_cache(generate("ring:5").unwrap(), &[Engine::MinHop]);
    let (_, modes) = story(&ring, &["drop switch-2", "restore switch-2"]);
    assert_eq!(modes, [Kept, Recomputed]);
}

#[test]
fn a_switch_that_kept_its_lid_is_not_taken_back_by_a_link_to_one_farther_away() {
    // a – x – c – y – b, and s on x and y: s is two cables from the manager's switch a, y three.
    let switch = |name: &str, ends: &[&str]| {
        let ports: Vec<String> =
            ends.iter().enumerate().map(|(i, end)| format!("[{}]\t{end}\n", i + 1)).collect();
        let ports = ports.concat();
        format!("Switch\t8 \"{name}\"\t\t# \"{name}\"\n{ports}\n")
    };
    let host = |name: &str, at: &str| format!("Ca\t1 \"{name}\"\t\t# \"{name}\"\n[1]\t{at}\n\n");
    let text = [
        switch("S-a", &["\"H-1\"[1]", "\"S-x\"[1]"]),
        switch("S-x", &["\"S-a\"[2]", "\"S-c\"[1]", "\"S-s\"[2]"]),
        switch("S-c", &["\"S-x\"[2]", "\"S-y\"[1]"]),
        switch("S-y", &["\"S-c\"[2]", "\"S-b\"[2]", "\"S-s\"[3]"]),
        switch("S-b", &["\"H-2\"[1]", "\"S-y\"[2]"]),
        switch("S-s", &["\"H-3\"[1]", "\"S-x\"[3]", "\"S-y\"[3]"]),
        host("H-1", "\"S-a\"[1]"),
        host("H-2", "\"S-b\"[1]"),
        host("H-3", "\"S-s\"[1]"),
    ];
    let whole = with_cache(io::read(text.concat().as_bytes()).unwrap().fabric, &[Engine::MinHop]);
    let (_, modes) = story(&whole, &["cut S-s--S-x + cut S-s--S-y", "restore S-s--S-x + restore S-s--S-y"]);
    assert_eq!(modes, [Cached, Recomputed]);
    // Switched off, it has no LID while its links are found.
    assert_eq!(story(&whole, &["drop S-s", "restore S-s"]).1, [Cached, Cached]);
}
