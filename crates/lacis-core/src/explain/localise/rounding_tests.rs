//! Values of few digits: two that are close to each other may be rounded to a step from each other.

use super::spell_tests::located_at;

/// Whole GB/s: 11, and 10 for a ninth of the flows; of host 3's flows `slow` in the rounds that are asked for.
fn whole(slow: f64, is_slow: impl Fn(u32) -> bool) -> impl Fn(u32, u32, u32, u32) -> f64 {
    move |from, to, at, _| {
        if from == 3 && is_slow(at) {
            slow
        } else if (from * 7 + to * 3 + at * 5).is_multiple_of(9) {
            1e10
        } else {
            1.1e10
        }
    }
}

#[test]
fn a_link_that_is_a_step_of_rounding_slower_than_others_is_not_to_blame() {
    // Rounded values of 10.49 and 10.51 differ by ln 1.1, which is 9.5 %, but no more than half a step of that is beyond doubt:
    // less half a step, 4.5 %, it is 5.0 %. Of some 90 suspects one is sure from 4.2 errors on, of 1.2 % or more.
    let (sites, found) = located_at(60, 1, whole(1e10, |_| true));
    assert!(sites.is_empty() && found.found.is_empty(), "{found:?}");
    // Two steps less the half are 15.6 %.
    let (_, found) = located_at(60, 1, whole(0.9e10, |_| true));
    assert_eq!(found.found.len(), 1, "{found:?}");
    assert!((found.found[0].loss - (11.0_f64 / 9.0).ln()).abs() < 0.02, "{found:?}");
}

#[test]
fn a_link_that_is_a_step_of_rounding_slower_for_a_time_was_not_slow() {
    let half = |at: u32| (20..50).contains(&at);
    let (sites, found) = located_at(60, 1, whole(1e10, half));
    assert!(sites.is_empty() && found.found.is_empty(), "{found:?}");
    let (sites, found) = located_at(60, 1, whole(0.8e10, half));
    assert_eq!(sites, ["link of 3"], "{found:?}");
    let spell = found.partial[0].spell.unwrap();
    assert_eq!((spell.first, spell.last), (20, 49));
}
