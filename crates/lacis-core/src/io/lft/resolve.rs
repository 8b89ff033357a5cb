//! Matches a dump against a fabric: whose LID is whose, and which table is which switch's.

use rustc_hash::FxHashMap;

use crate::fabric::{Fabric, Guid, NodeId, PortId};
use crate::io::note::Notes;
use crate::io::{NoteKind, ReadError};
use crate::lids::{Lids, MAX_UNICAST_LID};
use crate::routing::{Lft, NO_ENTRY, Routes};

use super::dump::Dump;

/// The tables as routes of engine `file`.
pub(super) fn resolve(dump: &Dump, fabric: &Fabric, notes: &mut Notes) -> Result<Routes, ReadError> {
    let switches = match_tables(dump, fabric)?;
    let lids = match_lids(dump, fabric, &switches, notes)?;
    let top = dump.entries.iter().map(|e| e.lid).max().unwrap_or(0);
    let mut lft = Lft::new(fabric.num_switches(), top.max(lids.max_lid()));
    for (table, &switch) in dump.tables.iter().zip(&switches) {
        let radix = fabric.radix(switch);
        let row = lft.row_mut(switch);
        for entry in &dump.entries[table.entries.clone()] {
            let refuse = |reason: String| {
                let text = format!("0x{:04x} {:03}", entry.lid, entry.port);
                ReadError::at(entry.line as usize, reason, &text)
            };
            let there = &mut row[entry.lid as usize];
            if entry.port > radix {
                let reason = format!(
                    "LID 0x{:04x}: the switch has {radix} ports, so no port {}",
                    entry.lid, entry.port
                );
                return Err(refuse(reason));
            }
            if *there != NO_ENTRY && *there != entry.port {
                return Err(refuse(format!("switch {} sends this LID to port {there} already", table.guid)));
            }
            *there = entry.port;
        }
    }
    let file = || "file".to_string();
    Ok(Routes { lids, lft, engine_requested: file(), engine_used: file(), refusals: Vec::new() })
}

/// The switch of each table.
fn match_tables(dump: &Dump, fabric: &Fabric) -> Result<Vec<NodeId>, ReadError> {
    let by_guid: FxHashMap<Guid, NodeId> = fabric.switches().map(|s| (fabric.node(s).guid, s)).collect();
    let found: Vec<Option<NodeId>> = dump.tables.iter().map(|t| by_guid.get(&t.guid).copied()).collect();
    let unknown = found.iter().filter(|f| f.is_none()).count();
    if let Some(at) = found.iter().position(Option::is_none) {
        let table = &dump.tables[at];
        let reason = format!(
            "a dump for another fabric: it has no switch {} ({unknown} of {} tables match none)",
            table.guid,
            found.len()
        );
        return Err(ReadError::at(table.line, reason, table.text));
    }
    let found: Vec<NodeId> = found.into_iter().flatten().collect();
    let mut has_table = vec![false; fabric.num_switches()];
    for switch in &found {
        has_table[switch.ix()] = true;
    }
    let missing = has_table.iter().filter(|&&t| !t).count();
    if let Some(switch) = fabric.switches().find(|s| !has_table[s.ix()]) {
        let node = fabric.node(switch);
        return Err(ReadError::whole(format!(
            "a dump for another fabric, or for a part: no table for switch {} \"{}\" ({missing} of {} switches have none)",
            node.guid,
            node.description,
            fabric.num_switches()
        )));
    }
    Ok(found)
}

/// The LIDs of all end ports: as the dump names them, else as the headings or the fabric's file do.
fn match_lids(
    dump: &Dump,
    fabric: &Fabric,
    switches: &[NodeId],
    notes: &mut Notes,
) -> Result<Lids, ReadError> {
    let mut by_guid: FxHashMap<Guid, PortId> = FxHashMap::default();
    let end_ports = fabric.end_nodes().flat_map(|n| fabric.ports_of(n));
    for port in fabric.switches().map(|s| fabric.port0(s)).chain(end_ports) {
        by_guid.entry(fabric.port_info(port).guid).or_insert(port);
    }
    // Ports in order of their lowest LID; `last` is the highest.
    let mut ranges: Vec<(PortId, u32, u32, u32)> = Vec::new();
    let mut range_of: FxHashMap<PortId, usize> = FxHashMap::default();
    for (lid, owner) in dump.owners.iter().enumerate() {
        let Some((guid, line)) = *owner else { continue };
        let lid = lid as u32;
        let Some(&port) = by_guid.get(&guid).filter(|_| guid.is_some()) else {
            let reason =
                format!("a dump for another fabric: it has no port {guid}, which answers to LID 0x{lid:04x}");
            return Err(ReadError { line: Some(line as usize), reason, text: String::new() });
        };
        let at = *range_of.entry(port).or_insert_with(|| {
            ranges.push((port, lid, lid, line));
            ranges.len() - 1
        });
        ranges[at].2 = lid;
    }
    let mut lids = Lids::none(fabric);
    for &(port, base, last, line) in &ranges {
        let info = fabric.port_info(port);
        let span = last - base;
        let own = |l: u32| match dump.owners.get(l as usize).copied().flatten() {
            Some((guid, _)) => guid == info.guid,
            None => true,
        };
        let spans = [Some(info.lmc).filter(|&l| info.lid == base && l >= lmc_of(span)), Some(lmc_of(span))];
        let fitting = |&lmc: &u8| {
            lmc <= 7 && base + (1 << lmc) - 1 <= MAX_UNICAST_LID && (base..base + (1 << lmc)).all(own)
        };
        let Some(lmc) = spans.into_iter().flatten().find(fitting) else {
            let reason =
                format!("port {} answers to LIDs 0x{base:04x} to 0x{last:04x}, not one range", info.guid);
            return Err(ReadError { line: Some(line as usize), reason, text: String::new() });
        };
        if info.lid != 0 && info.lid != base {
            notes.add(
                NoteKind::Disagreement,
                line as usize,
                &format!("{}: LID {base}, not {}", info.guid, info.lid),
            );
        }
        lids.set(port, base, lmc);
    }
    let headings = dump.tables.iter().zip(switches).filter_map(|(t, &s)| Some((fabric.port0(s), t.lid?, 0)));
    let reported = (0..fabric.num_ports() as u32).map(PortId).map(|p| (p, fabric.port_info(p)));
    let reported = reported.map(|(p, info)| (p, info.lid, info.lmc));
    for (port, base, lmc) in headings.chain(reported) {
        let mut range = base..base + (1 << lmc);
        if range.end - 1 <= MAX_UNICAST_LID
            && base != 0
            && lids.base(port) == 0
            && range.all(|l| lids.owner(l).is_none())
        {
            lids.set(port, base, lmc);
        }
    }
    if ranges.is_empty() && fabric.nodes().all(|(id, _)| fabric.ports_of(id).all(|p| lids.base(p) == 0)) {
        return Err(ReadError::whole(
            "the dump names no destinations and the fabric's file no LIDs: cannot tell whose LID is whose",
        ));
    }
    Ok(lids)
}

/// The LMC whose range spans this many LIDs beyond the first.
fn lmc_of(span: u32) -> u8 {
    (32 - span.leading_zeros()) as u8
}
