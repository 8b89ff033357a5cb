//! Fabrics of groups: Dragonfly+ and dragonfly, recognised from cables alone.
//!
//! * A **Dragonfly+** (A. Shpiner et al., "Dragonfly+: Low Cost Topology for Scaling Datacenters", HiPINEB 2017) has groups of
//!   leaves and spines. In a group every leaf has a cable, or several, to every spine; hosts are on leaves; *global* cables
//!   join spines of different groups, and each two groups by one at least.
//! * A **dragonfly** (J. Kim et al., ISCA 2008) has groups in which every switch has a cable to every other, hosts on all of
//!   them, and global cables between any switches of different groups.
//!
//! Names, port numbers and the number of hosts on a switch say nothing here. What a site declares does: a declared leaf is no
//! spine, a declared spine is no leaf, and a plane with a declared core or root has no groups.

mod plain;
mod plus;
mod quotient;
#[cfg(test)]
mod tests;
mod twins;

use super::{Bundles, Declared, Fabric, NodeId, NodeKind, PortId, planes};

/// How the switches of a group stand to each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum GroupKind {
    /// Every switch to every other.
    Dragonfly,
    /// Every leaf to every spine.
    DragonflyPlus,
}

impl GroupKind {
    /// `dragonfly` or `dragonfly+`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Dragonfly => "dragonfly",
            Self::DragonflyPlus => "dragonfly+",
        }
    }
}

/// One group.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SwitchGroup {
    /// Its leaves, in node order; of a dragonfly all of its switches.
    pub leaves: Vec<NodeId>,
    /// Its spines, in node order; of a dragonfly none.
    pub spines: Vec<NodeId>,
}

/// The groups of a plane.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Groups {
    /// How their switches stand to each other.
    pub kind: GroupKind,
    /// Each group, in order of its first switch.
    pub groups: Vec<SwitchGroup>,
    /// Switches of the plane that are in none, such as one that hangs on a leaf.
    pub outside: Vec<NodeId>,
}

impl Groups {
    /// The groups of each plane that has any.
    pub fn of(fabric: &Fabric) -> Vec<Self> {
        let cabling = Cabling::of(fabric);
        let planes = cabling.planes(fabric);
        planes.iter().filter_map(|plane| cabling.plus(plane).or_else(|| cabling.plain(plane))).collect()
    }

    /// The groups of each plane that is a Dragonfly+.
    pub fn plus_of(fabric: &Fabric) -> Vec<Self> {
        let cabling = Cabling::of(fabric);
        cabling.planes(fabric).iter().filter_map(|plane| cabling.plus(plane)).collect()
    }

    /// A number for each switch: that of its group, or none.
    pub fn group_of(&self, num_switches: usize) -> Vec<Option<u32>> {
        let mut group_of = vec![None; num_switches];
        for (number, group) in (0..).zip(&self.groups) {
            for switch in group.leaves.iter().chain(&group.spines) {
                group_of[switch.ix()] = Some(number);
            }
        }
        group_of
    }

    /// Puts groups in order of their first switch, and switches in node order.
    fn in_order(mut self) -> Self {
        for group in &mut self.groups {
            group.leaves.sort_unstable();
            group.spines.sort_unstable();
        }
        self.groups.sort_by_key(|group| group.leaves.first().copied().min(group.spines.first().copied()));
        self.outside.sort_unstable();
        self
    }
}

/// What recognition reads: the cables between switches, the hosts on them, and what a site declares.
struct Cabling {
    bundles: Bundles,
    /// Host adapters' cables, by switch.
    hosts: Vec<u32>,
    declared: Vec<Option<Declared>>,
}

impl Cabling {
    fn of(fabric: &Fabric) -> Self {
        let is_host = |&p: &PortId| fabric.node(fabric.node_of(p)).kind == NodeKind::Adapter;
        let hosts = |s| fabric.ports_of(s).filter_map(|p| fabric.peer(p)).filter(is_host).count() as u32;
        Self {
            bundles: Bundles::of(fabric),
            hosts: fabric.switches().map(hosts).collect(),
            declared: fabric.switches().map(|s| fabric.node(s).declared).collect(),
        }
    }

    /// The switches of each plane that has hosts and no declared root or core.
    fn planes(&self, fabric: &Fabric) -> Vec<Vec<u32>> {
        let planes = planes(fabric);
        let mut members: Vec<Vec<u32>> = vec![Vec::new(); planes.count()];
        for switch in fabric.switches() {
            members[planes.of(switch) as usize].push(switch.0);
        }
        let is_top = |&s: &u32| matches!(self.declared[s as usize], Some(Declared::Root | Declared::Core));
        members
            .retain(|plane| plane.iter().any(|&s| self.hosts[s as usize] > 0) && !plane.iter().any(is_top));
        members
    }

    /// Other switches that a switch has cables to, and how many.
    fn next(&self, s: u32) -> impl Iterator<Item = (u32, u32)> + '_ {
        self.bundles.of_switch(s).iter().copied().filter(move |&(t, _)| t != s)
    }

    /// How many other switches a switch has cables to.
    fn degree(&self, s: u32) -> usize {
        self.next(s).count()
    }
}
