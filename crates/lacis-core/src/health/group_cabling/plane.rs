//! A plane with groups: its switches, and the cables between each two.

use rustc_hash::FxHashMap;

use super::super::context::Context;
use crate::fabric::{GroupKind, Groups, NodeId, PortId};

/// Two switches of a plane, by index, the lower first.
pub(super) type Pair = (usize, usize);

/// Two switches as a pair.
pub(super) fn ordered(a: usize, b: usize) -> Pair {
    (a.min(b), a.max(b))
}

/// The switches of a plane with groups, and the cables between each two.
pub(super) struct Plane {
    pub kind: GroupKind,
    pub switches: Vec<NodeId>,
    pub group: Vec<usize>,
    /// Whether a switch is a spine; all are that can have global cables.
    pub is_global: Vec<bool>,
    /// Whether a switch is a leaf, or any switch of a dragonfly.
    pub is_leaf: Vec<bool>,
    /// Whether a switch has cables to half of those of its group that it should have some to. Others have a plan of their own.
    pub is_whole: Vec<bool>,
    pub count: FxHashMap<Pair, u16>,
    /// By pair: the ports of each cable, in the pair's order.
    pub ports: FxHashMap<Pair, Vec<(PortId, PortId)>>,
    pub members: Vec<Vec<usize>>,
}

impl Plane {
    pub fn of(ctx: &Context, groups: &Groups) -> Self {
        let is_plus = groups.kind == GroupKind::DragonflyPlus;
        let mut switches: Vec<(NodeId, usize, bool)> = Vec::new();
        for (number, group) in groups.groups.iter().enumerate() {
            switches.extend(group.leaves.iter().map(|&s| (s, number, false)));
            switches.extend(group.spines.iter().map(|&s| (s, number, true)));
        }
        switches.sort_unstable();
        let index: FxHashMap<NodeId, usize> = switches.iter().enumerate().map(|(i, s)| (s.0, i)).collect();
        let mut ports: FxHashMap<Pair, Vec<(PortId, PortId)>> = FxHashMap::default();
        for (p, q) in ctx.trunks() {
            let ends = [p, q].map(|port| index.get(&ctx.fabric.node_of(port)).copied());
            if let [Some(a), Some(b)] = ends {
                let cable = if a < b { (p, q) } else { (q, p) };
                ports.entry(ordered(a, b)).or_default().push(cable);
            }
        }
        let mut members = vec![Vec::new(); groups.groups.len()];
        for (i, s) in switches.iter().enumerate() {
            members[s.1].push(i);
        }
        let mut plane = Self {
            kind: groups.kind,
            switches: switches.iter().map(|s| s.0).collect(),
            group: switches.iter().map(|s| s.1).collect(),
            is_global: switches.iter().map(|s| s.2 || !is_plus).collect(),
            is_leaf: switches.iter().map(|s| !s.2).collect(),
            is_whole: vec![true; switches.len()],
            count: ports.iter().map(|(&pair, cables)| (pair, cables.len() as u16)).collect(),
            ports,
            members,
        };
        plane.is_whole = (0..switches.len()).map(|s| plane.has_half(s)).collect();
        plane
    }

    pub fn num_groups(&self) -> usize {
        self.members.len()
    }

    pub fn at(&self, (a, b): Pair) -> u16 {
        self.count.get(&ordered(a, b)).copied().unwrap_or(0)
    }

    /// Whether two switches of a group should be joined.
    fn are_joined_within(&self, a: usize, b: usize) -> bool {
        let is_plus = self.kind == GroupKind::DragonflyPlus;
        self.group[a] == self.group[b] && a != b && (!is_plus || self.is_leaf[a] != self.is_leaf[b])
    }

    pub fn is_within(&self, (a, b): Pair) -> bool {
        self.group[a] == self.group[b]
    }

    /// Whether no cable of the pattern joins two switches.
    pub fn is_odd(&self, (a, b): Pair) -> bool {
        let is_between = self.group[a] != self.group[b] && self.is_global[a] && self.is_global[b];
        !self.are_joined_within(a, b) && !is_between
    }

    fn has_half(&self, s: usize) -> bool {
        let should: Vec<usize> =
            self.members[self.group[s]].iter().copied().filter(|&t| self.are_joined_within(s, t)).collect();
        2 * should.iter().filter(|&&t| self.at((s, t)) > 0).count() >= should.len()
    }

    pub fn is_judged(&self, (a, b): Pair) -> bool {
        self.is_whole[a] && self.is_whole[b]
    }

    /// The pairs of a group that should be joined.
    pub fn pairs_within(&self, group: usize) -> Vec<Pair> {
        let of = &self.members[group];
        let pairs = of.iter().enumerate().flat_map(|(i, &a)| of[i + 1..].iter().map(move |&b| (a, b)));
        pairs.filter(|&(a, b)| self.are_joined_within(a, b) && self.is_judged((a, b))).collect()
    }

    /// The pairs in different groups that may be joined.
    pub fn pairs_between(&self) -> Vec<Pair> {
        let global: Vec<usize> = (0..self.switches.len()).filter(|&s| self.is_global[s]).collect();
        let pairs =
            global.iter().enumerate().flat_map(|(i, &a)| global[i + 1..].iter().map(move |&b| (a, b)));
        pairs.filter(|&pair| !self.is_within(pair)).collect()
    }

    /// The switches of other groups that a switch has global cables to, in order.
    pub fn global_neighbours(&self, s: usize) -> Vec<usize> {
        let may = |t: &usize| self.group[*t] != self.group[s] && self.is_global[*t] && self.is_global[s];
        (0..self.switches.len()).filter(may).filter(|&t| self.at((s, t)) > 0).collect()
    }

    pub fn to_group(&self, s: usize, group: usize) -> u32 {
        let to = self.members[group].iter().filter(|&&t| self.is_global[t]);
        to.map(|&t| u32::from(self.at((s, t)))).sum()
    }

    pub fn between_groups(&self, a: usize, b: usize) -> u32 {
        self.members[a].iter().filter(|&&s| self.is_global[s]).map(|&s| self.to_group(s, b)).sum()
    }

    pub fn global_cables(&self, s: usize) -> u32 {
        self.global_neighbours(s).iter().map(|&t| u32::from(self.at((s, t)))).sum()
    }
}
