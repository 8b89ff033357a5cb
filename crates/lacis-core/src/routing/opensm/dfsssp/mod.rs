//! `sssp`'s tables on as many virtual lanes (VLs) as they need to be free of credit loops.
//!
//! J. Domke, T. Hoefler, W. E. Nagel, "Deadlock-Free Oblivious Routing for Arbitrary Topologies", IPDPS
//! 2011; in the form that OpenSM 3.3.23 gives it, VL for VL. All paths begin on VL 0. Where their
//! channel dependency graph has a cycle, the paths of its least used dependency move on to the next
//! VL, until no cycle is left; then the same is done on that VL. At last the unused VLs are shared out,
//! so that each VL becomes the first of a range.
//!
//! | here         | in the paper                                                               |
//! |--------------|----------------------------------------------------------------------------|
//! | channel      | a link between switches in one direction                                   |
//! | dependency   | an edge of the channel dependency graph, `LaneCdg`                           |
//! | `count`      | weight of that edge: the paths that induce it                              |
//! | route        | all paths from the end nodes on a switch to a LID, which share their links |
//!
//! So what OpenSM does for each pair of LIDs is done here once for each route.
//! OpenSM answers a query for a path with any level of its range, at random. Here all paths have the
//! first level. Paths from switches themselves have level 0, as in OpenSM.

mod cdg;
mod paths;

use super::sssp::{self, SsspSubnet};
use crate::fabric::switch_graph::SwitchGraph;
use crate::fabric::{NodeId, PortId};
use crate::routing::{Refused, Sweep, Tables};
use crate::sm::lanes::{PathLanes, ServiceLevels, VirtualLanes};
use crate::sm::{Lft, RefusalReason};
use cdg::{LaneCdg, LaneCycleSearch};
use paths::{Route, SubnetPaths};

/// The greatest number of data VLs that InfiniBand knows.
const MAX_VLS: u8 = 15;

/// Routes a fabric. Uses what `sssp` does, and [`Options::vls`](crate::routing::Options::vls).
///
/// # Errors
/// Whenever `sssp` refuses; where the VLs do not suffice, having counted the paths by then, see
/// [`Refused::counts`]; and where packets to a LID of two owners would run in a circle, which OpenSM
/// follows for ever.
pub fn route(sweep: &Sweep<'_>) -> Result<Tables, Refused> {
    let Sweep { fabric, lids, options, .. } = *sweep;
    let graph = SwitchGraph::avoiding(fabric, options.avoid_throttled);
    let subnets = sssp::subnets(sweep);
    let table = sssp::fast::table(sweep, &graph, &subnets)?;
    let lft = table.lft();
    let available = options.vls.clamp(1, MAX_VLS);
    let mut levels = vec![0; fabric.num_switches() * lft.stride()];
    for subnet in &subnets {
        let paths = SubnetPaths::of(fabric, lids, &graph, &lft, &table, subnet);
        if let Some((from, lid)) = paths.circle() {
            let switch = fabric.node(NodeId(from)).description.to_string();
            return Err(Refused::new(RefusalReason::LidCircle { lid, switch }));
        }
        let Some(counts) = separate(&paths, available, lft.stride(), &mut levels) else {
            let reason = RefusalReason::LanesExhausted { lanes: available };
            return Err(Refused { counts: load(sweep, &subnets, &lft), ..Refused::new(reason) });
        };
        let first = first_of_ranges(&counts, available);
        for &switch in &subnet.switches {
            let row = &mut levels[switch as usize * lft.stride()..][..lft.stride()];
            for level in row {
                *level = first[usize::from(*level)];
            }
        }
    }
    let sl = ServiceLevels::BySwitchAndLid { stride: lft.stride(), levels };
    Ok(Tables { lft, lanes: Some(PathLanes::new(sl, VirtualLanes::Same)) })
}

/// Moves paths to VLs until none has a cycle: sets the VL of each route, by switch and LID; returns how many
/// paths each VL has. None where the VLs do not suffice.
fn separate(paths: &SubnetPaths<'_>, available: u8, stride: usize, vls: &mut [u8]) -> Option<Vec<u64>> {
    let mut counts = vec![paths.num_pairs()];
    let mut cdg = LaneCdg::first(paths);
    for number in 0..available {
        let mut search = LaneCycleSearch::new(&cdg, paths);
        let mut further = LaneCdg::empty(paths);
        let mut moved = 0;
        let mut is_cyclic = false;
        while let Some((channel, next)) = search.next_cycle(&cdg, paths) {
            if number + 1 == available {
                return None;
            }
            is_cyclic = true;
            let index = |route: Route| route.from as usize * stride + route.to as usize;
            let is_here = |route: Route| vls[index(route)] == number;
            let mut routes = paths.over(channel, next, cdg.count(paths, channel, next), is_here);
            cdg.sort(paths, &mut routes);
            for route in routes {
                vls[index(route)] = number + 1;
                cdg.subtract(paths, route);
                further.add(paths, route);
                moved += u64::from(paths.weight(route));
            }
            cdg.remove(paths, channel, next);
        }
        if !is_cyclic {
            break;
        }
        if let Some(count) = counts.last_mut() {
            *count -= moved;
        }
        counts.push(moved);
        cdg = further;
    }
    Some(counts)
}

/// Shares out the unused VLs, each to the range with most paths for each of its VLs; the first
/// VL of each range.
fn first_of_ranges(counts: &[u64], available: u8) -> Vec<u8> {
    let mut width = vec![1_u8; counts.len()];
    for _ in counts.len()..usize::from(available) {
        let share = |vl: usize| counts[vl] as f64 / f64::from(width[vl]);
        let mut most = 0;
        for vl in 1..counts.len() {
            if share(vl) > share(most) {
                most = vl;
            }
        }
        width[most] += 1;
    }
    let firsts = width.iter().scan(0, |next, width| {
        let first = *next;
        *next += width;
        Some(first)
    });
    firsts.collect()
}

/// By egress port, the LIDs that a switch sends through it, those of switches only where these count as
/// load: what OpenSM has counted, on top of what engines before have, when it finds that the VLs do
/// not suffice.
fn load(sweep: &Sweep<'_>, subnets: &[SsspSubnet], lft: &Lft) -> Vec<u32> {
    let Sweep { fabric, options, .. } = *sweep;
    let mut counts: Vec<u32> = (0..fabric.num_ports() as u32).map(|port| sweep.count(PortId(port))).collect();
    for subnet in subnets {
        let counted = subnet.destinations.iter().filter(|to| to.port > 0 || options.count_switches);
        let lids: Vec<u32> = counted.flat_map(|to| to.lids.clone()).collect();
        for &switch in &subnet.switches {
            let row = lft.row(NodeId(switch));
            let ports = lids.iter().filter_map(|&lid| fabric.port(NodeId(switch), row[lid as usize]));
            ports.for_each(|port| counts[port.ix()] += 1);
        }
    }
    counts
}
