//! Whole fabrics: no contention where counting shows none, deadlock where cycles are, and the fluid
//! model's rates where its assumptions hold.

use lacis_core::fabric::PortId;
use lacis_core::model::fluid::{Capacity, Fluid};
use lacis_core::model::load::{Paths, Steps};
use lacis_core::model::packet::{Adaptive, Ending, PingPong, Queueing, Reads, Settings, Streams, Waits};
use lacis_core::qos::Lanes;
use lacis_core::ranks::Flow;
use lacis_core::sm::NO_ENTRY;
use lacis_core::traffic::Rng;

use crate::{BYTE, Net, net, run, shift};

#[test]
fn every_shift_of_a_full_tree_runs_at_the_links_rate() {
    let tree = net("fat-tree:8,2", "ftree");
    let set = Settings { switch_latency: 110_000, cable_delay: 10_000, ..Settings::default() };
    for distance in 1..tree.ends.len() as u32 {
        let bytes = 10 * 4096;
        let out = run(&tree, &set, Streams::new(shift(&tree, distance), bytes, 1, 1, None));
        let alone = bytes * BYTE + 4 * 10_000 + 3 * 110_000;
        assert_eq!((out.ending, out.time), (Ending::Done, alone), "distance {distance}");
        assert_eq!(out.waited, Waits::default());
    }
}

/// The seven links of the ring in one direction, each to the switch that the next leaves, all on lane 0.
fn is_whole_ring(ring: &Net, cycle: &[(u32, u8)]) {
    assert_eq!(cycle.len(), 7);
    for (i, &(port, lane)) in cycle.iter().enumerate() {
        let (next, _) = cycle[(i + 1) % 7];
        let [port, next] = [port, next].map(PortId);
        let ahead = ring.fabric.node_of(ring.fabric.peer(port).unwrap());
        assert_eq!((ahead, lane), (ring.fabric.node_of(next), 0));
    }
}

#[test]
fn a_lane_that_no_packet_takes_does_not_hide_a_deadlock() {
    let ring = net("ring:7", "minhop");
    let lanes = Lanes { count: 2, ..Lanes::default() };
    let set = Settings { lanes, ..Settings::default() };
    let out = run(&ring, &set, Streams::new(shift(&ring, 3), 1 << 20, 1, 1, None));
    let Ending::Deadlock(cycle) = out.ending else { panic!("{:?}", out.ending) };
    is_whole_ring(&ring, &cycle);
}

#[test]
fn a_ring_on_one_lane_deadlocks_under_load_and_up_down_does_not() {
    for (engine, dies) in [("minhop", true), ("updn", false)] {
        for (queueing, reads) in [(Queueing::Fifo, Reads::One), (Queueing::Virtual, Reads::Many)] {
            let ring = net("ring:7", engine);
            let set = Settings { queueing, reads, ..Settings::default() };
            let out = run(&ring, &set, Streams::new(shift(&ring, 3), 1 << 20, 1, 1, None));
            if dies {
                let Ending::Deadlock(cycle) = out.ending else { panic!("{engine}: {:?}", out.ending) };
                is_whole_ring(&ring, &cycle);
                assert!(out.delivered < out.packets);
            } else {
                assert_eq!((out.ending, out.delivered), (Ending::Done, 7 * 256));
            }
        }
    }
}

#[test]
fn every_packet_arrives_whatever_the_queues_the_buffers_and_the_choice_of_ports() {
    // One lane, and several, which the destination decides (dfsssp), or both ends (lash).
    let on_lanes = [("ring:7", "dfsssp"), ("torus:4x4", "lash")].map(|(spec, engine)| net(spec, engine));
    assert!(on_lanes.iter().all(|net| net.routes.lanes.as_ref().unwrap().num_lanes() > 1));
    for tree in &on_lanes {
        arrive(tree, &[Adaptive::Off]);
    }
    arrive(&net("fat-tree:8,3", "minhop"), &[Adaptive::Off, Adaptive::Least, Adaptive::TwoChoices]);
}

fn arrive(tree: &Net, choices: &[Adaptive]) {
    let n = tree.ends.len() as u32;
    for (queueing, reads) in
        [(Queueing::Fifo, Reads::One), (Queueing::Virtual, Reads::One), (Queueing::Virtual, Reads::Many)]
    {
        for buffer in [Some(4096), Some(10_000), None] {
            for &adaptive in choices {
                let set =
                    Settings { queueing, reads, buffer, adaptive, cable_delay: 7_000, ..Settings::default() };
                // Each host to three others, messages of many and of few packets.
                let flows = (0..3 * n).map(|i| Flow { from: i % n, to: (i * 37 + 11 + i / n) % n });
                let flows: Vec<Flow> = flows.filter(|flow| flow.from != flow.to).collect();
                let bytes = 9 * 4096 + 100;
                let out = run(tree, &set, Streams::new(flows.clone(), bytes, 3, 2, Some(0)));
                assert_eq!(out.ending, Ending::Done, "{set:?}");
                assert_eq!(out.payload, 6 * bytes * flows.len() as u64);
                assert_eq!(out.delivered, out.packets);
                assert!(out.application.arrived.iter().all(|&(messages, _)| messages == 6));
            }
        }
    }
}

#[test]
fn two_pairs_on_one_cable_share_it_and_adaptive_routing_gives_each_its_own() {
    // The tables of both leaves send all that leaves them to the first spine.
    let mut tree = net("fat-tree:4,2", "minhop");
    let leaf = tree.fabric.edge_switch(tree.ends[0]).unwrap();
    let up = tree
        .fabric
        .ports_of(leaf)
        .find(|&p| tree.fabric.peer(p).is_some_and(|far| tree.fabric.is_switch(tree.fabric.node_of(far))));
    let up = tree.fabric.number_of(up.unwrap());
    let there = tree.ends.iter().filter(|&&end| tree.fabric.edge_switch(end) != Some(leaf));
    let lids: Vec<u32> = there.map(|&end| tree.routes.lids.base(end)).collect();
    for lid in lids {
        tree.routes.lft.row_mut(leaf)[lid as usize] = up;
    }
    let flows = vec![Flow { from: 0, to: 2 }, Flow { from: 1, to: 3 }];
    let bytes = 4096 * 1000;
    let rate = |adaptive, queueing| {
        let set = Settings { adaptive, queueing, ..Settings::default() };
        let out = run(&tree, &set, Streams::new(flows.clone(), bytes, 1, 1, None));
        2.0 * bytes as f64 / (out.time as f64 / 1e12)
    };
    for queueing in [Queueing::Fifo, Queueing::Virtual] {
        assert!((rate(Adaptive::Off, queueing) / 12.5e9 - 1.0).abs() < 0.01);
        assert!((rate(Adaptive::Least, queueing) / 25e9 - 1.0).abs() < 0.01);
    }
}

#[test]
fn of_equally_good_ports_each_is_taken_as_often_as_another() {
    // One host sends single packets with nothing else about: four ways up at every leaf.
    let tree = net("fat-tree:8,2", "minhop");
    let set = Settings { adaptive: Adaptive::Least, ..Settings::default() };
    let out = run(&tree, &set, PingPong::new(vec![Flow { from: 0, to: 31 }], 100, 2000));
    let leaf = tree.fabric.edge_switch(tree.ends[0]).unwrap();
    let is_up =
        |&p: &PortId| tree.fabric.peer(p).is_some_and(|far| tree.fabric.is_switch(tree.fabric.node_of(far)));
    let sent: Vec<u64> =
        tree.fabric.ports_of(leaf).filter(is_up).map(|p| out.ports[p.ix()].bytes / 100).collect();
    assert_eq!((sent.len(), sent.iter().sum::<u64>()), (4, 2000));
    // 500 each; the standard deviation of a binomial count is 19.
    assert!(sent.iter().all(|&count| (420..580).contains(&count)), "{sent:?}");
}

#[test]
fn with_virtual_output_queues_and_room_random_permutations_get_what_the_fluid_model_says() {
    let tree = net("fat-tree:8,3", "ftree");
    let paths = Paths::new(&tree.fabric, &tree.routes, &tree.ends, 0);
    let capacity = Capacity::of(&tree.fabric, paths.links(), 1.0);
    let n = tree.ends.len() as u32;
    let (mut modelled, mut simulated) = (0.0, 0.0);
    for seed in 0..6 {
        let mut order: Vec<u32> = (0..n).collect();
        Rng::of_pattern(seed, 0).shuffle(&mut order);
        let flows: Vec<Flow> =
            (0..n).map(|i| Flow { from: order[i as usize], to: order[((i + 1) % n) as usize] }).collect();
        let mut steps = Steps::default();
        paths.steps(&flows, &mut steps);
        let mut fluid = Fluid::new(capacity.rates.clone());
        fluid.fill(&steps);
        modelled += fluid.rates().iter().sum::<f64>() / f64::from(n);

        let horizon = 2_000 * 4096 * BYTE;
        let set = Settings {
            queueing: Queueing::Virtual,
            reads: Reads::Many,
            buffer: None,
            horizon,
            ..Settings::default()
        };
        let out = run(&tree, &set, Streams::new(flows, 4096, 2_000, 1, None));
        simulated += out.payload as f64 / (horizon as f64 / 1e12) / f64::from(n);
    }
    let ratio = simulated / modelled;
    assert!((ratio - 1.0).abs() < 0.06, "packets over fluid: {ratio}");
}

#[test]
fn what_messages_take_beyond_an_empty_fabric_is_what_their_packets_waited() {
    // One packet from each host, so that none waits at its sender. All to one host: with room for one packet they
    // wait for credits, for their turn, and behind one another.
    let tree = net("fat-tree:4,3", "minhop");
    let hosts = tree.ends.len() as u32;
    let to_one: Vec<Flow> = (1..hosts).map(|from| Flow { from, to: 0 }).collect();
    for (queueing, reads) in [(Queueing::Fifo, Reads::One), (Queueing::Virtual, Reads::Many)] {
        for buffer in [Some(4096), Some(3 * 4096), None] {
            let set = Settings { queueing, reads, buffer, switch_latency: 110_000, ..Settings::default() };
            let latencies = |flows| run(&tree, &set, Streams::new(flows, 4096, 1, 1, None));
            for flows in [to_one.clone(), shift(&tree, 5), shift(&tree, 11)] {
                let alone: u128 = flows.iter().map(|&flow| latencies(vec![flow]).latencies.sum).sum();
                let out = latencies(flows);
                let Waits { behind_others, for_credits, for_turn } = out.waited;
                let waited = u128::from(behind_others + for_credits + for_turn);
                assert_eq!(out.latencies.sum - alone, waited, "{queueing:?} {buffer:?} {:?}", out.waited);
            }
            let Waits { behind_others, for_credits, for_turn } = latencies(to_one.clone()).waited;
            let expected = (buffer != Some(4096), buffer.is_some(), true);
            assert_eq!(
                (behind_others > 0, for_credits > 0, for_turn > 0),
                expected,
                "{queueing:?} {buffer:?}"
            );
        }
    }
}

#[test]
fn packets_whose_entry_is_missing_or_the_switch_itself_are_discarded() {
    // As many ports as there are numbers, so that the number of no port is an index of some other's.
    for entry in [NO_ENTRY, 0] {
        let mut tree = net("fat-tree:16,2", "minhop");
        let edge = tree.fabric.edge_switch(tree.ends[0]).unwrap();
        let lid = tree.routes.lids.base(tree.ends[9]);
        tree.routes.lft.row_mut(edge)[lid as usize] = entry;
        let flows = vec![Flow { from: 0, to: 9 }, Flow { from: 0, to: 8 }];
        let out = run(&tree, &Settings::default(), Streams::new(flows, 3 * 4096, 1, 1, None));
        assert_eq!((out.ending, out.delivered, out.discarded), (Ending::Done, 3, 3), "entry {entry}");
    }
}
