//! The channel dependency graph of one VL, and the search for its cycles.

use rustc_hash::FxHashMap;

use super::paths::{NONE, Route, SubnetPaths};

/// Which channels of a VL wait for which. A channel's dependencies have small numbers, see
/// [`SubnetPaths::dependency`].
pub(super) struct LaneCdg {
    /// By dependency: the paths that induce it.
    count: Vec<u32>,
    /// By channel, from its first dependency on: its dependencies in the order in which they arose.
    list: Vec<u8>,
    /// By channel: the number of its dependencies.
    len: Vec<u8>,
    /// The channels in the order in which they were first used.
    channels: Vec<u32>,
    known: Vec<bool>,
    /// When each route came to this VL; none on the first, where all are in their own order.
    arrivals: Option<FxHashMap<Route, u32>>,
}

impl LaneCdg {
    /// The graph of all paths.
    pub(super) fn first(paths: &SubnetPaths<'_>) -> Self {
        let mut cdg = Self { arrivals: None, ..Self::empty(paths) };
        for route in paths.routes() {
            cdg.add(paths, route);
        }
        cdg
    }

    /// The graph of no path.
    pub(super) fn empty(paths: &SubnetPaths<'_>) -> Self {
        Self {
            count: vec![0; paths.num_dependencies()],
            list: vec![0; paths.num_dependencies()],
            len: vec![0; paths.num_channels()],
            channels: Vec::new(),
            known: vec![false; paths.num_channels()],
            arrivals: Some(FxHashMap::default()),
        }
    }

    /// Adds the paths of a route.
    pub(super) fn add(&mut self, paths: &SubnetPaths<'_>, route: Route) {
        if let Some(arrivals) = &mut self.arrivals {
            let number = arrivals.len() as u32;
            arrivals.insert(route, number);
        }
        let weight = paths.weight(route);
        paths.follow(route, |before, channel| {
            if !std::mem::replace(&mut self.known[channel as usize], true) {
                self.channels.push(channel);
            }
            if before == NONE {
                return;
            }
            let (first, dependency) = (paths.first_dependency(before), paths.dependency(before, channel));
            let count = &mut self.count[first + usize::from(dependency)];
            if *count == 0 {
                self.list[first + usize::from(self.len[before as usize])] = dependency;
                self.len[before as usize] += 1;
            }
            *count += weight;
        });
    }

    /// Takes the paths of a route away; the dependencies that they induced stay in the graph.
    pub(super) fn subtract(&mut self, paths: &SubnetPaths<'_>, route: Route) {
        let weight = paths.weight(route);
        paths.follow(route, |before, channel| {
            if before != NONE {
                let dependency = usize::from(paths.dependency(before, channel));
                self.count[paths.first_dependency(before) + dependency] -= weight;
            }
        });
    }

    /// Takes a dependency out of the graph.
    pub(super) fn remove(&mut self, paths: &SubnetPaths<'_>, channel: u32, next: u32) {
        let (first, dependency) = (paths.first_dependency(channel), paths.dependency(channel, next));
        let list = &mut self.list[first..][..usize::from(self.len[channel as usize])];
        if let Some(index) = list.iter().position(|&d| d == dependency) {
            list.copy_within(index + 1.., index);
            self.len[channel as usize] -= 1;
        }
    }

    /// Puts routes into the order in which they came to this VL.
    pub(super) fn sort(&self, paths: &SubnetPaths<'_>, routes: &mut [Route]) {
        match &self.arrivals {
            None => routes.sort_by_key(|&route| paths.order(route)),
            Some(arrivals) => routes.sort_by_key(|route| arrivals.get(route).copied()),
        }
    }

    /// The channels that a channel waits for, in the order in which they were found.
    fn nexts(&self, paths: &SubnetPaths<'_>, channel: u32) -> impl Iterator<Item = u32> {
        let list = &self.list[paths.first_dependency(channel)..][..usize::from(self.len[channel as usize])];
        list.iter().map(move |&dependency| paths.next_channel(channel, dependency))
    }

    /// How many paths induce a dependency.
    pub(super) fn count(&self, paths: &SubnetPaths<'_>, channel: u32, next: u32) -> u32 {
        self.count[paths.first_dependency(channel) + usize::from(paths.dependency(channel, next))]
    }

    /// All channels in the order in which OpenSM looks through them: it files them, as they come, in a
    /// search tree that is never balanced, and looks at a node, its left side, its right side.
    fn in_tree_order(&self, paths: &SubnetPaths<'_>) -> Vec<u32> {
        // The tree is the one whose keys are in symmetric order and whose nodes came after their
        // parents (J. Vuillemin, "A unifying look at data structures", CACM 23(4), 1980).
        let mut sorted: Vec<u32> = (0..self.channels.len() as u32).collect();
        sorted.sort_by_key(|&number| paths.key(self.channels[number as usize]));
        let mut children = vec![[NONE; 2]; sorted.len()];
        let mut right_edge: Vec<u32> = Vec::new();
        for number in sorted {
            let mut below = NONE;
            while let Some(last) = right_edge.pop_if(|last| *last > number) {
                below = last;
            }
            children[number as usize][0] = below;
            if let Some(&parent) = right_edge.last() {
                children[parent as usize][1] = number;
            }
            right_edge.push(number);
        }
        let mut order = Vec::with_capacity(self.channels.len());
        let mut open: Vec<u32> = right_edge.first().copied().into_iter().collect();
        while let Some(number) = open.pop() {
            order.push(self.channels[number as usize]);
            let [left, right] = children[number as usize];
            open.extend([right, left].into_iter().filter(|&child| child != NONE));
        }
        order
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    Unseen,
    /// Between the start of the search and the present channel.
    Open,
    Done,
}

/// A depth-first search for cycles that goes on where it was when a cycle was broken.
pub(super) struct LaneCycleSearch {
    order: Vec<u32>,
    /// All channels before this index in the order have been seen.
    seen: usize,
    /// By channel: its index in the order.
    index: Vec<u32>,
    state: Vec<State>,
    /// By channel: the one that the search came from last; also where the channel has become unseen since,
    /// and was then taken from the order.
    before: Vec<u32>,
    at: u32,
}

impl LaneCycleSearch {
    /// Begins on a graph.
    pub(super) fn new(cdg: &LaneCdg, paths: &SubnetPaths<'_>) -> Self {
        let order = cdg.in_tree_order(paths);
        let mut index = vec![NONE; paths.num_channels()];
        for (number, &channel) in (0..).zip(&order) {
            index[channel as usize] = number;
        }
        let before = vec![NONE; index.len()];
        Self { order, seen: 0, state: vec![State::Unseen; index.len()], index, before, at: NONE }
    }

    /// Finds the next cycle, and on it the dependency that fewest paths induce; none where there is no
    /// cycle any more. The dependency must be removed before the next call.
    pub(super) fn next_cycle(&mut self, cdg: &LaneCdg, paths: &SubnetPaths<'_>) -> Option<(u32, u32)> {
        loop {
            if self.at == NONE {
                let rest = &self.order[self.seen..];
                self.seen += rest.iter().position(|&c| self.state[c as usize] == State::Unseen)?;
                self.at = self.order[self.seen];
            }
            self.state[self.at as usize] = State::Open;
            let next = cdg.nexts(paths, self.at).find(|&c| self.state[c as usize] != State::Done);
            match next.map(|next| (next, self.state[next as usize])) {
                None => {
                    self.state[self.at as usize] = State::Done;
                    let before = self.before[self.at as usize];
                    let is_done = before != NONE && self.state[before as usize] == State::Done;
                    self.at = if is_done { NONE } else { before };
                }
                Some((next, State::Open)) => return Some(self.least(cdg, paths, next)),
                Some((next, _)) => {
                    self.before[next as usize] = self.at;
                    self.at = next;
                }
            }
        }
    }

    /// The least used dependency of the cycle through `start`, which is where the search goes on; all
    /// its channels become unseen.
    fn least(&mut self, cdg: &LaneCdg, paths: &SubnetPaths<'_>, start: u32) -> (u32, u32) {
        let mut cycle = vec![self.at];
        while self.at != start {
            self.at = self.before[self.at as usize];
            cycle.push(self.at);
        }
        cycle.reverse();
        let nexts = cycle.iter().skip(1).chain(cycle.first());
        let dependencies = cycle.iter().copied().zip(nexts.copied());
        let least = dependencies.min_by_key(|&(channel, next)| cdg.count(paths, channel, next));
        for &channel in &cycle {
            self.state[channel as usize] = State::Unseen;
            self.seen = self.seen.min(self.index[channel as usize] as usize);
        }
        least.unwrap_or((start, start))
    }
}
