//! Small fabrics drawn by hand for the tests of this room.

use crate::fabric::{Fabric, FabricBuilder, Guid, Node, NodeKind, Rate, Speed};

/// Handle of a node in a sketch.
pub(super) type End = crate::fabric::Handle;

/// A fabric under construction: every cable 4xEDR, listed from both ends, with GUIDs counted up.
pub(super) struct Sketch {
    builder: FabricBuilder,
    next: u64,
}

impl Sketch {
    pub(super) fn new() -> Self {
        Self { builder: FabricBuilder::new(), next: 1 }
    }

    fn add(&mut self, kind: NodeKind, description: &str, radix: u8) -> End {
        let guid = Guid(0x1000 + self.next);
        self.next += 1;
        let node = Node {
            kind,
            guid,
            system_guid: guid,
            id: format!("N-{:x}", guid.0).into(),
            description: description.into(),
            vendor: 0x2c9,
            device: 0,
            enhanced_port0: false,
            chassis: None,
            declared: None,
        };
        let handle = self.builder.add_node(node, radix).unwrap();
        let own_port = u32::from(kind != NodeKind::Switch);
        let port = self.builder.port_mut(handle, own_port).unwrap();
        (port.guid, port.lid) = (guid, guid.0 as u32);
        handle
    }

    pub(super) fn switch(&mut self, description: &str, radix: u8) -> End {
        self.add(NodeKind::Switch, description, radix)
    }

    pub(super) fn adapter(&mut self, description: &str) -> End {
        self.add(NodeKind::Adapter, description, 1)
    }

    /// An adapter with several ports.
    pub(super) fn adapter_of(&mut self, description: &str, ports: u8) -> End {
        self.add(NodeKind::Adapter, description, ports)
    }

    pub(super) fn end_node(&mut self, kind: NodeKind, description: &str) -> End {
        self.add(kind, description, 1)
    }

    pub(super) fn builder(&mut self) -> &mut FabricBuilder {
        &mut self.builder
    }

    pub(super) fn cable(&mut self, a: (End, u32), b: (End, u32)) {
        self.builder.connect(a, b).unwrap();
        for (node, number) in [a, b] {
            let port = self.builder.port_mut(node, number).unwrap();
            (port.rate, port.listed) = (Some(Rate::x4(Speed::Edr)), true);
        }
    }

    pub(super) fn finish(self) -> Fabric {
        self.builder.finish()
    }
}
