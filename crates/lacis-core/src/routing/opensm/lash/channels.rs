//! The channels of one subnet, and the shortest path from each of its switches to each other one.
//!
//! A channel is an ordered pair of neighbouring switches: of parallel cables only that at the lowest port is
//! used, or all of them in turn, as its ports say.

use super::mesh::Link;

/// No channel: a path of no hops.
const NONE: u8 = u8::MAX;

/// Channels and paths. Switches are numbered from 0; the channels out of a switch are
/// consecutive, in the order of its links.
pub(super) struct Channels {
    /// First channel out of each switch, and the end.
    first: Vec<u32>,
    /// The switch that a channel leads to.
    pub head: Vec<u32>,
    /// The channel of the other direction.
    pub back: Vec<u32>,
    /// The ports by which it is left, in turn.
    ports: Vec<Vec<u8>>,
    /// By target and switch, which of the switch's channels starts the path; shape
    /// `(switches, switches)`.
    starts: Vec<u8>,
}

impl Channels {
    /// The channels of switches with these links, and the paths of OpenSM's `lash`.
    pub fn of(links: Vec<Vec<Link>>) -> Self {
        let mut channels = Self {
            first: vec![0],
            head: Vec::new(),
            back: Vec::new(),
            ports: Vec::new(),
            starts: Vec::new(),
        };
        for own in links {
            for link in own {
                channels.head.push(link.to as u32);
                channels.ports.push(link.ports);
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
    /// it the path down to that, unless an earlier tree gave one.
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
                let first_hops = &mut starts[below as usize * n..][..n];
                let mut at = below as usize;
                while at != root {
                    let c = parent[at] as usize;
                    let above = tail[c] as usize;
                    let start = &mut first_hops[above];
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

    /// The first channel on the path from one switch to another; none from a switch to itself.
    pub fn start(&self, from: usize, to: usize) -> Option<usize> {
        let start = self.starts[to * self.num_switches() + from];
        (start != NONE).then(|| self.first[from] as usize + usize::from(start))
    }

    /// The ports by which packets for a switch leave another, in turn; none at the switch itself.
    pub fn ports(&self, from: usize, to: usize) -> Option<(usize, &[u8])> {
        self.start(from, to).map(|c| (c, self.ports[c].as_slice()))
    }

    /// Appends each two channels that follow each other on the path from one switch to another.
    pub fn turns(&self, from: usize, to: usize, turns: &mut Vec<(u32, u32)>) {
        let Some(mut last) = self.start(from, to) else { return };
        while let Some(next) = self.start(self.head[last] as usize, to) {
            turns.push((last as u32, next as u32));
            last = next;
        }
    }
}
