//! The configuration of the Omni-Path fabric manager.

use lacis_core::health::opafm as lint;
use lacis_core::io::opafm;
use pyo3::prelude::*;

use crate::error::{Failure, to_py};
use crate::named::named;
use crate::note::Note;

/// An `opafm.xml`, as read.
#[pyclass(frozen, module = "lacis._core")]
pub(crate) struct Opafm {
    inner: opafm::Opafm,
}

#[pymethods]
impl Opafm {
    /// What the reader noticed.
    #[getter]
    fn notes(&self) -> Vec<Note> {
        Note::all(&self.inner.notes)
    }

    /// How many instances of the manager it has.
    #[getter]
    fn instances(&self) -> usize {
        self.inner.instances()
    }

    /// Every element: path, line, value (none where it holds elements).
    fn entries(&self) -> Vec<(&str, usize, Option<&str>)> {
        self.inner.entries.iter().map(|e| (&*e.path, e.line, e.value.as_deref())).collect()
    }

    /// The last value of each setting: where, the text, and what it means.
    fn values(&self) -> Vec<(&str, &str, String)> {
        self.inner.values()
    }

    /// What holds for an instance, from 0: where below `Common` or the instance, and the value.
    fn settings(&self, instance: usize) -> Vec<(&str, &str)> {
        self.inner.settings(instance).into_iter().map(|s| (s.path, s.value)).collect()
    }

    /// What is wrong, as JSON: a list of settings with their facts.
    fn findings_json(&self) -> PyResult<String> {
        serde_json::to_string(&lint::lint(&self.inner)).map_err(|e| to_py(Failure::plain(&e)))
    }

    /// Adaptive routing as it holds for an instance.
    #[pyo3(signature = (instance=0))]
    fn adaptive<'py>(&self, py: Python<'py>, instance: usize) -> PyResult<Bound<'py, PyAny>> {
        let settings = opafm::AdaptiveSettings::of(&self.inner, instance);
        let opafm::AdaptiveSettings {
            enable,
            lost_route_only,
            algorithm,
            frequency,
            threshold,
            fine_grained,
        } = settings;
        named(py, "AdaptiveRouting", (enable, lost_route_only, algorithm, frequency, threshold, fine_grained))
    }
}

/// Reads an `opafm.xml`.
#[pyfunction]
fn read_opafm(py: Python<'_>, data: &[u8]) -> PyResult<Opafm> {
    py.detach(|| opafm::read(data)).map(|inner| Opafm { inner }).map_err(to_py)
}

/// The block about adaptive routing.
#[pyfunction]
#[pyo3(signature = (*, enable, lost_route_only, algorithm, frequency, threshold, fine_grained=false))]
fn opafm_block(
    enable: bool,
    lost_route_only: bool,
    algorithm: u8,
    frequency: u8,
    threshold: u8,
    fine_grained: bool,
) -> String {
    opafm::block(opafm::AdaptiveSettings {
        enable,
        lost_route_only,
        algorithm,
        frequency,
        threshold,
        fine_grained,
    })
}

pub(crate) fn register(m: &Bound<'_, PyModule>) -> PyResult<()> {
    m.add_class::<Opafm>()?;
    m.add_function(wrap_pyfunction!(read_opafm, m)?)?;
    m.add_function(wrap_pyfunction!(opafm_block, m)?)
}
