//! Ideal adaptive routing: each flow split over all shortest paths so that the rates are max-min fair.
//!
//! A search finds the split with the greatest least rate, and proves how far it may be from the best. The flows
//! that cannot rise further keep that rate and split; the search is repeated for the others on what is left of
//! the links, as in water filling (M. Allalouf, Y. Shavitt, "Centralized and distributed algorithms for routing
//! and weighted max-min fair bandwidth allocation", IEEE/ACM Transactions on Networking 16(5), 2008). So the
//! least rate is within the gap of the best possible, and higher rates are lower bounds of theirs.
//!
//! Flows to the same edge switch are split alike at every switch. That does not lower the least rate, because
//! such flows could be exchanged there.

mod search;
mod shortest;

use super::multipath::FAR;
use super::{LinkId, SINK};
use crate::ranks::Flow;
use search::SplitSearch;
use shortest::SplitFlow;
pub use shortest::{GAP, Ideal};

/// The most searches; each fixes the rates of some flows.
const LEVELS: usize = 32;

/// How flows are split, and how good that is.
#[derive(Clone, Debug, Default)]
pub struct Split {
    /// By flow: links and the share of the flow that crosses each; none where there is no path.
    pub shares: Vec<Vec<(LinkId, f64)>>,
    /// How far the least rate may be below the best possible, relative.
    pub gap: f64,
}

impl Ideal<'_, '_> {
    /// Splits flows over links of given rates; `weight`: by flow, its rate relative to others. Returns what it has
    /// when `stopped` says so.
    pub fn split(
        &self,
        flows: &[Flow],
        weight: impl Fn(usize) -> f64,
        rates: &[f64],
        stopped: impl Fn() -> bool,
    ) -> Split {
        let paths = self.spray.paths;
        let mut out = Split { shares: vec![Vec::new(); flows.len()], gap: 0.0 };
        let mut demands = Vec::new();
        for (f, &flow) in flows.iter().enumerate() {
            let (Some((_, from)), Some((edge_switch, _))) =
                (paths.edge_of(flow.from), paths.edge_of(flow.to))
            else {
                let direct = paths.direct(flow.from as usize, flow.to as usize);
                out.shares[f].extend((direct != SINK).then_some((direct, 1.0)));
                continue;
            };
            let (up, down) = paths.host_links(flow);
            if self.hops(edge_switch, from.0) != FAR {
                let (from, edge_switch, weight) = (from.0, edge_switch as u32, weight(f));
                demands.push(SplitFlow { flow: f as u32, from, edge_switch, up, down, weight });
            }
        }
        let (mut left, mut used) = (rates.to_vec(), Vec::new());
        for level in 0..LEVELS {
            if demands.is_empty() || stopped() {
                break;
            }
            let mut search = SplitSearch::new(self, &demands, &left, rates);
            search.run(&stopped);
            if level == 0 {
                out.gap = (search.worst / search.least - 1.0).max(0.0);
            }
            let held = search.held_back(&demands, level + 1 == LEVELS);
            let rate = 1.0 / search.worst;
            let mut next = Vec::new();
            for (demand, held) in demands.iter().zip(held) {
                if !held {
                    next.push(*demand);
                    continue;
                }
                let shares = &mut out.shares[demand.flow as usize];
                search.shares(demand, shares);
                used.extend(shares.iter().map(|&(link, share)| (link, rate * demand.weight * share)));
            }
            for (link, rate) in used.drain(..) {
                // A full link keeps a little, so that lengths stay finite.
                let link = link as usize;
                left[link] = (left[link] - rate).max(1e-9 * rates[link]);
            }
            demands = next;
        }
        out
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fabric::NodeId;
    use crate::model::load::multipath::Spray;
    use crate::model::load::testing::two_tier;
    use crate::model::load::{Links, Paths};

    const RATE: f64 = 12.0;

    /// The splits of flows of weight 1 on links of one rate, except those named.
    fn split(net: &crate::model::load::testing::Net, flows: &[(u32, u32)], slow: &[(LinkId, f64)]) -> Split {
        let paths = Paths::new(&net.fabric, &net.routes, &net.hosts, 0);
        let spray = Spray::new(&paths);
        let flows: Vec<Flow> = flows.iter().map(|&(from, to)| Flow { from, to }).collect();
        let mut rates = vec![RATE; paths.links().len()];
        for &(link, rate) in slow {
            rates[link as usize] = rate;
        }
        Ideal::new(&spray).split(&flows, |_| 1.0, &rates, || false)
    }

    /// The link from a leaf to a spine, or back.
    fn between(net: &crate::model::load::testing::Net, from: u32, to: u32) -> LinkId {
        let links = Links::of(&net.fabric);
        let leads = |&p: &crate::fabric::PortId| {
            net.fabric.peer(p).map(|q| net.fabric.node_of(q)) == Some(NodeId(to))
        };
        links.leaving(net.fabric.ports_of(NodeId(from)).find(leads).unwrap())
    }

    #[test]
    fn where_all_is_alike_the_best_split_is_even() {
        let net = two_tier(3, 4, 4);
        let flows: Vec<(u32, u32)> = (0..12).map(|i| (i, (i + 5) % 12)).collect();
        let out = split(&net, &flows, &[]);
        assert!(out.gap < 1e-9);
        for (shares, &(from, to)) in out.shares.iter().zip(&flows) {
            let inner: Vec<f64> = shares[2..].iter().map(|p| p.1).collect();
            let expected = if from / 4 == to / 4 { vec![] } else { vec![0.25; 8] };
            assert_eq!(inner, expected);
        }
    }

    #[test]
    fn shares_keep_to_the_rates_of_links_and_all_of_a_flow_arrives() {
        // Leaf 0 (switch 0) reaches its spines (switches 3 to 6) by links of rates 12, 12, 6 and 6: 36 in all for
        // four flows, so each gets 9 at best, in shares 1/3, 1/3, 1/6, 1/6.
        let net = two_tier(3, 4, 4);
        let slow = [(between(&net, 0, 5), 6.0), (between(&net, 0, 6), 6.0)];
        let out = split(&net, &[(0, 4), (1, 5), (2, 6), (3, 7)], &slow);
        assert!(out.gap <= GAP);
        let share = |spine: u32| {
            let link = between(&net, 0, spine);
            let of =
                |shares: &Vec<(LinkId, f64)>| shares.iter().filter(|p| p.0 == link).map(|p| p.1).sum::<f64>();
            out.shares.iter().map(of).sum::<f64>()
        };
        for (spine, expected) in [(3, 4.0 / 3.0), (4, 4.0 / 3.0), (5, 2.0 / 3.0), (6, 2.0 / 3.0)] {
            // At the best rate no link is more than a gap above its own.
            assert!(share(spine) <= expected * (1.0 + 2.0 * GAP), "{spine}: {}", share(spine));
        }
        for shares in &out.shares {
            assert!((shares.iter().map(|p| p.1).sum::<f64>() - 4.0).abs() < 1e-9); // four links each
        }
    }

    #[test]
    fn a_flow_that_is_hardly_better_off_still_rises() {
        // Leaf 0 sends four flows by four links of rate 9: 9 each, evenly, and the links around it prove that at once.
        // Leaf 1 has links of 9.1, 9.6, 9.6 and 9.6 for its four: evenly split 9.1 each, and at best 37.9 / 4.
        let net = two_tier(3, 4, 4);
        let mut slow: Vec<(LinkId, f64)> = (3..7).map(|spine| (between(&net, 0, spine), 9.0)).collect();
        slow.push((between(&net, 1, 3), 9.1));
        slow.extend((4..7).map(|spine| (between(&net, 1, spine), 9.6)));
        let flows = [(0, 4), (1, 5), (2, 6), (3, 7), (4, 8), (5, 9), (6, 10), (7, 11)];
        let out = split(&net, &flows, &slow);
        assert!(out.gap < 1e-9);
        let link = between(&net, 1, 3);
        let onto: f64 = out.shares.iter().flatten().filter(|p| p.0 == link).map(|p| p.1).sum();
        assert!(onto <= 4.0 * 9.1 / 37.9 * (1.0 + 2.0 * GAP), "{onto}");
    }

    #[test]
    fn a_flow_that_can_avoid_a_full_link_does() {
        // Leaf 2 hardly reaches any but the last spine: flows from leaf 0 to the same receiving leaf avoid it.
        let net = two_tier(3, 4, 4);
        let slow: Vec<(LinkId, f64)> = [3, 4, 5].map(|spine| (between(&net, 2, spine), 1e-3)).to_vec();
        let out = split(&net, &[(0, 4), (1, 5), (2, 6), (8, 7)], &slow);
        assert!(out.gap <= GAP);
        let link = between(&net, 6, 1);
        let onto: f64 = out.shares.iter().flatten().filter(|p| p.0 == link).map(|p| p.1).sum();
        assert!(onto <= 1.0 + 2.0 * GAP, "{onto}");
    }
}
