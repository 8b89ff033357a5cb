//! What is known of one node.

use super::declared::Declared;
use super::ids::Guid;
use super::kind::NodeKind;

/// A switch or an end node.
#[derive(Clone, Debug, PartialEq)]
pub struct Node {
    /// What it is.
    pub kind: NodeKind,
    /// Node GUID.
    pub guid: Guid,
    /// System image GUID: equal on all chips of one chassis or adapter card.
    pub system_guid: Guid,
    /// The identifier that the source used (`S-…`, `H-…`), unique within a fabric.
    pub id: Box<str>,
    /// Node description, as read.
    pub description: Box<str>,
    /// IEEE vendor id; 0 where unknown.
    pub vendor: u32,
    /// Device id; 0 where unknown.
    pub device: u32,
    /// Switches: whether port 0 is an enhanced port 0.
    pub enhanced_port0: bool,
    /// Position in a chassis, where the source gives it (`ibnetdiscover -g`).
    pub chassis: Option<Chassis>,
    /// What the site declares it to be.
    pub declared: Option<Declared>,
}

/// Where in a chassis a node sits.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Chassis {
    /// Number that the source gave the chassis, from 1.
    pub number: u32,
    /// Position, as read: `Spine 3 Chip 1`.
    pub position: Box<str>,
}
