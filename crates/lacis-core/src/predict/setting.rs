//! What all threads share.

use super::by_lane::ByLane;
use super::request::PredictRequest;
use crate::model::fluid::Capacity;
use crate::model::load::Paths;
use crate::traffic::Phases;

/// The traffic, its paths and the model, the same for every phase.
pub(super) struct PhaseSetting<'a> {
    pub phases: &'a Phases<'a>,
    pub paths: &'a Paths<'a>,
    pub request: &'a PredictRequest,
    pub capacity: Option<&'a Capacity>,
    pub by_lane: Option<ByLane>,
    /// Link rates without host efficiency, to which rates are relative.
    pub nominal: Option<Vec<f64>>,
}
