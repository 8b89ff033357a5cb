//! Lanes, arbitration and pre-emption: shares as weights say, and interruptions to the picosecond.

use lacis_core::fabric::PortId;
use lacis_core::model::load::Multipath;
use lacis_core::model::packet::{Application, Arrived, Ending, Network, Post, Queueing, Reads, Settings};
use lacis_core::predict::{TimesRequest, times};
use lacis_core::qos::{Arbitration, Lanes, LanesError};
use lacis_core::ranks::{Participants, Ranks};
use lacis_core::sm::lanes::{PathLanes, ServiceLevels, VirtualLanes};
use lacis_core::traffic::{Program, Traffic};

use crate::adaptive::two_pairs;
use crate::programs::run_alone;
use crate::timed::{Timed, flow};
use crate::{BYTE, MEMORY, Net, net, run};

/// Two lanes, service level and lane the same.
fn two_lanes(high: &[(u8, u8)], low: &[(u8, u8)], limit: u8) -> Settings {
    let lanes = Lanes { count: 2, arbitration: Arbitration::new(high, low, limit), ..Lanes::default() };
    Settings { queueing: Queueing::Virtual, reads: Reads::Many, lanes, ..Settings::default() }
}

/// What two hosts that send to a third get in `packets` packet times: the first in messages of 4096 bytes at level 0,
/// the second of `bytes` at level 1.
fn shares(set: &Settings, bytes: u64, packets: u64) -> [u64; 2] {
    let switch = net("fat-tree:4,1", "minhop");
    let set = Settings { horizon: packets * 4096 * BYTE + 1, ..*set };
    let many = vec![0; 4000];
    let timed = Timed::new(vec![(flow(0, 2), 4096, 0, many.clone()), (flow(1, 2), bytes, 1, many)]);
    let out = run(&switch, &set, timed);
    [out.application.got[0].0 / 4096, out.application.got[1].0 / bytes]
}

#[test]
fn lanes_of_a_table_share_a_link_as_their_weights_say() {
    // 64 units of 64 bytes are a packet.
    for (weights, packets) in [((64, 64), [200, 200]), ((192, 64), [300, 100]), ((64, 255), [80, 320])] {
        let got = shares(&two_lanes(&[], &[(0, weights.0), (1, weights.1)], 0), 4096, 400);
        assert!(got.iter().zip(packets).all(|(&got, packets)| got.abs_diff(packets) <= 4), "{got:?}");
        // The same in the table of high priority.
        assert_eq!(shares(&two_lanes(&[(0, weights.0), (1, weights.1)], &[], 7), 4096, 400), got);
    }
    // Weights are bytes: four packets of a quarter.
    let got = shares(&two_lanes(&[], &[(0, 64), (1, 64)], 0), 1024, 400);
    assert!(got[0].abs_diff(200) <= 1 && got[1].abs_diff(800) <= 4, "{got:?}");
    // A weight of less than a packet is overdrawn by one.
    let got = shares(&two_lanes(&[], &[(0, 1), (1, 1)], 0), 1024, 400);
    assert!(got[0].abs_diff(320) <= 1 && got[1].abs_diff(320) <= 1, "{got:?}");
}

#[test]
fn a_unit_of_weight_is_64_bytes() {
    // Lane 0 sends one packet of 4096 bytes a turn: its weight of one is overdrawn. Lane 1's weight is n packets of
    // 256 bytes exactly at four units each, so a round takes 4096 + 256 n bytes of the link's 400 × 4096.
    for n in [1, 2, 5] {
        let rounds = 400 * 4096 / (4096 + 256 * n);
        let weights = [(0, 1), (1, 4 * n as u8)];
        for set in [two_lanes(&[], &weights, 0), two_lanes(&weights, &[], 255)] {
            let got = shares(&set, 256, 400);
            assert!(got[0].abs_diff(rounds) <= 1 && got[1].abs_diff(rounds * n) <= n + 1, "{n}: {got:?}");
        }
    }
}

#[test]
fn high_priority_goes_first_up_to_its_limit() {
    // A packet of 4096 bytes is a unit of the limit.
    for (limit, low) in [(0, 200), (1, 200), (3, 100), (7, 50), (255, 0)] {
        let got = shares(&two_lanes(&[(1, 64)], &[(0, 64)], limit), 4096, 400);
        assert!(got[0].abs_diff(low) <= 2 && got[1].abs_diff(400 - low) <= 2, "limit {limit}: {got:?}");
    }
    // Where the higher has nothing to send, the other has all.
    let set = two_lanes(&[(1, 64)], &[(0, 64)], 255);
    let switch = net("fat-tree:4,1", "minhop");
    let out = run(&switch, &set, Timed::new(vec![(flow(0, 2), 4096, 0, vec![0; 100])]));
    assert_eq!(out.time, 101 * 4096 * BYTE - 4096 * BYTE);
}

/// Lanes that tables assign: the level of each LID is given, and lane and level are the same.
fn lanes_by_lid(net: &Net, level: impl Fn(u32) -> u8) -> PathLanes {
    let ports = net.fabric.switches().map(|s| usize::from(net.fabric.radix(s))).max().unwrap() + 1;
    let lanes = (0..net.fabric.num_switches() * ports * ports * 16).map(|index| (index % 16).min(1) as u8);
    let mapped = VirtualLanes::Mapped { ports, lanes: lanes.collect() };
    PathLanes::new(ServiceLevels::ByLid((0..net.routes.lft.stride() as u32).map(level).collect()), mapped)
}

#[test]
fn a_class_on_its_own_lane_does_not_wait_behind_another() {
    // Four hosts send to one at level 0; one of them sends to another receiver, too, at level 0 or 1. In one queue those
    // wait behind the rest.
    let switch = net("fat-tree:8,1", "minhop");
    let other = |sl, mapping| {
        let lanes = Lanes { mapping: Some(mapping), ..Lanes::default() };
        let set = Settings { lanes, ..Settings::default() };
        let mut flows: Vec<_> = (0..4).map(|from| (flow(from, 7), 4096, 0, vec![0; 500])).collect();
        flows.push((flow(0, 6), 4096, sl, vec![0; 500]));
        run(&switch, &set, Timed::new(flows)).application.got[4].2
    };
    let mut mapping = [0; 16];
    let shared = other(1, mapping);
    mapping[1] = 1;
    // The host's own link is shared by turns: 500 packets each.
    let own = other(1, mapping);
    assert!(own <= 1001 * 4096 * BYTE, "{own}");
    assert!(shared > 3 * own / 2, "{shared} {own}");
    assert_eq!(other(0, mapping), shared);
    // The same where the tables give the levels, and from the sender's own link on.
    let mut by_tables = net("fat-tree:8,1", "minhop");
    let lid = by_tables.routes.lids.base(by_tables.ends[6]);
    by_tables.routes.lanes = Some(lanes_by_lid(&by_tables, |to| u8::from(to == lid)));
    let mut flows: Vec<_> = (0..4).map(|from| (flow(from, 7), 4096, 0, vec![0; 500])).collect();
    flows.push((flow(0, 6), 4096, 0, vec![0; 500]));
    assert_eq!(run(&by_tables, &Settings::default(), Timed::new(flows)).application.got[4].2, own);
}

#[test]
fn lanes_that_are_missing_are_named() {
    let tree = net("fat-tree:4,1", "minhop");
    let ring = net("ring:7", "dfsssp");
    let check = |net: &Net, lanes: Lanes, levels: &[u8]| {
        let set = Settings { lanes, reads: Reads::Many, ..Settings::default() };
        set.check_lanes(&Network::new(&net.fabric, &net.routes, &net.ends as &[PortId]), levels)
    };
    let none = Lanes::default();
    let tables = |high: &[(u8, u8)], low: &[(u8, u8)]| Arbitration::new(high, low, 0);
    assert_eq!(check(&tree, none, &[0]), Ok(()));
    assert_eq!(check(&tree, none, &[0, 3]), Err(LanesError::Unmapped(3, 3, 0)));
    assert_eq!(check(&tree, Lanes { count: 4, ..none }, &[0, 3]), Ok(()));
    let mapping = Some([0, 5, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]);
    assert_eq!(check(&tree, Lanes { mapping, ..none }, &[1]), Ok(()));
    assert_eq!(check(&tree, Lanes { mapping, count: 2, ..none }, &[1]), Err(LanesError::Unmapped(1, 5, 1)));
    let arbitration = tables(&[(1, 4)], &[(0, 0)]);
    let lanes = Lanes { count: 2, arbitration, ..none };
    assert_eq!(check(&tree, lanes, &[1]), Ok(()));
    assert_eq!(check(&tree, lanes, &[1, 0]), Err(LanesError::NoWeight(0)));
    let arbitration = tables(&[(2, 4)], &[(0, 1)]);
    assert_eq!(
        check(&tree, Lanes { count: 2, arbitration, ..none }, &[0]),
        Err(LanesError::NoSuchLane(2, 1))
    );
    assert_eq!(check(&tree, Lanes { preempt: true, ..none }, &[0]), Err(LanesError::NothingUrgent));
    assert_eq!(check(&tree, Lanes { count: 16, ..none }, &[0]), Err(LanesError::Count(16)));
    assert_eq!(check(&ring, none, &[0, 3]), Ok(()));
    assert_eq!(check(&ring, Lanes { count: 4, ..none }, &[0]), Err(LanesError::OfTables(8)));
    // dfsssp spreads paths over eight lanes.
    let arbitration = tables(&[], &[(0, 1)]);
    assert_eq!(check(&ring, Lanes { arbitration, ..none }, &[0]), Err(LanesError::NoWeight(1)));
    assert_eq!(Arbitration::new(&[(0, 1); 65], &[], 0), None);
}

/// When the messages of a trace end that are in flight together [s], packet by packet and as fluids, ascending.
fn ends_of(trace: &str, lanes: Lanes) -> (Vec<f64>, Vec<f64>) {
    let switch = net("fat-tree:6,1", "minhop");
    let set = Settings { queueing: Queueing::Virtual, reads: Reads::Many, lanes, ..Settings::default() };
    let out = run_alone(&switch, "trace:x", 1, 1, trace, set);
    let mut packets: Vec<f64> =
        out.records.iter().map(|record| (record.arrived - record.posted) as f64 / 1e12).collect();
    packets.sort_by(f64::total_cmp);
    let participants = Participants::each_port(&switch.fabric, &switch.ends);
    let ranks = Ranks::in_a_row(&participants, 1);
    let traffic = Traffic::Program(Program::new(&"trace:x".parse().unwrap(), ranks, 1, trace).unwrap());
    let request = TimesRequest {
        seed: 1,
        host_efficiency: 1.0,
        link_efficiency: 1.0,
        local_rate: MEMORY,
        lanes: Some(lanes),
        hottest: 0,
        multipath: Multipath::None,
    };
    let fluid = times(&switch.fabric, &switch.routes, &traffic, &request).unwrap().completion;
    let each = fluid.values().iter().flat_map(|&(time, count)| vec![time; count as usize]);
    (packets, each.collect())
}

#[test]
fn fluids_share_lanes_as_packets_do() {
    let line = |from: u32, to: u32, megabytes: u32, sl: u8| {
        format!(
            r#"{{"phase": 0, "source": {from}, "destination": {to}, "bytes": {megabytes}000000, "sl": {sl}}}"#
        )
    };
    // Host 5 receives on three lanes, one of them from two senders, host 4 on two. No host sends twice on a lane:
    // packets would wait for each other in its buffers.
    let all = [(0, 5, 8, 0), (1, 5, 8, 1), (2, 5, 2, 1), (3, 5, 4, 2), (0, 4, 6, 2), (3, 4, 3, 0)];
    let trace = all.map(|(from, to, bytes, sl)| line(from, to, bytes, sl)).join("\n");
    for (high, low, limit) in [
        (&[][..], &[][..], 0),
        (&[][..], &[(0, 64), (1, 192), (2, 128)][..], 0),
        (&[(2, 64)][..], &[(0, 64), (1, 192)][..], 3),
        (&[(1, 64), (0, 128)][..], &[(2, 64)][..], 255),
    ] {
        let arbitration = Arbitration::new(high, low, limit).filter(|_| !low.is_empty());
        let (packets, fluid) = ends_of(&trace, Lanes { count: 3, arbitration, ..Lanes::default() });
        assert_eq!((packets.len(), fluid.len()), (6, 6));
        for (a, b) in packets.iter().zip(&fluid) {
            assert!((a - b).abs() < 0.02 * b, "{packets:?} {fluid:?} with {high:?}, {low:?}, {limit}");
        }
    }
}

/// Host 0 posts a message of a packet to host 1 at each of some service levels, all to one queue.
struct InTurn(Vec<u8>);

impl Application for InTurn {
    fn senders(&self) -> Vec<u32> {
        vec![0]
    }

    fn begin(&mut self, posts: &mut Vec<Post>) {
        posts.extend(self.0.iter().map(|&sl| Post { at: 0, queue: 0, to: 1, bytes: 4096, sl, tag: 0 }));
    }

    fn arrived(&mut self, _: &Arrived, _: &mut Vec<Post>) {}
}

#[test]
fn each_message_of_a_queue_goes_by_the_lane_of_its_own_level() {
    // A buffer has room for one packet, and a credit is back a packet's and two cables' time after one has begun to
    // leave. The second packet waits for that; the third does again on the same lane, but not on another.
    let switch = net("fat-tree:4,1", "minhop");
    let (packet, cable) = (4096 * BYTE, 1_000_000);
    let set = Settings { buffer: Some(4096), cable_delay: cable, ..two_lanes(&[(0, 64), (1, 64)], &[], 255) };
    assert_eq!(run(&switch, &set, InTurn(vec![0, 0, 0])).time, 3 * packet + 6 * cable);
    assert_eq!(run(&switch, &set, InTurn(vec![0, 0, 1])).time, 3 * packet + 4 * cable);
    assert_eq!(run(&switch, &set, InTurn(vec![1, 1, 0])).time, 3 * packet + 4 * cable);
}

#[test]
fn lanes_that_join_behind_a_switch_all_go_on() {
    // Hosts 0 and 1 send to host 2 over one cable, on lane 0 and on lane 1; the core puts both on lane 0, so that two
    // queues of its input want the same lane of the same output. There they wait, for host 3 keeps host 2's link busy.
    let mut tree = two_pairs();
    let ports = tree.fabric.switches().map(|s| usize::from(tree.fabric.radix(s))).max().unwrap() + 1;
    let mut lanes = vec![0; tree.fabric.num_switches() * ports * ports * 16];
    let edge = tree.fabric.edge_switch(tree.ends[1]).unwrap().ix();
    let from = usize::from(tree.fabric.number_of(tree.fabric.peer(tree.ends[1]).unwrap()));
    for out in 0..ports {
        lanes[((edge * ports + from) * ports + out) * 16] = 1;
    }
    let mapped = VirtualLanes::Mapped { ports, lanes };
    let levels = ServiceLevels::ByLid(vec![0; tree.routes.lft.stride()]);
    tree.routes.lanes = Some(PathLanes::new(levels, mapped));
    for (queueing, reads) in
        [(Queueing::Fifo, Reads::One), (Queueing::Virtual, Reads::One), (Queueing::Virtual, Reads::Many)]
    {
        let set = Settings { queueing, reads, buffer: Some(4 * 4096), ..Settings::default() };
        let message = |(from, packets): (u32, u64)| (flow(from, 2), packets * 4096, 0, vec![0]);
        let out = run(&tree, &set, Timed::new([(0, 10), (1, 30), (3, 100)].map(message).to_vec()));
        assert_eq!((out.ending, out.delivered), (Ending::Done, 140), "{queueing:?}");
        assert_eq!(out.time, 140 * 4096 * BYTE, "{queueing:?}");
    }
}

#[test]
fn a_port_starves_from_when_a_packet_first_lacks_credits() {
    // Three hosts send a packet each by one uplink, whose far buffer has room for one: credits are back a packet's and
    // two cables' time after each has begun to leave, and the uplink starves for two cables' time before the second and
    // before the third. The third comes to the switch while the second already starves.
    let tree = net("pgft:2;8,2;1,1;1,1", "minhop");
    let (packet, cable) = (4096 * BYTE, 1_000_000);
    for (queueing, reads) in [(Queueing::Fifo, Reads::One), (Queueing::Virtual, Reads::Many)] {
        let set = Settings { queueing, reads, buffer: Some(4096), cable_delay: cable, ..Settings::default() };
        let message = |from, at| (flow(from, 8 + from), 4096, 0, vec![at]);
        let out =
            run(&tree, &set, Timed::new(vec![message(0, 0), message(1, 0), message(2, packet + cable)]));
        assert_eq!(out.ending, Ending::Done);
        assert_eq!(out.ports[crate::uplinks(&tree, 0)[0].ix()].starved, 4 * cable, "{queueing:?}");
    }
}

#[test]
fn a_port_starves_though_another_lane_has_credits() {
    // Hosts 0 and 2 send on lane 0, where the uplink has credits for one packet: the second lacks them from one packet's
    // time after the first on, for two cables' time. In between host 1's packet passes on lane 1 and takes its own time.
    let tree = net("pgft:2;8,2;1,1;1,1", "minhop");
    let cable = 1_000_000;
    let message = |from, sl, at| (flow(from, 8 + from), 4096, sl, vec![at]);
    let weighted = two_lanes(&[], &[(0, 64), (1, 64)], 0);
    let by_turns = Settings { lanes: Lanes { count: 2, ..Lanes::default() }, ..weighted };
    for set in [weighted, by_turns] {
        let set = Settings { buffer: Some(4096), cable_delay: cable, ..set };
        let flows = vec![message(0, 0, 0), message(2, 0, 0), message(1, 1, 4096 * BYTE + cable / 2)];
        let out = run(&tree, &set, Timed::new(flows));
        assert_eq!(out.ending, Ending::Done);
        assert_eq!(out.ports[crate::uplinks(&tree, 0)[0].ix()].starved, 2 * cable - 4096 * BYTE);
    }
}
