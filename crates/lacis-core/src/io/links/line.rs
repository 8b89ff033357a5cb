//! A line of a list of links, whatever its grammar.

use crate::fabric::{Guid, NodeKind, PortDetail, Rate};

/// One end of a link.
#[derive(Clone, Copy, Debug)]
pub(super) struct LinkEnd<'a> {
    /// What the node is; none where the list does not say so.
    pub kind: Option<NodeKind>,
    /// Of a switch, or of an end node's port; if the list has it.
    pub guid: Option<Guid>,
    pub lid: u32,
    pub number: u32,
    pub name: &'a str,
}

/// One line of a list.
#[derive(Clone, Copy, Debug)]
pub(super) struct LinkLine<'a> {
    pub at: usize,
    pub text: &'a str,
    pub near: LinkEnd<'a>,
    pub rate: Option<Rate>,
    /// What the list says of the near end's port beyond its rate.
    pub detail: PortDetail,
    /// None without a cable.
    pub far: Option<LinkEnd<'a>>,
}
