//! The tables in closed form, switch by switch.
//!
//! Towards a destination a switch takes the hop to its *goal*: the switch of the destination's chain on the
//! level where their paths meet. Of parallel cables the destination's number on the next level picks one.
//! Where no hop leads to the goal the choice is dealt round over all that there are, from one such
//! destination to the next and from one switch to the next, and is left to be mended: it is *loose*. So it is on leaves for
//! the hosts that are left over where those of a leaf do not fill its slots evenly: with one chain each, some links would
//! carry one host's packets more than others.

use fixedbitset::FixedBitSet;
use rayon::prelude::*;

use super::layout::{GAP, Layout};
use super::numbering::Way;
use super::order::LevelOrder;
use super::reach::{Choices, FAR, Reach};
use super::targets::{EdgeSwitch, NONE, TreeTargets};
use crate::fabric::NodeId;
use crate::fabric::switch_graph::SwitchGraph;
use crate::sm::Lft;

/// All that tables are made from.
pub(super) struct TablePlan<'a> {
    /// Links between switches.
    pub graph: &'a SwitchGraph,
    /// Which path is UP.
    pub order: &'a LevelOrder,
    /// Which switches each reaches.
    pub reach: &'a Reach,
    /// Slots.
    pub layout: &'a Layout,
    /// What is above what.
    pub above: &'a [FixedBitSet],
    /// Destinations.
    pub targets: &'a TreeTargets,
}

/// The entries of a switch whose hop is dealt round, by the targets that are hosts.
#[derive(Default)]
pub(super) struct LooseEntries {
    /// Those that packets may come to.
    pub used: Vec<u32>,
    /// Those of hosts that are left over on their leaf, on the leaves that send to them.
    pub dealt: Vec<u32>,
    /// Those on switches above the target's edge switch that are not on its chain: packets come there only if another loose entry
    /// sends them.
    pub idle: Vec<u32>,
}

/// In place of a port: no link leads to a goal.
const NOWHERE: u8 = 0;
/// In place of a port: several links lead to a goal.
const SEVERAL: u8 = 255;

impl TablePlan<'_> {
    /// Fills all tables, except for entries that no path up and down leads to; gives the loose entries, by switch.
    pub fn fill(&self, lft: &mut Lft) -> Vec<LooseEntries> {
        let stride = lft.stride();
        let rows = lft.as_mut_slice().par_chunks_mut(stride).enumerate();
        let buffers = || FillBuffers {
            choices: Choices::new(self.graph.num_switches()),
            only: vec![NOWHERE; self.graph.num_switches()],
            hops: Vec::new(),
            kept: Vec::new(),
            slots: Vec::new(),
        };
        rows.map_init(buffers, |buffers, (s, row)| buffers.fill(self, s, row)).collect()
    }

    /// Whether no packet between hosts takes a loose entry, and each switch's uplinks are on the chains of equally many hosts,
    /// or of one or none.
    pub fn is_even(&self, loose: &[LooseEntries]) -> bool {
        let mut chained = vec![0_u32; self.graph.num_links()];
        for links in &self.targets.link {
            let hosts = self.targets.hosts().map(|(_, t)| links[t]);
            hosts.filter(|&l| l != GAP).for_each(|l| chained[l as usize] += 1);
        }
        let is_even = |s: usize| {
            let slots = self.layout.slots(s).iter().filter(|slot| slot.link != GAP);
            let hosts = slots.map(|slot| chained[slot.link as usize]);
            let (least, most) = hosts.fold((u32::MAX, 0), |(least, most), n| (least.min(n), most.max(n)));
            most <= least.max(1)
        };
        loose.iter().all(|loose| loose.used.is_empty() && loose.dealt.is_empty())
            && (0..self.graph.num_switches()).all(is_even)
    }

    /// Whether this is a tree of two levels, with no more leaves than some, in which each slot of each leaf leads to all others.
    pub fn has_few_leaves(&self, most: usize) -> bool {
        let hosted = self.targets.edge_switches.iter().filter(|edge_switch| edge_switch.senders > 0);
        let leaves: Vec<usize> = hosted.map(|edge_switch| edge_switch.switch as usize).collect();
        let leads = |leaf: usize, parent: u32| self.above[leaf].contains(parent as usize);
        let leads_to_all = |&leaf: &usize| {
            let slots = self.layout.slots(leaf);
            slots.iter().all(|slot| slot.link != GAP && leaves.iter().all(|&to| leads(to, slot.parent)))
        };
        self.targets.goal.len() == 2 && leaves.len() <= most && leaves.iter().all(leads_to_all)
    }

    /// Pairs of hosts on the fullest link.
    pub fn fullest(&self, lft: &Lft) -> u64 {
        let mut load = vec![0; self.graph.num_links()];
        self.follow_all(lft, |_, _, link, pairs| {
            load[link] += pairs;
            true
        });
        load.into_iter().max().unwrap_or(0)
    }

    /// Pairs of hosts on the fullest link where no packet between hosts takes a loose entry: then no entry can be moved but
    /// for a link that is too full. Often so where cables run in parallel: many entries are loose there, on switches that no
    /// host's packets for that destination come to.
    pub fn fullest_settled(&self, lft: &Lft, loose: &[Vec<u32>]) -> Option<u64> {
        let count = self.graph.num_switches();
        let mut is_loose = FixedBitSet::with_capacity(count * self.targets.lids.len());
        for (s, targets) in loose.iter().enumerate() {
            for &t in targets {
                is_loose.insert(t as usize * count + s);
            }
        }
        let mut load = vec![0; self.graph.num_links()];
        let is_settled = self.follow_all(lft, |target, switch, link, pairs| {
            load[link] += pairs;
            !is_loose[target * count + switch as usize]
        });
        is_settled.then(|| load.into_iter().max().unwrap_or(0))
    }

    /// Follows the packets of all edge switches to all hosts: each target, the switch on the way, the link that they leave it
    /// by and the number of hosts that send them go to `visit`. Ends, and returns false, where that returns false.
    fn follow_all(&self, lft: &Lft, mut visit: impl FnMut(usize, u32, usize, u64) -> bool) -> bool {
        let hop_of_port = hops_by_port(self.graph);
        let sources: Vec<&EdgeSwitch> =
            self.targets.edge_switches.iter().filter(|source| source.senders > 0).collect();
        for (edge_switch, target) in self.targets.hosts() {
            let lid = self.targets.lids[target];
            for source in &sources {
                let mut at = source.switch;
                while at != edge_switch.switch {
                    let hop = hop_of_port[at as usize][usize::from(lft.get(NodeId(at), lid))];
                    if hop == NO_HOP {
                        break;
                    }
                    let link = self.graph.links(at as usize).start + usize::from(hop);
                    if !visit(target, at, link, source.senders.into()) {
                        return false;
                    }
                    at = self.graph.peer[link];
                }
            }
        }
        true
    }

    /// The links that packets for an edge switch may take from a switch: slots first, in their order.
    pub fn hops(&self, s: usize, edge_switch: usize, hops: &mut Vec<u32>) {
        let may = |link: u32| self.reach.may_take(self.graph, self.order, s, link as usize, edge_switch);
        hops.clear();
        let slots = self.layout.slots(s).iter().map(|slot| slot.link);
        hops.extend(slots.filter(|&link| link != GAP && may(link)));
        hops.extend(self.layout.others(s).iter().copied().filter(|&l| may(l)));
    }
}

/// Instead of the index of a link: no link to another switch.
pub(super) const NO_HOP: u8 = u8::MAX;

/// By switch, then port number: the index of the link among those of the switch.
pub(super) fn hops_by_port(graph: &SwitchGraph) -> Vec<[u8; 256]> {
    let mut hops = vec![[NO_HOP; 256]; graph.num_switches()];
    for (s, hops) in hops.iter_mut().enumerate() {
        graph.links(s).zip(0..).for_each(|(link, hop)| hops[usize::from(graph.port[link])] = hop);
    }
    hops
}

/// What one thread needs for a table.
struct FillBuffers {
    choices: Choices,
    /// By goal: the port of the only link that leads there.
    only: Vec<u8>,
    /// All hops to an edge switch.
    hops: Vec<u32>,
    /// Those that lead to a goal.
    kept: Vec<u32>,
    /// The ports in the switch's slots, 0 in gaps.
    slots: Vec<u8>,
}

impl FillBuffers {
    fn fill(&mut self, plan: &TablePlan<'_>, s: usize, row: &mut [u8]) -> LooseEntries {
        let TablePlan { graph, order, reach, targets, .. } = *plan;
        reach.choices(graph, order, s, &mut self.choices);
        self.see(plan, s);
        let here = usize::from(order.level[s]);
        let uplinks = graph.links(s).filter(|&l| order.is_regular_up(graph, s, l)).count();
        let mut loose = LooseEntries::default();
        let ordinal = targets.edge_index[s] as usize;
        // From the last: a shift adds as much to a switch's ordinal as to its targets', and then one hop of each switch has two flows.
        let from_last = targets.edge_switches.len() - 1 - ordinal;
        let has_hosts = targets.edge_switches[ordinal].senders > 0;
        let leaves = targets.edge_switches.iter().take_while(|edge_switch| edge_switch.senders > 0).count();
        for (nth, edge_switch) in targets.edge_switches.iter().enumerate() {
            let to = edge_switch.switch as usize;
            let lids = &targets.lids[edge_switch.targets()];
            if to == s {
                for (&lid, &port) in lids.iter().zip(&targets.ports[edge_switch.targets()]) {
                    row[lid as usize] = port;
                }
                continue;
            }
            let cost = reach.cost(s, to);
            if cost == FAR || self.choices.number[to] == 0 {
                continue;
            }
            if self.choices.number[to] == 1 {
                for &lid in lids {
                    row[lid as usize] = self.choices.port[to];
                }
                continue;
            }
            let levels = here + usize::from(order.level[to]);
            let apex = usize::midpoint(usize::from(cost), levels);
            let meeting = apex.min(targets.goal.len() - 1);
            let is_up = meeting > here;
            // Whether a cable between tops is on the way, as between the groups of a Dragonfly+.
            let is_across = apex > meeting;
            // Whether all uplinks lead there.
            let is_all = usize::from(self.choices.regular[to]) == uplinks;
            self.hops.clear();
            for (t, &lid) in edge_switch.targets().zip(lids) {
                let goal = targets.goal[meeting][t];
                let is_left_over = is_up && has_hosts && edge_switch.left_over().contains(&t);
                if is_up && !is_left_over {
                    let port = self.follow(plan, s, t, goal);
                    let may = |link: usize| reach.may_take(graph, order, s, link, to);
                    if port != NOWHERE && (is_all || graph.link_at(s, port).is_some_and(may)) {
                        row[lid as usize] = port;
                        continue;
                    }
                }
                if self.hops.is_empty() {
                    plan.hops(s, to, &mut self.hops);
                }
                let aimed = if is_left_over { None } else { self.aim(plan, s, t, meeting) };
                let link = aimed.unwrap_or_else(|| {
                    if t < edge_switch.hosts as usize {
                        let is_idle = !is_up && here > 0 && targets.goal[here][t] != s as u32;
                        let kind = match (is_idle, is_left_over) {
                            (true, _) => &mut loose.idle,
                            (false, true) => &mut loose.dealt,
                            (false, false) => &mut loose.used,
                        };
                        kind.push(t as u32);
                    }
                    let number = |level: usize| targets.number.get(level).map_or(0, |n| n[t] as usize);
                    let left_over = if is_left_over { edge_switch.left_over().len() } else { 1 };
                    let turn = if targets.way == Way::Onward && is_left_over {
                        (nth + leaves - 1 - ordinal) % leaves
                    } else {
                        from_last + number(here + 1)
                    };
                    let dealt = left_over * turn + number(here);
                    let pick = if is_across && is_up { number(here) } else { dealt };
                    let uplink = plan.layout.uplink(s, pick).filter(|link| self.hops.contains(link));
                    uplink.unwrap_or(self.hops[pick % self.hops.len()])
                });
                row[lid as usize] = graph.port[link as usize];
            }
        }
        loose
    }

    /// Looks at the uplinks of a switch, and where they lead.
    fn see(&mut self, plan: &TablePlan<'_>, s: usize) {
        let port = |link: u32| plan.graph.port[link as usize];
        let slots = plan.layout.slots(s);
        self.slots.clear();
        self.slots.extend(slots.iter().map(|slot| if slot.link == GAP { NOWHERE } else { port(slot.link) }));
        self.only.fill(NOWHERE);
        for slot in slots.iter().filter(|slot| slot.link != GAP) {
            for goal in plan.above[slot.parent as usize].ones() {
                let only = &mut self.only[goal];
                *only = if *only == NOWHERE { port(slot.link) } else { SEVERAL };
            }
        }
    }

    /// The port to a target's goal where all uplinks lead to its edge switch: of several links the one in the target's
    /// slot. Above leaves, where none leads there, the slot of its digits' sum.
    #[inline]
    fn follow(&self, plan: &TablePlan<'_>, s: usize, t: usize, goal: u32) -> u8 {
        let here = usize::from(plan.order.level[s]);
        let number = &plan.targets.number;
        let only = if goal == NONE { NOWHERE } else { self.only[goal as usize] };
        if only == SEVERAL {
            let slot = plan.targets.number_seen(s, here, t) as usize % self.slots.len();
            let leads = plan.above[plan.layout.slots(s)[slot].parent as usize].contains(goal as usize);
            if leads { self.slots[slot] } else { NOWHERE }
        } else if only == NOWHERE && here > 0 && !self.slots.is_empty() {
            self.slots[number[here][t].wrapping_add(number[0][t]) as usize % self.slots.len()]
        } else {
            only
        }
    }

    /// The hop to a target's goal where [`follow`](Self::follow) has none.
    fn aim(&mut self, plan: &TablePlan<'_>, s: usize, t: usize, meeting: usize) -> Option<u32> {
        let TablePlan { graph, order, above, targets, .. } = *plan;
        let here = usize::from(order.level[s]);
        let peer = |link: u32| graph.peer[link as usize];
        self.kept.clear();
        let level = if meeting > here {
            let goal = targets.goal[meeting][t] as usize;
            self.kept.extend(self.hops.iter().filter(|&&link| above[peer(link) as usize].contains(goal)));
            if self.kept.is_empty() && here > 0 {
                let pick = targets.number[here][t].wrapping_add(targets.number[0][t]) as usize;
                return plan.layout.uplink(s, pick).filter(|link| self.hops.contains(link));
            }
            here + 1
        } else {
            let below = here.checked_sub(1)?;
            let own = targets.link[below][t];
            if own != GAP && targets.goal[here][t] == s as u32 {
                let down = graph.back[own as usize];
                if self.hops.contains(&down) {
                    return Some(down);
                }
            }
            let goal = targets.goal[below][t];
            self.kept.extend(self.hops.iter().filter(|&&link| peer(link) == goal));
            // Packets come for all hosts below, not for those of this switch's chain alone: neighbours take cables in turn.
            below
        };
        let pick = targets.number[level][t] as usize % self.kept.len().max(1);
        // Hosts of a leaf that has fewer of them than slots are on the first slots' chains: of leaves that few cables lead to, the
        // last cable gets the odd host.
        let from_last = here == 0 && meeting > here;
        self.kept.get(if from_last { self.kept.len().saturating_sub(pick + 1) } else { pick }).copied()
    }
}
