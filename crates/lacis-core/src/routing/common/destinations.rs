//! All LIDs, and the switches where packets to them leave the switches.

use crate::fabric::switch_graph::SwitchGraph;
use crate::fabric::{NodeId, PortId};
use crate::routing::Sweep;
use crate::sm::lanes::ServiceLevels;

/// A LID that cables lead to.
pub(in crate::routing) struct LidDestination {
    pub lid: u32,
    /// The end port that has it.
    pub end: PortId,
    /// The switch that this is cabled to, or that it belongs to.
    pub edge_switch: NodeId,
    /// The edge switch's port to it; 0 for the edge switch itself.
    pub port: u8,
}

/// Those of a sweep, by LID.
pub(in crate::routing) fn destinations(sweep: &Sweep<'_>) -> Vec<LidDestination> {
    let Sweep { fabric, lids, .. } = *sweep;
    let destination = |(lid, end)| {
        let edge_switch = fabric.edge_switch(end)?;
        let port = if fabric.node_of(end) == edge_switch { 0 } else { fabric.number_of(fabric.peer(end)?) };
        Some(LidDestination { lid, end, edge_switch, port })
    };
    lids.assigned().into_iter().filter_map(destination).collect()
}

/// The edge switch of every LID, as [`ServiceLevels::BySwitches`] wants them.
pub(in crate::routing) fn edge_of_lid(sweep: &Sweep<'_>) -> Vec<u32> {
    let mut edge_of_lid = vec![ServiceLevels::NO_SWITCH; sweep.lids.max_lid() as usize + 1];
    for destination in destinations(sweep) {
        edge_of_lid[destination.lid as usize] = destination.edge_switch.0;
    }
    edge_of_lid
}

/// The switches of each subnet in the order given; subnets by their first switches in the fabric.
pub(in crate::routing) fn by_subnet(
    graph: &SwitchGraph,
    switches: impl IntoIterator<Item = NodeId>,
) -> Vec<Vec<NodeId>> {
    let component = graph.components();
    let mut subnets = vec![Vec::new(); component.iter().max().map_or(0, |&last| last as usize + 1)];
    for switch in switches {
        subnets[component[switch.ix()] as usize].push(switch);
    }
    subnets
}
