//! Entries that lead elsewhere, from flows of known losses. Host 4 is the first of leaf 1; the tables send to an even host by
//! spine 0, over port 5 of a leaf with four hosts, and to an odd one by spine 1, over port 6.

use super::super::super::{ALONE, Quantity, Values};
use super::*;
use crate::model::load::testing::two_tier;
use crate::ranks::Participants;

/// The round, the source and the destination of a flow.
type Sent = (u32, u32, u32);

/// What is known of these flows beside 240 healthy ones that run alone, one between each two of 16 hosts on four leaves and two
/// spines. Links that no others share would give each flow the same rate, and all flows have one spread.
fn ask<T>(
    flows: &[Sent],
    spread: f64,
    loss: impl Fn(Sent) -> f64,
    answer: impl FnOnce(Rounds<'_>, &LossState<'_>) -> T,
) -> T {
    ask_of_all(flows, spread, |one| if one.0 == ALONE { 0.0 } else { loss(one) }, answer)
}

/// The same where flows that run alone lose something, too.
fn ask_of_all<T>(
    flows: &[Sent],
    spread: f64,
    loss: impl Fn(Sent) -> f64,
    answer: impl FnOnce(Rounds<'_>, &LossState<'_>) -> T,
) -> T {
    let net = two_tier(4, 4, 2);
    let participants = Participants::each_port(&net.fabric, &net.hosts);
    let paths = Paths::new(&net.fabric, &net.routes, participants.ports(), 0);
    let capacity = Capacity::of(&net.fabric, paths.links(), 1.0);
    let alone =
        (0..16).flat_map(|from| (0..16).map(move |to| (ALONE, from, to))).filter(|one| one.1 != one.2);
    let all: Vec<Sent> = flows.iter().copied().chain(alone).collect();
    let column = |of: fn(&Sent) -> u32| all.iter().map(of).collect::<Vec<u32>>();
    let (round, source, destination) = (column(|one| one.0), column(|one| one.1), column(|one| one.2));
    let value = vec![1e10; all.len()];
    let values = Values { source: &source, destination: &destination, round: &round, value: &value };
    let observed = Observed::of(&participants, 0, Quantity::Rate, &values);
    let mut residuals = Residuals::of(&paths, &capacity, &observed);
    let sent = observed.round.iter().zip(&observed.flows).map(|(&round, flow)| (round, flow.from, flow.to));
    for (of, one) in residuals.loss.iter_mut().zip(sent) {
        *of = loss(one) as f32;
    }
    for class in &mut residuals.classes {
        (class.level, class.spread) = (1.0, spread);
    }
    let columns = SuspectFlows::of(&net.fabric, paths.links(), &residuals, false);
    let rounds = Rounds::new(&paths, &capacity, &observed, &residuals, &columns).unwrap();
    answer(rounds, &LossState::new(&residuals, &columns))
}

/// The entries that are likely: the number of the leaf, the destination, and the port.
fn likely(flows: &[Sent], spread: f64, loss: impl Fn(Sent) -> f64) -> Vec<(u32, u32, u8)> {
    ask(flows, spread, loss, |rounds, state| {
        let fabric = rounds.rows.paths.fabric();
        let all = rounds.likely(state, &Limits::usual(false)).into_iter();
        all.map(|one| (one.switch.0, one.destination, fabric.number_of(one.port))).collect()
    })
}

/// In rounds 0 to 3 a host of leaf 0 sends to host 4, and another to an odd host. If leaf 0 sends what is for host 4 over port 6,
/// the two share it: each loses a half.
const PAIRS: [Sent; 8] =
    [(0, 0, 4), (0, 1, 5), (1, 1, 4), (1, 2, 7), (2, 2, 4), (2, 3, 9), (3, 3, 4), (3, 0, 13)];

/// In rounds 0 to 3 three hosts of leaf 0 send over its port 5, and one over port 6. If one of the three goes over port 6, it and
/// the two that stay get a half for a third, and the fourth gets a half for all.
const FOURS: [Sent; 16] = [
    (0, 0, 4),
    (0, 1, 6),
    (0, 2, 8),
    (0, 3, 5),
    (1, 1, 4),
    (1, 2, 6),
    (1, 3, 8),
    (1, 0, 5),
    (2, 2, 4),
    (2, 3, 6),
    (2, 0, 8),
    (2, 1, 5),
    (3, 3, 4),
    (3, 0, 6),
    (3, 1, 8),
    (3, 2, 5),
];

/// In rounds 0 and 1 a host of leaf 0 sends to host 4, and another to host 5 and to the hosts of its leaf, at a quarter each. Over
/// port 6 the first shares with the second, and loses a half; the second loses nothing.
const APART: [Sent; 10] = [
    (0, 0, 4),
    (0, 1, 5),
    (0, 1, 0),
    (0, 1, 2),
    (0, 1, 3),
    (1, 2, 4),
    (1, 1, 5),
    (1, 1, 0),
    (1, 1, 2),
    (1, 1, 3),
];

fn half() -> f64 {
    2.0_f64.ln()
}

#[test]
fn entries_are_weighed_whose_flows_are_three_deviations_off_or_share_a_link_with_one_that_is_too_fast() {
    // Round 0: hosts 0, 1 and 2 share port 5 of leaf 0, and what is for host 6 is far too fast. Round 1: hosts 0 and 1 share port
    // 6, and what is for host 7 is far too slow. Round 2: what is for host 13 is two deviations
    // too slow.
    let flows = [(0, 0, 4), (0, 1, 6), (0, 2, 8), (1, 0, 5), (1, 1, 7), (2, 3, 13), (2, 2, 12)];
    let loss = |(_, _, to): Sent| match to {
        6 => -0.5,
        7 => 0.5,
        13 => 0.1,
        _ => 0.0,
    };
    let (asked, pairs) = ask(&flows, 0.05, loss, |rounds, _| rounds.asked());
    // Each flow passes a leaf and a spine, numbers 4 and 5, before its last leaf.
    assert_eq!(pairs, 14);
    let asked: Vec<(u32, u32)> = asked.into_iter().map(|(switch, to)| (switch.0, to)).collect();
    // Those that share links with the fast flow first, as e⁻⁵ is less than 3 of 248. Nothing is asked of host 5.
    assert_eq!(asked, [(0, 4), (0, 8), (4, 4), (4, 8), (0, 6), (0, 7), (4, 6), (5, 7)]);
}

#[test]
fn an_entry_that_only_makes_flows_faster_is_named_with_what_they_gain() {
    // Host 0 sends four flows at once, that to host 4 among them, so that this one gets a quarter by either port. The two that it
    // leaves get a half each for a third.
    let flows = [(0, 0, 4), (0, 0, 1), (0, 0, 2), (0, 0, 3), (0, 1, 6), (0, 2, 8)];
    let gained = 1.5_f64.ln();
    ask(
        &flows,
        0.05,
        |(_, _, to)| if to == 6 || to == 8 { -gained } else { 0.0 },
        |rounds, state| {
            let found = rounds.likely(state, &Limits::usual(false));
            let [one] = &found[..] else { panic!("{found:?}") };
            assert_eq!((one.switch.0, one.destination, one.slowed, one.touched.len()), (0, 4, 0, 2));
            assert!((one.loss + gained).abs() < 1e-6, "{one:?}");
        },
    );
}

#[test]
fn what_a_host_loses_in_its_other_flows_too_is_no_sign_of_an_entry() {
    // An entry would take 0.06 from the four flows to host 4 in `PAIRS`, and they lose it. Hosts differ by 0.02, so that the
    // host's own loss has 1 ÷ v = 2,500 before its flows are known, and each flow of deviation 0.02 adds as much.
    let gain = |alone: f64| {
        let loss = |(round, _, to): Sent| match (round, to) {
            (ALONE, 4) => alone,
            (_, 4) => 0.06,
            _ => 0.0,
        };
        ask_of_all(&PAIRS, 0.02, loss, |rounds, state| {
            let own: Vec<u32> =
                rounds.flows_to(4).iter().copied().filter(|&f| rounds.round[f as usize] != NONE).collect();
            let touched: Vec<(u32, f64)> = own.iter().map(|&f| (f, 0.06)).collect();
            rounds.gain(state, 4, &touched, false, rounds.receiver(state, 4, false, 0.02))
        })
    };
    // The 15 other flows lose as much. Without the entry all 19 are as slow as their host, which loses 19 · 0.06 ÷ 20. With it the
    // four would tell that the host loses nothing, so 15 · 0.06 ÷ 20 = 0.045, and be 0.045 faster than that and the entry allow.
    let (gain_of_slow, host) = gain(0.06);
    assert!((host - 0.045).abs() < 1e-6, "{host}");
    assert!(gain_of_slow < -4.0, "{gain_of_slow}");
    // They lose nothing: the host loses 4 · 0.06 ÷ 20 = 0.012 without the entry and nothing with it, so that it is likelier by
    // 4 · ((0.06 − 0.012) ÷ 0.02)² ÷ 2 = 11.52 and what it takes for the host to lose 0.012 where its 15 flows lose nothing,
    // 0.012² · 16 · 2,500 ÷ 2 = 2.88. Sharing may be uneven, which takes −ln 0.9 for each flow at most.
    let (gain_of_others, host) = gain(0.0);
    assert!(host.abs() < 1e-6, "{host}");
    assert!((gain_of_others - 14.4).abs() < 4.0 * -(0.9_f64.ln()) + 0.1, "{gain_of_others}");
}

#[test]
fn half_of_the_flows_that_an_entry_changes_show_it_by_half_of_the_change() {
    // A flow that loses less than half of ln 2 is no sign of it, though likelier with the entry than without.
    let named = |shown: u32| {
        let loss = move |(round, _, to): Sent| {
            let at = 2 * round + u32::from(to != 4);
            if at < shown { half() } else { 0.45 * half() }
        };
        // The others are for one host in each round: of the entries for these each changes two flows.
        likely(&PAIRS, 0.05, loss).contains(&(0, 4, 6))
    };
    assert!(named(4) && !named(3));
}

#[test]
fn half_of_the_flows_that_an_entry_slows_are_slow_however_many_are_faster() {
    let named = |slow: u32| {
        likely(&FOURS, 0.05, move |(round, _, to)| match to {
            5 if round < slow => half(),
            5 => 0.0,
            _ => -(1.5_f64.ln()),
        })
    };
    // Which of the three went over port 6 these flows do not show.
    assert_eq!(named(2), [(0, 4, 6), (0, 6, 6), (0, 8, 6)]);
    assert_eq!(named(1), []);
}

#[test]
fn half_of_the_flows_that_an_entry_changes_show_it_however_many_it_slows() {
    // All four slower ones are slow, which are 6.9 deviations each. Of the twelve faster ones those to host 6 are faster in some
    // rounds, and the others by less than half of what they would be: 1.8 deviations.
    let named = |rounds: u32| {
        let loss = move |(round, _, to): Sent| match to {
            5 => half(),
            6 if round < rounds => -(1.5_f64.ln()),
            _ => -0.45 * 1.5_f64.ln(),
        };
        likely(&FOURS, 0.1, loss).contains(&(0, 4, 6))
    };
    assert!(named(4) && !named(3));
}

#[test]
fn one_flow_shows_no_entry_however_certain_its_loss_is() {
    let to_4 = |round: u32| move |one: Sent| if one.2 == 4 && one.0 <= round { half() } else { 0.0 };
    assert_eq!(likely(&APART[..5], 1e-3, to_4(0)), []);
    assert_eq!(likely(&APART, 1e-3, to_4(1)), [(0, 4, 6)]);
}

#[test]
fn an_entry_is_likelier_than_chance_makes_one_of_all_entries() {
    // Each host sends to one two leaves further on, too: 16 leaves and destinations and as many spines and destinations, and leaf 0
    // with hosts 4 and 5. Two of these are asked, leaf 0 and spine 0 to host 4, which have one other port that leads there: of all
    // 34 pairs so are 17. ln 17 + ln 1,000 = 9.741.
    let mut flows: Vec<Sent> = APART.to_vec();
    flows.extend((0..16).map(|from| (2, from, (from + 8) % 16)));
    let loss = |(round, _, to): Sent| if round < 2 && to == 4 { half() } else { 0.0 };
    ask(&flows, 0.05, loss, |rounds, state| {
        let found = rounds.likely(state, &Limits::usual(false));
        assert!(found.len() == 1 && (found[0].enough - 9.741).abs() < 1e-3, "{found:?}");
    });
    // A half is 3.15 deviations of 0.22, beside an outlier of 1 in 268: −ln (e^−4.96 + 0.0021), 4.70 for each of the two.
    assert_eq!(likely(&flows, 0.22, loss), []);
}

#[test]
fn an_entry_explains_nothing_where_a_slow_link_explains_as_much() {
    ask(
        &PAIRS,
        0.05,
        |_| half(),
        |rounds, state| {
            let limits = Limits::usual(false);
            let alone = &rounds.likely(state, &limits)[0];
            assert!(
                (alone.gain - alone.bare).abs() < 1e-9 && rounds.instead_of(state, &limits, alone).is_some()
            );
            // The slower of the two decides: with either or both a flow loses a half. By sharing it may lose less: −ln 0.936 each.
            let mut state = state.clone();
            state.explained[..8].fill(half() as f32);
            let beside = &rounds.likely(&state, &limits)[0];
            assert!(
                (beside.bare - alone.bare).abs() < 1e-9 && (beside.gain + 8.0 * 0.066).abs() < 0.05,
                "{beside:?}"
            );
            assert!(rounds.instead_of(&state, &limits, beside).is_none());
        },
    );
}

#[test]
fn entries_that_explain_the_same_flows_as_well_are_named_beside_each_other() {
    // Beside FOURS a round of leaf 2, in which two flows share as if its entry for host 12 led elsewhere: others' flows.
    let mut flows: Vec<Sent> = FOURS.to_vec();
    flows.extend([(4, 8, 12), (4, 9, 15), (5, 9, 12), (5, 10, 1)]);
    let loss = |(round, _, to): Sent| match to {
        5 | 12 | 15 => half(),
        1 if round == 5 => half(),
        _ => -(1.5_f64.ln()),
    };
    ask(&flows, 0.05, loss, |rounds, state| {
        let limits = Limits::usual(false);
        let all = rounds.likely(state, &limits);
        let at = |to: u32| all.iter().find(|one| one.destination == to).unwrap();
        let instead = |to: u32| {
            let best = rounds.instead_of(state, &limits, at(to)).unwrap();
            let of = |site: &FaultSite| match site {
                FaultSite::Entry { destination, .. } => *destination,
                FaultSite::Suspect(_) => u32::MAX,
            };
            (best.destination, best.instead.iter().map(of).collect::<Vec<_>>())
        };
        assert_eq!((instead(8), instead(12)), ((4, vec![6, 8]), (12, vec![])));
    });
}

#[test]
fn a_flow_is_compared_with_those_that_share_the_link_that_decides() {
    ask(
        &[(0, 0, 4), (0, 1, 6)],
        0.05,
        |_| 0.0,
        |rounds, _| {
            // Host 0 has a quarter of the rate of other links, which decides beside an uplink of three flows. Before it was taken into
            // account the flow's share was a half. Where three flows share what decides, they reach 0.8 of it.
            let links = rounds.rows.of(0);
            let mut narrow = rounds.capacity.clone();
            narrow.rates[links[0] as usize] /= 4.0;
            let mut rounds = Rounds { capacity: &narrow, ..rounds };
            rounds.levels.extend([((4, 1), 0.0), ((4, 3), 0.8_f64.ln())]);
            assert!((rounds.change(0, links, &links[2..3], &[]) - half()).abs() < 1e-9);
            // The other flow has a third for a half, and as the uplink decides, 0.8 of it.
            let other = rounds.change(1, rounds.rows.of(1), &links[2..3], &[]);
            assert!((other - (1.5_f64 / 0.8).ln()).abs() < 1e-9, "{other}");
        },
    );
}

#[test]
fn a_flow_less_on_a_link_of_287_compares_the_others_with_those_that_are_286() {
    // Hosts 1 to 287 send to host 0 in round 0, and reach 0.9 of their share of 12.5 GB/s / 287; all but the last do in
    // round 1, and reach 0.8 of 12.5 GB/s / 286. If one flow of round 0 went elsewhere, the others would be expected to
    // reach 0.8 / 286 in place of 0.9 / 287.
    let net = two_tier(2, 144, 1);
    let participants = Participants::each_port(&net.fabric, &net.hosts);
    let paths = Paths::new(&net.fabric, &net.routes, participants.ports(), 0);
    let capacity = Capacity::of(&net.fabric, paths.links(), 1.0);
    let source: Vec<u32> = (1..288).chain(1..287).collect();
    let round: Vec<u32> = (0..573).map(|flow| u32::from(flow >= 287)).collect();
    let share = |&round: &u32| if round == 0 { 0.9 / 287.0 } else { 0.8 / 286.0 };
    let value: Vec<f64> = round.iter().map(|round| 12.5e9 * share(round)).collect();
    let values = Values { source: &source, destination: &[0; 573], round: &round, value: &value };
    let observed = Observed::of(&participants, 0, Quantity::Rate, &values);
    let residuals = Residuals::of(&paths, &capacity, &observed);
    let columns = SuspectFlows::of(&net.fabric, paths.links(), &residuals, false);
    let rounds = Rounds::new(&paths, &capacity, &observed, &residuals, &columns).unwrap();
    let links = rounds.rows.of(1);
    let gained = ((0.8 / 286.0) / (0.9 / 287.0_f64)).ln();
    assert!((rounds.change(1, links, &[], &links[1..2]) + gained).abs() < 1e-6);
    // Flow 0 keeps its host's link up alone.
    let moved = residuals.moved(&capacity, &observed, &[(0, rounds.rows.of(0)[..1].to_vec())]);
    assert!((f64::from(moved.loss[1] - residuals.loss[1]) - gained).abs() < 1e-6);
    assert_eq!(moved.classes[moved.class[1] as usize].contention, 286);
}
