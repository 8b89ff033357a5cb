//! What a fabric is, in numbers.
//!
//! *Taper* of a level is the bandwidth of its cables down divided by that of its cables up; 1 is
//! non-blocking, 2 halves what leaves it. *Bisection* is the least capacity between two halves of the
//! hosts, modelled from rates and cables alone ([`crate::cuts::bisection`]): exact, or two bounds.

use std::collections::BTreeMap;

use serde::Serialize;

use super::context::Context;
use super::host::Host;
use super::islands::PlaneComponents;
use super::links::rate;
use super::patterns::{CablingPattern, SwitchGroupSummary, switch_groups};
use crate::cuts;
use crate::fabric::levels::Role;
use crate::fabric::{Group, NodeId, NodeKind, Population, PortId, Rate};
use crate::natural::natural;

/// Numbers of a fabric.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Summary {
    /// Switches.
    pub switches: usize,
    /// End nodes of every kind.
    pub end_nodes: usize,
    /// End nodes by kind.
    pub kinds: Kinds,
    /// Hosts: those that descriptions name, and those that cards, cabling and numbering imply.
    pub hosts: usize,
    /// Adapters whose description names no host.
    pub unnamed: usize,
    /// Adapters whose host is inferred: their descriptions name none, or have a name that installers give.
    pub inferred: usize,
    /// Adapters whose host nothing shows: they are counted as no host.
    pub unknown: usize,
    /// Planes of an adapter; 1 where an adapter is one end node.
    pub planes_per_adapter: usize,
    /// What hosts are for: each group that occurs, compute first.
    pub groups: Vec<GroupCount>,
    /// Number of planes; islands do not count.
    pub planes: usize,
    /// Levels of switches; nothing where the fabric has none.
    pub levels: Option<usize>,
    /// Cables of any kind.
    pub links: usize,
    /// Cables between switches.
    pub trunks: usize,
    /// Cables by rate (of the slower end), fastest first.
    pub links_by_rate: Vec<RateCount>,
    /// Each level, leaves first.
    pub by_level: Vec<LevelSummary>,
    /// The pattern of cables between switches, and how many were compared with it.
    pub cabling: CablingPattern,
    /// Groups of switches, of a Dragonfly+ or a dragonfly.
    pub switch_groups: Vec<SwitchGroupSummary>,
    /// Each rail.
    pub rails: Vec<Rail>,
    /// Switch ports.
    pub ports: PortCounts,
    /// Bisection bandwidth of all planes together, without islands; nothing if a rate is unknown, or without two
    /// hosts.
    pub bisection: Option<BisectionSummary>,
    /// The same as a share, where the source has no rates and all links count alike.
    pub bisection_share: Option<BisectionShare>,
}

/// End nodes by kind.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Kinds {
    /// Host adapters, each with all its planes and ports.
    pub adapters: usize,
    /// Routers.
    pub routers: usize,
    /// SHARP aggregation nodes.
    pub aggregation: usize,
}

/// How many hosts are of a group.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct GroupCount {
    /// `compute`, `management`, `storage` or `gateway`.
    pub group: &'static str,
    /// Hosts of this group.
    pub hosts: usize,
    /// Adapters, named or not.
    pub adapters: usize,
    /// Of the hosts those that nothing shows to be of this group.
    pub assumed: usize,
}

/// How many cables run at a rate.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct RateCount {
    /// `4xNDR`; `unknown` where neither end reports one.
    pub rate: String,
    /// One direction [bytes/s].
    pub bytes_per_second: Option<f64>,
    /// Cables.
    pub links: usize,
}

/// One level of switches. Aggregation nodes are not counted.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct LevelSummary {
    /// 0 for leaves.
    pub level: usize,
    /// `leaf`, `spine`, `core` …
    pub role: &'static str,
    /// Switches of this level.
    pub switches: usize,
    /// Cables to adapters, routers and lower levels.
    pub down_links: usize,
    /// Cables to higher levels.
    pub up_links: usize,
    /// Bandwidth down, one direction [bytes/s].
    pub down_bytes_per_second: f64,
    /// Bandwidth up, one direction [bytes/s].
    pub up_bytes_per_second: f64,
    /// Down divided by up; nothing at the top.
    pub taper: Option<f64>,
}

/// One rail: the adapters of the same number on all hosts.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Rail {
    /// From 1.
    pub rail: usize,
    /// What hosts call their adapter on it, commonest first; odd ones (one in twenty) left out.
    pub labels: Vec<String>,
    /// Adapters on it, named or not.
    pub adapters: usize,
    /// Switches that they are on.
    pub leaves: usize,
}

/// Switch ports.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct PortCounts {
    /// All ports of all switches that a cable fits.
    pub total: usize,
    /// With a cable.
    pub used: usize,
}

/// See the module's documentation.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct BisectionSummary {
    /// The capacity of the thinnest cut found, one direction [bytes/s].
    pub bytes_per_second: f64,
    /// The least capacity that two halves of the hosts can have between them [bytes/s]; the same if the figure is exact.
    pub at_least_bytes_per_second: f64,
    /// Whether the two bounds are equal.
    pub exact: bool,
    /// The share of what half of the adapters could send.
    pub fraction: f64,
    /// Always `modelled`.
    pub provenance: &'static str,
}

/// A bisection without rates.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct BisectionShare {
    /// What the thinnest cut found carries, of what half of the adapters could send.
    pub fraction: f64,
    /// No two halves of the hosts have a smaller share between them; the same if the figure is exact.
    pub at_least_fraction: f64,
    /// Whether the two are equal.
    pub exact: bool,
    /// Always `modelled`.
    pub provenance: &'static str,
}

impl Summary {
    pub(super) fn of(ctx: &Context) -> Self {
        let fabric = ctx.fabric;
        let mut kinds = Kinds::default();
        for end in fabric.end_nodes() {
            match fabric.node(end).kind {
                NodeKind::Router => kinds.routers += 1,
                NodeKind::Aggregation => kinds.aggregation += 1,
                _ => kinds.adapters += usize::from(ctx.hosts.is_first(end)),
            }
        }
        let mut ports = PortCounts::default();
        for switch in fabric.switches() {
            let fit = fabric.ports_of(switch).filter(|&p| ctx.cages.fits(p));
            for port in fit {
                ports.total += 1;
                ports.used += usize::from(fabric.peer(port).is_some());
            }
        }
        let by_level = by_level(ctx);
        Self {
            switches: fabric.num_switches(),
            end_nodes: fabric.num_nodes() - fabric.num_switches(),
            kinds,
            hosts: ctx.hosts.hosts.len(),
            unnamed: ctx.hosts.unnamed.len(),
            inferred: ctx.hosts.inferred().count(),
            unknown: ctx.hosts.unknown.len(),
            planes_per_adapter: ctx.hosts.planes_per_adapter(),
            groups: groups(ctx),
            planes: PlaneComponents::of(ctx).count(),
            levels: (!by_level.is_empty()).then_some(by_level.len()),
            links: fabric.cables().count(),
            trunks: ctx.trunks().count(),
            links_by_rate: links_by_rate(ctx),
            bisection: bisection(ctx),
            bisection_share: bisection_share(ctx),
            by_level,
            cabling: CablingPattern::of(ctx),
            switch_groups: switch_groups(ctx),
            rails: rails(ctx),
            ports,
        }
    }
}

fn groups(ctx: &Context) -> Vec<GroupCount> {
    let count = |group: Group| {
        let is_in = |&end: &NodeId| ctx.is_adapter(end) && ctx.hosts.group(end) == group;
        let of_group = || ctx.hosts.hosts.iter().filter(|host| host.ends.first().is_some_and(is_in));
        let is_assumed = |host: &&Host| host.ends.iter().any(|&end| ctx.hosts.is_group_assumed(end));
        let adapters = ctx.fabric.end_nodes().filter(is_in).filter(|&end| ctx.hosts.is_first(end)).count();
        let assumed = of_group().filter(is_assumed).count();
        GroupCount { group: group.name(), hosts: of_group().count(), adapters, assumed }
    };
    Group::ALL.into_iter().map(count).filter(|count| count.adapters > 0).collect()
}

fn links_by_rate(ctx: &Context) -> Vec<RateCount> {
    let mut counts: BTreeMap<String, (f64, usize)> = BTreeMap::new();
    for cable in ctx.fabric.cables() {
        let rate = rate(ctx, cable);
        let name = rate.map_or_else(|| "unknown".into(), |r| r.to_string());
        let bytes = rate.map_or(0.0, Rate::bytes_per_second);
        counts.entry(name).or_insert((bytes, 0)).1 += 1;
    }
    let mut out: Vec<RateCount> = counts
        .into_iter()
        .map(|(rate, (bytes, links))| {
            let bytes_per_second = (rate != "unknown").then_some(bytes);
            RateCount { rate, bytes_per_second, links }
        })
        .collect();
    out.sort_by(|a, b| {
        b.bytes_per_second.partial_cmp(&a.bytes_per_second).unwrap_or(std::cmp::Ordering::Equal)
    });
    out
}

/// Each level, leaves first.
pub(super) fn by_level(ctx: &Context) -> Vec<LevelSummary> {
    let fabric = ctx.fabric;
    let Some(levels) = &ctx.levels else { return Vec::new() };
    let mut out: Vec<LevelSummary> = (0..levels.count())
        .map(|level| LevelSummary {
            level,
            role: levels.at(level as u8).filter_map(|s| levels.role(s)).max().map_or("", Role::name),
            switches: 0,
            down_links: 0,
            up_links: 0,
            down_bytes_per_second: 0.0,
            up_bytes_per_second: 0.0,
            taper: None,
        })
        .collect();
    for switch in fabric.switches() {
        let Some(level) = ctx.level_of(switch) else { continue };
        let row = &mut out[usize::from(level)];
        row.switches += 1;
        for port in fabric.ports_of(switch) {
            let Some(peer) = fabric.peer(port) else { continue };
            let other = fabric.node_of(peer);
            let bytes = rate(ctx, (port, peer)).map_or(0.0, Rate::bytes_per_second);
            let is_down = match fabric.node(other).kind {
                NodeKind::Aggregation => continue,
                NodeKind::Switch => match ctx.level_of(other) {
                    Some(l) if l != level => l < level,
                    _ => continue,
                },
                _ => true,
            };
            if is_down {
                (row.down_links, row.down_bytes_per_second) =
                    (row.down_links + 1, row.down_bytes_per_second + bytes);
            } else {
                (row.up_links, row.up_bytes_per_second) = (row.up_links + 1, row.up_bytes_per_second + bytes);
            }
        }
    }
    for row in &mut out {
        row.taper = if row.up_bytes_per_second > 0.0 {
            Some(row.down_bytes_per_second / row.up_bytes_per_second)
        } else {
            (row.up_links > 0).then(|| row.down_links as f64 / row.up_links as f64)
        };
    }
    out
}

/// What is on one rail.
pub(super) struct OnRail {
    /// Labels of its adapters, commonest first; odd ones (one in twenty) left out.
    pub labels: Vec<String>,
    /// Its adapters, each with all its planes and ports.
    pub adapters: usize,
    /// Switches that they are on, in node order.
    pub leaves: Vec<NodeId>,
}

/// What is on each rail: an adapter with several cabled ports has a rail for each, one of several planes has one.
pub(super) fn on_rails(ctx: &Context) -> Vec<OnRail> {
    let (fabric, hosts) = (ctx.fabric, ctx.hosts);
    let adapters = fabric.end_nodes().filter(|&n| ctx.is_adapter(n));
    let mut ports: Vec<Vec<PortId>> = vec![Vec::new(); hosts.num_rails() * hosts.ports_per_adapter()];
    for port in adapters.flat_map(|n| fabric.ports_of(n)) {
        if let Some(on) = hosts.rail_of_port(fabric, port).and_then(|rail| ports.get_mut(rail)) {
            on.push(port);
        }
    }
    let on_rail = |ports: Vec<PortId>| {
        let mut leaves: Vec<NodeId> = ports.iter().filter_map(|&p| fabric.edge_switch(p)).collect();
        leaves.sort_unstable();
        leaves.dedup();
        let first = ports.iter().map(|&p| fabric.node_of(p)).filter(|&n| hosts.plane(n) == 0);
        let own: Vec<&str> =
            first.clone().map(|n| hosts.label(n)).filter(|label| !label.is_empty()).collect();
        let mut labels = by_count(&own);
        let most = labels.first().map_or(0, |l| l.1);
        labels.retain(|l| 20 * l.1 >= most);
        OnRail { labels: labels.into_iter().map(|l| l.0).collect(), adapters: first.count(), leaves }
    };
    ports.into_iter().map(on_rail).collect()
}

fn rails(ctx: &Context) -> Vec<Rail> {
    let rail = |(rail, on): (usize, OnRail)| {
        let OnRail { labels, adapters, leaves } = on;
        Rail { rail, labels, adapters, leaves: leaves.len() }
    };
    (1..).zip(on_rails(ctx)).map(rail).collect()
}

/// Labels and how many have each, commonest first; equally common ones in natural order.
pub(super) fn by_count(labels: &[&str]) -> Vec<(String, usize)> {
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    for label in labels {
        *counts.entry(label).or_default() += 1;
    }
    let mut out: Vec<(String, usize)> = counts.into_iter().map(|(l, n)| (l.to_owned(), n)).collect();
    out.sort_by(|a, b| b.1.cmp(&a.1).then_with(|| natural(&a.0, &b.0)));
    out
}

/// The ports of hosts that are on no island.
fn ports_of_planes(ctx: &Context) -> Vec<crate::fabric::PortId> {
    let planes = PlaneComponents::of(ctx);
    let mut ports = ctx.fabric.end_ports(Population::Hosts);
    ports.retain(|&p| planes.has(ctx, ctx.fabric.node_of(p)));
    ports
}

fn bisection_share(ctx: &Context) -> Option<BisectionShare> {
    let found = cuts::bisection_in_links(ctx.fabric, &ports_of_planes(ctx))?;
    let fraction = found.at_most / found.injection;
    let exact = found.is_exact();
    let at_least_fraction = if exact { fraction } else { found.at_least / found.injection };
    Some(BisectionShare { fraction, at_least_fraction, exact, provenance: "modelled" })
}

fn bisection(ctx: &Context) -> Option<BisectionSummary> {
    let found = cuts::bisection(ctx.fabric, &ports_of_planes(ctx))?;
    Some(BisectionSummary {
        bytes_per_second: found.at_most,
        at_least_bytes_per_second: if found.is_exact() { found.at_most } else { found.at_least },
        exact: found.is_exact(),
        fraction: found.at_most / found.injection,
        provenance: "modelled",
    })
}
