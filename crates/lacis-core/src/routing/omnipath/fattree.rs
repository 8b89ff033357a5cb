//! Fat-tree routing of Omni-Path's manager: destinations take turns over the ports up, and down again.
//!
//! On a whole two-tier tree the paths of the k-th and l-th host of the fabric share a cable up from an edge switch
//! exactly where k and l are congruent modulo its uplinks. It promises nothing about credit loops beyond what a tree
//! gives: paths of least cost never climb after they descended in one.
//!
//! opa-fm 10.10.3, with `FIsOnSameTier` 1, `Passthru` 0 and `Converge` 0 as it is shipped, and no `RouteLast`.
//!
//! | here            | in opa-fm                                                                  |
//! |-----------------|----------------------------------------------------------------------------|
//! | `group`         | the port group of a switch towards another, by chassis and switch GUID     |
//! | `up`, `down`    | `upDestCount`, `downDestCount`: hosts so far that were reached up or down  |
//! | `index`         | `tierIndex`: the switch's index in its tier                                |
//! | `trunk`         | `uplinkTrunkCnt`: cables of its thickest bundle upwards                    |
//! | `i`, `wrapped`  | `i`, `ioffset`: which of a host's LIDs it is, spread over bundles first    |
//!
//! It departs in one point: the manager gives all ports of an adapter to each switch that one of them is cabled to,
//! which is right only for adapters of one port. Here each port belongs to its own switch.

use super::balance::{Counters, SpineFirst};
use super::shortestpath::set_up;
use super::tiers::Tiers;
use super::{destinations, is_edge, switches_discovered};
use crate::fabric::{NodeId, PortId};
use crate::routing::common::destinations::{LidDestination, ends_on};
use crate::routing::{Refused, Sweep};
use crate::sm::{Lft, RefusalReason};

/// Routes a tree. Uses [`Options::spine_first`](crate::routing::Options::spine_first) and
/// [`Options::tier_count`](crate::routing::Options::tier_count).
///
/// # Errors
/// When no switch has a host: the manager then uses `shortestpath`.
pub fn route(sweep: &Sweep<'_>) -> Result<Lft, Refused> {
    let switches = switches_discovered(sweep);
    if !switches.iter().any(|&switch| is_edge(sweep, switch)) {
        return Err(Refused::new(RefusalReason::TiersAbsent));
    }
    let (mut balance, tiers) = tree(sweep, &switches);
    let mut lft = Lft::new(sweep.fabric.num_switches(), sweep.lids.max_lid());
    for tier in &tiers.lists {
        for &from in tier {
            to_hosts(sweep, &mut balance, &tiers, from, &mut lft);
        }
    }
    let all = destinations(sweep);
    let of_switches: Vec<&LidDestination> = all.iter().filter(|to| to.port == 0).collect();
    for &from in &switches {
        if tiers.index[from.ix()].is_some() {
            for to in &of_switches {
                set_up(sweep, &mut balance, from, to, &mut lft);
            }
        } else {
            for to in &all {
                set_up(sweep, &mut balance, from, to, &mut lft);
            }
        }
    }
    Ok(lft)
}

/// The tiers, and the counters with the links that lead up marked.
pub(super) fn tree(sweep: &Sweep<'_>, switches: &[NodeId]) -> (Counters, Tiers) {
    let spines = if sweep.options.spine_first { SpineFirst::Everywhere } else { SpineFirst::Nowhere };
    let mut balance = Counters::new(sweep.fabric, spines);
    let tiers = Tiers::discover(sweep, switches, sweep.options.tier_count.into(), &mut balance);
    (balance, tiers)
}

/// Fills the entries of a switch for the hosts of all switches of the lowest tier.
fn to_hosts(sweep: &Sweep<'_>, balance: &mut Counters, tiers: &Tiers, from: NodeId, lft: &mut Lft) {
    let Sweep { fabric, lids, .. } = *sweep;
    let (mut up, mut down) = (0, 0);
    let index = tiers.index[from.ix()].unwrap_or(0) as usize;
    let trunk = tiers.trunk[from.ix()] as usize;
    let mut group = Vec::new();
    for &edge_switch in &tiers.lists[0] {
        if edge_switch == from {
            for (port, end) in hosts(sweep, edge_switch) {
                let lids = lids.range(end);
                lft.row_mut(from)[lids.start as usize..lids.end as usize].fill(fabric.number_of(port));
            }
            continue;
        }
        balance.candidates(from.ix(), edge_switch.ix(), &mut group);
        if group.is_empty() {
            continue;
        }
        // Ports of one chassis, then of one switch, stay together; within them the order is that of the ports.
        let guid = |link: usize| {
            let far = balance.costs.graph.peer[link];
            (balance.system[far as usize], fabric.node(NodeId(far)).guid)
        };
        group.sort_by_key(|&link| guid(link));
        let is_up = balance.uplink[group[0]];
        for (_, end) in hosts(sweep, edge_switch) {
            let (mut i, mut wrapped) = (0, 0);
            for lid in lids.range(end) {
                let member = if is_up { i + up + index * trunk } else { i + down + index };
                let link = group[member % group.len()];
                lft.row_mut(from)[lid as usize] = balance.costs.graph.port[link];
                balance.count(link);
                if is_up && trunk > 1 {
                    // A host's LIDs go to different switches first, then to further cables of each bundle.
                    i += trunk;
                    if (i - wrapped).is_multiple_of(group.len()) {
                        i += 1;
                        wrapped += 1;
                    }
                } else {
                    i += 1;
                }
            }
            if is_up {
                up += 1;
            } else {
                down += 1;
            }
        }
    }
}

/// The ports of a switch that have hosts, and the hosts' ports, where these have LIDs.
fn hosts(sweep: &Sweep<'_>, switch: NodeId) -> impl Iterator<Item = (PortId, PortId)> {
    ends_on(sweep.fabric, switch).filter(|&(_, end)| sweep.lids.base(end) != 0)
}
