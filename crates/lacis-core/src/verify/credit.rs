//! Credit loops: cycles in the channel dependency graph.
//!
//! A lossless link sends only when the far buffer has room. A packet that came in on one channel
//! (a link in one direction, named by its egress port) and must leave by another makes the first
//! wait for the second; when such waits close a cycle, all packets in it can stop permanently. On
//! one virtual lane the routes are free of this exactly when the dependency graph has no cycle.
//!
//! W. J. Dally, C. L. Seitz, "Deadlock-Free Message Routing in Multiprocessor Interconnection
//! Networks", IEEE Transactions on Computers C-36(5), 1987. Strongly connected components after
//! R. Tarjan, "Depth-first search and linear graph algorithms", SIAM J. Comput. 1(2), 1972.
//!
//! Where an engine assigns lanes, the vertices are pairs of channel and lane; on one lane they are
//! the channels. In what follows a *channel* is a vertex.
//!
//! | here       | in Tarjan's paper                                    |
//! |------------|------------------------------------------------------|
//! | `found`    | NUMBER                                               |
//! | `low`      | LOWLINK                                              |
//! | `open`     | the stack of points not yet put into a component     |
//! | `path`     | the recursion, as frames with the successors to come |

use super::counts::Counts;
use super::lanes::LaneDependencies;
use super::wiring::{NOT_A_SWITCH, Wiring};
use crate::bits::ones;

/// A component of channels that wait for each other, and its shortest cycle.
pub(super) struct LoopComponent {
    pub channels: usize,
    pub cycle: Vec<usize>,
}

/// The channel dependency graph.
pub(super) struct Dependencies<'a> {
    wiring: &'a Wiring,
    lanes: usize,
    bits: &'a [u64],
    words: usize,
}

impl<'a> Dependencies<'a> {
    /// All traffic on one lane.
    pub(super) fn new(wiring: &'a Wiring, counts: &'a Counts) -> Self {
        Self { wiring, lanes: 1, bits: &counts.depends, words: counts.words }
    }

    /// Lane by lane.
    pub(super) fn by_lane(wiring: &'a Wiring, found: &'a LaneDependencies) -> Self {
        Self { wiring, lanes: found.lanes, bits: &found.depends, words: found.words }
    }

    /// The switch that a channel leads to.
    fn next(&self, channel: usize) -> u32 {
        self.wiring.next[channel / self.lanes]
    }

    /// The inter-switch channels that packets on `channel` leave the next switch by, ascending.
    fn successors(&self, channel: usize) -> impl Iterator<Item = usize> + use<'a> {
        let Self { wiring, lanes, bits, words } = *self;
        let first = match self.next(channel) {
            NOT_A_SWITCH => 0,
            next => next as usize * wiring.width * lanes,
        };
        let row = &bits[channel * words..][..words];
        row.iter()
            .enumerate()
            .flat_map(move |(i, &word)| ones(word).map(move |bit| first + 64 * i + bit))
            .filter(move |&c| wiring.next[c / lanes] != NOT_A_SWITCH)
    }

    /// Every set of channels that wait for each other, ordered by the lowest channel of its
    /// shortest cycle.
    pub(super) fn components(&self) -> Vec<LoopComponent> {
        let (component, sizes) = self.tarjan();
        let mut found: Vec<LoopComponent> = Vec::new();
        let mut members: Vec<Vec<usize>> = Vec::new();
        let mut slot = vec![usize::MAX; sizes.len()];
        for channel in 0..component.len() {
            let id = component[channel] as usize;
            // Alone in its component, a channel waits for itself only through a cable from a switch
            // back to the same switch.
            let waits = |id: usize| sizes[id] > 1 || self.successors(channel).any(|c| c == channel);
            if component[channel] != UNSEEN && waits(id) {
                if slot[id] == usize::MAX {
                    slot[id] = members.len();
                    members.push(Vec::new());
                }
                members[slot[id]].push(channel);
            }
        }
        let mut search = LoopSearch::new(component.len(), if self.wiring.is_bipartite() { 2 } else { 1 });
        for channels in &members {
            let cycle = search.shortest_cycle(self, &component, channels);
            found.push(LoopComponent { channels: channels.len(), cycle });
        }
        found.sort_by(|a, b| a.cycle.cmp(&b.cycle));
        found
    }

    /// The component of every channel that has a dependency, and the components' sizes.
    fn tarjan(&self) -> (Vec<u32>, Vec<u32>) {
        let channels = self.wiring.next.len() * self.lanes;
        let mut component = vec![UNSEEN; channels];
        let mut sizes = Vec::new();
        let (mut found, mut low) = (vec![UNSEEN; channels], vec![0_u32; channels]);
        let (mut open, mut path, mut count) = (Vec::new(), Vec::new(), 0);
        for root in 0..channels {
            let row = &self.bits[root * self.words..][..self.words];
            if found[root] != UNSEEN || row.iter().all(|&w| w == 0) {
                continue;
            }
            path.push((root, self.successors(root)));
            while let Some((channel, successors)) = path.last_mut() {
                let channel = *channel;
                if found[channel] == UNSEEN {
                    (found[channel], low[channel]) = (count, count);
                    count += 1;
                    open.push(channel);
                }
                if let Some(next) = successors.next() {
                    if found[next] == UNSEEN {
                        path.push((next, self.successors(next)));
                    } else if component[next] == UNSEEN {
                        low[channel] = low[channel].min(found[next]);
                    }
                    continue;
                }
                path.pop();
                if let Some((parent, _)) = path.last() {
                    low[*parent] = low[*parent].min(low[channel]);
                }
                if low[channel] == found[channel] {
                    let id = sizes.len() as u32;
                    let start = open.iter().rposition(|&c| c == channel).unwrap_or(0);
                    sizes.push((open.len() - start) as u32);
                    for member in open.drain(start..) {
                        component[member] = id;
                    }
                }
            }
        }
        (component, sizes)
    }
}

const UNSEEN: u32 = u32::MAX;

/// Breadth-first search from channel to channel, reused from start to start.
struct LoopSearch {
    /// The start and the previous channel, for every channel that this start has reached.
    from: Vec<(u32, u32)>,
    queue: Vec<(u32, u32)>,
    /// By how many channels two cycles of different lengths differ at least: a cycle returns to its
    /// first switch, so if the switches are bipartite, as in every tree, all lengths are even.
    step: usize,
}

impl LoopSearch {
    fn new(channels: usize, step: usize) -> Self {
        Self { from: vec![(UNSEEN, UNSEEN); channels], queue: Vec::new(), step }
    }

    /// The shortest cycle through any of `channels`, which are one component; among equals that
    /// through the lowest channel. It starts with its lowest channel.
    fn shortest_cycle(&mut self, graph: &Dependencies, component: &[u32], channels: &[usize]) -> Vec<usize> {
        let mut best = Vec::new();
        for &start in channels {
            let limit = if best.is_empty() { channels.len() } else { best.len() - self.step };
            if let Some(last) = self.reach_back(graph, component, start, limit) {
                best.clear();
                let mut at = last;
                while at != start {
                    best.push(at);
                    at = self.from[at].1 as usize;
                }
                best.push(start);
                best.reverse();
                if best.len() <= 2 {
                    break;
                }
            }
        }
        let lowest = best.iter().enumerate().min_by_key(|&(_, &c)| c).map_or(0, |(i, _)| i);
        best.rotate_left(lowest);
        best
    }

    /// The channel that closes a cycle of at most `limit` channels through `start`.
    fn reach_back(
        &mut self,
        graph: &Dependencies,
        component: &[u32],
        start: usize,
        limit: usize,
    ) -> Option<usize> {
        self.queue.clear();
        self.queue.push((start as u32, 1));
        self.from[start] = (start as u32, UNSEEN);
        let mut done = 0;
        while let Some(&(channel, length)) = self.queue.get(done) {
            done += 1;
            if length as usize > limit {
                return None;
            }
            for next in graph.successors(channel as usize) {
                if next == start {
                    return Some(channel as usize);
                }
                if component[next] == component[start] && self.from[next].0 != start as u32 {
                    self.from[next] = (start as u32, channel);
                    self.queue.push((next as u32, length + 1));
                }
            }
        }
        None
    }
}
