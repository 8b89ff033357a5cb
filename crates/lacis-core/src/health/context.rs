//! What the families of findings share: the fabric, its hosts, its levels and its components.

use super::{Hosts, Location};
use crate::fabric::levels::Levels;
use crate::fabric::{Fabric, NodeId, NodeKind, PortId};

/// Component of a node that has no cable.
pub(super) const NO_COMPONENT: u32 = u32::MAX;

/// Everything that a family reads.
pub(super) struct Context<'a> {
    pub fabric: &'a Fabric,
    pub hosts: &'a Hosts,
    /// The levels of its switches, where it is a tree.
    pub levels: Option<Levels>,
    /// Connected component of each node; end nodes do not connect components.
    pub component: Vec<u32>,
    /// Number of components.
    pub num_components: usize,
}

impl<'a> Context<'a> {
    pub fn new(fabric: &'a Fabric, hosts: &'a Hosts) -> Self {
        let (component, num_components) = components(fabric);
        Self { fabric, hosts, levels: Levels::of(fabric), component, num_components }
    }

    /// Number of levels of switches; 0 where the fabric is no tree.
    pub fn num_levels(&self) -> usize {
        self.levels.as_ref().map_or(0, Levels::count)
    }

    pub fn level_of(&self, node: NodeId) -> Option<u8> {
        self.levels.as_ref()?.level(node)
    }

    /// Readable name of any node.
    pub fn name(&self, node: NodeId) -> String {
        if self.fabric.is_switch(node) {
            self.fabric.name(node).into_owned()
        } else {
            self.hosts.name(self.fabric, node)
        }
    }

    pub fn location(&self, node: NodeId) -> Location {
        Location { node: self.name(node), guid: Some(self.fabric.node(node).guid), port: None, likely: None }
    }

    pub fn port_location(&self, port: PortId) -> Location {
        Location { port: Some(self.fabric.number_of(port)), ..self.location(self.fabric.node_of(port)) }
    }

    /// `a[3] – b[4]`.
    pub fn cable_name(&self, (a, b): (PortId, PortId)) -> String {
        format!("{} – {}", self.port_location(a), self.port_location(b))
    }

    /// The cables between two switches, in port order of the lower end.
    pub fn trunks(&self) -> impl Iterator<Item = (PortId, PortId)> {
        let is_switch = |p: PortId| self.fabric.is_switch(self.fabric.node_of(p));
        self.fabric.cables().filter(move |&(a, b)| is_switch(a) && is_switch(b))
    }

    /// Whether a node is a host adapter.
    pub fn is_adapter(&self, node: NodeId) -> bool {
        self.fabric.node(node).kind == NodeKind::Adapter
    }
}

/// Labels each node with its component: switches joined by cables, and the end nodes on them (on the
/// first of them, where an adapter has ports on several).
fn components(fabric: &Fabric) -> (Vec<u32>, usize) {
    let mut component = vec![NO_COMPONENT; fabric.num_nodes()];
    let mut count = 0;
    let mut stack = Vec::new();
    for start in fabric.switches() {
        if component[start.ix()] != NO_COMPONENT {
            continue;
        }
        component[start.ix()] = count;
        stack.push(start);
        while let Some(node) = stack.pop() {
            for peer in fabric.ports_of(node).filter_map(|p| fabric.peer(p)) {
                let next = fabric.node_of(peer);
                if component[next.ix()] == NO_COMPONENT {
                    component[next.ix()] = count;
                    if fabric.is_switch(next) {
                        stack.push(next);
                    }
                }
            }
        }
        count += 1;
    }
    // End nodes cabled to each other without a switch.
    for node in fabric.end_nodes() {
        let peer = fabric.ports_of(node).find_map(|p| fabric.peer(p)).map(|p| fabric.node_of(p));
        if let Some(peer) = peer.filter(|_| component[node.ix()] == NO_COMPONENT) {
            if component[peer.ix()] == NO_COMPONENT {
                component[peer.ix()] = count;
                count += 1;
            }
            component[node.ix()] = component[peer.ix()];
        }
    }
    (component, count as usize)
}
