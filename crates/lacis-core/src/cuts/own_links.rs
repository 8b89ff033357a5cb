//! What the links of end ports themselves carry.

use crate::fabric::switch_graph::SwitchGraph;
use crate::fabric::{Fabric, PortId, Rate};

/// Flows of all-to-all traffic on a cable between switches that are no more than the fullest link of an end port carries, for
/// the rates of both: with so many, packets wait no longer for a cable than for the end ports. End ports are sent to on so
/// many LIDs each.
pub fn as_full_as_own_links(fabric: &Fabric, ports: &[PortId], lids: impl Fn(PortId) -> u64) -> u64 {
    let components = SwitchGraph::of(fabric).components();
    let component = |port: PortId| fabric.edge_switch(port).map(|s| components[s.ix()] as usize);
    let mut senders = vec![0_u64; components.len()];
    ports.iter().filter_map(|&port| component(port)).for_each(|c| senders[c] += 1);
    let received = |port: PortId| component(port).map(|c| (senders[c] - 1) * lids(port));
    let flows = ports.iter().filter_map(|&port| received(port)).max().unwrap_or(0);
    (flows as f64 * slowest_cable_to_fastest_own_link(fabric, ports)) as u64
}

/// The rate of the slowest cable between switches, as a share of the fastest end port's link; at most 1.
fn slowest_cable_to_fastest_own_link(fabric: &Fabric, ports: &[PortId]) -> f64 {
    let rate = |port: PortId| fabric.link_rate(port).map(Rate::bytes_per_second);
    let is_between_switches = |&(p, q): &(PortId, PortId)| {
        [p, q].map(|port| fabric.node_of(port)).iter().all(|&n| fabric.is_switch(n))
    };
    let cables = fabric.cables().filter(is_between_switches).flat_map(|(p, q)| [p, q]);
    let slowest = cables.filter_map(rate).min_by(f64::total_cmp);
    let fastest = ports.iter().filter_map(|&port| rate(port)).max_by(f64::total_cmp);
    match (slowest, fastest) {
        (Some(slowest), Some(fastest)) => (slowest / fastest).min(1.0),
        _ => 1.0,
    }
}
