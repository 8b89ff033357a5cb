//! The LIDs that switches have moved.

use rustc_hash::FxHashMap;

use super::groups::ShortestPorts;
use super::omni_path::OmniPath;
use crate::model::packet::network::Network;

/// The ports of LIDs that switches have moved, and when switches move next.
#[derive(Debug)]
pub(in crate::model::packet) struct Moves {
    pub(super) how: OmniPath,
    pub(super) groups: ShortestPorts,
    /// By switch and LID: the port that it was moved to, where that is not the table's.
    pub(super) moved: FxHashMap<(u32, u32), u8>,
    /// When switches adjust next (ps).
    pub(super) next: u64,
    /// By port of a switch: bytes that it had sent at the last adjustment.
    pub(super) sent: Vec<u64>,
    /// Moves so far, and the time of the last (ps).
    pub(super) made: (u64, u64),
}

impl Moves {
    pub(super) fn new(net: &Network<'_>, how: OmniPath) -> Self {
        Self {
            how,
            groups: ShortestPorts::of(net),
            moved: FxHashMap::default(),
            next: if how.lost_route_only { u64::MAX } else { how.period },
            sent: vec![0; net.switch_ports],
            made: (0, 0),
        }
    }

    /// The port that a switch has moved a LID to.
    #[inline]
    pub(super) fn port(&self, switch: u32, lid: u32) -> Option<u8> {
        if self.moved.is_empty() { None } else { self.moved.get(&(switch, lid)).copied() }
    }
}
