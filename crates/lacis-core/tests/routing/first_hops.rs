//! What multicast reads of the hop matrices, against the matrices.

use lacis_core::fabric::Fabric;
use lacis_core::routing::{FirstHops, Options, Sweep, matrices, run};
use lacis_core::sm::Engine;
use lacis_core::sm::hop_matrix::NO_HOPS;
use proptest::prelude::*;

use crate::fabrics::{largest_island, lids};
use crate::reference::{build, recipes, tree};

const ENGINES: [Engine; 5] = [Engine::MinHop, Engine::Dor, Engine::Lash, Engine::UpDn, Engine::DnUp];

/// The least hops are those in the column of port 0, the first port is the first with as many; counts the rows.
fn compare(fabric: &Fabric, engine: Engine, connect_roots: bool) -> usize {
    let lids = lids(fabric);
    let options = Options { connect_roots, vls: 8, ..Options::default() };
    let sweep = Sweep { fabric, lids: &lids, options: &options, previous: None, counts: &[] };
    let Ok(tables) = run(engine, &sweep) else { return 0 };
    let found = FirstHops::of(&sweep, engine, &tables.lft).unwrap();
    let whole = matrices(&sweep, engine, &tables.lft).unwrap().unwrap();
    let mut rows = 0;
    for switch in fabric.switches() {
        for (n, &lid) in found.lids().iter().enumerate() {
            let row = whole.row(switch, whole.index(lid).unwrap());
            let first = (1..row.len()).find(|&port| row[0] != NO_HOPS && row[port] == row[0]);
            assert_eq!(found.hops(switch)[n], row[0], "{engine} {switch:?} {lid}");
            assert_eq!(usize::from(found.ports(switch)[n]), first.unwrap_or(0), "{engine} {switch:?} {lid}");
            rows += 1;
        }
    }
    rows
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 60, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn first_hops_are_those_of_the_matrices(recipe in recipes(), connect_roots in any::<bool>()) {
        let fabric = largest_island(&build(&recipe));
        for engine in ENGINES {
            compare(&fabric, engine, connect_roots);
        }
    }

    #[test]
    fn first_hops_on_trees_are_those_of_the_matrices(hole in 0..48_u64, seed in 0..1000_u64) {
        let fabric = tree(6, 4, 3, 2, 1 << hole, seed);
        for engine in ENGINES {
            prop_assert_eq!(compare(&fabric, engine, false), 100, "{}", engine);
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 1000, failure_persistence: None, ..ProptestConfig::default() })]

    /// In a few of a thousand fabrics the walk leaves a switch with more hops than the path along first ports has.
    #[test]
    fn first_hops_of_dnup_are_those_of_its_walk(recipe in recipes()) {
        compare(&largest_island(&build(&recipe)), Engine::DnUp, false);
    }
}
