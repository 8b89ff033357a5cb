//! LIDs, forwarding tables and port groups of a snapshot, matched against a fabric.

use rustc_hash::FxHashMap;

use super::dump::{Snapshot, SnapshotNode};
use crate::fabric::{Fabric, Guid, NodeId, PortId};
use crate::io::ReadError;
use crate::sm::lids::Lids;
use crate::sm::port_groups::NO_GROUP;
use crate::sm::{Engine, Engines, Lft, NO_ENTRY, PortGroups, Routes};

/// Bytes that tables may take: a LID that no port has would make them endless.
const MOST_BYTES: u64 = 4 << 30;
/// `State_Int` of the manager that is in charge.
const MASTER: u8 = 3;

/// The tables as routes of engine `file`.
pub(super) fn routes(snapshot: &Snapshot, fabric: &Fabric) -> Result<Routes, ReadError> {
    let switches = switches(snapshot, fabric)?;
    if !switches.iter().any(|(node, _)| node.has_linear) {
        return Err(ReadError::whole(
            "Routing Tables not available in snapshot: take it with -r, or leave out `lfts`",
        ));
    }
    if let Some((_, at)) = switches.iter().find(|(node, _)| !node.has_linear) {
        let node = fabric.node(*at);
        return Err(ReadError::whole(format!(
            "no LinearFDB for switch {} \"{}\" (switches have one each)",
            node.guid, node.description
        )));
    }
    let lids = lids(snapshot, fabric)?;
    let top = snapshot.entries.iter().map(|&(lid, _)| lid).max().unwrap_or(0).max(lids.max_lid());
    let size = u64::from(top + 1) * fabric.num_switches() as u64;
    if size > MOST_BYTES {
        return Err(ReadError::whole(format!(
            "tables of {} switches for LIDs up to 0x{top:x} would take {} GB",
            fabric.num_switches(),
            size >> 30
        )));
    }
    let mut lft = Lft::new(fabric.num_switches(), top);
    for &(node, switch) in &switches {
        let (radix, row) = (fabric.radix(switch), lft.row_mut(switch));
        for &(lid, port) in &snapshot.entries[node.linear.clone()] {
            if port > radix && port != NO_ENTRY {
                let reason = format!("LID 0x{lid:04x}: the switch has {radix} ports, so no port {port}");
                return Err(ReadError::at(node.line, reason, &node.description));
            }
            row[lid as usize] = port;
        }
    }
    let file = || Engines::from(Engine::File);
    Ok(Routes { lids, lft, lanes: None, engine_requested: file(), engine_used: file(), refusals: Vec::new() })
}

/// The port groups.
pub(super) fn port_groups(snapshot: &Snapshot, fabric: &Fabric) -> Result<PortGroups, ReadError> {
    let switches = switches(snapshot, fabric)?;
    let top = snapshot.group_entries.iter().map(|&(lid, _)| lid).max().unwrap_or(0);
    let mut tables = vec![(Vec::new(), Vec::new()); fabric.num_switches()];
    for (node, switch) in switches {
        let (masks, entries) = &mut tables[switch.ix()];
        for &(group, mask) in &snapshot.masks[node.groups.clone()] {
            // The reader has checked that a table can name the group.
            masks.resize(masks.len().max(group as usize + 1), 0);
            masks[group as usize] = mask;
        }
        entries.resize(top as usize + 1, NO_GROUP);
        for &(lid, group) in &snapshot.group_entries[node.group_entries.clone()] {
            entries[lid as usize] = group;
        }
    }
    Ok(PortGroups::from_tables(tables, top))
}

/// The switches of a snapshot, each with that of the fabric.
fn switches<'a>(
    snapshot: &'a Snapshot,
    fabric: &Fabric,
) -> Result<Vec<(&'a SnapshotNode, NodeId)>, ReadError> {
    let by_guid: FxHashMap<Guid, NodeId> = fabric.switches().map(|s| (fabric.node(s).guid, s)).collect();
    let mut found = Vec::new();
    for node in snapshot.nodes.iter().filter(|node| node.is_switch) {
        let Some(&switch) = by_guid.get(&node.guid) else {
            let reason = format!("a snapshot of another fabric: it has no switch {}", node.guid);
            return Err(ReadError::at(node.line, reason, &node.description));
        };
        found.push((node, switch));
    }
    if let Some(switch) = fabric.switches().find(|s| found.iter().all(|(_, known)| known != s)) {
        let node = fabric.node(switch);
        return Err(ReadError::whole(format!(
            "a snapshot of another fabric, or an incomplete one: no switch {} \"{}\"",
            node.guid, node.description
        )));
    }
    Ok(found)
}

/// The LIDs that the ports of a snapshot have.
fn lids(snapshot: &Snapshot, fabric: &Fabric) -> Result<Lids, ReadError> {
    let by_guid: FxHashMap<Guid, NodeId> = fabric.nodes().map(|(n, node)| (node.guid, n)).collect();
    let mut lids = Lids::none(fabric);
    let mut by_port_guid: FxHashMap<Guid, PortId> = FxHashMap::default();
    for node in &snapshot.nodes {
        let Some(&here) = by_guid.get(&node.guid) else { continue };
        for port in snapshot.ports[node.ports.clone()].iter().filter(|port| port.lid != 0) {
            let number = if node.is_switch { 0 } else { port.number };
            let Some(end) = fabric.port(here, number) else { continue };
            let end_lid = port.lid + (1 << port.lmc);
            if port.lid % (1 << port.lmc) != 0 || (port.lid..end_lid).any(|lid| lids.owner(lid).is_some()) {
                let reason = format!("Duplicate LIDs found in portRecords: LID 0x{:x}", port.lid);
                return Err(ReadError::at(port.line, reason, &node.description));
            }
            lids.set(end, port.lid, port.lmc);
            by_port_guid.insert(port.guid, end);
        }
    }
    let master = snapshot.managers.iter().find(|sm| sm.state == MASTER);
    if let Some(&port) = master.and_then(|sm| by_port_guid.get(&sm.port_guid)) {
        lids.set_manager(port);
    }
    Ok(lids)
}
