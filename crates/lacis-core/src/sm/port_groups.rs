//! Port groups of Omni-Path's switches: the ports among which the adaptive routing of a switch may move a
//! destination.

use crate::fabric::NodeId;

/// The entry of a LID that has no group.
pub const NO_GROUP: u8 = 255;
/// Groups that a table can name; a switch may have room for fewer.
pub const MOST_GROUPS: usize = 255;
/// Ports that a group can name: bit p - 1 of its mask is port p.
pub const MOST_GROUP_PORTS: u8 = 64;
/// LIDs that have an entry, unless a switch says otherwise.
pub const GROUP_LIDS: u32 = 8192;

/// The port groups of all switches, and which group each LID has.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PortGroups {
    /// By switch: where its masks begin in `masks`; last, how many there are.
    first: Vec<u32>,
    masks: Vec<u64>,
    /// LIDs that have an entry, 0 included.
    stride: usize,
    /// The group of each LID at each switch, of shape `(switches, stride)`.
    group: Vec<u8>,
}

impl PortGroups {
    /// No groups at any switch, with entries for LIDs `0..=max_lid`, [`GROUP_LIDS`] of them at most.
    pub fn new(num_switches: usize, max_lid: u32) -> Self {
        let stride = (max_lid + 1).min(GROUP_LIDS) as usize;
        Self {
            first: vec![0; num_switches + 1],
            masks: Vec::new(),
            stride,
            group: vec![NO_GROUP; num_switches * stride],
        }
    }

    /// The groups of switches whose masks and entries are given.
    pub fn from_tables(tables: Vec<(Vec<u64>, Vec<u8>)>, max_lid: u32) -> Self {
        let mut groups = Self::new(tables.len(), max_lid);
        for (switch, (masks, entries)) in tables.into_iter().enumerate() {
            groups.masks.extend(masks);
            groups.first[switch + 1] = groups.masks.len() as u32;
            let row = &mut groups.group[switch * groups.stride..][..groups.stride];
            row.iter_mut().zip(entries).for_each(|(to, from)| *to = from);
        }
        groups
    }

    /// The masks of a switch, by group: bit p - 1 for port p.
    pub fn masks(&self, switch: NodeId) -> &[u64] {
        &self.masks[self.first[switch.ix()] as usize..self.first[switch.ix() + 1] as usize]
    }

    /// The group of each LID, [`NO_GROUP`] for none.
    pub fn entries(&self, switch: NodeId) -> &[u8] {
        &self.group[switch.ix() * self.stride..][..self.stride]
    }

    /// The ports among which a switch may move a LID, as a mask; 0 where it has no group.
    pub fn mask(&self, switch: NodeId, lid: u32) -> u64 {
        let group = self.entries(switch).get(lid as usize).copied().unwrap_or(NO_GROUP);
        self.masks(switch).get(usize::from(group)).copied().unwrap_or(0)
    }
}
