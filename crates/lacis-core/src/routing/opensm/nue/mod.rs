//! Nue: free of credit loops on any fabric with any number of lanes, as far as OpenSM's is.
//!
//! J. Domke, T. Hoefler, S. Matsuoka, "Routing on the Dependency Graph: A New Approach to
//! Deadlock-Free High-Performance Routing", HPDC 2016; in the form that OpenSM 3.3.23 gives it, entry for
//! entry and lane for lane.
//!
//! | here                     | in the paper                                                    |
//! |--------------------------|-----------------------------------------------------------------|
//! | channel                  | a link in one direction: a node of the dependency graph         |
//! | `cdg`                  | the complete channel dependency graph D and the states ω of its edges |
//! | `centre`               | the most central node of a convex subgraph                      |
//! | `escape`               | escape paths: a spanning tree about it                          |
//! | `search`, `impasse`  | Dijkstra's algorithm within D, local backtracking and shortcuts |
//! | lane                     | virtual layer                                                   |
//!
//! The destinations are dealt out over the lanes in turn. (An OpenSM built with METIS cuts the fabric into as
//! many regions instead, so that a lane's destinations are neighbours; Debian's is built without.)
//! Lane after lane, LID after LID, paths are sought within D from the destination outward; an edge that would
//! close a cycle is blocked permanently. The paths make their channels heavier for those that follow. Where
//! the search cannot reach all switches, the LID gets the escape paths.
//!
//! Switches send no data: unless [`Options::nue_include_switches`](crate::routing::Options::nue_include_switches)
//! says otherwise, each gets a spanning tree, last and outside of D, on lane 0. Routers get no
//! entries. Where a shortcut is found after an impasse, OpenSM forgets edges of D that are in use; so
//! a cycle is possible there, here as well.

mod cdg;
mod centre;
mod escape;
mod impasse;
mod network;
mod search;

use crate::fabric::switch_graph::{SwitchGraph, Throttled};
use crate::routing::common::destinations::by_subnet;
use crate::routing::common::transpose::ByDestination;
use crate::routing::{Refused, Sweep, Tables};
use crate::sm::RefusalReason;
use crate::sm::lanes::{DEFAULT_LANE, PathLanes, ServiceLevels, VirtualLanes};
use cdg::Cdg;
use network::{EndPort, NONE, SwitchNetwork};
use search::PathSearch;

/// Most lanes that data can have: lane 15 is the manager's.
const MOST_LANES: u8 = 15;

/// Routes a fabric. Uses `nue_vls`, `nue_include_switches`, `avoid_throttled` and `vls` of the [`Options`](crate::routing::Options).
///
/// # Errors
/// When distances would not fit into 31 bits, as in OpenSM: hops from the centre, times the square of the
/// number of LIDs. When a switch has several LIDs, which OpenSM does not survive.
pub fn route(sweep: &Sweep<'_>) -> Result<Tables, Refused> {
    let Sweep { fabric, lids, options, .. } = *sweep;
    let available = options.vls.clamp(1, MOST_LANES);
    let lanes = if options.nue_vls == 0 { available } else { options.nue_vls.min(available) };
    let mut made = Made {
        by_destination: ByDestination::new(fabric.num_switches(), lids.max_lid() as usize + 1),
        levels: vec![DEFAULT_LANE; lids.max_lid() as usize + 1],
    };
    let throttled = options.avoid_throttled.then(|| Throttled::of(fabric));
    for nodes in by_subnet(&SwitchGraph::of(fabric), fabric.switches()) {
        if let Some(&node) = nodes.iter().find(|&&node| lids.range(fabric.port0(node)).len() > 1) {
            let switch = fabric.node(node).description.to_string();
            return Err(Refused::new(RefusalReason::SwitchLidsSeveral { switch }));
        }
        let mut network = SwitchNetwork::new(fabric, lids, nodes, |port| {
            throttled.as_ref().is_none_or(|throttled| !throttled.has(fabric, port))
        });
        route_subnet(&mut network, lanes, options.nue_include_switches, &mut made)
            .ok_or_else(|| Refused::new(RefusalReason::LidsMany))?;
    }
    let assigned = PathLanes::new(ServiceLevels::ByLid(made.levels), VirtualLanes::Same);
    Ok(Tables { lft: made.by_destination.lft(), lanes: (lanes > 1).then_some(assigned) })
}

/// What is made.
struct Made {
    by_destination: ByDestination,
    /// By LID.
    levels: Vec<u8>,
}

impl Made {
    /// Writes the entries of a LID; by switch, `used` is the channel that leads to it from the target.
    fn write(&mut self, network: &SwitchNetwork, target: &EndPort, lid: u32, used: &[u32]) {
        let row = self.by_destination.row_mut(lid);
        for (&node, &channel) in network.node.iter().zip(used) {
            row[node.ix()] = match channel {
                NONE => target.port,
                channel => network.port[network.back[channel as usize] as usize],
            };
        }
    }
}

/// Routes a subnet; none where distances do not fit.
fn route_subnet(
    network: &mut SwitchNetwork,
    lanes: u8,
    includes_switches: bool,
    made: &mut Made,
) -> Option<()> {
    let all = std::mem::take(&mut network.targets);
    let mut dealt: Vec<Vec<&EndPort>> = vec![Vec::new(); usize::from(lanes)];
    let wanted = all.iter().filter(|target| target.port > 0 || includes_switches);
    for (target, lane) in wanted.zip((0..usize::from(lanes)).cycle()) {
        dealt[lane].push(target);
    }
    let mut cdg = Cdg::new(network);
    let mut search = PathSearch::new(network);
    for (lane, targets) in (0..).zip(&dealt) {
        if targets.is_empty() {
            continue;
        }
        let (centre, has_targets) = central(network, targets)?;
        let tree = escape::spanning_tree(network, centre);
        cdg.reset();
        escape::mark(network, &mut cdg, &tree, centre, &has_targets);
        // Adapters first.
        let adapters = targets.iter().filter(|target| target.port > 0);
        for target in adapters.chain(targets.iter().filter(|target| target.port == 0)) {
            for lid in target.lids.clone() {
                search.run(network, &mut cdg, &tree, target.edge_switch);
                made.write(network, target, lid, &search.used);
                made.levels[lid as usize] = lane;
                network.add_load(&search.used, target.edge_switch).then_some(())?;
            }
        }
    }
    if !includes_switches {
        let mut switches: Vec<&EndPort> = all.iter().filter(|target| target.port == 0).collect();
        switches.sort_by_key(|target| target.edge_switch);
        for target in switches {
            let tree = escape::spanning_tree(network, target.edge_switch);
            for lid in target.lids.clone() {
                made.write(network, target, lid, &tree);
            }
            network.add_load(&tree, target.edge_switch).then_some(())?;
        }
    }
    Some(())
}

/// The root of a lane's escape paths, and by switch whether it has destinations of the lane.
fn central(network: &SwitchNetwork, targets: &[&EndPort]) -> Option<(u32, Vec<bool>)> {
    let mut has_targets = vec![false; network.len()];
    let mut adapters = vec![0_u8; network.len()];
    for target in targets {
        has_targets[target.edge_switch as usize] = true;
        if target.port > 0 {
            adapters[target.edge_switch as usize] = adapters[target.edge_switch as usize].wrapping_add(1);
        }
    }
    let hull = centre::hull(network, &has_targets);
    Some((centre::centre(network, &hull, &adapters)?, has_targets))
}
