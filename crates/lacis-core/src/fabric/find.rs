//! Finding the node that a person names.

use super::{Fabric, Guid, NodeId, PortId};
use crate::nearest::nearest;

/// A name that means no node, or several.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NotFound {
    /// No node has this identifier, description or GUID.
    #[error("no node is called \"{name}\"{}", hint(.near))]
    Unknown {
        /// The name.
        name: String,
        /// The nearest names that exist.
        near: Vec<String>,
    },
    /// Several nodes have this description.
    #[error("{count} nodes are called \"{name}\"; give the identifier or the GUID of one, as {example}")]
    Ambiguous {
        /// The name.
        name: String,
        /// How many have it.
        count: usize,
        /// Identifier of one of them.
        example: String,
    },
}

fn hint(near: &[String]) -> String {
    let quoted: Vec<String> = near.iter().map(|n| format!("\"{n}\"")).collect();
    if quoted.is_empty() { String::new() } else { format!("; did you mean {}?", quoted.join(" or ")) }
}

impl Fabric {
    /// Whether a node or one of its ports has a GUID; 0 is none.
    pub fn has_guid(&self, node: NodeId, guid: Guid) -> bool {
        let is_port = || self.ports_of(node).any(|port| self.port_info(port).guid == guid);
        guid != Guid::NONE && (self.node(node).guid == guid || is_port())
    }

    /// The node with an identifier (`H-…`, `S-…`), a GUID (`0x…`, of the node or of one of its
    /// ports) or a description.
    ///
    /// # Errors
    /// When there is none, or more than one has the description.
    pub fn find_node(&self, name: &str) -> Result<NodeId, NotFound> {
        if let Some((id, _)) = self.nodes().find(|(_, n)| &*n.id == name) {
            return Ok(id);
        }
        if let Some(guid) = name.starts_with("0x").then(|| name.parse::<Guid>().ok()).flatten()
            && let Some((id, _)) = self.nodes().find(|&(id, _)| self.has_guid(id, guid))
        {
            return Ok(id);
        }
        let mut called = self.nodes().filter(|(_, n)| &*n.description == name);
        match (called.next(), called.count()) {
            (Some((id, _)), 0) => Ok(id),
            (Some((_, node)), more) => {
                Err(NotFound::Ambiguous { name: name.into(), count: more + 1, example: node.id.to_string() })
            }
            (None, _) => {
                let known = self.nodes().flat_map(|(_, n)| [&*n.description, &*n.id]);
                let near = nearest(name, known, 3).into_iter().map(Into::into).collect();
                Err(NotFound::Unknown { name: name.into(), near })
            }
        }
    }

    /// The port by which a node takes part in its subnet: port 0 of a switch, the first cabled port
    /// of an end node (the first one where none is).
    pub fn main_port(&self, node: NodeId) -> PortId {
        if self.is_switch(node) {
            return self.port0(node);
        }
        let mut ports = self.ports_of(node);
        let first = self.port(node, 1).unwrap_or(self.port0(node));
        ports.find(|&p| self.peer(p).is_some()).unwrap_or(first)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::generate::generate;

    #[test]
    fn a_node_is_found_by_identifier_guid_and_description_and_missed_with_a_hint() {
        let fabric = generate("fat-tree:4,2").unwrap();
        for (id, node) in fabric.nodes() {
            for name in [node.id.to_string(), node.guid.to_string(), node.description.to_string()] {
                assert_eq!(fabric.find_node(&name), Ok(id), "{name}");
            }
        }
        let port = fabric.main_port(fabric.end_nodes().next().unwrap());
        assert_eq!(fabric.find_node(&fabric.port_info(port).guid.to_string()), Ok(fabric.node_of(port)));
        let known = fabric.node(NodeId(0)).description.to_string();
        let near_miss = format!("{known}x");
        assert!(fabric.find_node(&near_miss).unwrap_err().to_string().contains(&known));
        assert!(matches!(fabric.find_node(""), Err(NotFound::Unknown { near, .. }) if near.is_empty()));
        // Ports of switches have no GUID of their own.
        assert!(matches!(fabric.find_node("0x0"), Err(NotFound::Unknown { .. })));
    }

    #[test]
    fn a_description_that_several_nodes_have_is_refused() {
        let mut fabric = generate("fat-tree:4,1").unwrap();
        for node in fabric.end_nodes() {
            fabric.nodes[node.ix()].description = "ubuntu".into();
        }
        let error = fabric.find_node("ubuntu").unwrap_err();
        assert!(matches!(error, NotFound::Ambiguous { count: 4, .. }), "{error}");
    }
}
