//! Building a [`Fabric`]: add nodes, connect ports, finish.

use rustc_hash::FxHashMap;

use super::cable_part::CableParts;
use super::changed::moved_details;
use super::name::NodeNames;
use super::{
    CablePart, Counter, Coverage, Fabric, NO_PEER, Node, NodeId, NodeKind, Port, PortCount, PortCounters,
    PortDetail, PortId,
};

/// Why a fabric cannot be built. Readers add the line it happened on.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum BuildError {
    /// Two nodes with the same identifier.
    #[error("node {0} is defined twice")]
    DuplicateNode(Box<str>),
    /// A port number that the node does not have.
    #[error("{node} has {radix} ports, so no port {number}")]
    NoSuchPort {
        /// Identifier of the node.
        node: Box<str>,
        /// Its number of ports.
        radix: u8,
        /// The number asked for.
        number: u32,
    },
    /// A port with two cables.
    #[error("port {number} of {node} already has a cable")]
    PortTaken {
        /// Identifier of the node.
        node: Box<str>,
        /// The port's number.
        number: u8,
    },
    /// A cable from a port to itself.
    #[error("port {number} of {node} is cabled to itself")]
    SelfLink {
        /// Identifier of the node.
        node: Box<str>,
        /// The port's number.
        number: u8,
    },
    /// More than an index can hold.
    #[error("the fabric has more than 2^32 - 2 ports")]
    TooLarge,
}

/// Handle of a node under construction: the order in which it was added.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Handle(u32);

/// Collects nodes and cables in any order; [`FabricBuilder::finish`] puts switches first and lays
/// the ports out flat. Within switches, and within end nodes, the order of addition is kept.
#[derive(Debug, Default)]
pub struct FabricBuilder {
    nodes: Vec<Node>,
    first_port: Vec<u32>,
    ports: Vec<Port>,
    peer: Vec<u32>,
    by_id: FxHashMap<Box<str>, u32>,
    /// By port, as far as a port has any; ports behind the end have none.
    details: Vec<PortDetail>,
    counts: Vec<PortCount>,
    counted_at: Option<u64>,
    coverage: Coverage,
    parts: Vec<(PortId, CablePart)>,
}

impl FabricBuilder {
    /// An empty builder.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a node with `radix` physical ports.
    ///
    /// # Errors
    /// When its id is taken, or the port index would overflow.
    pub fn add_node(&mut self, node: Node, radix: u8) -> Result<Handle, BuildError> {
        let first = u32::try_from(self.ports.len()).ok().filter(|&n| n < NO_PEER - 256);
        let first = first.ok_or(BuildError::TooLarge)?;
        let handle = self.nodes.len() as u32;
        if self.by_id.insert(node.id.clone(), handle).is_some() {
            return Err(BuildError::DuplicateNode(node.id));
        }
        self.nodes.push(node);
        self.first_port.push(first);
        self.ports.resize(self.ports.len() + 1 + usize::from(radix), Port::default());
        self.peer.resize(self.ports.len(), NO_PEER);
        Ok(Handle(handle))
    }

    /// The node with a given id.
    pub fn handle_of(&self, id: &str) -> Option<Handle> {
        self.by_id.get(id).map(|&i| Handle(i))
    }

    /// The node that was added as number `n`, from 0.
    pub fn nth(&self, n: usize) -> Option<Handle> {
        (n < self.nodes.len()).then_some(Handle(n as u32))
    }

    /// A node's data, to complete it.
    pub fn node_mut(&mut self, node: Handle) -> &mut Node {
        &mut self.nodes[node.0 as usize]
    }

    fn port_ix(&self, node: Handle, number: u32) -> Result<usize, BuildError> {
        let n = node.0 as usize;
        let end = self.first_port.get(n + 1).map_or(self.ports.len(), |&e| e as usize);
        let first = self.first_port[n] as usize;
        let ix = first + number as usize;
        if ix < end {
            Ok(ix)
        } else {
            let radix = (end - first - 1) as u8;
            Err(BuildError::NoSuchPort { node: self.nodes[n].id.clone(), radix, number })
        }
    }

    /// A port's data, to complete it. Number 0 is the management port.
    ///
    /// # Errors
    /// When the node has no such port.
    pub fn port_mut(&mut self, node: Handle, number: u32) -> Result<&mut Port, BuildError> {
        let ix = self.port_ix(node, number)?;
        Ok(&mut self.ports[ix])
    }

    /// What only some sources say of a port, to complete it: states, capabilities, lanes in use.
    ///
    /// # Errors
    /// When the node has no such port.
    pub fn detail_mut(&mut self, node: Handle, number: u32) -> Result<&mut PortDetail, BuildError> {
        let ix = self.port_ix(node, number)?;
        if self.details.len() <= ix {
            self.details.resize(self.ports.len(), PortDetail::default());
        }
        Ok(&mut self.details[ix])
    }

    /// States a counter of a port; of several values the last counts.
    ///
    /// # Errors
    /// When the node has no such port.
    pub fn count(
        &mut self,
        node: Handle,
        number: u32,
        counter: Counter,
        value: u64,
    ) -> Result<(), BuildError> {
        let port = PortId(self.port_ix(node, number)? as u32);
        self.counts.push(PortCount { port, counter, value });
        Ok(())
    }

    /// Forgets all counters.
    pub fn uncount(&mut self) {
        self.counts.clear();
        self.counted_at = None;
    }

    /// States what is known of the cable in a port; of several the last counts.
    ///
    /// # Errors
    /// When the node has no such port.
    pub fn part(&mut self, node: Handle, number: u32, part: CablePart) -> Result<(), BuildError> {
        let port = PortId(self.port_ix(node, number)? as u32);
        self.parts.push((port, part));
        Ok(())
    }

    /// States when the counters were read, in seconds since 1970.
    pub fn counted_at(&mut self, unix_time: u64) {
        self.counted_at = Some(unix_time);
    }

    /// What the source can show, to complete it: all of a fabric, unless said otherwise.
    pub fn coverage_mut(&mut self) -> &mut Coverage {
        &mut self.coverage
    }

    /// The node and port at the other end of a port's cable, where it has one.
    ///
    /// # Errors
    /// When the node has no such port.
    pub fn peer(&self, node: Handle, number: u32) -> Result<Option<(Handle, u8)>, BuildError> {
        let peer = self.peer[self.port_ix(node, number)?];
        Ok((peer != NO_PEER).then(|| {
            let owner = self.first_port.partition_point(|&first| first <= peer) - 1;
            (Handle(owner as u32), (peer - self.first_port[owner]) as u8)
        }))
    }

    /// Cables two ports together.
    ///
    /// # Errors
    /// When a port does not exist (port 0 takes no cable), has a cable already, or is both ends.
    pub fn connect(&mut self, a: (Handle, u32), b: (Handle, u32)) -> Result<(), BuildError> {
        let (p, q) = (self.port_ix(a.0, a.1)?, self.port_ix(b.0, b.1)?);
        for (end, ix) in [(a, p), (b, q)] {
            let node = &self.nodes[end.0.0 as usize].id;
            if end.1 == 0 {
                let radix = self.radix(end.0);
                return Err(BuildError::NoSuchPort { node: node.clone(), radix, number: 0 });
            }
            if p == q {
                return Err(BuildError::SelfLink { node: node.clone(), number: end.1 as u8 });
            }
            if self.peer[ix] != NO_PEER {
                return Err(BuildError::PortTaken { node: node.clone(), number: end.1 as u8 });
            }
        }
        self.peer[p] = q as u32;
        self.peer[q] = p as u32;
        Ok(())
    }

    fn radix(&self, node: Handle) -> u8 {
        let n = node.0 as usize;
        let end = self.first_port.get(n + 1).map_or(self.ports.len(), |&e| e as usize);
        (end - self.first_port[n] as usize - 1) as u8
    }

    /// Lays the fabric out: switches first, then end nodes.
    pub fn finish(self) -> Fabric {
        let count = self.nodes.len();
        let is_switch = |n: &usize| self.nodes[*n].kind == NodeKind::Switch;
        let order: Vec<usize> =
            (0..count).filter(is_switch).chain((0..count).filter(|n| !is_switch(n))).collect();
        let num_switches = (0..count).filter(is_switch).count();

        let total = self.ports.len();
        let mut first_port = Vec::with_capacity(count + 1);
        let mut new_ix = vec![NO_PEER; total];
        let mut node_of = Vec::with_capacity(total);
        let mut ports = Vec::with_capacity(total);
        for (new, &old) in order.iter().enumerate() {
            first_port.push(ports.len() as u32);
            let first = self.first_port[old] as usize;
            for ix in first..=first + usize::from(self.radix(Handle(old as u32))) {
                new_ix[ix] = ports.len() as u32;
                ports.push(self.ports[ix]);
                node_of.push(NodeId(new as u32));
            }
        }
        first_port.push(total as u32);
        let mut peer = vec![NO_PEER; total];
        for (ix, &other) in self.peer.iter().enumerate() {
            if other != NO_PEER {
                peer[new_ix[ix] as usize] = new_ix[other as usize];
            }
        }
        let mut nodes: Vec<Option<Node>> = self.nodes.into_iter().map(Some).collect();
        let nodes = order.into_iter().filter_map(|old| nodes[old].take()).collect();
        let now = |port: PortId| Some(PortId(new_ix[port.ix()]));
        Fabric {
            nodes,
            num_switches,
            first_port,
            ports,
            peer,
            node_of,
            names: NodeNames::default(),
            details: moved_details(&self.details, total, now),
            counters: PortCounters::of_counts(self.counts, self.counted_at).moved(now),
            coverage: self.coverage,
            parts: CableParts::of(self.parts).moved(now),
        }
    }
}

/// Opens a fabric for additions and changes; its node `n` has the handle [`FabricBuilder::nth`]`(n)`.
impl From<&Fabric> for FabricBuilder {
    fn from(fabric: &Fabric) -> Self {
        let by_id = fabric.nodes().map(|(n, node)| (node.id.clone(), n.0)).collect();
        Self {
            nodes: fabric.nodes.clone(),
            first_port: fabric.first_port[..fabric.nodes.len()].to_vec(),
            ports: fabric.ports.clone(),
            peer: fabric.peer.clone(),
            by_id,
            details: fabric.details.clone(),
            counts: fabric.counters.counts.clone(),
            counted_at: fabric.counters.read_at,
            coverage: fabric.coverage,
            parts: fabric.parts.each().to_vec(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fabric::{FabricPart, Guid};

    fn node(kind: NodeKind, id: &str, guid: u64) -> Node {
        Node {
            kind,
            guid: Guid(guid),
            system_guid: Guid::NONE,
            id: id.into(),
            description: id.into(),
            vendor: 0,
            device: 0,
            enhanced_port0: false,
            chassis: None,
            declared: None,
        }
    }

    #[test]
    fn switches_come_first_and_cables_follow_them() {
        let mut b = FabricBuilder::new();
        let host = b.add_node(node(NodeKind::Adapter, "h", 1), 1).unwrap();
        let leaf = b.add_node(node(NodeKind::Switch, "s", 2), 4).unwrap();
        b.connect((host, 1), (leaf, 3)).unwrap();
        assert_eq!(b.peer(leaf, 3), Ok(Some((host, 1))));
        let f = b.finish();
        assert_eq!((f.num_switches(), f.num_nodes(), f.radix(NodeId(0))), (1, 2, 4));
        let p = f.port(NodeId(1), 1).unwrap();
        assert_eq!(f.edge_switch(p), Some(NodeId(0)));
        assert_eq!(f.number_of(f.peer(p).unwrap()), 3);
        assert_eq!(f.cables().count(), 1);
        assert_eq!(f.filtered(|n| n != NodeId(1), |_, _| true).cables().count(), 0);
        assert_eq!(FabricBuilder::from(&f).finish(), f);
        assert_eq!(f.in_order(&[NodeId(0), NodeId(1)]), f);
    }

    #[test]
    fn what_is_said_of_a_port_moves_with_it() {
        use crate::fabric::PortState;
        let mut b = FabricBuilder::new();
        let host = b.add_node(node(NodeKind::Adapter, "h", 1), 1).unwrap();
        let leaf = b.add_node(node(NodeKind::Switch, "s", 2), 4).unwrap();
        b.connect((host, 1), (leaf, 3)).unwrap();
        b.detail_mut(leaf, 3).unwrap().state = Some(PortState::Armed);
        b.detail_mut(host, 1).unwrap().state = Some(PortState::Initialize);
        b.count(host, 1, Counter::LinkDowned, 7).unwrap();
        b.counted_at(99);
        *b.coverage_mut() = b.coverage.without(&[FabricPart::EndNodes]);
        assert!(b.detail_mut(host, 2).is_err() && b.count(host, 2, Counter::LinkDowned, 7).is_err());
        let f = b.finish();
        let (at_leaf, at_host) = (f.port(NodeId(0), 3).unwrap(), f.port(NodeId(1), 1).unwrap());
        for f in [f.clone(), FabricBuilder::from(&f).finish(), f.in_order(&[NodeId(0), NodeId(1)])] {
            assert_eq!(f.port_detail(at_leaf).state, Some(PortState::Armed));
            assert_eq!(f.port_detail(at_host).state, Some(PortState::Initialize));
            assert!(f.port_detail(f.port0(NodeId(0))).is_unknown());
            assert_eq!(f.counters().value(at_host, Counter::LinkDowned), Some(7));
            assert_eq!((f.counters().read_at, f.coverage().shows(FabricPart::EndNodes)), (Some(99), false));
        }
        // Without its cable nothing is known of the states of its ends; without the node its counters are gone.
        let f = f.filtered(|n| n == NodeId(0), |_, _| true);
        assert!(f.port_detail(at_leaf).is_unknown() && f.counters().is_empty());
    }

    #[test]
    fn impossible_cables_are_refused() {
        let mut b = FabricBuilder::new();
        let s = b.add_node(node(NodeKind::Switch, "s", 1), 2).unwrap();
        assert!(matches!(b.connect((s, 1), (s, 1)), Err(BuildError::SelfLink { .. })));
        assert!(matches!(b.connect((s, 1), (s, 3)), Err(BuildError::NoSuchPort { number: 3, radix: 2, .. })));
        assert!(matches!(b.connect((s, 0), (s, 1)), Err(BuildError::NoSuchPort { number: 0, .. })));
        b.connect((s, 1), (s, 2)).unwrap();
        assert!(matches!(b.connect((s, 2), (s, 1)), Err(BuildError::PortTaken { .. })));
        assert!(matches!(b.add_node(node(NodeKind::Switch, "s", 1), 2), Err(BuildError::DuplicateNode(_))));
    }
}
