//! Every pair walked, packet by packet.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use lacis_core::fabric::{Fabric, NodeId, Population, PortId};
use lacis_core::sm::{Lft, NO_ENTRY, Routes};
use lacis_core::verify::Verdict;

/// The lane of every channel on a path that starts at an end port on `edge_switch`, 0 where there are none.
pub fn lanes_on(
    fabric: &Fabric,
    routes: &Routes,
    edge_switch: Option<NodeId>,
    lid: u32,
    path: &[PortId],
) -> Vec<u8> {
    let Some((lanes, edge_switch)) = routes.lanes.as_ref().zip(edge_switch) else {
        return vec![0; path.len()];
    };
    let sl = lanes.sl(edge_switch, lid);
    let mut from = 0;
    let lane = |&port: &PortId| {
        let vl = lanes.vl(fabric.node_of(port), from, fabric.number_of(port), sl);
        from = fabric.number_of(fabric.peer(port).unwrap());
        vl
    };
    path.iter().map(lane).collect()
}

/// The path of one packet: the egress ports of the switches it passes, their number, how it ends.
pub fn walk(fabric: &Fabric, lft: &Lft, from: PortId, to: PortId, lid: u32) -> (Vec<PortId>, usize, Verdict) {
    let mut path = Vec::new();
    let mut at = if fabric.is_switch(fabric.node_of(from)) { from } else { fabric.peer(from).unwrap() };
    let mut passed = 0;
    loop {
        let node = fabric.node_of(at);
        if !fabric.is_switch(node) {
            return (path, passed, if at == to { Verdict::Delivered } else { Verdict::WrongPort });
        }
        passed += 1;
        // In its second round a loop may be on other lanes than in its first, and the third begins as the second.
        if passed > 2 * fabric.num_switches() + 1 {
            return (path, passed, Verdict::Loop);
        }
        match lft.get(node, lid) {
            NO_ENTRY => return (path, passed, Verdict::NoEntry),
            0 if fabric.port0(node) == to => return (path, passed, Verdict::Delivered),
            0 => return (path, passed, Verdict::WrongPort),
            number => {
                let Some(far) = fabric.port(node, number).and_then(|p| fabric.peer(p)) else {
                    return (path, passed, Verdict::DeadPort);
                };
                path.push(fabric.port(node, number).unwrap());
                at = far;
            }
        }
    }
}

/// An egress port and a lane.
pub type Channel = (PortId, u8);

#[derive(Default)]
pub struct Enumerated {
    pub verdicts: BTreeMap<Verdict, u64>,
    pub hops: BTreeMap<usize, u64>,
    pub loads: BTreeMap<PortId, u64>,
    pub waits: BTreeSet<(Channel, Channel)>,
    pub lanes: BTreeSet<u8>,
    pub unreached: BTreeMap<(u32, PortId), u64>,
    pub apart: u64,
}

/// The ports that packets of a port could come to, whatever the tables.
pub fn within_reach(fabric: &Fabric, from: PortId) -> BTreeSet<PortId> {
    let mut reached = BTreeSet::new();
    let mut queue = if fabric.is_switch(fabric.node_of(from)) {
        vec![from]
    } else {
        fabric.peer(from).into_iter().collect()
    };
    let mut flooded = BTreeSet::new();
    while let Some(at) = queue.pop() {
        let node = fabric.node_of(at);
        reached.insert(at);
        if fabric.is_switch(node) && flooded.insert(node) {
            reached.insert(fabric.port0(node));
            queue.extend(fabric.ports_of(node).filter_map(|p| fabric.peer(p)));
        }
    }
    reached
}

pub fn enumerate(fabric: &Fabric, routes: &Routes, population: Population, switch_lids: bool) -> Enumerated {
    let mut ports = fabric.end_ports(population);
    if switch_lids {
        ports.extend(fabric.switches().map(|s| fabric.port0(s)));
    }
    let is_channel = |p: PortId| fabric.is_switch(fabric.node_of(fabric.peer(p).unwrap()));
    let mut out = Enumerated::default();
    let reach: BTreeMap<PortId, BTreeSet<PortId>> =
        ports.iter().map(|&p| (p, within_reach(fabric, p))).collect();
    for &to in &ports {
        let base = routes.lids.base(to);
        for lid in if base == 0 { 0..1 } else { base..base + (1 << routes.lids.lmc(to)) } {
            for &from in ports.iter().filter(|&&p| p != to) {
                let (path, passed, verdict) = match lid {
                    0 => (Vec::new(), 0, Verdict::UnknownLid),
                    _ => walk(fabric, &routes.lft, from, to, lid),
                };
                *out.verdicts.entry(verdict).or_default() += 1;
                out.apart += u64::from(lid != 0 && !reach[&from].contains(&to));
                let channels: Vec<PortId> = path.into_iter().filter(|&p| is_channel(p)).collect();
                let on = lanes_on(fabric, routes, fabric.edge_switch(from), lid, &channels);
                let waiting: Vec<Channel> = channels.iter().copied().zip(on.iter().copied()).collect();
                out.waits.extend(waiting.windows(2).map(|w| (w[0], w[1])));
                out.lanes.extend(on);
                if verdict == Verdict::Delivered {
                    *out.hops.entry(passed).or_default() += 1;
                    for &port in &channels {
                        *out.loads.entry(port).or_default() += 1;
                    }
                } else {
                    *out.unreached.entry((lid, to)).or_default() += 1;
                }
            }
        }
    }
    out
}

/// Number of steps from each channel to each, by breadth-first search from every one.
pub fn distances(waits: &BTreeSet<(Channel, Channel)>) -> BTreeMap<(Channel, Channel), usize> {
    let mut out = BTreeMap::new();
    for &start in &waits.iter().map(|w| w.0).collect::<BTreeSet<_>>() {
        let mut queue = VecDeque::from([(start, 0)]);
        while let Some((at, steps)) = queue.pop_front() {
            for &(_, next) in waits.range((at, (PortId(0), 0))..=(at, (PortId(u32::MAX), 0))) {
                if let std::collections::btree_map::Entry::Vacant(e) = out.entry((start, next)) {
                    e.insert(steps + 1);
                    queue.push_back((next, steps + 1));
                }
            }
        }
    }
    out
}

/// Sizes of the components that wait for themselves, with the length of their shortest cycle.
pub fn circles(waits: &BTreeSet<(Channel, Channel)>) -> Vec<(usize, usize)> {
    let steps = distances(waits);
    let mutual = |a, b| a == b || (steps.contains_key(&(a, b)) && steps.contains_key(&(b, a)));
    let mut left: BTreeSet<Channel> = waits.iter().map(|w| w.0).collect();
    let mut out = Vec::new();
    while let Some(&first) = left.iter().next() {
        let component: Vec<Channel> = left.iter().copied().filter(|&c| mutual(first, c)).collect();
        if let Some(&shortest) = component.iter().filter_map(|&c| steps.get(&(c, c))).min() {
            out.push((component.len(), shortest));
        }
        left.retain(|c| !component.contains(c));
    }
    out.sort_unstable();
    out
}
