//! The packet model against what is known exactly: sums, queueing theory, and trees without contention.

#![allow(clippy::unwrap_used)] // a test fails by panicking
#![allow(clippy::large_types_passed_by_value)] // settings are made where they are used

mod adaptive;
mod choices;
mod cuts;
mod experiment;
mod lanes;
mod mixes;
mod moves;
mod preemption;
mod programs;
mod single;
mod throttling;
mod timed;
mod trees;

use std::sync::atomic::AtomicBool;

use lacis_core::fabric::{Fabric, NodeId, PortId};
use lacis_core::generate::generate;
use lacis_core::model::packet::{Application, Network, Outcome, Settings, Test, Workload, simulate};
use lacis_core::ranks::{Flow, HostPorts, Participants, Ranks};
use lacis_core::routing::{Options, route};
use lacis_core::sm::lids::{LidOptions, Lids};
use lacis_core::sm::{Engine, Routes};
use lacis_core::traffic::{Phases, Program, Traffic};

/// Of a link of 4xEDR, 12.5 GB/s [ps].
const BYTE: u64 = 80;
/// A packet of 4096 bytes on it [ps].
const PACKET: u64 = 4096 * BYTE;

/// A fabric, its tables, and its hosts in the order of their LIDs.
struct Net {
    fabric: Fabric,
    routes: Routes,
    ends: Vec<PortId>,
}

fn net(spec: &str, engine: &str) -> Net {
    net_with_lmc(spec, engine, 0)
}

fn net_with_lmc(spec: &str, engine: &str, lmc: u8) -> Net {
    // Rings have no switch that looks like a root: the first is named.
    net_of(generate(&format!("{spec}:rate=4xEDR")).unwrap(), engine, lmc, spec.starts_with("ring"))
}

fn net_of(fabric: Fabric, engine: &str, lmc: u8, has_root: bool) -> Net {
    let options = LidOptions { lmc, ..LidOptions::fresh() };
    let lids = Lids::assign(&fabric, Lids::default_sm(&fabric).unwrap(), &options).unwrap();
    let engine: Engine = engine.parse().unwrap();
    let roots = has_root.then(|| vec![fabric.node(NodeId(0)).guid]);
    let routes = route(&fabric, lids, &[engine], &Options { roots, ..Options::default() }).unwrap();
    assert_eq!(routes.engine_used, engine);
    let ends = fabric.end_nodes().filter_map(|n| fabric.port(n, 1)).collect();
    Net { fabric, routes, ends }
}

fn run<A: Application>(net: &Net, set: &Settings, application: A) -> Outcome<A> {
    run_with(net, set, application, &[])
}

/// The same while cables fail, each given by its time [ps] and one of its ports.
fn run_with<A: Application>(net: &Net, set: &Settings, application: A, cuts: &[(u64, PortId)]) -> Outcome<A> {
    let network = Network::new(&net.fabric, &net.routes, &net.ends).with_cuts(cuts);
    simulate(&network, set, application, &AtomicBool::new(false))
}

/// 10 GB/s inside a host.
const MEMORY: f64 = 1e10;

/// A pattern whose messages have so many bytes; one, where it is random.
fn pattern<'a>(participants: &'a Participants, spec: &str, bytes: u64) -> Traffic<'a> {
    let phases = Phases::new(&spec.parse().unwrap(), participants, 1, Vec::new()).unwrap();
    Traffic::Pattern(phases.with_bytes(bytes))
}

/// A program of so many ranks a host.
fn program<'a>(participants: &'a Participants, per_host: u32, spec: &str, bytes: u64) -> Traffic<'a> {
    let ranks = Ranks::in_a_row(participants, per_host);
    Traffic::Program(Program::new(&spec.parse().unwrap(), ranks, bytes, "").unwrap())
}

/// Traffic that asks for service level 0.
fn sending<'a>(traffic: &'a Traffic<'a>, test: Option<Test>) -> Workload<'a> {
    Workload { traffic, test, sl: 0, local_rate: MEMORY }
}

/// Hosts that have so many ports each, in the order of the ends.
fn hosts_with(net: &Net, ports: usize) -> Participants {
    let host = |(number, ends): (usize, &[PortId])| HostPorts {
        name: number.to_string(),
        ports: ends.iter().copied().map(Some).collect(),
    };
    let hosts: Vec<HostPorts> = net.ends.chunks(ports).enumerate().map(host).collect();
    Participants::new(&net.fabric, &hosts, None)
}

/// Every host to the host `distance` farther on.
fn shift(net: &Net, distance: u32) -> Vec<Flow> {
    let n = net.ends.len() as u32;
    (0..n).map(|from| Flow { from, to: (from + distance) % n }).collect()
}

/// The ports of a host's switch to other switches, by number.
fn uplinks(net: &Net, host: usize) -> Vec<PortId> {
    let edge = net.fabric.edge_switch(net.ends[host]).unwrap();
    let up =
        |&p: &PortId| net.fabric.peer(p).is_some_and(|far| net.fabric.is_switch(net.fabric.node_of(far)));
    net.fabric.ports_of(edge).filter(up).collect()
}
