//! The rates that flows are expected to reach under candidate tables.

use std::ops::Range;

use rayon::prelude::*;
use rustc_hash::FxHashMap;

use crate::explain::observed::Observed;
use crate::fabric::NodeId;
use crate::model::fluid::{Capacity, Fluid};
use crate::model::load::{LinkId, Paths, SINK, Spray, Steps};
use crate::ranks::Flow;
use crate::sm::Routes;

/// Flows that ran alone, in chunks of so many for each thread.
const CHUNK: usize = 1 << 14;
/// Expected rates that differ by less count as equal, ln.
pub(super) const GRAIN: f64 = 0.01;

/// Tables that a fabric may be running.
#[derive(Clone, Debug)]
pub enum Candidate<'a> {
    /// These.
    Tables(&'a Routes),
    /// Those of an engine under an unknown order of LIDs; tables of some orders are given.
    AnyOrder(Vec<&'a Routes>),
    /// Switches choose, packet by packet, among all ports that start a shortest path.
    Spread,
}

/// The rates that flows are expected to reach under a candidate.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Expected {
    /// ln of each flow's rate; NaN without a route.
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

    /// The rate of one flow; none of a mixture, or without a route.
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
fn mixture(draws: &[Vec<f64>], flows: Range<usize>) -> Vec<(f64, f64)> {
    let mut count: FxHashMap<i64, f64> = FxHashMap::default();
    for rates in draws {
        // Most neighbours have equal rates.
        let grain = |rate: &f64| (rate / GRAIN).round() as i64;
        let known = rates[flows.clone()].iter().filter(|rate| !rate.is_nan());
        let (mut last, mut n) = (0, 0.0);
        for now in known.map(grain) {
            if now != last && n > 0.0 {
                *count.entry(last).or_insert(0.0) += n;
                n = 0.0;
            }
            (last, n) = (now, n + 1.0);
        }
        if n > 0.0 {
            *count.entry(last).or_insert(0.0) += n;
        }
    }
    let all: f64 = count.values().sum();
    let mut rates: Vec<(i64, f64)> = count.into_iter().collect();
    rates.sort_unstable_by_key(|rate| rate.0);
    rates.into_iter().map(|(grain, n)| (grain as f64 * GRAIN, n / all)).collect()
}

/// Ranges of flows for threads: each round is one, flows that ran alone are cut into chunks. And whether they share the network.
fn in_chunks(observed: &Observed) -> Vec<(Range<usize>, bool)> {
    let chunks = |(flows, shares): (Range<usize>, bool)| {
        let size = if shares { flows.len().max(1) } else { CHUNK };
        flows.clone().step_by(size).map(move |first| (first..(first + size).min(flows.end), shares))
    };
    observed.rounds().flat_map(chunks).collect()
}

/// Max-min fair rates under tables, ln; flows of a round share the network, flows alone do not.
fn by_tables(paths: &Paths<'_>, capacity: &Capacity, observed: &Observed, routes: &Routes) -> Vec<f64> {
    let paths = Paths::new(paths.fabric(), routes, paths.ports(), observed.len());
    let fill = |(fluid, steps): &mut (Fluid, Steps), (flows, shares): (Range<usize>, bool)| {
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
    let each = in_chunks(observed)
        .into_par_iter()
        .map_init(|| (Fluid::new(capacity.rates.clone()), Steps::default()), fill);
    each.collect::<Vec<_>>().concat()
}

/// Rates, ln, if every switch spreads traffic over all ports that start a shortest path.
fn by_spreading(paths: &Paths<'_>, capacity: &Capacity, observed: &Observed) -> Vec<f64> {
    let (mut spray, mut shares) = (Spray::new(paths), Vec::new());
    let mut load = vec![0.0_f64; capacity.rates.len()];
    let mut links: Vec<LinkId> = Vec::new();
    let mut begin: Vec<usize> = Vec::new();
    let mut all = Vec::with_capacity(observed.len());
    let mut alone = FxHashMap::default();
    for (flows, shared) in observed.rounds() {
        if !shared {
            let rate = |&flow: &Flow| spread_alone(paths, capacity, &mut spray, &mut alone, flow);
            all.extend(observed.flows[flows].iter().map(rate));
            continue;
        }
        links.clear();
        begin.clear();
        for &flow in &observed.flows[flows.clone()] {
            begin.push(links.len());
            spray.shares(flow, &mut shares);
            for &(link, share) in &shares {
                links.push(link);
                load[link as usize] += share;
            }
        }
        begin.push(links.len());
        for ends in begin.windows(2) {
            let left = |&link: &LinkId| capacity.rates[link as usize] / load[link as usize].max(1e-9);
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

/// The rate, ln, of a flow that has the network to itself. All flows from one switch to another share the links between these:
/// `between` remembers their least rate.
fn spread_alone(
    paths: &Paths<'_>,
    capacity: &Capacity,
    spray: &mut Spray<'_>,
    between: &mut FxHashMap<(Option<NodeId>, Option<NodeId>), Option<f64>>,
    flow: Flow,
) -> f64 {
    let fabric = paths.fabric();
    let [from, to] = [flow.from, flow.to].map(|slot| paths.ports()[slot as usize]);
    let up = paths.links().leaving(from);
    let down = fabric.peer(to).map_or(SINK, |far| paths.links().leaving(far));
    let rate = |link: LinkId| if link == SINK { f64::INFINITY } else { capacity.rates[link as usize] };
    let switches = (fabric.edge_switch(from), fabric.edge_switch(to));
    let mut walk = || {
        let mut shares = Vec::new();
        spray.shares(flow, &mut shares);
        let inner = shares.iter().map(|&(link, _)| link).filter(|&link| link != up && link != down);
        (!shares.is_empty()).then(|| inner.map(rate).fold(f64::INFINITY, f64::min))
    };
    // Without a switch at both ends no other flow takes the same links.
    let least = if switches.0.is_some() && switches.1.is_some() {
        *between.entry(switches).or_insert_with(walk)
    } else {
        walk()
    };
    least.map_or(f64::NAN, |least| least.min(rate(up)).min(rate(down)).ln())
}
