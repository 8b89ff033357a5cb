//! Lacis' own: free of credit loops on any connected fabric, with any number of lanes; no pair is left
//! without a route. It grew out of Nue, whose channel dependency graph it keeps:
//!
//! J. Domke, T. Hoefler, S. Matsuoka, "Routing on the Dependency Graph: A New Approach to
//! Deadlock-Free High-Performance Routing", HPDC 2016.
//!
//! | here                            | in the paper                                             |
//! |---------------------------------|----------------------------------------------------------|
//! | channel, *turn*                 | node and edge of the complete channel dependency graph D |
//! | used, blocked, unused (`cdg`)   | states of the edges of D                                 |
//! | `numbering`                     | the used edges of D, acyclic, as an order of its nodes   |
//! | `lanes`                         | virtual layers, and the partition of the destinations    |
//! | `escape`                        | escape paths: a spanning tree                            |
//! | `from_trees`                    | Dijkstra's algorithm within D                            |
//! | `sources`, `load`               | weights of the channels                                  |
//!
//! What is promised, lane by lane: the channels are numbered, and a packet between end
//! nodes climbs in the numbers at every switch, so no packets can wait for each other in a circle
//! (Dally and Seitz, 1987). A numbering serves only if every end node reaches every LID of its lane
//! so; up*/down* along any order of the switches in which each has a neighbour before it does, so
//! there always is one.
//!
//! Departures from the paper:
//!
//! * Numbers first, routes second. The paper blocks turns while it routes, so that late LIDs pay
//!   for early ones. Here a lane's numbering is settled before its LIDs are routed, by `minimal`
//!   where all shortest paths fit into one (trees), by the best of many trials elsewhere (`select`);
//!   nothing has to be checked when routes are balanced, which can be done in several passes.
//! * Acyclicity is kept by a dynamic topological order (Pearce and Kelly) instead of component
//!   numbers and depth-first searches.
//! * Escape paths are those of the order that a numbering starts from, not of a tree about the node
//!   of highest betweenness; `orders` says why a dense order is better than a tree's.
//! * Shorter paths come before less loaded ones; among paths of equal length the loads decide, by
//!   the sum of their powers (`balance`).
//! * Destinations are dealt over the lanes by regions where that is better than one numbering (`lanes`).
//!
//! Switches' own LIDs are routed last, on lane 0 and in its numbering too as far as that reaches, but
//! are not in the promise, as in OpenSM with `nue_include_switches` off.

use std::ops::Range;

use rayon::prelude::*;

mod balance;
mod cdg;
mod component;
mod escape;
mod from_trees;
mod lanes;
mod minimal;
mod numbering;
mod orders;
mod paths;
mod select;

use crate::fabric::NodeId;
use crate::routing::{Refused, Sweep, Tables};
use crate::sm::Lft;
use crate::sm::lanes::{DEFAULT_LANE, PathLanes, ServiceLevels, VirtualLanes};
use balance::{ChannelLoads, HERE, Routed};
use component::{Component, LidTarget};
use lanes::LanePlan;

/// Most lanes that data can have: lane 15 is the manager's.
const MOST_LANES: u8 = 15;
/// Routes any fabric, component by component. Uses `nue_vls` and `vls` of the
/// [`Options`](crate::routing::Options).
///
/// # Errors
/// None: every pair that cables connect is reached.
pub fn route(sweep: &Sweep<'_>) -> Result<Tables, Refused> {
    let Sweep { fabric, lids, options, .. } = *sweep;
    let available = options.vls.clamp(1, MOST_LANES);
    let count = if options.nue_vls == 0 { available } else { options.nue_vls.min(available) };
    let mut lft = Lft::new(fabric.num_switches(), lids.max_lid());
    let mut levels = vec![DEFAULT_LANE; lids.max_lid() as usize + 1];
    for component in Component::all(fabric, lids) {
        let tried =
            lanes::plans(&component, count).into_iter().map(|mut plan| (routed(&component, &mut plan), plan));
        let Some((Routed { hop_index, .. }, plan)) = tried.min_by(|a, b| a.0.badness.total_cmp(&b.0.badness))
        else {
            continue;
        };
        for (target, &lane) in component.targets.iter().zip(&plan.lanes) {
            levels[target.lid as usize] = lane;
        }
        fill(&mut lft, &component, &component.targets, &hop_index);
        let (own, hop_index) = to_switches(&component, &plan, |switch| lids.range(fabric.port0(switch)));
        fill(&mut lft, &component, &own, &hop_index);
    }
    let assigned = PathLanes::new(ServiceLevels::ByLid(levels), VirtualLanes::Same);
    Ok(Tables { lft, lanes: (count > 1).then_some(assigned) })
}

/// The routes to all targets by a plan.
fn routed(component: &Component, plan: &mut LanePlan) -> Routed {
    if let Some(routed) = plan.routed.take() {
        return routed;
    }
    let edge_switches = component
        .edge_switches
        .iter()
        .zip(&plan.of_edge)
        .map(|(edge_switch, &n)| (edge_switch, &plan.numberings[n]))
        .collect();
    let mut balance = ChannelLoads::new(component, edge_switches);
    let reached = balance.passes();
    debug_assert!(reached, "a numbering was chosen that does not serve");
    balance.best(select::PATHS)
}

/// The LIDs of the switches themselves, and the channels taken to them.
fn to_switches(
    component: &Component,
    plan: &LanePlan,
    lids: impl Fn(NodeId) -> Range<u32>,
) -> (Vec<LidTarget>, Vec<u8>) {
    let own: Vec<(u32, u32)> =
        (0..).zip(&component.switches).flat_map(|(s, &id)| lids(id).map(move |lid| (s, lid))).collect();
    let mut hop_index = vec![HERE; own.len() * component.len()];
    if let Some(numbering) = plan.numberings.first() {
        hop_index.par_chunks_mut(component.len().max(1)).zip(&own).for_each_init(
            || paths::PathsToEdge::new(component),
            |paths, (row, &(switch, _))| {
                paths.find_any(numbering, switch);
                for (&from, channels) in paths.found.each() {
                    row[from as usize] =
                        component.channels.index(channels[switch as usize % channels.len()] as usize) as u8;
                }
            },
        );
    }
    let targets =
        own.iter().map(|&(_, lid)| LidTarget { lid, at_edge: 0, same_port: false, opensm_index: 0 });
    (targets.collect(), hop_index)
}

/// Writes the channels taken to some targets into the tables.
fn fill(lft: &mut Lft, component: &Component, targets: &[LidTarget], hop_index: &[u8]) {
    let stride = lft.stride();
    let mut number = vec![None; lft.num_switches()];
    for (s, switch) in component.switches.iter().enumerate() {
        number[switch.ix()] = Some(s);
    }
    lft.as_mut_slice().par_chunks_mut(stride).zip(&number).for_each(|(row, &number)| {
        let Some(switch) = number else { return };
        for (target, hop_index) in targets.iter().zip(hop_index.chunks_exact(component.len())) {
            row[target.lid as usize] = match hop_index[switch] {
                HERE => target.at_edge,
                index => component.port[component.channels.channel(switch as u32, usize::from(index))],
            };
        }
    });
}
