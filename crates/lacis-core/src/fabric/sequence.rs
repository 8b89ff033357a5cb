//! The sequence of switches, which decides between equals: the same whatever ports cables are in and in whatever order a file lists nodes.

use super::{Fabric, NodeId};
use crate::natural::natural;

/// The leaves and then the others, by name, or by GUID where names do not tell them apart; and whether names do tell leaves apart.
pub(super) fn sequence(fabric: &Fabric, level: &[u8]) -> (Vec<u32>, bool) {
    let (mut leaves, mut others): (Vec<u32>, Vec<u32>) =
        (0..level.len() as u32).partition(|&s| level[s as usize] == 0);
    let is_named = sort_by_name(fabric, &mut leaves);
    sort_by_name(fabric, &mut others);
    leaves.append(&mut others);
    (leaves, is_named)
}

/// Sorts switches by name. Where a name does not tell a switch from others, as they share it or it is made of the GUID
/// (`OmniPth00117501ff56c2e1`), by GUID; whether names do.
fn sort_by_name(fabric: &Fabric, switches: &mut [u32]) -> bool {
    let guid = |s: u32| fabric.node(NodeId(s)).guid;
    let is_named = |&s: &u32| {
        let digits = guid(s).to_string();
        !fabric.name(NodeId(s)).to_lowercase().contains(digits.trim_start_matches("0x"))
    };
    let are_named = switches.iter().all(is_named);
    if are_named {
        switches.sort_by(|&a, &b| natural(&fabric.name(NodeId(a)), &fabric.name(NodeId(b))));
    } else {
        switches.sort_unstable_by_key(|&s| (guid(s), s));
    }
    are_named
}
