//! What a leaf's ports say about the hosts on them. If a leaf's hosts are numbered along its ports
//! (`…-c07` on port 7, or the four adapters of `n3` on ports 13 to 16), the port of an adapter without a name shows whose
//! it is, and an empty port which host is absent.

use rustc_hash::FxHashMap;

use super::host::Host;
use super::majority::{agree, majority};
use super::names;
use crate::fabric::{Fabric, NodeId, PortId};

/// The most ports from one host to the next.
const MOST_STEP: i64 = 32;
/// The fewest adapters that make a rule.
const LEAST: usize = 3;

/// Adapters of one label on one leaf, at ports `step` × number + `offset` of hosts named `prefix` + number, written with at
/// least `width` digits.
struct NumberingRule<'a> {
    prefix: &'a str,
    label: &'a str,
    step: i64,
    offset: i64,
    width: u8,
    /// Numbers in use in this series of names.
    in_series: (u32, u32),
    /// Numbers in use on this leaf.
    on_leaf: (u32, u32),
    /// Whether all adapters of such hosts on this leaf have the label.
    is_alone: bool,
}

impl NumberingRule<'_> {
    fn number(&self, port: u8) -> Option<u32> {
        let along = i64::from(port) - self.offset;
        let number = (along % self.step == 0).then_some(along / self.step)?;
        let (least, most) = self.in_series;
        u32::try_from(number).ok().filter(|number| (least..=most).contains(number))
    }

    fn name(&self, number: u32) -> String {
        format!("{}{number:0width$}", self.prefix, width = usize::from(self.width))
    }
}

/// A named adapter on a leaf.
#[derive(Clone, Copy)]
struct NamedEnd<'a> {
    host: usize,
    label: &'a str,
    port: u8,
}

/// The rules of all leaves that have one.
pub(super) struct PortNumbering<'a> {
    rules: Vec<Vec<NumberingRule<'a>>>,
    on_leaf: Vec<Vec<NamedEnd<'a>>>,
    leaves_of: Vec<Vec<NodeId>>,
    by_name: FxHashMap<&'a str, usize>,
}

/// The leaf port of an adapter.
pub(super) fn leaf_port(fabric: &Fabric, end: NodeId) -> Option<PortId> {
    let port = fabric.ports_of(end).find_map(|p| fabric.peer(p))?;
    fabric.is_switch(fabric.node_of(port)).then_some(port)
}

impl<'a> PortNumbering<'a> {
    pub fn of(fabric: &Fabric, hosts: &'a [Host], label: impl Fn(NodeId) -> &'a str) -> Self {
        let mut on_leaf: Vec<Vec<NamedEnd>> = vec![Vec::new(); fabric.num_switches()];
        let mut leaves_of: Vec<Vec<NodeId>> = vec![Vec::new(); hosts.len()];
        let mut range: FxHashMap<u32, (u32, u32)> = FxHashMap::default();
        for (host, named) in hosts.iter().enumerate().filter(|(_, h)| !h.generic) {
            if let Some((_, number, _)) = names::trailing_number(&named.name) {
                let r = range.entry(named.series).or_insert((number, number));
                *r = (r.0.min(number), r.1.max(number));
            }
            for &end in &named.ends {
                if let Some(port) = leaf_port(fabric, end) {
                    leaves_of[host].push(fabric.node_of(port));
                    let named = NamedEnd { host, label: label(end), port: fabric.number_of(port) };
                    on_leaf[fabric.node_of(port).ix()].push(named);
                }
            }
        }
        let rules = on_leaf.iter_mut().map(|ends| {
            ends.sort_by_key(|end| (end.label, end.port));
            let by_label = ends.chunk_by(|a, b| a.label == b.label);
            let mut rules: Vec<NumberingRule> =
                by_label.filter_map(|same| rule(hosts, same, &range)).collect();
            for rule in &mut rules {
                let numbers = ends.iter().filter_map(|end| {
                    let (prefix, number, _) = names::trailing_number(&hosts[end.host].name)?;
                    (prefix == rule.prefix).then_some(number)
                });
                let least_and_most = numbers.clone().min().zip(numbers.max());
                rule.on_leaf = least_and_most.unwrap_or(rule.on_leaf);
                rule.is_alone = ends
                    .iter()
                    .all(|end| end.label == rule.label || !hosts[end.host].name.starts_with(rule.prefix));
            }
            rules
        });
        let rules = rules.collect();
        let by_name = hosts.iter().enumerate().map(|(i, h)| (&*h.name, i)).collect();
        Self { rules, on_leaf, leaves_of, by_name }
    }

    /// The host of a name, by index.
    pub fn host(&self, name: &str) -> Option<usize> {
        self.by_name.get(name).copied()
    }

    /// The host that belongs on a port of a leaf, where its rules show one.
    pub fn expected(&self, leaf: NodeId, port: u8) -> Option<String> {
        let rules = self.rules.get(leaf.ix())?;
        let mut names: Vec<String> =
            rules.iter().filter_map(|rule| rule.number(port).map(|n| rule.name(n))).collect();
        names.dedup();
        if names.len() > 1 {
            let is_on_leaf = |rule: &&NumberingRule, n: u32| (rule.on_leaf.0..=rule.on_leaf.1).contains(&n);
            let near = rules
                .iter()
                .filter_map(|rule| rule.number(port).filter(|&n| is_on_leaf(&rule, n)).map(|n| rule.name(n)));
            names = near.collect();
            names.dedup();
        }
        (names.len() == 1).then(|| names.swap_remove(0))
    }

    /// Whether a leaf's hosts follow a rule.
    pub fn has_rule(&self, leaf: NodeId) -> bool {
        self.rules.get(leaf.ix()).is_some_and(|rules| !rules.is_empty())
    }

    /// Ports of a leaf beside which, on both sides, hosts of one rule are: the least and the greatest that its hosts are at.
    pub fn span(&self, leaf: NodeId) -> Vec<(u8, u8)> {
        let ends = &self.on_leaf[leaf.ix()];
        let of_rule = |rule: &NumberingRule| {
            let ports = ends.iter().filter(|end| end.label == rule.label).map(|end| end.port);
            ports.clone().min().zip(ports.max())
        };
        self.rules[leaf.ix()].iter().filter_map(of_rule).collect()
    }

    /// How many named adapters are on a leaf.
    pub fn named_on(&self, leaf: NodeId) -> usize {
        self.on_leaf[leaf.ix()].len()
    }

    /// The label that two thirds of a leaf's named adapters have, if no host has two there.
    pub fn label_of_leaf(&self, leaf: NodeId) -> Option<&'a str> {
        let ends = self.on_leaf.get(leaf.ix())?;
        let mut hosts: Vec<usize> = ends.iter().map(|end| end.host).collect();
        hosts.sort_unstable();
        let are_apart = hosts.windows(2).all(|pair| pair[0] != pair[1]);
        let labels: Vec<&str> = ends.iter().map(|end| end.label).collect();
        majority(&labels, LEAST).filter(|_| are_apart)
    }

    /// Whether as many named adapters of a leaf as can make a rule have a label.
    pub fn has_label(&self, leaf: NodeId, label: &str) -> bool {
        let ends = self.on_leaf.get(leaf.ix());
        ends.is_some_and(|ends| ends.iter().filter(|end| end.label == label).count() >= LEAST)
    }

    /// The named adapter at a port of a leaf: its host and its label.
    pub fn named_at(&self, leaf: NodeId, port: u8) -> Option<(usize, &'a str)> {
        self.on_leaf[leaf.ix()].iter().find(|end| end.port == port).map(|end| (end.host, end.label))
    }

    /// Whether a host is on a leaf, or on another beside one of the hosts of the leaf.
    fn shares(&self, leaf: NodeId, host: usize) -> bool {
        let beside = &self.on_leaf[leaf.ix()];
        beside.iter().any(|end| {
            end.host == host || self.leaves_of[end.host].iter().any(|on| self.leaves_of[host].contains(on))
        })
    }

    /// Whose an adapter without a name probably is, by its leaf port: name of the host, and the label that the adapter would
    /// have; `own` is the label that it has, if any. If the host that belongs on its port has its adapter at another port
    /// of the leaf, the two were exchanged.
    pub fn owner(
        &self,
        fabric: &Fabric,
        end: NodeId,
        own: &str,
        has: impl Fn(usize, &str) -> bool,
    ) -> Option<(String, &'a str)> {
        let port = leaf_port(fabric, end)?;
        let (leaf, port) = (fabric.node_of(port), fabric.number_of(port));
        let fits = |rule: &&NumberingRule| own.is_empty() || own == rule.label;
        let rules = self.rules.get(leaf.ix())?.iter().filter(fits);
        let mut found: Vec<(String, &'a str, bool)> = Vec::new();
        for rule in rules {
            let elsewhere = |name: &str| {
                let host = self.host(name)?;
                let mut on_leaf = self.on_leaf[leaf.ix()].iter();
                on_leaf.find(|end| end.host == host && end.label == rule.label).map(|end| end.port)
            };
            let is_near = |number: u32| (rule.on_leaf.0..=rule.on_leaf.1).contains(&number);
            // Beyond the hosts of the leaf a number may be that of a host of another, and the port one of another label.
            let is_elsewhere = |name: &str| self.host(name).is_some_and(|host| !self.shares(leaf, host));
            let fits = |&n: &u32| is_near(n) || rule.is_alone && !is_elsewhere(&rule.name(n));
            let Some(mut number) = rule.number(port).filter(fits) else { continue };
            if let Some(other) = elsewhere(&rule.name(number)) {
                match rule.number(other).filter(|&n| elsewhere(&rule.name(n)).is_none()) {
                    Some(exchanged) => number = exchanged,
                    None => continue,
                }
            }
            let name = rule.name(number);
            if self.host(&name).is_none_or(|host| !has(host, rule.label)) {
                found.push((name, rule.label, is_near(number)));
            }
        }
        if found.len() > 1 {
            found.retain(|one| one.2);
        }
        (found.len() == 1).then(|| found.swap_remove(0)).map(|(name, label, _)| (name, label))
    }
}

/// The rule that at least [`LEAST`] of a leaf's adapters of one label, and two thirds of them, follow; these are in order of
/// their ports.
fn rule<'a>(
    hosts: &'a [Host],
    ends: &[NamedEnd<'a>],
    range: &FxHashMap<u32, (u32, u32)>,
) -> Option<NumberingRule<'a>> {
    let mut votes: Vec<(&str, i64, i64, u32)> = Vec::new();
    let mut width = 0;
    for end in ends {
        let host = &hosts[end.host];
        let Some((prefix, number, digits)) = names::trailing_number(&host.name) else { continue };
        // Unpadded numbers have as many digits as they need.
        if host.name[prefix.len()..].starts_with('0') {
            width = width.max(digits);
        }
        votes.push((prefix, i64::from(number), i64::from(end.port), host.series));
    }
    let mut steps: Vec<i64> = votes
        .windows(2)
        .filter(|pair| pair[0].0 == pair[1].0)
        .filter_map(|pair| {
            let (numbers, ports) = (pair[1].1 - pair[0].1, pair[1].2 - pair[0].2);
            (numbers != 0 && ports % numbers == 0).then(|| ports / numbers)
        })
        .filter(|step| (1..=MOST_STEP).contains(&step.abs()))
        .collect();
    steps.sort_unstable();
    let step = steps.chunk_by(|a, b| a == b).max_by_key(|run| (run.len(), run[0] == 1))?[0];
    let mut rules: Vec<(&str, i64, u32)> = votes.iter().map(|v| (v.0, v.2 - step * v.1, v.3)).collect();
    rules.sort_unstable();
    let (prefix, offset, series) = majority(&rules, LEAST).filter(|_| agree(votes.len(), ends.len()))?;
    let numbers = votes.iter().filter(|v| v.0 == prefix).filter_map(|v| u32::try_from(v.1).ok());
    let on_leaf = (numbers.clone().min()?, numbers.max()?);
    Some(NumberingRule {
        prefix,
        label: ends.first()?.label,
        step,
        offset,
        width,
        in_series: *range.get(&series)?,
        on_leaf,
        is_alone: false,
    })
}
