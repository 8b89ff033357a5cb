//! `sssp`'s tables on as many virtual lanes as they need to be free of credit loops.
//!
//! J. Domke, T. Hoefler, W. E. Nagel, "Deadlock-Free Oblivious Routing for Arbitrary Topologies", IPDPS
//! 2011; in the form that OpenSM 3.3.23 gives it, lane for lane. All paths begin on lane 0. Where their
//! channel dependency graph has a cycle, the paths of its least used dependency move on to the next
//! lane, until no cycle is left; then the same is done on that lane. At last the lanes that are left
//! over are dealt out, so that each lane becomes the first of a range of lanes.
//!
//! | here         | in the paper                                            |
//! |--------------|---------------------------------------------------------|
//! | channel      | a link between switches in one direction                |
//! | dependency   | an edge of the channel dependency graph                 |
//! | `count`      | weight of that edge: the paths that induce it           |
//!
//! All end nodes on a switch send to a LID by the same channels. So what OpenSM does for each pair of
//! LIDs is done here once for each *bunch* of paths, from a switch to a LID; a bunch stays together.
//! OpenSM answers a query for a path with any level of its range, at random. Here all paths have the
//! first, which is what [`Lanes`] tells. Paths from switches themselves have level 0, as in OpenSM.

mod lane;
mod paths;

use super::sssp::{self, Subnet};
use crate::fabric::switch_graph::SwitchGraph;
use crate::fabric::{Fabric, NodeId, PortId};
use crate::routing::{Refused, Sweep, Tables};
use crate::sm::Lft;
use crate::sm::lanes::{Lanes, ServiceLevels, VirtualLanes};
use lane::{Lane, Search};
use paths::{Bunch, Paths};

/// The greatest number of data lanes that InfiniBand knows.
const MAX_LANES: u8 = 15;

/// Routes a fabric. Uses what `sssp` does, and [`Options::vls`](crate::routing::Options::vls).
///
/// # Errors
/// Whenever `sssp` refuses; where the lanes do not suffice, having counted the paths by then, see
/// [`Refused::counts`]; and where packets to a LID of two owners would run in a circle, which OpenSM
/// follows for ever.
pub fn route(sweep: &Sweep<'_>) -> Result<Tables, Refused> {
    let Sweep { fabric, lids, options, .. } = *sweep;
    let graph = SwitchGraph::avoiding(fabric, options.avoid_throttled);
    let subnets = sssp::subnets(sweep);
    let lft = sssp::tables(sweep, &graph, &subnets)?;
    let available = options.vls.clamp(1, MAX_LANES);
    let mut levels = vec![0; fabric.num_switches() * lft.stride()];
    for subnet in &subnets {
        let paths = Paths::of(fabric, lids, &graph, &lft, subnet);
        if let Some((from, lid)) = paths.circle() {
            return Err(Refused { never_ends: true, ..Refused::new(endless(fabric, from, lid)) });
        }
        let Some(counts) = separate(&paths, available, lft.stride(), &mut levels) else {
            let reason = format!(
                "it needs more than the {available} virtual lanes there are to be free of credit loops"
            );
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
    Ok(Tables { lft, lanes: Some(Lanes::new(sl, VirtualLanes::Same)) })
}

/// Why OpenSM never ends.
fn endless(fabric: &Fabric, from: u32, lid: u32) -> String {
    let name = &fabric.node(NodeId(from)).description;
    format!(
        "LID {lid} is given to two ports, and packets from switch \"{name}\" to it would run in a circle, which \
         OpenSM's dfsssp follows for ever (ports report LIDs that do not fit the LMC; assign LIDs afresh)"
    )
}

/// Moves paths to lanes until none has a cycle: sets the lane of each bunch, by switch and LID, and
/// tells how many paths each lane has. None where the lanes do not suffice.
fn separate(paths: &Paths<'_>, available: u8, stride: usize, lanes: &mut [u8]) -> Option<Vec<u64>> {
    let mut counts = vec![paths.num_pairs()];
    let mut lane = Lane::first(paths);
    for number in 0..available {
        let mut search = Search::new(&lane, paths);
        let mut further = Lane::empty(paths);
        let mut moved = 0;
        let mut is_cyclic = false;
        while let Some((channel, next)) = search.next_cycle(&lane, paths) {
            if number + 1 == available {
                return None;
            }
            is_cyclic = true;
            let is_here = |bunch: Bunch| lanes[bunch.from as usize * stride + bunch.to as usize] == number;
            let mut bunches = paths.over(channel, next, lane.count(paths, channel, next), is_here);
            lane.sort(paths, &mut bunches);
            for bunch in bunches {
                lanes[bunch.from as usize * stride + bunch.to as usize] = number + 1;
                lane.subtract(paths, bunch);
                further.add(paths, bunch);
                moved += u64::from(paths.weight(bunch));
            }
            lane.remove(paths, channel, next);
        }
        if !is_cyclic {
            break;
        }
        if let Some(count) = counts.last_mut() {
            *count -= moved;
        }
        counts.push(moved);
        lane = further;
    }
    Some(counts)
}

/// Deals out the lanes that are left over, each to the lane with most paths for each of its lanes; the
/// first lane of each range.
fn first_of_ranges(counts: &[u64], available: u8) -> Vec<u8> {
    let mut width = vec![1_u8; counts.len()];
    for _ in counts.len()..usize::from(available) {
        let share = |lane: usize| counts[lane] as f64 / f64::from(width[lane]);
        let mut most = 0;
        for lane in 1..counts.len() {
            if share(lane) > share(most) {
                most = lane;
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
/// load: what OpenSM has counted, on top of what engines before have, when it finds that the lanes do
/// not suffice.
fn load(sweep: &Sweep<'_>, subnets: &[Subnet], lft: &Lft) -> Vec<u32> {
    let Sweep { fabric, options, .. } = *sweep;
    let mut counts: Vec<u32> = (0..fabric.num_ports() as u32).map(|port| sweep.count(PortId(port))).collect();
    for subnet in subnets {
        let counted = subnet.targets.iter().filter(|target| target.port > 0 || options.count_switches);
        let lids: Vec<u32> = counted.flat_map(|target| target.lids.clone()).collect();
        for &switch in &subnet.switches {
            let row = lft.row(NodeId(switch));
            let ports = lids.iter().filter_map(|&lid| fabric.port(NodeId(switch), row[lid as usize]));
            ports.for_each(|port| counts[port.ix()] += 1);
        }
    }
    counts
}
