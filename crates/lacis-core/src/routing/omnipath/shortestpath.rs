//! The default of Omni-Path's manager: paths of least cost, each LID by the port that has the fewest so far.
//!
//! LID after LID, from all switches with hosts first and from the others once they are done, in the order of
//! discovery: of the ports of least cost and greatest speed the one with the fewest LIDs, of equals that to the
//! switch with the fewest, then the first. LIDs of switches take the same ports and are not counted. It promises
//! nothing about credit loops.
//!
//! opa-fm 10.10.3, with `ShortestPathBalanced` 1 as it is shipped.

use super::balance::{Counters, SpineFirst};
use super::{destinations, is_edge, switches_discovered};
use crate::fabric::NodeId;
use crate::routing::Sweep;
use crate::routing::common::destinations::LidDestination;
use crate::sm::{Lft, NO_ENTRY};

/// Routes a fabric. Uses [`Options::spine_first`](crate::routing::Options::spine_first).
pub fn route(sweep: &Sweep<'_>) -> Lft {
    let order = switches_discovered(sweep);
    let (edges, others): (Vec<NodeId>, Vec<NodeId>) = order.into_iter().partition(|&s| is_edge(sweep, s));
    let mut balance = Counters::new(sweep.fabric, spine_first(sweep));
    let mut lft = Lft::new(sweep.fabric.num_switches(), sweep.lids.max_lid());
    let destinations = destinations(sweep);
    for switches in [edges, others] {
        for to in &destinations {
            for &from in &switches {
                set_up(sweep, &mut balance, from, to, &mut lft);
            }
        }
    }
    lft
}

/// Where spines come first with engines that know of no tree.
pub(super) fn spine_first(sweep: &Sweep<'_>) -> SpineFirst {
    if sweep.options.spine_first { SpineFirst::InsideChassis } else { SpineFirst::Nowhere }
}

/// Fills the entries of a switch for the LIDs of an end port.
pub(super) fn set_up(
    sweep: &Sweep<'_>,
    balance: &mut Counters,
    from: NodeId,
    to: &LidDestination,
    lft: &mut Lft,
) {
    let lids = sweep.lids.range(to.end);
    let row = lft.row_mut(from);
    if from == to.edge_switch {
        row[lids.start as usize..lids.end as usize].fill(to.port);
        return;
    }
    let counts = to.port > 0;
    let mut paths = Vec::new();
    balance.candidates(from.ix(), to.edge_switch.ix(), &mut paths);
    if lids.len() == 1 {
        let best = balance.best(&paths);
        row[lids.start as usize] = best.map_or(NO_ENTRY, |link| balance.costs.graph.port[link]);
        if let Some(link) = best.filter(|_| counts) {
            balance.count(link);
        }
    } else if !paths.is_empty() {
        balance.spread(from.ix(), &mut paths, lids.len(), counts);
        for (lid, &link) in lids.zip(paths.iter().cycle()) {
            row[lid as usize] = balance.costs.graph.port[link];
        }
    }
}
