//! What is wrong with a fabric before it is routed: [`Hosts`] and rails from names, and [`findings`],
//! one file for each family. These state [`facts`]; [`wording`] makes sentences of them, and [`cable_work()`] work for the
//! machine room. A fabric's pattern is inferred from its majority; without a majority
//! nothing is reported.

mod absent;
mod adapter_planes;
mod astray;
mod blocks;
mod cable_work;
mod code;
mod context;
mod counters;
mod device_speeds;
pub mod facts;
#[cfg(test)]
mod filling_tests;
mod finding;
mod forced;
mod group_cabling;
mod groups;
mod host;
mod hosts;
mod identity;
mod islands;
mod joints;
mod lids;
mod link_rates;
mod links;
mod location;
mod majority;
mod models;
mod monitored;
pub mod names;
mod naming;
pub mod opafm;
mod owners;
#[cfg(test)]
mod owners_tests;
mod patterns;
mod port_numbering;
mod ports;
mod racks;
mod rail_map;
mod rails;
mod sharing;
mod summary;
#[cfg(test)]
mod testing;
#[cfg(test)]
mod tests;
#[cfg(test)]
mod thresholds_tests;
#[cfg(test)]
mod two_leaves_tests;
mod uplinks;
mod usual_ports;
mod why;
pub mod wording;

pub use cable_work::{Action, CableEnd, CableWork, Reason, cable_work};
pub use code::{Code, Severity};
pub use facts::Fact;
pub use finding::Finding;
pub use host::{GenericName, Host};
pub use hosts::{Hosts, find_manager};
pub use location::{Cable, Location};
pub use owners::Owner;
pub use patterns::{CablingPattern, Checked, SwitchGroupSummary};
pub use racks::racks_of_nodes;
pub use rail_map::{
    AdapterRow, HostRow, LeafRow, PlaneRow, PrefixFrom, RailMap, RailRow, UnknownAdapter, rail_map,
};
pub use summary::{BisectionSummary, GroupCount, Kinds, LevelSummary, PortCounts, Rail, RateCount, Summary};
pub use why::{Oddity, StandingOut, TreeStage, Tried, WhyLevels, why_levels};
pub use wording::{Words, why};

use serde::Serialize;

use crate::cuts;
use crate::fabric::{Fabric, FabricPart, NodeId, Population};
use crate::natural::natural;
use blocks::Tier;
use context::Context;

/// What a fabric is and what is wrong with it.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Health {
    /// The fabric in numbers.
    pub summary: Summary,
    /// Everything that is wrong or odd, worst first.
    pub findings: Vec<Finding>,
    /// What that asks of the machine room.
    pub cable_work: Vec<CableWork>,
}

/// Examines a fabric.
pub fn examine(fabric: &Fabric, hosts: &Hosts) -> Health {
    let ctx = Context::new(fabric, hosts);
    let findings = findings_of(&ctx);
    let cable_work = cable_work(fabric, hosts, &findings);
    Health { summary: Summary::of(&ctx), findings, cable_work }
}

/// What a fabric is, in numbers.
pub fn summary(fabric: &Fabric, hosts: &Hosts) -> Summary {
    Summary::of(&Context::new(fabric, hosts))
}

/// Everything that is wrong or odd, worst first.
pub fn findings(fabric: &Fabric, hosts: &Hosts) -> Vec<Finding> {
    findings_of(&Context::new(fabric, hosts))
}

/// Probable names of adapters whose description names no host, or gives a name of installers, in node order; adapters for
/// which nothing shows one are left out.
pub fn likely_names(hosts: &Hosts) -> Vec<(NodeId, String)> {
    let mut names: Vec<(NodeId, String)> =
        hosts.inferred().filter_map(|end| Some((end, hosts.likely(end)?))).collect();
    names.sort_unstable();
    names
}

fn tiers_of(ctx: &Context) -> Vec<Tier> {
    (1..ctx.num_levels()).map(|l| Tier::of(ctx, l as u8 - 1)).collect()
}

fn findings_of(ctx: &Context) -> Vec<Finding> {
    let tiers = tiers_of(ctx);
    let absent = absent::absent_switches(ctx, &tiers);

    let mut out = Vec::new();
    identity::report_identities(ctx, &mut out);
    let coverage = ctx.fabric.coverage();
    let shows_cables = coverage.shows(FabricPart::Cables);
    if shows_cables {
        islands::report_islands(ctx, &mut out);
    }
    ports::report_ports(ctx, &mut out);
    lids::report_lids(ctx, &mut out);
    links::report_links(ctx, &mut out);
    link_rates::report_link_rates(ctx, &mut out);
    counters::report_counters(ctx, &mut out);
    monitored::report_monitored(ctx, &mut out);
    if shows_cables {
        match &ctx.of_trees() {
            None => uplinks::report_uplinks(ctx, &tiers, &mut out),
            Some(trees) => uplinks::report_uplinks(trees, &tiers_of(trees), &mut out),
        }
        group_cabling::report_group_cables(ctx, &mut out);
        let hosts = ctx.fabric.end_ports(Population::Hosts);
        let carried = cuts::forced(ctx.fabric, &hosts, |_| 1);
        joints::report_joints(ctx, &hosts, carried.clone(), &mut out);
        forced::report_crowded_hosts(ctx, hosts, &carried, &mut out);
    }
    if shows_cables && coverage.shows(FabricPart::EndNodes) {
        rails::report_rails(ctx, &absent, &mut out);
    }
    if shows_cables && coverage.shows(FabricPart::Switches) {
        absent::report(&absent, &mut out);
    }
    naming::report_names(ctx, &mut out);
    // Codes are declared worst first, and one code's findings are in order of where they are.
    let mut placed: Vec<(String, Finding)> = out.into_iter().map(|f| (f.words().at, f)).collect();
    placed.sort_by(|(at, a), (other, b)| a.code.cmp(&b.code).then_with(|| natural(at, other)));
    placed.into_iter().map(|(_, finding)| finding).collect()
}
