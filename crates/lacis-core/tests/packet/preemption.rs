//! Pre-emption: what interrupts what, and how late that makes the rest, to the picosecond.

use lacis_core::model::packet::{Device, Ending, Queueing, Reads, Settings};
use lacis_core::qos::{Arbitration, Lanes};
use lacis_core::traffic::Rng;

use crate::adaptive::{slow_down, two_pairs};
use crate::timed::{Timed, flow};
use crate::{BYTE, PACKET, net, run};

fn preempting(preempt: bool) -> Settings {
    let lanes = Lanes {
        count: 2,
        arbitration: Arbitration::new(&[(1, 64)], &[(0, 64)], 255),
        preempt,
        ..Lanes::default()
    };
    Settings { lanes, ..Device::named("opa100").unwrap().settings }
}

#[test]
fn a_packet_that_interrupts_another_delays_it_by_its_own_time_and_waits_for_nothing() {
    let tree = two_pairs();
    let (large, small) = ((8192 + 64) * BYTE, (8 + 64) * BYTE);
    let alone = |wire, latencies: u64| 2 * 400_000 + 4 * 10_000 + latencies + wire;
    // From edge to edge: hosts and cores within their blocks of four ports.
    let quiet = |bytes| {
        let flows = Timed::new(vec![(flow(0, 2), bytes, 0, vec![0])]);
        run(&tree, &preempting(true), flows).time
    };
    let latencies = quiet(8) - alone(small, 0);
    assert_eq!(quiet(8192), alone(large, latencies));
    for to in [2, 3] {
        // To the same host and to another; posted so that the small one comes when the large one is on the shared cable.
        for at in [100_000, 300_000, 500_000] {
            let timed = |at| Timed::new(vec![(flow(0, 2), 8192, 0, vec![0]), (flow(1, to), 8, 1, vec![at])]);
            let out = run(&tree, &preempting(true), timed(at));
            assert_eq!((out.ending, out.delivered), (Ending::Done, 2));
            assert_eq!(out.application.got[1].1, vec![alone(small, latencies)], "at {at} to {to}");
            assert_eq!(out.application.got[0].2, alone(large, latencies) + small, "at {at} to {to}");
            // Without pre-emption the small one waits until the large one has left.
            let out = run(&tree, &preempting(false), timed(at));
            assert_eq!(
                out.application.got[1].1,
                vec![alone(small, latencies) + large - at],
                "at {at} to {to}"
            );
            assert_eq!(out.application.got[0].2, alone(large, latencies));
        }
        // Half a small packet after the first a second one comes from the other host: it waits for the rest of the first.
        let other = vec![300_000 + small / 2];
        let both =
            [(flow(0, 2), 8192, 0, vec![0]), (flow(1, to), 8, 1, vec![300_000]), (flow(0, to), 8, 1, other)];
        let out = run(&tree, &preempting(true), Timed::new(both.to_vec()));
        assert_eq!(out.application.got[1].1, vec![alone(small, latencies)], "to {to}");
        assert_eq!(out.application.got[2].1, vec![alone(small, latencies) + small / 2], "to {to}");
        assert_eq!(out.application.got[0].2, alone(large, latencies) + 2 * small, "to {to}");
        // At a host, too.
        let timed = Timed::new(vec![(flow(0, 2), 8192, 0, vec![0]), (flow(0, to), 8, 1, vec![200_000])]);
        let out = run(&tree, &preempting(true), timed);
        assert_eq!(out.application.got[1].1, vec![alone(small, latencies)], "to {to}");
        assert_eq!(out.application.got[0].2, alone(large, latencies) + small, "to {to}");
    }
}

#[test]
fn under_a_bulk_flow_small_messages_take_a_packet_time_more_than_alone() {
    // 64 bytes at random times beside a stream of 8 KiB packets that fills the shared cable.
    let tree = two_pairs();
    let (packet, small) = ((8192 + 64) * BYTE, (64 + 64) * BYTE);
    let mut rng = Rng::of_pattern(3, 0);
    let mut at = 0;
    let times: Vec<u64> = (0..3000)
        .map(|_| {
            at += u64::from(rng.below(2_000_000));
            at
        })
        .collect();
    let bulk = vec![0; at as usize / (128 * packet as usize)];
    let took = |set: &Settings, bulk: &[u64]| {
        let timed =
            Timed::new(vec![(flow(0, 2), 128 * 8192, 0, bulk.to_vec()), (flow(1, 3), 64, 1, times.clone())]);
        let out = run(&tree, set, timed);
        assert_eq!((out.ending, out.delivered), (Ending::Done, out.packets));
        let mut took = out.application.got[1].1.clone();
        took.sort_unstable();
        // Bulk, 99 % and the middle.
        [out.application.got[0].2, took[took.len() * 99 / 100], took[took.len() / 2]]
    };
    let alone = took(&preempting(true), &[]);
    let without = took(&preempting(false), &bulk);
    let with = took(&preempting(true), &bulk);
    assert!(without[1] - alone[1] > packet * 9 / 10, "{without:?} {alone:?}");
    assert!(with[1] - alone[1] <= 2 * small, "{with:?} {alone:?}");
    assert_eq!(with[2], alone[2]);
    // Nothing is lost: the cable carries both in the same time.
    let both = bulk.len() as u64 * 128 * packet + times.len() as u64 * small;
    assert!(with[0].abs_diff(both) < 20 * packet, "{} {both}", with[0]);
    assert!(with[0].abs_diff(without[0]) < 20 * packet, "{with:?} {without:?}");
}

/// Devices without latencies.
fn ideal(preempt: bool) -> Settings {
    let lanes = preempting(preempt).lanes;
    Settings { lanes, queueing: Queueing::Virtual, reads: Reads::Many, ..Settings::default() }
}

#[test]
fn packets_that_may_interrupt_do_not_interrupt_each_other() {
    let switch = net("fat-tree:4,1", "minhop");
    let urgent = |from, at| (flow(from, 2), 4096, 1, vec![at]);
    let out = run(&switch, &ideal(true), Timed::new(vec![urgent(0, 0), urgent(1, PACKET / 2)]));
    assert_eq!([0, 1].map(|index| out.application.got[index].1[0]), [PACKET, PACKET + PACKET / 2]);
}

#[test]
fn a_host_that_is_slower_than_its_link_waits_for_what_interrupts_too() {
    // Each packet takes a host twice its time on the link.
    let switch = net("fat-tree:4,1", "minhop");
    let set =
        Settings { host_efficiency: 0.5, queueing: Queueing::Virtual, reads: Reads::Many, ..ideal(true) };
    let small = 400 * BYTE;
    let flows = vec![(flow(0, 2), 2 * 4096, 0, vec![0]), (flow(0, 2), 400, 1, vec![PACKET / 2])];
    let out = run(&switch, &set, Timed::new(flows));
    assert_eq!(out.application.got[1].1, vec![2 * small]);
    assert_eq!(out.application.got[0].1, vec![4 * PACKET + 2 * small]);
}

#[test]
fn a_link_does_not_carry_the_end_of_a_packet_and_what_interrupts_it_at_once() {
    // Three edges with two hosts each, and a core. A packet from the first to the second edge is interrupted on its first
    // cable for a packet's time, half through. On the next its end would come after two packets' time; a quarter before,
    // half a packet from the third edge interrupts it there.
    let tree = net("pgft:2;2,3;1,1;1,1", "minhop");
    let flows = vec![
        (flow(0, 2), 4096, 0, vec![0]),
        (flow(1, 4), 4096, 1, vec![PACKET / 2]),
        (flow(5, 3), 2048, 1, vec![7 * PACKET / 4]),
    ];
    let out = run(&tree, &ideal(true), Timed::new(flows));
    assert_eq!([1, 2].map(|index| out.application.got[index].1[0]), [PACKET, PACKET / 2]);
    assert_eq!(out.application.got[0].2, 9 * PACKET / 4);
}

#[test]
fn a_packet_from_a_slow_link_takes_its_time_there_whether_packets_may_interrupt_or_not() {
    let mut switch = net("fat-tree:4,1", "minhop");
    let slow = switch.ends[0];
    slow_down(&mut switch, slow);
    for preempt in [false, true] {
        let set = Settings { cable_delay: 100_000, switch_latency: 90_000, ..ideal(preempt) };
        let out = run(&switch, &set, Timed::new(vec![(flow(0, 2), 4096, 0, vec![0])]));
        let time = out.ports[slow.ix()].busy;
        assert!(time > 3 * PACKET / 2);
        assert!(out.time.abs_diff(2 * 100_000 + 90_000 + time) <= 1, "{} {time}", out.time);
    }
}

#[test]
fn every_packet_arrives_however_often_it_is_interrupted() {
    // Debug builds also check the credits, and that no packet is left over. Lanes 0 and 2 are interrupted by lane 1.
    let tree = net("pgft:2;4,3;1,2;1,1", "minhop");
    let lanes = Lanes {
        count: 3,
        arbitration: Arbitration::new(&[(1, 64)], &[(0, 64), (2, 32)], 255),
        preempt: true,
        ..Lanes::default()
    };
    for seed in 0..60 {
        let mut rng = Rng::of_pattern(seed, 5);
        let flows: Vec<_> = (0..24)
            .map(|from| {
                let (to, sl) = ((from + 1 + rng.below(11)) % 12, rng.below(3) as u8);
                let bytes = if sl == 1 { 1 + rng.below(600) } else { 1 + rng.below(20_000) };
                let times = (0..10).map(|_| u64::from(rng.below(10)) * PACKET / 3).collect();
                (flow(from % 12, to), u64::from(bytes), sl, times)
            })
            .filter(|(flow, ..)| flow.from != flow.to)
            .collect();
        let messages = 10 * flows.len() as u64;
        let set = Settings { lanes, buffer: Some(4096 * (1 + rng.below(8))), seed, ..ideal(true) };
        let out = run(&tree, &set, Timed::new(flows));
        assert_eq!((out.ending, out.latencies.count), (Ending::Done, messages), "seed {seed}");
        assert_eq!((out.delivered, out.discarded), (out.packets, 0));
    }
}
