//! What is done where a search gets stuck: a switch beside an unreached one takes another of its channels
//! (local backtracking), and what was reached before may then be reached sooner (shortcuts).

use super::cdg::{Cdg, Edge};
use super::network::{INFINITY, NONE, SwitchNetwork};
use super::search::PathSearch;

impl PathSearch {
    /// Reaches one more switch by another channel to a neighbour of it; the channel that leads there.
    pub fn backtrack(&mut self, network: &SwitchNetwork, cdg: &mut Cdg, edge_switch: u32) -> Option<u32> {
        self.find_serving(network, cdg);
        let lost = |&s: &u32| self.distance[s as usize] == INFINITY;
        let unreached: Vec<u32> = (0..network.len() as u32).filter(lost).collect();
        let mut candidates = Vec::new();
        unreached.into_iter().find_map(|lost| {
            candidates.clear();
            for channel in network.channels(lost) {
                let others = &self.serving[network.to[channel as usize] as usize];
                candidates.extend(others.iter().map(|&other| (network.back[channel as usize], other)));
            }
            candidates.sort_by_key(|&(_, channel)| self.by_channel[channel as usize]);
            self.try_each(network, cdg, &candidates, lost, edge_switch)
        })
    }

    /// Finds by switch the other channels to it that serve all switches behind it.
    fn find_serving(&mut self, network: &SwitchNetwork, cdg: &Cdg) {
        let mut behind = cdg.none_by_switch(network);
        for &channel in self.used.iter().filter(|&&channel| channel != NONE) {
            behind.insert(cdg.edge_of(network, network.from[channel as usize], channel));
        }
        self.serving.iter_mut().for_each(Vec::clear);
        for &other in &self.kept {
            let (start, near) = (network.from[other as usize], network.to[other as usize]);
            let hangs_off = match self.used[start as usize] {
                NONE => false,
                before => network.from[before as usize] == near,
            };
            if !hangs_off && self.distance[near as usize] < INFINITY && cdg.uses_all(network, other, &behind)
            {
                self.serving[near as usize].push(other);
            }
        }
    }

    /// The channels by which a switch leads to others, once for each cable to these.
    fn behind(&self, network: &SwitchNetwork, switch: u32) -> Vec<u32> {
        let used = network.neighbours(switch).iter().map(|&far| self.used[far as usize]);
        used.filter(|&channel| channel != NONE && network.from[channel as usize] == switch).collect()
    }

    fn try_each(
        &mut self,
        network: &SwitchNetwork,
        cdg: &mut Cdg,
        candidates: &[(u32, u32)],
        lost: u32,
        edge_switch: u32,
    ) -> Option<u32> {
        let mut taken = None;
        for &(last, other) in candidates {
            let start = network.from[other as usize];
            let before = self.used[start as usize];
            let Some(last_edge) = cdg.edge(network, other, last) else { continue };
            if cdg.is_blocked(last_edge) || start == edge_switch || before == NONE {
                continue;
            }
            // Back to where it came from, by any cable.
            if network.from[before as usize] == network.to[other as usize] {
                continue;
            }
            let Some(edge) = cdg.edge(network, before, other) else { continue };
            if cdg.is_blocked(edge) {
                continue;
            }
            let was_wet = cdg.is_wet(edge);
            if !cdg.take(network, before, other, edge, self.colour) {
                continue;
            }
            if !cdg.take(network, other, last, last_edge, self.colour) {
                if !was_wet {
                    cdg.release(edge);
                }
                continue;
            }
            let distance = self.by_channel[other as usize] + network.weight[last as usize];
            self.by_channel[last as usize] = distance;
            if taken.is_some() {
                self.remember(last);
                continue;
            }
            self.used[lost as usize] = last;
            self.distance[lost as usize] = distance;
            let near = network.to[other as usize] as usize;
            self.used[near] = other;
            self.distance[near] = self.by_channel[other as usize];
            taken = Some(last);
        }
        taken
    }

    /// Whether a switch may be reached by another channel after an impasse: all switches behind it must be
    /// reached from there without a cycle.
    pub fn is_shortcut(&self, network: &SwitchNetwork, cdg: &mut Cdg, switch: u32, channel: u32) -> bool {
        let behind = self.behind(network, switch);
        let edges: Option<Vec<Edge>> = behind.iter().map(|&next| cdg.edge(network, channel, next)).collect();
        let Some(edges) = edges else { return false };
        let was_wet: Vec<bool> = edges.iter().map(|&edge| cdg.is_wet(edge)).collect();
        for (i, (&edge, &next)) in edges.iter().zip(&behind).enumerate() {
            if cdg.is_blocked(edge) || !cdg.take(network, channel, next, edge, self.colour) {
                for (&edge, _) in edges[..i].iter().zip(&was_wet).filter(|&(_, &wet)| !wet) {
                    cdg.release(edge);
                }
                return false;
            }
        }
        let old = self.used[switch as usize];
        let before = self.used[network.from[old as usize] as usize];
        if before != NONE
            && let Some(edge) = cdg.edge(network, before, old)
        {
            cdg.release(edge);
        }
        // OpenSM gives back the new edges, not those from the old channel.
        for &edge in &edges {
            cdg.release(edge);
        }
        true
    }
}
