//! Links slower or narrower than they could be.
//!
//! What the source says decides first: lanes that were lost, what both ends have enabled or support, the remark that a
//! link could be faster. Where it says nothing of the kind, a link is compared with its like:
//!
//! * The link of an adapter with those of the same series and label, of the same leaf, and of the same model. It is as it
//!   was built where two thirds of its series, or of its leaf, run at the same rate; where it differs from its like, it is
//!   a fault.
//! * A cable between switches with those between the same levels and the same models, and with those of its own switches.
//!   A switch all of whose cables are slow is a fault of that switch where others of its model run faster in the same
//!   place; where its model is not known, it may be an older one: a notice.
//!
//! No more is expected of a link than each of its ends can: what its source says, or what its model is seen to run at.

mod rates;
mod survey;
mod verdict;

use std::collections::BTreeMap;

use super::Finding;
use super::context::Context;
use super::facts::{AlikeLinks, Basis, Fact, Likeness, LinkBelow, LinksBelow, SlowAlike};
use super::links::APART;
use crate::fabric::{NodeId, Rate, Speed, Width};
use survey::Survey;
use verdict::{Fault, Verdict};

/// What faults of one finding have in common: the basis, the respect, the width and speed expected, how many links of the
/// kind run at the usual rate, and how many there are.
type FaultKind = (Basis, Respect, (Width, Speed), usize, usize);

pub(super) fn report_link_rates(ctx: &Context, out: &mut Vec<Finding>) {
    let survey = Survey::of(ctx);
    let mut faults: Vec<Fault> = Vec::new();
    let mut alike: BTreeMap<(Likeness, String), BuiltSo> = BTreeMap::new();
    for &link in &survey.links {
        match survey.judge(link) {
            Verdict::AsExpected => {}
            Verdict::Below(fault) => faults.push(fault),
            Verdict::BuiltSo { like, name, node, expected } => {
                let first = BuiltSo { nodes: Vec::new(), rate: link.rate, usual: expected, links: 0 };
                let built = alike.entry((like, name)).or_insert(first);
                built.nodes.push(node);
                built.links += 1;
            }
        }
    }
    report(ctx, faults, &survey, out);
    if !alike.is_empty() {
        let groups = alike.into_iter().map(|((like, name), built)| {
            let BuiltSo { mut nodes, rate, usual, links } = built;
            nodes.sort_unstable();
            nodes.dedup();
            let nodes = nodes.iter().map(|&node| ctx.location(node)).collect();
            AlikeLinks { like, name, nodes, rate, usual, links }
        });
        out.push(Fact::LinksSlowAlike(SlowAlike { groups: groups.collect() }).into());
    }
}

/// Links that were built alike, and slower than others: where they are, and the rate of the first and what is usual.
struct BuiltSo {
    nodes: Vec<NodeId>,
    rate: Rate,
    usual: Rate,
    links: usize,
}

/// Findings of links below what is expected: first those that are all cables of a switch, then the others.
fn report(ctx: &Context, mut faults: Vec<Fault>, survey: &Survey<'_>, out: &mut Vec<Finding>) {
    let mut is_named = vec![false; faults.len()];
    for (switch, own) in whole_switches(&faults, survey) {
        // A cable between two such switches is explained by the first; what else is slow on the second is named by itself.
        if own.iter().any(|&at| is_named[at]) {
            continue;
        }
        for &at in &own {
            is_named[at] = true;
        }
        for respect in [Respect::Speed, Respect::Width] {
            let is_in = |fault: &Fault| Respect::of(*fault).any(|one| one == respect);
            let below_in: Vec<Fault> = own.iter().map(|&at| faults[at]).filter(is_in).collect();
            // The switch is at fault in what all of its cables lack.
            let switch = Some(switch).filter(|_| below_in.len() == own.len());
            if !below_in.is_empty() {
                out.push(below(ctx, &below_in, respect, switch).into());
            }
        }
    }
    let mut named = is_named.into_iter();
    faults.retain(|_| named.next() == Some(false));
    let mut kinds: BTreeMap<FaultKind, Vec<Fault>> = BTreeMap::new();
    for fault in faults {
        let expected = (fault.expected.width, fault.expected.speed);
        for respect in Respect::of(fault) {
            let kind = (fault.basis, respect, expected, fault.at_usual, fault.of_kind);
            kinds.entry(kind).or_default().push(fault);
        }
    }
    for ((_, respect, ..), links) in kinds {
        if links.len() <= APART {
            out.extend(links.iter().map(|link| Finding::from(below(ctx, &[*link], respect, None))));
        } else {
            out.push(below(ctx, &links, respect, None).into());
        }
    }
}

/// In which respect a link is below what it could be.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Respect {
    Speed,
    Width,
}

impl Respect {
    /// Those in which a link is below: one or both.
    fn of(fault: Fault) -> impl Iterator<Item = Self> {
        let (rate, expected) = (fault.link.rate, fault.expected);
        let slow = (rate.speed < expected.speed).then_some(Self::Speed);
        slow.into_iter().chain((rate.width < expected.width).then_some(Self::Width))
    }
}

/// The switches all of whose cables to other switches are slow, two at least, those with the most first; and which faults
/// these are.
fn whole_switches(faults: &[Fault], survey: &Survey<'_>) -> Vec<(NodeId, Vec<usize>)> {
    let mut slow: BTreeMap<NodeId, Vec<usize>> = BTreeMap::new();
    for (at, fault) in faults.iter().enumerate().filter(|(_, fault)| fault.link.end.is_none()) {
        for node in survey.ends(fault.link) {
            slow.entry(node).or_default().push(at);
        }
    }
    let mut cables: BTreeMap<NodeId, usize> = BTreeMap::new();
    for link in survey.links.iter().filter(|link| link.end.is_none()) {
        for node in survey.ends(*link) {
            *cables.entry(node).or_default() += 1;
        }
    }
    slow.retain(|switch, own| own.len() > 1 && cables.get(switch) == Some(&own.len()));
    let mut whole: Vec<(NodeId, Vec<usize>)> = slow.into_iter().collect();
    whole.sort_by_key(|(switch, own)| (std::cmp::Reverse(own.len()), *switch));
    whole
}

fn below(ctx: &Context, faults: &[Fault], respect: Respect, switch: Option<NodeId>) -> Fact {
    let first = faults[0];
    let links = faults
        .iter()
        .map(|fault| LinkBelow { cable: ctx.cable(fault.link.cable), rate: fault.link.rate })
        .collect();
    let fact = LinksBelow {
        links,
        usual: first.expected,
        at_usual: first.at_usual,
        of_kind: first.of_kind,
        basis: first.basis,
        switch: switch.map(|switch| ctx.location(switch)),
    };
    match respect {
        Respect::Width => Fact::LinksNarrow(fact),
        Respect::Speed => Fact::LinksSlow(fact),
    }
}

#[cfg(test)]
#[path = "link_rates_tests.rs"]
mod tests;

#[cfg(test)]
#[path = "link_machines_tests.rs"]
mod machine_tests;
