//! Dense numbers for the directed links of a fabric.

use crate::fabric::{Fabric, PortId};

/// Number of a directed link; 0 is no link.
pub type LinkId = u32;

/// In place of a link: short paths are padded with it.
pub const SINK: LinkId = 0;

/// The directed links of a fabric, numbered: from 1 the links between switches in the order of
/// their egress ports, then the links to and from end nodes.
#[derive(Clone, Debug)]
pub struct Links {
    of_port: Vec<LinkId>,
    egress: Vec<PortId>,
    between_switches: usize,
}

impl Links {
    /// Numbers the links of a fabric.
    pub fn of(fabric: &Fabric) -> Self {
        let is_switch = |p: PortId| fabric.is_switch(fabric.node_of(p));
        let cabled = || (0..fabric.num_ports() as u32).map(PortId).filter_map(|p| Some((p, fabric.peer(p)?)));
        let inner = |&(p, q): &(PortId, PortId)| is_switch(p) && is_switch(q);
        let mut egress = vec![PortId(u32::MAX)]; // the sink has no port
        egress.extend(cabled().filter(inner).map(|(p, _)| p));
        let between_switches = egress.len() - 1;
        egress.extend(cabled().filter(|pair| !inner(pair)).map(|(p, _)| p));
        let mut of_port = vec![SINK; fabric.num_ports()];
        for (id, port) in (0..).zip(&egress).skip(1) {
            of_port[port.ix()] = id;
        }
        Self { of_port, egress, between_switches }
    }

    /// The link that leaves a port; [`SINK`] where there is no cable.
    pub fn leaving(&self, port: PortId) -> LinkId {
        self.of_port[port.ix()]
    }

    /// The egress port of a link, which is not the sink.
    pub fn egress(&self, link: LinkId) -> PortId {
        self.egress[link as usize]
    }

    /// One more than the highest number: the size of an array by link.
    pub fn len(&self) -> usize {
        self.egress.len()
    }

    /// Whether there is no link.
    pub fn is_empty(&self) -> bool {
        self.egress.len() == 1
    }

    /// The highest number of a link between switches: they are `1..=between_switches()`.
    pub fn between_switches(&self) -> usize {
        self.between_switches
    }
}
