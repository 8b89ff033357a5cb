//! All links by what they have in common, and the verdict on each: by its source, else by its like.

use std::collections::BTreeMap;

use super::rates::{Rates, bytes, is_below};
use super::verdict::{Fault, Link, Verdict};
use crate::fabric::{Capability, Lanes, NodeId, Rate};
use crate::health::context::Context;
use crate::health::device_speeds;
use crate::health::facts::{Basis, Likeness};
use crate::health::links::rate;
use crate::health::majority::agree;
use crate::health::models::{Model, Seen};
use crate::health::names::Fields;

/// The fewest links of a leaf that show how it was built, where some differ; all alike, one fewer does.
const FEWEST_OF_LEAF: usize = 4;
/// An adapter whose lanes run at this share of what both devices can did not come up as it should; a device that is sold
/// in slower variants is not sold that slow.
const FAR_BELOW: f64 = 0.25;

/// What links have in common that may have been built alike.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Group {
    /// Series of hosts and their label.
    Series(u32, u32),
    Leaf(NodeId),
    Device(u32, u32),
    /// Cables between two levels and two models.
    Trunks(Levels, Model, Model),
    /// Cables of a switch between two levels.
    Switch(Levels, NodeId),
    Levels(Levels),
}

type Levels = (Option<u8>, Option<u8>);

/// All links, by what they have in common.
pub(super) struct Survey<'a> {
    ctx: &'a Context<'a>,
    pub links: Vec<Link>,
    groups: BTreeMap<Group, Rates>,
    seen: Seen,
    /// Numbers of the labels of adapters.
    labels: BTreeMap<&'a str, u32>,
    /// Rates that cables between switches without levels have all over the fabric.
    everywhere: Vec<Rate>,
}

impl<'a> Survey<'a> {
    /// All links of a fabric.
    pub(super) fn of(ctx: &'a Context<'a>) -> Self {
        let mut out = Self {
            ctx,
            links: Vec::new(),
            groups: BTreeMap::new(),
            seen: Seen::default(),
            labels: BTreeMap::new(),
            everywhere: Vec::new(),
        };
        for end in ctx.fabric.end_nodes() {
            let next = out.labels.len() as u32;
            out.labels.entry(ctx.hosts.label(end)).or_insert(next);
        }
        for cable in ctx.fabric.cables() {
            let ends = [cable.0, cable.1].map(|port| ctx.fabric.node_of(port));
            if ends[0] == ends[1] {
                continue;
            }
            let reported = [cable.0, cable.1].map(|port| ctx.fabric.brought_up_rate(port));
            let is_uneven = matches!(reported, [Some(a), Some(b)] if a != b);
            let Some(rate) = rate(ctx, cable).filter(|_| !is_uneven) else { continue };
            let end = ends.into_iter().find(|&node| !ctx.fabric.is_switch(node));
            out.links.push(Link { cable, rate, end });
        }
        for &link in &out.links {
            for group in out.groups_of(link).into_iter().flatten() {
                out.groups.entry(group).or_default().add(link.rate);
            }
            out.seen.add(ctx, link.cable, link.rate);
        }
        out.everywhere = out.rates_everywhere();
        out
    }

    /// Without levels, cables within groups and between them may run at rates of their own, as a dragonfly's do: a rate
    /// that two thirds of the switches have, and of whose cables no switch has more than half, is one of those.
    fn rates_everywhere(&self) -> Vec<Rate> {
        let is_flat = |node: NodeId| self.ctx.level_of(node).is_none();
        let mut of_rates: Vec<(Rate, BTreeMap<NodeId, usize>)> = Vec::new();
        let mut all: BTreeMap<NodeId, usize> = BTreeMap::new();
        for link in self.links.iter().filter(|link| link.end.is_none()) {
            for node in self.ends(*link).into_iter().filter(|&node| is_flat(node)) {
                *all.entry(node).or_default() += 1;
                match of_rates.iter_mut().find(|of| of.0 == link.rate) {
                    Some(of) => *of.1.entry(node).or_default() += 1,
                    None => of_rates.push((link.rate, BTreeMap::from([(node, 1)]))),
                }
            }
        }
        let is_everywhere = |of: &BTreeMap<NodeId, usize>| {
            let cables: usize = of.values().sum::<usize>() / 2;
            agree(of.len(), all.len()) && of.values().all(|&own| 2 * own <= cables)
        };
        of_rates.into_iter().filter(|(_, of)| is_everywhere(of)).map(|(rate, _)| rate).collect()
    }

    /// The nodes that a link joins.
    pub(super) fn ends(&self, link: Link) -> [NodeId; 2] {
        [link.cable.0, link.cable.1].map(|port| self.ctx.fabric.node_of(port))
    }

    /// What a link may have in common with others, the closest first.
    fn groups_of(&self, link: Link) -> [Option<Group>; 4] {
        let fabric = self.ctx.fabric;
        let [a, b] = self.ends(link);
        let Some(end) = link.end else {
            let (low, high) = (
                self.ctx.level_of(a).min(self.ctx.level_of(b)),
                self.ctx.level_of(a).max(self.ctx.level_of(b)),
            );
            let levels = (low, high);
            let (one, other) = (Model::of(self.ctx, a), Model::of(self.ctx, b));
            let models = Group::Trunks(levels, one.min(other), one.max(other));
            return [
                Some(Group::Switch(levels, a)),
                Some(Group::Switch(levels, b)),
                Some(models).filter(|_| one.is_known() && other.is_known()),
                Some(Group::Levels(levels)),
            ];
        };
        let leaf = if a == end { b } else { a };
        let series = self.ctx.hosts.host_of(end).map(|host| self.ctx.hosts.hosts[host].series);
        let label = self.labels.get(self.ctx.hosts.label(end)).copied().unwrap_or(0);
        let node = fabric.node(end);
        [
            series.map(|series| Group::Series(series, label)),
            Some(Group::Leaf(leaf)),
            Some(Group::Device(node.vendor, node.device)),
            None,
        ]
    }

    /// Whether a link is what it could be.
    pub(super) fn judge(&self, link: Link) -> Verdict {
        match self.by_source(link) {
            Some(verdict) => verdict,
            None if link.end.is_some() => self.by_like_of_end(link),
            None => self.by_like_of_switches(link),
        }
    }

    /// What the source says of the link itself; none where it says too little.
    fn by_source(&self, link: Link) -> Option<Verdict> {
        let fabric = self.ctx.fabric;
        let ports = [link.cable.0, link.cable.1];
        let details = ports.map(|port| fabric.port_detail(port));
        let below = |expected: Rate, basis: Basis| {
            is_below(link.rate, expected).then_some(Verdict::Below(Fault {
                link,
                expected,
                basis,
                at_usual: 0,
                of_kind: 0,
            }))
        };
        let brought_up = ports.iter().filter_map(|&port| fabric.brought_up_rate(port));
        let brought_up = brought_up.max_by(|a, b| bytes(*a).total_cmp(&bytes(*b)));
        if details.iter().any(|detail| detail.lanes.is_some_and(Lanes::has_lost)) {
            return brought_up.and_then(|expected| below(expected, Basis::LanesLost));
        }
        let could_be = details.map(|detail| detail.could_be(link.rate));
        for expected in could_be {
            if let Some(verdict) = below(expected, Basis::CouldBe) {
                return Some(verdict);
            }
        }
        // Both ends must say what they can before a link is known to be at its best.
        let [one, other] = details.map(|detail| detail.capability());
        let both = one.both(other);
        let knows = |of: fn(Capability) -> bool| of(one) && of(other);
        let width = both.widest().filter(|_| knows(|end| end.widest().is_some()));
        let speed = both.fastest().filter(|_| knows(|end| end.fastest().is_some()));
        let (width, speed) = width.zip(speed)?;
        let verdict = below(Rate { width, speed }, Basis::Enabled);
        Some(verdict.unwrap_or(Verdict::AsExpected))
    }

    /// What a link may at most be expected to run at: what each end says that it can, or its model is seen to run at.
    fn capped(&self, link: Link, usual: Rate) -> Rate {
        let mut least = self.seen.expected(self.ctx, link.cable, usual);
        for port in [link.cable.0, link.cable.1] {
            let can = self.ctx.fabric.port_detail(port).capability();
            least.width = can.widest().map_or(least.width, |width| width.min(least.width));
            least.speed = can.fastest().map_or(least.speed, |speed| speed.min(least.speed));
        }
        least
    }

    /// The first group of a link whose usual rate is above the link's, as far as the link can follow it.
    fn above(&self, link: Link) -> Option<Fault> {
        for group in self.groups_of(link).into_iter().flatten() {
            let rates = &self.groups[&group];
            let Some((usual, at_usual)) = rates.usual() else { continue };
            let expected = self.capped(link, usual);
            if is_below(link.rate, expected) {
                let of_kind = rates.all();
                return Some(Fault { link, expected, basis: Basis::Peers, at_usual, of_kind });
            }
        }
        None
    }

    /// The link of an end node.
    fn by_like_of_end(&self, link: Link) -> Verdict {
        let Some(end) = link.end else { return Verdict::AsExpected };
        let Some(fault) = self.above(link).or_else(|| self.by_device(link, end)) else {
            return Verdict::AsExpected;
        };
        for group in self.groups_of(link).into_iter().flatten() {
            let rates = &self.groups[&group];
            let (same, all) = (rates.at(link.rate), rates.all());
            let ctx = self.ctx;
            let built =
                |like, name: String, node| Verdict::BuiltSo { like, name, node, expected: fault.expected };
            match group {
                Group::Series(..) if same > 1 && agree(same, all) => {
                    let host = ctx.hosts.host_of(end).map_or("", |host| &*ctx.hosts.hosts[host].name);
                    let name = Fields::of(host).series;
                    return built(Likeness::Series, name.replace(['#', '@'], "*"), end);
                }
                Group::Leaf(leaf) if agree(same, all) && all + usize::from(same == all) >= FEWEST_OF_LEAF => {
                    return built(Likeness::Leaf, ctx.name(leaf), leaf);
                }
                _ => {}
            }
        }
        Verdict::Below(fault)
    }

    /// An adapter without its like that runs far below what its device and its switch can.
    fn by_device(&self, link: Link, end: NodeId) -> Option<Fault> {
        let fabric = self.ctx.fabric;
        let leaf = self.ends(link).into_iter().find(|&node| fabric.is_switch(node))?;
        let speed_of =
            |node: NodeId| device_speeds::fastest(fabric.node(node).vendor, fabric.node(node).device);
        let of_leaf = self.seen.fastest(self.ctx, leaf).or_else(|| speed_of(leaf))?;
        let expected = Rate { speed: of_leaf.min(speed_of(end)?), ..link.rate };
        let far_below = bytes(link.rate) <= FAR_BELOW * bytes(expected);
        far_below.then_some(Fault { link, expected, basis: Basis::Devices, at_usual: 0, of_kind: 0 })
    }

    /// A cable between switches.
    fn by_like_of_switches(&self, link: Link) -> Verdict {
        let is_flat = self.ends(link).into_iter().all(|node| self.ctx.level_of(node).is_none());
        if is_flat && self.everywhere.contains(&link.rate) {
            return Verdict::AsExpected;
        }
        if let Some(fault) = self.above(link) {
            return Verdict::Below(fault);
        }
        // No rate is usual, or a switch's own cables are all alike: others of the same models show what both ends can.
        let [_, _, models, levels] = self.groups_of(link);
        if let Some(models) = models {
            // The only switch of its model has few cables like its own: those between the same levels show it.
            for group in [Some(models), levels].into_iter().flatten() {
                let rates = &self.groups[&group];
                let Some((fastest, at_usual)) = rates.fastest_of_half() else { continue };
                let expected = self.capped(link, fastest);
                if is_below(link.rate, expected) {
                    let of_kind = rates.all();
                    return Verdict::Below(Fault { link, expected, basis: Basis::Peers, at_usual, of_kind });
                }
            }
            return Verdict::AsExpected;
        }
        // A switch of unknown model, all of whose cables run alike.
        let expected = levels.and_then(|levels| {
            let rates = &self.groups[&levels];
            rates.usual().or_else(|| rates.fastest_of_half())
        });
        let Some((expected, _)) = expected.filter(|(expected, _)| is_below(link.rate, *expected)) else {
            return Verdict::AsExpected;
        };
        let unknown = self.ends(link).into_iter().find(|&node| {
            !Model::of(self.ctx, node).is_known() && self.seen.runs_alike(self.ctx, node, link.rate)
        });
        unknown.map_or(Verdict::AsExpected, |node| Verdict::BuiltSo {
            like: Likeness::Switch,
            name: self.ctx.name(node),
            node,
            expected,
        })
    }
}
