//! What a leaf's ports say about the hosts on them. If a leaf's hosts are numbered along its ports
//! (`…-c07` on port 7), the port of an unnamed adapter shows its probable name, and an empty port
//! which host is absent.

use rustc_hash::FxHashMap;

use super::context::Context;
use super::hosts::majority;
use super::names;
use crate::fabric::{NodeId, PortId};

/// Hosts of one leaf: named `prefix` + (port + offset), written with at least `width` digits.
struct NumberingRule<'a> {
    prefix: &'a str,
    offset: i64,
    width: u8,
    /// Numbers in use in this series of names.
    range: (u32, u32),
    /// Label that most adapters on this leaf have.
    label: Option<&'a str>,
    /// Port of each named host on this leaf.
    at: Vec<(usize, u8)>,
}

/// The rules of all leaves that have one.
pub(super) struct PortNumbering<'a> {
    rules: Vec<Option<NumberingRule<'a>>>,
    by_name: FxHashMap<&'a str, usize>,
}

/// The leaf port of an adapter.
pub(super) fn leaf_port(ctx: &Context, end: NodeId) -> Option<PortId> {
    let port = ctx.fabric.ports_of(end).find_map(|p| ctx.fabric.peer(p))?;
    ctx.fabric.is_switch(ctx.fabric.node_of(port)).then_some(port)
}

impl<'a> PortNumbering<'a> {
    pub fn of(ctx: &Context<'a>) -> Self {
        let hosts = &ctx.hosts.hosts;
        let mut on_leaf: Vec<Vec<(usize, NodeId, u8)>> = vec![Vec::new(); ctx.fabric.num_switches()];
        let mut range: FxHashMap<u32, (u32, u32)> = FxHashMap::default();
        for (h, host) in hosts.iter().enumerate().filter(|(_, h)| !h.generic) {
            let Some((_, number, _)) = names::trailing_number(&host.name) else { continue };
            let r = range.entry(host.series).or_insert((number, number));
            *r = (r.0.min(number), r.1.max(number));
            for &end in &host.ends {
                if let Some(port) = leaf_port(ctx, end) {
                    on_leaf[ctx.fabric.node_of(port).ix()].push((h, end, ctx.fabric.number_of(port)));
                }
            }
        }
        let rules = on_leaf.iter().map(|ends| rule(ctx, ends, &range)).collect();
        let by_name = hosts.iter().enumerate().map(|(i, h)| (&*h.name, i)).collect();
        Self { rules, by_name }
    }

    /// Whether a host of this name is known.
    pub fn host(&self, name: &str) -> Option<usize> {
        self.by_name.get(name).copied()
    }

    /// The host that belongs on a port of a leaf, by the leaf's rule.
    pub fn expected(&self, leaf: NodeId, port: u8) -> Option<String> {
        let rule = self.rules.get(leaf.ix())?.as_ref()?;
        let number = u32::try_from(i64::from(port) + rule.offset).ok()?;
        let known = (rule.range.0..=rule.range.1).contains(&number);
        known.then(|| format!("{}{number:0width$}", rule.prefix, width = usize::from(rule.width)))
    }

    /// Whether a leaf's hosts follow a rule.
    pub fn has_rule(&self, leaf: NodeId) -> bool {
        self.rules[leaf.ix()].is_some()
    }

    /// The probable name of an unnamed adapter: (host, label). If the host that belongs on its port is on
    /// another port of the leaf, the two were exchanged.
    pub fn likely(&self, ctx: &Context, end: NodeId) -> Option<(String, &'a str)> {
        let port = leaf_port(ctx, end)?;
        let leaf = ctx.fabric.node_of(port);
        let rule = self.rules[leaf.ix()].as_ref()?;
        let label = rule.label?;
        let elsewhere = |name: &str| -> Option<u8> {
            let host = self.host(name)?;
            rule.at.iter().find(|(h, _)| *h == host).map(|(_, p)| *p)
        };
        let mut name = self.expected(leaf, ctx.fabric.number_of(port))?;
        if let Some(other) = elsewhere(&name) {
            name = self.expected(leaf, other)?;
            if elsewhere(&name).is_some() {
                return None;
            }
        }
        let taken = self
            .host(&name)
            .is_some_and(|h| ctx.hosts.hosts[h].ends.iter().any(|&e| ctx.hosts.label(e) == label));
        (!taken).then_some((name, label))
    }
}

fn rule<'a>(
    ctx: &Context<'a>,
    ends: &[(usize, NodeId, u8)],
    range: &FxHashMap<u32, (u32, u32)>,
) -> Option<NumberingRule<'a>> {
    let hosts = &ctx.hosts.hosts;
    let mut votes: Vec<(&str, i64, u8, u32)> = Vec::new();
    for &(h, _, port) in ends {
        let (prefix, number, width) = names::trailing_number(&hosts[h].name)?;
        // Unpadded numbers have as many digits as they need.
        let width = if hosts[h].name[prefix.len()..].starts_with('0') { width } else { 0 };
        votes.push((prefix, i64::from(number) - i64::from(port), width, hosts[h].series));
    }
    let width = votes.iter().map(|v| v.2).max().unwrap_or(0);
    let mut rules: Vec<(&str, i64, u32)> = votes.iter().map(|v| (v.0, v.1, v.3)).collect();
    rules.sort_unstable();
    let (prefix, offset, series) = majority(&rules, 3)?;
    let mut labels: Vec<&str> = ends.iter().map(|e| ctx.hosts.label(e.1)).collect();
    labels.sort_unstable();
    Some(NumberingRule {
        prefix,
        offset,
        width,
        range: *range.get(&series)?,
        label: majority(&labels, 2).filter(|l| !l.is_empty()),
        at: ends.iter().map(|e| (e.0, e.2)).collect(),
    })
}
