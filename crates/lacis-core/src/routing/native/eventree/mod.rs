//! Even loads on real, imperfect trees: missing cables, spines and leaves, hosts anywhere, cables
//! between leaves.
//!
//! What it promises, on any fabric with levels:
//!
//! * it reaches every end node that cables reach;
//! * no credit loop on one lane: legal paths are those of up*/down* routing over a total order of the
//!   switches (M. D. Schroeder et al., "Autonet", IEEE JSAC 9(8), 1991), so nothing that has gone down
//!   ever turns up;
//! * on a whole tree, whatever ports its cables are in, no two flows of a shift share a link, in the order of hosts
//!   of [`leaf_order`], where no subtree has fewer cables up than hosts; with fewer, no more than must, unless that would cost evenness;
//! * elsewhere no link carries much more than some link must, a host's own included, and a cable that dies changes little besides
//!   the entries that used it.
//!
//! How: among the cheapest legal paths (`reach`) each target follows a *chain* of switches that its number
//! fixes (`targets`), after E. Zahavi, "Fat-tree routing and node ordering providing contention free traffic
//! for MPI global collectives", JPDC 72(11), 2012 (D-Mod-K), with gaps where cables are missing (`layout`), as in
//! J. Gliksberg et al., "High-quality fault resiliency in fat trees", IEEE Micro 40(1), 2020 (Dmodc). A leaf
//! that cannot follow takes the hop that it uses least, and hosts that are left over where a leaf's do not fill its
//! uplinks evenly are dealt round (`fill`). On a whole tree that is all; where its numbers do not close there, other ones are found (`numbering`,
//! `padding`, `ring`). Elsewhere flows are
//! counted, and single entries are moved where links are too full (`even`), and sequences of them where no single one
//! helps (`augment`); then others, so that less contends. Where leaves have lost all switches above both and that is not enough, or
//! links are far from even, numbered's tables may be taken.
//!
//! | here     | in the papers                                                                |
//! |----------|------------------------------------------------------------------------------|
//! | `order`  | up and down: the level of D-Mod-K, Autonet's tree where that has no levels    |
//! | `reach`  | Dmodc's cost, and that of paths down alone                                    |
//! | `slot`   | the index of an up-going port, in the order of planes; a gap keeps its index |
//! | `number` | the destination's index, divided by the arity on each level                  |
//! | `goal`   | the switch of the destination's chain on a level                             |
//!
//! It departs from Dmodc in that gaps keep their index, and in that it counts. In a sweep after losses the entries before stay
//! where they still serve (`kept`).

mod augment;
mod bend;
mod even;
mod fill;
mod flows;
mod layout;
mod numbering;
mod order;
mod padding;
mod reach;
mod ring;
mod strays;
mod targets;

use super::{kept, numbered};
use crate::cuts;
use crate::fabric::switch_graph::{SwitchGraph, end_ports_on};
use crate::fabric::tree::Tree;
use crate::fabric::{Fabric, Guid, NodeId, Population, leaf_order_of};
use crate::routing::{Options, Refused, Sweep};
use crate::sm::{Lft, RefusalReason};
use even::Visits;
use fill::{LooseEntries, TablePlan};
use flows::Flows;
use layout::Layout;
use numbering::Way;
use order::LevelOrder;
use reach::{FAR, Reach};
use targets::TreeTargets;

/// How much more than some link must carry the fullest may carry [%]: evener tables would cost shifts.
const SLACK: u64 = 2;
/// How much more it may carry where an entry more is more than that, and shifts gain [%].
const SLACK_OF_AN_ENTRY: u64 = 5;
/// By how much the squares of flows in shifts must fall for that [%].
const LESS_CONTENTION: u64 = 3;
/// Tables with no more entries are evened out a second time where a link carries even more than that, or an entry more is that much.
const TRIED_AGAIN: usize = 1 << 22;
/// The same where hosts hang on tops: what they send and receive takes few cables, and evening that out would disturb the others.
const SLACK_BESIDE_TOPS: u64 = 10;
/// The same where they are so many that tops are lowered: all that they send turns on few cables.
const SLACK_BESIDE_LOWERED: u64 = 25;
/// Numbers that begin with the first slot on each leaf are tried with so many leaves at most: with more they suited shifts on no tree.
const FEW_LEAVES: usize = 8;
/// Where the fullest link carries so much of what some must [%], other paths than those of an order are looked at.
const FAR_FROM_EVEN: u64 = 150;
/// How much more it may carry so that few entries change after a loss [%].
const SLACK_OF_KEPT: u64 = 15;

/// Routes a fabric with levels; uses the `roots` of the [`Options`] where given.
///
/// # Errors
/// When the switches have no levels and no roots are given, or when paths are too long.
pub fn route(sweep: &Sweep<'_>) -> Result<Lft, Refused> {
    let Sweep { fabric, lids, options, .. } = *sweep;
    let graph = SwitchGraph::of(fabric);
    let level = order::levels(fabric, &graph, options.roots.as_deref())?;
    let tree = Tree::of(fabric, &graph, &level);
    let mut order = LevelOrder::of(&graph, level, &tree.position);
    let hosted: Vec<bool> = fabric.switches().map(|s| end_ports_on(fabric, s) > 0).collect();
    let are_leaves_apart = bend::are_leaves_apart(&graph, &order, &hosted);
    let ports = fabric.end_ports(Population::Hosts);
    let receivers = |port| lids.range(port).len() as u64;
    let mut hosts = vec![0; fabric.num_switches()];
    ports.iter().filter_map(|&port| fabric.edge_switch(port)).for_each(|s| hosts[s.ix()] += 1);
    let usual = || cuts::forced_by_switches(fabric, &ports, receivers);
    let is_top = |s: usize| order.level[s] > 0 && order.above(&graph, s).next().is_none();
    let is_beside_tops = (0..hosts.len()).any(|s| hosts[s] > 0 && is_top(s));
    let is_lowered = bend::lower_tops(&graph, &mut order, &hosted, &hosts, &tree.position, usual);
    bend::bend(&graph, &mut order, &hosted);
    let reach = Reach::of(&graph, &order, &hosted);
    if is_apart(&graph, &reach, &hosted) {
        return Err(Refused::new(RefusalReason::LevelsFar { most: u32::from(FAR) - 1 }));
    }
    let layout = Layout::of(&graph, &order, &tree);
    let above = order.all_above(&graph);
    let targets_for = |way| TreeTargets::of(fabric, lids, &graph, &order, &tree, &layout, way);
    let targets = targets_for(Way::Usual);
    let plan = TablePlan {
        graph: &graph,
        order: &order,
        reach: &reach,
        layout: &layout,
        above: &above,
        targets: &targets,
    };
    let mut lft = Lft::new(fabric.num_switches(), lids.max_lid());
    let loose = plan.fill(&mut lft);
    let is_even = plan.is_even(&loose);
    // With hosts on tops, or where subtrees are not alike, single links may be too full all the same; on large fabrics looking takes
    // longer than routing.
    let is_whole = targets.share.is_some();
    let is_final = is_even && !is_beside_tops && (is_whole || !even::is_small(&plan));
    let is_dealt = loose.iter().all(|loose| loose.used.is_empty());
    let loose: Vec<Vec<u32>> =
        loose.into_iter().map(|LooseEntries { used, dealt, idle }| [used, dealt, idle].concat()).collect();
    strays::fill(&plan, &mut lft);
    let own = || cuts::as_full_as_own_links(fabric, &ports, receivers);
    let least = LeastLoad {
        by_switches: &|| own().max(cuts::forced_by_switches(fabric, &ports, receivers)),
        by_cuts: &|| own().max(cuts::forced(fabric, &ports, receivers).flows),
    };
    let slack = match (is_beside_tops, is_lowered) {
        (_, true) => SLACK_BESIDE_LOWERED,
        (true, false) => SLACK_BESIDE_TOPS,
        (false, false) => SLACK,
    };
    let kept = sweep.previous.map(|before| {
        let destinations = destinations(&targets);
        let up_down = kept::UpDownOrder { graph: &graph, climbs: &order.climbs, hosted: &hosted };
        let legal = up_down.keep(before, &lft, &destinations);
        let loose = changed(&plan, before, &legal);
        let fullest = plan.fullest(&legal);
        let mut kept = legal.clone();
        // New tables that are still to be evened out beside tops with hosts end near their slack.
        let is_as_even = is_beside_tops && is_kept_as_even(fullest, plan.fullest(&lft));
        let most = 100 + SLACK_OF_KEPT + if is_as_even { slack } else { 0 };
        let uneven = spread(&plan, &mut kept, &loose, Visits::LargestFirst, Some(fullest), &least, most);
        let is_restored = up_down.restore(&mut kept, &legal, &destinations);
        (kept, uneven.is_some() || is_restored)
    });
    if let Some((kept, false)) = kept {
        return Ok(kept);
    }
    let settled = if is_final {
        None
    } else if is_even || is_dealt {
        // By the closed form, or dealt in turn, hosts suit shifts as well as they can.
        Some(plan.fullest(&lft))
    } else {
        plan.fullest_settled(&lft, &loose)
    };
    let uneven = if is_final {
        None
    } else {
        spread(&plan, &mut lft, &loose, Visits::InTurn, settled, &least, 100 + slack)
    };
    let other =
        uneven.and_then(|percent| numbered_instead(&plan, &mut lft, sweep, are_leaves_apart, percent));
    let is_own = other.is_none();
    lft = other.unwrap_or(lft);
    if !is_even {
        suit_shifts(&plan, &mut lft, targets_for);
    }
    // Hosts on tops leave the paths of the others as they are.
    if !is_final && is_own && !is_beside_tops {
        even::refine(&plan, &mut lft);
    }
    Ok(match kept {
        Some((kept, _)) if is_kept_as_even(plan.fullest(&kept), plan.fullest(&lft)) => kept,
        _ => lft,
    })
}

/// Numbers the hosts of a whole tree in other ways where that leaves fewer flows on a link in shifts, or as many but more for all together,
/// and the fullest link no fuller.
fn suit_shifts(plan: &TablePlan<'_>, lft: &mut Lft, targets_for: impl Fn(Way) -> TreeTargets) {
    let Some(share) = plan.targets.share else { return };
    let is_small = plan.has_few_leaves(FEW_LEAVES);
    let fullest = plan.fullest(lft);
    let counted = |plan: &TablePlan<'_>, lft: &mut Lft| {
        let flows = Flows::new(plan, lft, 0);
        (flows.fullest_in_shifts(), if is_small { flows.shared_in_shifts() } else { 0 })
    };
    let (mut flows, mut shared) = counted(plan, lft);
    for way in [Way::Onward, Way::Ring, Way::FromFirst] {
        let is_tried = if way == Way::FromFirst { is_small } else { flows > share };
        if !is_tried {
            continue;
        }
        let targets = targets_for(way);
        let plan = TablePlan { targets: &targets, ..*plan };
        let mut other = Lft::new(lft.num_switches(), lft.stride() as u32 - 1);
        plan.fill(&mut other);
        strays::fill(&plan, &mut other);
        if plan.fullest(&other) <= fullest {
            let (fewer, more) = counted(&plan, &mut other);
            if fewer < flows || way == Way::FromFirst && fewer == flows && more > shared {
                (*lft, flows, shared) = (other, fewer, more);
            }
        }
    }
}

/// The leaves in the order in which hosts are numbered, those of other edge switches last: in this order of hosts, leaf by leaf,
/// shifts suit the tables. None where [`route`] refuses the fabric for its levels.
pub fn leaf_order(fabric: &Fabric, roots: Option<&[Guid]>) -> Option<Vec<NodeId>> {
    let graph = SwitchGraph::of(fabric);
    let level = order::levels(fabric, &graph, roots).ok()?;
    let tree = Tree::of(fabric, &graph, &level);
    Some(leaf_order_of(fabric, &fabric.end_ports(Population::Hosts), &tree, &level))
}

/// The tables of numbered on one lane, if its fullest link carries a twentieth less. With the tables of an order the fullest carries
/// `percent` of what some link must.
///
/// Where leaves are apart, few switches turn the paths that climb after they descended; numbered, which has no order, spreads these
/// better, which is worth its worse shifts. Where they are not, such paths may help, too, as between directors whose line boards are
/// cabled to each other: numbered is tried where links are far from even, and its shifts must be no worse.
fn numbered_instead(
    plan: &TablePlan<'_>,
    lft: &mut Lft,
    sweep: &Sweep<'_>,
    are_leaves_apart: bool,
    percent: u64,
) -> Option<Lft> {
    if !are_leaves_apart && (percent < FAR_FROM_EVEN || !even::is_small(plan)) {
        return None;
    }
    let options = Options { nue_vls: 1, ..sweep.options.clone() };
    let mut other = numbered::route(&Sweep { options: &options, ..*sweep }).ok()?.lft;
    let shared = |lft: &mut Lft| Flows::new(plan, lft, 0).shared_in_shifts();
    let is_evener = 21 * plan.fullest(&other) < 20 * plan.fullest(lft);
    (is_evener && (are_leaves_apart || shared(&mut other) >= shared(lft))).then_some(other)
}

/// What some link must carry whatever the tables, a host's own included: by the cables of single switches, and by those around sets
/// of them. The second is the exact one, and takes longer to find.
struct LeastLoad<'a> {
    by_switches: &'a dyn Fn() -> u64,
    by_cuts: &'a dyn Fn() -> u64,
}

/// Moves entries where links carry more than so many per cent of what some link must; how many per cent the fullest carries, if one still
/// does. `settled` is what the fullest carries, where no entry need move unless that is too much.
fn spread(
    plan: &TablePlan<'_>,
    lft: &mut Lft,
    loose: &[Vec<u32>],
    visits: Visits,
    settled: Option<u64>,
    least: &LeastLoad<'_>,
    percent: u64,
) -> Option<u64> {
    let bound_of = |flows: u64| flows * percent / 100;
    if settled.is_some_and(|fullest| fullest <= bound_of((least.by_switches)())) {
        return None;
    }
    let forced = (least.by_cuts)();
    let bound = bound_of(forced);
    if settled.is_some_and(|fullest| fullest <= bound) {
        return None;
    }
    let filled = (lft.as_slice().len() <= TRIED_AGAIN).then(|| lft.clone());
    let mut evened = even_out(plan, lft, loose, bound, visits);
    let uneven = |evened: &Evened| (evened.fullest > bound).then(|| 100 * evened.fullest / forced.max(1));
    let Some(filled) = filled else { return uneven(&evened) };
    let widest = (100 + SLACK_OF_AN_ENTRY) * forced / 100;
    if evened.fullest > bound.max(widest) {
        let mut other = filled.clone();
        let leaf_by_leaf = even_out(plan, &mut other, loose, bound, Visits::LeafByLeaf);
        if leaf_by_leaf.fullest < evened.fullest {
            (*lft, evened) = (other, leaf_by_leaf);
        }
    }
    let senders = plan.targets.edge_switches.iter().map(|edge_switch| edge_switch.senders).max().unwrap_or(0);
    let an_entry_more = forced + u64::from(senders);
    if percent <= 100 + SLACK && (bound + 1..=widest).contains(&an_entry_more) {
        let mut wider = filled;
        let other = even_out(plan, &mut wider, loose, an_entry_more, visits);
        let contends_less = 100 * other.contention < (100 - LESS_CONTENTION) * evened.contention;
        if other.fullest <= an_entry_more && contends_less {
            *lft = wider;
            return None;
        }
    }
    uneven(&evened)
}

/// What evening out left.
struct Evened {
    /// Pairs on the fullest link.
    fullest: u64,
    /// How much shifts contend.
    contention: u64,
}

/// Evens tables out.
fn even_out(plan: &TablePlan<'_>, lft: &mut Lft, loose: &[Vec<u32>], bound: u64, visits: Visits) -> Evened {
    let mut flows = Flows::new(plan, lft, bound);
    even::even_out(&mut flows, loose, visits);
    Evened { fullest: flows.fullest().into(), contention: flows.contention() }
}

/// Whether tables that keep entries are about as even as new ones, by the pairs on their fullest links.
fn is_kept_as_even(kept: u64, new: u64) -> bool {
    100 * kept <= (100 + SLACK_OF_KEPT) * new
}

/// All destinations by LID, each with the switch where it is.
fn destinations(targets: &TreeTargets) -> Vec<(u32, NodeId)> {
    let edge_switches = targets
        .edge_switches
        .iter()
        .flat_map(|edge_switch| edge_switch.targets().map(|t| (t, NodeId(edge_switch.switch))));
    edge_switches.map(|(t, edge_switch)| (targets.lids[t], edge_switch)).collect()
}

/// By switch: the hosts whose entry there is not what it was before.
fn changed(plan: &TablePlan<'_>, before: &Lft, lft: &Lft) -> Vec<Vec<u32>> {
    let TablePlan { graph, targets, .. } = *plan;
    let changed = |s: u32| {
        let (old, new) = (before.row(NodeId(s)), lft.row(NodeId(s)));
        let differs = |&t: &u32| {
            let lid = targets.lids[t as usize] as usize;
            old.get(lid) != Some(&new[lid])
        };
        targets
            .edge_switches
            .iter()
            .flat_map(|edge_switch| edge_switch.first..edge_switch.hosts)
            .filter(differs)
            .collect()
    };
    (0..graph.num_switches() as u32).map(changed).collect()
}

/// Whether some pair of `hosted` switches that cables connect is too far apart to measure.
fn is_apart(graph: &SwitchGraph, reach: &Reach, hosted: &[bool]) -> bool {
    let component = graph.components();
    let edge_switches: Vec<usize> = (0..hosted.len()).filter(|&s| hosted[s]).collect();
    edge_switches
        .iter()
        .any(|&a| edge_switches.iter().any(|&b| component[a] == component[b] && reach.cost(a, b) == FAR))
}
