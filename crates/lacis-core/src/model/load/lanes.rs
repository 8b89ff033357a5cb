//! The lanes on which flows cross their links.

use super::{LinkId, Paths, SINK, Steps};
use crate::qos::Lanes;
use crate::ranks::Flow;

/// What a flow asks for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Ask {
    /// The number that selects the receiver's LID, from [`super::Multipath::choice`].
    pub choice: u32,
    /// The service level; tables that assign service levels override it.
    pub sl: u8,
}

impl Paths<'_> {
    /// Overwrites `out` with `channel(link, lane)` for every link of `steps`, which are those of `flows`.
    pub fn channels(
        &self,
        flows: &[Flow],
        steps: &Steps,
        asked: &Lanes,
        ask: impl Fn(usize) -> Ask,
        channel: impl Fn(LinkId, u8) -> LinkId,
        out: &mut Steps,
    ) {
        out.clone_from(steps);
        let n = flows.len();
        let count = out.links.len() / n.max(1);
        let Some(tables) = &self.routes().lanes else {
            for step in out.links.chunks_exact_mut(n.max(1)) {
                for (f, link) in step.iter_mut().enumerate().filter(|(_, link)| **link != SINK) {
                    *link = channel(*link, asked.lane(ask(f).sl));
                }
            }
            return;
        };
        let num_lanes = tables.num_lanes() as u8;
        for (f, flow) in flows.iter().enumerate() {
            let Some((_, edge_switch)) = self.edge_of(flow.from) else { continue };
            let to = self.ports()[flow.to as usize];
            let choice = ask(f).choice & ((1 << self.lmc(to)) - 1);
            let sl = tables.sl(edge_switch, self.routes().lids.base(to) + choice);
            let mut came = None;
            // Up, then between switches, then down.
            for step in [0].into_iter().chain(2..count).chain([1]) {
                let link = &mut out.links[step * n + f];
                if *link == SINK {
                    continue;
                }
                let egress = self.links().egress(*link);
                let lane = match came {
                    None => sl % num_lanes,
                    Some(input) => {
                        let [from, to] = [input, egress].map(|port| self.fabric().number_of(port));
                        tables.vl(self.fabric().node_of(egress), from, to, sl)
                    }
                };
                came = self.fabric().peer(egress);
                *link = channel(*link, lane);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fabric::{Fabric, Guid, NodeId, Population, PortId};
    use crate::generate::generate;
    use crate::io::torus_conf;
    use crate::model::load::testing::two_tier;
    use crate::routing::{Options, route};
    use crate::sm::Engine;
    use crate::sm::lids::{LidOptions, Lids};

    const LANES: LinkId = 16;

    fn numbered(link: LinkId, lane: u8) -> LinkId {
        link * LANES + LinkId::from(lane)
    }

    fn all_flows(n: u32) -> Vec<Flow> {
        (0..n).flat_map(|from| (0..n).map(move |to| Flow { from, to })).filter(|f| f.from != f.to).collect()
    }

    fn guid(fabric: &Fabric, switch: usize) -> Guid {
        fabric.node(NodeId(switch as u32)).guid
    }

    #[test]
    fn tables_with_lanes_give_every_hop_its_lane() {
        // Lanes that change along the path (torus-2QoS), that stay (dfsssp), and that LIDs decide (lash).
        for (spec, engine) in [
            ("torus:5x5", Engine::Torus2Qos),
            ("torus:5x5", Engine::DfSssp),
            ("ring:7", Engine::DfSssp),
            ("ring:8", Engine::Lash),
        ] {
            let fabric = generate(spec).unwrap();
            let sm = Lids::default_sm(&fabric).unwrap();
            let lids = Lids::assign(&fabric, sm, &LidOptions { lmc: 1, ..LidOptions::fresh() }).unwrap();
            let [origin, right, left, up, down] = [0, 5, 20, 1, 4]
                .map(|n| if n < fabric.num_switches() { guid(&fabric, n) } else { Guid::NONE });
            let conf = format!(
                "torus 5 5 1\nxp_link {origin} {right}\nxm_link {origin} {left}\nyp_link {origin} {up}\nym_link {origin} {down}\n"
            );
            let torus = Some(torus_conf::read(conf.as_bytes()).unwrap());
            let options = Options { torus, fallback: false, ..Options::default() };
            let routes = route(&fabric, lids, &[engine], &options).unwrap();
            let lanes = routes.lanes.as_ref().unwrap();
            let hosts = fabric.end_ports(Population::All);
            let paths = Paths::new(&fabric, &routes, &hosts, 0);
            let flows = all_flows(hosts.len() as u32);
            let choice = |f: usize| f as u32 % 7;
            let choices: Vec<u32> = (0..flows.len()).map(choice).collect();
            let (mut steps, mut channels) = (Steps::default(), Steps::default());
            paths.steps_by(&flows, &choices, &mut steps);
            let ask = |f| Ask { choice: choice(f), sl: 9 };
            paths.channels(&flows, &steps, &Lanes::default(), ask, numbered, &mut channels);
            let mut seen = 0_u16;
            for (f, flow) in flows.iter().enumerate() {
                // As packets go: from port to port by the tables.
                let [from, to] = [flow.from, flow.to].map(|slot| hosts[slot as usize]);
                let lid = routes.lids.base(to) + choice(f) % 2;
                let sl = lanes.sl(fabric.edge_switch(from).unwrap(), lid);
                let leaving = |port: PortId| paths.links().leaving(port);
                let mut expected = vec![numbered(leaving(from), sl)];
                let mut at = fabric.peer(from).unwrap();
                while at != to {
                    let switch = fabric.node_of(at);
                    let out = routes.lft.get(switch, lid);
                    let lane = lanes.vl(switch, fabric.number_of(at), out, sl);
                    seen |= 1 << lane;
                    let egress = fabric.port(switch, out).unwrap();
                    expected.push(numbered(leaving(egress), lane));
                    at = fabric.peer(egress).unwrap();
                }
                let mut found: Vec<LinkId> = channels.of_flow(f).collect();
                found.sort_unstable();
                expected.sort_unstable();
                assert_eq!(found, expected, "{spec}: {from:?} to {to:?}");
            }
            assert!(seen.count_ones() > 1, "{spec} has one lane");
        }
    }

    #[test]
    fn without_such_tables_the_mapping_decides() {
        let net = two_tier(2, 2, 1);
        let paths = Paths::new(&net.fabric, &net.routes, &net.hosts, 0);
        let flows = [Flow { from: 0, to: 3 }, Flow { from: 1, to: 0 }];
        let (mut steps, mut channels) = (Steps::default(), Steps::default());
        paths.steps(&flows, &mut steps);
        let mut mapping = [0; 16];
        mapping[5] = 3;
        let lanes = Lanes { mapping: Some(mapping), ..Lanes::default() };
        let ask = |f| Ask { sl: [5, 1][f], ..Ask::default() };
        paths.channels(&flows, &steps, &lanes, ask, numbered, &mut channels);
        for (f, lane) in [(0, 3), (1, 0)] {
            let expected: Vec<LinkId> = steps.of_flow(f).map(|link| numbered(link, lane)).collect();
            assert!(!expected.is_empty());
            assert_eq!(channels.of_flow(f).collect::<Vec<_>>(), expected);
        }
    }
}
