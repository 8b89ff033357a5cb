//! Evening out what missing cables leave uneven: single entries are moved from one hop to another. An entry that is
//! loose, or whose packets come to a link that is too full, takes the hop for which the sum of [`Flows`] is least: it falls
//! with each move. Where no single move helps, sequences of moves are looked for (`augment`). What is even is refined: any entry may then
//! take another hop if flows contend less and no link becomes fuller than the fullest.

use std::cmp::Reverse;
use std::ops::Range;

use super::augment;
use super::fill::TablePlan;
use super::flows::{Flows, PathsToTarget};
use super::targets::{EdgeSwitch, NONE, TreeTargets};
use crate::sm::Lft;

/// Rounds at most before sequences of moves are looked for.
const ROUNDS: usize = 3;
/// Hops that are tried in all after the first round: a second's work.
const TRIES: usize = 4_000_000;
/// Rounds at most of refining: more gain little.
const REFINING: usize = 3;
/// Links times hosts at most of small tables: with more, a round of refining takes longer than all before.
const SMALL: usize = 1 << 24;
/// By how much the mean of shifts must rise on a whole tree, whose numbers suit the worst shift as well [%].
const WORTH: u64 = 1;
/// What a pair above the bound weighs where no link may become that full.
const FORBIDDEN: u64 = 1 << 20;

/// In which sequence hosts are looked at while links are too full.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Visits {
    /// One of each leaf after the other: what moves first is spread over shifts.
    InTurn,
    /// The same, in tables that are kept: of the entries whose packets come to a link that is too full, those that most packets come to
    /// first, on the highest switches before all others, and each only off such a link. So few entries change.
    LargestFirst,
    /// Leaf by leaf. Some small trees become more even.
    LeafByLeaf,
}

/// Evens tables out; `loose` has by switch the targets whose hop was free.
pub(super) fn even_out(flows: &mut Flows<'_>, loose: &[Vec<u32>], visits: Visits) {
    Even { flows, visits, tries: 0 }.run(loose);
}

/// Whether flows of all shifts are counted in little time.
pub(super) fn is_small(plan: &TablePlan<'_>) -> bool {
    plan.graph.num_links() * plan.targets.hosts().count() <= SMALL
}

/// Refines the tables of a plan, if they are not too large and shifts gain.
pub(super) fn refine(plan: &TablePlan<'_>, lft: &mut Lft) {
    let TablePlan { order, targets, .. } = *plan;
    if !is_small(plan) {
        return;
    }
    let fullest = plan.fullest(lft);
    let mut refined = lft.clone();
    let mut flows = Flows::new(plan, &mut refined, fullest);
    flows.weight_above = FORBIDDEN;
    let before = (flows.shared_in_shifts(), flows.fullest_in_shifts());
    if before.1 <= 1 {
        return;
    }
    let is_free = vec![order.ascending.clone(); targets.lids.len()];
    let mut even = Even { flows: &mut flows, visits: Visits::LeafByLeaf, tries: 0 };
    for _ in 0..REFINING {
        if !even.go_over(&is_free, None) || even.tries > TRIES {
            break;
        }
    }
    let after = (flows.shared_in_shifts(), flows.fullest_in_shifts());
    let is_better = if targets.share.is_none() {
        after.0 > before.0
    } else {
        100 * after.0 > (100 + WORTH) * before.0 && after.1 <= before.1
    };
    if is_better {
        *lft = refined;
    }
}

struct Even<'f, 'a> {
    flows: &'f mut Flows<'a>,
    visits: Visits,
    /// Hops that were tried.
    tries: usize,
}

impl Even<'_, '_> {
    /// Evens the tables out; `loose` has by switch the targets whose hop was free.
    fn run(&mut self, loose: &[Vec<u32>]) {
        let TablePlan { order, targets, .. } = *self.flows.plan;
        let mut is_free: Vec<Vec<u32>> = vec![Vec::new(); targets.lids.len()];
        for &s in &order.ascending {
            loose[s as usize].iter().for_each(|&t| is_free[t as usize].push(s));
        }
        self.go_over(&is_free, None);
        let is_large = std::mem::take(&mut self.tries) > TRIES;
        if self.visits == Visits::LargestFirst {
            let highest = order.level.iter().copied().max().unwrap_or(0);
            for level in (1..=highest).rev() {
                if self.flows.fullest() > self.flows.bound {
                    self.go_over(&is_free, Some(level));
                }
            }
        }
        for _ in 1..ROUNDS {
            if !self.go_over(&is_free, Some(0)) {
                break;
            }
        }
        for (t, s) in augment::relieve_all(self.flows) {
            is_free[t].push(s);
        }
        if !is_large {
            self.go_over(&is_free, None);
        }
    }

    /// Tries all loose entries, and, where a level is given, those of switches from there on whose packets come to a link that is too
    /// full; whether one moved.
    fn go_over(&mut self, is_free: &[Vec<u32>], lowest: Option<u8>) -> bool {
        let TablePlan { graph, order, targets, .. } = *self.flows.plan;
        let mut paths = PathsToTarget::default();
        let mut hops: Vec<Vec<u32>> = vec![Vec::new(); graph.num_switches()];
        let mut moved = false;
        let all = lowest.is_some() && self.flows.fullest() > self.flows.bound;
        let mut hops_lead_to = NONE;
        let hosts: Vec<(&EdgeSwitch, usize)> = if all && self.visits != Visits::LeafByLeaf {
            in_turn(targets).collect()
        } else {
            targets.hosts().collect()
        };
        for (edge_switch, t) in hosts {
            if all && self.tries > TRIES || !all && is_free[t].is_empty() {
                continue;
            }
            if std::mem::replace(&mut hops_lead_to, edge_switch.switch) != edge_switch.switch {
                hops.iter_mut().for_each(Vec::clear);
            }
            self.flows.find_paths(&mut paths, edge_switch, t);
            let behind = if all {
                self.flows.behind(&paths, |l| self.flows.load[l] > self.flows.bound)
            } else {
                Vec::new()
            };
            let moving: Vec<u32> = if behind.is_empty() {
                is_free[t].clone()
            } else {
                let is_asked = |s: u32| lowest.is_some_and(|lowest| order.level[s as usize] >= lowest);
                let is_moving = |&s: &u32| behind[s as usize] && is_asked(s) || is_free[t].contains(&s);
                let mut moving: Vec<u32> = order.ascending.iter().copied().filter(is_moving).collect();
                if self.visits == Visits::LargestFirst {
                    moving.sort_by_key(|&s| Reverse(paths.pairs[s as usize]));
                }
                moving
            };
            for s in moving {
                let hops = &mut hops[s as usize];
                if hops.is_empty() {
                    self.flows.plan.hops(s as usize, edge_switch.switch as usize, hops);
                }
                let is_kept = self.visits == Visits::LargestFirst && !is_free[t].contains(&s);
                let may_move = hops.len() > 1 && paths.pairs[s as usize] > 0;
                moved |= may_move && self.improve(&mut paths, s, hops, is_kept);
            }
        }
        moved
    }

    /// Takes the best hop for an entry; whether it is another. One that is to be kept moves only off links that are too full.
    fn improve(&mut self, paths: &mut PathsToTarget, s: u32, hops: &[u32], is_kept: bool) -> bool {
        let group = self.flows.group(paths, s);
        let old = paths.next[s as usize];
        self.flows.remove_pairs(paths, s, &group);
        let rise_above = |hop: u32| self.flows.rise_above(paths, hop, group.pairs);
        let most = if is_kept { rise_above(old) } else { 0 };
        let may_take = |hop: u32| {
            hop != old && self.flows.is_legal(paths, s, hop) && (!is_kept || rise_above(hop) < most)
        };
        let (mut least, mut best) = (self.flows.cost(paths, old, &group, u64::MAX), old);
        for &hop in hops.iter().filter(|&&hop| may_take(hop)) {
            let cost = self.flows.cost(paths, hop, &group, least);
            if cost < least {
                (least, best) = (cost, hop);
            }
        }
        self.tries += hops.len() * (1 + group.shifts.iter().map(Range::len).sum::<usize>() / 16);
        if best != old {
            self.flows.set_unused(paths, s, best);
        }
        self.flows.add_pairs(paths, s, &group);
        best != old
    }
}

/// All hosts, one of each edge switch after the other, and of the next one the next: what moves first, while links are too full, is
/// then spread over shifts.
fn in_turn(targets: &TreeTargets) -> impl Iterator<Item = (&EdgeSwitch, usize)> {
    let hosts = |edge_switch: &EdgeSwitch| edge_switch.host_targets().len();
    let most = targets.edge_switches.iter().map(hosts).max().unwrap_or(0);
    (0..most).flat_map(move |round| {
        let of = move |(nth, edge_switch): (usize, _)| {
            let count = hosts(edge_switch);
            (round < count).then(|| (edge_switch, edge_switch.first as usize + (round + nth) % count))
        };
        targets.edge_switches.iter().enumerate().filter_map(of)
    })
}
