//! Which ports of switches a cable fits.
//!
//! A switch may count ports that no cage leads to: its SHARP aggregation node hangs on one after the last of the
//! front, whether it runs or not. And where cages can be split, the second port of a cage that is not split counts,
//! too, though the first has all lanes.

use rustc_hash::FxHashSet;

use super::kind::NodeKind;
use super::{Fabric, NodeId, PortId};

/// Vendor of all switches that have an aggregation node.
const MELLANOX: u32 = 0x2c9;
/// Devices that have one: Switch-IB, Switch-IB 2, Quantum, Quantum-2, Quantum-3.
const WITH_AGGREGATION: [u32; 5] = [0xcb20, 0xcf08, 0xd2f0, 0xd2f2, 0xd2f4];
/// Devices whose cages are split into two ports, with the number of ports of their fronts when they can be.
const SPLIT: [(u32, u8); 2] = [(0xd2f0, 80), (0xd2f2, 128)];

/// Lanes of a cage.
const LANES: u8 = 4;

/// A port as all switches of a model have it: vendor, device, radix and number.
type ModelPort = (u32, u32, u8, u8);

/// Which ports of a fabric's switches a cable fits.
pub struct Cages<'a> {
    fabric: &'a Fabric,
    /// Ports on which an aggregation node was seen.
    internal: FxHashSet<ModelPort>,
    /// Last ports on which anything else was seen.
    external: FxHashSet<ModelPort>,
}

impl<'a> Cages<'a> {
    /// The cages of a fabric.
    pub fn of(fabric: &'a Fabric) -> Self {
        let mut cages = Self { fabric, internal: FxHashSet::default(), external: FxHashSet::default() };
        for switch in fabric.switches() {
            for port in fabric.ports_of(switch) {
                let Some(far) = fabric.peer(port) else { continue };
                if fabric.node(fabric.node_of(far)).kind == NodeKind::Aggregation {
                    cages.internal.insert(cages.model(port));
                } else if fabric.number_of(port) == fabric.radix(switch) {
                    cages.external.insert(cages.model(port));
                }
            }
        }
        cages
    }

    /// Whether a cable fits a port of a switch; all ports of end nodes have one.
    pub fn fits(&self, port: PortId) -> bool {
        let fabric = self.fabric;
        let node = fabric.node_of(port);
        if !fabric.is_switch(node) {
            return true;
        }
        match fabric.peer(port) {
            Some(far) => fabric.node(fabric.node_of(far)).kind != NodeKind::Aggregation,
            None => !self.is_internal(port) && !self.lacks_lanes(port),
        }
    }

    /// The ports of a node that have no cable and that one fits, in order.
    pub fn free(&self, node: NodeId) -> impl Iterator<Item = PortId> {
        self.fabric.ports_of(node).filter(|&p| self.fabric.peer(p).is_none() && self.fits(p))
    }

    fn model(&self, port: PortId) -> ModelPort {
        let node = self.fabric.node_of(port);
        let (radix, number) = (self.fabric.radix(node), self.fabric.number_of(port));
        (self.fabric.node(node).vendor, self.fabric.node(node).device, radix, number)
    }

    /// Whether an aggregation node hangs on a port, or would. Fronts have even numbers of ports: of an odd number
    /// the last is not on it.
    fn is_internal(&self, port: PortId) -> bool {
        let model @ (vendor, device, radix, number) = self.model(port);
        if self.external.contains(&model) {
            return false;
        }
        let is_after_front = radix > 36 && radix % 2 == 1 && number == radix;
        self.internal.contains(&model)
            || is_after_front && vendor == MELLANOX && WITH_AGGREGATION.contains(&device)
    }

    /// Whether it is the second port of a cage whose first one runs with all lanes.
    fn lacks_lanes(&self, port: PortId) -> bool {
        let (_, device, radix, number) = self.model(port);
        if number % 2 == 1 || !SPLIT.contains(&(device, radix & !1)) {
            return false;
        }
        let first = self.fabric.port(self.fabric.node_of(port), number - 1);
        let rate = first.and_then(|first| self.fabric.port_info(first).rate);
        rate.is_some_and(|rate| rate.width.lanes() >= LANES)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fabric::{FabricBuilder, Guid, Handle, Node, Rate, Speed, Width};

    struct Draft(FabricBuilder, u64);

    impl Draft {
        fn node(&mut self, kind: NodeKind, device: u32, radix: u8) -> Handle {
            self.1 += 1;
            let guid = Guid(self.1);
            let node = Node {
                kind,
                guid,
                system_guid: guid,
                id: format!("N-{}", self.1).into(),
                description: format!("n{}", self.1).into(),
                vendor: MELLANOX,
                device,
                enhanced_port0: false,
                chassis: None,
                declared: None,
            };
            self.0.add_node(node, radix).unwrap()
        }

        fn cable(&mut self, a: (Handle, u32), b: (Handle, u32), lanes: u8) {
            let width = Width::new(lanes).unwrap();
            self.0.connect(a, b).unwrap();
            for (node, number) in [a, b] {
                self.0.port_mut(node, number).unwrap().rate = Some(Rate { width, speed: Speed::Ndr });
            }
        }
    }

    /// The free ports of the first switch.
    fn free(draft: Draft) -> Vec<u8> {
        let fabric = draft.0.finish();
        Cages::of(&fabric).free(NodeId(0)).map(|p| fabric.number_of(p)).collect()
    }

    #[test]
    fn the_port_after_the_front_is_not_free() {
        // The vendor's numbers of ports at the front: 36, 40, 64 and 144, or 80 and 128 when split.
        for (device, radix) in [
            (0xcf08, 37),
            (0xcb20, 37),
            (0xd2f0, 41),
            (0xd2f0, 81),
            (0xd2f2, 65),
            (0xd2f2, 129),
            (0xd2f4, 145),
        ] {
            let mut draft = Draft(FabricBuilder::new(), 0);
            draft.node(NodeKind::Switch, device, radix);
            assert_eq!(free(draft), (1..radix).collect::<Vec<_>>(), "{device:x}");
        }
        // A model that is not known, and a front without the odd port.
        for (device, radix) in [(0, 41), (0x1234, 41), (0xd2f0, 40), (0xcf08, 36)] {
            let mut draft = Draft(FabricBuilder::new(), 0);
            draft.node(NodeKind::Switch, device, radix);
            assert_eq!(free(draft).len(), usize::from(radix));
        }
    }

    #[test]
    fn what_is_seen_at_a_port_of_the_model_wins() {
        // A model that is not known, with an aggregation node at port 5 of another switch.
        let mut draft = Draft(FabricBuilder::new(), 0);
        draft.node(NodeKind::Switch, 0x1234, 6);
        let other = draft.node(NodeKind::Switch, 0x1234, 6);
        let aggregation = draft.node(NodeKind::Aggregation, 0xcf08, 1);
        draft.cable((other, 5), (aggregation, 1), 4);
        assert_eq!(free(draft), [1, 2, 3, 4, 6]);
        // A host at port 41 of another.
        let mut draft = Draft(FabricBuilder::new(), 0);
        draft.node(NodeKind::Switch, 0xd2f0, 41);
        let other = draft.node(NodeKind::Switch, 0xd2f0, 41);
        let host = draft.node(NodeKind::Adapter, 0, 1);
        draft.cable((other, 41), (host, 1), 4);
        assert_eq!(free(draft).len(), 41);
    }

    #[test]
    fn the_second_port_of_a_cage_is_free_unless_the_first_has_all_lanes() {
        let mut draft = Draft(FabricBuilder::new(), 0);
        let switch = draft.node(NodeKind::Switch, 0xd2f2, 129);
        for (port, lanes) in [(1, 4), (3, 2)] {
            let host = draft.node(NodeKind::Adapter, 0, 1);
            draft.cable((switch, port), (host, 1), lanes);
        }
        assert_eq!(free(draft), (4..=128).collect::<Vec<_>>());
    }
}
