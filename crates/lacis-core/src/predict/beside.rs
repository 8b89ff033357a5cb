//! Jobs that run at the same time: which links they share, and what a shift of one gets beside a shift of
//! another.
//!
//! In each sample every job shifts by its own distance. The rates are max-min fair shares
//! of the links, first of the first job's flows alone, then of all jobs' flows together.

use rayon::prelude::*;

use crate::fabric::{Fabric, PortId};
use crate::model::fluid::{Capacity, Fluid};
use crate::model::load::{Crossings, LinkId, Paths, Steps};
use crate::ranks::Flow;
use crate::ranks::Participants;
use crate::sm::Routes;
use crate::traffic::Rng;

/// A link between switches that two jobs use: pairs of the first and of the other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SharedLink {
    /// The port that it leaves.
    pub egress: PortId,
    /// Pairs of hosts of the first job.
    pub own: u64,
    /// Pairs of hosts of the other.
    pub other: u64,
}

/// What a job gets alone and beside others, over the samples [bytes/s].
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Beside {
    /// Number of samples.
    pub samples: usize,
    /// Mean rate of a flow, alone and together.
    pub mean: (f64, f64),
    /// The same of the sample that loses most.
    pub worst: (f64, f64),
    /// Flows of the first job over all samples, and those of them that get less beside the others.
    pub flows: (u64, u64),
}

/// The links between switches that the ports of both jobs use, in the order of links.
pub fn shared(fabric: &Fabric, routes: &Routes, own: &[PortId], other: &[PortId]) -> Vec<SharedLink> {
    let pairs = |ports| {
        let paths = Paths::new(fabric, routes, ports, 0);
        let crossings = Crossings::of(&paths);
        let used: Vec<(LinkId, u64)> = crossings.used().map(|link| (link, crossings.pairs(link))).collect();
        (used, paths.links().clone())
    };
    let ((ours, links), (theirs, _)) = (pairs(own), pairs(other));
    let both = |&(link, own): &(LinkId, u64)| {
        let at = theirs.binary_search_by_key(&link, |other| other.0).ok()?;
        Some(SharedLink { egress: links.egress(link), own, other: theirs[at].1 })
    };
    ours.iter().filter_map(both).collect()
}

/// The flows of a shift, host `i` to host `i + distance` on every rail that both have.
fn shift(participants: &Participants, distance: u32, first: u32, out: &mut Vec<Flow>) {
    let hosts = participants.num_hosts() as u32;
    for rail in 0..participants.num_rails() {
        let slot = |host: u32| participants.slot(host % hosts, rail).map(|slot| first + slot);
        let flow = |host: u32| Some(Flow { from: slot(host)?, to: slot(host + distance)? });
        out.extend((0..hosts).filter_map(flow));
    }
}

/// A job's distance in a sample; those of the first job are evenly spread, the others random.
fn distance(hosts: usize, job: usize, sample: usize, samples: usize, seed: u64) -> u32 {
    let most = (hosts as u32).saturating_sub(1);
    if most == 0 {
        return 0;
    }
    if job == 0 {
        return 1 + (sample as u64 * u64::from(most) / samples as u64) as u32;
    }
    1 + Rng::of_pattern(seed.wrapping_add(job as u64), sample as u64).below(most)
}

/// Shifts of the first job alone and beside shifts of all others, about `samples` times.
pub fn beside(fabric: &Fabric, routes: &Routes, jobs: &[&Participants], samples: usize, seed: u64) -> Beside {
    let Some(own) = jobs.first() else { return Beside::default() };
    let samples = samples.min(own.num_hosts().saturating_sub(1));
    let ports: Vec<PortId> =
        jobs.iter().flat_map(|participants| participants.ports().iter().copied()).collect();
    let paths = Paths::new(fabric, routes, &ports, samples * ports.len());
    let rates = Capacity::of(fabric, paths.links(), 1.0).rates;
    let run = |sample: usize| {
        let (mut flows, mut first, mut ours) = (Vec::new(), 0, 0);
        for (job, participants) in jobs.iter().enumerate() {
            shift(
                participants,
                distance(participants.num_hosts(), job, sample, samples, seed),
                first,
                &mut flows,
            );
            first += participants.ports().len() as u32;
            ours = if job == 0 { flows.len() } else { ours };
        }
        let (mut fluid, mut steps) = (Fluid::new(rates.clone()), Steps::default());
        paths.steps(&flows[..ours], &mut steps);
        fluid.fill(&steps);
        let alone = fluid.rates()[..ours].to_vec();
        paths.steps(&flows, &mut steps);
        fluid.fill(&steps);
        let together = &fluid.rates()[..ours];
        let slower = alone.iter().zip(together).filter(|(a, b)| **b < **a * (1.0 - 1e-9)).count();
        let mean = |rates: &[f64]| rates.iter().sum::<f64>() / ours.max(1) as f64;
        (mean(&alone), mean(together), ours as u64, slower as u64)
    };
    let found: Vec<(f64, f64, u64, u64)> = (0..samples).into_par_iter().map(run).collect();
    let mut out = Beside { samples, ..Beside::default() };
    for &(alone, together, flows, slower) in &found {
        out.mean = (out.mean.0 + alone / samples as f64, out.mean.1 + together / samples as f64);
        out.flows = (out.flows.0 + flows, out.flows.1 + slower);
    }
    let ratio = |s: &&(f64, f64, u64, u64)| if s.0 > 0.0 { s.1 / s.0 } else { 1.0 };
    let worst = found.iter().min_by(|a, b| ratio(a).total_cmp(&ratio(b)));
    out.worst = worst.map_or((0.0, 0.0), |s| (s.0, s.1));
    out
}
