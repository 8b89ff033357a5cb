//! Port groups: for a switch and every other, all ports that begin a path of least cost, where there are several.
//!
//! They are the static candidates, the fastest of them and with spines first those to spines alone; never a longer
//! path. Equal sets are one group. A switch keeps the first 255 sets, in the order in which its engine
//! goes through the switches; ports beyond 64 do not fit a mask and are left out, as opa-fm 10.10.3 does.

use rayon::prelude::*;

use super::balance::Counters;
use super::fattree;
use super::shortestpath::spine_first;
use super::{destinations, switches_discovered};
use crate::fabric::NodeId;
use crate::routing::Sweep;
use crate::routing::common::destinations::ends_on;
use crate::sm::port_groups::{MOST_GROUP_PORTS, MOST_GROUPS, NO_GROUP, PortGroups};
use crate::sm::{Engine, GROUP_LIDS};

/// The groups that the manager programs where adaptive routing is enabled; with tables that none of its engines
/// made, those of `shortestpath`.
pub fn port_groups(sweep: &Sweep<'_>, engine: Engine) -> PortGroups {
    let fabric = sweep.fabric;
    let discovered = switches_discovered(sweep);
    let mut order: Vec<NodeId> = match engine {
        Engine::FatTree => discovered.clone(),
        _ => destinations(sweep).iter().filter(|to| to.port == 0).map(|to| to.edge_switch).collect(),
    };
    if engine == Engine::DgShortestPath {
        order.sort_by_key(|&switch| (fabric.end_port_guid(fabric.port0(switch)), switch));
    }
    let balance = match engine {
        Engine::FatTree => fattree::tree(sweep, &discovered).0,
        _ => Counters::new(fabric, spine_first(sweep)),
    };
    let width = sweep.lids.max_lid().min(GROUP_LIDS - 1) as usize + 1;
    let tables = fabric.switches().collect::<Vec<_>>();
    let tables = tables.into_par_iter().map(|from| {
        let (mut masks, mut entries) = (Vec::new(), vec![NO_GROUP; width]);
        let mut ports = Vec::new();
        for &to in order.iter().filter(|&&to| to != from) {
            balance.candidates(from.ix(), to.ix(), &mut ports);
            if ports.len() < 2 {
                continue;
            }
            let numbers = ports.iter().map(|&link| balance.costs.graph.port[link]);
            let mask = numbers.filter(|&p| p <= MOST_GROUP_PORTS).fold(0, |mask, p| mask | 1_u64 << (p - 1));
            let group = masks.iter().position(|&known| known == mask).unwrap_or_else(|| {
                if masks.len() < MOST_GROUPS {
                    masks.push(mask);
                    masks.len() - 1
                } else {
                    MOST_GROUPS
                }
            });
            if group == MOST_GROUPS {
                continue;
            }
            let hosts = ends_on(fabric, to).map(|(_, end)| end);
            for lid in hosts.chain([fabric.port0(to)]).flat_map(|end| sweep.lids.range(end)) {
                if let Some(entry) = entries.get_mut(lid as usize) {
                    *entry = group as u8;
                }
            }
        }
        (masks, entries)
    });
    PortGroups::from_tables(tables.collect(), sweep.lids.max_lid())
}
