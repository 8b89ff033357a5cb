//! Lanes: closed forms, what every fair division must fulfil, and events against a loop that recomputes
//! all rates.

use std::sync::atomic::AtomicBool;

use proptest::collection::vec;
use proptest::prelude::*;

use super::*;
use crate::qos::{Arbitration, HIGH, LOW, Lanes};

static GO: AtomicBool = AtomicBool::new(false);

/// Arbitration tables and the limit of high priority.
#[derive(Clone, Debug)]
struct ArbitrationTables {
    high: Vec<(u8, u8)>,
    low: Vec<(u8, u8)>,
    limit: u8,
}

impl ArbitrationTables {
    fn shares(&self, lanes: u8) -> LaneShares {
        let arbitration = Arbitration::new(&self.high, &self.low, self.limit);
        let arbitration = arbitration.filter(|_| !(self.high.is_empty() && self.low.is_empty()));
        LaneShares::of(&Lanes { count: lanes, arbitration, ..Lanes::default() }, None)
    }

    /// The table of a lane, and its weight.
    fn of(&self, lane: u8) -> (usize, f64) {
        if self.high.is_empty() && self.low.is_empty() {
            return (HIGH, 1.0);
        }
        let sum =
            |table: &[(u8, u8)]| table.iter().filter(|e| e.0 == lane).map(|e| f64::from(e.1)).sum::<f64>();
        if sum(&self.high) > 0.0 { (HIGH, sum(&self.high)) } else { (LOW, sum(&self.low)) }
    }

    /// A table's share of a link when the other table has something to send.
    fn share(&self, table: usize) -> f64 {
        let high = if self.high.is_empty() && self.low.is_empty() || self.limit == 255 {
            1.0
        } else {
            1.0 - 1.0 / f64::from(self.limit.max(1) + 1)
        };
        if table == HIGH { high } else { 1.0 - high }
    }
}

/// A message: its lane, its weight and its links.
#[derive(Clone, Debug)]
struct LaneMessage {
    lane: u8,
    weight: f64,
    links: Vec<u32>,
    bytes: f64,
}

fn sent(lane: u8, links: &[u32]) -> LaneMessage {
    LaneMessage { lane, weight: 1.0, links: links.to_vec(), bytes: 1.0 }
}

fn messages_of(all: &[LaneMessage], shares: &LaneShares) -> Messages {
    let mut messages = Messages::default();
    for message in all {
        let channels = message.links.iter().map(|&link| shares.channel(link, message.lane));
        messages.push_weighted(message.bytes, message.weight, channels);
    }
    messages
}

/// The levels of messages that are in flight together, and how often links waited for each other.
fn levels(all: &[LaneMessage], capacity: &[f64], shares: &LaneShares) -> (Vec<f64>, usize) {
    let messages = messages_of(all, shares);
    let region: Vec<u32> = (0..all.len() as u32).collect();
    let mut filling = Filling::by_lane(capacity, shares.clone());
    filling.reset(all.len());
    filling.load(&messages, &region);
    filling.raise(&messages, &region);
    (filling.level, filling.circles)
}

fn close(a: f64, b: f64) -> bool {
    (a - b).abs() <= 1e-9
}

#[track_caller]
fn assert_levels(all: &[LaneMessage], tables: &ArbitrationTables, expected: &[f64]) {
    let capacity = [f64::INFINITY, 1.0, 1.0, 1.0];
    let (found, _) = levels(all, &capacity, &tables.shares(4));
    let same = found.iter().zip(expected).all(|(&a, &b)| close(a, b));
    assert!(same && found.len() == expected.len(), "{found:?} is not {expected:?}");
}

fn tables(high: &[(u8, u8)], low: &[(u8, u8)], limit: u8) -> ArbitrationTables {
    ArbitrationTables { high: high.to_vec(), low: low.to_vec(), limit }
}

#[test]
fn a_lane_has_its_share_however_many_messages_others_have() {
    let turns = tables(&[], &[], 0);
    let four = [sent(0, &[1]), sent(1, &[1]), sent(1, &[1]), sent(1, &[1])];
    assert_levels(&four, &turns, &[0.5, 1.0 / 6.0, 1.0 / 6.0, 1.0 / 6.0]);
    // Weights are of lanes; messages of a lane have their own.
    let weighted = tables(&[], &[(0, 64), (1, 128), (1, 64)], 0);
    assert_levels(&four, &weighted, &[0.25, 0.25, 0.25, 0.25]);
    let heavy = [LaneMessage { weight: 3.0, ..sent(0, &[1]) }, sent(0, &[1]), sent(1, &[1])];
    assert_levels(&heavy, &turns, &[0.125, 0.125, 0.5]); // levels: rates are weight times as much
}

#[test]
fn what_a_lane_does_not_need_the_others_of_its_table_have_and_then_the_other_table() {
    // Lane 0 is held back on link 2, which it shares with five others of its own lane.
    let mut all = vec![sent(0, &[1, 2]), sent(1, &[1]), sent(2, &[1]), sent(3, &[1])];
    all.extend((0..5).map(|_| sent(0, &[2])));
    let sixth = 1.0 / 6.0;
    let equal = (1.0 - sixth) / 3.0;
    let mut expected = vec![sixth, equal, equal, equal];
    expected.extend([sixth; 5]);
    assert_levels(&all, &tables(&[], &[], 0), &expected);
    // Lanes 0 and 1 are of the table of high priority, which has three quarters: 1 gets what 0 leaves.
    let high = tables(&[(0, 64), (1, 64)], &[(2, 64), (3, 192)], 3);
    expected[1..4].copy_from_slice(&[0.75 - sixth, 0.0625, 0.1875]);
    assert_levels(&all, &high, &expected);
    // Lane 0 alone in it: the other table has all that it leaves.
    let alone = tables(&[(0, 64)], &[(1, 64), (2, 64), (3, 64)], 3);
    expected[1..4].copy_from_slice(&[equal; 3]);
    assert_levels(&all, &alone, &expected);
}

#[test]
fn without_a_limit_high_priority_has_all_that_it_can_take() {
    let strict = tables(&[(1, 64)], &[(0, 64)], 255);
    assert_levels(&[sent(0, &[1]), sent(1, &[1])], &strict, &[0.0, 1.0]);
    let mut all = vec![sent(0, &[1]), sent(1, &[1, 2])];
    all.extend((0..3).map(|_| sent(1, &[2])));
    assert_levels(&all, &strict, &[0.75, 0.25, 0.25, 0.25, 0.25]);
    // A message that waits for high priority continues when that has ended.
    let shares = strict.shares(2);
    let messages = messages_of(&[sent(0, &[1]), sent(1, &[1])], &shares);
    let mut over_time = OverTime::by_lane(&[f64::INFINITY, 1.0], shares);
    assert!(over_time.run(&messages, &GO));
    assert!(close(over_time.ends()[0], 2.0) && close(over_time.ends()[1], 1.0));
}

#[test]
fn links_that_wait_for_each_other_in_a_circle_are_filled_all_the_same() {
    // Each of three links has a lane with one message and a lane with two, one of which is alone on its lane of the
    // next link. Each link could be held back by the next, in a circle.
    let all = [
        LaneMessage { weight: 1.0, ..sent(0, &[1, 2]) },
        sent(1, &[2, 3]),
        sent(2, &[3, 1]),
        sent(0, &[2]),
        sent(1, &[3]),
        sent(2, &[1]),
    ];
    let capacity = [f64::INFINITY, 1.0, 1.0, 1.0];
    let shares = tables(&[], &[], 0).shares(4);
    let (found, circles) = levels(&all, &capacity, &shares);
    assert!(circles > 0);
    for link in 1..=3 {
        let on: f64 = all
            .iter()
            .zip(&found)
            .filter(|(message, _)| message.links.contains(&link))
            .map(|(_, rate)| rate)
            .sum();
        assert!(close(on, 1.0), "link {link} carries {on}");
    }
    // Every message has at least a quarter, whatever the others do.
    assert!(found.iter().all(|&rate| rate >= 0.25 - 1e-9), "{found:?}");
}

#[test]
fn a_message_that_gets_nothing_yet_waits_while_links_wait_for_each_other() {
    // The same circle on lanes of high priority without a limit; the first of it crosses link 4, too, where two lanes
    // of low priority share what it leaves, 3 to 1.
    let all = [
        sent(0, &[1, 2, 4]),
        sent(1, &[2, 3]),
        sent(2, &[3, 1]),
        sent(0, &[2]),
        sent(1, &[3]),
        sent(2, &[1]),
        sent(3, &[4]),
        sent(4, &[4]),
    ];
    let strict = tables(&[(0, 64), (1, 64), (2, 64)], &[(3, 192), (4, 64)], 255);
    let capacity = [f64::INFINITY, 1.0, 1.0, 1.0, 1.0];
    let (found, circles) = levels(&all, &capacity, &strict.shares(5));
    assert!(circles > 0);
    assert!(close(found[0] + found[6] + found[7], 1.0) && found[7] > 0.05, "{found:?}");
    assert!(close(found[6], 3.0 * found[7]), "{found:?}");
}

/// When each message ends, by the textbook loop: all rates are recomputed at every event.
fn textbook(all: &[LaneMessage], capacity: &[f64], shares: &LaneShares) -> Vec<f64> {
    let mut left: Vec<f64> = all.iter().map(|message| message.bytes).collect();
    let mut ends = vec![f64::INFINITY; all.len()];
    let mut now = 0.0;
    loop {
        let going: Vec<usize> = (0..all.len()).filter(|&m| ends[m].is_infinite()).collect();
        let in_flight: Vec<LaneMessage> = going.iter().map(|&m| all[m].clone()).collect();
        let (levels, _) = levels(&in_flight, capacity, shares);
        let rate = |index: usize| levels[index] * in_flight[index].weight;
        let step = going.iter().enumerate().map(|(index, &m)| left[m] / rate(index));
        let step = step.fold(f64::INFINITY, f64::min);
        if step.is_infinite() {
            return ends;
        }
        now += step;
        for (index, &m) in going.iter().enumerate() {
            left[m] -= rate(index) * step;
            if left[m] <= 1e-10 * all[m].bytes {
                ends[m] = now;
            }
        }
    }
}

fn some_tables() -> impl Strategy<Value = ArbitrationTables> {
    let weight = || prop_oneof![Just(64_u8), Just(192), 1_u8..255];
    let limit = prop_oneof![Just(0_u8), Just(3), Just(255)];
    (vec((any::<bool>(), weight()), 4), limit, any::<bool>()).prop_map(|(lanes, limit, turns)| {
        let of = |table: bool| {
            let here = (0..).zip(&lanes).filter(|(_, served)| served.0 == table);
            here.map(|(lane, served)| (lane, served.1)).collect()
        };
        if turns { tables(&[], &[], 0) } else { ArbitrationTables { high: of(true), low: of(false), limit } }
    })
}

fn some_sent(links: u32) -> impl Strategy<Value = LaneMessage> {
    let weight = prop_oneof![5 => Just(1.0), 1 => Just(2.0)];
    let bytes = prop_oneof![Just(1.0), Just(2.0), 0.1..10.0];
    (0_u8..4, weight, vec(1..links, 1..5), bytes).prop_map(|(lane, weight, mut links, bytes)| {
        links.sort_unstable();
        links.dedup();
        LaneMessage { lane, weight, links, bytes }
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1000))]

    #[test]
    fn every_message_has_a_full_link_on_which_it_and_its_lane_get_what_is_theirs(
        (capacity, all) in (3_u32..8).prop_flat_map(|links| (
            vec(prop_oneof![Just(1.0), Just(2.0), 0.5..4.0], links as usize),
            vec(some_sent(links), 1..25),
        )),
        tables in some_tables(),
    ) {
        let tables = &tables;
        let (level, circles) = levels(&all, &capacity, &tables.shares(4));
        let mut on = vec![[0.0_f64; 4]; capacity.len()];
        let mut greatest = vec![[0.0_f64; 4]; capacity.len()];
        for (message, &level) in all.iter().zip(&level) {
            for &link in &message.links {
                let (link, lane) = (link as usize, usize::from(message.lane));
                on[link][lane] += level * message.weight;
                greatest[link][lane] = greatest[link][lane].max(level);
            }
        }
        let full = |link: usize| on[link].iter().sum::<f64>() >= capacity[link] - 1e-8;
        for link in 1..capacity.len() {
            prop_assert!(on[link].iter().sum::<f64>() <= capacity[link] + 1e-8);
        }
        for (m, message) in all.iter().enumerate() {
            let served = |link: usize| {
                let (table, weight) = tables.of(message.lane);
                let own = on[link][usize::from(message.lane)] / weight;
                let of_table = |t: usize| (0..4).filter(move |&lane| tables.of(lane).0 == t);
                let no_other_more =
                    of_table(table).all(|u| on[link][usize::from(u)] / tables.of(u).1 <= own + 1e-8);
                let in_table: f64 = of_table(table).map(|u| on[link][usize::from(u)]).sum();
                no_other_more && in_table >= tables.share(table) * capacity[link] - 1e-8
            };
            let is_bottleneck = |&link: &u32| {
                let link = link as usize;
                let first = level[m] >= greatest[link][usize::from(message.lane)] - 1e-8;
                full(link) && (circles > 0 || first && served(link))
            };
            prop_assert!(message.links.iter().any(is_bottleneck), "message {} of {:?} at {:?}", m, message, level);
        }
    }

    #[test]
    fn messages_end_when_a_loop_that_recomputes_all_rates_says(
        (capacity, all) in (3_u32..8).prop_flat_map(|links| (
            vec(prop_oneof![Just(1.0), Just(2.0), 0.5..4.0], links as usize),
            vec(some_sent(links), 1..20),
        )),
        tables in some_tables(),
    ) {
        let shares = tables.shares(4);
        let expected = textbook(&all, &capacity, &shares);
        let mut over_time = OverTime::by_lane(&capacity, shares.clone());
        for _ in 0..2 {
            prop_assert!(over_time.run(&messages_of(&all, &shares), &GO));
            for (m, (&end, &expected)) in over_time.ends().iter().zip(&expected).enumerate() {
                prop_assert!((end - expected).abs() <= 1e-7 * expected, "message {}: {} is not {}", m, end, expected);
            }
        }
    }
}
