//! Hops between switches, by cables alone.

use crate::fabric::switch_graph::SwitchGraph;
use crate::fabric::{Fabric, NodeId};

/// Hops of each switch from the nearest of some; `u32::MAX` where no cables lead there. updn and ftree rank switches
/// by those from their roots.
pub fn hops_from(fabric: &Fabric, some: &[NodeId]) -> Vec<u32> {
    let chosen: Vec<bool> = fabric.switches().map(|switch| some.contains(&switch)).collect();
    SwitchGraph::of(fabric).hops_from(&chosen)
}
