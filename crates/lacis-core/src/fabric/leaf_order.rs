//! The order of leaves in which neighbours stay together.

use std::cmp::Reverse;

use super::levels::Levels;
use super::{Fabric, NodeId, PortId};

/// The edge switches of the given ports, neighbours together. In a tree they are in the order of the ports
/// of the switches above: the leaves under the same spines together, then pod after pod; where spines
/// disagree the median decides, so that a leaf without some of its cables keeps its index. Elsewhere they
/// are in breadth-first order from the edge switch of the first port, a switch's ports in order. Islands
/// follow each other in the order of the ports.
pub fn leaf_order(fabric: &Fabric, ports: &[PortId]) -> Vec<NodeId> {
    let edge_switches: Vec<NodeId> = ports.iter().filter_map(|&p| fabric.edge_switch(p)).collect();
    let paths = Levels::of(fabric).map(|levels| paths(fabric, &levels));
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
            for (_, peer) in cables(fabric, switch) {
                if !std::mem::replace(&mut seen[peer.ix()], true) {
                    order.push(peer);
                }
            }
        }
        if let Some(paths) = &paths {
            order[first..].sort_by_key(|s| &paths[s.ix()]);
        }
    }
    order.retain(|s| is_edge[s.ix()]);
    order
}

/// By switch: the ports that lead down to it from the top, the median of several paths.
fn paths(fabric: &Fabric, levels: &Levels) -> Vec<Vec<u8>> {
    let level = |s: NodeId| levels.level(s).unwrap_or(0);
    let mut descending: Vec<NodeId> = fabric.switches().collect();
    descending.sort_by_key(|&s| Reverse(level(s)));
    let mut paths: Vec<Vec<u8>> = vec![Vec::new(); fabric.num_switches()];
    for s in descending {
        let above = cables(fabric, s).filter(|&(_, up)| level(up) == level(s) + 1);
        let mut above: Vec<(NodeId, u8)> = above.map(|(far, up)| (up, fabric.number_of(far))).collect();
        above.sort_unstable();
        above.dedup_by_key(|&mut (up, _)| up);
        let mut steps: Vec<(&Vec<u8>, u8)> =
            above.into_iter().map(|(up, port)| (&paths[up.ix()], port)).collect();
        steps.sort_unstable();
        if let Some(&(path, port)) = steps.get(steps.len() / 2) {
            paths[s.ix()] = path.iter().copied().chain([port]).collect();
        }
    }
    paths
}

/// The cables from a switch to switches: the far port and its switch.
fn cables(fabric: &Fabric, switch: NodeId) -> impl Iterator<Item = (PortId, NodeId)> {
    let far = fabric.ports_of(switch).filter_map(|p| fabric.peer(p)).map(|q| (q, fabric.node_of(q)));
    far.filter(|&(_, n)| fabric.is_switch(n))
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
