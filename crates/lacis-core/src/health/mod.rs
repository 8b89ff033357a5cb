//! What is wrong with a fabric before anyone routes it: [`Hosts`] and rails from names, and
//! [`findings`], each family of which is one file. What a fabric's pattern is, is inferred from its
//! majority; where the majority does not agree, nothing is said.

mod absent;
mod blocks;
mod context;
mod finding;
mod hosts;
mod identity;
mod islands;
mod links;
pub mod names;
mod naming;
mod places;
mod rails;
mod summary;
#[cfg(test)]
mod testing;
mod uplinks;

pub use finding::{Code, Finding, Place, Severity};
pub use hosts::{Host, Hosts};
pub use summary::{Bisection, Kinds, Level, Ports, Rail, RateCount, Summary};

use serde::Serialize;

use crate::fabric::Fabric;
use blocks::Tier;
use context::{Context, NO_LEVEL};

/// What a fabric is and what is wrong with it.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Health {
    /// The fabric in numbers.
    pub summary: Summary,
    /// Everything that is wrong or odd, worst first.
    pub findings: Vec<Finding>,
}

/// Examines a fabric.
pub fn examine(fabric: &Fabric, hosts: &Hosts) -> Health {
    let ctx = Context::new(fabric, hosts, levels(fabric));
    Health { summary: Summary::of(&ctx), findings: find(&ctx) }
}

/// What a fabric is, in numbers.
pub fn summary(fabric: &Fabric, hosts: &Hosts) -> Summary {
    Summary::of(&Context::new(fabric, hosts, levels(fabric)))
}

/// Everything that is wrong or odd, worst first.
pub fn findings(fabric: &Fabric, hosts: &Hosts) -> Vec<Finding> {
    find(&Context::new(fabric, hosts, levels(fabric)))
}

fn find(ctx: &Context) -> Vec<Finding> {
    let top = ctx.level.iter().copied().filter(|&l| l != NO_LEVEL).max().unwrap_or(0);
    let tiers: Vec<Tier> = (0..top).map(|l| Tier::of(ctx, l)).collect();
    let places = places::Places::of(ctx);
    let likely = naming::Likely::of(ctx, &places);
    let absent = absent::find(ctx, &tiers);

    let mut out = Vec::new();
    identity::find(ctx, &mut out);
    islands::find(ctx, &mut out);
    absent::tell(&absent, &mut out);
    links::find(ctx, &mut out);
    uplinks::find(ctx, &tiers, &mut out);
    rails::find(ctx, &absent, &likely, &mut out);
    naming::find(ctx, &places, &likely, &mut out);
    // Codes are declared worst first, and one code's findings are in order of where they are.
    out.sort_by(|a, b| a.code.cmp(&b.code).then_with(|| names::natural(&a.at, &b.at)));
    out
}

fn levels(fabric: &Fabric) -> Vec<u16> {
    use std::collections::VecDeque;
    let mut level = vec![NO_LEVEL; fabric.num_switches()];
    let mut queue = VecDeque::new();
    for s in fabric.switches() {
        if fabric
            .ports_of(s)
            .filter_map(|p| fabric.peer(p))
            .any(|p| fabric.node(fabric.node_of(p)).kind == crate::fabric::NodeKind::Adapter)
        {
            level[s.ix()] = 0;
            queue.push_back(s);
        }
    }
    while let Some(s) = queue.pop_front() {
        for p in fabric.ports_of(s).filter_map(|p| fabric.peer(p)) {
            let n = fabric.node_of(p);
            if fabric.is_switch(n) && level[n.ix()] == NO_LEVEL {
                level[n.ix()] = level[s.ix()] + 1;
                queue.push_back(n);
            }
        }
    }
    level
}
