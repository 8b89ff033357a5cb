//! New identities and other ports for a fabric, so that nothing can rely on the order in which GUIDs were assigned or cables were plugged in.

use rustc_hash::{FxHashMap, FxHashSet};

use super::make::node_id;
use super::random::SplitMix64;
use crate::fabric::{Fabric, FabricBuilder, Guid, NodeId, PortId};

/// Port and system GUIDs less than this above their node's keep their distance.
const SPAN: u64 = 16;

/// Random GUIDs, each alone in a block of 256.
struct Fresh {
    rng: SplitMix64,
    /// Blocks that have been drawn.
    blocks: FxHashSet<u32>,
}

impl Fresh {
    /// A GUID of the old vendor prefix (24 bits), 32 random bits that no other has, and a random low byte.
    fn draw(&mut self, old: Guid) -> Guid {
        loop {
            let random = self.rng.draw();
            let block = (random >> 32) as u32;
            if self.blocks.insert(block) {
                let low = (random & 0xff) % (0x100 - SPAN);
                break Guid((old.0 & !0xff_ffff_ffff) | (u64::from(block) << 8) | low);
            }
        }
    }

    /// The new GUID of a port or system that belongs to a node.
    fn follow(&mut self, guid: Guid, old_node: Guid, new_node: Guid) -> Guid {
        match guid.0.checked_sub(old_node.0) {
            _ if !guid.is_some() => guid,
            Some(offset) if offset < SPAN => Guid(new_node.0 + offset),
            _ => self.draw(guid),
        }
    }
}

/// The fabric with random distinct GUIDs, the same for the same seed.
///
/// The low byte, which OpenSM compares first, is random too. The port and system GUIDs of a node
/// keep their distance from the node's own, and nodes with one system GUID keep sharing one. Ids
/// that spell a GUID (`S-0002c90200400000`) follow it.
#[must_use]
pub fn shuffle_guids(fabric: &Fabric, seed: u64) -> Fabric {
    let mut fresh = Fresh { rng: SplitMix64::new(seed), blocks: FxHashSet::default() };
    let mut systems: FxHashMap<Guid, Guid> = FxHashMap::default();
    let mut builder = FabricBuilder::from(fabric);
    for (id, node) in fabric.nodes() {
        let Some(handle) = builder.nth(id.ix()) else { continue };
        let guid = fresh.draw(node.guid);
        for number in 0..=fabric.radix(id) {
            if let Ok(port) = builder.port_mut(handle, number.into()) {
                port.guid = fresh.follow(port.guid, node.guid, guid);
            }
        }
        let system = match systems.get(&node.system_guid) {
            Some(&system) => system,
            None => fresh.follow(node.system_guid, node.guid, guid),
        };
        systems.insert(node.system_guid, system);
        let changed = builder.node_mut(handle);
        changed.guid = guid;
        changed.system_guid = system;
        if *node.id == node_id(node.kind, node.guid) {
            changed.id = node_id(node.kind, guid).into();
        }
    }
    builder.finish()
}

/// The fabric with its nodes in another order and the cables of its switches at other ports, the same for the same seed.
#[must_use]
pub fn shuffle_ports(fabric: &Fabric, seed: u64) -> Fabric {
    let mut rng = SplitMix64::new(seed);
    let mut order: Vec<NodeId> = fabric.nodes().map(|(id, _)| id).collect();
    rng.shuffle(&mut order);
    let mut builder = FabricBuilder::new();
    // By node: its handle, and by port number the new one.
    let mut moved = vec![None; order.len()];
    for &id in &order {
        let mut numbers: Vec<u32> = (1..=fabric.radix(id).into()).collect();
        if fabric.is_switch(id) {
            rng.shuffle(&mut numbers);
        }
        numbers.insert(0, 0);
        let handle = builder.add_node(fabric.node(id).clone(), fabric.radix(id)).ok();
        moved[id.ix()] = handle.map(|handle| (handle, numbers));
    }
    let end = |port: PortId| {
        let (handle, numbers) = moved[fabric.node_of(port).ix()].as_ref()?;
        Some((*handle, numbers[usize::from(fabric.number_of(port))]))
    };
    for (a, b) in fabric.cables() {
        if let Some((a, b)) = end(a).zip(end(b)) {
            // Other numbers of the same node are free as these were.
            let _ = builder.connect(a, b);
        }
    }
    for port in (0..fabric.num_ports() as u32).map(PortId) {
        if let Some((handle, number)) = end(port)
            && let Ok(to) = builder.port_mut(handle, number)
        {
            *to = *fabric.port_info(port);
        }
    }
    builder.finish()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::generate::generate;

    #[test]
    fn identities_change_and_the_cabling_does_not() {
        let old = generate("itasca:9").unwrap();
        let new = shuffle_guids(&old, 3);
        assert_eq!(old.raw_peers(), new.raw_peers());
        let mut guids: Vec<u64> = Vec::new();
        for ((id, a), (_, b)) in old.nodes().zip(new.nodes()) {
            assert_eq!((&a.description, a.kind), (&b.description, b.kind));
            assert_eq!(*b.id, node_id(b.kind, b.guid));
            assert_eq!(a.guid.0 >> 40, b.guid.0 >> 40);
            guids.push(b.guid.0);
            if new.is_switch(id) {
                assert_eq!(new.port_info(new.port0(id)).guid, b.guid);
            } else {
                guids.extend(new.ports_of(id).map(|p| new.port_info(p).guid.0));
            }
        }
        let count = guids.len();
        guids.sort_unstable();
        guids.dedup();
        assert_eq!(guids.len(), count);
        // Chips that shared a chassis still do, and no others: 9 leaves and two directors.
        let chassis = |f: &Fabric| -> Vec<usize> {
            let of: Vec<Guid> = f.switches().map(|s| f.node(s).system_guid).collect();
            of.iter().map(|g| of.iter().position(|h| h == g).unwrap()).collect()
        };
        assert_eq!(chassis(&old), chassis(&new));
    }

    #[test]
    fn the_seed_decides_and_opensm_order_is_no_longer_insertion_order() {
        let old = generate("fat-tree:8,2").unwrap();
        let new = shuffle_guids(&old, 1);
        assert_eq!(new, shuffle_guids(&old, 1));
        assert_ne!(new, shuffle_guids(&old, 2));
        let mut keys: Vec<u64> = new.nodes().map(|(_, n)| n.guid.opensm_key()).collect();
        let in_order = keys.windows(2).filter(|w| w[0] < w[1]).count();
        // 43 neighbouring pairs of 44 nodes: half of them rise by chance, standard deviation 2.
        assert!((12..=31).contains(&in_order), "{in_order}");
        keys.sort_unstable();
        let low_bytes: FxHashSet<u64> = keys.iter().map(|k| k >> 56).collect();
        assert!(low_bytes.len() > 30);
        assert_eq!(new, generate("fat-tree:8,2:shuffle=1").unwrap());
    }
}
