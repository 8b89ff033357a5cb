//! OpenSM 3.3.23's walk over legal steps, from a target outwards.
//!
//! | here        | meaning                                                                      |
//! |-------------|------------------------------------------------------------------------------|
//! | `Direction` | whether a step climbs away from the hosts, descends to them, or does neither |
//! | `bound`     | that the last step descended: only after other steps may the walk climb      |
//! | `hops`      | length of the path to the target by a link, set at the link's near end       |
//! | `least`     | the smallest `hops` of a switch's links                                      |
//! | `penalty`   | what a climb after a descent costs, where it is not forbidden                |
//!
//! The walk is a queue of switches. After a descent it must not climb; a switch is queued afresh
//! whenever one of its links gets a shorter path, but it remembers one step only, the one that
//! queued it. So the result can differ from the set of all shortest legal paths.
//!
//! [`mark_legal`] walks from 64 targets at once, in waves, wherever that is certain to be the same:
//! while no switch is reached bound and free in one wave (the order in the queue would decide what
//! it remembers), and none that was reached bound is reached free later (it would then climb from
//! there). A switch queued afresh otherwise changes nothing: it has taken all its steps. On trees that
//! is always so; the other targets are walked one by one, to the letter.
//!
//! With a penalty some link queues every switch afresh, and free. That changes nothing as long
//! as no climb from a bound switch leads to where the walk has not been yet, and [`mark_in_waves`]
//! looks for just that.

use super::hop_weights::LeastHops;
use crate::fabric::NodeId;
use crate::fabric::switch_graph::SwitchGraph;
use crate::sm::hop_matrix::MAX_HOPS;

/// What a step does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::routing) enum Direction {
    /// Leads away from the hosts; not after a descent.
    Climb,
    /// Neither; the walk may climb after it.
    Level,
    /// Leads to the hosts.
    Descend,
}

/// What links do, by link.
pub(in crate::routing) struct LegalSteps {
    /// Walked from the near end.
    exit: Vec<Direction>,
    /// Walked from the far end.
    entry: Vec<Direction>,
}

impl LegalSteps {
    /// The steps of a fabric; `exit` says of each link what it does from its near end.
    pub fn new(graph: &SwitchGraph, exit: Vec<Direction>) -> Self {
        Self { entry: graph.back.iter().map(|&back| exit[back as usize]).collect(), exit }
    }
}

/// Which of the 64 walks have come to a switch, one bit each.
#[derive(Clone, Copy, Default)]
struct Met {
    /// Walks that have come here.
    reached: u64,
    /// Those of them that came descending.
    bound: u64,
}

/// The walks that are at a switch in one wave, by how they came.
#[derive(Clone, Copy, Default)]
struct Wave {
    free: u64,
    bound: u64,
}

impl Wave {
    /// Those that go on by a step.
    fn by(self, direction: Direction) -> u64 {
        if direction == Direction::Climb { self.free } else { self.free | self.bound }
    }
}

/// Sets, for each of up to 64 targets, its bit on the links by which the walk finds the shortest
/// paths to it.
pub(in crate::routing) fn mark_legal(
    graph: &SwitchGraph,
    steps: &LegalSteps,
    targets: &[NodeId],
    links: &mut [u64],
) {
    let Waves { uncertain, .. } = mark_in_waves(graph, steps, targets, links, false);
    mark_by_letter(graph, steps, targets, uncertain, |_| None, links);
}

/// How a walk in waves went.
#[derive(Clone, Copy)]
pub(in crate::routing) struct Waves {
    /// The targets for which the outcome is not certain, one bit each.
    pub uncertain: u64,
    /// Hops to the farthest switch.
    pub hops: u32,
}

/// As [`mark_legal`], all targets at once, and right except for those that it reports. `penalised` says
/// whether a climb after a descent has its price instead of being forbidden; what it costs must be
/// more than any legal path.
pub(in crate::routing) fn mark_in_waves(
    graph: &SwitchGraph,
    steps: &LegalSteps,
    targets: &[NodeId],
    links: &mut [u64],
    penalised: bool,
) -> Waves {
    let mut met = vec![Met::default(); graph.num_switches()];
    let mut wave = vec![Wave::default(); graph.num_switches()];
    let mut next = wave.clone();
    for (bit, target) in targets.iter().enumerate() {
        wave[target.ix()].free |= 1 << bit;
        met[target.ix()].reached |= 1 << bit;
    }
    let everyone = u64::MAX >> (64 - targets.len());
    let mut waves = Waves { uncertain: 0, hops: 0 };
    let any_level = steps.exit.contains(&Direction::Level);
    let mut any_free = true;
    for hops in 1..=MAX_HOPS {
        let (mut any, mut freed) = (false, 0);
        for switch in 0..graph.num_switches() {
            next[switch] = Wave::default();
            let Met { reached, bound: met_bound } = met[switch];
            if reached == everyone && (penalised || !(any_free && met_bound != 0)) {
                continue;
            }
            let (mut free, mut bound, mut forbidden) = (0, 0, 0);
            for link in graph.links(switch) {
                let from = wave[graph.peer[link] as usize];
                match steps.entry[link] {
                    Direction::Climb => (free, forbidden) = (free | from.free, forbidden | from.bound),
                    Direction::Level => free |= from.free | from.bound,
                    Direction::Descend => bound |= from.free | from.bound,
                }
            }
            waves.uncertain |=
                if penalised { forbidden & !reached } else { free & (bound & !reached | met_bound) };
            let new = (free | bound) & !reached;
            if new == 0 {
                continue;
            }
            for link in graph.links(switch) {
                links[link] |= wave[graph.peer[link] as usize].by(steps.entry[link]) & new;
            }
            next[switch] = Wave { free: free & new, bound: bound & new };
            met[switch] = Met { reached: reached | new, bound: met_bound | bound & new };
            any = true;
            freed |= free & new;
        }
        if !any || waves.uncertain == everyone {
            break;
        }
        waves.hops = hops;
        any_free = freed != 0 || any_level;
        std::mem::swap(&mut wave, &mut next);
    }
    waves
}

/// Sets the bits of the targets in `chosen` afresh, walking step by step; `penalty` by target.
pub(in crate::routing) fn mark_by_letter(
    graph: &SwitchGraph,
    steps: &LegalSteps,
    targets: &[NodeId],
    chosen: u64,
    penalty: impl Fn(NodeId) -> Option<u8>,
    links: &mut [u64],
) {
    if chosen == 0 {
        return;
    }
    for link in links.iter_mut() {
        *link &= !chosen;
    }
    let mut walk = LegalWalk::new(graph);
    for (bit, &target) in targets.iter().enumerate().filter(|(bit, _)| chosen >> bit & 1 == 1) {
        walk.run(graph, steps, target, penalty(target));
        walk.mark(graph, 1 << bit, links);
    }
}

/// Sets the bits of the targets in `chosen` afresh: first come all paths, as weights count them, then the
/// walk, which counts every hop as one.
pub(in crate::routing) fn mark_on_top(
    graph: &SwitchGraph,
    steps: &LegalSteps,
    weight: &[u8],
    targets: &[NodeId],
    chosen: u64,
    links: &mut [u64],
) {
    let (mut search, mut walk) = (LeastHops::new(graph), LegalWalk::new(graph));
    for (bit, &target) in targets.iter().enumerate().filter(|(bit, _)| chosen >> bit & 1 == 1) {
        search.run(graph, weight, target);
        search.copy_to(graph, weight, &mut walk.least, &mut walk.hops);
        walk.go_on(graph, steps, target, None);
        walk.mark(graph, 1 << bit, links);
    }
}

/// The walk from one target, step by step.
pub(in crate::routing) struct LegalWalk {
    /// By link, at its near end.
    pub hops: Vec<u8>,
    /// By switch.
    pub least: Vec<u8>,
    bound: Vec<bool>,
    queued: Vec<bool>,
    queue: Vec<u32>,
    longest: u8,
}

/// As hops: no path.
const UNREACHED: u8 = 255;

/// Paths of so many hops are too long for a penalty.
pub(in crate::routing) const TOO_LONG: u32 = 64;

impl LegalWalk {
    /// Before the first walk.
    pub fn new(graph: &SwitchGraph) -> Self {
        let switches = graph.num_switches();
        Self {
            hops: vec![UNREACHED; graph.num_links()],
            least: vec![UNREACHED; switches],
            bound: vec![false; switches],
            queued: vec![false; switches],
            queue: Vec::with_capacity(2 * switches),
            longest: 0,
        }
    }

    /// Walks from `target`.
    pub fn run(&mut self, graph: &SwitchGraph, steps: &LegalSteps, target: NodeId, penalty: Option<u8>) {
        self.hops.fill(UNREACHED);
        self.least.fill(UNREACHED);
        self.least[target.ix()] = 0;
        self.longest = 0;
        self.go_on(graph, steps, target, penalty);
    }

    /// Walks from `target` where there are paths already, and sets what is shorter.
    pub fn go_on(&mut self, graph: &SwitchGraph, steps: &LegalSteps, target: NodeId, penalty: Option<u8>) {
        self.bound[target.ix()] = false;
        self.queue.clear();
        self.queue.push(target.0);
        let mut head = 0;
        while let Some(&switch) = self.queue.get(head) {
            head += 1;
            let switch = switch as usize;
            self.queued[switch] = false;
            let bound = self.bound[switch];
            for link in graph.links(switch) {
                let is_forbidden = bound && steps.exit[link] == Direction::Climb;
                if is_forbidden && penalty.is_none() {
                    continue;
                }
                let (to, back) = (graph.peer[link] as usize, graph.back[link] as usize);
                let (mut so_far, before) = (self.least[switch], self.hops[back]);
                if let Some(penalty) = penalty.filter(|_| is_forbidden) {
                    so_far = so_far.wrapping_add(penalty);
                    if u32::from(so_far) >= TOO_LONG {
                        // As in OpenSM: the link loses the path that it had, unless this one is shorter.
                        self.hops[back] = UNREACHED;
                    }
                }
                let hops = so_far.saturating_add(1);
                if hops >= before {
                    continue;
                }
                self.hops[back] = hops;
                self.longest = self.longest.max(hops);
                self.least[to] = self.least[to].min(hops);
                if !self.queued[to] {
                    self.queued[to] = true;
                    self.bound[to] = steps.exit[link] == Direction::Descend;
                    self.queue.push(graph.peer[link]);
                }
            }
        }
    }

    /// Sets `bit` on the links by which the switches are nearest to the target.
    fn mark(&self, graph: &SwitchGraph, bit: u64, links: &mut [u64]) {
        for (switch, &least) in self.least.iter().enumerate().filter(|&(_, &least)| least != UNREACHED) {
            for link in graph.links(switch).filter(|&link| self.hops[link] == least) {
                links[link] |= bit;
            }
        }
    }

    /// The longest path that the walk has set on any link, also where a shorter one replaced it; 0 where
    /// there is none.
    pub fn longest(&self) -> u8 {
        self.longest
    }
}
