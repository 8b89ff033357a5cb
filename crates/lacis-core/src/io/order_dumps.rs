//! What OpenSM's engines write about what they found: `opensm-ftree-ca-order.dump`, a LID and a node
//! description a line, leaf after leaf, with `0xFFFF` and `DUMMY` where a leaf has fewer compute nodes
//! than the fullest; and `opensm-updn-roots.dump`, the GUID of a root switch a line, without zeros
//! before it.
//!
//! The grammar was read from the output of OpenSM 3.3.23 on ibsim 0.10.

use std::fmt::Write as _;

use super::text::clean;
use crate::fabric::{Fabric, NodeId};
use crate::sm::LeafOrder;
use crate::sm::lids::Lids;

/// `opensm-ftree-ca-order.dump`.
pub fn ca_order(fabric: &Fabric, lids: &Lids, leaves: &[LeafOrder]) -> String {
    let mut out = String::new();
    for leaf in leaves {
        for &port in &leaf.ports {
            let name = clean(&fabric.node(fabric.node_of(port)).description);
            let _ = writeln!(out, "0x{:04x}\t{name}", lids.base(port));
        }
        for _ in 0..leaf.dummies {
            out.push_str("0xFFFF\tDUMMY\n");
        }
    }
    out
}

/// `opensm-updn-roots.dump`.
pub fn updn_roots(fabric: &Fabric, roots: &[NodeId]) -> String {
    roots.iter().fold(String::new(), |mut out, &root| {
        let _ = writeln!(out, "0x{:x}", fabric.node(root).guid.0);
        out
    })
}
