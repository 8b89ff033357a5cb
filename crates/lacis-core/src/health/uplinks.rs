//! Cables between switches against the pattern of their peers: missing, fewer, unexpected.
//!
//! The pattern is the majority's, if at least two thirds of the peers agree: the number of cables between
//! a lower and an upper switch of a block, and which upper switch is on which port. A pattern of ports
//! also shows to which two ports a missing cable belongs.

use super::blocks::{Block, Tier};
use super::context::Context;
use super::hosts::{agree, majority};
use super::{Code, Finding, names};
use crate::fabric::{NodeId, PortId};

/// A lower and an upper switch with too few cables.
struct Gap {
    lower: NodeId,
    upper: NodeId,
    have: u16,
    want: u16,
    /// The two ends of each missing cable, if the peers' ports show them.
    ends: Vec<(PortId, PortId)>,
    /// The same by number.
    numbers: Vec<(u8, u8)>,
}

impl Gap {
    /// The ports, the given switch's first: `[33 34] – [9 10]`.
    fn ports(&self, of: NodeId) -> String {
        let list = |upper: bool| -> String {
            let numbers = self.numbers.iter().map(|n| if upper { n.1 } else { n.0 }.to_string());
            numbers.collect::<Vec<_>>().join(" ")
        };
        let is_upper = of == self.upper;
        format!("[{}] – [{}]", list(is_upper), list(!is_upper))
    }
}

pub(super) fn find(ctx: &Context, tiers: &[Tier], out: &mut Vec<Finding>) {
    for tier in tiers {
        for block in tier.blocks.iter().filter(|b| is_regular(b)) {
            gaps(ctx, block, out);
            misplaced(ctx, block, out);
        }
    }
    strays(ctx, tiers, out);
}

/// Whether two thirds of the pairs of a block share any cable.
fn is_regular(block: &Block) -> bool {
    agree(block.count.iter().filter(|&&n| n > 0).count(), block.count.len())
}

fn gaps(ctx: &Context, block: &Block, out: &mut Vec<Finding>) {
    let Some(expected) = block.expected() else { return };
    let (rows, columns) = (block.lowers.len(), block.uppers.len());
    let short: Vec<(usize, usize)> = (0..rows)
        .filter(|&i| is_peer(ctx, block, i, &expected))
        .flat_map(|i| (0..columns).map(move |j| (i, j)))
        .filter(|&(i, j)| block.at(i, j) < expected[j])
        .collect();
    let gap = |&(i, j): &(usize, usize)| {
        let ends = missing_ends(ctx, block, i, j, usize::from(expected[j] - block.at(i, j)));
        let number = |p| ctx.fabric.number_of(p);
        Gap {
            lower: block.lowers[i],
            upper: block.uppers[j],
            have: block.at(i, j),
            want: expected[j],
            numbers: ends.iter().map(|&(a, b)| (number(a), number(b))).collect(),
            ends,
        }
    };

    // An upper switch that half of the block's lowers are short of is one finding, its own trouble.
    let short_of = |j: usize| short.iter().filter(|s| s.1 == j).count();
    let reported_above: Vec<bool> = (0..columns).map(|j| rows >= 4 && 2 * short_of(j) >= rows).collect();
    for j in (0..columns).filter(|&j| reported_above[j]) {
        let mine: Vec<Gap> = short.iter().filter(|s| s.1 == j).map(gap).collect();
        for missing in [true, false] {
            let some: Vec<&Gap> = mine.iter().filter(|g| (g.have == 0) == missing).collect();
            report(ctx, out, block.uppers[j], &some, |g| g.lower);
        }
    }
    for row in short.chunk_by(|a, b| a.0 == b.0) {
        let mine: Vec<Gap> = row.iter().filter(|s| !reported_above[s.1]).map(gap).collect();
        for missing in [true, false] {
            let some: Vec<&Gap> = mine.iter().filter(|g| (g.have == 0) == missing).collect();
            report(ctx, out, block.lowers[row[0].0], &some, |g| g.upper);
        }
    }
}

/// Whether a lower switch is a peer of its block. One that lacks a third of the block's uppers is not if all
/// its cables up exist and lead elsewhere, or if it has less than half of the block's median number of
/// cables down: a management leaf, say, or its spine.
fn is_peer(ctx: &Context, block: &Block, i: usize, expected: &[u16]) -> bool {
    let uppers = (0..block.uppers.len()).filter(|&j| block.at(i, j) > 0).count();
    if agree(uppers, block.uppers.len()) {
        return true;
    }
    let (up, down) = cables(ctx, block.lowers[i]);
    let mut peers: Vec<usize> = block.lowers.iter().map(|&lower| cables(ctx, lower).1).collect();
    peers.sort_unstable();
    let wanted: usize = expected.iter().map(|&n| usize::from(n)).sum();
    up < wanted && 2 * down >= peers[peers.len() / 2]
}

/// How many cables a switch has to higher switches, and to lower ones and hosts.
fn cables(ctx: &Context, switch: NodeId) -> (usize, usize) {
    let own = ctx.level_of(switch);
    let far = ctx.fabric.ports_of(switch).filter_map(|p| ctx.fabric.peer(p)).map(|p| ctx.fabric.node_of(p));
    let far: Vec<NodeId> = far.collect();
    let up = far.iter().filter(|&&n| ctx.fabric.is_switch(n) && ctx.level_of(n) > own).count();
    let is_down = |&&n: &&NodeId| ctx.is_adapter(n) || ctx.fabric.is_switch(n) && ctx.level_of(n) < own;
    (up, far.iter().filter(is_down).count())
}

/// One finding for the gaps of one switch, all missing or all fewer.
fn report(ctx: &Context, out: &mut Vec<Finding>, of: NodeId, gaps: &[&Gap], other: impl Fn(&Gap) -> NodeId) {
    let mut gaps = gaps.to_vec();
    gaps.sort_by_cached_key(|g| (ctx.name(other(g)), other(g)));
    if gaps.is_empty() {
        return;
    }
    let to: Vec<String> = gaps.iter().map(|g| ctx.name(other(g))).collect();
    let range = |value: fn(&Gap) -> u16| {
        let least = gaps.iter().map(|g| value(g)).min().unwrap_or(0);
        let most = gaps.iter().map(|g| value(g)).max().unwrap_or(0);
        if least == most { least.to_string() } else { format!("{least} to {most}") }
    };
    let each = if gaps.len() == 1 { "" } else { " to each" };
    let (code, have) = match range(|g| g.have).as_str() {
        "0" => (Code::UplinkMissing, "no cable".to_string()),
        "1" => (Code::UplinkFewer, "a single cable".to_string()),
        n => (Code::UplinkFewer, format!("{n} cables")),
    };
    let mut text = format!("{have} where its peers have {}{each}", range(|g| g.want));
    let ports: Vec<String> = gaps.iter().filter(|g| !g.ends.is_empty()).map(|g| g.ports(of)).collect();
    if !ports.is_empty() {
        text = format!("{text}; empty ports {}", names::some_of(&ports, 10));
    }
    let ends = gaps
        .iter()
        .flat_map(|g| match g.ends[..] {
            [] => vec![ctx.location(g.lower), ctx.location(g.upper)],
            _ => g.ends.iter().flat_map(|&(a, b)| [ctx.port_location(a), ctx.port_location(b)]).collect(),
        })
        .collect();
    let advice = "Plug or replace the cables; ports are given where the peers' cabling shows them.";
    out.push(Finding::new(code, ends, text, advice).at(format!(
        "{} – {}",
        ctx.name(of),
        names::some_of(&to, 10)
    )));
}

/// The ports that the missing cables between a lower and an upper switch belong to: those that are
/// empty here and that lead to the same switch on the peers.
fn missing_ends(ctx: &Context, block: &Block, i: usize, j: usize, missing: usize) -> Vec<(PortId, PortId)> {
    let (lower, upper) = (block.lowers[i], block.uppers[j]);
    let down = empty_ports(ctx, lower, upper, block.lowers.iter().copied().filter(|&l| l != lower));
    let up = empty_ports(ctx, upper, lower, block.uppers.iter().copied().filter(|&u| u != upper));
    if down.len() < missing || up.len() < missing {
        return Vec::new();
    }
    down.into_iter().zip(up).take(missing).collect()
}

/// Empty ports of `of` whose equal-numbered ports on two thirds of `peers` lead to `to`.
fn empty_ports(ctx: &Context, of: NodeId, to: NodeId, peers: impl Iterator<Item = NodeId>) -> Vec<PortId> {
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
    fabric
        .ports_of(of)
        .filter(|&p| fabric.peer(p).is_none() && agree(votes[usize::from(fabric.number_of(p))], voters))
        .collect()
}

/// Cables of a block on another port than the peers'. Reported only if the ports follow a pattern: nine
/// in ten cables keep to it.
fn misplaced(ctx: &Context, block: &Block, out: &mut Vec<Finding>) {
    let fabric = ctx.fabric;
    if block.lowers.len() < 3 || block.uppers.len() < 2 {
        return;
    }
    let mut at_port: Vec<Vec<(NodeId, PortId)>> = Vec::new();
    for &lower in &block.lowers {
        for port in fabric.ports_of(lower) {
            let Some(upper) = fabric.peer(port).map(|p| fabric.node_of(p)) else { continue };
            if block.uppers.binary_search(&upper).is_ok() {
                let number = usize::from(fabric.number_of(port));
                at_port.resize_with(at_port.len().max(number + 1), Vec::new);
                at_port[number].push((upper, port));
            }
        }
    }
    let (mut all, mut odd) = (0, Vec::new());
    for ends in &mut at_port {
        ends.sort_unstable();
        all += ends.len();
        let uppers: Vec<NodeId> = ends.iter().map(|e| e.0).collect();
        match majority(&uppers, 2) {
            Some(usual) => odd.extend(ends.iter().filter(|e| e.0 != usual).map(|e| (e.1, e.0, usual))),
            None if ends.len() > 1 => return,
            None => {}
        }
    }
    if odd.is_empty() || 10 * odd.len() > all {
        return;
    }
    odd.sort_unstable();
    for mine in odd.chunk_by(|a, b| fabric.node_of(a.0) == fabric.node_of(b.0)) {
        let lower = fabric.node_of(mine[0].0);
        let said: Vec<String> = mine
            .iter()
            .map(|&(port, upper, usual)| {
                format!(
                    "port {} leads to {} where its peers' leads to {}",
                    fabric.number_of(port),
                    ctx.name(upper),
                    ctx.name(usual)
                )
            })
            .collect();
        let ends = mine
            .iter()
            .flat_map(|&(port, ..)| [port].into_iter().chain(fabric.peer(port)))
            .map(|p| ctx.port_location(p))
            .collect();
        out.push(
            Finding::new(
                Code::CableUnexpected,
                ends,
                names::some_of(&said, 4),
                "Compare with the cabling plan: cables may be swapped.",
            )
            .at(ctx.name(lower)),
        );
    }
}

/// Cables between switches that no block holds: to another block, within a level, past a level.
fn strays(ctx: &Context, tiers: &[Tier], out: &mut Vec<Finding>) {
    let fabric = ctx.fabric;
    let mut stray_pairs: Vec<(NodeId, NodeId)> =
        tiers.iter().flat_map(|t| t.strays.iter().map(|s| (s.0, s.1))).collect();
    stray_pairs.sort_unstable();
    let mut trunks = 0;
    let mut strays = Vec::new();
    for (a, b) in ctx.trunks() {
        let (x, y) = (fabric.node_of(a), fabric.node_of(b));
        let (Some(lx), Some(ly)) = (ctx.level_of(x), ctx.level_of(y)) else { continue };
        trunks += 1;
        let ((lower, upper), (p, q)) = if lx <= ly { ((x, y), (a, b)) } else { ((y, x), (b, a)) };
        if lx.abs_diff(ly) != 1 {
            let kind = if lx == ly { "of the same level" } else { "two or more levels apart" };
            strays.push((p, q, kind));
        } else if stray_pairs.binary_search(&(lower, upper)).is_ok() {
            strays.push((p, q, "of different groups"));
        }
    }
    // More than one in twenty is a design, not a slip.
    if strays.len() * 20 > trunks {
        return;
    }
    for (a, b, kind) in strays {
        out.push(
            Finding::new(
                Code::CableUnexpected,
                vec![ctx.port_location(a), ctx.port_location(b)],
                format!("joins two switches {kind}; no other cable of its peers does"),
                "Compare with the cabling plan: engines for trees refuse or misroute around such a cable.",
            )
            .at(ctx.cable_name((a, b))),
        );
    }
}
