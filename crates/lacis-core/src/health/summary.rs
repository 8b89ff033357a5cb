//! What a fabric is, in numbers.
//!
//! *Taper* of a level is the bandwidth of its cables down divided by that of its cables up; 1 is
//! non-blocking, 2 halves what leaves it. *Bisection* is the least capacity between two halves of the
//! hosts, modelled from rates and cables alone ([`crate::cuts::bisection`]): exact, or two bounds.

use std::collections::BTreeMap;

use serde::Serialize;

use super::Hosts;
use super::context::Context;
use super::islands::PlaneComponents;
use super::links::rate;
use super::patterns::{CablingPattern, SwitchGroupSummary, switch_groups};
use crate::cuts;
use crate::fabric::levels::Role;
use crate::fabric::{Group, NodeId, NodeKind, Population, Rate};

/// Numbers of a fabric.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Summary {
    /// Switches.
    pub switches: usize,
    /// End nodes of every kind.
    pub end_nodes: usize,
    /// End nodes by kind.
    pub kinds: Kinds,
    /// Hosts: those that descriptions name; an adapter without a name, or with one that installers give, is one by itself.
    pub hosts: usize,
    /// Adapters whose description names no host.
    pub unnamed: usize,
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
}

/// End nodes by kind.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Kinds {
    /// Host adapters.
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
    /// All physical ports of all switches.
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

impl Summary {
    pub(super) fn of(ctx: &Context) -> Self {
        let fabric = ctx.fabric;
        let mut kinds = Kinds::default();
        for end in fabric.end_nodes() {
            match fabric.node(end).kind {
                NodeKind::Router => kinds.routers += 1,
                NodeKind::Aggregation => kinds.aggregation += 1,
                _ => kinds.adapters += 1,
            }
        }
        let mut ports = PortCounts::default();
        for switch in fabric.switches() {
            ports.total += usize::from(fabric.radix(switch));
            ports.used += fabric.ports_of(switch).filter(|&p| fabric.peer(p).is_some()).count();
        }
        let by_level = by_level(ctx);
        Self {
            switches: fabric.num_switches(),
            end_nodes: fabric.num_nodes() - fabric.num_switches(),
            kinds,
            hosts: ctx.hosts.each().count(),
            unnamed: ctx.hosts.unnamed.len(),
            groups: groups(ctx),
            planes: PlaneComponents::of(ctx).count(),
            levels: (!by_level.is_empty()).then_some(by_level.len()),
            links: fabric.cables().count(),
            trunks: ctx.trunks().count(),
            links_by_rate: links_by_rate(ctx),
            bisection: bisection(ctx),
            by_level,
            cabling: CablingPattern::of(ctx),
            switch_groups: switch_groups(ctx),
            rails: rails(ctx, ctx.hosts),
            ports,
        }
    }
}

fn groups(ctx: &Context) -> Vec<GroupCount> {
    let count = |group: Group| {
        let is_in = |&end: &NodeId| ctx.is_adapter(end) && ctx.hosts.group(end) == group;
        let hosts = ctx.hosts.each().filter(|ends| ends.first().is_some_and(is_in));
        let adapters = ctx.fabric.end_nodes().filter(is_in).count();
        GroupCount { group: group.name(), hosts: hosts.count(), adapters }
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

fn rails(ctx: &Context, hosts: &Hosts) -> Vec<Rail> {
    let adapters: Vec<NodeId> = ctx.fabric.end_nodes().filter(|&n| ctx.is_adapter(n)).collect();
    (0..hosts.num_rails())
        .map(|rail| {
            let mine: Vec<NodeId> =
                adapters.iter().copied().filter(|&n| hosts.rail(n) == Some(rail)).collect();
            let mut leaves: Vec<NodeId> =
                mine.iter().filter_map(|&n| super::host::leaf_of(ctx.fabric, n)).collect();
            leaves.sort_unstable();
            leaves.dedup();
            let mut labels: Vec<&str> =
                mine.iter().map(|&n| hosts.label(n)).filter(|l| !l.is_empty()).collect();
            labels.sort_unstable();
            let mut runs: Vec<(usize, &str)> =
                labels.chunk_by(|a, b| a == b).map(|run| (run.len(), run[0])).collect();
            runs.sort_by_key(|&(n, label)| (std::cmp::Reverse(n), label));
            let most = runs.first().map_or(0, |r| r.0);
            runs.retain(|r| 20 * r.0 >= most);
            Rail {
                rail: rail + 1,
                labels: runs.into_iter().map(|(_, l)| l.to_string()).collect(),
                adapters: mine.len(),
                leaves: leaves.len(),
            }
        })
        .collect()
}

fn bisection(ctx: &Context) -> Option<BisectionSummary> {
    let planes = PlaneComponents::of(ctx);
    let mut ports = ctx.fabric.end_ports(Population::Hosts);
    ports.retain(|&p| planes.has(ctx, ctx.fabric.node_of(p)));
    let found = cuts::bisection(ctx.fabric, &ports)?;
    Some(BisectionSummary {
        bytes_per_second: found.at_most,
        at_least_bytes_per_second: if found.is_exact() { found.at_most } else { found.at_least },
        exact: found.is_exact(),
        fraction: found.at_most / found.injection,
        provenance: "modelled",
    })
}
