//! Rows of results whose parts have names: the named tuples of `lacis.results`.

use pyo3::call::PyCallArgs;
use pyo3::prelude::*;

/// One row of a class of `lacis.results`.
pub(crate) fn named<'py>(
    py: Python<'py>,
    class: &str,
    row: impl PyCallArgs<'py>,
) -> PyResult<Bound<'py, PyAny>> {
    py.import("lacis.results")?.getattr(class)?.call1(row)
}

/// A list of such rows.
pub(crate) fn rows<'py, Row: PyCallArgs<'py>>(
    py: Python<'py>,
    class: &str,
    rows: impl IntoIterator<Item = Row>,
) -> PyResult<Vec<Bound<'py, PyAny>>> {
    let class = py.import("lacis.results")?.getattr(class)?;
    rows.into_iter().map(|row| class.call1(row)).collect()
}
