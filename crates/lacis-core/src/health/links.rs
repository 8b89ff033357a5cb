//! Links that are not the same from both ends: rates that differ, and cables that only one end lists.

use super::Finding;
use super::context::Context;
use super::facts::{Fact, OneSidedLink, OneSidedLinks, UnevenLink, UnevenLinks};
use crate::fabric::{FabricPart, PortId, Rate};

/// Up to this many cables of one kind are reported one by one, more together.
pub(super) const APART: usize = 6;

/// Rate of a cable: that of its slower direction.
pub(super) fn rate(ctx: &Context, (a, b): (PortId, PortId)) -> Option<Rate> {
    let ways = [a, b].into_iter().filter_map(|port| ctx.fabric.link_rate(port));
    ways.min_by(|x, y| x.bytes_per_second().total_cmp(&y.bytes_per_second()))
}

pub(super) fn report_links(ctx: &Context, out: &mut Vec<Finding>) {
    let (fabric, coverage) = (ctx.fabric, ctx.fabric.coverage());
    let mut uneven: Vec<UnevenLink> = Vec::new();
    let mut one_sided: Vec<OneSidedLink> = Vec::new();
    for (a, b) in fabric.cables() {
        let is_listed = [a, b].map(|port| fabric.port_info(port).listed);
        let is_trunk = [a, b].iter().all(|&port| fabric.is_switch(fabric.node_of(port)));
        let both_ends = if is_trunk { FabricPart::BothEndsOfTrunks } else { FabricPart::BothEndsOfEndNodes };
        if coverage.shows(both_ends) && is_listed[0] != is_listed[1] {
            let silent = ctx.port_location(if is_listed[0] { b } else { a });
            one_sided.push(OneSidedLink { cable: ctx.cable((a, b)), silent });
        }
        // Lanes that one direction has lost are another finding.
        let brought_up = [a, b].map(|port| fabric.brought_up_rate(port));
        if matches!(brought_up, [Some(x), Some(y)] if x != y) {
            uneven.push(UnevenLink { cable: ctx.cable((a, b)), rates: brought_up });
        }
    }
    report(out, uneven, |links| Fact::RatesDiffer(UnevenLinks { links }));
    report(out, one_sided, |links| Fact::LinksOneSided(OneSidedLinks { links }));
}

/// One finding for each link, or one for all if they are many.
pub(super) fn report<Link>(out: &mut Vec<Finding>, links: Vec<Link>, fact: impl Fn(Vec<Link>) -> Fact) {
    if links.len() <= APART {
        out.extend(links.into_iter().map(|link| Finding::from(fact(vec![link]))));
    } else {
        out.push(fact(links).into());
    }
}
