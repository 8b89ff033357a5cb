//! Links that no single change relieves.
//!
//! What is too much on such a link is passed on to another one, which is then too full, from there to a third,
//! and so on, until less is too much than before: ejection chains, as in F. Glover, "Ejection chains, reference
//! structures and alternating path methods for traveling salesman problems", Discrete Applied Mathematics
//! 65, 1996. A chain that does not come to that is taken back.
//!
//! How little the fullest link can carry is not known, only that it is no less than some link must. Half way
//! between that and what it carries is tried first: where chains bring all links to that, the fullest carries
//! less; where they do not, it is assumed that some link must carry more. So it goes on until both are close.

use super::{Aim, Counted, Mend, Room, Spread};

/// An excess of less than one part in so many of what a link should carry is not passed on: a chain changes
/// entries that nothing else is wrong with.
const NOTABLE: u64 = 25;
/// Changes of a chain.
const CHANGES: usize = 64;
/// Paths that are looked at for each.
const PICKS: usize = 16;
/// On the way the sum of squared excess may be greater than before by the square of the fullest link's, in the
/// next chain by twice that, and so on up to this, then by once again.
const LOSSES: usize = 3;
/// Switches on a new way where any hop may be taken, if no others pass.
const FREE: usize = 2;
/// Chains in a row that come to nothing before a goal is given up …
const IN_VAIN: usize = 1024;
/// … and chains that are tried at all.
const CHAINS: usize = 8192;

/// Another way for a target's packets.
struct Detour<'a> {
    aim: Aim<'a>,
    /// Switches and the links that they should send to. The first is where packets leave their way; the
    /// others are on the new one, and no packets pass them yet.
    entries: Vec<(usize, u32)>,
    gain: i128,
}

impl<'a> Mend<'a> {
    /// Lowers what the fullest links carry, until enough was tried.
    pub(super) fn pass_on_all(&mut self, room: &mut Room) {
        while self.crowds.iter().any(|c| !c.is_even()) && !self.is_enough() {
            for counted in &mut self.crowds {
                let most = counted.most();
                counted.limit = if counted.is_even() { most } else { u64::midpoint(counted.least, most) };
            }
            if !self.comes_to_its_limits(room) {
                for counted in self.crowds.iter_mut().filter(|c| c.most() > c.limit) {
                    counted.least = counted.limit + 1;
                }
            }
        }
    }

    /// Passes on what is too much on any link; whether nothing is in the end.
    fn comes_to_its_limits(&mut self, room: &mut Room) -> bool {
        let (mut tried, mut in_vain) = (0, 0);
        loop {
            let full = self.full_links();
            let Some(&fullest) = full.first() else { return true };
            let most = self.excess(fullest);
            for link in full {
                if in_vain == IN_VAIN || tried == CHAINS || self.is_enough() {
                    return false;
                }
                if self.is_full(link) {
                    tried += 1;
                    in_vain = if self.pass_on(link, most, tried, room) { 0 } else { in_vain + 1 };
                }
            }
        }
    }

    /// Passes on what is too much on a link, from link to link, until the sum of squared excess is lower; none
    /// is to carry more than `most` too much on the way. Says whether it is; otherwise all is as it was.
    fn pass_on(&mut self, link: usize, most: u64, seed: usize, room: &mut Room) -> bool {
        let mut spread = Spread::new(seed);
        let before = self.changed;
        let loss = i128::from(most).pow(2) * (1 + (seed % LOSSES) as i128);
        let (mut undo, mut gain) = (Vec::new(), 0);
        // The links that the chain has filled.
        let mut filled: Vec<u32> = Vec::new();
        let mut full = link;
        for _ in 0..CHANGES {
            let found = self.best_detour(full, -gain, loss, &undo, &mut spread, room);
            let Some(Detour { aim, entries, gain: gained }) = found else { break };
            // The new way is laid before packets are led to it.
            for &(switch, link) in entries.iter().rev() {
                undo.extend(self.next(switch, aim.lid).map(|old| (aim, switch, old as u32)));
                if switch == entries[0].0 {
                    self.path(switch, aim, Some(link), &mut room.new);
                    filled.extend(room.new.iter().filter(|&&link| !self.is_full(link as usize)));
                }
                self.apply(aim, switch, link);
            }
            gain += gained;
            let goes_too_far = room.new.iter().any(|&link| self.excess(link as usize) > most);
            if goes_too_far {
                break;
            }
            if gain > 0 {
                return true;
            }
            filled.retain(|&link| self.is_full(link as usize));
            full = if filled.is_empty() { link } else { filled[spread.below(filled.len())] as usize };
        }
        for &(aim, switch, link) in undo.iter().rev() {
            self.apply(aim, switch, link);
        }
        // No round comes after this that would ask when something changed.
        self.changed = before;
        false
    }

    /// The best of some detours around a link; one that gains more than `enough` will do, and one that falls
    /// short of it by more than `loss` will not. What was changed before stays.
    fn best_detour(
        &self,
        full: usize,
        enough: i128,
        loss: i128,
        changed: &[(Aim<'a>, usize, u32)],
        spread: &mut Spread,
        room: &mut Room,
    ) -> Option<Detour<'a>> {
        let aims = self.aims(full);
        let mut best: Option<Detour<'a>> = None;
        for _ in 0..PICKS.min(aims.len()) {
            let aim = aims[spread.below(aims.len())];
            if !self.has_packets(self.from(full), aim.lid) {
                continue;
            }
            self.trace_back(full, aim, spread, room);
            let switch = room.back[spread.below(room.back.len())];
            if changed.iter().any(|&(a, s, _)| (a.lid, s) == (aim.lid, switch)) {
                continue;
            }
            let least = best.as_ref().map_or(enough - loss, |best| best.gain + 1);
            best = self.detour(full, aim, switch, least, room).or(best);
            if best.as_ref().is_some_and(|best| best.gain > enough) {
                break;
            }
        }
        best
    }

    /// The best way for a target's packets from a switch on that avoids a link, if it gains so much.
    fn detour(
        &self,
        full: usize,
        aim: Aim<'a>,
        switch: usize,
        mut least: i128,
        room: &mut Room,
    ) -> Option<Detour<'a>> {
        let mut hops = Vec::new();
        self.plan.hops(switch, aim.home.switch as usize, &mut hops);
        if hops.len() < 2 {
            return None;
        }
        room.packets.clear();
        room.packets.extend(self.crowds.iter().map(|c| self.packets(c, switch, aim)));
        self.path(switch, aim, None, &mut room.old);
        let mut best = None;
        for hop in hops {
            if room.old.first() == Some(&hop) {
                continue;
            }
            room.new.clear();
            room.new.push(hop);
            self.lead(self.to(hop as usize), aim, FREE, &room.packets, &mut room.new);
            let gain = self.total(&room.packets, |c, n| c.gain(&room.old, &room.new, n));
            if gain >= least && !room.new.contains(&(full as u32)) {
                least = gain + 1;
                let entry = |&link: &u32| (self.from(link as usize), link);
                let is_new = |&(s, link): &(usize, u32)| self.next(s, aim.lid) != Some(link as usize);
                let entries = room.new.iter().map(entry).filter(is_new).collect();
                best = Some(Detour { aim, entries, gain });
            }
        }
        best
    }

    /// Adds the way of packets from a switch on to a path, and tells what it costs. Where no others for that
    /// target pass, any hop may be taken, at `free` switches: those of the cheapest way are.
    fn lead(&self, at: usize, aim: Aim<'a>, free: usize, packets: &[u64], path: &mut Vec<u32>) -> i128 {
        let home = aim.home.switch as usize;
        let Some(next) = self.next(at, aim.lid).filter(|_| at != home) else { return 0 };
        let cost = |link: usize| self.total(packets, |c, n| c.cost(link, n));
        let first = path.len();
        path.push(next as u32);
        let mut least = cost(next) + self.lead(self.to(next), aim, free, packets, path);
        if least > 0 && free > 0 && !self.has_packets(at, aim.lid) {
            let (mut hops, mut way) = (Vec::new(), Vec::new());
            self.plan.hops(at, home, &mut hops);
            for hop in hops {
                way.clear();
                way.push(hop);
                let cost =
                    cost(hop as usize) + self.lead(self.to(hop as usize), aim, free - 1, packets, &mut way);
                if cost < least {
                    least = cost;
                    path.truncate(first);
                    path.extend(&way);
                }
            }
        }
        least
    }

    /// The switch that a link leads to.
    fn to(&self, link: usize) -> usize {
        self.plan.graph.peer[link] as usize
    }
}

impl Counted<'_> {
    fn is_even(&self) -> bool {
        is_close(self.most(), self.least)
    }
}

/// Whether the fullest link carries little more than some link must.
pub(super) fn is_close(most: u64, must: u64) -> bool {
    most * NOTABLE <= must * (NOTABLE + 1)
}
