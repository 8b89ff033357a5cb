//! What paths between switches cost, and which ports begin the cheapest.
//!
//! A link costs 1200 / (25 × lanes), so a path of 100g links costs 12 a hop and one of 50g links 24. Parallel cables
//! cost what the fastest of them costs, and all of them begin the path: the choice among them is by speed, later.

use rayon::prelude::*;

use crate::fabric::switch_graph::SwitchGraph;
use crate::fabric::{Fabric, Rate, Speed};

/// No path.
const FAR: u32 = u32::MAX;

/// The cheapest paths between all switches.
pub(super) struct Costs {
    pub graph: SwitchGraph,
    /// By link: lanes times the speed of a lane, as the manager counts it.
    pub speed: Vec<u16>,
    /// By link: what going over its cheapest parallel costs.
    bundle: Vec<u16>,
    /// Shape `(switches, switches)`: row `to`, what it costs from each.
    cost: Vec<u32>,
}

impl Costs {
    pub fn of(fabric: &Fabric) -> Self {
        let graph = SwitchGraph::of(fabric);
        let near = |switch: usize, link: usize| {
            let port = fabric.port(crate::fabric::NodeId(switch as u32), graph.port[link]);
            port.and_then(|port| fabric.brought_up_rate(port))
        };
        let n = graph.num_switches();
        let mut speed = vec![0; graph.num_links()];
        for switch in 0..n {
            for link in graph.links(switch) {
                speed[link] = speed_of(near(switch, link));
            }
        }
        let mut bundle = vec![0; graph.num_links()];
        for switch in 0..n {
            for link in graph.links(switch) {
                let parallel = graph.links(switch).filter(|&other| graph.peer[other] == graph.peer[link]);
                let cheapest = parallel.flat_map(|l| [speed[l], speed[graph.back[l] as usize]]).max();
                bundle[link] = (1200 / cheapest.unwrap_or(100)).max(1);
            }
        }
        let mut costs = Self { graph, speed, bundle, cost: vec![FAR; n * n] };
        let mut cost = std::mem::take(&mut costs.cost);
        cost.par_chunks_mut(n.max(1)).enumerate().for_each(|(to, row)| costs.search(to, row));
        costs.cost = cost;
        costs
    }

    /// Dijkstra's search with one bucket for each cost: links cost the same in both directions.
    fn search(&self, to: usize, cost: &mut [u32]) {
        cost[to] = 0;
        let mut buckets: Vec<Vec<u32>> = vec![vec![to as u32]];
        let mut at = 0;
        while at < buckets.len() {
            while let Some(switch) = buckets[at].pop() {
                if cost[switch as usize] != at as u32 {
                    continue;
                }
                for link in self.graph.links(switch as usize) {
                    let (far, next) = (self.graph.peer[link], at + usize::from(self.bundle[link]));
                    if cost[far as usize] > next as u32 {
                        cost[far as usize] = next as u32;
                        if buckets.len() <= next {
                            buckets.resize(next + 1, Vec::new());
                        }
                        buckets[next].push(far);
                    }
                }
            }
            at += 1;
        }
    }

    /// The links of a switch that begin the cheapest paths to another, by port.
    pub fn first_links(&self, from: usize, to: usize) -> impl Iterator<Item = usize> {
        let row = &self.cost[to * self.graph.num_switches()..][..self.graph.num_switches()];
        let begins = move |&link: &usize| {
            let far = self.graph.peer[link] as usize;
            row[from] != FAR && far != from && row[far].saturating_add(self.bundle[link].into()) == row[from]
        };
        self.graph.links(from).filter(begins)
    }
}

/// Lanes times the speed of a lane: 25 for Omni-Path 100, which the manager knows alone. A link that reports none
/// is taken for a whole one; others count by what a lane carries [Gb/s].
fn speed_of(rate: Option<Rate>) -> u16 {
    let Rate { width, speed } = rate.unwrap_or(Rate::x4(Speed::Opa100));
    let lane = (speed.payload_bits_per_lane() / 1e9).round().max(1.0) as u16;
    lane * u16::from(width.lanes())
}
