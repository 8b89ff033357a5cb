//! Hosts and their rails, found from descriptions and cabling.
//!
//! This is the one definition of a host, for every command: the adapters whose descriptions name it, and those that cards,
//! cabling and numbering imply to be its ([`super::owners`]), each marked as which it is. An adapter whose host nothing
//! shows is no host: it is unknown whose it is, and takes part in traffic by itself.
//!
//! The adapters of a host are its rails, in natural order of their labels.
//! Which *rail number* an adapter is on is a matter of cabling: hosts that call their four adapters
//! `HCA-1, 2, 5, 6` and hosts that call them `mlx5_0, 1, 4, 5` share the same rails. Hosts with the
//! usual number of adapters vote: each says "my k-th adapter is on this leaf". A leaf whose votes
//! agree belongs to rail k, and so does every adapter on it, named or not. If leaves mix rails, the
//! label decides by the same vote within its series of hosts. Planes of one adapter are on one rail, its
//! ports on one each.

mod find;
mod rails;

use super::host::{GenericName, Host};
use super::owners::Owner;
use crate::fabric::{Fabric, Group, NodeId, NotFound, PortId};

/// All hosts of a fabric, in natural order of their names, and the rail of each adapter.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Hosts {
    /// The hosts.
    pub hosts: Vec<Host>,
    /// Adapters whose description names no host, whichever host they are of.
    pub unnamed: Vec<NodeId>,
    /// Names that installers give, each with its adapters, whichever host they are of.
    pub generic: Vec<GenericName>,
    /// Adapters whose host nothing shows.
    pub unknown: Vec<NodeId>,
    first: usize,
    host_of: Vec<u32>,
    owner: Vec<Owner>,
    label: Vec<Box<str>>,
    rail: Vec<u16>,
    leaf_rail: Vec<u16>,
    number: Vec<u16>,
    plane: Vec<u8>,
    first_port: Vec<u8>,
    card: Vec<u32>,
    planes: Vec<Vec<NodeId>>,
    group: Vec<Group>,
    is_group_assumed: Vec<bool>,
    num_rails: usize,
    ports_per_adapter: usize,
    planes_per_adapter: usize,
}

const NONE: u32 = u32::MAX;
const NO_RAIL: u16 = u16::MAX;

/// The node that a manager runs on: as [`Fabric::find_node`] finds it, or the first cabled adapter of the host of that
/// name.
///
/// # Errors
/// When neither finds one.
pub fn find_manager(fabric: &Fabric, name: &str) -> Result<NodeId, NotFound> {
    let missed = match fabric.find_node(name) {
        Err(missed @ NotFound::Unknown { .. }) => missed,
        found => return found,
    };
    let hosts = Hosts::of(fabric, None).hosts;
    let Some(host) = hosts.iter().find(|host| &*host.name == name) else { return Err(missed) };
    let is_cabled = |&&node: &&NodeId| fabric.ports_of(node).any(|port| fabric.peer(port).is_some());
    host.ends.iter().find(is_cabled).or(host.ends.first()).copied().ok_or(missed)
}

impl Hosts {
    /// Only the hosts of some groups; rails stay those of all.
    #[must_use]
    pub fn only(&self, groups: &[Group]) -> Self {
        let is_in = |&end: &NodeId| groups.contains(&self.group(end));
        let mut out = self.clone();
        out.hosts.retain(|host| host.ends.iter().any(is_in));
        out.unnamed.retain(is_in);
        out.unknown.retain(is_in);
        out.host_of.fill(NONE);
        for (host, index) in out.hosts.iter_mut().zip(0..) {
            host.ends.retain(is_in);
            for end in &host.ends {
                out.host_of[end.ix() - out.first] = index;
            }
        }
        out
    }

    /// What the host of an adapter is for.
    pub fn group(&self, node: NodeId) -> Group {
        node.ix().checked_sub(self.first).and_then(|i| self.group.get(i)).copied().unwrap_or_default()
    }

    /// Whether the host of an adapter counts as compute though nothing shows what it is for.
    pub fn is_group_assumed(&self, node: NodeId) -> bool {
        node.ix().checked_sub(self.first).and_then(|i| self.is_group_assumed.get(i)).copied().unwrap_or(false)
    }

    /// Index in `hosts` of the host that an adapter belongs to.
    pub fn host_of(&self, node: NodeId) -> Option<usize> {
        let host = *self.host_of.get(node.ix().checked_sub(self.first)?)?;
        (host != NONE).then_some(host as usize)
    }

    /// How it is known whose an adapter is.
    pub fn owner(&self, node: NodeId) -> Owner {
        let index = node.ix().checked_sub(self.first);
        index.and_then(|i| self.owner.get(i)).copied().unwrap_or(Owner::Unknown)
    }

    /// The probable name of an adapter whose description names no host, where numbering or cabling shows it.
    pub fn likely(&self, node: NodeId) -> Option<String> {
        let host = self.host_of(node).filter(|_| self.owner(node) == Owner::Inferred)?;
        let (host, label) = (&self.hosts[host], self.label(node));
        let name = if label.is_empty() { host.name.to_string() } else { format!("{} {label}", host.name) };
        (!host.generic).then_some(name)
    }

    /// Adapters whose host is inferred.
    pub fn inferred(&self) -> impl Iterator<Item = NodeId> + '_ {
        let ends = self.hosts.iter().flat_map(|host| &host.ends).copied();
        ends.filter(|&end| self.owner(end) == Owner::Inferred)
    }

    /// Which plane of its adapter an end node is, from 0.
    pub fn plane(&self, node: NodeId) -> usize {
        node.ix().checked_sub(self.first).and_then(|i| self.plane.get(i)).map_or(0, |&n| usize::from(n))
    }

    /// The end nodes that are planes of the adapter that an end node is of; none where that has no planes.
    pub fn planes_of(&self, node: NodeId) -> &[NodeId] {
        self.card_of(node).and_then(|card| self.planes.get(card)).map_or(&[], |set| set)
    }

    /// Whether some end nodes are all planes or ports of one adapter.
    pub fn are_one_adapter(&self, ends: &[NodeId]) -> bool {
        let same =
            |a: NodeId, b: NodeId| a != b && self.card_of(a).is_some() && self.card_of(a) == self.card_of(b);
        ends.windows(2).all(|pair| same(pair[0], pair[1]))
    }

    /// Whether an end node is an adapter by itself, or the first plane or port of one.
    pub fn is_first(&self, node: NodeId) -> bool {
        self.plane(node) == 0 && self.first_port(node) == 0
    }

    /// The index of an end node's first cabled port among those of its adapter.
    pub fn first_port(&self, node: NodeId) -> usize {
        let index = node.ix().checked_sub(self.first);
        index.and_then(|i| self.first_port.get(i)).map_or(0, |&n| usize::from(n))
    }

    /// The adapter that an end node is a plane or a port of, by index; none where it is an adapter by itself.
    fn card_of(&self, node: NodeId) -> Option<usize> {
        let card = *self.card.get(node.ix().checked_sub(self.first)?)?;
        (card != NONE).then_some(card as usize)
    }

    /// The most planes of an adapter; 1 where an adapter is one end node.
    pub fn planes_per_adapter(&self) -> usize {
        self.planes_per_adapter
    }

    /// Label of an adapter (`HCA-1`); where its description has none the one that adapters in its place have, if its host is
    /// known; else empty.
    pub fn label(&self, node: NodeId) -> &str {
        node.ix().checked_sub(self.first).and_then(|i| self.label.get(i)).map_or("", |l| l)
    }

    /// Rail of an adapter, from 0; nothing if neither leaf nor label shows it.
    pub fn rail(&self, node: NodeId) -> Option<usize> {
        let rail = *self.rail.get(node.ix().checked_sub(self.first)?)?;
        (rail != NO_RAIL).then_some(usize::from(rail))
    }

    /// Rail of a cabled adapter port, from 0: an adapter with several cabled ports has a rail for each.
    pub fn rail_of_port(&self, fabric: &Fabric, port: PortId) -> Option<usize> {
        let node = fabric.node_of(port);
        let index = fabric.ports_of(node).filter(|&p| fabric.peer(p).is_some()).position(|p| p == port)?;
        Some(self.rail(node)? * self.ports_per_adapter + self.first_port(node) + index)
    }

    /// The most cabled ports of an adapter.
    pub fn ports_per_adapter(&self) -> usize {
        self.ports_per_adapter
    }

    /// Number of an adapter on its host, from 0: the index of its label among those of usual hosts of its series,
    /// whatever it is cabled to; else its index on its host.
    pub fn number(&self, node: NodeId) -> usize {
        node.ix().checked_sub(self.first).and_then(|i| self.number.get(i)).map_or(0, |&n| usize::from(n))
    }

    /// Rail of a leaf, from 0: that of two thirds of the adapters of usual hosts on it.
    pub fn rail_of_leaf(&self, leaf: NodeId) -> Option<usize> {
        self.leaf_rail.get(leaf.ix()).filter(|&&r| r != NO_RAIL).map(|&r| usize::from(r))
    }

    /// The adapters of each host, and those of unknown hosts one by one.
    pub fn each(&self) -> impl Iterator<Item = &[NodeId]> {
        let hosts = self.hosts.iter().map(|host| &host.ends[..]);
        hosts.chain(self.unknown.chunks(1))
    }

    /// Number of rails: the usual number of adapters of a host.
    pub fn num_rails(&self) -> usize {
        self.num_rails
    }

    /// Readable name of an adapter: host and label, else its description.
    pub fn name(&self, fabric: &Fabric, node: NodeId) -> String {
        match self.host_of(node) {
            Some(h) if self.label(node).is_empty() => self.hosts[h].name.to_string(),
            Some(h) => format!("{} {}", self.hosts[h].name, self.label(node)),
            None => fabric.name(node).into_owned(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::Sketch;
    use super::*;
    use crate::fabric::NodeKind;

    fn hosts(fabric: &Fabric) -> Hosts {
        Hosts::of(fabric, None)
    }

    #[test]
    fn adapters_of_one_host_are_its_rails_whatever_they_are_called() {
        // Two leaves, one a rail. Three hosts call their adapters HCA-2 and HCA-10, three mlx5_0 and
        // mlx5_4; an unnamed adapter hangs off the second leaf.
        let mut s = Sketch::new();
        let leaves = [s.switch("leaf-1", 16), s.switch("leaf-2", 16)];
        for h in 1..=6 {
            let labels = if h <= 3 { ["HCA-2", "HCA-10"] } else { ["mlx5_0", "mlx5_4"] };
            for k in 0..2 {
                let end = s.adapter(&format!("node{h} {}", labels[k]));
                s.cable((end, 1), (leaves[k], h));
            }
        }
        let unnamed = s.adapter("MT4129 ConnectX7   Mellanox Technologies");
        s.cable((unnamed, 1), (leaves[1], 7));
        let f = s.finish();
        let hosts = hosts(&f);
        assert_eq!((hosts.hosts.len(), hosts.num_rails(), hosts.unnamed.len()), (6, 2, 1));
        for host in &hosts.hosts {
            let rails: Vec<_> = host.ends.iter().map(|&e| hosts.rail(e)).collect();
            assert_eq!(rails, [Some(0), Some(1)], "{}", host.name);
        }
        assert_eq!(hosts.label(hosts.hosts[0].ends[0]), "HCA-2");
        assert_eq!(hosts.rail(hosts.unnamed[0]), Some(1));
        assert_eq!(hosts.name(&f, hosts.hosts[5].ends[1]), "node6 mlx5_4");
    }

    #[test]
    fn on_a_leaf_with_both_rails_the_label_decides() {
        let mut s = Sketch::new();
        let leaf = s.switch("leaf-1", 16);
        for h in 0..4 {
            for k in 0..2 {
                let end = s.adapter(&format!("n{h} hfi1_{k}"));
                s.cable((end, 1), (leaf, 1 + 2 * h + k));
            }
        }
        let f = s.finish();
        let hosts = hosts(&f);
        let rails: Vec<_> = hosts.hosts[2].ends.iter().map(|&e| hosts.rail(e)).collect();
        assert_eq!(rails, [Some(0), Some(1)]);
    }

    #[test]
    fn a_host_that_planes_spell_differently_is_one_host() {
        let mut s = Sketch::new();
        let leaves = [s.switch("leaf-1", 16), s.switch("leaf-2", 16)];
        for h in 1..=3 {
            let ends = [s.adapter(&format!("node{h} hfi1_0")), s.adapter(&format!("NODE{h} hfi1_1"))];
            for (end, leaf) in ends.into_iter().zip(leaves) {
                s.cable((end, 1), (leaf, h));
            }
        }
        let hosts = hosts(&s.finish());
        let found: Vec<_> = hosts.hosts.iter().map(|h| (&*h.name, h.ends.len())).collect();
        assert_eq!(found, [("NODE1", 2), ("NODE2", 2), ("NODE3", 2)]);
        assert_eq!(hosts.num_rails(), 2);
    }

    #[test]
    fn a_leaf_without_a_whole_host_is_of_the_rail_of_its_labels() {
        // Hosts 1 to 4 have two rails; 5 and 6 have one on their own leaf, beside an adapter without a name.
        let mut s = Sketch::new();
        let leaves = [s.switch("leaf-1", 16), s.switch("leaf-2", 16), s.switch("leaf-3", 16)];
        for h in 1..=6 {
            for k in 0..2 {
                if h <= 4 || k == 1 {
                    let end = s.adapter(&format!("node{h} HCA-{}", k + 1));
                    s.cable((end, 1), (leaves[if h <= 4 { k } else { 2 }], h));
                }
            }
        }
        let unnamed = s.adapter("MT4129 ConnectX7   Mellanox Technologies");
        s.cable((unnamed, 1), (leaves[2], 7));
        let f = s.finish();
        let hosts = hosts(&f);
        let leaves: Vec<_> = f.switches().map(|l| hosts.rail_of_leaf(l)).collect();
        assert_eq!(leaves, [Some(0), Some(1), Some(1)]);
        assert_eq!(hosts.rail(hosts.unnamed[0]), Some(1));
    }

    #[test]
    fn a_name_map_overrides_descriptions() {
        let mut s = Sketch::new();
        let leaf = s.switch("leaf-1", 4);
        let end = s.adapter("MT4129 ConnectX7   Mellanox Technologies");
        s.cable((end, 1), (leaf, 1));
        let f = s.finish();
        let line = format!("{} \"login1 HCA-1\"\n", f.node(NodeId(1)).guid);
        let (map, _) = crate::io::name_map::read(line.as_bytes()).unwrap();
        let hosts = Hosts::of(&f, Some(&map));
        assert_eq!((&*hosts.hosts[0].name, hosts.rail(NodeId(1))), ("login1", Some(0)));
    }

    #[test]
    fn aggregation_nodes_are_no_hosts() {
        let mut s = Sketch::new();
        let leaf = s.switch("leaf-1", 4);
        let end = s.end_node(NodeKind::Aggregation, "Mellanox Technologies Aggregation Node");
        s.cable((end, 1), (leaf, 1));
        let hosts = hosts(&s.finish());
        assert!(hosts.hosts.is_empty() && hosts.unnamed.is_empty() && hosts.num_rails() == 0);
    }
}
