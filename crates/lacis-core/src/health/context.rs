//! What the families of findings share: the fabric, its hosts, its levels and its components.

use super::{Cable, Hosts, Location, Owner};
use crate::fabric::levels::{Levels, Role};
use crate::fabric::{Cages, Fabric, Groups, NodeId, NodeKind, PortId};

/// Component of a node that has no cable.
pub(super) const NO_COMPONENT: u32 = u32::MAX;

/// Everything that a family reads.
pub(super) struct Context<'a> {
    pub fabric: &'a Fabric,
    pub hosts: &'a Hosts,
    /// The levels of its switches, where it is a tree.
    pub levels: Option<Levels>,
    /// The planes with groups, where it is a Dragonfly+ or a dragonfly.
    pub groups: Vec<Groups>,
    /// Which ports of its switches a cable fits.
    pub cages: Cages<'a>,
    /// Connected component of each node, of an end node that of its first port with a cable; end nodes do not connect
    /// components.
    pub component: Vec<u32>,
    /// Connected component of each port of an end node.
    component_of_port: Vec<u32>,
    /// Number of components.
    pub num_components: usize,
}

impl<'a> Context<'a> {
    pub fn new(fabric: &'a Fabric, hosts: &'a Hosts) -> Self {
        let (component, component_of_port, num_components) = components(fabric);
        let (levels, groups) = (Levels::of(fabric), Groups::of(fabric));
        let cages = Cages::of(fabric);
        Self { fabric, hosts, levels, groups, cages, component, component_of_port, num_components }
    }

    /// The same without the levels of planes with groups, whose cables follow another pattern than a tree's; none where the
    /// fabric has no such plane.
    pub fn of_trees(&self) -> Option<Self> {
        let levels = self.levels.as_ref().filter(|_| !self.groups.is_empty());
        (!self.groups.is_empty()).then(|| Self {
            fabric: self.fabric,
            hosts: self.hosts,
            levels: levels.and_then(Levels::of_trees),
            groups: Vec::new(),
            cages: Cages::of(self.fabric),
            component: self.component.clone(),
            component_of_port: self.component_of_port.clone(),
            num_components: self.num_components,
        })
    }

    /// The components that a node is on, each once: several where the ports of an adapter are on different planes.
    pub fn components_of(&self, node: NodeId) -> Vec<u32> {
        let mut on = if self.fabric.is_switch(node) {
            vec![self.component[node.ix()]]
        } else {
            self.fabric.ports_of(node).map(|p| self.component_of_port[p.ix()]).collect()
        };
        on.retain(|&component| component != NO_COMPONENT);
        on.sort_unstable();
        on.dedup();
        on
    }

    /// Number of levels of switches; 0 where the fabric is no tree.
    pub fn num_levels(&self) -> usize {
        self.levels.as_ref().map_or(0, Levels::count)
    }

    pub fn level_of(&self, node: NodeId) -> Option<u8> {
        self.levels.as_ref()?.level(node)
    }

    pub fn role_of(&self, node: NodeId) -> Option<Role> {
        self.levels.as_ref()?.role(node)
    }

    /// Readable name of any node.
    pub fn name(&self, node: NodeId) -> String {
        if !self.fabric.is_switch(node) && self.hosts.owner(node) == Owner::Named {
            self.hosts.name(self.fabric, node)
        } else {
            self.fabric.name(node).into_owned()
        }
    }

    pub fn location(&self, node: NodeId) -> Location {
        let guid = Some(self.fabric.node(node).guid);
        Location { node: self.name(node), guid, port: None, likely: self.hosts.likely(node) }
    }

    pub fn port_location(&self, port: PortId) -> Location {
        Location { port: Some(self.fabric.number_of(port)), ..self.location(self.fabric.node_of(port)) }
    }

    pub fn cable(&self, (a, b): (PortId, PortId)) -> Cable {
        [self.port_location(a), self.port_location(b)]
    }

    /// The cables between two switches, in port order of the lower end. A cable from a switch to itself is none.
    pub fn trunks(&self) -> impl Iterator<Item = (PortId, PortId)> {
        self.fabric.cables().filter(|&(a, b)| {
            let (one, other) = (self.fabric.node_of(a), self.fabric.node_of(b));
            one != other && self.fabric.is_switch(one) && self.fabric.is_switch(other)
        })
    }

    /// Whether a node is a host adapter.
    pub fn is_adapter(&self, node: NodeId) -> bool {
        self.fabric.node(node).kind == NodeKind::Adapter
    }
}

/// Labels each node and each port of an end node with its component: switches joined by cables, and the ports of end
/// nodes on them; a cable between two end nodes is one, too.
fn components(fabric: &Fabric) -> (Vec<u32>, Vec<u32>, usize) {
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
            let far = fabric.ports_of(node).filter_map(|p| fabric.peer(p)).map(|p| fabric.node_of(p));
            for next in far.filter(|&n| fabric.is_switch(n)) {
                if component[next.ix()] == NO_COMPONENT {
                    component[next.ix()] = count;
                    stack.push(next);
                }
            }
        }
        count += 1;
    }
    let mut of_port = vec![NO_COMPONENT; fabric.num_ports()];
    for node in fabric.end_nodes() {
        for port in fabric.ports_of(node) {
            let Some(peer) = fabric.peer(port) else { continue };
            of_port[port.ix()] = if fabric.is_switch(fabric.node_of(peer)) {
                component[fabric.node_of(peer).ix()]
            } else if of_port[peer.ix()] == NO_COMPONENT {
                count += 1;
                count - 1
            } else {
                of_port[peer.ix()]
            };
            if component[node.ix()] == NO_COMPONENT {
                component[node.ix()] = of_port[port.ix()];
            }
        }
    }
    (component, of_port, count as usize)
}
