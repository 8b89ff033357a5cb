//! Islands: components of a fabric, between which there is no cable. Each has its own manager, which tries the engines on its island
//! alone: an engine may refuse one island and route another, and random choices start from the seed in each.

use super::attempt::{RouteError, RoutingTask, attempt};
use super::common::discovered::View;
use super::common::options::Options;
use crate::fabric::{Fabric, PortId};
use crate::sm::lanes::{PathLanes, ServiceLevels, VirtualLanes};
use crate::sm::lids::Lids;
use crate::sm::{Engine, Engines, Lft, Refusal, Routes};

/// Routes every island as its manager would. Lists in [`Routes::engine_used`] the engines that made
/// tables, that of the manager's island first, and says of refusals in which island they were.
///
/// A switch alone forwards to its own ports and needs no engine: unless the manager is there, it has its
/// tables though engines refuse it.
pub(super) fn route(whole: RoutingTask<'_>, lids: Lids, options: &Options) -> Result<Routes, RouteError> {
    let RoutingTask { fabric, chain, previous } = whole;
    let mut lft = Lft::new(fabric.num_switches(), lids.max_lid());
    let mut engine_used = Engines::default();
    let mut refusals: Vec<Refusal> = Vec::new();
    let mut made: Vec<(View, Option<PathLanes>)> = Vec::new();
    for (number, manager) in managers(fabric, lids.manager()).into_iter().enumerate() {
        let view = View::from(fabric, true, manager);
        let subnet = view.fabric(fabric);
        let Some((_, first)) = view.switches(fabric).next() else { continue };
        let alone = number > 0 && subnet.num_switches() == 1;
        let options = Options { fallback: options.fallback || alone, ..options.clone() };
        let before = previous.map(|lft| view.tables_in(fabric, lft));
        let own = RoutingTask { fabric: subnet, chain, previous: before.as_ref() };
        let named = |refusal: Refusal| Refusal {
            subnet: Some(fabric.node(first).description.to_string()),
            ..refusal
        };
        let routes = attempt(own, view.lids(fabric, &lids), &options).map_err(|error| match error {
            RouteError::AllRefused(all) => RouteError::AllRefused(all.into_iter().map(named).collect()),
            RouteError::Endless(refusal) => RouteError::Endless(named(refusal)),
        })?;
        view.tables_out(fabric, &routes.lft, &mut lft);
        if !alone {
            refusals.extend(routes.refusals.into_iter().map(named));
            engine_used.merge(&routes.engine_used);
        }
        made.push((view, routes.lanes));
    }
    let seen: Vec<_> = made.iter().map(|(view, lanes)| (view, lanes.as_ref())).collect();
    let lanes = combined(&seen, fabric, lft.stride());
    Ok(Routes { lids, lft, lanes, engine_requested: chain.into(), engine_used, refusals })
}

/// Whether all engines of a list are OpenSM's: others know of islands and route all of them at once.
pub(super) fn are_apart(chain: &[Engine]) -> bool {
    !chain.iter().any(|engine| engine.is_native())
}

/// The manager of every island, that on a given port first; elsewhere the likeliest ([`Lids::managers`]).
pub(crate) fn managers(whole: &Fabric, given: Option<PortId>) -> Vec<PortId> {
    let mut managers: Vec<PortId> = Vec::new();
    let mut seen = vec![false; whole.num_switches()];
    for port in given.into_iter().chain(Lids::managers(whole)) {
        let edge_switch = whole.edge_switch(port);
        if managers.is_empty() || edge_switch.is_some_and(|s| !seen[s.ix()]) {
            let view = View::from(whole, true, port);
            whole.switches().filter(|&s| view.has_switch(s)).for_each(|s| seen[s.ix()] = true);
            managers.push(port);
        }
    }
    managers
}

/// The lanes of several islands, or of a subnet, by the switches of the whole.
pub(crate) fn combined(
    islands: &[(&View, Option<&PathLanes>)],
    now: &Fabric,
    stride: usize,
) -> Option<PathLanes> {
    if let &[(view, lanes)] = islands
        && view.is_whole()
    {
        return lanes.cloned();
    }
    let with_lanes = || islands.iter().filter_map(|&(view, lanes)| Some((view, lanes?)));
    with_lanes().next()?;
    let mut levels = vec![0; now.num_switches() * stride];
    for (view, lanes) in with_lanes() {
        for (inside, outside) in view.switches(now) {
            let row = &mut levels[outside.ix() * stride..][..stride];
            for (level, lid) in row.iter_mut().zip(0..) {
                *level = lanes.sl(inside, lid);
            }
        }
    }
    let levels = ServiceLevels::BySwitchAndLid { stride, levels };
    if with_lanes().all(|(_, lanes)| *lanes.virtual_lanes() == VirtualLanes::Same) {
        return Some(PathLanes::new(levels, VirtualLanes::Same));
    }
    let ports = 1 + now.switches().map(|s| usize::from(now.radix(s))).max().unwrap_or(0);
    let mut mapped: Vec<u8> = (0..16).collect::<Vec<u8>>().repeat(now.num_switches() * ports * ports);
    for (view, lanes) in with_lanes() {
        for (inside, outside) in view.switches(now) {
            let radix = usize::from(now.radix(outside));
            for (from, to) in (0..=radix).flat_map(|from| (0..=radix).map(move |to| (from, to))) {
                let hop = (outside.ix() * ports + from) * ports + to;
                for (lane, sl) in mapped[hop * 16..][..16].iter_mut().zip(0..) {
                    *lane = lanes.vl(inside, from as u8, to as u8, sl);
                }
            }
        }
    }
    Some(PathLanes::new(levels, VirtualLanes::Mapped { ports, lanes: mapped }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_island_has_its_likeliest_manager() {
        // By switch: what hangs off its ports, and the LID.
        let nodes = |first: &str, others: &[(&str, u32)]| {
            let end = |(i, (name, lid)): (usize, &(&str, u32))| {
                let id = format!("{first}{i}");
                let port = format!("[{0}] \"{id}\"[1]\n", i + 1);
                (
                    port,
                    format!("Ca 1 \"{id}\" # \"{name}\"\n[1] \"{first}\"[{}] # lid {lid} lmc 0\n\n", i + 1),
                )
            };
            let (ports, ends): (String, String) = others.iter().enumerate().map(end).unzip();
            format!("Switch 8 \"{first}\" # \"{first}\"\n{ports}\n{ends}")
        };
        let sharp = "Mellanox Technologies Aggregation Node";
        let text = [
            nodes("a", &[("first", 5), ("second", 1)]),
            nodes("b", &[(sharp, 2), ("third", 7), ("fourth", 1)]),
            nodes("c", &[(sharp, 1), ("fifth", 8)]),
            nodes("d", &[(sharp, 9)]),
        ];
        let fabric = crate::io::read(text.concat().as_bytes()).unwrap().fabric;
        let names = |given| -> Vec<String> {
            managers(&fabric, given).iter().map(|&p| fabric.name(fabric.node_of(p)).to_string()).collect()
        };
        assert_eq!(names(None)[..3], ["second", "fourth", "fifth"]);
        let first = fabric.end_nodes().find(|&n| fabric.name(n) == "first").and_then(|n| fabric.port(n, 1));
        assert_eq!(names(first)[..3], ["first", "fourth", "fifth"]);
        assert_eq!(names(first).len(), 4);
    }
}
