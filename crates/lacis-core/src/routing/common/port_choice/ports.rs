//! The links of one switch in the order in which candidates are looked for.

use crate::fabric::switch_graph::SwitchGraph;
use crate::fabric::{Guid, NodeId};
use crate::routing::common::sweep::Sweep;

/// No cable to a switch.
pub(super) const NO_LINK: u8 = u8::MAX;

/// The links of a switch, by their index in the order of search.
pub(super) struct SearchOrder {
    /// Link of the graph.
    pub link: Vec<usize>,
    /// Port number.
    pub port: Vec<u8>,
    far: Vec<u32>,
    /// The system that this is a chip of.
    system: Vec<Guid>,
    /// As OpenSM 3.3.23 counts: port 0 first, then the ports of the port search ordering file, then the others ascending.
    position: Vec<usize>,
    /// Index by port number.
    index: [u8; 256],
}

impl SearchOrder {
    /// The links of a switch in the manager's search order.
    pub fn of(sweep: &Sweep<'_>, graph: &SwitchGraph, switch: usize) -> Self {
        let mut position = [0; 256];
        for (at, port) in ports_in_order(sweep, NodeId(switch as u32)).into_iter().enumerate() {
            position[usize::from(port)] = at;
        }
        let position_of = |link: usize| position[usize::from(graph.port[link])];
        let mut link: Vec<usize> = graph.links(switch).collect();
        link.sort_by_key(|&link| position_of(link));
        let port: Vec<u8> = link.iter().map(|&link| graph.port[link]).collect();
        let mut index = [NO_LINK; 256];
        for (at, &port) in port.iter().enumerate() {
            index[usize::from(port)] = at as u8;
        }
        let far: Vec<u32> = link.iter().map(|&link| graph.peer[link]).collect();
        let system = far.iter().map(|&far| sweep.fabric.node(NodeId(far)).system_guid).collect();
        let position = link.iter().map(|&link| position_of(link)).collect();
        Self { link, port, far, system, position, index }
    }

    /// The index of a port's link; none where that has no cable to a switch.
    pub fn index(&self, port: u8) -> Option<u8> {
        Some(self.index[usize::from(port)]).filter(|&index| index != NO_LINK)
    }

    /// The switch at the far end.
    pub fn far(&self, link: u8) -> u32 {
        self.far[usize::from(link)]
    }

    /// The system that the switch at the far end is a chip of.
    pub fn system(&self, link: u8) -> Guid {
        self.system[usize::from(link)]
    }

    /// The first link whose *position* is greater than this port's *number*: OpenSM takes the one
    /// for the other.
    pub fn after(&self, port: u8) -> u8 {
        self.position.partition_point(|&position| position <= usize::from(port)) as u8
    }
}

/// A switch's ports in the order of search. Of the lines that the file has for it, the first without
/// a repeated port or one that it does not have counts.
fn ports_in_order(sweep: &Sweep<'_>, switch: NodeId) -> Vec<u8> {
    let (guid, radix) = (sweep.fabric.node(switch).guid, sweep.fabric.radix(switch));
    let lines = sweep.options.search_order.iter().filter(|(listed, _)| *listed == guid);
    for (_, ports) in lines {
        let mut rest = [true; 256];
        let mut is_new =
            |port: u8| (1..=radix).contains(&port) && std::mem::take(&mut rest[usize::from(port)]);
        if ports.iter().all(|&port| is_new(port)) {
            let rest = (1..=radix).filter(|&port| rest[usize::from(port)]);
            return std::iter::once(0).chain(ports.iter().copied()).chain(rest).collect();
        }
    }
    (0..=radix).collect()
}
