//! Several workloads at once, the LIDs that messages go to, and links over time.

use std::sync::atomic::AtomicBool;

use lacis_core::model::load::Multipath;
use lacis_core::model::packet::{
    Ending, Experiment, Network, Queueing, Reads, Settings, SimulationRequest, Streams, Test, Workload,
    experiment,
};
use lacis_core::ranks::Flow;
use lacis_core::ranks::Participants;
use lacis_core::traffic::{Pattern, Phases, Traffic};

use crate::{BYTE, Net, net, pattern, run, sending};

fn listed<'a>(participants: &'a Participants, pairs: &[(u32, u32)], bytes: u64) -> Traffic<'a> {
    let phases = Phases::new(&Pattern::File("pairs".into()), participants, 1, vec![pairs.to_vec()]).unwrap();
    Traffic::Pattern(phases.with_bytes(bytes))
}

fn together(net: &Net, works: &[Workload<'_>], settings: Settings) -> Experiment {
    let network = Network::new(&net.fabric, &net.routes, &net.ends);
    let request = SimulationRequest { settings, seed: 1, circles: false, record: true };
    experiment(&AtomicBool::new(false), &network, works, &request).unwrap()
}

#[test]
fn workloads_on_separate_paths_do_not_change_each_others_times() {
    let star = net("fat-tree:8,1", "minhop");
    let participants = Participants::each_port(&star.fabric, &star.ends);
    let (one, other) =
        (listed(&participants, &[(0, 1), (2, 3)], 100_000), listed(&participants, &[(4, 5), (6, 7)], 8));
    let set = Settings { switch_latency: 90_000, send_overhead: 200_000, ..Settings::default() };
    let one = sending(&one, Some(Test::Windows { window: 4, windows: 3 }));
    let other = sending(&other, Some(Test::PingPong(50)));
    let both = together(&star, &[one, other], set);
    for (index, alone) in [one, other].into_iter().enumerate() {
        let alone = together(&star, &[alone], set);
        let (here, there) = (&both.works[index], &alone.works[0]);
        assert_eq!((&here.times, &here.latencies), (&there.times, &there.latencies));
        assert_eq!((&here.bandwidths, here.payload), (&there.bandwidths, there.payload));
    }
    assert_eq!(both.packets, 2 * (12 * 25 + 3) + 2 * 100);
}

#[test]
fn on_one_link_the_rates_of_two_workloads_add_up_to_its_own() {
    let star = net("fat-tree:4,1", "minhop");
    let participants = Participants::each_port(&star.fabric, &star.ends);
    let set = Settings { queueing: Queueing::Virtual, reads: Reads::Many, ..Settings::default() };
    let bytes = 4096 * 1000;
    let (one, other) = (listed(&participants, &[(0, 2)], bytes), listed(&participants, &[(1, 2)], bytes));
    let works = [&one, &other].map(|traffic| sending(traffic, Some(Test::Burst(1))));
    let out = together(&star, &works, set);
    // All the time one of them has a packet on the link to host 2.
    assert_eq!(out.times, [2 * bytes * BYTE]);
    let rates: Vec<f64> = out.works.iter().map(|work| work.bandwidths[0]).collect();
    let sum: f64 = rates.iter().sum();
    assert!((sum / 12.5e9 - 1.0).abs() < 0.001, "{rates:?}");
    assert!((rates[0] / rates[1] - 1.0).abs() < 0.002, "{rates:?}");
}

#[test]
fn an_open_load_lasts_as_long_as_the_others_or_for_its_duration() {
    let star = net("fat-tree:4,1", "minhop");
    let participants = Participants::each_port(&star.fabric, &star.ends);
    let bytes = 4096 * 1000;
    let (bulk, small) = (listed(&participants, &[(0, 2)], bytes), listed(&participants, &[(1, 3)], 64));
    let alone = bytes * BYTE;
    let bulk = sending(&bulk, Some(Test::Burst(1)));
    let load = |duration| sending(&small, Some(Test::Load { load: 0.2, duration }));
    let long = together(&star, &[bulk, load(100 * alone)], Settings::default());
    assert_eq!((&long.times, long.works[0].times[0], long.works[0].through), (&vec![alone], alone, 1));
    assert!(long.works[1].times[0] > alone - alone / 50 && long.works[1].times[0] <= alone);
    let short = together(&star, &[bulk, load(alone / 10)], Settings::default());
    assert_eq!(short.times, [alone]);
    assert!(short.works[1].times[0] < alone / 9);
    // Alone it ends with its duration.
    assert_eq!(together(&star, &[load(alone)], Settings::default()).simulated, alone);
}

#[test]
fn every_message_is_noted_once_with_its_times() {
    let star = net("fat-tree:4,1", "minhop");
    let participants = Participants::each_port(&star.fabric, &star.ends);
    let shifts = pattern(&participants, "shift:1,2", 4096);
    let set = Settings { send_overhead: 5_000, ..Settings::default() };
    let out = together(&star, &[sending(&shifts, Some(Test::PingPong(2)))], set);
    let way = 5_000 + 4096 * BYTE;
    assert_eq!(out.record_ends, [16, 32]);
    for (run, distance) in [(0, 1), (1, 2)] {
        let records = &out.records[16 * run..][..16];
        for from in 0..4 {
            let to = (from + distance) % 4;
            // Two there and two back, at their times.
            for (way_number, from, to) in [(0, from, to), (1, to, from), (2, from, to), (3, to, from)] {
                let (posted, arrived) = (way_number * way, (way_number + 1) * way);
                let fits = |r: &&lacis_core::model::packet::Record| {
                    (r.from, r.to, r.posted, r.arrived) == (from, to, posted, arrived) && r.bytes == 4096
                };
                let count = records.iter().filter(fits).count();
                assert_eq!(count, 1, "{from} to {to}");
            }
        }
    }
}

#[test]
fn a_links_busy_time_by_interval_adds_up_to_what_it_sent() {
    let tree = net("fat-tree:4,2", "ftree");
    let packet = 4096 * BYTE;
    for interval in [packet / 3, packet, 1_000_000, u64::MAX / 2] {
        let set = Settings { interval, ..Settings::default() };
        let flows = vec![Flow { from: 0, to: 7 }, Flow { from: 1, to: 7 }];
        let out = run(&tree, &set, Streams::new(flows, 10 * 4096, 1, 1, None));
        let slots = out.slots.unwrap();
        assert!(!slots.is_cut);
        assert_eq!(slots.len() as u64, out.time.div_ceil(interval));
        for (column, &port) in slots.ports.iter().enumerate() {
            let all: Vec<u64> = slots.busy.chunks(slots.ports.len()).map(|row| row[column]).collect();
            assert_eq!(all.iter().sum::<u64>(), out.ports[port as usize].busy);
            assert!(all.iter().all(|&busy| busy <= interval));
            // The link to host 7 is busy all the time.
            if tree.fabric.peer(lacis_core::fabric::PortId(port)) == Some(tree.ends[7]) {
                assert!(all[..all.len() - 1].iter().all(|&busy| busy == interval));
            }
        }
    }
    // Room for two intervals only.
    let few = Settings { interval: packet, cells: 2 * 32, ..Settings::default() };
    let out = run(&tree, &few, Streams::new(vec![Flow { from: 0, to: 7 }], 10 * 4096, 1, 1, None));
    let slots = out.slots.unwrap();
    assert_eq!((out.ending, slots.len(), slots.is_cut), (Ending::Done, 2, true));
}

#[test]
fn messages_go_to_the_lids_that_the_choice_selects() {
    // Of the two LIDs of a host one leads over either spine: messages by turns fill both.
    let tree = crate::net_with_lmc("fat-tree:4,2", "minhop", 1);
    let participants = Participants::each_port(&tree.fabric, &tree.ends);
    let traffic = listed(&participants, &[(0, 2), (0, 3), (0, 4), (0, 5), (0, 6), (0, 7)], 4096);
    let used = |multipath| {
        let set = Settings { multipath, ..Settings::default() };
        let out = together(&tree, &[sending(&traffic, Some(Test::Burst(64)))], set);
        let leaf = tree.fabric.edge_switch(tree.ends[0]).unwrap();
        let ups = tree.fabric.ports_of(leaf).filter(|&p| {
            tree.fabric.peer(p).is_some_and(|far| tree.fabric.is_switch(tree.fabric.node_of(far)))
        });
        ups.map(|p| out.ports[p.ix()].bytes / 4096).collect::<Vec<u64>>()
    };
    assert_eq!(used(Multipath::ByMessage), [192, 192]);
    // Host 0 takes the second LID of odd hosts.
    let leaf = tree.fabric.edge_switch(tree.ends[0]).unwrap();
    let mut expected = [0; 2];
    for to in 2..8 {
        let lid = tree.routes.lids.base(tree.ends[to]) + to as u32 % 2;
        expected[usize::from(tree.routes.lft.get(leaf, lid)) - 3] += 64; // the spines are at ports 3 and 4
    }
    assert_eq!(used(Multipath::ByPeer), expected);
    assert_eq!(used(Multipath::ByHash).iter().sum::<u64>(), 384);
    assert!(used(Multipath::ByHash).iter().all(|&packets| packets % 64 == 0));
}
