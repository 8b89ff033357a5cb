//! A list of engines, tried one after the other on one subnet.

use super::common::options::Options;
use super::common::shared_lid;
use super::common::sweep::{Refused, Sweep, Tables};
use super::native::{by_guid, eventree, numbered};
use super::omnipath::{dgshortestpath, fattree, shortestpath};
use super::opensm::{dfsssp, dnup, dor, file, ftree, lash, minhop, nue, sssp, torus_2qos, updn};
use crate::fabric::Fabric;
use crate::sm::lids::Lids;
use crate::sm::{Engine, Lft, Refusal, Routes};

/// Why there are no tables.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum RouteError {
    /// Every engine of the list refused and falling back was forbidden.
    #[error("{}", describe(.0))]
    AllRefused(Vec<Refusal>),
    /// OpenSM would never come to the end of this engine, or what it would make is not known, so that there is no next one to try.
    #[error("{}: {}", .0.engine, .0.why())]
    Endless(Refusal),
}

fn describe(refusals: &[Refusal]) -> String {
    let all: Vec<String> = refusals.iter().map(Refusal::to_string).collect();
    all.join("; ")
}

/// What is to be routed, by which engines, and the tables there were.
#[derive(Clone, Copy)]
pub(super) struct RoutingTask<'a> {
    pub fabric: &'a Fabric,
    pub chain: &'a [Engine],
    pub previous: Option<&'a Lft>,
}

/// Tries the engines one after the other.
pub(super) fn attempt(task: RoutingTask<'_>, lids: Lids, options: &Options) -> Result<Routes, RouteError> {
    let RoutingTask { fabric, chain, previous } = task;
    let mut refusals = Vec::new();
    let mut counts = Vec::new();
    // What their managers use where all fail.
    let last = if chain.iter().any(|e| e.is_omni_path()) { &Engine::ShortestPath } else { &Engine::MinHop };
    let fallback = options.fallback.then_some(last);
    for &engine in chain.iter().chain(fallback) {
        let sweep = Sweep { previous, counts: &counts, ..Sweep::first(fabric, &lids, options) };
        match run(engine, &sweep) {
            Ok(Tables { lft, lanes }) => {
                let (engine_requested, engine_used) = (chain.into(), engine.into());
                return Ok(Routes { lids, lft, lanes, engine_requested, engine_used, refusals });
            }
            Err(refused) => {
                let refusal = Refusal { engine, reason: refused.reason, subnet: refused.subnet };
                if refusal.reason.is_last() {
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

/// Lets one engine make its tables in a sweep: what [`route`](super::route) does for each engine of its list.
///
/// # Errors
/// When it refuses the fabric.
pub fn run(engine: Engine, sweep: &Sweep<'_>) -> Result<Tables, Refused> {
    if let Some(objection) = shared_lid::objection(engine, sweep) {
        return Err(objection);
    }
    match engine {
        Engine::MinHop => Ok(minhop::route(sweep).into()),
        Engine::UpDn => updn::route(sweep).map(Tables::from),
        Engine::DnUp => dnup::route(sweep).map(Tables::from),
        Engine::FTree => ftree::route(sweep).map(Tables::from),
        Engine::Dor => Ok(dor::route(sweep).into()),
        Engine::Lash => lash::route(sweep),
        Engine::Sssp => sssp::fast::route(sweep).map(Tables::from),
        Engine::DfSssp => dfsssp::route(sweep),
        Engine::Nue => nue::route(sweep),
        Engine::File => file::route(sweep).map(Tables::from),
        Engine::Torus2Qos => torus_2qos::route(sweep),
        Engine::EvenTree => by_guid::route(sweep, |sweep| eventree::route(sweep).map(Tables::from)),
        Engine::Numbered => by_guid::route(sweep, numbered::route),
        Engine::ShortestPath => Ok(shortestpath::route(sweep).into()),
        Engine::FatTree => fattree::route(sweep).map(Tables::from),
        Engine::DgShortestPath => Ok(dgshortestpath::route(sweep).into()),
    }
}
