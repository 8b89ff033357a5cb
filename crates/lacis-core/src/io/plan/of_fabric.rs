//! A fabric as it is, used as the plan.

use super::cable::{Cable, End, Plan, PlanFormat};
use super::rate::PlannedRate;
use crate::fabric::{Fabric, Guid, PortId};

impl Plan {
    /// The plan that a fabric fulfils. Without `guids` only descriptions identify nodes, as for generated fabrics,
    /// whose GUIDs are consecutive numbers.
    pub fn of(fabric: &Fabric, guids: bool) -> Self {
        let kept = |guid: Guid| if guids { guid } else { Guid::NONE };
        let end = |port: PortId| {
            let node = fabric.node(fabric.node_of(port));
            End {
                name: node.description.clone(),
                node_guid: kept(node.guid),
                port_guid: kept(fabric.port_info(port).guid),
                number: Some(fabric.number_of(port)),
                kind: Some(node.kind),
                ..End::default()
            }
        };
        let inside = |a: PortId, b: PortId| {
            let system = |port| fabric.node(fabric.node_of(port)).system_guid;
            let both = fabric.is_switch(fabric.node_of(a)) && fabric.is_switch(fabric.node_of(b));
            both && system(a).is_some() && system(a) == system(b)
        };
        let cable = |(a, b): (PortId, PortId)| Cable {
            ends: [end(a), end(b)],
            rate: fabric.port_info(a).rate.or(fabric.port_info(b).rate).map(PlannedRate::Exact),
            internal: inside(a, b),
            ..Cable::default()
        };
        let cables = fabric.cables().map(cable).collect();
        Self { cables, ..Self::new(PlanFormat::Fabric) }
    }
}
