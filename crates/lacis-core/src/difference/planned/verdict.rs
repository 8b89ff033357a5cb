//! The verdict on each cable, by the rules of `opareport -o verifylinks`.
//!
//! A planned cable is attached to a found one if both of its ends are found and joined. One end may be loose: if it
//! names a node but no port with a cable, the neighbour of the other end is accepted if it is on that node. So a plug in
//! the wrong port of the right node is a difference, not two troubles. If two planned cables attach to one found cable,
//! the more exactly specified one has it.

use super::kinds::{ByKind, Is};
use super::outcome::{CableDeviation, Counts, Verdict, Why};
use super::resolve::Index;
use crate::fabric::{Fabric, NodeId, PortId};
use crate::io::plan::{Cable, End};

/// Which planned cable is attached to which found one.
pub(super) struct Attached {
    /// By planned cable: the ports that its ends mean, where they have cables.
    pub(super) ports: Vec<[Option<PortId>; 2]>,
    /// By port: the planned cable that it belongs to.
    cable_at: Vec<Option<usize>>,
}

impl Attached {
    /// Whether the found cable at a port is a planned one.
    pub(super) fn is_planned(&self, port: PortId) -> bool {
        self.cable_at[port.ix()].is_some()
    }

    /// The found cable of a planned one, if it has both ends.
    pub(super) fn found(&self, fabric: &Fabric, cable: usize) -> Option<(PortId, PortId)> {
        let [Some(a), Some(b)] = self.ports[cable] else { return None };
        (self.cable_at[a.ix()] == Some(cable) && fabric.peer(a) == Some(b)).then_some((a, b))
    }
}

/// The port of an end, and what the plan specifies of it: 0 nothing, 1 the node, 2 the port.
fn end_port(fabric: &Fabric, index: &Index, cable: usize, side: usize, end: &End) -> (Option<PortId>, usize) {
    let Some(node) = index.node(cable, side) else { return (None, 0) };
    let cabled = index.port(fabric, cable, side, end).filter(|&p| fabric.peer(p).is_some());
    if cabled.is_some() {
        return (cabled, 2);
    }
    // The only port with a cable will do; port 0 of a switch counts as one.
    let mut with_cable = fabric.ports_of(node).filter(|&p| fabric.peer(p).is_some());
    match (with_cable.next(), with_cable.next()) {
        (Some(only), None) if !fabric.is_switch(node) => (Some(only), 1),
        _ => (None, 1),
    }
}

/// Whether an end specifies a port.
fn is_complete(end: &End) -> bool {
    end.port_guid.is_some()
        || (end.number.is_some() && (end.node_guid.is_some() || !end.name.is_empty()))
        || (!end.adapter.is_empty())
}

/// Finds the ports of every planned cable.
pub(super) fn attach(fabric: &Fabric, index: &Index, cables: &[&Cable]) -> Attached {
    // Ranks of what two ends specify: nothing, one node, one port, two nodes, node and port, two ports.
    const RANK: [[u8; 3]; 3] = [[0, 1, 2], [1, 3, 4], [2, 4, 5]];
    let mut ranks = vec![0; cables.len()];
    let mut all = Attached { ports: vec![[None; 2]; cables.len()], cable_at: vec![None; fabric.num_ports()] };
    for (i, cable) in cables.iter().enumerate() {
        let (mut a, known_a) = end_port(fabric, index, i, 0, &cable.ends[0]);
        let (mut b, known_b) = end_port(fabric, index, i, 1, &cable.ends[1]);
        let rank = RANK[known_a][known_b];
        if a.is_none() && b.is_none() {
            continue;
        }
        let beyond = |port: Option<PortId>| port.and_then(|p| fabric.peer(p));
        let on = |port: Option<PortId>, node: Option<NodeId>| {
            port.filter(|&p| node.is_some() && Some(fabric.node_of(p)) == node)
        };
        if a.is_some() && !is_complete(&cable.ends[1]) {
            b = beyond(a);
        } else if b.is_some() && !is_complete(&cable.ends[0]) {
            a = beyond(b);
        }
        if b.is_none() {
            b = on(beyond(a), index.node(i, 1));
        }
        if a.is_none() {
            a = on(beyond(b), index.node(i, 0));
        }
        if let (Some(p), Some(q)) = (a, b) {
            if let Some(other) = all.cable_at[p.ix()].filter(|&other| all.cable_at[q.ix()] == Some(other)) {
                if ranks[other] > rank {
                    continue;
                }
                if ranks[other] < rank {
                    (all.cable_at[p.ix()], all.cable_at[q.ix()]) = (None, None);
                    (all.ports[other], ranks[other]) = ([None; 2], 0);
                }
            }
            let free = all.cable_at[p.ix()].is_none() && all.cable_at[q.ix()].is_none();
            if free && fabric.peer(p) == Some(q) {
                (all.cable_at[p.ix()], all.cable_at[q.ix()]) = (Some(i), Some(i));
            }
        }
        (all.ports[i], ranks[i]) = ([a, b], rank);
    }
    all
}

/// The verdicts: how many of each, in all and by kind of cable, and the cables that differ from the plan.
pub(super) fn judge(
    fabric: &Fabric,
    index: &Index,
    cables: &[&Cable],
    is_ndt: &[bool],
    attached: &Attached,
    is_beyond: &[bool],
) -> (Counts, ByKind, Vec<CableDeviation>) {
    let mut counts = Counts::default();
    let mut by_kind = ByKind::default();
    let mut out = Vec::new();
    for (p, q) in fabric.cables().filter(|(p, _)| !is_beyond[p.ix()]) {
        let Some(cable) = attached.cable_at[p.ix()] else {
            let (verdict, found) = (Verdict::Unexpected, Some((p, q)));
            Is::found(fabric, p).count(verdict, &mut by_kind);
            out.push(CableDeviation { verdict, cable: None, found, why: Vec::new() });
            continue;
        };
        let found = attached.found(fabric, cable).unwrap_or((p, q));
        let why = differences(fabric, cables[cable], found, index.no_guid, is_ndt[cable]);
        let verdict = if why.is_empty() { Verdict::AsPlanned } else { Verdict::Different };
        Is::found(fabric, p).count(verdict, &mut by_kind);
        if why.is_empty() {
            counts[Verdict::AsPlanned as usize] += 1;
        } else {
            let found = Some(found);
            out.push(CableDeviation { verdict, cable: Some(cable), found, why });
        }
    }
    for (i, cable) in cables.iter().enumerate() {
        let [a, b] = attached.ports[i];
        let verdict = match (a, b) {
            (None, None) => Verdict::Missing,
            (Some(_), Some(_)) if attached.found(fabric, i).is_some() => continue,
            (Some(_), Some(_)) => Verdict::Duplicate,
            _ => Verdict::Misconnected,
        };
        Is::planned(fabric, cable, [a, b]).count(verdict, &mut by_kind);
        let why = (0..2).filter_map(|side| reason(fabric, index, attached, i, side, &cable.ends[side]));
        let mut why: Vec<Why> = why.collect();
        why.dedup();
        out.push(CableDeviation { verdict, cable: Some(i), found: None, why });
    }
    for deviation in &out {
        counts[deviation.verdict as usize] += 1;
    }
    (counts, by_kind, out)
}

/// Why an end of a planned cable is not attached.
fn reason(
    fabric: &Fabric,
    index: &Index,
    attached: &Attached,
    cable: usize,
    side: usize,
    end: &End,
) -> Option<Why> {
    if end.is_open() {
        return None;
    }
    if index.node(cable, side).is_none() {
        return Some(Why::NoNode(side));
    }
    if let Some(port) = attached.ports[cable][side] {
        return Some(match (attached.cable_at[port.ix()], fabric.peer(port)) {
            (Some(other), _) if other != cable => Why::Repeats(other),
            (_, Some(far)) => Why::LeadsTo(side, far),
            (_, None) => Why::NoCable(side),
        });
    }
    match index.port(fabric, cable, side, end) {
        None if end.number.is_some() => Some(Why::NoPort(side)),
        _ => Some(Why::NoCable(side)),
    }
}

/// In what a found cable differs from the plan.
fn differences(
    fabric: &Fabric,
    cable: &Cable,
    found: (PortId, PortId),
    no_guid: bool,
    is_ndt: bool,
) -> Vec<Why> {
    let mut why = Vec::new();
    for (side, port) in [found.0, found.1].into_iter().enumerate() {
        let end = &cable.ends[side];
        let node = fabric.node(fabric.node_of(port));
        if end.node_guid.is_some() && !no_guid && node.guid.is_some() && end.node_guid != node.guid {
            why.push(Why::NodeGuid(side));
        }
        // Names in lists were compared when the node was looked for.
        let same = || super::resolve::is_named(&node.description, &end.name);
        if !is_ndt && !end.name.is_empty() && end.chip.is_none() && !same() {
            why.push(Why::Name(side));
        }
        if end.number.is_some_and(|number| number != fabric.number_of(port)) {
            why.push(Why::Number(side));
        }
        let guid = fabric.port_info(port).guid;
        if end.port_guid.is_some() && !no_guid && guid.is_some() && end.port_guid != guid {
            why.push(Why::PortGuid(side));
        }
        let is_switch = |kind| kind == crate::fabric::NodeKind::Switch;
        if end.kind.is_some_and(|kind| is_switch(kind) != is_switch(node.kind)) {
            why.push(Why::Kind(side));
        }
        if fabric.port_info(port).inactive {
            why.push(Why::Inactive(side));
        }
    }
    let rates = [found.0, found.1].map(|p| fabric.port_info(p).rate);
    if cable.rate.is_some_and(|planned| rates.into_iter().flatten().any(|found| !planned.allows(found))) {
        why.push(Why::Rate);
    }
    let capable = mtu(fabric, found);
    if cable.mtu.zip(capable).is_some_and(|(planned, capable)| class(planned) != class(capable)) {
        why.push(Why::Mtu);
    }
    why
}

/// The MTU that both ends are capable of `[bytes]`, if both report one.
pub(super) fn mtu(fabric: &Fabric, (a, b): (PortId, PortId)) -> Option<u32> {
    let both = [a, b].map(|port| u32::from(fabric.port_info(port).mtu));
    Some(both[0].min(both[1])).filter(|&mtu| mtu > 0)
}

/// The MTU, which comes in steps, that packets of so many bytes need.
fn class(bytes: u32) -> u32 {
    const STEPS: [u32; 7] = [256, 512, 1024, 2048, 4096, 8192, 10240];
    STEPS.into_iter().find(|&step| bytes <= step).unwrap_or(bytes)
}
