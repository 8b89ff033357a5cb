//! Writing hop matrices.

use std::fmt::Write as _;

use super::read::{Dump, Matrix, Row};
use crate::fabric::{Fabric, NodeId};
use crate::lids::Lids;
use crate::routing::{HopMatrices, NO_HOPS};

/// A fabric's matrices, one text a switch in OpenSM's order.
pub fn write<'a>(
    fabric: &'a Fabric,
    lids: &'a Lids,
    matrices: &'a HopMatrices,
) -> impl Iterator<Item = String> + 'a {
    fabric.switches_in_opensm_order().into_iter().map(move |switch| {
        let mut out = String::new();
        let _ = writeln!(out, "Switch: guid {}", fabric.node(switch).guid);
        for (place, &lid) in matrices.lids().iter().enumerate() {
            let owner = lids.owner(lid).map(|port| fabric.end_port_guid(port));
            line(&mut out, lid, matrices.row(switch, place), owner.map(|g| g.0));
        }
        out
    })
}

/// What a file said, as OpenSM would write it.
pub fn to_dump(dump: &Dump) -> String {
    let mut out = String::new();
    for Matrix { guid, rows, .. } in &dump.switches {
        let _ = writeln!(out, "Switch: guid {guid}");
        for Row { lid, hops, owner, .. } in rows {
            line(&mut out, *lid, hops, owner.map(|g| g.0));
        }
    }
    out
}

/// One row; none where there is no way.
fn line(out: &mut String, lid: u32, hops: &[u8], owner: Option<u64>) {
    if hops.first().is_none_or(|&least| least == NO_HOPS) {
        return;
    }
    let _ = write!(out, "0x{lid:04x}:");
    for hops in hops {
        let _ = write!(out, " {hops:02x}");
    }
    let _ = match owner {
        Some(guid) => writeln!(out, " # portguid 0x{guid:016x}"),
        None => writeln!(out),
    };
}

impl Dump {
    /// The matrices of a fabric's switches, rows for the LIDs of its switches.
    ///
    /// # Errors
    /// With a row for more ports than the switch has, and its line.
    pub fn matrices(&self, fabric: &Fabric, lids: &Lids) -> Result<HopMatrices, crate::io::ReadError> {
        let mut of: Vec<u32> =
            fabric.switches().map(|s| lids.of_switch(fabric, s)).filter(|&l| l != 0).collect();
        of.sort_unstable();
        let mut matrices = HopMatrices::new(fabric, of);
        let by_guid: rustc_hash::FxHashMap<_, NodeId> =
            fabric.switches().map(|s| (fabric.node(s).guid, s)).collect();
        for matrix in &self.switches {
            let Some(&switch) = by_guid.get(&matrix.guid) else { continue };
            for row in &matrix.rows {
                let Some(place) = matrices.place(row.lid) else { continue };
                let there = matrices.row_mut(switch, place);
                for (port, &hops) in row.hops.iter().enumerate() {
                    let Some(own) = there.get_mut(port) else {
                        let reason = format!("the switch has {} ports", there.len() - 1);
                        return Err(crate::io::ReadError::at(
                            row.line,
                            reason,
                            &format!("0x{:04x}", row.lid),
                        ));
                    };
                    *own = hops;
                }
            }
        }
        Ok(matrices)
    }
}
