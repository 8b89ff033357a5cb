//! What measurements tell about a fabric.

use std::sync::Arc;

use lacis_core::explain::{Observed, Quantity, Residuals, Values};
use lacis_core::model::fluid::{Capacity, Unknown};
use lacis_core::model::load::Paths;
use lacis_core::traffic::{Flow, Participants};
use numpy::{IntoPyArray, PyReadonlyArray1};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::routing::Routes;
use crate::traffic::Traffic;

/// Measured flows on the hosts of a fabric, and what is expected of them.
#[pyclass(frozen, module = "lacis._core")]
pub(crate) struct Explained {
    pub(crate) who: Arc<Participants>,
    pub(crate) observed: Observed,
    pub(crate) residuals: Residuals,
    assumed: Option<Unknown>,
}

#[pymethods]
impl Explained {
    /// Number of flows: repeats count once.
    fn __len__(&self) -> usize {
        self.observed.len()
    }

    /// Values used.
    #[getter]
    fn used(&self) -> usize {
        self.observed.used
    }

    /// Flows without a route under the tables.
    #[getter]
    fn unrouted(&self) -> usize {
        self.residuals.unrouted
    }

    /// Values that are not used: an end that is no host of the rail, from a host to itself, no number above 0.
    #[getter]
    fn left_out(&self) -> (usize, usize, usize) {
        let left_out = self.observed.left_out;
        (left_out.unknown_host, left_out.to_itself, left_out.no_number)
    }

    /// Classes of flows: links, contention, flows, level, spread.
    #[getter]
    fn levels(&self) -> Vec<(u32, u32, usize, f64, f64)> {
        let row = |l: &lacis_core::explain::Level| (l.links, l.contention, l.flows, l.level, l.spread);
        self.residuals.levels.iter().filter(|level| level.links > 0).map(row).collect()
    }

    /// Links whose rate no source told, and the rate taken.
    #[getter]
    fn assumed(&self) -> Option<(usize, String)> {
        self.assumed.map(|u| (u.links, u.assumed.to_string()))
    }

    /// By flow: hosts `source` and `destination`, `round`, measured `value`, `expected` [bytes/s; 1 for times] and `loss`.
    fn flows<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let hosts = self.who.hosts_of_ports();
        let host = |of: fn(&Flow) -> u32| {
            self.observed.flows.iter().map(|flow| hosts[of(flow) as usize]).collect::<Vec<_>>()
        };
        let out = PyDict::new(py);
        out.set_item("source", host(|flow| flow.from).into_pyarray(py))?;
        out.set_item("destination", host(|flow| flow.to).into_pyarray(py))?;
        out.set_item("round", self.observed.round.clone().into_pyarray(py))?;
        out.set_item("value", self.observed.value.clone().into_pyarray(py))?;
        out.set_item("expected", self.residuals.expected.clone().into_pyarray(py))?;
        out.set_item("loss", self.residuals.loss.clone().into_pyarray(py))?;
        Ok(out)
    }

    fn __repr__(&self) -> String {
        format!(
            "<lacis.Explained: {} flows, {} without a route>",
            self.observed.len(),
            self.residuals.unrouted
        )
    }
}

/// Puts values onto the hosts of a rail and compares them with what the tables make expected. Hosts are numbers, the greatest
/// one none; rounds too: flows of one share the network. `quantity` is `rate` [bytes/s] or `time` [s], half a round trip.
#[pyfunction]
#[pyo3(signature = (routes, hosts, *, quantity, source, destination, rounds, values, rail=0))]
#[expect(clippy::too_many_arguments, reason = "keyword-only: columns of a table")]
fn observe(
    py: Python<'_>,
    routes: &Routes,
    hosts: &Traffic,
    quantity: &str,
    source: PyReadonlyArray1<'_, u32>,
    destination: PyReadonlyArray1<'_, u32>,
    rounds: PyReadonlyArray1<'_, u32>,
    values: PyReadonlyArray1<'_, f64>,
    rail: usize,
) -> PyResult<Explained> {
    let quantity = match quantity {
        "rate" => Quantity::Rate,
        "time" => Quantity::Time,
        _ => return Err(PyValueError::new_err("a quantity is \"rate\" or \"time\"")),
    };
    let values = Values {
        source: source.as_slice()?,
        destination: destination.as_slice()?,
        round: rounds.as_slice()?,
        value: values.as_slice()?,
    };
    let lengths = [values.source.len(), values.destination.len(), values.round.len()];
    if lengths.iter().any(|&length| length != values.value.len()) {
        return Err(PyValueError::new_err("columns of different lengths"));
    }
    let (fabric, tables, who) = (&routes.fabric.inner, &routes.inner, Arc::clone(&hosts.who));
    let (observed, residuals, assumed) = py.detach(|| {
        let observed = Observed::of(&who, rail, quantity, &values);
        let paths = Paths::new(fabric, tables, who.ports(), observed.len());
        let capacity = Capacity::of(fabric, paths.links(), 1.0);
        let residuals = Residuals::of(&paths, &capacity, &observed);
        (observed, residuals, capacity.unknown)
    });
    Ok(Explained { who, observed, residuals, assumed })
}

pub(crate) fn register(m: &Bound<'_, PyModule>) -> PyResult<()> {
    m.add_class::<Explained>()?;
    m.add_function(wrap_pyfunction!(observe, m)?)
}
