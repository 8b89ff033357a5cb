//! Hosts numbered as each subtree below the tops sees them: those after it first, then round to those before it.
//!
//! Where the cables up of a subtree do not divide its hosts, the chains of D-Mod-K load some cables more: every subtree leads the same
//! hosts by them. Here host `j` has the number `j - e` for all switches of the subtree whose last host is `e - 1`, and `j + N - e` if it
//! comes before that, `N` being all hosts. So each switch below the tops sees a sequence of numbers without a gap, and its cables up get
//! as many hosts of it, or one fewer, in all and in any shift. From one subtree to the next numbers fall by its hosts: those that a
//! subtree gets in a shift, from two that are neighbours, are a sequence again, and so are those that it gets from all others together.
//! On the levels below the same holds where parents divide the hosts of a subtree; elsewhere links may be less even. Where several
//! cables lead from a top to a subtree, those down are chosen as in other tables.

use super::fill::TablePlan;
use super::layout::GAP;
use crate::fabric::NodeId;
use crate::sm::Lft;

/// By switch: the first of the hosts below it, and the end of them.
type Below = Vec<(u32, u32)>;

/// Sets the entries up of all switches of a whole tree, each host having one LID.
pub(super) fn lead(plan: &TablePlan<'_>, lft: &mut Lft) {
    let TablePlan { graph, order, layout, targets, .. } = *plan;
    let below = hosts_below(plan);
    let all = targets.edge_switches.iter().map(|edge_switch| edge_switch.senders).sum::<u32>();
    let mut ends: Vec<u32> = below.iter().map(|&(_, end)| end).collect();
    let mut divisors = vec![1_i64; graph.num_switches()];
    for &s in &order.ascending {
        let s = s as usize;
        if let Some(slot) = layout.slots(s).first().filter(|slot| slot.link != GAP) {
            divisors[slot.parent as usize] = divisors[s] * i64::from(layout.parents[s]);
        }
    }
    // The subtree that a switch is in has no cables up but to tops.
    for &s in order.ascending.iter().rev() {
        let s = s as usize;
        if let Some(slot) = layout.slots(s).first().filter(|slot| slot.link != GAP)
            && !layout.slots(slot.parent as usize).is_empty()
        {
            ends[s] = ends[slot.parent as usize];
        }
    }
    for s in (0..graph.num_switches()).filter(|&s| !layout.slots(s).is_empty()) {
        let (first, end) = below[s];
        let slots = i64::from(layout.slots(s).len() as u32);
        let row = lft.row_mut(NodeId(s as u32));
        for edge_switch in &targets.edge_switches {
            let is_below = (first..end).contains(&edge_switch.sender);
            for (t, host) in edge_switch.host_targets().zip(edge_switch.sender..).filter(|_| !is_below) {
                let round = if host < first { all } else { 0 };
                let number = i64::from(host + round) - i64::from(ends[s]);
                let slot = number.div_euclid(divisors[s]).rem_euclid(slots);
                if let Some(link) = layout.uplink(s, slot as usize).filter(|&link| link != GAP) {
                    row[targets.lids[t] as usize] = graph.port[link as usize];
                }
            }
        }
    }
}

/// The hosts below each switch, which are in sequence.
fn hosts_below(plan: &TablePlan<'_>) -> Below {
    let TablePlan { graph, order, targets, .. } = *plan;
    let mut below = vec![(u32::MAX, 0); graph.num_switches()];
    for edge_switch in targets.edge_switches.iter().filter(|edge_switch| edge_switch.senders > 0) {
        below[edge_switch.switch as usize] = (edge_switch.sender, edge_switch.sender + edge_switch.senders);
    }
    for &s in &order.ascending {
        let own = below[s as usize];
        for link in graph.links(s as usize).filter(|&link| order.climbs[link]) {
            let above = &mut below[graph.peer[link] as usize];
            *above = (above.0.min(own.0), above.1.max(own.1));
        }
    }
    below
}
