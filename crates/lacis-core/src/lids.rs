//! LIDs: which local identifiers each end port answers to.

use crate::fabric::{Fabric, NodeId, PortId};

/// The LIDs of a fabric's end ports: switch port 0s and end nodes' ports.
///
/// A LID is 32 bits here: InfiniBand's unicast range ends at 0xBFFF, Omni-Path's does not.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Lids {
    base: Vec<u32>,
    lmc: Vec<u8>,
    owner: Vec<u32>,
}

const NO_OWNER: u32 = u32::MAX;

impl Lids {
    /// No port has a LID yet.
    pub fn none(fabric: &Fabric) -> Self {
        Self { base: vec![0; fabric.num_ports()], lmc: vec![0; fabric.num_ports()], owner: vec![NO_OWNER] }
    }

    /// Gives a port the LIDs `base .. base + 2^lmc`.
    pub fn set(&mut self, port: PortId, base: u32, lmc: u8) {
        self.base[port.ix()] = base;
        self.lmc[port.ix()] = lmc;
        let end = base as usize + (1 << lmc);
        if self.owner.len() < end {
            self.owner.resize(end, NO_OWNER);
        }
        self.owner[base as usize..end].fill(port.0);
    }

    /// A port's first LID; 0 where it has none.
    pub fn base(&self, port: PortId) -> u32 {
        self.base[port.ix()]
    }

    /// A switch's LID.
    pub fn of_switch(&self, fabric: &Fabric, switch: NodeId) -> u32 {
        self.base(fabric.port0(switch))
    }

    /// A port's LID mask control.
    pub fn lmc(&self, port: PortId) -> u8 {
        self.lmc[port.ix()]
    }

    /// The end port that answers to a LID.
    pub fn owner(&self, lid: u32) -> Option<PortId> {
        self.owner.get(lid as usize).filter(|&&p| p != NO_OWNER).map(|&p| PortId(p))
    }

    /// Highest assigned LID: the size of the tables, less one.
    pub fn max_lid(&self) -> u32 {
        self.owner.len() as u32 - 1
    }
}
