//! Tables whose shifts have no more flows on a link than some must have, sought from tables that have more.
//!
//! A link and a shift with too many flows, or a link with too many pairs, are picked in turn; of all entries on the paths of these flows
//! up to that link the one moves that leaves least above what may be, even where that is more than before. What has moved stays for
//! some turns (S. Minton et al., "Minimizing conflicts", Artificial Intelligence 58, 1992; F. Glover, "Tabu search", ORSA Journal on
//! Computing 1(3), 1989).

use rustc_hash::FxHashMap;

use super::fill::TablePlan;
use super::flows::{Flows, MovedPairs, PathsToTarget};
use super::targets::EdgeSwitch;

/// Moves at most.
const TURNS: u64 = 400;
/// Larger fabrics are left as they are: so many counters of flows.
const COUNTERS: usize = 1 << 20;
/// What the square of pairs above the bound weighs beside that of flows above the share.
const PAIRS: i64 = 4;
/// Turns that an entry stays where it is at least, and so many more by chance.
const STAYS: (u64, u64) = (5, 10);

/// Moves entries until no shift has more flows on a link than `share`, and no link more pairs than the bound; whether that was found.
/// Each host has one LID.
pub(super) fn calm(flows: &mut Flows<'_>, share: u32) -> bool {
    if flows.by_shift.is_empty() || flows.by_shift.len() > COUNTERS {
        return false;
    }
    let targets = flows.plan.targets;
    let sources: Vec<&EdgeSwitch> = targets
        .edge_switches
        .iter()
        .flat_map(|edge_switch| std::iter::repeat_n(edge_switch, edge_switch.senders as usize))
        .collect();
    Search { flows, share: i64::from(share), sources, held: FxHashMap::default() }.run()
}

struct Search<'f, 'a> {
    flows: &'f mut Flows<'a>,
    share: i64,
    /// By host in sequence: its edge switch.
    sources: Vec<&'a EdgeSwitch>,
    /// Entries that moved, by target and switch: the turn from which they may move again.
    held: FxHashMap<(usize, u32), u64>,
}

/// A hop that an entry may take instead of its own.
struct EntryMove<'a> {
    change: i64,
    edge_switch: &'a EdgeSwitch,
    target: usize,
    switch: u32,
    hop: u32,
}

impl<'a> Search<'_, 'a> {
    fn run(&mut self) -> bool {
        let mut excess = self.excess();
        let mut least = excess;
        for turn in 1..=TURNS {
            if excess == 0 {
                return true;
            }
            let Some((link, shift)) = self.pick(turn) else { return false };
            if let Some(best) = self.best_move(link, shift, turn, least - excess) {
                let mut paths = PathsToTarget::default();
                self.flows.move_entry(&mut paths, best.edge_switch, best.target, best.switch, best.hop);
                excess += best.change;
                least = least.min(excess);
                self.held.insert((best.target, best.switch), turn + STAYS.0 + drawn(turn, STAYS.1));
            }
        }
        excess == 0
    }

    /// What all links carry above what they may, squared.
    fn excess(&self) -> i64 {
        let above = |n: i64| n.max(0) * n.max(0);
        let of_flows: i64 = self.flows.by_shift.iter().map(|&n| above(i64::from(n) - self.share)).sum();
        let bound = i64::from(self.flows.bound);
        let of_pairs: i64 = self.flows.load.iter().map(|&n| above(i64::from(n) - bound)).sum();
        of_flows + PAIRS * of_pairs
    }

    /// A link and a shift in which it has too many flows, or any flow of a link with too many pairs.
    fn pick(&self, turn: u64) -> Option<(u32, usize)> {
        let shifts = self.sources.len();
        let Flows { by_shift, load, bound, .. } = &*self.flows;
        let crowded = || (0..by_shift.len()).filter(|&at| i64::from(by_shift[at]) > self.share);
        let full = || (0..load.len()).filter(|&link| load[link] > *bound);
        let (of_flows, of_pairs) = (crowded().count(), full().count());
        let nth = drawn(turn, (of_flows + of_pairs) as u64) as usize;
        if let Some(at) = crowded().nth(nth) {
            return Some(((at / shifts) as u32, at % shifts));
        }
        let link = full().nth(nth - of_flows)?;
        let first = drawn(turn + TURNS, shifts as u64) as usize;
        let with_flows = |&shift: &usize| by_shift[link * shifts + shift] > 0;
        (first..shifts).chain(0..first).find(with_flows).map(|shift| (link as u32, shift))
    }

    /// The best move of an entry by which the flows of a shift come to a link; one that moved lately may only where what is left is less
    /// than ever, so that `excess` changes by less than `record`.
    fn best_move(&mut self, link: u32, shift: usize, turn: u64, record: i64) -> Option<EntryMove<'a>> {
        let TablePlan { graph, targets, .. } = *self.flows.plan;
        let hosts = self.sources.len();
        let mut best: Option<EntryMove<'a>> = None;
        let (mut paths, mut hops) = (PathsToTarget::default(), Vec::new());
        for (edge_switch, target) in targets.hosts() {
            let host = edge_switch.sender as usize + target - edge_switch.first as usize;
            let source = self.sources[(host + hosts - shift) % hosts];
            let mut on_path = Vec::new();
            let mut at = source.switch;
            let mut comes = false;
            while at != edge_switch.switch && !comes {
                on_path.push(at);
                let Some(hop) = self.flows.hop(target, at) else { break };
                comes = hop == link;
                at = graph.peer[hop as usize];
            }
            if !comes {
                continue;
            }
            self.flows.find_paths(&mut paths, edge_switch, target);
            for s in on_path {
                self.flows.plan.hops(s as usize, edge_switch.switch as usize, &mut hops);
                if hops.len() < 2 {
                    continue;
                }
                let is_held = self.held.get(&(target, s)).is_some_and(|&until| until > turn);
                let group = self.flows.group(&paths, s);
                let old = paths.next[s as usize];
                self.flows.remove_pairs(&mut paths, s, &group);
                let before = self.added(&paths, old, &group);
                for &hop in hops.iter().filter(|&&hop| hop != old) {
                    let change = self.added(&paths, hop, &group) - before;
                    let is_better = best.as_ref().is_none_or(|best| change < best.change);
                    if is_better && (!is_held || change < record) {
                        best = Some(EntryMove { change, edge_switch, target, switch: s, hop });
                    }
                }
                self.flows.add_pairs(&mut paths, s, &group);
            }
        }
        best
    }

    /// What a group adds to the excess over a hop.
    fn added(&self, paths: &PathsToTarget, hop: u32, group: &MovedPairs) -> i64 {
        let shifts = self.sources.len();
        let above = |n: i64| n.max(0) * n.max(0);
        let (mut sum, mut link) = (0, hop as usize);
        loop {
            let load = i64::from(self.flows.load[link]) - i64::from(self.flows.bound);
            sum += PAIRS * (above(load + i64::from(group.pairs)) - above(load));
            for run in &group.shifts {
                let flows = &self.flows.by_shift[link * shifts..][run.clone()];
                let more = flows.iter().map(|&n| i64::from(n) - self.share).filter(|&above| above >= 0);
                sum += more.map(|above| 2 * above + 1).sum::<i64>();
            }
            let far = self.flows.plan.graph.peer[link];
            if far == paths.edge_switch.switch {
                return sum;
            }
            link = paths.next[far as usize] as usize;
        }
    }
}

/// A number below a bound that looks drawn: every run draws the same.
fn drawn(turn: u64, bound: u64) -> u64 {
    let mixed = turn.wrapping_mul(0x9e37_79b9_7f4a_7c15);
    let mixed = (mixed ^ (mixed >> 29)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    (mixed >> 33) % bound.max(1)
}
