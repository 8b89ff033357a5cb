//! Rows of results whose fields have names: the classes of `lacis.results`.

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

/// A list of rows of such a class.
pub(crate) fn rows<'py, Row: PyCallArgs<'py>>(
    py: Python<'py>,
    class: &str,
    rows: impl IntoIterator<Item = Row>,
) -> PyResult<Vec<Bound<'py, PyAny>>> {
    let class = py.import("lacis.results")?.getattr(class)?;
    rows.into_iter().map(|row| class.call1(row)).collect()
}
