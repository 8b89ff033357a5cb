//! Levels: how high each switch of a tree-like fabric is above the hosts.
//!
//! Definition, for each plane that has host adapters:
//!
//! * Leaves (level 0) are the *host-facing* switches. How far each is filled is chance, what it is cabled to is
//!   planned: switches that are cabled alike are of one kind (`alike`), or, where none are, those of one shape, and
//!   count with the hosts that they have on average. Since a few hosts may be higher (administration, I/O) and aggregation nodes anywhere, a least
//!   number decides: each that occurs is tried, without exceptions and with each of these: switches of whose
//!   kind hardly any has hosts, switches with more than half of their cables to switches going to other leaves,
//!   switches whose neighbours lead to hardly any other leaf, and switches whose neighbours lead to different
//!   leaves (a core with a host joins pods).
//! * The others are one level above the switches from which they are reached, in order of distance from
//!   the leaves (`assign`), unless they are cabled like a switch one level *below* these: an empty leaf, a
//!   line chip of a director without cables, an empty pod. A level that joins no leaves that are not
//!   joined below it, and has less than a third of the cables of the level below, is an appendage of that
//!   level (a management leaf without hosts on its own spine, for example) and is put below it. Cables up to
//!   a switch with hosts do not count: a management leaf on cores is no level above them.
//! * A switch with hosts that hangs on a few leaves, or on cores, is a leaf, too: those that it hangs on have its
//!   cables beside what others have (`plan`). One that hangs on a single switch, where its like join several, joins
//!   nothing: it is a level below that switch, with hosts or without.
//! * Of all these assignments the one with the fewest *misfits* is taken: cables between switches
//!   that do not join adjacent levels, cables of a switch at another level than most of its kind, cables by which
//!   a leaf, or a switch two or more levels below the top, joins subtrees as a core does (`LevelGraph::joining`;
//!   not where most leaves do: they are cabled to switches of two kinds), and adapters on switches above level 0
//!   that are not cabled like one without any; of equals the one with fewer adapters above level 0.
//! * It must be mostly a tree: at most `ODD_CABLES` of the cables between switches are odd (those of a few
//!   switches with hosts and a single neighbour, as on a leaf, left out), most adapters are at level 0, and
//!   at least `CONNECTED` of the pairs of leaves are connected by a path that goes up and then down
//!   (`up_down`), or `CONNECTED_WITHOUT_MISFITS` where nothing else is odd. A few leaves that are so connected to fewer than half of the others are left out: they
//!   hang below another leaf, and their cables are odd.
//! * Cables between adjacent levels may also join trees, from a leaf of one to a spine of the other, and
//!   then fewer pairs of leaves are connected up and down. The far end of such a cable leads down to other
//!   leaves than the switch's other cables up do. Where these cables are few they count as odd, and only
//!   pairs within a tree count.
//!
//! What a site declares (`given`) wins: with roots, levels are counted from them; a declared leaf is
//! a leaf in every trial, a declared spine or core never is.
//!
//! A plane that is a Dragonfly+ ([`Groups`]) is none of this: its leaves are level 0, its spines level 1, and nothing is tried.
//!
//! A mesh, torus, hypercube, ring or chain (`fabric::grid`) has no levels, however few of its switches have hosts, unless
//! the site declares some, or it is a whole tree whose leaves are the switches with hosts (`whole`). The same is taken where each trial
//! has misfits: the tops of some trees are cabled like their leaves.
//!
//! A fabric has levels where every plane with two or more switches and an adapter has.

mod alike;
#[cfg(test)]
mod appendage_tests;
mod assign;
mod given;
#[cfg(test)]
mod given_tests;
mod plan;
mod search;
#[cfg(test)]
mod tests;
mod up_down;
mod whole;

use super::{Fabric, Groups, NodeId, PortId, planes};
use assign::{LevelGraph, NONE};
pub use search::{LeftOut, LevelSearch, Trial};

/// What a switch is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Role {
    /// Level 0.
    Leaf,
    /// Between leaves and cores; the top level where there are two.
    Spine,
    /// The top level where there are three or more.
    Core,
}

impl Role {
    /// `leaf`, `spine` or `core`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Leaf => "leaf",
            Self::Spine => "spine",
            Self::Core => "core",
        }
    }
}

/// The levels of a fabric's switches. See the module's documentation for what they mean.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Levels {
    level: Vec<u8>,
    /// Highest level of the switch's plane.
    top: Vec<u8>,
    has_hosts: Vec<bool>,
    /// Of planes that are a Dragonfly+.
    groups: Vec<Groups>,
}

impl Levels {
    /// The levels of a fabric, where it is tree-like.
    pub fn of(fabric: &Fabric) -> Option<Self> {
        Self::explained(fabric).0
    }

    /// The levels of a fabric, and how those of each plane with adapters were found.
    pub fn explained(fabric: &Fabric) -> (Option<Self>, Vec<LevelSearch>) {
        let graph = LevelGraph::of(fabric);
        let planes = planes(fabric);
        let mut members: Vec<Vec<u32>> = vec![Vec::new(); planes.count()];
        for switch in fabric.switches() {
            members[planes.of(switch) as usize].push(switch.0);
        }
        let count = fabric.num_switches();
        let mut levels = Self {
            level: vec![NONE; count],
            top: vec![NONE; count],
            has_hosts: graph.hosts.iter().map(|&n| n > 0).collect(),
            groups: Groups::plus_of(fabric),
        };
        let of_groups = levels.of_groups();
        let mut searches = Vec::new();
        let mut is_tree = true;
        for plane in members.iter().filter(|plane| plane.iter().any(|&s| graph.hosts[s as usize] > 0)) {
            let (search, found) = match plane.first() {
                Some(&first) if of_groups[first as usize] != NONE => {
                    (LevelSearch::of_groups(plane), Some(of_groups.clone()))
                }
                _ => LevelSearch::of(&graph, plane),
            };
            searches.push(search);
            let Some(found) = found else {
                is_tree = false;
                continue;
            };
            let highest = plane.iter().map(|&s| found[s as usize]).max().unwrap_or(0);
            for &s in plane {
                levels.level[s as usize] = found[s as usize];
                levels.top[s as usize] = highest;
            }
        }
        let has_any = levels.level.iter().any(|&l| l != NONE);
        ((is_tree && has_any).then_some(levels), searches)
    }

    /// By switch, its level in a plane that is a Dragonfly+: what is in no group hangs somewhere, as a leaf does.
    fn of_groups(&self) -> Vec<u8> {
        let mut level = vec![NONE; self.level.len()];
        for groups in &self.groups {
            let spines = groups.groups.iter().flat_map(|group| &group.spines);
            let others = groups.groups.iter().flat_map(|group| &group.leaves).chain(&groups.outside);
            spines.for_each(|s| level[s.ix()] = 1);
            others.for_each(|s| level[s.ix()] = 0);
        }
        level
    }

    /// The same without those of planes that are a Dragonfly+; none where no other has levels.
    pub fn of_trees(&self) -> Option<Self> {
        let of_groups = self.of_groups();
        let mut trees = Self { groups: Vec::new(), ..self.clone() };
        for (level, of_group) in trees.level.iter_mut().zip(of_groups) {
            *level = if of_group == NONE { *level } else { NONE };
        }
        trees.level.iter().any(|&level| level != NONE).then_some(trees)
    }

    /// The groups of the planes that are a Dragonfly+; none in a tree.
    pub fn groups(&self) -> &[Groups] {
        &self.groups
    }

    /// A switch's level, 0 for leaves; none in a plane without hosts (a switch cut off, for example).
    pub fn level(&self, switch: NodeId) -> Option<u8> {
        self.level.get(switch.ix()).copied().filter(|&l| l != NONE)
    }

    /// What a switch is for.
    pub fn role(&self, switch: NodeId) -> Option<Role> {
        let level = self.level(switch)?;
        Some(match level {
            0 => Role::Leaf,
            l if l >= 2 && l == self.top[switch.ix()] => Role::Core,
            _ => Role::Spine,
        })
    }

    /// Whether a switch is a leaf with host adapters. A spine with a few is not host-facing.
    pub fn is_host_facing(&self, switch: NodeId) -> bool {
        self.level(switch) == Some(0) && self.has_hosts[switch.ix()]
    }

    /// Number of levels: 1 for a single switch.
    pub fn count(&self) -> usize {
        self.level.iter().filter(|&&l| l != NONE).max().map_or(0, |&l| usize::from(l) + 1)
    }

    /// The switches of a level.
    pub fn at(&self, level: u8) -> impl Iterator<Item = NodeId> {
        let all = self.level.iter().enumerate();
        all.filter(move |&(_, &l)| l == level && l != NONE).map(|(s, _)| NodeId(s as u32))
    }

    /// The cables between switches that do not join adjacent levels.
    pub fn odd_cables(&self, fabric: &Fabric) -> Vec<(PortId, PortId)> {
        let level = |p: PortId| self.level(fabric.node_of(p));
        let odd = |&(a, b): &(PortId, PortId)| matches!((level(a), level(b)), (Some(l), Some(m)) if l.abs_diff(m) != 1);
        fabric.cables().filter(odd).collect()
    }
}
