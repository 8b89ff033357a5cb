//! OpenSM's subnet object as a [`Fabric`] with its LIDs.
//!
//! Nodes keep the order of the question, switches first, so that numbers of switches and of ports are the same on both sides.
//! Cables between switches that the manager does not trust (`osm_link_is_healthy`) are left out, as its own engines do.

use lacis_core::fabric::{
    BuildError, Fabric, FabricBuilder, Guid, Handle, NodeKind, Port, PortId, Rate, Speed, Width,
};
use lacis_core::sm::lids::Lids;
use rustc_hash::FxHashMap;

use crate::question::{self, Kind, Question};

/// The fabric, and the LIDs that its ports have, with the manager's port.
///
/// # Errors
/// When the subnet contradicts itself: two nodes of one GUID, a port with two cables.
pub(crate) fn read(question: &Question<'_>, leave_out_throttled: bool) -> Result<(Fabric, Lids), String> {
    let fabric =
        build(question, leave_out_throttled).map_err(|error| format!("the subnet object: {error}"))?;
    let mut lids = Lids::reported(&fabric);
    let mut ports = (0..fabric.num_ports() as u32).map(PortId);
    if let Some(port) = ports.find(|&p| fabric.port_info(p).guid == Guid(question.manager_guid)) {
        lids.set_manager(port);
    }
    Ok((fabric, lids))
}

/// Data lanes that each cabled port of a switch has.
pub(crate) fn data_lanes(question: &Question<'_>) -> u8 {
    let switches = question.nodes.iter().filter(|node| node.kind == Kind::Switch);
    let ports = switches
        .flat_map(|node| &question.ports[node.first_port as usize..][1..=usize::from(node.num_ports)]);
    let codes = ports.filter(|port| port.peer_guid != 0 && port.op_vls != 0).map(|port| port.op_vls);
    match codes.min() {
        Some(code @ 1..=4) => 1 << (code - 1),
        _ => 15,
    }
}

fn build(question: &Question<'_>, leave_out_throttled: bool) -> Result<Fabric, BuildError> {
    let (nodes, ports) = (&question.nodes, question.ports);
    let ports_of =
        |node: &question::Node<'_>| &ports[node.first_port as usize..][..=usize::from(node.num_ports)];
    let mut builder = FabricBuilder::new();
    let mut handles = Vec::with_capacity(nodes.len());
    // By port GUID; a switch's is that of its port 0.
    let mut owners: FxHashMap<u64, (Handle, Kind)> = FxHashMap::default();
    for node in nodes {
        let handle = builder.add_node(described(node), node.num_ports)?;
        handles.push(handle);
        owners.extend(
            ports_of(node).iter().filter(|port| port.guid != 0).map(|port| (port.guid, (handle, node.kind))),
        );
    }
    for (node, &here) in nodes.iter().zip(&handles) {
        let is_switch = node.kind == Kind::Switch;
        for (number, port) in (0..=node.num_ports).zip(ports_of(node)) {
            *builder.port_mut(here, number.into())? = as_port(port);
            // Of the two ends, the one with the lower GUID and port lays the cable.
            let guid = if is_switch { ports_of(node)[0].guid } else { port.guid };
            let is_first = (guid, number) < (port.peer_guid, port.peer_number);
            let Some(&(far, far_kind)) = owners.get(&port.peer_guid).filter(|_| is_first) else { continue };
            let is_left_out = !port.healthy || leave_out_throttled && port.throttled;
            if !(is_left_out && is_switch && far_kind == Kind::Switch) {
                builder.connect((here, number.into()), (far, port.peer_number.into()))?;
            }
        }
    }
    Ok(builder.finish())
}

fn described(node: &question::Node<'_>) -> lacis_core::fabric::Node {
    let kind = match node.kind {
        Kind::Switch => NodeKind::Switch,
        Kind::Router => NodeKind::Router,
        Kind::Adapter => NodeKind::of_adapter(&node.description),
    };
    lacis_core::fabric::Node {
        kind,
        guid: Guid(node.guid),
        system_guid: Guid(node.system_guid),
        id: format!("{:016x}", node.guid).into(),
        description: node.description.as_ref().into(),
        vendor: node.vendor,
        device: node.device,
        enhanced_port0: node.enhanced_port0,
        chassis: None,
        declared: None,
    }
}

fn as_port(port: &question::Port) -> Port {
    let is_cabled = port.peer_guid != 0;
    Port {
        guid: Guid(port.guid),
        lid: port.lid.into(),
        lmc: port.lmc,
        rate: is_cabled.then(|| rate(port)).flatten(),
        listed: is_cabled,
        ..Port::default()
    }
}

/// The codes of `PortInfo` (InfiniBand Architecture Specification, volume 1, 14.2.5.6).
fn rate(port: &question::Port) -> Option<Rate> {
    let speed = match (port.speed_ext, port.speed) {
        (1, _) => Speed::Fdr,
        (2, _) => Speed::Edr,
        (4, _) => Speed::Hdr,
        (8, _) => Speed::Ndr,
        (0, 4) if port.fdr10 => Speed::Fdr10,
        (0, 1) => Speed::Sdr,
        (0, 2) => Speed::Ddr,
        (0, 4) => Speed::Qdr,
        _ => return None,
    };
    Some(Rate { width: Width::new(port.lanes)?, speed })
}
