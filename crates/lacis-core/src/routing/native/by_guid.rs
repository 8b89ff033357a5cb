//! Sweeps over a fabric whose nodes are in the order of their GUIDs, so that tables do not depend on the order in which a file
//! lists them: from a dump an engine makes the tables that it makes inside OpenSM.

use crate::fabric::{NodeId, PortId};
use crate::routing::{Refused, Sweep, Tables};
use crate::sm::lids::Lids;
use crate::sm::{Lft, RefusalReason};

/// Routes a sweep in that order. The lanes of engines that are routed so depend on LIDs alone.
///
/// # Errors
/// When a LID is given to two ports, of which one can have no path, and those of the engine.
pub(in crate::routing) fn route(
    sweep: &Sweep<'_>,
    engine: impl FnOnce(&Sweep<'_>) -> Result<Tables, Refused>,
) -> Result<Tables, Refused> {
    let Sweep { fabric, lids, .. } = *sweep;
    if let Some((lid, _)) = lids.doubled().first() {
        return Err(Refused::new(RefusalReason::LidDoubled { lid: *lid }));
    }
    let mut order: Vec<NodeId> = fabric.nodes().map(|(node, _)| node).collect();
    order.sort_by_key(|&n| (!fabric.is_switch(n), fabric.node(n).guid, n));
    if order.is_sorted() {
        return engine(sweep);
    }
    let sorted = fabric.in_order(&order);
    let mut own = Lids::none(&sorted);
    for (new, &old) in (0..).map(NodeId).zip(&order) {
        let ends = sorted.port0(new).0..;
        for (port, end) in
            std::iter::once(fabric.port0(old)).chain(fabric.ports_of(old)).zip(ends.map(PortId))
        {
            if lids.base(port) != 0 {
                own.set(end, lids.base(port), lids.lmc(port));
            }
            if lids.manager() == Some(port) {
                own.set_manager(end);
            }
        }
    }
    let switches = &order[..fabric.num_switches()];
    let rows = |from: &Lft, at: &dyn Fn(usize) -> (NodeId, NodeId)| {
        let mut to = Lft::new(from.num_switches(), from.stride() as u32 - 1);
        for (new, _) in switches.iter().enumerate() {
            let (read, written) = at(new);
            to.row_mut(written).copy_from_slice(from.row(read));
        }
        to
    };
    let previous = sweep.previous.map(|lft| rows(lft, &|new| (switches[new], NodeId(new as u32))));
    let made =
        engine(&Sweep { fabric: &sorted, lids: &own, previous: previous.as_ref(), counts: &[], ..*sweep })?;
    Ok(Tables { lft: rows(&made.lft, &|new| (NodeId(new as u32), switches[new])), lanes: made.lanes })
}
