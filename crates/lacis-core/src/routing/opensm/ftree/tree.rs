//! The ranked tree: what hangs on each switch, and where its cables lead.

use std::cmp::Ordering;

use super::port_groups::{CA, DirectionGroups};
use super::rank::{UNRANKED, rank};
use super::subnets::{TreeSubnet, is_ca};
use crate::fabric::{Fabric, Guid, NodeId, PortId};
use crate::routing::{Options, Refused};
use crate::sm::lids::Lids;
use crate::sm::{NodeList, SwitchCount, TreeMisfit};

/// The tuple of a switch that has none.
pub(super) const NO_TUPLE: u64 = u64::MAX;

/// What an adapter's port is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Role {
    /// A compute node: traffic to it is balanced first.
    Compute,
    /// An I/O node: paths to it may climb after they descended.
    Io,
    /// Neither.
    Plain,
}

/// An adapter's port on a switch.
#[derive(Clone, Copy, Debug)]
pub(super) struct CaPort {
    pub port: PortId,
    pub lid: u32,
    pub role: Role,
    pub switch: u32,
    /// The port number at the switch.
    pub number: u8,
}

/// A ranked fat tree. Switches are named by their [`NodeId`].
pub(super) struct RankedTree {
    /// Its switches, in OpenSM's order.
    pub order: Vec<u32>,
    /// By switch.
    pub rank: Vec<u32>,
    /// The rank of the switches with compute nodes.
    pub leaf_rank: u32,
    /// Adapter ports in OpenSM's order of nodes.
    pub ca_ports: Vec<CaPort>,
    /// Adapter ports by switch, ascending by the switch's port.
    pub ca_ports_on: Vec<Vec<CaPort>>,
    /// Groups towards switches of smaller rank.
    pub up: DirectionGroups,
    /// Groups towards switches of larger rank and adapters.
    pub down: DirectionGroups,
    /// Groups towards switches of the same rank.
    pub sibling: DirectionGroups,
    /// Index tuple by switch, [`NO_TUPLE`] until indexed.
    pub tuple: Vec<u64>,
    /// The leaf array: switches of leaf rank by tuple, from the first with compute nodes to the last.
    pub leaves: Vec<u32>,
}

impl RankedTree {
    /// Ranks a subnet and groups its ports.
    ///
    /// # Errors
    /// Whenever OpenSM refuses before it indexes, with the reason that it logs.
    pub fn ranked(
        fabric: &Fabric,
        lids: &Lids,
        options: &Options,
        subnet: &TreeSubnet,
    ) -> Result<Self, Refused> {
        check_population(fabric, subnet)?;
        let lists = NodeLists::of(options)?;
        let (rank, leaf_rank) = rank(fabric, subnet, options.roots.as_deref())?;
        let mut tree = Self {
            order: subnet.switches.iter().map(|s| s.0).collect(),
            rank,
            leaf_rank,
            ca_ports: Vec::new(),
            ca_ports_on: vec![Vec::new(); fabric.num_switches()],
            up: DirectionGroups::default(),
            down: DirectionGroups::default(),
            sibling: DirectionGroups::default(),
            tuple: vec![NO_TUPLE; fabric.num_switches()],
            leaves: Vec::new(),
        };
        tree.collect_ca_ports(fabric, lids, subnet, &lists);
        tree.group_ports(fabric, lids);
        let first = tree.ca_ports.iter().find(|p| p.role == Role::Compute);
        let first = first.ok_or_else(|| Refused::new(TreeMisfit::ComputeNodesAbsent))?;
        if options.roots.is_some() {
            tree.leaf_rank = tree.rank[first.switch as usize];
        }
        tree.check_depth(fabric)?;
        Ok(tree)
    }

    fn collect_ca_ports(&mut self, fabric: &Fabric, lids: &Lids, subnet: &TreeSubnet, lists: &NodeLists) {
        let cas = subnet.end_nodes.iter().filter(|&&n| is_ca(fabric, n));
        for port in cas.flat_map(|&n| fabric.ports_of(n)) {
            let Some(peer) = fabric.peer(port) else { continue };
            let (switch, lid) = (fabric.node_of(peer), lids.base(port));
            if lid != 0 && fabric.is_switch(switch) && self.rank[switch.ix()] != UNRANKED {
                let role = lists.role(fabric.port_info(port).guid);
                let number = fabric.number_of(peer);
                self.ca_ports.push(CaPort { port, lid, role, switch: switch.0, number });
            }
        }
        for &ca_port in &self.ca_ports {
            self.ca_ports_on[ca_port.switch as usize].push(ca_port);
        }
        for ca_ports in &mut self.ca_ports_on {
            ca_ports.sort_by_key(|p| p.number);
        }
    }

    fn group_ports(&mut self, fabric: &Fabric, lids: &Lids) {
        for s in fabric.switches() {
            let own = self.rank[s.ix()];
            let (mut up, mut down, mut sibling) = (Vec::new(), Vec::new(), Vec::new());
            for peer in fabric.ports_of(s).filter_map(|p| fabric.peer(p)).filter(|_| own != UNRANKED) {
                let other = fabric.node_of(peer);
                if !fabric.is_switch(other) {
                    if is_ca(fabric, other) && lids.base(peer) != 0 {
                        down.push((CA, 0));
                    }
                } else if other != s {
                    let cable = (other.0, fabric.number_of(peer));
                    match self.rank[other.ix()].cmp(&own) {
                        Ordering::Less => up.push(cable),
                        Ordering::Equal => sibling.push(cable),
                        Ordering::Greater => down.push(cable),
                    }
                }
            }
            self.up.push(&up);
            self.down.push(&down);
            self.sibling.push(&sibling);
        }
    }

    fn check_depth(&self, fabric: &Fabric) -> Result<(), Refused> {
        let levels = self.leaf_rank + 1;
        let (least, most) = (2, 8);
        if !(least..=most).contains(&levels) {
            return Err(Refused::new(TreeMisfit::DepthUnfit { levels, least, most }));
        }
        for ca_port in self.ca_ports.iter().filter(|p| p.role == Role::Compute) {
            let rank = self.rank[ca_port.switch as usize];
            if rank != self.leaf_rank {
                let port = fabric.port_info(ca_port.port).guid;
                let switch = fabric.node(NodeId(ca_port.switch)).guid;
                let leaf_rank = self.leaf_rank;
                return Err(Refused::new(TreeMisfit::ComputeNodeMisplaced { port, switch, rank, leaf_rank }));
            }
        }
        Ok(())
    }

    /// The compute nodes on a switch, by its ports.
    pub fn compute_nodes(&self, switch: u32) -> impl Iterator<Item = &CaPort> {
        self.ca_ports_on[switch as usize].iter().filter(|p| p.role == Role::Compute)
    }

    /// Whether compute nodes hang on a switch.
    pub fn is_leaf(&self, switch: u32) -> bool {
        self.compute_nodes(switch).next().is_some()
    }

    /// Whether adapters hang on a switch.
    #[inline]
    pub fn has_cas(&self, switch: u32) -> bool {
        !self.ca_ports_on[switch as usize].is_empty()
    }

    /// The largest number of compute nodes on a leaf switch (`max_cn`).
    pub fn most_compute_nodes(&self) -> usize {
        self.leaves.iter().map(|&s| self.compute_nodes(s).count()).max().unwrap_or(0)
    }
}

/// Refuses what OpenSM refuses before it ranks: too few switches or adapters, adapters cabled back to back.
fn check_population(fabric: &Fabric, subnet: &TreeSubnet) -> Result<(), Refused> {
    let refused = |reason| Err(Refused::new(reason));
    let cabled = |s: &&NodeId| fabric.ports_of(**s).any(|p| fabric.peer(p).is_some());
    let switches = subnet.switches.iter().filter(cabled).count();
    if switches < 2 {
        return refused(TreeMisfit::SwitchesFew { switches });
    }
    let nodes = switches + subnet.end_nodes.len();
    if subnet.end_nodes.len() < 2 {
        return refused(TreeMisfit::NodesFew { nodes, switches });
    }
    let cas: Vec<NodeId> = subnet.end_nodes.iter().copied().filter(|&n| is_ca(fabric, n)).collect();
    if cas.len() < 2 {
        return refused(TreeMisfit::AdaptersFew { adapters: cas.len() });
    }
    for &ca in &cas {
        let mut peers = fabric.ports_of(ca).filter_map(|p| fabric.peer(p)).map(|q| fabric.node_of(q));
        if let Some(other) = peers.find(|&n| is_ca(fabric, n)) {
            let adapters = [ca, other].map(|n| fabric.node(n).guid);
            return refused(TreeMisfit::AdaptersJoined { adapters });
        }
    }
    Ok(())
}

/// Tests whether the switches of each rank are alike: as many port groups up and down, of as many cables. The first
/// of each rank in OpenSM's order is the reference.
///
/// # Errors
/// With the two switches that differ, and in what.
pub(super) fn check_regularity(tree: &RankedTree, fabric: &Fabric) -> Result<(), Refused> {
    let mut first_of_rank: Vec<Option<u32>> = vec![None; tree.rank.len()];
    for &s in &tree.order {
        let rank = tree.rank[s as usize];
        let reference = *first_of_rank[rank as usize].get_or_insert(s);
        let compare = |count: SwitchCount, of_reference: usize, own: usize| {
            if own == of_reference {
                return Ok(());
            }
            let switches = [reference, s].map(|s| fabric.node(NodeId(s)).guid);
            let numbers = [of_reference, own];
            Err(Refused::new(TreeMisfit::SwitchesDiffer { count, switches, numbers }))
        };
        let [up, own_up] = [reference, s].map(|s| tree.up.of(s));
        let [down, own_down] = [reference, s].map(|s| tree.down.of(s));
        let usual = up.first().map_or(0, |g| usize::from(g.size));
        compare(SwitchCount::UpwardGroups, up.len(), own_up.len())?;
        if rank != tree.leaf_rank {
            compare(SwitchCount::DownwardGroups, down.len(), own_down.len())?;
        }
        for group in own_up.iter().filter(|_| s != reference) {
            compare(SwitchCount::UpwardPorts, usual, group.size.into())?;
        }
        if rank != tree.leaf_rank {
            let [size, own] = [down, own_down].map(|groups| groups.first().map_or(0, |g| g.size.into()));
            compare(SwitchCount::DownwardPorts, size, own)?;
        }
    }
    Ok(())
}

/// The lists of compute and I/O ports, sorted.
struct NodeLists {
    compute: Option<Vec<Guid>>,
    io: Option<Vec<Guid>>,
}

impl NodeLists {
    fn of(options: &Options) -> Result<Self, Refused> {
        let sorted = |guids: &Option<Vec<Guid>>, nodes: NodeList| match guids.clone() {
            Some(guids) if guids.is_empty() => Err(Refused::new(TreeMisfit::GuidsAbsent { nodes })),
            Some(mut guids) => {
                guids.sort_unstable();
                Ok(Some(guids))
            }
            None => Ok(None),
        };
        let compute = sorted(&options.cn, NodeList::ComputeNodes)?;
        Ok(Self { compute, io: sorted(&options.io, NodeList::IoNodes)? })
    }

    fn role(&self, port: Guid) -> Role {
        let listed = |list: &Option<Vec<Guid>>| list.as_ref().map(|l| l.binary_search(&port).is_ok());
        match (listed(&self.compute), listed(&self.io)) {
            (Some(true), _) | (None, None | Some(false)) => Role::Compute,
            (_, Some(true)) => Role::Io,
            (Some(false), _) => Role::Plain,
        }
    }
}
