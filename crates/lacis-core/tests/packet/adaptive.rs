//! Routes that Omni-Path switches move: the two pairs of the 2017 report, on one cable and on two.

use lacis_core::fabric::PortId;
use lacis_core::io::json;
use lacis_core::model::packet::{
    Adaptive, Algorithm, Device, Ending, Network, OmniPath, Outcome, Queueing, Reads, Settings,
    SimulationRequest, Streams, Test, memory,
};
use lacis_core::ranks::Flow;
use lacis_core::ranks::Participants;

use crate::{BYTE, Net, net, pattern, run, sending, uplinks};

const MS: u64 = 1_000_000_000;

/// Two edges with two hosts each and two cores, whose tables send all that leaves an edge to core 2.
pub(crate) fn two_pairs() -> Net {
    let mut tree = net("pgft:2;2,2;1,2;1,1", "minhop");
    for host in [0, 2] {
        let edge = tree.fabric.edge_switch(tree.ends[host]).unwrap();
        let last = tree.fabric.number_of(*uplinks(&tree, host).last().unwrap());
        let there = tree.ends.iter().filter(|&&end| tree.fabric.edge_switch(end) != Some(edge));
        let lids: Vec<u32> = there.map(|&end| tree.routes.lids.base(end)).collect();
        for lid in lids {
            tree.routes.lft.row_mut(edge)[lid as usize] = last;
        }
    }
    tree
}

/// Lets a cable run at 4xFDR, 6.82 of 12.5 GB/s.
pub(crate) fn slow_down(tree: &mut Net, port: PortId) {
    let mut file: serde_json::Value = serde_json::from_str(&json::write(&tree.fabric)).unwrap();
    for port in [port, tree.fabric.peer(port).unwrap()] {
        let ports = file["nodes"][tree.fabric.node_of(port).ix()]["ports"].as_array_mut().unwrap();
        let number = tree.fabric.number_of(port);
        ports.iter_mut().find(|port| port["number"] == number).unwrap()["rate"] = "4xFDR".into();
    }
    tree.fabric = json::read(file.to_string().as_bytes()).unwrap().fabric;
}

/// Both hosts of an edge to one of the other's each.
fn pairs(bytes: u64, window: u32, windows: u32, answer: Option<u64>) -> Streams {
    let flows = vec![Flow { from: 0, to: 2 }, Flow { from: 1, to: 3 }];
    Streams::new(flows, bytes, window, windows, answer)
}

fn streams() -> Streams {
    pairs(1 << 20, 64, u32::MAX, Some(0))
}

/// How busy the first edge's two cables to the cores are from one time to another, as shares of the time, and the
/// payload of both pairs per second; and the whole simulation until the later time.
fn between(tree: &Net, set: &Settings, from: u64, until: u64) -> ([f64; 2], f64, Outcome<Streams>) {
    let [before, after] = [from, until].map(|horizon| {
        let out = run(tree, &Settings { horizon, ..*set }, streams());
        assert_eq!(out.ending, Ending::Horizon);
        out
    });
    let busy = uplinks(tree, 0)
        .into_iter()
        .map(|p| (after.ports[p.ix()].busy - before.ports[p.ix()].busy) as f64 / (until - from) as f64);
    let busy: [f64; 2] = busy.collect::<Vec<_>>().try_into().unwrap();
    let rate = (after.payload - before.payload) as f64 / ((until - from) as f64 / 1e12);
    (busy, rate, after)
}

fn omni_path(how: OmniPath) -> Settings {
    Settings { adaptive: Adaptive::OmniPath(how), ..Device::named("opa100").unwrap().settings }
}

#[test]
fn omni_path_moves_one_of_two_pairs_that_share_a_cable_to_the_other() {
    let tree = two_pairs();
    let fast = OmniPath { period: MS, threshold: 7, ..OmniPath::default() };
    for (queueing, reads) in [(Queueing::Virtual, Reads::Many), (Queueing::Fifo, Reads::One)] {
        // Before the first adjustment, and without adaptive routing: one cable, 12.38 to 12.5 GB/s.
        let set = Settings { queueing, reads, ..omni_path(fast) };
        for set in [set, Settings { adaptive: Adaptive::Off, ..set }] {
            let (busy, rate, out) = between(&tree, &set, MS / 10, MS);
            assert!(busy[0] == 0.0 && busy[1] > 0.99, "{busy:?}");
            assert!((12.38e9..12.5e9).contains(&rate), "{rate}");
            assert_eq!(out.moved, (0, 0));
        }
        // One move after a period, and both are full: 24.7 GB/s.
        for algorithm in [Algorithm::Greedy, Algorithm::GreedyRandom] {
            let set = Settings { queueing, reads, ..omni_path(OmniPath { algorithm, ..fast }) };
            let (busy, rate, out) = between(&tree, &set, 2 * MS, 10 * MS);
            assert!(busy.iter().all(|&busy| busy > 0.99), "{busy:?} {:?}", out.moved);
            assert!((rate / 24.7e9 - 1.0).abs() < 0.01, "{rate}");
            assert_eq!(out.moved, (1, MS));
        }
        // Any port: sooner or later each has its own, and then nothing is congested any more.
        let set =
            Settings { queueing, reads, ..omni_path(OmniPath { algorithm: Algorithm::Random, ..fast }) };
        let (busy, _, out) = between(&tree, &set, 60 * MS, 65 * MS);
        assert!(busy.iter().all(|&busy| busy > 0.99), "{busy:?} {:?}", out.moved);
        assert!(out.moved.0 >= 1 && out.moved.1 < 60 * MS, "{:?}", out.moved);
    }
}

#[test]
fn nothing_moves_without_a_lost_link_where_only_these_count() {
    let tree = two_pairs();
    let how = OmniPath { period: MS, threshold: 7, lost_route_only: true, ..OmniPath::default() };
    let (busy, rate, out) = between(&tree, &omni_path(how), 2 * MS, 5 * MS);
    assert!(busy[0] == 0.0 && busy[1] > 0.99, "{busy:?}");
    assert!((12.38e9..12.5e9).contains(&rate), "{rate}");
    assert_eq!(out.moved, (0, 0));
}

#[test]
fn nothing_moves_to_a_slower_port() {
    // As both pairs' tables, but the cable to the other core runs at 4xFDR.
    let mut tree = two_pairs();
    let slow = uplinks(&tree, 0)[0];
    slow_down(&mut tree, slow);
    let how = OmniPath { period: MS, threshold: 7, ..OmniPath::default() };
    let (busy, _, out) = between(&tree, &omni_path(how), 2 * MS, 5 * MS);
    assert!(busy[0] == 0.0 && busy[1] > 0.99, "{busy:?}");
    assert_eq!(out.moved, (0, 0));
}

#[test]
fn switches_move_lids_at_most_once_a_period_of_the_frequency() {
    assert_eq!([0, 1, 7].map(OmniPath::period_of), [64 * MS, 128 * MS, 8192 * MS]);
    // As shipped: not before 64 ms.
    let tree = two_pairs();
    let set = omni_path(OmniPath { threshold: 7, ..OmniPath::default() });
    let until = |horizon| run(&tree, &Settings { horizon, ..set }, streams()).moved;
    assert_eq!(until(64 * MS), (0, 0));
    assert_eq!(until(66 * MS), (1, 64 * MS));
}

#[test]
fn a_switch_acts_when_a_buffer_is_filled_to_the_threshold() {
    // Two hosts send w packets each by one cable, which takes one of either by turns: when they have begun to
    // send the last, w - (w - 1) / 2 are in a buffer or on their way there. There is room for twenty.
    let tree = two_pairs();
    let packet = 4096 * BYTE;
    let moved = |header: u32, threshold, w: u64| {
        let how = OmniPath { period: (w - 1) * packet + packet / 2, threshold, ..OmniPath::default() };
        let mtu = 4096 - header;
        let set = Settings {
            adaptive: Adaptive::OmniPath(how),
            queueing: Queueing::Virtual,
            reads: Reads::Many,
            mtu,
            header,
            // Less than a packet more has no room.
            buffer: Some(21 * 4096 - 1),
            ..Settings::default()
        };
        run(&tree, &set, pairs(mtu.into(), w as u32, 1, None)).moved.0
    };
    // In percent, of which 5 are a packet.
    for (threshold, percent) in [(7, 55), (6, 60), (5, 65), (4, 70), (3, 80), (2, 90), (1, 100), (0, 80)] {
        let packets = percent / 5;
        for header in [0, 96] {
            assert_eq!(moved(header, threshold, 2 * packets - 1), 1, "threshold {threshold}");
            assert_eq!(moved(header, threshold, 2 * packets - 3), 0, "threshold {threshold}");
        }
    }
}

#[test]
fn the_memory_of_port_groups_is_counted() {
    // Eight leaves have hosts: a set of ports for each of them and each of the twelve switches.
    let tree = net("fat-tree:8,2", "minhop");
    let participants = Participants::each_port(&tree.fabric, &tree.ends);
    let shift = pattern(&participants, "shift:1", 4096);
    let network = Network::new(&tree.fabric, &tree.routes, &tree.ends);
    let works = [sending(&shift, Some(Test::Burst(1)))];
    let needed = |adaptive| {
        let settings = Settings { adaptive, ..Settings::default() };
        memory(&network, &works, &SimulationRequest { settings, seed: 1, circles: false, record: false })
    };
    assert!(needed(Adaptive::Least) >= needed(Adaptive::Off) + 8 * 12 * 8);
}

#[test]
fn packets_take_the_port_behind_which_they_wait_least_not_that_of_fewest_bytes() {
    // Two hosts bring 25 GB/s to two cables of 12.5 and 6.82 GB/s. Where both are left at the same time, that is
    // after all bytes over the sum; with as many bytes waiting for both, the slow one ends a fifth later.
    let mut tree = two_pairs();
    let slow = uplinks(&tree, 0)[0];
    slow_down(&mut tree, slow);
    let bytes = 200 * 4096;
    for adaptive in [Adaptive::Least, Adaptive::TwoChoices] {
        let set = Settings { adaptive, queueing: Queueing::Virtual, buffer: None, ..Settings::default() };
        let out = run(&tree, &set, pairs(bytes, 1, 1, None));
        assert_eq!(out.ending, Ending::Done);
        let best = 2.0 * bytes as f64 / (12.5e9 + 6.82e9) * 1e12;
        assert!((out.time as f64 / best - 1.0).abs() < 0.05, "{} of the best time", out.time as f64 / best);
    }
}
