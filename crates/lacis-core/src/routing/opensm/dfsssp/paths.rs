//! The paths of a subnet as chains of channels.

use rayon::prelude::*;

use crate::fabric::switch_graph::SwitchGraph;
use crate::fabric::{Fabric, NodeId};
use crate::routing::opensm::sssp::{Subnet, Target};
use crate::sm::Lft;
use crate::sm::lids::Lids;

/// No channel.
pub(super) const NONE: u32 = u32::MAX;

/// All paths from the end nodes on a switch to a LID.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Bunch {
    /// The switch.
    pub from: u32,
    /// The LID.
    pub to: u32,
}

/// The paths of a subnet. A channel is a link of the graph, walked from its near end.
pub(super) struct Paths<'a> {
    graph: &'a SwitchGraph,
    lft: &'a Lft,
    /// The tables by LID and switch, as paths to one LID are followed from many switches.
    port_to: Vec<u8>,
    targets: &'a [Target],
    /// By link: the number of the port at its far end.
    far_port: Vec<u8>,
    /// First port of each switch, and by port the link behind it.
    first_port: &'a [u32],
    link_of_port: Vec<u32>,
    /// The switches with end nodes, in the order of their first ones among the targets.
    sources: Vec<u32>,
    /// By switch: its place among the sources, and the LIDs of end nodes on it.
    rank: Vec<u32>,
    weight: Vec<u32>,
    /// By LID: its target, the last where there are several.
    target_of: Vec<u32>,
    /// The LIDs of several targets.
    contested: Vec<u32>,
    /// By switch: its LID, which decides where OpenSM files its channels.
    lid_of_switch: Vec<u32>,
    /// By channel: the place of its first dependency; one more than there are channels.
    first_dependency: Vec<u32>,
}

impl<'a> Paths<'a> {
    /// The paths of a subnet's end nodes.
    pub(super) fn of(
        fabric: &'a Fabric,
        lids: &Lids,
        graph: &'a SwitchGraph,
        lft: &'a Lft,
        subnet: &'a Subnet,
    ) -> Self {
        let first_port = fabric.raw_first_ports();
        let mut link_of_port = vec![NONE; first_port[fabric.num_switches()] as usize];
        for &switch in &subnet.switches {
            for link in graph.links(switch as usize) {
                let port = first_port[switch as usize] + u32::from(graph.port[link]);
                link_of_port[port as usize] = link as u32;
            }
        }
        let n = graph.num_switches();
        let (mut sources, mut rank, mut weight) = (Vec::new(), vec![NONE; n], vec![0; n]);
        let mut target_of = vec![NONE; lft.stride()];
        let mut contested = Vec::new();
        for (number, target) in (0..).zip(&subnet.targets) {
            for lid in target.lids.clone() {
                if std::mem::replace(&mut target_of[lid as usize], number) != NONE {
                    contested.push(lid);
                }
            }
            if target.port > 0 {
                let home = target.home as usize;
                if rank[home] == NONE {
                    rank[home] = sources.len() as u32;
                    sources.push(target.home);
                }
                weight[home] += target.lids.len() as u32;
            }
        }
        let mut first_dependency = vec![0];
        let mut end = 0;
        for &peer in &graph.peer {
            end += graph.links(peer as usize).len() as u32;
            first_dependency.push(end);
        }
        let lid_of_switch = fabric.switches().map(|s| lids.of_switch(fabric, s)).collect();
        let mut port_to = vec![0; n * lft.stride()];
        port_to.par_chunks_mut(n * 64).enumerate().for_each(|(tile, rows)| {
            for switch in 0..n {
                let entries = &lft.row(NodeId(switch as u32))[64 * tile..];
                for (row, &port) in rows.chunks_exact_mut(n).zip(entries) {
                    row[switch] = port;
                }
            }
        });
        let far_port = graph.back.iter().map(|&back| graph.port[back as usize]).collect();
        let targets = &subnet.targets;
        Self {
            graph,
            lft,
            port_to,
            targets,
            far_port,
            first_port,
            link_of_port,
            sources,
            rank,
            weight,
            target_of,
            contested,
            lid_of_switch,
            first_dependency,
        }
    }

    /// Number of pairs of LIDs of different ports.
    pub(super) fn num_pairs(&self) -> u64 {
        let lids: Vec<u64> = self.targets.iter().map(|t| t.lids.len() as u64).collect();
        let all: u64 = lids.iter().sum();
        lids.iter().map(|&n| n * (all - n)).sum()
    }

    /// All bunches that take any channel, in the order in which OpenSM comes to their first pairs.
    pub(super) fn bunches(&self) -> impl Iterator<Item = Bunch> {
        self.targets.iter().flat_map(move |target| {
            let sources = self.sources.iter().filter(|&&from| from != target.home);
            sources.flat_map(|&from| target.lids.clone().map(move |to| Bunch { from, to }))
        })
    }

    /// The place of a bunch in the order of [`Paths::bunches`].
    pub(super) fn place(&self, bunch: Bunch) -> (u32, u32, u32) {
        (self.target_of[bunch.to as usize], self.rank[bunch.from as usize], bunch.to)
    }

    /// Number of pairs of LIDs in a bunch.
    pub(super) fn weight(&self, bunch: Bunch) -> u32 {
        self.weight[bunch.from as usize]
    }

    /// The channel by which a switch sends to a LID; [`NONE`] where no switch follows.
    fn next(&self, switch: u32, lid: u32) -> u32 {
        let port = self.port_to[lid as usize * self.rank.len() + switch as usize];
        let number = self.first_port[switch as usize] + u32::from(port);
        let is_own = number < self.first_port[switch as usize + 1];
        if is_own { self.link_of_port[number as usize] } else { NONE }
    }

    /// A switch with end nodes, and a LID that packets from there never get to, as they come back to a switch
    /// where they were. Paths to a LID of one target cannot: each switch on them is nearer to it.
    pub(super) fn circle(&self) -> Option<(u32, u32)> {
        let pairs = self.contested.iter().flat_map(|&to| self.sources.iter().map(move |&from| (from, to)));
        pairs.into_iter().find(|&(from, to)| {
            let step = |&at: &u32| self.graph.peer.get(self.next(at, to) as usize).copied();
            std::iter::successors(Some(from), step).nth(self.rank.len()).is_some()
        })
    }

    /// Calls `visit` for each dependency of a bunch: the channel before, [`NONE`] for the first, and
    /// the channel. Ends where [`Paths::circle`] finds none.
    pub(super) fn follow(&self, bunch: Bunch, mut visit: impl FnMut(u32, u32)) {
        let (mut at, mut before) = (bunch.from, NONE);
        loop {
            let channel = self.next(at, bunch.to);
            if channel == NONE {
                return;
            }
            visit(before, channel);
            (at, before) = (self.graph.peer[channel as usize], channel);
        }
    }

    /// The bunches over one channel and then another of which `is_wanted` holds. These have `left` pairs of
    /// LIDs together, which tells when all are found.
    pub(super) fn over(
        &self,
        channel: u32,
        next: u32,
        mut left: u32,
        is_wanted: impl Fn(Bunch) -> bool,
    ) -> Vec<Bunch> {
        let near = self.graph.peer[self.graph.back[channel as usize] as usize];
        let far = self.graph.peer[channel as usize];
        let rows = [near, far].map(|switch| self.lft.row(NodeId(switch)));
        let ports = [channel, next].map(|link| self.graph.port[link as usize]);
        let mut found = Vec::new();
        let mut behind = Vec::new();
        for to in lids_by(rows, ports) {
            if left == 0 {
                break;
            }
            if self.target_of[to as usize] == NONE {
                continue;
            }
            behind.push(near);
            while let Some(switch) = behind.pop() {
                let bunch = Bunch { from: switch, to };
                if self.weight(bunch) > 0 && is_wanted(bunch) {
                    found.push(bunch);
                    left -= self.weight(bunch);
                }
                let row = &self.port_to[to as usize * self.rank.len()..][..self.rank.len()];
                let links = self.graph.links(switch as usize);
                let (peers, far_ports) = (&self.graph.peer[links.clone()], &self.far_port[links]);
                let neighbours = peers.iter().zip(far_ports);
                let sends = |&(&peer, &port): &(&u32, &u8)| row[peer as usize] == port;
                behind.extend(neighbours.filter(sends).map(|(&peer, _)| peer));
            }
        }
        found
    }

    /// Number of channels.
    pub(super) fn num_channels(&self) -> usize {
        self.graph.num_links()
    }

    /// Number of pairs of consecutive channels.
    pub(super) fn num_dependencies(&self) -> usize {
        self.first_dependency[self.num_channels()] as usize
    }

    /// The place of a channel's first dependency.
    pub(super) fn first_dependency(&self, channel: u32) -> usize {
        self.first_dependency[channel as usize] as usize
    }

    /// The place of a dependency, counted from the first of `channel`.
    pub(super) fn dependency(&self, channel: u32, next: u32) -> u8 {
        let first = self.graph.links(self.graph.peer[channel as usize] as usize).start;
        (next as usize - first) as u8
    }

    /// The channel that a dependency of `channel` leads to.
    pub(super) fn next_channel(&self, channel: u32, dependency: u8) -> u32 {
        let first = self.graph.links(self.graph.peer[channel as usize] as usize).start;
        first as u32 + u32::from(dependency)
    }

    /// What OpenSM sorts channels by.
    pub(super) fn key(&self, channel: u32) -> (u32, u32) {
        let near = self.graph.peer[self.graph.back[channel as usize] as usize];
        (self.lid_of_switch[near as usize], channel)
    }
}

/// The LIDs that one table row sends to one port and another row to another. They are few: most tiles of 64 hold
/// none, which the processor sees at once.
fn lids_by(rows: [&[u8]; 2], ports: [u8; 2]) -> impl Iterator<Item = u32> + '_ {
    let is_one = move |(first, second): (&u8, &u8)| (*first ^ ports[0]) | (*second ^ ports[1]) == 0;
    let tiles = (0..).step_by(64).zip(rows[0].chunks(64).zip(rows[1].chunks(64)));
    tiles
        .filter(move |(_, (a, b))| a.iter().zip(*b).fold(false, |any, pair| any | is_one(pair)))
        .flat_map(move |(start, (a, b))| {
            (start..).zip(a.iter().zip(b)).filter(move |&(_, pair)| is_one(pair))
        })
        .map(|(lid, _)| lid)
}
