//! The tree as ranked: what hangs on each switch, and which way its cables lead.

use std::cmp::Ordering;

use super::index::{self, Leaves};
use super::port_groups::{ADAPTER, Bundles};
use super::rank::{self, UNRANKED};
use super::subnets::Part;
use crate::fabric::{Fabric, Guid, NodeId, PortId};
use crate::routing::{Options, Refused};
use crate::sm::lids::Lids;

/// What an adapter's port is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Role {
    /// A compute node: traffic to it is balanced first.
    Compute,
    /// An I/O node: paths to it may turn up again.
    Io,
    /// Neither.
    Plain,
}

/// An adapter's port on a switch.
#[derive(Clone, Copy, Debug)]
pub(super) struct End {
    /// The adapter's port.
    pub(super) port: PortId,
    /// Its LID.
    pub(super) lid: u32,
    /// The switch.
    pub(super) home: u32,
    /// The port number at the switch.
    pub(super) number: u8,
    /// What it is for.
    pub(super) role: Role,
}

/// A ranked and indexed fat tree. Switches are named by their [`NodeId`].
pub(super) struct Tree {
    /// All switches, in OpenSM's order.
    pub(super) order: Vec<u32>,
    /// Rank by switch, [`UNRANKED`] for those left out.
    pub(super) rank: Vec<u32>,
    /// The rank at which compute nodes hang.
    pub(super) leaf_rank: u32,
    /// Adapter ports by switch, ascending by the switch's port.
    pub(super) ends: Vec<Vec<End>>,
    /// Adapter ports that are no compute nodes, by OpenSM's order of nodes.
    pub(super) others: Vec<End>,
    /// Cables to switches of smaller rank.
    pub(super) up: Bundles,
    /// Cables to switches of larger rank and to adapters.
    pub(super) down: Bundles,
    /// Cables to switches of the same rank.
    pub(super) level: Bundles,
    /// Index by switch, to be compared as a number: its bytes from the most significant.
    pub(super) tuple: Vec<u64>,
    /// The leaf switches in the order of their indices.
    pub(super) leaves: Leaves,
}

impl Tree {
    /// Ranks, sorts and indexes one part of a fabric.
    ///
    /// # Errors
    /// Whenever OpenSM's `ftree` refuses, with the reason that it logs.
    pub(super) fn of(
        fabric: &Fabric,
        lids: &Lids,
        options: &Options,
        part: Part<'_>,
    ) -> Result<Self, Refused> {
        let mut adapters = rank::end_nodes(fabric, part);
        rank::check_population(fabric, lids, part, &adapters)?;
        adapters.retain(|&n| rank::is_adapter(fabric, n));
        let roles = Roles::of(options)?;
        let ranks = rank::rank(fabric, part, &adapters, options.roots.as_deref())?;
        let order: Vec<u32> = fabric.switches_in_opensm_order().into_iter().map(|s| s.0).collect();
        let mut tree = Self {
            order,
            rank: ranks.of_switch,
            leaf_rank: ranks.max,
            ends: vec![Vec::new(); fabric.num_switches()],
            others: Vec::new(),
            up: Bundles::default(),
            down: Bundles::default(),
            level: Bundles::default(),
            tuple: Vec::new(),
            leaves: Leaves::default(),
        };
        let computes = tree.hang_adapters(fabric, lids, &adapters, &roles);
        tree.bundle_cables(fabric);
        let first = computes.first().ok_or_else(|| Refused::new("Fabric has no valid compute nodes"))?;
        if options.roots.is_some() {
            tree.leaf_rank = tree.rank[first.home as usize];
        }
        tree.check_depth(fabric, &computes)?;
        index::index(&mut tree, options.quasi_ftree);
        tree.leaves = index::leaves(&tree)?;
        if options.roots.is_none() {
            index::check_regularity(&tree, fabric)?;
        }
        Ok(tree)
    }

    /// Collects the adapters' ports; returns the compute nodes in OpenSM's order of nodes.
    fn hang_adapters(
        &mut self,
        fabric: &Fabric,
        lids: &Lids,
        adapters: &[NodeId],
        roles: &Roles,
    ) -> Vec<End> {
        let mut computes = Vec::new();
        for port in adapters.iter().flat_map(|&n| fabric.ports_of(n)) {
            let Some(peer) = fabric.peer(port) else { continue };
            let home = fabric.node_of(peer);
            let lid = lids.base(port);
            if lid == 0 || !fabric.is_switch(home) || self.rank[home.ix()] == UNRANKED {
                continue;
            }
            let role = roles.of_port(fabric.port_info(port).guid);
            let end = End { port, lid, home: home.0, number: fabric.number_of(peer), role };
            self.ends[home.ix()].push(end);
            if role == Role::Compute {
                computes.push(end);
            } else {
                self.others.push(end);
            }
        }
        for ends in &mut self.ends {
            ends.sort_by_key(|e| e.number);
        }
        computes
    }

    fn bundle_cables(&mut self, fabric: &Fabric) {
        let (mut up, mut down, mut level) = (Vec::new(), Vec::new(), Vec::new());
        for s in fabric.switches() {
            up.clear();
            down.clear();
            level.clear();
            let mut ends = self.ends[s.ix()].iter().map(|e| e.number).peekable();
            for port in fabric.ports_of(s) {
                let number = fabric.number_of(port);
                if ends.next_if_eq(&number).is_some() {
                    down.push((ADAPTER, 0));
                    continue;
                }
                let Some(peer) = fabric.peer(port) else { continue };
                let other = fabric.node_of(peer);
                let own = self.rank[s.ix()];
                // OpenSM ignores a cable from a switch to itself.
                if own == UNRANKED || other == s || !fabric.is_switch(other) {
                    continue;
                }
                let cable = (other.0, fabric.number_of(peer));
                match self.rank[other.ix()].cmp(&own) {
                    Ordering::Less => up.push(cable),
                    Ordering::Equal => level.push(cable),
                    Ordering::Greater => down.push(cable),
                }
            }
            self.up.push(&up);
            self.down.push(&down);
            self.level.push(&level);
        }
    }

    fn check_depth(&self, fabric: &Fabric, computes: &[End]) -> Result<(), Refused> {
        const LEVELS: std::ops::RangeInclusive<u32> = 2..=8;
        let levels = self.leaf_rank + 1;
        if !LEVELS.contains(&levels) {
            let (least, most) = (LEVELS.start(), LEVELS.end());
            let reason = format!("Fabric rank is {levels} (should be between {least} and {most})");
            return Err(Refused::new(reason));
        }
        for end in computes {
            let rank = self.rank[end.home as usize];
            if rank != self.leaf_rank {
                let (port, switch) = (fabric.port_info(end.port).guid, fabric.node(NodeId(end.home)).guid);
                return Err(Refused::new(format!(
                    "CN port {port} is connected to switch {switch} with rank {rank}, \
                     while FatTree leaf rank is {}",
                    self.leaf_rank
                )));
            }
        }
        Ok(())
    }

    /// Number of compute nodes on a switch.
    pub(super) fn num_compute(&self, switch: u32) -> usize {
        self.computes(switch).count()
    }

    /// The compute nodes on a switch, by its ports.
    pub(super) fn computes(&self, switch: u32) -> impl Iterator<Item = &End> {
        self.ends[switch as usize].iter().filter(|e| e.role == Role::Compute)
    }

    /// Whether compute nodes hang on a switch.
    pub(super) fn is_leaf(&self, switch: u32) -> bool {
        self.computes(switch).next().is_some()
    }
}

/// The lists of compute and I/O ports, sorted.
struct Roles {
    compute: Option<Vec<Guid>>,
    io: Option<Vec<Guid>>,
}

impl Roles {
    fn of(options: &Options) -> Result<Self, Refused> {
        let sorted = |list: &Option<Vec<Guid>>, what: &str| match list.clone() {
            Some(guids) if guids.is_empty() => Err(Refused::new(format!("{what} file has no valid guids"))),
            Some(mut guids) => {
                guids.sort_unstable();
                Ok(Some(guids))
            }
            None => Ok(None),
        };
        let compute = sorted(&options.cn, "Compute node guids")?;
        Ok(Self { compute, io: sorted(&options.io, "I/O node guids")? })
    }

    fn of_port(&self, port: Guid) -> Role {
        let listed = |list: &Option<Vec<Guid>>| list.as_ref().map(|l| l.binary_search(&port).is_ok());
        match (listed(&self.compute), listed(&self.io)) {
            (Some(true), _) | (None, None | Some(false)) => Role::Compute,
            (_, Some(true)) => Role::Io,
            (Some(false), _) => Role::Plain,
        }
    }
}
