//! The rails of hosts: which leaf and which label are of which, by the votes of hosts with the usual number of adapters.

use rustc_hash::FxHashMap;

use super::super::host::{Host, leaf_of};
use super::super::majority::majority;
use super::{Hosts, NO_RAIL};
use crate::fabric::{Fabric, NodeId, NodeKind};

impl Hosts {
    /// The adapters of a host, each with its number: planes and ports of one adapter have the same.
    fn numbered<'a>(&'a self, host: &'a Host) -> impl Iterator<Item = (u16, NodeId)> + 'a {
        let mut next = 0;
        let mut seen: Vec<(usize, u16)> = Vec::new();
        host.ends.iter().map(move |&end| {
            let card = self.card_of(end);
            let known = card.and_then(|card| seen.iter().find(|known| known.0 == card)).map(|known| known.1);
            let number = known.unwrap_or(next);
            if known.is_none() {
                seen.extend(card.map(|card| (card, number)));
                next += 1;
            }
            (number, end)
        })
    }

    /// Number of adapters of a host.
    pub fn num_adapters(&self, host: &Host) -> usize {
        self.numbered(host).map(|(number, _)| usize::from(number) + 1).max().unwrap_or(0)
    }

    /// Finds the rails: of leaves and labels by the votes of hosts with the usual number of adapters, then of adapters.
    pub(super) fn find_rails(&mut self, fabric: &Fabric) {
        let mut by_size: Vec<usize> = Vec::new();
        for host in self.hosts.iter().filter(|h| !h.generic) {
            let size = self.num_adapters(host);
            by_size.resize(by_size.len().max(size + 1), 0);
            by_size[size] += 1;
        }
        // The commonest size; of equals the larger.
        let usual = (0..by_size.len()).max_by_key(|&n| (by_size[n], n)).unwrap_or(0);
        self.num_rails = if usual == 0 { usize::from(!self.unknown.is_empty()) } else { usual };
        if self.num_rails >= usize::from(NO_RAIL) {
            return;
        }
        let voters = || self.hosts.iter().filter(|h| self.num_adapters(h) == usual && !h.generic);

        // Votes of leaves and of labels, as (voter, rail) pairs to be counted in runs.
        let mut leaf_votes: Vec<(NodeId, u16)> = Vec::new();
        let mut label_votes: Vec<(u32, &str, u16)> = Vec::new();
        for host in voters() {
            for (k, end) in self.numbered(host) {
                leaf_votes.extend(leaf_of(fabric, end).map(|leaf| (leaf, k)));
                label_votes.push((host.series, self.label(end), k));
            }
        }
        leaf_votes.sort_unstable();
        label_votes.sort_unstable();
        let mut leaf_rail = vec![NO_RAIL; self.first];
        for votes in leaf_votes.chunk_by(|a, b| a.0 == b.0) {
            let ks: Vec<u16> = votes.iter().map(|v| v.1).collect();
            leaf_rail[votes[0].0.ix()] = majority(&ks, 1).unwrap_or(NO_RAIL);
        }
        let mut label_rail: FxHashMap<(u32, &str), u16> = FxHashMap::default();
        for votes in label_votes.chunk_by(|a, b| (a.0, a.1) == (b.0, b.1)) {
            let ks: Vec<u16> = votes.iter().map(|v| v.2).collect();
            if let Some(k) = majority(&ks, 1) {
                label_rail.insert((votes[0].0, votes[0].1), k);
            }
        }
        let mut number = vec![0_u16; self.rail.len()];
        for host in &self.hosts {
            for (index, end) in self.numbered(host) {
                let by_label = label_rail.get(&(host.series, self.label(end)));
                number[end.ix() - self.first] = by_label.copied().unwrap_or(index);
            }
        }
        let rail: Vec<u16> = (0..self.rail.len())
            .map(|i| {
                let id = NodeId((self.first + i) as u32);
                if fabric.node(id).kind != NodeKind::Adapter {
                    return NO_RAIL;
                }
                let by_leaf = leaf_of(fabric, id).map_or(NO_RAIL, |leaf| leaf_rail[leaf.ix()]);
                if by_leaf != NO_RAIL {
                    return by_leaf;
                }
                let host = self.host_of(id).map(|h| &self.hosts[h]);
                let by_label = host.and_then(|h| label_rail.get(&(h.series, self.label(id))));
                by_label.copied().unwrap_or(if self.num_rails == 1 { 0 } else { NO_RAIL })
            })
            .collect();
        self.rail = rail;
        self.number = number;
        self.leaf_rail = leaf_rail;
        self.rails_of_other_leaves(fabric);
    }

    /// Leaves without a host with the usual number of adapters belong to the rail on which their labels agree, and
    /// so does every adapter on them.
    fn rails_of_other_leaves(&mut self, fabric: &Fabric) {
        let adapters = |first: usize, count: usize| (first..first + count).map(|n| NodeId(n as u32));
        let mut votes: Vec<(NodeId, u16)> = adapters(self.first, self.rail.len())
            .zip(&self.rail)
            .filter(|&(_, &rail)| rail != NO_RAIL)
            .filter_map(|(end, &rail)| Some((leaf_of(fabric, end)?, rail)))
            .filter(|&(leaf, _)| self.leaf_rail[leaf.ix()] == NO_RAIL)
            .collect();
        votes.sort_unstable();
        for votes in votes.chunk_by(|a, b| a.0 == b.0) {
            let rails: Vec<u16> = votes.iter().map(|v| v.1).collect();
            self.leaf_rail[votes[0].0.ix()] = majority(&rails, 1).unwrap_or(NO_RAIL);
        }
        for (end, rail) in adapters(self.first, self.rail.len()).zip(&mut self.rail) {
            let is_adapter = fabric.node(end).kind == NodeKind::Adapter;
            if let Some(leaf) = leaf_of(fabric, end).filter(|_| is_adapter && *rail == NO_RAIL) {
                *rail = self.leaf_rail[leaf.ix()];
            }
        }
    }
}
