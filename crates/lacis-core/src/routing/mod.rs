//! Routing: from a fabric and its LIDs to forwarding tables. One engine, one file or folder.
//!
//! [`route`] tries a list of engines as OpenSM 3.3.23 does: the first that accepts the fabric
//! wins, and where all refuse, `minhop` routes. What was refused, and why, stays in [`Routes`]. Subnets that no cable
//! joins are routed one by one, see `islands`.
//!
//! | module         | what is in it                                                             |
//! |----------------|---------------------------------------------------------------------------|
//! | [`opensm`]     | OpenSM's engines, entry for entry                                         |
//! | [`omnipath`]   | those of Omni-Path's fabric manager                                       |
//! | [`native`]     | Lacis' own                                                                |
//! | `common`       | what they share: options, shortest links, up*/down* search, port choice   |

mod attempt;
mod common;
mod first_hops;
mod hop_matrices;
pub(crate) mod islands;
pub mod native;
pub mod omnipath;
pub mod opensm;

pub(crate) use common::discovered;

pub use attempt::{RouteError, run};
pub use common::hops_from::hops_from;
pub use common::options::Options;
pub use common::sweep::{Refused, Sweep, Tables};
pub use first_hops::FirstHops;
pub use hop_matrices::matrices;

use crate::fabric::Fabric;
use crate::fabric::switch_graph::SwitchGraph;
use crate::sm::lids::Lids;
use crate::sm::{Engine, Lft, Routes};
use attempt::{RoutingTask, attempt};

/// Routes a fabric with the first engine of `chain` that accepts it; an empty chain means `minhop`.
///
/// # Errors
/// When all engines refuse and [`Options::fallback`] is off; and at an engine that never ends in
/// OpenSM ([`crate::sm::RefusalReason::is_last`]).
pub fn route(fabric: &Fabric, lids: Lids, chain: &[Engine], options: &Options) -> Result<Routes, RouteError> {
    in_islands(RoutingTask { fabric, chain, previous: None }, lids, options)
}

/// Routes a fabric after a loss: engines that count hops keep each entry of
/// `previous` that still leads along a shortest path.
///
/// OpenSM 3.3.23 does so in every sweep until a switch appears or a port of a switch comes up, which
/// is when it forgets the tables that it had. The rows of `previous` are those of the switches of `fabric`, its
/// columns those of `lids`; switches beyond it had no table.
///
/// # Errors
/// As [`route`].
pub fn reroute(
    fabric: &Fabric,
    lids: Lids,
    chain: &[Engine],
    options: &Options,
    previous: &Lft,
) -> Result<Routes, RouteError> {
    in_islands(RoutingTask { fabric, chain, previous: Some(previous) }, lids, options)
}

/// Routes island by island where there are several.
fn in_islands(task: RoutingTask<'_>, lids: Lids, options: &Options) -> Result<Routes, RouteError> {
    let chain = if task.chain.is_empty() { &[Engine::MinHop] } else { task.chain };
    let task = RoutingTask { chain, ..task };
    let several = SwitchGraph::of(task.fabric).components().into_iter().any(|component| component > 0);
    if several && islands::are_apart(chain) {
        islands::route(task, lids, options)
    } else {
        attempt(task, lids, options)
    }
}

/// The hops of a directed route, which OpenSM finds nodes by (InfiniBand specification, 14.2.2).
pub const MOST_HOPS: u32 = 63;

/// The number of switches that are more hops from their managers than a directed route has. OpenSM finds
/// neither them nor what is beyond; here they are routed.
pub fn undiscovered(fabric: &Fabric, lids: &Lids) -> usize {
    let mut hops_away = vec![0; fabric.num_switches()];
    for manager in islands::managers(fabric, lids.manager()) {
        let Some(edge_switch) = fabric.edge_switch(manager) else { continue };
        let chosen: Vec<bool> = fabric.switches().map(|switch| switch == edge_switch).collect();
        let first = u32::from(fabric.node_of(manager) != edge_switch);
        let hops = SwitchGraph::of(fabric).hops_from(&chosen);
        for (away, hops) in hops_away.iter_mut().zip(hops).filter(|(_, hops)| *hops != u32::MAX) {
            *away = first + hops;
        }
    }
    hops_away.into_iter().filter(|&hops| hops > MOST_HOPS).count()
}
