//! Where in a fabric a fact is: nodes and ports, which keep their names and GUIDs when the fabric is gone.

use serde::Serialize;

use crate::fabric::Guid;

/// A location in the fabric: a node, or one port of it.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct Location {
    /// Readable name of the node.
    pub node: String,
    /// Its GUID; none where the node itself is absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub guid: Option<Guid>,
    /// Port number, where the location is a port.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub port: Option<u8>,
    /// Its probable name, if its position shows it and its description does not.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub likely: Option<String>,
}

impl Location {
    /// A node that is expected but absent.
    pub fn absent(name: &str) -> Self {
        Self { node: name.into(), guid: None, port: None, likely: None }
    }
}

impl std::fmt::Display for Location {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.node)?;
        self.port.map_or(Ok(()), |p| write!(f, "[{p}]"))
    }
}

/// A cable by the locations of its two ends.
pub type Cable = [Location; 2];
