//! Nodes without a name, hosts with an installer's name, and hosts that numbering implies but that are
//! absent.

use std::collections::{BTreeMap, BTreeSet};

use super::context::Context;
use super::hosts::agree;
use super::islands::counted;
use super::port_numbering::{PortNumbering, leaf_port};
use super::{Code, Finding, Location, names};
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

    /// A node's name, or its probable name.
    pub fn name(&self, ctx: &Context, node: NodeId) -> String {
        self.of.get(&node).map_or_else(
            || ctx.name(node),
            |(host, label)| format!("an unnamed adapter, probably {host} {label}"),
        )
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
    let ends: Vec<NodeId> = sorted.iter().map(|s| s.1).collect();
    if !ends.is_empty() {
        let locations: Vec<Location> = ends
            .iter()
            .flat_map(|&e| {
                let own = Location {
                    likely: likely.of.get(&e).map(|(h, l)| format!("{h} {l}")),
                    ..ctx.location(e)
                };
                [Some(own), leaf_port(ctx, e).map(|p| ctx.port_location(p))]
            })
            .flatten()
            .collect();
        let description =
            ctx.fabric.node(ends[0]).description.split_whitespace().collect::<Vec<_>>().join(" ");
        let mut text =
            format!("{} no host (\"{description}\")", counted(ends.len(), "adapter names", "adapters name"));
        let hosts = likely.hosts();
        if !hosts.is_empty() {
            let by_ports = if likely.of.len() == ends.len() {
                "by their leaf ports they are".into()
            } else {
                format!("by their leaf ports {} of them are", likely.of.len())
            };
            let who = counted(hosts.len(), "host", "hosts");
            text = format!("{text}; {by_ports} probably {who}: {}", names::some_of(&hosts, 20));
        }
        let at: Vec<String> = ends
            .iter()
            .filter_map(|&e| leaf_port(ctx, e))
            .map(|p| ctx.port_location(p).to_string())
            .collect();
        out.push(
            Finding::new(
                Code::NodeUnnamed,
                locations,
                text,
                "Set the node descriptions (rdma-ndd does so at boot), or list the GUIDs in a node-name-map.",
            )
            .at(names::some_of(&at, 4)),
        );
    }
    // A shared description does not distinguish switches.
    let mut switches: Vec<(&str, NodeId)> =
        ctx.fabric.switches().map(|s| (&*ctx.fabric.node(s).description, s)).collect();
    switches.sort_unstable();
    for same in switches.chunk_by(|a, b| a.0 == b.0).filter(|s| s.len() > 1) {
        let guids: Vec<String> = same.iter().map(|&(_, s)| ctx.fabric.node(s).guid.to_string()).collect();
        let shared = short(same[0].0);
        let at = if shared.is_empty() { names::some_of(&guids, 4) } else { shared.to_string() };
        out.push(
            Finding::new(
                Code::NodeUnnamed,
                same.iter().map(|s| ctx.location(s.1)).collect(),
                format!("{} switches share the description \"{}\"", same.len(), same[0].0),
                "Name them, or list their GUIDs in a node-name-map.",
            )
            .at(at),
        );
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
        let at: Vec<String> = ports.iter().map(|&p| ctx.port_location(p).to_string()).collect();
        let mut text = format!(
            "{} of a host called \"{}\", which is what installers call it",
            counted(host.ends.len(), "adapter", "adapters"),
            host.name
        );
        if let [Some(name)] = &expected[..]
            && numbering.host(name).is_none()
        {
            text = format!("{text}; by its leaf ports it is probably {name}");
        }
        let ends = host
            .ends
            .iter()
            .flat_map(|&e| [Some(ctx.location(e)), leaf_port(ctx, e).map(|p| ctx.port_location(p))])
            .flatten()
            .collect();
        out.push(
            Finding::new(
                Code::HostNameGeneric,
                ends,
                text,
                "Set the machine's host name and restart rdma-ndd.",
            )
            .at(format!("{} on {}", host.name, names::some_of(&at, 4))),
        );
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
    let mut all: Vec<&String> = absent.keys().collect();
    all.sort_by(|a, b| names::natural(a, b));
    let text = "implied by number and leaf port, but not there";
    let locations = all
        .iter()
        .flat_map(|&n| [Location::absent(n)].into_iter().chain(absent[n].iter().cloned()))
        .collect();
    out.push(
        Finding::new(
            Code::HostAbsent,
            locations,
            text,
            "Check whether these are down, or were never installed.",
        )
        .at(names::some_of(&all, 12)),
    );
}
