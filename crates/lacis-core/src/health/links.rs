//! Links below their kind: slow, narrow, or not the same from both ends.
//!
//! A link is compared with the links of its kind: between the same two levels of switches, or to
//! adapters of the same model. If two thirds of a kind agree on a rate, the slower ones are findings;
//! otherwise the fabric is mixed on purpose and nothing is reported. No more is expected of a link than some port of
//! each of its switches' models is seen to run at: a new cable does not make an older switch faster.

use std::collections::BTreeMap;

use super::Finding;
use super::context::Context;
use super::facts::{Fact, LinkBelow, LinksBelow, OneSidedLink, OneSidedLinks, UnevenLink, UnevenLinks};
use super::hosts::agree;
use crate::fabric::{NodeId, PortId, Rate, Speed, Width};

/// Up to this many cables of one kind are reported one by one, more together.
const APART: usize = 6;

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Kind {
    Trunk(Option<u8>, Option<u8>),
    Edge { vendor: u32, device: u32 },
}

type Cable = (PortId, PortId);

/// Switches that can run equally fast: those of a model with as many ports (split ports are narrower); where the model
/// is unknown, the switch alone.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Model {
    Known { vendor: u32, device: u32, radix: u8 },
    Of(NodeId),
}

impl Model {
    fn of(ctx: &Context, switch: NodeId) -> Self {
        let node = ctx.fabric.node(switch);
        if node.device == 0 {
            return Self::Of(switch);
        }
        Self::Known { vendor: node.vendor, device: node.device, radix: ctx.fabric.radix(switch) }
    }
}

/// What the ports of models are seen to run at. A single link is no evidence of what a model can do.
#[derive(Default)]
struct Seen(BTreeMap<Model, (usize, Speed, Width)>);

impl Seen {
    fn add(&mut self, ctx: &Context, (a, b): Cable, rate: Rate) {
        for switch in [a, b].map(|p| ctx.fabric.node_of(p)).into_iter().filter(|&n| ctx.fabric.is_switch(n)) {
            let seen = self.0.entry(Model::of(ctx, switch)).or_insert((0, rate.speed, rate.width));
            *seen = (seen.0 + 1, seen.1.max(rate.speed), seen.2.max(rate.width));
        }
    }

    /// What to expect of a cable whose kind runs at `usual`.
    fn expected(&self, ctx: &Context, (a, b): Cable, usual: Rate) -> Rate {
        let models = [a, b].map(|p| self.0.get(&Model::of(ctx, ctx.fabric.node_of(p))));
        let mut least = usual;
        for &(_, speed, width) in models.into_iter().flatten().filter(|seen| seen.0 > 1) {
            least = Rate { speed: least.speed.min(speed), width: least.width.min(width) };
        }
        least
    }
}

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
    let mut seen = Seen::default();
    for cable in ctx.fabric.cables() {
        let (a, b) = (ctx.fabric.port_info(cable.0), ctx.fabric.port_info(cable.1));
        if a.listed != b.listed {
            one_sided.push(cable);
        }
        if a.rate.zip(b.rate).is_some_and(|(x, y)| x != y) {
            uneven.push(cable);
        } else if let Some(rate) = a.rate.or(b.rate) {
            kinds.entry(kind(ctx, cable)).or_default().push((rate, cable));
            seen.add(ctx, cable, rate);
        }
    }

    let uneven: Vec<UnevenLink> = uneven
        .iter()
        .map(|&(a, b)| UnevenLink {
            cable: ctx.cable((a, b)),
            rates: [a, b].map(|port| ctx.fabric.port_info(port).rate),
        })
        .collect();
    report(out, uneven, |links| Fact::RatesDiffer(UnevenLinks { links }));
    let one_sided: Vec<OneSidedLink> = one_sided
        .iter()
        .map(|&(a, b)| OneSidedLink {
            cable: ctx.cable((a, b)),
            silent: ctx.port_location(if ctx.fabric.port_info(a).listed { b } else { a }),
        })
        .collect();
    report(out, one_sided, |links| Fact::LinksOneSided(OneSidedLinks { links }));

    for links in kinds.values() {
        below(ctx, out, links, &seen);
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

fn below(ctx: &Context, out: &mut Vec<Finding>, links: &[(Rate, Cable)], seen: &Seen) {
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
    let pick = |low: fn(Rate, Rate) -> bool| -> Vec<LinkBelow> {
        let below = links.iter().filter(|l| low(l.0, seen.expected(ctx, l.1, usual)));
        below.map(|&(rate, cable)| LinkBelow { cable: ctx.cable(cable), rate }).collect()
    };
    let of_kind = links.len();
    let below = |links| LinksBelow { links, usual, at_usual: n, of_kind };
    let narrow = pick(|r, expected| r.width < expected.width);
    let slow = pick(|r, expected| r.speed < expected.speed);
    report(out, narrow, |links| Fact::LinksNarrow(below(links)));
    report(out, slow, |links| Fact::LinksSlow(below(links)));
}

/// One finding for each link, or one for all if they are many.
fn report<Link>(out: &mut Vec<Finding>, links: Vec<Link>, fact: impl Fn(Vec<Link>) -> Fact) {
    if links.len() <= APART {
        out.extend(links.into_iter().map(|link| Finding::from(fact(vec![link]))));
    } else {
        out.push(fact(links).into());
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::Sketch;
    use super::super::{Hosts, findings};
    use crate::fabric::{Rate, Speed, Width};

    /// Six leaves with two uplinks and two hosts each, all at EDR; leaves 5 and 6 are of a model of their own if `known`.
    /// The first so many ports of leaf 6, uplinks before hosts, run at `rate`. Findings of links.
    fn leaf_6_at(rate: Rate, ports: u32, known: bool, cabled: u32) -> Vec<String> {
        let mut s = Sketch::new();
        let spine = s.switch("spine", 12);
        for l in 1..=6 {
            let leaf = s.switch(&format!("leaf-{l}"), 4);
            for port in (1..=4).filter(|&port| l < 6 || port <= cabled) {
                let far = if port <= 2 {
                    (spine, 2 * l + port - 2)
                } else {
                    (s.adapter(&format!("n{l}{port} HCA-1")), 1)
                };
                s.cable((leaf, port), far);
                if l == 6 && port <= ports {
                    for (node, number) in [(leaf, port), far] {
                        s.builder().port_mut(node, number).unwrap().rate = Some(rate);
                    }
                }
            }
            s.builder().node_mut(leaf).device = if known && l >= 5 { 0xc738 } else { 0 };
        }
        let f = s.finish();
        let found =
            findings(&f, &Hosts::of(&f, None)).into_iter().filter(|f| f.code.name().starts_with("LINK"));
        found.map(|f| format!("{} {}", f.code.name(), f.words().at)).collect()
    }

    #[test]
    fn no_more_is_expected_of_a_link_than_its_switches_can_do() {
        let none = Vec::<String>::new();
        let fdr = Rate::x4(Speed::Fdr);
        let narrow = Rate { width: Width::new(2).unwrap(), ..Rate::x4(Speed::Edr) };
        assert_eq!(leaf_6_at(fdr, 4, false, 4), none);
        assert_eq!(leaf_6_at(narrow, 4, false, 4), none);
        // One of its ports is faster, or another switch of the model is.
        assert_eq!(leaf_6_at(fdr, 1, false, 4), ["LINK_SPEED_LOW spine[11] – leaf-6[1]"]);
        assert_eq!(leaf_6_at(narrow, 1, false, 4), ["LINK_WIDTH_LOW spine[11] – leaf-6[1]"]);
        assert_eq!(leaf_6_at(fdr, 4, true, 4).len(), 4);
        // A single cable does not show what the switch can do.
        assert_eq!(leaf_6_at(fdr, 1, false, 1), ["LINK_SPEED_LOW spine[11] – leaf-6[1]"]);
    }
}
