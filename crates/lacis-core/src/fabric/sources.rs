//! One fabric by two sources: what the second adds, and where the two contradict each other.
//!
//! A switch's port is known by the switch's GUID and its number, an end node's port by its own GUID: some sources have no
//! GUID of an adapter but its port's.

use rustc_hash::FxHashMap;

use super::{Counter, CounterSort, Fabric, FabricBuilder, Guid, NodeId, PortId};

/// Where two sources of one fabric differ.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SourceDifference {
    /// Cables of the first between nodes that both have, which the second does not have.
    pub only_first: Vec<(PortId, PortId)>,
    /// Cables of the second between nodes that both have, as ports of the second.
    pub only_second: Vec<(PortId, PortId)>,
    /// Ports of the first whose LIDs differ, with both LIDs.
    pub lids: Vec<(PortId, u32, u32)>,
    /// Cabled nodes of the first that the second does not have, and the other way.
    pub strangers: (Vec<NodeId>, Vec<NodeId>),
}

impl SourceDifference {
    /// Whether the sources agree.
    pub fn is_none(&self) -> bool {
        *self == Self::default()
    }
}

/// The ports of a fabric by what identifies them.
struct PortIndex {
    by_number: FxHashMap<(Guid, u8), PortId>,
    by_guid: FxHashMap<Guid, PortId>,
}

impl PortIndex {
    fn of(fabric: &Fabric) -> Self {
        let mut index = Self { by_number: FxHashMap::default(), by_guid: FxHashMap::default() };
        for (node, known) in fabric.nodes() {
            for port in std::iter::once(fabric.port0(node)).chain(fabric.ports_of(node)) {
                if known.guid.is_some() {
                    index.by_number.entry((known.guid, fabric.number_of(port))).or_insert(port);
                }
                let guid = fabric.port_info(port).guid;
                if guid.is_some() && !fabric.is_switch(node) {
                    index.by_guid.entry(guid).or_insert(port);
                }
            }
        }
        index
    }

    /// The port of another source.
    fn find(&self, other: &Fabric, port: PortId) -> Option<PortId> {
        let node = other.node_of(port);
        let guid = other.port_info(port).guid;
        let own = self.by_guid.get(&guid).filter(|_| guid.is_some() && !other.is_switch(node));
        own.or_else(|| self.by_number.get(&(other.node(node).guid, other.number_of(port)))).copied()
    }

    /// Whether a node of another source is here, by any of its ports.
    fn has(&self, other: &Fabric, node: NodeId) -> bool {
        let mut ports = std::iter::once(other.port0(node)).chain(other.ports_of(node));
        ports.any(|port| self.find(other, port).is_some())
    }
}

/// Compares two sources of one fabric.
pub fn source_difference(first: &Fabric, second: &Fabric) -> SourceDifference {
    let indices = (PortIndex::of(first), PortIndex::of(second));
    let mut out = SourceDifference {
        only_first: unmatched(first, second, &indices.1),
        only_second: unmatched(second, first, &indices.0),
        strangers: (strangers(first, second, &indices.1), strangers(second, first, &indices.0)),
        ..SourceDifference::default()
    };
    for port in (0..first.num_ports() as u32).map(PortId) {
        let lid = first.port_info(port).lid;
        let there = indices.1.find(first, port).map(|port| second.port_info(port).lid);
        if let Some(other) = there.filter(|&other| lid != 0 && other != 0 && other != lid) {
            out.lids.push((port, lid, other));
        }
    }
    out
}

/// Cables of one source whose two ends the other has without that cable.
fn unmatched(one: &Fabric, other: &Fabric, index: &PortIndex) -> Vec<(PortId, PortId)> {
    let is_lacking = |&(a, b): &(PortId, PortId)| {
        let ends = index.find(one, a).zip(index.find(one, b));
        match ends {
            Some((a, b)) => other.peer(a) != Some(b),
            // A port that the other lacks of a node that it has: it counts ports up to the highest in use.
            None => [a, b].iter().all(|&port| index.has(one, one.node_of(port))),
        }
    };
    one.cables().filter(is_lacking).collect()
}

/// Cabled nodes of one source that the other does not have.
fn strangers(one: &Fabric, other: &Fabric, index: &PortIndex) -> Vec<NodeId> {
    if other.num_nodes() == 0 {
        return Vec::new();
    }
    let is_cabled = |node| one.ports_of(node).any(|port| one.peer(port).is_some());
    let nodes = one.nodes().map(|(node, _)| node);
    nodes.filter(|&node| is_cabled(node) && !index.has(one, node)).collect()
}

/// A fabric with what another source says of its ports and this one does not: states, capabilities, rates, LIDs, managers,
/// and counters, of which the other's hold. Cables stay as they are.
pub fn completed(fabric: &Fabric, other: &Fabric) -> Fabric {
    let index = PortIndex::of(other);
    let mut builder = FabricBuilder::from(fabric);
    for (node, _) in fabric.nodes() {
        let Some(handle) = builder.nth(node.ix()) else { continue };
        for port in std::iter::once(fabric.port0(node)).chain(fabric.ports_of(node)) {
            let Some(there) = index.find(fabric, port) else { continue };
            let number = fabric.number_of(port).into();
            let (known, detail) = (other.port_info(there), other.port_detail(there));
            if let Ok(own) = builder.port_mut(handle, number) {
                if fabric.peer(port).is_some() {
                    own.rate = own.rate.or(known.rate);
                    own.inactive |= known.inactive;
                }
                if own.lid == 0 {
                    (own.lid, own.lmc) = (known.lid, known.lmc);
                } else if own.lid == known.lid {
                    own.lmc = own.lmc.max(known.lmc);
                }
                own.mtu = own.mtu.max(known.mtu);
                own.manager |= known.manager;
                if own.subnet_prefix == 0 {
                    own.subnet_prefix = known.subnet_prefix;
                }
            }
            if fabric.port_detail(port).is_unknown()
                && !detail.is_unknown()
                && let Ok(own) = builder.detail_mut(handle, number)
            {
                *own = detail;
            }
            if fabric.cable_part(port).is_none()
                && let Some(part) = other.cable_part(there)
            {
                let _ = builder.part(handle, number, part.clone());
            }
            for count in other.counters().of(there) {
                // The port exists: it was found in this fabric.
                let _ = builder.count(handle, number, count.counter, count.value);
            }
        }
    }
    if let Some(at) = other.counters().read_at {
        builder.counted_at(at);
    }
    builder.finish()
}

/// An error counter that has grown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Grown {
    /// The port.
    pub port: PortId,
    /// The counter.
    pub counter: Counter,
    /// By how much; what it shows now, where it was cleared in between.
    pub by: u64,
}

/// How error counters have changed between two readings.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Growth {
    /// Those that have grown, by port.
    pub grown: Vec<Grown>,
    /// Seconds between the readings, where both sources say when they were made.
    pub seconds: Option<u64>,
    /// Counters that are lower now: they were cleared.
    pub cleared: usize,
    /// Ports with counters now that had none before: of these nothing is known.
    pub unknown: usize,
}

/// How the error counters of a fabric have changed since an earlier reading.
pub fn error_growth(now: &Fabric, before: &Fabric) -> Growth {
    let index = PortIndex::of(before);
    let (to, from) = (now.counters().read_at, before.counters().read_at);
    let seconds = to.zip(from).and_then(|(to, from)| to.checked_sub(from)).filter(|&seconds| seconds > 0);
    let mut out = Growth { seconds, ..Growth::default() };
    let mut last_unknown = None;
    for count in now.counters().each().iter().filter(|count| count.counter.sort() == CounterSort::Error) {
        let there = index.find(now, count.port).filter(|&port| !before.counters().of(port).is_empty());
        let Some(there) = there else {
            out.unknown += usize::from(last_unknown != Some(count.port));
            last_unknown = Some(count.port);
            continue;
        };
        // What the earlier source leaves out of a port that it has was 0 or below a threshold.
        let earlier = before.counters().value(there, count.counter).unwrap_or(0);
        let by = if count.value < earlier {
            out.cleared += 1;
            count.value
        } else {
            count.value - earlier
        };
        if by > 0 {
            out.grown.push(Grown { port: count.port, counter: count.counter, by });
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fabric::PortState;
    use crate::generate::{edit, generate};

    #[test]
    fn a_cable_that_one_source_has_is_named() {
        let whole = generate("fat-tree:4,2").unwrap();
        let cut = edit(&whole, &["leaf-01[3]"]).unwrap();
        let found = source_difference(&whole, &cut);
        assert_eq!((found.only_first.len(), found.only_second.len()), (1, 0));
        assert_eq!(whole.name(whole.node_of(found.only_first[0].0)), "leaf-01");
        assert_eq!(source_difference(&cut, &whole).only_second.len(), 1);
        assert!(source_difference(&whole, &whole).is_none());
    }

    #[test]
    fn nodes_that_one_source_lacks_are_strangers_and_their_cables_are_not_named() {
        let whole = generate("fat-tree:4,2").unwrap();
        let cut = edit(&whole, &["node0001"]).unwrap();
        let found = source_difference(&whole, &cut);
        assert_eq!((found.strangers.0.len(), found.strangers.1.len(), found.only_first.len()), (1, 0, 0));
    }

    #[test]
    fn counters_grow_and_are_cleared() {
        let fabric = generate("fat-tree:4,2").unwrap();
        let counted = |values: &[(u32, u64)], at| {
            let mut builder = FabricBuilder::from(&fabric);
            let leaf = builder.nth(0).unwrap();
            for &(number, value) in values {
                builder.count(leaf, number, Counter::LinkDowned, value).unwrap();
                builder.count(leaf, number, Counter::XmitWait, 10 * value).unwrap();
            }
            builder.counted_at(at);
            builder.finish()
        };
        let before = counted(&[(1, 5), (2, 5), (3, 5)], 1000);
        let now = counted(&[(1, 8), (2, 5), (3, 2), (4, 9)], 4600);
        let found = error_growth(&now, &before);
        let port = |number| now.port(NodeId(0), number).unwrap();
        let grown: Vec<_> = found.grown.iter().map(|one| (one.port, one.by)).collect();
        assert_eq!(grown, [(port(1), 3), (port(3), 2)]);
        assert_eq!((found.seconds, found.cleared, found.unknown), (Some(3600), 1, 1));
        assert_eq!(error_growth(&before, &now).seconds, None);
    }

    #[test]
    fn what_the_other_source_knows_of_a_port_is_taken() {
        let fabric = generate("fat-tree:4,2").unwrap();
        let mut builder = FabricBuilder::from(&fabric);
        let leaf = builder.nth(0).unwrap();
        builder.detail_mut(leaf, 1).unwrap().state = Some(PortState::Armed);
        builder.port_mut(leaf, 0).unwrap().lid = 7;
        builder.count(leaf, 1, Counter::LinkDowned, 3).unwrap();
        builder.counted_at(99);
        let all = completed(&fabric, &builder.finish());
        let port = all.port(NodeId(0), 1).unwrap();
        assert_eq!(all.port_detail(port).state, Some(PortState::Armed));
        assert_eq!(
            (all.counters().value(port, Counter::LinkDowned), all.counters().read_at),
            (Some(3), Some(99))
        );
        assert_eq!(all.port_info(all.port0(NodeId(0))).lid, 7);
        assert_eq!(all.raw_peers(), fabric.raw_peers());
    }
}
