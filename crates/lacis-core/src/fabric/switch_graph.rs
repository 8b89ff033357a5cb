//! The switches of a fabric and the links between them, and nothing else.

use std::ops::Range;

use rustc_hash::FxHashMap;

use super::{Fabric, Guid, NodeId, PortId, Rate};

/// Inter-switch links, seen from each of their two ends, in a port-ordered CSR: the links of
/// switch `s` are `links(s)`, by ascending port number. A cable from a switch to itself is two
/// links too.
#[derive(Debug)]
pub(crate) struct SwitchGraph {
    first: Vec<u32>,
    /// Switch at the far end; by link.
    pub peer: Vec<u32>,
    /// The link that is the same cable seen from its far end; by link.
    pub back: Vec<u32>,
    /// Port number at the near end; by link.
    pub port: Vec<u8>,
    /// Hops that a link counts as, in the direction from its near end; none where every link is one hop.
    pub weight: Option<Vec<u8>>,
}

impl SwitchGraph {
    /// The inter-switch links of a fabric.
    pub fn of(fabric: &Fabric) -> Self {
        Self::build(fabric, |_, far| fabric.is_switch(fabric.node_of(far)))
    }

    /// The links of switches to all that is cabled to them. End nodes are peers by the numbers of their
    /// nodes, which follow those of the switches; such a link has no other end.
    pub fn with_end_nodes(fabric: &Fabric) -> Self {
        Self::build(fabric, |_, _| true)
    }

    /// The inter-switch links, without throttled ones where these are to be avoided.
    pub fn avoiding(fabric: &Fabric, throttled: bool) -> Self {
        if !throttled {
            return Self::of(fabric);
        }
        let throttled = Throttled::of(fabric);
        Self::build(fabric, |port, far| fabric.is_switch(fabric.node_of(far)) && !throttled.has(fabric, port))
    }

    fn build(fabric: &Fabric, wanted: impl Fn(PortId, PortId) -> bool) -> Self {
        let mut graph =
            Self { first: vec![0], peer: Vec::new(), back: Vec::new(), port: Vec::new(), weight: None };
        let mut link_of_port = vec![u32::MAX; fabric.num_ports()];
        let mut far_port = Vec::new();
        for switch in fabric.switches() {
            for port in fabric.ports_of(switch) {
                let Some(far) = fabric.peer(port).filter(|&far| wanted(port, far)) else {
                    continue;
                };
                link_of_port[port.ix()] = graph.peer.len() as u32;
                graph.peer.push(fabric.node_of(far).0);
                graph.port.push(fabric.number_of(port));
                far_port.push(far);
            }
            graph.first.push(graph.peer.len() as u32);
        }
        graph.back = far_port.iter().map(|p| link_of_port[p.ix()]).collect();
        graph
    }

    /// The links between switches of a fabric, with hops as `hop_weights_file` counts them: the last line about a port counts.
    /// Weights of 0 and ports that a switch lacks are ignored.
    pub fn weighted(fabric: &Fabric, hop_weights: &[(Guid, u8, u8)]) -> Self {
        let mut graph = Self::of(fabric);
        if hop_weights.is_empty() {
            return graph;
        }
        let by_guid: FxHashMap<Guid, NodeId> = fabric.switches().map(|s| (fabric.node(s).guid, s)).collect();
        let mut weight = vec![1; graph.num_links()];
        for &(guid, port, hops) in hop_weights.iter().filter(|w| w.2 > 0) {
            let switch = by_guid.get(&guid);
            if let Some(link) = switch.and_then(|switch| graph.link_at(switch.ix(), port)) {
                weight[link] = hops;
            }
        }
        graph.weight = weight.iter().any(|&w| w != 1).then_some(weight);
        graph
    }

    /// Number of switches.
    pub fn num_switches(&self) -> usize {
        self.first.len() - 1
    }

    /// Number of links, each direction counted.
    pub fn num_links(&self) -> usize {
        self.peer.len()
    }

    /// The links of a switch.
    pub fn links(&self, switch: usize) -> Range<usize> {
        self.first[switch] as usize..self.first[switch + 1] as usize
    }

    /// The link of a switch at a port.
    pub fn link_at(&self, switch: usize, port: u8) -> Option<usize> {
        let links = self.links(switch);
        self.port[links.clone()].binary_search(&port).ok().map(|at| links.start + at)
    }

    /// Hops of each switch from the nearest of the chosen ones; `u32::MAX` where there is none.
    pub fn hops_from(&self, chosen: &[bool]) -> Vec<u32> {
        let mut hops: Vec<u32> = chosen.iter().map(|&c| if c { 0 } else { u32::MAX }).collect();
        let mut queue: Vec<usize> = (0..chosen.len()).filter(|&s| chosen[s]).collect();
        let mut head = 0;
        while let Some(&switch) = queue.get(head) {
            head += 1;
            for link in self.links(switch) {
                let far = self.peer[link] as usize;
                if hops[far] == u32::MAX {
                    hops[far] = hops[switch] + 1;
                    queue.push(far);
                }
            }
        }
        hops
    }

    /// The connected component of each switch, numbered from 0 in order of their first switches.
    pub fn components(&self) -> Vec<u32> {
        let mut component = vec![u32::MAX; self.num_switches()];
        let mut count = 0;
        for start in 0..self.num_switches() {
            if component[start] != u32::MAX {
                continue;
            }
            component[start] = count;
            let mut stack = vec![start];
            while let Some(s) = stack.pop() {
                for link in self.links(s) {
                    let far = self.peer[link] as usize;
                    if component.get(far) == Some(&u32::MAX) {
                        component[far] = count;
                        stack.push(far);
                    }
                }
            }
            count += 1;
        }
        component
    }
}

/// Cables between switches that run below what both ends have enabled. Sources do not say what is enabled; it is
/// assumed to be the most lanes and the highest speed of the switch's cabled ports.
pub(crate) struct Throttled {
    enabled: Vec<Option<Rate>>,
}

impl Throttled {
    /// The throttled cables of a fabric.
    pub fn of(fabric: &Fabric) -> Self {
        let rates = |switch| fabric.ports_of(switch).filter_map(|port| fabric.port_info(port).rate);
        let most = |a: Rate, b: Rate| Rate { width: a.width.max(b.width), speed: a.speed.max(b.speed) };
        Self { enabled: fabric.switches().map(|switch| rates(switch).reduce(most)).collect() }
    }

    /// Whether the cable at a switch's port is throttled; never where its rate is unknown.
    pub fn has(&self, fabric: &Fabric, port: PortId) -> bool {
        let end = |port: PortId| {
            let enabled = self.enabled.get(fabric.node_of(port).ix()).copied().flatten()?;
            Some((fabric.port_info(port).rate?, enabled))
        };
        let Some((near, far)) = end(port).zip(fabric.peer(port).and_then(end)) else { return false };
        let ((runs, here), (runs_there, there)) = (near, far);
        let both = Rate { width: here.width.min(there.width), speed: here.speed.min(there.speed) };
        runs != runs_there || runs != both
    }
}

/// Number of cabled ports of a switch whose peer is no switch.
pub(crate) fn end_ports_on(fabric: &Fabric, switch: NodeId) -> usize {
    let far = fabric.ports_of(switch).filter_map(|p| fabric.peer(p));
    far.filter(|&p| !fabric.is_switch(fabric.node_of(p))).count()
}
