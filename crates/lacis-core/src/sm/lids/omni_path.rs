//! What the LID manager of Omni-Path's opa-fm 10.10.3 does on its first sweep.
//!
//! 1. Ports that report LIDs keep them where they are aligned to the LMC and no port before them has one of
//!    them, in the order of discovery, the manager's own port first.
//! 2. The others take the lowest LIDs that are free and aligned, in the same order; the manager's own port
//!    before the others keep theirs.

use super::{LidError, LidOptions, Lids, MAX_LMC, MAX_OMNI_PATH_LID, MAX_UNICAST_LID};
use crate::fabric::{Fabric, PortId};

impl Lids {
    /// Whether the source of a fabric reports LIDs that InfiniBand does not have.
    pub fn are_omni_path(fabric: &Fabric) -> bool {
        let ports = (0..fabric.num_ports() as u32).map(PortId);
        ports.into_iter().any(|port| fabric.port_info(port).lid > MAX_UNICAST_LID)
    }

    /// The LIDs that Omni-Path's manager on port `sm` assigns: [`LidOptions::lmc`] to hosts, and to enhanced
    /// switch ports 0 too with [`LidOptions::lmc_esp0`].
    ///
    /// # Errors
    /// When the end ports want more LIDs than there are, or the LMC is above 7.
    pub fn assign_omni_path(fabric: &Fabric, sm: PortId, options: &LidOptions) -> Result<Self, LidError> {
        if options.lmc > MAX_LMC {
            return Err(LidError::Lmc(options.lmc));
        }
        let mut lids = Self { manager: Some(sm), ..Self::none(fabric) };
        let order = end_ports(fabric, sm);
        let free =
            |lids: &Self, base: u32, lmc: u8| (base..base + (1 << lmc)).all(|lid| lids.owner(lid).is_none());
        // By LMC: below it, nothing is free.
        let mut next = [1_u32; MAX_LMC as usize + 1];
        let mut without = 0;
        for &port in &order {
            let (base, lmc) = (fabric.port_info(port).lid, lmc_of(fabric, port, options));
            let aligned = !options.fresh && base > 0 && base.trailing_zeros() >= u32::from(lmc);
            if aligned && base + (1 << lmc) <= MAX_OMNI_PATH_LID + 1 && free(&lids, base, lmc) {
                lids.set(port, base, lmc);
            } else if port == sm {
                without += usize::from(!take_free(&mut lids, port, lmc, &mut next));
            }
        }
        for &port in &order {
            if lids.base(port) == 0 {
                without += usize::from(!take_free(&mut lids, port, lmc_of(fabric, port, options), &mut next));
            }
        }
        if without > 0 { Err(LidError::TooManyPorts(order.len())) } else { Ok(lids) }
    }
}

/// Gives a port the lowest range that is free; false where there is none.
fn take_free(lids: &mut Lids, port: PortId, lmc: u8, next: &mut [u32]) -> bool {
    let count = 1 << lmc;
    let mut base = next[usize::from(lmc)].next_multiple_of(count);
    while base + count <= MAX_OMNI_PATH_LID + 1 {
        if (base..base + count).all(|lid| lids.owner(lid).is_none()) {
            lids.set(port, base, lmc);
            next[usize::from(lmc)] = base + count;
            return true;
        }
        base += count;
    }
    false
}

fn lmc_of(fabric: &Fabric, port: PortId, options: &LidOptions) -> u8 {
    let node = fabric.node_of(port);
    let is_plain = fabric.is_switch(node) && !(options.lmc_esp0 && fabric.node(node).enhanced_port0);
    if is_plain { 0 } else { options.lmc }
}

/// The manager's port, then port 0 of switches and the cabled ports of other nodes in the order of discovery.
fn end_ports(fabric: &Fabric, sm: PortId) -> Vec<PortId> {
    let mut ports = vec![sm];
    for node in fabric.discovery_order(sm) {
        if fabric.is_switch(node) {
            ports.push(fabric.port0(node));
        } else {
            ports.extend(fabric.ports_of(node).filter(|&p| fabric.peer(p).is_some()));
        }
    }
    let mut first = true;
    ports.retain(|&port| port != sm || std::mem::replace(&mut first, false));
    ports
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fabric::FabricBuilder;
    use crate::generate::generate;

    #[test]
    fn lids_follow_discovery_and_reported_ones_stay() {
        // Two edges with two hosts each, two cores: breadth first from node A: the host, edge 1, its hosts and
        // cores by port, then edge 2 by core 1, and edge 2's hosts.
        let fabric = generate("article").unwrap();
        let sm = Lids::default_sm(&fabric).unwrap();
        let lids = Lids::assign_omni_path(&fabric, sm, &LidOptions::fresh()).unwrap();
        let named: Vec<String> = lids
            .assigned()
            .into_iter()
            .map(|(_, port)| fabric.name(fabric.node_of(port)).into_owned())
            .collect();
        assert_eq!(named.len(), fabric.num_nodes());
        assert_eq!(&named[0], "NodeA hfi1_0");
        assert!(named[1].starts_with("edge"), "{named:?}");
        // One host reports 0x10000, beyond InfiniBand's LIDs, and keeps it; with LMC 1 an odd one is given up.
        let mut builder = FabricBuilder::from(&fabric);
        let last = fabric.end_nodes().last().unwrap();
        let reporting = builder.nth(last.ix()).unwrap();
        builder.port_mut(reporting, 1).unwrap().lid = 0x10000;
        let second = builder.nth(fabric.end_nodes().nth(1).unwrap().ix()).unwrap();
        builder.port_mut(second, 1).unwrap().lid = 5;
        let fabric = builder.finish();
        let lids =
            Lids::assign_omni_path(&fabric, sm, &LidOptions { lmc: 1, ..LidOptions::default() }).unwrap();
        assert_eq!(lids.range(fabric.port(last, 1).unwrap()), 0x10000..0x10002);
        assert_eq!(lids.base(sm), 2);
        assert!(lids.base(fabric.port(fabric.end_nodes().nth(1).unwrap(), 1).unwrap()).is_multiple_of(2));
        assert_eq!(lids.doubled(), []);
    }
}
