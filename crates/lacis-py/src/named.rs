//! Rows of results whose fields have names: the classes of `lacis.results`, and those of `lacis.documents` that are
//! printed as they are.

use pyo3::call::PyCallArgs;
use pyo3::prelude::*;
use pyo3::types::PyDict;

/// One row of a class of `lacis.results`.
pub(crate) fn named<'py>(
    py: Python<'py>,
    class: &str,
    row: impl PyCallArgs<'py>,
) -> PyResult<Bound<'py, PyAny>> {
    py.import("lacis.results")?.getattr(class)?.call1(row)
}

/// One row of a class of `lacis.results`, by the names of its fields.
pub(crate) fn by_fields<'py>(
    py: Python<'py>,
    class: &str,
    fields: &Bound<'py, PyDict>,
) -> PyResult<Bound<'py, PyAny>> {
    py.import("lacis.results")?.getattr(class)?.call((), Some(fields))
}

/// One row of a class of a module of `lacis.documents`, by the names of its fields.
pub(crate) fn document<'py>(
    py: Python<'py>,
    module: &str,
    class: &str,
    fields: &Bound<'py, PyDict>,
) -> PyResult<Bound<'py, PyAny>> {
    py.import(format!("lacis.documents.{module}"))?.getattr(class)?.call((), Some(fields))
}

/// A list of rows of a class of `lacis.results`.
pub(crate) fn rows<'py, Row: PyCallArgs<'py>>(
    py: Python<'py>,
    class: &str,
    rows: impl IntoIterator<Item = Row>,
) -> PyResult<Vec<Bound<'py, PyAny>>> {
    let class = py.import("lacis.results")?.getattr(class)?;
    rows.into_iter().map(|row| class.call1(row)).collect()
}
