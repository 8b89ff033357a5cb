//! In which order OpenSM's hop-counting engines choose ports: the list of targets.
//!
//! OpenSM 3.3.23's behaviour: first the ports of the order file; then the end nodes' ports switch
//! by switch, the switch with most of them first, by port number; then the switches themselves, by
//! byte-reversed port GUID.

use std::ops::Range;

use super::destinations::{ends_on, ports_by_guid};
use crate::fabric::switch_graph::end_ports_on;
use crate::fabric::{Fabric, Guid, NodeId, PortId};
use crate::sm::lids::Lids;

/// Consecutive targets with the same edge switch.
#[derive(Debug)]
pub(in crate::routing) struct Run {
    /// The switch that they hang off.
    pub edge_switch: NodeId,
    /// The edge switch's column in [`OrderedTargets::columns`].
    pub column: usize,
    /// Whether they add load: end nodes do, switches do not.
    pub counts: bool,
    /// Their indices in [`OrderedTargets::lids`] and [`OrderedTargets::ports`].
    pub range: Range<usize>,
}

/// All LIDs to route to, in order, and their edge switches.
#[derive(Debug)]
pub(in crate::routing) struct OrderedTargets {
    /// All switches: most end ports first, then OpenSM's order.
    pub columns: Vec<NodeId>,
    /// First LIDs of the targets, in order.
    pub lids: Vec<u32>,
    /// Their LID mask controls.
    pub lmc: Vec<u8>,
    /// LIDs of the target that has most.
    pub most_lids: u32,
    /// The edge switch's port to each of them; 0 for the edge switch itself.
    pub ports: Vec<u8>,
    /// How many the order file lists: the first ones.
    pub listed: usize,
    /// The same, by edge switch.
    pub runs: Vec<Run>,
    /// The first run of the switches that come last, one each.
    pub closing: usize,
}

impl OrderedTargets {
    /// The targets of a fabric; `first` are the port GUIDs of an order file. Ports without a LID
    /// or without a switch are no targets.
    pub fn of(fabric: &Fabric, lids: &Lids, first: &[Guid]) -> Self {
        let mut columns = fabric.switches_in_opensm_order();
        columns.sort_by_cached_key(|&s| std::cmp::Reverse(end_ports_on(fabric, s)));
        let mut column_of = vec![0; columns.len()];
        for (column, edge_switch) in columns.iter().enumerate() {
            column_of[edge_switch.ix()] = column;
        }

        let mut seen = vec![false; fabric.num_ports()];
        let mut all = Self {
            columns: Vec::new(),
            lids: Vec::new(),
            lmc: Vec::new(),
            most_lids: 1,
            ports: Vec::new(),
            listed: 0,
            runs: Vec::new(),
            closing: 0,
        };
        let mut list = |all: &mut Self, port: PortId| {
            let Some(edge_switch) = fabric.edge_switch(port) else { return };
            if lids.base(port) == 0 || std::mem::replace(&mut seen[port.ix()], true) {
                return;
            }
            let counts = fabric.node_of(port) != edge_switch;
            let start = all.lids.len();
            all.lids.push(lids.base(port));
            all.lmc.push(lids.lmc(port));
            all.most_lids = all.most_lids.max(1 << lids.lmc(port));
            all.ports.push(if counts { fabric.peer(port).map_or(0, |p| fabric.number_of(p)) } else { 0 });
            match all.runs.last_mut() {
                Some(run) if run.edge_switch == edge_switch && run.counts == counts => run.range.end += 1,
                _ => {
                    let column = column_of[edge_switch.ix()];
                    all.runs.push(Run { edge_switch, column, counts, range: start..start + 1 });
                }
            }
        };
        if !first.is_empty() {
            let by_guid = ports_by_guid(fabric);
            first.iter().filter_map(|guid| by_guid.get(guid)).for_each(|&port| list(&mut all, port));
        }
        all.listed = all.lids.len();
        for &edge_switch in &columns {
            ends_on(fabric, edge_switch).for_each(|(_, port)| list(&mut all, port));
        }
        all.closing = all.runs.len();
        let mut switches: Vec<PortId> = fabric.switches().map(|s| fabric.port0(s)).collect();
        switches.sort_by_key(|&p| (fabric.end_port_guid(p).opensm_key(), p));
        for port in switches {
            list(&mut all, port);
        }
        Self { columns, ..all }
    }

    /// Whether a target has an `nth` LID, counted from 0.
    pub fn has(&self, target: usize, nth: u32) -> bool {
        nth >> self.lmc[target] == 0
    }
}
