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
//! All follow the order of discovery ([`Fabric::discovery_order`](crate::fabric::Fabric::discovery_order)). Where the
//! manager keeps tables that still hold after a change, they are recomputed here.

mod balance;
mod costs;
pub mod dgshortestpath;
pub mod fattree;
pub mod port_groups;
pub mod shortestpath;
mod tiers;

use crate::fabric::NodeId;
use crate::routing::Sweep;
use crate::routing::common::destinations::{self, LidDestination, ends_on};
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
    ends_on(sweep.fabric, switch).next().is_some()
}

/// The end ports that LIDs lead to, by their base LIDs.
fn destinations(sweep: &Sweep<'_>) -> Vec<LidDestination> {
    let mut destinations = destinations::destinations(sweep);
    destinations.retain(|to| sweep.lids.base(to.end) == to.lid);
    destinations
}
