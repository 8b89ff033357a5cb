//! Names of cables and nodes that selectors accept.

use std::collections::BTreeMap;

use crate::fabric::{Fabric, NodeId, PortId, short};

/// Names of nodes, cables and ports: descriptions as people use them, and identifiers where several
/// nodes have the same.
#[derive(Clone, Debug)]
pub struct Names<'a> {
    fabric: &'a Fabric,
    count: BTreeMap<&'a str, u32>,
}

impl<'a> Names<'a> {
    /// The names in a fabric.
    pub fn of(fabric: &'a Fabric) -> Self {
        let mut count = BTreeMap::new();
        for (_, node) in fabric.nodes() {
            *count.entry(short(&node.description)).or_default() += 1;
        }
        Self { fabric, count }
    }

    /// A node's name.
    pub fn node(&self, node: NodeId) -> &'a str {
        let node = self.fabric.node(node);
        let name = short(&node.description);
        if name.is_empty() || self.count.get(name) != Some(&1) { &node.id } else { name }
    }

    /// A port's name: `leaf-03[19]`.
    pub fn port(&self, port: PortId) -> String {
        format!("{}[{}]", self.node(self.fabric.node_of(port)), self.fabric.number_of(port))
    }

    /// A cable's name: `leaf-03[19]--spine-02[3]`.
    pub fn cable(&self, (a, b): (PortId, PortId)) -> String {
        format!("{}--{}", self.port(a), self.port(b))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fabric::Node;
    use crate::generate::{Elements, elements, generate};

    #[test]
    fn a_name_selects_its_node_or_cable() {
        let count = |node: &Node| -> Option<Box<str>> {
            match &*node.description {
                "spine-01" => Some("MF0;core-01:MQM9700/U1".into()),
                "leaf-01" | "leaf-02" => Some("MF0;leaf:MQM9700/U1".into()),
                "leaf-03" => Some("".into()),
                _ => None,
            }
        };
        let f = generate("fat-tree:4,2").unwrap().renamed(count);
        let names = Names::of(&f);
        for (node, _) in f.nodes() {
            assert_eq!(elements(&f, names.node(node)).unwrap(), Elements::Nodes(vec![node]));
        }
        for (a, b) in f.cables() {
            assert_eq!(elements(&f, &names.cable((a, b))).unwrap(), Elements::Cables(vec![a]));
        }
        // The switches come first: four leaves, two spines.
        assert_eq!(names.node(NodeId(4)), "core-01");
        assert_eq!(names.node(NodeId(0)), &*f.node(NodeId(0)).id);
    }
}
