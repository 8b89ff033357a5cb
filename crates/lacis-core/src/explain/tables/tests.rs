use super::super::observed::{ALONE, Quantity, Values};
use super::*;
use crate::model::load::Spray;
use crate::model::load::testing::two_tier_with;
use crate::ranks::Flow;
use crate::ranks::Participants;

/// Two leaves of four hosts, two spines. By `alternate` host d is reached by spine d mod 2, by `pairs` by spine d / 2 mod 2.
fn nets() -> [crate::model::load::testing::Net; 2] {
    [two_tier_with(2, 4, 2, |d| d % 2), two_tier_with(2, 4, 2, |d| d / 2 % 2)]
}

/// Two flows a round, 0 → a and 1 → b. By hand, under `alternate` they share the link up to a spine if a and b are both even or
/// both odd, so each gets half of 12.5 GB/s; under `pairs` if a / 2 = b / 2.
const ROUNDS: [(u32, u32, bool); 6] =
    [(4, 5, false), (4, 6, true), (5, 7, true), (6, 7, false), (5, 4, false), (6, 4, true)];

/// Six rounds four times over, with noise of up to 2 %.
fn measured(participants: &Participants, is_alone: bool) -> Observed {
    let (mut source, mut destination, mut round, mut value) = (vec![], vec![], vec![], vec![]);
    for number in 0..24_u32 {
        let (a, b, meet) = ROUNDS[number as usize % 6];
        for (from, to) in [(0, a), (1, b)] {
            source.push(from);
            destination.push(to);
            round.push(if is_alone { ALONE } else { number });
            let noise = 1.0 + 0.01 * f64::from((7 * from + 3 * to + 5 * number) % 5) - 0.02;
            value.push(noise * if meet && !is_alone { 5.5e9 } else { 11e9 });
        }
    }
    let values = Values { source: &source, destination: &destination, round: &round, value: &value };
    Observed::of(participants, 0, Quantity::Rate, &values)
}

fn ranking(is_alone: bool) -> Ranking {
    let [alternate, pairs] = nets();
    let participants = Participants::each_port(&alternate.fabric, &alternate.hosts);
    let paths = Paths::new(&alternate.fabric, &alternate.routes, participants.ports(), 0);
    let capacity = Capacity::of(&alternate.fabric, paths.links(), 1.0);
    let candidates = [
        Candidate::Tables(&pairs.routes),
        Candidate::AnyOrder(vec![&alternate.routes, &pairs.routes]),
        Candidate::Spread,
        Candidate::Tables(&alternate.routes),
        Candidate::Tables(&alternate.routes),
    ];
    rank(&paths, &capacity, &measured(&participants, is_alone), &candidates)
}

#[test]
fn tables_under_which_the_right_flows_share_links_come_first_and_equal_tables_together() {
    let found = ranking(false);
    assert!(found.is_conclusive());
    let first: Vec<(usize, usize)> =
        found.fits.iter().map(|fit| (fit.candidate, fit.group)).take(2).collect();
    assert_eq!(first, [(3, 0), (4, 0)]);
    assert!(found.fits[2..].iter().all(|fit| fit.group > 0 && fit.z > APART), "{found:?}");
    // Half of the flows share a link under one table, the others under the other: all 48 differ.
    assert_eq!((found.flows, found.differing), (48, 48));
    assert_eq!(found.fits[0].as_expected, Some(1.0));
    assert!((found.fits[0].level - 0.88).abs() < 0.01 && found.fits[0].spread < 0.02, "{found:?}");
    let wrong = found.fits.iter().find(|fit| fit.candidate == 0).unwrap();
    assert!(wrong.as_expected < Some(0.6));
}

#[test]
fn flows_one_at_a_time_distinguish_no_tables() {
    let found = ranking(true);
    assert!(!found.is_conclusive());
    assert_eq!(found.differing, 0);
    assert!(found.fits.iter().all(|fit| fit.z == 0.0));
}

#[test]
fn a_flow_that_is_alone_and_spread_gets_the_least_rate_of_all_its_links() {
    let [net, _] = nets();
    let participants = Participants::each_port(&net.fabric, &net.hosts);
    let paths = Paths::new(&net.fabric, &net.routes, participants.ports(), 0);
    let mut capacity = Capacity::of(&net.fabric, paths.links(), 1.0);
    let (mut spray, mut shares) = (Spray::new(&paths), Vec::new());
    // A slow link between switches, and the slow link of a host.
    spray.shares(Flow { from: 0, to: 5 }, &mut shares);
    capacity.rates[shares.last().unwrap().0 as usize] /= 4.0;
    capacity.rates[paths.links().leaving(participants.ports()[6]) as usize] /= 2.0;
    let pairs =
        || (0..8_u32).flat_map(|from| (0..8).map(move |to| (from, to))).filter(|(from, to)| from != to);
    let (source, destination): (Vec<u32>, Vec<u32>) = pairs().unzip();
    let (round, value) = (vec![ALONE; source.len()], vec![1e9; source.len()]);
    let values = Values { source: &source, destination: &destination, round: &round, value: &value };
    let observed = Observed::of(&participants, 0, Quantity::Rate, &values);
    let found = Expected::of(&paths, &capacity, &observed, &Candidate::Spread);
    let mut seen = std::collections::BTreeSet::new();
    for (f, &flow) in observed.flows.iter().enumerate() {
        spray.shares(flow, &mut shares);
        let least =
            shares.iter().map(|&(link, _)| capacity.rates[link as usize]).fold(f64::INFINITY, f64::min);
        assert_eq!(found.certain(f), Some(least.ln()), "{flow:?}");
        seen.insert(least.to_bits());
    }
    assert_eq!(seen.len(), 3);
}
