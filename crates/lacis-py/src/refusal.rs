//! Refusals of engines, with fields.

use lacis_core::sm::Refusal;
use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;

/// Engines that refused, as rows of `lacis.results`, in their order.
pub(crate) fn refusals<'py>(py: Python<'py>, refusals: &[Refusal]) -> PyResult<Vec<Bound<'py, PyAny>>> {
    let row = py.import("lacis.results")?.getattr("engine_refusal")?;
    let refused = |one: &Refusal| {
        let fact = serde_json::to_string(&one.reason).map_err(|e| PyRuntimeError::new_err(e.to_string()))?;
        row.call1((one.engine.name(), one.why(), one.subnet.as_deref(), fact))
    };
    refusals.iter().map(refused).collect()
}
