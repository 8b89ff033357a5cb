//! Fat-tree routing against a slow, literal version of itself, on trees damaged at random.

mod fabrics;
mod reference;

use fabrics::Damage;
use lacis_core::routing::ftree;
use proptest::prelude::*;

fn damages() -> impl Strategy<Value = Damage> {
    let few = || prop_oneof![3 => Just(0_u64), 1 => 1..20_u64];
    let more = || prop_oneof![2 => Just(0_u64), 1 => 20..60_u64];
    (few(), few(), few(), more(), more(), few()).prop_map(
        |(cable_lost, host_lost, switch_lost, astray, upper_host, dual_port)| Damage {
            cable_lost,
            host_lost,
            switch_lost,
            astray,
            upper_host,
            dual_port,
        },
    )
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 1500, failure_persistence: None, ..ProptestConfig::default() })]
    #[test]
    fn every_entry_and_every_refusal_is_that_of_the_literal_version(seed: u64, damage in damages()) {
        let (fabric, lids, options) = fabrics::random(seed, damage);
        let fast = ftree::route(&fabric, &lids, &options);
        let slow = reference::route(&fabric, &lids, &options);
        match (fast, slow) {
            (Ok(fast), Ok(slow)) => {
                for s in fabric.switches() {
                    prop_assert_eq!(fast.row(s), &slow[s.ix()][..], "switch {} of {:?}", s.0, options);
                }
            }
            (Err(refused), Err(word)) => {
                prop_assert!(refused.reason.contains(word), "{} for {}", refused.reason, word);
            }
            (fast, slow) => prop_assert!(
                false, "one routes and the other does not: {:?}, {:?}", fast.err(), slow.err()
            ),
        }
    }
}
