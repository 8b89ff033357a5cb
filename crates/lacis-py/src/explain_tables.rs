//! Which tables a fabric seems to run.

use std::sync::Arc;

use lacis_core::explain::{Candidate, rank};
use lacis_core::model::fluid::Capacity;
use lacis_core::model::load::Paths;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::explain::Explained;
use crate::named::by_fields;
use crate::routing::Routes;

/// Ranks candidate tables by the likelihood of what was measured. `candidates`: kind, and routes: `tables` (one), `orders` (some
/// of an engine under orders drawn at random), `spread` (none: switches choose among all shortest paths).
///
/// `flows`, and how many of them are `differing`; `fits`, the likeliest first: `candidate` by number, `group`, `likelihood`
/// (mean ln), `z` of the best against it, `level`, `spread`, `as_expected` (share of the differing flows, or none), `unrouted`.
#[pyfunction]
fn rank_tables<'py>(
    py: Python<'py>,
    explained: &Explained,
    routes: &Routes,
    candidates: Vec<(String, Vec<Py<Routes>>)>,
) -> PyResult<Bound<'py, PyAny>> {
    let size = routes.fabric.inner.num_ports();
    let mut all = Vec::with_capacity(candidates.len());
    for (kind, given) in candidates {
        let tables: Vec<_> = given.iter().map(|one| Arc::clone(&one.get().inner)).collect();
        if given.iter().any(|one| one.get().fabric.inner.num_ports() != size) {
            return Err(PyValueError::new_err("tables of another fabric"));
        }
        let fits = match kind.as_str() {
            "tables" => tables.len() == 1,
            "orders" => !tables.is_empty(),
            "spread" => tables.is_empty(),
            _ => false,
        };
        if !fits {
            return Err(PyValueError::new_err("a candidate is \"tables\", \"orders\" or \"spread\""));
        }
        all.push((kind, tables));
    }
    let ranking = py.detach(|| {
        let participants = &explained.participants;
        let paths = Paths::new(&routes.fabric.inner, &routes.inner, participants.ports(), 0);
        let capacity = Capacity::of(&routes.fabric.inner, paths.links(), 1.0);
        let candidates: Vec<Candidate<'_>> = all
            .iter()
            .map(|(kind, tables)| match (kind.as_str(), tables.as_slice()) {
                ("tables", [one]) => Candidate::Tables(one),
                ("orders", orders) => Candidate::AnyOrder(orders.iter().map(|one| &**one).collect()),
                _ => Candidate::Spread,
            })
            .collect();
        rank(&paths, &capacity, &explained.observed, &candidates)
    });
    let out = PyDict::new(py);
    let row = |fit: &lacis_core::explain::CandidateFit| {
        let row = PyDict::new(py);
        row.set_item("candidate", fit.candidate)?;
        row.set_item("group", fit.group)?;
        row.set_item("likelihood", fit.likelihood)?;
        row.set_item("z", fit.z)?;
        row.set_item("level", fit.level)?;
        row.set_item("spread", fit.spread)?;
        row.set_item("as_expected", fit.as_expected)?;
        row.set_item("unrouted", fit.unrouted)?;
        by_fields(py, "CandidateFit", &row)
    };
    out.set_item("fits", ranking.fits.iter().map(row).collect::<PyResult<Vec<_>>>()?)?;
    out.set_item("flows", ranking.flows)?;
    out.set_item("differing", ranking.differing)?;
    by_fields(py, "TableRanking", &out)
}

pub(crate) fn register(m: &Bound<'_, PyModule>) -> PyResult<()> {
    m.add_function(wrap_pyfunction!(rank_tables, m)?)
}
