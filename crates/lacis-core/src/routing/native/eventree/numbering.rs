//! The numbers of hosts on whole trees: which are left out, and what stands in their place.

use super::layout::{GAP, Layout, Slot};
use super::order::LevelOrder;
use super::padding::{TreeStage, padding};
use super::ring::Ring;
use crate::fabric::switch_graph::SwitchGraph;
use crate::fabric::{Fabric, NodeId, NodeKind};
use crate::routing::common::destinations::ends_on;

/// Ways to number hosts, and to deal those that leaves have beyond full rounds of their slots.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Way {
    /// What suits damaged trees, too.
    Usual,
    /// Leaf `a` leads the `i`-th host of leaf `d` that is left over up by slot `i + r · (d - a - 1)`, where `r` are left over and leaves are
    /// counted on from `a`. Over all leaves these are slots in sequence, for each `a` as for each `d`, and so are those of the last hosts of a
    /// leaf and the first of the next, which meet in a shift. So in a tree of two levels with one cable from each leaf to each spine
    /// links are even, and no shift has more flows on one than some must have.
    Onward,
    /// Those of each leaf begin with its first slot, so that the same hosts of all leaves share a slot. With few leaves that suits shifts where
    /// their ends meet.
    FromFirst,
    /// As the hosts stand in a ring. Shifts have no more flows on a link than some must have, but links may be uneven.
    Ring,
}

/// How hosts are numbered so that shifts suit the tables also where they begin again with the first host.
#[derive(Default)]
pub(super) struct Numbering {
    /// By edge switch: how many numbers are left out before its hosts; nothing where the tree's switches are not alike.
    pub left_out: Vec<u32>,
    /// Where leaving numbers out does not help.
    pub ring: Option<Ring>,
    /// Flows that some link must carry in a shift, where subtrees are alike; none elsewhere.
    pub share: Option<u32>,
}

impl Numbering {
    /// The numbering of the hosts on some edge switches, those without hosts last.
    pub fn of(
        fabric: &Fabric,
        graph: &SwitchGraph,
        order: &LevelOrder,
        layout: &Layout,
        edge_switches: &[NodeId],
        way: Way,
    ) -> Self {
        let mut hosts: Vec<u32> = edge_switches.iter().map(|&s| adapters_on(fabric, s)).collect();
        let hosted = hosts.iter().take_while(|&&hosts| hosts > 0).count();
        let leaves = edge_switches[..hosted].iter().take_while(|s| order.level[s.ix()] == 0).count();
        if leaves == 0 {
            return Self::default();
        }
        // Hosts above the leaves have the last numbers, and no chain that meets those of others: where the first follows the last, fewer
        // of the leaves' hosts are in sequence.
        hosts.truncate(leaves);
        let mut below = vec![0; graph.num_switches()];
        edge_switches.iter().zip(&hosts).for_each(|(s, &hosts)| below[s.ix()] = hosts);
        let top = order.level.iter().copied().max().unwrap_or(0);
        let mut stages = Vec::new();
        // Whether all switches of a level have equally many hosts below, and cables to each parent.
        let mut is_regular = true;
        for level in 0..top {
            let mut alike = None;
            let mut hosts_alike = None;
            let mut most = 0;
            let of_level = || (0..graph.num_switches()).filter(|&s| order.level[s] == level);
            for s in of_level() {
                let shape = (layout.parents[s], layout.slots(s).len() as u32);
                if *alike.get_or_insert(shape) != shape || layout.slots(s).iter().any(|slot| slot.link == GAP)
                {
                    return Self::default();
                }
                is_regular &= *hosts_alike.get_or_insert(below[s]) == below[s];
                most = below[s].max(most);
                let parent = |slot: &Slot| slot.parent;
                let mut rounds = layout.slots(s).windows(shape.0 as usize + 1);
                is_regular &= rounds.all(|round| round.first().map(parent) == round.last().map(parent));
            }
            let Some((parents, slots)) = alike else { return Self::default() };
            stages.push(TreeStage { parents, slots, hosts: most });
            // Switches of a block have the same hosts below; each parent gets those of its children.
            let mut next = vec![0; graph.num_switches()];
            for s in of_level() {
                let mut parents: Vec<u32> = layout.slots(s).iter().map(|slot| slot.parent).collect();
                parents.sort_unstable();
                parents.dedup();
                for parent in parents {
                    next[parent as usize] += below[s];
                }
            }
            below = next;
        }
        let share = share(&stages).filter(|_| is_regular);
        let ring = || share.and_then(|_| Ring::of(hosts.iter().sum(), &stages));
        let is_free = share == Some(1);
        // With hosts above the leaves subtrees are not alike.
        let share = share.filter(|_| hosted == leaves);
        match way {
            Way::Ring => return Self { ring: ring(), share, ..Self::default() },
            Way::FromFirst => return Self { share, ..Self::default() },
            Way::Usual | Way::Onward => {}
        }
        match padding(&hosts, &stages) {
            Some(left_out) => Self { left_out, ring: None, share },
            None if is_free => Self { ring: ring(), share, ..Self::default() },
            None => Self { share, ..Self::default() },
        }
    }
}

/// The most flows that a shift must have on some link of a level, of all levels.
fn share(stages: &[TreeStage]) -> Option<u32> {
    let mut below = 1_u32;
    let share = |stage: &TreeStage| {
        let cables = below.saturating_mul(stage.slots);
        below = below.saturating_mul(stage.parents);
        (cables > 0).then(|| stage.hosts.div_ceil(cables))
    };
    stages.iter().map(share).max().flatten()
}

/// The adapters on a switch.
fn adapters_on(fabric: &Fabric, switch: NodeId) -> u32 {
    ends_on(fabric, switch)
        .filter(|&(_, end)| fabric.node(fabric.node_of(end)).kind == NodeKind::Adapter)
        .count() as u32
}
