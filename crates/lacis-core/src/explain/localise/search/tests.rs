//! Which suspects are found, from flows of known losses and of one spread that ran alone.

use super::super::super::{ALONE, Observed, Quantity, Values};
use super::*;
use crate::model::fluid::Capacity;
use crate::model::load::Paths;
use crate::model::load::testing::two_tier;
use crate::ranks::Participants;

/// Flows on a tree of so many leaves, hosts a leaf and spines.
struct Flows<L> {
    tree: (u32, u32, u32),
    /// Source and destination.
    pairs: Vec<(u32, u32)>,
    spread: f64,
    /// What the flow between two hosts loses.
    loss: L,
}

/// Between each two of so many hosts.
fn every(hosts: u32) -> Vec<(u32, u32)> {
    let pairs = (0..hosts).flat_map(|from| (0..hosts).map(move |to| (from, to)));
    pairs.filter(|(from, to)| from != to).collect()
}

impl<L: Fn(u32, u32) -> f64> Flows<L> {
    fn ask<T>(&self, answer: impl FnOnce(&Paths<'_>, Search<'_>) -> T) -> T {
        let net = two_tier(self.tree.0, self.tree.1, self.tree.2);
        let participants = Participants::each_port(&net.fabric, &net.hosts);
        let paths = Paths::new(&net.fabric, &net.routes, participants.ports(), 0);
        let capacity = Capacity::of(&net.fabric, paths.links(), 1.0);
        let (source, destination): (Vec<u32>, Vec<u32>) = self.pairs.iter().copied().unzip();
        let (round, value) = (vec![ALONE; source.len()], vec![1e10; source.len()]);
        let values = Values { source: &source, destination: &destination, round: &round, value: &value };
        let observed = Observed::of(&participants, 0, Quantity::Rate, &values);
        let mut residuals = Residuals::of(&paths, &capacity, &observed);
        for (loss, flow) in residuals.loss.iter_mut().zip(&observed.flows) {
            *loss = (self.loss)(flow.from, flow.to) as f32;
        }
        residuals.classes.iter_mut().for_each(|class| class.spread = self.spread);
        let columns = SuspectFlows::of(&net.fabric, paths.links(), &residuals, false);
        let limits = Limits::usual(false);
        answer(&paths, Search::new(&net.fabric, paths.links(), &residuals, &columns, limits))
    }

    /// The suspects that are found, links by their egress ports.
    fn found(&self) -> Vec<String> {
        self.ask(|paths, mut search| {
            search.run();
            let name = |link: LinkId| paths.fabric().port_name(paths.links().egress(link));
            let all = search.found.iter().map(|found| match search.columns.suspects[found.0] {
                Suspect::Link(link) => name(link),
                Suspect::Host(link) => format!("host {}", name(link)),
                Suspect::Cable(link) => format!("cable {}", name(link)),
                Suspect::Switch(node) => format!("switch {}", paths.fabric().name(node)),
            });
            let mut all: Vec<String> = all.collect();
            all.sort();
            all
        })
    }
}

/// The suspect that is the link from a host.
fn from_host(paths: &Paths<'_>, search: &Search<'_>, host: usize) -> usize {
    search.columns.of_link(paths.links().leaving(paths.ports()[host])).unwrap()
}

#[test]
fn an_adapter_is_to_blame_where_three_flows_show_either_direction() {
    // All that host 0 sends loses 0.5, and all that it receives, which is what a few others send to it.
    let found = |senders: u32| {
        let pairs = every(16).into_iter().filter(|&(from, to)| to != 0 || from <= senders).collect();
        let loss = |from: u32, to: u32| if from == 0 || to == 0 { 0.5 } else { 0.0 };
        Flows { tree: (4, 4, 2), pairs, spread: 0.01, loss }.found()
    };
    assert_eq!(found(3), ["host \"h0\"[1]"]);
    assert_eq!(found(2), ["\"h0\"[1]", "\"leaf0\"[1]"]);
}

#[test]
fn a_switch_is_to_blame_where_three_flows_show_each_of_two_links_to_it() {
    // All over spine 0 loses 0.5: what leaf 0 sends to the even hosts of other leaves, and one or two hosts of leaf 1 to hosts 8 and 12.
    let found = |senders: u32| {
        let by_spine_0 = |from: u32, to: u32| from / 4 != to / 4 && to.is_multiple_of(2);
        let is_sent = |&(from, to): &(u32, u32)| {
            !by_spine_0(from, to) || from < 4 || (4..4 + senders).contains(&from) && (to == 8 || to == 12)
        };
        let pairs = every(16).into_iter().filter(is_sent).collect();
        let loss = |from: u32, to: u32| if by_spine_0(from, to) { 0.5 } else { 0.0 };
        Flows { tree: (4, 4, 2), pairs, spread: 0.01, loss }.found()
    };
    assert_eq!(found(2), ["switch spine0"]);
    assert!(found(1).contains(&"\"leaf0\"[5]".to_owned()) && !found(1).contains(&"switch spine0".to_owned()));
}

#[test]
fn a_suspect_is_likelier_than_chance_makes_one_of_all() {
    // Host 0 sends few flows, each of which loses 4.67 deviations. ln 78 + ln 1,000 = 11.3 are enough. Two flows say 5.3 each, as 3
    // of 229 are outliers (−ln 0.0049), three 5.0 each.
    let found = |flows: u32| {
        let pairs = every(16).into_iter().filter(|&(from, to)| from > 0 || to <= flows).collect();
        let loss = |from: u32, _: u32| if from == 0 { 0.7 } else { 0.0 };
        Flows { tree: (4, 4, 2), pairs, spread: 0.15, loss }.found()
    };
    assert_eq!(found(2), [""; 0]);
    assert_eq!(found(3), ["\"h0\"[1]"]);
}

#[test]
fn what_was_found_costs_the_least_gain_of_each_and_is_weighed_again_when_fewer_flows_are_outliers() {
    // The 15 flows from host 0 lose five deviations each, and nothing else anything.
    let loss = |from: u32, _: u32| if from == 0 { 0.5 } else { 0.0 };
    Flows { tree: (4, 4, 2), pairs: every(16), spread: 0.1, loss }.ask(|_, mut search| {
        // Without outliers each costs 5² / 2.
        assert!((search.cost([0.0; 2]) - 15.0 * 12.5).abs() < 1e-3);
        search.run();
        assert!((search.cost([0.0; 2]) - (78_000.0_f64).ln()).abs() < 1e-3);
        // One of 242 is an outlier on either side, 0.0010358 beside a middle of 1: ln (1.0010358 / 0.0010395) = 6.870 a flow.
        assert!((search.gain_over(&[0]) - 15.0 * 6.870).abs() < 0.02, "{}", search.gain_over(&[0]));
        assert!(search.gain_over(&[239]).abs() < 1e-9);
    });
}

#[test]
fn of_several_losses_of_a_link_the_greatest_counts() {
    let flows = Flows { tree: (4, 4, 2), pairs: every(16), spread: 0.01, loss: |_, _| 0.0 };
    flows.ask(|paths, mut search| {
        let link = paths.links().leaving(paths.ports()[0]);
        let is_host = |suspect: &Suspect| *suspect == Suspect::Host(link);
        let host = search.columns.suspects.iter().position(is_host).unwrap();
        search.found = vec![(host, 0.3), (from_host(paths, &search, 0), 0.7)];
        let losses = search.found_losses();
        assert_eq!(losses.len(), 2);
        assert!(losses.iter().all(|&(of, loss)| (loss - if of == link { 0.7 } else { 0.3 }).abs() < 1e-9));
    });
}

#[test]
fn of_links_that_explain_the_same_flows_the_one_that_was_found_comes_first() {
    // One host a leaf and one spine: what host 2 sends crosses its link and its leaf's uplink.
    let loss = |from: u32, _: u32| if from == 2 { 0.5 } else { 0.0 };
    Flows { tree: (12, 1, 1), pairs: every(12), spread: 0.01, loss }.ask(|paths, search| {
        let host = from_host(paths, &search, 2);
        let first: Vec<usize> = search.rivals(host).iter().map(|rival| rival.0).collect();
        let [_, uplink] = first[..] else { panic!("{first:?}") };
        let second: Vec<usize> = search.rivals(uplink).iter().map(|rival| rival.0).collect();
        assert_eq!((first, second), (vec![host, uplink], vec![uplink, host]));
    });
    // With none found before it is the first by number: links of switches are numbered before those of hosts.
    let flows = Flows { tree: (12, 1, 1), pairs: every(12), spread: 0.01, loss };
    assert_eq!(flows.found(), ["\"leaf2\"[2]"]);
}

#[test]
fn links_are_not_to_blame_for_what_an_unsure_suspect_explains_better() {
    // All that host 0 sends loses 0.5, by either uplink of its leaf. Host 1, beside it, sends over the second only, of which half of
    // the flows are slow.
    let loss = |from: u32, _: u32| if from == 0 { 0.5 } else { 0.0 };
    let pairs = every(12).into_iter().filter(|&(from, to)| from != 1 || to % 2 == 1 || to == 0).collect();
    let flows = Flows { tree: (6, 2, 2), pairs, spread: 0.01, loss };
    assert_eq!(flows.found(), ["\"h0\"[1]"]);
    // Where hosts differ by 0.2 in what they send, one that loses 2.5 of these is not sure to be slow.
    flows.ask(|_, mut search| {
        search.state.differ[Kind::Sending as usize].deviation = 0.2;
        search.run();
        assert!(search.found.is_empty(), "{:?}", search.found);
    });
}

#[test]
fn of_a_suspect_those_flows_are_shown_that_no_other_explains() {
    // Three hosts of leaf 1 are slow, and the uplink of all four to spine 0 is a little: of its 24 flows the six of host 7 show it.
    let by_spine_0 = |from: u32, to: u32| from / 4 == 1 && to / 4 != 1 && to.is_multiple_of(2);
    let loss = |from: u32, to: u32| match from {
        4..7 => 1.2,
        7 if by_spine_0(from, to) => 0.5,
        _ => 0.0,
    };
    Flows { tree: (4, 4, 2), pairs: every(16), spread: 0.01, loss }.ask(|paths, mut search| {
        search.run();
        let found = search.report().found;
        let uplink = |one: &&FoundSuspect| match one.suspect {
            Suspect::Link(link) => paths.fabric().port_name(paths.links().egress(link)) == "\"leaf1\"[5]",
            _ => false,
        };
        let one = found.iter().find(uplink).unwrap();
        assert_eq!((found.len(), one.flows, one.slow), (4, 6, 6));
        assert!((one.median - 0.5).abs() < 1e-6, "{one:?}");
    });
}

#[test]
fn a_loss_would_not_have_been_seen_on_a_link_whose_flows_are_all_explained() {
    // Of 48 links that of host 0 is slow.
    let loss = |from: u32, _: u32| if from == 0 { 0.5 } else { 0.0 };
    Flows { tree: (4, 4, 2), pairs: every(16), spread: 0.01, loss }.ask(|_, mut search| {
        assert_eq!(search.report().visible, [48; 3]);
        search.run();
        assert_eq!(search.report().visible, [47; 3]);
    });
}
