//! Dijkstra's algorithm within D: paths from all switches to one destination that close no cycle.
//!
//! Paths are found from the destination outward; a packet takes their channels' cables the other way.

use super::cdg::Cdg;
use super::escape;
use super::heap::Heap;
use super::network::{INFINITY, NONE, Network};

/// A search and its memory.
#[derive(Debug)]
pub(super) struct Search {
    /// By switch: how far it is …
    pub distance: Vec<u64>,
    /// … and the channel that leads to it.
    pub used: Vec<u32>,
    /// By channel: how far its end is by it.
    pub by_channel: Vec<u64>,
    /// Channels that could lead to a switch too, in the order in which they were found …
    pub kept: Vec<u32>,
    /// … and by channel, whether it is one of them.
    is_kept: Vec<bool>,
    /// By switch: those of them that [`Search::backtrack`] may take.
    pub serving: Vec<Vec<u32>>,
    /// By switch: after how many impasses it was found.
    found_after: Vec<u32>,
    heap: Heap,
}

impl Search {
    pub fn new(network: &Network) -> Self {
        Self {
            distance: vec![INFINITY; network.len()],
            used: vec![NONE; network.len()],
            by_channel: vec![0; network.num_channels() + network.len()],
            kept: Vec::new(),
            is_kept: vec![false; network.num_channels()],
            serving: vec![Vec::new(); network.len()],
            found_after: vec![0; network.len()],
            heap: Heap::new(network.num_channels()),
        }
    }

    /// Finds the paths to a switch; [`Search::used`] is what leads to each other one. `tree`: the escape
    /// paths.
    pub fn run(&mut self, network: &Network, cdg: &mut Cdg, tree: &[u32], home: u32) {
        self.distance.fill(INFINITY);
        self.used.fill(NONE);
        self.found_after.fill(u32::MAX);
        self.kept.drain(..).for_each(|channel| self.is_kept[channel as usize] = false);
        let source = network.source(home);
        let colour = cdg.begin(source);
        self.distance[home as usize] = 0;
        self.by_channel[source as usize] = 0;
        let mut found = 1;
        let mut impasses = 0;
        let mut next = Some(source);
        while let Some(node) = next {
            found += self.expand(network, cdg, node, colour, impasses);
            next = self.heap.pop();
            if next.is_none() && found < network.len() {
                next = self.backtrack(network, cdg, home, colour);
                if next.is_some() {
                    found += 1;
                    impasses += 1;
                } else {
                    self.used = escape::rerooted(network, tree, home);
                }
            }
        }
        cdg.finish(network, &self.used, source);
    }

    /// Looks at the edges of a node, the used ones first; how many switches are found.
    fn expand(&mut self, network: &Network, cdg: &mut Cdg, node: u32, colour: u32, impasses: u32) -> usize {
        let first = network.channels(network.end(node)).start;
        let mut found = 0;
        for is_used in [true, false] {
            let mut place = 0;
            while let Some(at) = cdg.next_edge(node, is_used, place) {
                place = at + 1;
                let channel = first + at;
                let far = network.to[channel as usize] as usize;
                let new = self.by_channel[node as usize] + network.weight[channel as usize];
                let old = self.used[far];
                if new >= self.distance[far] {
                    if is_used && (impasses == 0 || old == NONE) {
                        self.by_channel[channel as usize] = new;
                        self.remember(channel);
                    }
                    continue;
                }
                let Some(edge) = cdg.edge(network, node, channel) else { continue };
                if !cdg.take(network, node, channel, edge, colour) {
                    continue;
                }
                if impasses > 0 && old != NONE && self.found_after[far] != impasses {
                    if !self.is_shortcut(network, cdg, far as u32, channel, colour) {
                        continue;
                    }
                } else {
                    if old == NONE {
                        found += 1;
                        self.found_after[far] = impasses;
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
            }
        }
        found
    }

    /// Keeps a channel that could lead to a switch too.
    pub fn remember(&mut self, channel: u32) {
        if !std::mem::replace(&mut self.is_kept[channel as usize], true) {
            self.kept.push(channel);
        }
    }
}
