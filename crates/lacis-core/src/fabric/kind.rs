//! What a node is.

/// What a node is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum NodeKind {
    /// A switch: forwards packets by destination LID.
    Switch,
    /// A host adapter: HCA (InfiniBand) or HFI (Omni-Path).
    Adapter,
    /// A router between subnets; routed to like an adapter.
    Router,
    /// A SHARP aggregation node inside a switch: it has a LID and routes, but no host sends to it.
    Aggregation,
}

impl NodeKind {
    /// The kind of a channel adapter. SHARP aggregation nodes are channel adapters that only their description
    /// distinguishes: `Mellanox Technologies Aggregation Node`, `Quantum Aggregation Node`.
    pub fn of_adapter(description: &str) -> Self {
        const MARK: &[u8] = b"aggregation node";
        let is_aggregation = description.as_bytes().windows(MARK.len()).any(|w| w.eq_ignore_ascii_case(MARK));
        if is_aggregation { Self::Aggregation } else { Self::Adapter }
    }
}
