//! Which ports of switches lead to a switch, as the ports of the same number on their peers do.

use super::context::Context;
use super::majority::agree;
use crate::fabric::{NodeId, PortId};

/// Empty ports of `of` whose equal-numbered ports on two thirds of `peers` lead to `to`.
pub(super) fn empty_ports(
    ctx: &Context,
    of: NodeId,
    to: NodeId,
    peers: impl Iterator<Item = NodeId>,
) -> Vec<PortId> {
    let usual = usual_ports(ctx, to, peers);
    ctx.cages.free(of).filter(|&p| usual[usize::from(ctx.fabric.number_of(p))]).collect()
}

/// By number: whether the port leads to `to` on two thirds of those of `peers` that have a cable to it.
pub(super) fn usual_ports(ctx: &Context, to: NodeId, peers: impl Iterator<Item = NodeId>) -> Vec<bool> {
    let fabric = ctx.fabric;
    let mut votes = vec![0usize; 256];
    let mut voters = 0;
    for peer in peers {
        let mut any = false;
        for port in fabric.ports_of(peer) {
            if fabric.peer(port).is_some_and(|p| fabric.node_of(p) == to) {
                votes[usize::from(fabric.number_of(port))] += 1;
                any = true;
            }
        }
        voters += usize::from(any);
    }
    votes.into_iter().map(|votes| agree(votes, voters)).collect()
}
