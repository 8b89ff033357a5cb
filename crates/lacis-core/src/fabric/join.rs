//! Several dumps as one fabric: planes in each of which the hosts have an adapter.
//!
//! A switch is in one dump. An adapter with ports in two planes is in both dumps, under one GUID: it becomes one
//! node with the cables of both.

use rustc_hash::FxHashMap;

use super::{BuildError, Coverage, Fabric, FabricBuilder, Guid, Handle, NodeId};

/// Why fabrics are not planes of one machine. Fabrics are numbered from 0, in the order given.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum JoinError {
    /// One switch in two fabrics.
    #[error("fabric {} of the list is no plane beside fabric {}: both have {}, such as {switch} ({guid})", second + 1, first + 1, shared_switches(*shared))]
    SharedSwitch {
        /// The fabric that has it already.
        first: usize,
        /// The fabric that has it, too.
        second: usize,
        /// How many switches they share, of how many of the second.
        shared: (usize, usize),
        /// Name of the first of these.
        switch: Box<str>,
        /// Its GUID.
        guid: Guid,
    },
    /// Cables that contradict each other, or too many ports.
    #[error("{reason}")]
    Contradiction {
        /// The fabric that does not fit those before it.
        second: usize,
        /// What does not fit.
        reason: BuildError,
    },
}

impl JoinError {
    /// The fabric that does not fit those before it.
    pub fn second(&self) -> usize {
        match *self {
            Self::SharedSwitch { second, .. } | Self::Contradiction { second, .. } => second,
        }
    }
}

fn shared_switches((shared, of): (usize, usize)) -> String {
    if shared == of { "all its switches".into() } else { format!("{shared} of its {of} switches") }
}

/// Joins fabrics into one; a single one is given back as it is. Cables that both dumps have of a shared adapter
/// count once.
///
/// # Errors
/// When two have a switch in common, or cables of a shared adapter contradict each other.
pub fn join(fabrics: &[&Fabric]) -> Result<Fabric, JoinError> {
    if let [only] = fabrics {
        return Ok((*only).clone());
    }
    let mut radix: FxHashMap<Guid, u8> = FxHashMap::default();
    for fabric in fabrics {
        for (n, node) in fabric.nodes().filter(|(_, node)| node.guid.is_some()) {
            let most = radix.entry(node.guid).or_default();
            *most = (*most).max(fabric.radix(n));
        }
    }
    let mut builder = FabricBuilder::new();
    *builder.coverage_mut() = fabrics.iter().fold(Coverage::WHOLE, |all, fabric| all.both(fabric.coverage()));
    if let Some(read_at) = fabrics.iter().filter_map(|fabric| fabric.counters().read_at).max() {
        builder.counted_at(read_at);
    }
    let mut known: FxHashMap<Guid, (usize, Handle)> = FxHashMap::default();
    for (number, fabric) in fabrics.iter().enumerate() {
        refuse_shared(fabrics, number, &known)?;
        let wrong = |reason| JoinError::Contradiction { second: number, reason };
        let mut handles: Vec<Handle> = Vec::with_capacity(fabric.num_nodes());
        for (n, node) in fabric.nodes() {
            let there = known.get(&node.guid).copied().filter(|k| k.0 != number && node.guid.is_some());
            let handle = if let Some((_, handle)) = there {
                handle
            } else {
                let mut node = node.clone();
                let mut suffix = number + 1;
                while builder.handle_of(&node.id).is_some() {
                    node.id = format!("{}.{suffix}", node.id).into();
                    suffix += 1;
                }
                let guid = node.guid;
                let ports = radix.get(&guid).copied().unwrap_or_else(|| fabric.radix(n));
                let handle = builder.add_node(node, ports).map_err(wrong)?;
                if guid.is_some() {
                    known.entry(guid).or_insert((number, handle));
                }
                handle
            };
            handles.push(handle);
            for port in std::iter::once(fabric.port0(n)).chain(fabric.ports_of(n)) {
                let number = fabric.number_of(port).into();
                let own = builder.port_mut(handle, number).map_err(wrong)?;
                if there.is_none() || fabric.peer(port).is_some() {
                    *own = *fabric.port_info(port);
                    let detail = fabric.port_detail(port);
                    if !detail.is_unknown() {
                        *builder.detail_mut(handle, number).map_err(wrong)? = detail;
                    }
                }
                if let Some(part) = fabric.cable_part(port) {
                    builder.part(handle, number, part.clone()).map_err(wrong)?;
                }
                for count in fabric.counters().of(port) {
                    builder.count(handle, number, count.counter, count.value).map_err(wrong)?;
                }
            }
        }
        for (a, b) in fabric.cables() {
            let end = |p| (handles[fabric.node_of(p).ix()], u32::from(fabric.number_of(p)));
            let (a, b) = (end(a), end(b));
            let there = builder.peer(a.0, a.1).map_err(wrong)?;
            if there != Some((b.0, b.1 as u8)) {
                builder.connect(a, b).map_err(wrong)?;
            }
        }
    }
    Ok(builder.finish())
}

fn refuse_shared(
    fabrics: &[&Fabric],
    second: usize,
    known: &FxHashMap<Guid, (usize, Handle)>,
) -> Result<(), JoinError> {
    let fabric = fabrics[second];
    let is_shared = |s: &NodeId| known.contains_key(&fabric.node(*s).guid) && fabric.node(*s).guid.is_some();
    let shared = fabric.switches().filter(is_shared).count();
    let Some(switch) = fabric.switches().find(is_shared) else { return Ok(()) };
    let guid = fabric.node(switch).guid;
    let first = known.get(&guid).map_or(0, |k| k.0);
    let switch = fabric.name(switch).into();
    Err(JoinError::SharedSwitch { first, second, shared: (shared, fabric.num_switches()), switch, guid })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fabric::planes;
    use crate::generate::{edit, generate, shuffle_guids};

    #[test]
    fn two_dumps_are_the_fabric_that_both_were_cut_from() {
        // Rail 1 has switches 0 to 5 and hosts 12 to 19, rail 2 the others.
        let both = generate("fat-tree:4,2:rails=2").unwrap();
        let plane = planes(&both);
        let dumps = [0, 1].map(|k| both.filtered(|n| plane.of(n) == k, |_, _| true));
        let joined = join(&[&dumps[0], &dumps[1]]).unwrap();
        assert_eq!(joined, both);
        assert_eq!(join(&[&both]), Ok(both));
    }

    #[test]
    fn an_adapter_of_both_planes_is_one_node_with_both_cables() {
        // One adapter of two ports, port 1 on a switch of the first dump, port 2 on one of the second.
        let whole = edit(&generate("fat-tree:4,2:rails=2").unwrap(), &[]).unwrap();
        let mut builder = FabricBuilder::new();
        let node = |n: u32, id: &str| crate::fabric::Node { id: id.into(), ..whole.node(NodeId(n)).clone() };
        let (a, b, host) = (
            builder.add_node(node(0, "a"), 2).unwrap(),
            builder.add_node(node(1, "b"), 2).unwrap(),
            builder.add_node(node(12, "h"), 2).unwrap(),
        );
        builder.connect((a, 1), (host, 1)).unwrap();
        builder.connect((b, 2), (host, 2)).unwrap();
        let both = builder.finish();
        let dumps = [0, 1].map(|k| both.filtered(|n| n != NodeId(k), |_, _| true));
        let joined = join(&[&dumps[1], &dumps[0]]).unwrap();
        assert_eq!(joined, both);
    }

    #[test]
    fn fabrics_that_share_a_switch_are_refused() {
        let fabric = generate("fat-tree:4,2").unwrap();
        let twice = join(&[&fabric, &shuffle_guids(&fabric, 3), &fabric]).unwrap_err();
        let JoinError::SharedSwitch { first: 0, second: 2, shared: (6, 6), .. } = twice else {
            panic!("{twice:?}")
        };
        assert!(
            twice
                .to_string()
                .contains("fabric 3 of the list is no plane beside fabric 1: both have all its switches"),
            "{twice}"
        );
        assert_eq!(twice.second(), 2);
    }
}
