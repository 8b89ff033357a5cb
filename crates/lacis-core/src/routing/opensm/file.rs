//! Tables and hop matrices from files: nothing is computed, and nothing is checked.
//!
//! OpenSM 3.3.23's behaviour (`-R file -U TABLES -M MATRICES`), by experiment:
//!
//! * With tables, each switch has the entries of the file and no others: **a switch or a LID that is not in
//!   the file gets no entry**, no other engine steps in. A LID that the file gives to a port of this
//!   fabric (by GUID) and that is not among the port's LIDs now is moved there: to its base LID plus the
//!   low LMC bits of the file's. Tables of unknown switches are passed over; so are, here, LIDs beyond the
//!   highest assigned, which OpenSM writes beyond its tables, and crashes at times. A port that the switch
//!   does not have makes the engine refuse the whole file, and the next engine finds every entry counted as
//!   a path that was loaded until there.
//! * Without tables, they are made as [`minhop`] makes them, from the matrices of the file;
//!   all ports whose hops are the row's least are candidates, those to adapters too. LIDs of matrices are
//!   taken as they stand. Without matrices the result is minhop's.
//!
//! What differs: OpenSM gives up at a line that it cannot read, and routes with minhop; here such a file is
//! refused when it is read. Where the engine fails after it loaded matrices, or comes after an engine that
//! made some, OpenSM goes on with a mixture of both; here each engine makes its own.

use rustc_hash::FxHashMap;

use super::minhop;
use crate::fabric::switch_graph::SwitchGraph;
use crate::fabric::{Fabric, Guid, NodeId, PortId};
use crate::io::lft::GivenTables;
use crate::io::lid_matrix::HopMatrixDump;
use crate::routing::common::destination_order::OrderedTargets;
use crate::routing::common::destinations::ports_by_guid;
use crate::routing::common::port_choice::{self, Among};
use crate::routing::common::shortest_links::Candidates;
use crate::routing::common::sweep::{Refused, Sweep};
use crate::sm::lids::Lids;
use crate::sm::{Lft, NO_ENTRY, RefusalReason};

/// Routes with [`Options::lfts_file`](crate::routing::Options::lfts_file) and
/// [`Options::lid_matrix_file`](crate::routing::Options::lid_matrix_file).
///
/// # Errors
/// When the file of tables has a port that its switch lacks.
pub fn route(sweep: &Sweep<'_>) -> Result<Lft, Refused> {
    match (&sweep.options.lfts_file, &sweep.options.lid_matrix_file) {
        (Some(given), _) => load(sweep, given),
        (None, Some(matrices)) => Ok(choose(sweep, matrices)),
        (None, None) => Ok(minhop::route(sweep)),
    }
}

/// The tables of a file, its LIDs moved to where their ports are.
fn load(sweep: &Sweep<'_>, given: &GivenTables) -> Result<Lft, Refused> {
    let Sweep { fabric, lids, .. } = *sweep;
    let mut lft = Lft::new(fabric.num_switches(), lids.max_lid());
    let (switches, ports) = (switches_by_guid(fabric), ports_by_guid(fabric));
    let owners = given.owners(|guid| ports.get(&guid).copied());
    for (table, (guid, entries)) in given.tables.iter().enumerate() {
        let Some(&switch) = switches.get(guid) else { continue };
        let radix = fabric.radix(switch);
        let row = lft.row_mut(switch);
        row.fill(NO_ENTRY);
        for (index, entry) in entries.iter().enumerate() {
            if entry.port > radix {
                let reason = RefusalReason::FilePortAbsent {
                    lid: entry.lid.into(),
                    guid: *guid,
                    switch: fabric.node(switch).description.to_string(),
                    port: entry.port,
                    ports: radix,
                };
                let counts = counts_until(sweep, given, &switches, (table, index));
                return Err(Refused { counts, ..Refused::new(reason) });
            }
            let lid = moved(lids, entry.lid.into(), owners(entry));
            if let Some(there) = row.get_mut(lid as usize).filter(|_| lid != 0) {
                *there = entry.port;
            }
        }
    }
    Ok(lft)
}

/// The paths counted when OpenSM gives up at an entry of a table, both by index: it counts each that it loads, whatever it is for.
fn counts_until(
    sweep: &Sweep<'_>,
    given: &GivenTables,
    switches: &FxHashMap<Guid, NodeId>,
    (table, index): (usize, usize),
) -> Vec<u32> {
    let fabric = sweep.fabric;
    let mut counts: Vec<u32> = (0..fabric.num_ports() as u32).map(|port| sweep.count(PortId(port))).collect();
    for (number, (guid, entries)) in given.tables[..=table].iter().enumerate() {
        let Some(&switch) = switches.get(guid) else { continue };
        let loaded = if number == table { &entries[..index] } else { entries };
        for port in loaded.iter().filter_map(|entry| fabric.port(switch, entry.port)) {
            counts[port.ix()] += 1;
        }
    }
    counts
}

/// Where a LID is now.
fn moved(lids: &Lids, lid: u32, owner: Option<PortId>) -> u32 {
    let Some((port, base)) = owner.map(|port| (port, lids.base(port))).filter(|&(_, base)| base != 0) else {
        return lid;
    };
    let span = 1 << lids.lmc(port);
    if (base..base + span).contains(&lid) { lid } else { base + lid % span }
}

fn switches_by_guid(fabric: &Fabric) -> FxHashMap<Guid, NodeId> {
    fabric.switches().map(|s| (fabric.node(s).guid, s)).collect()
}

/// Tables as minhop makes them, from the matrices of a file.
fn choose(sweep: &Sweep<'_>, given: &HopMatrixDump) -> Lft {
    let Sweep { fabric, lids, options, .. } = *sweep;
    let graph = SwitchGraph::with_end_nodes(fabric);
    let targets = OrderedTargets::of(fabric, lids, &options.order);
    let matrices = given.matrices(fabric, lids);
    let candidates = Candidates::build(&graph, &targets.columns, |edge_switches, links| {
        for (bit, &edge_switch) in edge_switches.iter().enumerate() {
            let Some(index) = matrices.index(lids.of_switch(fabric, edge_switch)) else { continue };
            for switch in fabric.switches() {
                let row = matrices.row(switch, index);
                for link in graph.links(switch.ix()) {
                    let hops = row[usize::from(graph.port[link])];
                    links[link] |= u64::from(hops == row[0] && hops != crate::sm::hop_matrix::NO_HOPS) << bit;
                }
            }
        }
    });
    port_choice::tables(sweep, &graph, &targets, &candidates, Among::All)
}

/// How a file of tables fits a fabric: what OpenSM would say nothing about.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Fit {
    /// Tables of switches that the fabric lacks.
    pub unknown_switches: Vec<Guid>,
    /// Switches without a table: they forward nothing.
    pub without_table: Vec<NodeId>,
    /// Entries that name a port that the fabric lacks.
    pub unknown_ports: u64,
    /// Entries that were moved to another LID, with their ports.
    pub moved: u64,
    /// Entries of LIDs beyond the highest assigned, passed over.
    pub beyond: u64,
    /// Headings of switches that had one before; the last counts.
    pub repeated: u64,
}

/// Compares a file of tables with a fabric.
pub fn fit(fabric: &Fabric, lids: &Lids, given: &GivenTables) -> Fit {
    let (switches, ports) = (switches_by_guid(fabric), ports_by_guid(fabric));
    let mut fit = Fit::default();
    let mut has_table = vec![false; fabric.num_switches()];
    for (guid, entries) in &given.tables {
        let Some(&switch) = switches.get(guid) else {
            fit.unknown_switches.push(*guid);
            continue;
        };
        fit.repeated += u64::from(std::mem::replace(&mut has_table[switch.ix()], true));
        for entry in entries {
            let named = given.owner(entry);
            let owner = named.and_then(|guid| ports.get(&guid)).copied();
            fit.unknown_ports += u64::from(named.is_some() && owner.is_none());
            let lid = moved(lids, entry.lid.into(), owner);
            fit.moved += u64::from(lid != u32::from(entry.lid));
            fit.beyond += u64::from(lid > lids.max_lid());
        }
    }
    fit.without_table = fabric.switches().filter(|s| !has_table[s.ix()]).collect();
    fit
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::generate::generate;
    use crate::io::lft::read_given;
    use crate::routing::Options;
    use crate::sm::lids::LidOptions;

    #[test]
    fn what_does_not_fit_is_counted_and_does_no_harm() {
        // One switch with two nodes: LIDs 1 to 3, GUIDs from the generator.
        let fabric = generate("fat-tree:2,1").unwrap();
        let sm = Lids::default_sm(&fabric).unwrap();
        let lids = Lids::assign(&fabric, sm, &LidOptions::fresh()).unwrap();
        let (switch, node) = (fabric.node(NodeId(0)).guid, fabric.end_port_guid(sm));
        let text = format!(
            "Unicast lids guid {switch}\n0x0001 9\nUnicast lids guid 0x5\n0x0001 1\nUnicast lids guid {switch}\n\
             0x0000 1\n0x0002 2\n0x0003 1 # x portguid 0x7: ''\n0x0033 1 # x portguid {node}: ''\n0x0034 1\n"
        );
        let given = read_given(text.as_bytes()).unwrap();
        let fit = fit(&fabric, &lids, &given);
        assert_eq!((fit.unknown_switches.as_slice(), fit.without_table.len()), ([Guid(5)].as_slice(), 0));
        assert_eq!((fit.repeated, fit.unknown_ports, fit.moved, fit.beyond), (1, 1, 1, 1));
        // The first table has a port too many; the second heading, alone, is loaded.
        let options = |text: &str| Options {
            lfts_file: Some(Arc::new(read_given(text.as_bytes()).unwrap())),
            ..Options::default()
        };
        let refused = route(&Sweep::first(&fabric, &lids, &options(&text))).unwrap_err();
        assert!(
            matches!(refused.reason, RefusalReason::FilePortAbsent { port: 9, ports: 2, .. }),
            "{refused}"
        );
        assert_eq!(refused.counts.iter().sum::<u32>(), 0);
        let lft =
            route(&Sweep::first(&fabric, &lids, &options(&text.replace("0x0001 9", "0x0001 2")))).unwrap();
        assert_eq!(lft.row(NodeId(0)), [NO_ENTRY, 1, 2, 1]);
    }
}
