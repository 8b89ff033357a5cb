//! All-to-all traffic: the contention of every ordered pair, without walking any pair.
//!
//! The flows on inter-switch links are subtree sums ([`verify::all_to_all_between`]). For one
//! destination the next hops form a tree, so the greatest load on the path from every switch is
//! found in one pass from the destination outwards, and all senders of one switch share it.
//!
//! | here      | meaning                                                                         |
//! |-----------|---------------------------------------------------------------------------------|
//! | `worst`   | greatest load on the links between a switch and the destination                 |
//! | `reached` | by edge switch: how many destinations its senders reach                         |
//! | `k`       | contention of a pair: greatest of its host links and `worst` at its edge switch |

use rayon::prelude::*;
use rustc_hash::FxHashMap;

use super::{Links, SINK};
use crate::fabric::{Fabric, NodeId, PortId};
use crate::sm::{NO_ENTRY, Routes};
use crate::verify;

/// Every ordered pair of the ports of each rail, all at once. Of a port with several LIDs the first is sent to.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct AllPairs {
    /// Flows on each directed link, by [`super::LinkId`].
    pub on_link: Vec<u64>,
    /// Contention and the number of pairs that see it, ascending.
    pub contention: Vec<(u64, u64)>,
    /// Pairs without a route.
    pub unrouted: u64,
}

/// Destinations with neighbouring LIDs share cache lines of every switch's table, so they are taken
/// in the order of their LIDs, at least a line of entries at a time.
const LINE: usize = 64;

/// No path from this switch.
const LOST: u64 = u64::MAX;

/// Counts all-to-all traffic: on each rail, every port to every other.
pub fn all_pairs(fabric: &Fabric, routes: &Routes, links: &Links, rails: &[Vec<PortId>]) -> AllPairs {
    let mut out = AllPairs { on_link: vec![0; links.len()], ..AllPairs::default() };
    for ports in rails {
        for (port, flows) in verify::all_to_all_between(fabric, routes, ports).into_iter().enumerate() {
            if flows > 0 {
                out.on_link[links.leaving(PortId(port as u32)) as usize] += flows;
            }
        }
    }
    let rails: Vec<RailPorts<'_>> =
        rails.iter().map(|ports| RailPorts::new(fabric, routes, links, ports)).collect();
    for rail in &rails {
        rail.add_host_links(&mut out.on_link);
    }
    let mut pairs: FxHashMap<u64, u64> = FxHashMap::default();
    for rail in &rails {
        rail.add_contention(&out.on_link, &mut pairs);
        let n = rail.ports.len() as u64;
        out.unrouted += n * n.saturating_sub(1) - rail.delivered();
    }
    out.contention = pairs.into_iter().collect();
    out.contention.sort_unstable();
    out
}

/// The ports of one rail, and which of them reach which.
struct RailPorts<'a> {
    fabric: &'a Fabric,
    routes: &'a Routes,
    links: &'a Links,
    ports: &'a [PortId],
    /// Indices in `ports` in the order of their LIDs.
    by_lid: Vec<usize>,
    edge_switches: Vec<NodeId>,
    /// Index in `edge_switches` of each port's switch.
    edge_switch: Vec<Option<u32>>,
    /// Ports on each edge switch.
    weight: Vec<u64>,
    /// Destinations that an edge switch reaches, its own ports included.
    reached: Vec<u64>,
    /// By port: the senders that reach it, itself not counted.
    senders: Vec<u64>,
    /// By port: whether its own switch would deliver to it.
    at_edge: Vec<bool>,
}

impl<'a> RailPorts<'a> {
    fn new(fabric: &'a Fabric, routes: &'a Routes, links: &'a Links, ports: &'a [PortId]) -> Self {
        let mut number = vec![None; fabric.num_switches()];
        let (mut edge_switches, mut weight) = (Vec::new(), Vec::new());
        let mut edge_switch = Vec::with_capacity(ports.len());
        for switch in ports.iter().map(|&p| fabric.edge_switch(p)) {
            edge_switch.push(switch.map(|s| {
                let index = *number[s.ix()].get_or_insert_with(|| {
                    edge_switches.push(s);
                    weight.push(0);
                    edge_switches.len() as u32 - 1
                });
                weight[index as usize] += 1;
                index
            }));
        }
        let mut by_lid: Vec<usize> = (0..ports.len()).collect();
        by_lid.sort_by_key(|&d| routes.lids.base(ports[d]));
        let mut rail = Self {
            fabric,
            routes,
            links,
            ports,
            by_lid,
            reached: vec![0; edge_switches.len()],
            edge_switches,
            edge_switch,
            weight,
            senders: vec![0; ports.len()],
            at_edge: vec![false; ports.len()],
        };
        let reaches: Vec<Vec<bool>> = rail
            .by_lid
            .par_iter()
            .with_min_len(LINE)
            .map_init(
                || Inward::new(&rail),
                |inward, &d| {
                    inward.aim(ports[d]);
                    rail.edge_switches.iter().map(|&h| inward.worst(h, &[]) != LOST).collect()
                },
            )
            .collect();
        for (i, ok) in reaches.iter().enumerate() {
            let d = rail.by_lid[i];
            for (h, _) in ok.iter().enumerate().filter(|&(_, &ok)| ok) {
                rail.reached[h] += 1;
                rail.senders[d] += rail.weight[h];
            }
            rail.at_edge[d] = rail.edge_switch[d].is_some_and(|h| ok[h as usize]);
            rail.senders[d] -= u64::from(rail.at_edge[d]);
        }
        for d in 0..ports.len() {
            rail.senders[d] += u64::from(rail.is_cabled_directly(d));
        }
        rail
    }

    /// Whether a port is cabled to another end port of the rail, with no switch between.
    fn is_cabled_directly(&self, index: usize) -> bool {
        self.edge_switch[index].is_none()
            && self.fabric.peer(self.ports[index]).is_some_and(|peer| self.ports.contains(&peer))
    }

    /// Flows that a port sends.
    fn sent(&self, index: usize) -> u64 {
        match self.edge_switch[index] {
            Some(h) => self.reached[h as usize] - u64::from(self.at_edge[index]),
            None => u64::from(self.is_cabled_directly(index)),
        }
    }

    fn delivered(&self) -> u64 {
        self.senders.iter().sum()
    }

    fn add_host_links(&self, on_link: &mut [u64]) {
        for (index, &port) in self.ports.iter().enumerate() {
            on_link[self.links.leaving(port) as usize] += self.sent(index);
            if let (Some(_), Some(peer)) = (self.edge_switch[index], self.fabric.peer(port)) {
                on_link[self.links.leaving(peer) as usize] += self.senders[index];
            }
        }
        on_link[SINK as usize] = 0;
    }

    fn add_contention(&self, on_link: &[u64], pairs: &mut FxHashMap<u64, u64>) {
        // The ports of an edge switch that it delivers to send equally much, and so do the others: by
        // kind, how many ports, the load of their links up, and whether it delivers to them.
        let mut kinds: Vec<Vec<(u64, u64, bool)>> = vec![Vec::new(); self.edge_switches.len()];
        for index in 0..self.ports.len() {
            if let Some(h) = self.edge_switch[index] {
                let up = on_link[self.links.leaving(self.ports[index]) as usize];
                let list = &mut kinds[h as usize];
                match list.iter_mut().find(|k| (k.1, k.2) == (up, self.at_edge[index])) {
                    Some(kind) => kind.0 += 1,
                    None => list.push((1, up, self.at_edge[index])),
                }
            } else if self.is_cabled_directly(index) {
                *pairs.entry(on_link[self.links.leaving(self.ports[index]) as usize]).or_default() += 1;
            }
        }
        let found: Vec<FxHashMap<u64, u64>> = self
            .by_lid
            .par_iter()
            .with_min_len(LINE)
            .fold(
                || (Inward::new(self), FxHashMap::default()),
                |(mut inward, mut pairs), &d| {
                    inward.aim(self.ports[d]);
                    let peer = self.fabric.peer(self.ports[d]);
                    let down = peer.map_or(0, |p| on_link[self.links.leaving(p) as usize]);
                    let up_of_d = on_link[self.links.leaving(self.ports[d]) as usize];
                    for (h, &edge_switch) in self.edge_switches.iter().enumerate() {
                        let worst = inward.worst(edge_switch, on_link);
                        if worst == LOST {
                            continue;
                        }
                        for &(count, up, at_edge) in &kinds[h] {
                            let itself = self.edge_switch[d] == Some(h as u32)
                                && (up, at_edge) == (up_of_d, self.at_edge[d]);
                            let count = count - u64::from(itself);
                            if count > 0 {
                                *pairs.entry(worst.max(down).max(up)).or_default() += count;
                            }
                        }
                    }
                    (inward, pairs)
                },
            )
            .map(|(_, pairs)| pairs)
            .collect();
        for (k, count) in found.into_iter().flat_map(sorted) {
            *pairs.entry(k).or_default() += count;
        }
    }
}

fn sorted(pairs: FxHashMap<u64, u64>) -> Vec<(u64, u64)> {
    let mut list: Vec<_> = pairs.into_iter().collect();
    list.sort_unstable();
    list
}

/// The path to one destination from any switch. Every switch is visited once per destination.
struct Inward<'a> {
    rail: &'a RailPorts<'a>,
    to: PortId,
    lid: u32,
    round: u32,
    seen: Vec<u32>,
    worst: Vec<u64>,
    stack: Vec<(u32, u32)>,
}

impl<'a> Inward<'a> {
    fn new(rail: &'a RailPorts<'a>) -> Self {
        let switches = rail.fabric.num_switches();
        Self {
            rail,
            to: PortId(0),
            lid: 0,
            round: 0,
            seen: vec![0; switches],
            worst: vec![LOST; switches],
            stack: Vec::new(),
        }
    }

    fn aim(&mut self, to: PortId) {
        self.to = to;
        self.lid = self.rail.routes.lids.base(to);
        self.round += 1;
    }

    /// The greatest load on inter-switch links from a switch to the destination, or [`LOST`].
    /// Without loads, 0 where there is a path.
    fn worst(&mut self, from: NodeId, on_link: &[u64]) -> u64 {
        let Self { rail, round, .. } = *self;
        let (fabric, lft) = (rail.fabric, &rail.routes.lft);
        self.stack.clear();
        let mut switch = from;
        // Followed to where the path ends or is known. Switches on it are marked lost until then, so
        // that a loop is lost.
        let mut worst = loop {
            let s = switch.ix();
            if self.seen[s] == round {
                break self.worst[s];
            }
            (self.seen[s], self.worst[s]) = (round, LOST);
            let entry = lft.get(switch, self.lid);
            let port = Some(entry).filter(|&e| e != 0 && e != NO_ENTRY).and_then(|e| fabric.port(switch, e));
            let Some((port, peer)) = port.and_then(|p| Some((p, fabric.peer(p)?))) else { break LOST };
            if peer == self.to {
                self.worst[s] = 0;
                break 0;
            }
            switch = fabric.node_of(peer);
            if !fabric.is_switch(switch) {
                break LOST;
            }
            self.stack.push((s as u32, rail.links.leaving(port)));
        };
        for &(s, link) in self.stack.iter().rev() {
            if worst != LOST {
                worst = worst.max(on_link.get(link as usize).copied().unwrap_or(0));
            }
            self.worst[s as usize] = worst;
        }
        worst
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fabric::Fabric;
    use crate::model::load::testing::{Net, two_tier, two_tier_with};
    use crate::model::load::{Contention, Paths, Steps};
    use crate::ranks::Participants;
    use crate::traffic::{Pattern, Phase, Phases};

    /// All pairs counted by walking every one of them.
    fn walked(net: &Net, ports: &[PortId]) -> AllPairs {
        let participants = Participants::each_port(&net.fabric, ports);
        let phases = Phases::new(&Pattern::AllToAll, &participants, 1, Vec::new()).unwrap();
        let paths = Paths::new(&net.fabric, &net.routes, ports, 0);
        let (mut phase, mut steps) = (Phase::default(), Steps::default());
        phases.fill(0, 0, &mut phase);
        paths.steps(&phase.flows, &mut steps);
        let mut count = Contention::new(paths.links());
        count.count(&steps);
        let mut pairs = std::collections::BTreeMap::new();
        for &k in count.of_flows() {
            *pairs.entry(u64::from(k)).or_insert(0) += 1;
        }
        let unrouted = pairs.remove(&0).unwrap_or(0);
        let on_link = count.on_links().iter().map(|&n| u64::from(n)).collect();
        AllPairs { on_link, contention: pairs.into_iter().collect(), unrouted }
    }

    fn summed(net: &Net, ports: &[PortId]) -> AllPairs {
        let links = Links::of(&net.fabric);
        all_pairs(&net.fabric, &net.routes, &links, &[ports.to_vec()])
    }

    #[test]
    fn sums_equal_the_walk_of_every_pair() {
        let mut net = two_tier_with(5, 4, 3, |d| d * d % 3);
        assert_eq!(summed(&net, &net.hosts), walked(&net, &net.hosts));
        assert_eq!(summed(&net, &net.hosts[2..11]), walked(&net, &net.hosts[2..11]));
        // Broken tables: a loop, a missing entry, a dead port, a switch that cannot deliver.
        let lid = |net: &Net, d: usize| net.routes.lids.base(net.hosts[d]) as usize;
        for (switch, d, entry) in [(5, 3, 2), (1, 7, NO_ENTRY), (2, 0, 0), (4, 18, 99), (0, 1, 1)] {
            let column = lid(&net, d);
            net.routes.lft.row_mut(NodeId(switch))[column] = entry;
            let (sum, walk) = (summed(&net, &net.hosts), walked(&net, &net.hosts));
            assert_eq!(sum, walk, "switch {switch}, host {d}");
            assert!(sum.unrouted > 0);
        }
    }

    #[test]
    fn a_balanced_tree_is_limited_by_its_hosts() {
        // 4 leaves of 3 hosts, 3 spines, destination mod 3: an uplink carries, for each of the 3
        // hosts under it, one destination of each of the 3 other leaves: 9. A host link carries 11.
        let net = two_tier(4, 3, 3);
        let all = summed(&net, &net.hosts);
        assert_eq!((all.contention, all.unrouted), (vec![(11, 12 * 11)], 0));
        assert!(all.on_link[1..=24].iter().all(|&n| n == 9));
    }

    #[test]
    fn the_flows_of_rails_add_up() {
        // Two hosts of each leaf on either rail, one behind each spine: links carry the flows of both rails.
        let net = two_tier(4, 4, 2);
        let links = Links::of(&net.fabric);
        let rails = [0, 1].map(|rail| {
            let leaves = net.hosts.chunks_exact(4);
            leaves.flat_map(|hosts| hosts[2 * rail..2 * rail + 2].to_vec()).collect::<Vec<_>>()
        });
        let flows = |rails: &[Vec<PortId>]| all_pairs(&net.fabric, &net.routes, &links, rails).on_link;
        let (one, other) = (flows(&rails[..1]), flows(&rails[1..]));
        let sums: Vec<u64> = one.iter().zip(&other).map(|(a, b)| a + b).collect();
        assert!(one[1..=links.between_switches()].iter().all(|&n| n > 0));
        assert_eq!(flows(&rails), sums);
    }

    #[test]
    fn two_hosts_on_one_cable_need_no_switch() {
        use crate::fabric::{FabricBuilder, Guid, Node, NodeKind};
        let mut b = FabricBuilder::new();
        let mut add = |id: &str| {
            let node = Node {
                kind: NodeKind::Adapter,
                guid: Guid::NONE,
                system_guid: Guid::NONE,
                id: id.into(),
                description: id.into(),
                vendor: 0,
                device: 0,
                enhanced_port0: false,
                chassis: None,
                declared: None,
            };
            b.add_node(node, 1).unwrap()
        };
        let (x, y) = (add("x"), add("y"));
        b.connect((x, 1), (y, 1)).unwrap();
        let fabric: Fabric = b.finish();
        let hosts: Vec<PortId> = fabric.end_nodes().filter_map(|n| fabric.port(n, 1)).collect();
        let net = Net { routes: two_tier(1, 1, 1).routes, fabric, hosts };
        let all = summed(&net, &net.hosts);
        assert_eq!((all.contention, all.unrouted), (vec![(1, 2)], 0));
    }
}
