//! Hop matrices: how far each switch believes a LID to be, by each of its ports.
//!
//! OpenSM 3.3.23 keeps one for each switch, and dumps them as `opensm-lid-matrix.dump`.

use crate::fabric::{Fabric, NodeId};

/// No path, or a port without a cable.
pub const NO_HOPS: u8 = 255;

/// The most hops that a byte counts: OpenSM keeps them so, and 255 means that there is no path.
pub(crate) const MAX_HOPS: u32 = 254;

/// The hop matrices of all switches, shape `(switches, LIDs, ports + 1)`: hops to a LID by a port, and
/// the least of them at index 0.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HopMatrices {
    lids: Vec<u32>,
    /// Where each switch's rows begin, and the end.
    first: Vec<usize>,
    hops: Vec<u8>,
}

impl HopMatrices {
    /// Empty matrices with rows for some LIDs, ascending.
    pub fn new(fabric: &Fabric, lids: Vec<u32>) -> Self {
        let mut first = vec![0];
        for switch in fabric.switches() {
            first.push(first[switch.ix()] + (usize::from(fabric.radix(switch)) + 1) * lids.len());
        }
        let hops = vec![NO_HOPS; first[fabric.num_switches()]];
        Self { lids, first, hops }
    }

    /// The LIDs that have rows, ascending.
    pub fn lids(&self) -> &[u32] {
        &self.lids
    }

    /// Index of a LID among [`HopMatrices::lids`].
    pub fn index(&self, lid: u32) -> Option<usize> {
        self.lids.binary_search(&lid).ok()
    }

    /// All rows of a switch, one after the other.
    pub fn of_switch(&self, switch: NodeId) -> &[u8] {
        &self.hops[self.first[switch.ix()]..self.first[switch.ix() + 1]]
    }

    /// A switch's row for the LID at an index.
    pub fn row(&self, switch: NodeId, index: usize) -> &[u8] {
        let rows = self.of_switch(switch);
        let width = rows.len() / self.lids.len();
        &rows[index * width..][..width]
    }

    /// A switch's row for the LID at an index, to fill.
    pub fn row_mut(&mut self, switch: NodeId, index: usize) -> &mut [u8] {
        let rows = &mut self.hops[self.first[switch.ix()]..self.first[switch.ix() + 1]];
        let width = rows.len() / self.lids.len();
        &mut rows[index * width..][..width]
    }

    /// Sets the hops by a port, and the least where they are less.
    pub(crate) fn set(&mut self, switch: NodeId, index: usize, port: u8, hops: u8) {
        let row = self.row_mut(switch, index);
        if let Some(there) = row.get_mut(usize::from(port)) {
            *there = hops;
            row[0] = row[0].min(hops);
        }
    }
}
