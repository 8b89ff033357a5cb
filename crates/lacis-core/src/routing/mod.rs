//! Routing: from a fabric and its LIDs to forwarding tables. One engine, one file.
//!
//! [`route`] tries a list of engines as OpenSM 3.3.23 does: the first that accepts the fabric
//! wins, and where all refuse, `minhop` routes. What was refused, and why, stays in [`Routes`].

mod candidates;
mod choice;
pub mod dfsssp;
pub mod dnup;
pub mod dor;
mod engine;
pub mod eventree;
pub mod file;
pub mod ftree;
mod glibc_random;
mod graph;
pub mod lanes;
pub mod lash;
mod matrix;
pub mod minhop;
pub mod nue;
pub mod numbered;
mod options;
mod routes;
mod rows;
pub mod sssp;
mod subnets;
mod sweep;
mod targets;
pub mod torus_2qos;
pub mod updn;
mod walk;
mod weighted;

pub use engine::{Engine, UnknownEngine};
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
}

fn describe(refusals: &[Refusal]) -> String {
    let all: Vec<String> = refusals.iter().map(|r| format!("{} refuses: {}", r.engine, r.reason)).collect();
    all.join("; ")
}

/// Routes a fabric with the first engine of `chain` that accepts it; an empty chain means `minhop`.
///
/// # Errors
/// When all engines refuse and [`Options::fallback`] is off.
pub fn route(fabric: &Fabric, lids: Lids, chain: &[Engine], options: &Options) -> Result<Routes, RouteError> {
    attempt(fabric, lids, chain, options, None)
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
    attempt(fabric, lids, chain, options, Some(previous))
}

fn attempt(
    fabric: &Fabric,
    lids: Lids,
    chain: &[Engine],
    options: &Options,
    previous: Option<&Lft>,
) -> Result<Routes, RouteError> {
    let chain = if chain.is_empty() { &[Engine::MinHop] } else { chain };
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
                refusals.push(Refusal { engine: engine.name().to_owned(), reason: refused.reason });
                if !refused.counts.is_empty() {
                    counts = refused.counts;
                }
            }
        }
    }
    Err(RouteError::AllRefused(refusals))
}

fn run(engine: Engine, sweep: &Sweep<'_>) -> Result<Tables, Refused> {
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
        Engine::EvenTree => eventree::route(sweep).map(Tables::from),
        Engine::Numbered => numbered::route(sweep),
    }
}
