//! LIDs: which local identifiers each end port answers to.
//!
//! [`Lids::assign`] does what OpenSM 3.3.23 does at LMC 0 with an empty cache: the subnet manager's
//! own port first, then all end ports by byte-reversed port GUID; a port keeps the LID that it
//! reports unless an earlier port has it, all others take the lowest LIDs that no port reports.

use crate::fabric::{Fabric, NodeId, PortId};

/// The highest unicast LID of InfiniBand (Architecture Specification, volume 1, 4.1.3).
pub const MAX_UNICAST_LID: u32 = 0xBFFF;

/// Why LIDs cannot be assigned.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum LidError {
    /// More end ports than unicast LIDs.
    #[error("InfiniBand has {MAX_UNICAST_LID} unicast LIDs, and {missing} end ports are left without one")]
    Exhausted {
        /// How many end ports have no LID.
        missing: usize,
    },
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

    /// The LIDs that a fresh OpenSM on port `sm` assigns (see the module's documentation).
    ///
    /// With `honour_existing`, ports keep the LIDs that the fabric reports as OpenSM lets them;
    /// without it, all count as unset. Ports that `sm` cannot reach, which OpenSM would not see,
    /// come after all others by the same rules.
    ///
    /// # Errors
    /// When there are more end ports than unicast LIDs.
    pub fn assign(fabric: &Fabric, sm: PortId, honour_existing: bool) -> Result<Self, LidError> {
        let seen = reached(fabric, sm);
        let order = fabric.end_ports_in_opensm_order();
        let own = |port: PortId| match fabric.port_info(port).lid {
            lid @ 1..=MAX_UNICAST_LID if honour_existing => lid,
            _ => 0,
        };
        let mut lids = Self { manager: Some(sm), ..Self::none(fabric) };
        let mut missing = 0;
        for reachable in [true, false] {
            let mut wave: Vec<PortId> = order.iter().copied().filter(|p| seen[p.ix()] == reachable).collect();
            if reachable {
                wave.retain(|&p| p != sm);
                wave.insert(0, sm);
            }
            // What is not free is settled before the first LID is given out.
            let mut taken: Vec<bool> =
                (0..=MAX_UNICAST_LID).map(|lid| lid == 0 || lids.owner(lid).is_some()).collect();
            for &port in &wave {
                taken[own(port) as usize] = true;
            }
            let mut free = (1..=MAX_UNICAST_LID).filter(|&lid| !taken[lid as usize]);
            for &port in &wave {
                let kept = Some(own(port)).filter(|&lid| lid != 0 && lids.owner(lid).is_none());
                match kept.or_else(|| free.next()) {
                    Some(lid) => lids.set(port, lid, 0),
                    None => missing += 1,
                }
            }
        }
        if missing == 0 { Ok(lids) } else { Err(LidError::Exhausted { missing }) }
    }

    /// The port on which the subnet manager runs unless somebody says otherwise: the first cabled
    /// port of an end node, else port 0 of the first switch; none where there is neither.
    pub fn default_sm(fabric: &Fabric) -> Option<PortId> {
        let mut ports = fabric.end_nodes().flat_map(|n| fabric.ports_of(n));
        let first = ports.find(|&p| fabric.peer(p).is_some());
        first.or_else(|| fabric.switches().next().map(|s| fabric.port0(s)))
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

    /// The port of the manager that assigned them; none where nobody is known to have.
    pub fn manager(&self) -> Option<PortId> {
        self.manager
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

/// Which ports a manager on `sm` discovers: switches answer for all their ports, end nodes do not
/// forward, and of an end node only ports with a discovered cable are seen.
fn reached(fabric: &Fabric, sm: PortId) -> Vec<bool> {
    let mut seen = vec![false; fabric.num_ports()];
    let mut queue = vec![sm];
    seen[sm.ix()] = true;
    if !fabric.is_switch(fabric.node_of(sm)) {
        queue.extend(fabric.peer(sm));
    }
    while let Some(port) = queue.pop() {
        let node = fabric.node_of(port);
        if !fabric.is_switch(node) {
            seen[port.ix()] = true;
        } else if !std::mem::replace(&mut seen[fabric.port0(node).ix()], true) || port == sm {
            queue.extend(fabric.ports_of(node).filter_map(|p| fabric.peer(p)));
        }
    }
    seen
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fabric::{FabricBuilder, Guid, Node, NodeKind};

    /// Hosts with the given port GUIDs and LIDs on one switch with GUID 1; ports in this order.
    fn star(hosts: &[(u64, u32)]) -> Fabric {
        let mut b = FabricBuilder::new();
        let node = |kind, guid: u64| Node {
            kind,
            guid: Guid(guid),
            system_guid: Guid::NONE,
            id: format!("{guid:x}").into(),
            description: "".into(),
            vendor: 0,
            device: 0,
            enhanced_port0: false,
            chassis: None,
        };
        let switch = b.add_node(node(NodeKind::Switch, 1), hosts.len() as u8).unwrap();
        for (&(guid, lid), number) in hosts.iter().zip(1..) {
            let host = b.add_node(node(NodeKind::Adapter, guid + 0x1000_0000), 1).unwrap();
            let port = b.port_mut(host, 1).unwrap();
            (port.guid, port.lid) = (Guid(guid), lid);
            b.connect((host, 1), (switch, number)).unwrap();
        }
        b.finish()
    }

    /// The LIDs of the switch and of the hosts, in order.
    fn bases(fabric: &Fabric, sm: PortId, honour: bool) -> Vec<u32> {
        let lids = Lids::assign(fabric, sm, honour).unwrap();
        let hosts = fabric.end_nodes().map(|n| fabric.port(n, 1).unwrap());
        hosts.fold(vec![lids.base(fabric.port0(NodeId(0)))], |mut all, p| {
            all.push(lids.base(p));
            all
        })
    }

    #[test]
    fn the_manager_comes_first_then_byte_reversed_guids() {
        // Last bytes: switch 01; hosts ff, 01, 02. 0x0101 and the switch's 0x01 share the last
        // byte 01, so the next one decides: 00 before 01. Manager (0x00ff) 1, switch 2, 0x0101 3,
        // 0x0202 4.
        let f = star(&[(0x00ff, 0), (0x0101, 0), (0x0202, 0)]);
        let sm = Lids::default_sm(&f).unwrap();
        assert_eq!(bases(&f, sm, true), [2, 1, 3, 4]);
        // On the switch: switch 1, then 0x0101, 0x0202, 0x00ff.
        assert_eq!(bases(&f, f.port0(NodeId(0)), true), [1, 4, 2, 3]);
    }

    #[test]
    fn reported_lids_are_kept_but_for_duplicates_and_impossible_ones() {
        // Order: manager 0x05, switch 0x01, 0x02, 0x03, 0x04. Reported: 0x05 nothing, 0x02 7,
        // 0x03 7 again, 0x04 beyond the range. 0x02 keeps 7; free are 1, 2, 3, …
        let f = star(&[(5, 0), (2, 7), (3, 7), (4, 0xC000)]);
        let sm = Lids::default_sm(&f).unwrap();
        assert_eq!(bases(&f, sm, true), [2, 1, 7, 3, 4]);
        assert_eq!(bases(&f, sm, false), [2, 1, 3, 4, 5]);
    }

    #[test]
    fn an_island_comes_last_and_does_not_shift_the_others() {
        let f = star(&[(5, 0), (2, 0)]);
        let cut = f.port(NodeId(1), 1).unwrap();
        // Without its cable the host with GUID 5 is alone and is the manager: it sees only itself.
        let f = f.filtered(|_| true, |a, b| a != cut && b != cut);
        assert_eq!(bases(&f, cut, false), [2, 1, 3]);
        // From the other side: 0x02 is the manager, the switch second; 0x05 has no cable, so no LID.
        assert_eq!(bases(&f, f.port(NodeId(2), 1).unwrap(), false), [2, 0, 1]);
    }

    #[test]
    fn too_many_ports_are_counted() {
        let mut b = FabricBuilder::new();
        let node = |guid: u64| Node {
            kind: NodeKind::Switch,
            guid: Guid(guid),
            system_guid: Guid::NONE,
            id: guid.to_string().into(),
            description: "".into(),
            vendor: 0,
            device: 0,
            enhanced_port0: false,
            chassis: None,
        };
        for guid in 1..=u64::from(MAX_UNICAST_LID) + 2 {
            b.add_node(node(guid), 1).unwrap();
        }
        let f = b.finish();
        let sm = f.port0(NodeId(0));
        assert_eq!(Lids::assign(&f, sm, false), Err(LidError::Exhausted { missing: 2 }));
    }
}
