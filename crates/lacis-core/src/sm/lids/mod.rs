//! LIDs: which local identifiers each end port answers to.
//!
//! [`Lids::assign`] does what OpenSM 3.3.23 does on its first sweep (`assign.rs`): ports keep the LIDs
//! that the cache has or that they report, and the others take the lowest free ones in OpenSM's order.
//! [`Lids::assign_omni_path`] does what Omni-Path's manager does.

mod assign;
mod cache;
mod omni_path;

pub use assign::LidOptions;

use crate::fabric::{Fabric, Guid, NodeId, NodeKind, PortId};

/// The highest unicast LID of InfiniBand (Architecture Specification, volume 1, 4.1.3).
pub const MAX_UNICAST_LID: u32 = 0xBFFF;
/// The highest unicast LID of Omni-Path: those from 0xF00000 on are kept for multicast (opa-fm 10.10.3, `MaximumLID`).
pub const MAX_OMNI_PATH_LID: u32 = 0xEF_FFFF;
/// The highest LID mask control: a port has at most 128 LIDs (the same, 14.2.5.6).
pub const MAX_LMC: u8 = 7;

/// Why LIDs cannot be assigned.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum LidError {
    /// The end ports want more unicast LIDs than there are.
    #[error("{}", too_many(*.missing, *.without, *.lmc, *.fits))]
    Exhausted {
        /// How many LIDs are missing.
        missing: usize,
        /// How many end ports have none for that reason.
        without: usize,
        /// The LID mask control that was asked for.
        lmc: u8,
        /// The highest below it that fits.
        fits: Option<u8>,
    },
    /// The end ports want more unicast LIDs than Omni-Path's manager gives.
    #[error("Omni-Path has {MAX_OMNI_PATH_LID} unicast LIDs: too few for {0} end ports")]
    TooManyPorts(usize),
    /// A LID mask control that does not exist.
    #[error("LMC {0}: the LID mask control is 0 to {MAX_LMC}")]
    Lmc(u8),
}

fn too_many(missing: usize, without: usize, lmc: u8, fits: Option<u8>) -> String {
    let each = if lmc == 0 { String::new() } else { format!(" and LMC {lmc} takes {} a port", 1 << lmc) };
    let fits = fits.map_or(String::new(), |lmc| format!(" (LMC {lmc} fits)"));
    format!(
        "InfiniBand has {MAX_UNICAST_LID} unicast LIDs{each}: {missing} LIDs are missing, for {without} \
         end ports{fits}"
    )
}

/// A port's LIDs as OpenSM's cache `guid2lid` knows them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CacheEntry {
    /// Port GUID.
    pub guid: Guid,
    /// First LID.
    pub first: u32,
    /// Last LID.
    pub last: u32,
}

/// The LIDs of a fabric's end ports: switch port 0s and end nodes' ports.
///
/// A LID is 32 bits here: InfiniBand's unicast range ends at 0xBFFF, Omni-Path's does not.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Lids {
    base: Vec<u32>,
    lmc: Vec<u8>,
    owner: Vec<u32>,
    manager: Option<PortId>,
    absent: Vec<CacheEntry>,
}

const NO_OWNER: u32 = u32::MAX;

impl Lids {
    /// No port has a LID yet.
    pub fn none(fabric: &Fabric) -> Self {
        Self {
            base: vec![0; fabric.num_ports()],
            lmc: vec![0; fabric.num_ports()],
            owner: vec![NO_OWNER],
            manager: None,
            absent: Vec::new(),
        }
    }

    /// The LIDs and LMCs that the source of the fabric reports, as they are: where two ports claim
    /// a LID, the one with the higher index answers to it.
    pub fn reported(fabric: &Fabric) -> Self {
        let mut lids = Self::none(fabric);
        for port in (0..fabric.num_ports() as u32).map(PortId) {
            let info = fabric.port_info(port);
            if info.lid != 0 {
                lids.set(port, info.lid, info.lmc);
            }
        }
        lids
    }

    /// The port on which the subnet manager runs unless stated otherwise, the first of [`Self::managers`].
    pub fn default_sm(fabric: &Fabric) -> Option<PortId> {
        Self::managers(fabric).next()
    }

    /// The ports on which subnet managers may run, the likeliest first: those with LID 1, which OpenSM gives
    /// itself, the cabled ports of adapters, of aggregation nodes, port 0 of switches. A port may occur twice.
    pub fn managers(fabric: &Fabric) -> impl Iterator<Item = PortId> {
        let is_aggregation = |p: PortId| fabric.node(fabric.node_of(p)).kind == NodeKind::Aggregation;
        let ports =
            || fabric.end_nodes().flat_map(|n| fabric.ports_of(n)).filter(|&p| fabric.peer(p).is_some());
        let hosts = move || ports().filter(move |&p| !is_aggregation(p));
        let switches = || fabric.switches().map(|s| fabric.port0(s));
        let first = hosts().chain(switches()).filter(|&p| fabric.port_info(p).lid == 1);
        first.chain(hosts()).chain(ports()).chain(switches())
    }

    /// Gives a port the LIDs `base .. base + 2^lmc`.
    pub fn set(&mut self, port: PortId, base: u32, lmc: u8) {
        self.base[port.ix()] = base;
        self.lmc[port.ix()] = lmc;
        let end = base as usize + (1 << lmc);
        self.owner.resize(self.owner.len().max(end), NO_OWNER);
        self.owner[base as usize..end].fill(port.0);
    }

    /// Notes on which port the manager runs.
    pub fn set_manager(&mut self, port: PortId) {
        self.manager = Some(port);
    }

    /// The port of the manager that assigned them; none where it is not known.
    pub fn manager(&self) -> Option<PortId> {
        self.manager
    }

    /// LIDs that OpenSM gives twice, with the port that gets no packets by it. That happens where ports
    /// report one LID and the cache has another for one of them.
    pub fn doubled(&self) -> Vec<(u32, PortId)> {
        let ports = (0..self.base.len() as u32).map(PortId);
        let mut doubled: Vec<(u32, PortId)> = ports
            .flat_map(|p| self.range(p).map(move |lid| (lid, p)))
            .filter(|&(lid, p)| self.owner(lid) != Some(p))
            .collect();
        doubled.sort_unstable();
        doubled
    }

    /// Entries of the cache whose ports are not there, by LID; OpenSM keeps their LIDs for them.
    pub fn absent(&self) -> &[CacheEntry] {
        &self.absent
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

    /// All LIDs of a port; empty where it has none.
    pub fn range(&self, port: PortId) -> std::ops::Range<u32> {
        match self.base(port) {
            0 => 0..0,
            base => base..base + (1 << self.lmc(port)),
        }
    }

    /// The end port that answers to a LID.
    pub fn owner(&self, lid: u32) -> Option<PortId> {
        self.owner.get(lid as usize).filter(|&&p| p != NO_OWNER).map(|&p| PortId(p))
    }

    /// Every LID that a port answers to, with that port, by LID.
    pub fn assigned(&self) -> Vec<(u32, PortId)> {
        let owners = self.owner.iter().enumerate();
        owners.filter(|&(_, &p)| p != NO_OWNER).map(|(lid, &p)| (lid as u32, PortId(p))).collect()
    }

    /// Highest assigned LID: the size of the tables, less one.
    pub fn max_lid(&self) -> u32 {
        (self.owner.len() as u32).saturating_sub(1)
    }
}

#[cfg(test)]
mod tests;
