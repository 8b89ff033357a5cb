//! Entries of tables that lead elsewhere, as rates and times show them. The net has four leaves with four hosts each and two
//! spines: the tables send to an even host by spine 0, over port 5 of a leaf, and to an odd one by spine 1, over port 6.

use std::collections::BTreeMap;

use super::super::{Observed, Quantity, Residuals, Values};
use super::*;
use crate::model::fluid::Capacity;
use crate::model::load::Paths;
use crate::model::load::testing::{Net, two_tier};
use crate::ranks::Participants;

/// What is wrong with the net.
#[derive(Clone, Copy, Default)]
struct Faults {
    /// Leaf 0 sends what is for host 4 by spine 1.
    moved: bool,
    /// Port 5 of leaf 3 runs at half of its rate.
    slow: bool,
}

/// What flows get that start together, of the rate of a link: on the fullest link of each path, its share.
fn shares(flows: &[(u32, u32)], faults: Faults) -> Vec<f64> {
    let path = |&(from, to): &(u32, u32)| {
        let spine = if faults.moved && from < 4 && to == 4 { 1 } else { to % 2 };
        let mut links = vec![("host", from, 0), ("to host", to, 0)];
        if from / 4 != to / 4 {
            links.extend([("up", from / 4, spine), ("down", to / 4, spine)]);
        }
        links
    };
    let mut load: BTreeMap<(&str, u32, u32), u32> = BTreeMap::new();
    flows.iter().flat_map(path).for_each(|link| *load.entry(link).or_default() += 1);
    let left = |link: &(&str, u32, u32)| {
        let rate = if faults.slow && *link == ("up", 3, 0) { 0.5 } else { 1.0 };
        rate / f64::from(load[link])
    };
    flows.iter().map(|flow| path(flow).iter().map(left).fold(1.0, f64::min)).collect()
}

/// What is found where all hosts send at once, in 15 rounds: to the host that is 1 to 15 numbers further on.
fn by_rates(faults: Faults) -> (Net, Located) {
    let (mut source, mut destination, mut round, mut value) = (vec![], vec![], vec![], vec![]);
    for shift in 1..16 {
        let flows: Vec<(u32, u32)> = (0..16).map(|from| (from, (from + shift) % 16)).collect();
        for (&(from, to), share) in flows.iter().zip(shares(&flows, faults)) {
            source.push(from);
            destination.push(to);
            round.push(shift);
            value.push(12.5e9 * share);
        }
    }
    let values = Values { source: &source, destination: &destination, round: &round, value: &value };
    found(Quantity::Rate, &values)
}

/// What is found in times of 2 µs between any two hosts, one after the other, some of them longer.
fn by_times(times: impl Fn(u32, u32) -> f64) -> (Net, Located) {
    by_noisy_times((4, 4), 0.02, times)
}

/// The same on so many leaves with so many hosts each, with steady noise of up to a share of the times.
fn by_noisy_times(
    (leaves, per_leaf): (u32, u32),
    noise: f64,
    times: impl Fn(u32, u32) -> f64,
) -> (Net, Located) {
    let hosts = leaves * per_leaf;
    let pairs =
        || (0..hosts).flat_map(|from| (0..hosts).map(move |to| (from, to))).filter(|(from, to)| from != to);
    let (source, destination): (Vec<u32>, Vec<u32>) = pairs().unzip();
    let noise = |from: u32, to: u32| 1.0 + noise * f64::from((from * 7 + to * 3) % 9) / 8.0;
    let value: Vec<f64> = pairs().map(|(from, to)| 2e-6 * noise(from, to) * times(from, to)).collect();
    let round = vec![super::super::ALONE; value.len()];
    let values = Values { source: &source, destination: &destination, round: &round, value: &value };
    found_on(two_tier(leaves, per_leaf, 2), Quantity::Time, &values)
}

fn found(quantity: Quantity, values: &Values<'_>) -> (Net, Located) {
    found_on(two_tier(4, 4, 2), quantity, values)
}

fn found_on(net: Net, quantity: Quantity, values: &Values<'_>) -> (Net, Located) {
    let participants = Participants::each_port(&net.fabric, &net.hosts);
    let paths = Paths::new(&net.fabric, &net.routes, participants.ports(), 0);
    let capacity = Capacity::of(&net.fabric, paths.links(), 1.0);
    let observed = Observed::of(&participants, 0, quantity, values);
    let residuals = Residuals::of(&paths, &capacity, &observed);
    let located = locate(&paths, &capacity, &observed, &residuals);
    (net, located)
}

/// Sites by the name of the switch or port.
fn sites(net: &Net, located: &Located) -> Vec<(String, u32, Option<String>)> {
    let each = |fault: &PartialFault| match fault.site {
        FaultSite::Entry { switch, destination, port } => {
            (net.fabric.name(switch).to_string(), destination, port.map(|port| net.fabric.port_name(port)))
        }
        FaultSite::Suspect(suspect) => (format!("{suspect:?}"), 0, None::<String>),
    };
    located.partial.iter().map(each).collect()
}

fn entry(switch: &str, destination: u32, port: Option<&str>) -> (String, u32, Option<String>) {
    (switch.to_owned(), destination, port.map(str::to_owned))
}

#[test]
fn rates_show_the_entry_that_leads_elsewhere_and_its_port() {
    let (net, none) = by_rates(Faults::default());
    assert!(none.found.is_empty() && none.partial.is_empty(), "{:?}", sites(&net, &none));
    // Hosts 0 to 3 reach host 4 in the rounds of 4, 3, 2 and 1 numbers; flows beside those of leaf 0 change nothing.
    // Round 4: 0 → 4, 1 → 5, 2 → 6, 3 → 7 share two uplinks by two; moved, three share one: three lose 3/2, one gains.
    // Round 3: 1 → 4 shares with 3 → 6, now with 2 → 5: the one that it meets loses 2, the one that it leaves gains.
    // Round 2: 2 → 4 and 3 → 5 were alone on their uplinks, and now share one: both lose 2. Round 1: 3 → 4 is alone.
    let (net, moved) = by_rates(Faults { moved: true, ..Faults::default() });
    assert_eq!(sites(&net, &moved), [entry("leaf0", 4, Some("\"leaf0\"[6]"))]);
    let fault = &moved.partial[0];
    assert_eq!((fault.flows, fault.slow, fault.swings, &*fault.instead), (8, 6, false, &[][..]));
    assert!((fault.share - 0.75).abs() < 1e-9 && (fault.loss - 2.0_f64.ln()).abs() < 1e-3, "{fault:?}");
    assert!(moved.found.is_empty() && moved.unexplained.is_empty());
}

#[test]
fn a_slow_link_and_an_entry_that_leads_elsewhere_are_both_found() {
    let (net, both) = by_rates(Faults { moved: true, slow: true });
    let suspects: Vec<String> = both
        .found
        .iter()
        .map(|found| match found.suspect {
            Suspect::Link(link) => {
                let paths = Participants::each_port(&net.fabric, &net.hosts);
                let paths = Paths::new(&net.fabric, &net.routes, paths.ports(), 0);
                net.fabric.port_name(paths.links().egress(link))
            }
            other => format!("{other:?}"),
        })
        .collect();
    assert_eq!(suspects, ["\"leaf3\"[5]"]);
    assert!((both.found[0].loss - 2.0_f64.ln()).abs() < 1e-3);
    assert_eq!(sites(&net, &both), [entry("leaf0", 4, Some("\"leaf0\"[6]"))]);
    assert!(both.unexplained.is_empty());
}

#[test]
fn times_show_the_entries_whose_flows_take_longer_there_or_back() {
    // By leaf 0 to host 5, and by leaf 2 to host 13: from each host of the leaf, and back to it, as a time is of both ways.
    let is_of =
        |leaf: u32, host: u32, a: u32, b: u32| (a / 4 == leaf && b == host) || (b / 4 == leaf && a == host);
    let longer = |from, to| if is_of(0, 5, from, to) || is_of(2, 13, from, to) { 1.25 } else { 1.0 };
    let (net, found) = by_times(longer);
    assert_eq!(sites(&net, &found), [entry("leaf0", 5, None), entry("leaf2", 13, None)]);
    for fault in &found.partial {
        assert_eq!((fault.flows, fault.slow, fault.swings, &*fault.instead), (8, 8, false, &[][..]));
        assert!((fault.share - 1.0).abs() < 1e-9 && (fault.loss - 1.25_f64.ln()).abs() < 0.02, "{fault:?}");
    }
    assert!(found.found.is_empty() && found.unexplained.is_empty());
}

#[test]
fn an_entry_of_which_half_of_the_flows_take_longer_is_not_named() {
    // Of the eight flows that leaf 0 leads to host 5, there or back, seven tenths are asked: four hosts have them all, two half.
    let longer = |hosts: u32| {
        move |from, to| if (from < hosts && to == 5) || (from == 5 && to < hosts) { 1.2 } else { 1.0 }
    };
    let (net, all) = by_times(longer(4));
    assert_eq!(sites(&net, &all), [entry("leaf0", 5, None)]);
    let (net, half) = by_times(longer(2));
    assert!(sites(&net, &half).is_empty() && half.found.is_empty(), "{:?}", sites(&net, &half));
}

#[test]
fn seven_tenths_of_an_entrys_flows_take_longer_however_many_these_are() {
    // Of 16 flows there and back twelve are three quarters, and eight a half. Both are far from chance, which makes 9 or 13 of 992
    // flows long.
    let longer = |hosts: u32| {
        move |from, to| if (from < hosts && to == 9) || (from == 9 && to < hosts) { 1.2 } else { 1.0 }
    };
    let (net, most) = by_noisy_times((4, 8), 0.02, longer(6));
    assert_eq!(sites(&net, &most), [entry("leaf0", 9, None)]);
    let (net, half) = by_noisy_times((4, 8), 0.02, longer(4));
    assert!(sites(&net, &half).is_empty(), "{:?}", sites(&net, &half));
}

#[test]
fn an_entry_is_named_from_times_only_if_chance_hardly_makes_one_of_all() {
    // Of 132 flows with eight links there and back ln 1,056 + ln 1,000 = 13.9 are asked. If all six of an entry take longer, one in
    // 19 does: 6 ln 19.1 = 17.7. If five do, that is 12.9 by Chernoff's bound: 6 (5/6 ln (5/6 ÷ 6/134) + 1/6 ln (1/6 ÷ 128/134)).
    let longer = |both: bool| {
        move |from, to| {
            if (from < 3 && to == 4) || (from == 4 && to < 2 + u32::from(both)) { 1.2 } else { 1.0 }
        }
    };
    let (net, six) = by_noisy_times((4, 3), 0.02, longer(true));
    assert_eq!(sites(&net, &six), [entry("leaf0", 4, None)]);
    let (net, five) = by_noisy_times((4, 3), 0.02, longer(false));
    assert!(sites(&net, &five).is_empty(), "{:?}", sites(&net, &five));
}

#[test]
fn where_times_differ_by_chance_an_entry_is_named_from_four_deviations_on() {
    // Times differ by up to a fifth, in nine steps: the standard deviation, by the median deviation of their logarithms, is
    // 0.069. A quarter more is 0.22, which is 3.2 of these, and four fifths more 8.5.
    let longer =
        |times: f64| move |a: u32, b: u32| if (a < 8 && b == 9) || (b < 8 && a == 9) { times } else { 1.0 };
    let (net, none) = by_noisy_times((4, 8), 0.2, longer(1.25));
    assert!(sites(&net, &none).is_empty(), "{:?}", sites(&net, &none));
    let (net, found) = by_noisy_times((4, 8), 0.2, longer(1.8));
    assert_eq!(sites(&net, &found), [entry("leaf0", 9, None)]);
}

#[test]
fn entries_that_lead_the_same_flows_are_named_beside_each_other_and_no_others() {
    // Two leaves of 12 hosts. What leaf 0 sends to host 13 goes on by spine 1, and by it only; what leaf 1 sends to host 2, by
    // spine 0. Nine of twelve hosts' flows take longer, there and back.
    let is_long = |a: u32, b: u32| ((3..12).contains(&a) && b == 13) || ((14..23).contains(&a) && b == 2);
    let longer = |a, b| if is_long(a, b) || is_long(b, a) { 1.25 } else { 1.0 };
    let (net, found) = by_noisy_times((2, 12), 0.02, longer);
    assert_eq!(sites(&net, &found), [entry("leaf0", 13, None), entry("leaf1", 2, None)]);
    let instead = |fault: &PartialFault| match fault.instead[..] {
        [FaultSite::Entry { switch, destination, port: None }] => {
            (net.fabric.name(switch).to_string(), destination)
        }
        ref others => panic!("{others:?}"),
    };
    let beside: Vec<(String, u32)> = found.partial.iter().map(instead).collect();
    assert_eq!(beside, [("spine1".to_owned(), 13), ("spine0".to_owned(), 2)]);
    assert!(found.partial.iter().all(|fault| (fault.flows, fault.slow) == (24, 18)), "{found:?}");
}

#[test]
fn entries_to_a_host_whose_times_are_all_longer_are_not_to_blame() {
    // A fifth, which is too little to blame the host itself.
    let (net, found) = by_times(|from, to| if from == 3 || to == 3 { 1.2 } else { 1.0 });
    assert!(sites(&net, &found).is_empty() && found.found.is_empty(), "{:?}", sites(&net, &found));
}
