//! Which node of one fabric is which of another.
//!
//! Nodes are the same by GUID; else by a name that one node of each fabric has; else by position: most of their
//! cables lead to the same ports. A node found by name or position has another GUID.

use std::hash::Hash;

use rustc_hash::FxHashMap;

use super::Unrelated;
use crate::fabric::{Fabric, NodeId, PortId};
use crate::natural::natural;

/// How a node was found in the other fabric.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Match {
    /// The GUID is the same.
    Guid,
    /// The name is, and no other node has it.
    Name,
    /// Its cables lead to the same ports; neither GUID nor name is the same.
    Neighbours,
}

/// A node that changed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NodeChange {
    /// No longer there.
    Gone(NodeId),
    /// Not there before.
    New(NodeId),
    /// Another node has its position.
    Replaced {
        /// In the old fabric.
        old: NodeId,
        /// In the new fabric.
        new: NodeId,
        /// By name or by position.
        by: Match,
        /// Cables that lead to the same ports.
        cables: usize,
    },
    /// The same GUID under another name.
    Renamed(NodeId, NodeId),
    /// The same node with another number of ports.
    Ports(NodeId, NodeId),
}

/// The nodes of two fabrics, matched.
#[derive(Clone, Debug)]
pub struct Matched {
    /// By node of the old fabric.
    pub new_of: Vec<Option<(NodeId, Match)>>,
    /// By node of the new fabric.
    pub old_of: Vec<Option<NodeId>>,
    /// Whether no GUID is in common, so that only names and positions match nodes.
    pub no_guid: bool,
}

impl Matched {
    /// Matches the nodes of two fabrics; `by_name` ignores GUIDs.
    ///
    /// # Errors
    /// When they have neither a GUID nor a name in common.
    pub fn of(old: &Fabric, new: &Fabric, by_name: bool) -> Result<Self, Unrelated> {
        let mut matched =
            Self { new_of: vec![None; old.num_nodes()], old_of: vec![None; new.num_nodes()], no_guid: false };
        let guid = |fabric: &Fabric, n: NodeId| {
            let guid = fabric.node(n).guid;
            (guid.is_some() && !by_name).then_some((fabric.is_switch(n), guid))
        };
        let by_guid = matched.by(old, new, Match::Guid, guid);
        matched.no_guid = by_guid == 0;
        let named = matched.by(old, new, Match::Name, |fabric: &Fabric, n: NodeId| {
            let name = plain_name(fabric, n);
            (!name.is_empty()).then_some((fabric.node(n).kind, name))
        });
        if by_guid + named == 0 {
            return Err(Unrelated);
        }
        // A replaced switch may give away the position of a replaced host, and vice versa.
        while matched.by_neighbours(old, new) > 0 {}
        Ok(matched)
    }

    fn pair(&mut self, old: NodeId, new: NodeId, by: Match) {
        self.new_of[old.ix()] = Some((new, by));
        self.old_of[new.ix()] = Some(old);
    }

    /// Matches nodes with the same key, if no other unmatched node has it. Returns how many.
    fn by<K: Hash + Eq>(
        &mut self,
        old: &Fabric,
        new: &Fabric,
        by: Match,
        key: impl Fn(&Fabric, NodeId) -> Option<K>,
    ) -> usize {
        let unique = |fabric: &Fabric, free: &dyn Fn(NodeId) -> bool| {
            let mut found: FxHashMap<K, Option<NodeId>> = FxHashMap::default();
            for node in fabric.nodes().map(|(n, _)| n).filter(|&n| free(n)) {
                if let Some(key) = key(fabric, node) {
                    found.entry(key).and_modify(|node| *node = None).or_insert(Some(node));
                }
            }
            found
        };
        let ours = unique(old, &|n| self.new_of[n.ix()].is_none());
        let theirs = unique(new, &|n| self.old_of[n.ix()].is_none());
        let mut pairs: Vec<(NodeId, NodeId)> =
            ours.iter().filter_map(|(key, node)| Some(((*node)?, (*theirs.get(key)?)?))).collect();
        pairs.sort_unstable();
        for &(a, b) in &pairs {
            self.pair(a, b, by);
        }
        pairs.len()
    }

    /// Matches nodes if more than half of their cables lead to the same ports. Returns how many.
    fn by_neighbours(&mut self, old: &Fabric, new: &Fabric) -> usize {
        let mut pairs = Vec::new();
        for (node, data) in old.nodes().filter(|(n, _)| self.new_of[n.ix()].is_none()) {
            let far: Vec<PortId> = old.ports_of(node).filter_map(|p| old.peer(p)).collect();
            let mut votes: Vec<NodeId> = far
                .iter()
                .filter_map(|&p| new.peer(self.port(old, new, p)?))
                .map(|p| new.node_of(p))
                .filter(|n| self.old_of[n.ix()].is_none() && new.node(*n).kind == data.kind)
                .collect();
            votes.sort_unstable();
            let best = votes.chunk_by(|a, b| a == b).max_by_key(|run| run.len());
            pairs.extend(best.filter(|run| 2 * run.len() > far.len()).map(|run| (node, run[0])));
        }
        // If two nodes match one, it replaces neither.
        let mut wanted: FxHashMap<NodeId, usize> = FxHashMap::default();
        for pair in &pairs {
            *wanted.entry(pair.1).or_default() += 1;
        }
        pairs.retain(|p| wanted[&p.1] == 1);
        for &(a, b) in &pairs {
            self.pair(a, b, Match::Neighbours);
        }
        pairs.len()
    }

    /// The same port in the new fabric.
    pub(super) fn port(&self, old: &Fabric, new: &Fabric, port: PortId) -> Option<PortId> {
        let node = self.new_of[old.node_of(port).ix()]?.0;
        new.port(node, old.number_of(port))
    }

    /// The nodes that changed: switches first, by name; of one name the old before the new.
    pub(super) fn changes(&self, old: &Fabric, new: &Fabric) -> Vec<NodeChange> {
        let mut changes = Vec::new();
        for (node, data) in old.nodes() {
            let Some((now, by)) = self.new_of[node.ix()] else {
                changes.push(NodeChange::Gone(node));
                continue;
            };
            let other = new.node(now);
            if by != Match::Guid && !self.no_guid {
                let kept = |&p: &PortId| {
                    let far = old.peer(p).and_then(|far| self.port(old, new, far));
                    far.is_some() && far == self.port(old, new, p).and_then(|p| new.peer(p))
                };
                let cables = old.ports_of(node).filter(kept).count();
                changes.push(NodeChange::Replaced { old: node, new: now, by, cables });
            } else if (by == Match::Guid && plain_name(old, node) != plain_name(new, now))
                || (by == Match::Neighbours && data.description != other.description)
            {
                changes.push(NodeChange::Renamed(node, now));
            }
            if old.radix(node) != new.radix(now) {
                changes.push(NodeChange::Ports(node, now));
            }
        }
        let unknown = |n: &NodeId| self.old_of[n.ix()].is_none();
        changes.extend(new.nodes().map(|(n, _)| n).filter(unknown).map(NodeChange::New));
        changes.sort_by(|a, b| {
            let ((ours, x), (theirs, y)) = (a.representative(old, new), b.representative(old, new));
            let kinds = theirs.is_switch(y).cmp(&ours.is_switch(x));
            kinds.then_with(|| natural(&ours.name(x), &theirs.name(y)))
        });
        changes
    }
}

impl NodeChange {
    /// The node that stands for the change, and its fabric: the old one if there is one.
    fn representative<'a>(&self, was: &'a Fabric, is: &'a Fabric) -> (&'a Fabric, NodeId) {
        match *self {
            Self::Gone(old) | Self::Replaced { old, .. } | Self::Renamed(old, _) | Self::Ports(old, _) => {
                (was, old)
            }
            Self::New(new) => (is, new),
        }
    }
}

/// A description with single blanks; the name alone of a managed switch.
fn plain_name(fabric: &Fabric, node: NodeId) -> String {
    let description = &fabric.node(node).description;
    let name = if fabric.is_switch(node) { crate::fabric::short(description) } else { description };
    name.split_whitespace().collect::<Vec<_>>().join(" ")
}
