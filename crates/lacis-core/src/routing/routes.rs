//! What an engine makes: linear forwarding tables and how they came about.

use crate::fabric::NodeId;
use crate::lids::Lids;

/// In a table: no entry, the packet is dropped.
pub const NO_ENTRY: u8 = 255;

/// Linear forwarding tables of all switches, shape `(switches, max LID + 1)`, one byte an entry:
/// the port that a switch sends a destination LID to, 0 for itself, [`NO_ENTRY`] for none.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Lft {
    stride: usize,
    ports: Vec<u8>,
}

impl Lft {
    /// Empty tables for LIDs `0..=max_lid`.
    pub fn new(num_switches: usize, max_lid: u32) -> Self {
        let stride = max_lid as usize + 1;
        Self { stride, ports: vec![NO_ENTRY; num_switches * stride] }
    }

    /// Number of LIDs, 0 included: the length of a row.
    pub fn stride(&self) -> usize {
        self.stride
    }

    /// Number of switches.
    pub fn num_switches(&self) -> usize {
        self.ports.len() / self.stride
    }

    /// A switch's table, by LID.
    pub fn row(&self, switch: NodeId) -> &[u8] {
        &self.ports[switch.ix() * self.stride..][..self.stride]
    }

    /// A switch's table, to fill.
    pub fn row_mut(&mut self, switch: NodeId) -> &mut [u8] {
        &mut self.ports[switch.ix() * self.stride..][..self.stride]
    }

    /// All tables, to fill; row after row.
    pub fn as_mut_slice(&mut self) -> &mut [u8] {
        &mut self.ports
    }

    /// All tables, row after row.
    pub fn as_slice(&self) -> &[u8] {
        &self.ports
    }

    /// One entry; [`NO_ENTRY`] for a LID beyond the table.
    pub fn get(&self, switch: NodeId, lid: u32) -> u8 {
        self.row(switch).get(lid as usize).copied().unwrap_or(NO_ENTRY)
    }
}

/// An engine that would not route this fabric, and why, in words.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refusal {
    /// Its name as OpenSM spells it.
    pub engine: String,
    /// The reason.
    pub reason: String,
}

/// Tables for a fabric, and where they come from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Routes {
    /// The LIDs that the tables are about.
    pub lids: Lids,
    /// The tables.
    pub lft: Lft,
    /// What was asked for: an engine's name, a list `a,b`, or `file`.
    pub engine_requested: String,
    /// The engine that made the tables; `file` where they were read.
    pub engine_used: String,
    /// The engines that refused before it, in order.
    pub refusals: Vec<Refusal>,
}
