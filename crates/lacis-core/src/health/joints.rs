//! Sections of the fabric, sets of switches with hosts, joined by far less bandwidth than each has inside: trees joined by
//! a few cables.
//!
//! A section is reported if its cables out carry less than half of what the thinnest level lets through; or, with levels or
//! without, less than an eighth of what its hosts can send and less than a quarter of what halves of the section exchange.
//! So pods of a steeply tapered tree are no such sections, and halves of a ring or torus, which exchange about as much,
//! neither; nor groups of a Dragonfly+ or a dragonfly.

use std::collections::VecDeque;

use rustc_hash::FxHashSet;

use super::context::Context;
use super::facts::{Beside, Cut, Fact, ThinSection};
use super::links::rate;
use super::{Finding, summary};
use crate::cuts::{Forced, Why, bisection, forced};
use crate::fabric::{NodeId, Population, PortId, Rate};

/// Greatest share of what the thinnest level lets through.
const OF_TAPER: f64 = 0.5;
/// Greatest share of what the hosts of the section can send.
const OF_HOSTS: f64 = 0.125;
/// Greatest share of what halves of the section exchange.
const OF_INSIDE: f64 = 0.25;
/// A section has at least one in so many of all hosts; fewer are reported as `CABLES_FEW`.
const PART: usize = 10;
/// Most joints that are reported.
const MOST: usize = 4;

/// `first` is what all `ports` of hosts force.
pub(super) fn report_joints(ctx: &Context, ports: &[PortId], first: Forced, out: &mut Vec<Finding>) {
    let taper = taper(ctx, ports);
    let mut joints = 0;
    // What is on either side of a joint may have a joint itself: trees in a chain.
    let mut parts = VecDeque::from([(ports.to_vec(), first)]);
    while let Some((part, most)) = parts.pop_front() {
        let Why::Cut { inside, .. } = &most.why else { continue };
        let Some(finding) = Section::of(ctx, ports, inside).and_then(|section| section.finding(taper)) else {
            continue;
        };
        out.push(finding);
        joints += 1;
        if joints == MOST {
            return;
        }
        let is_in = |&p: &PortId| edge_switch_in(ctx, p, |s| inside.binary_search(&s).is_ok());
        let (one, other): (Vec<PortId>, Vec<PortId>) = part.into_iter().partition(is_in);
        for side in [one, other] {
            let most = forced(ctx.fabric, &side, |_| 1);
            parts.push_back((side, most));
        }
    }
}

/// A set of switches, of its component's two sides the one with fewer hosts.
struct Section<'a> {
    ctx: &'a Context<'a>,
    members: FxHashSet<NodeId>,
    /// The members with a cable out.
    border: Vec<NodeId>,
    /// The members' ports of these cables.
    cables: Vec<PortId>,
    /// Ports of hosts inside.
    own: Vec<PortId>,
    /// How many ports of hosts are outside.
    others: usize,
}

impl<'a> Section<'a> {
    /// The section on either side of the cut around `inside`; nothing if a side has too few hosts.
    fn of(ctx: &'a Context<'a>, ports: &[PortId], inside: &[NodeId]) -> Option<Self> {
        let component = |n: NodeId| ctx.component[n.ix()];
        let whole = component(*inside.first()?);
        let mut members: FxHashSet<NodeId> = inside.iter().copied().collect();
        let near = ports.iter().copied().filter(|&p| edge_switch_in(ctx, p, |s| component(s) == whole));
        let (mut own, mut others): (Vec<PortId>, Vec<PortId>) =
            near.partition(|&p| edge_switch_in(ctx, p, |s| members.contains(&s)));
        if others.len() < own.len() {
            (own, others) = (others, own);
            members =
                ctx.fabric.switches().filter(|&s| component(s) == whole && !members.contains(&s)).collect();
        }
        if PART * own.len() < ports.len() || edge_switches(ctx, &own) < 2 || edge_switches(ctx, &others) < 2 {
            return None;
        }
        let is_out = |&p: &PortId| {
            let far = ctx.fabric.peer(p).map(|far| ctx.fabric.node_of(far));
            far.is_some_and(|far| ctx.fabric.is_switch(far) && !members.contains(&far))
        };
        let switches = ctx.fabric.switches().filter(|s| members.contains(s));
        let cables: Vec<PortId> = switches.flat_map(|s| ctx.fabric.ports_of(s)).filter(is_out).collect();
        let mut border: Vec<NodeId> = cables.iter().map(|&p| ctx.fabric.node_of(p)).collect();
        border.dedup();
        Some(Self { ctx, members, border, cables, own, others: others.len() })
    }

    /// Whether all cables out are global ones, as many as the plan of a Dragonfly+ or a dragonfly has: each two groups and each
    /// switch are compared with others for that.
    fn is_whole_groups(&self) -> bool {
        let fabric = self.ctx.fabric;
        self.ctx.groups.iter().any(|groups| {
            let group_of = groups.group_of(fabric.num_switches());
            let group = |p: PortId| group_of.get(fabric.node_of(p).ix()).copied().flatten();
            let is_global = |&p: &PortId| {
                let far = fabric.peer(p).and_then(group);
                group(p).zip(far).is_some_and(|(here, there)| here != there)
            };
            self.cables.iter().all(is_global)
        })
    }

    /// The finding, if the cables out carry far less than the fabric's levels or the section itself.
    fn finding(self, taper: Option<f64>) -> Option<Finding> {
        if self.is_whole_groups() {
            return None;
        }
        let carried = self.cables.iter().map(|&p| bytes(self.ctx, p)).sum::<Option<f64>>()?;
        let sent = self.own.iter().map(|&p| bytes(self.ctx, p)).sum::<Option<f64>>()?;
        let share = carried / sent;
        let compared = if let Some(taper) = taper.filter(|taper| share < OF_TAPER * taper) {
            Beside::Levels { share: taper }
        } else {
            let inside = (share < OF_HOSTS).then(|| exchanged(self.ctx, &self.members)).flatten()?;
            if share >= OF_INSIDE * inside {
                return None;
            }
            Beside::Halves { share: inside }
        };
        let cut = Cut {
            hosts: self.own.len() as u64,
            switches: self.members.len(),
            cables: self.cables.len() as u64,
            border: self.border.iter().map(|&s| self.ctx.location(s)).collect(),
            alike: 0,
        };
        let section = ThinSection { cut, others: self.others, bytes_per_second: carried, share, compared };
        Some(Fact::SectionThin(section).into())
    }
}

/// Whether the edge switch of a port is one of some switches.
fn edge_switch_in(ctx: &Context, port: PortId, is_one: impl Fn(NodeId) -> bool) -> bool {
    ctx.fabric.edge_switch(port).is_some_and(is_one)
}

/// The share of all that hosts can send which the thinnest level lets through, at most 1. Nothing without levels, or if
/// a rate is unknown.
fn taper(ctx: &Context, ports: &[PortId]) -> Option<f64> {
    let sent: f64 = ports.iter().map(|&p| bytes(ctx, p)).sum::<Option<f64>>()?;
    let levels = summary::by_level(ctx);
    let below_top = levels.len().checked_sub(1)?;
    let up = levels[..below_top].iter().map(|level| level.up_bytes_per_second / sent);
    Some(up.fold(1.0, f64::min))
}

/// The share of what their hosts can send that halves of a section exchange over its own cables.
fn exchanged(ctx: &Context, members: &FxHashSet<NodeId>) -> Option<f64> {
    let edge_switch = |n: NodeId| ctx.fabric.ports_of(n).find_map(|p| ctx.fabric.edge_switch(p));
    let is_in = |n: NodeId| {
        members.contains(&n)
            || !ctx.fabric.is_switch(n)
                && edge_switch(n).is_some_and(|edge_switch| members.contains(&edge_switch))
    };
    let section = ctx.fabric.filtered(is_in, |_, _| true);
    let found = bisection(&section, &section.end_ports(Population::Hosts))?;
    Some(found.at_most / found.injection)
}

/// Bytes/s of the cable at a port.
fn bytes(ctx: &Context, port: PortId) -> Option<f64> {
    rate(ctx, (port, ctx.fabric.peer(port)?)).map(Rate::bytes_per_second)
}

/// Number of edge switches of end ports.
fn edge_switches(ctx: &Context, ports: &[PortId]) -> usize {
    ports.iter().filter_map(|&p| ctx.fabric.edge_switch(p)).collect::<FxHashSet<_>>().len()
}

#[cfg(test)]
mod tests {
    use super::super::{Hosts, findings};
    use super::*;
    use crate::generate::{edit, generate};

    /// Hosts inside, hosts outside, and what the joint is compared with, of every thin joint.
    fn joints(spec: &str, selectors: &[&str]) -> Vec<(u64, usize, Beside)> {
        let fabric = edit(&generate(spec).unwrap(), selectors).unwrap();
        let found = findings(&fabric, &Hosts::of(&fabric, None)).into_iter();
        let mut all: Vec<_> = found
            .filter_map(|finding| match finding.fact {
                Fact::SectionThin(thin) => Some((thin.cut.hosts, thin.others, thin.compared)),
                _ => None,
            })
            .collect();
        all.sort_by_key(|joint| (joint.0, joint.1));
        all
    }

    #[test]
    fn every_joint_of_a_chain_of_trees_is_found_with_all_hosts_beyond_it() {
        // Trees of 32 hosts. In a chain of four the ends have 96 others, and the halves 64.
        let chain = [
            "+tree1-spine-01--tree2-spine-01",
            "+tree2-spine-02--tree3-spine-01",
            "+tree3-spine-02--tree4-spine-01",
        ];
        let row = |own: u64, others: usize| (own, others, Beside::Levels { share: 1.0 });
        assert_eq!(joints("fat-tree:8,2:radix=12,trees=3", &chain[..2]), [row(32, 64), row(32, 64)]);
        let four = [row(32, 96), row(32, 96), row(64, 64)];
        assert_eq!(joints("fat-tree:8,2:radix=12,trees=4", &chain), four);
    }

    #[test]
    fn the_taper_of_the_levels_is_no_joint_and_a_switch_between_trees_is_one() {
        // Six pods of six leaves with twelve hosts each, three uplinks a leaf and six a pod: a twelfth of what its hosts send.
        let tapered = "pgft:3;12,6,6;1,3,2;1,1,1";
        assert_eq!(joints(tapered, &[]), []);
        // The switch that joins two trees becomes their top level: as thin as the joint.
        let joined = joints("fat-tree:8,2:radix=9,trees=2", &["+switch=top@tree?-spine-01"]);
        assert_eq!(joined.len(), 1);
        assert_eq!(joined[0].2, Beside::Halves { share: 1.0 });
    }
}
