//! Maps errors of the core to `lacis.errors`.

use lacis_core::generate::{EditError, SpecError};
use lacis_core::io::ReadError;
use lacis_core::ranks::RanksError;
use lacis_core::routing::RouteError;
use lacis_core::traffic::TrafficError;
use pyo3::prelude::*;

/// An error of the core, as Python raises it.
pub(crate) fn to_py(error: impl Into<Failure>) -> PyErr {
    let Failure { class, reason, line, text } = error.into();
    Python::attach(|py| {
        let raise = || -> PyResult<Bound<'_, PyAny>> {
            py.import("lacis.errors")?.getattr(class)?.call1((reason, line, text))
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
}

impl Failure {
    /// An error that is about no line of a file.
    pub(crate) fn plain(reason: &dyn std::fmt::Display) -> Self {
        Self { class: "LacisError", reason: reason.to_string(), line: None, text: String::new() }
    }
}

impl From<ReadError> for Failure {
    fn from(error: ReadError) -> Self {
        Self { class: "LacisError", reason: error.reason, line: error.line, text: error.text }
    }
}

impl From<RouteError> for Failure {
    fn from(error: RouteError) -> Self {
        let plain = Self::plain(&error);
        match error {
            RouteError::AllRefused(_) => Self { class: "RefusedError", ..plain },
            RouteError::Endless(_) => plain,
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
            RanksError::Line { line, reason, text } => {
                Self { class: "LacisError", reason, line: (line > 0).then_some(line), text }
            }
            other => Self::plain(&other),
        }
    }
}

impl From<TrafficError> for Failure {
    fn from(error: TrafficError) -> Self {
        match error {
            TrafficError::Line { line, reason, text } => {
                Self { class: "LacisError", reason, line: (line > 0).then_some(line), text }
            }
            TrafficError::Ranks(error) => error.into(),
            other => Self::plain(&other),
        }
    }
}
