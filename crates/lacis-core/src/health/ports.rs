//! States of ports, and cables that lead back to their own node.
//!
//! Only a port in the state Active sends data. A manager brings every port with a link there: one that stays behind has a
//! fault, or is kept out on purpose. Where no port is active, no manager has run yet.

use std::collections::BTreeMap;

use super::Finding;
use super::context::Context;
use super::facts::{Fact, InactiveLink, InactivePorts, InactiveSubnet, LoopbackCables, PortsInState};
use super::links::report;
use crate::fabric::{NodeId, PhysicalState, PortId, PortState};

pub(super) fn report_ports(ctx: &Context, out: &mut Vec<Finding>) {
    loopbacks(ctx, out);
    states(ctx, out);
}

fn loopbacks(ctx: &Context, out: &mut Vec<Finding>) {
    let mut of: BTreeMap<NodeId, Vec<(PortId, PortId)>> = BTreeMap::new();
    for (a, b) in ctx.fabric.cables() {
        if ctx.fabric.node_of(a) == ctx.fabric.node_of(b) {
            of.entry(ctx.fabric.node_of(a)).or_default().push((a, b));
        }
    }
    for (node, cables) in of {
        let cables = cables.into_iter().map(|cable| ctx.cable(cable)).collect();
        out.push(Fact::Loopbacks(LoopbackCables { node: ctx.location(node), cables }).into());
    }
}

/// The state of a port with a link: as the source has it, or that it is not active, which is all that some say.
fn state_of(ctx: &Context, port: PortId) -> Option<PortState> {
    let known = ctx.fabric.port_detail(port).state;
    known.or_else(|| ctx.fabric.port_info(port).inactive.then_some(PortState::Initialize))
}

/// Whether a port or the one at the other end of its cable is known not to be active.
pub(super) fn is_inactive(ctx: &Context, port: PortId) -> bool {
    [Some(port), ctx.fabric.peer(port)]
        .into_iter()
        .flatten()
        .any(|port| state_of(ctx, port).is_some_and(|state| state != PortState::Active))
}

fn states(ctx: &Context, out: &mut Vec<Finding>) {
    let fabric = ctx.fabric;
    let mut counts: BTreeMap<PortState, usize> = BTreeMap::new();
    let mut inactive: Vec<(PortId, PortId)> = Vec::new();
    for (a, b) in fabric.cables() {
        let states = [a, b].map(|port| state_of(ctx, port));
        for state in states.into_iter().flatten() {
            *counts.entry(state).or_default() += 1;
        }
        let is_inactive = |state: Option<PortState>| state.is_some_and(|state| state != PortState::Active);
        // Of a link to a host, the host's end comes first: that is who cannot be reached.
        let is_end = |port: PortId| !fabric.is_switch(fabric.node_of(port));
        match states.map(is_inactive) {
            [false, false] => {}
            [true, true] if is_end(b) && !is_end(a) => inactive.push((b, a)),
            [true, _] => inactive.push((a, b)),
            [false, true] => inactive.push((b, a)),
        }
    }
    if inactive.is_empty() {
        return;
    }
    if !counts.contains_key(&PortState::Active) {
        let ports = counts.values().sum();
        let states = counts.iter().map(|(state, &ports)| PortsInState { state: state.name(), ports });
        out.push(Fact::SubnetInactive(InactiveSubnet { ports, states: states.collect() }).into());
        return;
    }
    let links = inactive.into_iter().map(|(here, there)| InactiveLink {
        cable: ctx.cable((here, there)),
        states: [here, there].map(|port| state_of(ctx, port).map(PortState::name)),
        physical: [here, there].map(|port| fabric.port_detail(port).physical.map(PhysicalState::name)),
        unreachable: unreachable(ctx, here, there),
    });
    report(out, links.collect(), |links| Fact::PortsInactive(InactivePorts { links }));
}

/// The end node of a link that no other active port reaches.
fn unreachable(ctx: &Context, here: PortId, there: PortId) -> Option<super::Location> {
    let fabric = ctx.fabric;
    let end =
        [here, there].map(|port| fabric.node_of(port)).into_iter().find(|&node| !fabric.is_switch(node))?;
    let is_active = |port: PortId| state_of(ctx, port).is_none_or(|state| state == PortState::Active);
    let mut others = fabric.ports_of(end).filter(|&port| port != here && port != there);
    let reached = others.any(|port| fabric.peer(port).is_some_and(|far| is_active(port) && is_active(far)));
    (!reached).then(|| ctx.location(end))
}
