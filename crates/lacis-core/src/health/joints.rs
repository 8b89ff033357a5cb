//! Sections of the fabric, sets of switches with hosts, joined by far less bandwidth than each has inside: trees joined by
//! a few cables.
//!
//! The fabric's taper decides: a section is reported if its cables out carry less than half of what the thinnest level
//! lets through, or less than an eighth of what its hosts can send, which no design has. Without levels, a section is
//! reported if its cables out carry less than an eighth, and less than a quarter of what halves of the section exchange:
//! halves of a ring or torus exchange about as much.

use rustc_hash::FxHashSet;

use super::context::Context;
use super::islands::counted;
use super::links::rate;
use super::{Code, Finding, forced as few, summary};
use crate::cuts::{Forced, Why, bisection, forced};
use crate::fabric::{NodeId, Population, PortId, Rate};

/// Greatest share of what the thinnest level lets through.
const OF_TAPER: f64 = 0.5;
/// Greatest share of what the hosts of the section can send.
const OF_HOSTS: f64 = 0.125;
/// Greatest share of what halves of the section exchange.
const OF_INSIDE: f64 = 0.25;
/// A section has at least one in so many of all hosts; fewer are reported as `CABLES_FEW`.
const PART: u64 = 10;
/// Most joints that are reported.
const MOST: usize = 4;

/// `first` is what all `ports` of hosts force.
pub(super) fn find(ctx: &Context, mut ports: Vec<PortId>, first: Forced, out: &mut Vec<Finding>) {
    let all = ports.len() as u64;
    let taper = taper(ctx, &ports);
    let mut next = first;
    for _ in 0..MOST {
        let Why::Cut { inside, border, hosts, .. } = &next.why else { return };
        let members: FxHashSet<NodeId> = inside.iter().copied().collect();
        let is_in =
            |p: PortId| ctx.fabric.edge_switch(p).is_some_and(|edge_switch| members.contains(&edge_switch));
        let (own, others): (Vec<PortId>, Vec<PortId>) = ports.iter().partition(|&&p| is_in(p));
        if PART * hosts < all || edge_switches(ctx, &own) < 2 || edge_switches(ctx, &others) < 2 {
            return;
        }
        let is_out = |&p: &PortId| {
            let far = ctx.fabric.peer(p).map(|far| ctx.fabric.node_of(far));
            far.is_some_and(|far| ctx.fabric.is_switch(far) && !members.contains(&far))
        };
        let cables = border.iter().flat_map(|&s| ctx.fabric.ports_of(s)).filter(is_out);
        let Some(carried) = cables.map(|p| bytes(ctx, p)).sum::<Option<f64>>() else { return };
        let Some(sent) = own.iter().map(|&p| bytes(ctx, p)).sum::<Option<f64>>() else { return };
        let share = carried / sent;
        let compared = if let Some(taper) = taper {
            if share >= OF_HOSTS && share >= OF_TAPER * taper {
                return;
            }
            format!("the levels let {:.0} % through", 100.0 * taper)
        } else {
            let Some(inside) = (share < OF_HOSTS).then(|| exchanged(ctx, &members)).flatten() else { return };
            if share >= OF_INSIDE * inside {
                return;
            }
            format!("between halves of these there is {:.0} %", 100.0 * inside)
        };
        let text = format!(
            "{}: {:.1} GB/s in each direction join them with the other {}, {:.1} % of what they can send; {compared}",
            few::why(ctx.fabric, &next.why, "host adapter"),
            carried / 1e9,
            counted(others.len(), "host adapter", "host adapters"),
            100.0 * share,
        );
        let advice = "Add cables between these sections, or keep jobs within one of them.";
        out.push(Finding::new(
            Code::JointThin,
            border.iter().map(|&s| ctx.location(s)).collect(),
            text,
            advice,
        ));
        ports = others;
        next = forced(ctx.fabric, &ports, |_| 1);
    }
}

/// The share of all that hosts can send which the thinnest level lets through, at most 1. Nothing without levels, or if
/// a rate is unknown.
fn taper(ctx: &Context, ports: &[PortId]) -> Option<f64> {
    let sent: f64 = ports.iter().map(|&p| bytes(ctx, p)).sum::<Option<f64>>()?;
    let levels = summary::by_level(ctx);
    let below_top = levels.len().checked_sub(1)?;
    let up = levels[..below_top].iter().map(|level| level.up_bytes_per_second / sent);
    Some(up.fold(1.0, f64::min))
}

/// The share of what their hosts can send that halves of a section exchange over its own cables.
fn exchanged(ctx: &Context, members: &FxHashSet<NodeId>) -> Option<f64> {
    let edge_switch = |n: NodeId| ctx.fabric.ports_of(n).find_map(|p| ctx.fabric.edge_switch(p));
    let is_in = |n: NodeId| {
        members.contains(&n)
            || !ctx.fabric.is_switch(n)
                && edge_switch(n).is_some_and(|edge_switch| members.contains(&edge_switch))
    };
    let section = ctx.fabric.filtered(is_in, |_, _| true);
    let found = bisection(&section, &section.end_ports(Population::Hosts))?;
    Some(found.at_most / found.injection)
}

/// Bytes/s of the cable at a port.
fn bytes(ctx: &Context, port: PortId) -> Option<f64> {
    rate(ctx, (port, ctx.fabric.peer(port)?)).map(Rate::bytes_per_second)
}

/// Number of edge switches of end ports.
fn edge_switches(ctx: &Context, ports: &[PortId]) -> usize {
    ports.iter().filter_map(|&p| ctx.fabric.edge_switch(p)).collect::<FxHashSet<_>>().len()
}
