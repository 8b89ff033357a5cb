//! Sequences of moves, where no single one helps: an entry leaves a link that is too full for one that this makes
//! too full, from which another entry leaves in turn, until one comes to links that have room. These are the
//! augmenting paths of bipartite matching (H. W. Kuhn, "The Hungarian method for the assignment problem", Naval
//! Research Logistics Quarterly 2, 1955): each link is looked at once in a search, so a search ends.

use fixedbitset::FixedBitSet;

use super::fill::TablePlan;
use super::flows::{Flows, PathsToTarget};
use super::targets::EdgeSwitch;

/// Hops that are tried in all.
const LOOKS: usize = 6_000_000;
/// Moves that are compared, where some help at once.
const COMPARED: usize = 32;
/// Moves in a sequence at most.
const LONGEST: usize = 9;

/// A hop that an entry may take instead of its own.
#[derive(Clone, Copy)]
struct EntryMove<'a> {
    edge_switch: &'a EdgeSwitch,
    target: usize,
    switch: u32,
    hop: u32,
}

/// A search for a sequence.
struct Sequence<'s, 'a> {
    flows: &'s mut Flows<'a>,
    /// No link may be fuller.
    limit: u32,
    /// Links that were looked at.
    seen: FixedBitSet,
    /// Moves that were made, to take them back.
    made: Vec<EntryMove<'a>>,
    looks: usize,
    paths: PathsToTarget,
}

/// Looks for sequences from all links that are too full: until they are not, else until they are less so.
pub(super) fn relieve_all(flows: &mut Flows<'_>) -> Vec<(usize, u32)> {
    let seen = FixedBitSet::with_capacity(flows.load.len());
    let bound = flows.bound;
    let mut sequence = Sequence {
        flows,
        limit: bound,
        seen,
        made: Vec::new(),
        looks: LOOKS,
        paths: PathsToTarget::default(),
    };
    let links: Vec<usize> = {
        let TablePlan { layout, order, .. } = *sequence.flows.plan;
        layout.links(&order.ascending).collect()
    };
    let mut full: Vec<usize> = links.iter().copied().filter(|&l| sequence.flows.load[l] > bound).collect();
    full.sort_by_key(|&l| std::cmp::Reverse(sequence.flows.load[l]));
    let mut moved = Vec::new();
    for link in full {
        while sequence.flows.load[link] > bound && sequence.is_found(link, bound) {
            moved.extend(sequence.made.iter().map(|m| (m.target, m.switch)));
        }
    }
    while let Some(&link) = links.iter().max_by_key(|&&link| sequence.flows.load[link]) {
        let fullest = sequence.flows.load[link];
        if fullest <= bound || !sequence.is_found(link, fullest - 1) {
            break;
        }
        moved.extend(sequence.made.iter().map(|m| (m.target, m.switch)));
    }
    moved
}

impl<'a> Sequence<'_, 'a> {
    /// Whether a sequence relieves a link so that no link becomes fuller than the limit; the shortest is taken.
    fn is_found(&mut self, link: usize, limit: u32) -> bool {
        self.limit = limit;
        (1..=LONGEST).any(|longest| {
            self.seen.clear();
            self.made.clear();
            self.relieve(link, longest)
        })
    }

    /// Moves one entry's packets off a link, by a sequence that is no longer than it may be.
    fn relieve(&mut self, link: usize, longest: usize) -> bool {
        self.seen.insert(link);
        let TablePlan { graph, targets, order, .. } = *self.flows.plan;
        let tail = graph.peer[graph.back[link] as usize];
        // By links that would be too full: the first move.
        let mut next: Vec<(Vec<usize>, EntryMove<'a>)> = Vec::new();
        let mut free: Vec<(i64, EntryMove<'a>)> = Vec::new();
        let mut hops = Vec::new();
        for (edge_switch, target) in targets.hosts() {
            if self.looks == 0 {
                return false;
            }
            if self.flows.hop(target, tail) != Some(link as u32) {
                continue;
            }
            self.flows.find_paths(&mut self.paths, edge_switch, target);
            let behind = self.flows.behind(&self.paths, |l| l == link);
            for &switch in order.ascending.iter().filter(|&&s| behind.get(s as usize) == Some(&true)) {
                self.flows.plan.hops(switch as usize, edge_switch.switch as usize, &mut hops);
                self.looks = self.looks.saturating_sub(1 + hops.len());
                let old = self.paths.next[switch as usize];
                for &hop in &hops {
                    if hop == old || !self.flows.is_legal(&self.paths, switch, hop) {
                        continue;
                    }
                    let step = EntryMove { edge_switch, target, switch, hop };
                    let filled = self.filled(step, link);
                    if filled.is_empty() {
                        free.push((self.flows.price(&mut self.paths, switch, hop), step));
                    } else if filled.len() < longest
                        && !filled.iter().any(|&full| self.seen.contains(full))
                        && next.iter().all(|n| n.0 != filled)
                    {
                        next.push((filled, step));
                    }
                }
            }
            if free.len() > COMPARED {
                break;
            }
        }
        if let Some(&(_, step)) = free.iter().min_by_key(|free| free.0) {
            self.make(step);
            return true;
        }
        next.sort_by_key(|next| next.0.len());
        for (filled, step) in next {
            let mark = self.made.len();
            self.make(step);
            for &full in &filled {
                while self.flows.load[full] > self.limit
                    && !self.seen.contains(full)
                    && self.relieve(full, longest - filled.len())
                {
                    self.seen.set(full, false);
                }
            }
            if filled.iter().all(|&full| self.flows.load[full] <= self.limit) {
                return true;
            }
            for EntryMove { edge_switch, target, switch, hop } in self.made.split_off(mark).into_iter().rev()
            {
                self.flows.move_entry(&mut self.paths, edge_switch, target, switch, hop);
            }
        }
        false
    }

    /// The links that a move would make too full, or that it does not leave.
    fn filled(&self, step: EntryMove<'_>, left: usize) -> Vec<usize> {
        let (flows, paths) = (&*self.flows, &self.paths);
        let pairs = paths.pairs[step.switch as usize];
        let old = paths.next[step.switch as usize];
        let left_by = |link: usize| flows.path_by(paths, old).any(|l| l == link);
        let is_filled =
            |&link: &usize| link == left || !left_by(link) && flows.load[link] + pairs > self.limit;
        flows.path_by(paths, step.hop).filter(is_filled).collect()
    }

    fn make(&mut self, step: EntryMove<'a>) {
        let old =
            self.flows.move_entry(&mut self.paths, step.edge_switch, step.target, step.switch, step.hop);
        self.made.push(EntryMove { hop: old, ..step });
    }
}
