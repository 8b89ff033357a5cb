//! The channels of one subnet, and the shortest path from each of its switches to each other one.
//!
//! A channel is an ordered pair of neighbouring switches: of parallel cables only that at the lowest port is
//! used, or all of them in turn, as its ports say.

use super::mesh::Link;
use crate::routing::common::channels::Channels;

/// No channel: a path of no hops.
const NONE: u8 = u8::MAX;

/// The shortest paths between the switches of a subnet, which are numbered from 0.
pub(super) struct SwitchPaths {
    /// Out of each switch in the order of its links.
    pub channels: Channels,
    /// The ports by which a channel is left, in turn.
    ports: Vec<Vec<u8>>,
    /// By target and switch, which of the switch's channels starts the path; shape
    /// `(switches, switches)`.
    starts: Vec<u8>,
}

impl SwitchPaths {
    /// The channels of switches with these links, and the paths of OpenSM's `lash`.
    pub fn of(links: Vec<Vec<Link>>) -> Self {
        let (mut first, mut head, mut ports) = (vec![0], Vec::new(), Vec::new());
        for own in links {
            for link in own {
                head.push(link.to as u32);
                ports.push(link.ports);
            }
            first.push(head.len() as u32);
        }
        let mut channels = Channels::new(first, head, Vec::new());
        channels.back = backs(&channels);
        let starts = starts(&channels);
        Self { channels, ports, starts }
    }

    /// Number of switches.
    pub fn num_switches(&self) -> usize {
        self.channels.num_switches()
    }

    /// The first channel on the path from one switch to another; none from a switch to itself.
    pub fn start(&self, from: usize, to: usize) -> Option<usize> {
        let start = self.starts[to * self.num_switches() + from];
        (start != NONE).then(|| self.channels.channel(from as u32, usize::from(start)))
    }

    /// The ports by which packets for a switch leave another, in turn; none at the switch itself.
    pub fn ports(&self, from: usize, to: usize) -> Option<(usize, &[u8])> {
        self.start(from, to).map(|c| (c, self.ports[c].as_slice()))
    }

    /// Appends each two channels that follow each other on the path from one switch to another.
    pub fn turns(&self, from: usize, to: usize, turns: &mut Vec<(u32, u32)>) {
        let Some(mut last) = self.start(from, to) else { return };
        while let Some(next) = self.start(self.channels.head[last] as usize, to) {
            turns.push((last as u32, next as u32));
            last = next;
        }
    }
}

/// By channel, that of the other direction: channels sorted by their heads, tails ascending, are
/// the reversed channels sorted by their tails, heads ascending.
fn backs(channels: &Channels) -> Vec<u32> {
    let Channels { head, tail, .. } = channels;
    let mut outgoing: Vec<u32> = (0..channels.len() as u32).collect();
    let mut incoming = outgoing.clone();
    outgoing.sort_unstable_by_key(|&c| (tail[c as usize], head[c as usize]));
    incoming.sort_unstable_by_key(|&c| (head[c as usize], tail[c as usize]));
    let mut back = vec![0; channels.len()];
    for (&out, &into) in outgoing.iter().zip(&incoming) {
        back[out as usize] = into;
    }
    back
}

/// Breadth-first trees from every switch in order. Each gives every switch above another one in
/// it the path down to that, unless an earlier tree gave one. Gives the index of each path's first channel.
fn starts(channels: &Channels) -> Vec<u8> {
    let n = channels.num_switches();
    let mut starts = vec![NONE; n * n];
    // Switches of a tree in the order in which they join it, and by switch the channel to it.
    let mut joined: Vec<u32> = Vec::with_capacity(n);
    let mut parent = vec![u32::MAX; n];
    for root in 0..n {
        parent.fill(u32::MAX);
        joined.clear();
        joined.push(root as u32);
        let mut next = 0;
        while let Some(&here) = joined.get(next).filter(|_| joined.len() < n) {
            next += 1;
            for c in channels.out_of(here) {
                let far = channels.head[c];
                if far as usize != root && parent[far as usize] == u32::MAX {
                    parent[far as usize] = c as u32;
                    joined.push(far);
                }
            }
        }
        for &below in &joined[1..] {
            let first_hops = &mut starts[below as usize * n..][..n];
            let mut at = below as usize;
            while at != root {
                let c = parent[at] as usize;
                let above = channels.tail[c] as usize;
                let start = &mut first_hops[above];
                if *start == NONE {
                    *start = channels.index(c) as u8;
                }
                at = above;
            }
        }
    }
    starts
}
