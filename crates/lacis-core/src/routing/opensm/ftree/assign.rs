//! The walk: from a target's switch up and down the tree, setting the way back to it.
//!
//! It follows OpenSM 3.3.23 step by step, counters included, since each target's way depends on
//! those before it.
//!
//! | here       | meaning                                                                   |
//! |------------|---------------------------------------------------------------------------|
//! | `hops`     | hops of the switch at hand from the target                                |
//! | `main`     | whether this is the one way up that is counted                            |
//! | `credit`   | how often the way may still turn up again after it went down              |
//! | `way[v]`   | of switch `v` to the target: hops in the high byte, port in the low one   |
//! | `settled`  | by class of equal neighbours below: all of them are within one hop more   |

use super::port_groups::{ADAPTER, Bundles};
use super::pruning::{BOTTOM, Branch, Care, NO_CLASS, NOBODY, Plan, Switch};
use super::tree::Tree;
use crate::sm::NO_ENTRY;

/// No way yet: as many hops as a byte holds, and [`NO_ENTRY`].
const NO_WAY: u16 = 0xff00 | NO_ENTRY as u16;

/// A switch's way to the target: hops in the high byte, port in the low one.
#[derive(Clone, Copy)]
pub(super) struct Way(u16);

impl Way {
    /// The port, [`NO_ENTRY`] where there is no way.
    pub(super) fn port(self) -> u8 {
        self.0 as u8
    }

    /// The hops, 255 where there is no way.
    pub(super) fn hops(self) -> u8 {
        (self.0 >> 8) as u8
    }
}

/// For classes: not settled.
const FAR: u8 = 255;

/// Ways of more hops than this are not followed: OpenSM counts hops in a byte.
const LONGEST: u8 = 253;

/// Counters of all bundles, and the table row of the target at hand; where `RECORD` is set, also all that
/// led to it.
pub(super) struct Walk<const RECORD: bool> {
    switches: Vec<Switch>,
    branches: Vec<Branch>,
    literal: bool,
    up: Bundles,
    down: Bundles,
    /// Cables on one level, as used by targets that come down over them …
    level_by_down: Bundles,
    /// … and as used by targets that come up over them.
    level_by_up: Bundles,
    /// By switch: whether a bundle downwards was counted since they were last sorted.
    dirty: Vec<bool>,
    /// The same upwards.
    dirty_up: Vec<bool>,
    /// By root: where its next turn upwards begins.
    turn: Vec<u32>,
    way: Vec<u16>,
    /// The ways set for the target at hand, replaced ones too, in order, each with its switch.
    record: Vec<(u32, Way)>,
    settled: Vec<u8>,
    /// Whether the target is a stand-in for a compute node that a leaf lacks.
    dummy: bool,
}

impl<const RECORD: bool> Walk<RECORD> {
    /// Before the first target.
    pub(super) fn new(tree: &Tree, reverse_hops: u8) -> Self {
        let Plan { switches, branches, down, literal, num_classes } = Plan::of(tree, reverse_hops);
        let count = switches.len();
        Self {
            switches,
            branches,
            literal,
            up: tree.up.clone(),
            down,
            level_by_down: tree.level.clone(),
            level_by_up: tree.level.clone(),
            dirty: vec![false; count],
            dirty_up: vec![true; count],
            turn: vec![0; count],
            way: vec![NO_WAY; count],
            record: Vec::new(),
            settled: vec![FAR; num_classes],
            dummy: false,
        }
    }

    fn begin(&mut self) {
        self.way.fill(NO_WAY);
        self.record.clear();
        self.settled.fill(FAR);
        self.settled[BOTTOM as usize] = 0;
    }

    /// Writes the port of every switch towards the last target.
    pub(super) fn write_row(&self, out: &mut [u8]) {
        for (port, &way) in out.iter_mut().zip(&self.way) {
            *port = way as u8;
        }
    }

    /// The ways set for the last target in order, replaced ones too, each with its switch.
    pub(super) fn recorded(&self) -> &[(u32, Way)] {
        &self.record
    }

    /// The way of every switch to the last target.
    pub(super) fn ways(&self) -> Vec<Way> {
        self.way.iter().map(|&way| Way(way)).collect()
    }

    /// Routes an adapter's port on `port` of `switch`.
    pub(super) fn adapter(&mut self, switch: u32, port: u8, credit: u8) {
        self.begin();
        self.set(switch, port, 1);
        self.climb(switch, NOBODY, true, credit, 1);
    }

    /// Counts as if one more compute node hung on `switch`.
    pub(super) fn dummy(&mut self, switch: u32) {
        self.begin();
        self.set(switch, NO_ENTRY, 1);
        self.dummy = true;
        self.climb(switch, NOBODY, true, 0, 1);
        self.dummy = false;
    }

    /// Routes a switch itself.
    pub(super) fn switch(&mut self, switch: u32) {
        self.begin();
        self.set(switch, 0, 0);
        self.climb(switch, NOBODY, false, 0, 0);
    }

    #[inline]
    fn set(&mut self, v: u32, port: u8, hops: u8) {
        let way = u16::from(hops) << 8 | u16::from(port);
        self.way[v as usize] = way;
        if RECORD {
            self.record.push((v, Way(way)));
        }
    }

    /// Hops of `v` from the target, 255 where it has no way to it.
    #[inline]
    fn hop(&self, v: u32) -> u8 {
        (self.way[v as usize] >> 8) as u8
    }

    /// Sets the way up to the target on the switches below `s`, but not over `from`. Tells whether
    /// the way serves anybody.
    fn descend(&mut self, s: u32, from: u32, hops: u8) -> bool {
        let sw = self.switches[s as usize];
        if self.settled[sw.class as usize] <= hops || hops >= LONGEST {
            return sw.has_ends;
        }
        let mut serves = sw.has_ends;
        let next = hops + 1;
        if sw.care == Care::Nothing {
            serves |= self.branch_out(sw.down, from, next);
        } else {
            serves |= self.branch_out_by_use(s, from, next);
        }
        if sw.level.0 != sw.level.1 {
            serves |= self.descend_sideways(s, from, hops);
        } else if sw.class != NO_CLASS && (from == NOBODY || self.hop(from) <= next) {
            self.settled[sw.class as usize] = hops;
        }
        if self.literal && serves {
            self.turn[s as usize] = (self.turn[s as usize] + 1) % (sw.down.1 - sw.down.0);
        }
        serves
    }

    /// The part of [`Walk::descend`] that goes down, where nothing needs counting.
    fn branch_out(&mut self, (start, end): (u32, u32), from: u32, next: u8) -> bool {
        let mut serves = false;
        for ix in start..end {
            let branch = self.branches[ix as usize];
            let v = branch.neighbour;
            if v == from || self.hop(v) <= next {
                continue;
            }
            self.set(v, branch.port, next);
            let settled = self.settled[branch.class as usize] <= next;
            serves |= if settled { branch.has_ends } else { self.descend(v, NOBODY, next) };
        }
        serves
    }

    /// The same where bundles or their cables are taken by use.
    fn branch_out_by_use(&mut self, s: u32, from: u32, next: u8) -> bool {
        let Switch { down: (start, end), care, .. } = self.switches[s as usize];
        if care == Care::OrderAndUse && self.dirty[s as usize] {
            self.down.sort(start, end);
            self.dirty[s as usize] = false;
        }
        let mut serves = false;
        for ix in start..end {
            let bundle = self.down.at(ix);
            let v = bundle.neighbour;
            if v == from || v == ADAPTER || self.hop(v) <= next {
                continue;
            }
            self.set(v, bundle.port, next);
            if self.descend(v, NOBODY, next) {
                serves = true;
                self.down.count_bundle(ix);
                self.down.count_cable(ix, bundle.least);
                self.dirty[s as usize] = true;
            }
        }
        serves
    }

    /// The part of [`Walk::descend`] that goes over to switches of the same rank.
    fn descend_sideways(&mut self, s: u32, from: u32, hops: u8) -> bool {
        let (start, end) = self.switches[s as usize].level;
        self.level_by_down.sort(start, end);
        self.level_by_up.align(&self.level_by_down, start, end);
        let mut serves = false;
        if self.dummy {
            return serves;
        }
        let next = hops + 1;
        for ix in start..end {
            let bundle = self.level_by_down.at(ix);
            let v = bundle.neighbour;
            if v == from || self.hop(v) <= next {
                continue;
            }
            self.set(v, bundle.port, next);
            if self.descend(v, NOBODY, next) {
                serves = true;
                self.level_by_down.count_bundle(ix);
                self.level_by_down.count_cable(ix, bundle.least);
                self.dirty[s as usize] = true;
            }
        }
        serves
    }

    /// Sets the way to the target on the switches above `s`, which lies `hops` away from it, and on
    /// all below those. Tells whether the way serves anybody.
    fn climb(&mut self, s: u32, from: u32, main: bool, credit: u8, hops: u8) -> bool {
        let mut serves = self.descend(s, from, hops);
        let sw = self.switches[s as usize];
        if hops >= LONGEST {
            return serves;
        }
        if sw.rank == 0 {
            return serves | (credit > 0 && self.turn_at_root(s, main, credit, hops));
        }
        let next = hops + 1;
        let (start, end) = sw.up;
        if self.dirty_up[s as usize] {
            self.up.sort(start, end);
            self.dirty_up[s as usize] = false;
        }
        let best = self.up.at(start);
        if main {
            let v = best.neighbour;
            self.up.count_bundle(start);
            self.up.count_cable(start, best.least);
            self.dirty_up[s as usize] = true;
            if self.is_longer(v, next) {
                self.set(v, best.port, next);
            }
            serves |= self.climb(v, s, true, credit, next);
        }
        for ix in start + u32::from(main)..end {
            let bundle = self.up.at(ix);
            let v = bundle.neighbour;
            if self.is_longer(v, next) {
                self.set(v, bundle.port, next);
                let above = &self.switches[v as usize];
                // Most steps end right here, at a root with nothing left to do below.
                if above.rank == 0 && credit == 0 && self.settled[above.class as usize] <= next {
                    serves |= above.has_ends;
                } else {
                    serves |= self.climb(v, s, false, credit, next);
                }
            }
        }
        if sw.level.0 != sw.level.1 {
            serves |= self.climb_sideways(s, best.neighbour, credit, hops);
        }
        if credit > 0 && !sw.is_leaf {
            for ix in sw.down.0..sw.down.1 {
                let v = self.down.at(ix).neighbour;
                if v != ADAPTER {
                    serves |= self.climb(v, s, true, credit - 1, next);
                }
            }
        }
        serves
    }

    /// Whether `v` has no way to the target, or one longer than `hops`.
    #[inline]
    fn is_longer(&self, v: u32, hops: u8) -> bool {
        let way = self.way[v as usize];
        way as u8 == NO_ENTRY || u16::from(hops) < way >> 8
    }

    /// The part of [`Walk::climb`] that goes over to switches of the same rank. What serves somebody
    /// is counted for the way up to `above`, too.
    fn climb_sideways(&mut self, s: u32, above: u32, credit: u8, hops: u8) -> bool {
        let (start, end) = self.switches[s as usize].level;
        self.level_by_up.sort(start, end);
        self.level_by_down.align(&self.level_by_up, start, end);
        let mut serves = false;
        let next = hops + 1;
        for ix in start..end {
            let bundle = self.level_by_up.at(ix);
            let v = bundle.neighbour;
            if !self.is_longer(v, next) {
                continue;
            }
            self.set(v, bundle.port, next);
            if self.climb(v, s, false, credit, next) {
                serves = true;
                // A dummy's switch can be come upon again, which may have moved both bundles.
                if let Some(ix) = self.up.position(s, above) {
                    self.up.count_bundle(ix);
                }
                if let Some(ix) = self.level_by_up.position(s, bundle.neighbour) {
                    self.level_by_up.count_cable(ix, bundle.least);
                }
                self.dirty_up[s as usize] = true;
            }
        }
        serves
    }

    /// Turns at a root: its subtrees are climbed once more, beginning with another one each time.
    fn turn_at_root(&mut self, s: u32, main: bool, credit: u8, hops: u8) -> bool {
        let (start, end) = self.switches[s as usize].down;
        let count = end - start;
        if count == 0 {
            return false;
        }
        let begin = (self.turn[s as usize] + 1) % count;
        self.turn[s as usize] = begin;
        let mut serves = false;
        for step in 0..count {
            // The loop itself may come back here and sort the bundles.
            let v = self.down.at(start + (begin + step) % count).neighbour;
            if v != ADAPTER {
                serves |= self.climb(v, s, main, credit - 1, hops + 1);
            }
        }
        serves
    }
}
