//! What a dead cable has to do with an entry.

use lacis_core::fabric::{Fabric, NodeId};
use lacis_core::sm::lids::Lids;
use lacis_core::sm::{NO_ENTRY, Routes};

/// The LIDs of a fabric on what is left of it; nodes and ports are numbered as before.
pub fn lids_by_node(fabric: &Fabric, lids: &Lids, left: &Fabric) -> Lids {
    assert_eq!(fabric.num_ports(), left.num_ports());
    let mut same = Lids::none(left);
    for (lid, port) in lids.assigned() {
        same.set(port, lid, lids.lmc(port));
    }
    same
}

/// By switch and LID: whether the path from there used a cable that is not left. No traffic goes to
/// switches, whose entries count all the same.
pub fn using(fabric: &Fabric, routes: &Routes, left: &Fabric) -> Vec<bool> {
    let stride = routes.lft.stride();
    let mut using = vec![false; fabric.num_switches() * stride];
    for (lid, _) in routes.lids.assigned() {
        for s in fabric.switches() {
            let mut at = s;
            for _ in 0..fabric.num_switches() {
                let entry = routes.lft.get(at, lid);
                let Some(port) = fabric.port(at, entry).filter(|_| entry != 0 && entry != NO_ENTRY) else {
                    break;
                };
                let Some(far) = fabric.peer(port) else { break };
                if left.peer(port).is_none() {
                    using[s.ix() * stride + lid as usize] = true;
                    break;
                }
                let next: NodeId = fabric.node_of(far);
                if !fabric.is_switch(next) {
                    break;
                }
                at = next;
            }
        }
    }
    using
}
