//! The switches of a subnet and the links between them, as channels with weights.

use std::ops::Range;

use rustc_hash::FxHashMap;

use crate::fabric::{Fabric, NodeId, NodeKind, PortId};
use crate::sm::lids::Lids;

/// No channel.
pub(super) const NONE: u32 = u32::MAX;
/// OpenSM's infinity: a distance that does not fit below it is none.
pub(super) const INFINITY: u64 = 0x7FFF_FFFF;

/// An end port that paths lead to.
#[derive(Clone, Debug)]
pub(super) struct EndPort {
    /// The switch that it hangs off, or is.
    pub edge_switch: u32,
    /// The edge switch's port to it; 0 for the edge switch itself.
    pub port: u8,
    /// Its LIDs.
    pub lids: Range<u32>,
}

/// Switches by their LIDs' bytes in the order of the wire, and channels by switch and port.
#[derive(Debug)]
pub(super) struct SwitchNetwork {
    /// By switch: its node.
    pub node: Vec<NodeId>,
    first: Vec<u32>,
    /// By channel: the switch where it begins.
    pub from: Vec<u32>,
    /// By channel: the port by which it leaves that switch.
    pub port: Vec<u8>,
    /// By channel: the switch where it ends.
    pub to: Vec<u32>,
    /// By channel: the channel of the other direction of its cable.
    pub back: Vec<u32>,
    /// By channel: how far it is.
    pub weight: Vec<u64>,
    /// By switch: LIDs on it, its own and routers' too; in a byte, as OpenSM counts.
    pub terminals: Vec<u8>,
    /// Adapters' ports and switches in the order of their GUIDs.
    pub targets: Vec<EndPort>,
}

impl SwitchNetwork {
    /// The network of some switches that cables connect. `uses`: whether a port's cable to another switch is
    /// used.
    pub fn new(fabric: &Fabric, lids: &Lids, mut node: Vec<NodeId>, uses: impl Fn(PortId) -> bool) -> Self {
        node.sort_by_key(|&switch| (lids.of_switch(fabric, switch) as u16).swap_bytes());
        let number: FxHashMap<NodeId, u32> = node.iter().copied().zip(0..).collect();
        let mut network = Self {
            first: vec![0],
            from: Vec::new(),
            port: Vec::new(),
            to: Vec::new(),
            back: Vec::new(),
            weight: Vec::new(),
            terminals: Vec::new(),
            targets: Vec::new(),
            node,
        };
        let mut channel_of = FxHashMap::default();
        let mut far_ports = Vec::new();
        for (switch, &node) in (0..).zip(&network.node) {
            let mut terminals = lids.range(fabric.port0(node)).len();
            for port in fabric.ports_of(node) {
                let Some(far) = fabric.peer(port) else { continue };
                match number.get(&fabric.node_of(far)) {
                    None => terminals += 1 << lids.lmc(far),
                    Some(&to) if to != switch && uses(port) => {
                        channel_of.insert(port, network.to.len() as u32);
                        network.from.push(switch);
                        network.port.push(fabric.number_of(port));
                        network.to.push(to);
                        far_ports.push(far);
                    }
                    Some(_) => {}
                }
            }
            network.terminals.push(terminals as u8);
            network.first.push(network.to.len() as u32);
        }
        network.back = far_ports.iter().map(|far| channel_of.get(far).copied().unwrap_or(NONE)).collect();
        network.targets = targets(fabric, lids, &number);
        let num_lids: usize = network.targets.iter().map(|target| target.lids.len()).sum();
        network.weight = vec![(num_lids * num_lids) as u64; network.to.len()];
        network
    }

    /// Number of switches.
    pub fn len(&self) -> usize {
        self.node.len()
    }

    /// Number of channels.
    pub fn num_channels(&self) -> usize {
        self.to.len()
    }

    /// The node of the channel dependency graph where paths from a switch begin.
    pub fn source(&self, switch: u32) -> u32 {
        self.num_channels() as u32 + switch
    }

    /// The switch that the edges of a node of the channel dependency graph are at.
    pub fn end(&self, node: u32) -> u32 {
        self.to.get(node as usize).copied().unwrap_or_else(|| node - self.num_channels() as u32)
    }

    /// The channels that begin at a switch.
    pub fn channels(&self, switch: u32) -> Range<u32> {
        self.first[switch as usize]..self.first[switch as usize + 1]
    }

    /// The switches that a switch's cables lead to, one for each cable.
    pub fn neighbours(&self, switch: u32) -> &[u32] {
        let channels = self.channels(switch);
        &self.to[channels.start as usize..channels.end as usize]
    }

    /// Makes the channels heavier that lead from all switches to one; by switch, `used` is the channel that
    /// leads *to* it on the path from there. False if some switch has no such path.
    pub fn add_load(&mut self, used: &[u32], edge_switch: u32) -> bool {
        for start in (0..self.len() as u32).filter(|&s| s != edge_switch) {
            let load = u64::from(self.terminals[start as usize]);
            let (mut at, mut hops) = (start, 0);
            while at != edge_switch {
                let channel = used[at as usize];
                hops += 1;
                if channel == NONE || hops > self.len() {
                    return false;
                }
                self.weight[channel as usize] += load;
                at = self.from[channel as usize];
            }
        }
        true
    }
}

fn targets(fabric: &Fabric, lids: &Lids, number: &FxHashMap<NodeId, u32>) -> Vec<EndPort> {
    let mut targets = Vec::new();
    for end in fabric.end_ports_in_opensm_order() {
        let node = fabric.node_of(end);
        let at = match fabric.node(node).kind {
            NodeKind::Switch => Some((node, 0)),
            NodeKind::Adapter | NodeKind::Aggregation => {
                fabric.peer(end).map(|port| (fabric.node_of(port), fabric.number_of(port)))
            }
            NodeKind::Router => None,
        };
        let found = at.and_then(|(edge_switch, port)| Some((*number.get(&edge_switch)?, port)));
        if let Some((edge_switch, port)) = found.filter(|_| lids.base(end) != 0) {
            targets.push(EndPort { edge_switch, port, lids: lids.range(end) });
        }
    }
    targets
}
