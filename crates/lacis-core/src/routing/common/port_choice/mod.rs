//! The choice of a port among equals, as OpenSM 3.3.23's hop-counting engines make it.
//!
//! Each switch counts the end nodes that it sends through each of its ports. It goes through the
//! targets in order and takes, of the candidate ports, the first with the smallest count. Switches
//! as targets are sent the same way and are not counted.
//!
//! [`sequential`] is the literal choice, one entry after the other, with every option. Where no option matters, [`batched`]
//! makes the same tables several times as fast.

mod batched;
mod mask;
mod ports;
mod sequential;
mod task;

pub(in crate::routing) use task::Among;

use super::destination_order::OrderedTargets;
use super::shortest_links::Candidates;
use super::sweep::Sweep;
use crate::fabric::switch_graph::SwitchGraph;
use crate::sm::Lft;
use task::ChoiceTask;

/// Tables for all switches: every target goes to the least used of its candidates, except where the
/// [`Options`](crate::routing::Options) say otherwise; see [`sequential`].
pub(in crate::routing) fn tables(
    sweep: &Sweep<'_>,
    graph: &SwitchGraph,
    targets: &OrderedTargets,
    candidates: &Candidates,
    among: Among,
) -> Lft {
    let task = ChoiceTask { sweep, graph, targets, candidates, among };
    let o = sweep.options;
    let plain = sweep.previous.is_none()
        && targets.most_lids == 1
        && !(o.port_shifting || o.count_switches || o.scatter != 0)
        && o.search_order.is_empty()
        && o.ignore.is_empty();
    if plain { batched::tables(task) } else { sequential::tables(task) }
}
