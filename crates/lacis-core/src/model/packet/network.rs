//! The fabric as packets see it: by port, what is at the other end and how fast; by switch and LID,
//! where to go.

use crate::fabric::{Fabric, NodeId, PortId};
use crate::model::fluid::{Capacity, Unknown};
use crate::model::load::{Links, Multipath, SINK};
use crate::ranks::Flow;
use crate::sm::{NO_ENTRY, Routes};

/// No port, or no number.
pub(super) const NONE: u32 = u32::MAX;

/// The numbers of the ports by which a packet leaves the switches of its path.
pub(super) type Exits = [u8; 12];

/// What tables do with a flow.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum FlowFate {
    Arrives,
    /// An entry is missing, or leads to a port without a cable or to the wrong end node.
    Lost,
    Circles,
}

/// A port as packets see it.
#[derive(Clone, Copy, Debug)]
pub(super) struct PacketPort {
    /// The switch or end node that it belongs to.
    pub node: u32,
    /// The port at the other end of the cable.
    pub peer: u32,
    /// Its number on its node.
    pub number: u8,
}

/// A fabric with its tables, ready to be simulated. Ports have the fabric's global numbers.
#[derive(Debug)]
pub struct Network<'a> {
    pub(super) fabric: &'a Fabric,
    pub(super) routes: &'a Routes,
    pub(super) ports: Vec<PacketPort>,
    /// By port: how long the link that leaves it takes for a byte (ps).
    pub(super) ps_per_byte: Vec<f64>,
    /// Number of the switches' ports, which come first.
    pub(super) switch_ports: usize,
    /// One more than the highest port number.
    pub(super) radix: usize,
    /// The ports that send and receive.
    pub(super) ends: Vec<u32>,
    /// By port: its index in `ends`.
    pub(super) end: Vec<u32>,
    /// Whether all links are equally fast.
    pub(super) is_even: bool,
    /// Times at which cables fail (ps), in order, and one port of each cable.
    pub(super) cuts: Vec<(u64, Vec<u32>)>,
    /// Links whose rate had to be assumed.
    pub unknown: Option<Unknown>,
}

impl<'a> Network<'a> {
    /// A fabric and its tables; `ends` are the ports that send and receive.
    pub fn new(fabric: &'a Fabric, routes: &'a Routes, ends: &[PortId]) -> Self {
        let ports = || (0..fabric.num_ports() as u32).map(PortId);
        let links = Links::of(fabric);
        let capacity = Capacity::of(fabric, &links, 1.0);
        let rate = |p: PortId| match links.leaving(p) {
            SINK => 0.0,
            link => 1e12 / capacity.rates[link as usize],
        };
        let port = |p: PortId| PacketPort {
            node: fabric.node_of(p).0,
            peer: fabric.peer(p).map_or(NONE, |q| q.0),
            number: fabric.number_of(p),
        };
        let mut end = vec![NONE; fabric.num_ports()];
        for (index, port) in (0..).zip(ends) {
            end[port.ix()] = index;
        }
        let ps_per_byte: Vec<f64> = ports().map(rate).collect();
        let mut rates = ps_per_byte.iter().filter(|&&ps| ps > 0.0);
        let is_even = rates.next().is_none_or(|first| rates.all(|ps| ps.total_cmp(first).is_eq()));
        Self {
            fabric,
            routes,
            ports: ports().map(port).collect(),
            ps_per_byte,
            is_even,
            switch_ports: ports().filter(|&p| fabric.is_switch(fabric.node_of(p))).count(),
            radix: fabric.switches().map(|s| usize::from(fabric.radix(s)) + 1).max().unwrap_or(1),
            ends: ends.iter().map(|p| p.0).collect(),
            end,
            cuts: Vec::new(),
            unknown: capacity.unknown,
        }
    }

    /// Lets cables between switches fail, each given by its time (ps) and one of its ports; a cable that is given
    /// twice fails at the earlier time. Not with packets that interrupt others.
    #[must_use]
    pub fn with_cuts(mut self, cuts: &[(u64, PortId)]) -> Self {
        let end = |port: PortId| port.0.min(self.peer(port.0));
        let mut all: Vec<(u64, u32)> = cuts.iter().map(|&(at, port)| (at, end(port))).collect();
        all.sort_unstable_by_key(|&(at, port)| (port, at));
        all.dedup_by_key(|&mut (_, port)| port);
        all.sort_unstable();
        let of_a_time = all.chunk_by(|a, b| a.0 == b.0);
        self.cuts = of_a_time.map(|cuts| (cuts[0].0, cuts.iter().map(|cut| cut.1).collect())).collect();
        self
    }

    /// The cables that fail, by time.
    pub fn cuts(&self) -> impl Iterator<Item = (u64, PortId)> + '_ {
        self.cuts.iter().flat_map(|(at, ports)| ports.iter().map(|&port| (*at, PortId(port))))
    }

    /// The rate at which each end's link carries what it sends [bytes/s]; 0 without a cable.
    pub fn rates_of_ends(&self) -> Vec<f64> {
        let rate = |ps: f64| if ps > 0.0 { 1e12 / ps } else { 0.0 };
        self.ends.iter().map(|&port| rate(self.ps_per_byte[port as usize])).collect()
    }

    /// The switch or end node of a port.
    #[inline]
    pub(super) fn node(&self, port: u32) -> u32 {
        self.ports[port as usize].node
    }

    /// The port at the other end of the cable.
    #[inline]
    pub(super) fn peer(&self, port: u32) -> u32 {
        self.ports[port as usize].peer
    }

    /// How many ports the switch of a port has, port 0 included.
    pub(super) fn num_ports_of(&self, port: u32) -> u32 {
        u32::from(self.fabric.radix(NodeId(self.node(port)))) + 1
    }

    /// The number of a port on its node.
    #[inline]
    pub(super) fn number(&self, port: u32) -> u8 {
        self.ports[port as usize].number
    }

    /// The port with a number on the same node as another.
    #[inline]
    pub(super) fn sibling(&self, port: u32, number: u8) -> u32 {
        port - u32::from(self.number(port)) + u32::from(number)
    }

    /// Whether a port belongs to a switch.
    #[inline]
    pub(super) fn is_switch(&self, port: u32) -> bool {
        (port as usize) < self.switch_ports
    }

    /// The number of the port by which the switch of `port` forwards a LID; none where the packet
    /// is lost.
    #[inline]
    pub(super) fn forward(&self, port: u32, lid: u32) -> Option<u8> {
        let PacketPort { node, number: from, .. } = self.ports[port as usize];
        let number = self.routes.lft.get(NodeId(node), lid);
        let out = self.ports.get((port - u32::from(from) + u32::from(number)) as usize);
        // A number that the switch lacks may be another node's port.
        let leads_on = out.is_some_and(|out| out.peer != NONE && out.node == node);
        (number != NO_ENTRY && number != 0 && leads_on).then_some(number)
    }

    /// The ports by which the tables forward a packet from an end, for the first switches of its path; then 0.
    pub(super) fn exits(&self, from: u32, lid: u32) -> Exits {
        let mut exits = Exits::default();
        let mut at = self.peer(from);
        for step in &mut exits {
            if at == NONE || !self.is_switch(at) {
                break;
            }
            let Some(number) = self.forward(at, lid) else { break };
            *step = number;
            at = self.peer(self.sibling(at, number));
        }
        exits
    }

    /// What the tables do with a flow between ends: the worst of what they do with the LIDs that its messages
    /// may go to.
    pub(super) fn fate(&self, flow: Flow, multipath: Multipath) -> FlowFate {
        let to = PortId(self.ends[flow.to as usize]);
        let (base, lids) = (self.routes.lids.base(to), 1 << self.routes.lids.lmc(to));
        match multipath {
            Multipath::None | Multipath::Spray | Multipath::Ideal => self.fate_of(flow, base),
            Multipath::ByMessage => {
                (base..base + lids).map(|lid| self.fate_of(flow, lid)).max().unwrap_or(FlowFate::Lost)
            }
            Multipath::ByPeer | Multipath::ByHash => {
                self.fate_of(flow, base + (multipath.choice(flow, 0) & (lids - 1)))
            }
        }
    }

    /// What the tables do with packets from one end to a LID of another.
    fn fate_of(&self, flow: Flow, lid: u32) -> FlowFate {
        let [from, to] = [flow.from, flow.to].map(|end| self.ends[end as usize]);
        let mut at = self.peer(from);
        // A path longer than there are switches goes round in circles.
        for _ in 0..=self.fabric.num_switches() {
            if at == to {
                return FlowFate::Arrives;
            }
            if at == NONE || !self.is_switch(at) {
                return FlowFate::Lost;
            }
            let Some(number) = self.forward(at, lid) else { return FlowFate::Lost };
            at = self.peer(self.sibling(at, number));
        }
        FlowFate::Circles
    }

    /// Whether some end has several LIDs.
    pub fn has_lmc(&self) -> bool {
        self.ends.iter().any(|&end| self.routes.lids.lmc(PortId(end)) > 0)
    }

    /// The description of an end's node.
    pub(super) fn name(&self, end: u32) -> String {
        let port = PortId(self.ends[end as usize]);
        self.fabric.node(self.fabric.node_of(port)).description.to_string()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::generate::generate;
    use crate::routing::{Options, route};
    use crate::sm::Engine;
    use crate::sm::lids::{LidOptions, Lids};
    use crate::traffic::Rng;
    use crate::verify::{Trace, Verdict, trace};

    fn fate_in(trace: &Trace) -> FlowFate {
        match trace.verdict {
            Verdict::Delivered => FlowFate::Arrives,
            Verdict::Loop => FlowFate::Circles,
            _ => FlowFate::Lost,
        }
    }

    #[test]
    fn flows_fare_as_their_packets_do_to_each_lid_that_may_be_chosen() {
        let fabric = generate("torus:4x3").unwrap();
        let options = LidOptions { lmc: 1, ..LidOptions::fresh() };
        let lids = Lids::assign(&fabric, Lids::default_sm(&fabric).unwrap(), &options).unwrap();
        let mut routes = route(&fabric, lids, &[Engine::MinHop], &Options::default()).unwrap();
        let mut rng = Rng::of_pattern(5, 5);
        for _ in 0..60 {
            let cell = rng.below(routes.lft.as_slice().len() as u32) as usize;
            routes.lft.as_mut_slice()[cell] = [NO_ENTRY, 0, 1, 2, 3, 4, 5, 200][rng.below(8) as usize];
        }
        // Every other host is an end.
        let ends: Vec<PortId> = fabric.end_nodes().filter_map(|n| fabric.port(n, 1)).step_by(2).collect();
        let net = Network::new(&fabric, &routes, &ends);
        assert!(net.has_lmc());
        let mut seen = [0; 3];
        let n = ends.len() as u32;
        for (from, to) in (0..n).flat_map(|from| (0..n).map(move |to| (from, to))).filter(|(a, b)| a != b) {
            let flow = Flow { from, to };
            let base = routes.lids.base(ends[to as usize]);
            let traces = [base, base + 1].map(|lid| trace(&fabric, &routes, ends[from as usize], lid));
            let fates = traces.each_ref().map(fate_in);
            let worst = fates.into_iter().max().unwrap();
            for multipath in [Multipath::None, Multipath::Spray, Multipath::Ideal] {
                assert_eq!(net.fate(flow, multipath), fates[0]);
            }
            assert_eq!(net.fate(flow, Multipath::ByMessage), worst, "{flow:?}: {fates:?}");
            assert_eq!(net.fate(flow, Multipath::ByPeer), fates[(from + to) as usize % 2]);
            let by_hash = Multipath::ByHash.choice(flow, 3) as usize % 2;
            assert_eq!(net.fate(flow, Multipath::ByHash), fates[by_hash]);
            seen[worst as usize] += 1;
            for (lid, trace) in (base..).zip(&traces) {
                let mut exits: Vec<u8> = trace
                    .hops
                    .iter()
                    .skip(1)
                    .filter_map(|hop| hop.egress)
                    .map(|p| fabric.number_of(p))
                    .collect();
                // A port without a cable is no exit, and a loop goes on and on.
                match trace.verdict {
                    Verdict::DeadPort => exits.truncate(trace.hops.len() - 2),
                    Verdict::Loop => {
                        let last = trace.hops.last().map(|hop| hop.node);
                        let first = trace.hops[1..].iter().position(|hop| Some(hop.node) == last).unwrap();
                        let round = exits[first..].to_vec();
                        exits.extend(round.iter().cycle().take(12));
                    }
                    _ => {}
                }
                exits.resize(12, 0);
                assert_eq!(net.exits(ends[from as usize].0, lid).to_vec(), exits, "{trace:?}");
            }
        }
        assert!(seen.iter().all(|&count| count > 3), "{seen:?}");
    }

    #[test]
    fn a_network_without_several_lids_a_port_has_no_choice_among_them() {
        let net = crate::model::load::testing::two_tier(2, 2, 1);
        let network = Network::new(&net.fabric, &net.routes, &net.hosts);
        assert!(!network.has_lmc());
        assert!(network.is_even);
        // Leaves of three ports and a spine of two, and port 0 of each; the hosts' ports come after them.
        assert_eq!((network.switch_ports, network.radix), (4 + 4 + 3, 4));
        let rates = network.rates_of_ends();
        assert!(
            rates.len() == 4 && rates.iter().all(|rate| (rate / 12.5e9 - 1.0).abs() < 1e-12),
            "{rates:?}"
        );
        assert_eq!(network.name(3), "h3");
        assert_eq!(network.num_ports_of(net.fabric.port0(NodeId(0)).0), 4);
    }
}
