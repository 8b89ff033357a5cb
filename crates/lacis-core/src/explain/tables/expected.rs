//! The rates that flows may expect under candidate tables.

use rayon::prelude::*;
use rustc_hash::FxHashMap;

use crate::explain::observed::Observed;
use crate::model::fluid::{Capacity, Fluid};
use crate::model::load::{LinkId, Paths, SINK, Spray, Steps};
use crate::sm::Routes;

/// Expected rates, ln, that differ by less are one.
pub(super) const GRAIN: f64 = 0.01;

/// Tables that a fabric may run.
#[derive(Clone, Debug)]
pub enum Candidate<'a> {
    /// These.
    Tables(&'a Routes),
    /// Those of an engine under an order that is not known, of which some are given.
    AnyOrder(Vec<&'a Routes>),
    /// Switches choose, packet by packet, among all ports that begin a shortest path.
    Spread,
}

/// What a candidate lets flows expect.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Expected {
    /// ln of each flow's rate; not a number without a route.
    Certain(Vec<f64>),
    /// By round: rates and how often each occurs.
    Mixed(Vec<Vec<(f64, f64)>>),
}

impl Expected {
    pub(super) fn of(
        paths: &Paths<'_>,
        capacity: &Capacity,
        observed: &Observed,
        candidate: &Candidate<'_>,
    ) -> Self {
        match candidate {
            Candidate::Tables(routes) => Self::Certain(by_tables(paths, capacity, observed, routes)),
            Candidate::Spread => Self::Certain(by_spreading(paths, capacity, observed)),
            Candidate::AnyOrder(orders) => {
                let draws: Vec<Vec<f64>> =
                    orders.iter().map(|routes| by_tables(paths, capacity, observed, routes)).collect();
                Self::Mixed(observed.rounds().map(|(flows, _)| mixture(&draws, flows)).collect())
            }
        }
    }

    /// Of one flow; nothing of a mixture, or without a route.
    pub(super) fn certain(&self, flow: usize) -> Option<f64> {
        match self {
            Self::Certain(rates) => Some(rates[flow]).filter(|rate| !rate.is_nan()),
            Self::Mixed(_) => None,
        }
    }

    pub(super) fn is_certain(&self) -> bool {
        matches!(self, Self::Certain(_))
    }

    /// Flows without a route.
    pub(super) fn unrouted(&self) -> usize {
        match self {
            Self::Certain(rates) => rates.iter().filter(|rate| rate.is_nan()).count(),
            Self::Mixed(_) => 0,
        }
    }
}

/// How often each rate occurs among the flows of a round, over several draws.
fn mixture(draws: &[Vec<f64>], flows: std::ops::Range<usize>) -> Vec<(f64, f64)> {
    let mut count: FxHashMap<i64, f64> = FxHashMap::default();
    let rates = draws.iter().flat_map(|rates| &rates[flows.clone()]).filter(|rate| !rate.is_nan());
    rates.for_each(|rate| *count.entry((rate / GRAIN).round() as i64).or_insert(0.0) += 1.0);
    let all: f64 = count.values().sum();
    let mut parts: Vec<(i64, f64)> = count.into_iter().collect();
    parts.sort_unstable_by_key(|part| part.0);
    parts.into_iter().map(|(grain, n)| (grain as f64 * GRAIN, n / all)).collect()
}

/// Max-min fair rates under tables, ln; all flows of a round share, those alone do not.
fn by_tables(paths: &Paths<'_>, capacity: &Capacity, observed: &Observed, routes: &Routes) -> Vec<f64> {
    let paths = Paths::new(paths.fabric(), routes, paths.ports(), observed.len());
    let fill = |(fluid, steps): &mut (Fluid, Steps), (flows, shares): (std::ops::Range<usize>, bool)| {
        paths.steps(&observed.flows[flows.clone()], steps);
        if shares {
            fluid.fill(steps);
            return fluid.rates().iter().map(|&rate| if rate > 0.0 { rate.ln() } else { f64::NAN }).collect();
        }
        let mut rates = vec![f64::INFINITY; flows.len()];
        for step in steps.each() {
            for (rate, &link) in rates.iter_mut().zip(step) {
                *rate = rate.min(capacity.rates[link as usize]);
            }
        }
        rates.iter().map(|&rate| if rate.is_finite() { rate.ln() } else { f64::NAN }).collect::<Vec<f64>>()
    };
    let rounds: Vec<_> = observed.rounds().collect();
    let each =
        rounds.into_par_iter().map_init(|| (Fluid::new(capacity.rates.clone()), Steps::default()), fill);
    each.collect::<Vec<_>>().concat()
}

/// Rates, ln, where every switch spreads what comes to it over all ports that begin a shortest path.
fn by_spreading(paths: &Paths<'_>, capacity: &Capacity, observed: &Observed) -> Vec<f64> {
    let (mut spray, mut parts) = (Spray::new(paths), Vec::new());
    let mut load = vec![0.0_f64; capacity.rates.len()];
    let mut links: Vec<LinkId> = Vec::new();
    let mut begin: Vec<usize> = Vec::new();
    let mut all = Vec::with_capacity(observed.len());
    for (flows, shares) in observed.rounds() {
        links.clear();
        begin.clear();
        for &flow in &observed.flows[flows.clone()] {
            begin.push(links.len());
            spray.parts(flow, &mut parts);
            for &(link, part) in &parts {
                links.push(link);
                load[link as usize] += if shares { part } else { 0.0 };
            }
        }
        begin.push(links.len());
        for ends in begin.windows(2) {
            let left = |&link: &LinkId| {
                capacity.rates[link as usize] / load[link as usize].max(if shares { 1e-9 } else { 1.0 })
            };
            let rate = links[ends[0]..ends[1]]
                .iter()
                .filter(|&&link| link != SINK)
                .map(left)
                .fold(f64::INFINITY, f64::min);
            all.push(if rate.is_finite() { rate.ln() } else { f64::NAN });
        }
        for &link in &links {
            load[link as usize] = 0.0;
        }
    }
    all
}
