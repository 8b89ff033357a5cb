//! The contents of a snapshot.

use std::ops::Range;

use super::counters::{COUNTERS, Counters};
use crate::fabric::{Capability, Counter, Guid, Lanes, Rate};

/// A snapshot.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Snapshot {
    /// Seconds since 1970, as `unixtime` says.
    pub unixtime: u64,
    /// Nodes, in the file's order.
    pub nodes: Vec<SnapshotNode>,
    /// Ports of all nodes; see [`SnapshotNode::ports`].
    pub ports: Vec<SnapshotPort>,
    /// Counters of ports; see [`SnapshotPort::counters`].
    pub counters: Vec<Counters>,
    /// Entries of forwarding tables: LID and port; see [`SnapshotNode::linear`].
    pub entries: Vec<(u32, u8)>,
    /// Masks of port groups: number and mask; see [`SnapshotNode::groups`].
    pub masks: Vec<(u32, u64)>,
    /// Entries of port group tables: LID and group; see [`SnapshotNode::group_entries`].
    pub group_entries: Vec<(u32, u8)>,
    /// Cables.
    pub cables: Vec<SnapshotCable>,
    /// Managers.
    pub managers: Vec<SnapshotSm>,
}

impl Snapshot {
    /// The counters of a port, if the snapshot has them.
    pub(super) fn counts(&self, port: &SnapshotPort) -> impl Iterator<Item = (Counter, u64)> {
        let values = port.counters.and_then(|at| self.counters.get(at as usize));
        let named = values.into_iter().flat_map(|values| COUNTERS.iter().zip(values));
        named.filter_map(|(&name, &value)| {
            let counter = Counter::ALL.iter().find(|counter| counter.name() == name)?;
            Some((*counter, value))
        })
    }
}

/// A node.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SnapshotNode {
    /// `NodeDesc`.
    pub description: Box<str>,
    /// `NodeGUID`.
    pub guid: Guid,
    /// `SystemImageGUID`.
    pub system_guid: Guid,
    /// `NodeType_Int` 2.
    pub is_switch: bool,
    /// `NumPorts`.
    pub radix: u8,
    /// `VendorID`.
    pub vendor: u32,
    /// `DeviceID`.
    pub device: u32,
    /// Bit of `U2` of `SwitchInfo`: an enhanced port 0.
    pub enhanced_port0: bool,
    /// `LinearFDBSize`.
    pub linear_size: u32,
    /// `PortGroupSize`.
    pub group_size: u32,
    /// Whether it has a `LinearFDB`.
    pub has_linear: bool,
    /// Its ports among [`Snapshot::ports`].
    pub ports: Range<usize>,
    /// Its entries among [`Snapshot::entries`].
    pub linear: Range<usize>,
    /// Its groups among [`Snapshot::masks`].
    pub groups: Range<usize>,
    /// Its entries among [`Snapshot::group_entries`].
    pub group_entries: Range<usize>,
    /// Line on which it opens.
    pub line: usize,
}

/// A port.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct SnapshotPort {
    /// `PortNum`.
    pub number: u8,
    /// `GUID`; on switches only of port 0.
    pub guid: Guid,
    /// `SubnetPrefix`.
    pub subnet_prefix: u64,
    /// `LID`; on switches 0 except for port 0.
    pub lid: u32,
    /// `LMC`.
    pub lmc: u8,
    /// `PortState_Int`: 4 is active.
    pub state: u8,
    /// `MTUSupported` `[bytes]`.
    pub mtu: u16,
    /// `PhysState_Int`: 5 is a link that is up.
    pub physical: u8,
    /// `LinkSpeedActive_Int` with the lanes that it sends on, if they mean a rate: `LinkWidthDowngradeTxActive_Int`, else
    /// `LinkWidthActive_Int`.
    pub rate: Option<Rate>,
    /// `LinkWidthActive_Int` and what of that is in use each way, if they mean widths.
    pub lanes: Option<Lanes>,
    /// `LinkWidthSupported_Int` and `LinkSpeedSupported_Int`.
    pub supported: Capability,
    /// `LinkWidthEnabled_Int` and `LinkSpeedEnabled_Int`.
    pub enabled: Capability,
    /// Its counters among [`Snapshot::counters`].
    pub counters: Option<u32>,
    /// Line on which it opens.
    pub line: usize,
}

/// A cable: node GUIDs and ports.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SnapshotCable {
    /// `From`.
    pub from: (Guid, u8),
    /// `To`.
    pub to: (Guid, u8),
    /// Line on which it opens.
    pub line: usize,
}

/// A manager.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SnapshotSm {
    /// `LID`.
    pub lid: u32,
    /// `PortGUID`.
    pub port_guid: Guid,
    /// `State_Int`: 3 is the master.
    pub state: u8,
    /// `Priority`.
    pub priority: u8,
}
