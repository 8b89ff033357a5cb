//! Congestion control: a victim gets its link back, and the receiver that all want stays busy.

use lacis_core::model::packet::{Ending, Outcome, Queueing, Reads, Settings, Streams, Throttle};
use lacis_core::ranks::Flow;

use crate::timed::{Timed, flow};
use crate::{BYTE, Net, PACKET, net, run, uplinks};

const MS: u64 = 1_000_000_000;

/// Eight send to host 8: one from the other edge, over whose uplink a ninth sends elsewhere. What host 8 and the ninth's
/// receiver get, as shares of their links.
fn incast(tree: &Net, set: &Settings) -> ([f64; 2], Outcome<Streams>) {
    let mut flows: Vec<Flow> = (9..16).map(|from| Flow { from, to: 8 }).collect();
    flows.extend([Flow { from: 0, to: 8 }, Flow { from: 1, to: 9 }]);
    let horizon = 12 * MS;
    let out = run(tree, &Settings { horizon, ..*set }, Streams::new(flows, 64 << 10, 1 << 12, 1, None));
    assert_eq!(out.ending, Ending::Horizon);
    let got = |arrived: &[(u64, u64)]| {
        let bytes: u64 = arrived.iter().map(|&(messages, _)| messages << 16).sum();
        bytes as f64 * BYTE as f64 / horizon as f64
    };
    ([got(&out.application.arrived[..8]), got(&out.application.arrived[8..])], out)
}

#[test]
fn a_victim_of_an_incast_gets_most_of_its_link_with_congestion_control() {
    let tree = net("pgft:2;8,2;1,1;1,1", "minhop");
    // In one queue packets still wait behind those for host 8, so less is won.
    for (queueing, reads, times) in [(Queueing::Virtual, Reads::Many, 5.0), (Queueing::Fifo, Reads::One, 3.0)]
    {
        let set =
            Settings { queueing, reads, cable_delay: 10_000, switch_latency: 90_000, ..Settings::default() };
        let (without, out) = incast(&tree, &set);
        assert_eq!(out.marked, 0);
        // The uplink's buffers are full of packets for host 8, which takes an eighth of them.
        assert!(without[0] > 0.99 && without[1] < 0.25, "{without:?}");
        let set = Settings { throttle: Some(Throttle::default()), ..set };
        let (with, out) = incast(&tree, &set);
        assert!(with[0] > 0.9 && with[1] > times * without[1], "{queueing:?} {with:?} {without:?}");
        let (again, same) = incast(&tree, &set);
        assert_eq!((again, same.events, same.marked), (with, out.events, out.marked));
    }
}

#[test]
fn the_root_of_a_congestion_is_marked_and_its_victims_are_not() {
    // Host 0 and seven on the other edge send to host 8. For its port packets of all eight wait, and it always has
    // credits: the root. Host 0 gets an eighth of it, so packets wait for the port from spine to edge and for the
    // port from edge to spine, too, each for lack of credits alone: one sender cannot fill its uplink. Each port that
    // marks marks once, and marks slow no sender. The run ends before any sender does, as the rest of host 0's
    // packets would then leave one after the other with credits for each.
    let tree = net("pgft:2;8,2;1,1;1,1", "minhop");
    let packet = 4096 * BYTE;
    let horizon = 2000 * packet;
    let throttle = Throttle { threshold: 15, marking_rate: u16::MAX, step: 0.0, ..Throttle::default() };
    for (queueing, reads) in [(Queueing::Fifo, Reads::One), (Queueing::Virtual, Reads::Many)] {
        let set = Settings { queueing, reads, throttle: Some(throttle), horizon, ..Settings::default() };
        let flows = [0].into_iter().chain(9..16).map(|from| Flow { from, to: 8 }).collect();
        let out = run(&tree, &set, Streams::new(flows, 4096 * 1000, 1, 1, None));
        assert_eq!((out.ending, out.marked), (Ending::Horizon, 1), "{queueing:?}");
        // The victims were there: at most an eighth, and two buffers of 16 packets, went up, and most of the time
        // the uplink had packets and no credits.
        let up = &out.ports[uplinks(&tree, 0)[0].ix()];
        assert!(up.bytes <= (2000 / 8 + 2 * 16) * 4096 && up.starved > horizon / 2, "{up:?}");
    }
}

#[test]
fn a_flow_that_meets_no_other_is_not_slowed() {
    let tree = net("pgft:2;8,2;1,1;1,1", "minhop");
    let alone = |throttle| {
        let set = Settings { throttle, ..Settings::default() };
        run(&tree, &set, Streams::new(vec![Flow { from: 0, to: 8 }], 10 << 20, 1, 1, None))
    };
    let (with, without) = (alone(Some(Throttle::default())), alone(None));
    assert_eq!((with.time, with.marked), (without.time, 0));
}

#[test]
fn a_sender_waits_as_its_table_says() {
    // A single packet is marked. After its BECN each packet of its sender is followed by a wait of twice its time.
    let switch = net("fat-tree:4,1", "minhop");
    let packet = 4096 * BYTE;
    let throttle =
        Throttle { threshold: 15, step: 2.0, marking_rate: u16::MAX, timer: MS, ..Throttle::default() };
    let set = Settings { throttle: Some(throttle), ..Settings::default() };
    let flows = vec![Flow { from: 0, to: 2 }, Flow { from: 1, to: 2 }];
    let out = run(&switch, &set, Streams::new(flows, 30 * 4096, 1, 1, None));
    assert_eq!((out.ending, out.marked), (Ending::Done, 1));
    let [first, second] = [0, 1].map(|flow| out.application.arrived[flow].1 / packet);
    assert!(first.abs_diff(second) > 25, "{first} {second}");
}

#[test]
fn a_sender_waits_as_the_least_index_says_though_it_meets_no_other() {
    let switch = net("fat-tree:4,1", "minhop");
    let throttle = Throttle { least: 2, step: 1.0, ..Throttle::default() };
    let set = Settings { throttle: Some(throttle), ..Settings::default() };
    let out = run(&switch, &set, Streams::new(vec![Flow { from: 0, to: 2 }], 30 * 4096, 1, 1, None));
    // Two packets' time after each but the last.
    assert_eq!(out.time, (29 * 3 + 1) * 4096 * BYTE);
}

#[test]
fn a_sender_waits_no_longer_than_the_limit_says() {
    // Every packet is marked, and the index of both senders soon at its limit: a packet in three times its own.
    let switch = net("fat-tree:4,1", "minhop");
    let throttle =
        Throttle { threshold: 15, step: 1.0, increase: 100, limit: 2, timer: MS, ..Throttle::default() };
    let set = Settings { throttle: Some(throttle), ..Settings::default() };
    let flows = vec![Flow { from: 0, to: 2 }, Flow { from: 1, to: 2 }];
    let out = run(&switch, &set, Streams::new(flows, 30 * 4096, 1, 1, None));
    let packets = out.time / (4096 * BYTE);
    assert!(out.marked > 5 && (75..=90).contains(&packets), "{} marked, {packets}", out.marked);
}

#[test]
fn packets_are_marked_while_more_waits_than_the_threshold_says() {
    // Twenty hosts send a packet each to one host at the same time. When the second and those after it leave, 18, 17, …
    // packets wait behind them. The buffer has room for 16 packets; threshold t is reached by 16 - t of them.
    let switch = net("fat-tree:32,1", "minhop");
    let marked = |throttle| {
        let buffer = Some(16 * 4096);
        let set = Settings { buffer, throttle: Some(throttle), ..Settings::default() };
        let flows = (0..20).map(|from| Flow { from, to: 20 }).collect();
        run(&switch, &set, Streams::new(flows, 4096, 1, 1, None)).marked
    };
    for (threshold, expected) in [(0, 0), (1, 18 - 14), (8, 18 - 7), (15, 18)] {
        let throttle = Throttle { threshold, ..Throttle::default() };
        assert_eq!(marked(throttle), expected, "threshold {threshold}");
    }
    // Of 18 every one, every second, third, and seventh; and none of those that are too small.
    let most = Throttle { threshold: 15, ..Throttle::default() };
    for (marking_rate, expected) in [(0, 18), (1, 9), (2, 6), (6, 3)] {
        assert_eq!(marked(Throttle { marking_rate, ..most }), expected, "marking rate {marking_rate}");
    }
    for (packet_size, expected) in [(4096, 18), (4097, 0)] {
        assert_eq!(marked(Throttle { packet_size, ..most }), expected, "packets of {packet_size} bytes");
    }
}

#[test]
fn a_sender_learns_of_a_mark_after_the_way_back() {
    // Hosts 0 and 1 share an uplink. A packet is marked when 16 wait behind it: of each host 17 have come to the edge, a
    // cable and a switch away. It has three cables and two switches before it, and its BECN the whole path, empty, of
    // four and three. The sender goes on for all that time, then sends one packet more.
    let tree = net("pgft:2;8,2;1,1;1,1", "minhop");
    let (cable, latency) = (10, 7);
    let throttle = Throttle {
        threshold: 15,
        step: 1e6,
        marking_rate: u16::MAX,
        timer: 1000 * MS,
        ..Throttle::default()
    };
    let set = Settings {
        throttle: Some(throttle),
        buffer: Some(256 * 4096),
        queueing: Queueing::Virtual,
        reads: Reads::Many,
        cable_delay: cable * PACKET,
        switch_latency: latency * PACKET,
        horizon: 250 * PACKET,
        ..Settings::default()
    };
    let flows = vec![flow(0, 8), flow(1, 9)];
    let out = run(&tree, &set, Streams::new(flows, 4096 * 1000, 1, 1, None));
    assert_eq!((out.ending, out.marked), (Ending::Horizon, 1));
    let mut sent = [0, 1].map(|host: usize| out.ports[tree.ends[host].ix()].bytes / 4096);
    sent.sort_unstable();
    let there = cable + latency + 16 + 3 * cable + 2 * latency + 1;
    assert!(sent[0].abs_diff(there + 4 * cable + 3 * latency + 1) <= 3, "{sent:?}");
    assert!(sent[1] >= 249, "{sent:?}");
}

#[test]
fn a_queue_that_may_send_sooner_does_not_wait_for_another_of_its_host() {
    // Of host 0's queue to host 2 each packet is followed by a wait of a hundred: host 1's smaller packets for host 2 are
    // not marked. Then host 0 sends to host 3, too, and each of those packets waits for one.
    let switch = net("fat-tree:4,1", "minhop");
    let throttle = Throttle {
        threshold: 15,
        packet_size: 4096,
        increase: 100,
        limit: 100,
        least: 1,
        step: 1.0,
        timer: 1000 * MS,
        ..Throttle::default()
    };
    let set = Settings {
        throttle: Some(throttle),
        queueing: Queueing::Virtual,
        reads: Reads::Many,
        horizon: 1000 * PACKET,
        ..Settings::default()
    };
    let last = (flow(0, 3), 10 * 4096, 0, vec![300 * PACKET + 7]);
    let small = || (flow(1, 2), 2048, 0, vec![0; 2000]);
    let flows = vec![(flow(0, 2), 1000 * 4096, 0, vec![0]), small(), small(), last];
    let out = run(&switch, &set, Timed::new(flows));
    assert!(out.marked > 0);
    // Ten packets, nine waits, and perhaps one packet of the other queue in between.
    let took = out.application.got[3].1[0] / PACKET;
    assert!((19..=21).contains(&took), "{took}");
    // Host 0's first queue was slowed down for good.
    let sent = out.ports[switch.ends[0].ix()].bytes / 4096;
    assert!(sent < 10 + 300, "{sent}");
}
