//! OpenSM 3.3.23's walk over legal steps, from a target outwards.
//!
//! | here      | meaning                                                                     |
//! |-----------|-----------------------------------------------------------------------------|
//! | `up`      | whether a step climbs                                                       |
//! | `hops`    | length of the way to the target by a link, set at the link's near end       |
//! | `least`   | the smallest `hops` of a switch's links                                     |
//! | `climbed` | whether the step by which the walk last queued a switch climbed             |
//!
//! The walk is a queue of switches. After a descent only descents may follow; a switch is queued
//! again whenever one of its links gets a shorter way, but it remembers one direction only, that
//! of the step that queued it. So the result can differ from the set of all shortest legal ways.
//!
//! [`mark_legal`] walks from 64 targets at once, in waves, wherever that is certain to be the same:
//! while no switch is entered climbing and descending in one wave (the order in the queue would
//! decide what it remembers), and none that was entered descending is entered climbing later (it
//! would go on climbing from where it is). A switch queued again otherwise changes nothing, for
//! all that it may do it has done. On trees that is always so; the other targets are walked one
//! by one, to the letter.

use super::candidates::MAX_HOPS;
use super::graph::SwitchGraph;
use crate::fabric::NodeId;

/// A link as the walk takes it, from its near end.
#[derive(Clone, Copy)]
struct Step {
    to: u32,
    back: u32,
    up: bool,
}

/// All links of each switch, and those of them that descend, in port order.
pub(super) struct Steps {
    all: Vec<Step>,
    down: Vec<Step>,
    first_down: Vec<u32>,
    /// By link, whether the step along it from its far end climbs.
    enters_up: Vec<bool>,
}

impl Steps {
    /// The steps of a fabric; `up` says of each link whether it climbs.
    pub fn new(graph: &SwitchGraph, up: &[bool]) -> Self {
        let enters_up = graph.back.iter().map(|&back| up[back as usize]).collect();
        let mut steps = Self { all: Vec::new(), down: Vec::new(), first_down: vec![0], enters_up };
        for switch in 0..graph.num_switches() {
            let step = |link| Step { to: graph.peer[link], back: graph.back[link], up: up[link] };
            steps.all.extend(graph.links(switch).map(step));
            steps.down.extend(steps.all[graph.links(switch)].iter().filter(|s| !s.up));
            steps.first_down.push(steps.down.len() as u32);
        }
        steps
    }

    /// Where a switch may be left for, after a climb or after a descent.
    fn from(&self, graph: &SwitchGraph, switch: usize, climbed: bool) -> &[Step] {
        if climbed {
            &self.all[graph.links(switch)]
        } else {
            &self.down[self.first_down[switch] as usize..self.first_down[switch + 1] as usize]
        }
    }
}

/// What a switch has met of the 64 walks, one bit for each.
#[derive(Clone, Copy, Default)]
struct Met {
    /// Walks that have come here.
    reached: u64,
    /// Those of them that came descending.
    descended: u64,
}

/// The walks that are at a switch in one wave, by how they came.
#[derive(Clone, Copy, Default)]
struct Wave {
    climbing: u64,
    descending: u64,
}

/// Sets, for each of up to 64 targets, its bit on the links by which the walk finds the shortest
/// ways to it.
pub(super) fn mark_legal(graph: &SwitchGraph, steps: &Steps, targets: &[NodeId], links: &mut [u64]) {
    let uncertain = mark_in_waves(graph, steps, targets, links);
    if uncertain != 0 {
        for link in links.iter_mut() {
            *link &= !uncertain;
        }
        let mut walk = Walk::new(graph);
        for (bit, &target) in targets.iter().enumerate().filter(|(bit, _)| uncertain >> bit & 1 == 1) {
            walk.run(graph, steps, target, 1 << bit, links);
        }
    }
}

/// All walks at once; returns those for which the outcome is not certain.
fn mark_in_waves(graph: &SwitchGraph, steps: &Steps, targets: &[NodeId], links: &mut [u64]) -> u64 {
    let mut met = vec![Met::default(); graph.num_switches()];
    let mut wave = vec![Wave::default(); graph.num_switches()];
    let mut next = wave.clone();
    for (bit, target) in targets.iter().enumerate() {
        wave[target.ix()].climbing |= 1 << bit;
        met[target.ix()].reached |= 1 << bit;
    }
    let everyone = u64::MAX >> (64 - targets.len());
    let mut uncertain = 0;
    let mut any_climbing = true;
    for _ in 1..=MAX_HOPS {
        let (mut any, mut climbers) = (false, 0);
        for switch in 0..graph.num_switches() {
            next[switch] = Wave::default();
            let Met { reached, descended } = met[switch];
            if reached == everyone && !(any_climbing && descended != 0) {
                continue;
            }
            let (mut climbing, mut descending) = (0, 0);
            for link in graph.links(switch) {
                let from = wave[graph.peer[link] as usize];
                if steps.enters_up[link] {
                    climbing |= from.climbing;
                } else {
                    descending |= from.climbing | from.descending;
                }
            }
            uncertain |= climbing & (descending & !reached | descended);
            let new = (climbing | descending) & !reached;
            if new == 0 {
                continue;
            }
            for link in graph.links(switch) {
                let from = wave[graph.peer[link] as usize];
                let legal =
                    if steps.enters_up[link] { from.climbing } else { from.climbing | from.descending };
                links[link] |= legal & new;
            }
            next[switch] = Wave { climbing: climbing & new, descending: descending & new };
            met[switch] = Met { reached: reached | new, descended: descended | descending & new };
            any = true;
            climbers |= climbing & new;
        }
        if !any || uncertain == everyone {
            break;
        }
        any_climbing = climbers != 0;
        std::mem::swap(&mut wave, &mut next);
    }
    uncertain
}

/// The walk from one target, step by step.
struct Walk {
    hops: Vec<u8>,
    least: Vec<u8>,
    climbed: Vec<bool>,
    queued: Vec<bool>,
    queue: Vec<u32>,
}

const UNREACHED: u8 = 255;

impl Walk {
    fn new(graph: &SwitchGraph) -> Self {
        let switches = graph.num_switches();
        Self {
            hops: vec![UNREACHED; graph.num_links()],
            least: vec![UNREACHED; switches],
            climbed: vec![false; switches],
            queued: vec![false; switches],
            queue: Vec::with_capacity(2 * switches),
        }
    }

    /// Sets `bit` on the links by which the switches are nearest to `target`.
    fn run(&mut self, graph: &SwitchGraph, steps: &Steps, target: NodeId, bit: u64, links: &mut [u64]) {
        self.hops.fill(UNREACHED);
        self.least.fill(UNREACHED);
        self.least[target.ix()] = 0;
        self.climbed[target.ix()] = true;
        self.queue.clear();
        self.queue.push(target.0);
        let mut head = 0;
        while let Some(&switch) = self.queue.get(head) {
            head += 1;
            let switch = switch as usize;
            self.queued[switch] = false;
            for step in steps.from(graph, switch, self.climbed[switch]) {
                let (to, back) = (step.to as usize, step.back as usize);
                let hops = self.least[switch].saturating_add(1);
                if hops >= self.hops[back] {
                    continue;
                }
                self.hops[back] = hops;
                if hops < self.least[to] {
                    if self.least[to] != UNREACHED {
                        for link in &mut links[graph.links(to)] {
                            *link &= !bit;
                        }
                    }
                    self.least[to] = hops;
                }
                if hops == self.least[to] {
                    links[back] |= bit;
                }
                if !self.queued[to] {
                    self.queued[to] = true;
                    self.climbed[to] = step.up;
                    self.queue.push(step.to);
                }
            }
        }
    }
}
