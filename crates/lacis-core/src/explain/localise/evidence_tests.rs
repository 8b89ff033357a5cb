//! What flows of known losses and of one spread say about the links that they cross.

use super::super::{ALONE, Observed, Quantity, Residuals, Values};
use super::suspects::Kind;
use super::usual::HostLosses;
use super::*;
use crate::model::load::testing::two_tier;
use crate::ranks::Participants;

/// A flow between each two of 16 hosts on four leaves and two spines: 240 flows, 78 suspects.
struct Flows<L, R> {
    spread: f64,
    /// What the flow between two hosts loses.
    loss: L,
    /// The round in which it ran.
    round: R,
}

/// All flows ran alone.
fn alone(_: u32, _: u32) -> u32 {
    ALONE
}

impl<L: Fn(u32, u32) -> f64, R: Fn(u32, u32) -> u32> Flows<L, R> {
    /// `answer` is given the paths, what was observed, and what is known of the losses.
    fn ask<T>(&self, answer: impl FnOnce(&Paths<'_>, &Observed, &LossState<'_>) -> T) -> T {
        let net = two_tier(4, 4, 2);
        let participants = Participants::each_port(&net.fabric, &net.hosts);
        let paths = Paths::new(&net.fabric, &net.routes, participants.ports(), 0);
        let capacity = Capacity::of(&net.fabric, paths.links(), 1.0);
        let pairs = || (0..16_u32).flat_map(|from| (0..16).map(move |to| (from, to))).filter(|(a, b)| a != b);
        let (source, destination): (Vec<u32>, Vec<u32>) = pairs().unzip();
        let round: Vec<u32> = pairs().map(|(from, to)| (self.round)(from, to)).collect();
        let values =
            Values { source: &source, destination: &destination, round: &round, value: &[1e10; 240] };
        let observed = Observed::of(&participants, 0, Quantity::Rate, &values);
        // All links have the same rate, and flows that share none are slowed by any of theirs.
        let one_by_one = Observed { round: vec![ALONE; 240], ..observed.clone() };
        let mut residuals = Residuals::of(&paths, &capacity, &one_by_one);
        for (loss, flow) in residuals.loss.iter_mut().zip(&observed.flows) {
            *loss = (self.loss)(flow.from, flow.to) as f32;
        }
        residuals.classes.iter_mut().for_each(|class| class.spread = self.spread);
        let columns = SuspectFlows::of(&net.fabric, paths.links(), &residuals, false);
        assert_eq!(columns.len(), 78);
        answer(&paths, &observed, &LossState::new(&residuals, &columns))
    }

    /// What was slow for a time, with its slow flows, the first and last of their rounds, and how many sites explain the same.
    fn spells(&self) -> Vec<(String, usize, [u32; 2], usize)> {
        self.ask(|paths, observed, state| {
            let limits = Limits::usual(false);
            let open = vec![true; observed.len()];
            let search = SpellSearch::new(paths.fabric(), paths.links(), observed, state, &limits, open);
            let of = |fault: PartialFault| {
                let site = match fault.site {
                    FaultSite::Suspect(Suspect::Link(link)) => {
                        paths.fabric().port_name(paths.links().egress(link))
                    }
                    FaultSite::Suspect(Suspect::Cable(_)) => "cable".to_owned(),
                    other => format!("{other:?}"),
                };
                let spell = fault.spell.unwrap();
                (site, fault.slow, [spell.first, spell.last], fault.instead.len())
            };
            search.spells().0.into_iter().map(of).collect()
        })
    }
}

/// The suspect that is the link from a host.
fn from_host(paths: &Paths<'_>, state: &LossState<'_>, host: usize) -> usize {
    state.columns.of_link(paths.links().leaving(paths.ports()[host])).unwrap()
}

/// Each flow in a round of the number of its destination: the flows from host 0 are in rounds 1 to 15, one in each. `slow`:
/// the rounds in which they lose so much.
fn from_host_0(spread: f64, loss: f64, slow: &[u32]) -> Vec<(String, usize, [u32; 2], usize)> {
    let loss = |from: u32, to: u32| if from == 0 && slow.contains(&to) { loss } else { 0.0 };
    Flows { spread, loss, round: |_, to| to }.spells()
}

fn link_0(slow: usize, rounds: [u32; 2]) -> Vec<(String, usize, [u32; 2], usize)> {
    vec![("\"h0\"[1]".to_owned(), slow, rounds, 0)]
}

#[test]
fn outliers_are_counted_by_side_after_what_is_explained_and_one_more_of_each() {
    // From host 0 three flows lose far more than 4 σ, and two far less; one of 3.9 σ is none.
    let loss = |from: u32, to: u32| match (from, to) {
        (0, 1..4) => 0.5,
        (0, 4..6) => -0.5,
        (0, 6) => 0.039,
        _ => 0.0,
    };
    Flows { spread: 0.01, loss, round: alone }.ask(|_, _, state| {
        let mut state = state.clone();
        let of_242 = |shares: [f64; 2]| shares.map(|share| (242.0 * share).round() as u32);
        assert_eq!(of_242(state.outliers), [4, 3]);
        // Flows are in the order of their ends. What explains the slow ones leaves the fast ones far off.
        state.explained[..3].fill(0.5);
        state.count_outliers();
        assert_eq!(of_242(state.outliers), [1, 3]);
    });
}

#[test]
fn of_what_sharing_takes_from_a_flow_between_half_and_all_is_as_likely() {
    Flows { spread: 0.01, loss: |_, _| 0.0, round: alone }.ask(|_, _, state| {
        let mut state = state.clone();
        state.outliers = [0.0; 2];
        // One in ten is spread over 0.3 to 0.6: 0.1 · 0.01 √(2π) / 0.3 = 0.0083555, of which −ln is 4.78483.
        for loss in [0.35, 0.45, 0.5] {
            let found = state.surprise_shared(loss, 0.01, 0.6);
            assert!((found - 4.78483).abs() < 1e-4, "{loss}: {found}");
        }
        // Less than half is as unlikely as it is far from it: 10 σ, 50 more.
        let found = state.surprise_shared(0.2, 0.01, 0.6);
        assert!((found - 54.78483).abs() < 1e-3, "{found}");
        // All of it: nine in ten, and of the rest its part: −ln 0.9083555.
        let found = state.surprise_shared(0.6, 0.01, 0.6);
        assert!((found - 0.09612).abs() < 1e-4, "{found}");
    });
}

#[test]
fn a_link_is_weighed_by_the_flows_that_nothing_explains_or_by_all_where_that_falls_far_short() {
    // The 15 flows from host 0 lose 0.5.
    let loss = |from: u32, _: u32| if from == 0 { 0.5 } else { 0.0 };
    Flows { spread: 0.01, loss, round: alone }.ask(|paths, _, state| {
        let (mut state, limits) = (state.clone(), Limits::usual(false));
        let host = from_host(paths, &state, 0);
        // 16 of 242 are outliers: 16 / 242 · 0.01 √(2π) = 0.0016573 beside a middle of 1, ln (1.0016573 / 0.0016573) = 6.4043.
        let weight = state.weigh(host, &limits, &mut Vec::new());
        assert!((weight.gain - 15.0 * 6.4043).abs() < 0.01, "{weight:?}");
        assert!((weight.loss - 0.5).abs() < 1e-6 && (weight.open, weight.slow) == (15, 15), "{weight:?}");
        // All explained by 0.1, which falls short by 40 σ: by all of them.
        state.explained[..15].fill(0.1);
        let weight = state.weigh(host, &limits, &mut Vec::new());
        assert!(weight.gain > 90.0 && (weight.loss - 0.5).abs() < 1e-6, "{weight:?}");
        // One flow alone is open, and the others are explained in full: one is no evidence.
        state.explained[..14].fill(0.5);
        state.explained[14] = 0.0;
        assert_eq!(state.weigh(host, &limits, &mut Vec::new()), weigh::Weight::NOTHING);
    });
    // A loss of 0.14 of which 0.06 is explained falls short by less than 3 σ of 0.03.
    let loss = |from: u32, _: u32| if from == 0 { 0.14 } else { 0.0 };
    Flows { spread: 0.03, loss, round: alone }.ask(|paths, _, state| {
        let mut state = state.clone();
        state.explained[..15].fill(0.06);
        let host = from_host(paths, &state, 0);
        assert_eq!(state.weigh(host, &Limits::usual(false), &mut Vec::new()), weigh::Weight::NOTHING);
    });
}

#[test]
fn slow_flows_that_nothing_explains_lose_seven_percent_and_five_deviations() {
    // ln 0.93 is −0.0726.
    let unexplained = |spread: f64, loss: f64| {
        let one = |from: u32, to: u32| if (from, to) == (0, 5) { loss } else { 0.0 };
        Flows { spread, loss: one, round: alone }.ask(|paths, _, state| {
            let (fabric, links) = (paths.fabric(), paths.links());
            let limits = Limits::usual(false);
            Search::new(fabric, links, state.residuals, state.columns, limits).report().unexplained
        })
    };
    // From host 0 to hosts 1 to 5: the fifth flow.
    assert_eq!(unexplained(0.01, 0.08), [4]);
    assert!(unexplained(0.01, 0.07).is_empty());
    assert_eq!(unexplained(0.02, 0.11), [4]);
    assert!(unexplained(0.02, 0.09).is_empty());
}

#[test]
fn flows_of_one_round_may_be_slow_by_that_rounds_doing() {
    // Four flows from host 0, to hosts 4 to 7: all in one round of four, or in two of two.
    let slow_in = |round: fn(u32, u32) -> u32| {
        let loss = |from: u32, to: u32| if from == 0 && (4..8).contains(&to) { 0.5 } else { 0.0 };
        Flows { spread: 0.01, loss, round }.spells()
    };
    assert!(slow_in(|_, to| to / 4).is_empty());
    assert_eq!(slow_in(|_, to| to / 2), link_0(4, [2, 3]));
}

#[test]
fn fewer_than_three_healthy_flows_do_not_show_that_a_link_was_healthy_once() {
    let rounds = |slow: u32| (1..=slow).collect::<Vec<_>>();
    assert!(from_host_0(0.01, 0.5, &rounds(13)).is_empty());
    assert_eq!(from_host_0(0.01, 0.5, &rounds(12)), link_0(12, [1, 12]));
}

#[test]
fn a_link_that_is_slow_in_another_round_too_flaps_rather_than_having_a_spell() {
    // Three slow flows say 7.8 each (4 / 242 · 0.025 = 0.00041), less ln 120 = 4.8 for the ways to choose rounds of 15: 18.6.
    assert_eq!(from_host_0(0.01, 0.5, &[5, 6, 7]), link_0(3, [5, 7]));
    // With a fourth elsewhere 7.6 each: 17.9. Slow in four of 15 at any time: 4 (7.6 + ln 4/15) + 11 ln 11/15 = 21.6.
    assert!(from_host_0(0.01, 0.5, &[5, 6, 7, 14]).is_empty());
}

#[test]
fn a_spell_is_likelier_than_chance_makes_one_of_all_suspects_and_rounds() {
    // ln (78 · 136) + ln 1,000 = 16.2 are enough: destination 0 makes a sixteenth round. At σ 0.15 three flows say 5.1 each (4 / 242 · 0.376 = 0.0062), four 4.9.
    assert!(from_host_0(0.15, 0.7, &[5, 6, 7]).is_empty());
    assert_eq!(from_host_0(0.15, 0.7, &[5, 6, 7, 8]), link_0(4, [5, 8]));
}

#[test]
fn a_link_that_was_less_than_seven_percent_slower_for_a_time_has_no_spell() {
    // Both are sure: 5.2 errors of √(0.01² + 0.005² (1/5 + 1/10)) are 0.054. ln 0.93 is −0.0726.
    assert!(from_host_0(0.005, 0.06, &[5, 6, 7, 8, 9]).is_empty());
    assert_eq!(from_host_0(0.005, 0.08, &[5, 6, 7, 8, 9]), link_0(5, [5, 9]));
}

#[test]
fn a_link_that_was_slower_by_no_more_than_noise_has_no_spell() {
    // The noise of five flows and of ten others: √(0.01² + 0.2² (1/5 + 1/10)) is 0.11, of which 5.2 are 0.57.
    assert!(from_host_0(0.2, 0.52, &[5, 6, 7, 8, 9]).is_empty());
    assert_eq!(from_host_0(0.2, 0.62, &[5, 6, 7, 8, 9]), link_0(5, [5, 9]));
}

#[test]
fn an_adapter_was_slow_for_a_time_where_two_flows_of_either_direction_were() {
    // What host 0 sends and receives in rounds 5 to 9, of which it receives one flow or two.
    let spells = |received: u32| {
        let round = move |from: u32, to: u32| match (from, to) {
            (0, to) => to,
            (from, 0) if (5..10).contains(&from) && from >= 5 + received => ALONE,
            (from, 0) => from,
            _ => ALONE,
        };
        let is_slow = |other: u32| (5..10).contains(&other);
        let loss = move |from: u32, to: u32| {
            let is_its = from == 0 && is_slow(to) || to == 0 && is_slow(from) && round(from, to) != ALONE;
            if is_its { 0.5 } else { 0.0 }
        };
        Flows { spread: 0.01, loss, round }.spells()
    };
    assert_eq!(spells(1), link_0(5, [5, 9]));
    let both = spells(2);
    assert!(both.len() == 1 && both[0].0.contains("Host") && both[0].1 == 7, "{both:?}");
}

#[test]
fn flows_that_ran_alone_are_in_no_spell() {
    // Two slow flows in the last rounds, and three slow ones that ran in none.
    let loss = |from: u32, to: u32| if from == 0 && to >= 11 { 0.5 } else { 0.0 };
    let spells = |in_rounds: u32| {
        let round = |_: u32, to: u32| if to <= in_rounds { to } else { ALONE };
        Flows { spread: 0.01, loss, round }.spells()
    };
    assert!(spells(12).is_empty());
    assert_eq!(spells(15), link_0(5, [11, 15]));
}

#[test]
fn cables_of_a_switch_that_were_slow_at_once_are_named_one_by_one() {
    // All that spine 0 carries: between leaves to an even host, in rounds 5 to 9.
    let loss = |from: u32, to: u32| {
        let is_slow = from / 4 != to / 4 && to.is_multiple_of(2) && (5..10).contains(&((from + to) % 16));
        if is_slow { 0.5 } else { 0.0 }
    };
    let found = Flows { spread: 0.01, loss, round: |from, to| (from + to) % 16 }.spells();
    assert!(!found.is_empty() && found.iter().all(|one| one.0 == "cable"), "{found:?}");
    assert!(found.iter().all(|one| one.2[0] >= 5 && one.2[1] <= 9), "{found:?}");
}

#[test]
fn what_rounding_may_add_to_a_loss_is_half_a_step() {
    let loss = |from: u32, _: u32| if from == 0 { 0.5 } else { 0.0 };
    Flows { spread: 0.01, loss, round: alone }.ask(|paths, _, state| {
        // All values are 10 GB/s, in steps of 1.
        let residuals = Residuals { rounded_to: 1e9, ..state.residuals.clone() };
        let rounded = LossState::new(&residuals, state.columns);
        let weight = rounded.weigh(from_host(paths, state, 0), &Limits::usual(false), &mut Vec::new());
        assert!((weight.rounding - 0.05).abs() < 1e-6, "{weight:?}");
    });
}

#[test]
fn a_link_between_switches_is_not_to_blame_for_what_hosts_usually_lose() {
    // What hosts 0, 3 and 4 send, and what host 2 receives. Of 16 healthy hosts the oddest is √(2 ln 16) + 1 = 3.4 deviations of
    // 0.01 or a little more off: 0.03 is usual, and 0.06 is odd, on either side.
    let loss = |from: u32, to: u32| {
        let sent = [0.02, 0.0, 0.0, 0.06, -0.06].get(from as usize).copied().unwrap_or(0.0);
        sent + if to == 2 { 0.03 } else { 0.0 }
    };
    let flow = |from: usize, to: usize| 15 * from + to - usize::from(to > from);
    Flows { spread: 0.01, loss, round: alone }.ask(|_, _, state| {
        let hosts = HostLosses::new(state, &Limits::usual(false));
        let is = |found: f64, loss: f64| (found - loss).abs() < 1e-6;
        let of = |from, to, kind| f64::from(hosts.of(flow(from, to), kind));
        assert!(is(of(0, 2, Kind::Inner), 0.05));
        // Links of the hosts themselves: what the other end loses.
        assert!(is(of(0, 2, Kind::Sending), 0.03) && is(of(0, 2, Kind::Receiving), 0.02));
        assert!(is(of(3, 5, Kind::Inner), 0.0) && is(of(4, 5, Kind::Inner), 0.0));
        // Odd hosts lose it on other links, too, if most of their 15 flows cross others.
        let odd = |from: usize, number: usize, kind| {
            let flows: Vec<usize> = (5..5 + number).map(|to| flow(from, to)).collect();
            hosts.of_odd(&flows, kind)
        };
        assert!(odd(3, 7, Kind::Inner).iter().all(|&loss| is(loss, 0.06)));
        assert!(odd(3, 8, Kind::Inner).iter().all(|&loss| is(loss, 0.0)));
        assert!(odd(4, 1, Kind::Inner).iter().all(|&loss| is(loss, -0.06)));
        assert!(odd(3, 1, Kind::Sending).iter().all(|&loss| is(loss, 0.0)));
    });
}
