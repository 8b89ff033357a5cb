//! The order of leaves in which neighbours stay together.

use super::levels::Levels;
use super::switch_graph::SwitchGraph;
use super::tree::{NO_LEVEL, Tree};
use super::{Fabric, NodeId, PortId};

/// The edge switches of the given ports, neighbours together. In a tree the leaves come first, those of a pod one after the other,
/// whatever ports their cables are plugged into; pods, and the leaves of one, are in the order of the leaves' names. Where names do not
/// tell leaves apart, that on the least port of the switches above comes first where these agree, otherwise the one with the least GUID.
/// Edge switches of higher levels follow.
/// Elsewhere they are in breadth-first order from the edge switch of the first port, a switch's ports in order. Islands
/// follow each other in the order of the ports.
pub fn leaf_order(fabric: &Fabric, ports: &[PortId]) -> Vec<NodeId> {
    Leaves::of(fabric).order(ports)
}

/// What [`leaf_order`] goes by, found once for several lists of ports.
pub(crate) struct Leaves<'a> {
    fabric: &'a Fabric,
    /// The tree and the level of each switch, where there are levels.
    tree: Option<(Tree, Vec<u8>)>,
}

impl<'a> Leaves<'a> {
    /// Finds the tree of a fabric.
    pub fn of(fabric: &'a Fabric) -> Self {
        let tree = Levels::of(fabric).map(|levels| {
            let level: Vec<u8> = fabric.switches().map(|s| levels.level(s).unwrap_or(NO_LEVEL)).collect();
            (Tree::of(fabric, &SwitchGraph::of(fabric), &level), level)
        });
        Self { fabric, tree }
    }

    /// As [`leaf_order`].
    pub fn order(&self, ports: &[PortId]) -> Vec<NodeId> {
        match &self.tree {
            Some((tree, level)) => leaf_order_of(self.fabric, ports, tree, level),
            None => edge_switches(self.fabric, ports, |_| ()),
        }
    }
}

/// The same in a tree that is known, with its levels.
pub(crate) fn leaf_order_of(fabric: &Fabric, ports: &[PortId], tree: &Tree, level: &[u8]) -> Vec<NodeId> {
    edge_switches(fabric, ports, |s| (level[s.ix()], tree.position[s.ix()]))
}

/// The edge switches of some ports, island after island: in breadth-first order, where the key does not say otherwise.
fn edge_switches<K: Ord>(fabric: &Fabric, ports: &[PortId], key: impl Fn(NodeId) -> K) -> Vec<NodeId> {
    let edge_switches: Vec<NodeId> = ports.iter().filter_map(|&p| fabric.edge_switch(p)).collect();
    let mut is_edge = vec![false; fabric.num_switches()];
    for edge_switch in &edge_switches {
        is_edge[edge_switch.ix()] = true;
    }
    let mut seen = vec![false; fabric.num_switches()];
    let mut order = Vec::new();
    for &start in &edge_switches {
        if std::mem::replace(&mut seen[start.ix()], true) {
            continue;
        }
        let first = order.len();
        order.push(start);
        let mut next = first;
        while let Some(&switch) = order.get(next) {
            next += 1;
            for peer in neighbours(fabric, switch) {
                if !std::mem::replace(&mut seen[peer.ix()], true) {
                    order.push(peer);
                }
            }
        }
        order[first..].sort_by_key(|&s| key(s));
    }
    order.retain(|s| is_edge[s.ix()]);
    order
}

/// The switches that a switch is cabled to, by its ports.
fn neighbours(fabric: &Fabric, switch: NodeId) -> impl Iterator<Item = NodeId> {
    let far = fabric.ports_of(switch).filter_map(|p| fabric.peer(p)).map(|q| fabric.node_of(q));
    far.filter(|&n| fabric.is_switch(n))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fabric::Population;
    use crate::generate::{edit, generate};

    #[test]
    fn leaves_without_some_cables_keep_their_order() {
        let fabric = generate("fat-tree:8,3").unwrap();
        let edge_switches = |fabric: &Fabric| leaf_order(fabric, &fabric.end_ports(Population::Hosts));
        // Generated leaves and hosts are numbered pod by pod.
        let whole = edge_switches(&fabric);
        assert!(whole.is_sorted());
        for seed in 1..6 {
            let cut = edit(&fabric, &[&format!("random-cables=5%,seed={seed}")]).unwrap();
            assert_eq!(edge_switches(&cut), whole, "{seed}");
        }
    }
}
