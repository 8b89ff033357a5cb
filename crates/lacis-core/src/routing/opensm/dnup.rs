//! Dn/Up routing: `updn` seen from the leaves. Ranks count from the switches that have end nodes, and
//! no packet climbs away from these after it has come down to them.
//!
//! OpenSM 3.3.23's behaviour; nothing was published about it. Cables between switches of one rank may
//! be used at any time, and what came before one of them is forgotten. So, other than `updn`, it
//! does not keep credit loops out: a ring of switches with hosts is free of rules.
//!
//! | here      | in OpenSM                | meaning                                              |
//! |-----------|--------------------------|------------------------------------------------------|
//! | `rank`    | rank                     | hops from the nearest switch with end nodes          |
//! | `Climb`   | DOWN                     | a step to a larger rank                              |
//! | `Descend` | UP                       | a step to a smaller rank                             |
//! | `penalty` | largest number of hops+1 | what a climb after a descent costs with `connect_roots` |
//!
//! Where forbidden turns leave switches without a path to each other, `connect_roots` makes such turns
//! merely expensive: OpenSM then walks twice, and a climb after a descent costs more than the longest
//! path of the first walk. Where this comes to 64 hops and more it loses paths that it had; so do we.
//!
//! Components of a fabric, between whose switches there is no cable, are routed each as the OpenSM of that
//! component would. A component without end nodes has no rank and no rules.

use std::sync::atomic::{AtomicBool, Ordering};

use rayon::prelude::*;

use crate::fabric::switch_graph::{SwitchGraph, end_ports_on};
use crate::fabric::{Fabric, NodeId};
use crate::routing::common::destination_order::OrderedTargets;
use crate::routing::common::hops_by_destination::HopsByDestination;
use crate::routing::common::port_choice::{self, Among};
use crate::routing::common::shortest_links::Candidates;
use crate::routing::common::updown_bfs::{self, Direction, LegalSteps, LegalWalk, TOO_LONG};
use crate::routing::{Refused, Sweep};
use crate::sm::{Lft, RefusalReason};

/// Routes a fabric that has end nodes. Uses `order` and `connect_roots` of the
/// [`Options`](crate::routing::Options).
///
/// # Errors
/// When no switch has an end node.
pub fn route(sweep: &Sweep<'_>) -> Result<Lft, Refused> {
    let Sweep { fabric, lids, options, .. } = *sweep;
    let targets = OrderedTargets::of(fabric, lids, &options.order);
    let (graph, candidates) = candidates(sweep, &targets.columns)?;
    Ok(port_choice::tables(sweep, &graph, &targets, &candidates, Among::All))
}

/// The graph, and which links may be taken to some switches.
fn candidates(sweep: &Sweep<'_>, columns: &[NodeId]) -> Result<(SwitchGraph, Candidates), Refused> {
    let (graph, steps) = prepare(sweep.fabric)?;
    let candidates = if sweep.options.connect_roots {
        connected(&graph, &steps, columns)
    } else {
        Candidates::build(&graph, columns, |edge_switches, links| {
            updown_bfs::mark_legal(&graph, &steps, edge_switches, links);
        })
    };
    Ok((graph, candidates))
}

/// The graph, and what its links do.
fn prepare(fabric: &Fabric) -> Result<(SwitchGraph, LegalSteps), Refused> {
    let graph = SwitchGraph::of(fabric);
    let is_leaf: Vec<bool> = fabric.switches().map(|s| end_ports_on(fabric, s) > 0).collect();
    if !is_leaf.contains(&true) {
        return Err(Refused::new(RefusalReason::LeavesAbsent));
    }
    let steps = LegalSteps::new(&graph, directions(&graph, &graph.hops_from(&is_leaf)));
    Ok((graph, steps))
}

/// Hops as the walks set them.
pub(in crate::routing) fn hops(sweep: &Sweep<'_>) -> Result<HopsByDestination, Refused> {
    let (graph, steps) = prepare(sweep.fabric)?;
    let switches: Vec<NodeId> = sweep.fabric.switches().collect();
    let penalty = sweep.options.connect_roots.then(|| penalties(&graph, &steps, &switches));
    Ok(HopsByDestination::build(graph, LegalWalk::new, |graph, walk, target, least, hops| {
        walk.run(graph, &steps, target, penalty.as_ref().map(|p| p[target.ix()]));
        least.copy_from_slice(&walk.least);
        hops.copy_from_slice(&walk.hops);
    }))
}

/// What each link, walked from its near end, does.
fn directions(graph: &SwitchGraph, rank: &[u32]) -> Vec<Direction> {
    let direction = |switch: usize, link: usize| match rank[switch].cmp(&rank[graph.peer[link] as usize]) {
        std::cmp::Ordering::Less => Direction::Climb,
        std::cmp::Ordering::Equal => Direction::Level,
        std::cmp::Ordering::Greater => Direction::Descend,
    };
    (0..graph.num_switches()).flat_map(|s| graph.links(s).map(move |link| direction(s, link))).collect()
}

/// The candidates with forbidden turns made expensive.
fn connected(graph: &SwitchGraph, steps: &LegalSteps, columns: &[NodeId]) -> Candidates {
    // What a turn costs is needed only where one is worth its price, or where paths may be lost.
    let doubt = AtomicBool::new(false);
    let candidates = Candidates::build(graph, columns, |edge_switches, links| {
        let waves = updown_bfs::mark_in_waves(graph, steps, edge_switches, links, true);
        // On all links paths of one hop more may have been set, and the penalty is one hop more than these.
        if waves.uncertain != 0 || 2 * waves.hops + 2 >= TOO_LONG {
            doubt.store(true, Ordering::Relaxed);
        }
    });
    if !doubt.into_inner() {
        return candidates;
    }
    let penalty = penalties(graph, steps, columns);
    Candidates::build(graph, columns, |edge_switches, links| {
        let waves = updown_bfs::mark_in_waves(graph, steps, edge_switches, links, true);
        let dearest = edge_switches.iter().map(|edge_switch| penalty[edge_switch.ix()]).max().unwrap_or(0);
        let lossy = waves.hops + u32::from(dearest) >= TOO_LONG;
        let chosen = if lossy { u64::MAX } else { waves.uncertain };
        updown_bfs::mark_by_letter(
            graph,
            steps,
            edge_switches,
            chosen,
            |edge_switch| Some(penalty[edge_switch.ix()]),
            links,
        );
    })
}

/// By switch, what a climb after a descent costs in its component of the fabric: one more than the longest
/// path that walks without such turns set anywhere in it.
fn penalties(graph: &SwitchGraph, steps: &LegalSteps, columns: &[NodeId]) -> Vec<u8> {
    let longest: Vec<(NodeId, u8)> = columns
        .par_iter()
        .map_init(
            || LegalWalk::new(graph),
            |walk, &edge_switch| {
                walk.run(graph, steps, edge_switch, None);
                (edge_switch, walk.longest())
            },
        )
        .collect();
    let component = graph.components();
    let mut of_component = vec![0; graph.num_switches()];
    for (edge_switch, longest) in longest {
        let most = &mut of_component[component[edge_switch.ix()] as usize];
        *most = longest.max(*most);
    }
    component.iter().map(|&c| of_component[c as usize].wrapping_add(1)).collect()
}
