//! Entries that no path up and down leads to: on switches that no packet for that destination
//! passes, for packets that the switch itself sends. They go to the nearest switch that knows a path.

use super::fill::TablePlan;
use super::reach::FAR;
use crate::fabric::NodeId;
use crate::sm::Lft;

/// Fills the entries that are still empty, as far as cables lead.
pub(super) fn fill(plan: &TablePlan<'_>, lft: &mut Lft) {
    let TablePlan { graph, reach, targets, .. } = *plan;
    for edge_switch in &targets.edge_switches {
        let mut is_known: Vec<bool> =
            (0..graph.num_switches()).map(|s| reach.cost(s, edge_switch.switch as usize) != FAR).collect();
        loop {
            let unknown = (0..is_known.len()).filter(|&s| !is_known[s]);
            let leads = |s: usize| graph.links(s).find(|&l| is_known[graph.peer[l] as usize]);
            let found: Vec<(usize, usize)> = unknown.filter_map(|s| Some((s, leads(s)?))).collect();
            if found.is_empty() {
                break;
            }
            for (s, link) in found {
                is_known[s] = true;
                let row = lft.row_mut(NodeId(s as u32));
                targets.lids[edge_switch.targets()]
                    .iter()
                    .for_each(|&lid| row[lid as usize] = graph.port[link]);
            }
        }
    }
}
