//! All LIDs, and the switches where packets to them leave the switches.

use rustc_hash::FxHashMap;

use crate::fabric::switch_graph::SwitchGraph;
use crate::fabric::{Fabric, Guid, NodeId, PortId};
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

/// The end nodes on a switch: its ports to them, and theirs to it.
pub(in crate::routing) fn ends_on(
    fabric: &Fabric,
    switch: NodeId,
) -> impl Iterator<Item = (PortId, PortId)> + '_ {
    let cabled = fabric.ports_of(switch).filter_map(|port| Some((port, fabric.peer(port)?)));
    cabled.filter(|&(_, end)| !fabric.is_switch(fabric.node_of(end)))
}

/// All end ports by GUID; of two with one GUID the first in OpenSM's order.
pub(in crate::routing) fn ports_by_guid(fabric: &Fabric) -> FxHashMap<Guid, PortId> {
    let ports = fabric.end_ports_in_opensm_order().into_iter().rev();
    ports.map(|port| (fabric.end_port_guid(port), port)).collect()
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
