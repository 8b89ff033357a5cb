//! The participants: hosts in an order, with a port on each rail.

use crate::fabric::{Fabric, NodeId, PortId, leaf_order};

/// A host: its name and its port on each rail (none where the rail is missing).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HostPorts {
    /// As users write it.
    pub name: String,
    /// By rail; all hosts of a list have equally many.
    pub ports: Vec<Option<PortId>>,
}

/// In [`Participants::slot`]: this host lacks this rail.
const ABSENT: u32 = u32::MAX;

/// The hosts that take part, in the order that the patterns count them, and their ports.
#[derive(Clone, Debug)]
pub struct Participants {
    ports: Vec<PortId>,
    host: Vec<u32>,
    names: Vec<String>,
    slots: Vec<u32>,
    rails: usize,
    planes: usize,
    leaves: Vec<NodeId>,
    leaf: Vec<u32>,
}

impl Participants {
    /// The given hosts in the given order. Ports are numbered host by host, rail by rail; the
    /// leaves (the switches that the ports hang off) are numbered in `leaves` order where given,
    /// otherwise as [`leaf_order`] finds them.
    pub fn new(fabric: &Fabric, hosts: &[HostPorts], leaves: Option<&[NodeId]>) -> Self {
        let rails = hosts.iter().map(|h| h.ports.len()).max().unwrap_or(0);
        let mut slots = vec![ABSENT; hosts.len() * rails];
        let (mut ports, mut host) = (Vec::new(), Vec::new());
        for (h, it) in hosts.iter().enumerate() {
            for (r, port) in it.ports.iter().enumerate() {
                if let Some(port) = *port {
                    slots[r * hosts.len() + h] = ports.len() as u32;
                    ports.push(port);
                    host.push(h as u32);
                }
            }
        }
        let order = leaves.map_or_else(|| leaf_order(fabric, &ports), <[_]>::to_vec);
        let mut is_edge = vec![false; fabric.num_switches()];
        for edge_switch in ports.iter().filter_map(|&p| fabric.edge_switch(p)) {
            is_edge[edge_switch.ix()] = true;
        }
        let mut number = vec![ABSENT; fabric.num_switches()];
        let mut leaves = Vec::new();
        for leaf in order.into_iter().chain(fabric.switches()).filter(|s| is_edge[s.ix()]) {
            if number[leaf.ix()] == ABSENT {
                number[leaf.ix()] = leaves.len() as u32;
                leaves.push(leaf);
            }
        }
        let leaf = ports.iter().map(|p| fabric.edge_switch(*p).map_or(ABSENT, |s| number[s.ix()])).collect();
        let names = hosts.iter().map(|h| h.name.clone()).collect();
        Self { ports, host, names, slots, rails, planes: 1, leaves, leaf }
    }

    /// The same where each rail is an adapter of so many planes: of as many consecutive rails one adapter's.
    #[must_use]
    pub fn on_planes(self, planes: usize) -> Self {
        Self { planes: planes.max(1), ..self }
    }

    /// Every given port as a separate host, named after its node.
    pub fn each_port(fabric: &Fabric, ports: &[PortId]) -> Self {
        let name = |p: PortId| fabric.node(fabric.node_of(p)).description.to_string();
        let hosts: Vec<_> =
            ports.iter().map(|&p| HostPorts { name: name(p), ports: vec![Some(p)] }).collect();
        Self::new(fabric, &hosts, None)
    }

    /// The ports that still hang off a switch, hosts and leaves in the same order; none where all do.
    /// `fabric` has the same ports as the one that the hosts were chosen from.
    pub fn remaining(&self, fabric: &Fabric) -> Option<Self> {
        let hangs = |p: &PortId| fabric.edge_switch(*p).is_some();
        if self.ports.iter().all(hangs) {
            return None;
        }
        let host = |h: u32| {
            let port = |rail| self.slot(h, rail).map(|s| self.ports[s as usize]).filter(hangs);
            let ports: Vec<_> = (0..self.rails).map(port).collect();
            let any = ports.iter().any(Option::is_some);
            any.then(|| HostPorts { name: self.names[h as usize].clone(), ports })
        };
        let hosts: Vec<HostPorts> = (0..self.names.len() as u32).filter_map(host).collect();
        Some(Self::new(fabric, &hosts, Some(&self.leaves)).on_planes(self.planes))
    }

    /// Number of hosts.
    pub fn num_hosts(&self) -> usize {
        self.names.len()
    }

    /// Number of rails, each plane of an adapter counted as one.
    pub fn num_rails(&self) -> usize {
        self.rails
    }

    /// Planes of an adapter.
    pub fn planes(&self) -> usize {
        self.planes
    }

    /// The hosts' names, in order.
    pub fn names(&self) -> &[String] {
        &self.names
    }

    /// The ports that take part. A [`super::Flow`] names them by their index in this list.
    pub fn ports(&self) -> &[PortId] {
        &self.ports
    }

    /// The host of each port, by index.
    pub fn hosts_of_ports(&self) -> &[u32] {
        &self.host
    }

    /// The index of a host's port on a rail.
    pub fn slot(&self, host: u32, rail: usize) -> Option<u32> {
        let slot = self.slots[rail * self.names.len() + host as usize];
        (slot != ABSENT).then_some(slot)
    }

    /// Whether every host has exactly one port: one rail, and no host lacks it.
    pub fn is_plain(&self) -> bool {
        self.rails == 1 && self.ports.len() == self.names.len()
    }

    /// The leaves, by number.
    pub fn leaves(&self) -> &[NodeId] {
        &self.leaves
    }

    /// The number of the leaf that a port hangs off, by index; none for a port without a switch.
    pub fn leaf_of(&self, slot: u32) -> Option<u32> {
        Some(self.leaf[slot as usize]).filter(|&l| l != ABSENT)
    }
}
