//! The paths of a subnet as chains of channels.

use crate::fabric::switch_graph::SwitchGraph;
use crate::fabric::{Fabric, NodeId};
use crate::routing::common::transpose::ByDestination;
use crate::routing::opensm::sssp::{Destination, SsspSubnet};
use crate::sm::Lft;
use crate::sm::lids::Lids;

/// No channel.
pub(super) const NONE: u32 = u32::MAX;

/// From the end nodes on a switch to a LID.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct Route {
    /// The switch.
    pub from: u32,
    /// The LID.
    pub to: u32,
}

/// The paths of a subnet. A channel is a link of the graph, taken from its near end.
pub(super) struct SubnetPaths<'a> {
    graph: &'a SwitchGraph,
    lft: &'a Lft,
    /// The same by LID, as paths to one LID are followed from many switches.
    by_lid: &'a ByDestination,
    destinations: &'a [Destination],
    /// By link: the number of the port at its far end.
    far_port: Vec<u8>,
    /// By switch: its first port.
    first_port: &'a [u32],
    /// By port: the link behind it.
    link_of_port: Vec<u32>,
    /// The switches with end nodes, in the order of their first ones among the destinations.
    sources: Vec<u32>,
    /// By switch: its index among the sources.
    rank: Vec<u32>,
    /// By switch: how many LIDs end nodes on it have.
    weight: Vec<u32>,
    /// By LID: its destination, the last where there are several.
    destination_of: Vec<u32>,
    /// The LIDs of several destinations.
    given_twice: Vec<u32>,
    /// By switch: its LID, which decides where OpenSM files its channels.
    lid_of_switch: Vec<u32>,
    /// By channel: the index of its first dependency; one more than there are channels.
    first_dependency: Vec<u32>,
}

impl<'a> SubnetPaths<'a> {
    /// The paths of a subnet's end nodes.
    pub(super) fn of(
        fabric: &'a Fabric,
        lids: &Lids,
        graph: &'a SwitchGraph,
        lft: &'a Lft,
        by_lid: &'a ByDestination,
        subnet: &'a SsspSubnet,
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
        let mut destination_of = vec![NONE; lft.stride()];
        let mut given_twice = Vec::new();
        for (number, destination) in (0..).zip(&subnet.destinations) {
            for lid in destination.lids.clone() {
                if std::mem::replace(&mut destination_of[lid as usize], number) != NONE {
                    given_twice.push(lid);
                }
            }
            if destination.port > 0 {
                let switch = destination.switch as usize;
                if rank[switch] == NONE {
                    rank[switch] = sources.len() as u32;
                    sources.push(destination.switch);
                }
                weight[switch] += destination.lids.len() as u32;
            }
        }
        let mut first_dependency = vec![0];
        let mut end = 0;
        for &peer in &graph.peer {
            end += graph.links(peer as usize).len() as u32;
            first_dependency.push(end);
        }
        let lid_of_switch = fabric.switches().map(|s| lids.of_switch(fabric, s)).collect();
        let far_port = graph.back.iter().map(|&back| graph.port[back as usize]).collect();
        Self {
            graph,
            lft,
            by_lid,
            destinations: &subnet.destinations,
            far_port,
            first_port,
            link_of_port,
            sources,
            rank,
            weight,
            destination_of,
            given_twice,
            lid_of_switch,
            first_dependency,
        }
    }

    /// Number of pairs of LIDs of different ports.
    pub(super) fn num_pairs(&self) -> u64 {
        let lids: Vec<u64> = self.destinations.iter().map(|t| t.lids.len() as u64).collect();
        let all: u64 = lids.iter().sum();
        lids.iter().map(|&n| n * (all - n)).sum()
    }

    /// All routes that take any channel, in the order in which OpenSM comes to their first pairs.
    pub(super) fn routes(&self) -> impl Iterator<Item = Route> {
        self.destinations.iter().flat_map(move |destination| {
            let sources = self.sources.iter().filter(|&&from| from != destination.switch);
            sources.flat_map(|&from| destination.lids.clone().map(move |to| Route { from, to }))
        })
    }

    /// What orders routes as [`SubnetPaths::routes`] does.
    pub(super) fn order(&self, route: Route) -> (u32, u32, u32) {
        (self.destination_of[route.to as usize], self.rank[route.from as usize], route.to)
    }

    /// Number of pairs of LIDs in a route.
    pub(super) fn weight(&self, route: Route) -> u32 {
        self.weight[route.from as usize]
    }

    /// The channel that a switch sends packets to a LID over, of which the entries of all switches are given; [`NONE`] where
    /// no switch follows.
    #[inline]
    fn next(&self, switch: u32, entries: &[u8]) -> u32 {
        let port = entries[switch as usize];
        let number = self.first_port[switch as usize] + u32::from(port);
        let is_own = number < self.first_port[switch as usize + 1];
        if is_own { self.link_of_port[number as usize] } else { NONE }
    }

    /// A switch with end nodes, and a LID that packets from there never reach, as their path is a circle. Only
    /// a LID of several destinations has such paths: to one, each switch on a path is nearer.
    pub(super) fn circle(&self) -> Option<(u32, u32)> {
        let pairs = self.given_twice.iter().flat_map(|&to| self.sources.iter().map(move |&from| (from, to)));
        pairs.into_iter().find(|&(from, to)| {
            let entries = self.by_lid.row(to);
            let step = |&at: &u32| self.graph.peer.get(self.next(at, entries) as usize).copied();
            std::iter::successors(Some(from), step).nth(self.rank.len()).is_some()
        })
    }

    /// Calls `visit` for each dependency of a route: the channel before, [`NONE`] for the first, and
    /// the channel. Ends where [`SubnetPaths::circle`] finds none.
    #[inline]
    pub(super) fn follow(&self, route: Route, mut visit: impl FnMut(u32, u32)) {
        let entries = self.by_lid.row(route.to);
        let (mut at, mut before) = (route.from, NONE);
        loop {
            let channel = self.next(at, entries);
            if channel == NONE {
                return;
            }
            visit(before, channel);
            (at, before) = (self.graph.peer[channel as usize], channel);
        }
    }

    /// The routes over one channel and then another of which `is_wanted` holds. The search ends when it has found
    /// `left` pairs of LIDs.
    pub(super) fn over(
        &self,
        channel: u32,
        next: u32,
        mut left: u32,
        is_wanted: impl Fn(Route) -> bool,
    ) -> Vec<Route> {
        let near = self.graph.peer[self.graph.back[channel as usize] as usize];
        let far = self.graph.peer[channel as usize];
        let [near_row, far_row] = [near, far].map(|switch| self.lft.row(NodeId(switch)));
        let [port, next_port] = [channel, next].map(|link| self.graph.port[link as usize]);
        let mut found = Vec::new();
        let mut behind = Vec::new();
        for to in lids_by([near_row, far_row], [port, next_port]) {
            if left == 0 {
                break;
            }
            if self.destination_of[to as usize] == NONE {
                continue;
            }
            behind.push(near);
            while let Some(switch) = behind.pop() {
                let route = Route { from: switch, to };
                if self.weight(route) > 0 && is_wanted(route) {
                    found.push(route);
                    left -= self.weight(route);
                }
                let row = self.by_lid.row(to);
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

    /// The index of a channel's first dependency.
    pub(super) fn first_dependency(&self, channel: u32) -> usize {
        self.first_dependency[channel as usize] as usize
    }

    /// The number of a dependency, counted from the first of `channel`.
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

/// The LIDs that one table row sends to one port and another row to another. They are few: most chunks of 64 hold
/// none, which the processor sees at once.
fn lids_by(rows: [&[u8]; 2], ports: [u8; 2]) -> impl Iterator<Item = u32> + '_ {
    let differs = move |(one, other): (&u8, &u8)| (one ^ ports[0]) | (other ^ ports[1]);
    let chunks = (0..).step_by(64).zip(rows[0].chunks(64).zip(rows[1].chunks(64)));
    let some = chunks
        .filter(move |(_, (a, b))| a.iter().zip(*b).fold(false, |any, pair| any | (differs(pair) == 0)));
    some.flat_map(move |(first, (a, b))| (first..).zip(a.iter().zip(b)))
        .filter(move |&(_, pair)| differs(pair) == 0)
        .map(|(lid, _)| lid)
}
