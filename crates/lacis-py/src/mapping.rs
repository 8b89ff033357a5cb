//! Ranks mapped to hosts, and what that gains.

use std::sync::Arc;

use lacis_core::mapping::{self, Demand, Outcome, Request};
use lacis_core::ranks::{Location, Ranks};
use lacis_core::traffic::{Program, ProgramSpec};
use numpy::{IntoPyArray, PyArray1, PyReadonlyArray1};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::error::{Failure, to_py};
use crate::interrupt::interruptible;
use crate::named::by_fields;
use crate::ranks::Participants;
use crate::routing::Routes;

/// Senders, receivers and bytes, as arrays.
type Demands<'py> = (Bound<'py, PyArray1<u32>>, Bound<'py, PyArray1<u32>>, Bound<'py, PyArray1<u64>>);

fn plain(error: &dyn std::fmt::Display) -> PyErr {
    to_py(Failure::plain(error))
}

fn demands(
    source: &PyReadonlyArray1<'_, u32>,
    destination: &PyReadonlyArray1<'_, u32>,
    bytes: &PyReadonlyArray1<'_, u64>,
) -> PyResult<Vec<Demand>> {
    let (source, destination, bytes) = (source.as_slice()?, destination.as_slice()?, bytes.as_slice()?);
    if source.len() != destination.len() || source.len() != bytes.len() {
        return Err(PyValueError::new_err("source, destination and bytes are equally many"));
    }
    let rows = source.iter().zip(destination).zip(bytes);
    Ok(rows.map(|((&from, &to), &bytes)| Demand { from, to, bytes }).collect())
}

/// What an order costs: `tiers` (bytes inside hosts, leaves and pods, and above), `unrouted` bytes, `seconds` of the most
/// loaded link and of that `between_switches`, with their egress ports.
fn outcome<'py>(py: Python<'py>, routes: &Routes, it: &Outcome) -> PyResult<Bound<'py, PyAny>> {
    let name = |port: Option<_>| port.map(|port| routes.fabric.port_name(port));
    let row = PyDict::new(py);
    row.set_item("tiers", it.tiers.to_vec())?;
    row.set_item("unrouted", it.cost.unrouted)?;
    row.set_item("seconds", it.cost.busiest)?;
    row.set_item("seconds_between", it.cost.between_switches)?;
    row.set_item("link", name(it.busiest))?;
    row.set_item("link_between", name(it.between_switches))?;
    by_fields(py, "OrderOfRanks", &row)
}

/// Maps ranks to hosts: `given` has the host of each rank, by number among `hosts`. Returns the host of each rank and what
/// the order given, the one that looks at bytes alone and the one chosen cost; whether every order of hosts was tried.
#[pyfunction]
#[pyo3(signature = (routes, hosts, given, source, destination, sizes, *, grid=Vec::new(), apart=Vec::new(),
       pinned=Vec::new(), effort=40_000_000, seed=1))]
#[expect(clippy::too_many_arguments, reason = "keyword-only, as the command line has them")]
fn map_ranks<'py>(
    py: Python<'py>,
    routes: &Routes,
    hosts: &Participants,
    given: PyReadonlyArray1<'py, u32>,
    source: PyReadonlyArray1<'py, u32>,
    destination: PyReadonlyArray1<'py, u32>,
    sizes: PyReadonlyArray1<'py, u64>,
    grid: Vec<u32>,
    apart: Vec<u32>,
    pinned: Vec<(u32, u32)>,
    effort: u64,
    seed: u64,
) -> PyResult<Bound<'py, PyAny>> {
    let demands = demands(&source, &destination, &sizes)?;
    let given = given.as_slice()?;
    let request =
        Request { given, demands: &demands, grid: &grid, apart: &apart, pinned: &pinned, effort, seed };
    let participants = Arc::clone(&hosts.participants);
    let run =
        |stop: &_| mapping::map_until(stop, &routes.fabric.inner, &routes.inner, &participants, &request);
    let found = interruptible(py, run)?.map_err(|e| plain(&e))?;
    let row = PyDict::new(py);
    row.set_item("given", outcome(py, routes, &found.given)?)?;
    row.set_item("by_bytes", outcome(py, routes, &found.by_bytes)?)?;
    row.set_item("chosen", outcome(py, routes, &found.chosen)?)?;
    row.set_item("exact", found.is_exact)?;
    row.set_item("host", found.host.into_pyarray(py))?;
    by_fields(py, "MappedRanks", &row)
}

/// What one order of ranks costs, without looking for another.
#[pyfunction]
fn order_of_ranks<'py>(
    py: Python<'py>,
    routes: &Routes,
    hosts: &Participants,
    given: PyReadonlyArray1<'py, u32>,
    source: PyReadonlyArray1<'py, u32>,
    destination: PyReadonlyArray1<'py, u32>,
    sizes: PyReadonlyArray1<'py, u64>,
) -> PyResult<Bound<'py, PyAny>> {
    let demands = demands(&source, &destination, &sizes)?;
    let given = given.as_slice()?;
    let participants = &*hosts.participants;
    let found =
        py.detach(|| mapping::outcome_of(&routes.fabric.inner, &routes.inner, participants, given, &demands));
    outcome(py, routes, &found.map_err(|e| plain(&e))?)
}

/// How long a step takes [s] whose messages all share the links max-min fairly, with ranks on given hosts; nothing where no
/// message crosses the fabric or one has no route.
#[pyfunction]
fn mapped_time<'py>(
    py: Python<'py>,
    routes: &Routes,
    hosts: &Participants,
    given: PyReadonlyArray1<'py, u32>,
    source: PyReadonlyArray1<'py, u32>,
    destination: PyReadonlyArray1<'py, u32>,
    sizes: PyReadonlyArray1<'py, u64>,
) -> PyResult<Option<f64>> {
    let demands = demands(&source, &destination, &sizes)?;
    let given = given.as_slice()?;
    let participants = Arc::clone(&hosts.participants);
    let run = |stop: &_| {
        mapping::time_until(stop, &routes.fabric.inner, &routes.inner, &participants, given, &demands)
    };
    let times = interruptible(py, run)?.map_err(|e| plain(&e))?;
    Ok(times.filter(|times| times.unrouted == 0).map(|times| times.total))
}

/// What ranks on given hosts send each other in all phases of a program together: sources, destinations, bytes.
#[pyfunction]
fn program_demands<'py>(
    py: Python<'py>,
    hosts: &Participants,
    given: PyReadonlyArray1<'py, u32>,
    program: &str,
    size: u64,
    listed: &str,
) -> PyResult<Demands<'py>> {
    let spec: ProgramSpec = program.parse().map_err(to_py)?;
    let given = given.as_slice()?;
    let mut count = vec![0; hosts.participants.num_hosts()];
    let location = |&host: &u32| {
        let core = count.get_mut(host as usize).map_or(0, |count| std::mem::replace(count, *count + 1));
        let slot = |rail: &usize| hosts.participants.slot(host, *rail).is_some();
        let rail = (0..hosts.participants.num_rails()).find(slot).unwrap_or(0) as u32;
        Location { host, rail, core }
    };
    let locations: Vec<Location> = given.iter().map(location).collect();
    let ranks = Ranks::mapped(&hosts.participants, locations).map_err(to_py)?;
    let program = Program::new(&spec, ranks, size, listed).map_err(to_py)?;
    let merged = mapping::demands_of(&program).map_err(|e| plain(&e))?;
    let part = |get: fn(&Demand) -> u32| merged.iter().map(get).collect::<Vec<u32>>().into_pyarray(py);
    let bytes = merged.iter().map(|d| d.bytes).collect::<Vec<u64>>().into_pyarray(py);
    Ok((part(|d| d.from), part(|d| d.to), bytes))
}

pub(crate) fn register(m: &Bound<'_, PyModule>) -> PyResult<()> {
    m.add_function(wrap_pyfunction!(map_ranks, m)?)?;
    m.add_function(wrap_pyfunction!(order_of_ranks, m)?)?;
    m.add_function(wrap_pyfunction!(mapped_time, m)?)?;
    m.add_function(wrap_pyfunction!(program_demands, m)?)
}
