//! Entries that no path up and down leads to: on switches that no packet for that destination
//! passes, for packets that the switch itself sends. They go to the nearest switch that knows a path, of several to one after the other:
//! few of them change when a cable dies.

use super::fill::TablePlan;
use super::layout::GAP;
use super::reach::FAR;
use crate::fabric::NodeId;
use crate::sm::Lft;

/// Fills the entries that are still empty, as far as cables lead.
pub(super) fn fill(plan: &TablePlan<'_>, lft: &mut Lft) {
    let TablePlan { graph, reach, layout, targets, .. } = *plan;
    for (nth, edge_switch) in targets.edge_switches.iter().enumerate() {
        let mut is_known: Vec<bool> =
            (0..graph.num_switches()).map(|s| reach.cost(s, edge_switch.switch as usize) != FAR).collect();
        loop {
            let unknown = (0..is_known.len()).filter(|&s| !is_known[s]);
            let is_way = |&link: &u32| link != GAP && is_known[graph.peer[link as usize] as usize];
            let leads = |s: usize| {
                let turn = nth + targets.edge_index[s] as usize;
                let up = || in_turn(layout.slots(s), turn).map(|slot| slot.link).find(is_way);
                in_turn(layout.others(s), turn).copied().find(is_way).or_else(up)
            };
            let found: Vec<(usize, u32)> = unknown.filter_map(|s| Some((s, leads(s)?))).collect();
            if found.is_empty() {
                break;
            }
            for (s, link) in found {
                is_known[s] = true;
                let row = lft.row_mut(NodeId(s as u32));
                targets.lids[edge_switch.targets()]
                    .iter()
                    .for_each(|&lid| row[lid as usize] = graph.port[link as usize]);
            }
        }
    }
}

/// All of some, beginning with the one whose turn it is.
fn in_turn<T>(of: &[T], turn: usize) -> impl Iterator<Item = &T> {
    let (before, on) = of.split_at(turn % of.len().max(1));
    on.iter().chain(before)
}
