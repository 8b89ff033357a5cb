//! The channels of one subnet, and the shortest path from each of its switches to each other one.
//!
//! Of parallel cables only that at the lowest port is used, so a channel is an ordered pair of
//! neighbouring switches.

use crate::fabric::NodeId;
use crate::routing::graph::SwitchGraph;

/// No channel: a path of no hops.
const NONE: u8 = u8::MAX;

/// Channels and paths. Switches are numbered from 0 in the order of `members`; the channels out of
/// a switch are consecutive, by port.
pub(super) struct Channels {
    /// First channel out of each switch, and the end.
    first: Vec<u32>,
    /// The switch that a channel leads to.
    pub head: Vec<u32>,
    /// The channel of the other direction.
    pub back: Vec<u32>,
    /// The port by which it is left.
    port: Vec<u8>,
    /// By target and switch, which of the switch's channels starts the path; shape
    /// `(switches, switches)`.
    starts: Vec<u8>,
}

impl Channels {
    /// The channels between the switches of one subnet, and the paths of OpenSM's `lash`.
    pub fn of(graph: &SwitchGraph, members: &[NodeId]) -> Self {
        let mut number = vec![u32::MAX; graph.num_switches()];
        for (&switch, n) in members.iter().zip(0..) {
            number[switch.ix()] = n;
        }
        let mut channels =
            Self { first: vec![0], head: Vec::new(), back: Vec::new(), port: Vec::new(), starts: Vec::new() };
        // By switch, the channel to it from the switch at hand.
        let mut known = vec![u32::MAX; members.len()];
        for (here, switch) in members.iter().enumerate() {
            let from = channels.head.len();
            for link in graph.links(switch.ix()) {
                let far = number[graph.peer[link] as usize] as usize;
                if far != here && known[far] == u32::MAX {
                    known[far] = channels.head.len() as u32;
                    channels.head.push(far as u32);
                    channels.port.push(graph.port[link]);
                }
            }
            for &far in &channels.head[from..] {
                known[far as usize] = u32::MAX;
            }
            channels.first.push(channels.head.len() as u32);
        }
        channels.back = channels.backs();
        channels.starts = channels.paths();
        channels
    }

    /// By channel, that of the other direction: channels sorted by their heads, tails ascending, are
    /// the reversed channels sorted by their tails, heads ascending.
    fn backs(&self) -> Vec<u32> {
        let mut outgoing: Vec<u32> = (0..self.head.len() as u32).collect();
        let mut incoming = outgoing.clone();
        let tail = self.tails();
        outgoing.sort_unstable_by_key(|&c| (tail[c as usize], self.head[c as usize]));
        incoming.sort_unstable_by_key(|&c| (self.head[c as usize], tail[c as usize]));
        let mut back = vec![0; self.head.len()];
        for (&out, &into) in outgoing.iter().zip(&incoming) {
            back[out as usize] = into;
        }
        back
    }

    fn tails(&self) -> Vec<u32> {
        let mut tail = Vec::with_capacity(self.head.len());
        for (switch, ends) in (0..).zip(self.first.windows(2)) {
            tail.resize(tail.len() + (ends[1] - ends[0]) as usize, switch);
        }
        tail
    }

    /// Breadth-first trees from every switch in order. Each gives every switch above another one in
    /// it the way down to that, unless an earlier tree gave one.
    fn paths(&self) -> Vec<u8> {
        let n = self.num_switches();
        let mut starts = vec![NONE; n * n];
        // Switches of a tree in the order in which they join it, and by switch the channel to it.
        let mut joined: Vec<u32> = Vec::with_capacity(n);
        let mut parent = vec![u32::MAX; n];
        let tail = self.tails();
        for root in 0..n {
            parent.fill(u32::MAX);
            joined.clear();
            joined.push(root as u32);
            let mut next = 0;
            while let Some(&here) = joined.get(next).filter(|_| joined.len() < n) {
                next += 1;
                for c in self.out_of(here as usize) {
                    let far = self.head[c];
                    if far as usize != root && parent[far as usize] == u32::MAX {
                        parent[far as usize] = c as u32;
                        joined.push(far);
                    }
                }
            }
            for &below in &joined[1..] {
                let ways = &mut starts[below as usize * n..][..n];
                let mut at = below as usize;
                while at != root {
                    let c = parent[at] as usize;
                    let above = tail[c] as usize;
                    let start = &mut ways[above];
                    if *start == NONE {
                        *start = (c as u32 - self.first[above]) as u8;
                    }
                    at = above;
                }
            }
        }
        starts
    }

    /// Number of switches.
    pub fn num_switches(&self) -> usize {
        self.first.len() - 1
    }

    /// Number of channels.
    pub fn len(&self) -> usize {
        self.head.len()
    }

    /// The channels out of a switch.
    pub fn out_of(&self, switch: usize) -> std::ops::Range<usize> {
        self.first[switch] as usize..self.first[switch + 1] as usize
    }

    /// The first channel on the way from one switch to another; none from a switch to itself.
    pub fn start(&self, from: usize, to: usize) -> Option<usize> {
        let start = self.starts[to * self.num_switches() + from];
        (start != NONE).then(|| self.first[from] as usize + usize::from(start))
    }

    /// The port by which packets for a switch leave another; 0 at the switch itself.
    pub fn port(&self, from: usize, to: usize) -> u8 {
        self.start(from, to).map_or(0, |c| self.port[c])
    }

    /// Appends each two channels that follow each other on the way from one switch to another.
    pub fn turns(&self, from: usize, to: usize, turns: &mut Vec<(u32, u32)>) {
        let Some(mut last) = self.start(from, to) else { return };
        while let Some(next) = self.start(self.head[last] as usize, to) {
            turns.push((last as u32, next as u32));
            last = next;
        }
    }
}
