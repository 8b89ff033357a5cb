//! What selectors name, and the fabric without it.

use super::error::EditError;
use super::random::SplitMix64;
use super::select::{Amount, End, Selector, What, called, near_names};
use crate::fabric::{Fabric, NodeId, NodeKind, PortId};

/// The fabric less the nodes and cables that selectors name.
///
/// # Errors
/// When a selector is malformed, names nothing or adds.
pub fn without(fabric: &Fabric, selectors: &[&str]) -> Result<Fabric, EditError> {
    let mut cuts = Cuts::none(fabric);
    for selector in selectors {
        if selector.starts_with('+') {
            return Err(EditError::syntax(selector, "nodes or cables to remove"));
        }
        cuts.add(selector)?;
    }
    Ok(cuts.apply())
}

/// The nodes or the cables that a selector names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Elements {
    /// Nodes.
    Nodes(Vec<NodeId>),
    /// Cables, each by one of its ends.
    Cables(Vec<PortId>),
}

/// What has been removed so far.
pub(super) struct Cuts<'a> {
    fabric: &'a Fabric,
    gone: Vec<bool>,
    /// By port, both ends of a cable.
    cut: Vec<bool>,
}

impl<'a> Cuts<'a> {
    pub(super) fn none(fabric: &'a Fabric) -> Self {
        Self { fabric, gone: vec![false; fabric.num_nodes()], cut: vec![false; fabric.num_ports()] }
    }

    fn apply(self) -> Fabric {
        self.fabric.filtered(|n| !self.gone[n.ix()], |a, _| !self.cut[a.ix()])
    }

    /// The remaining nodes of this name.
    fn nodes_named(&self, name: &str) -> Vec<NodeId> {
        let called = called(self.fabric, name);
        let left = self.fabric.nodes().map(|(id, _)| id).filter(|id| !self.gone[id.ix()]);
        left.filter(|&id| called(id)).collect()
    }

    /// The remaining nodes of this name; an error where there is none.
    pub(super) fn nodes(&self, selector: &str, name: &str) -> Result<Vec<NodeId>, EditError> {
        let found = self.nodes_named(name);
        if found.is_empty() {
            return Err(EditError::NoNode {
                selector: selector.into(),
                name: name.into(),
                nearest: near_names(self.fabric, name),
            });
        }
        Ok(found)
    }

    /// The other end of the cable at a port, if it remains.
    fn peer(&self, port: PortId) -> Option<PortId> {
        let peer = self.fabric.peer(port).filter(|_| !self.cut[port.ix()])?;
        let stays = |p: PortId| !self.gone[self.fabric.node_of(p).ix()];
        (stays(port) && stays(peer)).then_some(peer)
    }

    fn cut(&mut self, port: PortId) {
        for end in [Some(port), self.fabric.peer(port)].into_iter().flatten() {
            self.cut[end.ix()] = true;
        }
    }

    fn add(&mut self, text: &str) -> Result<(), EditError> {
        match self.named(&self.parse(text)?, text)? {
            Elements::Nodes(nodes) => nodes.into_iter().for_each(|n| self.gone[n.ix()] = true),
            Elements::Cables(cables) => cables.into_iter().for_each(|p| self.cut(p)),
        }
        Ok(())
    }

    /// The selector that a text is; a description may look like a selector of another kind.
    pub(super) fn parse<'t>(&self, text: &'t str) -> Result<Selector<'t>, EditError> {
        if self.nodes_named(text).is_empty() { Selector::parse(text) } else { Ok(Selector::Nodes(text)) }
    }

    /// The remaining nodes or cables that a selector names.
    pub(super) fn named(&self, selector: &Selector<'_>, text: &str) -> Result<Elements, EditError> {
        match *selector {
            Selector::Nodes(name) => self.nodes(text, name).map(Elements::Nodes),
            Selector::End(name, number) => {
                let nodes = self.nodes(text, name)?;
                let ports = nodes.iter().filter_map(|&n| self.fabric.port(n, number));
                let cabled: Vec<PortId> = ports.filter(|&p| self.peer(p).is_some()).collect();
                if cabled.is_empty() {
                    return Err(EditError::too_few(text, "cables", 0, 1));
                }
                Ok(Elements::Cables(cabled))
            }
            Selector::Between(a, b, count) => self.between(text, a, b, count).map(Elements::Cables),
            Selector::Random { what, amount, seed } => self.random(text, what, amount, seed),
            Selector::HostAt(..) | Selector::SwitchAt(..) => {
                Err(EditError::syntax(text, "nodes or cables to remove"))
            }
        }
    }

    fn between(
        &self,
        text: &str,
        a: End<'_>,
        b: End<'_>,
        count: Option<usize>,
    ) -> Result<Vec<PortId>, EditError> {
        let fabric = self.fabric;
        let mut is_b = vec![false; fabric.num_nodes()];
        for node in self.nodes(text, b.0)? {
            is_b[node.ix()] = true;
        }
        let at = |port: PortId, number: Option<u8>| number.is_none_or(|n| n == fabric.number_of(port));
        let mut pairs: Vec<(NodeId, NodeId, PortId)> = Vec::new();
        for node in self.nodes(text, a.0)? {
            for port in fabric.ports_of(node).filter(|&p| at(p, a.1)) {
                if let Some(peer) = self.peer(port).filter(|&q| at(q, b.1)) {
                    let other = fabric.node_of(peer);
                    if is_b[other.ix()] {
                        // If both patterns name both nodes, the cable occurs twice.
                        let (low, high) = (node.min(other), node.max(other));
                        pairs.push((low, high, port.min(peer)));
                    }
                }
            }
        }
        pairs.sort_unstable();
        pairs.dedup();
        if pairs.is_empty() {
            return Err(EditError::too_few(text, "cables", 0, count.unwrap_or(1)));
        }
        let mut named = Vec::new();
        for cables in pairs.chunk_by(|x, y| (x.0, x.1) == (y.0, y.1)) {
            let wanted = count.unwrap_or(cables.len());
            if cables.len() < wanted {
                let [a, b] = [cables[0].0, cables[0].1].map(|n| &fabric.node(n).description);
                let what = format!("cables between {a} and {b}");
                return Err(EditError::too_few(text, what, cables.len(), wanted));
            }
            named.extend(cables[..wanted].iter().map(|&(_, _, port)| port));
        }
        Ok(named)
    }

    fn random(&self, text: &str, what: What, amount: Amount, seed: u64) -> Result<Elements, EditError> {
        let fabric = self.fabric;
        let mut rng = SplitMix64::new(seed);
        let left = |n: &NodeId| !self.gone[n.ix()];
        // The end of a shuffled list is drawn first, so a larger amount contains a smaller one.
        let mut pick = |mut all: Vec<u32>, name: &str| {
            rng.shuffle(&mut all);
            let (there, wanted) = (all.len(), amount.of(all.len()));
            let from = there.checked_sub(wanted);
            let from = from.ok_or_else(|| EditError::too_few(text, name, there, wanted))?;
            Ok(all.split_off(from))
        };
        Ok(match what {
            What::Cables => {
                let between = |&(a, b): &(PortId, PortId)| {
                    let switches = [a, b].into_iter().all(|p| fabric.is_switch(fabric.node_of(p)));
                    switches && self.peer(a).is_some()
                };
                let all = fabric.cables().filter(between).map(|(a, _)| a.0).collect();
                Elements::Cables(pick(all, "cables between switches")?.into_iter().map(PortId).collect())
            }
            What::Hosts => {
                let hosts = fabric.end_nodes().filter(|&n| fabric.node(n).kind == NodeKind::Adapter);
                let all = hosts.filter(left).map(|n| n.0).collect();
                Elements::Nodes(pick(all, "host adapters")?.into_iter().map(NodeId).collect())
            }
            What::Switches => {
                let all = fabric.switches().filter(left).map(|n| n.0).collect();
                Elements::Nodes(pick(all, "switches")?.into_iter().map(NodeId).collect())
            }
        })
    }
}
