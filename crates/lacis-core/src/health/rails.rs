//! Hosts against the rails and ports of their series: missing, crossed, on another port.

use std::collections::BTreeMap;

use super::absent::Absent;
use super::context::Context;
use super::facts::{CrossedAdapter, CrossedRails, Fact, MissingRail, UnexpectedPort};
use super::host::leaf_of;
use super::majority::{agree, majority};
use super::names::Fields;
use super::port_numbering::leaf_port;
use super::{Finding, Host, Location, Owner, sharing};
use crate::fabric::{NodeId, short};

pub(super) fn report_rails(ctx: &Context, absent: &[Absent], out: &mut Vec<Finding>) {
    let mut series: BTreeMap<u32, Vec<&Host>> = BTreeMap::new();
    for host in ctx.hosts.hosts.iter().filter(|h| !h.generic) {
        series.entry(host.series).or_default().push(host);
    }
    for hosts in series.values().filter(|h| h.len() >= 3) {
        missing(ctx, hosts, absent, out);
        crossed(ctx, hosts, out);
        sharing::one_leaf(ctx, hosts, out);
        ports(ctx, hosts, out);
    }
    for hosts in series.values() {
        sharing::one_slot(ctx, hosts, out);
    }
}

fn rails_of(ctx: &Context, host: &Host) -> Vec<usize> {
    host.ends
        .iter()
        .filter(|&&e| leaf_of(ctx.fabric, e).is_some())
        .filter_map(|&e| ctx.hosts.rail(e))
        .collect()
}

/// Hosts without a rail that two thirds of their series have, reported together if they share leaves.
fn missing(ctx: &Context, hosts: &[&Host], absent: &[Absent], out: &mut Vec<Finding>) {
    let rails: Vec<Vec<usize>> = hosts.iter().map(|h| rails_of(ctx, h)).collect();
    let usual = usual_rails(ctx, hosts);
    // An adapter that is on another rail than its label has elsewhere is crossed, not missing.
    let is_elsewhere = |host: &Host, rail: usize| {
        host.ends.iter().any(|&e| usual.get(ctx.hosts.label(e)) == Some(&rail) && ctx.hosts.rail(e).is_some())
    };
    let wanted: Vec<usize> = (0..ctx.hosts.num_rails())
        .filter(|r| agree(rails.iter().filter(|have| have.contains(r)).count(), hosts.len()))
        .collect();
    let mut lacking: BTreeMap<(usize, Vec<NodeId>), Vec<&Host>> = BTreeMap::new();
    for (host, have) in hosts.iter().zip(&rails).filter(|(_, have)| have.len() < wanted.len()) {
        let leaves: Vec<NodeId> = host.ends.iter().filter_map(|&e| leaf_of(ctx.fabric, e)).collect();
        for &rail in wanted.iter().filter(|r| !have.contains(r)) {
            if !is_elsewhere(host, rail) && !host.ends.iter().any(|&e| leaf_of(ctx.fabric, e).is_none()) {
                lacking.entry((rail, leaves.clone())).or_default().push(host);
            }
        }
    }
    for ((rail, leaves), lacking) in lacking {
        let absent = absent.iter().find(|a| would_serve(ctx, a, rail, &leaves));
        let locations = lacking.iter().filter_map(|h| h.ends.first()).map(|&e| Location {
            node: ctx.hosts.hosts[ctx.hosts.host_of(e).unwrap_or(0)].name.to_string(),
            ..ctx.location(e)
        });
        let missing = MissingRail {
            hosts: locations.collect(),
            rail: rail + 1,
            label: label_on(ctx, hosts, lacking[0], rail).map(ToOwned::to_owned),
            absent_leaf: absent.map(|a| a.fact.switch.node.clone()),
            unnamed: absent.map_or(0, |_| nameless(ctx, leaves[0])),
        };
        out.push(Fact::RailMissing(missing).into());
    }
}

/// Adapters on a leaf whose host is unknown or has a name that says nothing.
fn nameless(ctx: &Context, leaf: NodeId) -> usize {
    let fabric = ctx.fabric;
    fabric
        .ports_of(leaf)
        .filter_map(|p| fabric.peer(p))
        .map(|p| fabric.node_of(p))
        .filter(|&n| ctx.is_adapter(n) && ctx.hosts.host_of(n).is_none_or(|h| ctx.hosts.hosts[h].generic))
        .count()
}

/// What hosts with the same labels as `like` call their adapter on a rail.
fn label_on<'a>(ctx: &'a Context, hosts: &[&Host], like: &Host, rail: usize) -> Option<&'a str> {
    let own: Vec<&str> = like.ends.iter().map(|&e| ctx.hosts.label(e)).collect();
    let mut labels: Vec<&str> = hosts
        .iter()
        .filter(|h| own.iter().all(|l| h.ends.iter().any(|&e| ctx.hosts.label(e) == *l)))
        .flat_map(|h| h.ends.iter().filter(|&&e| ctx.hosts.rail(e) == Some(rail)))
        .map(|&e| ctx.hosts.label(e))
        .filter(|l| !l.is_empty() && !own.contains(l))
        .collect();
    labels.sort_unstable();
    majority(&labels, 1)
}

/// Whether an absent leaf is the one that hosts on `leaves` would use for a rail: its name shares one
/// number with all of those leaves and another with all leaves of that rail.
fn would_serve(ctx: &Context, absent: &Absent, rail: usize, leaves: &[NodeId]) -> bool {
    if absent.level != Some(0) || leaves.is_empty() {
        return false;
    }
    let mut of_rail: Vec<NodeId> = ctx
        .hosts
        .hosts
        .iter()
        .flat_map(|h| &h.ends)
        .filter(|&&e| ctx.hosts.rail(e) == Some(rail))
        .filter_map(|&e| leaf_of(ctx.fabric, e))
        .collect();
    of_rail.sort_unstable();
    of_rail.dedup();
    let shared = |nodes: &[NodeId]| -> Vec<usize> {
        let fields: Vec<Fields> =
            nodes.iter().map(|&n| Fields::of(short(&ctx.fabric.node(n).description))).collect();
        absent
            .key
            .iter()
            .filter(|(i, v)| fields.iter().all(|f| f.numbers.get(*i).is_some_and(|n| n.0 == *v)))
            .map(|k| k.0)
            .collect()
    };
    let (here, there) = (shared(leaves), shared(&of_rail));
    here.iter().any(|a| there.iter().any(|b| a != b))
}

/// The rail that a label has on two thirds of the hosts of a series.
fn usual_rails<'a>(ctx: &'a Context, hosts: &[&Host]) -> BTreeMap<&'a str, usize> {
    let mut votes: Vec<(&str, usize)> = hosts
        .iter()
        .flat_map(|h| &h.ends)
        .filter_map(|&e| ctx.hosts.rail(e).map(|r| (ctx.hosts.label(e), r)))
        .collect();
    votes.sort_unstable();
    votes
        .chunk_by(|a, b| a.0 == b.0)
        .filter_map(|run| {
            let rails: Vec<usize> = run.iter().map(|v| v.1).collect();
            majority(&rails, 3).map(|r| (run[0].0, r))
        })
        .collect()
}

/// Adapters on the leaf of another rail than their label has on two thirds of the series.
fn crossed(ctx: &Context, hosts: &[&Host], out: &mut Vec<Finding>) {
    let usual = usual_rails(ctx, hosts);
    for host in hosts {
        let crossed = host.ends.iter().filter_map(|&end| {
            let (rail, usual) = (ctx.hosts.rail(end)?, *usual.get(ctx.hosts.label(end))?);
            let port = leaf_port(ctx.fabric, end).map(|port| ctx.port_location(port));
            (rail != usual).then(|| CrossedAdapter {
                adapter: ctx.location(end),
                label: ctx.hosts.label(end).to_owned(),
                leaf: port.or_else(|| leaf_of(ctx.fabric, end).map(|leaf| ctx.location(leaf))),
                rail: rail + 1,
                expected_rail: usual + 1,
                target: None,
            })
        });
        let mut adapters: Vec<CrossedAdapter> = crossed.collect();
        let taken: Vec<(usize, Option<Location>)> =
            adapters.iter().map(|adapter| (adapter.rail, adapter.leaf_port().cloned())).collect();
        for adapter in &mut adapters {
            let on_its_rail = taken.iter().find(|(rail, _)| *rail == adapter.expected_rail);
            adapter.target = on_its_rail.and_then(|(_, port)| port.clone());
        }
        if !adapters.is_empty() {
            out.push(Fact::RailsCrossed(CrossedRails { host: host.name.to_string(), adapters }).into());
        }
    }
}

/// Adapters on another leaf port than the host's others, where hosts of the series use one port number
/// on all their leaves.
fn ports(ctx: &Context, hosts: &[&Host], out: &mut Vec<Finding>) {
    let number = |e: NodeId| leaf_port(ctx.fabric, e).map(|p| ctx.fabric.number_of(p));
    let mut even = 0;
    let mut odd: Vec<(NodeId, u8)> = Vec::new();
    for host in hosts {
        let mut numbers: Vec<u8> = host.ends.iter().filter_map(|&e| number(e)).collect();
        numbers.sort_unstable();
        let Some(usual) = majority(&numbers, 2) else { continue };
        // An adapter without a name has been placed by that of its neighbours.
        let named = host.ends.iter().filter(|&&e| ctx.hosts.owner(e) == Owner::Named);
        let off = named.filter(|&&e| number(e).is_some_and(|n| n != usual));
        let before = odd.len();
        odd.extend(off.map(|&e| (e, usual)));
        even += usize::from(odd.len() == before);
    }
    if odd.is_empty() || !agree(even, hosts.len()) {
        return;
    }
    let fabric = ctx.fabric;
    for (end, usual) in odd {
        let Some(port) = leaf_port(ctx.fabric, end) else { continue };
        let there = fabric.port(fabric.node_of(port), usual).and_then(|p| fabric.peer(p));
        let unexpected = UnexpectedPort {
            adapter: ctx.location(end),
            leaf: ctx.port_location(port),
            expected: usual,
            there: there.map(|p| ctx.location(fabric.node_of(p))),
        };
        out.push(Fact::PortUnexpected(unexpected).into());
    }
}
