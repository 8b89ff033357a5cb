//! Destinations, edge switch by edge switch, and the chain of switches above each over which it would best be reached:
//! the numbers of D-Mod-K.
//!
//! Hosts are numbered leaf by leaf, neighbours together, without holes. The `i`-th takes slot `i mod W` of its
//! leaf, where the leaf has `W` slots to `w` parents, at that parent slot `i / w mod W'`, and so on up. Where a
//! slot is a gap the chain ends. A leaf whose hosts fill its slots unevenly begins at a multiple of `W`, so that the same
//! hosts of each leaf share a slot, on the way up and down; the next leaf's numbers begin where its last full round ends.

use super::layout::{GAP, Layout};
use super::numbering::{Numbering, Way};
use super::order::LevelOrder;
use super::ring::Ring;
use crate::fabric::switch_graph::SwitchGraph;
use crate::fabric::tree::Tree;
use crate::fabric::{Fabric, NodeId, NodeKind, Population, leaf_order_of};
use crate::routing::common::destinations::ends_on;
use crate::sm::lids::Lids;

/// No switch.
pub(super) const NONE: u32 = u32::MAX;

/// All LIDs in use, by edge switch.
pub(super) struct TreeTargets {
    /// The switches, each after its neighbour.
    pub edge_switches: Vec<EdgeSwitch>,
    /// By switch: its index among them.
    pub edge_index: Vec<u32>,
    /// By target: its LID.
    pub lids: Vec<u32>,
    /// By target: the port of its edge switch that it hangs on.
    pub ports: Vec<u8>,
    /// By level, then target: the switch of its chain, its edge switch on that switch's level; [`NONE`] elsewhere.
    pub goal: Vec<Vec<u32>>,
    /// By level, then target: the link from its chain's switch up to the next; [`GAP`] where there is none.
    pub link: Vec<Vec<u32>>,
    /// By level, then target: its number, divided by the parents that switches have on the levels below.
    pub number: Vec<Vec<u32>>,
    /// The same for switches that come after the target in the order of leaves; empty where that is the same.
    later: Vec<Vec<u32>>,
    /// By switch: the first target on the leaves below it, where `later` is not empty.
    first_below: Vec<u32>,
    /// How hosts that are left over are dealt.
    pub way: Way,
    /// Flows that some link must carry in a shift, where subtrees are alike; none elsewhere.
    pub share: Option<u32>,
}

/// A switch and the targets on it.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct EdgeSwitch {
    /// The switch.
    pub switch: u32,
    /// Its first target.
    pub first: u32,
    /// End of its hosts: they come first.
    pub hosts: u32,
    /// End of those that take all slots equally often, or each its own.
    pub even: u32,
    /// End of its targets.
    pub end: u32,
    /// The number of its first host among the hosts of all edge switches, in the order of leaves.
    pub sender: u32,
    /// Number of its hosts that send.
    pub senders: u32,
}

impl EdgeSwitch {
    /// Its hosts.
    pub fn host_targets(&self) -> std::ops::Range<usize> {
        self.first as usize..self.hosts as usize
    }

    /// Hosts beyond the last full round of slots.
    pub fn left_over(&self) -> std::ops::Range<usize> {
        self.even as usize..self.hosts as usize
    }

    /// Its targets.
    pub fn targets(&self) -> std::ops::Range<usize> {
        self.first as usize..self.end as usize
    }
}

impl TreeTargets {
    /// All targets of a fabric.
    pub fn of(
        fabric: &Fabric,
        lids: &Lids,
        graph: &SwitchGraph,
        order: &LevelOrder,
        tree: &Tree,
        layout: &Layout,
        way: Way,
    ) -> Self {
        let levels = order.level.iter().max().map_or(1, |&l| usize::from(l) + 1);
        let hosts = fabric.end_ports(Population::Hosts);
        let mut edge_switches: Vec<NodeId> = leaf_order_of(fabric, &hosts, tree, &order.level);
        let mut edge_index = vec![NONE; fabric.num_switches()];
        edge_switches.iter().zip(0..).for_each(|(s, n)| edge_index[s.ix()] = n);
        let mut others: Vec<NodeId> = fabric.switches().filter(|s| edge_index[s.ix()] == NONE).collect();
        others.sort_by_key(|s| tree.position[s.ix()]);
        edge_switches.extend(others);
        edge_switches.iter().zip(0..).for_each(|(s, n)| edge_index[s.ix()] = n);
        let mut targets = Self {
            edge_switches: Vec::with_capacity(edge_switches.len()),
            edge_index,
            lids: Vec::new(),
            ports: Vec::new(),
            goal: vec![Vec::new(); levels],
            link: vec![Vec::new(); levels],
            number: vec![Vec::new(); levels],
            later: Vec::new(),
            first_below: Vec::new(),
            way,
            share: None,
        };
        let mut numbers = Vec::new();
        let (mut sender, mut next) = (0, 0_u32);
        let Numbering { left_out, ring, share } =
            Numbering::of(fabric, graph, order, layout, &edge_switches, way);
        targets.share = share;
        for (nth, edge_switch) in edge_switches.into_iter().enumerate() {
            next += left_out.get(nth).copied().unwrap_or(0);
            let (first, before) = (targets.lids.len() as u32, sender);
            let (mut even, mut hosts) = (first, first);
            let ends = ends(fabric, lids, edge_switch);
            let slots = layout.slots(edge_switch.ix()).len() as u32;
            let hosts_here = ends.iter().filter(|end| end.is_host).count() as u32;
            // With a chain each, the hosts beyond the last full round would load some slots a fifth above the mean.
            let is_uneven = match way {
                _ if slots == 0 || hosts_here <= slots => false,
                Way::Usual => 5 * hosts_here.next_multiple_of(slots) > 6 * hosts_here,
                Way::Onward => true,
                Way::Ring | Way::FromFirst => false,
            };
            if way == Way::FromFirst && slots > 0 {
                next = next.next_multiple_of(slots);
            }
            let mut in_rounds = hosts_here;
            if is_uneven {
                next = next.next_multiple_of(slots);
                in_rounds -= hosts_here % slots;
            }
            for end in ends {
                for k in 0..1 << end.lmc {
                    targets.lids.push(end.lid + k);
                    targets.ports.push(end.port);
                    numbers.push(if end.is_host {
                        next + sender - before + k
                    } else {
                        targets.edge_index[edge_switch.ix()] + k
                    });
                }
                if end.is_host {
                    (sender, hosts) = (sender + 1, numbers.len() as u32);
                    if sender - before <= in_rounds {
                        even = hosts;
                    }
                }
            }
            next += in_rounds;
            let (end, senders) = (numbers.len() as u32, sender - before);
            targets.edge_switches.push(EdgeSwitch {
                switch: edge_switch.0,
                first,
                hosts,
                even,
                end,
                sender: before,
                senders,
            });
        }
        if let Some(ring) = &ring {
            targets.first_below = targets.first_below(graph, order);
            targets.later = vec![numbers.clone(); ring.later.len()];
        }
        targets.lead(graph, order, layout, &numbers, ring.as_ref());
        targets
    }

    /// A target's number as a switch on a level sees it, which picks one of several cables up.
    #[inline]
    pub fn number_seen(&self, switch: usize, level: usize, target: usize) -> u32 {
        match self.later.get(level) {
            Some(later) if target < self.first_below[switch] as usize => later[target],
            _ => self.number[level][target],
        }
    }

    /// The targets that are hosts, each with its edge switch.
    pub fn hosts(&self) -> impl Iterator<Item = (&EdgeSwitch, usize)> {
        self.edge_switches
            .iter()
            .flat_map(|edge_switch| edge_switch.host_targets().map(move |t| (edge_switch, t)))
    }

    /// Leads all chains up: hosts by the slots of a ring where there is one.
    fn lead(
        &mut self,
        graph: &SwitchGraph,
        order: &LevelOrder,
        layout: &Layout,
        numbers: &[u32],
        ring: Option<&Ring>,
    ) {
        let levels = self.goal.len();
        for level in 0..levels {
            self.goal[level] = vec![NONE; numbers.len()];
            self.link[level] = vec![GAP; numbers.len()];
            self.number[level] = numbers.to_vec();
        }
        for edge_switch in &self.edge_switches {
            for t in edge_switch.targets() {
                let (mut at, mut number) = (edge_switch.switch, numbers[t]);
                let start = usize::from(order.level[at as usize]);
                let ring = ring.filter(|_| edge_switch.host_targets().contains(&t));
                for level in start..levels {
                    let mut here = number;
                    if let Some((slots, later)) =
                        ring.and_then(|ring| ring.slots.get(level).zip(ring.later.get(level)))
                    {
                        let nth = numbers[t] as usize % slots.len();
                        (here, self.later[level][t]) = (slots[nth], later[nth]);
                    }
                    (self.goal[level][t], self.number[level][t]) = (at, here);
                    let Some(link) = layout.uplink(at as usize, here as usize) else { break };
                    number /= layout.parents[at as usize].max(1);
                    for above in &mut self.number[level + 1..] {
                        above[t] = number;
                    }
                    if link == GAP {
                        break;
                    }
                    self.link[level][t] = link;
                    at = graph.peer[link as usize];
                }
            }
        }
    }

    /// By switch: the first target on the leaves below it.
    fn first_below(&self, graph: &SwitchGraph, order: &LevelOrder) -> Vec<u32> {
        let mut first = vec![u32::MAX; graph.num_switches()];
        for edge_switch in &self.edge_switches {
            first[edge_switch.switch as usize] = edge_switch.first;
        }
        let mut ascending: Vec<usize> = (0..graph.num_switches()).collect();
        ascending.sort_by_key(|&s| order.level[s]);
        for s in ascending.into_iter().filter(|&s| order.level[s] > 0) {
            let below = graph.links(s).map(|link| graph.peer[link] as usize);
            let below = below.filter(|&far| order.level[far] < order.level[s]);
            first[s] = below.map(|far| first[far]).min().unwrap_or(first[s]);
        }
        first
    }
}

struct TargetEnd {
    is_host: bool,
    port: u8,
    lid: u32,
    lmc: u8,
}

/// The ports with LIDs on a switch: hosts first, by port, the switch itself last.
fn ends(fabric: &Fabric, lids: &Lids, switch: NodeId) -> Vec<TargetEnd> {
    let own = fabric.port0(switch);
    let end = |(p, q)| TargetEnd {
        is_host: fabric.node(fabric.node_of(q)).kind == NodeKind::Adapter,
        port: fabric.number_of(p),
        lid: lids.base(q),
        lmc: lids.lmc(q),
    };
    let mut ends: Vec<TargetEnd> =
        ends_on(fabric, switch).chain([(own, own)]).map(end).filter(|e| e.lid != 0).collect();
    ends.sort_by_key(|e| !e.is_host);
    ends
}
