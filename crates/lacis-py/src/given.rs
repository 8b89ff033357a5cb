//! Files that the engine `file` loads.

use std::sync::Arc;

use lacis_core::io::lft::{GivenTables, read_given};
use lacis_core::io::lid_matrix;
use pyo3::prelude::*;

use crate::error::to_py;
use crate::note::Note;

/// Tables from a file, whatever fabric they are of.
#[pyclass(frozen, module = "lacis._core")]
pub(crate) struct TableFile {
    pub(crate) inner: Arc<GivenTables>,
}

#[pymethods]
impl TableFile {
    /// What their reader noticed.
    #[getter]
    fn notes(&self) -> Vec<Note> {
        Note::all(&self.inner.notes)
    }
}

/// Hop matrices from a file, whatever fabric they are of.
#[pyclass(frozen, module = "lacis._core")]
pub(crate) struct HopFile {
    pub(crate) inner: Arc<lid_matrix::HopMatrixDump>,
}

#[pymethods]
impl HopFile {
    /// What their reader noticed.
    #[getter]
    fn notes(&self) -> Vec<Note> {
        Note::all(&self.inner.notes)
    }

    /// Node GUIDs of the switches that have a matrix.
    #[getter]
    fn switches(&self) -> Vec<u64> {
        self.inner.switches.iter().map(|s| s.guid.0).collect()
    }
}

/// Reads tables for the engine `file`.
#[pyfunction]
fn read_table_file(py: Python<'_>, data: &[u8]) -> PyResult<TableFile> {
    let given = py.detach(|| read_given(data)).map_err(to_py)?;
    Ok(TableFile { inner: Arc::new(given) })
}

/// Reads hop matrices for the engine `file`.
#[pyfunction]
fn read_hop_file(py: Python<'_>, data: &[u8]) -> PyResult<HopFile> {
    let given = py.detach(|| lid_matrix::read(data)).map_err(to_py)?;
    Ok(HopFile { inner: Arc::new(given) })
}

pub(crate) fn register(m: &Bound<'_, PyModule>) -> PyResult<()> {
    m.add_class::<TableFile>()?;
    m.add_class::<HopFile>()?;
    m.add_function(wrap_pyfunction!(read_table_file, m)?)?;
    m.add_function(wrap_pyfunction!(read_hop_file, m)?)
}
