//! Identities that clash: GUIDs, LIDs, and adapters with one name.

use super::context::{Context, NO_COMPONENT};
use super::facts::{Fact, SharedGuid, SharedLid, SharedName};
use super::{Finding, Location, Owner};
use crate::fabric::{Guid, NodeId, PortId};

pub(super) fn report_identities(ctx: &Context, out: &mut Vec<Finding>) {
    duplicate_guids(ctx, out);
    duplicate_lids(ctx, out);
    duplicate_names(ctx, out);
}

fn duplicate_guids(ctx: &Context, out: &mut Vec<Finding>) {
    let mut nodes: Vec<(Guid, NodeId)> =
        ctx.fabric.nodes().map(|(id, n)| (n.guid, id)).filter(|(g, _)| g.is_some()).collect();
    nodes.sort_unstable();
    let mut clashing: Vec<Guid> = Vec::new();
    for same in nodes.chunk_by(|a, b| a.0 == b.0).filter(|s| s.len() > 1) {
        clashing.push(same[0].0);
        let carriers = same.iter().map(|&(_, id)| ctx.location(id)).collect();
        out.push(Fact::NodeGuidShared(SharedGuid { guid: same[0].0, carriers }).into());
    }

    // Port GUIDs of end nodes may repeat their own node's GUID, never another port's. Two nodes that
    // clash as a whole need no second finding.
    let fabric = ctx.fabric;
    let mut ports: Vec<(Guid, PortId)> = fabric
        .end_nodes()
        .flat_map(|n| fabric.ports_of(n))
        .map(|p| (fabric.port_info(p).guid, p))
        .filter(|(g, p)| {
            g.is_some() && clashing.binary_search(&fabric.node(fabric.node_of(*p)).guid).is_err()
        })
        .collect();
    ports.sort_unstable();
    for same in ports.chunk_by(|a, b| a.0 == b.0).filter(|s| s.len() > 1) {
        // The planes of one adapter may have the GUID of their aggregated port in common.
        let ends: Vec<NodeId> = same.iter().map(|&(_, port)| fabric.node_of(port)).collect();
        if ctx.hosts.are_one_adapter(&ends) {
            continue;
        }
        let carriers = same.iter().map(|&(_, p)| ctx.port_location(p)).collect();
        out.push(Fact::PortGuidShared(SharedGuid { guid: same[0].0, carriers }).into());
    }
}

/// LIDs are unique within a subnet, so within a connected component; each port has 2^lmc of them.
fn duplicate_lids(ctx: &Context, out: &mut Vec<Finding>) {
    let fabric = ctx.fabric;
    let mut ranges: Vec<(u32, u64, u64, PortId)> = Vec::new();
    for (id, _) in fabric.nodes() {
        let own = fabric.is_switch(id).then(|| fabric.port0(id));
        let ports =
            own.into_iter().chain((!fabric.is_switch(id)).then(|| fabric.ports_of(id)).into_iter().flatten());
        for port in ports {
            let info = fabric.port_info(port);
            let edge_switch = fabric.edge_switch(port).unwrap_or(id);
            let component = ctx.component[edge_switch.ix()];
            if info.lid != 0 && component != NO_COMPONENT {
                let first = u64::from(info.lid);
                ranges.push((component, first, first + (1 << info.lmc.min(7)) - 1, port));
            }
        }
    }
    ranges.sort_unstable();
    // In order of their first LID, ranges clash where one begins before an earlier one ends.
    let mut rest = &ranges[..];
    while let Some(&(component, _, mut end, _)) = rest.first() {
        let clashing = rest[1..].iter().take_while(|r| {
            let joins = r.0 == component && r.1 <= end;
            end = end.max(r.2);
            joins
        });
        let (same, others) = rest.split_at(1 + clashing.count());
        if same.len() > 1 {
            let ports = same.iter().map(|r| ctx.port_location(r.3)).collect();
            out.push(Fact::LidShared(SharedLid { lid: same[1].1, ports }).into());
        }
        rest = others;
    }
}

fn duplicate_names(ctx: &Context, out: &mut Vec<Finding>) {
    // Where a host is inferred its adapters have no names that could be alike.
    let named = ctx.hosts.hosts.iter().map(|host| {
        let own = host.ends.iter().filter(|&&end| ctx.hosts.owner(end) == Owner::Named);
        own.copied().collect::<Vec<NodeId>>()
    });
    for ends in named.chain(ctx.hosts.generic.iter().map(|name| name.ends.clone())) {
        for same in ends.chunk_by(|&a, &b| ctx.hosts.label(a) == ctx.hosts.label(b)).filter(|s| s.len() > 1) {
            if ctx.hosts.are_one_adapter(same) {
                continue;
            }
            // Planes may call their adapters alike: only one host has an adapter of the name on each.
            let mut on: Vec<u32> = same.iter().map(|end| ctx.component[end.ix()]).collect();
            on.sort_unstable();
            on.dedup();
            if on.len() == same.len() && !on.contains(&NO_COMPONENT) {
                continue;
            }
            let name = ctx.name(same[0]);
            let at: Vec<Location> = same
                .iter()
                .map(|&end| {
                    let leaf = ctx.fabric.ports_of(end).find_map(|p| ctx.fabric.peer(p));
                    leaf.map_or_else(|| ctx.location(end), |p| ctx.port_location(p))
                })
                .collect();
            out.push(Fact::NameShared(SharedName { name, at }).into());
        }
    }
}
