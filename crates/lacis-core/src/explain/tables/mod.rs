//! Which of several tables the measured rates are consistent with.
//!
//! Tables decide which flows of a round share a link. Under each candidate every flow has an expected rate: the max-min fair
//! one among the flows of its round. Candidates are ranked by the likelihood of what was measured, and two of them are
//! distinguished only if the likelihoods of single flows differ by more than chance explains: Q. H. Vuong, "Likelihood ratio
//! tests for model selection and non-nested hypotheses", Econometrica 57(2), 1989.
//!
//! | here       | meaning                                                                          |
//! |------------|----------------------------------------------------------------------------------|
//! | `expected` | ln of a flow's expected rate [bytes/s]                                             |
//! | `level`    | mean of ln(measured ÷ expected): what hosts reach                                  |
//! | `scale`    | of Student's t with three degrees of freedom, by which values lie about their level |
//! | `z`        | Vuong's statistic of the best candidate against another                            |
//!
//! A manager's order of LIDs may be unknown. Then a flow's expected rate is unknown, but tables of a few random orders show how
//! often each rate occurs in a round: the likelihood is that of this mixture.

mod expected;
mod model;
#[cfg(test)]
mod tests;

use rayon::prelude::*;

use super::observed::Observed;
use crate::model::fluid::Capacity;
use crate::model::load::Paths;
use expected::{Expected, GRAIN};
use model::{HALF, Model};

pub use expected::Candidate;

/// The least `z` at which two candidates are distinguished.
const APART: f64 = 4.0;
/// A flow is as expected within this relative difference.
const NEAR: f64 = 0.15;

/// How well the measurement fits a candidate.
#[derive(Clone, Debug, PartialEq)]
pub struct CandidateFit {
    /// Its index among the candidates.
    pub candidate: usize,
    /// Candidates of one group are indistinguishable; those of group 0 fit best.
    pub group: usize,
    /// Mean of the ln of the likelihood of a flow.
    pub likelihood: f64,
    /// Vuong's statistic of the best candidate against it: 0 for the best.
    pub z: f64,
    /// Measured ÷ expected, overall.
    pub level: f64,
    /// About half of the values are within this relative difference from their level.
    pub spread: f64,
    /// Share of the flows on which candidates differ that are within 15 % of this candidate's expected rate; none for a
    /// mixture.
    pub as_expected: Option<f64>,
    /// Flows measured that have no route under it.
    pub unrouted: usize,
}

/// Candidates, the likeliest first.
#[derive(Clone, Debug, PartialEq)]
pub struct Ranking {
    /// By candidate.
    pub fits: Vec<CandidateFit>,
    /// How many flows were compared.
    pub flows: usize,
    /// On how many of them candidates expect different rates.
    pub differing: usize,
}

impl Ranking {
    /// Whether the run distinguishes any two candidates.
    pub fn is_conclusive(&self) -> bool {
        self.fits.iter().any(|fit| fit.group > 0)
    }
}

/// Ranks candidates by the likelihood of observed rates. All routes are of the capacity's fabric, whatever their LIDs.
pub fn rank(
    paths: &Paths<'_>,
    capacity: &Capacity,
    observed: &Observed,
    candidates: &[Candidate<'_>],
) -> Ranking {
    let expected: Vec<Expected> =
        candidates.iter().map(|candidate| Expected::of(paths, capacity, observed, candidate)).collect();
    let measured: Vec<f64> = observed.value.iter().map(|value| value.ln()).collect();
    let differs: Vec<bool> = (0..observed.len())
        .into_par_iter()
        .map(|f| {
            let rates = || expected.iter().filter_map(|one| one.certain(f));
            let (low, high) = rates().fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), rate| {
                (low.min(rate), high.max(rate))
            });
            high - low > GRAIN
        })
        .collect();
    let mut models: Vec<Model> = Vec::with_capacity(candidates.len());
    for (number, one) in expected.iter().enumerate() {
        let same = (0..number).find(|&before| expected[before] == *one);
        models.push(same.map_or_else(
            || Model::fit(&measured, observed, one, capacity.unknown.is_none()),
            |before| models[before].clone(),
        ));
    }
    let mut order: Vec<usize> = (0..candidates.len()).collect();
    order.sort_by(|&a, &b| models[b].total.total_cmp(&models[a].total).then(a.cmp(&b)));
    let mut group = vec![usize::MAX; candidates.len()];
    let mut groups = 0;
    for at in 0..order.len() {
        let head = order[at];
        if group[head] != usize::MAX {
            continue;
        }
        for &other in &order[at..] {
            if group[other] == usize::MAX && models[head].apart(&models[other]) < APART {
                group[other] = groups;
            }
        }
        groups += 1;
    }
    order.sort_by_key(|&candidate| group[candidate]); // stable: within a group the likeliest first
    let best = order.first().copied().unwrap_or(0);
    let differing = differs.iter().filter(|&&differs| differs).count();
    let fits = order.iter().map(|&candidate| {
        let (model, one) = (&models[candidate], &expected[candidate]);
        let near =
            |&f: &usize| one.certain(f).is_some_and(|rate| (measured[f] - rate - model.level).abs() < NEAR);
        let hits = (0..measured.len()).filter(|&f| differs[f]).filter(near).count();
        CandidateFit {
            candidate,
            group: group[candidate],
            likelihood: model.total / measured.len().max(1) as f64,
            z: models[best].apart(model).max(0.0),
            level: model.level.exp(),
            spread: model.scale * HALF,
            as_expected: (one.is_certain() && differing > 0).then(|| hits as f64 / differing as f64),
            unrouted: one.unrouted(),
        }
    });
    Ranking { fits: fits.collect(), flows: observed.len(), differing }
}
