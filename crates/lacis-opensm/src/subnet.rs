//! OpenSM's subnet object as a [`Fabric`] with its LIDs.
//!
//! Nodes keep the order of the question, switches first, so that numbers of switches and of ports are the same on both sides.
//! Cables between switches that the manager does not trust (`osm_link_is_healthy`) are left out, as its own engines do.

use lacis_core::fabric::{
    BuildError, Fabric, FabricBuilder, Guid, Handle, NodeKind, Port, PortId, Rate, Speed, Width,
};
use lacis_core::lids::Lids;
use rustc_hash::FxHashMap;

use crate::ffi::{self, Question, ROUTER, SWITCH};

/// The fabric, and the LIDs that its ports have, with the manager's port.
///
/// # Errors
/// When the subnet contradicts itself: two nodes of one GUID, a port with two cables.
pub(crate) fn read(question: &Question, leave_out_throttled: bool) -> Result<(Fabric, Lids), String> {
    let fabric =
        build(question, leave_out_throttled).map_err(|error| format!("the subnet object: {error}"))?;
    let mut lids = Lids::reported(&fabric);
    let mut ports = (0..fabric.num_ports() as u32).map(PortId);
    if let Some(port) = ports.find(|&p| fabric.port_info(p).guid == Guid(question.manager_guid)) {
        lids.set_manager(port);
    }
    Ok((fabric, lids))
}

fn build(question: &Question, leave_out_throttled: bool) -> Result<Fabric, BuildError> {
    let (nodes, ports) = (question.nodes(), question.ports());
    let mut builder = FabricBuilder::new();
    let mut by_guid: FxHashMap<u64, (Handle, u8)> = FxHashMap::default();
    for node in nodes {
        by_guid.insert(node.guid, (builder.add_node(described(node), node.num_ports)?, node.kind));
    }
    for node in nodes {
        let (here, kind) = by_guid[&node.guid];
        for (number, port) in (0..=node.num_ports).zip(&ports[node.first_port as usize..]) {
            *builder.port_mut(here, number.into())? = told(port);
            // Of the two ends, the one with the lower GUID and port lays the cable.
            let is_first = (node.guid, number) < (port.peer_guid, port.peer_number);
            let Some(&(far, far_kind)) = by_guid.get(&port.peer_guid).filter(|_| is_first) else { continue };
            let is_left_out = !port.healthy || leave_out_throttled && port.throttled;
            if !(is_left_out && kind == SWITCH && far_kind == SWITCH) {
                builder.connect((here, number.into()), (far, port.peer_number.into()))?;
            }
        }
    }
    Ok(builder.finish())
}

fn described(node: &ffi::Node) -> lacis_core::fabric::Node {
    let description = node.description();
    let kind = match node.kind {
        SWITCH => NodeKind::Switch,
        ROUTER => NodeKind::Router,
        _ => NodeKind::of_adapter(&description),
    };
    lacis_core::fabric::Node {
        kind,
        guid: Guid(node.guid),
        system_guid: Guid(node.system_guid),
        id: format!("{:016x}", node.guid).into(),
        description: description.into(),
        vendor: node.vendor,
        device: node.device,
        enhanced_port0: node.enhanced_port0,
        chassis: None,
        declared: None,
    }
}

fn told(port: &ffi::Port) -> Port {
    let is_cabled = port.peer_guid != 0;
    Port {
        guid: Guid(port.guid),
        lid: port.lid.into(),
        lmc: port.lmc,
        rate: is_cabled.then(|| rate(port)).flatten(),
        listed: is_cabled,
    }
}

/// The codes of `PortInfo` (InfiniBand Architecture Specification, volume 1, 14.2.5.6).
fn rate(port: &ffi::Port) -> Option<Rate> {
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
