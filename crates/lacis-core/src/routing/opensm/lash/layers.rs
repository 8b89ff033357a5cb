//! Which lane each pair of switches uses: the first that stays free of cycles.

use super::paths::SwitchPaths;
use crate::routing::common::channels::Channels;
use crate::routing::common::dependency_graph::{DependencyGraph, Turn};

/// No lane: a switch and itself.
const NONE: u8 = u8::MAX;

/// The lanes of one subnet and what uses them.
pub(super) struct LaneAssignment<'a> {
    pub paths: &'a SwitchPaths,
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
    pub fn assign(paths: &'a SwitchPaths, order: Vec<u32>, limit: usize) -> Result<Self, usize> {
        let (n, channels) = (paths.num_switches(), &paths.channels);
        let graphs = vec![DependencyGraph::new(channels, order)];
        let mut layers = Self { paths, of_pair: vec![NONE; n * n], graphs, counts: vec![0] };
        let mut turns = Vec::new();
        for a in 0..n {
            for b in a + 1..n {
                layers.turns(a, b, &mut turns);
                let lane = layers.graphs.iter_mut().position(|graph| add(graph, channels, &turns));
                let lane = lane.unwrap_or(layers.graphs.len());
                if lane == limit {
                    return Err(limit);
                }
                if lane == layers.graphs.len() {
                    let mut graph = DependencyGraph::new(channels, layers.graphs[0].positions().to_vec());
                    add(&mut graph, channels, &turns);
                    layers.graphs.push(graph);
                    layers.counts.push(0);
                }
                layers.set_lane(a, b, lane);
            }
        }
        Ok(layers)
    }

    /// The turns of a pair, in both directions.
    pub fn turns(&self, a: usize, b: usize, turns: &mut Vec<Turn>) {
        turns.clear();
        self.paths.turns(a, b, turns);
        self.paths.turns(b, a, turns);
    }

    /// Gives a pair a lane.
    pub fn set_lane(&mut self, a: usize, b: usize, lane: usize) {
        let n = self.paths.num_switches();
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
        self.of_pair[source * self.paths.num_switches() + target]
    }
}

/// Adds turns, all of them or, where they would close a cycle, none.
pub(super) fn add(graph: &mut DependencyGraph, channels: &Channels, turns: &[Turn]) -> bool {
    if turns.iter().any(|&turn| graph.is_closing(channels, turn)) {
        return false;
    }
    let mut added: Vec<Turn> = Vec::new();
    for &turn in turns {
        if graph.has(channels, turn) {
            continue;
        }
        if !graph.insert(channels, turn) {
            // Where none of these is on the cycle, the turns that stay always close it.
            if !graph.refused_cycle(turn).any(|on_cycle| added.contains(&on_cycle)) {
                graph.mark_closing(channels, turn);
            }
            for turn in added {
                graph.remove(channels, turn);
            }
            return false;
        }
        added.push(turn);
    }
    true
}

/// Removes turns that are there.
pub(super) fn remove(graph: &mut DependencyGraph, channels: &Channels, turns: &[Turn]) {
    for &turn in turns {
        graph.remove(channels, turn);
    }
    graph.forget_closing();
}
