//! Cables that fail while packets are in flight.

use lacis_core::fabric::PortId;
use lacis_core::model::packet::{
    Adaptive, Algorithm, Ending, Network, OmniPath, Outcome, Queueing, Reads, Settings, Streams, Waits,
};
use lacis_core::ranks::Flow;
use lacis_core::traffic::Rng;

use crate::adaptive::{slow_down, two_pairs};
use crate::timed::{Timed, flow};
use crate::{Net, PACKET, net, run_with, shift, uplinks};

/// A second [ps].
const SECOND: u64 = 1_000_000_000_000;

/// One message of each flow.
fn burst(flows: Vec<Flow>, bytes: u64) -> Streams {
    Streams::new(flows, bytes, 1, 1, None)
}

/// The queues that there are.
const QUEUES: [(Queueing, Reads); 3] =
    [(Queueing::Virtual, Reads::Many), (Queueing::Virtual, Reads::One), (Queueing::Fifo, Reads::One)];

/// Flows of which everything arrived.
fn whole(out: &Outcome<Streams>) -> Vec<bool> {
    out.application.arrived.iter().map(|&(messages, _)| messages == 1).collect()
}

#[test]
fn what_a_cable_has_begun_to_send_arrives_and_nothing_after_it() {
    let tree = two_pairs();
    let cable = uplinks(&tree, 0)[1];
    for (queueing, reads) in QUEUES {
        let set = Settings { queueing, reads, ..Settings::default() };
        // The edge sends a packet as soon as its header is there: packet k from k times its length on.
        for (at, begun) in [(0, 0), (1, 1), (10 * PACKET + PACKET / 2, 11), (10 * PACKET + 1, 11)] {
            let flow = || burst(vec![Flow { from: 0, to: 2 }], 40 * 4096);
            for port in [cable, tree.fabric.peer(cable).unwrap()] {
                let out = run_with(&tree, &set, flow(), &[(at, port)]);
                assert_eq!(out.ending, Ending::Done);
                assert_eq!((out.packets, out.delivered, out.discarded), (40, begun, 40 - begun), "{at}");
                assert_eq!(whole(&out), [false]);
                assert_eq!(out.ports[cable.ix()].bytes, begun * 4096);
            }
        }
    }
}

#[test]
fn an_input_is_read_to_the_end_of_its_packet_though_the_cable_fails_meanwhile() {
    // Host 0 sends a packet by a slow cable, and one to its neighbour, which comes when the first has not left.
    let mut tree = two_pairs();
    let cable = uplinks(&tree, 0)[1];
    slow_down(&mut tree, cable);
    for (queueing, reads) in QUEUES {
        let set = Settings { queueing, reads, ..Settings::default() };
        for cuts in [&[][..], &[(PACKET / 2, cable)]] {
            let flows = [2, 1].map(|to| (flow(0, to), 4096, 0, vec![0]));
            let out = run_with(&tree, &set, Timed::new(flows.to_vec()), cuts);
            let first = out.ports[cable.ix()].busy;
            assert!(out.delivered == 2 && first > 3 * PACKET / 2, "{first}");
            let begin = if reads == Reads::One { first } else { PACKET };
            assert_eq!(out.application.got[1].2, begin + PACKET, "{queueing:?}, {reads:?}, {cuts:?}");
        }
    }
}

#[test]
fn what_waits_behind_a_packet_that_is_discarded_goes_on() {
    // By the second uplink, one packet a time: host 1's, host 0's, host 1's, and host 0's second, behind which its
    // third waits for the first uplink. Halfway through the third time the second uplink fails.
    let mut tree = two_pairs();
    let ups = uplinks(&tree, 0);
    let edge = tree.fabric.edge_switch(tree.ends[0]).unwrap();
    let lid = tree.routes.lids.base(tree.ends[3]);
    tree.routes.lft.row_mut(edge)[lid as usize] = tree.fabric.number_of(ups[0]);
    let flow = |from, to| Flow { from, to };
    let flows = vec![flow(1, 2), flow(0, 2), flow(0, 2), flow(1, 2), flow(0, 3)];
    let set = Settings { queueing: Queueing::Fifo, reads: Reads::One, ..Settings::default() };
    let out = run_with(&tree, &set, burst(flows, 4096), &[(2 * PACKET + PACKET / 2, ups[1])]);
    assert_eq!((out.ending, out.delivered, out.discarded), (Ending::Done, 4, 1));
    assert_eq!(out.time, 3 * PACKET + PACKET / 2);
    assert_eq!(out.waited, Waits { behind_others: PACKET / 2, for_credits: 0, for_turn: 2 * PACKET });
}

#[test]
fn a_cut_that_no_packet_meets_changes_nothing() {
    let tree = two_pairs();
    let ups = uplinks(&tree, 0);
    let flows = || burst(vec![Flow { from: 0, to: 2 }, Flow { from: 1, to: 3 }], 1 << 20);
    for (queueing, reads) in QUEUES {
        let set = Settings { queueing, reads, ..Settings::default() };
        let before = run_with(&tree, &set, flows(), &[]);
        assert_eq!(before.ending, Ending::Done);
        // A cable that the tables do not use, and one that all has crossed already.
        for cut in [(5 * PACKET, ups[0]), (before.end + 1, ups[1])] {
            let after = run_with(&tree, &set, flows(), &[cut, cut]);
            assert_eq!((after.time, after.end, after.discarded), (before.time, before.end, 0));
            assert_eq!(after.application.arrived, before.application.arrived);
        }
    }
}

#[test]
fn a_cable_fails_once_whichever_end_it_is_named_by() {
    let tree = two_pairs();
    let [one, other] = uplinks(&tree, 0)[..] else { panic!("two uplinks") };
    let far = tree.fabric.peer(one).unwrap();
    let net = Network::new(&tree.fabric, &tree.routes, &tree.ends);
    let net = net.with_cuts(&[(9, one), (7, other), (5, far), (7, one)]);
    assert_eq!(net.cuts().collect::<Vec<_>>(), [(5, one.min(far)), (7, other)]);
}

#[test]
fn omni_path_moves_the_lids_of_a_lost_cable_and_loses_nothing() {
    let tree = two_pairs();
    let ups = uplinks(&tree, 0);
    let flows = || burst(vec![Flow { from: 0, to: 2 }, Flow { from: 1, to: 3 }], 1 << 20);
    let packets = 2 * (1_u64 << 20) / 4096;
    for (queueing, reads) in QUEUES {
        for algorithm in [Algorithm::Random, Algorithm::Greedy, Algorithm::GreedyRandom] {
            for lost_route_only in [true, false] {
                let how = OmniPath { algorithm, lost_route_only, ..OmniPath::default() };
                let set =
                    Settings { queueing, reads, adaptive: Adaptive::OmniPath(how), ..Settings::default() };
                let at = 100 * PACKET + PACKET / 2;
                let out = run_with(&tree, &set, flows(), &[(at, ups[1])]);
                // One cable is full before and the other after: no packet of 512 is later for it than by the
                // one that the first cable had begun.
                assert_eq!((out.delivered, out.discarded), (packets, 0));
                assert_eq!(out.ports[ups[1].ix()].bytes, 101 * 4096);
                assert_eq!(out.ports[ups[0].ix()].bytes, (packets - 101) * 4096);
                assert!(out.time <= packets * PACKET, "{}", out.time);
                assert!(out.time > (packets - 2) * PACKET, "{}", out.time);
                // The LIDs of both hosts beyond.
                assert_eq!(out.moved, (2, at));
            }
        }
    }
}

#[test]
fn the_lids_of_a_lost_cable_go_where_least_was_sent_each_with_its_share() {
    // Of an edge with three uplinks the first carries four flows, the second another of 60 packets, the third none. When
    // the first fails after 101 packets, each of its four LIDs counts as 25: three fit on the third before it has sent
    // more than the second, so the last goes to the second.
    let mut tree = net("pgft:2;5,4;1,3;1,1", "minhop");
    let ups = uplinks(&tree, 0);
    let edge = tree.fabric.edge_switch(tree.ends[0]).unwrap();
    for host in 5..20 {
        let up = if (5..9).contains(&host) { ups[0] } else { ups[1] };
        let lid = tree.routes.lids.base(tree.ends[host]);
        tree.routes.lft.row_mut(edge)[lid as usize] = tree.fabric.number_of(up);
    }
    let mut flows: Vec<Flow> = (0..4).flat_map(|from| [Flow { from, to: from + 5 }; 5]).collect();
    flows.extend([Flow { from: 4, to: 10 }; 3]);
    let how = OmniPath { algorithm: Algorithm::Greedy, lost_route_only: true, ..OmniPath::default() };
    let set = Settings {
        queueing: Queueing::Virtual,
        reads: Reads::Many,
        adaptive: Adaptive::OmniPath(how),
        ..Settings::default()
    };
    let at = 100 * PACKET + PACKET / 2;
    let out = run_with(&tree, &set, burst(flows, 20 * 4096), &[(at, ups[0])]);
    assert_eq!((out.delivered, out.discarded, out.moved), (460, 0, (4, at)));
    let sent = ups.iter().map(|up| out.ports[up.ix()].bytes / 4096).collect::<Vec<_>>();
    // Of each flow's 100 packets about 25 had been sent.
    assert_eq!((sent[0], sent.iter().sum::<u64>()), (101, 460));
    assert!(sent[1].abs_diff(60 + 75) < 3 && sent[2].abs_diff(3 * 75) < 3, "{sent:?}");
}

#[test]
fn cables_that_fail_together_do_so_in_any_order() {
    // Two cables to the only spine: with both gone nothing leaves the edge any more, by neither.
    let tree = net("pgft:2;4,2;1,1;1,2", "ftree");
    let ups = uplinks(&tree, 0);
    let at = 20 * PACKET + PACKET / 4;
    let how = OmniPath { algorithm: Algorithm::Greedy, ..OmniPath::default() };
    for adaptive in [Adaptive::Off, Adaptive::Least, Adaptive::OmniPath(how)] {
        for (queueing, reads) in QUEUES {
            let set = Settings { queueing, reads, adaptive, ..Settings::default() };
            let send = |cuts: &[(u64, PortId)]| {
                let flows = vec![Flow { from: 0, to: 4 }, Flow { from: 1, to: 6 }];
                run_with(&tree, &set, burst(flows, 50 * 4096), cuts)
            };
            let [one, other] = [0, 1].map(|first| send(&[(at, ups[first]), (at, ups[1 - first])]));
            assert_eq!((one.delivered, one.discarded), (other.delivered, other.discarded));
            assert_eq!((&one.ports, one.moved), (&other.ports, (0, 0)));
            // By each cable what it has sent or begun to by then, of the hosts' 21 packets each.
            let sent: Vec<u64> = ups.iter().map(|port| one.ports[port.ix()].bytes / 4096).collect();
            assert!(sent.iter().all(|&sent| sent <= 21), "{sent:?}");
            assert_eq!(sent.iter().sum::<u64>(), one.delivered);
            assert_eq!(one.packets, 100);
            // A fraction of the time is no more than all of it.
            assert!(one.ports.iter().all(|port| port.busy <= one.end));
        }
    }
}

#[test]
fn a_cut_that_comes_when_nothing_moves_any_more_takes_no_time() {
    let tree = two_pairs();
    let ups = uplinks(&tree, 0);
    let how = OmniPath { period: 1_000_000, ..OmniPath::default() };
    for adaptive in [Adaptive::Off, Adaptive::OmniPath(how)] {
        let set =
            Settings { queueing: Queueing::Virtual, reads: Reads::Many, adaptive, ..Settings::default() };
        let send = |cuts: &[(u64, PortId)]| {
            run_with(&tree, &set, burst(vec![Flow { from: 0, to: 2 }], 1 << 20), cuts)
        };
        let far = tree.fabric.peer(ups[1]).unwrap();
        let lost = (10 * PACKET, ups[1]);
        // A thousand seconds are a thousand million times when LIDs might move.
        for early in [&[][..], &[lost]] {
            let [before, after] =
                [early.to_vec(), [early, &[(1000 * SECOND, ups[0]), (1000 * SECOND, far)]].concat()]
                    .map(|cuts| send(&cuts));
            assert_eq!((before.end, before.time, before.events), (after.end, after.time, after.events));
            assert_eq!(before.ending, after.ending);
        }
    }
}

#[test]
fn lids_of_a_lost_cable_spread_over_those_that_are_left() {
    // An edge with four uplinks, whose table sends all that leaves it by the first.
    let mut tree = net("fat-tree:8,2", "ftree");
    let ups = uplinks(&tree, 0);
    let edge = tree.fabric.edge_switch(tree.ends[0]).unwrap();
    let lids: Vec<u32> = tree.ends[4..].iter().map(|&end| tree.routes.lids.base(end)).collect();
    for &lid in &lids {
        tree.routes.lft.row_mut(edge)[lid as usize] = tree.fabric.number_of(ups[0]);
    }
    let how = OmniPath { algorithm: Algorithm::Greedy, lost_route_only: true, ..OmniPath::default() };
    let set = Settings {
        queueing: Queueing::Virtual,
        reads: Reads::Many,
        adaptive: Adaptive::OmniPath(how),
        ..Settings::default()
    };
    let flows = (0..4).map(|from| Flow { from, to: from + 4 }).collect();
    let at = 50 * PACKET + PACKET / 2;
    let out = run_with(&tree, &set, burst(flows, 1 << 20), &[(at, ups[0])]);
    assert_eq!((out.discarded, out.moved), (0, (lids.len() as u64, at)));
    // By turns: the LIDs of the first and the fourth receiver share a cable. The first has sent 51 packets of the
    // four flows' by turns, a quarter of each.
    let packets = ups.iter().map(|port| out.ports[port.ix()].bytes / 4096).collect::<Vec<_>>();
    assert_eq!(packets.iter().sum::<u64>(), 1024);
    assert_eq!(packets[0], 51);
    for (port, flows) in [(1, 2), (2, 1), (3, 1)] {
        assert!(packets[port].abs_diff(flows * 256 - flows * 51 / 4) <= 2, "{packets:?}");
    }
}

#[test]
fn packets_choose_among_the_cables_that_are_left() {
    // Four edges with four hosts each and four cores.
    let tree = net("fat-tree:8,2", "ftree");
    let ups = uplinks(&tree, 0);
    for adaptive in [Adaptive::Least, Adaptive::TwoChoices] {
        let set =
            Settings { queueing: Queueing::Virtual, reads: Reads::Many, adaptive, ..Settings::default() };
        // All hosts of the first edge to others; only cables on their way up are cut.
        let flows: Vec<Flow> = (0..4).map(|from| Flow { from, to: from + 4 }).collect();
        let send = |cuts: &[(u64, PortId)]| run_with(&tree, &set, burst(flows.clone(), 1 << 20), cuts);
        let at = 50 * PACKET;
        let cuts = [(at, ups[0]), (at, ups[1]), (at, ups[2])];
        let out = send(&cuts);
        assert_eq!((out.discarded, whole(&out)), (0, vec![true; 4]));
        let bytes = |port: &PortId| out.ports[port.ix()].bytes;
        assert!(ups[..3].iter().all(|port| bytes(port) <= 51 * 4096), "{:?}", out.ports[ups[0].ix()]);
        assert_eq!(ups.iter().map(bytes).sum::<u64>(), 4 << 20);
        // The rest goes by one cable.
        let rest = bytes(&ups[3]) / 4096;
        assert!(out.time >= rest * PACKET && out.time < (rest + 10) * PACKET, "{} {rest}", out.time);
        // With none left nothing arrives any more.
        let all: Vec<(u64, PortId)> = ups.iter().map(|&port| (at, port)).collect();
        let out = send(&all);
        assert_eq!(out.packets, out.delivered + out.discarded);
        assert_eq!(whole(&out), [false; 4]);
        assert!(out.delivered <= 4 * 51);
    }
}

/// Whether the tables lead a flow over a cable.
fn uses(net: &Net, flow: Flow, cable: PortId) -> bool {
    let [from, to] = [flow.from, flow.to].map(|end| net.ends[end as usize]);
    let mut at = net.fabric.peer(from).unwrap();
    while at != to {
        let switch = net.fabric.node_of(at);
        let number = net.routes.lft.get(switch, net.routes.lids.base(to));
        let out = net.fabric.port(switch, number).unwrap();
        at = net.fabric.peer(out).unwrap();
        if [out, at].contains(&cable) {
            return true;
        }
    }
    false
}

#[test]
fn flows_of_other_cables_arrive_and_all_packets_are_accounted_for() {
    // Debug builds also check the credits, and that no packet is left over. Switches of 9 and of 81 ports, and
    // tables with lanes.
    let nets =
        [net("fat-tree:8,2", "ftree"), net("pgft:2;40,2;1,40;1,1", "ftree"), net("torus:4x4x2", "lash")];
    assert!(nets[2].routes.lanes.is_some());
    let omni_path = OmniPath { period: 50 * PACKET, ..OmniPath::default() };
    let adaptive = [Adaptive::Off, Adaptive::Least, Adaptive::TwoChoices, Adaptive::OmniPath(omni_path)];
    let mut lost = [0; 3];
    for seed in 0..120 {
        let mut rng = Rng::of_pattern(seed, 3);
        let (index, of_four) = (rng.below(3) as usize, rng.below(4) as usize);
        let net = &nets[index];
        // Adaptive routing ignores lanes that keep tables free of deadlock.
        let adaptive = if index == 2 { Adaptive::Off } else { adaptive[of_four] };
        let (queueing, reads) = QUEUES[rng.below(3) as usize];
        let buffer = Some(4096 * (1 + rng.below(8)));
        let set = Settings { queueing, reads, adaptive, buffer, seed, ..Settings::default() };
        let mut flows = shift(net, 1 + rng.below(30));
        flows.extend(shift(net, 1 + rng.below(30)));
        let between =
            |&(a, b): &(PortId, PortId)| [a, b].iter().all(|&p| net.fabric.is_switch(net.fabric.node_of(p)));
        let cables: Vec<PortId> = net.fabric.cables().filter(between).map(|(a, _)| a).collect();
        let cuts: Vec<(u64, PortId)> = (0..=rng.below(3))
            .map(|_| {
                let cable = cables[rng.below(cables.len() as u32) as usize];
                (u64::from(rng.below(60)) * PACKET + u64::from(rng.below(2)) * 7777, cable)
            })
            .collect();
        // Two messages one after the other: a second may be posted when cables have failed already.
        let messages = || Streams::new(flows.clone(), 15 * 4096, 1, 2, None);
        let out = run_with(net, &set, messages(), &cuts);
        assert_eq!(out.ending, Ending::Done, "seed {seed}");
        assert_eq!(out.packets, out.delivered + out.discarded);
        for (&flow, &(arrived, _)) in flows.iter().zip(&out.application.arrived) {
            let whole = arrived == 2;
            let is_cut = cuts.iter().any(|&(_, cable)| uses(net, flow, cable));
            assert!(whole || is_cut || adaptive != Adaptive::Off, "seed {seed}: {flow:?}");
            lost[index] += u32::from(!whole);
        }
        let again = run_with(net, &set, messages(), &cuts);
        assert_eq!((again.time, again.events, again.ports), (out.time, out.events, out.ports));
    }
    assert!(lost.iter().all(|&lost| lost > 20), "{lost:?}");
}
