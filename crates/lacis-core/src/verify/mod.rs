//! Proof: what a fabric's tables do with every ordered pair of end ports.
//!
//! [`verify`] gives each pair one [`Verdict`] from a closed list, counts the switches of its path,
//! the flows on every inter-switch link under all-to-all traffic, and finds the cycles in which
//! packets can wait for each other permanently ([`CreditLoop`]). The counts are exact, and no pair is
//! walked: the tables are read once, destination by destination. [`trace`] follows one packet,
//! between end ports that [`endpoint`] finds by name.
//!
//! What is counted:
//!
//! * *Pairs*: from every end port of the population to every LID of every other one. With LMC 0
//!   these are the ordered pairs of end ports. With switch LIDs, port 0 of every switch sends and
//!   receives too.
//! * *Hops* of a delivered pair: the switches that it traverses. Two nodes on one switch: 1.
//! * *Balance*: delivered pairs of end nodes, switch LIDs never included, per direction of every
//!   link between two different switches.
//! * *Dependencies*: two channels that some packet uses one after the other, delivered or not; lane by
//!   lane where the engine assigns lanes.

mod count;
mod counts;
mod credit;
mod endpoint;
mod lanes;
mod opareport;
mod port_groups;
mod reach;
mod trace;
mod tree;
mod verdict;
mod walk;
mod wiring;

use rustc_hash::FxHashMap;

use crate::fabric::switch_graph::SwitchGraph;
use crate::fabric::{Fabric, Population, PortId};
use crate::sm::Routes;

pub use endpoint::{EndpointError, RailEnds, endpoint, rail_ends};
pub use opareport::{PointError, routes_report};
pub use port_groups::{GroupError, GroupFault, GroupVerdict, verify_port_groups};
pub use reach::{reach, words};
pub use trace::{Hop, Trace, trace};
pub use verdict::{Verdict, VerdictCounts};

use count::ToLids;
use counts::Counts;
use credit::Dependencies;
use lanes::LaneDependencies;
use wiring::Wiring;

/// Channels that wait for each other in a cycle.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CreditLoop {
    /// A shortest cycle: the egress port of each channel, each of which waits for the one after it,
    /// and the last for the first.
    pub cycle: Vec<PortId>,
    /// The lane of each channel of the cycle.
    pub lanes: Vec<u8>,
    /// Number of channels that wait for each other: the size of the strongly connected component
    /// that contains `cycle`.
    pub channels: usize,
}

/// How evenly all-to-all traffic loads the inter-switch links, per direction.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Balance {
    /// Flows on the busiest link.
    pub max: u64,
    /// Mean flows per link, unused ones included.
    pub mean: f64,
    /// Directed inter-switch links.
    pub links: usize,
    /// Directed inter-switch links with any flow.
    pub used: usize,
}

/// A destination that some sources do not reach.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Unreached {
    /// The destination.
    pub port: PortId,
    /// Its LID; 0 if it has none.
    pub lid: u32,
    /// Number of sources that do not reach it.
    pub sources: u64,
}

/// A pair that is not delivered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PairFailure {
    /// How its path ends.
    pub verdict: Verdict,
    /// The source.
    pub from: PortId,
    /// The destination.
    pub to: PortId,
    /// Its LID.
    pub to_lid: u32,
}

/// What [`verify`] found.
#[derive(Clone, Debug, PartialEq)]
pub struct Verification {
    /// The end nodes that were counted.
    pub population: Population,
    /// Whether switch LIDs were too.
    pub switch_lids: bool,
    /// Pairs per verdict.
    pub verdicts: VerdictCounts,
    /// Undelivered pairs that no cables join: no tables could deliver them.
    pub apart: u64,
    /// Delivered pairs by number of switches traversed.
    pub hops: Vec<u64>,
    /// Destinations that some sources do not reach, by LID.
    pub unreached: Vec<Unreached>,
    /// One example for each verdict other than delivered and unknown LID that occurs, among the
    /// pairs that start at a switch: the lowest destination LID, the first switch.
    pub failures: Vec<PairFailure>,
    /// The credit loops, by their lowest channel.
    pub credit_loops: Vec<CreditLoop>,
    /// Lanes that packets use between switches: 1 if the engine assigns none.
    pub lanes: u32,
    /// Flows of all-to-all traffic on every port, in its egress direction; 0 on ports that are not
    /// those of inter-switch links.
    pub loads: Vec<u64>,
    /// How evenly these flows are spread.
    pub balance: Balance,
}

impl Verification {
    /// Whether every pair is delivered and there is no credit loop.
    pub fn is_good(&self) -> bool {
        self.verdicts.failed() == 0 && self.credit_loops.is_empty()
    }

    /// At most `n` directed inter-switch links with their flows, the busiest first.
    pub fn busiest(&self, n: usize) -> Vec<(PortId, u64)> {
        let mut links: Vec<(PortId, u64)> = self
            .loads
            .iter()
            .copied()
            .enumerate()
            .filter(|&(_, flows)| flows > 0)
            .map(|(port, flows)| (PortId(port as u32), flows))
            .collect();
        links.sort_by_key(|&(port, flows)| (std::cmp::Reverse(flows), port));
        links.truncate(n);
        links
    }
}

/// Judges every ordered pair of end ports, and the tables as a whole.
pub fn verify(fabric: &Fabric, routes: &Routes, population: Population, switch_lids: bool) -> Verification {
    let ports = count::end_ports(fabric, population, switch_lids);
    let counts = count::count(fabric, routes, &ports, ToLids::All, routes.lanes.is_none());
    let wiring = Wiring::of(fabric);
    let loads = if switch_lids {
        all_to_all(fabric, routes, population)
    } else {
        loads_by_port(fabric, &wiring, &counts)
    };
    let by_lane =
        routes.lanes.as_ref().map(|lanes| LaneDependencies::of(fabric, routes, lanes, &ports, &wiring));
    let (dependencies, per_channel) = match &by_lane {
        None => (Dependencies::new(&wiring, &counts), 1),
        Some(found) => (Dependencies::by_lane(&wiring, found), found.lanes),
    };
    let credit_loops = dependencies
        .components()
        .into_iter()
        .map(|c| CreditLoop {
            cycle: c.cycle.iter().map(|vertex| wiring.port(fabric, vertex / per_channel)).collect(),
            lanes: c.cycle.iter().map(|vertex| (vertex % per_channel) as u8).collect(),
            channels: c.channels,
        })
        .collect();
    let failure = |verdict: Verdict| {
        let (to_lid, to, switch) = counts.first[verdict as usize]?;
        let from = count::source_at(fabric, &ports, switch, to)?;
        Some(PairFailure { verdict, from, to, to_lid })
    };
    Verification {
        population,
        switch_lids,
        verdicts: counts.verdicts,
        apart: apart(fabric, routes, &ports),
        failures: Verdict::ALL.into_iter().filter_map(failure).collect(),
        unreached: unreached(&counts),
        credit_loops,
        lanes: by_lane.map_or(1, |found| found.used.count_ones().max(1)),
        balance: balance(fabric, &loads),
        loads,
        hops: counts.hops,
    }
}

/// Pairs that no cables join, per destination LID.
fn apart(fabric: &Fabric, routes: &Routes, ports: &[PortId]) -> u64 {
    let by_switch = SwitchGraph::of(fabric).components();
    // An end node without a switch is alone, or with the end node that it is cabled to.
    let component = |port: PortId| match fabric.edge_switch(port) {
        Some(edge_switch) => by_switch[edge_switch.ix()],
        None => by_switch.len() as u32 + fabric.peer(port).map_or(port, |peer| peer.min(port)).0,
    };
    let mut sources: FxHashMap<u32, u64> = FxHashMap::default();
    for &port in ports {
        *sources.entry(component(port)).or_default() += 1;
    }
    let lids = |port| if routes.lids.base(port) == 0 { 0 } else { 1_u64 << routes.lids.lmc(port) };
    ports.iter().map(|&port| lids(port) * (ports.len() as u64 - sources[&component(port)])).sum()
}

/// The egress ports of all directed links between two different switches, ascending.
pub fn inter_switch_ports(fabric: &Fabric) -> impl Iterator<Item = PortId> {
    let joins_two = |&(p, q): &(PortId, PortId)| {
        let (a, b) = (fabric.node_of(p), fabric.node_of(q));
        a != b && fabric.is_switch(a) && fabric.is_switch(b)
    };
    let ports = fabric.switches().flat_map(|s| fabric.ports_of(s));
    ports.filter_map(|p| fabric.peer(p).map(|q| (p, q))).filter(joins_two).map(|(p, _)| p)
}

/// Flows of all-to-all traffic between the end nodes of a population: delivered ordered pairs per
/// port, in its egress direction; 0 on ports that are not those of inter-switch links. A port with several LIDs receives a flow on each.
pub fn all_to_all(fabric: &Fabric, routes: &Routes, population: Population) -> Vec<u64> {
    loads(fabric, routes, &count::end_ports(fabric, population, false), ToLids::All)
}

/// Flows of all-to-all traffic between chosen end ports, per port as [`all_to_all`] counts them, but to the first LID of each alone, as
/// flows of other traffic are.
pub fn all_to_all_between(fabric: &Fabric, routes: &Routes, ports: &[PortId]) -> Vec<u64> {
    loads(fabric, routes, ports, ToLids::Base)
}

fn loads(fabric: &Fabric, routes: &Routes, ports: &[PortId], to: ToLids) -> Vec<u64> {
    let counts = count::count(fabric, routes, ports, to, false);
    loads_by_port(fabric, &Wiring::of(fabric), &counts)
}

fn loads_by_port(fabric: &Fabric, wiring: &Wiring, counts: &Counts) -> Vec<u64> {
    let mut loads = vec![0; fabric.num_ports()];
    for channel in wiring.inter_switch() {
        loads[wiring.port(fabric, channel).ix()] = counts.load[channel];
    }
    loads
}

fn balance(fabric: &Fabric, loads: &[u64]) -> Balance {
    let (mut balance, mut total) = (Balance::default(), 0);
    for load in inter_switch_ports(fabric).map(|port| loads[port.ix()]) {
        total += load;
        balance.links += 1;
        balance.used += usize::from(load > 0);
        balance.max = balance.max.max(load);
    }
    balance.mean = if balance.links == 0 { 0.0 } else { total as f64 / balance.links as f64 };
    balance
}

/// Merges the counts of each destination LID that several threads failed to reach.
fn unreached(counts: &Counts) -> Vec<Unreached> {
    let mut list: Vec<Unreached> = Vec::new();
    for &(target, sources) in &counts.failed {
        match list.last_mut() {
            Some(last) if (last.lid, last.port) == (target.lid, target.port) => last.sources += sources,
            _ => list.push(Unreached { port: target.port, lid: target.lid, sources }),
        }
    }
    list
}

#[cfg(test)]
mod tests;
