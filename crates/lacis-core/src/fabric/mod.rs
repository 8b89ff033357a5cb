//! The neutral model of a fabric: nodes, their ports and the cables between them.
//!
//! A [`Fabric`] is immutable. Ports are kept in one flat array ordered by node and port number
//! (a port-ordered CSR), so that the port number *is* the identity of a link's end:
//! `fabric.port(node, 17)` is an addition, and `fabric.peer(port)` one load.

mod build;
mod bundles;
mod cable_part;
mod cages;
mod changed;
mod counters;
mod coverage;
mod declared;
mod dragonfly;
mod find;
mod grid;
mod ids;
mod join;
mod kind;
mod leaf_order;
pub mod levels;
mod name;
mod node;
mod order;
mod planes;
mod pods;
mod port_detail;
mod rate;
mod sequence;
mod sources;
pub(crate) mod subnets;
pub(crate) mod switch_graph;
pub(crate) mod tree;

use std::borrow::Cow;

pub use build::{BuildError, FabricBuilder, Handle};
pub use bundles::Bundles;
pub use cable_part::CablePart;
pub use cages::Cages;
pub use counters::{Counter, CounterSort, PortCount, PortCounters};
pub use coverage::{Coverage, FabricPart};
pub use declared::{Declared, Group, NotDeclared};
pub use dragonfly::{GroupKind, Groups, SwitchGroup};
pub use find::NotFound;
pub use ids::{Guid, NodeId, PortId};
pub use join::{JoinError, join};
pub use kind::NodeKind;
pub use leaf_order::leaf_order;
pub(crate) use leaf_order::{Leaves, leaf_order_of};
pub use name::short;
pub use node::{Chassis, Node};
pub use planes::{Planes, planes};
pub use pods::{pods, subtrees};
pub use port_detail::{Capability, Lanes, PhysicalState, PortDetail, PortState};
pub use rate::{Rate, Speed, Width};
pub use sources::{Grown, Growth, SourceDifference, completed, error_growth, source_difference};

/// One end of a cable, or a management port.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Port {
    /// Port GUID. External ports of a switch have none; its port 0 has the switch's.
    pub guid: Guid,
    /// Base LID that the source reports; 0 where unknown. On a switch only port 0 has one.
    pub lid: u32,
    /// LID mask control: the port answers to 2^lmc LIDs.
    pub lmc: u8,
    /// Width and speed that this end reports, where it is cabled and the source gives them: of the lanes that it sends
    /// on, where these are fewer than the link was brought up with (see [`PortDetail::lanes`]).
    pub rate: Option<Rate>,
    /// Whether the source listed the cable from this end (a cable seen from one end only is a finding).
    pub listed: bool,
    /// The subnet prefix that an end port reports; 0 where the source gives none.
    pub subnet_prefix: u64,
    /// The MTU that the port is capable of `[bytes]`; 0 where the source gives none.
    pub mtu: u16,
    /// Whether the source says that the port is not active although it has a link.
    pub inactive: bool,
    /// Whether a subnet manager runs at this end port, as far as the source says.
    pub manager: bool,
}

/// Which end nodes take part in traffic and counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Population {
    /// Host adapters only.
    Hosts,
    /// Every end node: adapters, routers and aggregation nodes.
    All,
}

/// An immutable fabric. See the module's documentation.
#[derive(Clone, Debug, PartialEq)]
pub struct Fabric {
    nodes: Vec<Node>,
    num_switches: usize,
    first_port: Vec<u32>,
    ports: Vec<Port>,
    peer: Vec<u32>,
    node_of: Vec<NodeId>,
    names: name::NodeNames,
    /// By port; empty where the source says nothing of the kind.
    details: Vec<PortDetail>,
    counters: PortCounters,
    coverage: Coverage,
    parts: cable_part::CableParts,
}

/// In [`Fabric::raw_peers`]: no cable.
pub const NO_PEER: u32 = u32::MAX;

impl Fabric {
    /// Number of nodes of any kind.
    pub fn num_nodes(&self) -> usize {
        self.nodes.len()
    }

    /// Number of switches. They are the nodes `0..num_switches`.
    pub fn num_switches(&self) -> usize {
        self.num_switches
    }

    /// Number of ports, management ports and unused ports included.
    pub fn num_ports(&self) -> usize {
        self.ports.len()
    }

    /// A node's data.
    pub fn node(&self, node: NodeId) -> &Node {
        &self.nodes[node.ix()]
    }

    /// All nodes, switches first.
    pub fn nodes(&self) -> impl Iterator<Item = (NodeId, &Node)> {
        self.nodes.iter().enumerate().map(|(i, n)| (NodeId(i as u32), n))
    }

    /// The ids of all switches.
    pub fn switches(&self) -> impl ExactSizeIterator<Item = NodeId> + use<> {
        (0..self.num_switches as u32).map(NodeId)
    }

    /// The ids of all end nodes (everything that is not a switch).
    pub fn end_nodes(&self) -> impl ExactSizeIterator<Item = NodeId> + use<> {
        (self.num_switches as u32..self.nodes.len() as u32).map(NodeId)
    }

    /// Whether a node is a switch.
    pub fn is_switch(&self, node: NodeId) -> bool {
        node.ix() < self.num_switches
    }

    /// Number of physical ports of a node (port 0 not counted).
    pub fn radix(&self, node: NodeId) -> u8 {
        (self.first_port[node.ix() + 1] - self.first_port[node.ix()] - 1) as u8
    }

    /// The port with a given number, where the node has it.
    pub fn port(&self, node: NodeId, number: u8) -> Option<PortId> {
        (number <= self.radix(node)).then(|| PortId(self.first_port[node.ix()] + u32::from(number)))
    }

    /// The management port of a switch; on an end node it exists but means nothing.
    pub fn port0(&self, node: NodeId) -> PortId {
        PortId(self.first_port[node.ix()])
    }

    /// The physical ports of a node, 1 to its radix.
    pub fn ports_of(
        &self,
        node: NodeId,
    ) -> impl DoubleEndedIterator<Item = PortId> + ExactSizeIterator + use<> {
        (self.first_port[node.ix()] + 1..self.first_port[node.ix() + 1]).map(PortId)
    }

    /// The name of a node in print: the [`short`] form of its description. Where switches would share
    /// it, board and chip stay (`NAME:CS7500/L12/U1`); where they share that too, the GUID follows.
    pub fn name(&self, node: NodeId) -> Cow<'_, str> {
        self.names.of(&self.nodes, node.ix())
    }

    /// A port's data.
    pub fn port_info(&self, port: PortId) -> &Port {
        &self.ports[port.ix()]
    }

    /// What only some sources say of a port: all unknown where this one does not.
    pub fn port_detail(&self, port: PortId) -> PortDetail {
        self.details.get(port.ix()).copied().unwrap_or_default()
    }

    /// Whether the source says anything of states or capabilities of ports.
    pub fn has_port_details(&self) -> bool {
        !self.details.is_empty()
    }

    /// The counters of ports that the source has.
    pub fn counters(&self) -> &PortCounters {
        &self.counters
    }

    /// What is known of the cable or transceiver in a port, as read at this end.
    pub fn cable_part(&self, port: PortId) -> Option<&CablePart> {
        self.parts.get(port)
    }

    /// What is known of cables and transceivers, by port.
    pub fn cable_parts(&self) -> &[(PortId, CablePart)] {
        self.parts.each()
    }

    /// What the source can show of the fabric.
    pub fn coverage(&self) -> Coverage {
        self.coverage
    }

    /// What a link carries, named by its egress port: the slower of what the two ends report, with no more lanes than the
    /// one sends on and the other receives on.
    pub fn link_rate(&self, egress: PortId) -> Option<Rate> {
        let far = self.peer(egress);
        let near_rate = self.ports[egress.ix()].rate;
        let far_rate = far.and_then(|far| {
            let rate = self.ports[far.ix()].rate?;
            let width = self.port_detail(far).lanes.map_or(rate.width, |lanes| lanes.receiving);
            Some(Rate { width, ..rate })
        });
        let both = near_rate.into_iter().chain(far_rate);
        both.min_by(|a, b| a.bytes_per_second().total_cmp(&b.bytes_per_second()))
    }

    /// What a port's link was brought up with, lanes that it has lost since included: what Omni-Path's manager counts with.
    pub fn brought_up_rate(&self, port: PortId) -> Option<Rate> {
        let rate = self.ports[port.ix()].rate?;
        Some(Rate {
            width: self.port_detail(port).lanes.map_or(rate.width, |lanes| lanes.brought_up),
            ..rate
        })
    }

    /// The node that a port belongs to.
    pub fn node_of(&self, port: PortId) -> NodeId {
        self.node_of[port.ix()]
    }

    /// A port's number on its node: 1-based, 0 is management.
    pub fn number_of(&self, port: PortId) -> u8 {
        (port.0 - self.first_port[self.node_of(port).ix()]) as u8
    }

    /// The port at the other end of the cable.
    pub fn peer(&self, port: PortId) -> Option<PortId> {
        let peer = self.peer[port.ix()];
        (peer != NO_PEER).then_some(PortId(peer))
    }

    /// [`Fabric::peer`] of every port as one flat array, [`NO_PEER`] where there is no cable.
    pub fn raw_peers(&self) -> &[u32] {
        &self.peer
    }

    /// First port of each node and the end; shape `(nodes + 1,)`.
    pub fn raw_first_ports(&self) -> &[u32] {
        &self.first_port
    }

    /// The two ends of every cable, each cable once, in port order of the lower end.
    pub fn cables(&self) -> impl Iterator<Item = (PortId, PortId)> {
        self.peer
            .iter()
            .enumerate()
            .filter(|&(p, &q)| q != NO_PEER && (p as u32) < q)
            .map(|(p, &q)| (PortId(p as u32), PortId(q)))
    }

    /// The switch that an end port hangs off: itself for a switch's port, the cabled switch for an
    /// end node's port, none where that port has no cable or is cabled to an end node.
    pub fn edge_switch(&self, port: PortId) -> Option<NodeId> {
        let node = self.node_of(port);
        if self.is_switch(node) {
            return Some(node);
        }
        self.peer(port).map(|p| self.node_of(p)).filter(|&n| self.is_switch(n))
    }

    /// Whether this node counts in a population of end nodes.
    pub fn is_in(&self, population: Population, node: NodeId) -> bool {
        match self.node(node).kind {
            NodeKind::Switch => false,
            NodeKind::Adapter => true,
            NodeKind::Router | NodeKind::Aggregation => population == Population::All,
        }
    }

    /// The cabled ports of the end nodes of a population, in node and port order.
    pub fn end_ports(&self, population: Population) -> Vec<PortId> {
        self.end_nodes()
            .filter(|&n| self.is_in(population, n))
            .flat_map(|n| self.ports_of(n))
            .filter(|&p| self.peer(p).is_some())
            .collect()
    }

    /// Whether its links are Omni-Path's: all whose rate is known, and at least one.
    pub fn is_omni_path(&self) -> bool {
        let mut rates = self.ports.iter().filter_map(|port| port.rate).peekable();
        rates.peek().is_some() && rates.all(|rate| rate.speed.is_omni_path())
    }

    /// `"description"[number]`, as a person names one end of a cable.
    pub fn port_name(&self, port: PortId) -> String {
        format!("\"{}\"[{}]", self.node(self.node_of(port)).description, self.number_of(port))
    }
}
