//! `sssp`, in its literal form and its fast one, and `dfsssp` on random fabrics, against versions of them that
//! were written down from a description of OpenSM's behaviour.

#![allow(clippy::unwrap_used)] // in tests a panic is the right answer, helpers included

mod fabrics;
mod lanes;
mod reference;

use lacis_core::fabric::Fabric;
use lacis_core::routing::opensm::{dfsssp, sssp};
use lacis_core::routing::{Options, Sweep};
use lacis_core::sm::lids::Lids;
use lacis_core::sm::{Lft, RefusalReason};
use proptest::prelude::*;

type Case = (Fabric, Lids, Options);

fn literal_and_fast_agree((fabric, lids, options): &Case) -> Result<Lft, TestCaseError> {
    let sweep = Sweep::first(fabric, lids, options);
    let literal = sssp::route(&sweep).unwrap();
    let fast = sssp::fast::route(&sweep).unwrap();
    for switch in fabric.switches() {
        prop_assert_eq!(literal.row(switch), fast.row(switch), "switch {}", switch.0);
    }
    Ok(literal)
}

fn both_are_as_described(case: &Case) -> Result<(), TestCaseError> {
    let literal = literal_and_fast_agree(case)?;
    let (fabric, lids, options) = case;
    let described = reference::sssp(fabric, lids, options).unwrap();
    for switch in fabric.switches() {
        prop_assert_eq!(literal.row(switch), &described[switch.ix()][..], "switch {}", switch.0);
    }
    Ok(())
}

#[test]
fn literal_and_fast_tables_are_as_described_in_a_tree_of_many_pods() {
    (0..2).try_for_each(|seed| both_are_as_described(&fabrics::of_pods(seed))).unwrap();
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn literal_and_fast_tables_are_as_described(seed: u64) {
        both_are_as_described(&fabrics::random(seed))?;
    }

    #[test]
    fn literal_and_fast_tables_are_as_described_in_wide_trees(seed: u64) {
        both_are_as_described(&fabrics::wide(seed))?;
    }

    #[test]
    fn literal_and_fast_tables_agree_in_islands(seed: u64) {
        literal_and_fast_agree(&fabrics::in_islands(seed))?;
    }

    #[test]
    fn every_lane_and_every_refusal_is_as_described(seed: u64) {
        let (fabric, lids, options) = fabrics::random(seed);
        let slow = reference::sssp(&fabric, &lids, &options).unwrap();
        let fast = dfsssp::route(&Sweep::first(&fabric, &lids, &options));
        match (fast, lanes::lanes(&fabric, &lids, &options, &slow)) {
            (Ok(fast), Ok(slow)) => {
                let fast = fast.lanes.unwrap();
                for ((from, to), lane) in slow {
                    let from = lids.owner(from).unwrap();
                    let edge_switch = fabric.edge_switch(from).unwrap();
                    if !fabric.is_switch(fabric.node_of(from)) {
                        prop_assert_eq!(usize::from(fast.sl(edge_switch, to)), lane, "{:?} to {}", from, to);
                    }
                }
            }
            (Err(refused), Err(_)) => {
                let counted: u32 = refused.counts.iter().sum();
                let is_exhausted = matches!(refused.reason, RefusalReason::LanesExhausted { .. });
                prop_assert!(is_exhausted && counted > 0);
            }
            (fast, slow) => prop_assert!(false, "{:?} but {:?} of seed {}", fast.err(), slow.err(), seed),
        }
    }
}
