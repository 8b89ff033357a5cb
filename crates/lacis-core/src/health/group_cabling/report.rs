//! Differences as findings: which cable, which ports, and how many peers show it.

use super::super::context::Context;
use super::super::facts::{
    AstrayCable, AstrayCables, ExchangedCables, Fact, GroupGap, GroupGaps, Joins, PairPeers, Side,
    StrayCable, ThinGroupPair, UplinkGap, UplinkGaps,
};
use super::super::majority::agree;
use super::super::{Cable, Finding, Location};
use super::differences::Difference;
use super::expected::{Expected, usual};
use super::plane::{Pair, Plane, ordered};
use crate::fabric::{GroupKind, NodeId, PortId};

/// With more strays than one in so many cables these are a design, not slips.
const STRAYS: usize = 20;

pub(super) struct Report<'a> {
    pub ctx: &'a Context<'a>,
    pub plane: &'a Plane,
}

/// A gap that both ends have a port for.
struct Gap {
    pair: Pair,
    have: u16,
    expected: u16,
}

impl Report<'_> {
    /// The findings of some differences. `peers`: of pairs within groups, and of those between.
    pub fn findings(
        &self,
        found: &[Difference],
        expected: &Expected,
        peers: [PairPeers; 2],
        out: &mut Vec<Finding>,
    ) {
        let mut gaps: Vec<Gap> = Vec::new();
        let strays = found.iter().filter(|difference| matches!(difference, Difference::Stray(_))).count();
        let are_slips = STRAYS * strays <= self.plane.ports.len();
        for &difference in found {
            match difference {
                Difference::Exchanged(one, other) => {
                    let cables = [self.chosen(one, other.1).0, self.chosen(other, one.1).0];
                    let within = self.plane.is_within(ordered(one.0, other.1));
                    let peers = peers[usize::from(!within)];
                    out.push(Fact::CablesExchanged(ExchangedCables { cables, peers }).into());
                }
                Difference::Moved { kept, wrong, right } => {
                    out.push(self.moved(kept, wrong, right, expected));
                }
                Difference::OneMoved { wrong, right } if self.has_free_port(right) => {
                    out.push(self.one_moved(wrong, right));
                }
                Difference::Missing(pair, n) => {
                    let have = self.plane.at(pair);
                    if self.has_free_port(pair.0) && self.has_free_port(pair.1) {
                        gaps.push(Gap { pair, have, expected: have + n });
                    }
                }
                Difference::Stray(pair) if are_slips => out.extend(self.strays(pair)),
                Difference::OneMoved { .. } | Difference::Stray(_) => {}
            }
        }
        let (within, between): (Vec<Gap>, Vec<Gap>) =
            gaps.into_iter().partition(|gap| self.plane.is_within(gap.pair));
        self.gaps(within, peers[0], out);
        self.gaps(between, peers[1], out);
    }

    /// Two groups with too few cables between them.
    pub fn thin(&self, (g, h): Pair, have: u32, expected: u32, peers: PairPeers) -> Finding {
        let [have, expected] = [have, expected].map(|n| u16::try_from(n).unwrap_or(u16::MAX));
        let members = |group: usize| {
            let of = self.plane.members[group].iter().copied();
            of.filter(|&s| self.plane.is_global[s]).collect::<Vec<_>>()
        };
        let most = (0..self.plane.switches.len()).map(|s| self.plane.global_cables(s)).max().unwrap_or(0);
        let short = [g, h].map(|group| {
            let few = members(group).into_iter().filter(|&s| self.plane.global_cables(s) < most);
            few.map(|s| self.location(s)).collect::<Vec<_>>()
        });
        let least = |group: usize| members(group).into_iter().min_by_key(|&s| self.plane.global_cables(s));
        let switches =
            [g, h].map(|group| self.location(least(group).unwrap_or(self.plane.members[group][0])));
        Fact::GroupsThin(ThinGroupPair { switches, short, have, expected, peers }).into()
    }

    fn node(&self, s: usize) -> NodeId {
        self.plane.switches[s]
    }

    fn location(&self, s: usize) -> Location {
        self.ctx.location(self.node(s))
    }

    /// Whether a switch has a free port. Sources that list cables alone do not show the last ports of a switch, if these are
    /// free: one with fewer ports than another of the plane, and of unknown model, counts as having one.
    fn has_free_port(&self, s: usize) -> bool {
        let (fabric, node) = (self.ctx.fabric, self.node(s));
        let most = || self.plane.switches.iter().map(|&s| fabric.radix(s)).max();
        self.free_ports(s).next().is_some()
            || fabric.node(node).device == 0 && Some(fabric.radix(node)) < most()
    }

    fn free_ports(&self, s: usize) -> impl Iterator<Item = PortId> + '_ {
        self.ctx.cages.free(self.node(s))
    }

    /// The switches of the same group that are what a switch is, itself left out.
    fn alike(&self, s: usize) -> impl Iterator<Item = usize> + '_ {
        let plane = self.plane;
        let members = plane.members[plane.group[s]].iter().copied();
        members.filter(move |&t| t != s && plane.is_leaf[t] == plane.is_leaf[s])
    }

    /// Whether two thirds of the switches like `s` that have cables to `to`, or to what is like it in another group, have one
    /// at a port of this number.
    fn is_usual_port(&self, s: usize, number: u8, to: usize) -> bool {
        let (fabric, plane) = (self.ctx.fabric, self.plane);
        let is_meant = |t: usize| {
            if plane.group[s] == plane.group[to] {
                t == to
            } else {
                plane.group[t] == plane.group[to] && plane.is_global[t]
            }
        };
        let index = |p: PortId| plane.switches.binary_search(&fabric.node_of(p)).ok();
        let (mut having, mut of) = (0, 0);
        for like in self.alike(s) {
            let ports = fabric.ports_of(self.node(like));
            let meant: Vec<u8> = ports
                .filter(|&p| fabric.peer(p).and_then(index).is_some_and(is_meant))
                .map(|p| fabric.number_of(p))
                .collect();
            of += usize::from(!meant.is_empty());
            having += usize::from(meant.contains(&number));
        }
        agree(having, of)
    }

    /// Of the cables of a pair the one that is where the first switch's cable to `right` would be, or the last; and how many it
    /// may be.
    fn chosen(&self, (kept, wrong): Pair, right: usize) -> (Cable, usize) {
        let fabric = self.ctx.fabric;
        let mut cables: Vec<(PortId, PortId)> =
            self.plane.ports.get(&ordered(kept, wrong)).into_iter().flatten().copied().collect();
        if kept > wrong {
            for (a, b) in &mut cables {
                std::mem::swap(a, b);
            }
        }
        cables.sort_unstable();
        let count = cables.len();
        let shown = cables.iter().find(|&&(p, _)| self.is_usual_port(kept, fabric.number_of(p), right));
        match (shown, cables.last()) {
            (Some(&cable), _) => (self.ctx.cable(cable), 1),
            (None, Some(&cable)) => (self.ctx.cable(cable), count),
            (None, None) => ([self.location(kept), self.location(wrong)], count),
        }
    }

    fn moved(&self, kept: usize, wrong: usize, right: usize, expected: &Expected) -> Finding {
        let plane = self.plane;
        let ([stays, from], any_of) = self.chosen((kept, wrong), right);
        let number = |far: usize| expected.of.get(&ordered(kept, far)).copied();
        let (have, should, is_shown) =
            if let (Some(at_wrong), Some(at_right)) = (number(wrong), number(right)) {
                ([plane.at((kept, wrong)), plane.at((kept, right))], [at_wrong, at_right], any_of == 1)
            } else {
                // Where single pairs are not known, it may be any cable of the wrong switch to the group of the kept one.
                let group = plane.group[kept];
                let [more, fewer] = [wrong, right].map(|s| plane.to_group(s, group) as u16);
                ([more, fewer], [more.saturating_sub(1), fewer + 1], more == 1)
            };
        let mut to = self.location(right);
        let mut free = self.free_ports(right).map(|port| self.ctx.fabric.number_of(port));
        to.port = free.find(|&number| self.is_usual_port(right, number, kept));
        let end = |end: Location| Location { port: end.port.filter(|_| is_shown), ..end };
        let node = |end: &Location| Location { port: None, ..end.clone() };
        let astray = AstrayCables {
            stays: Some(node(&stays)),
            at: node(&from),
            to: node(&to),
            have,
            expected: should,
            cables: vec![AstrayCable { stays: Some(end(stays)), at: end(from), to }],
        };
        Fact::CablesAstray(astray).into()
    }

    /// One of several global cables of a switch, which belongs on another.
    fn one_moved(&self, wrong: usize, right: usize) -> Finding {
        let have = [wrong, right].map(|s| self.plane.global_cables(s) as u16);
        let (at, to) = (self.location(wrong), self.location(right));
        let cables = vec![AstrayCable { stays: None, at: at.clone(), to: to.clone() }];
        let plane = self.plane;
        let all = (0..plane.switches.len()).filter(|&s| plane.is_global[s]).map(|s| plane.global_cables(s));
        let expected = usual(all).map_or([have[0] - 1, have[1] + 1], |n| [n as u16; 2]);
        Fact::CablesAstray(AstrayCables { stays: None, at, to, have, expected, cables }).into()
    }

    fn strays(&self, pair: Pair) -> Vec<Finding> {
        let joins =
            match (self.plane.is_within(pair), self.plane.is_leaf[pair.0] == self.plane.is_leaf[pair.1]) {
                (_, true) => Joins::SameLevel,
                (_, false) => Joins::DifferentGroups,
            };
        let cables = self.plane.ports.get(&pair).into_iter().flatten();
        let stray = |&cable: &(PortId, PortId)| StrayCable { cable: self.ctx.cable(cable), joins };
        cables.map(|cable| Fact::CableStray(stray(cable)).into()).collect()
    }

    /// The findings of gaps, by the switch that most of them have in common.
    fn gaps(&self, mut gaps: Vec<Gap>, peers: PairPeers, out: &mut Vec<Finding>) {
        while !gaps.is_empty() {
            let count = |s: usize| gaps.iter().filter(|gap| gap.pair.0 == s || gap.pair.1 == s).count();
            let both = gaps.iter().flat_map(|gap| [gap.pair.0, gap.pair.1]);
            // Of equals the leaf, or the first.
            let Some(here) = both.max_by_key(|&s| (count(s), self.plane.is_leaf[s], std::cmp::Reverse(s)))
            else {
                return;
            };
            let (mine, others): (Vec<Gap>, Vec<Gap>) =
                gaps.into_iter().partition(|gap| gap.pair.0 == here || gap.pair.1 == here);
            gaps = others;
            self.gaps_of(here, &mine, peers, out);
        }
    }

    fn gaps_of(&self, here: usize, mine: &[Gap], peers: PairPeers, out: &mut Vec<Finding>) {
        let switch = self.location(here);
        let far = |gap: &Gap| if gap.pair.0 == here { gap.pair.1 } else { gap.pair.0 };
        let is_uplink = self.plane.kind == GroupKind::DragonflyPlus
            && mine.first().is_some_and(|gap| self.plane.is_within(gap.pair));
        if !is_uplink {
            let gap = |gap: &Gap| GroupGap {
                ends: [switch.clone(), self.location(far(gap))],
                have: gap.have,
                expected: gap.expected,
                ports: self.missing_ports(here, far(gap), usize::from(gap.expected - gap.have)),
            };
            let within = mine.first().is_some_and(|gap| self.plane.is_within(gap.pair));
            let gaps = mine.iter().map(gap).collect();
            out.push(Fact::GroupCablesMissing(GroupGaps { switch, within, gaps, peers }).into());
            return;
        }
        let side = if self.plane.is_leaf[here] { Side::Below } else { Side::Above };
        let gap = |gap: &Gap| {
            let (leaf, spine) = if side == Side::Below { (here, far(gap)) } else { (far(gap), here) };
            UplinkGap {
                lower: self.location(leaf),
                upper: self.location(spine),
                have: gap.have,
                expected: gap.expected,
                ports: self.missing_ports(leaf, spine, usize::from(gap.expected - gap.have)),
            }
        };
        let all: Vec<UplinkGap> = mine.iter().map(gap).collect();
        let (missing, fewer): (Vec<UplinkGap>, Vec<UplinkGap>) =
            all.into_iter().partition(|gap| gap.have == 0);
        let of = |gaps| UplinkGaps { switch: switch.clone(), side, gaps };
        if !missing.is_empty() {
            out.push(Fact::UplinksMissing(of(missing)).into());
        }
        if !fewer.is_empty() {
            out.push(Fact::UplinksFewer(of(fewer)).into());
        }
    }

    /// The ports that missing cables belong to, where those of like switches show them at both ends.
    fn missing_ports(&self, a: usize, b: usize, missing: usize) -> Vec<Cable> {
        let fabric = self.ctx.fabric;
        let empty = |of: usize, to: usize| {
            let ports = self.free_ports(of);
            ports.filter(|&p| self.is_usual_port(of, fabric.number_of(p), to)).collect::<Vec<_>>()
        };
        let (here, there) = (empty(a, b), empty(b, a));
        if here.len() < missing || there.len() < missing {
            return Vec::new();
        }
        here.into_iter().zip(there).take(missing).map(|cable| self.ctx.cable(cable)).collect()
    }
}
