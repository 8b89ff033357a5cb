//! Even loads on real, imperfect trees: missing cables, spines and leaves, hosts anywhere, cables
//! between leaves.
//!
//! What it promises, on any fabric with levels:
//!
//! * it reaches every end node that cables reach;
//! * no credit loop on one lane: legal ways are those of up*/down* routing over a total order of the
//!   switches (M. D. Schroeder et al., "Autonet", IEEE JSAC 9(8), 1991), so nothing that has gone down
//!   ever turns up;
//! * shifts are free of contention wherever ftree's are;
//! * where the tree is damaged, no link carries much more than some link must, and a cable that dies
//!   changes little besides the entries that used it.
//!
//! How: among the cheapest legal ways (`reach`) each target follows a *chain* of switches that its
//! place among its siblings fixes (`targets`), after E. Zahavi, "Fat-tree routing and node ordering
//! providing contention free traffic for MPI global collectives", JPDC 72(11), 2012 (D-Mod-K, which
//! has parallel cables too), with gaps where cables are missing (`layout`), as in J. Gliksberg et al.,
//! "High-quality fault resiliency in fat trees", IEEE Micro 40(1), 2020 (Dmodc). Who cannot follow a chain
//! is dealt out over what is left (`rows`). On a whole tree that is all. Elsewhere loads are counted
//! (`loads`), and single entries are changed until no link carries more than some link must (`mend`).
//! Where the order must be bent (`bend`) and that leaves a link much too full, the tables of numbered for one lane
//! are taken if they are more even.
//! What leaves have in common, their goals (`shapes`) or their entries (`loads`), is looked at once for all.
//!
//! | here      | in the papers                                                               |
//! |-----------|-----------------------------------------------------------------------------|
//! | `order`   | up and down: the level of D-Mod-K, Autonet's tree where that has no levels   |
//! | `reach`   | Dmodc's cost, with the ways down told apart                                 |
//! | `ordinal` | the digits of a switch in a parallel-ports generalised fat tree             |
//! | `slot`    | the index of an up-going port; a gap keeps its index                        |
//! | `number`  | the destination's index, divided by the arity on each level                 |
//! | `goal`    | the switch of the destination's chain on a level                            |
//!
//! It departs from Dmodc in that it counts: numbers are divided by how many parents a switch should
//! have, not by how many it has, hosts that do not divide evenly over their leaf's uplinks are dealt
//! round source by source, and what is uneven after all is mended.

mod above;
mod bend;
mod layout;
mod loads;
mod mend;
mod order;
mod reach;
mod rows;
mod seats;
mod shapes;
mod strays;
mod targets;
mod ways;
mod widen;

use crate::fabric::NodeKind;
use crate::routing::graph::{SwitchGraph, end_ports_on};
use crate::routing::routes::Lft;
use crate::routing::{Options, Refused, Sweep, numbered};

use above::Above;
use bend::{Bend, pairs_apart};
use layout::Layout;
use loads::{Crowd, Wires};
use mend::Mend;
use order::Order;
use reach::Reach;
use rows::Plan;
use shapes::Shapes;
use targets::Targets;

/// Routes a fabric with levels; uses the `roots` of the [`Options`] where given.
///
/// # Errors
/// When the switches have no levels and no roots are given, or when ways are too long.
pub fn route(sweep: &Sweep<'_>) -> Result<Lft, Refused> {
    let Sweep { fabric, lids, options, .. } = *sweep;
    let graph = SwitchGraph::of(fabric);
    let mut order = Order::of(fabric, &graph, options.roots.as_deref())?;
    let hosted: Vec<bool> = fabric.switches().map(|s| end_ports_on(fabric, s) > 0).collect();
    let is_host = |port| fabric.node(fabric.node_of(port)).kind == NodeKind::Adapter;
    let has_hosts = |s| fabric.ports_of(s).filter_map(|port| fabric.peer(port)).any(is_host);
    let with_hosts: Vec<bool> = fabric.switches().map(has_hosts).collect();
    let mut reach = Reach::of(&graph, &order, &with_hosts);
    let mut is_bent = false;
    while let Some(bend) = Bend::needed(&graph, &order, &reach, &with_hosts) {
        is_bent = true;
        bend.apply(&graph, &mut order);
        reach = Reach::of(&graph, &order, &with_hosts);
    }
    // Aggregation nodes on tops need no short paths to each other.
    widen::widen(&graph, &mut order, &hosted);
    let reach = Reach::of(&graph, &order, &hosted);
    if !pairs_apart(&graph, &reach, &hosted).is_empty() {
        return Err(Refused::new(
            "some switches are more than 254 levels up and down from each other; name other root switches, \
             or use numbered",
        ));
    }
    let layout = Layout::of(fabric, &graph, &order);
    let above = Above::of(&graph, &order);
    let targets = Targets::of(fabric, lids, &graph, &order, &layout, &above);
    let shapes = Shapes::of(&targets);
    let plan = Plan {
        graph: &graph,
        order: &order,
        reach: &reach,
        layout: &layout,
        above: &above,
        targets: &targets,
        shapes: &shapes,
    };
    let mut lft = Lft::new(fabric.num_switches(), lids.max_lid());
    plan.fill(&mut lft);
    strays::fill(&plan, &mut lft);
    let (crowds, wires) = (Crowd::of(&targets), Wires::of_all(&graph));
    let uneven = Mend::new(&plan, &wires, &mut lft, &crowds).run();
    if let Some(most) = uneven.filter(|_| is_bent) {
        // Ways turn up again at few switches, and with ways of their own at each: numbered, which has no order, may
        // spread them better.
        let options = Options { nue_vls: 1, ..options.clone() };
        let other = numbered::route(&Sweep { options: &options, ..*sweep })?.lft;
        let theirs: Vec<u64> = crowds.iter().map(|crowd| crowd.fullest(&plan, &other, &wires)).collect();
        if theirs != most && theirs.iter().zip(&most).all(|(theirs, most)| theirs <= most) {
            return Ok(other);
        }
    }
    Ok(lft)
}
