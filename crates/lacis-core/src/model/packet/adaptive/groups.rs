//! Port groups: the ports of a switch that begin a shortest path towards a LID.

use crate::fabric::{NodeId, PortId};
use crate::model::load::hops_to;
use crate::model::packet::network::{NONE, Network};

/// Bytes of a number of hops.
const HOPS: u64 = 2;

/// By edge switch of the receiver and by switch: the set of ports that begin shortest paths.
#[derive(Debug)]
pub(in crate::model::packet) struct ShortestPorts {
    /// By LID: the index of its edge switch in `sets`; [`NONE`] for LIDs of no receiver.
    edge_switch: Vec<u32>,
    switches: usize,
    words: usize,
    /// Shape `(edge_switches, switches, words)`; empty at the edge switch itself and where no path leads there.
    sets: Vec<u64>,
}

impl ShortestPorts {
    /// The groups towards all ends.
    pub(super) fn of(net: &Network<'_>) -> Self {
        let (fabric, lids) = (net.fabric, &net.routes.lids);
        let (switches, words) = (fabric.num_switches(), net.radix.div_ceil(64));
        let mut edge_switch = vec![NONE; lids.max_lid() as usize + 1];
        let mut edge_switches: Vec<NodeId> = Vec::new();
        let mut index = vec![NONE; switches];
        for &end in &net.ends {
            let Some(switch) = fabric.edge_switch(PortId(end)) else { continue };
            if index[switch.ix()] == NONE {
                index[switch.ix()] = edge_switches.len() as u32;
                edge_switches.push(switch);
            }
            for lid in lids.range(PortId(end)) {
                edge_switch[lid as usize] = index[switch.ix()];
            }
        }
        let mut sets = vec![0; edge_switches.len() * switches * words];
        let hops = hops_to(fabric, &edge_switches);
        let rows = hops.chunks_exact(switches.max(1));
        for (row, sets) in rows.zip(sets.chunks_exact_mut((switches * words).max(1))) {
            for switch in fabric.switches() {
                for port in fabric.ports_of(switch) {
                    let peer = fabric.peer(port).map(|far| fabric.node_of(far));
                    let near = |peer: NodeId| fabric.is_switch(peer) && row[peer.ix()] < row[switch.ix()];
                    if peer.is_some_and(near) {
                        let number = usize::from(fabric.number_of(port));
                        sets[switch.ix() * words + number / 64] |= 1 << (number % 64);
                    }
                }
            }
        }
        Self { edge_switch, switches, words, sets }
    }

    /// Memory for the groups of a network and the hops that they are computed from [bytes].
    pub(super) fn size(net: &Network<'_>) -> u64 {
        let mut is_edge = vec![false; net.fabric.num_switches()];
        for switch in net.ends.iter().filter_map(|&end| net.fabric.edge_switch(PortId(end))) {
            is_edge[switch.ix()] = true;
        }
        let edge_switches = is_edge.iter().filter(|&&is_edge| is_edge).count() as u64;
        edge_switches * is_edge.len() as u64 * (8 * net.radix.div_ceil(64) as u64 + HOPS)
    }

    /// The ports by which a switch may send a packet to a LID; none where the table decides.
    #[inline]
    fn towards(&self, switch: u32, lid: u32) -> &[u64] {
        let edge_switch = self.edge_switch.get(lid as usize).copied().unwrap_or(NONE);
        if edge_switch == NONE {
            return &[];
        }
        &self.sets[(edge_switch as usize * self.switches + switch as usize) * self.words..][..self.words]
    }

    /// Takes a port out of all groups of a switch.
    pub(super) fn remove(&mut self, switch: u32, number: u8) {
        let (word, bit) = (usize::from(number) / 64, 1 << (number % 64));
        let sets = self.sets.chunks_exact_mut((self.switches * self.words).max(1));
        sets.for_each(|sets| sets[switch as usize * self.words + word] &= !bit);
    }

    /// Whether a switch has a choice for a LID.
    #[inline]
    pub(super) fn may_choose(&self, switch: u32, lid: u32) -> bool {
        self.towards(switch, lid).iter().any(|&word| word != 0)
    }

    /// The numbers of the ports by which a switch may send a packet to a LID.
    pub(super) fn list(&self, switch: u32, lid: u32, ports: &mut Vec<u8>) {
        ports.clear();
        for (word, &set) in self.towards(switch, lid).iter().enumerate() {
            let mut bits = set;
            while bits != 0 {
                ports.push((word * 64) as u8 + bits.trailing_zeros() as u8);
                bits &= bits - 1;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fabric::Fabric;
    use crate::generate::generate;
    use crate::routing::{Options, route};
    use crate::sm::lids::{LidOptions, Lids};
    use crate::sm::{Engine, Routes};

    /// Hops from each switch to each, relaxed until nothing changes.
    fn hops(fabric: &Fabric) -> Vec<Vec<usize>> {
        let n = fabric.num_switches();
        let mut hops = vec![vec![usize::MAX / 2; n]; n];
        (0..n).for_each(|s| hops[s][s] = 0);
        let joined: Vec<(usize, usize)> = fabric
            .cables()
            .flat_map(|(a, b)| [(a, b), (b, a)])
            .map(|(a, b)| (fabric.node_of(a).ix(), fabric.node_of(b).ix()))
            .filter(|&(a, b)| a < n && b < n)
            .collect();
        loop {
            let before = hops.clone();
            for &(a, b) in &joined {
                for to in 0..n {
                    hops[a][to] = hops[a][to].min(hops[b][to] + 1);
                }
            }
            if hops == before {
                return hops;
            }
        }
    }

    fn routes(fabric: &Fabric, lmc: u8) -> Routes {
        let options = LidOptions { lmc, ..LidOptions::fresh() };
        let lids = Lids::assign(fabric, Lids::default_sm(fabric).unwrap(), &options).unwrap();
        route(fabric, lids, &[Engine::MinHop], &Options::default()).unwrap()
    }

    /// The numbers of the ports of a switch behind which the destination switch is nearer.
    fn nearer(fabric: &Fabric, hops: &[Vec<usize>], switch: NodeId, edge_switch: NodeId) -> Vec<u8> {
        let leads = |&port: &PortId| {
            let far = fabric.peer(port).map(|far| fabric.node_of(far));
            far.is_some_and(|far| {
                fabric.is_switch(far)
                    && hops[far.ix()][edge_switch.ix()] < hops[switch.ix()][edge_switch.ix()]
            })
        };
        fabric.ports_of(switch).filter(leads).map(|port| fabric.number_of(port)).collect()
    }

    #[test]
    fn groups_are_the_ports_behind_which_the_receivers_switch_is_nearer() {
        // Switches of 8 ports and of 80; only every third host is an end.
        for (spec, words) in [("fat-tree:8,3", 1), ("torus:4x3", 1), ("pgft:2;40,2;1,40;1,1", 2)] {
            let fabric = generate(spec).unwrap();
            let routes = routes(&fabric, 1);
            let all: Vec<PortId> = fabric.end_nodes().filter_map(|n| fabric.port(n, 1)).collect();
            let ends: Vec<PortId> = all.iter().copied().step_by(3).collect();
            let net = Network::new(&fabric, &routes, &ends);
            let mut groups = ShortestPorts::of(&net);
            let hops = hops(&fabric);
            let mut list = vec![77];
            let check = |groups: &ShortestPorts, list: &mut Vec<u8>, without: Option<(NodeId, u8)>| {
                let mut most = 0;
                for lid in 0..=routes.lids.max_lid() + 3 {
                    let receiver = routes.lids.owner(lid).filter(|port| ends.contains(port));
                    for switch in fabric.switches() {
                        let mut expected = receiver
                            .and_then(|port| fabric.edge_switch(port))
                            .map_or(Vec::new(), |edge_switch| nearer(&fabric, &hops, switch, edge_switch));
                        expected.retain(|&number| Some((switch, number)) != without);
                        groups.list(switch.0, lid, list);
                        assert_eq!(*list, expected, "{spec}: {switch:?} to {lid}");
                        assert_eq!(groups.may_choose(switch.0, lid), !expected.is_empty());
                        most = most.max(expected.len());
                    }
                }
                most
            };
            let most = check(&groups, &mut list, None);
            assert!(most > 1, "{spec}");
            // A set of ports and two bytes of hops for each destination switch and each switch.
            let edge_switches: std::collections::BTreeSet<_> =
                ends.iter().map(|&p| fabric.edge_switch(p)).collect();
            let pairs = edge_switches.len() as u64 * fabric.num_switches() as u64;
            assert_eq!(ShortestPorts::size(&net), pairs * (8 * words + 2), "{spec}");
            // Without the last port of the first end's switch that leads to another switch.
            let edge_switch = fabric.edge_switch(ends[0]).unwrap();
            let other = fabric.edge_switch(*ends.last().unwrap()).unwrap();
            let number = *nearer(&fabric, &hops, edge_switch, other).last().unwrap();
            groups.remove(edge_switch.0, number);
            check(&groups, &mut list, Some((edge_switch, number)));
        }
    }
}
