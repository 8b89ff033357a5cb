//! Fat-tree routing as OpenSM 3.3.23's `ftree` does it, entry for entry.
//!
//! E. Zahavi et al., "Optimized InfiniBand fat-tree routing for shift all-to-all communication patterns",
//! Concurrency and Computation: Practice and Experience 22(2), 2010, has the idea. OpenSM departs from the
//! paper in many points; this follows OpenSM, refusals and their reasons included. The steps:
//!
//! 1. `rank`: switches get ranks, 0 at the roots, growing towards the leaves.
//! 2. `tree`, `port_groups`: the cables from a switch to one neighbour are a group; groups lead up, down or to
//!    siblings of the same rank.
//! 3. `index`: switches get index tuples, by which groups and leaf switches are sorted.
//! 4. `assign`: from each destination a walk goes up the tree over the least used cables, and from every switch
//!    on it down to all below, setting at each switch the port back to the destination.
//!
//! | here              | meaning                                                                      |
//! |-------------------|------------------------------------------------------------------------------|
//! | `rank`            | hops from the roots                                                          |
//! | `tuple`           | where in the tree a switch sits                                              |
//! | group             | the cables from a switch to one neighbour                                    |
//! | `count[UP]`       | destinations that a walk down reached over a group, so that packets go up it |
//! | `count[DOWN]`     | destinations that a walk up reached over a group, so that packets go down it |
//! | leaf array        | the leaf switches by tuple, whose adapters come first                        |
//! | dummy             | counts as a compute node that a leaf has less than the fullest one           |
//!
//! Dummies keep the shift pattern of a full tree where leaves have fewer compute nodes than the fullest one.
//! Of the walks' steps, `pruning` leaves out those that change nothing; the tables are the same without it.
//!
//! Subnets are routed as the OpenSM of each would, and all refused if it refuses one.
//!
//! One case cannot be followed: where adapters share a *leaf* switch with cables to a switch of the same or a
//! larger rank, OpenSM's order of adapters depends on memory addresses, and so changes from run to run. Here it
//! stays that of the ports, and [`is_undefined`] says so.

mod assign;
mod index;
mod port_groups;
mod pruning;
mod rank;
mod subnets;
#[cfg(test)]
mod tests;
mod tree;

use crate::fabric::{Fabric, NodeId, PortId};
use crate::routing::common::transpose::ByDestination;
use crate::routing::{Options, Refused, Sweep};
use crate::sm::lids::Lids;
use crate::sm::{LeafOrder, Lft, NO_ENTRY, RefusalReason, TreeMisfit};
use assign::Walks;
use pruning::Pruning;
use subnets::TreeSubnet;
use tree::{RankedTree, Role};

/// Forwarding tables by fat-tree routing.
///
/// # Errors
/// Whenever OpenSM refuses the fabric, with the reason that it logs.
pub fn route(sweep: &Sweep<'_>) -> Result<Lft, Refused> {
    route_with(sweep, Pruning::of)
}

/// The same with what `pruning` leaves out for a tree and the hops that I/O nodes may go in reverse.
fn route_with(sweep: &Sweep<'_>, pruning: impl Fn(&RankedTree, u8) -> Pruning) -> Result<Lft, Refused> {
    let Sweep { fabric, lids, options, .. } = *sweep;
    let subnets = subnets::of(fabric);
    let trees = trees(fabric, lids, options, &subnets)?;
    let mut by_destination = ByDestination::new(fabric.num_switches(), lids.max_lid() as usize + 1);
    for tree in &trees {
        let pruning = pruning(tree, options.reverse_hops);
        let mut walks = Walks::new(tree, &pruning);
        to_all(sweep, tree, &mut walks, |walks, lid, _| {
            by_destination.row_mut(lid).copy_from_slice(&walks.port);
        });
    }
    let mut lft = by_destination.lft();
    if options.connect_roots {
        for tree in &trees {
            connect_roots(fabric, lids, tree, &mut lft);
        }
    }
    for subnet in subnets.iter().filter(|subnet| subnet.switches.len() == 1) {
        connect_cas(fabric, lids, subnet.switches[0], lft.row_mut(subnet.switches[0]));
    }
    Ok(lft)
}

/// The trees of a fabric, ranked, indexed and found regular unless their roots are named.
fn trees(
    fabric: &Fabric,
    lids: &Lids,
    options: &Options,
    subnets: &[TreeSubnet],
) -> Result<Vec<RankedTree>, Refused> {
    let mut ports = (0..fabric.num_ports() as u32).map(PortId);
    if let Some(port) = ports.find(|&port| lids.lmc(port) > 0) {
        let (port, lmc) = (fabric.port_name(port), lids.lmc(port));
        return Err(Refused::new(RefusalReason::LmcSet { port, lmc }));
    }
    if subnets.is_empty() {
        return Err(Refused::new(TreeMisfit::SwitchesFew { switches: 0 }));
    }
    let build = |subnet: &TreeSubnet| -> Result<RankedTree, Refused> {
        let mut tree = RankedTree::ranked(fabric, lids, options, subnet)?;
        index::index(&mut tree, options.quasi_ftree)?;
        if options.roots.is_none() {
            tree::check_regularity(&tree, fabric)?;
        }
        Ok(tree)
    };
    let chosen = subnets::trees(subnets);
    let of_several = |subnet: &TreeSubnet, refused: Refused| match subnet.first() {
        Some(first) if chosen.len() > 1 => refused.within(&fabric.node(first).description),
        _ => refused,
    };
    chosen.iter().map(|&subnet| build(subnet).map_err(|refused| of_several(subnet, refused))).collect()
}

/// Walks to all destinations of one tree, in OpenSM's order: the compute nodes leaf by leaf, the other adapters, the
/// switches. After each walk `done` gets its LID, and whether that is a switch's.
fn to_all<'a>(
    sweep: &Sweep<'_>,
    tree: &'a RankedTree,
    walks: &mut Walks<'a>,
    mut done: impl FnMut(&Walks<'a>, u32, bool),
) {
    let most = tree.most_compute_nodes();
    for &leaf in &tree.leaves {
        for ca_port in tree.compute_nodes(leaf) {
            walks.route_to_ca(leaf, ca_port.number, 0);
            done(walks, ca_port.lid, false);
        }
        for _ in tree.compute_nodes(leaf).count()..most {
            walks.count_dummy(leaf);
        }
    }
    for ca_port in tree.ca_ports.iter().filter(|p| p.role != Role::Compute) {
        let credit = if ca_port.role == Role::Io { sweep.options.reverse_hops } else { 0 };
        walks.route_to_ca(ca_port.switch, ca_port.number, credit);
        done(walks, ca_port.lid, false);
    }
    for &s in &tree.order {
        let lid = sweep.lids.of_switch(sweep.fabric, NodeId(s));
        if lid != 0 {
            walks.route_to_switch(s);
            done(walks, lid, true);
        }
    }
}

/// Lets switches above the leaves reach, over the last leaf, the switches that they have no path to.
fn connect_roots(fabric: &Fabric, lids: &Lids, tree: &RankedTree, lft: &mut Lft) {
    let Some(&last) = tree.leaves.last() else { return };
    let to_last = lids.of_switch(fabric, NodeId(last)) as usize;
    let from_last: Vec<u32> = fabric
        .switches()
        .map(|s| lids.of_switch(fabric, s))
        .filter(|&lid| lid != 0 && lft.get(NodeId(last), lid) != NO_ENTRY)
        .collect();
    for s in fabric.switches().filter(|s| tree.rank[s.ix()] < tree.leaf_rank) {
        let row = lft.row_mut(s);
        let via = row[to_last];
        for &lid in &from_last {
            if row[lid as usize] == NO_ENTRY {
                row[lid as usize] = via;
            }
        }
    }
}

/// The table of a switch that is a subnet alone: its end nodes and itself.
fn connect_cas(fabric: &Fabric, lids: &Lids, switch: NodeId, row: &mut [u8]) {
    let ends = fabric.ports_of(switch).filter_map(|p| Some((p, fabric.peer(p)?)));
    let own = (fabric.port0(switch), fabric.port0(switch));
    for (port, end) in ends.chain([own]) {
        if lids.base(end) != 0 {
            row[lids.base(end) as usize] = fabric.number_of(port);
        }
    }
}

/// What OpenSM notes in its hop matrices while it routes to switches: calls `each` with a switch, a LID, the port
/// and the hops, whenever a port is set, though it be replaced later.
///
/// # Errors
/// As [`route`].
pub(in crate::routing) fn each_hop(
    sweep: &Sweep<'_>,
    mut each: impl FnMut(NodeId, u32, u8, u8),
) -> Result<(), Refused> {
    let Sweep { fabric, lids, options, .. } = *sweep;
    for tree in &trees(fabric, lids, options, &subnets::of(fabric))? {
        let pruning = Pruning::of(tree, options.reverse_hops);
        let mut walks = Walks::new(tree, &pruning);
        walks.record = Some(Vec::new());
        // By switch: LID, and ports and hops of all switches to it.
        let mut to_switches: Vec<(u32, Vec<u8>, Vec<u8>)> = Vec::new();
        to_all(sweep, tree, &mut walks, |walks, lid, is_switch| {
            if is_switch {
                for set in walks.record.iter().flatten() {
                    each(NodeId(set.switch), lid, set.port, set.hops);
                }
                to_switches.push((lid, walks.port.clone(), walks.hop.clone()));
            }
        });
        let Some(&last) = tree.leaves.last().filter(|_| options.connect_roots) else { continue };
        let last_lid = lids.of_switch(fabric, NodeId(last));
        let Some((_, to_last, hops_to_last)) = to_switches.iter().find(|(lid, ..)| *lid == last_lid) else {
            continue;
        };
        for s in fabric.switches().filter(|s| tree.rank[s.ix()] < tree.leaf_rank) {
            for (lid, port, hop) in to_switches.iter().filter(|(_, port, _)| port[s.ix()] == NO_ENTRY) {
                if port[last as usize] != NO_ENTRY {
                    let hops = hops_to_last[s.ix()].saturating_add(hop[last as usize]);
                    each(s, *lid, to_last[s.ix()], hops);
                }
            }
        }
    }
    Ok(())
}

/// All compute nodes in the order in which `ftree` balances them: what OpenSM writes to
/// `opensm-ftree-ca-order.dump`. MPI ranks in this order run shift patterns free of contention.
///
/// # Errors
/// As [`route`].
pub fn ca_order(fabric: &Fabric, lids: &Lids, options: &Options) -> Result<Vec<LeafOrder>, Refused> {
    let mut order = Vec::new();
    for tree in trees(fabric, lids, options, &subnets::of(fabric))? {
        let most = tree.most_compute_nodes();
        order.extend(tree.leaves.iter().map(|&leaf| {
            let ports: Vec<PortId> = tree.compute_nodes(leaf).map(|p| p.port).collect();
            LeafOrder { leaf: NodeId(leaf), dummies: most - ports.len(), ports }
        }));
    }
    Ok(order)
}

/// The leaves in the order in which `ftree` balances them with its default options, so that a shift from leaf to leaf in
/// this order suits its tables; none where it refuses the fabric.
pub fn leaf_order(fabric: &Fabric, lids: &Lids) -> Option<Vec<NodeId>> {
    let balanced = ca_order(fabric, lids, &Options::default()).ok()?;
    Some(balanced.iter().map(|l| l.leaf).collect())
}

/// Whether OpenSM's tables for this fabric depend on memory addresses, so that two of its runs may
/// differ: a leaf switch with compute nodes has a cable to a switch of the same or a larger rank.
/// `false` where it refuses the fabric.
pub fn is_undefined(fabric: &Fabric, lids: &Lids, options: &Options) -> bool {
    let is_odd = |tree: &RankedTree, s: u32| {
        tree.is_leaf(s) && (!tree.sibling.of(s).is_empty() || tree.down.switches(s).next().is_some())
    };
    trees(fabric, lids, options, &subnets::of(fabric))
        .is_ok_and(|trees| trees.iter().any(|tree| tree.order.iter().any(|&s| is_odd(tree, s))))
}
