use super::super::{Observed, Quantity, Residuals, Values};
use super::weigh::chance;
use super::*;
use crate::model::fluid::Capacity;
use crate::model::load::testing::two_tier;
use crate::model::load::{Paths, SINK};
use crate::ranks::Participants;

/// All pairs of hosts of four leaves with four hosts each and two spines, one after the other. `share` is what a path, given by
/// its links' egress ports, gets of 10 GB/s in each repeat; steady noise of ± 1 %.
fn located(repeats: u32, share: impl Fn(&[String], u32) -> f64) -> (Vec<String>, Located) {
    located_on(4, Quantity::Rate, repeats, |path, repeat| 1e10 * share(path, repeat))
}

/// The same with so many leaves, and the values of the paths themselves.
fn located_on(
    leaves: u32,
    quantity: Quantity,
    repeats: u32,
    value_of: impl Fn(&[String], u32) -> f64,
) -> (Vec<String>, Located) {
    let net = two_tier(leaves, 4, 2);
    let participants = Participants::each_port(&net.fabric, &net.hosts);
    let paths = Paths::new(&net.fabric, &net.routes, participants.ports(), 0);
    let capacity = Capacity::of(&net.fabric, paths.links(), 1.0);
    let (mut source, mut destination, mut value) = (Vec::new(), Vec::new(), Vec::new());
    let name = |link| net.fabric.port_name(paths.links().egress(link));
    let mut steps = crate::model::load::Steps::default();
    for from in 0..4 * leaves {
        for to in (0..4 * leaves).filter(|&to| to != from) {
            paths.steps(&[crate::ranks::Flow { from, to }], &mut steps);
            let names: Vec<String> = steps.of_flow(0).filter(|&link| link != SINK).map(name).collect();
            for repeat in 0..repeats {
                let noise = 1.0 + f64::from((from * 7 + to * 3 + repeat * 5) % 9) / 400.0;
                source.push(from);
                destination.push(to);
                value.push(noise * value_of(&names, repeat));
            }
        }
    }
    let round = vec![super::super::ALONE; value.len()];
    let values = Values { source: &source, destination: &destination, round: &round, value: &value };
    let observed = Observed::of(&participants, 0, quantity, &values);
    let residuals = Residuals::of(&paths, &capacity, &observed);
    let located = locate(&paths, &capacity, &observed, &residuals);
    let suspects = located.found.iter().map(|found| match found.suspect {
        Suspect::Link(link) => name(link),
        Suspect::Host(link) => format!("host {}", name(link)),
        Suspect::Cable(link) => format!("cable {}", name(link)),
        Suspect::Switch(node) => format!("switch {}", net.fabric.name(node)),
    });
    (suspects.collect(), located)
}

fn has(names: &[String], link: &str) -> bool {
    names.iter().any(|name| name == link)
}

#[test]
fn a_slow_link_and_a_slow_host_are_named() {
    let none: [String; 0] = [];
    assert_eq!(located(1, |_, _| 1.0).0, none);
    let half = |link: &'static str| move |names: &[String], _| if has(names, link) { 0.5 } else { 1.0 };
    // Port 5 of leaf 0 leads to spine 0.
    let (suspects, found) = located(1, half("\"leaf0\"[5]"));
    assert_eq!(suspects, ["\"leaf0\"[5]"]);
    // 4 hosts of the leaf to the 6 hosts of other leaves with even numbers.
    assert_eq!((found.found[0].flows, found.found[0].slow), (24, 24));
    assert!((found.found[0].loss - 2.0_f64.ln()).abs() < 0.01);
    assert!(found.partial.is_empty() && found.unexplained.is_empty());
    let both = |names: &[String], _: u32| {
        if has(names, "\"h3\"[1]") || has(names, "\"leaf0\"[4]") { 0.7 } else { 1.0 }
    };
    assert_eq!(located(1, both).0, ["host \"h3\"[1]"]);
}

#[test]
fn a_cable_that_is_slow_in_both_directions_is_one_cable() {
    // Port 5 of leaf 0 and port 1 of spine 0 are the ends of one cable.
    let both = |names: &[String], _: u32| {
        if has(names, "\"leaf0\"[5]") || has(names, "\"spine0\"[1]") { 0.7 } else { 1.0 }
    };
    assert_eq!(located(1, both).0, ["cable \"leaf0\"[5]"]);
}

#[test]
fn a_switch_is_to_blame_where_four_fifths_of_the_links_to_it_are_slow() {
    // Port 5 of each leaf leads to spine 0.
    let slow = |count: usize| {
        move |names: &[String], _: u32| {
            let is_slow = (0..count).any(|leaf| has(names, &format!("\"leaf{leaf}\"[5]")));
            if is_slow { 0.5e10 } else { 1e10 }
        }
    };
    // 7 of 9 links are 78 %, 8 of 10 are 80 %.
    let (mut seven_of_nine, _) = located_on(9, Quantity::Rate, 1, slow(7));
    seven_of_nine.sort();
    let links: Vec<String> = (0..7).map(|leaf| format!("\"leaf{leaf}\"[5]")).collect();
    assert_eq!(seven_of_nine, links);
    assert_eq!(located_on(10, Quantity::Rate, 1, slow(8)).0, ["switch spine0"]);
}

#[test]
fn where_healthy_hosts_differ_a_slow_one_is_named_only_if_it_is_slower_than_these_would_be_by_chance() {
    // Hosts send at 0.9, 0.95, 1, 1.05 and 1.1 of the rate in turn: the median deviation is 0.05, the standard deviation by
    // it 0.074. Of some 70 suspects one is sure from 4.6 of these on, which is 0.34: a loss of 29 %.
    let slow_to = |share: f64| {
        move |names: &[String], _: u32| {
            let host = (0..16).find(|host| has(names, &format!("\"h{host}\"[1]"))).unwrap();
            let own = 1.0 + 0.05 * (f64::from(host % 5) - 2.0);
            1e10 * own * if host == 7 { share } else { 1.0 }
        }
    };
    assert_eq!(located_on(4, Quantity::Rate, 1, slow_to(0.8)).0, [""; 0]);
    assert_eq!(located_on(4, Quantity::Rate, 1, slow_to(0.5)).0, ["\"h7\"[1]"]);
}

#[test]
fn times_are_long_from_three_tenths_more_on() {
    // Host 3's times to and from all others: port 4 of its leaf leads to it.
    let longer = |times: f64| {
        move |names: &[String], _: u32| {
            let is_its = has(names, "\"h3\"[1]") || has(names, "\"leaf0\"[4]");
            if is_its { 2e-6 * times } else { 2e-6 }
        }
    };
    let (under, _) = located_on(4, Quantity::Time, 1, longer(1.27));
    assert_eq!(under, [""; 0]);
    let (over, found) = located_on(4, Quantity::Time, 1, longer(1.33));
    assert_eq!(over.len(), 1, "{over:?}");
    assert!((found.found[0].loss - 1.33_f64.ln()).abs() < 0.01);
}

#[test]
fn what_one_fault_explains_is_no_evidence_for_another() {
    // The host's link is slower than the one that it shares a spine's port with.
    let share = |names: &[String], _: u32| {
        let host = if has(names, "\"h5\"[1]") { 0.3 } else { 1.0_f64 };
        host.min(if has(names, "\"leaf1\"[5]") { 0.6 } else { 1.0 })
    };
    assert_eq!(located(1, share).0, ["\"leaf1\"[5]", "\"h5\"[1]"]);
}

#[test]
fn repeats_that_swing_accuse_the_link_that_flaps() {
    let share = |names: &[String], repeat: u32| {
        if has(names, "\"leaf2\"[6]") && repeat.is_multiple_of(3) { 0.5 } else { 1.0 }
    };
    let (suspects, found) = located(12, share);
    assert!(suspects.is_empty());
    assert_eq!(found.partial.len(), 1);
    assert!(matches!(found.partial[0].site, FaultSite::Link(_)) && found.partial[0].swings);
    assert_eq!((found.partial[0].flows, found.partial[0].slow), (24, 24));
}

#[test]
fn a_chance_is_no_less_than_the_binomial_tail() {
    // P(at least 3 of 10 at 5 %), summed by hand: 1 - (0.5987 + 0.3151 + 0.0746) = 0.0115.
    let bound = chance(10, 3, 0.05).exp();
    assert!((0.0115..0.08).contains(&bound), "{bound}");
    assert!((chance(4, 4, 0.1) - 4.0 * 0.1_f64.ln()).abs() < 1e-12); // all of them: exact
    assert!(chance(10, 0, 0.05).abs() < 1e-12 && chance(0, 0, 0.05).abs() < 1e-12);
}

#[test]
fn the_threshold_grows_with_the_number_of_suspects_as_the_normal_tail_says() {
    // One in 3,000 × 2,600: a tail of 1.28e-7 is beyond 5.15 standard deviations (tables of the normal distribution); 4.8e-9: 5.73.
    let limits = Limits::usual(false);
    for (suspects, sure) in [(2_600, 5.15), (70_000, 5.73), (1, 4.0)] {
        assert!((limits.sure_of(suspects) - sure).abs() < 0.05, "{suspects}: {}", limits.sure_of(suspects));
    }
}
