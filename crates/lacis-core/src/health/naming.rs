//! Nodes without a name, hosts with an installer's name, and hosts that numbering implies but that are
//! absent.

use std::collections::{BTreeMap, BTreeSet};

use super::context::Context;
use super::facts::{
    AbsentHost, AbsentHosts, Fact, GenericHost, PlacedAdapter, SharedDescription, UnnamedAdapters,
};
use super::hosts::agree;
use super::port_numbering::{PortNumbering, leaf_port};
use super::{Finding, Location, names};
use crate::fabric::{NodeId, short};

/// Probable names of unnamed adapters.
pub(super) struct Likely {
    /// Host and label of each unnamed adapter whose leaf port shows them.
    of: BTreeMap<NodeId, (String, String)>,
    /// Rails that these cover, by host.
    rails: BTreeSet<(String, usize)>,
}

impl Likely {
    pub fn of(ctx: &Context, numbering: &PortNumbering) -> Self {
        let mut out = Self { of: BTreeMap::new(), rails: BTreeSet::new() };
        for &end in &ctx.hosts.unnamed {
            if let Some((host, label)) = numbering.likely(ctx, end) {
                if let Some(rail) = ctx.hosts.rail(end) {
                    out.rails.insert((host.clone(), rail));
                }
                out.of.insert(end, (host, label.to_string()));
            }
        }
        out
    }

    /// Whether an unnamed adapter is probably this host's on this rail.
    pub fn covers(&self, host: &str, rail: usize) -> bool {
        self.rails.contains(&(host.to_string(), rail))
    }

    /// A node, with its probable name where it has none of its own.
    pub fn location(&self, ctx: &Context, node: NodeId) -> Location {
        let likely = self.of.get(&node).map(|(host, label)| format!("{host} {label}"));
        Location { likely, ..ctx.location(node) }
    }

    /// Every unnamed adapter whose leaf port shows its name, with that name, in node order.
    pub fn named(&self) -> impl Iterator<Item = (NodeId, String)> + '_ {
        self.of.iter().map(|(&node, (host, label))| (node, format!("{host} {label}")))
    }

    fn hosts(&self) -> Vec<&str> {
        let mut hosts: Vec<&str> = self.of.values().map(|(h, _)| h.as_str()).collect();
        hosts.sort_unstable_by(|a, b| names::natural(a, b));
        hosts.dedup();
        hosts
    }
}

pub(super) fn find(ctx: &Context, numbering: &PortNumbering, likely: &Likely, out: &mut Vec<Finding>) {
    absent_hosts(ctx, numbering, likely, out);
    generic(ctx, numbering, out);
    unnamed(ctx, likely, out);
}

fn unnamed(ctx: &Context, likely: &Likely, out: &mut Vec<Finding>) {
    let port = |e: NodeId| leaf_port(ctx, e).map_or_else(String::new, |p| ctx.port_location(p).to_string());
    let mut sorted: Vec<(String, NodeId)> = ctx.hosts.unnamed.iter().map(|&e| (port(e), e)).collect();
    sorted.sort_by(|a, b| names::natural(&a.0, &b.0).then(a.1.cmp(&b.1)));
    if let Some(&(_, first)) = sorted.first() {
        let description = ctx.fabric.node(first).description.split_whitespace().collect::<Vec<_>>().join(" ");
        let placed = |&(_, end): &(String, NodeId)| PlacedAdapter {
            adapter: likely.location(ctx, end),
            leaf: leaf_port(ctx, end).map(|p| ctx.port_location(p)),
        };
        let unnamed = UnnamedAdapters {
            description,
            adapters: sorted.iter().map(placed).collect(),
            likely_hosts: likely.hosts().into_iter().map(ToOwned::to_owned).collect(),
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

fn generic(ctx: &Context, numbering: &PortNumbering, out: &mut Vec<Finding>) {
    for host in ctx.hosts.hosts.iter().filter(|h| h.generic) {
        let ports: Vec<_> = host.ends.iter().filter_map(|&e| leaf_port(ctx, e)).collect();
        let mut expected: Vec<Option<String>> = ports
            .iter()
            .map(|&p| numbering.expected(ctx.fabric.node_of(p), ctx.fabric.number_of(p)))
            .collect();
        expected.sort_unstable();
        expected.dedup();
        let likely = match &expected[..] {
            [Some(name)] if numbering.host(name).is_none() => Some(name.clone()),
            _ => None,
        };
        let placed = |&end: &NodeId| PlacedAdapter {
            adapter: ctx.location(end),
            leaf: leaf_port(ctx, end).map(|p| ctx.port_location(p)),
        };
        let adapters = host.ends.iter().map(placed).collect();
        out.push(Fact::HostNameGeneric(GenericHost { host: host.name.to_string(), adapters, likely }).into());
    }
}

/// Hosts that belong on leaf ports which are empty here and in use on two thirds of the leaves.
fn absent_hosts(ctx: &Context, numbering: &PortNumbering, likely: &Likely, out: &mut Vec<Finding>) {
    let fabric = ctx.fabric;
    let mut leaves: Vec<NodeId> = fabric.switches().filter(|&s| numbering.has_rule(s)).collect();
    leaves.sort_by(|&a, &b| names::natural(&fabric.name(a), &fabric.name(b)));
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
    let guessed = likely.hosts();
    let generic: BTreeSet<String> = ctx
        .hosts
        .hosts
        .iter()
        .filter(|h| h.generic)
        .flat_map(|h| &h.ends)
        .filter_map(|&e| leaf_port(ctx, e))
        .filter_map(|p| numbering.expected(fabric.node_of(p), fabric.number_of(p)))
        .collect();
    let mut absent: BTreeMap<String, Vec<Location>> = BTreeMap::new();
    for &leaf in &leaves {
        for port in fabric.ports_of(leaf).filter(|&p| fabric.peer(p).is_none()) {
            let number = fabric.number_of(port);
            let Some(name) = numbering.expected(leaf, number).filter(|_| in_use[usize::from(number)]) else {
                continue;
            };
            let known = numbering.host(&name).is_some()
                || guessed.contains(&name.as_str())
                || generic.contains(&name);
            if !known {
                absent.entry(name).or_default().push(ctx.port_location(port));
            }
        }
    }
    // More than one in eight: the rule does not hold.
    if absent.is_empty() || 8 * absent.len() > ctx.hosts.hosts.len() {
        return;
    }
    let mut absent: Vec<(String, Vec<Location>)> = absent.into_iter().collect();
    absent.sort_by(|a, b| names::natural(&a.0, &b.0));
    let host = |(name, ports): (String, _)| AbsentHost { host: Location::absent(&name), ports };
    out.push(Fact::HostsAbsent(AbsentHosts { hosts: absent.into_iter().map(host).collect() }).into());
}
