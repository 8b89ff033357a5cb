//! The two walks that assign the paths to one destination: up the tree over the least used cables, and from each
//! switch on the way down to all below it. Each sets, at the switch that it comes to, the port back.
//!
//! Counters of all destinations so far decide which cable is least used, so that the walks are OpenSM's step by step.
//!
//! | here              | meaning                                                             |
//! |-------------------|---------------------------------------------------------------------|
//! | [`Walks::down`]   | sets the ports that lead up to the destination                      |
//! | [`Walks::up`]     | sets the ports that lead down to it, and walks down on each switch  |
//! | `s`, `from`       | the switch at hand, and the one before, which is not gone back to   |
//! | `hops`            | hops of `s` from the destination                                    |
//! | `main`            | whether the walk is on the one path up that is counted              |
//! | `credit`          | how often the walk may go up after it went down                     |
//! | `port`, `hop`     | by switch: the port towards the destination so far, and the hops    |
//!
//! Both return whether a port that they set serves an adapter.

use super::port_groups::{CA, DOWN, DirectionGroups, UP};
use super::pruning::{NO_CLASS, PlainLink, Pruning};
use super::tree::RankedTree;
use crate::sm::NO_ENTRY;

/// No switch: the walk begins here.
const NO_SWITCH: u32 = u32::MAX;

/// Hops of a switch without a path to the destination.
const UNREACHED: u8 = u8::MAX;

/// Paths of more hops than this are not followed: OpenSM counts hops in a byte.
const LONGEST: u8 = 253;

/// Which groups a walk down goes over.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Groups {
    Down,
    Sibling,
}

/// A port towards a destination, set at a switch, and the hops from there.
#[derive(Clone, Copy, Debug)]
pub(super) struct NextHop {
    pub switch: u32,
    pub port: u8,
    pub hops: u8,
}

/// The counters of all destinations so far, and the paths to the destination at hand.
pub(super) struct Walks<'a> {
    tree: &'a RankedTree,
    pruning: &'a Pruning,
    /// By class of the pruning: the hops at which its switches were gone down from.
    settled: Vec<u8>,
    up: DirectionGroups,
    down: DirectionGroups,
    sibling: DirectionGroups,
    /// By switch: whether a group down was counted since these were last sorted.
    dirty: Vec<bool>,
    /// The same for groups up.
    dirty_up: Vec<bool>,
    /// By root: where its next turn begins. Turns and walks down from it that serve an adapter count it on.
    next_turn: Vec<usize>,
    /// By switch: the port to the destination.
    pub port: Vec<u8>,
    /// By switch: hops to the destination.
    pub hop: Vec<u8>,
    /// All that was set for the destination, though replaced later; none where that is not recorded.
    pub record: Option<Vec<NextHop>>,
    /// Whether the destination stands for a compute node that a leaf lacks.
    is_dummy: bool,
}

impl<'a> Walks<'a> {
    /// Before the first destination.
    pub fn new(tree: &'a RankedTree, pruning: &'a Pruning) -> Self {
        let count = tree.rank.len();
        Self {
            tree,
            pruning,
            settled: vec![UNREACHED; pruning.num_classes()],
            up: tree.up.clone(),
            down: tree.down.clone(),
            sibling: tree.sibling.clone(),
            dirty: vec![false; count],
            dirty_up: vec![true; count],
            next_turn: vec![0; count],
            port: vec![NO_ENTRY; count],
            hop: vec![UNREACHED; count],
            record: None,
            is_dummy: false,
        }
    }

    fn begin(&mut self) {
        self.port.fill(NO_ENTRY);
        self.hop.fill(UNREACHED);
        self.settled.fill(UNREACHED);
        if let Some(record) = &mut self.record {
            record.clear();
        }
    }

    /// Routes to an adapter on a port of a switch.
    pub fn route_to_ca(&mut self, switch: u32, port: u8, credit: u8) {
        self.begin();
        self.set(switch, port, 1);
        self.up(switch, NO_SWITCH, true, credit, 1);
    }

    /// Counts as if one more compute node hung on a switch.
    pub fn count_dummy(&mut self, switch: u32) {
        self.is_dummy = true;
        self.route_to_ca(switch, NO_ENTRY, 0);
        self.is_dummy = false;
    }

    /// Routes to a switch.
    pub fn route_to_switch(&mut self, switch: u32) {
        self.begin();
        self.set(switch, 0, 0);
        self.up(switch, NO_SWITCH, false, 0, 0);
    }

    #[inline]
    fn set(&mut self, v: u32, port: u8, hops: u8) {
        self.port[v as usize] = port;
        self.hop[v as usize] = hops;
        if let Some(record) = &mut self.record {
            record.push(NextHop { switch: v, port, hops });
        }
    }

    /// Whether a walk up sets `v`: it has no path to the destination, or one longer than `hops`.
    #[inline]
    fn is_longer(&self, v: u32, hops: u8) -> bool {
        self.port[v as usize] == NO_ENTRY || hops < self.hop[v as usize]
    }

    /// Sets the ports up to the destination on the switches below `s`.
    fn down(&mut self, s: u32, from: u32, hops: u8) -> bool {
        let (tree, pruning) = (self.tree, self.pruning);
        let mut serves = tree.has_cas(s);
        let class = pruning.class(s);
        if self.settled[class] <= hops || hops >= LONGEST || tree.down.range(s).is_empty() {
            return serves;
        }
        if let Some(links) = pruning.plain_links(s) {
            serves |= self.down_plain(links, from, hops + 1);
        } else {
            if pruning.order_matters(s) && std::mem::take(&mut self.dirty[s as usize]) {
                self.down.sort_by_count(tree.down.range(s), UP, &tree.tuple);
            }
            for ix in tree.down.range(s) {
                serves |= self.down_over(Groups::Down, ix, s, from, hops + 1);
            }
        }
        let siblings = tree.sibling.range(s);
        if !siblings.is_empty() {
            self.sibling.sort_by_count(siblings.clone(), UP, &tree.tuple);
            if !self.is_dummy {
                for ix in siblings {
                    serves |= self.down_over(Groups::Sibling, ix, s, from, hops + 1);
                }
            }
        } else if class != NO_CLASS && (from == NO_SWITCH || self.hop[from as usize] <= hops + 1) {
            self.settled[class] = hops;
        }
        self.next_turn[s as usize] += usize::from(serves);
        serves
    }

    /// One group of a walk down; `next` are the hops of its neighbour.
    fn down_over(&mut self, of: Groups, ix: usize, s: u32, from: u32, next: u8) -> bool {
        let groups = if of == Groups::Down { &self.down } else { &self.sibling };
        let group = groups.at(ix);
        let v = group.neighbour;
        if v == from || v == CA || self.hop[v as usize] <= next {
            return false;
        }
        let (cable, port) = groups.least_used(group, UP);
        self.set(v, port, next);
        let serves = self.down_unless_settled(v, self.pruning.class(v), next);
        if serves {
            let groups = if of == Groups::Down { &mut self.down } else { &mut self.sibling };
            groups.count_group(ix, UP);
            groups.count_cable(group, cable, UP);
            self.dirty[s as usize] = true;
        }
        serves
    }

    /// The walk down from a switch whose groups need not be sorted nor counted.
    fn down_plain(&mut self, links: &[PlainLink], from: u32, next: u8) -> bool {
        let mut serves = false;
        for link in links {
            let v = link.neighbour;
            if v == from || self.hop[v as usize] <= next {
                continue;
            }
            self.set(v, link.port, next);
            serves |= self.down_unless_settled(v, link.class as usize, next);
        }
        serves
    }

    /// The walk down from a switch of a class where it may have something left to set: of most it has not.
    #[inline]
    fn down_unless_settled(&mut self, s: u32, class: usize, hops: u8) -> bool {
        if self.settled[class] <= hops { self.tree.has_cas(s) } else { self.down(s, NO_SWITCH, hops) }
    }

    /// Sets the ports down to the destination on the switches above `s`, and walks down from each.
    fn up(&mut self, s: u32, from: u32, main: bool, credit: u8, hops: u8) -> bool {
        let tree = self.tree;
        let mut serves = self.down(s, from, hops);
        if hops >= LONGEST {
            return serves;
        }
        if tree.rank[s as usize] == 0 {
            return serves | (credit > 0 && self.turn_at_root(s, main, credit, hops));
        }
        let next = hops + 1;
        let groups = tree.up.range(s);
        if std::mem::take(&mut self.dirty_up[s as usize]) {
            self.up.sort_by_count(groups.clone(), DOWN, &tree.tuple);
        }
        let best = self.up.at(groups.start);
        if main {
            let v = best.neighbour;
            let (cable, port) = self.up.least_used(best, DOWN);
            self.up.count_group(groups.start, DOWN);
            self.up.count_cable(best, cable, DOWN);
            self.dirty_up[s as usize] = true;
            if self.is_longer(v, next) {
                self.set(v, port, next);
            }
            serves |= self.up(v, s, true, credit, next);
        }
        for ix in groups.skip(usize::from(main)) {
            let group = self.up.at(ix);
            let v = group.neighbour;
            if self.is_longer(v, next) {
                let (_, port) = self.up.least_used(group, DOWN);
                self.set(v, port, next);
                // Most walks end at a root below which nothing is left to set.
                let ends = tree.rank[v as usize] == 0 && self.settled[self.pruning.class(v)] <= next;
                serves |=
                    if ends && credit == 0 { tree.has_cas(v) } else { self.up(v, s, false, credit, next) };
            }
        }
        if !tree.sibling.range(s).is_empty() {
            serves |= self.up_sideways(s, best.neighbour, credit, hops);
        }
        if credit > 0 && !tree.is_leaf(s) {
            for ix in tree.down.range(s) {
                let v = self.down.at(ix).neighbour;
                if v != CA {
                    serves |= self.up(v, s, true, credit - 1, next);
                }
            }
        }
        serves
    }

    /// The walk up over to switches of the same rank. What serves an adapter is counted for the group up to
    /// `above`, too.
    fn up_sideways(&mut self, s: u32, above: u32, credit: u8, hops: u8) -> bool {
        let groups = self.tree.sibling.range(s);
        self.sibling.sort_by_count(groups.clone(), DOWN, &self.tree.tuple);
        let mut serves = false;
        for ix in groups {
            let group = self.sibling.at(ix);
            let v = group.neighbour;
            if !self.is_longer(v, hops + 1) {
                continue;
            }
            let (cable, port) = self.sibling.least_used(group, DOWN);
            self.set(v, port, hops + 1);
            if self.up(v, s, false, credit, hops + 1) {
                serves = true;
                // A walk may come back to a dummy's switch, and sort its groups.
                if let Some(ix) = self.up.position(s, above) {
                    self.up.count_group(ix, DOWN);
                    self.dirty_up[s as usize] = true;
                }
                self.sibling.count_cable(group, cable, DOWN);
            }
        }
        serves
    }

    /// Turns at a root: the walk up starts over from each switch below it, the next one first each time.
    fn turn_at_root(&mut self, s: u32, main: bool, credit: u8, hops: u8) -> bool {
        let groups = self.tree.down.range(s);
        let begin = self.next_turn[s as usize] + 1;
        self.next_turn[s as usize] = begin;
        let mut serves = false;
        for step in 0..groups.len() {
            // The walk may come back here, and sort the groups.
            let v = self.down.at(groups.start + (begin + step) % groups.len()).neighbour;
            if v != CA {
                serves |= self.up(v, s, main, credit - 1, hops + 1);
            }
        }
        serves
    }
}
