//! Bending the order until some switch is above every two that must talk.
//!
//! Two switches *meet* where some switch is above both. In a tree leaves always do; tops with end nodes do
//! not, nor do two leaves that have lost their cables to different switches. Then let `H` be all that is
//! below one top, the one with most below it, and `x` a switch of `H` from which cables lead up to switches
//! outside `H`, and none above `x` such. Of all cables whose ends are `x`, those switches and what is above
//! them, up becomes down: `x` is above these now, and so they are in `H`.
//!
//! * No circle comes of it: a path up leaves the turned set only from `x`, and comes back to none of it, as nothing in
//!   `H` is above a switch outside `H`.
//! * Two that met below a turned switch are below `x` now; paths over other switches have kept their directions.
//! * `H` grows until all is in it that cables connect.
//!
//! A path that climbed to a turned switch and descended from it does so still, or only descends, or only climbs:
//! what the tree's leaves could choose from they still can. But all packets between `x` and what was outside go by the
//! cables of one switch. That suits tops with aggregation nodes.
//!
//! Tops with hosts that send and receive much, such as storage on spines, are *lowered* before: such a top `T` comes to stand
//! between the switches below it. From the first of these, in one sequence for all tops, cables now lead down to `T`,
//! from the others up, so that the packets of its hosts have several cables to climb by. A top whose hosts' packets fit on one cable
//! stays where it is: lowered tops of one plane would leave the switches below few ways to each other.
//!
//! * No circle comes of it where cables join adjacent levels: of two lowered tops the one with more such switches is below the
//!   other, as the sequence is the same for both. Where another cable would close one, a top stays where it is.
//! * Only pairs of those first switches can no longer meet at `T`.

use fixedbitset::FixedBitSet;

use super::order::LevelOrder;
use crate::fabric::switch_graph::SwitchGraph;

/// Lowers tops with hosts until each meets all other `hosted` switches that cables connect it to. `hosts` has by switch how many
/// there are, `position` the sequence of switches; `usual` is what a link carries where every host sends to every other.
/// Whether that took anything.
pub(super) fn lower_tops(
    graph: &SwitchGraph,
    order: &mut LevelOrder,
    hosted: &[bool],
    hosts: &[u32],
    position: &[u32],
    usual: impl Fn() -> u64,
) -> bool {
    let mut is_lowered = false;
    let component = graph.components();
    let mut tops: Vec<usize> =
        (0..hosts.len()).filter(|&s| hosts[s] > 0 && order.above(graph, s).next().is_none()).collect();
    while !tops.is_empty() {
        let above = order.all_climbed_to(graph);
        // Hosts, and hosted switches, that a top does not meet.
        let apart = |top: usize| {
            let is_apart =
                |&s: &usize| hosted[s] && component[s] == component[top] && above[s].is_disjoint(&above[top]);
            let switches = (0..hosts.len()).filter(is_apart);
            switches.fold((0_u64, 0), |(all, n), s| (all + u64::from(hosts[s]), n + 1))
        };
        // The one that meets fewest first: the widest may then meet all without being lowered.
        let widths = tops.iter().map(|&top| (apart(top), top)).filter(|((_, switches), _)| *switches > 0);
        let Some(((far_hosts, _), top)) = widths.max_by_key(|&(apart, top)| (apart, position[top])) else {
            break;
        };
        tops.retain(|&other| other != top);
        let flows = u64::from(hosts[top]) * far_hosts;
        let carried = usual().max(1);
        if flows < carried {
            continue;
        }
        let mut below: Vec<u32> =
            graph.links(top).map(|l| graph.peer[l]).filter(|&s| s as usize != top).collect();
        below.sort_unstable_by_key(|&s| position[s as usize]);
        below.dedup();
        // So many that its own hosts' packets are half of what a cable carries; a half of them at most.
        let wanted = (2 * flows).div_ceil(carried) as usize;
        below.truncate(wanted.clamp(1, (below.len() / 2).max(1)));
        is_lowered |= order.lower(graph, top, &below);
    }
    is_lowered
}

/// Bends an order until every two `hosted` switches that cables connect meet.
pub(super) fn bend(graph: &SwitchGraph, order: &mut LevelOrder, hosted: &[bool]) {
    let component = graph.components();
    loop {
        let above = order.all_climbed_to(graph);
        let Some(apart) = first_apart(&above, &component, hosted) else { return };
        let Some(turned) = widening(graph, order, &above, component[apart], &component) else { return };
        order.turn_round(graph, &turned);
    }
}

/// Whether two `hosted` switches do not meet that both have switches above, as it is where cables are lost, not where
/// end nodes hang on tops.
pub(super) fn are_leaves_apart(graph: &SwitchGraph, order: &LevelOrder, hosted: &[bool]) -> bool {
    let is_below = |s: usize| order.above(graph, s).next().is_some();
    let leaves: Vec<bool> =
        hosted.iter().enumerate().map(|(s, &is_hosted)| is_hosted && is_below(s)).collect();
    first_apart(&order.all_climbed_to(graph), &graph.components(), &leaves).is_some()
}

/// A hosted switch that has nothing above it in common with another that cables connect it to.
fn first_apart(above: &[FixedBitSet], component: &[u32], hosted: &[bool]) -> Option<usize> {
    let edge_switches: Vec<usize> = (0..hosted.len()).filter(|&s| hosted[s]).collect();
    let apart = |a: usize, b: usize| component[a] == component[b] && above[a].is_disjoint(&above[b]);
    edge_switches
        .iter()
        .enumerate()
        .find_map(|(nth, &a)| edge_switches[nth + 1..].iter().any(|&b| apart(a, b)).then_some(a))
}

/// The switches of a component that are turned, so that more is below its widest top.
fn widening(
    graph: &SwitchGraph,
    order: &LevelOrder,
    above: &[FixedBitSet],
    own: u32,
    component: &[u32],
) -> Option<Vec<bool>> {
    let count = above.len();
    let mut below = vec![0_u32; count];
    for s in (0..count).filter(|&s| component[s] == own) {
        above[s].ones().for_each(|top| below[top] += 1);
    }
    let most = below.iter().max();
    let widest = order.ascending.iter().map(|&s| s as usize).find(|&s| Some(&below[s]) == most)?;
    let inside = |s: usize| above[s].contains(widest);
    // Not below a switch that is looked at before.
    let mut covered = vec![false; count];
    // Each with the number of switches outside that it leads up to.
    let mut found: Vec<(usize, usize)> = Vec::new();
    for s in order.ascending.iter().rev().map(|&s| s as usize).filter(|&s| inside(s)) {
        covered[s] |= order.above(graph, s).any(|far| covered[far as usize]);
        let mut outside: Vec<u32> = order.above(graph, s).filter(|&far| !inside(far as usize)).collect();
        outside.sort_unstable();
        outside.dedup();
        if !outside.is_empty() && !covered[s] {
            covered[s] = true;
            found.push((outside.len(), s));
        }
    }
    // The first that has nearly the most: so it stays the same one where it loses a cable.
    let &(most, widest) = found.iter().rev().max_by_key(|&&(outside, _)| outside)?;
    let is_near =
        |&&(outside, s): &&(usize, usize)| 4 * outside >= 3 * most && order.level[s] == order.level[widest];
    let &(_, s) = found.iter().find(is_near)?;
    let mut turned = vec![false; count];
    let mut stack: Vec<u32> = order.above(graph, s).filter(|&far| !inside(far as usize)).collect();
    while let Some(far) = stack.pop() {
        if !std::mem::replace(&mut turned[far as usize], true) {
            stack.extend(order.above(graph, far as usize));
        }
    }
    turned[s] = true;
    Some(turned)
}
