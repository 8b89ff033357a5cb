//! Nodes without a name, hosts with an installer's name, and hosts that numbering implies but that are
//! absent.

use std::collections::BTreeMap;

use super::context::Context;
use super::facts::{
    AbsentHost, AbsentHosts, Fact, GenericHost, PlacedAdapter, SharedDescription, UnnamedAdapters,
};
use super::majority::agree;
use super::port_numbering::{PortNumbering, leaf_port};
use super::{Finding, Location};
use crate::fabric::{NodeId, short};
use crate::natural::natural;

pub(super) fn report_names(ctx: &Context, out: &mut Vec<Finding>) {
    absent_hosts(ctx, out);
    generic(ctx, out);
    unnamed(ctx, out);
}

/// An adapter and its leaf port.
fn placed(ctx: &Context, end: NodeId) -> PlacedAdapter {
    let leaf = leaf_port(ctx.fabric, end).map(|p| ctx.port_location(p));
    PlacedAdapter { adapter: ctx.location(end), leaf }
}

/// The names of the hosts that adapters without a name belong to, where these have one, in natural order.
fn likely_hosts(ctx: &Context, ends: &[NodeId]) -> Vec<String> {
    let host = |&end: &NodeId| ctx.hosts.host_of(end).map(|h| &ctx.hosts.hosts[h]);
    let mut hosts: Vec<String> =
        ends.iter().filter_map(host).filter(|h| !h.generic).map(|h| h.name.to_string()).collect();
    hosts.sort_unstable_by(|a, b| natural(a, b));
    hosts.dedup();
    hosts
}

fn unnamed(ctx: &Context, out: &mut Vec<Finding>) {
    let port =
        |e: NodeId| leaf_port(ctx.fabric, e).map_or_else(String::new, |p| ctx.port_location(p).to_string());
    let mut sorted: Vec<(String, NodeId)> = ctx.hosts.unnamed.iter().map(|&e| (port(e), e)).collect();
    sorted.sort_by(|a, b| natural(&a.0, &b.0).then(a.1.cmp(&b.1)));
    if let Some(&(_, first)) = sorted.first() {
        let description = ctx.fabric.node(first).description.split_whitespace().collect::<Vec<_>>().join(" ");
        let unnamed = UnnamedAdapters {
            description,
            adapters: sorted.iter().map(|adapter| placed(ctx, adapter.1)).collect(),
            likely_hosts: likely_hosts(ctx, &ctx.hosts.unnamed),
        };
        out.push(Fact::AdaptersUnnamed(unnamed).into());
    }
    // A shared description does not distinguish switches.
    let mut switches: Vec<(&str, NodeId)> =
        ctx.fabric.switches().map(|s| (&*ctx.fabric.node(s).description, s)).collect();
    switches.sort_unstable();
    for same in switches.chunk_by(|a, b| a.0 == b.0).filter(|s| s.len() > 1) {
        let shared = SharedDescription {
            description: same[0].0.to_owned(),
            name: short(same[0].0).to_owned(),
            switches: same.iter().map(|s| ctx.location(s.1)).collect(),
        };
        out.push(Fact::DescriptionShared(shared).into());
    }
}

fn generic(ctx: &Context, out: &mut Vec<Finding>) {
    for name in &ctx.hosts.generic {
        let hosts = likely_hosts(ctx, &name.ends);
        let are_known = name.ends.iter().all(|&end| ctx.hosts.likely(end).is_some());
        let likely = match &hosts[..] {
            [host] if are_known => Some(host.clone()),
            _ => None,
        };
        let is_assumed = name.ends.iter().any(|&end| ctx.hosts.is_group_assumed(end));
        let first = name.ends.first().filter(|_| !is_assumed);
        let group = first.map(|&end| ctx.hosts.group(end).name());
        let adapters = name.ends.iter().map(|&end| placed(ctx, end)).collect();
        let host = name.name.to_string();
        out.push(Fact::HostNameGeneric(GenericHost { host, adapters, likely, group }).into());
    }
}

/// The greatest share of a leaf's hosts that may be absent where numbers are believed: one in so many.
const PART: usize = 3;

/// Hosts whose numbers are missing between those of two hosts of one leaf, at ports between theirs that are empty here and in
/// use on two thirds of the leaves. Ports before the first and after the last host of a leaf are not filled yet, whatever
/// numbers other leaves go on with.
fn absent_hosts(ctx: &Context, out: &mut Vec<Finding>) {
    let fabric = ctx.fabric;
    let numbering = PortNumbering::of(fabric, &ctx.hosts.hosts, |end| ctx.hosts.label(end));
    let mut leaves: Vec<NodeId> = fabric.switches().filter(|&s| numbering.has_rule(s)).collect();
    leaves.sort_by(|&a, &b| natural(&fabric.name(a), &fabric.name(b)));
    let used = |number: u8| {
        let n = leaves
            .iter()
            .filter(|&&l| {
                fabric
                    .port(l, number)
                    .and_then(|p| fabric.peer(p))
                    .is_some_and(|p| ctx.is_adapter(fabric.node_of(p)))
            })
            .count();
        agree(n, leaves.len())
    };
    let in_use: Vec<bool> = (0..=u8::MAX).map(used).collect();
    let mut absent: BTreeMap<String, Vec<Location>> = BTreeMap::new();
    for &leaf in &leaves {
        let between = numbering.span(leaf);
        let holes: Vec<(String, Location)> = fabric
            .ports_of(leaf)
            .filter(|&port| fabric.peer(port).is_none())
            .filter(|&port| {
                let number = fabric.number_of(port);
                let is_inside = between.iter().any(|&(first, last)| (first..last).contains(&number));
                is_inside && in_use[usize::from(number)]
            })
            .filter_map(|port| {
                let name = numbering.expected(leaf, fabric.number_of(port))?;
                numbering.host(&name).is_none().then(|| (name, ctx.port_location(port)))
            })
            .collect();
        if PART * holes.len() <= numbering.named_on(leaf) {
            for (name, port) in holes {
                absent.entry(name).or_default().push(port);
            }
        }
    }
    // More than one in eight: the rule does not hold.
    if absent.is_empty() || 8 * absent.len() > ctx.hosts.hosts.len() {
        return;
    }
    let mut absent: Vec<(String, Vec<Location>)> = absent.into_iter().collect();
    absent.sort_by(|a, b| natural(&a.0, &b.0));
    let host = |(name, ports): (String, _)| AbsentHost { host: Location::absent(&name), ports };
    out.push(Fact::HostsAbsent(AbsentHosts { hosts: absent.into_iter().map(host).collect() }).into());
}
