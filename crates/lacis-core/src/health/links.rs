//! Links below their kind: slow, narrow, or not the same from both ends.
//!
//! A link is compared with the links of its kind: between the same two levels of switches, or to
//! adapters of the same model. If two thirds of a kind agree on a rate, the slower ones are findings;
//! otherwise the fabric is mixed on purpose and nothing is reported.

use std::collections::BTreeMap;

use super::context::Context;
use super::hosts::agree;
use super::{Code, Finding};
use crate::fabric::{PortId, Rate};

/// Up to this many cables of one kind are reported one by one, more together.
const APART: usize = 6;

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Kind {
    Trunk(Option<u8>, Option<u8>),
    Edge { vendor: u32, device: u32 },
}

type Cable = (PortId, PortId);

/// Rate of a cable: the slower of what its ends report.
pub(super) fn rate(ctx: &Context, (a, b): Cable) -> Option<Rate> {
    let (x, y) = (ctx.fabric.port_info(a).rate, ctx.fabric.port_info(b).rate);
    match (x, y) {
        (Some(x), Some(y)) if y.bytes_per_second() < x.bytes_per_second() => Some(y),
        _ => x.or(y),
    }
}

pub(super) fn find(ctx: &Context, out: &mut Vec<Finding>) {
    let mut uneven: Vec<Cable> = Vec::new();
    let mut one_sided: Vec<Cable> = Vec::new();
    let mut kinds: BTreeMap<Kind, Vec<(Rate, Cable)>> = BTreeMap::new();
    for cable in ctx.fabric.cables() {
        let (a, b) = (ctx.fabric.port_info(cable.0), ctx.fabric.port_info(cable.1));
        if a.listed != b.listed {
            one_sided.push(cable);
        }
        if a.rate.zip(b.rate).is_some_and(|(x, y)| x != y) {
            uneven.push(cable);
        } else if let Some(rate) = a.rate.or(b.rate) {
            kinds.entry(kind(ctx, cable)).or_default().push((rate, cable));
        }
    }

    report(
        ctx,
        out,
        Code::RateAsymmetric,
        &uneven,
        "the two ends report different rates",
        |c| {
            let shown = |p: PortId| ctx.fabric.port_info(p).rate.map_or_else(String::new, |r| r.to_string());
            format!(
                "{} reports {}, {} reports {}",
                ctx.port_location(c.0),
                shown(c.0),
                ctx.port_location(c.1),
                shown(c.1)
            )
        },
        "Reset the link (ibportstate … reset); if it comes back uneven, replace the cable.",
    );
    report(
        ctx,
        out,
        Code::LinkOneSided,
        &one_sided,
        "only one end reports the link",
        |c| {
            let mute = if ctx.fabric.port_info(c.0).listed { c.1 } else { c.0 };
            format!("{} does not report this link", ctx.port_location(mute))
        },
        "Dump the fabric once more: the file is truncated or merged, or the link went down meanwhile.",
    );

    for links in kinds.values() {
        below(ctx, out, links);
    }
}

fn kind(ctx: &Context, (a, b): Cable) -> Kind {
    let end = [a, b].map(|p| ctx.fabric.node_of(p)).into_iter().find(|&n| !ctx.fabric.is_switch(n));
    if let Some(end) = end {
        let n = ctx.fabric.node(end);
        return Kind::Edge { vendor: n.vendor, device: n.device };
    }
    let level = |p: PortId| ctx.level_of(ctx.fabric.node_of(p));
    Kind::Trunk(level(a).min(level(b)), level(a).max(level(b)))
}

fn below(ctx: &Context, out: &mut Vec<Finding>, links: &[(Rate, Cable)]) {
    let mut counts: Vec<(Rate, usize)> = Vec::new();
    for &(rate, _) in links {
        match counts.iter_mut().find(|c| c.0 == rate) {
            Some(c) => c.1 += 1,
            None => counts.push((rate, 1)),
        }
    }
    let Some(&(usual, n)) = counts.iter().max_by_key(|c| c.1) else { return };
    if links.len() < 3 || !agree(n, links.len()) {
        return;
    }
    let pick = |low: fn(Rate, Rate) -> bool| -> Vec<Cable> {
        links.iter().filter(|l| low(l.0, usual)).map(|l| l.1).collect()
    };
    let narrow = pick(|r, usual| r.width < usual.width);
    let slow = pick(|r, usual| r.speed < usual.speed);
    let say = |c: Cable| {
        let rate = rate(ctx, c).map_or_else(String::new, |r| r.to_string());
        format!("runs at {rate}; {n} of {} links of its kind run at {usual}", links.len())
    };
    let many = format!("below {usual}, at which {n} of {} links of their kind run", links.len());
    let advice = "Reseat or replace the cable, then check its error counters (ibqueryerrors).";
    report(ctx, out, Code::LinkWidthLow, &narrow, &many, say, advice);
    report(ctx, out, Code::LinkSpeedLow, &slow, &many, say, advice);
}

/// One finding for each cable, or one for all if they are many.
fn report(
    ctx: &Context,
    out: &mut Vec<Finding>,
    code: Code,
    cables: &[Cable],
    many: &str,
    one: impl Fn(Cable) -> String,
    advice: &str,
) {
    let ends = |c: &Cable| [ctx.port_location(c.0), ctx.port_location(c.1)];
    if cables.len() <= APART {
        out.extend(
            cables.iter().map(|&c| Finding::new(code, ends(&c).into(), one(c), advice).at(ctx.cable_name(c))),
        );
    } else {
        let first: Vec<String> = cables.iter().take(2).map(|&c| ctx.cable_name(c)).collect();
        let at = format!("{} and {} more", first.join(", "), cables.len() - 2);
        let locations = cables.iter().flat_map(ends).collect();
        out.push(Finding::new(code, locations, format!("{} links: {many}", cables.len()), advice).at(at));
    }
}
