//! The channel dependency graph of one lane, and the search for its cycles.

use rustc_hash::FxHashMap;

use super::paths::{Bunch, NONE, Paths};

/// Which channels of a lane wait for which. A channel's dependencies are told by small numbers, see
/// [`Paths::dependency`].
pub(super) struct Lane {
    /// By dependency: the paths that induce it.
    count: Vec<u32>,
    /// By channel, from its first dependency on: its dependencies in the order in which they arose …
    list: Vec<u8>,
    /// … and how many these are.
    len: Vec<u8>,
    /// The channels in the order in which they were first used.
    channels: Vec<u32>,
    known: Vec<bool>,
    /// When each bunch came to this lane; none on the first, to which all come in their own order.
    arrivals: Option<FxHashMap<(u32, u32), u32>>,
}

impl Lane {
    /// The lane that all paths begin on.
    pub(super) fn first(paths: &Paths<'_>) -> Self {
        let mut lane = Self { arrivals: None, ..Self::empty(paths) };
        for bunch in paths.bunches() {
            lane.add(paths, bunch);
        }
        lane
    }

    /// A lane without paths.
    pub(super) fn empty(paths: &Paths<'_>) -> Self {
        Self {
            count: vec![0; paths.num_dependencies()],
            list: vec![0; paths.num_dependencies()],
            len: vec![0; paths.num_channels()],
            channels: Vec::new(),
            known: vec![false; paths.num_channels()],
            arrivals: Some(FxHashMap::default()),
        }
    }

    /// Adds a bunch of paths.
    pub(super) fn add(&mut self, paths: &Paths<'_>, bunch: Bunch) {
        if let Some(arrivals) = &mut self.arrivals {
            let number = arrivals.len() as u32;
            arrivals.insert((bunch.from, bunch.to), number);
        }
        let weight = paths.weight(bunch);
        paths.follow(bunch, |before, channel| {
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

    /// Takes a bunch of paths away; the dependencies that it induced stay in the graph.
    pub(super) fn subtract(&mut self, paths: &Paths<'_>, bunch: Bunch) {
        let weight = paths.weight(bunch);
        paths.follow(bunch, |before, channel| {
            if before != NONE {
                let place = paths.first_dependency(before) + usize::from(paths.dependency(before, channel));
                self.count[place] -= weight;
            }
        });
    }

    /// Takes a dependency out of the graph.
    pub(super) fn remove(&mut self, paths: &Paths<'_>, channel: u32, next: u32) {
        let (first, dependency) = (paths.first_dependency(channel), paths.dependency(channel, next));
        let list = &mut self.list[first..][..usize::from(self.len[channel as usize])];
        if let Some(place) = list.iter().position(|&d| d == dependency) {
            list.copy_within(place + 1.., place);
            self.len[channel as usize] -= 1;
        }
    }

    /// Puts bunches of this lane into the order in which they came to it.
    pub(super) fn sort(&self, paths: &Paths<'_>, bunches: &mut [Bunch]) {
        match &self.arrivals {
            None => bunches.sort_by_key(|&bunch| paths.place(bunch)),
            Some(arrivals) => bunches.sort_by_key(|bunch| arrivals.get(&(bunch.from, bunch.to)).copied()),
        }
    }

    /// The channels that one waits for, in the order in which they were found.
    fn nexts(&self, paths: &Paths<'_>, channel: u32) -> impl Iterator<Item = u32> {
        let list = &self.list[paths.first_dependency(channel)..][..usize::from(self.len[channel as usize])];
        list.iter().map(move |&dependency| paths.next_channel(channel, dependency))
    }

    /// How many paths induce a dependency.
    pub(super) fn count(&self, paths: &Paths<'_>, channel: u32, next: u32) -> u32 {
        self.count[paths.first_dependency(channel) + usize::from(paths.dependency(channel, next))]
    }

    /// All channels in the order in which OpenSM looks through them: it files them, as they come, in a
    /// search tree that is never balanced, and looks at a node, its left side, its right side.
    fn in_tree_order(&self, paths: &Paths<'_>) -> Vec<u32> {
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
    /// On the way from the start of the search to the present channel.
    Open,
    Done,
}

/// A depth-first search for cycles that goes on where it was when one of them was broken.
pub(super) struct Search {
    order: Vec<u32>,
    /// All channels before this place in the order have been seen.
    seen: usize,
    /// By channel: its place in the order.
    place: Vec<u32>,
    state: Vec<State>,
    /// By channel: the one that the search came from last. It goes back there also when the channel
    /// counts as unseen again, and was chosen anew from the order.
    before: Vec<u32>,
    at: u32,
}

impl Search {
    /// Begins on a lane.
    pub(super) fn new(lane: &Lane, paths: &Paths<'_>) -> Self {
        let order = lane.in_tree_order(paths);
        let mut place = vec![NONE; paths.num_channels()];
        for (number, &channel) in (0..).zip(&order) {
            place[channel as usize] = number;
        }
        let before = vec![NONE; place.len()];
        Self { order, seen: 0, state: vec![State::Unseen; place.len()], place, before, at: NONE }
    }

    /// Finds the next cycle, and on it the dependency that fewest paths induce; none where there is no
    /// cycle any more. The dependency must be removed before the next call.
    pub(super) fn next_cycle(&mut self, lane: &Lane, paths: &Paths<'_>) -> Option<(u32, u32)> {
        loop {
            if self.at == NONE {
                let rest = &self.order[self.seen..];
                self.seen += rest.iter().position(|&c| self.state[c as usize] == State::Unseen)?;
                self.at = self.order[self.seen];
            }
            self.state[self.at as usize] = State::Open;
            let next = lane.nexts(paths, self.at).find(|&c| self.state[c as usize] != State::Done);
            match next.map(|next| (next, self.state[next as usize])) {
                None => {
                    self.state[self.at as usize] = State::Done;
                    let before = self.before[self.at as usize];
                    let is_done = before != NONE && self.state[before as usize] == State::Done;
                    self.at = if is_done { NONE } else { before };
                }
                Some((next, State::Open)) => return Some(self.least(lane, paths, next)),
                Some((next, _)) => {
                    self.before[next as usize] = self.at;
                    self.at = next;
                }
            }
        }
    }

    /// The least used dependency of the cycle through `start`, which is where the search goes on; all
    /// its channels count as unseen again.
    fn least(&mut self, lane: &Lane, paths: &Paths<'_>, start: u32) -> (u32, u32) {
        let mut cycle = vec![self.at];
        while self.at != start {
            self.at = self.before[self.at as usize];
            cycle.push(self.at);
        }
        cycle.reverse();
        let nexts = cycle.iter().skip(1).chain(cycle.first());
        let dependencies = cycle.iter().copied().zip(nexts.copied());
        let least = dependencies.min_by_key(|&(channel, next)| lane.count(paths, channel, next));
        for &channel in &cycle {
            self.state[channel as usize] = State::Unseen;
            self.seen = self.seen.min(self.place[channel as usize] as usize);
        }
        least.unwrap_or((start, start))
    }
}
