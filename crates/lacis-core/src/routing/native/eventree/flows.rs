//! Flows on links: how many pairs use each, in all and in each shift, while entries are moved.
//!
//! Every host sends to every other. The pairs that use a link are its *load*; in shift `k` host `i` sends to host `i + k`.
//! What a link may carry is the *bound*. The sum that is to fall:
//!
//! * for each link, (load above the bound)², weighed so that it comes first;
//! * for each link and shift, (flows)²: they contend in shifts;
//! * for each link, the couples of pairs on it with different destinations: they contend in random traffic.

use std::ops::Range;

use rayon::prelude::*;

use super::fill::{NO_HOP, TablePlan, hops_by_port};
use super::targets::{EdgeSwitch, NONE};
use crate::fabric::NodeId;
use crate::sm::Lft;

/// Shifts are counted where that takes no more counters than these.
const COUNTERS: usize = 1 << 26;
/// What a pair above the bound weighs while tables are evened out.
const ABOVE: u64 = 64;
/// What couples weigh that may contend in random traffic.
const RANDOM: u64 = 2;
/// What a flow has that is alone on its links. Most numbers of flows that share a link divide it.
const WHOLE: u64 = 720_720;
/// Counters in a page of memory.
const IN_A_PAGE: usize = 4096 / size_of::<u16>();
/// Edge switches to which flows are counted at a time.
const COUNTED: usize = 16;
/// Targets whose entries are read at a time.
const TOGETHER: usize = 64;

/// Flows on links, and the tables that they follow.
pub(super) struct Flows<'a> {
    pub plan: &'a TablePlan<'a>,
    lft: &'a mut Lft,
    /// By target, then switch: the index of the hop's link among the switch's own; 255 where there is none. These are
    /// tables by destination, as destination after destination is gone through.
    hop_index: Vec<u8>,
    /// By link: pairs that use it.
    pub load: Vec<u32>,
    /// What a link may carry.
    pub bound: u32,
    /// What a pair above the bound weighs beside the flows of a shift.
    pub weight_above: u64,
    /// By link, then shift: pairs that use it.
    by_shift: Vec<u16>,
    /// Counters by link; none where shifts are not counted.
    shifts: usize,
    /// By switch: its hosts.
    senders: Vec<u32>,
    /// Hosts of all switches.
    hosts: u64,
}

/// The paths of all hosts to a target.
#[derive(Default)]
pub(super) struct PathsToTarget {
    target: usize,
    edge_switch: EdgeSwitch,
    /// The target's number among all hosts.
    number: usize,
    /// By switch: the link to the next one; [`NONE`] where there is no path.
    pub next: Vec<u32>,
    /// By switch: the pairs that come to it.
    pub pairs: Vec<u32>,
    /// Switches that send down, in their order.
    descending: Vec<u32>,
}

/// Whether pairs come to count on a path, or no longer do.
#[derive(Clone, Copy)]
enum Change {
    Add,
    Remove,
}

/// What moves: pairs, and the shifts that they belong to.
pub(super) struct MovedPairs {
    pub pairs: u32,
    pub shifts: Vec<Range<usize>>,
}

impl<'a> Flows<'a> {
    /// Counts what a plan's tables bring.
    pub fn new(plan: &'a TablePlan<'a>, lft: &'a mut Lft, bound: u64) -> Self {
        let links = plan.graph.num_links();
        let hosts: u32 = plan.targets.edge_switches.iter().map(|edge_switch| edge_switch.senders).sum();
        let shifts = if links * hosts as usize <= COUNTERS { hosts as usize } else { 0 };
        let senders =
            plan.targets.edge_index.iter().map(|&n| plan.targets.edge_switches[n as usize].senders).collect();
        let hop_index = hop_indices(plan, lft);
        let bound = bound as u32;
        let (load, mut by_shift) = (vec![0; links], vec![0; links * shifts]);
        // A page of memory that is read before it is written is mapped twice, and the second time interrupts the other threads.
        by_shift.iter_mut().step_by(IN_A_PAGE).for_each(|counter| *counter = std::hint::black_box(0));
        let mut counted = Self {
            plan,
            lft,
            hop_index,
            senders,
            load,
            bound,
            weight_above: ABOVE,
            by_shift,
            shifts,
            hosts: hosts.into(),
        };
        counted.count();
        counted
    }

    /// Pairs on the fullest link.
    pub fn fullest(&self) -> u32 {
        self.load.iter().copied().max().unwrap_or(0)
    }

    /// The squares of the flows on each link in each shift, in all; 0 where shifts are not counted.
    pub fn contention(&self) -> u64 {
        self.by_shift.iter().map(|&n| u64::from(n) * u64::from(n)).sum()
    }

    /// Most flows on a link in any shift; 0 where shifts are not counted.
    pub fn fullest_in_shifts(&self) -> u32 {
        self.by_shift.iter().copied().max().unwrap_or(0).into()
    }

    /// What all flows of all shifts between switches have together, each one share of the link on its path that most are on; 0 where
    /// shifts are not counted. The mean of shifts rises and falls with it.
    pub fn shared_in_shifts(&self) -> u64 {
        let TablePlan { graph, targets, .. } = *self.plan;
        if self.shifts == 0 {
            return 0;
        }
        let count = graph.num_switches();
        let senders: Vec<&EdgeSwitch> =
            targets.edge_switches.iter().filter(|from| from.senders > 0).collect();
        let (mut shifts, mut most, mut paths) = (Vec::new(), Vec::new(), PathsToTarget::default());
        let mut shared = 0;
        for (edge_switch, t) in targets.hosts() {
            (paths.edge_switch, paths.number) = (*edge_switch, number_of(self.plan, edge_switch, t));
            let hop_index = &self.hop_index[t * count..][..count];
            for from in senders.iter().filter(|from| from.switch != edge_switch.switch) {
                shifts.clear();
                self.shifts_of(from, &paths, &mut shifts);
                most.clear();
                most.resize(from.senders as usize, 1);
                let mut at = from.switch as usize;
                while at != edge_switch.switch as usize && hop_index[at] != NO_HOP {
                    let link = graph.links(at).start + usize::from(hop_index[at]);
                    let flows = &self.by_shift[link * self.shifts..][..self.shifts];
                    let here = shifts.iter().flat_map(|run| &flows[run.clone()]);
                    most.iter_mut().zip(here).for_each(|(most, &n)| *most = n.max(*most));
                    at = graph.peer[link] as usize;
                }
                shared += most.iter().map(|&most| WHOLE / u64::from(most)).sum::<u64>();
            }
        }
        shared
    }

    /// The link that a switch sends to a target by.
    pub fn hop(&self, target: usize, s: u32) -> Option<u32> {
        let graph = self.plan.graph;
        let hop_index = self.hop_index[target * graph.num_switches() + s as usize];
        (hop_index != NO_HOP).then(|| (graph.links(s as usize).start + usize::from(hop_index)) as u32)
    }

    /// What it adds to the sum if a switch's packets take another hop.
    pub fn price(&mut self, paths: &mut PathsToTarget, s: u32, hop: u32) -> i64 {
        let group = self.group(paths, s);
        let old = paths.next[s as usize];
        self.remove_pairs(paths, s, &group);
        let prices = [hop, old].map(|hop| self.cost(paths, hop, &group, u64::MAX).cast_signed());
        self.add_pairs(paths, s, &group);
        prices[0] - prices[1]
    }

    /// Sets an entry; gives its hop before.
    pub fn move_entry(
        &mut self,
        paths: &mut PathsToTarget,
        edge_switch: &EdgeSwitch,
        target: usize,
        s: u32,
        hop: u32,
    ) -> u32 {
        self.find_paths(paths, edge_switch, target);
        let group = self.group(paths, s);
        let old = paths.next[s as usize];
        self.remove_pairs(paths, s, &group);
        self.set_unused(paths, s, hop);
        self.add_pairs(paths, s, &group);
        old
    }

    /// Sets an entry to which nothing comes.
    pub fn set_unused(&mut self, paths: &mut PathsToTarget, s: u32, hop: u32) {
        let TablePlan { graph, targets, .. } = *self.plan;
        paths.next[s as usize] = hop;
        let hop_index = &mut self.hop_index[paths.target * graph.num_switches() + s as usize];
        *hop_index = (hop as usize - graph.links(s as usize).start) as u8;
        self.lft.row_mut(NodeId(s))[targets.lids[paths.target] as usize] = graph.port[hop as usize];
    }

    /// What a group adds to the sum over a hop; at least `enough` where it is that much.
    pub fn cost(&self, paths: &PathsToTarget, hop: u32, group: &MovedPairs, enough: u64) -> u64 {
        let pairs = u64::from(group.pairs);
        let squared = |above: u64| above * above;
        let (mut cost, mut link, mut same) = (0, hop, 0);
        loop {
            let load = u64::from(self.load[link as usize]);
            let above = |load: u64| load.saturating_sub(self.bound.into());
            cost += self.weight_above * self.hosts * (squared(above(load + pairs)) - squared(above(load)));
            cost += RANDOM * pairs * 2 * (load - same);
            if self.shifts > 0 {
                let flows = &self.by_shift[link as usize * self.shifts..][..self.shifts];
                let sum = |run: &Range<usize>| flows[run.clone()].iter().map(|&n| u32::from(n)).sum::<u32>();
                let met: u32 = group.shifts.iter().map(sum).sum();
                cost += self.hosts * (2 * u64::from(met) + pairs);
            }
            let far = self.plan.graph.peer[link as usize];
            if cost >= enough || far == paths.edge_switch.switch {
                return cost;
            }
            same = u64::from(paths.pairs[far as usize]);
            link = paths.next[far as usize];
        }
    }

    /// The links that packets take to a target by a hop.
    pub fn path_by<'s>(&'s self, paths: &'s PathsToTarget, hop: u32) -> impl Iterator<Item = usize> + 's {
        let next = |&link: &u32| {
            let far = self.plan.graph.peer[link as usize];
            Some(paths.next[far as usize]).filter(|&link| link != NONE)
        };
        std::iter::successors(Some(hop), next).map(|link| link as usize)
    }

    /// Whether packets of a switch that take a hop never climb after they descended, and never come back: what was kept of a path
    /// further on may lead so.
    pub fn is_legal(&self, paths: &PathsToTarget, s: u32, hop: u32) -> bool {
        let TablePlan { graph, order, .. } = *self.plan;
        let mut has_descended = false;
        self.path_by(paths, hop).all(|link| {
            let is_up = order.climbs[link];
            let is_legal = graph.peer[link] != s && !(is_up && has_descended);
            has_descended |= !is_up;
            is_legal
        })
    }

    /// By how much the squares of loads above the bound rise if so many pairs take a hop.
    pub fn rise_above(&self, paths: &PathsToTarget, hop: u32, pairs: u32) -> u64 {
        let squared = |load: u32| u64::from(load.saturating_sub(self.bound)).pow(2);
        let rise = |link: usize| squared(self.load[link] + pairs) - squared(self.load[link]);
        self.path_by(paths, hop).map(rise).sum()
    }

    /// The pairs that come to a switch.
    pub fn group(&self, paths: &PathsToTarget, s: u32) -> MovedPairs {
        let mut group = MovedPairs { pairs: paths.pairs[s as usize], shifts: Vec::new() };
        if self.shifts > 0 {
            let edge_switches = &self.plan.targets.edge_switches;
            let own = edge_switches[self.plan.targets.edge_index[s as usize] as usize];
            if own.senders == group.pairs {
                self.shifts_of(&own, paths, &mut group.shifts);
            } else {
                let passes = |from: &&EdgeSwitch| {
                    let mut at = from.switch;
                    while at != s && at != paths.edge_switch.switch {
                        at = self.plan.graph.peer[paths.next[at as usize] as usize];
                    }
                    at == s && from.senders > 0
                };
                for edge_switch in edge_switches
                    .iter()
                    .filter(|edge_switch| paths.next[edge_switch.switch as usize] != NONE)
                    .filter(passes)
                {
                    self.shifts_of(edge_switch, paths, &mut group.shifts);
                }
            }
        }
        group
    }

    /// The shifts in which hosts of an edge switch send to a target.
    fn shifts_of(&self, from: &EdgeSwitch, paths: &PathsToTarget, shifts: &mut Vec<Range<usize>>) {
        let end = paths.number + self.shifts - from.sender as usize + 1;
        let first = end - from.senders as usize;
        let wrapped = first.max(self.shifts)..end;
        for run in [
            wrapped.start - self.shifts..wrapped.end.max(self.shifts) - self.shifts,
            first..end.min(self.shifts),
        ] {
            match shifts.last_mut() {
                _ if run.is_empty() => {}
                Some(last) if last.start == run.end => last.start = run.start,
                _ => shifts.push(run),
            }
        }
    }

    /// Counts the pairs that come to a switch on the links of its path.
    pub fn add_pairs(&mut self, paths: &mut PathsToTarget, s: u32, group: &MovedPairs) {
        self.change_loads(paths, s, group, Change::Add);
    }

    /// The pairs that come to a switch no longer count on the links of its path.
    pub fn remove_pairs(&mut self, paths: &mut PathsToTarget, s: u32, group: &MovedPairs) {
        self.change_loads(paths, s, group, Change::Remove);
    }

    fn change_loads(&mut self, paths: &mut PathsToTarget, s: u32, group: &MovedPairs, change: Change) {
        let mut at = s;
        while at != paths.edge_switch.switch {
            let link = paths.next[at as usize] as usize;
            at = self.plan.graph.peer[link];
            let changed = |n: u32| match change {
                Change::Add => n + group.pairs,
                Change::Remove => n - group.pairs,
            };
            self.load[link] = changed(self.load[link]);
            if at != paths.edge_switch.switch {
                paths.pairs[at as usize] = changed(paths.pairs[at as usize]);
            }
            for run in &group.shifts {
                let flows = &mut self.by_shift[link * self.shifts..][run.clone()];
                match change {
                    Change::Add => flows.iter_mut().for_each(|n| *n += 1),
                    Change::Remove => flows.iter_mut().for_each(|n| *n -= 1),
                }
            }
        }
    }

    /// Finds the paths to a target: what climbs is passed on from the lowest to the highest switch, then what
    /// descends.
    pub fn find_paths(&self, paths: &mut PathsToTarget, edge_switch: &EdgeSwitch, target: usize) {
        let TablePlan { graph, order, .. } = *self.plan;
        let count = graph.num_switches();
        let hop_index = &self.hop_index[target * count..][..count];
        (paths.edge_switch, paths.target) = (*edge_switch, target);
        paths.number = number_of(self.plan, edge_switch, target);
        let PathsToTarget { next, pairs, descending, .. } = paths;
        pairs.clone_from(&self.senders);
        next.clear();
        next.resize(count, NONE);
        descending.clear();
        for &s in order.ascending.iter().filter(|&&s| s != edge_switch.switch) {
            let at = s as usize;
            if hop_index[at] == NO_HOP {
                pairs[at] = 0;
                continue;
            }
            let link = graph.links(at).start + usize::from(hop_index[at]);
            next[at] = link as u32;
            if order.climbs[link] {
                pairs[graph.peer[link] as usize] += pairs[at];
            } else {
                descending.push(s);
            }
        }
        for &s in descending.iter().rev() {
            pairs[graph.peer[next[s as usize] as usize] as usize] += pairs[s as usize];
        }
        pairs[edge_switch.switch as usize] = 0;
    }

    /// By switch: whether packets from there come to such a link; empty where none do.
    pub fn behind(&self, paths: &PathsToTarget, is_such: impl Fn(usize) -> bool) -> Vec<bool> {
        let TablePlan { graph, order, .. } = *self.plan;
        let mut behind = Vec::new();
        for climbing in [false, true] {
            for n in 0..order.ascending.len() {
                let s = order.ascending[if climbing { order.ascending.len() - 1 - n } else { n }];
                if paths.pairs[s as usize] == 0 || s == paths.edge_switch.switch {
                    continue;
                }
                let link = paths.next[s as usize] as usize;
                if order.climbs[link] == climbing
                    && (is_such(link) || behind.get(graph.peer[link] as usize) == Some(&true))
                {
                    behind.resize(graph.num_switches(), false);
                    behind[s as usize] = true;
                }
            }
        }
        behind
    }

    /// Counts what all links carry.
    fn count(&mut self) {
        if self.shifts > 0 {
            return self.count_by_shift();
        }
        let mut paths = PathsToTarget::default();
        for (edge_switch, t) in self.plan.targets.hosts() {
            self.find_paths(&mut paths, edge_switch, t);
            let used = paths.next.iter().zip(&paths.pairs).filter(|(_, pairs)| **pairs > 0);
            used.for_each(|(&link, &pairs)| self.load[link as usize] += pairs);
        }
    }

    /// Counts what all links carry, in all and in each shift: to the targets of some edge switches at a time, and to these from source
    /// after source. Flows of neighbours are in neighbouring shifts, so that their counters are still in a cache.
    fn count_by_shift(&mut self) {
        let TablePlan { graph, targets, .. } = *self.plan;
        let count = graph.num_switches();
        let (mut shifts, mut paths) = (Vec::new(), PathsToTarget::default());
        for some in targets.edge_switches.chunks(COUNTED) {
            for from in targets.edge_switches.iter().filter(|from| from.senders > 0) {
                for edge_switch in some.iter().filter(|to| to.switch != from.switch) {
                    paths.edge_switch = *edge_switch;
                    for t in edge_switch.host_targets() {
                        let hop_index = &self.hop_index[t * count..][..count];
                        paths.number = number_of(self.plan, edge_switch, t);
                        shifts.clear();
                        self.shifts_of(from, &paths, &mut shifts);
                        let mut at = from.switch as usize;
                        while at != edge_switch.switch as usize && hop_index[at] != NO_HOP {
                            let link = graph.links(at).start + usize::from(hop_index[at]);
                            self.load[link] += from.senders;
                            let flows = &mut self.by_shift[link * self.shifts..][..self.shifts];
                            for run in &shifts {
                                flows[run.clone()].iter_mut().for_each(|n| *n += 1);
                            }
                            at = graph.peer[link] as usize;
                        }
                    }
                }
            }
        }
    }
}

/// A target's number among all hosts. Of several LIDs of a port, each counts as that port.
fn number_of(plan: &TablePlan<'_>, edge_switch: &EdgeSwitch, target: usize) -> usize {
    let ports = &plan.targets.ports[edge_switch.first as usize..=target];
    edge_switch.sender as usize + ports.windows(2).filter(|pair| pair[0] != pair[1]).count()
}

/// By target, then switch: the index of the hop that a table has among the switch's links. Some targets are read at a time,
/// so that these fit into a cache.
fn hop_indices(plan: &TablePlan<'_>, lft: &Lft) -> Vec<u8> {
    let TablePlan { graph, targets, .. } = *plan;
    let count = graph.num_switches().max(1);
    let hop_of_port = hops_by_port(graph);
    let mut hop_index = vec![NO_HOP; targets.lids.len() * count];
    let some = hop_index.par_chunks_mut(TOGETHER * count).zip(targets.lids.par_chunks(TOGETHER));
    some.for_each(|(hop_index, lids)| {
        for s in 0..graph.num_switches() {
            let row = lft.row(NodeId(s as u32));
            for (hop_index, &lid) in hop_index.chunks_exact_mut(count).zip(lids) {
                hop_index[s] = hop_of_port[s][usize::from(row[lid as usize])];
            }
        }
    });
    hop_index
}
