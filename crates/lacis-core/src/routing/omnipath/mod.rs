//! The engines of Omni-Path's fabric manager, as opa-fm 10.10.3 has them: the static tables, and the port groups
//! that its adaptive routing moves destinations in.
//!
//! | module            | what is in it                                                          |
//! |-------------------|------------------------------------------------------------------------|
//! | [`shortestpath`]  | least cost, the port with fewest LIDs: the manager's default           |
//! | [`fattree`]       | destinations in turn over the ports up and down a tree                 |
//! | [`dgshortestpath`]| as shortestpath, device group after device group                       |
//! | [`port_groups`]   | all ports of least cost, as the manager programs them                  |
//! | `costs`           | what paths cost, and which ports begin the cheapest                    |
//! | `balance`         | LIDs counted by port and by switch, and the choice that they decide    |
//!
//! All go by the order of discovery ([`Fabric::discovery_order`](crate::fabric::Fabric::discovery_order)). Where the
//! manager keeps tables that still hold after a change, they are recomputed here.

mod balance;
mod costs;
pub mod dgshortestpath;
pub mod fattree;
pub mod port_groups;
pub mod shortestpath;
mod tiers;

use crate::fabric::{NodeId, PortId};
use crate::routing::Sweep;
use crate::sm::lids::Lids;

/// All switches in the order of discovery.
fn switches_discovered(sweep: &Sweep<'_>) -> Vec<NodeId> {
    let Some(manager) = sweep.lids.manager().or_else(|| Lids::default_sm(sweep.fabric)) else {
        return sweep.fabric.switches().collect();
    };
    let mut order = sweep.fabric.discovery_order(manager);
    order.retain(|&node| sweep.fabric.is_switch(node));
    order
}

/// Whether a switch has hosts.
fn is_edge(sweep: &Sweep<'_>, switch: NodeId) -> bool {
    let fabric = sweep.fabric;
    fabric.ports_of(switch).filter_map(|p| fabric.peer(p)).any(|far| !fabric.is_switch(fabric.node_of(far)))
}

/// An end port with LIDs, the switch where packets to it leave the switches, and the port by which: 0 for the
/// switch itself.
struct Destination {
    end: PortId,
    edge_switch: NodeId,
    port: u8,
}

/// All of them, by LID.
fn destinations(sweep: &Sweep<'_>) -> Vec<Destination> {
    let Sweep { fabric, lids, .. } = *sweep;
    let mut found = Vec::new();
    for (lid, end) in lids.assigned() {
        if lids.base(end) != lid {
            continue;
        }
        let Some(edge_switch) = fabric.edge_switch(end) else { continue };
        let far = fabric.peer(end).filter(|_| !fabric.is_switch(fabric.node_of(end)));
        found.push(Destination { end, edge_switch, port: far.map_or(0, |far| fabric.number_of(far)) });
    }
    found
}
