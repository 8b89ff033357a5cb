//! What a manager sees of a fabric.

use crate::fabric::{Fabric, NodeId, PortId};
use crate::sm::lids::Lids;
use crate::sm::{Lft, NO_ENTRY};

/// The subnet of a fabric that packets from a manager's port reach. Switches answer for all their
/// ports; end nodes do not forward, and only their ports with a discovered cable are seen.
#[derive(Clone, Debug)]
pub(crate) struct View {
    manager: PortId,
    /// By port of the whole fabric: whether a seen cable is plugged in there.
    cabled: Vec<bool>,
    /// By switch.
    switches: Vec<bool>,
    /// The subnet as a fabric, and its nodes in the whole, in order; none where it is the
    /// whole.
    subnet: Option<(Fabric, Vec<NodeId>)>,
}

impl View {
    /// What a manager on a port sees now: nothing where its node does not run.
    pub fn from(now: &Fabric, runs: bool, manager: PortId) -> Self {
        let switches = if runs { reached(now, manager) } else { vec![false; now.num_switches()] };
        let on_seen = |p: PortId| switches.get(now.node_of(p).ix()).is_some_and(|&seen| seen);
        let mut cabled = vec![false; now.num_ports()];
        let mut seen = vec![false; now.num_nodes()];
        seen[now.node_of(manager).ix()] = true;
        let mut hidden = 0;
        for (a, b) in now.cables() {
            if on_seen(a) || on_seen(b) || a == manager || b == manager {
                for end in [a, b] {
                    cabled[end.ix()] = true;
                    seen[now.node_of(end).ix()] = true;
                }
            } else {
                hidden += 1;
            }
        }
        for (s, _) in switches.iter().enumerate().filter(|&(_, &reached)| reached) {
            seen[s] = true;
        }
        let subnet = (hidden > 0 || seen.contains(&false)).then(|| {
            let nodes = now.nodes().map(|(n, _)| n).filter(|n| seen[n.ix()]).collect();
            (now.filtered(|n| seen[n.ix()], |a, _| cabled[a.ix()]), nodes)
        });
        Self { manager, cabled, switches, subnet }
    }

    /// Whether the cable at a port is seen.
    pub fn has_cable(&self, port: PortId) -> bool {
        self.cabled[port.ix()]
    }

    /// Whether a switch is seen.
    pub fn has_switch(&self, switch: NodeId) -> bool {
        self.switches[switch.ix()]
    }

    /// Whether any switch is seen.
    pub fn has_switches(&self) -> bool {
        self.switches.contains(&true)
    }

    /// Whether the manager sees nothing but its own node.
    pub fn is_blind(&self) -> bool {
        !self.has_switches() && !self.cabled.contains(&true)
    }

    /// Whether `self` has cables or switches that an earlier view lacks, and whether it lacks some.
    pub fn compare(&self, earlier: &Self) -> (bool, bool) {
        let (now, then) = (self.cabled.iter(), earlier.cabled.iter());
        let cables =
            now.zip(then).fold((false, false), |(new, old), (&n, &t)| (new || n && !t, old || t && !n));
        let (now, then) = (self.switches.iter(), earlier.switches.iter());
        now.zip(then).fold(cables, |(new, old), (&n, &t)| (new || n && !t, old || t && !n))
    }

    /// The fabric that it sees; `now` is the one that it was made from.
    pub fn fabric<'a>(&'a self, now: &'a Fabric) -> &'a Fabric {
        self.subnet.as_ref().map_or(now, |(subnet, _)| subnet)
    }

    /// The LIDs of what is seen.
    pub fn lids(&self, now: &Fabric, whole: &Lids) -> Lids {
        let subnet = self.fabric(now);
        let mut ports: Vec<(PortId, PortId)> = Vec::new();
        for node in subnet.nodes().map(|(n, _)| n) {
            let (inside, outside) = (subnet.port0(node).0, now.port0(self.outside(node)).0);
            let both = |at: u32| (PortId(inside + at), PortId(outside + at));
            if subnet.is_switch(node) {
                ports.push(both(0));
            } else {
                let of_node = (1..=u32::from(subnet.radix(node))).map(both);
                ports.extend(of_node.filter(|&(_, p)| self.cabled[p.ix()] || p == self.manager));
            }
        }
        let mut lids = Lids::none(subnet);
        lids.set_manager(self.inside(now, self.manager));
        // Of two ports with one LID, that which answers to it comes last.
        let owns = |port: PortId| whole.owner(whole.base(port)) == Some(port);
        let (owners, others): (Vec<_>, Vec<_>) = ports.into_iter().partition(|&(_, port)| owns(port));
        for (inside, port) in others.into_iter().chain(owners).filter(|&(_, port)| whole.base(port) != 0) {
            lids.set(inside, whole.base(port), whole.lmc(port));
        }
        lids
    }

    /// The node of the whole that a node of the subnet is.
    fn outside(&self, node: NodeId) -> NodeId {
        self.subnet.as_ref().map_or(node, |(_, nodes)| nodes[node.ix()])
    }

    /// The port of the subnet that a port of the whole is.
    fn inside(&self, now: &Fabric, port: PortId) -> PortId {
        let Some((subnet, nodes)) = &self.subnet else { return port };
        let node = now.node_of(port);
        let index = nodes.partition_point(|&n| n < node) as u32;
        PortId(subnet.port0(NodeId(index)).0 + (port.0 - now.port0(node).0))
    }

    /// The switches of the subnet and of the whole, side by side.
    pub fn switches<'a>(&'a self, now: &'a Fabric) -> impl Iterator<Item = (NodeId, NodeId)> + 'a {
        self.fabric(now).switches().map(|s| (s, self.outside(s)))
    }

    /// Tables of the whole as tables of the subnet.
    pub fn tables_in(&self, now: &Fabric, whole: &Lft) -> Lft {
        let mut subnet = Lft::new(self.fabric(now).num_switches(), whole.stride() as u32 - 1);
        for (inside, outside) in self.switches(now) {
            subnet.row_mut(inside).copy_from_slice(whole.row(outside));
        }
        subnet
    }

    /// Tables of the subnet into tables of the whole; other switches keep theirs.
    pub fn tables_out(&self, now: &Fabric, subnet: &Lft, whole: &mut Lft) {
        for (inside, outside) in self.switches(now) {
            let (from, to) = (subnet.row(inside), whole.row_mut(outside));
            let shared = from.len().min(to.len());
            to[..shared].copy_from_slice(&from[..shared]);
            to[shared..].fill(NO_ENTRY);
        }
    }

    /// Whether it is the whole fabric.
    pub fn is_whole(&self) -> bool {
        self.subnet.is_none()
    }
}

/// The switches that packets from a port reach.
fn reached(now: &Fabric, manager: PortId) -> Vec<bool> {
    let mut seen = vec![false; now.num_switches()];
    let edge_switch = now.edge_switch(manager);
    let mut queue: Vec<NodeId> = edge_switch.into_iter().collect();
    for s in &queue {
        seen[s.ix()] = true;
    }
    while let Some(switch) = queue.pop() {
        for far in now.ports_of(switch).filter_map(|p| now.peer(p)).map(|p| now.node_of(p)) {
            if now.is_switch(far) && !std::mem::replace(&mut seen[far.ix()], true) {
                queue.push(far);
            }
        }
    }
    seen
}
