//! LASH: shortest paths of single links, spread over virtual lanes so that no lane can deadlock.
//!
//! T. Skeie, O. Lysne and I. Theiss, "Layered Shortest Path (LASH) Routing in Irregular System Area
//! Networks", IPDPS 2002, in the form that OpenSM 3.3.23 gives it: tables and lanes are
//! OpenSM's. Parallel cables but the first stay unused, unless
//! [`Options::mesh_analysis`](crate::routing::Options::mesh_analysis) lets LIDs take turns on them; nothing
//! else balances the links: what it balances are the lanes.
//!
//! | here              | in the paper                                            |
//! |-------------------|---------------------------------------------------------|
//! | lane              | virtual layer                                           |
//! | pair              | ⟨source, destination⟩, both directions in one layer here |
//! | `DependencyGraph` | a layer's channel dependency graph                      |
//!
//! Pairs of switches are taken in order, each with both its directions, and each goes to the first
//! lane in which it closes no cycle; then pairs that are drawn at random move from the fullest lane
//! to the emptiest. Lacis finds cycles by keeping each lane's channels sorted, where OpenSM
//! searches every lane's whole graph for every pair.
//!
//! OpenSM draws from a generator of the whole process, which starts at seed 1, or at the seed of
//! [`Options::scatter`](crate::routing::Options::scatter), and goes on in later sweeps; a list of engines
//! that names `dfsssp` seeds it by the clock. Here every sweep is a process's first and the clock
//! is left alone.

mod balance;
mod layers;
mod mesh;
mod paths;

use rayon::prelude::*;

use crate::fabric::NodeId;
use crate::fabric::switch_graph::{SwitchGraph, end_ports_on};
use crate::routing::common::channels::Channels;
use crate::routing::common::destinations::{LidDestination, by_subnet, destinations, edge_of_lid};
use crate::routing::common::glibc_random::GlibcRandom;
use crate::routing::{Refused, Sweep, Tables};
use crate::sm::lanes::{PathLanes, ServiceLevels, VirtualLanes};
use crate::sm::{Lft, RefusalReason};
use layers::LaneAssignment;
use paths::SwitchPaths;

/// Data lanes of InfiniBand.
const MOST_LANES: u8 = 15;

/// Routes any fabric whose paths fit the lanes. Uses `vls`, `lash_start_vl`, `scatter` and `mesh_analysis` of the
/// [`Options`](crate::routing::Options).
///
/// # Errors
/// When lanes do not suffice, with OpenSM's reason; when the mesh analysis never ends in OpenSM.
pub fn route(sweep: &Sweep<'_>) -> Result<Tables, Refused> {
    let Sweep { fabric, options, .. } = *sweep;
    let (start, lanes) = (options.lash_start_vl, options.vls.min(MOST_LANES));
    if start >= lanes {
        return Err(Refused::new(RefusalReason::FirstLaneHigh { start, lanes }));
    }
    let n = fabric.num_switches();
    let mut levels = vec![start; n * n];
    let mut lft = Lft::new(n, sweep.lids.max_lid());
    let destinations = destinations(sweep);
    let graph = SwitchGraph::of(fabric);
    let mut subnets = by_subnet(&graph, fabric.switches_in_opensm_order());
    let is_populated: Vec<bool> = fabric.switches().map(|switch| end_ports_on(fabric, switch) > 0).collect();
    let level = graph.hops_from(&is_populated);
    let several = subnets.len() > 1;
    for members in &mut subnets {
        let mut links = mesh::links(&graph, members);
        if options.mesh_analysis {
            mesh::analyse(members, &mut links)
                .map_err(|mesh::Endless| Refused::new(RefusalReason::MeshEndless))?;
        } else {
            links.iter_mut().flatten().for_each(|link| link.ports.truncate(1));
        }
        let paths = SwitchPaths::of(links);
        let order = up_then_down(&level, members, &paths.channels);
        let mut layers =
            LaneAssignment::assign(&paths, order, usize::from(lanes - start)).map_err(|lanes| {
                let refused = Refused::new(RefusalReason::LanesFew { needed: lanes + 1, lanes, start });
                if several { refused.within(&fabric.node(members[0]).description) } else { refused }
            })?;
        balance::balance(&mut layers, &mut GlibcRandom::new(options.scatter));
        write_tables(&paths, members, &destinations, &mut lft);
        for (a, source) in members.iter().enumerate() {
            let row = &mut levels[source.ix() * n..][..n];
            for (b, target) in members.iter().enumerate().filter(|&(b, _)| b != a) {
                row[target.ix()] = start + layers.lane(a, b);
            }
        }
    }
    let levels = ServiceLevels::BySwitches { edge_of_lid: edge_of_lid(sweep), switches: n, levels };
    let lanes = PathLanes::new(levels, VirtualLanes::Same);
    Ok(Tables { lft, lanes: Some(lanes) })
}

/// The position of each channel in an order that up*/down* paths follow: channels away from the end nodes,
/// the nearest first, then those back. Any order would do; most paths of a tree follow this one. `level`: by switch of the
/// fabric, hops from the nearest with end nodes.
fn up_then_down(level: &[u32], members: &[NodeId], channels: &Channels) -> Vec<u32> {
    let level = |switch: u32| i64::from(level[members[switch as usize].ix()]);
    let key = |c: &usize| {
        let (from, to) = (level(channels.tail[*c]), level(channels.head[*c]));
        (to.cmp(&from).reverse(), if from < to { from } else { -from })
    };
    let mut order: Vec<usize> = (0..channels.len()).collect();
    order.sort_by_key(key);
    let mut position = vec![0; order.len()];
    for (c, at) in order.into_iter().zip(0..) {
        position[c] = at;
    }
    position
}

/// Fills the rows of a subnet's switches.
fn write_tables(paths: &SwitchPaths, members: &[NodeId], destinations: &[LidDestination], lft: &mut Lft) {
    let mut number = vec![usize::MAX; lft.num_switches()];
    for (n, switch) in members.iter().enumerate() {
        number[switch.ix()] = n;
    }
    let stride = lft.stride();
    let rows =
        lft.as_mut_slice().par_chunks_mut(stride).enumerate().filter(|(s, _)| number[*s] != usize::MAX);
    rows.for_each(|(switch, row)| {
        let mut turn = vec![0; paths.channels.len()];
        for to in destinations.iter().filter(|to| number[to.edge_switch.ix()] != usize::MAX) {
            let ports = paths.ports(number[switch], number[to.edge_switch.ix()]);
            row[to.lid as usize] = match ports {
                None => to.port,
                Some((channel, ports)) => {
                    turn[channel] += 1;
                    ports[(turn[channel] - 1) % ports.len()]
                }
            };
        }
    });
}
