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
    located_on_tree((leaves, 4, 2), quantity, repeats, value_of)
}

/// The same on a tree of so many leaves, hosts a leaf and spines.
fn located_on_tree(
    (leaves, per_leaf, spines): (u32, u32, u32),
    quantity: Quantity,
    repeats: u32,
    value_of: impl Fn(&[String], u32) -> f64,
) -> (Vec<String>, Located) {
    let net = two_tier(leaves, per_leaf, spines);
    let participants = Participants::each_port(&net.fabric, &net.hosts);
    let paths = Paths::new(&net.fabric, &net.routes, participants.ports(), 0);
    let capacity = Capacity::of(&net.fabric, paths.links(), 1.0);
    let (mut source, mut destination, mut value) = (Vec::new(), Vec::new(), Vec::new());
    let name = |link| net.fabric.port_name(paths.links().egress(link));
    let mut steps = crate::model::load::Steps::default();
    for from in 0..per_leaf * leaves {
        for to in (0..per_leaf * leaves).filter(|&to| to != from) {
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
fn flows_beside_a_slow_link_share_links_with_its_flows_but_do_not_cross_it() {
    // Over port 5 of leaf 0: its 4 hosts to the 6 even hosts of other leaves. Beside them: these 4 hosts to the 3 others of
    // their leaf and to 6 odd hosts, 36 flows; and to each of the 6 even hosts from the 11 other hosts that are not of leaf 0, 66.
    let (_, found) = located(1, |names, _| if has(names, "\"leaf0\"[5]") { 0.5 } else { 1.0 });
    assert_eq!(found.found[0].beside, 36 + 66);
    assert!(found.found[0].beside_median.abs() < 0.01, "{}", found.found[0].beside_median);
    assert!((found.found[0].median - 2.0_f64.ln()).abs() < 0.01);
}

#[test]
fn a_link_is_to_blame_where_seven_tenths_of_its_flows_are_slow() {
    // The even hosts of other leaves, in order: 4, 6, 8, 10, 12, 14. To five of these six, 83 % of the flows over port 5 of
    // leaf 0 are slow; to four of them, 67 %.
    let slow_to = |hosts: &'static [u32]| {
        move |names: &[String], _: u32| {
            // Hosts are on ports 1 to 4 of their leaf.
            let is_to = |&host: &u32| has(names, &format!("\"leaf{}\"[{}]", host / 4, host % 4 + 1));
            if has(names, "\"leaf0\"[5]") && hosts.iter().any(is_to) { 0.5 } else { 1.0 }
        }
    };
    let (five, found) = located(1, slow_to(&[4, 6, 8, 10, 12]));
    assert_eq!(five, ["\"leaf0\"[5]"]);
    assert_eq!((found.found[0].flows, found.found[0].slow), (24, 20));
    assert_eq!(located(1, slow_to(&[4, 6, 8, 10])).0, [""; 0]);
}

#[test]
fn links_that_carry_the_same_flows_share_the_blame_evenly() {
    // One host a leaf and one spine: what the host sends crosses its own link and then its leaf's only uplink.
    let slow = |names: &[String], _: u32| 1e10 * if has(names, "\"h2\"[1]") { 0.5 } else { 1.0 };
    let (suspects, found) = located_on_tree((12, 1, 1), Quantity::Rate, 1, slow);
    assert_eq!(suspects.len(), 1, "{suspects:?}");
    let shares: Vec<f64> = found.found[0].instead.iter().map(|(_, share)| *share).collect();
    assert_eq!(shares.len(), 2, "{:?}", found.found[0].instead);
    // Both explain the same values: what differs is how much healthy links of their kinds differ, which is nothing here.
    assert!(shares.iter().all(|share| (share - 0.5).abs() < 1e-6), "{shares:?}");
}

#[test]
fn one_slow_flow_accuses_nothing_and_is_left_unexplained() {
    // Host 0 to host 5 alone, the fifth of its flows: port 2 of leaf 1 leads to host 5.
    let slow = |names: &[String], _: u32| {
        if has(names, "\"h0\"[1]") && has(names, "\"leaf1\"[2]") { 0.5 } else { 1.0 }
    };
    let (suspects, found) = located(1, slow);
    assert_eq!(suspects, [""; 0]);
    assert!(found.partial.is_empty());
    assert_eq!(found.unexplained, [4]);
}

#[test]
fn what_would_be_seen_depends_on_the_noise() {
    // 16 hosts with two directions each, and 4 leaves with 2 uplinks of two directions: 48 links. With the noise of 2 %, a loss
    // of a tenth is 17 standard deviations of each of the 15 or 24 flows.
    assert_eq!(located(1, |_, _| 1.0).1.visible, [48, 48, 48]);
    // Standard deviation 0.15: of 78 suspects one is sure from 4.46 errors on, √(0.01² + 0.15² / 24) or more, which is 0.144.
    // A tenth is 0.105, and half is 0.69: 4.6 standard deviations, some 5.9 of gain a flow, of 11.3 that are enough.
    let noise = |names: &[String]| {
        let mut seed = 12_345_u64;
        let bytes = names.iter().flat_map(|name| name.bytes());
        bytes.for_each(|byte| seed = (seed ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3));
        // The sum of twelve uniform values less six is nearly normal, of deviation 1.
        let mut uniform = || {
            seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (seed >> 33) as f64 / f64::from(1_u32 << 31)
        };
        (0..12).map(|_| uniform()).sum::<f64>() - 6.0
    };
    let (suspects, found) = located(1, |names, _| (0.15 * noise(names)).exp());
    assert_eq!(suspects, [""; 0]);
    assert_eq!((found.links, found.visible[0], found.visible[2]), (48, 0, 48), "{:?}", found.visible);
    // Many flows lose more than 7 %, which is half a standard deviation, but none more than five of these.
    assert!(found.unexplained.is_empty(), "{:?}", found.unexplained);
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
fn three_slow_cables_of_a_switch_are_one_fault_if_they_are_a_quarter_of_its_cables_and_lose_as_much() {
    // Port 5 of each leaf leads to spine 0, which has a cable to each leaf. Members of each group, and cables.
    let groups = |leaves: u32, shares: &'static [f64]| {
        let value = move |names: &[String], _: u32| {
            let of_leaf = |leaf: usize| has(names, &format!("\"leaf{leaf}\"[5]"));
            1e10 * (0..shares.len()).find(|&leaf| of_leaf(leaf)).map_or(1.0, |leaf| shares[leaf])
        };
        let (suspects, found) = located_on_tree((leaves, 4, 1), Quantity::Rate, 1, value);
        assert_eq!(suspects.len(), shares.len(), "{suspects:?}");
        found.groups.iter().map(|group| (group.members.len(), group.cables)).collect::<Vec<_>>()
    };
    assert_eq!(groups(12, &[0.5; 3]), [(3, 12)]);
    assert!(groups(13, &[0.5; 3]).is_empty());
    // ln 0.5 and ln 0.4 are 0.22 apart; ln 0.5 and ln 0.45 0.11.
    assert!(groups(8, &[0.5, 0.5, 0.4]).is_empty());
    assert_eq!(groups(12, &[0.5, 0.5, 0.45]), [(3, 12)]);
}

#[test]
fn of_two_switches_with_as_many_slow_hosts_the_first_is_named_first() {
    // Three hosts of four on leaves 0 and 1.
    let share = |names: &[String], _: u32| {
        let is_slow = [0, 1, 2, 4, 5, 6].into_iter().any(|host| has(names, &format!("\"h{host}\"[1]")));
        if is_slow { 0.5 } else { 1.0 }
    };
    let (suspects, found) = located(1, share);
    let groups: Vec<(u32, usize)> =
        found.groups.iter().map(|group| (group.switch.0, group.members.len())).collect();
    assert_eq!((suspects.len(), groups), (6, vec![(0, 3), (1, 3)]));
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
    assert!(matches!(found.partial[0].site, FaultSite::Suspect(_)) && found.partial[0].swings);
    assert_eq!((found.partial[0].flows, found.partial[0].slow), (24, 24));
}

#[test]
fn a_link_that_is_slow_in_most_repeats_flaps_too() {
    // Slow in 8 of 12 repeats: its median is slow, but it is no slow link.
    let share = |names: &[String], repeat: u32| {
        if has(names, "\"leaf2\"[6]") && !repeat.is_multiple_of(3) { 0.5 } else { 1.0 }
    };
    let (suspects, found) = located(12, share);
    assert_eq!(suspects, [""; 0]);
    assert_eq!(found.partial.len(), 1);
    assert!(matches!(found.partial[0].site, FaultSite::Suspect(_)) && found.partial[0].swings);
    assert!((found.partial[0].share - 8.0 / 12.0).abs() < 0.02, "{}", found.partial[0].share);
    // Slow in all of them: a slow link, and no flap.
    let always = |names: &[String], _: u32| if has(names, "\"leaf2\"[6]") { 0.5 } else { 1.0 };
    let (suspects, found) = located(12, always);
    assert_eq!((suspects, found.partial.len()), (vec!["\"leaf2\"[6]".to_string()], 0));
}

#[test]
fn links_that_flap_for_the_same_flows_are_named_beside_each_other() {
    // One host a leaf and one spine: what a host sends crosses its own link, and then its leaf's only uplink. In four of twelve
    // repeats all that hosts 2 and 7 send is slow.
    let share = |names: &[String], repeat: u32| {
        let is_slow = has(names, "\"h2\"[1]") || has(names, "\"h7\"[1]");
        1e10 * if is_slow && repeat.is_multiple_of(3) { 0.5 } else { 1.0 }
    };
    let (suspects, found) = located_on_tree((12, 1, 1), Quantity::Rate, 12, share);
    assert_eq!((suspects.len(), found.partial.len()), (0, 2), "{found:?}");
    for fault in &found.partial {
        assert_eq!((fault.flows, fault.slow, fault.instead.len()), (11, 11, 1), "{fault:?}");
        // Each flow says more than 5, which count as 5.
        assert!((fault.gain - 55.0).abs() < 1e-6, "{fault:?}");
    }
}

#[test]
fn a_link_flaps_if_it_is_healthy_in_a_tenth_of_its_values() {
    // Slow in 11 of 12 repeats, which is 92 %: a slow link. In 10 of them, 83 %: one that flaps.
    let healthy_in = |healthy: u32| {
        move |names: &[String], repeat: u32| {
            if has(names, "\"leaf2\"[6]") && repeat >= healthy { 0.5 } else { 1.0 }
        }
    };
    let (suspects, found) = located(12, healthy_in(1));
    assert_eq!((suspects, found.partial.len()), (vec!["\"leaf2\"[6]".to_string()], 0));
    let (suspects, found) = located(12, healthy_in(2));
    assert_eq!((suspects.len(), found.partial.len()), (0, 1));
    assert!((found.partial[0].share - 10.0 / 12.0).abs() < 0.02, "{}", found.partial[0].share);
}

#[test]
fn a_link_that_is_slow_in_less_than_a_tenth_of_its_values_does_not_flap() {
    // In one of twelve repeats, which is 8 %; and in two, 17 %.
    let slow_in = |repeats: u32| {
        move |names: &[String], repeat: u32| {
            if has(names, "\"leaf2\"[6]") && repeat < repeats { 0.5 } else { 1.0 }
        }
    };
    assert!(located(12, slow_in(1)).1.partial.is_empty());
    assert_eq!(located(12, slow_in(2)).1.partial.len(), 1);
}

#[test]
fn a_link_half_of_whose_slow_flows_are_slow_always_does_not_swing() {
    // Of the 11 flows that host 2 sends, those to hosts 3 to 7 are slow in all repeats; those to host 0 and to hosts 8 to 11 in
    // four of twelve.
    let to = |names: &[String], hosts: std::ops::Range<u32>| {
        hosts.into_iter().any(|host| has(names, &format!("\"leaf{host}\"[1]")))
    };
    let share = |names: &[String], repeat: u32| {
        let is_odd = to(names, 0..1) || to(names, 8..12);
        let is_slow = to(names, 3..8) || is_odd && repeat.is_multiple_of(3);
        1e10 * if has(names, "\"h2\"[1]") && is_slow { 0.5 } else { 1.0 }
    };
    let (suspects, found) = located_on_tree((12, 1, 1), Quantity::Rate, 12, share);
    assert_eq!((suspects.len(), found.partial.len()), (0, 1), "{found:?}");
    let fault = &found.partial[0];
    assert_eq!((fault.flows, fault.slow, fault.swings), (11, 10, false), "{fault:?}");
}

#[test]
fn flows_that_another_slow_link_explains_are_not_beside() {
    // Over port 5 of leaf 0, and of leaf 3. As above, 36 + 66 flows are beside those of the former; of the latter 66, those of
    // leaf 3's four hosts to hosts 4, 6, 8 and 10 cross the other slow link.
    let slow = |names: &[String], _: u32| {
        if has(names, "\"leaf0\"[5]") || has(names, "\"leaf3\"[5]") { 0.5 } else { 1.0 }
    };
    let (suspects, found) = located(1, slow);
    let at = suspects.iter().position(|name| name == "\"leaf0\"[5]").unwrap();
    assert_eq!((suspects.len(), found.found[at].beside), (2, 36 + 66 - 16));
}

#[test]
fn the_least_gain_lets_one_measurement_in_a_thousand_alarm_falsely() {
    // ln 1 and ln 1,000 suspects, less ln 0.001: 6.908 and 13.816.
    let limits = Limits::usual(false);
    assert!((limits.enough(1) - 6.908).abs() < 1e-3 && (limits.enough(1000) - 13.816).abs() < 1e-3);
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
    // One in 1,000 × 2,600: a tail of 3.85e-7 is beyond 4.94 standard deviations (tables of the normal distribution); 1.43e-8: 5.55.
    let limits = Limits::usual(false);
    for (suspects, sure) in [(2_600, 4.94), (70_000, 5.55), (1, 4.0)] {
        assert!((limits.sure_of(suspects) - sure).abs() < 0.05, "{suspects}: {}", limits.sure_of(suspects));
    }
}
