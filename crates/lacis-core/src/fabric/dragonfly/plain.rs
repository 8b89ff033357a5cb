//! Dragonfly: groups of switches that are all cabled to each other.
//!
//! The two ends of a cable in a group of `a` switches have the other `a` - 2 as common neighbours, those of a global cable
//! hardly any. So a cable is local where its ends share at least half of what the best cable of one of them does, and groups are
//! what local cables join. Groups of two switches have no common neighbours, and are not recognised.

use super::quotient::Quotient;
use super::{Cabling, GroupKind, Groups, SwitchGroup};
use crate::fabric::NodeId;
use crate::sets::Sets;

impl Cabling {
    /// The groups of a plane, if it is a dragonfly.
    pub(super) fn plain(&self, plane: &[u32]) -> Option<Groups> {
        let mut sets = Sets::new(self.hosts.len());
        let mut is_next = vec![false; self.hosts.len()];
        for &s in plane {
            self.next(s).for_each(|(t, _)| is_next[t as usize] = true);
            let common = |t: u32| self.next(t).filter(|&(u, _)| is_next[u as usize]).count();
            let shared: Vec<(u32, usize)> = self.next(s).map(|(t, _)| (t, common(t))).collect();
            let best = shared.iter().map(|&(_, n)| n).max().unwrap_or(0);
            shared.iter().filter(|&&(_, n)| n > 0 && 2 * n >= best).for_each(|&(t, _)| sets.join(s, t));
            self.next(s).for_each(|(t, _)| is_next[t as usize] = false);
        }
        let members = sets.members(plane);
        let fits = members.len() > 2 && self.are_groups(plane, &members);
        fits.then(|| {
            let group = |set: Vec<u32>| SwitchGroup {
                leaves: set.into_iter().map(NodeId).collect(),
                spines: Vec::new(),
            };
            let groups = members.into_iter().map(group).collect();
            Groups { kind: GroupKind::Dragonfly, groups, outside: Vec::new() }.in_order()
        })
    }

    /// Whether sets are groups: hardly smaller or larger than most, nearly all pairs in each joined, most switches with global
    /// cables, and nearly each two sets joined.
    fn are_groups(&self, plane: &[u32], members: &[Vec<u32>]) -> bool {
        let mut sizes: Vec<usize> = members.iter().map(Vec::len).collect();
        sizes.sort_unstable();
        let usual = sizes[sizes.len() / 2];
        // Joined groups need a cable each two.
        let degrees: usize = plane.iter().map(|&s| self.degree(s)).sum();
        let is_even = 2 * sizes[0] > usual && sizes[sizes.len() - 1] < 2 * usual;
        if !is_even || members.len() * members.len() > 4 * degrees {
            return false;
        }
        let mut group_of = vec![0; self.hosts.len()];
        for (number, set) in (0..).zip(members) {
            for &s in set {
                group_of[s as usize] = number;
            }
        }
        let mut quotient = Quotient::new(members.len());
        let (mut local, mut with_global) = (0, 0);
        for &s in plane {
            let mut has_global = false;
            for (t, n) in self.next(s) {
                if group_of[s as usize] == group_of[t as usize] {
                    local += 1;
                } else {
                    has_global = true;
                    quotient.add(group_of[s as usize], group_of[t as usize], if s < t { n } else { 0 });
                }
            }
            with_global += usize::from(has_global);
        }
        let whole: usize = sizes.iter().map(|n| n * (n - 1)).sum();
        5 * local >= 4 * whole && 3 * with_global >= 2 * plane.len() && quotient.is_nearly_complete()
    }
}
