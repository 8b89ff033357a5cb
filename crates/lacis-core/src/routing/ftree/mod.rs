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

mod bundles;
mod index;
mod parts;
mod plan;
mod rank;
mod tree;
mod walk;

use crate::fabric::{Fabric, NodeId, PortId};
use crate::lids::Lids;

use super::rows::Rows;
use super::{Lft, NO_ENTRY, Options, Refused, Sweep};
use bundles::ADAPTER;
use parts::{Part, Parts};
use tree::{Role, Tree};
use walk::Walk;

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
    let mut rows = Rows::new(fabric.num_switches(), lids.max_lid() as usize + 1);
    for tree in &trees {
        route_tree(fabric, lids, options, tree, &mut rows);
    }
    let mut lft = Lft::new(fabric.num_switches(), lids.max_lid());
    rows.transpose_to(lft.as_mut_slice());
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

/// Routes all targets of one tree, in OpenSM's order.
fn route_tree(fabric: &Fabric, lids: &Lids, options: &Options, tree: &Tree, rows: &mut Rows) {
    let mut walk = Walk::new(tree, options.reverse_hops);
    for &leaf in &tree.leaves.switches {
        for end in tree.computes(leaf) {
            walk.adapter(leaf, end.number, 0);
            walk.write_row(rows.of(end.lid));
        }
        for _ in tree.num_compute(leaf)..tree.leaves.most {
            walk.dummy(leaf);
        }
    }
    for end in &tree.others {
        let credit = if end.role == Role::Io { options.reverse_hops } else { 0 };
        walk.adapter(end.home, end.number, credit);
        walk.write_row(rows.of(end.lid));
    }
    for &s in tree.order.iter().filter(|&&s| tree.rank[s as usize] != rank::UNRANKED) {
        let lid = lids.of_switch(fabric, NodeId(s));
        if lid != 0 {
            walk.switch(s);
            walk.write_row(rows.of(lid));
        }
    }
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

/// The compute nodes of a leaf switch, in the order in which `ftree` balances them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LeafOrder {
    /// The leaf switch.
    pub leaf: NodeId,
    /// Adapter ports of its compute nodes.
    pub ports: Vec<PortId>,
    /// Number of dummies after them: what it lacks to the fullest leaf.
    pub dummies: usize,
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
