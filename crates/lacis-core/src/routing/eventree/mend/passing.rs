//! Links that no single change relieves.
//!
//! What is too much on such a link is passed on to another one, which is then as full, from there to a third,
//! and so on, until one has room for it: ejection chains, as in F. Glover, "Ejection chains, reference
//! structures and alternating path methods for traveling salesman problems", Discrete Applied Mathematics
//! 65, 1996. A chain that ends nowhere is taken back. Chains end by their limits, as what is passed on is for a
//! while no less than before.

use super::{Aim, Change, Mend, Room, Spread, TRIES};

/// More than one part in so many beyond what a link should carry is passed on. A chain changes entries that
/// nothing else is wrong with, so it is not made for less.
const NOTABLE: u64 = 25;
/// Changes of a chain.
const CHANGES: usize = 16;
/// Paths that are looked at before a change is not found.
const PICKS: usize = 64;
/// Chains in a row that end nowhere before all is left as it is …
const IN_VAIN: usize = 64;
/// … and chains that are tried at all.
const CHAINS: usize = 4096;

impl<'a> Mend<'a> {
    /// Relieves links at the cost of others, and these in turn, until enough was tried.
    pub(super) fn pass_on_all(&mut self, room: &mut Room) {
        let (mut tried, mut in_vain) = (0, 0);
        loop {
            let full: Vec<usize> =
                self.full_links().into_iter().filter(|&link| self.carries_far_too_much(link)).collect();
            let Some(&fullest) = full.first() else { return };
            let most = self.excess(fullest);
            for link in full {
                if !self.carries_far_too_much(link) {
                    continue;
                }
                if in_vain == IN_VAIN || tried == CHAINS {
                    return;
                }
                tried += 1;
                in_vain = if self.pass_on(link, most, tried, room) { 0 } else { in_vain + 1 };
            }
        }
    }

    fn carries_far_too_much(&self, link: usize) -> bool {
        self.crowds.iter().any(|c| c.loads[link] * NOTABLE > c.limit * (NOTABLE + 1))
    }

    /// Passes on what is too much on a link, from link to link, until one has room for some of it; none is to
    /// carry more than `most` too much on the way. Says whether one has room; otherwise all is as it was.
    fn pass_on(&mut self, link: usize, most: u64, seed: usize, room: &mut Room) -> bool {
        let mut spread = Spread::new(seed);
        let (mut full, before, mut undo) = (link, self.changed, Vec::new());
        for _ in 0..CHANGES {
            let aims = self.aims(full);
            let pick = |_| aims[spread.below(aims.len())];
            let picked: Vec<Aim<'a>> = (0..(TRIES * aims.len()).min(PICKS)).map(pick).collect();
            let found = picked.into_iter().find_map(|aim| self.change(full, aim, 0, &mut spread, room));
            let Some(change) = found else { break };
            let Some(old) = self.next(change.switch, change.aim.lid) else { break };
            self.path(change.switch, change.aim, Some(change.link), &mut room.new);
            self.apply(&change);
            undo.push(Change { link: old as u32, ..change });
            let joined = room.new.iter().map(|&link| (self.excess(link as usize), link));
            let Some((excess, next)) = joined.max() else { break };
            if excess > most {
                break;
            }
            if change.gain > 0 {
                return true;
            }
            if excess == 0 {
                break;
            }
            full = next as usize;
        }
        for change in undo.iter().rev() {
            self.apply(change);
        }
        // No round comes after this that would ask when something changed.
        self.changed = before;
        false
    }
}
