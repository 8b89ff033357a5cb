//! Message programs: the time of a collective without other traffic is the sum of its steps.

use std::sync::atomic::AtomicBool;

use lacis_core::model::load::Multipath;
use lacis_core::model::packet::{
    Experiment, Network, ProgramRun, Settings, SimulateError, SimulationRequest, experiment,
};
use lacis_core::predict::{PredictRequest, TimesRequest, predict, times};
use lacis_core::ranks::{Location, Participants, Ranks};
use lacis_core::traffic::{Program, Striping, Traffic};

use crate::{BYTE, MEMORY, Net, hosts_with, net, program, sending};

fn latencies() -> Settings {
    Settings {
        switch_latency: 110_000,
        cable_delay: 10_000,
        send_overhead: 400_000,
        receive_overhead: 300_000,
        ..Settings::default()
    }
}

/// From one host to another that `switches` switches are between, of one message alone.
fn way(set: &Settings, switches: u64, bytes: u64) -> u64 {
    let fixed = set.send_overhead + set.receive_overhead;
    fixed + (switches + 1) * set.cable_delay + switches * set.switch_latency + bytes * BYTE
}

pub fn run_alone(net: &Net, spec: &str, bytes: u64, per_host: u32, trace: &str, set: Settings) -> Experiment {
    let participants = Participants::each_port(&net.fabric, &net.ends);
    let ranks = Ranks::in_a_row(&participants, per_host);
    let traffic = Traffic::Program(Program::new(&spec.parse().unwrap(), ranks, bytes, trace).unwrap());
    let network = Network::new(&net.fabric, &net.routes, &net.ends);
    let work = sending(&traffic, None);
    let request = SimulationRequest { settings: set, seed: 1, circles: false, record: true };
    experiment(&AtomicBool::new(false), &network, &[work], &request).unwrap()
}

#[test]
fn a_ring_allreduce_on_an_idle_switch_takes_the_sum_of_its_steps_to_the_picosecond() {
    // 8 ranks on one switch: each of 14 steps sends an eighth of the vector to the next rank.
    let star = net("fat-tree:8,1", "minhop");
    let set = latencies();
    let out = run_alone(&star, "allreduce:ring", 8 * 4096, 1, "", set);
    let step = way(&set, 1, 4096);
    assert_eq!(out.times, [14 * step]);
    let got = &out.works[0];
    assert_eq!((got.through, got.flows, got.payload), (1, 14 * 8, 14 * 8 * 4096));
    for (number, phase) in (0..).zip(&got.phases) {
        assert_eq!(*phase, Some((number * step, (number + 1) * step)));
    }
    assert_eq!(got.latencies.range, Some((step, step)));
}

#[test]
fn a_barrier_takes_its_rounds_and_every_rank_waits_for_its_own_messages_only() {
    // A ring of seven switches: rank r sends to r + 1, r + 2, r + 4. By hand: a rank enters a round when its
    // messages of the last have arrived.
    let ring = net("ring:7", "minhop");
    let set = latencies();
    let out = run_alone(&ring, "barrier", 8, 1, "", set);
    let n = ring.ends.len() as u32;
    assert_eq!(n, 7);
    let far = |a: u32, b: u32| {
        let around = a.abs_diff(b);
        1 + u64::from(around.min(7 - around))
    };
    let mut at = [0_u64; 7];
    for round in 0..3 {
        let sent: Vec<u64> =
            (0..n).map(|r| at[r as usize] + way(&set, far(r, (r + (1 << round)) % n), 8)).collect();
        for r in 0..n {
            let from = (r + n - (1 << round)) % n;
            at[r as usize] = sent[r as usize].max(sent[from as usize]);
        }
    }
    assert_eq!(out.times, [*at.iter().max().unwrap()]);
}

#[test]
fn a_rank_goes_on_while_others_are_still_in_the_phase_before() {
    // Three hosts a leaf: in the first round of a barrier ranks 0, 3, 6 … and 1, 4, 7 … send to a neighbour,
    // 2, 5, 8 … to the next leaf. Rank 1 has two near messages and goes on; ranks 0 and 2 wait for a far one.
    let tree = net("fat-tree:6,2", "ftree");
    let set = latencies();
    let out = run_alone(&tree, "barrier", 8, 1, "", set);
    let phases: Vec<_> = out.works[0].phases.iter().map(|p| p.unwrap()).collect();
    assert_eq!((phases[0], phases[1].0), ((0, way(&set, 3, 8)), way(&set, 1, 8)));
    // A tree's root sends to the far half first; a rank that has the vector sends it on, and none waits for a rank outside its subtree.
    let tree = net("fat-tree:4,2", "ftree");
    let out = run_alone(&tree, "broadcast:binomial", 8, 1, "", set);
    let phases: Vec<_> = out.works[0].phases.iter().map(|p| p.unwrap()).collect();
    let (near, far) = (way(&set, 1, 8), way(&set, 3, 8));
    assert_eq!(phases, [(0, far), (far, 2 * far), (2 * far, 2 * far + near)]);
}

#[test]
fn every_program_ends_and_all_that_it_sends_arrives() {
    let tree = net("fat-tree:4,2", "ftree");
    let specs = [
        "alltoall:linear",
        "alltoall:pairwise",
        "alltoall:bruck",
        "allreduce:ring",
        "allreduce:recursive-doubling",
        "allreduce:rabenseifner",
        "allreduce:tree",
        "allgather:ring",
        "allgather:bruck",
        "broadcast:binomial",
        "broadcast:scatter-allgather",
        "barrier",
        "nccl-ring",
        "nccl-tree",
        "stencil:3x4,periodic",
        "incast:9",
    ];
    for spec in specs {
        for per_host in [1, 3] {
            if per_host == 1 && (spec.starts_with("stencil") || spec.starts_with("incast")) {
                continue; // needs more ranks than there are hosts
            }
            let out = run_alone(&tree, spec, 10_000, per_host, "", Settings::default());
            let participants = Participants::each_port(&tree.fabric, &tree.ends);
            let ranks = Ranks::in_a_row(&participants, per_host);
            let program = Program::new(&spec.parse().unwrap(), ranks, 10_000, "").unwrap();
            let mut all = Vec::new();
            for phase in 0..program.phases() {
                let mut sent = Vec::new();
                program.fill(phase, &mut sent);
                all.extend(sent.iter().map(|m| (phase as u32, m.from, m.to, m.bytes)));
            }
            all.sort_unstable();
            let mut found: Vec<_> = out.records.iter().map(|r| (r.phase, r.from, r.to, r.bytes)).collect();
            found.sort_unstable();
            assert_eq!(found, all, "{spec} on {per_host} ranks a host");
            assert_eq!(out.works[0].through, 1);
            // A rank sends nothing of a phase before all it has to do with the last one has arrived.
            for r in &out.records {
                let before = out.records.iter().filter(|b| b.phase < r.phase);
                let own = before.filter(|b| [b.from, b.to].contains(&r.from));
                assert!(own.map(|b| b.arrived).max().unwrap_or(0) <= r.posted, "{spec}: {r:?}");
            }
        }
    }
}

#[test]
fn messages_inside_a_host_go_through_its_memory_one_after_another_and_touch_no_link() {
    let star = net("fat-tree:4,1", "minhop");
    // Ranks 0 to 3 are on one host: each sends 100,000 bytes to the next, 10 µs at 10 GB/s, side by side.
    let out = run_alone(&star, "stencil:4,periodic", 100_000, 4, "", latencies());
    assert_eq!((out.packets, out.hops, out.works[0].inside), (0, 0, 8));
    assert_eq!(out.times, [8 * 10_000_000]);
    assert_eq!(out.works[0].payload, 800_000);
}

#[test]
fn programs_side_by_side_inside_a_host_touch_no_link_and_last_as_long_as_alone() {
    let star = net("fat-tree:4,1", "minhop");
    let participants = Participants::each_port(&star.fabric, &star.ends);
    let stencil = program(&participants, 4, "stencil:4,periodic", 100_000);
    let network = Network::new(&star.fabric, &star.routes, &star.ends);
    let work = sending(&stencil, None);
    let request = SimulationRequest { settings: latencies(), seed: 1, circles: false, record: true };
    let both = experiment(&AtomicBool::new(false), &network, &[work, work], &request).unwrap();
    assert_eq!((both.packets, both.hops), (0, 0));
    for got in &both.works {
        assert_eq!((got.inside, got.through, got.times[0]), (8, 1, 8 * 10_000_000));
    }
}

#[test]
fn the_phases_of_a_trace_begin_for_all_ranks_at_once() {
    let star = net("fat-tree:8,1", "minhop");
    let set = latencies();
    // `b` waits for all of `a`, though it has nothing to do with its long message; `c` waits for no phase.
    let trace = r#"
{"phase": "a", "source": 0, "destination": 1, "bytes": 4096}
{"phase": "a", "source": 2, "destination": 3, "bytes": 40960}
{"phase": "b", "source": 1, "destination": 0, "bytes": 8}
{"phase": "c", "source": 4, "destination": 5, "bytes": 8, "after": []}
{"phase": "d", "source": 6, "destination": 7, "bytes": 8, "after": ["b", "c"]}
"#;
    let out = run_alone(&star, "trace:x", 1, 1, trace, set);
    let (long, short) = (way(&set, 1, 40960), way(&set, 1, 8));
    let expected = [(0, long), (long, long + short), (0, short), (long + short, long + 2 * short)];
    assert_eq!(out.works[0].phases, expected.map(Some));
    assert_eq!((out.times[0], out.works[0].through), (long + 2 * short, 1));
}

#[test]
fn a_phase_whose_messages_have_no_route_holds_nothing_up() {
    let mut star = net("fat-tree:4,1", "minhop");
    let lid = star.routes.lids.base(star.ends[2]);
    let switch = star.fabric.edge_switch(star.ends[0]).unwrap();
    star.routes.lft.row_mut(switch)[lid as usize] = 255;
    let trace = r#"
{"phase": "a", "source": 0, "destination": 2, "bytes": 4096}
{"phase": "b", "source": 0, "destination": 1, "bytes": 4096}
"#;
    let out = run_alone(&star, "trace:x", 1, 1, trace, Settings::default());
    let got = &out.works[0];
    assert_eq!((got.unrouted, got.through), (1, 1));
    assert_eq!(got.phases, [None, Some((0, 4096 * BYTE))]);
}

#[test]
fn what_a_rank_sends_in_a_phase_leaves_side_by_side() {
    // A hundred packets to one, then one to another. By turns: the first packet leaves before there is anything else
    // to send, so the hundred have the next turn, too; then it is the other's.
    let star = net("fat-tree:8,1", "minhop");
    let trace = r#"
{"phase": "a", "source": 0, "destination": 1, "bytes": 409600}
{"phase": "a", "source": 0, "destination": 2, "bytes": 4096}
"#;
    let out = run_alone(&star, "trace:x", 1, 1, trace, Settings::default());
    let arrived: Vec<(u32, u64)> = out.records.iter().map(|record| (record.to, record.arrived)).collect();
    assert_eq!(arrived, [(2, 3 * 4096 * BYTE), (1, 101 * 4096 * BYTE)]);
}

#[test]
fn messages_without_a_route_are_counted_and_no_rank_waits_for_them() {
    let mut star = net("fat-tree:4,1", "minhop");
    let lid = star.routes.lids.base(star.ends[2]);
    let switch = star.fabric.edge_switch(star.ends[0]).unwrap();
    star.routes.lft.row_mut(switch)[lid as usize] = 255;
    let out = run_alone(&star, "allgather:ring", 4096, 1, "", Settings::default());
    // In each of three rounds rank 1 cannot send to rank 2.
    let got = &out.works[0];
    assert_eq!((got.flows, got.unrouted, got.through), (9, 3, 1));
    assert_eq!(out.times, [3 * 4096 * BYTE]);
}

#[test]
fn a_program_whose_tables_go_in_circles_is_refused() {
    let mut pair = net("ring:3", "minhop");
    // The switches of hosts 0 and 1 send what is for host 2 to each other.
    let lid = pair.routes.lids.base(pair.ends[2]);
    for (at, to) in [(0, 1), (1, 0)] {
        let [here, there] = [at, to].map(|host: usize| pair.fabric.edge_switch(pair.ends[host]).unwrap());
        let port = pair
            .fabric
            .ports_of(here)
            .find(|&p| pair.fabric.peer(p).is_some_and(|far| pair.fabric.node_of(far) == there));
        pair.routes.lft.row_mut(here)[lid as usize] = pair.fabric.number_of(port.unwrap());
    }
    let participants = Participants::each_port(&pair.fabric, &pair.ends);
    let incast = program(&participants, 1, "incast:2", 8);
    let all = program(&participants, 1, "allgather:ring", 8);
    let network = Network::new(&pair.fabric, &pair.routes, &pair.ends);
    let run = |traffic| {
        let work = sending(traffic, None);
        let request =
            SimulationRequest { settings: Settings::default(), seed: 1, circles: false, record: false };
        experiment(&AtomicBool::new(false), &network, &[work], &request).map(|out| out.works[0].flows)
    };
    assert_eq!(run(&incast), Ok(2));
    assert!(matches!(run(&all), Err(SimulateError::Circles { flows: 1, .. })), "{:?}", run(&all));
}

#[test]
fn a_program_whose_messages_are_still_being_listed_stops() {
    let star = net("fat-tree:8,1", "minhop");
    let participants = Participants::each_port(&star.fabric, &star.ends);
    let ranks = Ranks::in_a_row(&participants, 1);
    let program = Program::new(&"alltoall:pairwise".parse().unwrap(), ranks, 4096, "").unwrap();
    let run = |stop| ProgramRun::new(&program, MEMORY, |_| true, &AtomicBool::new(stop));
    assert_eq!(run(false).unwrap().counts.messages, 7 * 8);
    assert!(run(true).is_none());
}

#[test]
fn ranks_send_by_the_adapters_of_their_own_host() {
    // Two hosts with four ports each, four ranks on each: what leaves one leaves the other, too, by every port as much.
    let star = net("fat-tree:8,1", "minhop");
    let participants = hosts_with(&star, 4);
    let ranks = Ranks::in_a_row(&participants, 4);
    let program = Program::new(&"alltoall:linear".parse().unwrap(), ranks, 1 << 20, "").unwrap();
    let traffic = Traffic::Program(program.striped(Striping::PSM2));
    let network = Network::new(&star.fabric, &star.routes, &star.ends);
    let work = sending(&traffic, None);
    let request = SimulationRequest { settings: latencies(), seed: 1, circles: false, record: false };
    let out = experiment(&AtomicBool::new(false), &network, &[work], &request).unwrap();
    let sent: Vec<u64> = star.ends.iter().map(|end| out.ports[end.ix()].bytes).collect();
    assert!(sent[0] > 0 && sent.iter().all(|&bytes| bytes == sent[0]), "{sent:?}");
}

#[test]
fn every_model_sends_by_the_ports_of_an_explicit_map() {
    // Two hosts with four ports each. Rank 0 on host 1 by rail 3, ranks 1 and 2 on host 0 by rails 2 and 0. Rank 0 gets one
    // message on each of these rails, its own plays no part.
    let star = net("fat-tree:8,1", "minhop");
    let participants = hosts_with(&star, 4);
    let at = |host, rail, core| Location { host, rail, core };
    let ranks = Ranks::mapped(&participants, vec![at(1, 3, 0), at(0, 2, 5), at(0, 0, 6)]).unwrap();
    let bytes = 100 * 4096;
    let program = Program::new(&"incast:2".parse().unwrap(), ranks, bytes, "").unwrap();
    let traffic = Traffic::Program(program);
    let network = Network::new(&star.fabric, &star.routes, &star.ends);
    let request = SimulationRequest { settings: Settings::default(), seed: 1, circles: false, record: false };
    let out = experiment(&AtomicBool::new(false), &network, &[sending(&traffic, None)], &request).unwrap();
    // By port of the two hosts: rails 0 and 2 of host 0 send, and their messages arrive on the same rails of host 1.
    let sent: Vec<u64> = star.ends.iter().map(|end| out.ports[end.ix()].bytes).collect();
    assert_eq!(sent, [bytes, 0, bytes, 0, 0, 0, 0, 0]);
    let got = star.ends.iter().map(|end| out.ports[star.fabric.peer(*end).unwrap().ix()].bytes);
    assert_eq!(got.collect::<Vec<u64>>(), [0, 0, 0, 0, bytes, 0, bytes, 0]);
    // No link carries both: each message has a whole link, and the fluid model agrees.
    assert_eq!(out.times, [100 * 4096 * BYTE]);
    let request = TimesRequest {
        seed: 1,
        host_efficiency: 1.0,
        link_efficiency: 1.0,
        local_rate: MEMORY,
        lanes: None,
        hottest: 0,
        multipath: Multipath::None,
    };
    let fluid = times(&star.fabric, &star.routes, &traffic, &request).unwrap().total;
    assert!((fluid - (100 * 4096 * BYTE) as f64 / 1e12).abs() < 1e-15, "{fluid}");
    // Without sizes there is nothing to predict of a program.
    let refused = predict(&star.fabric, &star.routes, &traffic, &PredictRequest::default()).unwrap_err();
    assert!(refused.to_string().ends_with("whose messages have sizes: the model load has none"), "{refused}");
}
