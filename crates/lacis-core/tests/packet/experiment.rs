//! Experiments: the results of several runs are those of each run, summed up.

use std::sync::atomic::{AtomicBool, Ordering};

use lacis_core::model::packet::{
    Adaptive, Algorithm, Device, Experiment, Got, Network, OmniPath, PortUse, Queueing, Reads, Record,
    Settings, SimulateError, SimulationRequest, Slots, Test, Throttle, Workload, experiment, memory,
};
use lacis_core::ranks::{Participants, Ranks};
use lacis_core::sm::NO_ENTRY;
use lacis_core::traffic::{Striping, Traffic, TrafficOptions};

use crate::{Net, PACKET, hosts_with, net, pattern, program, sending};

fn request(settings: Settings) -> SimulationRequest {
    SimulationRequest { settings, seed: 1, circles: true, record: true }
}

/// The results of given workloads; each has a pattern, what its flows do, and the payload of a message.
fn simulated(net: &Net, works: &[(&str, Test, u64)], settings: Settings) -> Experiment {
    let participants = Participants::each_port(&net.fabric, &net.ends);
    let traffic: Vec<Traffic<'_>> =
        works.iter().map(|&(spec, _, bytes)| pattern(&participants, spec, bytes)).collect();
    let works: Vec<Workload<'_>> =
        traffic.iter().zip(works).map(|(traffic, &(_, test, _))| sending(traffic, Some(test))).collect();
    let network = Network::new(&net.fabric, &net.routes, &net.ends);
    experiment(&AtomicBool::new(false), &network, &works, &request(settings)).unwrap()
}

/// Each sum over runs that were made one by one, as its name says.
fn is_sum_of(sum: &Experiment, runs: &[Experiment]) {
    let total = |of: fn(&Experiment) -> u64| runs.iter().map(of).sum::<u64>();
    assert_eq!((sum.phases, sum.partial), (runs.len(), false));
    assert_eq!(sum.times, runs.iter().flat_map(|run| run.times.clone()).collect::<Vec<_>>());
    assert_eq!(sum.records, runs.iter().flat_map(|run| run.records.clone()).collect::<Vec<_>>());
    let (mut records, mut slots) = (0, 0);
    for (number, run) in runs.iter().enumerate() {
        records += run.records.len();
        slots += run.slots.as_ref().map_or(0, Slots::len);
        assert_eq!((sum.record_ends[number], sum.slot_ends[number]), (records, slots));
    }
    assert_eq!((sum.record_ends.len(), sum.slot_ends.len()), (runs.len(), runs.len()));
    let busy = |all: &Experiment| all.slots.as_ref().map_or(Vec::new(), |slots| slots.busy.clone());
    assert_eq!(busy(sum), runs.iter().flat_map(busy).collect::<Vec<_>>());
    for of in [
        |e: &Experiment| e.simulated,
        |e: &Experiment| e.payload,
        |e: &Experiment| e.packets,
        |e: &Experiment| e.delivered,
        |e: &Experiment| e.discarded,
        |e: &Experiment| e.hops,
        |e: &Experiment| e.moved.0,
        |e: &Experiment| e.marked,
        |e: &Experiment| e.events,
        |e: &Experiment| e.waited.behind_others,
        |e: &Experiment| e.waited.for_credits,
        |e: &Experiment| e.waited.for_turn,
    ] {
        assert_eq!(of(sum), total(of));
    }
    assert_eq!(sum.moved.1, runs.iter().map(|run| run.moved.1).max().unwrap());
    for (port, found) in sum.ports.iter().enumerate() {
        let of = |of: fn(&PortUse) -> u64| runs.iter().map(|run| of(&run.ports[port])).sum::<u64>();
        assert_eq!(
            (found.busy, found.starved, found.bytes),
            (of(|p| p.busy), of(|p| p.starved), of(|p| p.bytes))
        );
    }
    let stuck = runs.iter().position(|run| run.deadlock.is_some());
    let cycle = stuck.map(|run| (run, runs[run].deadlock.clone().unwrap().1));
    assert_eq!(sum.deadlock, cycle);
    for (index, got) in sum.works.iter().enumerate() {
        let each = || runs.iter().map(|run| &run.works[index]);
        let total = |of: fn(&Got) -> u64| each().map(of).sum::<u64>();
        for of in [
            |g: &Got| g.flows,
            |g: &Got| g.unrouted,
            |g: &Got| g.inside,
            |g: &Got| g.through as u64,
            |g: &Got| g.payload,
            |g: &Got| g.latencies.count,
        ] {
            assert_eq!(of(got), total(of));
        }
        assert_eq!(got.bandwidths, each().flat_map(|got| got.bandwidths.clone()).collect::<Vec<_>>());
        assert_eq!(got.times, each().flat_map(|got| got.times.clone()).collect::<Vec<_>>());
        assert_eq!(got.phases, each().flat_map(|got| got.phases.clone()).collect::<Vec<_>>());
        assert_eq!(got.latencies.sum, each().map(|got| got.latencies.sum).sum());
        let least = each().filter_map(|got| got.latencies.range).map(|range| range.0).min();
        let most = each().filter_map(|got| got.latencies.range).map(|range| range.1).max();
        assert_eq!(got.latencies.range, least.zip(most));
    }
}

/// Runs shifts by given distances together and one by one; beside them a second workload, whose two phases repeat.
fn sums_up(net: &Net, distances: &[u32], test: Test, bytes: u64, set: Settings) -> Experiment {
    let beside = |shift| (shift, Test::PingPong(3), 64);
    let list: Vec<String> = distances.iter().map(u32::to_string).collect();
    let sum =
        simulated(net, &[(&format!("shift:{}", list.join(",")), test, bytes), beside("shift:2,1")], set);
    let runs: Vec<Experiment> = (0..)
        .zip(&list)
        .map(|(run, distance)| {
            // Each run has its own seed.
            let set = Settings { seed: set.seed + run, ..set };
            let beside = beside(["shift:2", "shift:1"][run as usize % 2]);
            simulated(net, &[(&format!("shift:{distance}"), test, bytes), beside], set)
        })
        .collect();
    is_sum_of(&sum, &runs);
    assert!(sum.events > sum.packets && sum.delivered > 0 && sum.payload > 0);
    assert!(sum.ports.iter().any(|port| port.busy > 0));
    sum
}

#[test]
fn every_switch_and_every_host_that_sends_a_packet_is_a_hop() {
    // By three switches from leaf to leaf, by one inside a leaf.
    let tree = net("pgft:2;4,4;1,2;1,1", "minhop");
    let hops = |shift| simulated(&tree, &[(shift, Test::Burst(2), 4096)], Settings::default()).hops;
    assert_eq!(hops("shift:4"), 16 * 2 * 4);
    assert_eq!(hops("shift:1"), 2 * (4 * 4 + 12 * 2));
}

#[test]
fn an_experiment_that_is_stopped_is_partial() {
    let tree = net("pgft:2;4,4;1,2;1,1", "minhop");
    let participants = Participants::each_port(&tree.fabric, &tree.ends);
    let traffic = pattern(&participants, "shift:1,2", 1 << 20);
    let works = [sending(&traffic, Some(Test::Burst(1000)))];
    let network = Network::new(&tree.fabric, &tree.routes, &tree.ends);
    let out = experiment(&AtomicBool::new(true), &network, &works, &request(Settings::default())).unwrap();
    assert_eq!((out.phases, out.partial), (0, true));
}

#[test]
fn results_of_several_runs_are_those_of_each_summed_up() {
    let tree = net("pgft:2;4,4;1,2;1,1", "minhop");
    let set = Settings {
        buffer: Some(3 * 4096),
        cable_delay: 200_000,
        interval: 3 * PACKET,
        adaptive: Adaptive::TwoChoices,
        ..Settings::default()
    };
    let windows = Test::Windows { window: 3, windows: 2 };
    let sum = sums_up(&tree, &[1, 4, 5, 6], windows, 5 * 4096, set);
    let waited = [sum.waited.behind_others, sum.waited.for_credits, sum.waited.for_turn];
    assert!(waited.iter().all(|&time| time > 0), "{waited:?}");
    assert!(sum.ports.iter().any(|port| port.starved > 0));

    // Marks.
    let throttle = Some(Throttle { threshold: 15, ..Throttle::default() });
    let queues = Settings { queueing: Queueing::Virtual, reads: Reads::Many, ..Settings::default() };
    let sum = sums_up(&tree, &[4, 6], Test::Burst(9), 4 * 4096, Settings { throttle, ..queues });
    assert!(sum.marked > 0);

    // Moved LIDs, of the second run alone; in the first nothing leaves its leaf.
    let how =
        OmniPath { period: 20 * PACKET, threshold: 7, algorithm: Algorithm::Greedy, ..OmniPath::default() };
    let pairs = crate::adaptive::two_pairs();
    let set = Settings { adaptive: Adaptive::OmniPath(how), ..Device::named("opa100").unwrap().settings };
    let sum = sums_up(&pairs, &[2, 3], Test::Burst(200), 8192, set);
    assert!(sum.moved.0 > 0 && sum.moved.1 > 0, "{:?}", sum.moved);

    // A deadlock in the second run of a ring.
    let ring = net("ring:7", "minhop");
    let sum = sums_up(&ring, &[1, 3, 4], Test::Burst(1), 1 << 20, Settings::default());
    assert_eq!(sum.deadlock.as_ref().map(|d| d.0), Some(1));
    assert!(sum.works[0].through < 3);
}

#[test]
fn what_is_lost_in_several_runs_is_counted_in_all_of_them() {
    // Host 5 has no entry at the first leaf, and host 6 is sought in circles there.
    let mut tree = net("pgft:2;4,4;1,2;1,1", "minhop");
    let leaf = tree.fabric.edge_switch(tree.ends[0]).unwrap();
    let up = crate::uplinks(&tree, 0)[0];
    let spine = tree.fabric.node_of(tree.fabric.peer(up).unwrap());
    let [none, round] = [5, 6].map(|host: usize| tree.routes.lids.base(tree.ends[host]) as usize);
    tree.routes.lft.row_mut(leaf)[none] = NO_ENTRY;
    tree.routes.lft.row_mut(leaf)[round] = tree.fabric.number_of(up);
    tree.routes.lft.row_mut(spine)[round] = tree.fabric.number_of(tree.fabric.peer(up).unwrap());
    let sum = sums_up(&tree, &[4, 5, 6], Test::Burst(2), 4096, Settings::default());
    // Shifts by 4, 5 and 6: hosts 1 and 2; 0 and 1; and 0, from the first leaf, to 5 or 6.
    assert_eq!((sum.works[0].flows, sum.works[0].unrouted), (3 * 16 - 2, 2));
    assert!(sum.discarded > 0 && sum.works[0].through == 0);
    // Without being asked for, circles are refused.
    let participants = Participants::each_port(&tree.fabric, &tree.ends);
    let traffic = pattern(&participants, "shift:4", 8);
    let works = [sending(&traffic, Some(Test::Burst(1)))];
    let network = Network::new(&tree.fabric, &tree.routes, &tree.ends);
    let refused = SimulationRequest { circles: false, ..request(Settings::default()) };
    let name = |host: usize| tree.fabric.node(tree.fabric.node_of(tree.ends[host])).description.to_string();
    assert_eq!(
        experiment(&AtomicBool::new(false), &network, &works, &refused).unwrap_err(),
        SimulateError::Circles { flows: 1, from: name(2), to: name(6) }
    );
    assert!(experiment(&AtomicBool::new(true), &network, &works, &refused).unwrap().partial);
}

#[test]
fn a_program_beside_a_pattern_of_two_runs_is_done_twice() {
    let star = net("fat-tree:8,1", "minhop");
    let participants = Participants::each_port(&star.fabric, &star.ends);
    let shifts = pattern(&participants, "shift:1,2", 4096);
    let allreduce = program(&participants, 2, "allreduce:ring", 4096);
    let network = Network::new(&star.fabric, &star.routes, &star.ends);
    let works = [sending(&shifts, Some(Test::Burst(1))), sending(&allreduce, None)];
    let out = experiment(&AtomicBool::new(false), &network, &works, &request(Settings::default())).unwrap();
    // 16 ranks, 30 steps, two ranks a host: every other message stays inside.
    let got = &out.works[1];
    assert_eq!((got.flows, got.inside, got.through, got.phases.len()), (2 * 480, 2 * 240, 2, 2 * 30));
    assert_eq!(got.payload, 2 * 480 * 256);
}

#[test]
fn bandwidths_are_bytes_over_time() {
    // One flow alone has its whole link, 12.5 GB/s, whatever the test: headers are left out, and answers are empty.
    let star = net("fat-tree:4,1", "minhop");
    for (test, messages) in
        [(Test::Burst(7), 7), (Test::Windows { window: 3, windows: 5 }, 15), (Test::PingPong(5), 10)]
    {
        let out = simulated(&star, &[("shift:1", test, 2 * 4096)], Settings::default());
        assert_eq!(out.times, [messages * 2 * PACKET]);
        let rates = &out.works[0].bandwidths;
        assert!(
            rates.len() == 4 && rates.iter().all(|rate| (rate / 12.5e9 - 1.0).abs() < 1e-12),
            "{rates:?}"
        );
    }
}

/// The records that memory is reserved for, and those that there are.
fn records(net: &Net, work: Workload<'_>) -> (u64, u64) {
    let network = Network::new(&net.fabric, &net.routes, &net.ends);
    let works = [work];
    let with = request(Settings::default());
    let without = SimulationRequest { record: false, ..with.clone() };
    // Each is in a run, and in the sum of all.
    let each = 2 * size_of::<Record>() as u64;
    let room = (memory(&network, &works, &with) - memory(&network, &works, &without)) / each;
    let out = experiment(&AtomicBool::new(false), &network, &works, &with).unwrap();
    (room, out.records.len() as u64)
}

#[test]
fn memory_is_reserved_for_as_many_records_as_there_are() {
    let star = net("fat-tree:8,1", "minhop");
    let participants = Participants::each_port(&star.fabric, &star.ends);
    let shifts = pattern(&participants, "shift:1,2,3", 4096);
    let allreduce = program(&participants, 2, "allreduce:ring", 4096);
    for (traffic, test) in [
        (&shifts, Some(Test::Burst(7))),
        (&shifts, Some(Test::Windows { window: 3, windows: 5 })),
        (&shifts, Some(Test::PingPong(4))),
        (&allreduce, None),
    ] {
        let (room, records) = records(&star, sending(traffic, test));
        assert_eq!(room, records, "{test:?}");
    }
    // An open load: 0.3 of a link's time in packets, of each of eight hosts, in three runs; more or less.
    let duration = 1000 * PACKET;
    let (room, records) = records(&star, sending(&shifts, Some(Test::Load { load: 0.3, duration })));
    assert_eq!(room, 3 * 8 * 300);
    assert!(records.abs_diff(room) < 300, "{records}");
}

/// Traffic of 1 MiB, spread over rails.
fn striped<'a>(ranks: Ranks<'a>, spec: &str, how: Striping) -> Traffic<'a> {
    let options = TrafficOptions { patterns: 1, bytes: 1 << 20, listed: "", striping: Some(how) };
    Traffic::new(&spec.parse().unwrap(), ranks, &options).unwrap()
}

#[test]
fn what_does_not_fit_the_traffic_is_refused() {
    let star = net("fat-tree:8,1", "minhop");
    let participants = hosts_with(&star, 2);
    let shift = striped(Ranks::in_a_row(&participants, 1), "shift:1", Striping::UCX);
    let empty = pattern(&participants, "shift:1", 0);
    let barrier = program(&participants, 2, "barrier", 8);
    let load = Test::Load { load: 0.5, duration: 1000 };
    let check = |traffic, test| sending(traffic, Some(test)).check().map_err(|e| e.to_string());
    assert_eq!(check(&empty, Test::Burst(1)), Ok(()));
    assert_eq!(check(&shift, Test::Burst(3)), Ok(()));
    assert_eq!(check(&empty, load), Err(SimulateError::EmptyLoad.to_string()));
    assert_eq!(check(&shift, load), Err(SimulateError::NotStriped.to_string()));
    assert_eq!(check(&shift, Test::PingPong(1)), Err(SimulateError::NotStriped.to_string()));
    let refused = check(&barrier, Test::Burst(1)).unwrap_err();
    assert!(refused.starts_with("traffic \"barrier:dissemination\" is a message program"), "{refused}");
    // A pattern is one of hosts.
    let options = TrafficOptions { patterns: 1, bytes: 8, listed: "", striping: None };
    let ranks = Ranks::in_a_row(&participants, 2);
    let refused = Traffic::new(&"shift:1".parse().unwrap(), ranks, &options).unwrap_err();
    assert_eq!(refused.to_string(), "ranks are of message programs, and traffic \"shift:1\" is a pattern");
}

#[test]
fn memory_is_reserved_for_every_stripe_of_a_message() {
    // Two hosts with four ports each on one switch.
    let star = net("fat-tree:8,1", "minhop");
    let participants = hosts_with(&star, 4);
    for (how, rails) in [(Striping::PSM2, 4), (Striping::UCX, 2)] {
        let traffic = striped(Ranks::in_a_row(&participants, 1), "shift:1", how);
        // Seven messages of each host, spread over so many rails; answers are one for each window.
        let burst = records(&star, sending(&traffic, Some(Test::Burst(7))));
        assert_eq!(burst.1, 2 * 7 * rails);
        let windows = records(&star, sending(&traffic, Some(Test::Windows { window: 3, windows: 5 })));
        assert_eq!(windows.1, 2 * 5 * (3 * rails + 1));
        assert!(burst.0 >= burst.1 && windows.0 >= windows.1, "{burst:?} {windows:?}");
        for spec in ["alltoall:linear", "allgather:bruck", "allreduce:ring", "nccl-ring"] {
            let traffic = striped(Ranks::in_a_row(&participants, 4), spec, how);
            let (room, records) = records(&star, sending(&traffic, None));
            assert_eq!(room, records, "{spec}");
        }
    }
}

#[test]
fn a_message_of_which_one_stripe_has_no_route_does_not_arrive() {
    // Two hosts with four ports each on one switch, whose table lacks the third port of the second.
    let mut star = net("fat-tree:8,1", "minhop");
    let lost = star.routes.lids.base(star.ends[6]) as usize;
    star.routes.lft.row_mut(star.fabric.edge_switch(star.ends[6]).unwrap())[lost] = NO_ENTRY;
    let participants = hosts_with(&star, 4);
    let traffic = striped(Ranks::in_a_row(&participants, 1), "shift:1", Striping::PSM2);
    let works = [sending(&traffic, Some(Test::Burst(1)))];
    let network = Network::new(&star.fabric, &star.routes, &star.ends);
    let out = experiment(&AtomicBool::new(false), &network, &works, &request(Settings::default())).unwrap();
    let got = &out.works[0];
    assert_eq!((got.flows, got.unrouted, got.payload), (1, 1, 1 << 20));
}

#[test]
fn what_the_horizon_cuts_short_is_not_through() {
    let star = net("fat-tree:8,1", "minhop");
    let participants = Participants::each_port(&star.fabric, &star.ends);
    let shift = pattern(&participants, "shift:1", 4096);
    let allreduce = program(&participants, 1, "allreduce:ring", 8 * 4096);
    let network = Network::new(&star.fabric, &star.routes, &star.ends);
    let window = Test::Windows { window: 2, windows: 2 };
    for work in
        [sending(&shift, Some(Test::PingPong(2))), sending(&shift, Some(window)), sending(&allreduce, None)]
    {
        for (horizon, through) in [(PACKET / 2, 0), (3 * PACKET + 1, 0), (1000 * PACKET, 1)] {
            let set = Settings { horizon, ..Settings::default() };
            let out = experiment(&AtomicBool::new(false), &network, &[work], &request(set)).unwrap();
            assert_eq!(out.works[0].through, through, "{:?} until {horizon}", work.test);
        }
    }
}

#[test]
fn an_experiment_that_is_stopped_while_it_runs_is_partial() {
    // Hours of simulated time: it is stopped after a moment, before or in its only run.
    let star = net("fat-tree:8,1", "minhop");
    let participants = Participants::each_port(&star.fabric, &star.ends);
    let traffic = pattern(&participants, "shift:1", 8);
    let network = Network::new(&star.fabric, &star.routes, &star.ends);
    let window = Test::Windows { window: 64, windows: u32::MAX };
    let works = [sending(&traffic, Some(window))];
    let request = SimulationRequest { record: false, ..request(Settings::default()) };
    let stop = AtomicBool::new(false);
    let out = std::thread::scope(|scope| {
        scope.spawn(|| {
            std::thread::sleep(std::time::Duration::from_millis(200));
            stop.store(true, Ordering::Relaxed);
        });
        experiment(&stop, &network, &works, &request).unwrap()
    });
    assert_eq!((out.partial, out.phases), (true, 0));
}

#[test]
fn flows_of_ports_that_are_not_simulated_have_no_route() {
    let star = net("fat-tree:4,1", "minhop");
    let participants = Participants::each_port(&star.fabric, &star.ends);
    let traffic = pattern(&participants, "shift:1", 4096);
    // Of four flows host 3 sends one and receives one.
    let network = Network::new(&star.fabric, &star.routes, &star.ends[..3]);
    let works = [sending(&traffic, Some(Test::Burst(1)))];
    let out = experiment(&AtomicBool::new(false), &network, &works, &request(Settings::default())).unwrap();
    assert_eq!((out.works[0].flows, out.works[0].unrouted, out.delivered), (2, 2, 2));
}

#[test]
fn a_run_of_a_striped_pattern_is_its_own_phase() {
    // Four hosts with two ports each: each sends to the next, then to the one after that.
    let star = net("fat-tree:8,1", "minhop");
    let participants = hosts_with(&star, 2);
    let traffic = striped(Ranks::in_a_row(&participants, 1), "shift:1,2", Striping::PSM2);
    let works = [sending(&traffic, Some(Test::Burst(1)))];
    let network = Network::new(&star.fabric, &star.routes, &star.ends);
    let out = experiment(&AtomicBool::new(false), &network, &works, &request(Settings::default())).unwrap();
    assert_eq!(out.phases, 2);
    for (number, record) in out.records.iter().enumerate() {
        let distance = if number < out.record_ends[0] { 1 } else { 2 };
        assert_eq!(record.to / 2, (record.from / 2 + distance) % 4, "{record:?}");
    }
}

#[test]
fn a_host_without_a_cable_does_not_slow_an_open_load() {
    let mut star = net("fat-tree:4,1", "minhop");
    let last = star.ends[3];
    star.fabric = star.fabric.filtered(|_| true, |a, b| a != last && b != last);
    let participants = Participants::each_port(&star.fabric, &star.ends);
    let traffic = pattern(&participants, "shift:1", 4096);
    let network = Network::new(&star.fabric, &star.routes, &star.ends);
    assert_eq!(network.rates_of_ends(), [12.5e9, 12.5e9, 12.5e9, 0.0]);
    let load = Test::Load { load: 0.5, duration: 1000 * PACKET };
    let works = [sending(&traffic, Some(load))];
    let out = experiment(&AtomicBool::new(false), &network, &works, &request(Settings::default())).unwrap();
    // Two flows are left, each of half a packet in a packet's time: 1000 with a standard deviation of 32.
    assert_eq!((out.works[0].flows, out.works[0].unrouted), (2, 2));
    assert!(out.delivered.abs_diff(1000) < 150, "{}", out.delivered);
}
