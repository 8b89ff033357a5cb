//! Fat-tree routing as OpenSM 3.3.23's `ftree` does it, entry for entry.
//!
//! Every target (first the compute nodes, leaf by leaf; then the other adapters; then the switches)
//! is followed up the tree over the least used cables, and from every switch on the way down again,
//! setting at each switch met the way back. Leaves with fewer compute nodes than the fullest one
//! count dummies, so that the shift pattern of a full tree is kept.
//!
//! E. Zahavi et al., "Optimized InfiniBand fat-tree routing for shift all-to-all communication
//! patterns", Concurrency and Computation: Practice and Experience 22(2), 2010, tells the idea.
//! OpenSM 3.3.23 departs from the paper in many ways, and this module follows OpenSM, including
//! where it refuses a fabric and its reasons.
//!
//! Parts of a fabric that no cable between switches connects (rails, say) are routed each as the
//! OpenSM of that part would, and all refused if it refuses one.
//!
//! One thing cannot be followed: where adapters share a *leaf* switch with cables to a switch of
//! the same or a larger rank, OpenSM's order of adapters depends on memory addresses, and so
//! changes from run to run. Here it stays that of the ports, and [`is_undefined`] tells.

mod assign;
mod index;
mod port_groups;
mod pruning;
mod rank;
mod subnets;
mod tree;

use crate::fabric::{Fabric, NodeId, PortId};
use crate::routing::common::transpose::ByDestination;
use crate::routing::{Options, Refused, Sweep};
use crate::sm::lids::Lids;
use crate::sm::{LeafOrder, Lft, NO_ENTRY};
use assign::{Walk, Way};
use port_groups::ADAPTER;
use subnets::{Part, Parts};
use tree::{Role, Tree};

/// Forwarding tables by fat-tree routing.
///
/// # Errors
/// Whenever OpenSM refuses the fabric, with the reason that it logs.
pub fn route(sweep: &Sweep<'_>) -> Result<Lft, Refused> {
    let Sweep { fabric, lids, options, .. } = *sweep;
    let ports = (0..fabric.num_ports() as u32).map(PortId);
    if let Some(port) = ports.into_iter().find(|&port| lids.lmc(port) > 0) {
        let (name, lmc) = (fabric.port_name(port), lids.lmc(port));
        return Err(Refused::new(format!("port {name} has LMC {lmc}; ftree routes one LID a port only")));
    }
    let parts = Parts::of(fabric);
    let several = parts.trees().len() > 1;
    let tree = |part: Part<'_>| {
        Tree::of(fabric, lids, options, part).map_err(|refused| {
            let name = &fabric.node(part.first).description;
            let place = format!(" (in the subnet of switch \"{name}\")");
            Refused::new(refused.reason + if several { &place } else { "" })
        })
    };
    let trees: Vec<Tree> = parts.trees().into_iter().map(tree).collect::<Result<_, _>>()?;
    let mut by_destination = ByDestination::new(fabric.num_switches(), lids.max_lid() as usize + 1);
    for tree in &trees {
        route_tree(fabric, lids, options, tree, &mut by_destination);
    }
    let mut lft =
        Lft::written(fabric.num_switches(), lids.max_lid(), |tables| by_destination.transpose_to(tables));
    if options.connect_roots {
        for tree in &trees {
            connect_roots(fabric, lids, tree, &mut lft);
        }
    }
    for switch in parts.lone_switches() {
        connect_ends(fabric, lids, switch, lft.row_mut(switch));
    }
    Ok(lft)
}

/// Routes all targets of one tree.
fn route_tree(
    fabric: &Fabric,
    lids: &Lids,
    options: &Options,
    tree: &Tree,
    by_destination: &mut ByDestination,
) {
    let mut walk = Walk::<false>::new(tree, options.reverse_hops);
    walk_to_all(fabric, lids, options, tree, &mut walk, |walk, lid, _| {
        walk.write_row(by_destination.row_mut(lid));
    });
}

/// Walks to all targets of one tree, in OpenSM's order, and lets `done` look at each walk: its LID, and
/// whether that is a switch's.
fn walk_to_all<const RECORD: bool>(
    fabric: &Fabric,
    lids: &Lids,
    options: &Options,
    tree: &Tree,
    walk: &mut Walk<RECORD>,
    mut done: impl FnMut(&Walk<RECORD>, u32, bool),
) {
    for &leaf in &tree.leaves.switches {
        for end in tree.computes(leaf) {
            walk.adapter(leaf, end.number, 0);
            done(walk, end.lid, false);
        }
        for _ in tree.num_compute(leaf)..tree.leaves.most {
            walk.dummy(leaf);
        }
    }
    for end in &tree.others {
        let credit = if end.role == Role::Io { options.reverse_hops } else { 0 };
        walk.adapter(end.home, end.number, credit);
        done(walk, end.lid, false);
    }
    for &s in tree.order.iter().filter(|&&s| tree.rank[s as usize] != rank::UNRANKED) {
        let lid = lids.of_switch(fabric, NodeId(s));
        if lid != 0 {
            walk.switch(s);
            done(walk, lid, true);
        }
    }
}

/// What OpenSM notes in its hop matrices while it routes the switches' own LIDs: calls `each` with a
/// switch, a LID, the port and the hops, whenever a way is set, though it be replaced later.
///
/// # Errors
/// As [`route`].
pub(in crate::routing) fn each_hop(
    sweep: &Sweep<'_>,
    mut each: impl FnMut(NodeId, u32, u8, u8),
) -> Result<(), Refused> {
    let Sweep { fabric, lids, options, .. } = *sweep;
    for part in Parts::of(fabric).trees() {
        let tree = Tree::of(fabric, lids, options, part)?;
        let mut walk = Walk::<true>::new(&tree, options.reverse_hops);
        let mut ways: Vec<(u32, Vec<Way>)> = Vec::new();
        walk_to_all(fabric, lids, options, &tree, &mut walk, |walk, lid, is_switch| {
            if is_switch {
                walk.recorded().iter().for_each(|&(s, way)| each(NodeId(s), lid, way.port(), way.hops()));
                ways.push((lid, walk.ways()));
            }
        });
        let Some(last) = tree.leaves.switches.last().filter(|_| options.connect_roots) else { continue };
        let last_lid = lids.of_switch(fabric, NodeId(*last));
        let Some((_, to_last)) = ways.iter().find(|(lid, _)| *lid == last_lid) else { continue };
        for s in fabric.switches().filter(|s| tree.rank[s.ix()] < tree.leaf_rank) {
            for (lid, way) in ways.iter().filter(|(_, way)| way[s.ix()].port() == NO_ENTRY) {
                let (first, rest) = (to_last[s.ix()], way[*last as usize]);
                if rest.port() != NO_ENTRY {
                    each(s, *lid, first.port(), first.hops().saturating_add(rest.hops()));
                }
            }
        }
    }
    Ok(())
}

/// The table of a switch without a cable to another one.
fn connect_ends(fabric: &Fabric, lids: &Lids, switch: NodeId, row: &mut [u8]) {
    let ends = fabric.ports_of(switch).filter_map(|p| Some((p, fabric.peer(p)?)));
    let own = (fabric.port0(switch), fabric.port0(switch));
    for (port, end) in ends.chain([own]) {
        if lids.base(end) != 0 {
            row[lids.base(end) as usize] = fabric.number_of(port);
        }
    }
}

/// Lets switches above the leaves reach those switches that they have no way to by the way of the
/// last leaf.
fn connect_roots(fabric: &Fabric, lids: &Lids, tree: &Tree, lft: &mut Lft) {
    let Some(&last) = tree.leaves.switches.last() else { return };
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

/// All compute nodes in the order in which `ftree` balances them: what OpenSM writes to
/// `opensm-ftree-ca-order.dump`. MPI ranks placed in this order run shift patterns free of contention.
///
/// # Errors
/// As [`route`].
pub fn ca_order(fabric: &Fabric, lids: &Lids, options: &Options) -> Result<Vec<LeafOrder>, Refused> {
    let mut order = Vec::new();
    for part in Parts::of(fabric).trees() {
        let tree = Tree::of(fabric, lids, options, part)?;
        order.extend(tree.leaves.switches.iter().map(|&leaf| {
            let ports: Vec<PortId> = tree.computes(leaf).map(|e| e.port).collect();
            let dummies = tree.leaves.most - ports.len();
            LeafOrder { leaf: NodeId(leaf), ports, dummies }
        }));
    }
    Ok(order)
}

/// Whether OpenSM's tables for this fabric depend on memory addresses, so that two of its runs may
/// differ: a leaf switch with compute nodes has a cable to a switch of the same or a larger rank.
/// `false` where it refuses the fabric.
pub fn is_undefined(fabric: &Fabric, lids: &Lids, options: &Options) -> bool {
    let undefined = |tree: Tree| {
        let below = |s| tree.down.of(s).iter().any(|b| b.neighbour != ADAPTER);
        let odd = |s| !tree.level.of(s).is_empty() || below(s);
        fabric.switches().any(|s| tree.is_leaf(s.0) && odd(s.0))
    };
    let parts = Parts::of(fabric);
    let trees = parts.trees().into_iter().map(|part| Tree::of(fabric, lids, options, part));
    trees.collect::<Result<Vec<_>, _>>().is_ok_and(|trees| trees.into_iter().any(undefined))
}
