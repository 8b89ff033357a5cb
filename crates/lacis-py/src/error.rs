//! The one place that maps errors of the core to `lacis.errors.LacisError`.

use lacis_core::generate::SpecError;
use lacis_core::io::ReadError;
use pyo3::prelude::*;

/// An error of the core, as Python raises it.
pub(crate) fn to_py(error: impl Into<Failure>) -> PyErr {
    let Failure { reason, line, text } = error.into();
    Python::attach(|py| {
        let raise = || -> PyResult<Bound<'_, PyAny>> {
            py.import("lacis.errors")?.getattr("LacisError")?.call1((reason, line, text))
        };
        raise().map_or_else(|error| error, PyErr::from_value)
    })
}

/// What `LacisError` is made of.
pub(crate) struct Failure {
    reason: String,
    line: Option<usize>,
    text: String,
}

impl Failure {
    /// An error without a place in a file.
    pub(crate) fn plain(reason: &dyn std::fmt::Display) -> Self {
        Self { reason: reason.to_string(), line: None, text: String::new() }
    }
}

impl From<ReadError> for Failure {
    fn from(error: ReadError) -> Self {
        Self { reason: error.reason, line: error.line, text: error.text }
    }
}

impl From<SpecError> for Failure {
    fn from(error: SpecError) -> Self {
        Self::plain(&error)
    }
}
