//! Matches a dump against a fabric: which port has which LID, and which switch which table.

use rustc_hash::FxHashMap;

use super::dump::LftDump;
use super::owners::Owners;
use crate::fabric::{Fabric, Guid, NodeId};
use crate::io::ReadError;
use crate::io::note::Notes;
use crate::sm::{Engine, Engines, Lft, NO_ENTRY, Routes};

/// The tables as routes of engine `file`.
pub(super) fn resolve(dump: &LftDump, fabric: &Fabric, notes: &mut Notes) -> Result<Routes, ReadError> {
    let switches = match_tables(dump, fabric)?;
    let lids = Owners::of(dump, fabric, &switches)?.lids(fabric, notes)?;
    let top = dump.entries.iter().map(|e| e.lid).max().unwrap_or(0);
    let mut lft = Lft::new(fabric.num_switches(), top.max(lids.max_lid()));
    for (table, &switch) in dump.tables.iter().zip(&switches) {
        let row = lft.row_mut(switch);
        // A port that the switch lacks is an entry too: what becomes of its packets is a verdict.
        for entry in &dump.entries[table.entries.clone()] {
            let refuse = |reason: String| {
                let text = format!("0x{:04x} {:03}", entry.lid, entry.port);
                ReadError::at(entry.line as usize, reason, &text)
            };
            let there = &mut row[entry.lid as usize];
            if *there != NO_ENTRY && *there != entry.port {
                return Err(refuse(format!("switch {} sends this LID to port {there} already", table.guid)));
            }
            *there = entry.port;
        }
    }
    let file = || Engines::from(Engine::File);
    Ok(Routes { lids, lft, lanes: None, engine_requested: file(), engine_used: file(), refusals: Vec::new() })
}

/// The switch of each table.
fn match_tables(dump: &LftDump, fabric: &Fabric) -> Result<Vec<NodeId>, ReadError> {
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
            "a dump for another fabric, or an incomplete one: no table for switch {} \"{}\" ({missing} of {} switches have none)",
            node.guid,
            node.description,
            fabric.num_switches()
        )));
    }
    Ok(found)
}
