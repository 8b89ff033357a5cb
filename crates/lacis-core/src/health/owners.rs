//! Whose the adapters are whose descriptions name no host, or one that installers give.
//!
//! Evidence, each of which is learnt from the named adapters of the same fabric and believed only where two thirds of
//! these agree:
//!
//! * *cards*: adapters with one system image GUID are one host's where named adapters show that, and planes or ports of one
//!   adapter ([`super::adapter_planes`]) are so anyway;
//! * *numbers*: hosts numbered along the ports of a leaf ([`PortNumbering`]);
//! * *companions*: where hosts have `HCA-1` at port p of one leaf and `HCA-2` at port p + d of another, adapters at such
//!   ports are one host's, whatever it is called;
//! * *likeness*: where hosts have one adapter each, so has an adapter beside them.
//!
//! Evidence that contradicts itself, or none, leaves the host unknown.

use std::collections::BTreeMap;

use rustc_hash::{FxHashMap, FxHashSet};

use super::adapter_planes::Parts;
use super::host::Host;
use super::majority::{agree, majority};
use super::port_numbering::{PortNumbering, leaf_port};
use crate::fabric::{Fabric, Guid, NodeId};
use crate::sets::Sets;

/// How it is known whose an adapter is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Owner {
    /// Its description names the host.
    Named,
    /// Cards, cabling and numbering imply the host.
    Inferred,
    /// Nothing shows the host.
    Unknown,
}

/// An adapter whose description does not say which host it is of.
#[derive(Clone, Copy, Debug)]
pub(super) struct OpenAdapter<'a> {
    pub end: NodeId,
    /// The name that an installer gave the host; empty where the description has none.
    pub name: &'a str,
    /// Label of the adapter; empty where the description has none.
    pub label: &'a str,
}

/// The host that an adapter belongs to, by inference.
#[derive(Clone, Debug)]
pub(super) struct Inference {
    pub end: NodeId,
    pub host: String,
    /// The label that it has, or that others on its place have.
    pub label: String,
    /// Whether the name is one that an installer gave.
    pub generic: bool,
}

/// A leaf and a port of it.
type Site = (NodeId, u8);
/// A leaf and the label of an adapter on it.
type Place<'a> = (NodeId, &'a str);

/// One open adapter in so many named hosts of a leaf is few.
const FEW: usize = 2;

struct Named<'a, F> {
    fabric: &'a Fabric,
    hosts: &'a [Host],
    /// End nodes that are planes or ports of one adapter.
    parts: &'a [Parts],
    label: F,
}

/// Infers the hosts of open adapters; those that nothing shows are left out. `label` is that of a named adapter.
pub(super) fn infer<'a>(
    fabric: &'a Fabric,
    hosts: &'a [Host],
    parts: &'a [Parts],
    label: impl Fn(NodeId) -> &'a str + Copy,
    open: &[OpenAdapter<'a>],
) -> Vec<Inference> {
    if open.is_empty() {
        return Vec::new();
    }
    let named = Named { fabric, hosts, parts, label };
    let numbering = PortNumbering::of(fabric, hosts, label);
    let mut joined = Sets::new(open.len());
    let mut claims: Vec<Vec<Claim>> = vec![Vec::new(); open.len()];
    named.by_number(&numbering, open, &mut claims);
    named.by_card(open, &mut claims, &mut joined);
    named.by_companion(&numbering, open, &mut claims, &mut joined);
    named.settle(&numbering, open, &claims, &mut joined)
}

/// A host that evidence names for an adapter, and the adapter's label there.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Claim {
    host: String,
    label: String,
}

/// Where hosts that have an adapter of one label on a leaf have another.
struct Companion<'a> {
    label: &'a str,
    other_leaf: NodeId,
    other_label: &'a str,
    /// Port of the other less that of the first.
    offset: i16,
}

impl<'a, F: Fn(NodeId) -> &'a str + Copy> Named<'a, F> {
    fn has(&self, host: usize, label: &str) -> bool {
        !label.is_empty() && self.hosts[host].ends.iter().any(|&end| (self.label)(end) == label)
    }

    /// Whether a host has no adapter of a label; where adapters have no labels, none on the leaf.
    fn lacks(&self, host: usize, label: &str, leaf: NodeId) -> bool {
        let mut ends = self.hosts[host].ends.iter();
        if label.is_empty() {
            return ends.all(|&end| self.site(end).is_none_or(|site| site.0 != leaf));
        }
        !self.has(host, label)
    }

    fn site(&self, end: NodeId) -> Option<Site> {
        let port = leaf_port(self.fabric, end)?;
        Some((self.fabric.node_of(port), self.fabric.number_of(port)))
    }

    /// The number of an adapter's card, if it has one.
    fn card(&self, end: NodeId) -> Option<Guid> {
        Some(self.fabric.node(end).system_guid).filter(|guid| guid.is_some())
    }

    fn by_number(&self, numbering: &PortNumbering<'a>, open: &[OpenAdapter<'a>], claims: &mut [Vec<Claim>]) {
        for (adapter, claims) in open.iter().zip(claims) {
            let owner = numbering.owner(self.fabric, adapter.end, adapter.label, |h, l| self.has(h, l));
            claims.extend(owner.map(|(host, label)| Claim { host, label: label.to_owned() }));
        }
    }

    /// Adapters of one card, where named hosts have several on a card and no card has adapters of two of them; and planes or
    /// ports of one adapter.
    fn by_card(&self, open: &[OpenAdapter<'a>], claims: &mut [Vec<Claim>], joined: &mut Sets) {
        let mut host_of: FxHashMap<Guid, usize> = FxHashMap::default();
        let (mut agreeing, mut contradicting) = (0, 0);
        for (index, host) in self.hosts.iter().enumerate() {
            for guid in host.ends.iter().filter_map(|&end| self.card(end)) {
                match host_of.insert(guid, index) {
                    Some(other) if other == index => agreeing += 1,
                    Some(_) => contradicting += 1,
                    None => {}
                }
            }
        }
        let is_shown = agreeing > 0 && contradicting == 0;
        let index_of: FxHashMap<NodeId, usize> =
            open.iter().zip(0..).map(|(adapter, i)| (adapter.end, i)).collect();
        let hosts = self.hosts.iter().flat_map(|host| host.ends.iter().map(move |&end| (end, host)));
        let host_of_end: FxHashMap<NodeId, &Host> = hosts.collect();
        for parts in self.parts {
            let set = parts.ends();
            let named = set.iter().find_map(|end| {
                let host = host_of_end.get(end).filter(|_| !index_of.contains_key(end))?;
                Some(Claim { host: host.name.to_string(), label: (self.label)(*end).to_owned() })
            });
            let members: Vec<usize> = set.iter().filter_map(|end| index_of.get(end).copied()).collect();
            for &i in &members {
                joined.join(i as u32, members[0] as u32);
                claims[i].extend(named.clone());
            }
        }
        let mut first: FxHashMap<Guid, u32> = FxHashMap::default();
        for (i, adapter) in open.iter().enumerate().filter(|_| is_shown) {
            let Some(guid) = self.card(adapter.end) else { continue };
            joined.join(i as u32, *first.entry(guid).or_insert(i as u32));
            if let Some(&host) = host_of.get(&guid) {
                claims[i]
                    .push(Claim { host: self.hosts[host].name.to_string(), label: adapter.label.into() });
            }
        }
    }

    fn by_companion(
        &self,
        numbering: &PortNumbering<'a>,
        open: &[OpenAdapter<'a>],
        claims: &mut [Vec<Claim>],
        joined: &mut Sets,
    ) {
        let companions = self.companions();
        let sites: FxHashMap<Site, usize> =
            open.iter().enumerate().filter_map(|(i, adapter)| Some((self.site(adapter.end)?, i))).collect();
        // A label that hardly any named adapter of the leaf has says nothing about its place there.
        let is_foreign: Vec<bool> = open.iter().map(|adapter| self.is_foreign(numbering, adapter)).collect();
        let as_if_none = |adapter: &OpenAdapter<'a>| OpenAdapter { label: "", ..*adapter };
        let place = |(adapter, &foreign)| {
            self.label_of(numbering, &if foreign { as_if_none(adapter) } else { *adapter })
        };
        let labels: Vec<&str> = open.iter().zip(&is_foreign).map(place).collect();
        for (i, adapter) in open.iter().enumerate() {
            let Some((leaf, port)) = self.site(adapter.end) else { continue };
            // A rule of each label that the adapter may have, to each that a companion has.
            let own = |label: &str| labels[i].is_empty() || labels[i] == label;
            for rule in companions.get(&leaf).into_iter().flatten().filter(|rule| own(rule.label)) {
                let Ok(other_port) = u8::try_from(i16::from(port) + rule.offset) else { continue };
                let there = (rule.other_leaf, other_port);
                if let Some((host, at)) = numbering.named_at(there.0, there.1) {
                    if at == rule.other_label && !is_foreign[i] && self.lacks(host, rule.label, leaf) {
                        let host = self.hosts[host].name.to_string();
                        claims[i].push(Claim { host, label: rule.label.to_owned() });
                    }
                } else if let Some(&j) = sites.get(&there)
                    && labels[i] == rule.label
                    && labels[j] == rule.other_label
                    && (open[i].name == open[j].name || !is_foreign[i] && !is_foreign[j])
                {
                    joined.join(i as u32, j as u32);
                }
            }
        }
    }

    fn is_foreign(&self, numbering: &PortNumbering<'a>, adapter: &OpenAdapter<'a>) -> bool {
        let leaf = self.site(adapter.end).map(|site| site.0);
        !adapter.label.is_empty() && leaf.is_none_or(|leaf| !numbering.has_label(leaf, adapter.label))
    }

    /// The label that an open adapter has, or that those beside it on its leaf have.
    fn label_of(&self, numbering: &PortNumbering<'a>, adapter: &OpenAdapter<'a>) -> &'a str {
        if adapter.label.is_empty() {
            let leaf = self.site(adapter.end).map(|site| site.0);
            leaf.and_then(|leaf| numbering.label_of_leaf(leaf)).unwrap_or("")
        } else {
            adapter.label
        }
    }

    /// By leaf: companions on whose offset three hosts, and two thirds of those on the same two leaves, agree.
    fn companions(&self) -> FxHashMap<NodeId, Vec<Companion<'a>>> {
        let mut votes: Vec<(Place<'a>, Place<'a>, i16)> = Vec::new();
        for host in self.hosts {
            let at = |&end: &NodeId| self.site(end).map(|(leaf, port)| (leaf, (self.label)(end), port));
            let sites: Vec<(NodeId, &str, u8)> = host.ends.iter().filter_map(at).collect();
            for (k, &(leaf, label, port)) in sites.iter().enumerate() {
                for (_, &(other, with, there)) in sites.iter().enumerate().filter(|(l, _)| *l != k) {
                    votes.push(((leaf, label), (other, with), i16::from(there) - i16::from(port)));
                }
            }
        }
        votes.sort_unstable();
        let mut out: FxHashMap<NodeId, Vec<Companion>> = FxHashMap::default();
        for run in votes.chunk_by(|a, b| (a.0, a.1) == (b.0, b.1)) {
            let seen: Vec<i16> = run.iter().map(|vote| vote.2).collect();
            if let Some(offset) = majority(&seen, 3) {
                let ((leaf, label), (other_leaf, other_label), _) = run[0];
                out.entry(leaf).or_default().push(Companion { label, other_leaf, other_label, offset });
            }
        }
        out
    }

    /// The host of each open adapter on which all evidence agrees.
    fn settle(
        &self,
        numbering: &PortNumbering<'a>,
        open: &[OpenAdapter<'a>],
        claims: &[Vec<Claim>],
        joined: &mut Sets,
    ) -> Vec<Inference> {
        let mut parts: BTreeMap<u32, Vec<usize>> = BTreeMap::new();
        for i in 0..open.len() {
            parts.entry(joined.first(i as u32)).or_default().push(i);
        }
        // Those of one part are of one host; those of parts that claim the same host, too.
        let mut out: BTreeMap<String, Vec<(usize, String)>> = BTreeMap::new();
        let label = |&i: &usize| {
            let mut labels: Vec<&str> = claims[i].iter().map(|claim| &*claim.label).collect();
            labels.sort_unstable();
            let claimed = majority(&labels, 1).filter(|_| open[i].label.is_empty());
            (i, claimed.unwrap_or_else(|| self.label_of(numbering, &open[i])).to_owned())
        };
        let mut without: Vec<&Vec<usize>> = Vec::new();
        for members in parts.values() {
            let mut hosts: Vec<&str> =
                members.iter().flat_map(|&i| &claims[i]).map(|claim| &*claim.host).collect();
            hosts.sort_unstable();
            hosts.dedup();
            match hosts[..] {
                [host] => out.entry(host.to_owned()).or_default().extend(members.iter().map(label)),
                [] => without.push(members),
                _ => {}
            }
        }
        // Parts that no evidence claims are hosts by themselves if no named host lacks what they are.
        let mut generic: FxHashSet<String> = FxHashSet::default();
        let single = without.iter().filter(|members| members.len() == 1).count();
        let more = |host: &Host| out.get(&*host.name).map_or(0, Vec::len);
        let alone = LoneHosts::of(self, more, single);
        let neighbours = Neighbours::of(self, |host| {
            out.get(&*host.name).into_iter().flatten().map(|&(i, _)| open[i].end).collect()
        });
        for members in without {
            let is_host = if members.len() == 1 {
                alone.has(self, &open[members[0]])
            } else {
                let sites = members.iter().filter_map(|&i| self.site(open[i].end));
                let mut leaves: Vec<NodeId> = sites.map(|site| site.0).collect();
                leaves.sort_unstable();
                leaves.dedup();
                !neighbours.lack(&leaves, members.len())
            };
            if is_host {
                let (name, is_generic) = self.place(open, members);
                if is_generic {
                    generic.insert(name.clone());
                }
                out.entry(name).or_default().extend(members.iter().map(label));
            }
        }
        let ends =
            self.parts.iter().zip(0..).flat_map(|(part, at)| part.ends().iter().map(move |&end| (end, at)));
        let part_of: FxHashMap<NodeId, usize> = ends.collect();
        let are_one = |a: NodeId, b: NodeId| {
            let part = |end: NodeId| part_of.get(&end);
            self.card(a).is_some() && self.card(a) == self.card(b) || part(a).is_some() && part(a) == part(b)
        };
        let mut inferred = Vec::new();
        for (host, members) in out {
            for (i, label) in &members {
                // Two with one label are planes or ports of one adapter, or the evidence contradicts itself.
                let clashes = members.iter().any(|(j, other)| {
                    let is_alike = i != j && label == other && !label.is_empty();
                    is_alike && !are_one(open[*i].end, open[*j].end)
                });
                if !clashes {
                    inferred.push(Inference {
                        end: open[*i].end,
                        host: host.clone(),
                        label: label.clone(),
                        generic: generic.contains(&host),
                    });
                }
            }
        }
        inferred
    }

    /// What a host is called that no number names: as installers call it where only it has that name, else by the leaf port
    /// of its first adapter. And whether that is an installer's name.
    fn place(&self, open: &[OpenAdapter<'a>], members: &[usize]) -> (String, bool) {
        let first = &open[members[0]];
        let is_its_own = |name: &str| {
            open.iter()
                .enumerate()
                .filter(|(_, adapter)| adapter.name == name)
                .all(|(i, _)| members.contains(&i))
        };
        if !first.name.is_empty() && is_its_own(first.name) {
            return (first.name.to_owned(), true);
        }
        let name = if first.name.is_empty() { "host" } else { first.name };
        let Some((leaf, port)) = self.site(first.end) else {
            return (format!("{name} {}", self.fabric.node(first.end).guid), true);
        };
        (format!("{name} at {}[{port}]", self.fabric.name(leaf)), true)
    }
}

/// Named hosts with what they are claimed to have, by the leaves that they share.
struct Neighbours {
    /// By host: how many adapters it has on each leaf.
    on: Vec<FxHashMap<NodeId, usize>>,
    /// By host: the set of leaves that hosts join, by its least host.
    set: Vec<usize>,
    /// Of sets: whether a host of them has as many adapters as any has.
    is_whole: FxHashSet<usize>,
    /// By leaf: the most adapters that a host has there, and a host that is there.
    leaves: FxHashMap<NodeId, (usize, usize)>,
    /// The most adapters of a host.
    most: usize,
}

impl Neighbours {
    fn of<'a, F: Fn(NodeId) -> &'a str + Copy>(
        named: &Named<'a, F>,
        claimed: impl Fn(&Host) -> Vec<NodeId>,
    ) -> Self {
        let mut on: Vec<FxHashMap<NodeId, usize>> = Vec::with_capacity(named.hosts.len());
        let mut joined = Sets::new(named.hosts.len());
        let mut leaves: FxHashMap<NodeId, (usize, usize)> = FxHashMap::default();
        for (index, host) in named.hosts.iter().enumerate() {
            let mut own: FxHashMap<NodeId, usize> = FxHashMap::default();
            for (leaf, _) in host.ends.iter().chain(&claimed(host)).filter_map(|&end| named.site(end)) {
                *own.entry(leaf).or_default() += 1;
                let (most, first) = leaves.entry(leaf).or_insert((0, index));
                *most = own[&leaf].max(*most);
                joined.join(index as u32, *first as u32);
            }
            on.push(own);
        }
        let set: Vec<usize> = (0..on.len()).map(|index| joined.first(index as u32) as usize).collect();
        let size = |own: &FxHashMap<NodeId, usize>| own.values().sum::<usize>();
        let most = on.iter().map(size).max().unwrap_or(0);
        let is_whole =
            on.iter().zip(&set).filter(|(own, _)| size(own) == most).map(|(_, set)| *set).collect();
        Self { on, set, is_whole, leaves, most }
    }

    /// Whether some adapters on leaves may be those that a named host lacks: it has fewer than others on each of the leaves,
    /// would not have more than any with them, and is beside the hosts there, or nothing shows beside which it is.
    fn lack(&self, leaves: &[NodeId], adapters: usize) -> bool {
        let set = |leaf: &NodeId| self.leaves.get(leaf).map(|known| self.set[known.1]);
        let there: Option<Vec<usize>> = leaves.iter().map(set).collect();
        let Some(there) = there else { return true };
        let is_open = there.iter().any(|set| !self.is_whole.contains(set));
        self.on.iter().zip(&self.set).any(|(own, set)| {
            let is_beside = is_open || there.contains(set) || !self.is_whole.contains(set);
            let has_room = |leaf: &NodeId| {
                own.get(leaf).copied().unwrap_or(0) < self.leaves.get(leaf).map_or(0, |known| known.0)
            };
            is_beside && own.values().sum::<usize>() + adapters <= self.most && leaves.iter().all(has_room)
        })
    }
}

/// Leaves whose named hosts have one adapter each, where so few adapters have no name that these cannot be the others of the
/// hosts.
struct LoneHosts {
    /// Where hosts have one adapter each.
    leaves: FxHashSet<NodeId>,
}

impl LoneHosts {
    /// Of hosts with so many `more` adapters than named ones; `open` adapters that no evidence claims.
    fn of<'a, F: Fn(NodeId) -> &'a str + Copy>(
        named: &Named<'a, F>,
        more: impl Fn(&Host) -> usize,
        open: usize,
    ) -> Self {
        let mut on: FxHashMap<NodeId, (usize, usize)> = FxHashMap::default();
        for host in named.hosts {
            for (leaf, _) in host.ends.iter().filter_map(|&end| named.site(end)) {
                let counts = on.entry(leaf).or_default();
                counts.0 += usize::from(host.ends.len() + more(host) == 1);
                counts.1 += 1;
            }
        }
        let is_lone = |&(lone, all): &(usize, usize)| all >= 3 && agree(lone, all) && FEW * open <= all;
        Self { leaves: on.iter().filter(|on| is_lone(on.1)).map(|(leaf, _)| *leaf).collect() }
    }

    fn has<'a, F: Fn(NodeId) -> &'a str + Copy>(
        &self,
        named: &Named<'a, F>,
        adapter: &OpenAdapter<'a>,
    ) -> bool {
        named.site(adapter.end).is_some_and(|(leaf, _)| self.leaves.contains(&leaf))
    }
}
