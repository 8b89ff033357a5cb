//! Trees of two levels with fewer uplinks than hosts on a leaf.

use lacis_core::fabric::Population;
use lacis_core::generate::{edit, generate};
use lacis_core::sm::{Engine, Routes};
use lacis_core::verify::{Verdict, verify};

use super::routed;
use super::tops::mean_of_shifts;

/// Hosts 0 to 2 and 3 to 5 have the uplinks 0, 1 and 0. A shift by one to five leaves each uplink of a leaf a flow at most, but that by three:
/// then all three hosts of a leaf send to the other, two of them over uplink 0. They get a half each.
#[test]
fn of_two_leaves_of_three_hosts_with_two_uplinks_one_shift_contends() {
    let fabric = generate("pgft:2;3,2;1,2;1,1").unwrap();
    let mean = mean_of_shifts(&fabric, &routed(&fabric, Engine::EvenTree).unwrap());
    assert!((mean - (4.0 + 2.0 / 3.0) / 5.0).abs() < 1e-9, "{mean}");
}

#[test]
fn no_shifts_are_worse_than_those_of_ftree_where_its_links_are_as_even() {
    for (hosts, leaves) in (2..10).flat_map(|hosts| (2..5).map(move |leaves| (hosts, leaves))) {
        for spines in 1..hosts {
            let fabric = generate(&format!("pgft:2;{hosts},{leaves};1,{spines};1,1")).unwrap();
            let Some(theirs) = routed(&fabric, Engine::FTree) else { continue };
            let ours = routed(&fabric, Engine::EvenTree).unwrap();
            let fullest = |routes: &Routes| verify(&fabric, routes, Population::Hosts, false).balance.max;
            if fullest(&theirs) > fullest(&ours) {
                continue;
            }
            let (ours, theirs) = (mean_of_shifts(&fabric, &ours), mean_of_shifts(&fabric, &theirs));
            assert!(ours > theirs - 1e-9, "{hosts} hosts, {leaves} leaves, {spines} spines: {ours} {theirs}");
        }
    }
}

/// A slot of a half spine does not lead to the leaves of the other half.
#[test]
fn beside_half_spines_no_packet_goes_in_circles() {
    for hosts in 3..8 {
        let whole = generate(&format!("pgft:2;{hosts},4;1,3;1,1")).unwrap();
        let halves = [
            "spine-03",
            "+switch=half-1@leaf-01",
            "+half-1--leaf-02",
            "+switch=half-2@leaf-03",
            "+half-2--leaf-04",
        ];
        let fabric = edit(&whole, &halves).unwrap();
        let found = verify(&fabric, &routed(&fabric, Engine::EvenTree).unwrap(), Population::All, true);
        assert_eq!((found.verdicts.failed(), found.verdicts.get(Verdict::Loop)), (0, 0), "{hosts}");
        assert!(found.credit_loops.is_empty());
    }
}
