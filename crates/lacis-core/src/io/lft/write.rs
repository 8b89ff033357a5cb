//! Writes `opensm-lfts.dump`, which `opensm -R file -U FILE` loads.

use std::fmt::Write as _;

use crate::fabric::{Fabric, NodeId, NodeKind};
use crate::io::text::clean;
use crate::sm::lids::MAX_UNICAST_LID;
use crate::sm::{NO_ENTRY, Routes};

/// LIDs that InfiniBand's formats cannot hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("LID {0} does not fit: InfiniBand's unicast LIDs end at {MAX_UNICAST_LID}")]
pub struct UnfitLid(pub u32);

/// The whole dump as one text.
///
/// # Errors
/// When a LID is beyond InfiniBand's range.
pub fn write(fabric: &Fabric, routes: &Routes) -> Result<String, UnfitLid> {
    Ok(tables(fabric, routes)?.collect())
}

/// The dump switch by switch, in OpenSM's order: 10,000 nodes make a gigabyte, which no caller need
/// hold at once.
///
/// # Errors
/// When a LID is beyond InfiniBand's range.
pub fn tables<'a>(
    fabric: &'a Fabric,
    routes: &'a Routes,
) -> Result<impl Iterator<Item = String> + 'a, UnfitLid> {
    let top = top(routes)?;
    let destinations: Vec<String> = (0..=top).map(|lid| destination(fabric, routes, lid)).collect();
    Ok(order(fabric).into_iter().map(move |switch| table(fabric, routes, switch, &destinations)))
}

/// The last LID that a dump has.
pub(super) fn top(routes: &Routes) -> Result<u32, UnfitLid> {
    let top = routes.lids.max_lid().max(routes.lft.stride() as u32 - 1);
    if top > MAX_UNICAST_LID { Err(UnfitLid(top)) } else { Ok(top) }
}

/// The switches in the order of OpenSM's dumps.
pub(super) fn order(fabric: &Fabric) -> Vec<NodeId> {
    let mut order: Vec<NodeId> = fabric.switches().collect();
    order.sort_by_key(|&s| (fabric.node(s).guid.opensm_key(), s));
    order
}

fn table(fabric: &Fabric, routes: &Routes, switch: NodeId, destinations: &[String]) -> String {
    let node = fabric.node(switch);
    let top = destinations.len() - 1;
    let mut out = String::with_capacity(destinations.iter().map(|d| d.len() + 12).sum::<usize>() + 200);
    let (lid, name) = (routes.lids.of_switch(fabric, switch), clean(&node.description));
    let _ = writeln!(out, "Unicast lids [0-{top}] of switch Lid {lid} guid {} ('{name}'):", node.guid);
    for (lid, destination) in destinations.iter().enumerate() {
        let port = routes.lft.get(switch, lid as u32);
        if port != NO_ENTRY {
            let _ = writeln!(out, "0x{lid:04x} {port:03} # {destination}");
        }
    }
    let _ = writeln!(out, "{top} lids dumped");
    out
}

/// What OpenSM prints of the port that answers to a LID.
fn destination(fabric: &Fabric, routes: &Routes, lid: u32) -> String {
    let Some(port) = routes.lids.owner(lid) else { return "unknown node and type".to_string() };
    let node = fabric.node(fabric.node_of(port));
    let kind = match node.kind {
        NodeKind::Switch => "Switch",
        NodeKind::Adapter | NodeKind::Aggregation => "Channel Adapter",
        NodeKind::Router => "Router",
    };
    format!("{kind} portguid {}: '{}'", fabric.port_info(port).guid, clean(&node.description))
}
