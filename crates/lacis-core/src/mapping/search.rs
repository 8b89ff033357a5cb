//! The search on link loads: ranks and hosts change places while the most loaded link gets less.
//!
//! The most loaded link is looked at first, then, with that no worse, the most loaded one between switches. Tried are exchanges of the
//! hosts, and of the ranks, whose messages cross it. An exchange is kept where that link gets less and no other that it
//! touches becomes as loaded: so each step makes the most loaded links fewer or less loaded, and the search ends.

use std::sync::atomic::{AtomicBool, Ordering};

use super::MappingError;
use super::seating::{Exchange, Seating};
use crate::model::load::LinkId;
use crate::traffic::Rng;

/// Ends of demands over a link that are looked at.
const MOST_ENDS: usize = 64;
/// Other ranks that a rank is exchanged with.
const PARTNERS: usize = 256;

/// Up to so many hosts every order of theirs is tried.
pub(super) const FEW: usize = 8;

/// What is left to try, and whether to go on.
pub(super) struct Budget<'s> {
    pub left: u64,
    pub stop: &'s AtomicBool,
}

impl Budget<'_> {
    fn take(&mut self) -> bool {
        let some = self.left > 0;
        self.left = self.left.saturating_sub(1);
        some && !(self.left.is_multiple_of(1024) && self.stop.load(Ordering::Relaxed))
    }

    /// # Errors
    /// When it was stopped.
    pub fn check(&self) -> Result<(), MappingError> {
        if self.stop.load(Ordering::Relaxed) { Err(MappingError::Interrupted) } else { Ok(()) }
    }
}

/// Lowers the most loaded link, first of all, then of those between switches.
pub(super) fn lower(seating: &mut Seating<'_, '_>, used: &[u32], seed: u64, budget: &mut Budget<'_>) {
    let mut rng = Rng::of_pattern(seed, 1);
    for inner_only in [false, true] {
        while let Some((link, most)) = seating.busiest(inner_only) {
            if !step(seating, used, (link, most), inner_only, &mut rng, budget) {
                break;
            }
        }
    }
}

/// One exchange that takes load off a link; whether there was one.
fn step(
    seating: &mut Seating<'_, '_>,
    used: &[u32],
    (link, most): (LinkId, f64),
    inner_only: bool,
    rng: &mut Rng,
    budget: &mut Budget<'_>,
) -> bool {
    let bound = seating.busiest(false).map_or(0.0, |(_, time)| time);
    let crossing = seating.crossing(link);
    let mut ranks: Vec<u32> = crossing.iter().flat_map(|d| [d.from, d.to]).collect();
    let mut seen = rustc_hash::FxHashSet::default();
    ranks.retain(|&rank| seen.insert(rank));
    let mut hosts: Vec<u32> = ranks.iter().map(|&rank| seating.hosts()[rank as usize]).collect();
    seen.clear();
    hosts.retain(|&host| seen.insert(host));
    hosts.truncate(MOST_ENDS);
    ranks.truncate(MOST_ENDS);
    let mut others = used.to_vec();
    rng.shuffle(&mut others);
    let mut attempt = |exchange: Exchange, seating: &mut Seating<'_, '_>| {
        if !seating.may(exchange) || !budget.take() {
            return false;
        }
        let before = seating.bytes();
        seating.make(exchange);
        let (all, inner) = seating.longest_touched();
        let (touched, limit) = if inner_only { (inner, bound) } else { (all, most) };
        let is_less = seating.time(link) < most && touched < most;
        if is_less && (!inner_only || all <= limit) && seating.bytes().0 <= before.0 {
            seating.settle();
            return true;
        }
        seating.undo(exchange, before);
        false
    };
    // Exchanges on one leaf first: they leave bytes by tier as they are.
    for near in [true, false] {
        for &a in &hosts {
            for &b in &others {
                if seating.is_near(a, b) == near && attempt(Exchange::Hosts(a, b), seating) {
                    return true;
                }
            }
        }
    }
    for &u in &ranks {
        for i in 0..PARTNERS.min(seating.hosts().len()) {
            let all = seating.hosts().len();
            let v = if all <= PARTNERS { i as u32 } else { rng.below(all as u32) };
            if attempt(Exchange::Ranks(u, v), seating) {
                return true;
            }
        }
    }
    false
}

/// Tries every order of a few hosts, none of which has a rank bound to it, and as many ranks as the others; keeps the best.
///
/// B. R. Heap, "Permutations by interchanges", The Computer Journal 6(3), 1963: each order is an exchange away from the one before.
pub(super) fn every_order(seating: &mut Seating<'_, '_>, used: &[u32]) {
    let mut best = (seating.cost(), seating.hosts().to_vec());
    let mut count = vec![0; used.len()];
    let mut i = 1;
    while i < used.len() {
        if count[i] < i {
            let j = if i % 2 == 0 { 0 } else { count[i] };
            seating.make(Exchange::Hosts(used[j], used[i]));
            seating.settle();
            let cost = seating.cost();
            if cost < best.0 {
                best = (cost, seating.hosts().to_vec());
            }
            count[i] += 1;
            i = 1;
        } else {
            count[i] = 0;
            i += 1;
        }
    }
    seating.become_like(&best.1);
}

/// Exchanges that bring ranks to the hosts that they are bound to, and part those that have to be apart; each time the one that climbs
/// least.
pub(super) fn keep_bonds(seating: &mut Seating<'_, '_>, pinned: &[(u32, u32)], apart: &[u32]) {
    for &(rank, host) in pinned {
        if seating.hosts()[rank as usize] == host {
            continue;
        }
        let is_bound = |r: u32| pinned.iter().any(|p| p.0 == r && p.1 == host);
        let partners: Vec<u32> = seating.ranks_of(host).iter().copied().filter(|&r| !is_bound(r)).collect();
        exchange_best(seating, rank, &partners);
    }
    let mut sorted = apart.to_vec();
    sorted.sort_unstable();
    sorted.dedup();
    let is_pinned = |r: u32| pinned.iter().any(|p| p.0 == r);
    let is_apart = |r: u32| sorted.binary_search(&r).is_ok();
    let mut used = seating.hosts().to_vec();
    used.sort_unstable();
    used.dedup();
    for &host in &used {
        loop {
            let lone: Vec<u32> = seating.ranks_of(host).iter().copied().filter(|&r| is_apart(r)).collect();
            let Some(&rank) = lone.iter().rev().find(|&&r| !is_pinned(r)).filter(|_| lone.len() > 1) else {
                break;
            };
            let empty = |h: &&u32| !seating.ranks_of(**h).iter().any(|&r| is_apart(r));
            let hosts: Vec<u32> = used.iter().filter(empty).copied().collect();
            let of = hosts.iter().flat_map(|&h| seating.ranks_of(h).iter().copied());
            let partners: Vec<u32> = of.filter(|&r| !is_pinned(r)).collect();
            if partners.is_empty() {
                break;
            }
            exchange_best(seating, rank, &partners);
        }
    }
}

/// Exchanges a rank with that one of some partners where bytes climb least.
fn exchange_best(seating: &mut Seating<'_, '_>, rank: u32, partners: &[u32]) {
    let mut best: Option<(u64, u32)> = None;
    for &other in partners {
        let before = seating.bytes();
        seating.make(Exchange::Ranks(rank, other));
        let climbed = seating.bytes().1;
        seating.undo(Exchange::Ranks(rank, other), before);
        if best.is_none_or(|least| (climbed, other) < least) {
            best = Some((climbed, other));
        }
    }
    if let Some((_, other)) = best {
        seating.make(Exchange::Ranks(rank, other));
        seating.settle();
    }
}
