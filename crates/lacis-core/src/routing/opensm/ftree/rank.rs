//! The rank of every switch: hops from the roots, so that it grows towards the leaves.

use rustc_hash::FxHashSet;

use super::subnets::{TreeSubnet, is_ca};
use crate::fabric::switch_graph::SwitchGraph;
use crate::fabric::{Fabric, Guid};
use crate::routing::Refused;
use crate::sm::TreeMisfit;

/// Rank of a switch of another subnet.
pub(super) const UNRANKED: u32 = u32::MAX;

/// The ranks by switch, and the largest.
///
/// The given roots have rank 0 where the subnet has one of them; otherwise those switches that are farthest
/// from all switches with adapters.
///
/// # Errors
/// When every switch is a root and there are several.
pub(super) fn rank(
    fabric: &Fabric,
    subnet: &TreeSubnet,
    roots: Option<&[Guid]>,
) -> Result<(Vec<u32>, u32), Refused> {
    let graph = SwitchGraph::of(fabric);
    let named: FxHashSet<&Guid> = roots.into_iter().flatten().collect();
    let mut is_root = vec![false; fabric.num_switches()];
    for &switch in &subnet.switches {
        is_root[switch.ix()] = named.contains(&fabric.node(switch).guid);
    }
    if !is_root.contains(&true) {
        let mut has_cas = vec![false; fabric.num_switches()];
        for &switch in &subnet.switches {
            let mut peers = fabric.ports_of(switch).filter_map(|p| fabric.peer(p));
            has_cas[switch.ix()] = peers.any(|q| is_ca(fabric, fabric.node_of(q)));
        }
        let level = graph.hops_from(&has_cas);
        let top = subnet.switches.iter().map(|s| level[s.ix()]).max();
        for &switch in &subnet.switches {
            is_root[switch.ix()] = Some(level[switch.ix()]) == top;
        }
    }
    let rank = graph.hops_from(&is_root);
    let max = subnet.switches.iter().map(|s| rank[s.ix()]).max().unwrap_or(0);
    if max == 0 && subnet.switches.len() > 1 {
        return Err(Refused::new(TreeMisfit::RootsAlone));
    }
    Ok((rank, max))
}
