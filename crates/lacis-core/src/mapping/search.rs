//! The search on link loads: ranks and hosts are exchanged while the most loaded link gets less.
//!
//! | aim | an exchange is kept where |
//! |---|---|
//! | [`Aim::Busiest`] | the most loaded link gets less, and no link that the exchange touches becomes as loaded |
//! | bytes ([`nearer`]) | bytes climb less, and no link becomes more loaded than the most loaded one |
//! | [`Aim::BetweenSwitches`] | the same as the first, of links between switches, where bytes climb no more |
//!
//! Each step makes the most loaded links fewer or less loaded, or bytes climb less: so the search ends.

use std::sync::atomic::{AtomicBool, Ordering};

use rustc_hash::FxHashSet;

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

/// What is left of a search, in demands that an exchange recounts, and whether to go on.
pub(super) struct Budget<'s> {
    pub left: u64,
    pub stop: &'s AtomicBool,
}

impl Budget<'_> {
    fn take(&mut self, demands: u64) -> bool {
        let some = self.left > 0;
        self.left = self.left.saturating_sub(demands.max(1));
        some && !self.stop.load(Ordering::Relaxed)
    }

    /// # Errors
    /// When it was stopped.
    pub fn check(&self) -> Result<(), MappingError> {
        if self.stop.load(Ordering::Relaxed) { Err(MappingError::Interrupted) } else { Ok(()) }
    }
}

/// What a search lowers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Aim {
    Busiest,
    BetweenSwitches,
}

/// Lowers the most loaded link, then bytes that climb, then the most loaded link between switches.
pub(super) fn lower(seating: &mut Seating<'_, '_>, used: &[u32], seed: u64, budget: &mut Budget<'_>) {
    let mut rng = Rng::of_pattern(seed, 1);
    lighten(seating, used, Aim::Busiest, &mut rng, budget);
    nearer(seating, budget);
    lighten(seating, used, Aim::BetweenSwitches, &mut rng, budget);
}

fn lighten(seating: &mut Seating<'_, '_>, used: &[u32], aim: Aim, rng: &mut Rng, budget: &mut Budget<'_>) {
    let mut least = (f64::INFINITY, seating.hosts().to_vec());
    while let Some(busiest) = seating.busiest(aim == Aim::BetweenSwitches) {
        if busiest.1 < least.0 {
            least = (busiest.1, seating.hosts().to_vec());
        }
        if !step(seating, used, busiest, aim, rng, budget) {
            break;
        }
    }
    // Of several links that are loaded most, fewer are no gain where one is left: bytes may climb more for it.
    let mut before = seating.clone();
    before.become_like(&least.1);
    if before.cost() < seating.cost() {
        *seating = before;
    }
}

/// One exchange that takes load off a link; whether there was one.
fn step(
    seating: &mut Seating<'_, '_>,
    used: &[u32],
    (link, most): (LinkId, f64),
    aim: Aim,
    rng: &mut Rng,
    budget: &mut Budget<'_>,
) -> bool {
    let bound = seating.busiest(false).map_or(0.0, |(_, time)| time);
    let crossing = seating.crossing(link);
    let mut ranks: Vec<u32> = crossing.iter().flat_map(|d| [d.from, d.to]).collect();
    let mut seen = FxHashSet::default();
    ranks.retain(|&rank| seen.insert(rank));
    let mut hosts: Vec<u32> = ranks.iter().map(|&rank| seating.hosts()[rank as usize]).collect();
    seen.clear();
    hosts.retain(|&host| seen.insert(host));
    hosts.truncate(MOST_ENDS);
    ranks.truncate(MOST_ENDS);
    let mut others = used.to_vec();
    rng.shuffle(&mut others);
    let mut attempt = |exchange: Exchange, seating: &mut Seating<'_, '_>| {
        if !seating.may(exchange) || !budget.take(seating.recounted(exchange)) {
            return false;
        }
        let before = seating.bytes();
        seating.make(exchange);
        let (all, inner) = seating.longest_touched();
        let is_fit = match aim {
            Aim::Busiest => all < most,
            Aim::BetweenSwitches => inner < most && all <= bound && seating.bytes().1 <= before.1,
        };
        if is_fit && seating.time(link) < most && seating.bytes().0 <= before.0 {
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

/// Exchanges of a rank with one on the host of a partner, by which bytes climb less while no link becomes the most loaded one.
fn nearer(seating: &mut Seating<'_, '_>, budget: &mut Budget<'_>) {
    let bound = seating.busiest(false).map_or(0.0, |(_, time)| time);
    let mut is_better = true;
    while is_better {
        is_better = false;
        for u in 0..seating.hosts().len() as u32 {
            let own = seating.hosts()[u as usize];
            let mut hosts: Vec<u32> =
                seating.partners(u, MOST_ENDS).iter().map(|&r| seating.hosts()[r as usize]).collect();
            let mut seen = FxHashSet::default();
            hosts.retain(|&host| host != own && seen.insert(host));
            let there: Vec<u32> = hosts.iter().flat_map(|&h| seating.ranks_of(h).iter().copied()).collect();
            for v in there {
                let exchange = Exchange::Ranks(u, v);
                if !seating.may(exchange) {
                    continue;
                }
                if !budget.take(seating.recounted(exchange)) {
                    return;
                }
                let before = seating.bytes();
                seating.make(exchange);
                let after = seating.bytes();
                if after.1 < before.1 && after.0 <= before.0 && seating.longest_touched().0 <= bound {
                    seating.settle();
                    is_better = true;
                } else {
                    seating.undo(exchange, before);
                }
            }
        }
    }
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
