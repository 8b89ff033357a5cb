//! What an engine makes: linear forwarding tables and how they came about.

use rayon::prelude::*;

use super::engine::Engines;
use super::lanes::PathLanes;
use super::lids::Lids;
use super::refusal::Refusal;
use crate::fabric::subnets::Subnets;
use crate::fabric::{Fabric, NodeId, PortId};

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

    /// Tables whose every entry `fill` writes: what it leaves out would be port 0.
    pub(crate) fn written(num_switches: usize, max_lid: u32, fill: impl FnOnce(&mut [u8])) -> Self {
        let stride = max_lid as usize + 1;
        // The system hands out pages of zeros when they are first written to: nothing is written twice.
        let mut ports = vec![0; num_switches * stride];
        fill(&mut ports);
        Self { stride, ports }
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
    #[inline]
    pub fn get(&self, switch: NodeId, lid: u32) -> u8 {
        self.row(switch).get(lid as usize).copied().unwrap_or(NO_ENTRY)
    }
}

/// The compute nodes of a leaf switch, in the order in which `ftree` balances them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LeafOrder {
    /// The leaf switch.
    pub leaf: NodeId,
    /// Adapter ports of its compute nodes.
    pub ports: Vec<PortId>,
    /// Number of dummies after them: what it lacks to the fullest leaf.
    pub dummies: usize,
}

/// Tables for a fabric, and where they come from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Routes {
    /// The LIDs that the tables are about.
    pub lids: Lids,
    /// The tables.
    pub lft: Lft,
    /// The lanes of the paths, where the engine assigns any; all on one lane otherwise.
    pub lanes: Option<PathLanes>,
    /// What was asked for; `file` where the tables were read.
    pub engine_requested: Engines,
    /// What made the tables, several where islands differ; `file` where they were read.
    pub engine_used: Engines,
    /// The engines that refused before it, in order.
    pub refusals: Vec<Refusal>,
}

/// Entries of assigned LIDs without a port: paths on which packets are dropped.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Unrouted {
    /// (switch, LID of an end node) entries.
    pub to_end_nodes: u64,
    /// (switch, LID of a switch) entries: only management traffic uses them.
    pub to_switches: u64,
}

impl Routes {
    /// How many entries of assigned LIDs have no port. An entry counts where cables connect the
    /// switch and the LID's owner, so LIDs of other subnets do not count.
    pub fn unrouted(&self, fabric: &Fabric) -> Unrouted {
        let subnets = Subnets::of(fabric);
        // LID, subnet, and whether a switch answers to it.
        let assigned: Vec<(u32, u32, bool)> = self
            .lids
            .assigned()
            .into_iter()
            .filter_map(|(lid, port)| Some((lid, subnets.of_port(fabric, port)?, port)))
            .map(|(lid, subnet, port)| (lid, subnet, fabric.is_switch(fabric.node_of(port))))
            .collect();
        let empty = |s: NodeId, switches: bool| {
            let (row, own) = (self.lft.row(s), subnets.of_switch(s));
            let to =
                assigned.iter().filter(|&&(_, subnet, is_switch)| subnet == own && is_switch == switches);
            to.filter(|&&(lid, ..)| row.get(lid as usize).is_none_or(|&p| p == NO_ENTRY)).count() as u64
        };
        (0..self.lft.num_switches() as u32)
            .into_par_iter()
            .map(NodeId)
            .map(|s| Unrouted { to_end_nodes: empty(s, false), to_switches: empty(s, true) })
            .reduce(Unrouted::default, |a, b| Unrouted {
                to_end_nodes: a.to_end_nodes + b.to_end_nodes,
                to_switches: a.to_switches + b.to_switches,
            })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::generate::generate;
    use crate::sm::Engine;

    #[test]
    fn unrouted_counts_empty_entries_of_assigned_lids_only() {
        // 4 nodes on one switch have LIDs 1..=4, the switch LID 9. LIDs 5..=8 are free.
        // Of the five entries, those of LIDs 3 and 9 are empty.
        let fabric = generate("fat-tree:4,1").unwrap();
        let mut lids = Lids::none(&fabric);
        let ports: Vec<PortId> = fabric.end_ports_in_opensm_order();
        let of_switch = fabric.port0(NodeId(0));
        for (lid, &port) in (1..).zip(ports.iter().filter(|&&p| p != of_switch)) {
            lids.set(port, lid, 0);
        }
        lids.set(of_switch, 9, 0);
        let mut lft = Lft::new(1, 9);
        lft.row_mut(NodeId(0))[1..=4].copy_from_slice(&[1, 2, NO_ENTRY, 4]);
        let routes = Routes {
            lids,
            lft,
            lanes: None,
            engine_requested: Engine::File.into(),
            engine_used: Engine::File.into(),
            refusals: Vec::new(),
        };
        assert_eq!(routes.unrouted(&fabric), Unrouted { to_end_nodes: 1, to_switches: 1 });
    }
}
