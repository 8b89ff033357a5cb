//! The path of one packet, hop by hop.

use super::verdict::Verdict;
use super::wiring::{Step, Wiring};
use crate::fabric::{Fabric, NodeId, PortId};
use crate::sm::Routes;

/// A node of the path, with the ports that the packet enters and leaves by.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Hop {
    /// The node.
    pub node: NodeId,
    /// The port that the packet came in by; none at the source.
    pub ingress: Option<PortId>,
    /// The port that it leaves by; none at the end of its path.
    pub egress: Option<PortId>,
}

/// The path of one packet, from its source to where it ends.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Trace {
    /// The port that sends.
    pub from: PortId,
    /// The destination LID.
    pub to_lid: u32,
    /// The nodes of the path, the source first. A loop is shown once, up to the switch that is
    /// entered a second time.
    pub hops: Vec<Hop>,
    /// How it ends.
    pub verdict: Verdict,
}

impl Trace {
    /// Number of switches traversed.
    pub fn switches(&self, fabric: &Fabric) -> usize {
        self.hops.iter().filter(|hop| fabric.is_switch(hop.node)).count()
    }

    /// Number of cables crossed.
    pub fn links(&self) -> usize {
        self.hops.iter().filter(|hop| hop.egress.is_some()).count()
    }
}

/// Follows a packet from an end port (an end node's port, or port 0 of a switch) to a LID.
pub fn trace(fabric: &Fabric, routes: &Routes, from: PortId, to_lid: u32) -> Trace {
    let source = fabric.node_of(from);
    let mut trace = Trace { from, to_lid, hops: Vec::new(), verdict: Verdict::UnknownLid };
    let first = Hop { node: source, ingress: None, egress: None };
    let Some(target) = routes.lids.owner(to_lid).filter(|_| to_lid != 0) else {
        trace.hops.push(first);
        return trace;
    };
    if target == from {
        trace.hops.push(first);
        trace.verdict = Verdict::Delivered;
        return trace;
    }
    let mut ingress = None;
    if !fabric.is_switch(source) {
        let Some(near) = fabric.peer(from) else {
            trace.hops.push(first);
            trace.verdict = Verdict::DeadPort;
            return trace;
        };
        trace.hops.push(Hop { egress: Some(from), ..first });
        ingress = Some(near);
    }
    let wiring = Wiring::of(fabric);
    let mut seen = vec![false; fabric.num_switches()];
    let mut node = ingress.map_or(source, |port| fabric.node_of(port));
    trace.verdict = loop {
        if !fabric.is_switch(node) {
            trace.hops.push(Hop { node, ingress, egress: None });
            break if ingress == Some(target) { Verdict::Delivered } else { Verdict::WrongPort };
        }
        if std::mem::replace(&mut seen[node.ix()], true) {
            trace.hops.push(Hop { node, ingress, egress: None });
            break Verdict::Loop;
        }
        let entry = routes.lft.get(node, to_lid);
        let egress = fabric.port(node, entry).filter(|_| entry != 0);
        let far = egress.and_then(|port| fabric.peer(port));
        match (wiring.step(fabric, node.ix(), entry, target), far) {
            (Step::Stop(verdict), None) => {
                trace.hops.push(Hop { node, ingress, egress });
                break verdict;
            }
            (_, Some(far)) => {
                trace.hops.push(Hop { node, ingress, egress });
                ingress = Some(far);
                node = fabric.node_of(far);
            }
            (Step::Forward(_), None) => break Verdict::DeadPort,
        }
    };
    trace
}
