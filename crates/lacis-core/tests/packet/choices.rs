//! The port that a packet chooses, by hand: an edge whose cables are busy for known times.

use lacis_core::fabric::PortId;
use lacis_core::generate::generate;
use lacis_core::model::packet::{Adaptive, Queueing, Reads, Settings};

use crate::timed::{Timed, flow};
use crate::{BYTE, Net, PACKET, net, net_of, run, uplinks};

/// Edges with four hosts each. The first and the last are connected to all cores, edge `n` between them to core `n`
/// alone. And the first edge's cables, core by core.
fn edges(cores: usize) -> (Net, Vec<PortId>) {
    let whole = generate(&format!("pgft:2;4,{};1,{cores};1,1:rate=4xEDR", cores + 2)).unwrap();
    let ends: Vec<PortId> = whole.end_nodes().filter_map(|n| whole.port(n, 1)).collect();
    let edges: Vec<_> = ends.chunks(4).map(|ends| whole.edge_switch(ends[0]).unwrap()).collect();
    let core = |cable: PortId| whole.node_of(whole.peer(cable).unwrap());
    let is_core = |&cable: &PortId| whole.peer(cable).is_some_and(|far| whole.is_switch(whole.node_of(far)));
    let cores_of_first: Vec<_> = whole.ports_of(edges[0]).filter(is_core).map(core).collect();
    let stays = |a: PortId, b: PortId| {
        let [a, b] = [a, b].map(|port| whole.node_of(port));
        let number = |node| edges[1..=cores].iter().position(|&edge| edge == node);
        match (number(a), number(b)) {
            (Some(number), _) => !whole.is_switch(b) || cores_of_first[number] == b,
            (_, Some(number)) => !whole.is_switch(a) || cores_of_first[number] == a,
            _ => true,
        }
    };
    let tree = net_of(whole.filtered(|_| true, stays), "minhop", 0, false);
    let cables = uplinks(&tree, 0);
    (tree, cables)
}

fn choosing(adaptive: Adaptive, seed: u64) -> Settings {
    Settings { adaptive, seed, queueing: Queueing::Virtual, reads: Reads::Many, ..Settings::default() }
}

/// A message that host `from` of the first edge sends to a host of another at a time.
fn message(from: u32, edge: u32, bytes: u64, at: u64) -> (lacis_core::ranks::Flow, u64, u8, Vec<u64>) {
    (flow(from, 4 * edge + from), bytes, 0, vec![at])
}

#[test]
fn a_packet_counts_how_long_a_port_is_busy_and_what_waits_for_it() {
    let (tree, cables) = edges(2);
    let sent = |adaptive, seed, flows: &[_]| {
        let out = run(&tree, &choosing(adaptive, seed), Timed::new(flows.to_vec()));
        [0, 1].map(|cable: usize| out.ports[cables[cable].ix()].bytes)
    };
    for adaptive in [Adaptive::Least, Adaptive::TwoChoices] {
        for seed in 0..12 {
            // The first cable is busy with a packet, the second with a tenth of one.
            let busy = [message(0, 1, 4096, 0), message(1, 2, 409, 0), message(3, 3, 4096, 100)];
            assert_eq!(sent(adaptive, seed, &busy), [4096, 409 + 4096]);
            // The same, but for the second another whole packet waits.
            let [first, second, probe] = busy;
            let waiting = [first, second, message(2, 2, 4096, 0), probe];
            assert_eq!(sent(adaptive, seed, &waiting), [2 * 4096, 409 + 4096]);
        }
    }
}

#[test]
fn the_better_of_two_ports_is_the_one_free_of_four_as_often_as_it_is_drawn() {
    // Two of four include a given one in half of all draws: 200 of 400, with a standard deviation of 10.
    let (tree, cables) = edges(4);
    for (adaptive, expected) in [(Adaptive::Least, 400..=400), (Adaptive::TwoChoices, 160..=240)] {
        for free in 0..4 {
            let busy = (0..4).filter(|&cable| cable != free).zip(0..);
            let flows = busy.map(|(cable, from)| message(from, cable + 1, 4096, 0));
            let flows: Vec<_> = flows.chain([message(3, 5, 8, 100)]).collect();
            let count = (0..400).filter(|&seed| {
                let out = run(&tree, &choosing(adaptive, seed), Timed::new(flows.clone()));
                out.ports[cables[free as usize].ix()].bytes == 8
            });
            let count = count.count();
            assert!(expected.contains(&count), "{adaptive:?}, cable {free} free: {count} of 400");
        }
    }
}

#[test]
fn a_choice_takes_no_time() {
    // A packet alone: four cables and three switches.
    let tree = net("fat-tree:4,2", "minhop");
    for adaptive in [Adaptive::Off, Adaptive::Least, Adaptive::TwoChoices] {
        let set = Settings { cable_delay: 10_000, switch_latency: 90_000, ..choosing(adaptive, 1) };
        let out = run(&tree, &set, Timed::new(vec![(flow(0, 7), 4096, 0, vec![0])]));
        assert_eq!(out.time, 4 * 10_000 + 3 * 90_000 + 4096 * BYTE);
        assert_eq!(out.time, 310_000 + PACKET);
    }
}
