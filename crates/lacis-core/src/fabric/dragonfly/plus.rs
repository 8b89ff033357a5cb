//! Dragonfly+: groups of leaves and spines.
//!
//! The leaves of a group are cabled to the same switches, their spines, and to hardly any other. So are spines, where they have
//! few global cables; but these lead out of the group, and a leaf's do not: of two sets that are cabled to each other, the one
//! with fewer cables to others are the leaves. A spine is above the leaves of one group, which a switch between the levels of a
//! tree is not: it is above the leaves of its pod and, seen from there, above the cores. And nearly each two groups are joined,
//! in odd rings too, which no tree has.

use super::quotient::Quotient;
use super::twins::near_twins;
use super::{Cabling, GroupKind, Groups, SwitchGroup};
use crate::fabric::grid::is_grid;
use crate::fabric::{Declared, NodeId};
use crate::sets::Sets;

/// At most one in so many cables, spines and leaves may break the pattern of groups.
const ODD: usize = 10;
const NONE: u32 = u32::MAX;

/// A set of switches, and those that it is cabled to.
struct Side {
    lowers: Vec<u32>,
    uppers: Vec<u32>,
}

/// The groups in the making: by switch, the group of a leaf and that of a spine.
struct Draft {
    groups: usize,
    leaf_of: Vec<u32>,
    spine_of: Vec<u32>,
}

impl Cabling {
    /// The groups of a plane, if it is a Dragonfly+.
    pub(super) fn plus(&self, plane: &[u32]) -> Option<Groups> {
        let draft = self.draft(plane).or_else(|| self.as_declared(plane))?;
        let fits = self.has_shape_of_groups(plane, &draft);
        fits.then(|| draft.into_groups(plane))
    }

    /// The groups that near twins imply.
    fn draft(&self, plane: &[u32]) -> Option<Draft> {
        let sides: Vec<Side> =
            near_twins(self, plane).into_iter().filter_map(|lowers| self.side(lowers)).collect();
        let sides = self.leaf_sides(sides);
        let merged = merge(&sides);
        if merged.len() < 2 {
            return None;
        }
        let mut draft = Draft {
            groups: merged.len(),
            leaf_of: vec![NONE; self.hosts.len()],
            spine_of: vec![NONE; self.hosts.len()],
        };
        let mut in_two = 0;
        for (group, side) in (0..).zip(&merged) {
            for &leaf in &side.lowers {
                draft.leaf_of[leaf as usize] = group;
            }
            for &spine in &side.uppers {
                let of = &mut draft.spine_of[spine as usize];
                in_two += usize::from(*of != NONE);
                *of = group;
            }
        }
        in_two += plane.iter().filter(|&&s| draft.has_both(s)).count();
        if ODD * in_two > plane.len() {
            return None;
        }
        self.add_groups_without_twins(plane, &mut draft);
        // What is settled settles what is cabled to it.
        self.settle(plane, &mut draft);
        self.settle(plane, &mut draft);
        Some(draft)
    }

    /// Makes groups of what is in none and cabled like groups: switches with a cable to a spine, and others below them. Such a
    /// group has a single leaf, or none that damage has left like another.
    fn add_groups_without_twins(&self, plane: &[u32], draft: &mut Draft) {
        let is_left =
            |s: u32, draft: &Draft| draft.leaf_of[s as usize] == NONE && draft.spine_of[s as usize] == NONE;
        let left: Vec<u32> = plane.iter().copied().filter(|&s| is_left(s, draft)).collect();
        let is_spine = |s: u32| self.next(s).any(|(t, _)| draft.spine_of[t as usize] != NONE);
        let spines: Vec<u32> = left.iter().copied().filter(|&s| is_spine(s)).collect();
        let is_leaf = |s: u32| self.next(s).all(|(t, _)| spines.binary_search(&t).is_ok());
        let leaves: Vec<u32> = left.iter().copied().filter(|&s| !is_spine(s) && is_leaf(s)).collect();
        let mut sets = Sets::new(self.hosts.len());
        for &leaf in &leaves {
            self.next(leaf).for_each(|(spine, _)| sets.join(leaf, spine));
        }
        let mut members = [&leaves[..], &spines[..]].concat();
        members.sort_unstable();
        for set in sets.members(&members).iter().filter(|set| set.len() > 1) {
            let group = draft.groups as u32;
            draft.groups += 1;
            for &s in set {
                let is_leaf = leaves.binary_search(&s).is_ok();
                let of = if is_leaf { &mut draft.leaf_of } else { &mut draft.spine_of };
                of[s as usize] = group;
            }
        }
    }

    /// The groups that leaves and spines make where a site declares each switch one of the two: what their cables join.
    fn as_declared(&self, plane: &[u32]) -> Option<Draft> {
        let is = |s: u32, role: Declared| self.declared[s as usize] == Some(role);
        if !plane.iter().all(|&s| is(s, Declared::Leaf) || is(s, Declared::Spine)) {
            return None;
        }
        let mut sets = Sets::new(self.hosts.len());
        for &leaf in plane.iter().filter(|&&s| is(s, Declared::Leaf)) {
            self.next(leaf).filter(|&(t, _)| is(t, Declared::Spine)).for_each(|(t, _)| sets.join(leaf, t));
        }
        let none = || vec![NONE; self.hosts.len()];
        let members = sets.members(plane);
        let mut draft = Draft { groups: members.len(), leaf_of: none(), spine_of: none() };
        for (group, set) in (0..).zip(members) {
            for s in set {
                let of = if is(s, Declared::Leaf) { &mut draft.leaf_of } else { &mut draft.spine_of };
                of[s as usize] = group;
            }
        }
        Some(draft)
    }

    /// A set with the switches that more than half of it are cabled to, if most of its cables lead to these.
    fn side(&self, lowers: Vec<u32>) -> Option<Side> {
        let mut far: Vec<u32> = lowers.iter().flat_map(|&s| self.next(s).map(|(t, _)| t)).collect();
        far.sort_unstable();
        let uppers: Vec<u32> = far
            .chunk_by(|a, b| a == b)
            .filter(|run| 2 * run.len() > lowers.len())
            .map(|run| run[0])
            .collect();
        let apart = lowers.iter().all(|s| uppers.binary_search(s).is_err());
        let (inside, all) = self.cables_into(&lowers, &uppers);
        (!uppers.is_empty() && apart && 4 * inside >= 3 * all).then_some(Side { lowers, uppers })
    }

    /// How many cables of some switches lead to others of a set in ascending order, and how many there are.
    fn cables_into(&self, from: &[u32], set: &[u32]) -> (u64, u64) {
        let (mut inside, mut all) = (0, 0);
        for (t, n) in from.iter().flat_map(|&s| self.next(s)) {
            all += u64::from(n);
            inside += if set.binary_search(&t).is_ok() { u64::from(n) } else { 0 };
        }
        (inside, all)
    }

    /// The sides that are leaves: not declared spines, and of two that are cabled to each other the one with the smaller share
    /// of cables to others. Where the shares are equal neither is, as in a tree of two levels.
    fn leaf_sides(&self, sides: Vec<Side>) -> Vec<Side> {
        let mut side_of = vec![NONE; self.hosts.len()];
        for (number, side) in (0..).zip(&sides) {
            side.lowers.iter().for_each(|&s| side_of[s as usize] = number);
        }
        let opposite: Vec<Vec<u32>> = sides.iter().map(|side| opposite(side, &sides, &side_of)).collect();
        let shares: Vec<(u64, u64)> = sides
            .iter()
            .zip(&opposite)
            .map(|(side, opposite)| {
                // What belongs to no set counts as of the others: a spine that damage has made unlike its twins.
                let mut all: Vec<u32> =
                    side.uppers.iter().copied().filter(|&s| side_of[s as usize] == NONE).collect();
                all.extend(opposite.iter().flat_map(|&other| &sides[other as usize].lowers));
                all.sort_unstable();
                self.cables_into(&side.lowers, &all)
            })
            .collect();
        let loses = |number: usize| {
            let (mine, all) = shares[number];
            opposite[number].iter().any(|&other| {
                let (theirs, of_theirs) = shares[other as usize];
                mine * of_theirs <= theirs * all
            })
        };
        let role = |s: &u32| self.declared[*s as usize];
        let is_spine = |side: &Side| side.lowers.iter().any(|s| role(s) == Some(Declared::Spine));
        let keep: Vec<bool> = (0..sides.len()).map(|n| !is_spine(&sides[n]) && !loses(n)).collect();
        sides.into_iter().zip(keep).filter_map(|(side, keep)| keep.then_some(side)).collect()
    }

    /// Decides on the switches that no set holds, and on those that two hold.
    fn settle(&self, plane: &[u32], draft: &mut Draft) {
        let (leaf_of, spine_of) = (draft.leaf_of.clone(), draft.spine_of.clone());
        let most = |s: u32, of: &[u32]| -> (u32, u32) {
            let mut votes: Vec<(u32, u32)> = self.next(s).map(|(t, n)| (of[t as usize], n)).collect();
            votes.retain(|&(group, _)| group != NONE);
            votes.sort_unstable();
            let count = |run: &[(u32, u32)]| (run.iter().map(|v| v.1).sum::<u32>(), run[0].0);
            votes.chunk_by(|a, b| a.0 == b.0).map(count).max().unwrap_or((0, NONE))
        };
        for &s in plane {
            let (at_leaf, at_spine) = (leaf_of[s as usize], spine_of[s as usize]);
            let declared = self.declared[s as usize];
            let is_settled = (at_leaf != NONE) != (at_spine != NONE);
            if is_settled && !matches!(declared, Some(Declared::Leaf | Declared::Spine)) {
                continue;
            }
            let (to_leaves, below) = most(s, &leaf_of);
            let (to_spines, above) = most(s, &spine_of);
            let all: u32 = self.next(s).map(|(_, n)| n).sum();
            // What is on one leaf alone hangs there; a spine has several leaves below, or global cables too.
            let leaves = self.next(s).filter(|&(t, _)| leaf_of[t as usize] == below && below != NONE).count();
            let is_spine = match declared {
                Some(Declared::Leaf) => false,
                Some(Declared::Spine) => below != NONE,
                _ => leaves > 1 || leaves == 1 && to_spines > 0,
            };
            let is_leaf =
                declared == Some(Declared::Leaf) && above != NONE || 2 * to_spines >= all && all > 0;
            (draft.leaf_of[s as usize], draft.spine_of[s as usize]) = match (is_spine, is_leaf) {
                (true, _) if to_leaves > 0 => (NONE, below),
                (false, true) => (above, NONE),
                _ => (NONE, NONE),
            };
        }
    }

    /// Whether the groups are those of a Dragonfly+. See the module's documentation.
    fn has_shape_of_groups(&self, plane: &[u32], draft: &Draft) -> bool {
        // Joined groups need a cable each two.
        let degrees: usize = plane.iter().map(|&s| self.degree(s)).sum();
        if draft.groups < 2 || draft.groups * draft.groups > 4 * degrees {
            return false;
        }
        let mut quotient = Quotient::new(draft.groups);
        let (mut cables, mut odd, mut pairs, mut global_pairs) = (0_usize, 0_usize, 0_usize, 0_usize);
        let mut leaves = vec![0_usize; draft.groups];
        let mut spines = leaves.clone();
        let (mut with_global, mut outside) = (0, 0);
        let (mut on_leaves, mut on_others) = (vec![0_u64; draft.groups], 0);
        for &s in plane {
            let hosts = u64::from(self.hosts[s as usize]);
            let (leaf, spine) = (draft.leaf_of[s as usize], draft.spine_of[s as usize]);
            if leaf == NONE {
                on_others += hosts;
                outside += usize::from(spine == NONE);
            } else {
                leaves[leaf as usize] += 1;
                on_leaves[leaf as usize] += hosts;
            }
            let mut has_global = false;
            for (t, n) in self.next(s) {
                let count = if s < t { n } else { 0 };
                cables += count as usize;
                let far_spine = draft.spine_of[t as usize];
                if leaf != NONE && far_spine == leaf {
                    pairs += 1;
                } else if spine != NONE && far_spine != NONE && far_spine != spine {
                    has_global = true;
                    global_pairs += 1;
                    quotient.add(spine, far_spine, count);
                } else if spine == NONE || draft.leaf_of[t as usize] != spine {
                    odd += count as usize;
                }
            }
            if spine != NONE {
                spines[spine as usize] += 1;
                with_global += usize::from(has_global);
            }
        }
        let all_spines: usize = spines.iter().sum();
        let whole: usize = leaves.iter().zip(&spines).map(|(l, s)| l * s).sum();
        let below: u64 = on_leaves.iter().sum();
        // Two groups in which every spine is cabled to every spine of the other are a tree of four levels as well; with as many
        // hosts on spines as on leaves, or leaves without any, they may be a cube that lacks cables.
        let is_declared = plane.iter().any(|&s| self.declared[s as usize].is_some());
        let has_hosts = |&s: &u32| draft.leaf_of[s as usize] == NONE || self.hosts[s as usize] > 0;
        let is_balanced = draft.groups > 2 || {
            let (few, many) = (leaves.iter().min(), leaves.iter().max());
            spines[0] == spines[1]
                && few.map(|n| 2 * n) >= many.copied()
                && on_leaves.iter().all(|&n| n > 0)
                && below > on_others
                && global_pairs <= spines[0] * spines[1]
                && (is_declared || plane.iter().all(has_hosts) || !is_grid(&self.bundles, plane))
        };
        leaves.iter().chain(&spines).all(|&n| n > 0)
            && ODD * outside <= plane.len()
            && ODD * odd <= cables
            && 3 * pairs >= 2 * whole
            && 3 * with_global >= 2 * all_spines
            && below >= on_others
            && is_balanced
            && quotient.is_nearly_complete()
    }
}

impl Draft {
    fn has_both(&self, s: u32) -> bool {
        self.leaf_of[s as usize] != NONE && self.spine_of[s as usize] != NONE
    }

    fn into_groups(self, plane: &[u32]) -> Groups {
        let mut groups = vec![SwitchGroup::default(); self.groups];
        let mut outside = Vec::new();
        for &s in plane {
            match (self.leaf_of[s as usize], self.spine_of[s as usize]) {
                (NONE, NONE) => outside.push(NodeId(s)),
                (NONE, group) => groups[group as usize].spines.push(NodeId(s)),
                (group, _) => groups[group as usize].leaves.push(NodeId(s)),
            }
        }
        Groups { kind: GroupKind::DragonflyPlus, groups, outside }.in_order()
    }
}

/// The numbers of the sides that a side is cabled to, and they to it: half of the switches of either are above the other.
fn opposite(side: &Side, sides: &[Side], side_of: &[u32]) -> Vec<u32> {
    let is_below = |one: &Side, of: &Side| {
        let below = one.lowers.iter().filter(|s| of.uppers.binary_search(s).is_ok()).count();
        2 * below >= one.lowers.len()
    };
    let mut above: Vec<u32> =
        side.uppers.iter().map(|&s| side_of[s as usize]).filter(|&other| other != NONE).collect();
    above.sort_unstable();
    above.dedup();
    above.retain(|&other| {
        let other = &sides[other as usize];
        is_below(side, other) && is_below(other, side)
    });
    above
}

/// Makes one of the sides that have two thirds of the smaller one's uppers in common: leaves of two kinds on the same spines.
fn merge(sides: &[Side]) -> Vec<Side> {
    let mut sets = Sets::new(sides.len());
    let mut by_upper: Vec<(u32, u32)> =
        (0..).zip(sides).flat_map(|(number, side)| side.uppers.iter().map(move |&s| (s, number))).collect();
    by_upper.sort_unstable();
    let mut pairs: Vec<(u32, u32)> = Vec::new();
    for run in by_upper.chunk_by(|a, b| a.0 == b.0) {
        pairs.extend(run.iter().enumerate().flat_map(|(i, a)| run[..i].iter().map(move |b| (b.1, a.1))));
    }
    pairs.sort_unstable();
    for run in pairs.chunk_by(|a, b| a == b) {
        let (a, b) = run[0];
        let fewer = sides[a as usize].uppers.len().min(sides[b as usize].uppers.len());
        if 3 * run.len() >= 2 * fewer {
            sets.join(a, b);
        }
    }
    let numbers: Vec<u32> = (0..sides.len() as u32).collect();
    let members = sets.members(&numbers);
    let of = |set: &[u32], part: fn(&Side) -> &[u32]| {
        let mut all: Vec<u32> = set.iter().flat_map(|&n| part(&sides[n as usize])).copied().collect();
        all.sort_unstable();
        all.dedup();
        all
    };
    members
        .iter()
        .map(|set| Side { lowers: of(set, |s| &s.lowers), uppers: of(set, |s| &s.uppers) })
        .collect()
}
