//! What the rails of a host share but should not: a leaf, an adapter card and its slot.

use std::collections::BTreeMap;

use super::context::Context;
use super::facts::{CardPort, Fact, HostCard, SharedCard, SharedLeaf};
use super::host::leaf_of;
use super::majority::agree;
use super::{Finding, Host};
use crate::fabric::{Guid, NodeId, PortId};

/// Hosts with two adapters on one leaf, where two thirds of their series have each on its own leaf.
pub(super) fn one_leaf(ctx: &Context, hosts: &[&Host], out: &mut Vec<Finding>) {
    let mut lone = 0;
    let mut together: Vec<(&Host, NodeId, Vec<NodeId>)> = Vec::new();
    for host in hosts.iter().filter(|h| h.ends.len() > 1) {
        let mut on: BTreeMap<NodeId, Vec<NodeId>> = BTreeMap::new();
        for &end in &host.ends {
            if let Some(leaf) = leaf_of(ctx.fabric, end) {
                on.entry(leaf).or_default().push(end);
            }
        }
        let before = together.len();
        let shared = on.into_iter().filter(|(_, ends)| ends.len() > 1);
        together.extend(shared.map(|(leaf, ends)| (*host, leaf, ends)));
        lone += usize::from(together.len() == before);
    }
    let of = hosts.iter().filter(|h| h.ends.len() > 1).count();
    if !agree(lone, of) {
        return;
    }
    for (host, leaf, ends) in together {
        let labels: Vec<String> = ends.iter().map(|&e| ctx.hosts.name(ctx.fabric, e)).collect();
        let labels = labels
            .iter()
            .map(|l| l.strip_prefix(&*host.name).map_or(&**l, str::trim_start).to_owned())
            .filter(|l| !l.is_empty());
        let shared = SharedLeaf {
            host: host.name.to_string(),
            adapters: ends.iter().map(|&e| ctx.location(e)).collect(),
            labels: labels.collect(),
            leaf: ctx.location(leaf),
        };
        out.push(Fact::LeafShared(shared).into());
    }
}

/// Hosts whose rails are ports of one adapter, or adapters with the same system image GUID: one card.
pub(super) fn one_slot(ctx: &Context, hosts: &[&Host], out: &mut Vec<Finding>) {
    // Hosts by what shares a card.
    let mut found: BTreeMap<Vec<CardPort>, Vec<HostCard>> = BTreeMap::new();
    for host in hosts.iter().filter(|h| !h.generic) {
        let mut cards: BTreeMap<Guid, Vec<(NodeId, PortId)>> = BTreeMap::new();
        for &end in &host.ends {
            let node = ctx.fabric.node(end);
            let card = if node.system_guid.is_some() { node.system_guid } else { node.guid };
            let cabled = ctx.fabric.ports_of(end).filter(|&p| ctx.fabric.peer(p).is_some());
            if card.is_some() {
                cards.entry(card).or_default().extend(cabled.map(|p| (end, p)));
            }
        }
        for ports in cards.values_mut() {
            // Planes of one adapter are no adapters that share a slot, and ports of one are not listed as several.
            ports.dedup_by(|later, first| ctx.hosts.are_one_adapter(&[first.0, later.0]));
        }
        for ports in cards.values().filter(|ports| ports.len() > 1) {
            let on_card = |&(end, port): &(NodeId, PortId)| CardPort {
                label: ctx.hosts.label(end).to_owned(),
                port: ctx.fabric.number_of(port),
            };
            let card = HostCard { host: host.name.to_string(), adapter: ctx.location(ports[0].0) };
            found.entry(ports.iter().map(on_card).collect()).or_default().push(card);
        }
    }
    for (ports, hosts) in found {
        out.push(Fact::CardShared(SharedCard { hosts, ports }).into());
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::Sketch;
    use super::super::{Hosts, findings};
    use crate::fabric::Fabric;

    /// Hosts `node1` to `node6` with an adapter on each of two leaves; `change` says otherwise.
    fn two_rails(leaf_of: impl Fn(u32, usize) -> usize) -> Fabric {
        let mut s = Sketch::new();
        let leaves = [s.switch("leaf-1", 32), s.switch("leaf-2", 32)];
        for h in 1..=6 {
            for k in 0..2 {
                let end = s.adapter(&format!("node{h} hfi1_{k}"));
                s.cable((end, 1), (leaves[leaf_of(h, k)], h + 10 * k as u32));
            }
        }
        s.finish()
    }

    fn lines(fabric: &Fabric) -> Vec<String> {
        let found = findings(fabric, &Hosts::of(fabric, None));
        let about = |code: &str| code.starts_with("RAIL");
        found
            .iter()
            .filter(|f| about(f.code.name()))
            .map(|f| format!("{} {}: {}", f.code.name(), f.words().at, f.words().text))
            .collect()
    }

    #[test]
    fn a_cable_moved_to_the_other_rails_leaf_is_crossed_and_shares_that_leaf() {
        assert_eq!(lines(&two_rails(|_, k| k)), Vec::<String>::new());
        // All rails on one leaf, as small clusters have them, is no finding.
        assert_eq!(lines(&two_rails(|_, _| 0)), Vec::<String>::new());
        assert_eq!(
            lines(&two_rails(|h, k| if h == 3 { 0 } else { k })),
            // The second adapter of host 3 is on port 3 + 10.
            [
                "RAIL_CROSSED node3: hfi1_1 is on leaf-1[13] (rail 1) where others have it on rail 2",
                "RAILS_ONE_LEAF node3: hfi1_0 and hfi1_1 hang off one leaf, leaf-1, where others of their kind have a \
                 leaf for each"
            ]
        );
    }

    #[test]
    fn ports_of_one_card_are_one_finding_for_all_hosts_like_that() {
        let mut s = Sketch::new();
        let leaves = [s.switch("leaf-1", 32), s.switch("leaf-2", 32)];
        for h in 1..=4 {
            let ends = [s.adapter(&format!("node{h} mlx5_0")), s.adapter(&format!("node{h} mlx5_1"))];
            if h <= 2 {
                let builder = s.builder();
                let card = builder.node_mut(ends[0]).guid;
                builder.node_mut(ends[1]).system_guid = card;
            }
            for k in 0..2 {
                s.cable((ends[k], 1), (leaves[k], h));
            }
        }
        assert_eq!(
            lines(&s.finish()),
            ["RAILS_ONE_SLOT node1, node2: 2 hosts have mlx5_0 port 1 and mlx5_1 port 1 on one adapter card"]
        );
    }
}
