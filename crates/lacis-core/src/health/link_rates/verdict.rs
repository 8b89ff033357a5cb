//! A link, and what is found of it.

use crate::fabric::{NodeId, PortId, Rate};
use crate::health::facts::{Basis, Likeness};

type Cable = (PortId, PortId);

/// A cable whose rate is known.
#[derive(Clone, Copy)]
pub(super) struct Link {
    pub cable: Cable,
    pub rate: Rate,
    /// The end node, for the link of one.
    pub end: Option<NodeId>,
}

/// What is known of a link that is below what it could be.
#[derive(Clone, Copy)]
pub(super) struct Fault {
    pub link: Link,
    pub expected: Rate,
    pub basis: Basis,
    pub at_usual: usize,
    pub of_kind: usize,
}

/// What a link is found to be.
pub(super) enum Verdict {
    AsExpected,
    Below(Fault),
    BuiltSo { like: Likeness, name: String, node: NodeId, expected: Rate },
}
