//! A fabric from what a snapshot says.

use rustc_hash::{FxHashMap, FxHashSet};

use super::dump::{Snapshot, SnapshotNode, SnapshotPort};
use super::read::ACTIVE;
use crate::fabric::{
    BuildError, Fabric, FabricBuilder, Guid, Handle, Node, NodeKind, PhysicalState, PortDetail, PortState,
};
use crate::io::note::Notes;
use crate::io::text::clean;
use crate::io::{NoteKind, ReadError};

/// The nodes, their ports and the cables.
pub(super) fn fabric(snapshot: &Snapshot, notes: &mut Notes) -> Result<Fabric, ReadError> {
    let mut builder = FabricBuilder::new();
    let mut by_guid: FxHashMap<Guid, (Handle, &SnapshotNode)> = FxHashMap::default();
    let managers: FxHashSet<Guid> = snapshot.managers.iter().map(|sm| sm.port_guid).collect();
    for node in &snapshot.nodes {
        let refuse = |reason: String| ReadError::at(node.line, reason, &node.description);
        let handle = builder.add_node(as_node(node), node.radix).map_err(|error| match error {
            BuildError::DuplicateNode(_) => refuse(format!("Duplicate NodeGuid: {}", node.guid)),
            other => refuse(other.to_string()),
        })?;
        if node.radix == 0 || !node.guid.is_some() {
            return Err(refuse("a node has a GUID and 1 to 254 ports".into()));
        }
        by_guid.insert(node.guid, (handle, node));
        let mut seen = [false; 256];
        for port in &snapshot.ports[node.ports.clone()] {
            let refuse = |reason: String| ReadError::at(port.line, reason, &node.description);
            if std::mem::replace(&mut seen[usize::from(port.number)], true) {
                return Err(refuse(format!("Duplicate PortNum: {}", port.number)));
            }
            if node.is_switch && port.guid.is_some() && port.number != 0 {
                return Err(refuse("PortGUID not allowed for Switch port!=0".into()));
            }
            if !node.is_switch && (!port.guid.is_some() || port.number == 0) {
                return Err(refuse("PortGUID required for non-Switch, and no port 0".into()));
            }
            let own = builder.port_mut(handle, port.number.into()).map_err(|e| refuse(e.to_string()))?;
            (own.guid, own.lid, own.lmc) = (port.guid, port.lid, port.lmc);
            own.subnet_prefix = port.subnet_prefix;
            own.rate = port.rate;
            own.mtu = port.mtu;
            own.inactive = port.state != ACTIVE;
            own.manager = port.guid.is_some() && managers.contains(&port.guid);
            if port.number > 0 {
                *builder.detail_mut(handle, port.number.into()).map_err(|e| refuse(e.to_string()))? =
                    detail(port);
            }
            for (counter, value) in snapshot.counts(port) {
                builder
                    .count(handle, port.number.into(), counter, value)
                    .map_err(|e| refuse(e.to_string()))?;
            }
        }
    }
    if !snapshot.counters.is_empty() {
        builder.counted_at(snapshot.unixtime);
    }
    let mut cabled: Vec<(Handle, u8)> = Vec::with_capacity(2 * snapshot.cables.len());
    for cable in &snapshot.cables {
        let refuse = |reason: String| ReadError::at(cable.line, reason, "");
        let end_of = |(guid, number): (Guid, u8)| {
            let found = by_guid.get(&guid).filter(|(_, node)| {
                snapshot.ports[node.ports.clone()].iter().any(|port| port.number == number)
            });
            let (handle, _) = found.ok_or_else(|| refuse(format!("Port not found: {guid}:{number}")))?;
            Ok((*handle, number))
        };
        let (from, to) = (end_of(cable.from)?, end_of(cable.to)?);
        builder.connect((from.0, from.1.into()), (to.0, to.1.into())).map_err(|error| {
            refuse(match error {
                BuildError::PortTaken { node, number } => format!("Duplicate Port found: {node}:{number}"),
                other => other.to_string(),
            })
        })?;
        let mut rates = [None; 2];
        for ((handle, number), rate) in [from, to].into_iter().zip(&mut rates) {
            if let Ok(port) = builder.port_mut(handle, number.into()) {
                port.listed = true;
                *rate = port.rate;
            }
            cabled.push((handle, number));
        }
        if rates[0] != rates[1] {
            notes.add(NoteKind::UnevenRate, cable.line, &format!("{}:{}", cable.from.0, cable.from.1));
        }
    }
    without_cables(snapshot, &mut builder, &cabled, &by_guid);
    Ok(builder.finish())
}

/// Ports without a cable report their last width and speed, which no cable has now, and are inactive only for lack
/// of a cable.
fn without_cables(
    snapshot: &Snapshot,
    builder: &mut FabricBuilder,
    cabled: &[(Handle, u8)],
    by_guid: &FxHashMap<Guid, (Handle, &SnapshotNode)>,
) {
    let mut cabled = cabled.to_vec();
    cabled.sort_unstable();
    for node in &snapshot.nodes {
        let Some(&(handle, _)) = by_guid.get(&node.guid) else { continue };
        for port in &snapshot.ports[node.ports.clone()] {
            if cabled.binary_search(&(handle, port.number)).is_err()
                && let Ok(own) = builder.port_mut(handle, port.number.into())
            {
                (own.rate, own.inactive) = (None, false);
                if let Ok(detail) = builder.detail_mut(handle, port.number.into()) {
                    detail.lanes = None;
                }
            }
        }
    }
}

/// What a port reports beyond its identity and rate.
fn detail(port: &SnapshotPort) -> PortDetail {
    PortDetail {
        state: PortState::of_code(port.state.into()),
        physical: PhysicalState::of_code(port.physical.into()),
        supported: port.supported,
        enabled: port.enabled,
        lanes: port.lanes,
        ..PortDetail::default()
    }
}

fn as_node(node: &SnapshotNode) -> Node {
    let (letter, kind) =
        if node.is_switch { ('S', NodeKind::Switch) } else { ('H', NodeKind::of_adapter(&node.description)) };
    Node {
        kind,
        guid: node.guid,
        system_guid: node.system_guid,
        id: format!("{letter}-{:016x}", node.guid.0).into(),
        description: clean(&node.description).into(),
        vendor: node.vendor,
        device: node.device,
        enhanced_port0: node.is_switch && node.enhanced_port0,
        chassis: None,
        declared: None,
    }
}
