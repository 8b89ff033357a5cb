//! A component of a fabric, its switches and channels numbered from 0, and the LIDs to be routed in it.

use std::ops::Range;

use crate::fabric::switch_graph::SwitchGraph;
use crate::fabric::{Fabric, NodeId};
use crate::routing::common::channels::Channels;
use crate::routing::common::destinations::{by_subnet, ends_on};
use crate::sm::lids::Lids;

/// No switch, no channel, not reached.
pub(super) const NONE: u32 = u32::MAX;

/// A LID of an end port.
#[derive(Clone, Copy, Debug)]
pub(super) struct LidTarget {
    pub lid: u32,
    /// The edge switch's port to it.
    pub at_edge: u8,
    /// Whether the target before it is another LID of the same end port.
    pub same_port: bool,
    /// The end port's index in OpenSM's order.
    pub opensm_index: u32,
}

/// A switch with end ports, and the LIDs there.
#[derive(Clone, Debug)]
pub(super) struct EdgeTargets {
    pub switch: u32,
    /// Indices in [`Component::targets`].
    pub targets: Range<usize>,
}

/// Switches that cables connect, numbered from 0 in the fabric's order, with their links as
/// *channels*. Cables from a switch to itself are left out.
#[derive(Debug)]
pub(super) struct Component {
    pub switches: Vec<NodeId>,
    /// By port number.
    pub channels: Channels,
    /// Port that a channel leaves by.
    pub port: Vec<u8>,
    /// End ports with LIDs at each switch: those that send.
    pub sources: Vec<u32>,
    /// Most targets first, then by switch.
    pub edge_switches: Vec<EdgeTargets>,
    /// Edge switch after edge switch, by port.
    pub targets: Vec<LidTarget>,
    /// Whether some end port has several LIDs.
    pub has_lmc: bool,
}

impl Component {
    /// The components of a fabric, by their first switches.
    pub fn all(fabric: &Fabric, lids: &Lids) -> Vec<Self> {
        let graph = SwitchGraph::of(fabric);
        let members = by_subnet(&graph, fabric.switches());
        let mut number = vec![0; graph.num_switches()];
        for (n, switch) in members.iter().flat_map(|switches| (0..).zip(switches)) {
            number[switch.ix()] = n;
        }
        members.into_iter().map(|switches| Self::of(fabric, lids, &graph, &number, switches)).collect()
    }

    fn of(fabric: &Fabric, lids: &Lids, graph: &SwitchGraph, number: &[u32], switches: Vec<NodeId>) -> Self {
        let (mut first, mut channel) = (vec![0], vec![NONE; graph.num_links()]);
        let (mut head, mut port, mut far) = (Vec::new(), Vec::new(), Vec::new());
        for switch in &switches {
            for link in graph.links(switch.ix()).filter(|&l| graph.peer[l] != switch.0) {
                channel[link] = head.len() as u32;
                head.push(number[graph.peer[link] as usize]);
                port.push(graph.port[link]);
                far.push(graph.back[link]);
            }
            first.push(head.len() as u32);
        }
        let back = far.iter().map(|&link| channel[link as usize]).collect();
        let mut component = Self {
            sources: vec![0; switches.len()],
            switches,
            channels: Channels::new(first, head, back),
            port,
            edge_switches: Vec::new(),
            targets: Vec::new(),
            has_lmc: false,
        };
        component.find_targets(fabric, lids);
        component
    }

    fn find_targets(&mut self, fabric: &Fabric, lids: &Lids) {
        let mut opensm_index = vec![0; fabric.num_ports()];
        for (index, port) in (0..).zip(fabric.end_ports_in_opensm_order()) {
            opensm_index[port.ix()] = index;
        }
        let mut lists: Vec<(u32, Vec<LidTarget>)> = Vec::new();
        for (number, &switch) in (0..).zip(&self.switches) {
            let mut targets = Vec::new();
            for (near, port) in ends_on(fabric, switch) {
                let (base, opensm_index) = (lids.base(port), opensm_index[port.ix()]);
                if base == 0 {
                    continue;
                }
                self.sources[number as usize] += 1;
                let at_edge = fabric.number_of(near);
                let target = |lid| LidTarget { lid, at_edge, same_port: lid != base, opensm_index };
                targets.extend(lids.range(port).map(target));
            }
            if !targets.is_empty() {
                lists.push((number, targets));
            }
        }
        lists.sort_by_key(|(_, targets)| std::cmp::Reverse(targets.len()));
        self.has_lmc = lists.iter().flat_map(|(_, targets)| targets).any(|target| target.same_port);
        for (switch, targets) in lists {
            let start = self.targets.len();
            self.targets.extend(targets);
            self.edge_switches.push(EdgeTargets { switch, targets: start..self.targets.len() });
        }
    }

    /// Packets that some channel carries at least: what comes to a switch, or leaves it, spread evenly
    /// over its channels.
    pub fn least_max(&self) -> u64 {
        let all: u64 = self.sources.iter().map(|&s| u64::from(s)).sum();
        let share = |edge_switch: &EdgeTargets| {
            let (here, own) =
                (edge_switch.targets.len() as u64, u64::from(self.sources[edge_switch.switch as usize]));
            let packets = (here * (all - own)).max(own * (self.targets.len() as u64 - here));
            packets.div_ceil((self.channels.out_of(edge_switch.switch).len() as u64).max(1))
        };
        self.edge_switches.iter().map(share).max().unwrap_or(0)
    }

    /// By switch: packets that arrive there, for each channel into it.
    pub fn arrivals(&self) -> Vec<f64> {
        let all: u64 = self.sources.iter().map(|&s| u64::from(s)).sum();
        let mut arrivals = vec![0.0; self.len()];
        for edge_switch in &self.edge_switches {
            let others = all - u64::from(self.sources[edge_switch.switch as usize]);
            let packets = edge_switch.targets.len() as f64 * others as f64;
            arrivals[edge_switch.switch as usize] =
                packets / self.channels.out_of(edge_switch.switch).len().max(1) as f64;
        }
        arrivals
    }

    /// Number of switches.
    pub fn len(&self) -> usize {
        self.switches.len()
    }

    /// Switches in order of their distance from one, and the distances.
    pub fn search(&self, from: u32, order: &mut Vec<u32>, distance: &mut Vec<u32>) {
        distance.clear();
        distance.resize(self.len(), NONE);
        distance[from as usize] = 0;
        order.clear();
        order.push(from);
        let mut next = 0;
        while let Some(&switch) = order.get(next) {
            next += 1;
            for channel in self.channels.out_of(switch) {
                let far = self.channels.head[channel];
                if distance[far as usize] == NONE {
                    distance[far as usize] = distance[switch as usize] + 1;
                    order.push(far);
                }
            }
        }
    }

    /// Hops from a switch to all.
    pub fn distances(&self, from: u32) -> Vec<u32> {
        let (mut order, mut distance) = (Vec::new(), Vec::new());
        self.search(from, &mut order, &mut distance);
        distance
    }
}
