//! What a matrix of measurements shows without tables.

use lacis_core::explain::LinkLosses;
use lacis_core::explain::structure::{
    Grouping, LeafAgreement, Peak, Samples, Side, Structure, compare_leaves,
};
use lacis_core::fabric::PortId;
use lacis_core::model::load::{LinkId, Links};
use numpy::{IntoPyArray, PyArrayMethods, PyReadonlyArray1};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::error::{Failure, to_py};
use crate::explain::Explained;
use crate::routing::Routes;

/// Takes samples between hosts apart, `source` and `destination` as numbers below `hosts`, `values` in seconds or, with
/// `is_rate`, bytes per second. `leaf`: number of each host's leaf, if a fabric is given.
///
/// `level` in the unit of the values, and so are `values` (n, n) and `peaks` (center, width, count, least, greatest); all
/// else is relative to the level, more is worse. `rest` (n, n), `sending`, `receiving`, `errors` by host; `noise`; `groupings`, finest first:
/// group by host, inside, between, noise, wrong, ln chance; `least_gap`; `outstanding`: host, side, by, deviations; `parts`: pairs,
/// symmetric, antisymmetric, by hosts, difference, least, greatest; `jitter`: least, greatest, deviation, samples,
/// outliers; `leaves`: whether they are clear, pairs inside, inside, between, noise, and the misplaced: host, leaf, among, near and
/// known pairs with its own and with the other; `to_itself` and `unusable` samples; `pairs`.
#[pyfunction]
#[pyo3(signature = (hosts, source, destination, values, *, is_rate, leaf=None))]
fn take_apart<'py>(
    py: Python<'py>,
    hosts: usize,
    source: PyReadonlyArray1<'py, u32>,
    destination: PyReadonlyArray1<'py, u32>,
    values: PyReadonlyArray1<'py, f64>,
    is_rate: bool,
    leaf: Option<PyReadonlyArray1<'py, u32>>,
) -> PyResult<Bound<'py, PyDict>> {
    let (from, to, value) = (source.as_slice()?, destination.as_slice()?, values.as_slice()?);
    let leaf = leaf.as_ref().map(|leaf| leaf.as_slice()).transpose()?;
    if from.len() != value.len() || to.len() != value.len() || leaf.is_some_and(|leaf| leaf.len() != hosts) {
        return Err(PyValueError::new_err("columns of different lengths"));
    }
    let samples = Samples { hosts, from, to, value, is_rate };
    let found = py.detach(|| Structure::of(&samples, leaf)).map_err(|error| to_py(Failure::plain(&error)))?;
    let n = found.table.n;
    let out = PyDict::new(py);
    out.set_item("level", found.table.level)?;
    out.set_item("pairs", found.table.pairs)?;
    out.set_item("to_itself", found.table.unused.diagonal)?;
    out.set_item("unusable", found.table.unused.unusable)?;
    out.set_item("least_gap", found.least_gap)?;
    out.set_item("noise", found.fit.noise)?;
    let peak = |p: &Peak| (p.center, p.width, p.count, p.least, p.greatest);
    out.set_item("peaks", found.peaks.iter().map(peak).collect::<Vec<_>>())?;
    let side = |side: Side| match side {
        Side::Sending => "sending",
        Side::Receiving => "receiving",
        Side::Both => "both",
    };
    let outstanding = found.outstanding.iter().map(|o| (o.host, side(o.side), o.by, o.deviations));
    out.set_item("outstanding", outstanding.collect::<Vec<_>>())?;
    let p = found.symmetry;
    let symmetry = (p.pairs, p.symmetric, p.antisymmetric, p.by_hosts, p.difference, p.least, p.greatest);
    out.set_item("parts", symmetry)?;
    let jitter = found.table.jitter.map(|j| (j.least, j.greatest, j.deviation, j.samples, j.outliers));
    out.set_item("jitter", jitter)?;
    out.set_item("leaves", found.leaves.as_ref().map(row_of_leaves))?;
    let grouping =
        |g: Grouping| (g.group.into_pyarray(py), g.inside, g.between, g.noise, g.wrong, g.ln_chance);
    out.set_item("groupings", found.groupings.into_iter().map(grouping).collect::<Vec<_>>())?;
    out.set_item("values", found.table.values.into_pyarray(py).reshape((n, n))?)?;
    out.set_item("rest", found.fit.rest.into_pyarray(py).reshape((n, n))?)?;
    out.set_item("sending", found.fit.sending.into_pyarray(py))?;
    out.set_item("receiving", found.fit.receiving.into_pyarray(py))?;
    out.set_item("errors", found.fit.errors.into_pyarray(py))?;
    Ok(out)
}

/// Hosts among those of another leaf: host, leaf, among, near and known pairs with its own and with the other.
type Misplaced = (u32, u32, u32, (u32, u32), (u32, u32));

/// Whether leaves are clear, pairs inside, inside, between, noise, and the misplaced.
type RowOfLeaves = (bool, usize, f64, f64, f64, Vec<Misplaced>);

fn row_of_leaves(leaves: &LeafAgreement) -> RowOfLeaves {
    let misplaced = leaves.misplaced.iter().map(|m| (m.host, m.leaf, m.among, m.own, m.other)).collect();
    (leaves.is_clear, leaves.inside_pairs, leaves.inside, leaves.between, leaves.noise, misplaced)
}

/// How samples agree with the leaf of each host: what `take_apart` has as `leaves`, by itself.
#[pyfunction]
#[pyo3(signature = (hosts, source, destination, values, *, is_rate, leaf))]
fn leaves_of_samples<'py>(
    py: Python<'py>,
    hosts: usize,
    source: PyReadonlyArray1<'py, u32>,
    destination: PyReadonlyArray1<'py, u32>,
    values: PyReadonlyArray1<'py, f64>,
    is_rate: bool,
    leaf: PyReadonlyArray1<'py, u32>,
) -> PyResult<RowOfLeaves> {
    let (from, to, value) = (source.as_slice()?, destination.as_slice()?, values.as_slice()?);
    let leaf = leaf.as_slice()?;
    if from.len() != value.len() || to.len() != value.len() || leaf.len() != hosts {
        return Err(PyValueError::new_err("columns of different lengths"));
    }
    let samples = Samples { hosts, from, to, value, is_rate };
    let found = py.detach(|| compare_leaves(&samples, leaf));
    found.map(|leaves| row_of_leaves(&leaves)).map_err(|error| to_py(Failure::plain(&error)))
}

/// By link, what the flows that cross it lack: its number, node and port that it leaves, node that it arrives at, flows, and the median of
/// their losses, ln; links that no flow crosses are left out.
#[pyfunction]
fn link_losses<'py>(py: Python<'py>, routes: &Routes, explained: &Explained) -> PyResult<Bound<'py, PyDict>> {
    let fabric = &routes.fabric.inner;
    let links = Links::of(fabric);
    let found = py.detach(|| LinkLosses::of(links.len(), &explained.residuals));
    let crossed: Vec<LinkId> =
        (1..links.len() as LinkId).filter(|&link| found.flows[link as usize] > 0).collect();
    let node = |port: PortId| fabric.node_of(port).ix() as u32;
    let arrives = |link: &LinkId| fabric.peer(links.egress(*link)).map_or(u32::MAX, node);
    let column = |of: &dyn Fn(&LinkId) -> u32| crossed.iter().map(of).collect::<Vec<u32>>().into_pyarray(py);
    let out = PyDict::new(py);
    out.set_item("link", column(&|link| *link))?;
    out.set_item("node", column(&|link| node(links.egress(*link))))?;
    out.set_item("port", column(&|link| u32::from(fabric.number_of(links.egress(*link)))))?;
    out.set_item("peer", column(&arrives))?;
    out.set_item("flows", column(&|link| found.flows[*link as usize]))?;
    let median: Vec<f32> = crossed.iter().map(|&link| found.median[link as usize]).collect();
    out.set_item("median", median.into_pyarray(py))?;
    Ok(out)
}

pub(crate) fn register(m: &Bound<'_, PyModule>) -> PyResult<()> {
    m.add_function(wrap_pyfunction!(take_apart, m)?)?;
    m.add_function(wrap_pyfunction!(leaves_of_samples, m)?)?;
    m.add_function(wrap_pyfunction!(link_losses, m)?)
}
