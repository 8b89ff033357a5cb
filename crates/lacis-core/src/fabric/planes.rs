//! Planes: the connected components of a fabric.

use super::{Fabric, NodeId};

/// Which plane each node is in. Planes are numbered by their lowest node.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Planes {
    of: Vec<u32>,
    count: usize,
}

impl Planes {
    /// Number of planes. A node without a cable is a plane.
    pub fn count(&self) -> usize {
        self.count
    }

    /// The plane of a node, from 0.
    pub fn of(&self, node: NodeId) -> u32 {
        self.of[node.ix()]
    }

    /// [`Planes::of`] by node; shape `(nodes,)`.
    pub fn raw(&self) -> &[u32] {
        &self.of
    }
}

/// The planes of a fabric.
pub fn planes(fabric: &Fabric) -> Planes {
    const NONE: u32 = u32::MAX;
    let mut of = vec![NONE; fabric.num_nodes()];
    let mut count = 0;
    let mut open = Vec::new();
    for (start, _) in fabric.nodes() {
        if of[start.ix()] != NONE {
            continue;
        }
        of[start.ix()] = count;
        open.push(start);
        while let Some(node) = open.pop() {
            for peer in fabric.ports_of(node).filter_map(|p| fabric.peer(p)) {
                let next = fabric.node_of(peer);
                if of[next.ix()] == NONE {
                    of[next.ix()] = count;
                    open.push(next);
                }
            }
        }
        count += 1;
    }
    Planes { of, count: count as usize }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::generate::{generate, without};

    #[test]
    fn rails_are_planes_and_cut_off_nodes_their_own() {
        let f = generate("fat-tree:4,2:rails=2").unwrap();
        // Switches 0–5 and hosts 12–19 are rail 1, switches 6–11 and hosts 20–27 rail 2.
        let found = planes(&f);
        assert_eq!(found.count(), 2);
        let expected = [(0, 6), (1, 6), (0, 8), (1, 8)].map(|(plane, n)| vec![plane; n]).concat();
        assert_eq!(found.raw(), expected);
        let f = without(&f, &["rail1-leaf-01[1]", "rail2-leaf-0?"]).unwrap();
        // One host of rail 1; of rail 2 both spines and all 8 hosts.
        assert_eq!(planes(&f).count(), 1 + 1 + 2 + 8);
    }
}
