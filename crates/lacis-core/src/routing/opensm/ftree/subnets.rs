//! The subnets of a fabric: switches that no cable connects, such as those of different rails, or what
//! failures have cut off.
//!
//! OpenSM sees one subnet, that of its own port; here each is routed as the OpenSM of that subnet would.

use crate::fabric::switch_graph::SwitchGraph;
use crate::fabric::{Fabric, NodeId, NodeKind};

/// One subnet.
#[derive(Clone, Debug, Default)]
pub(super) struct TreeSubnet {
    /// Its switches, in OpenSM's order.
    pub switches: Vec<NodeId>,
    /// The end nodes cabled to one of its switches, in OpenSM's order.
    pub end_nodes: Vec<NodeId>,
    /// The number of adapter ports on its switches.
    pub num_ca_ports: usize,
}

impl TreeSubnet {
    /// The first switch, by which messages name the subnet.
    pub fn first(&self) -> Option<NodeId> {
        self.switches.iter().copied().min()
    }
}

/// Whether OpenSM sees a channel adapter here. Fat-tree routing ignores routers.
pub(super) fn is_ca(fabric: &Fabric, node: NodeId) -> bool {
    matches!(fabric.node(node).kind, NodeKind::Adapter | NodeKind::Aggregation)
}

/// All subnets, by their first switches.
pub(super) fn of(fabric: &Fabric) -> Vec<TreeSubnet> {
    let component = SwitchGraph::of(fabric).components();
    let count = component.iter().max().map_or(0, |&last| last as usize + 1);
    let mut subnets = vec![TreeSubnet::default(); count];
    for node in fabric.nodes_in_opensm_order() {
        if fabric.is_switch(node) {
            subnets[component[node.ix()] as usize].switches.push(node);
            continue;
        }
        let peers = fabric.ports_of(node).filter_map(|p| fabric.peer(p)).map(|q| fabric.node_of(q));
        for switch in peers.filter(|&n| fabric.is_switch(n)) {
            let subnet = &mut subnets[component[switch.ix()] as usize];
            subnet.num_ca_ports += usize::from(is_ca(fabric, node));
            if subnet.end_nodes.last() != Some(&node) {
                subnet.end_nodes.push(node);
            }
        }
    }
    subnets
}

/// The subnets to be routed as trees: those with several switches and several adapter ports. Where there is
/// none, the subnet with most adapter ports, for which OpenSM has a reason to refuse.
pub(super) fn trees(subnets: &[TreeSubnet]) -> Vec<&TreeSubnet> {
    let is_tree = |subnet: &&TreeSubnet| subnet.switches.len() > 1 && subnet.num_ca_ports > 1;
    let trees: Vec<&TreeSubnet> = subnets.iter().filter(is_tree).collect();
    if trees.is_empty() {
        return subnets.iter().rev().max_by_key(|subnet| subnet.num_ca_ports).into_iter().collect();
    }
    trees
}
