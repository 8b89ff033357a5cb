//! The links that flows cross, for many flows at once.
//!
//! A path is a link up from the sender's port, links between switches, and a link down to the
//! receiver. Those between switches depend on the sender's switch (its *edge switch*) and the receiver
//! only, so they are kept in one table, two or four bytes a link: 93 kB at 648 nodes and 60 MB at
//! 11,664, and one cache miss a flow. Where the table would be too large, or used too rarely to
//! pay, flows walk the forwarding tables all together, one hop of every flow at a time, so that
//! their cache misses overlap.

mod rows;
mod table;

use super::{LinkId, Links, SINK};
use crate::fabric::{Fabric, NodeId, PortId};
use crate::ranks::Flow;
use crate::sm::{NO_ENTRY, Routes};
use rows::{PathTable, see_row};

/// A port that hangs off no switch.
const NO_EDGE_SWITCH: u32 = u32::MAX;

/// In [`Paths::ahead`]: the port leads to no switch.
const NO_SWITCH: u32 = u32::MAX;

/// The paths between given ports under given tables.
#[derive(Debug)]
pub struct Paths<'a> {
    fabric: &'a Fabric,
    routes: &'a Routes,
    ports: &'a [PortId],
    links: Links,
    edge_switches: Vec<NodeId>,
    edge_switch: Vec<u32>,
    up: Vec<LinkId>,
    down: Vec<LinkId>,
    /// By egress port: the switch at the other end.
    ahead: Vec<u32>,
    /// Indices of the ports, in the order of their LIDs.
    by_lid: Vec<u32>,
    /// By port: its index in `by_lid`.
    column: Vec<u32>,
    table: Option<PathTable>,
}

/// The links of many flows, step by step: `steps.chunk(i)[f]` is link `i` of flow `f`. First the
/// links up, then the links down, then those between switches. A flow without a route has only
/// [`SINK`]s.
#[derive(Clone, Debug, Default)]
pub struct Steps {
    flows: usize,
    pub(super) links: Vec<LinkId>,
    at: Vec<(u32, NodeId)>,
}

impl Steps {
    /// Number of flows.
    pub fn num_flows(&self) -> usize {
        self.flows
    }

    /// Every link of every flow, step after step.
    pub fn all(&self) -> &[LinkId] {
        &self.links
    }

    /// The steps, each one link per flow.
    pub fn each(&self) -> std::slice::ChunksExact<'_, LinkId> {
        self.links.chunks_exact(self.flows.max(1))
    }

    /// The links of one flow, in no particular order, sinks left out.
    pub fn of_flow(&self, flow: usize) -> impl Iterator<Item = LinkId> + '_ {
        self.links.iter().skip(flow).step_by(self.flows.max(1)).copied().filter(|&l| l != SINK)
    }

    fn reset(&mut self, flows: usize, steps: usize) {
        self.flows = flows;
        self.links.clear();
        self.links.resize(flows * steps, SINK);
    }
}

impl<'a> Paths<'a> {
    /// Prepares paths between `ports`, of which about `expected` will be asked for.
    pub fn new(fabric: &'a Fabric, routes: &'a Routes, ports: &'a [PortId], expected: usize) -> Self {
        let links = Links::of(fabric);
        let mut number = vec![NO_EDGE_SWITCH; fabric.num_switches()];
        let mut edge_switches = Vec::new();
        let edge_switch = ports.iter().map(|&p| fabric.edge_switch(p)).map(|switch| {
            switch.map_or(NO_EDGE_SWITCH, |s| {
                if number[s.ix()] == NO_EDGE_SWITCH {
                    number[s.ix()] = edge_switches.len() as u32;
                    edge_switches.push(s);
                }
                number[s.ix()]
            })
        });
        let edge_switch = edge_switch.collect();
        let up = ports.iter().map(|&p| links.leaving(p)).collect();
        let down = ports.iter().map(|&p| fabric.peer(p).map_or(SINK, |q| links.leaving(q))).collect();
        let ahead = |p: u32| {
            let peer = fabric.peer(PortId(p)).map(|q| fabric.node_of(q));
            peer.filter(|&n| fabric.is_switch(n)).map_or(NO_SWITCH, |n| n.0)
        };
        let ahead = (0..fabric.num_ports() as u32).map(ahead).collect();
        let mut by_lid: Vec<u32> = (0..ports.len() as u32).collect();
        by_lid.sort_by_key(|&i| routes.lids.base(ports[i as usize]));
        let mut column = vec![0; ports.len()];
        for (at, &i) in (0..).zip(&by_lid) {
            column[i as usize] = at;
        }
        let paths = Self {
            fabric,
            routes,
            ports,
            links,
            edge_switches,
            edge_switch,
            up,
            down,
            ahead,
            by_lid,
            column,
            table: None,
        };
        paths.expecting(expected)
    }

    /// The same, of which about `expected` will be asked for.
    #[must_use]
    pub fn expecting(mut self, expected: usize) -> Self {
        if self.table.is_none() && expected >= self.edge_switches.len() * self.ports.len() {
            self.table = self.tabulate();
        }
        self
    }

    /// The numbering of links.
    pub fn links(&self) -> &Links {
        &self.links
    }

    /// The fabric.
    pub fn fabric(&self) -> &'a Fabric {
        self.fabric
    }

    /// The ports that flows name.
    pub fn ports(&self) -> &'a [PortId] {
        self.ports
    }

    /// The tables.
    pub(super) fn routes(&self) -> &'a Routes {
        self.routes
    }

    /// The egress port of a switch towards a LID.
    fn egress(&self, switch: NodeId, lid: u32) -> Option<PortId> {
        let number = self.routes.lft.get(switch, lid);
        if number == NO_ENTRY || number == 0 { None } else { self.fabric.port(switch, number) }
    }

    /// Whether flows to a receiver can leave by a port: a switch's table says so, or it is an end node's.
    pub fn leads_to(&self, egress: PortId, to: u32) -> bool {
        let node = self.fabric.node_of(egress);
        let lid = self.routes.lids.base(self.ports[to as usize]);
        !self.fabric.is_switch(node) || self.egress(node, lid) == Some(egress)
    }

    /// Walks from a switch to a receiver and visits each link between switches. Returns whether it arrives.
    pub(crate) fn walk(&self, from: NodeId, to: PortId, mut visit: impl FnMut(LinkId)) -> bool {
        let lid = self.routes.lids.base(to);
        let last = self.fabric.peer(to);
        let mut switch = from;
        // A path longer than there are switches goes round in circles.
        for _ in 0..self.fabric.num_switches() {
            let Some(port) = self.egress(switch, lid) else { return false };
            if Some(port) == last {
                return true;
            }
            switch = NodeId(self.ahead[port.ix()]);
            if switch.0 == NO_SWITCH {
                return false;
            }
            visit(self.links.leaving(port));
        }
        false
    }

    /// Overwrites `out` with the links of given flows.
    pub fn steps(&self, flows: &[Flow], out: &mut Steps) {
        match &self.table {
            Some(PathTable::Narrow { longest, links }) => match longest {
                2 => self.look_up::<u16, 2>(links, 2, flows, out),
                4 => self.look_up::<u16, 4>(links, 4, flows, out),
                _ => self.look_up::<u16, 0>(links, *longest, flows, out),
            },
            Some(PathTable::Wide { longest, links }) => self.look_up::<u32, 0>(links, *longest, flows, out),
            None => self.walk_together(flows, |_, _| 0, out),
        }
    }

    /// Visits the links of one flow, in no particular order. Returns whether it has a route.
    pub(crate) fn visit(&self, flow: Flow, mut see: impl FnMut(LinkId)) -> bool {
        let (from, to) = (flow.from as usize, flow.to as usize);
        let Some((edge_switch, switch)) = self.edge_of(flow.from).filter(|_| self.edge_of(flow.to).is_some())
        else {
            let direct = self.direct(from, to);
            if direct != SINK {
                see(direct);
            }
            return direct != SINK;
        };
        let row = self.row(edge_switch, to);
        let arrives = match &self.table {
            Some(PathTable::Narrow { longest, links }) => {
                see_row(&links[row * longest..][..*longest], &mut see)
            }
            Some(PathTable::Wide { longest, links }) => {
                see_row(&links[row * longest..][..*longest], &mut see)
            }
            // What does not arrive has no links, and that shows at the end.
            None => self.walk(switch, self.ports[to], |_| {}) && self.walk(switch, self.ports[to], &mut see),
        };
        if arrives {
            see(self.up[from]);
            see(self.down[to]);
        }
        arrives
    }

    /// The switches that ports hang off.
    pub(super) fn edge_switches(&self) -> &[NodeId] {
        &self.edge_switches
    }

    /// The switch that a port hangs off, and its index in [`Paths::edge_switches`].
    pub(super) fn edge_of(&self, slot: u32) -> Option<(usize, NodeId)> {
        let edge_switch = self.edge_switch[slot as usize] as usize;
        self.edge_switches.get(edge_switch).map(|&switch| (edge_switch, switch))
    }

    /// The links up and down of a flow.
    pub(super) fn host_links(&self, flow: Flow) -> (LinkId, LinkId) {
        (self.up[flow.from as usize], self.down[flow.to as usize])
    }

    /// How many bits of a receiver's LID are free to choose.
    pub(super) fn lmc(&self, port: PortId) -> u8 {
        self.routes.lids.lmc(port)
    }

    /// Two end nodes on one cable: that link, otherwise the sink.
    pub(super) fn direct(&self, from: usize, to: usize) -> LinkId {
        let cabled = self.fabric.peer(self.ports[from]) == Some(self.ports[to]);
        if cabled { self.up[from] } else { SINK }
    }

    /// As [`Self::steps`], by walking the tables. `choose`: for a flow and its receiver, the offset of the LID
    /// from the base LID.
    pub(super) fn walk_together(
        &self,
        flows: &[Flow],
        choose: impl Fn(usize, PortId) -> u32,
        out: &mut Steps,
    ) {
        let n = flows.len();
        out.reset(n, 2);
        let mut at = std::mem::take(&mut out.at);
        at.clear();
        for (f, flow) in flows.iter().enumerate() {
            let (from, to) = (flow.from as usize, flow.to as usize);
            let edge_switch = self.edge_switch[from];
            if edge_switch == NO_EDGE_SWITCH || self.edge_switch[to] == NO_EDGE_SWITCH {
                out.links[f] = self.direct(from, to);
            } else {
                at.push((f as u32, self.edge_switches[edge_switch as usize]));
            }
        }
        let mut hops = 0;
        while !at.is_empty() && hops < self.fabric.num_switches() {
            hops += 1;
            let step = out.links.len();
            out.links.resize(step + n, SINK);
            at.retain_mut(|(f, switch)| {
                let flow = flows[*f as usize];
                let to = self.ports[flow.to as usize];
                let lid = self.routes.lids.base(to) + choose(*f as usize, to);
                let Some(port) = self.egress(*switch, lid) else {
                    lose(*f as usize, n, &mut out.links);
                    return false;
                };
                if self.fabric.peer(to) == Some(port) {
                    out.links[*f as usize] = self.up[flow.from as usize];
                    out.links[n + *f as usize] = self.down[flow.to as usize];
                    return false;
                }
                *switch = NodeId(self.ahead[port.ix()]);
                if switch.0 == NO_SWITCH {
                    lose(*f as usize, n, &mut out.links);
                    return false;
                }
                out.links[step + *f as usize] = self.links.leaving(port);
                true
            });
        }
        for &(f, _) in &at {
            lose(f as usize, n, &mut out.links);
        }
        out.at = at;
    }
}

/// Removes the links of a flow that does not arrive.
fn lose(flow: usize, flows: usize, links: &mut [LinkId]) {
    links.iter_mut().skip(flow).step_by(flows).for_each(|l| *l = SINK);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::load::testing::two_tier;

    fn all_flows(n: u32) -> Vec<Flow> {
        (0..n).flat_map(|from| (0..n).map(move |to| Flow { from, to })).filter(|f| f.from != f.to).collect()
    }

    #[test]
    fn a_path_is_up_across_a_spine_and_down() {
        // Leaf 0 holds hosts 0, 1, 2; leaf 1 holds 3, 4, 5; two spines; host d goes by spine d mod 2.
        let net = two_tier(2, 3, 2);
        let paths = Paths::new(&net.fabric, &net.routes, &net.hosts, 0);
        let mut steps = Steps::default();
        paths.steps(&[Flow { from: 0, to: 4 }, Flow { from: 1, to: 2 }], &mut steps);
        let names = |f| {
            let port = |l| net.fabric.port_name(paths.links().egress(l));
            steps.of_flow(f).map(port).collect::<Vec<_>>()
        };
        assert_eq!(names(0), ["\"h0\"[1]", "\"leaf1\"[2]", "\"leaf0\"[4]", "\"spine0\"[2]"]);
        assert_eq!(names(1), ["\"h1\"[1]", "\"leaf0\"[3]"]);
    }

    #[test]
    fn the_table_and_the_walk_agree() {
        // 20 hosts, and 72: more than a block.
        for net in [two_tier(5, 4, 3), two_tier(9, 8, 3)] {
            let flows = all_flows(net.hosts.len() as u32);
            let (mut a, mut b) = (Steps::default(), Steps::default());
            Paths::new(&net.fabric, &net.routes, &net.hosts, 0).steps(&flows, &mut a);
            let table = Paths::new(&net.fabric, &net.routes, &net.hosts, usize::MAX);
            assert!(table.table.is_some());
            table.steps(&flows, &mut b);
            for f in 0..flows.len() {
                assert!(a.of_flow(f).eq(b.of_flow(f)), "{:?}", flows[f]);
            }
        }
    }

    #[test]
    fn one_flow_alone_crosses_what_it_crosses_among_many() {
        let net = two_tier(5, 4, 3);
        let flows = all_flows(net.hosts.len() as u32);
        let mut steps = Steps::default();
        for expected in [0, usize::MAX] {
            let paths = Paths::new(&net.fabric, &net.routes, &net.hosts, expected);
            paths.steps(&flows, &mut steps);
            for (f, &flow) in flows.iter().enumerate() {
                let mut seen = Vec::new();
                assert!(paths.visit(flow, |link| seen.push(link)));
                let mut among: Vec<LinkId> = steps.of_flow(f).collect();
                seen.sort_unstable();
                among.sort_unstable();
                assert_eq!(seen, among);
            }
        }
    }

    #[test]
    fn a_flow_without_a_route_has_no_link() {
        for expected in [0, usize::MAX] {
            let mut net = two_tier(2, 2, 1);
            let lid = net.routes.lids.base(net.hosts[3]);
            // Spine 0 is switch 2. It sends host 3's packets back: leaf 0 and spine play ping-pong.
            net.routes.lft.row_mut(NodeId(2))[lid as usize] = 1;
            let paths = Paths::new(&net.fabric, &net.routes, &net.hosts, expected);
            let mut steps = Steps::default();
            paths.steps(&[Flow { from: 0, to: 3 }, Flow { from: 2, to: 3 }], &mut steps);
            assert_eq!((steps.of_flow(0).count(), steps.of_flow(1).count()), (0, 2));
            // No entry, and an entry for a port that is not cabled.
            for entry in [NO_ENTRY, 0, 200] {
                net.routes.lft.row_mut(NodeId(0))[lid as usize] = entry;
                let paths = Paths::new(&net.fabric, &net.routes, &net.hosts, expected);
                paths.steps(&[Flow { from: 0, to: 3 }], &mut steps);
                assert_eq!(steps.of_flow(0).count(), 0);
            }
        }
    }
}
