//! The memory that a simulation is said to need at most, against what it takes.

#![allow(clippy::unwrap_used)] // a test fails by panicking
#![allow(clippy::large_types_passed_by_value)] // settings are made where they are used

use std::sync::atomic::AtomicBool;

use lacis_core::fabric::PortId;
use lacis_core::generate::generate;
use lacis_core::model::packet::{
    Adaptive, Network, Queueing, Reads, Settings, SimulationRequest, Test, Throttle, Workload, experiment,
    memory,
};
use lacis_core::qos::Lanes;
use lacis_core::ranks::{Participants, Ranks};
use lacis_core::routing::{Options, route};
use lacis_core::sm::Engine;
use lacis_core::sm::lids::{LidOptions, Lids};
use lacis_core::traffic::{Phases, Program, Traffic};
use peak_alloc::PeakAlloc;

#[global_allocator]
static ALLOCATED: PeakAlloc = PeakAlloc;

/// Of a link of 4xEDR, 12.5 GB/s: a packet of 4096 bytes [ps].
const PACKET: u64 = 4096 * 80;

/// What a case sends.
#[derive(Clone, Copy, Debug)]
enum Sends {
    Pattern(&'static str, Test, u64),
    Program(&'static str, u64),
}

/// What a simulation may need and what it takes at its peak [bytes].
fn both(spec: &str, sends: Sends, settings: Settings, record: bool) -> (u64, u64) {
    let fabric = generate(&format!("{spec}:rate=4xEDR")).unwrap();
    let lids = Lids::assign(&fabric, Lids::default_sm(&fabric).unwrap(), &LidOptions::fresh()).unwrap();
    let routes = route(&fabric, lids, &[Engine::FTree], &Options::default()).unwrap();
    let ends: Vec<PortId> = fabric.end_nodes().filter_map(|n| fabric.port(n, 1)).collect();
    let network = Network::new(&fabric, &routes, &ends);
    let participants = Participants::each_port(&fabric, &ends);
    let (traffic, test) = match sends {
        Sends::Pattern(pattern, test, bytes) => {
            let phases = Phases::new(&pattern.parse().unwrap(), &participants, 1, Vec::new()).unwrap();
            (Traffic::Pattern(phases.with_bytes(bytes)), Some(test))
        }
        Sends::Program(spec, bytes) => {
            let ranks = Ranks::in_a_row(&participants, 1);
            (Traffic::Program(Program::new(&spec.parse().unwrap(), ranks, bytes, "").unwrap()), None)
        }
    };
    let works = [Workload { traffic: &traffic, test, sl: 0, local_rate: 1e10 }];
    let request = SimulationRequest { settings, seed: 1, circles: false, record };
    let needed = memory(&network, &works, &request);
    ALLOCATED.reset_peak_usage();
    let before = ALLOCATED.current_usage();
    let out = experiment(&AtomicBool::new(false), &network, &works, &request).unwrap();
    let allocated = ALLOCATED.peak_usage() - before;
    assert_eq!(out.delivered, out.packets);
    (needed, allocated as u64)
}

// One test: others at its side would allocate, too.
#[test]
fn a_simulation_takes_as_much_memory_as_it_is_said_to_need() {
    let plain = Settings { reads: Reads::Many, queueing: Queueing::Virtual, ..Settings::default() };
    let lanes = Lanes { count: 8, ..Lanes::default() };
    let few = Sends::Pattern("shift:1", Test::Burst(1), 8);
    let far = |messages, bytes| Sends::Pattern("shift:7", Test::Burst(messages), bytes);
    // Arrays are as long as they will be from the beginning on.
    for (what, spec, set) in [
        ("ports", "fat-tree:16,3", Settings { queueing: Queueing::Fifo, reads: Reads::One, ..plain }),
        ("queues", "fat-tree:16,3", plain),
        ("lanes", "fat-tree:8,3", Settings { lanes, ..plain }),
        ("port groups", "fat-tree:16,3", Settings { adaptive: Adaptive::Least, ..plain }),
    ] {
        let (needed, allocated) = both(spec, few, set, false);
        assert!(
            allocated <= needed && needed <= allocated * 5 / 4,
            "{what}: {needed} said, {allocated} allocated"
        );
    }
    // A list has room for a power of two, and while it grows, the half of that is there, too. Here they are nearly full.
    for (what, sends, set, record) in [
        ("packets", far(200, 4096), Settings { buffer: None, ..plain }, false),
        (
            "packets of few messages",
            Sends::Program("incast:71", 230 * 4096),
            Settings { buffer: Some(64 << 20), ..plain },
            false,
        ),
        ("messages", far(500, 8), plain, false),
        (
            "senders that slow down",
            far(200, 4096),
            Settings { throttle: Some(Throttle::default()), ..plain },
            false,
        ),
        ("records", Sends::Pattern("shift:7", Test::PingPong(500), 8), plain, true),
        ("messages of a program", Sends::Program("alltoall:linear", 4096), plain, false),
        ("phases of a program", Sends::Program("allgather:ring", 65536), plain, false),
    ] {
        let (needed, allocated) = both("fat-tree:12,2", sends, set, record);
        assert!(
            allocated <= needed * 3 / 2 && needed <= allocated * 5 / 4,
            "{what}: {needed} said, {allocated} allocated"
        );
    }
    // The results of a run are kept until the last: 71 of them take more than the arrays of the two at a time.
    let (needed, allocated) = both("fat-tree:12,2", Sends::Pattern("shift", Test::Burst(1), 8), plain, false);
    let (of_one, _) = both("fat-tree:12,2", few, plain, false);
    assert!(
        allocated <= needed && needed < allocated * 4 && needed - of_one > allocated / 2,
        "runs: {needed} said, {allocated} allocated"
    );
    // Intervals may come to 2^25 cells.
    let with = |interval| both("fat-tree:4,2", few, Settings { interval, ..plain }, false).0;
    assert_eq!(with(PACKET) - with(0), 8 << 25);
}
