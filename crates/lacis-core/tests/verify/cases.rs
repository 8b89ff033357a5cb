//! Random fabrics, LIDs, tables and lanes, damaged at random.

use std::collections::VecDeque;

use lacis_core::fabric::{Fabric, FabricBuilder, Guid, Node, NodeKind, PortId};
use lacis_core::sm::lanes::{PathLanes, ServiceLevels, VirtualLanes};
use lacis_core::sm::lids::Lids;
use lacis_core::sm::{Engine, Engines, Lft, NO_ENTRY, Routes};

/// A small generator of choices (`SplitMix64`), so that one proptest seed makes one whole case.
pub struct Dice(u64);

impl Dice {
    pub fn roll(&mut self, sides: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((z ^ (z >> 31)) % sides as u64) as usize
    }

    pub fn one_in(&mut self, n: usize) -> bool {
        self.roll(n) == 0
    }
}

pub fn node(kind: NodeKind, id: usize) -> Node {
    Node {
        kind,
        guid: Guid(id as u64 + 1),
        system_guid: Guid::NONE,
        id: format!("n{id}").into(),
        description: format!("n{id}").into(),
        vendor: 0,
        device: 0,
        enhanced_port0: false,
        chassis: None,
        declared: None,
    }
}

/// Random switches and end nodes (one or two ports, some of them aggregation nodes), cabled at
/// random: any port to any other, so that islands, back-to-back cables and cables from a switch
/// to itself occur.
pub fn fabric(dice: &mut Dice) -> Fabric {
    let most = if dice.one_in(6) { 24 } else { 7 };
    let (switches, ends) = (1 + dice.roll(most), 1 + dice.roll(12));
    let radix = [70, 40, 3 + dice.roll(6) as u8, 4][dice.roll(4)];
    let mut b = FabricBuilder::new();
    let mut free = Vec::new();
    for id in 0..switches {
        let ports = radix - u8::from(dice.one_in(3));
        let s = b.add_node(node(NodeKind::Switch, id), ports).unwrap();
        free.extend((1..=ports).filter(|p| radix < 40 || p % 7 == 0).map(|p| (s, u32::from(p))));
    }
    let mut cables = Vec::new();
    for id in switches..switches + ends {
        let kind = if dice.one_in(6) { NodeKind::Aggregation } else { NodeKind::Adapter };
        let ports = 1 + u8::from(dice.one_in(5));
        let e = b.add_node(node(kind, id), ports).unwrap();
        for p in 1..=ports {
            if free.is_empty() || dice.one_in(12) {
                free.push((e, u32::from(p)));
            } else {
                cables.push(((e, u32::from(p)), free.swap_remove(dice.roll(free.len()))));
            }
        }
    }
    for (a, z) in cables {
        b.connect(a, z).unwrap();
    }
    while free.len() > 1 && !dice.one_in(30) {
        let a = free.swap_remove(dice.roll(free.len()));
        let z = free.swap_remove(dice.roll(free.len()));
        b.connect(a, z).unwrap();
    }
    b.finish()
}

/// LIDs in random order, with gaps, some missing, some ranges, rarely one claimed twice.
pub fn lids(fabric: &Fabric, dice: &mut Dice) -> Lids {
    let mut lids = Lids::none(fabric);
    let mut ports: Vec<PortId> = fabric.switches().map(|s| fabric.port0(s)).collect();
    ports.extend(fabric.end_nodes().flat_map(|n| fabric.ports_of(n)));
    let mut next = 1 + dice.roll(70) as u32;
    while !ports.is_empty() {
        let port = ports.swap_remove(dice.roll(ports.len()));
        if !dice.one_in(15) {
            lids.set(port, next, u8::from(dice.one_in(8)));
        }
        if !dice.one_in(20) {
            next += 2 + dice.roll(3) as u32;
        }
    }
    lids
}

/// Shortest routes, parallel ones shared out by LID: the simplest there are.
pub fn shortest(fabric: &Fabric, lids: &Lids) -> Lft {
    let mut lft = Lft::new(fabric.num_switches(), lids.max_lid());
    for lid in 1..=lids.max_lid() {
        let Some(target) = lids.owner(lid) else { continue };
        let Some(edge_switch) = fabric.edge_switch(target) else { continue };
        let local = fabric.peer(target).map_or(0, |p| fabric.number_of(p));
        lft.row_mut(edge_switch)[lid as usize] = local;
        let mut hops = vec![usize::MAX; fabric.num_switches()];
        hops[edge_switch.ix()] = 0;
        let mut queue = VecDeque::from([edge_switch]);
        while let Some(s) = queue.pop_front() {
            for port in fabric.ports_of(s) {
                let Some(far) = fabric.peer(port) else { continue };
                let n = fabric.node_of(far);
                if !fabric.is_switch(n) {
                    continue;
                }
                if hops[n.ix()] == usize::MAX {
                    hops[n.ix()] = hops[s.ix()] + 1;
                    queue.push_back(n);
                }
                let first = lft.get(n, lid) == NO_ENTRY;
                if hops[n.ix()] == hops[s.ix()] + 1 && (first || (lid + far.0) % 2 == 0) {
                    lft.row_mut(n)[lid as usize] = fabric.number_of(far);
                }
            }
        }
    }
    lft
}

pub fn routes(lids: Lids, lft: Lft) -> Routes {
    let name = || Engines::from(Engine::File);
    Routes { lids, lft, lanes: None, engine_requested: name(), engine_used: name(), refusals: Vec::new() }
}

pub fn case(seed: u64) -> (Fabric, Routes) {
    let mut dice = Dice(seed);
    let fabric = fabric(&mut dice);
    let lids = lids(&fabric, &mut dice);
    let mut lft = shortest(&fabric, &lids);
    let width = fabric.switches().map(|s| fabric.radix(s)).max().unwrap() + 1;
    for _ in 0..[0, 1, 5, 60][dice.roll(4)] {
        let cell = dice.roll(lft.as_slice().len());
        let entry = match dice.roll(5) {
            0 => NO_ENTRY,
            1 => dice.roll(256) as u8,
            2 => lft.as_slice()[cell].saturating_add(width),
            _ => dice.roll(9) as u8,
        };
        lft.as_mut_slice()[cell] = entry;
    }
    let lanes = lanes(&fabric, &lft, &mut dice);
    (fabric, Routes { lanes, ..routes(lids, lft) })
}

/// None, or lanes at random: by LID or by switch and LID; the same everywhere or mapped hop by hop.
pub fn lanes(fabric: &Fabric, lft: &Lft, dice: &mut Dice) -> Option<PathLanes> {
    let most = 1 + dice.roll(4);
    let some = |dice: &mut Dice, n: usize| -> Vec<u8> { (0..n).map(|_| dice.roll(most) as u8).collect() };
    let sl = match dice.roll(3) {
        0 => return None,
        1 => ServiceLevels::ByLid(some(dice, lft.stride())),
        _ => {
            let levels = some(dice, lft.as_slice().len());
            ServiceLevels::BySwitchAndLid { stride: lft.stride(), levels }
        }
    };
    let ports = fabric.switches().map(|s| usize::from(fabric.radix(s))).max().unwrap() + 1;
    let mapped = fabric.num_switches() * ports * ports * 16;
    let vl = match dice.roll(2) {
        0 => VirtualLanes::Same,
        _ => VirtualLanes::Mapped { ports, lanes: some(dice, mapped) },
    };
    Some(PathLanes::new(sl, vl))
}
