//! Maps errors of the core to `lacis.errors`.

use lacis_core::generate::{EditError, SpecError};
use lacis_core::io::ReadError;
use lacis_core::ranks::RanksError;
use lacis_core::routing::RouteError;
use lacis_core::sm::Refusal;
use lacis_core::traffic::TrafficError;
use pyo3::prelude::*;
use pyo3::types::PyTuple;

use crate::refusal;

/// An error of the core, as Python raises it.
pub(crate) fn to_py(error: impl Into<Failure>) -> PyErr {
    let Failure { class, reason, line, text, refusals } = error.into();
    Python::attach(|py| {
        let raise = || -> PyResult<Bound<'_, PyAny>> {
            let raised = py.import("lacis.errors")?.getattr(class)?.call1((reason, line, text))?;
            if !refusals.is_empty() {
                raised.setattr("refusals", PyTuple::new(py, refusal::refusals(py, &refusals)?)?)?;
            }
            Ok(raised)
        };
        raise().map_or_else(|error| error, PyErr::from_value)
    })
}

/// What an error of `lacis.errors` is made of.
pub(crate) struct Failure {
    class: &'static str,
    reason: String,
    line: Option<usize>,
    text: String,
    /// Engines that refused a fabric, for the classes that have them.
    refusals: Vec<Refusal>,
}

impl Failure {
    fn at(reason: String, line: Option<usize>, text: String) -> Self {
        Self { class: "LacisError", reason, line, text, refusals: Vec::new() }
    }

    /// An error that is about no line of a file.
    pub(crate) fn plain(reason: &dyn std::fmt::Display) -> Self {
        Self::at(reason.to_string(), None, String::new())
    }
}

impl From<ReadError> for Failure {
    fn from(error: ReadError) -> Self {
        Self::at(error.reason, error.line, error.text)
    }
}

impl From<RouteError> for Failure {
    fn from(error: RouteError) -> Self {
        let plain = Self::plain(&error);
        match error {
            RouteError::AllRefused(refusals) => Self { class: "RefusedError", refusals, ..plain },
            RouteError::Endless(refusal) => Self { class: "EndlessError", refusals: vec![refusal], ..plain },
        }
    }
}

impl From<SpecError> for Failure {
    fn from(error: SpecError) -> Self {
        Self::plain(&error)
    }
}

impl From<EditError> for Failure {
    fn from(error: EditError) -> Self {
        Self::plain(&error)
    }
}

impl From<RanksError> for Failure {
    fn from(error: RanksError) -> Self {
        match error {
            RanksError::Line { line, reason, text } => Self::at(reason, (line > 0).then_some(line), text),
            other => Self::plain(&other),
        }
    }
}

impl From<TrafficError> for Failure {
    fn from(error: TrafficError) -> Self {
        match error {
            TrafficError::Line { line, reason, text } => Self::at(reason, (line > 0).then_some(line), text),
            TrafficError::Ranks(error) => error.into(),
            other => Self::plain(&other),
        }
    }
}
