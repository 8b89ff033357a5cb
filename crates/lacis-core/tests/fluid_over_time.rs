//! Messages over time against a textbook loop, and against closed forms.

#![allow(clippy::unwrap_used)] // a test fails by panicking
#![allow(clippy::float_cmp)] // of numbers that binary fractions hold exactly

use std::sync::atomic::AtomicBool;

use lacis_core::fabric::Population;
use lacis_core::generate::generate;
use lacis_core::model::fluid::{Capacity, MessageGroup, Messages, OverTime};
use lacis_core::model::load::{Paths, Steps};
use lacis_core::ranks::Flow;
use lacis_core::routing::{Options, route};
use lacis_core::sm::Engine;
use lacis_core::sm::lids::{LidOptions, Lids};
use proptest::collection::vec;
use proptest::prelude::*;

static GO: AtomicBool = AtomicBool::new(false);

/// A message of the textbook loop: links with the shares that cross them, size and weight.
#[derive(Clone, Debug)]
struct Sent {
    links: Vec<(u32, f64)>,
    bytes: f64,
    weight: f64,
}

/// Textbook progressive filling: the tightest link, then the next, one at a time. Rates by message.
fn fill(sent: &[Sent], in_flight: &[bool], capacity: &[f64]) -> Vec<f64> {
    let mut left = capacity.to_vec();
    let mut level: Vec<Option<f64>> = vec![None; sent.len()];
    loop {
        let mut tightest: Option<(f64, u32)> = None;
        for link in 0..capacity.len() as u32 {
            let mut uses = 0.0;
            for (m, message) in sent.iter().enumerate() {
                if in_flight[m] && level[m].is_none() {
                    uses += message
                        .links
                        .iter()
                        .filter(|l| l.0 == link)
                        .map(|l| l.1 * message.weight)
                        .sum::<f64>();
                }
            }
            let share = left[link as usize].max(0.0) / uses;
            if uses > 0.0 && tightest.is_none_or(|t| share < t.0) {
                tightest = Some((share, link));
            }
        }
        let Some((share, link)) = tightest else { break };
        for (m, message) in sent.iter().enumerate() {
            if in_flight[m] && level[m].is_none() && message.links.iter().any(|l| l.0 == link) {
                level[m] = Some(share);
                for &(l, split) in &message.links {
                    left[l as usize] -= share * message.weight * split;
                }
            }
        }
    }
    sent.iter().zip(level).map(|(message, level)| level.unwrap_or(0.0) * message.weight).collect()
}

/// When each message ends, by the textbook loop: all rates are recomputed at every event.
fn textbook(sent: &[Sent], groups: &[MessageGroup], capacity: &[f64]) -> Vec<f64> {
    let mut left: Vec<f64> = sent.iter().map(|message| message.bytes).collect();
    let mut ends: Vec<Option<f64>> = vec![None; sent.len()];
    let first = |g: usize| if g == 0 { 0 } else { groups[g - 1].end };
    let mut now = 0.0;
    loop {
        let (mut in_flight, mut through) = (vec![false; sent.len()], vec![false; groups.len()]);
        for g in 0..groups.len() {
            if groups[g].after.iter().all(|&a| through[a as usize]) {
                (first(g)..groups[g].end).for_each(|m| in_flight[m] = ends[m].is_none());
                through[g] = (first(g)..groups[g].end).all(|m| ends[m].is_some());
            }
        }
        if !in_flight.contains(&true) {
            return ends.into_iter().map(|end| end.unwrap_or(f64::INFINITY)).collect();
        }
        let rates = fill(sent, &in_flight, capacity);
        let going = || (0..sent.len()).filter(|&m| in_flight[m]);
        let step = going().map(|m| left[m] / rates[m]).fold(f64::INFINITY, f64::min);
        now += step;
        for m in going() {
            left[m] -= rates[m] * step;
            if left[m] <= 1e-11 * sent[m].bytes {
                ends[m] = Some(now);
            }
        }
    }
}

fn messages_of(sent: &[Sent]) -> Messages {
    let mut messages = Messages::default();
    for message in sent {
        if message.weight == 1.0 && message.links.iter().all(|l| l.1 == 1.0) {
            messages.push(message.bytes, message.links.iter().map(|l| l.0));
        } else {
            messages.push_split(message.bytes, message.weight, message.links.iter().copied());
        }
    }
    messages
}

/// Messages over random links. Sizes, weights and shares are few, so that many messages end together.
fn some_sent(links: u32) -> impl Strategy<Value = Sent> {
    let link = (0..links, prop_oneof![4 => Just(1.0), 1 => Just(0.5), 1 => Just(0.25)]);
    let size = prop_oneof![Just(1e6), Just(2e6), 1.0..1e7];
    (vec(link, 1..5), size, prop_oneof![5 => Just(1.0), 1 => Just(2.0)]).prop_map(
        |(mut links, bytes, weight)| {
            links.sort_by_key(|l| l.0);
            links.dedup_by_key(|l| l.0);
            Sent { links, bytes, weight }
        },
    )
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn messages_end_when_the_textbook_says(
        (capacity, sent, cuts) in (2_u32..12).prop_flat_map(|links| (
            vec(prop_oneof![Just(1e6), Just(2e6), 1e5..1e7], links as usize),
            vec(some_sent(links), 1..30),
            vec((any::<prop::sample::Index>(), any::<[bool; 6]>()), 0..5),
        )),
        alike in prop_oneof![3 => Just(false), 1 => Just(true)],
    ) {
        // Now and then all begin together and need the same.
        let (mut sent, mut cuts) = (sent, cuts);
        if alike {
            for message in &mut sent {
                message.bytes = 1e6 * message.weight;
            }
            cuts.clear();
        }
        // The groups: cut at random, each after some of those before it.
        let mut ends: Vec<usize> = cuts.iter().map(|c| c.0.index(sent.len())).collect();
        ends.push(sent.len());
        ends.sort_unstable();
        let after = |g: usize| {
            let waits = cuts.get(g).map_or([true; 6], |c| c.1);
            (0..g).filter(|&a| waits[a]).map(|a| a as u32).collect()
        };
        let groups: Vec<MessageGroup> = ends.iter().enumerate().map(|(g, &end)| MessageGroup { end, after: after(g) }).collect();
        let expected = textbook(&sent, &groups, &capacity);
        let mut over_time = OverTime::new(capacity);
        for _ in 0..2 {
            prop_assert!(over_time.run_groups(&messages_of(&sent), &groups, &GO));
            for (m, (&end, expected)) in over_time.ends().iter().zip(&expected).enumerate() {
                prop_assert!((end - expected).abs() <= 1e-8 * expected, "message {}: {} is not {}", m, end, expected);
            }
        }
    }
}

/// All flows at once, each of 1 MB, over ftree's tables: when the last ends [s], and the events.
fn run(spec: &str, flows: &[Flow]) -> (f64, usize) {
    let fabric = generate(spec).unwrap();
    let lids = Lids::assign(&fabric, Lids::default_sm(&fabric).unwrap(), &LidOptions::fresh()).unwrap();
    let routes = route(&fabric, lids, &[Engine::FTree], &Options::default()).unwrap();
    let hosts = fabric.end_ports(Population::All);
    let paths = Paths::new(&fabric, &routes, &hosts, flows.len());
    let (mut steps, mut messages) = (Steps::default(), Messages::default());
    paths.steps(flows, &mut steps);
    messages.push_flows(&steps, |_| (1e6, 1.0));
    let mut over_time = OverTime::new(Capacity::of(&fabric, paths.links(), 1.0).rates);
    assert!(over_time.run(&messages, &GO));
    (over_time.makespan(), over_time.events())
}

#[test]
fn all_to_all_on_a_full_tree_takes_what_a_host_link_takes_and_ends_at_once() {
    // A host sends 647 MB at 12.5 GB/s: 51.76 ms. No link between switches carries more than 630
    // flows: 18 hosts of a leaf send to 35 of the 630 others by each of its 18 uplinks.
    for (spec, nodes) in [("fat-tree:8,2:rate=4xEDR", 32), ("fat-tree:36,2:rate=4xEDR", 648)] {
        let pairs = (0..nodes).flat_map(|from| (0..nodes).map(move |to| Flow { from, to }));
        let flows: Vec<Flow> = pairs.filter(|f| f.from != f.to).collect();
        let (time, events) = run(spec, &flows);
        let expected = f64::from(nodes - 1) * 1e6 / 12.5e9;
        assert!((time - expected).abs() < 1e-9 * expected, "{spec}: {time}");
        assert_eq!(events, 1);
    }
}

#[test]
fn what_a_message_leaves_the_others_take() {
    // One link of 4 bytes/s: sizes 1, 2 and 3. To 0.75 s all three run at 4/3; then two at 2 for 1
    // more byte, to 1.25 s; then the last at 4 for its third byte, to 1.5 s: all 6 bytes at 4 a second.
    let mut messages = Messages::default();
    for bytes in [3.0, 1.0, 2.0] {
        messages.push(bytes, [1]);
    }
    messages.push(1.0, []); // without a route
    let mut over_time = OverTime::new(vec![f64::INFINITY, 4.0]);
    assert!(over_time.run(&messages, &GO));
    assert_eq!(over_time.ends(), [1.5, 0.75, 1.25, f64::INFINITY]);
    assert_eq!((over_time.events(), over_time.makespan()), (3, 1.5));
}

#[test]
fn a_weight_of_three_gets_three_quarters_until_it_ends() {
    // 4 bytes/s, 3 bytes each: at 3 and 1 until 1 s, when the other has 2 bytes left for half a second.
    let mut messages = Messages::default();
    messages.push_split(3.0, 3.0, [(1, 1.0)]);
    messages.push(3.0, [1]);
    let mut over_time = OverTime::new(vec![f64::INFINITY, 4.0]);
    assert!(over_time.run(&messages, &GO));
    assert_eq!(over_time.ends(), [1.0, 1.5]);
}

#[test]
fn groups_that_wait_for_each_other_never_begin_and_an_empty_one_ends_at_once() {
    let mut messages = Messages::default();
    (0..3).for_each(|_| messages.push(1.0, [1]));
    let group = |end, after: &[u32]| MessageGroup { end, after: after.to_vec() };
    let groups = [group(1, &[1]), group(1, &[]), group(2, &[3]), group(3, &[2])];
    let mut over_time = OverTime::new(vec![f64::INFINITY, 1.0]);
    assert!(over_time.run_groups(&messages, &groups, &GO));
    assert_eq!(over_time.ends(), [1.0, f64::INFINITY, f64::INFINITY]);
    assert_eq!(over_time.begun(), [0.0, 0.0, f64::INFINITY, f64::INFINITY]);
}

#[test]
fn of_messages_that_are_alike_those_that_end_within_a_tie_end_together_and_one_without_a_rate_never() {
    // Links of 1 MB/s, a trifle more, 2 MB/s and nothing; a megabyte over each.
    let mut over_time = OverTime::new(vec![1e6, 1e6 * (1.0 + 1e-12), 2e6, 0.0]);
    let mut messages = Messages::default();
    (0..4).for_each(|link| messages.push(1e6, [link]));
    assert!(over_time.run(&messages, &GO));
    let ends = over_time.ends();
    assert!(ends[0] == ends[1] && (ends[0] - 1.0).abs() < 1e-9, "{ends:?}");
    assert_eq!((ends[2], ends[3]), (0.5, f64::INFINITY));
    assert_eq!((over_time.events(), over_time.makespan()), (2, ends[0]));
}
