//! Links that are slow for a time, in rounds in which no flows share a link.

use super::super::{Observed, Quantity, Residuals, Values};
use super::*;
use crate::model::load::testing::two_tier;
use crate::ranks::Participants;

/// Values of one repeat.
fn located(share: impl Fn(u32, u32, u32) -> f64) -> (Vec<String>, Located) {
    located_in(1, |from, to, at, _| share(from, to, at))
}

/// Rounds 1 to 15: in round r each of 16 hosts on four leaves sends to the host r further on; four spines have a link for each.
/// `share`: what the flow between two hosts gets in a round and a repeat; with steady noise of up to 2 %.
fn located_in(repeats: u32, share: impl Fn(u32, u32, u32, u32) -> f64) -> (Vec<String>, Located) {
    let net = two_tier(4, 4, 4);
    let participants = Participants::each_port(&net.fabric, &net.hosts);
    let paths = Paths::new(&net.fabric, &net.routes, participants.ports(), 0);
    let capacity = Capacity::of(&net.fabric, paths.links(), 1.0);
    let (mut source, mut destination, mut round, mut value) = (vec![], vec![], vec![], vec![]);
    for at in 1..16_u32 {
        for from in 0..16_u32 {
            let to = (from + at) % 16;
            for repeat in 0..repeats {
                let noise = 1.0 + f64::from((from * 7 + to * 3 + at * 5 + repeat) % 9) / 400.0;
                source.push(from);
                destination.push(to);
                round.push(at);
                value.push(1.1e10 * noise * share(from, to, at, repeat));
            }
        }
    }
    let values = Values { source: &source, destination: &destination, round: &round, value: &value };
    let observed = Observed::of(&participants, 0, Quantity::Rate, &values);
    let residuals = Residuals::of(&paths, &capacity, &observed);
    let located = locate(&paths, &capacity, &observed, &residuals);
    let host = |link: u32| {
        let egress = paths.links().egress(link);
        let mut ends = [Some(egress), net.fabric.peer(egress)].into_iter().flatten();
        let slot = ends.find_map(|end| participants.ports().iter().position(|&port| port == end));
        slot.map_or_else(|| net.fabric.port_name(egress), |slot| format!("{slot}"))
    };
    let sites = located.partial.iter().map(|fault| match fault.site {
        FaultSite::Suspect(Suspect::Link(link)) => format!("link of {}", host(link)),
        FaultSite::Suspect(Suspect::Host(link)) => format!("host {}", host(link)),
        other => format!("{other:?}"),
    });
    (sites.collect(), located)
}

fn half(is_slow: bool) -> f64 {
    if is_slow { 0.5 } else { 1.0 }
}

#[test]
fn a_link_that_is_slow_in_some_rounds_in_a_row_is_named_with_them() {
    let (sites, found) = located(|from, _, at| half(from == 3 && (5..10).contains(&at)));
    assert!(found.found.is_empty(), "{:?}", found.found);
    assert_eq!(sites, ["link of 3"]);
    let fault = &found.partial[0];
    let spell = fault.spell.unwrap();
    assert_eq!((spell.first, spell.last, spell.before, spell.after), (5, 9, Some(4), Some(10)));
    assert_eq!((fault.flows, fault.slow, spell.others), (5, 5, 10));
    assert!((fault.loss - 2_f64.ln()).abs() < 0.02 && spell.others_median.abs() < 0.02, "{found:?}");
    assert_eq!(found.fitness.doubt, None);
}

#[test]
fn an_adapter_that_is_slow_since_a_round_is_named_in_both_directions() {
    let (sites, found) = located(|from, to, at| half((from == 3 || to == 3) && at >= 8));
    assert_eq!(sites, ["host 3"], "{found:?}");
    let spell = found.partial[0].spell.unwrap();
    assert_eq!((spell.first, spell.last, spell.before, spell.after), (8, 15, Some(7), None));
    assert_eq!((found.partial[0].flows, spell.others), (16, 14));
}

#[test]
fn a_link_that_is_slow_in_three_quarters_of_the_rounds_was_healthy_in_the_first() {
    // Slow in 11 of 15 flows, which accuses a link that is always slow, too.
    let (sites, found) = located(|from, _, at| half(from == 3 && at > 4));
    assert!(found.found.is_empty() && sites == ["link of 3"], "{found:?}");
    let spell = found.partial[0].spell.unwrap();
    assert_eq!((spell.first, spell.last, spell.before, spell.after), (5, 15, Some(4), None));
    // In all rounds but one no spell shows: too few flows say that it ever was healthy.
    let (sites, found) = located(|from, _, at| half(from == 3 && at > 1));
    assert!(sites.is_empty() && found.found.len() == 1, "{found:?}");
}

#[test]
fn rounds_that_do_not_follow_each_other_are_no_spell() {
    let (_, found) = located(|from, _, at| half(from == 3 && [1, 4, 6, 9, 11, 14].contains(&at)));
    assert!(found.partial.iter().all(|fault| fault.spell.is_none()), "{:?}", found.partial);
}

#[test]
fn two_rounds_are_too_few() {
    let (sites, found) = located(|from, _, at| half(from == 3 && (5..7).contains(&at)));
    assert!(sites.is_empty() && found.found.is_empty(), "{found:?}");
}

#[test]
fn a_link_that_flaps_from_repeat_to_repeat_has_no_rounds_of_its_own() {
    // Slow in five of eight repeats in rounds 5 to 9, and in three of eight in others: its flows' medians are slow in the former.
    let most = |at| if (5..10).contains(&at) { 5 } else { 3 };
    let (sites, found) =
        located_in(8, |from, _, at, repeat| half(from == 3 && (repeat * 3 + at) % 8 < most(at)));
    assert_eq!(sites, ["link of 3"], "{found:?}");
    assert!(found.partial[0].spell.is_none() && found.partial[0].swings, "{:?}", found.partial);
    // All repeats of some rounds are slow for a time.
    let (sites, found) = located_in(8, |from, _, at, _| half(from == 3 && (5..10).contains(&at)));
    assert_eq!(sites, ["link of 3"], "{found:?}");
    assert!(found.partial[0].spell.is_some_and(|spell| (spell.first, spell.last) == (5, 9)));
}
