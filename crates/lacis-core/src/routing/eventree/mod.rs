//! Even loads on real, imperfect trees: missing cables, spines and leaves, hosts anywhere, cables
//! between leaves. `route` accepts any fabric with levels, reaches every end node that cables
//! reach, and leaves no credit loop on one lane.
//!
//! Legal ways are those of up*/down* routing over a total order of the switches by level
//! (`order`; M. D. Schroeder et al., "Autonet", IEEE JSAC 9(8), 1991), so a packet that has gone
//! down never turns up. Among the cheapest legal ways (`reach`) each target follows a chain that
//! its place among its siblings fixes (`layout`, `targets`), after E. Zahavi, "Fat-tree routing
//! and node ordering providing contention free traffic for MPI global collectives", JPDC 72(11),
//! 2012 (D-Mod-K), with gaps where cables are missing as in J. Gliksberg et al., "High-quality fault
//! resiliency in fat trees", IEEE Micro 40(1), 2020 (Dmodc). On a whole tree that is all, and shifts
//! are free of contention. Elsewhere single entries are changed until no link carries more than
//! `SLACK` times what some link must carry (`loads`, `mend`).
//!
//! | here      | meaning                                                                    |
//! |-----------|----------------------------------------------------------------------------|
//! | `order`   | the total order; up is towards its roots                                   |
//! | `reach`   | cost of the cheapest legal way, by switch and home                          |
//! | `layout`  | the place of each switch among its siblings: the digits of D-Mod-K          |
//! | `plan`    | the hop that each entry should take, before loads are looked at             |

mod above;
mod layout;
mod loads;
mod mend;
mod order;
mod reach;
mod rows;
mod seats;
mod strays;
mod targets;
mod ways;

use crate::routing::graph::{SwitchGraph, end_ports_on};
use crate::routing::routes::Lft;
use crate::routing::{Refused, Sweep};

use above::Above;
use layout::Layout;
use loads::{Crowd, Wires};
use mend::Mend;
use order::Order;
use reach::{FAR, Reach};
use rows::Plan;
use targets::Targets;

/// How far above the least that is possible the fullest link may be, before entries are changed for it.
const SLACK: f64 = 1.02;

/// Routes a fabric with levels; uses the `roots` of the [`Options`](super::Options) where given.
///
/// # Errors
/// When the switches have no levels and no roots are given.
pub fn route(sweep: &Sweep<'_>) -> Result<Lft, Refused> {
    let Sweep { fabric, lids, options, .. } = *sweep;
    let graph = SwitchGraph::of(fabric);
    let mut order = Order::of(fabric, &graph, options.roots.as_deref())?;
    let mut reach = Reach::of(&graph, &order);
    let hosted: Vec<bool> = fabric.switches().map(|s| end_ports_on(fabric, s) > 0).collect();
    if !connects(&graph, &reach, &hosted) {
        order.bend(&graph, &hosted);
        reach = Reach::of(&graph, &order);
    }
    let layout = Layout::of(fabric, &graph, &order);
    let above = Above::of(&graph, &order);
    let targets = Targets::of(fabric, lids, &graph, &order, &layout, &above);
    let plan = Plan {
        graph: &graph,
        order: &order,
        reach: &reach,
        layout: &layout,
        above: &above,
        targets: &targets,
    };
    let mut lft = Lft::new(fabric.num_switches(), lids.max_lid());
    plan.fill(&mut lft);
    strays::fill(&plan, &mut lft);
    let (crowds, wires) = (Crowd::of(&targets), Wires::of(&graph));
    Mend::new(&plan, &wires, &mut lft, &crowds, SLACK).run();
    Ok(lft)
}

/// Whether every two switches with end nodes reach each other, where cables connect them.
fn connects(graph: &SwitchGraph, reach: &Reach, hosted: &[bool]) -> bool {
    let part = graph.components();
    let homes: Vec<usize> = (0..hosted.len()).filter(|&s| hosted[s]).collect();
    homes.iter().all(|&a| homes.iter().all(|&b| part[a] != part[b] || reach.cost(a, b) != FAR))
}
