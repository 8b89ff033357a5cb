//! `sssp` and `dfsssp` against slow, literal versions of themselves, on random fabrics.

#![allow(clippy::unwrap_used)] // in tests a panic is the right answer, helpers included

mod fabrics;
mod lanes;
mod reference;

use lacis_core::fabric::Fabric;
use lacis_core::routing::opensm::{dfsssp, sssp};
use lacis_core::routing::{Options, Sweep};
use lacis_core::sm::lids::Lids;
use proptest::prelude::*;

fn is_literal((fabric, lids, options): &(Fabric, Lids, Options)) -> Result<(), TestCaseError> {
    let fast = sssp::route(&Sweep::first(fabric, lids, options)).unwrap();
    let slow = reference::sssp(fabric, lids, options).unwrap();
    for s in fabric.switches() {
        prop_assert_eq!(fast.row(s), &slow[s.ix()][..], "switch {}", s.0);
    }
    Ok(())
}

/// More than plans are kept for.
#[test]
fn every_entry_is_that_of_the_literal_version_in_a_tree_of_many_pods() {
    (0..2).try_for_each(|seed| is_literal(&fabrics::of_pods(seed))).unwrap();
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn every_entry_is_that_of_the_literal_version(seed: u64) {
        is_literal(&fabrics::random(seed))?;
    }

    #[test]
    fn every_entry_is_that_of_the_literal_version_in_wide_trees(seed: u64) {
        is_literal(&fabrics::wide(seed))?;
    }

    #[test]
    fn every_lane_and_every_refusal_is_that_of_the_literal_version(seed: u64) {
        let (fabric, lids, options) = fabrics::random(seed);
        let slow = reference::sssp(&fabric, &lids, &options).unwrap();
        let fast = dfsssp::route(&Sweep::first(&fabric, &lids, &options));
        match (fast, lanes::lanes(&fabric, &lids, &options, &slow)) {
            (Ok(fast), Ok(slow)) => {
                let fast = fast.lanes.unwrap();
                for ((from, to), lane) in slow {
                    let from = lids.owner(from).unwrap();
                    let home = fabric.home(from).unwrap();
                    if !fabric.is_switch(fabric.node_of(from)) {
                        prop_assert_eq!(usize::from(fast.sl(home, to)), lane, "{:?} to {}", from, to);
                    }
                }
            }
            (Err(refused), Err(_)) => {
                let counted: u32 = refused.counts.iter().sum();
                prop_assert!(refused.reason.contains("virtual lanes") && counted > 0);
            }
            (fast, slow) => prop_assert!(false, "{:?} but {:?} of seed {}", fast.err(), slow.err(), seed),
        }
    }
}
