//! In which order OpenSM's hop-counting engines choose ports: the list of targets.
//!
//! OpenSM 3.3.23's behaviour: first the ports of the order file; then the end nodes' ports switch
//! by switch, the switch with most of them first, by port number; then the switches themselves.
//! Switches put no load on a link, so among them the order means nothing.

use std::ops::Range;

use rustc_hash::FxHashMap;

use super::graph::end_ports_on;
use crate::fabric::{Fabric, Guid, NodeId, PortId};
use crate::lids::Lids;

/// Consecutive targets with the same home.
#[derive(Debug)]
pub(super) struct Run {
    /// The switch that they hang off.
    pub home: NodeId,
    /// The home's column in [`Targets::columns`].
    pub column: usize,
    /// Whether they add load: end nodes do, switches do not.
    pub counts: bool,
    /// Their places in [`Targets::lids`] and [`Targets::ports`].
    pub range: Range<usize>,
}

/// All LIDs to route to, in order, and their homes.
#[derive(Debug)]
pub(super) struct Targets {
    /// All switches: most end ports first, then OpenSM's order.
    pub columns: Vec<NodeId>,
    /// LIDs of the targets in order, less those that come last.
    pub lids: Vec<u32>,
    /// The home's port to each of them; 0 for the home itself.
    pub ports: Vec<u8>,
    /// The same, by home.
    pub runs: Vec<Run>,
    /// The switches that come last, as LID and column, by column.
    pub switches: Vec<(u32, usize)>,
}

impl Targets {
    /// The targets of a fabric; `first` are the port GUIDs of an order file. Ports without a LID
    /// or without a switch are no targets.
    pub fn of(fabric: &Fabric, lids: &Lids, first: &[Guid]) -> Self {
        let mut columns = fabric.switches_in_opensm_order();
        columns.sort_by_cached_key(|&s| std::cmp::Reverse(end_ports_on(fabric, s)));
        let mut column_of = vec![0; columns.len()];
        for (column, home) in columns.iter().enumerate() {
            column_of[home.ix()] = column;
        }

        let mut listed = vec![false; fabric.num_ports()];
        let (mut all, mut ports, mut runs) = (Vec::new(), Vec::new(), Vec::<Run>::new());
        let mut list = |port: PortId| {
            let Some(home) = fabric.home(port) else { return };
            let lid = lids.base(port);
            if lid == 0 || std::mem::replace(&mut listed[port.ix()], true) {
                return;
            }
            let counts = fabric.node_of(port) != home;
            let at_home = if counts { fabric.peer(port).map_or(0, |p| fabric.number_of(p)) } else { 0 };
            let start = all.len();
            all.push(lid);
            ports.push(at_home);
            if let Some(run) = runs.last_mut().filter(|run| run.home == home && run.counts == counts) {
                run.range.end += 1;
            } else {
                let column = column_of[home.ix()];
                runs.push(Run { home, column, counts, range: start..start + 1 });
            }
        };
        if !first.is_empty() {
            let mut by_guid = FxHashMap::default();
            for port in fabric.end_ports_in_opensm_order() {
                by_guid.entry(fabric.end_port_guid(port)).or_insert(port);
            }
            first.iter().filter_map(|guid| by_guid.get(guid)).for_each(|&port| list(port));
        }
        for &home in &columns {
            let far = fabric.ports_of(home).filter_map(|p| fabric.peer(p));
            far.filter(|&p| !fabric.is_switch(fabric.node_of(p))).for_each(&mut list);
        }
        let last = columns.iter().enumerate().filter_map(|(column, &home)| {
            let port = fabric.port0(home);
            (lids.base(port) != 0 && !listed[port.ix()]).then(|| (lids.base(port), column))
        });
        let switches = last.collect();
        Self { columns, lids: all, ports, runs, switches }
    }
}
