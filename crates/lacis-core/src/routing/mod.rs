//! Routing: from a fabric and its LIDs to forwarding tables. One engine, one file.
//!
//! [`route`] tries a list of engines as OpenSM 3.3.23 does: the first that accepts the fabric
//! wins, and where all refuse, `minhop` routes. What was refused, and why, stays in [`Routes`]. Parts of
//! a fabric that no cable joins are routed one by one, see `islands`.

mod by_guid;
mod candidates;
mod choice;
pub mod dfsssp;
pub mod dnup;
pub mod dor;
mod engine;
pub mod eventree;
pub mod file;
mod first_hops;
pub mod ftree;
mod glibc_random;
pub(crate) mod graph;
pub(crate) mod islands;
mod kept;
pub mod lanes;
pub mod lash;
mod matrix;
pub mod minhop;
pub mod nue;
pub mod numbered;
mod options;
mod routes;
pub mod sssp;
mod subnets;
mod sweep;
mod targets;
pub mod torus_2qos;
mod transpose;
pub mod updn;
pub(crate) mod view;
mod walk;
mod weighted;

pub use engine::{Engine, UnknownEngine};
pub use first_hops::FirstHops;
pub use matrix::{HopMatrices, NO_HOPS, matrices};
pub use options::Options;
pub use routes::{Lft, NO_ENTRY, Refusal, Routes, Unrouted};
pub use sweep::{Refused, Sweep, Tables};

use crate::fabric::Fabric;
use crate::lids::Lids;

/// Why there are no tables.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum RouteError {
    /// Every engine of the list refused and falling back was forbidden.
    #[error("{}", describe(.0))]
    AllRefused(Vec<Refusal>),
    /// OpenSM would never come to the end of this engine, so that there is no next one to try.
    #[error("{}: {}", .0.engine, .0.reason)]
    Endless(Refusal),
}

fn describe(refusals: &[Refusal]) -> String {
    let all: Vec<String> = refusals.iter().map(|r| format!("{} refuses: {}", r.engine, r.reason)).collect();
    all.join("; ")
}

/// Routes a fabric with the first engine of `chain` that accepts it; an empty chain means `minhop`.
///
/// # Errors
/// When all engines refuse and [`Options::fallback`] is off; and at an engine that never ends in
/// OpenSM ([`Refused::never_ends`]).
pub fn route(fabric: &Fabric, lids: Lids, chain: &[Engine], options: &Options) -> Result<Routes, RouteError> {
    in_islands(Task { fabric, chain, previous: None }, lids, options)
}

/// Routes a fabric again after something was lost: engines that count hops keep each entry of
/// `previous` that still leads along a shortest path.
///
/// OpenSM 3.3.23 does so in every sweep until a switch appears or a port of a switch comes up, which
/// is when it routes anew. The rows of `previous` are those of the switches of `fabric`, its
/// columns those of `lids`; switches beyond it had no table.
///
/// # Errors
/// As [`route`].
pub fn reroute(
    fabric: &Fabric,
    lids: Lids,
    chain: &[Engine],
    options: &Options,
    previous: &Lft,
) -> Result<Routes, RouteError> {
    in_islands(Task { fabric, chain, previous: Some(previous) }, lids, options)
}

/// What is to be routed, by which engines, and the tables there were.
#[derive(Clone, Copy)]
struct Task<'a> {
    fabric: &'a Fabric,
    chain: &'a [Engine],
    previous: Option<&'a Lft>,
}

/// Routes island by island where there are several.
fn in_islands(task: Task<'_>, lids: Lids, options: &Options) -> Result<Routes, RouteError> {
    let chain = if task.chain.is_empty() { &[Engine::MinHop] } else { task.chain };
    let task = Task { chain, ..task };
    let several = graph::SwitchGraph::of(task.fabric).components().into_iter().any(|part| part > 0);
    if several && islands::are_apart(chain) {
        islands::route(task, lids, options)
    } else {
        attempt(task, lids, options)
    }
}

/// Tries the engines one after the other.
fn attempt(task: Task<'_>, lids: Lids, options: &Options) -> Result<Routes, RouteError> {
    let Task { fabric, chain, previous } = task;
    let names: Vec<&str> = chain.iter().map(|e| e.name()).collect();
    let engine_requested = names.join(",");
    let mut refusals = Vec::new();
    let mut counts = Vec::new();
    let fallback = options.fallback.then_some(&Engine::MinHop);
    for &engine in chain.iter().chain(fallback) {
        let sweep = Sweep { previous, counts: &counts, ..Sweep::first(fabric, &lids, options) };
        match run(engine, &sweep) {
            Ok(Tables { lft, lanes }) => {
                let engine_used = engine.name().to_owned();
                return Ok(Routes { lids, lft, lanes, engine_requested, engine_used, refusals });
            }
            Err(refused) => {
                let refusal = Refusal { engine: engine.name().to_owned(), reason: refused.reason };
                if refused.never_ends {
                    return Err(RouteError::Endless(refusal));
                }
                refusals.push(refusal);
                if !refused.counts.is_empty() {
                    counts = refused.counts;
                }
            }
        }
    }
    Err(RouteError::AllRefused(refusals))
}

/// The hops of a directed route, which OpenSM finds nodes by.
const MOST_HOPS: u32 = 63;

/// The number of switches that are more hops from their managers than a directed route has. OpenSM finds
/// neither them nor what is beyond; here they are routed.
pub fn undiscovered(fabric: &Fabric, lids: &Lids) -> usize {
    let mut hops_away = vec![0; fabric.num_switches()];
    for manager in islands::managers(fabric, lids.manager()) {
        let Some(home) = fabric.home(manager) else { continue };
        let chosen: Vec<bool> = fabric.switches().map(|switch| switch == home).collect();
        let first = u32::from(fabric.node_of(manager) != home);
        let hops = graph::SwitchGraph::of(fabric).hops_from(&chosen);
        for (away, hops) in hops_away.iter_mut().zip(hops).filter(|(_, hops)| *hops != u32::MAX) {
            *away = first + hops;
        }
    }
    hops_away.into_iter().filter(|&hops| hops > MOST_HOPS).count()
}

/// Lets one engine make its tables in a sweep: what [`route`] does for each engine of its list.
///
/// # Errors
/// When it refuses the fabric.
pub fn run(engine: Engine, sweep: &Sweep<'_>) -> Result<Tables, Refused> {
    match engine {
        Engine::MinHop => Ok(minhop::route(sweep).into()),
        Engine::UpDn => updn::route(sweep).map(Tables::from),
        Engine::DnUp => dnup::route(sweep).map(Tables::from),
        Engine::FTree => ftree::route(sweep).map(Tables::from),
        Engine::Dor => Ok(dor::route(sweep).into()),
        Engine::Lash => lash::route(sweep),
        Engine::Sssp => sssp::route(sweep).map(Tables::from),
        Engine::DfSssp => dfsssp::route(sweep),
        Engine::Nue => nue::route(sweep),
        Engine::File => file::route(sweep).map(Tables::from),
        Engine::Torus2Qos => torus_2qos::route(sweep),
        Engine::EvenTree => by_guid::route(sweep, |sweep| eventree::route(sweep).map(Tables::from)),
        Engine::Numbered => by_guid::route(sweep, numbered::route),
    }
}
