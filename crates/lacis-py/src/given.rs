//! Files that a manager's options name, and those that the engine `file` loads.

use std::sync::Arc;

use lacis_core::io::lft::{GivenTables, read_given};
use lacis_core::io::{self, lid_matrix};
use lacis_core::routing::opensm::torus_2qos;
use pyo3::prelude::*;

use crate::error::to_py;
use crate::fabric::Fabric;
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

/// Reads a list of GUIDs with OpenSM's rules.
#[pyfunction]
fn read_guid_list(data: &[u8]) -> PyResult<Vec<u64>> {
    Ok(io::guid_list::plain(data).map_err(to_py)?.into_iter().map(|guid| guid.0).collect())
}

/// Reads OpenSM's `guid2lid` cache: port GUIDs with their first and last LIDs, in file order.
#[pyfunction]
fn read_guid2lid(data: &[u8]) -> PyResult<Vec<(u64, u32, u32)>> {
    let entries = io::guid2lid::read(data).map_err(to_py)?;
    Ok(entries.into_iter().map(|e| (e.guid.0, e.first, e.last)).collect())
}

/// Reads a file about switches and their ports, by its key in `opensm.conf`: GUID and numbers of each line.
#[pyfunction]
fn read_port_list(data: &[u8], key: &str) -> PyResult<Vec<(u64, Vec<u64>)>> {
    use io::port_list::{Mistakes::Refused, ids, ignored, search_order, weights};
    let entries: Result<Vec<(u64, Vec<u64>)>, io::ReadError> = match key {
        "ids_guid_file" => {
            ids(data, Refused).map(|all| all.into_iter().map(|(g, id)| (g.0, vec![id])).collect())
        }
        "port_prof_ignore_file" => {
            ignored(data).map(|all| all.into_iter().map(|(g, p)| (g.0, vec![p.into()])).collect())
        }
        "hop_weights_file" => weights(data, Refused)
            .map(|all| all.into_iter().map(|(g, p, w)| (g.0, vec![p.into(), w.into()])).collect()),
        _ => search_order(data, Refused).map(|all| {
            all.into_iter().map(|(g, ps)| (g.0, ps.into_iter().map(u64::from).collect())).collect()
        }),
    };
    entries.map_err(to_py)
}

/// Reads a configuration of torus-2QoS and compares it with the fabric that it is about.
#[pyfunction]
fn check_torus_config(py: Python<'_>, fabric: &Fabric, data: &[u8]) -> PyResult<()> {
    let check = || io::torus_conf::read(data).and_then(|conf| torus_2qos::fit(&fabric.inner, &conf));
    py.detach(check).map_err(to_py)
}

/// A configuration by which torus-2QoS routes a fabric; none where it is no whole torus or mesh.
#[pyfunction]
fn torus_config(py: Python<'_>, fabric: &Fabric) -> Option<Vec<u8>> {
    let conf = py.detach(|| torus_2qos::proposal(&fabric.inner));
    conf.map(|conf| io::torus_conf::write(&conf).into_bytes())
}

type Settings = Vec<(usize, String, String)>;

/// Reads an `opensm.conf`: settings that concern routing, others that OpenSM knows, NVIDIA's about adaptive routing, and
/// unknown ones, each as line, key and value.
#[pyfunction]
fn read_opensm_conf(data: &[u8]) -> PyResult<(Settings, Settings, Settings, Settings)> {
    let conf = io::opensm_conf::read(data).map_err(to_py)?;
    let all = |settings: Vec<io::opensm_conf::ConfLine>| -> Settings {
        settings.into_iter().map(|s| (s.line, s.key, s.value)).collect()
    };
    Ok((all(conf.settings), all(conf.ignored), all(conf.adaptive), all(conf.unknown)))
}

pub(crate) fn register(m: &Bound<'_, PyModule>) -> PyResult<()> {
    m.add_class::<TableFile>()?;
    m.add_class::<HopFile>()?;
    m.add_function(wrap_pyfunction!(read_table_file, m)?)?;
    m.add_function(wrap_pyfunction!(read_hop_file, m)?)?;
    m.add_function(wrap_pyfunction!(read_guid_list, m)?)?;
    m.add_function(wrap_pyfunction!(read_guid2lid, m)?)?;
    m.add_function(wrap_pyfunction!(read_port_list, m)?)?;
    m.add_function(wrap_pyfunction!(check_torus_config, m)?)?;
    m.add_function(wrap_pyfunction!(torus_config, m)?)?;
    m.add_function(wrap_pyfunction!(read_opensm_conf, m)?)
}
