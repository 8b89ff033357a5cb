//! The rank of every switch: 0 at the roots, growing towards the leaves.

use rustc_hash::FxHashMap;

use super::subnets::Part;
use crate::fabric::{Fabric, Guid, NodeId, NodeKind};
use crate::routing::Refused;
use crate::sm::lids::Lids;

/// Rank of a switch that the tree does not contain.
pub(super) const UNRANKED: u32 = u32::MAX;

/// Whether OpenSM sees a channel adapter here. Routers play no part in fat-tree routing.
pub(super) fn is_adapter(fabric: &Fabric, node: NodeId) -> bool {
    matches!(fabric.node(node).kind, NodeKind::Adapter | NodeKind::Aggregation)
}

/// The end nodes with a cable to a switch of a part, in OpenSM's order.
pub(super) fn end_nodes(fabric: &Fabric, part: Part<'_>) -> Vec<NodeId> {
    let mut nodes = fabric.nodes_in_opensm_order();
    let homes = |n: NodeId| fabric.ports_of(n).filter_map(|p| fabric.peer(p)).map(|q| fabric.node_of(q));
    nodes.retain(|&n| !fabric.is_switch(n) && homes(n).any(|s| part.has(fabric, s)));
    nodes
}

/// Refuses what OpenSM refuses before it ranks: several LIDs a port, too few switches or adapters,
/// adapters cabled back to back.
pub(super) fn check_population(
    fabric: &Fabric,
    lids: &Lids,
    part: Part<'_>,
    end_nodes: &[NodeId],
) -> Result<(), Refused> {
    let ports = |n: NodeId| fabric.port(n, 0).into_iter().chain(fabric.ports_of(n));
    if fabric.nodes().any(|(n, _)| ports(n).any(|p| lids.lmc(p) > 0)) {
        return Err(Refused::new("LMC > 0 is not supported by fat-tree routing"));
    }
    let cabled = |n: &NodeId| fabric.ports_of(*n).any(|p| fabric.peer(p).is_some());
    let switches = fabric.switches().filter(|s| part.has(fabric, *s) && cabled(s)).count();
    if switches < 2 {
        return Err(Refused::new(format!("Fabric has {switches} switches - topology is not fat-tree")));
    }
    if end_nodes.len() < 2 {
        let nodes = switches + end_nodes.len();
        let reason = format!("Fabric has {nodes} nodes ({switches} switches) - topology is not fat-tree");
        return Err(Refused::new(reason));
    }
    let count = end_nodes.iter().filter(|&&n| is_adapter(fabric, n)).count();
    if count < 2 {
        return Err(Refused::new(format!("Fabric has {count} CAs - topology is not fat-tree")));
    }
    for &node in end_nodes.iter().filter(|&&n| is_adapter(fabric, n)) {
        for port in fabric.ports_of(node) {
            let Some(other) = fabric.peer(port).map(|q| fabric.node_of(q)) else { continue };
            if is_adapter(fabric, other) {
                let (a, b) = (fabric.node(node).guid, fabric.node(other).guid);
                return Err(Refused::new(format!("CA connected directly to another CA: {a} <---> {b}")));
            }
        }
    }
    Ok(())
}

/// Ranks from the given root switches (in the order of the list) where at least one exists;
/// otherwise the switches farthest from those with adapters are the roots.
///
/// # Errors
/// When every ranked switch is a root and there are several.
pub(super) fn rank(
    fabric: &Fabric,
    part: Part<'_>,
    adapters: &[NodeId],
    roots: Option<&[Guid]>,
) -> Result<Ranks, Refused> {
    let given = roots.map(|list| named_switches(fabric, part, list)).filter(|r| !r.is_empty());
    let of_switch = if let Some(roots) = given {
        spread(fabric, &roots)
    } else {
        let homes: Vec<NodeId> = adapters
            .iter()
            .flat_map(|&n| fabric.ports_of(n))
            .filter(|&p| fabric.peer(p).is_some())
            .filter_map(|p| fabric.home(p))
            .filter(|&s| part.has(fabric, s))
            .collect();
        let level = spread(fabric, &homes);
        let top = level.iter().copied().filter(|&l| l != UNRANKED).max();
        let mut order = fabric.switches_in_opensm_order();
        order.retain(|s| Some(level[s.ix()]) == top);
        spread(fabric, &order)
    };
    let ranked = || of_switch.iter().copied().filter(|&r| r != UNRANKED);
    let max = ranked().max().unwrap_or(0);
    if max == 0 && ranked().count() > 1 {
        return Err(Refused::new("Found more than one root on fabric with maximum rank 0"));
    }
    Ok(Ranks { of_switch, max })
}

/// What [`rank`] finds.
pub(super) struct Ranks {
    /// By switch; [`UNRANKED`] where no root is within reach.
    pub(super) of_switch: Vec<u32>,
    /// The largest rank.
    pub(super) max: u32,
}

fn named_switches(fabric: &Fabric, part: Part<'_>, guids: &[Guid]) -> Vec<NodeId> {
    let switches = fabric.switches().filter(|&s| part.has(fabric, s));
    let by_guid: FxHashMap<Guid, NodeId> = switches.map(|s| (fabric.node(s).guid, s)).collect();
    guids.iter().filter_map(|guid| by_guid.get(guid).copied()).collect()
}

/// Hops from the nearest of `sources`, over cables between switches.
fn spread(fabric: &Fabric, sources: &[NodeId]) -> Vec<u32> {
    let mut distance = vec![UNRANKED; fabric.num_switches()];
    let mut queue = Vec::with_capacity(fabric.num_switches());
    for &s in sources {
        if std::mem::replace(&mut distance[s.ix()], 0) != 0 {
            queue.push(s);
        }
    }
    let mut head = 0;
    while let Some(&s) = queue.get(head) {
        head += 1;
        for other in fabric.ports_of(s).filter_map(|p| fabric.peer(p)).map(|q| fabric.node_of(q)) {
            if fabric.is_switch(other) && distance[other.ix()] == UNRANKED {
                distance[other.ix()] = distance[s.ix()] + 1;
                queue.push(other);
            }
        }
    }
    distance
}
