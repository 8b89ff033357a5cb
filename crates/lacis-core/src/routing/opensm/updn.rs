//! Up*/Down* routing: no packet turns up after it has gone down, so the channel dependency graph
//! has no cycle and one virtual lane is enough.
//!
//! M. D. Schroeder et al., "Autonet: A High-Speed, Self-Configuring Local Area Network Using
//! Point-to-Point Links", IEEE JSAC 9(8), 1991; in the form that OpenSM 3.3.23 gives it.
//!
//! | here         | meaning                                     |
//! |--------------|---------------------------------------------|
//! | `rank`       | hops from the nearest root                  |
//! | `directions` | what a link, walked from its near end, does |
//!
//! Which links may be taken is found by OpenSM's walk from each target, see `walk`. Roots
//! are found by a histogram of distances. OpenSM sees one connected subnet; here each
//! component is judged by its own end nodes.

use rayon::prelude::*;
use rustc_hash::FxHashMap;

use crate::fabric::switch_graph::{SwitchGraph, end_ports_on};
use crate::fabric::{Fabric, Guid, NodeId};
use crate::routing::common::destination_order::OrderedTargets;
use crate::routing::common::hop_weights::LeastHops;
use crate::routing::common::hops_by_destination::HopsByDestination;
use crate::routing::common::port_choice::{self, Among};
use crate::routing::common::shortest_links::{Candidates, mark_shortest, search};
use crate::routing::common::updown_bfs::{self, Direction, LegalSteps, LegalWalk};
use crate::routing::{Refused, Sweep};
use crate::sm::{Lft, RefusalReason};

/// Routes a fabric that has roots. Uses `order`, `roots`, `ids`, `connect_roots` and, where roots are
/// sought or connected, `hop_weights` of the [`Options`](crate::routing::Options).
///
/// # Errors
/// When none of the given roots is in the fabric, or none is given and none is found.
pub fn route(sweep: &Sweep<'_>) -> Result<Lft, Refused> {
    let Sweep { fabric, lids, options, .. } = *sweep;
    let targets = OrderedTargets::of(fabric, lids, &options.order);
    let (graph, candidates) = candidates(sweep, &targets.columns)?;
    Ok(port_choice::tables(sweep, &graph, &targets, &candidates, Among::All))
}

/// The graph, and which links may be taken to some switches.
pub(in crate::routing) fn candidates(
    sweep: &Sweep<'_>,
    columns: &[NodeId],
) -> Result<(SwitchGraph, Candidates), Refused> {
    let (graph, is_root, steps) = prepare(sweep, columns)?;
    let candidates = Candidates::build(&graph, columns, |edge_switches, links| {
        updown_bfs::mark_legal(&graph, &steps, edge_switches, links);
        let is_connected = |edge_switch: &NodeId| sweep.options.connect_roots && is_root[edge_switch.ix()];
        let roots = edge_switches.iter().enumerate().filter(|(_, edge_switch)| is_connected(edge_switch));
        let connected = roots.fold(0, |mask, (bit, _)| mask | 1 << bit);
        if connected != 0 {
            for link in links.iter_mut() {
                *link &= !connected;
            }
            match &graph.weight {
                None => mark_shortest(&graph, edge_switches, connected, links),
                Some(weight) => {
                    updown_bfs::mark_on_top(&graph, &steps, weight, edge_switches, connected, links);
                }
            }
        }
    });
    Ok((graph, candidates))
}

/// The graph, which switches are roots, and what its links do.
fn prepare(sweep: &Sweep<'_>, columns: &[NodeId]) -> Result<(SwitchGraph, Vec<bool>, LegalSteps), Refused> {
    let Sweep { fabric, options, .. } = *sweep;
    let graph = SwitchGraph::weighted(fabric, &options.hop_weights);
    let is_root = match &options.roots {
        Some(guids) => given_roots(fabric, guids)?,
        None => find_roots(fabric, &graph, columns)?,
    };
    let steps =
        LegalSteps::new(&graph, directions(&graph, &graph.hops_from(&is_root), &ids(fabric, &options.ids)));
    Ok((graph, is_root, steps))
}

/// The root switches, in OpenSM's order.
///
/// # Errors
/// As [`route`].
pub fn roots(sweep: &Sweep<'_>) -> Result<Vec<NodeId>, Refused> {
    let columns = OrderedTargets::of(sweep.fabric, sweep.lids, &[]).columns;
    let (_, is_root, _) = prepare(sweep, &columns)?;
    Ok(sweep.fabric.switches_in_opensm_order().into_iter().filter(|s| is_root[s.ix()]).collect())
}

/// Hops as the walks set them.
pub(in crate::routing) fn hops(sweep: &Sweep<'_>) -> Result<HopsByDestination, Refused> {
    let columns = OrderedTargets::of(sweep.fabric, sweep.lids, &[]).columns;
    let (graph, is_root, steps) = prepare(sweep, &columns)?;
    let ones = vec![1; graph.num_links()];
    let init = |graph: &SwitchGraph| (LeastHops::new(graph), LegalWalk::new(graph));
    Ok(HopsByDestination::build(graph, init, |graph, (search, walk), target, least, hops| {
        if sweep.options.connect_roots && is_root[target.ix()] {
            let weight = graph.weight.as_deref().unwrap_or(&ones);
            search.run(graph, weight, target);
            search.copy_to(graph, weight, &mut walk.least, &mut walk.hops);
            walk.go_on(graph, &steps, target, None);
        } else {
            walk.run(graph, &steps, target, None);
        }
        least.copy_from_slice(&walk.least);
        hops.copy_from_slice(&walk.hops);
    }))
}

/// By switch, whether its node GUID is listed. GUIDs of nothing are skipped.
fn given_roots(fabric: &Fabric, guids: &[Guid]) -> Result<Vec<bool>, Refused> {
    let mut by_guid = FxHashMap::default();
    for switch in fabric.switches() {
        by_guid.entry(fabric.node(switch).guid).or_insert(switch);
    }
    let mut is_root = vec![false; fabric.num_switches()];
    for switch in guids.iter().filter_map(|guid| by_guid.get(guid)) {
        is_root[switch.ix()] = true;
    }
    if is_root.contains(&true) {
        Ok(is_root)
    } else {
        Err(Refused::new(RefusalReason::RootsAbsent { given: guids.len() }))
    }
}

/// Distances from here on are not looked at when roots are sought.
const MAX_DISTANCE: usize = 64;

/// By switch, whether it is a root: more than 0.9 of the end ports are at one distance from it,
/// and no other distance has more than 0.05 of them.
fn find_roots(fabric: &Fabric, graph: &SwitchGraph, columns: &[NodeId]) -> Result<Vec<bool>, Refused> {
    let weight: Vec<u32> = fabric.switches().map(|s| end_ports_on(fabric, s) as u32).collect();
    let populated = columns.partition_point(|s| weight[s.ix()] > 0); // columns: most end ports first
    let size = graph.num_switches() * MAX_DISTANCE;
    let histogram = columns[..populated]
        .par_chunks(64)
        .fold(
            || vec![0_u32; size],
            |mut bars, edge_switches| {
                add_distances(graph, edge_switches, &weight, &mut bars);
                bars
            },
        )
        .reduce(
            || vec![0; size],
            |mut a, b| {
                a.iter_mut().zip(&b).for_each(|(a, b)| *a += b);
                a
            },
        );

    let component = graph.components();
    let mut end_ports = vec![0_u32; graph.num_switches()];
    for (&c, w) in component.iter().zip(&weight) {
        end_ports[c as usize] += w;
    }
    let is_root: Vec<bool> = (0..graph.num_switches())
        .map(|s| {
            let total = f64::from(end_ports[component[s] as usize]);
            let bars = &histogram[s * MAX_DISTANCE..][..MAX_DISTANCE];
            let over = |share: f64| bars.iter().filter(|&&n| f64::from(n) > total * share).count();
            over(0.9) == 1 && over(0.05) == 1
        })
        .collect();

    let mut rooted = vec![false; graph.num_switches()];
    for (&c, root) in component.iter().zip(&is_root) {
        rooted[c as usize] |= root;
    }
    let rootless = (0..rooted.len()).any(|c| end_ports[c] > 0 && !rooted[c]);
    if rootless || populated == 0 {
        return Err(Refused::new(RefusalReason::RootsUnknown));
    }
    Ok(is_root)
}

/// Adds the end ports of some edge switches to each switch's histogram of distances.
fn add_distances(graph: &SwitchGraph, edge_switches: &[NodeId], weight: &[u32], bars: &mut [u32]) {
    // Edge switches with equally many end ports are neighbours, so a batch has few different weights.
    let mut groups: Vec<(u32, u64)> = Vec::new();
    for (bit, edge_switch) in edge_switches.iter().enumerate() {
        let w = weight[edge_switch.ix()];
        bars[edge_switch.ix() * MAX_DISTANCE] += w;
        match groups.last_mut().filter(|(last, _)| *last == w) {
            Some((_, members)) => *members |= 1 << bit,
            None => groups.push((w, 1 << bit)),
        }
    }
    if let Some(by_link) = &graph.weight {
        let mut search = LeastHops::new(graph);
        for edge_switch in edge_switches {
            search.run(graph, by_link, *edge_switch);
            for (switch, &hops) in search.least.iter().enumerate().filter(|&(s, _)| s != edge_switch.ix()) {
                if let Some(bar) = bars[switch * MAX_DISTANCE..][..MAX_DISTANCE].get_mut(usize::from(hops)) {
                    *bar += weight[edge_switch.ix()];
                }
            }
        }
        return;
    }
    search(graph, edge_switches, |hops, switch, new, _| {
        if let Some(bar) = bars[switch * MAX_DISTANCE..][..MAX_DISTANCE].get_mut(hops as usize) {
            *bar += groups.iter().map(|(w, members)| w * (new & members).count_ones()).sum::<u32>();
        }
    });
}

/// By switch, what decides among equal ranks: its id where one is given, else its GUID. The last line
/// about a switch is good.
fn ids(fabric: &Fabric, given: &[(Guid, u64)]) -> Vec<u64> {
    let given: FxHashMap<Guid, u64> = given.iter().copied().collect();
    let guids = fabric.switches().map(|s| fabric.node(s).guid);
    guids.map(|guid| given.get(&guid).copied().unwrap_or(guid.0)).collect()
}

/// By link, whether it climbs: to a lower rank, and among equals to the lower id. From root to root
/// every link climbs; between equal ids none does.
fn directions(graph: &SwitchGraph, rank: &[u32], id: &[u64]) -> Vec<Direction> {
    let direction = |switch: usize, link: usize| {
        let far = graph.peer[link] as usize;
        let (here, there) = (rank[switch], rank[far]);
        let climbs = here > there || here == there && (here == 0 || id[switch] > id[far]);
        if climbs { Direction::Climb } else { Direction::Descend }
    };
    (0..graph.num_switches()).flat_map(|s| graph.links(s).map(move |link| direction(s, link))).collect()
}
