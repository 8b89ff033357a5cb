//! The rails of hosts: which leaf and which label are of which, by the votes of hosts with the usual number of adapters.

use rustc_hash::FxHashMap;

use super::super::host::{Host, leaf_of};
use super::super::majority::{agree, majority};
use super::{Hosts, NO_RAIL};
use crate::fabric::{Fabric, NodeId, NodeKind};

/// How many hosts with more adapters than most it takes to say that there are rails for these.
const FEWEST: usize = 3;

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

    /// How many adapters hosts usually have, of which each is on a rail of its own, and how many most of them have: the same, unless a
    /// larger number has rails, such as the hosts with accelerators beside many more with one adapter.
    fn usual_sizes(&self, fabric: &Fabric) -> [usize; 2] {
        let mut by_size: Vec<usize> = Vec::new();
        for host in self.hosts.iter().filter(|h| !h.generic) {
            let size = self.num_adapters(host);
            by_size.resize(by_size.len().max(size + 1), 0);
            by_size[size] += 1;
        }
        // The commonest size; of equals the larger.
        let commonest = (0..by_size.len()).max_by_key(|&n| (by_size[n], n)).unwrap_or(0);
        let larger = commonest.max(1) + 1..by_size.len();
        let with_rails = larger
            .filter(|&size| by_size[size] >= FEWEST && self.has_rails(fabric, size))
            .max_by_key(|&size| (by_size[size], size));
        [with_rails.unwrap_or(commonest), commonest]
    }

    /// Whether the hosts with this many adapters have a rail for each, with leaves of its own. Adapters of other hosts on these leaves
    /// have to be on the rails of their numbers; and most of the others, unless they are fewer than those with rails.
    fn has_rails(&self, fabric: &Fabric, size: usize) -> bool {
        let Some(leaf_rail) =
            self.rails_of_leaves(fabric, size).into_iter().collect::<Option<FxHashMap<_, _>>>()
        else {
            return false;
        };
        let (mut with_rails, mut others, mut as_numbered, mut crossed) = (0, 0, 0, 0);
        for host in self.hosts.iter().filter(|h| !h.generic) {
            if self.num_adapters(host) == size {
                with_rails += size;
                continue;
            }
            for (k, leaf) in self.numbered(host).filter_map(|(k, end)| Some((k, leaf_of(fabric, end)?))) {
                others += 1;
                match leaf_rail.get(&leaf) {
                    Some(&rail) if rail == k => as_numbered += 1,
                    Some(_) => crossed += 1,
                    None => {}
                }
            }
        }
        (crossed == 0 || agree(as_numbered, as_numbered + crossed))
            && (with_rails > others || agree(as_numbered, others))
    }

    /// The rail of each leaf of the hosts with this many adapters, by their votes; none for a leaf on which they disagree.
    fn rails_of_leaves(&self, fabric: &Fabric, size: usize) -> Vec<Option<(NodeId, u16)>> {
        let mut votes: Vec<(NodeId, u16)> = Vec::new();
        for host in self.hosts.iter().filter(|h| self.num_adapters(h) == size && !h.generic) {
            votes.extend(self.numbered(host).filter_map(|(k, end)| Some((leaf_of(fabric, end)?, k))));
        }
        votes.sort_unstable();
        let of_leaf = |votes: &[(NodeId, u16)]| {
            let rails: Vec<u16> = votes.iter().map(|vote| vote.1).collect();
            Some((votes[0].0, majority(&rails, 1)?))
        };
        votes.chunk_by(|a, b| a.0 == b.0).map(of_leaf).collect()
    }

    /// Finds the rails: of leaves and labels by the votes of hosts with the usual number of adapters, then of adapters.
    pub(super) fn find_rails(&mut self, fabric: &Fabric) {
        let [usual, commonest] = self.usual_sizes(fabric);
        self.num_rails = if usual == 0 { usize::from(!self.unknown.is_empty()) } else { usual };
        if self.num_rails >= usize::from(NO_RAIL) {
            return;
        }
        let mut leaf_rail = vec![NO_RAIL; self.first];
        for (leaf, rail) in self.rails_of_leaves(fabric, usual).into_iter().flatten() {
            leaf_rail[leaf.ix()] = rail;
        }
        // Votes of labels, as (voter, rail) pairs to be counted in runs.
        let mut label_votes: Vec<(u32, &str, u16)> = Vec::new();
        for host in self.hosts.iter().filter(|h| self.num_adapters(h) == usual && !h.generic) {
            label_votes.extend(self.numbered(host).map(|(k, end)| (host.series, self.label(end), k)));
        }
        label_votes.sort_unstable();
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
                // Most hosts have fewer adapters than there are rails, and take part on the first ones.
                let is_common = usual > commonest && host.is_some_and(|h| self.num_adapters(h) == commonest);
                let other = if self.num_rails == 1 { 0 } else { NO_RAIL };
                by_label.copied().unwrap_or(if is_common { number[i] } else { other })
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
