//! Which adapter of which host is on which plane, rail and leaf.

use std::collections::BTreeMap;

use serde::Serialize;

use super::context::{Context, NO_COMPONENT};
use super::facts::{Fact, SharedPrefix};
use super::islands::PlaneComponents;
use super::majority::agree;
use super::summary::{OnRail, by_count, on_rails};
use super::{Code, Finding, Hosts, Owner, findings_of};
use crate::fabric::{Fabric, NodeId, PortId};
use crate::natural::natural;

/// A fabric as its hosts see it.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct RailMap {
    /// Separate networks that hosts have in common, largest first.
    pub planes: Vec<PlaneRow>,
    /// Each rail.
    pub rails: Vec<RailRow>,
    /// Switches with host adapters, in natural order of their names.
    pub leaves: Vec<LeafRow>,
    /// Whether there are several rails and two thirds of the leaves have adapters of only one.
    pub rail_optimised: bool,
    /// Hosts in natural order of their names.
    pub hosts: Vec<HostRow>,
    /// Adapters whose description names no host.
    pub unnamed: usize,
    /// Adapters whose host is inferred.
    pub inferred: usize,
    /// Planes of an adapter; 1 where an adapter is one end node.
    pub planes_per_adapter: usize,
    /// Adapters whose host nothing shows, in the order of their nodes.
    pub unknown: Vec<UnknownAdapter>,
    /// What is wrong with rails and planes, worst first.
    pub findings: Vec<Finding>,
}

/// One plane.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct PlaneRow {
    /// From 1.
    pub plane: usize,
    /// Its switches.
    pub switches: usize,
    /// Host adapters with a port on it.
    pub adapters: usize,
    /// Hosts with an adapter on it.
    pub hosts: usize,
    /// Its first switch, to recognise it by.
    pub switch: String,
    /// Subnet prefix of its manager, if known.
    pub prefix: Option<String>,
    /// Its source.
    pub prefix_from: Option<PrefixFrom>,
}

/// The source of a plane's subnet prefix.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum PrefixFrom {
    /// The caller gave it.
    Option,
    /// The ports of its switches and adapters report it, or most of them do.
    Dump,
}

/// One rail.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct RailRow {
    /// From 1.
    pub rail: usize,
    /// Labels of its adapters, commonest first; odd ones (one in twenty) left out.
    pub labels: Vec<String>,
    /// Adapters on it, named or not.
    pub adapters: usize,
    /// Switches that they are on.
    pub leaves: usize,
    /// Planes that these are on.
    pub planes: Vec<usize>,
}

/// A switch with host adapters.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct LeafRow {
    /// Its name.
    pub leaf: String,
    /// Its plane, from 1; none on an island.
    pub plane: Option<usize>,
    /// The rail that at least two thirds of its adapters are on by their labels, from 1.
    pub rail: Option<usize>,
    /// Labels of its adapters and how many have each, commonest first; empty for adapters without.
    pub labels: Vec<(String, usize)>,
    /// Its host adapters.
    pub adapters: usize,
}

/// A host.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct HostRow {
    /// Its name.
    pub host: String,
    /// Whether the name is one that installers give, or that of its place, so that it says nothing about which machine it is.
    pub generic: bool,
    /// Whether no description names it: numbering, or cabling alone, implies it.
    pub inferred: bool,
    /// Its adapters' ports, in natural order of their labels.
    pub adapters: Vec<AdapterRow>,
}

/// An adapter whose host nothing shows.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct UnknownAdapter {
    /// What its description says.
    pub description: String,
    /// Its ports.
    pub ports: Vec<AdapterRow>,
}

/// A cabled port of an adapter, or an adapter without a cable.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct AdapterRow {
    /// `HCA-1`, `mlx5_0`, `hfi1_0`; empty where the description has none.
    pub label: String,
    /// GUID of the node.
    pub guid: String,
    /// The port of the adapter; none where it has no cable.
    pub port: Option<u8>,
    /// From 1.
    pub rail: Option<usize>,
    /// From 1; none on an island.
    pub plane: Option<usize>,
    /// Its edge switch.
    pub leaf: Option<String>,
    /// And that switch's port.
    pub leaf_port: Option<u8>,
    /// As it reports it: `4xNDR`.
    pub rate: Option<String>,
    /// Its card: equal for ports that share a slot.
    pub card: String,
    /// How it is known whose it is.
    pub owner: Owner,
    /// Which plane of its adapter it is, from 1; none where the adapter has one.
    pub plane_of_adapter: Option<usize>,
}

/// Maps hosts to rails, planes and leaves. `prefixes`: the known subnet prefixes of planes, by plane from 0; for others the
/// prefix that their ports report counts.
pub fn rail_map(fabric: &Fabric, hosts: &Hosts, prefixes: &[Option<u64>]) -> RailMap {
    let ctx = Context::new(fabric, hosts);
    let planes = PlaneComponents::of(&ctx);
    // Components that are planes, numbered in the order of their first switch.
    let mut number: Vec<Option<usize>> = vec![None; ctx.num_components];
    let mut count = 0;
    for (component, is_plane) in planes.is_plane.iter().enumerate() {
        if *is_plane {
            count += 1;
            number[component] = Some(count);
        }
    }
    let plane_of = |switch: NodeId| {
        let component = ctx.component[switch.ix()];
        if component == NO_COMPONENT { None } else { number[component as usize] }
    };
    let host_rows = host_rows(&ctx, plane_of);
    let rails = rail_rows(&ctx, plane_of);
    let leaves = leaf_rows(&ctx, plane_of);
    let of_one = leaves.iter().filter(|l| l.rail.is_some()).count();
    let rail_optimised = rails.len() > 1 && agree(of_one, leaves.len());
    let plane_rows = plane_rows(&ctx, plane_of, count, &host_rows, prefixes);
    let mut findings = same_prefix(&plane_rows);
    let is_about_rails = |code| {
        matches!(
            code,
            Code::RailMissing
                | Code::RailCrossed
                | Code::RailsOneLeaf
                | Code::RailsOneSlot
                | Code::NameDuplicate
                | Code::HostNameGeneric
                | Code::NodeUnnamed
                | Code::Island
        )
    };
    // Planes may share names of switches, so names do not distinguish rails.
    let is_of_switches = |f: &Finding| matches!(f.fact, Fact::DescriptionShared(_));
    findings.extend(findings_of(&ctx).into_iter().filter(|f| is_about_rails(f.code) && !is_of_switches(f)));
    findings.sort_by_key(|f| f.code);
    let unknown = |&end: &NodeId| UnknownAdapter {
        description: fabric.node(end).description.to_string(),
        ports: adapter_rows(&ctx, plane_of, end),
    };
    RailMap {
        planes: plane_rows,
        rails,
        leaves,
        rail_optimised,
        hosts: host_rows,
        unnamed: hosts.unnamed.len(),
        inferred: hosts.inferred().count(),
        planes_per_adapter: hosts.planes_per_adapter(),
        unknown: hosts.unknown.iter().map(unknown).collect(),
        findings,
    }
}

fn cabled(fabric: &Fabric, node: NodeId) -> impl Iterator<Item = PortId> + '_ {
    fabric.ports_of(node).filter(|&p| fabric.peer(p).is_some())
}

/// The rows of an adapter: its cabled ports, or itself.
fn adapter_rows(ctx: &Context, plane_of: impl Fn(NodeId) -> Option<usize>, end: NodeId) -> Vec<AdapterRow> {
    let row = |end: NodeId, port: Option<PortId>| {
        let node = ctx.fabric.node(end);
        let switch = port.and_then(|p| ctx.fabric.edge_switch(p));
        let card = if node.system_guid.is_some() { node.system_guid } else { node.guid };
        AdapterRow {
            label: ctx.hosts.label(end).into(),
            guid: node.guid.to_string(),
            port: port.map(|p| ctx.fabric.number_of(p)),
            rail: match port {
                Some(port) => ctx.hosts.rail_of_port(ctx.fabric, port).map(|r| r + 1),
                None => None,
            },
            plane: switch.and_then(&plane_of),
            leaf: switch.map(|s| ctx.name(s)),
            leaf_port: port.and_then(|p| ctx.fabric.peer(p)).map(|p| ctx.fabric.number_of(p)),
            rate: port.and_then(|p| ctx.fabric.port_info(p).rate).map(|r| r.to_string()),
            card: card.to_string(),
            owner: ctx.hosts.owner(end),
            plane_of_adapter: (!ctx.hosts.planes_of(end).is_empty()).then(|| ctx.hosts.plane(end) + 1),
        }
    };
    let mut rows: Vec<AdapterRow> = cabled(ctx.fabric, end).map(|p| row(end, Some(p))).collect();
    if rows.is_empty() {
        rows.push(row(end, None));
    }
    rows
}

fn host_rows(ctx: &Context, plane_of: impl Fn(NodeId) -> Option<usize> + Copy) -> Vec<HostRow> {
    let rows = |end| adapter_rows(ctx, plane_of, end);
    ctx.hosts
        .hosts
        .iter()
        .map(|host| HostRow {
            host: host.name.to_string(),
            generic: host.generic,
            inferred: host.inferred,
            adapters: host.ends.iter().flat_map(|&end| rows(end)).collect(),
        })
        .collect()
}

fn adapters<'a>(ctx: &'a Context<'_>) -> impl Iterator<Item = NodeId> + 'a {
    ctx.fabric.end_nodes().filter(|&n| ctx.is_adapter(n))
}

fn rail_rows(ctx: &Context, plane_of: impl Fn(NodeId) -> Option<usize>) -> Vec<RailRow> {
    let row = |(rail, on): (usize, OnRail)| {
        let OnRail { labels, adapters, leaves } = on;
        let mut planes: Vec<usize> = leaves.iter().filter_map(|&l| plane_of(l)).collect();
        planes.sort_unstable();
        planes.dedup();
        RailRow { rail, labels, adapters, leaves: leaves.len(), planes }
    };
    (1..).zip(on_rails(ctx)).map(row).collect()
}

fn leaf_rows(ctx: &Context, plane_of: impl Fn(NodeId) -> Option<usize>) -> Vec<LeafRow> {
    let (fabric, hosts) = (ctx.fabric, ctx.hosts);
    let mut by_leaf: Vec<Vec<NodeId>> = vec![Vec::new(); fabric.num_switches()];
    for node in adapters(ctx) {
        for leaf in cabled(fabric, node).filter_map(|p| fabric.edge_switch(p)) {
            by_leaf[leaf.ix()].push(node);
        }
    }
    let mut out: Vec<LeafRow> = fabric
        .switches()
        .filter(|s| !by_leaf[s.ix()].is_empty())
        .map(|leaf| {
            let ends = &by_leaf[leaf.ix()];
            let labels: Vec<&str> = ends.iter().map(|&n| hosts.label(n)).collect();
            LeafRow {
                leaf: ctx.name(leaf),
                plane: plane_of(leaf),
                rail: hosts.rail_of_leaf(leaf).map(|r| r + 1),
                labels: by_count(&labels),
                adapters: ends.len(),
            }
        })
        .collect();
    out.sort_by(|a, b| natural(&a.leaf, &b.leaf));
    out
}

fn plane_rows(
    ctx: &Context,
    plane_of: impl Fn(NodeId) -> Option<usize>,
    count: usize,
    hosts: &[HostRow],
    prefixes: &[Option<u64>],
) -> Vec<PlaneRow> {
    let mut rows: Vec<PlaneRow> = (1..=count)
        .map(|plane| PlaneRow {
            plane,
            switches: 0,
            adapters: 0,
            hosts: 0,
            switch: String::new(),
            prefix: prefixes.get(plane - 1).copied().flatten().map(|p| format!("{p:#018x}")),
            prefix_from: None,
        })
        .collect();
    let reported = reported_prefixes(ctx.fabric, &plane_of, count);
    for (row, reported) in rows.iter_mut().zip(reported) {
        row.prefix_from = match (&row.prefix, reported) {
            (Some(_), _) => Some(PrefixFrom::Option),
            (None, Some(_)) => Some(PrefixFrom::Dump),
            (None, None) => None,
        };
        row.prefix = row.prefix.take().or(reported.map(|p| format!("{p:#018x}")));
    }
    for switch in ctx.fabric.switches() {
        let Some(row) = plane_of(switch).map(|p| &mut rows[p - 1]) else { continue };
        row.switches += 1;
        if row.switches == 1 {
            row.switch = ctx.name(switch);
        }
    }
    for node in adapters(ctx) {
        let mut on: Vec<usize> = cabled(ctx.fabric, node)
            .filter_map(|p| ctx.fabric.edge_switch(p))
            .filter_map(&plane_of)
            .collect();
        on.sort_unstable();
        on.dedup();
        for plane in on {
            rows[plane - 1].adapters += 1;
        }
    }
    for host in hosts {
        let mut on: Vec<usize> = host.adapters.iter().filter_map(|a| a.plane).collect();
        on.sort_unstable();
        on.dedup();
        for plane in on {
            rows[plane - 1].hosts += 1;
        }
    }
    rows
}

/// By plane: the subnet prefix that most of its ports report, if any.
fn reported_prefixes(
    fabric: &Fabric,
    plane_of: impl Fn(NodeId) -> Option<usize>,
    count: usize,
) -> Vec<Option<u64>> {
    let mut counts: Vec<BTreeMap<u64, usize>> = vec![BTreeMap::new(); count];
    let ports = (0..fabric.num_ports() as u32).map(PortId);
    for port in ports.filter(|&port| fabric.port_info(port).subnet_prefix != 0) {
        let node = fabric.node_of(port);
        let switch = if fabric.is_switch(node) { Some(node) } else { fabric.edge_switch(port) };
        if let Some(plane) = switch.and_then(&plane_of) {
            *counts[plane - 1].entry(fabric.port_info(port).subnet_prefix).or_default() += 1;
        }
    }
    // Of equally common ones the lowest.
    let commonest = |counts: &BTreeMap<u64, usize>| {
        counts.iter().max_by_key(|&(&prefix, &n)| (n, std::cmp::Reverse(prefix))).map(|(&prefix, _)| prefix)
    };
    counts.iter().map(commonest).collect()
}

/// Planes with the same prefix: libraries take them for one network.
fn same_prefix(planes: &[PlaneRow]) -> Vec<Finding> {
    let mut by_prefix: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
    for row in planes {
        if let Some(prefix) = &row.prefix {
            by_prefix.entry(prefix).or_default().push(row.plane);
        }
    }
    by_prefix
        .into_iter()
        .filter(|(_, planes)| planes.len() > 1)
        .map(|(prefix, planes)| Fact::PrefixShared(SharedPrefix { prefix: prefix.to_owned(), planes }).into())
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fabric::join;
    use crate::generate::{generate, shuffle_guids, without};

    #[test]
    fn a_machine_of_two_planes_is_mapped_as_it_was_made() {
        // fat-tree:4,2 has 4 leaves, 2 spines and 8 hosts; its two rails are separate planes.
        let fabric = generate("fat-tree:4,2:rails=2").unwrap();
        let hosts = Hosts::of(&fabric, None);
        let map = rail_map(&fabric, &hosts, &[Some(7), Some(7)]);
        let planes: Vec<_> = map.planes.iter().map(|p| (p.switches, p.adapters, p.hosts)).collect();
        assert_eq!(planes, [(6, 8, 8), (6, 8, 8)]);
        assert!(map.rail_optimised);
        let rails: Vec<_> = map.rails.iter().map(|r| (r.rail, r.adapters, r.leaves, &r.planes[..])).collect();
        assert_eq!(rails, [(1, 8, 4, &[1][..]), (2, 8, 4, &[2][..])]);
        assert_eq!(map.leaves.len(), 8);
        for host in &map.hosts {
            let of: Vec<_> = host.adapters.iter().map(|a| (a.port, a.rail, a.plane)).collect();
            assert_eq!(of, [(Some(1), Some(1), Some(1)), (Some(1), Some(2), Some(2))]);
        }
        let codes: Vec<_> = map.findings.iter().map(|f| f.code).collect();
        assert_eq!(codes, [Code::PrefixSame]);
        assert_eq!(rail_map(&fabric, &hosts, &[Some(7), Some(8)]).findings, []);
    }

    #[test]
    fn planes_may_call_hosts_adapters_and_switches_alike() {
        let plane = generate("fat-tree:4,2").unwrap();
        let both = join(&[&plane, &shuffle_guids(&plane, 1)]).unwrap();
        let map = rail_map(&both, &Hosts::of(&both, None), &[]);
        assert_eq!(map.findings, []);
        let hosts: Vec<usize> = map.planes.iter().map(|p| p.hosts).collect();
        assert_eq!((map.hosts.len(), hosts), (8, vec![8, 8]));
    }

    #[test]
    fn a_fabric_of_one_rail_is_not_rail_optimised_and_an_island_has_no_plane() {
        let whole = generate("fat-tree:4,2").unwrap();
        assert!(!rail_map(&whole, &Hosts::of(&whole, None), &[]).rail_optimised);
        // The leaf's two cables up gone, its two hosts reach nothing else.
        let fabric = without(&whole, &["leaf-01--spine-*"]).unwrap();
        let map = rail_map(&fabric, &Hosts::of(&fabric, None), &[]);
        let lost = map.hosts.iter().filter(|h| h.adapters.iter().all(|a| a.plane.is_none())).count();
        assert_eq!((map.planes.len(), lost), (1, 2));
    }
}
