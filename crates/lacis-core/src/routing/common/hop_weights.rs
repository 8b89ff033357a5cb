//! Least hops where leaving a switch by some ports counts as several (`hop_weights_file`).
//!
//! | here     | meaning                                                                            |
//! |----------|------------------------------------------------------------------------------------|
//! | `weight` | by link: what leaving its near end over it counts as                               |
//! | `least`  | by switch: the smallest sum of weights over the links of a path to the edge switch |
//!
//! OpenSM 3.3.23 relaxes its matrices until nothing changes, which comes to the same as
//! E. W. Dijkstra, "A note on two problems in connexion with graphs", Numerische Mathematik 1, 1959.
//! Sums are bytes there, and so 255 and more is no path; that makes 255 buckets a queue (R. B. Dial,
//! "Algorithm 360", CACM 12(11), 1969).

use crate::fabric::NodeId;
use crate::fabric::switch_graph::SwitchGraph;
use crate::sm::hop_matrix::MAX_HOPS;

/// No path.
pub(in crate::routing) const NO_PATH: u8 = 255;

/// A search from one edge switch, its memory kept for the next.
pub(in crate::routing) struct LeastHops {
    /// By switch: least hops to the edge switch; [`NO_PATH`] where there is none.
    pub least: Vec<u8>,
    buckets: Vec<Vec<u32>>,
}

impl LeastHops {
    /// Before the first search.
    pub fn new(graph: &SwitchGraph) -> Self {
        Self { least: vec![NO_PATH; graph.num_switches()], buckets: vec![Vec::new(); MAX_HOPS as usize + 1] }
    }

    /// Finds the least hops of every switch to `edge_switch`; `weight` by link.
    pub fn run(&mut self, graph: &SwitchGraph, weight: &[u8], edge_switch: NodeId) {
        self.least.fill(NO_PATH);
        self.least[edge_switch.ix()] = 0;
        self.buckets[0].push(edge_switch.0);
        for hops in 0..self.buckets.len() {
            let mut here = std::mem::take(&mut self.buckets[hops]);
            for switch in here.drain(..).map(|s| s as usize) {
                if usize::from(self.least[switch]) != hops {
                    continue; // found nearer since
                }
                for link in graph.links(switch) {
                    // The cable's other end is where the path to the edge switch begins.
                    let (from, weight) = (graph.peer[link] as usize, weight[graph.back[link] as usize]);
                    let sum = hops + usize::from(weight);
                    if sum < usize::from(self.least[from]) {
                        self.least[from] = sum as u8;
                        self.buckets[sum].push(from as u32);
                    }
                }
            }
            self.buckets[hops] = here;
        }
    }

    /// Hands over the least hops by switch, and those by link.
    pub fn copy_to(&self, graph: &SwitchGraph, weight: &[u8], least: &mut [u8], hops: &mut [u8]) {
        least.copy_from_slice(&self.least);
        for switch in 0..graph.num_switches() {
            for link in graph.links(switch) {
                hops[link] = self.by(graph, weight, switch, link);
            }
        }
    }

    /// The least hops to the edge switch by a link of a switch; [`NO_PATH`] where it does not lead there, or only to
    /// the switch itself.
    pub fn by(&self, graph: &SwitchGraph, weight: &[u8], switch: usize, link: usize) -> u8 {
        let far = graph.peer[link] as usize;
        if far == switch { NO_PATH } else { self.least[far].saturating_add(weight[link]) }
    }
}

/// Sets, on every link that starts a path of least hops to an edge switch, that edge switch's bit, as far as it is in
/// `wanted`.
pub(in crate::routing) fn mark(
    graph: &SwitchGraph,
    weight: &[u8],
    edge_switches: &[NodeId],
    wanted: u64,
    links: &mut [u64],
) {
    let mut search = LeastHops::new(graph);
    for (bit, &edge_switch) in edge_switches.iter().enumerate().filter(|(bit, _)| wanted >> bit & 1 == 1) {
        search.run(graph, weight, edge_switch);
        for switch in (0..graph.num_switches()).filter(|&s| search.least[s] != NO_PATH) {
            for link in graph.links(switch) {
                if search.by(graph, weight, switch, link) == search.least[switch] {
                    links[link] |= 1 << bit;
                }
            }
        }
    }
}
