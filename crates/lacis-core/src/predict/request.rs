//! What to predict, and why that may be impossible.

use super::matrix::Cells;
use crate::qos::{Lanes, LanesError};

/// How to predict.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Model {
    /// Flows per link; no rates.
    Load,
    /// Max-min fair rates.
    Fluid,
}

impl Model {
    /// As it is typed.
    pub fn name(self) -> &'static str {
        match self {
            Self::Load => "load",
            Self::Fluid => "fluid",
        }
    }
}

/// What to predict, besides the traffic.
#[derive(Clone, Debug, PartialEq)]
pub struct PredictRequest {
    /// The model.
    pub model: Model,
    /// Seed of the random patterns.
    pub seed: u64,
    /// Share of a host link's rate that a host can use; an assumption, 1 for none.
    pub host_efficiency: f64,
    /// Share of every link's rate that carries payload; an assumption, 1 for none.
    pub link_efficiency: f64,
    /// Lanes by which links are divided first; none: all flows of a link share it alike.
    pub lanes: Option<Lanes>,
    /// How many of the hottest links to report.
    pub hottest: usize,
    /// How many flows to list for each of them.
    pub flows_listed: usize,
    /// The matrix to keep, if any.
    pub cells: Option<Cells>,
    /// Whether to keep the rate of every flow, in the fluid model.
    pub keep_flows: bool,
}

impl Default for PredictRequest {
    fn default() -> Self {
        Self {
            model: Model::Load,
            seed: 1,
            host_efficiency: 1.0,
            link_efficiency: 1.0,
            lanes: None,
            hottest: 10,
            flows_listed: 64,
            cells: None,
            keep_flows: false,
        }
    }
}

/// Why there is no prediction.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PredictError {
    /// More flows at once than the model takes.
    #[error("{flows} flows at once are too many for the {model} model (at most {most})")]
    TooManyFlows {
        /// The model's name.
        model: &'static str,
        /// How many there would be.
        flows: usize,
        /// The limit.
        most: usize,
    },
    /// A matrix that would not fit into memory.
    #[error("a matrix of {size} rows is too large (at most {most})")]
    MatrixTooLarge {
        /// Its rows.
        size: usize,
        /// The limit.
        most: usize,
    },
    /// More flows than are kept.
    #[error("{flows} flows over all phases are too many to keep each of them (at most {most})")]
    TooManyToKeep {
        /// How many there would be.
        flows: usize,
        /// The limit.
        most: usize,
    },
    /// Ideal splits on a fabric that is too large for them.
    #[error("ideal splits of {cells} links times receiving switches are too many (at most {most})")]
    IdealTooLarge {
        /// Links between switches times switches with receivers.
        cells: usize,
        /// The limit.
        most: usize,
    },
    /// A choice among LIDs where every port has one.
    #[error(
        "{choice} chooses among the LIDs of a port, and every port has one: the tables need an LMC above 0"
    )]
    OneLid {
        /// The choice, as typed.
        choice: &'static str,
    },
    /// Lanes that do not fit.
    #[error(transparent)]
    Lanes(LanesError),
    /// Ideal splits are computed without lanes.
    #[error("`multipath` ideal computes its splits without lanes: the two cannot be combined")]
    IdealLanes,
    /// The lanes of tables belong to their own paths.
    #[error(
        "`multipath` spray leaves the paths for which the tables assign lanes: the two cannot be combined"
    )]
    SprayedLanes,
    /// A program where a pattern is needed.
    #[error(
        "traffic \"{program}\" is a message program, whose messages have sizes: the model {model} has none"
    )]
    HasSizes {
        /// As typed.
        program: String,
        /// The model's name.
        model: &'static str,
    },
    /// The caller asked to stop.
    #[error("interrupted")]
    Interrupted,
}
