//! Writing hop matrices.

use std::fmt::Write as _;

use super::read::{HopMatrixDump, HopRow, SwitchMatrix};
use crate::fabric::{Fabric, NodeId};
use crate::sm::hop_matrix::{HopMatrices, NO_HOPS};
use crate::sm::lids::Lids;

/// A fabric's matrices, one text a switch in OpenSM's order.
pub fn write<'a>(
    fabric: &'a Fabric,
    lids: &'a Lids,
    matrices: &'a HopMatrices,
) -> impl Iterator<Item = String> + 'a {
    fabric.switches_in_opensm_order().into_iter().map(move |switch| {
        let mut out = String::new();
        let _ = writeln!(out, "Switch: guid {}", fabric.node(switch).guid);
        for (index, &lid) in matrices.lids().iter().enumerate() {
            let owner = lids.owner(lid).map(|port| fabric.end_port_guid(port));
            line(&mut out, lid, matrices.row(switch, index), owner.map(|g| g.0));
        }
        out
    })
}

/// What a file said, as OpenSM would write it.
pub fn to_dump(dump: &HopMatrixDump) -> String {
    let mut out = String::new();
    for SwitchMatrix { guid, rows, .. } in &dump.switches {
        let _ = writeln!(out, "Switch: guid {guid}");
        for HopRow { lid, hops, owner, .. } in rows {
            line(&mut out, *lid, hops, owner.map(|g| g.0));
        }
    }
    out
}

/// One row; none without a path.
fn line(out: &mut String, lid: u32, hops: &[u8], owner: Option<u64>) {
    if hops.iter().all(|&hops| hops == NO_HOPS) {
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

impl HopMatrixDump {
    /// The matrices of a fabric's switches, rows for the LIDs of its switches, as OpenSM 3.3.23 loads them:
    /// the later of two rows for a LID counts; its least hops are its least number, whatever the column of
    /// port 0 has; hops beyond a switch's ports, other LIDs and other switches are ignored.
    pub fn matrices(&self, fabric: &Fabric, lids: &Lids) -> HopMatrices {
        let of = fabric.switches().map(|s| lids.of_switch(fabric, s)).filter(|&l| l != 0).collect();
        self.fill(fabric, of)
    }

    /// The matrices of a fabric's switches as [`Self::matrices`] has them, with rows for all assigned LIDs that the file has.
    pub fn all_matrices(&self, fabric: &Fabric, lids: &Lids) -> HopMatrices {
        let rows = self.switches.iter().flat_map(|s| &s.rows);
        self.fill(fabric, rows.map(|row| row.lid).filter(|&lid| lid <= lids.max_lid()).collect())
    }

    fn fill(&self, fabric: &Fabric, mut of: Vec<u32>) -> HopMatrices {
        of.sort_unstable();
        of.dedup();
        let mut matrices = HopMatrices::new(fabric, of);
        let by_guid: rustc_hash::FxHashMap<_, NodeId> =
            fabric.switches().map(|s| (fabric.node(s).guid, s)).collect();
        for matrix in &self.switches {
            let Some(&switch) = by_guid.get(&matrix.guid) else { continue };
            for row in &matrix.rows {
                let Some(index) = matrices.index(row.lid) else { continue };
                let there = matrices.row_mut(switch, index);
                let mut least = NO_HOPS;
                for (own, &hops) in there.iter_mut().zip(&row.hops) {
                    *own = hops;
                    least = least.min(hops);
                }
                there[0] = least;
            }
        }
        matrices
    }
}
