//! Dijkstra's algorithm within D: paths from all switches to one destination that close no cycle.
//!
//! Paths are found from the destination outward; a packet takes the cables of their channels in the other direction.

use super::cdg::Cdg;
use super::escape;
use super::network::{INFINITY, NONE, SwitchNetwork};
use crate::routing::common::heap::Heap;

/// A search and its memory.
#[derive(Debug)]
pub(super) struct PathSearch {
    /// By switch: how far it is from the destination.
    pub distance: Vec<u64>,
    /// By switch: the channel that leads to it.
    pub used: Vec<u32>,
    /// By channel: how far its end is by it.
    pub by_channel: Vec<u64>,
    /// Channels that could lead to a switch too, in the order in which they were found.
    pub kept: Vec<u32>,
    /// By channel: whether it is among `kept`.
    is_kept: Vec<bool>,
    /// By switch: the channels of `kept` that [`PathSearch::backtrack`] may take.
    pub serving: Vec<Vec<u32>>,
    /// The colour of this step.
    pub colour: u32,
    /// How many impasses there were.
    impasses: u32,
    /// By switch: after how many impasses it was found.
    found_after: Vec<u32>,
    heap: Heap<u64>,
}

impl PathSearch {
    pub fn new(network: &SwitchNetwork) -> Self {
        Self {
            distance: vec![INFINITY; network.len()],
            used: vec![NONE; network.len()],
            by_channel: vec![0; network.num_channels() + network.len()],
            kept: Vec::new(),
            is_kept: vec![false; network.num_channels()],
            serving: vec![Vec::new(); network.len()],
            colour: 0,
            impasses: 0,
            found_after: vec![0; network.len()],
            heap: Heap::new(network.num_channels()),
        }
    }

    /// Finds the paths to a switch; [`PathSearch::used`] is what leads to each other one. `tree`: the escape
    /// paths.
    pub fn run(&mut self, network: &SwitchNetwork, cdg: &mut Cdg, tree: &[u32], edge_switch: u32) {
        self.distance.fill(INFINITY);
        self.used.fill(NONE);
        self.found_after.fill(u32::MAX);
        self.kept.drain(..).for_each(|channel| self.is_kept[channel as usize] = false);
        let source = network.source(edge_switch);
        self.colour = cdg.begin(source);
        self.impasses = 0;
        self.distance[edge_switch as usize] = 0;
        self.by_channel[source as usize] = 0;
        let mut found = 1;
        let mut next = Some(source);
        while let Some(node) = next {
            found += self.expand(network, cdg, node);
            next = self.heap.pop().map(|(_, channel)| channel);
            if next.is_none() && found < network.len() {
                next = self.backtrack(network, cdg, edge_switch);
                if next.is_some() {
                    found += 1;
                    self.impasses += 1;
                } else {
                    self.used = escape::rerooted(network, tree, edge_switch);
                }
            }
        }
        cdg.finish(network, &self.used, source);
    }

    /// Looks at the edges of a node, the used ones first; how many switches are found.
    fn expand(&mut self, network: &SwitchNetwork, cdg: &mut Cdg, node: u32) -> usize {
        let first = network.channels(network.end(node)).start;
        let so_far = self.by_channel[node as usize];
        let mut found = 0;
        for is_used in [true, false] {
            for word in 0..cdg.words() {
                let mut left = cdg.edges(node, is_used, word);
                while left != 0 {
                    let bit = left.trailing_zeros();
                    left &= left - 1;
                    let channel = first + 64 * word + bit;
                    let far = network.to[channel as usize] as usize;
                    let new = so_far + network.weight[channel as usize];
                    if new < self.distance[far] {
                        found += usize::from(self.extend(network, cdg, node, channel, new));
                        // The edges may be others now; those looked at are behind.
                        left = cdg.edges(node, is_used, word) >> bit >> 1 << 1 << bit;
                    } else if is_used && (self.impasses == 0 || self.used[far] == NONE) {
                        self.by_channel[channel as usize] = new;
                        self.remember(channel);
                    }
                }
            }
        }
        found
    }

    /// Goes on from a node by a channel to a switch that is nearer by it; whether it is found by that.
    fn extend(&mut self, network: &SwitchNetwork, cdg: &mut Cdg, node: u32, channel: u32, new: u64) -> bool {
        let far = network.to[channel as usize] as usize;
        let old = self.used[far];
        let Some(edge) = cdg.edge(network, node, channel) else { return false };
        if !cdg.take(network, node, channel, edge, self.colour) {
            return false;
        }
        if self.impasses > 0 && old != NONE && self.found_after[far] != self.impasses {
            if !self.is_shortcut(network, cdg, far as u32, channel) {
                return false;
            }
        } else {
            if old == NONE {
                self.found_after[far] = self.impasses;
            } else {
                self.heap.delete(old);
                let before = self.used[network.from[old as usize] as usize];
                if before != NONE
                    && let Some(edge) = cdg.edge(network, before, old)
                {
                    cdg.release(edge);
                }
            }
            self.by_channel[channel as usize] = new;
            self.heap.insert(new, channel);
        }
        self.distance[far] = new;
        self.used[far] = channel;
        old == NONE
    }

    /// Keeps a channel that could lead to a switch too.
    pub fn remember(&mut self, channel: u32) {
        if !std::mem::replace(&mut self.is_kept[channel as usize], true) {
            self.kept.push(channel);
        }
    }
}
