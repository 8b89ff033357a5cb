//! The links of one switch in the order in which candidates are looked for.
//!
//! A *position* is an index in that order, as OpenSM 3.3.23 counts it: port 0 first, then the ports
//! that the port search ordering file lists, then the others ascending. Bit `i` of a set of links
//! is the link with the `i`-th lowest position.

use super::mask::{Bits, has, insert};
use crate::fabric::NodeId;
use crate::fabric::switch_graph::SwitchGraph;
use crate::routing::common::sweep::Sweep;

/// In [`Ports::bit`]: no link between switches.
const NO_BIT: u8 = u8::MAX;

/// The links of a switch, by bit.
pub(super) struct Ports {
    /// Port number.
    pub port: Vec<u8>,
    /// The switch at the far end.
    pub peer: Vec<u32>,
    /// Bit by port number.
    bit: [u8; 256],
    /// By position, how many links lie before it.
    before: [u8; 257],
    /// By link in port order, its bit; empty where the two orders are the same.
    moved: Vec<u8>,
}

impl Ports {
    /// The links of a switch in the manager's search order.
    pub fn of(sweep: &Sweep<'_>, graph: &SwitchGraph, switch: usize) -> Self {
        let links = graph.links(switch);
        let node = NodeId(switch as u32);
        let mut position = [0; 256];
        for (index, port) in positions(sweep, node).into_iter().enumerate() {
            position[usize::from(port)] = index;
        }
        let mut order: Vec<usize> = links.collect();
        order.sort_by_key(|&link| position[usize::from(graph.port[link])]);
        let mut this = Self {
            port: order.iter().map(|&link| graph.port[link]).collect(),
            peer: order.iter().map(|&link| graph.peer[link]).collect(),
            bit: [NO_BIT; 256],
            before: [0; 257],
            moved: Vec::new(),
        };
        for (bit, &port) in this.port.iter().enumerate() {
            this.bit[usize::from(port)] = bit as u8;
            this.before[position[usize::from(port)] + 1..].fill(bit as u8 + 1);
        }
        if !order.is_sorted() {
            this.moved = graph.port[graph.links(switch)].iter().map(|&p| this.bit[usize::from(p)]).collect();
        }
        this
    }

    /// The link of a port; none where that has no cable to a switch.
    pub fn bit(&self, port: u8) -> Option<usize> {
        Some(self.bit[usize::from(port)]).filter(|&bit| bit != NO_BIT).map(usize::from)
    }

    /// The first link whose *position* is greater than this port's *number*: OpenSM takes the one
    /// for the other.
    pub fn after(&self, port: u8) -> usize {
        usize::from(self.before[usize::from(port) + 1])
    }

    /// Brings sets of links in port order into the order of search.
    pub fn arrange<const W: usize>(&self, sets: &mut [Bits<W>]) {
        if self.moved.is_empty() {
            return;
        }
        for set in sets {
            let in_port_order = std::mem::replace(set, [0; W]);
            for (link, &bit) in self.moved.iter().enumerate() {
                if has(&in_port_order, link) {
                    insert(set, usize::from(bit));
                }
            }
        }
    }

    /// By bit, all links that are the same in some way; an equivalence.
    pub fn groups<const W: usize>(&self, same: impl Fn(u32, u32) -> bool) -> Vec<Bits<W>> {
        let find = |&to: &u32| self.peer.iter().position(|&other| other == to || same(other, to));
        let first: Vec<usize> = self.peer.iter().filter_map(find).collect();
        let mut sets = vec![[0; W]; first.len()];
        for (bit, &first) in first.iter().enumerate() {
            insert(&mut sets[first], bit);
        }
        first.iter().map(|&first| sets[first]).collect()
    }
}

/// A switch's ports in the order of search. Of the lines that the file has for it, the first without
/// a repeated port or one that it does not have counts.
fn positions(sweep: &Sweep<'_>, switch: NodeId) -> Vec<u8> {
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

/// The ports of a switch that are not counted.
pub(super) fn ignored(sweep: &Sweep<'_>, switch: NodeId) -> impl Iterator<Item = u8> {
    let guid = sweep.fabric.node(switch).guid;
    sweep.options.ignore.iter().filter(move |(listed, _)| *listed == guid).map(|&(_, port)| port)
}
