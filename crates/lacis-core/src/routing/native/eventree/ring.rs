//! Slots for whole trees whose numbers do not close: where those of the last hosts and of the first meet, whatever is left out.
//!
//! In a shift the hosts below a switch send to as many hosts in sequence, and after the last host follows the first: hosts stand in a
//! ring. No two flows share a link if on each level, of as many hosts in sequence as are below a switch, no more have the same
//! parents on the way up, level by level, than there are cables to each (`docs/explanation/eventree.md` has the proof). Here each level
//! closes its own ring: host `i` of `N` has the position `v = ⌊i · T / N⌋` of `T`, the least multiple of the parents `u` that has room;
//! its parent is `v mod u`, and it is number `⌊v / u⌋` of the `T / u` on the next level. So what is left out on each level is
//! spread evenly, and `x` hosts in sequence are on `⌈(x - 1) · T / N⌉ + 1` positions in sequence, of which every `u`-th has the same
//! parent. Where that is too many for the cables, a longer ring on the next level, or fewer parents, are tried.
//!
//! Of several cables to a parent hosts take one each in turn. Each switch begins with the host after its own, so that it need not
//! close that ring; on the way down cables only lead to the hosts below, which are in sequence.

use super::padding::TreeStage;

/// Parents and rings are tried as long as they are no more.
const TRIES: usize = 100_000;

/// By level, then host in sequence: the slot of its chain.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Ring {
    /// As the switches see it that come before it in the sequence, and on the way down to it.
    pub slots: Vec<Vec<u32>>,
    /// As the switches see it that come after it.
    pub later: Vec<Vec<u32>>,
}

impl Ring {
    /// For so many hosts, on the same number of each leaf, on a tree of such levels. None where none was found.
    pub fn of(hosts: u32, stages: &[TreeStage]) -> Option<Self> {
        let alike = |stage: &TreeStage| {
            stage.hosts > 0
                && stage.parents > 0
                && stage.slots > 0
                && stage.slots.is_multiple_of(stage.parents)
        };
        if !stages.iter().all(alike) {
            return None;
        }
        let parents: Vec<Vec<u32>> = digits(hosts, &RingSearch::new(hosts, stages).run()?);
        let mut classes = vec![0_u32; hosts as usize];
        let mut ring = Self { slots: Vec::new(), later: Vec::new() };
        for (stage, parents) in stages.iter().zip(&parents) {
            let cables = stage.slots / stage.parents;
            classes = named(&classes, parents);
            let mut seen = vec![0; hosts as usize];
            let nth: Vec<u32> = classes
                .iter()
                .map(|&class| {
                    let nth = seen[class as usize];
                    seen[class as usize] += 1;
                    nth
                })
                .collect();
            let slot = |nth: u32, parent: u32| parent + stage.parents * (nth % cables);
            ring.slots.push(nth.iter().zip(parents).map(|(&nth, &parent)| slot(nth, parent)).collect());
            let later = nth.iter().zip(&classes).map(|(&nth, &class)| nth + seen[class as usize]);
            ring.later.push(later.zip(parents).map(|(nth, &parent)| slot(nth, parent)).collect());
        }
        Some(ring)
    }
}

/// By level: the parents that are used, and the length of the ring on the next.
type Rings = Vec<(u64, u64)>;

/// The search for rings with which no cables up of a subtree get more of as many hosts in sequence as are below it than they must.
struct RingSearch<'a> {
    stages: &'a [TreeStage],
    hosts: u64,
    /// By level: how many of these hosts may have the same parents.
    room: Vec<u64>,
    /// By level: the parents that are used.
    used: Vec<u64>,
    rings: Rings,
    /// Rings that may still be tried.
    tries: usize,
}

impl<'a> RingSearch<'a> {
    fn new(hosts: u32, stages: &'a [TreeStage]) -> Self {
        let mut below = 1_u64;
        let room = |stage: &TreeStage| {
            let share = u64::from(stage.hosts).div_ceil(below.saturating_mul(stage.slots.into()));
            below = below.saturating_mul(stage.parents.into());
            share * u64::from(stage.slots / stage.parents)
        };
        let room = stages.iter().map(room).collect();
        let used = stages.iter().map(|stage| stage.parents.into()).collect();
        Self { stages, hosts: hosts.into(), room, used, rings: Vec::new(), tries: TRIES }
    }

    fn run(mut self) -> Option<Rings> {
        while !self.close() {
            // All parents first, then fewer, from the highest level down.
            let level = (0..self.used.len()).rev().find(|&level| self.used[level] > 1);
            let level = level.filter(|_| self.tries > 0)?;
            self.used[level] -= 1;
            for (used, stage) in self.used.iter_mut().zip(self.stages).skip(level + 1) {
                *used = stage.parents.into();
            }
        }
        Some(self.rings)
    }

    /// Closes the rings from a level on; whether it could.
    fn close(&mut self) -> bool {
        let level = self.rings.len();
        if level == self.stages.len() {
            return true;
        }
        let shortest = self.rings.last().map_or(self.hosts, |&(_, next)| next).div_ceil(self.used[level]);
        // With room for whole rounds of the levels above these leave nothing out.
        let most = TRIES as u64;
        let rounds = self.used[level + 1..].iter().fold(1, |rounds, &used| most.min(rounds * used));
        for next in shortest..=shortest.next_multiple_of(rounds) {
            self.tries = self.tries.saturating_sub(1);
            if self.tries == 0 {
                break;
            }
            self.rings.push((self.used[level], next));
            let alike = most_alike(self.hosts, &self.rings, self.stages[level].hosts.into());
            if alike <= self.room[level] && self.close() {
                return true;
            }
            self.rings.pop();
        }
        false
    }
}

/// Of so many hosts in sequence, how many have the same parents at most.
fn most_alike(hosts: u64, rings: &Rings, window: u64) -> u64 {
    let mut length = hosts;
    rings.iter().fold(window, |window, &(parents, next)| {
        let positions = ((window - 1) * parents * next).div_ceil(length) + 1;
        length = next;
        positions.div_ceil(parents)
    })
}

/// By level, then host: its parent.
fn digits(hosts: u32, rings: &Rings) -> Vec<Vec<u32>> {
    let mut at: Vec<u64> = (0..hosts.into()).collect();
    let mut length = u64::from(hosts);
    let mut of_level = |&(parents, next): &(u64, u64)| {
        let positions: Vec<u64> = at.iter().map(|&i| i * parents * next / length).collect();
        at = positions.iter().map(|position| position / parents).collect();
        length = next;
        positions.into_iter().map(|position| (position % parents) as u32).collect()
    };
    rings.iter().map(&mut of_level).collect()
}

/// Numbers for pairs of a class and a parent, in order of their first host.
fn named(classes: &[u32], parents: &[u32]) -> Vec<u32> {
    let mut names = rustc_hash::FxHashMap::default();
    classes
        .iter()
        .zip(parents)
        .map(|pair| {
            let next = names.len() as u32;
            *names.entry(pair).or_insert(next)
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn stage(parents: u32, slots: u32, hosts: u32) -> TreeStage {
        TreeStage { parents, slots, hosts }
    }

    #[test]
    fn one_parent_and_three_cables_for_two_hosts_need_no_more_than_turns() {
        // Ten hosts, two on each leaf. A leaf sees the hosts after its own first: 0 to 9 have the cables 0, 1, 2, 0 …, and once more
        // from 10 on.
        let ring = Ring::of(10, &[stage(1, 3, 2)]).unwrap();
        assert_eq!(ring.slots, [[0, 1, 2, 0, 1, 2, 0, 1, 2, 0]]);
        assert_eq!(ring.later, [[1, 2, 0, 1, 2, 0, 1, 2, 0, 1]]);
    }

    #[test]
    fn what_a_ring_lacks_is_left_out_evenly() {
        // Nine hosts on twelve positions: 0 1 2 4 5 6 8 9 10, so that a leaf's three are on different spines, and those after the last, too.
        let ring = Ring::of(9, &[stage(4, 4, 3)]).unwrap();
        assert_eq!(ring.slots, [[0, 1, 2, 0, 1, 2, 0, 1, 2]]);
        assert_eq!(ring.later, ring.slots);
    }

    #[test]
    fn where_cables_are_fewer_than_hosts_none_gets_more_than_it_must() {
        // Nine hosts on ten positions of two spines, three on each leaf: five and four, and of any three in sequence two at most.
        let ring = Ring::of(9, &[stage(2, 2, 3)]).unwrap();
        assert_eq!(ring.slots, [[0, 1, 0, 1, 0, 1, 0, 1, 0]]);
    }

    #[test]
    fn longer_rings_close_where_the_shortest_leave_too_many_hosts_alike() {
        // Six leaves of a host on two spines each, two pods of three leaves on four cores: of three hosts in sequence no two may have
        // one. In rings of six, three and two positions the first and the third would; on eight positions 0 1 2 4 5 6 none.
        let ring = Ring::of(6, &[stage(2, 2, 1), stage(2, 2, 3)]).unwrap();
        assert_eq!(ring.slots, [[0, 1, 0, 0, 1, 0], [0, 0, 1, 0, 0, 1]]);
    }

    #[test]
    fn a_ring_may_be_a_little_longer_than_the_shortest_and_shorter_than_whole_rounds() {
        // Of 80 hosts 20 in sequence may have each of three parents seven times, 40 each of these and of five above three times. On 27
        // positions 14 of 40 hosts are on too few for that; on 28 they are not.
        let stages = [stage(1, 4, 4), stage(3, 21, 20), stage(5, 15, 40)];
        let rings = RingSearch::new(80, &stages).run().unwrap();
        assert_eq!(rings, [(1, 80), (3, 28), (5, 6)]);
    }

    #[test]
    fn a_tree_without_cables_up_has_no_ring() {
        assert_eq!(Ring::of(12, &[stage(0, 0, 3)]), None);
    }
}
