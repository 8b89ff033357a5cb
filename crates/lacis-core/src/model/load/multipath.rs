//! More than one path for a pair of ports.
//!
//! With an LMC above 0 a port has `2^LMC` LIDs, to each of which the tables may lead by another path; a sender
//! chooses one. Or switches choose, packet by packet: *spraying* spreads packets evenly over all ports that begin
//! a shortest path to the receiver, whatever the tables say; *ideal* routing splits them as is best.
//!
//! | here   | meaning                                                                     |
//! |--------|-----------------------------------------------------------------------------|
//! | `hops` | links from a switch to the receiver's, by receiver's switch                 |
//! | `share` | the fraction of a flow that comes to a switch or crosses a link            |

use std::str::FromStr;

use super::paths::Paths;
use super::{LinkId, SINK, Steps};
use crate::fabric::{Fabric, NodeId, PortId};
use crate::ranks::Flow;
use crate::traffic::Rng;

/// How a path is chosen where there are several.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Multipath {
    /// No choice: everything goes to a port's base LID.
    #[default]
    None,
    /// A sender takes the receivers' LIDs in turn, message by message.
    ByMessage,
    /// Each pair of ports has one LID, by the sum of their numbers modulo the LIDs of a port.
    ByPeer,
    /// Each pair of ports has one LID, by a hash of their numbers.
    ByHash,
    /// The switches spray.
    Spray,
    /// The switches know the best splits: see [`Ideal`](super::Ideal).
    Ideal,
}

impl Multipath {
    /// As they are typed.
    pub const NAMES: [(&'static str, Self); 6] = [
        ("none", Self::None),
        ("by-message", Self::ByMessage),
        ("by-peer", Self::ByPeer),
        ("by-hash", Self::ByHash),
        ("spray", Self::Spray),
        ("ideal", Self::Ideal),
    ];

    /// As it is typed.
    pub fn name(self) -> &'static str {
        Self::NAMES.iter().find(|n| n.1 == self).map_or("", |n| n.0)
    }

    /// Whether a flow is split among links, whatever the tables say.
    pub fn splits(self) -> bool {
        matches!(self, Self::Spray | Self::Ideal)
    }

    /// Whether senders choose among LIDs.
    pub fn needs_lmc(self) -> bool {
        matches!(self, Self::ByMessage | Self::ByPeer | Self::ByHash)
    }

    /// The number that chooses a LID for a flow, of which only the last LMC bits count. `message` counts the
    /// messages of the sender.
    pub fn choice(self, flow: Flow, message: u32) -> u32 {
        match self {
            Self::None | Self::Spray | Self::Ideal => 0,
            Self::ByMessage => message,
            Self::ByPeer => flow.from.wrapping_add(flow.to),
            Self::ByHash => Rng::of_pattern(u64::from(flow.from), u64::from(flow.to)).next_u64() as u32,
        }
    }
}

impl FromStr for Multipath {
    type Err = ();

    fn from_str(text: &str) -> Result<Self, ()> {
        Self::NAMES.iter().find(|n| n.0 == text).map(|n| n.1).ok_or(())
    }
}

/// No path from here.
pub const FAR: u16 = u16::MAX;

/// The links between each switch and each of some destination switches; [`FAR`] where no path leads. Shape
/// `(destinations, switches)`.
pub fn hops_to(fabric: &Fabric, edge_switches: &[NodeId]) -> Vec<u16> {
    let switches = fabric.num_switches();
    let mut hops = vec![FAR; edge_switches.len() * switches];
    let mut queue = Vec::new();
    for (row, edge_switch) in hops.chunks_exact_mut(switches.max(1)).zip(edge_switches) {
        row[edge_switch.ix()] = 0;
        queue.clear();
        queue.push(*edge_switch);
        let mut at = 0;
        // Every cable has two directions, so distances from a switch are those to it.
        while let Some(&switch) = queue.get(at) {
            at += 1;
            let far = row[switch.ix()].saturating_add(1);
            let peers = fabric.ports_of(switch).filter_map(|p| fabric.peer(p)).map(|p| fabric.node_of(p));
            for peer in peers.filter(|&peer| fabric.is_switch(peer)) {
                if row[peer.ix()] == FAR && far < FAR {
                    row[peer.ix()] = far;
                    queue.push(peer);
                }
            }
        }
    }
    hops
}

/// Shortest paths between edge switches.
#[derive(Debug)]
pub struct Spray<'a> {
    pub(super) paths: &'a Paths<'a>,
    /// By switch: links to other switches, from `begin[s]` to `begin[s + 1]`.
    pub(super) begin: Vec<usize>,
    pub(super) links: Vec<(LinkId, u32)>,
    /// By receiver's switch, then by switch.
    pub(super) hops: Vec<u16>,
    /// By switch: the share of a flow that comes to it.
    share: Vec<f64>,
    here: Vec<u32>,
    next: Vec<u32>,
}

impl<'a> Spray<'a> {
    /// Measures all distances to the edge switches of the ports of `paths`.
    pub fn new(paths: &'a Paths<'a>) -> Self {
        let fabric = paths.fabric();
        let switches = fabric.num_switches();
        let (mut begin, mut links) = (vec![0], Vec::new());
        for switch in fabric.switches() {
            let ahead = |p: PortId| {
                let peer = fabric.node_of(fabric.peer(p)?);
                fabric.is_switch(peer).then(|| (paths.links().leaving(p), peer.0))
            };
            links.extend(fabric.ports_of(switch).filter_map(ahead));
            begin.push(links.len());
        }
        let hops = hops_to(fabric, paths.edge_switches());
        Self { paths, begin, links, hops, share: vec![0.0; switches], here: Vec::new(), next: Vec::new() }
    }

    /// Overwrites `out` with the links of a flow, each once, and the share of it that crosses each; none where
    /// there is no path.
    pub fn shares(&mut self, flow: Flow, out: &mut Vec<(LinkId, f64)>) {
        out.clear();
        let ends = (self.paths.edge_of(flow.from), self.paths.edge_of(flow.to));
        let (Some((_, from)), Some((row, to))) = ends else {
            let direct = self.paths.direct(flow.from as usize, flow.to as usize);
            out.extend((direct != SINK).then_some((direct, 1.0)));
            return;
        };
        let hops = &self.hops[row * self.share.len()..][..self.share.len()];
        if hops[from.ix()] == FAR {
            return;
        }
        let (up, down) = self.paths.host_links(flow);
        out.extend([(up, 1.0), (down, 1.0)]);
        self.here.clear();
        self.here.push(from.0);
        self.share[from.ix()] = 1.0;
        while self.here.first().is_some_and(|&s| NodeId(s) != to) {
            self.next.clear();
            for &switch in &self.here {
                let at = switch as usize;
                let near = |&&(_, peer): &&(LinkId, u32)| hops[peer as usize] < hops[at];
                let links = &self.links[self.begin[at]..self.begin[at + 1]];
                let count = links.iter().filter(near).count();
                let each = std::mem::take(&mut self.share[at]) / count.max(1) as f64;
                for &(link, peer) in links.iter().filter(near) {
                    out.push((link, each));
                    let share = &mut self.share[peer as usize];
                    if *share == 0.0 {
                        self.next.push(peer);
                    }
                    *share += each;
                }
            }
            std::mem::swap(&mut self.here, &mut self.next);
        }
        self.share[to.ix()] = 0.0;
    }
}

impl Paths<'_> {
    /// Whether any port that flows name has several LIDs.
    pub fn have_lmc(&self) -> bool {
        self.ports().iter().any(|&p| self.lmc(p) > 0)
    }

    /// The links of given flows, as [`Paths::steps`], to the LIDs that `choices` select.
    pub fn steps_by(&self, flows: &[Flow], choices: &[u32], out: &mut Steps) {
        self.walk_together(flows, |flow, to| choices[flow] & ((1 << self.lmc(to)) - 1), out);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::load::testing::two_tier;
    use crate::sm::Lft;

    #[test]
    fn each_is_read_as_it_is_written() {
        use Multipath::*;
        for (name, each) in Multipath::NAMES {
            assert_eq!((each.name(), name.parse()), (name, Ok(each)));
            assert_eq!(each.splits(), [Spray, Ideal].contains(&each));
            assert_eq!(each.needs_lmc(), [ByMessage, ByPeer, ByHash].contains(&each));
        }
        assert_eq!("sprayed".parse::<Multipath>(), Err(()));
    }

    #[test]
    fn a_sprayed_flow_is_even_over_all_spines_and_nothing_is_lost() {
        let net = two_tier(3, 2, 4);
        let paths = Paths::new(&net.fabric, &net.routes, &net.hosts, 0);
        let (mut spray, mut out) = (Spray::new(&paths), Vec::new());
        for _ in 0..2 {
            spray.shares(Flow { from: 0, to: 5 }, &mut out);
            // Up and down whole, four links up and four down a quarter each.
            let mut shares: Vec<f64> = out.iter().map(|o| o.1).collect();
            shares.sort_by(f64::total_cmp);
            assert_eq!(shares, [0.25, 0.25, 0.25, 0.25, 0.25, 0.25, 0.25, 0.25, 1.0, 1.0]);
            let leaf = net.fabric.edge_switch(net.hosts[0]).unwrap();
            let leaving = |o: &&(LinkId, f64)| net.fabric.node_of(paths.links().egress(o.0)) == leaf;
            assert_eq!(out.iter().filter(leaving).count(), 4);
        }
        spray.shares(Flow { from: 0, to: 1 }, &mut out); // on one leaf
        assert_eq!(out.len(), 2);
    }

    #[test]
    fn the_choice_selects_the_lid_and_the_lid_the_spine() {
        // Host d has LIDs 2 d + 2 and 2 d + 3; the leaves send the first by spine 0, the second by spine 1.
        let mut net = two_tier(2, 2, 2);
        let mut lft = Lft::new(4, 9);
        for (d, &port) in (0..).zip(&net.hosts) {
            net.routes.lids.set(port, 2 * d + 2, 1);
            for (spine, lid) in [(0, 2 * d + 2), (1, 2 * d + 3)] {
                for switch in 0..4 {
                    let below = if switch < 2 { d % 2 + 1 } else { d / 2 + 1 };
                    let number = if switch < 2 && d / 2 != switch { 3 + spine } else { below };
                    lft.row_mut(NodeId(switch))[lid as usize] = number as u8;
                }
            }
        }
        net.routes.lft = lft;
        let paths = Paths::new(&net.fabric, &net.routes, &net.hosts, 0);
        assert!(paths.have_lmc());
        let flow = Flow { from: 0, to: 3 };
        let mut steps = Steps::default();
        let mut by = |multipath: Multipath, message| {
            paths.steps_by(&[flow], &[multipath.choice(flow, message)], &mut steps);
            let leaf = NodeId(0);
            let leaving = steps.of_flow(0).map(|l| paths.links().egress(l));
            leaving
                .filter(|&p| net.fabric.node_of(p) == leaf)
                .map(|p| net.fabric.number_of(p))
                .collect::<Vec<_>>()
        };
        assert_eq!(by(Multipath::None, 1), [3]);
        assert_eq!([0, 1, 2, 3].map(|m| by(Multipath::ByMessage, m)[0]), [3, 4, 3, 4]);
        assert_eq!([0, 1].map(|m| by(Multipath::ByPeer, m)[0]), [4, 4]); // 0 + 3 is odd
        assert_eq!(by(Multipath::ByHash, 0), by(Multipath::ByHash, 1));
    }
}
