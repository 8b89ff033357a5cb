//! When a measurement is unfit to blame any suspect.

use super::*;
use crate::model::fluid::Capacity;
use crate::model::load::Paths;
use crate::model::load::testing::two_tier;
use crate::ranks::Participants;

/// 15 shifts of 16 hosts on four leaves and two spines. `share` is what a flow gets of its even share, which is given as a share
/// of a link's rate.
fn located(share: impl Fn(u32, u32, u32, f64) -> f64) -> Located {
    let net = two_tier(4, 4, 2);
    let participants = Participants::each_port(&net.fabric, &net.hosts);
    let paths = Paths::new(&net.fabric, &net.routes, participants.ports(), 0);
    let capacity = Capacity::of(&net.fabric, paths.links(), 1.0);
    let (mut source, mut destination, mut round) = (vec![], vec![], vec![]);
    for shift in 1..16 {
        for from in 0..16 {
            source.push(from);
            destination.push((from + shift) % 16);
            round.push(shift);
        }
    }
    let one = |value: &[f64]| {
        let values = Values { source: &source, destination: &destination, round: &round, value };
        let observed = Observed::of(&participants, 0, Quantity::Rate, &values);
        let residuals = Residuals::of(&paths, &capacity, &observed);
        (locate(&paths, &capacity, &observed, &residuals), observed, residuals)
    };
    let (_, observed, residuals) = one(&vec![1e9; source.len()]);
    let expected = |from: u32, to: u32, at: u32| {
        let is_it = |f: &usize| {
            (observed.flows[*f].from, observed.flows[*f].to, observed.round[*f]) == (from, to, at)
        };
        residuals.expected[(0..observed.len()).find(is_it).unwrap()]
    };
    let value: Vec<f64> = (0..source.len())
        .map(|f| {
            let (from, to, at) = (source[f], destination[f], round[f]);
            let noise = 1.0 + f64::from((from * 7 + to * 3 + at * 5) % 9) / 400.0;
            let even = expected(from, to, at);
            0.9 * noise * even * share(from, to, at, even / 12.5e9)
        })
        .collect();
    one(&value).0
}

#[test]
fn flows_as_expected_leave_no_doubt() {
    let found = located(|_, _, _, _| 1.0);
    assert_eq!((found.fitness.doubt, found.fitness.flows, found.fitness.hosts), (None, 240, 16));
    assert_eq!((found.fitness.slow, found.fitness.beyond, found.fitness.most), (0, 0, None));
    assert!(found.fitness.shared > 50, "{}", found.fitness.shared);
}

#[test]
fn flows_that_sum_up_to_more_than_their_link_ran_under_other_tables() {
    // Where two flows share a link up, each gets all of it: 2 × 0.9.
    let found = located(|_, _, at, _| if at % 4 == 0 { 2.0 } else { 1.0 });
    assert_eq!(found.fitness.doubt, Some(Doubt::Tables), "{:?}", found.fitness);
    assert!((found.fitness.most.unwrap().share - 1.8).abs() < 0.05, "{:?}", found.fitness.most);
}

#[test]
fn sums_of_up_to_fifteen_percent_beyond_a_rate_are_those_of_measuring() {
    // 1.2 × 0.9, and noise of up to 2 %, is 1.1 at most.
    let found = located(|_, _, at, _| if at % 4 == 0 { 1.2 } else { 1.0 });
    assert_eq!((found.fitness.beyond, found.fitness.most), (0, None));
}

#[test]
fn where_flows_alone_on_their_links_exceed_the_rates_too_these_are_to_blame_and_no_tables() {
    // 1.4 × 0.9 of all rates.
    let found = located(|_, _, _, _| 1.4);
    assert_eq!((found.fitness.beyond, found.fitness.most, found.fitness.doubt), (0, None, None));
}

#[test]
fn slow_flows_that_share_nothing_are_other_traffic() {
    // In each round another fifth of the flows, at half: 48 of 240.
    let found = located(|from, _, at, _| if (from * 3 + at * 7) % 5 == 0 { 0.5 } else { 1.0 });
    assert_eq!(found.fitness.doubt, Some(Doubt::Traffic), "{:?}", found.fitness);
    assert!((45..=51).contains(&found.fitness.slow), "{:?}", found.fitness);
    // Six in ten: the fastest kind is the measure, although most flows are slow.
    let most = located(|from, _, at, _| if (from * 3 + at * 7) % 10 < 6 { 0.5 } else { 1.0 });
    assert_eq!(most.fitness.doubt, Some(Doubt::Traffic), "{:?}", most.fitness);
    assert!(most.fitness.slow > 120, "{:?}", most.fitness);
}

#[test]
fn a_slow_host_explains_its_flows() {
    let found = located(|from, to, _, even| if from == 3 || to == 3 { (0.5 / even).min(1.0) } else { 1.0 });
    assert_eq!(found.fitness.doubt, None, "{:?}", found.fitness);
    assert_eq!(found.fitness.accused, 1);
    assert_eq!(found.fitness.slots[0].at, 3);
    assert!(found.fitness.slow > 0 && found.fitness.unexplained == 0, "{:?}", found.fitness);
}
