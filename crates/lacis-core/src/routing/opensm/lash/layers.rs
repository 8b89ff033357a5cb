//! Which lane each pair of switches uses: the first that stays free of cycles.

use super::channels::Channels;
use super::dependency_graph::{DependencyGraph, Turn};

/// No lane: a switch and itself.
const NONE: u8 = u8::MAX;

/// The lanes of one subnet and what uses them.
pub(super) struct LaneAssignment<'a> {
    pub channels: &'a Channels,
    /// By source and target; shape `(switches, switches)`, symmetric.
    of_pair: Vec<u8>,
    /// What the pairs of each lane, and perhaps more, depend on.
    pub graphs: Vec<DependencyGraph>,
    /// Ordered pairs by lane.
    pub counts: Vec<usize>,
}

impl<'a> LaneAssignment<'a> {
    /// Gives each pair the first lane that takes it; `order` is an order of the channels that most
    /// paths may be expected to follow.
    ///
    /// # Errors
    /// The number of lanes that do not suffice, where that is `limit`.
    pub fn assign(channels: &'a Channels, order: Vec<u32>, limit: usize) -> Result<Self, usize> {
        let n = channels.num_switches();
        let graphs = vec![DependencyGraph::new(channels, order)];
        let mut layers = Self { channels, of_pair: vec![NONE; n * n], graphs, counts: vec![0] };
        let mut turns = Vec::new();
        for a in 0..n {
            for b in a + 1..n {
                layers.turns(a, b, &mut turns);
                let lane = layers.graphs.iter_mut().position(|graph| graph.add(channels, &turns));
                let lane = lane.unwrap_or(layers.graphs.len());
                if lane == limit {
                    return Err(limit);
                }
                if lane == layers.graphs.len() {
                    let mut graph = DependencyGraph::new(channels, layers.graphs[0].positions().to_vec());
                    graph.add(channels, &turns);
                    layers.graphs.push(graph);
                    layers.counts.push(0);
                }
                layers.put(a, b, lane);
            }
        }
        Ok(layers)
    }

    /// The turns of a pair, in both directions.
    pub fn turns(&self, a: usize, b: usize, turns: &mut Vec<Turn>) {
        turns.clear();
        self.channels.turns(a, b, turns);
        self.channels.turns(b, a, turns);
    }

    /// Gives a pair a lane.
    pub fn put(&mut self, a: usize, b: usize, lane: usize) {
        let n = self.channels.num_switches();
        for pair in [a * n + b, b * n + a] {
            let before = std::mem::replace(&mut self.of_pair[pair], lane as u8);
            if let Some(count) = self.counts.get_mut(usize::from(before)) {
                *count -= 1;
            }
            self.counts[lane] += 1;
        }
    }

    /// The lane of a path between two switches.
    pub fn lane(&self, source: usize, target: usize) -> u8 {
        self.of_pair[source * self.channels.num_switches() + target]
    }
}
