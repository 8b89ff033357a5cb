//! Why a fabric cannot be changed as asked.

use crate::fabric::{BuildError, Fabric, NodeId};

/// Why a fabric cannot be changed as asked.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum EditError {
    /// The selector is malformed.
    #[error("selector {selector}: expected {expected}")]
    Syntax {
        /// The selector.
        selector: Box<str>,
        /// What would have been right.
        expected: Box<str>,
    },
    /// No node has that name.
    #[error("selector {selector}: no node is called {name}{}", near(nearest))]
    NoNode {
        /// The selector.
        selector: Box<str>,
        /// The name in it that names nothing.
        name: Box<str>,
        /// Names near it.
        nearest: Vec<Box<str>>,
    },
    /// One node is needed, and several have that name.
    #[error("selector {selector}: {count} nodes are called {name}, expected one ({})", such(*.count, .ids))]
    Ambiguous {
        /// The selector.
        selector: Box<str>,
        /// The name in it.
        name: Box<str>,
        /// How many nodes it names.
        count: usize,
        /// Identifiers of the first of them.
        ids: Vec<Box<str>>,
    },
    /// Fewer nodes or cables than asked for, perhaps none.
    #[error("selector {selector}: {there} {what} there, not {wanted}")]
    TooFew {
        /// The selector.
        selector: Box<str>,
        /// Which nodes or cables.
        what: Box<str>,
        /// How many there are.
        there: usize,
        /// How many were asked for.
        wanted: usize,
    },
    /// A cable that is not there.
    #[error("selector {selector}: no such cable is there{}", instead(near))]
    NoCable {
        /// The selector.
        selector: Box<str>,
        /// Cables that exist.
        near: Vec<Box<str>>,
    },
    /// An addition that the fabric has no room for.
    #[error("selector {selector}: {source}")]
    NoRoom {
        /// The selector.
        selector: Box<str>,
        /// Why.
        source: BuildError,
    },
}

fn such(count: usize, ids: &[Box<str>]) -> String {
    let more = if count > ids.len() { ", …" } else { "" };
    format!("{}{more}", ids.join(", "))
}

fn instead(near: &[Box<str>]) -> String {
    if near.is_empty() { String::new() } else { format!(" (there are {})", near.join(", ")) }
}

fn near(nearest: &[Box<str>]) -> String {
    if nearest.is_empty() { String::new() } else { format!(" (nearest: {})", nearest.join(", ")) }
}

impl EditError {
    pub(super) fn syntax(selector: &str, expected: &str) -> Self {
        Self::Syntax { selector: selector.into(), expected: expected.into() }
    }

    /// Several nodes, but one is needed.
    pub(super) fn ambiguous(selector: &str, name: &str, fabric: &Fabric, nodes: &[NodeId]) -> Self {
        let ids = nodes.iter().take(3).map(|&n| fabric.node(n).id.clone()).collect();
        Self::Ambiguous { selector: selector.into(), name: name.into(), count: nodes.len(), ids }
    }

    pub(super) fn too_few(selector: &str, what: impl Into<Box<str>>, there: usize, wanted: usize) -> Self {
        Self::TooFew { selector: selector.into(), what: what.into(), there, wanted }
    }
}
