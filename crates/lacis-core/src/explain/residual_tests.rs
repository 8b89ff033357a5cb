//! What flows are expected to reach, and what they fall short.

use super::observed::{ALONE, Observed, Quantity, Values};
use super::residuals::Residuals;
use crate::model::fluid::Capacity;
use crate::model::load::Paths;
use crate::model::load::testing::{Net, two_tier};
use crate::ranks::Participants;

/// Two leaves of four hosts, two spines; 12.5 GB/s a link. Host d is reached by spine d mod 2.
fn residuals(flows: &[(u32, u32, u32, f64)], quantity: Quantity) -> (Observed, Residuals) {
    residuals_on(&two_tier(2, 4, 2), flows, quantity)
}

fn residuals_on(net: &Net, flows: &[(u32, u32, u32, f64)], quantity: Quantity) -> (Observed, Residuals) {
    let participants = Participants::each_port(&net.fabric, &net.hosts);
    let paths = Paths::new(&net.fabric, &net.routes, participants.ports(), 0);
    let capacity = Capacity::of(&net.fabric, paths.links(), 1.0);
    let column = |of: fn(&(u32, u32, u32, f64)) -> u32| flows.iter().map(of).collect::<Vec<_>>();
    let (source, destination, round) = (column(|f| f.0), column(|f| f.1), column(|f| f.2));
    let value: Vec<f64> = flows.iter().map(|f| f.3).collect();
    let values = Values { source: &source, destination: &destination, round: &round, value: &value };
    let observed = Observed::of(&participants, 0, quantity, &values);
    let found = Residuals::of(&paths, &capacity, &observed);
    (observed, found)
}

#[test]
fn flows_of_a_round_share_links_and_flows_alone_do_not() {
    // 0 → 4 and 1 → 6 both leave leaf 0 by spine 0: half each. 2 → 5 goes by spine 1. Alone, each gets the whole link.
    let flows = |round| [(0, 4, round, 6e9), (1, 6, round, 6e9), (2, 5, round, 12e9)];
    let (_, shared) = residuals(&flows(1), Quantity::Rate);
    let expected: Vec<f64> = shared.expected.iter().map(|rate| rate / 12.5e9).collect();
    assert!(expected.iter().zip([0.5, 0.5, 1.0]).all(|(a, b)| (a - b).abs() < 1e-9), "{expected:?}");
    // The host's own link would leave twice as much.
    let slack: Vec<f32> = shared.of_flow(0).map(|(_, slack)| slack).collect();
    assert_eq!(slack.iter().filter(|slack| slack.abs() < 1e-6).count(), 2);
    assert_eq!(slack.iter().filter(|slack| (*slack - 2.0_f32.ln()).abs() < 1e-6).count(), 2);
    let (_, alone) = residuals(&flows(ALONE), Quantity::Rate);
    assert!(alone.expected.iter().all(|rate| (rate / 12.5e9 - 1.0).abs() < 1e-9));
}

#[test]
fn flows_of_288_hosts_at_once_are_compared_by_the_287_on_the_link_that_decides() {
    // All of two leaves of 144 hosts send to host 0: 287 flows share its link, and get 12.5 GB/s / 287 each. Those of
    // the other leaf also share the link down to its leaf, but only 144 of them.
    let flows: Vec<_> = (1..288).map(|from| (from, 0, 1, 12.5e9 / 287.0)).collect();
    let (_, found) = residuals_on(&two_tier(2, 144, 1), &flows, Quantity::Rate);
    let mut classes: Vec<_> = found.classes.iter().map(|l| (l.links, l.contention, l.flows)).collect();
    classes.sort_unstable();
    assert_eq!(classes, [(2, 287, 143), (4, 287, 144)]);
    assert!(found.expected.iter().all(|rate| (rate / 12.5e9 * 287.0 - 1.0).abs() < 1e-9));
    assert!(found.loss.iter().all(|loss| loss.abs() < 1e-6));
}

#[test]
fn what_hosts_reach_is_estimated_by_class_and_a_slow_flow_stands_out() {
    // All 56 pairs: those of one leaf reach 12 GB/s, others 11; 0 → 7 reaches half.
    let pairs = (0..8_u32).flat_map(|a| (0..8).map(move |b| (a, b))).filter(|(a, b)| a != b);
    let rate = |a, b| {
        if (a, b) == (0, 7) {
            5.5e9
        } else if a / 4 == b / 4 {
            12e9
        } else {
            11e9
        }
    };
    let flows: Vec<_> = pairs.map(|(a, b)| (a, b, ALONE, rate(a, b))).collect();
    let (observed, found) = residuals(&flows, Quantity::Rate);
    let mut classes: Vec<_> =
        found.classes.iter().map(|l| (l.links, l.flows, (l.level * 100.0).round())).collect();
    classes.sort_unstable_by_key(|class| class.0);
    assert_eq!(classes, [(2, 24, 96.0), (4, 32, 88.0)]);
    for (flow, loss) in observed.flows.iter().zip(&found.loss) {
        let expected = if (flow.from, flow.to) == (0, 7) { 2.0_f32.ln() } else { 0.0 };
        assert!((loss - expected).abs() < 1e-5, "{flow:?} {loss}");
    }
}

#[test]
fn times_cross_the_links_there_and_back() {
    let (_, found) = residuals(&[(0, 1, ALONE, 1e-6), (0, 4, ALONE, 2e-6)], Quantity::Time);
    let links: Vec<usize> = (0..2).map(|f| found.of_flow(f).count()).collect();
    assert_eq!(links, [4, 8]);
}

#[test]
fn between_an_even_share_and_the_max_min_fair_one_a_rate_shows_nothing() {
    // 0, 1, 5 and 7 send to 4: its link leaves each a quarter. 0 → 4, 1 → 4 and 2 → 6 share the link from leaf 0 to spine 0: an
    // even share of it is a third, and max-min sharing leaves 2 → 6 a half.
    let flows = |rate: f64| {
        let own = 12.5e9 / 4.0;
        vec![(0, 4, 1, own), (1, 4, 1, own), (5, 4, 1, own), (7, 4, 1, own), (2, 6, 1, rate * 12.5e9)]
    };
    let of = |rate: f64| {
        let (observed, found) = residuals(&flows(rate), Quantity::Rate);
        let at = observed.flows.iter().position(|flow| flow.from == 2).unwrap();
        (found.spare[at], found.loss[at])
    };
    assert!((of(0.4).0 - 1.5_f32.ln()).abs() < 1e-6);
    assert!(of(1.0 / 3.0).1.abs() < 1e-6 && of(0.4).1.abs() < 1e-6 && of(0.5).1.abs() < 1e-6);
    // Slower than its even share by a half, faster than the max-min fair one by 3/2.
    assert!((of(1.0 / 6.0).1 - 2.0_f32.ln()).abs() < 1e-6, "{}", of(1.0 / 6.0).1);
    assert!((of(0.75).1 + 1.5_f32.ln()).abs() < 1e-6, "{}", of(0.75).1);
}

#[test]
fn what_a_slow_link_keeps_from_its_flows_is_free_for_others() {
    // 0 → 4 and 2 → 6 share the link up: half each. Where host 0's link is known to carry a quarter, 2 → 6 may get three quarters.
    let flows = [(0, 4, 1, 12.5e9 / 4.0), (2, 6, 1, 12.5e9 * 0.75)];
    let net = two_tier(2, 4, 2);
    let (observed, found) = residuals_on(&net, &flows, Quantity::Rate);
    let participants = Participants::each_port(&net.fabric, &net.hosts);
    let paths = Paths::new(&net.fabric, &net.routes, participants.ports(), 0);
    let capacity = Capacity::of(&net.fabric, paths.links(), 1.0);
    assert!(found.spare.iter().all(|spare| spare.abs() < 1e-6));
    let up = found.links[0];
    let eased = found.eased(&capacity, &observed, vec![(up, 4.0_f64.ln())]);
    let at = observed.flows.iter().position(|flow| flow.from == 2).unwrap();
    assert!((eased.spare[at] - 1.5_f32.ln()).abs() < 1e-6, "{:?}", eased.spare);
    // It is faster than any sharing without the slow link allows, and by ln 3/2 less so with it.
    assert!((eased.loss[at] - found.loss[at] - 1.5_f32.ln()).abs() < 1e-6 && found.loss[at] < 0.0);
}

#[test]
fn values_are_rounded_by_another_share_in_each_class() {
    // In each of 40 rounds 2 → 3 alone on its links, about 12 GB/s, and 0 → 4 and 1 → 6 over one link, about 6; in whole GB/s: a
    // quarter of them one less, a quarter one more.
    let off = |at: u32| [-1e9, 0.0, 0.0, 1e9][at as usize % 4];
    let flows = (0..40).flat_map(|at| {
        [(2, 3, at, 12e9 + off(at)), (0, 4, at, 6e9 + off(at + 1)), (1, 6, at, 6e9 + off(at + 2))]
    });
    let (_, found) = residuals(&flows.collect::<Vec<_>>(), Quantity::Rate);
    for whole in [12.0, 6.0] {
        let flow = found.expected.iter().position(|rate| (rate / 1e9 - whole).abs() < 1.0).unwrap();
        assert!((found.step(flow) - 1.0 / whole).abs() < 0.01, "{flow}: {}", found.step(flow));
        // Half of the values are within half a step of the middle: that is the median deviation.
        let spread = 1.4826 / whole / 2.0;
        assert!((found.spread(flow) - spread).abs() < 0.1 * spread, "{flow}: {}", found.spread(flow));
    }
}
