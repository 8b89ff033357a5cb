//! Which rank runs on which of a job's hosts: less on the most loaded link, then fewer bytes over the higher tiers.
//!
//! A [`Request`] has the hosts of the ranks in the order given and what ranks send each other in a step; a [`Mapping`] has the same
//! hosts equally often in another order, and what both cost under given tables. What decides is [`Cost`], least first; the order
//! given is kept where nothing better was found. Without effort bytes by tier alone decide.
//!
//! | step | what it does |
//! |---|---|
//! | [`blocks`](self) | a grid is cut into boxes that fill hosts and leaves |
//! | [`partition`](self) | other graphs are divided among pods, leaves and hosts, each by recursive bisection with exact sizes |
//! | [`search`](self) | ranks and hosts are exchanged while the most loaded link gets less; of few hosts every order is tried |
//!
//! One thread does it, in the same order each time, so the same request has the same result.
//!
//! What the links carry is what a whole step sends, as if all were sent at once: phases that follow each other are added.

mod blocks;
mod bytes;
mod graph;
mod partition;
mod request;
mod search;
mod seating;

use std::sync::atomic::AtomicBool;

use crate::fabric::{Fabric, PortId};
use crate::model::load::{Multipath, Paths};
use crate::predict::{PredictError, Times, TimesRequest, times_until};
use crate::ranks::{Location, Participants, Ranks};
use crate::sm::Routes;
use crate::traffic::{Message, Program, Traffic};

pub use request::{Demand, MappingError, Request, Site};
pub use seating::Cost;

use graph::Graph;
use search::Budget;
use seating::{Seating, Setting};

/// What an order of ranks costs.
#[derive(Clone, Debug, PartialEq)]
pub struct Outcome {
    /// What decides.
    pub cost: Cost,
    /// Bytes by tier: inside hosts, inside leaves, inside pods, above.
    pub tiers: [u64; 4],
    /// The egress port of the most loaded link; none where no link carries anything.
    pub busiest: Option<PortId>,
    /// The same between switches.
    pub between_switches: Option<PortId>,
}

impl Outcome {
    fn of(seating: &Seating<'_, '_>, paths: &Paths<'_>) -> Self {
        let egress = |inner_only| seating.busiest(inner_only).map(|(link, _)| paths.links().egress(link));
        Self {
            cost: seating.cost(),
            tiers: seating.tiers(),
            busiest: egress(false),
            between_switches: egress(true),
        }
    }
}

/// Ranks on hosts.
#[derive(Clone, Debug, PartialEq)]
pub struct Mapping {
    /// The host of each rank, by number among the participants.
    pub host: Vec<u32>,
    /// The order given, with the exchanges that its bonds need, if any.
    pub given: Outcome,
    /// The order that looks at bytes by tier alone.
    pub by_bytes: Outcome,
    /// The order chosen.
    pub chosen: Outcome,
    /// Whether every order of the hosts was tried.
    pub is_exact: bool,
}

/// The most of a load that counts as clearly less.
const WORTH: f64 = 0.95;

/// Maps ranks to hosts.
///
/// # Errors
/// When the request cannot be met.
pub fn map(
    fabric: &Fabric,
    routes: &Routes,
    participants: &Participants,
    request: &Request<'_>,
) -> Result<Mapping, MappingError> {
    map_until(&AtomicBool::new(false), fabric, routes, participants, request)
}

/// [`map`] that gives up soon after `stop` is set.
///
/// # Errors
/// As [`map`], and when it was stopped.
pub fn map_until(
    stop: &AtomicBool,
    fabric: &Fabric,
    routes: &Routes,
    participants: &Participants,
    request: &Request<'_>,
) -> Result<Mapping, MappingError> {
    request.check(participants.num_hosts())?;
    let paths = Paths::new(fabric, routes, participants.ports(), usize::MAX);
    let site = Site::of(fabric, participants);
    let setting = Setting::new(&paths, participants, &site, request);
    let mut budget = Budget { left: request.effort, stop };
    let graph = Graph::of(request.given.len(), setting.demands().iter().map(|d| (d.from, d.to, d.bytes)));
    let seated = |hosts: &[u32]| {
        let mut seating = Seating::new(&setting, hosts);
        search::keep_bonds(&mut seating, request.pinned, request.apart);
        seating
    };
    let given = seated(request.given);
    let mut by_bytes = given.clone();
    for hosts in bytes::candidates(&graph, request, &site) {
        budget.check()?;
        let seating = seated(&hosts);
        if seating.bytes() < by_bytes.bytes() {
            by_bytes = seating;
        }
    }
    let mut used = request.given.to_vec();
    used.sort_unstable();
    used.dedup();
    let mut chosen = by_bytes.clone();
    if request.effort > 0 {
        search::lower(&mut chosen, &used, request.seed, &mut budget);
        // From the order given the search may come to less load, mostly with more bytes above: that has to be worth it.
        let mut other = given.clone();
        budget.left = request.effort / 2;
        search::lower(&mut other, &used, request.seed, &mut budget);
        let (cost, of_other) = (chosen.cost(), other.cost());
        if given.cost() < cost || (of_other < cost && of_other.busiest < WORTH * cost.busiest) {
            chosen = other;
        }
    }
    budget.check()?;
    let seats = |host: u32| given.ranks_of(host).len();
    let is_exact = request.effort > 0
        && used.len() <= search::FEW
        && request.pinned.is_empty()
        && used.iter().all(|&h| seats(h) == seats(used[0]));
    if is_exact {
        search::every_order(&mut chosen, &used);
    }
    Ok(Mapping {
        host: chosen.hosts().to_vec(),
        given: Outcome::of(&given, &paths),
        by_bytes: Outcome::of(&by_bytes, &paths),
        chosen: Outcome::of(&chosen, &paths),
        is_exact,
    })
}

/// What one order of ranks costs, without looking for another.
///
/// # Errors
/// When a host or a rank does not exist, or there are more bytes than can be added up.
pub fn outcome_of(
    fabric: &Fabric,
    routes: &Routes,
    participants: &Participants,
    hosts: &[u32],
    demands: &[Demand],
) -> Result<Outcome, MappingError> {
    let request = Request { given: hosts, demands, grid: &[], apart: &[], pinned: &[], effort: 0, seed: 1 };
    request.check(participants.num_hosts())?;
    let paths = Paths::new(fabric, routes, participants.ports(), usize::MAX);
    let site = Site::of(fabric, participants);
    let setting = Setting::new(&paths, participants, &site, &request);
    Ok(Outcome::of(&Seating::new(&setting, hosts), &paths))
}

/// Messages of a program that are added up.
const MOST_MESSAGES: usize = 50_000_000;

/// What ranks send each other in all phases of a program together.
///
/// # Errors
/// When it has too many messages, or more bytes than can be added up.
pub fn demands_of(program: &Program<'_>) -> Result<Vec<Demand>, MappingError> {
    if program.phases().saturating_mul(program.max_messages()) > MOST_MESSAGES {
        return Err(MappingError::TooManyMessages { most: MOST_MESSAGES });
    }
    let (mut all, mut phase, mut total) = (Vec::new(), Vec::new(), 0_u64);
    for number in 0..program.phases() {
        program.fill(number, &mut phase);
        for message in &phase {
            total = total.checked_add(message.bytes).ok_or(MappingError::TooManyBytes)?;
            all.push(Demand { from: message.from, to: message.to, bytes: message.bytes });
        }
        // Rings repeat the same pairs in every phase.
        if all.len() > MOST_MESSAGES / 10 {
            all = seating::merged(&all);
        }
    }
    Ok(seating::merged(&all))
}

/// How long a step takes whose messages are all sent at once and share the links max-min fairly.
///
/// # Errors
/// When there are too many messages, or the run was stopped.
pub fn time_until(
    stop: &AtomicBool,
    fabric: &Fabric,
    routes: &Routes,
    participants: &Participants,
    hosts: &[u32],
    demands: &[Demand],
) -> Result<Option<Times>, PredictError> {
    let mut count = vec![0; participants.num_hosts()];
    let rails = |host: u32| {
        let all = 0..participants.num_rails();
        all.filter(|&rail| participants.slot(host, rail).is_some()).collect::<Vec<_>>()
    };
    let mut location = |&host: &u32| {
        let core = count[host as usize];
        count[host as usize] += 1;
        let rails = rails(host);
        let rail = rails.get(core as usize % rails.len().max(1)).copied().unwrap_or(0) as u32;
        Location { host, rail, core }
    };
    let locations = hosts.iter().map(&mut location).collect();
    let Ok(ranks) = Ranks::mapped(participants, locations) else { return Ok(None) };
    let crosses = |d: &&Demand| hosts.get(d.from as usize) != hosts.get(d.to as usize);
    let merged = seating::merged(demands);
    let messages = merged.iter().filter(crosses).map(|d| Message::new(d.from, d.to, d.bytes)).collect();
    let Ok(program) = Program::of_messages(ranks, messages) else { return Ok(None) };
    let request = TimesRequest {
        seed: 1,
        host_efficiency: 1.0,
        link_efficiency: 1.0,
        local_rate: 1e10,
        lanes: None,
        hottest: 0,
        multipath: Multipath::None,
    };
    times_until(stop, fabric, routes, &Traffic::Program(program), &request).map(Some)
}

#[cfg(test)]
mod tests;
