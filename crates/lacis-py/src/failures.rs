//! Change: a fabric with its managers, what happens to it, and every failure alone.

use std::sync::Arc;

use lacis_core::fabric::{self, Population, PortId};
use lacis_core::failures::{
    self, Change, Damage, Event, Failing, Interrupted, Kind, Mode, Names, Resweep, Survivors,
};
use lacis_core::model::load::Shifts;
use lacis_core::ranks;
use lacis_core::routing::opensm::ftree;
use lacis_core::sm::{Engine, Engines};
use pyo3::exceptions::{PyIndexError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::error::{Failure, to_py};
use crate::fabric::Fabric;
use crate::interrupt::interruptible;
use crate::named::{by_fields, named, rows};
use crate::options::Asked;
use crate::ranks::Participants;
use crate::refusal::refusals;
use crate::routing::Routes;
use crate::verify::population;

/// A fabric after a sweep of its managers.
#[pyclass(frozen, module = "lacis._core")]
pub(crate) struct Managed {
    inner: failures::Managed,
    options: Arc<lacis_core::routing::Options>,
}

#[pymethods]
impl Managed {
    /// The tables of all switches, of the fabric less what is missing.
    #[getter]
    fn routes(&self) -> Routes {
        let routes = self.inner.routes();
        let fabric = Fabric::shared(self.inner.fabric().clone());
        let is_ftree = routes.engine_used == Engine::FTree;
        let undefined = is_ftree && ftree::is_undefined(&fabric.inner, &routes.lids, &self.options);
        Routes::new(fabric, routes.clone(), undefined, self.options.clone())
    }

    fn __repr__(&self) -> String {
        let fabric = self.inner.fabric();
        let (used, switches) = (&self.inner.routes().engine_used, fabric.num_switches());
        format!(
            "<lacis.Managed: tables of {used}, switches: {switches}, blind managers: {}>",
            self.inner.blind().len()
        )
    }

    /// The ports of managers that see nothing but their own node, so that tables stay as they are.
    #[getter]
    fn blind(&self) -> Vec<String> {
        let names = Names::of(self.inner.whole());
        self.inner.blind().into_iter().map(|port| names.port(port)).collect()
    }

    /// Whether each switch is seen by a manager; what is not goes on with the tables that it has.
    fn seen(&self) -> Vec<bool> {
        self.inner.fabric().switches().map(|s| self.inner.sees(s)).collect()
    }

    /// The fabric after changes and the sweep that follows them all, and what that was. A change is
    /// `cut`, `drop` or `restore`, and a selector.
    fn after(&self, py: Python<'_>, changes: Vec<(String, String)>) -> PyResult<(Self, Step)> {
        let whole = self.inner.whole().clone();
        let mut present = self.inner.present().clone();
        let mut events = Vec::new();
        for (kind, selector) in changes {
            let kind = match kind.as_str() {
                "cut" => Kind::Cut,
                "drop" => Kind::Drop,
                "restore" => Kind::Restore,
                other => return Err(PyValueError::new_err(format!("no change is called {other:?}"))),
            };
            let event = Change { kind, selector }.meant(&whole, &present);
            let event = event.map_err(|e| to_py(Failure::plain(&e)))?;
            present.apply(&whole, &event);
            events.push(event);
        }
        let (inner, sweeps) = py.detach(|| self.inner.after(&events));
        Ok((
            Self { inner, options: self.options.clone() },
            Step { whole: Fabric::shared(whole), events, sweeps },
        ))
    }

    /// Table entries that are not the same in a later state, over the switches there.
    fn entries<'py>(&self, py: Python<'py>, after: &Self) -> PyResult<Bound<'py, PyAny>> {
        let found = py.detach(|| failures::entries(&self.inner, &after.inner));
        entries(py, &found)
    }

    /// Ordered pairs that a later state has lost, and the first destinations that they are for.
    #[pyo3(signature = (after, pairs="all", listed=100))]
    fn losses<'py>(
        &self,
        py: Python<'py>,
        after: &Self,
        pairs: &str,
        listed: usize,
    ) -> PyResult<Bound<'py, PyAny>> {
        let population = population(pairs)?;
        let losses =
            py.detach(|| Survivors::of(&self.inner, population).losses(&self.inner, &after.inner, listed));
        let dict = losses_fields(py, &Names::of(self.inner.whole()), &losses)?;
        dict.set_item("destinations", losses.destinations)?;
        by_fields(py, "Losses", &dict)
    }

    /// What the shifts of hosts get, by every `step`-th distance; hosts that are cut off are left
    /// out. Nothing where fewer than two are left.
    #[pyo3(signature = (hosts, step=1))]
    fn shifts<'py>(
        &self,
        py: Python<'py>,
        hosts: &Participants,
        step: usize,
    ) -> PyResult<Option<Bound<'py, PyAny>>> {
        let run = |stop: &_| failures::shifts_of(stop, &self.inner, &hosts.participants, step);
        let found = interruptible(py, run)?.map_err(to_py)?;
        found.map(|s| shifts(py, &s)).transpose()
    }

    /// The hosts of a list that still hang off a switch.
    fn remaining(&self, hosts: &Participants) -> Participants {
        let fabric = self.inner.fabric();
        let participants =
            hosts.participants.remaining(fabric).map_or_else(|| hosts.participants.clone(), Arc::new);
        Participants::new(Fabric::shared(fabric.clone()), participants)
    }
}

/// What happened, and the sweeps that followed.
#[pyclass(frozen, module = "lacis._core")]
pub(crate) struct Step {
    whole: Fabric,
    events: Vec<Event>,
    sweeps: Vec<Resweep>,
}

#[pymethods]
impl Step {
    /// What happened, in order.
    #[getter]
    fn events<'py>(&self, py: Python<'py>) -> PyResult<Vec<Bound<'py, PyAny>>> {
        let kind = |event: &Event| match event {
            Event::Cut(_) => "cut",
            Event::Drop(_) => "drop",
            Event::Plug(_) => "plug",
            Event::Return(_) => "return",
        };
        rows(py, "Happened", self.events.iter().map(|e| (kind(e), e.names(&self.whole.inner))))
    }

    /// The sweeps of the managers that noticed.
    #[getter]
    fn sweeps<'py>(&self, py: Python<'py>) -> PyResult<Vec<Bound<'py, PyAny>>> {
        let names = Names::of(&self.whole.inner);
        let sweep = |s: &Resweep| {
            let dict = PyDict::new(py);
            dict.set_item("manager", names.port(s.manager))?;
            let mode = match s.mode {
                Mode::Kept => "kept",
                Mode::Recomputed => "recomputed",
                Mode::Cached => "cached",
            };
            dict.set_item("mode", mode)?;
            dict.set_item("engine_before", s.engine_before.to_string())?;
            dict.set_item("engine_used", s.engine.as_ref().map(Engines::to_string))?;
            dict.set_item("fell_back", s.fell_back)?;
            dict.set_item("refusals", refusals(py, &s.refusals)?)?;
            by_fields(py, "Resweep", &dict)
        };
        self.sweeps.iter().map(sweep).collect()
    }
}

/// Failures of every cable and every switch, each alone.
#[pyclass(frozen, module = "lacis._core")]
pub(crate) struct Survey {
    inner: failures::Survey,
    parts: Vec<Failing>,
}

#[pymethods]
impl Survey {
    /// What fails, each alone.
    #[getter]
    fn parts<'py>(&self, py: Python<'py>) -> PyResult<Vec<Bound<'py, PyAny>>> {
        parts(py, self.inner.managed().whole(), &self.parts)
    }

    /// How things stand while nothing fails.
    fn baseline<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let baseline = interruptible(py, |stop| self.inner.baseline(stop))?.map_err(to_py)?;
        let routes = self.inner.managed().routes();
        let dict = PyDict::new(py);
        dict.set_item("engine_used", routes.engine_used.to_string())?;
        dict.set_item("refusals", refusals(py, &routes.refusals)?)?;
        dict.set_item("pairs", baseline.pairs)?;
        dict.set_item("delivered", baseline.delivered)?;
        dict.set_item("shifts", baseline.shifts.map(|s| shifts(py, &s)).transpose()?)?;
        by_fields(py, "Intact", &dict)
    }

    /// What some failures cost, by their indices in `parts`.
    fn run<'py>(&self, py: Python<'py>, indices: Vec<usize>) -> PyResult<Vec<Bound<'py, PyAny>>> {
        let failing = |&index: &usize| self.parts.get(index).copied();
        let chosen: Option<Vec<Failing>> = indices.iter().map(failing).collect();
        let chosen = chosen.ok_or_else(|| PyIndexError::new_err("no such part"))?;
        let damages = interruptible(py, |stop| self.inner.run(stop, &chosen))?.map_err(to_py)?;
        let names = Names::of(self.inner.managed().whole());
        damages.iter().map(|one| damage(py, &names, one)).collect()
    }

    /// As `run`, but only what is to be proved of the tables that follow.
    fn prove<'py>(&self, py: Python<'py>, indices: Vec<usize>) -> PyResult<Vec<Bound<'py, PyAny>>> {
        let failing = |&index: &usize| self.parts.get(index).copied();
        let chosen: Option<Vec<Failing>> = indices.iter().map(failing).collect();
        let chosen = chosen.ok_or_else(|| PyIndexError::new_err("no such part"))?;
        let proofs = interruptible(py, |stop| self.inner.prove(stop, &chosen))?.map_err(to_py)?;
        let dict = |proof: &failures::Proof| {
            let dict = PyDict::new(py);
            dict.set_item("pairs_lost", proof.lost)?;
            dict.set_item("credit_loops", proof.loops)?;
            dict.set_item("undefined", proof.undefined)?;
            dict.set_item("fell_back", proof.fell_back)?;
            dict.set_item("engine_used", proof.engine.to_string())?;
            by_fields(py, "FailureProof", &dict)
        };
        proofs.iter().map(dict).collect()
    }
}

fn damage<'py>(py: Python<'py>, names: &Names<'_>, damage: &Damage) -> PyResult<Bound<'py, PyAny>> {
    let dict = losses_fields(py, names, &damage.losses)?;
    dict.set_item("engine_used", damage.engine.to_string())?;
    dict.set_item("refusals", refusals(py, &damage.refusals)?)?;
    dict.set_item("fell_back", damage.fell_back)?;
    dict.set_item("no_engine", damage.no_engine)?;
    dict.set_item("blinded", damage.blinded)?;
    dict.set_item("entries", entries(py, &damage.entries)?)?;
    dict.set_item("shifts", damage.shifts.as_ref().map(|s| shifts(py, s)).transpose()?)?;
    by_fields(py, "Damage", &dict)
}

fn entries<'py>(py: Python<'py>, entries: &failures::Entries) -> PyResult<Bound<'py, PyAny>> {
    let failures::Entries { rerouted, lost, gained, switches, compared } = *entries;
    named(py, "Entries", (entries.changed(), rerouted, lost, gained, switches, compared))
}

fn losses_fields<'py>(
    py: Python<'py>,
    names: &Names<'_>,
    losses: &failures::Losses,
) -> PyResult<Bound<'py, PyDict>> {
    let ports = |ports: &[PortId]| ports.iter().map(|&p| names.port(p)).collect::<Vec<_>>();
    let dict = PyDict::new(py);
    dict.set_item("pairs_lost", losses.pairs())?;
    dict.set_item("apart", losses.apart)?;
    dict.set_item("unrouted", losses.unrouted)?;
    dict.set_item("regained", losses.regained)?;
    dict.set_item("cut_off", ports(&losses.cut_off))?;
    dict.set_item("gone", ports(&losses.gone))?;
    dict.set_item("back", ports(&losses.back))?;
    let lost = |lost: &failures::Lost| {
        let dict = PyDict::new(py);
        dict.set_item("to", names.port(lost.port))?;
        dict.set_item("lid", lost.lid)?;
        dict.set_item("why", if lost.fate == failures::PairFate::Apart { "apart" } else { "unrouted" })?;
        dict.set_item("sources", lost.sources)?;
        let from = lost.from.iter().map(|&s| names.node(s).to_owned());
        dict.set_item("from_", from.collect::<Vec<_>>())?;
        by_fields(py, "LostDestination", &dict)
    };
    dict.set_item("lost", losses.lost.iter().map(lost).collect::<PyResult<Vec<_>>>()?)?;
    Ok(dict)
}

fn shifts<'py>(py: Python<'py>, shifts: &Shifts) -> PyResult<Bound<'py, PyAny>> {
    let dict = PyDict::new(py);
    dict.set_item("distances", shifts.each.len())?;
    let worst = shifts.worst();
    dict.set_item("worst_distance", worst.map(|w| w.distance))?;
    dict.set_item("worst", worst.map(lacis_core::model::load::Shift::relative))?;
    dict.set_item("mean", worst.map(|_| shifts.mean()))?;
    dict.set_item("max_contention", shifts.max_contention())?;
    dict.set_item("unrouted", shifts.each.iter().map(|s| s.unrouted).sum::<u64>())?;
    by_fields(py, "Shifts", &dict)
}

/// A fabric after the first sweep of its managers: as `route`, with the options of
/// `lacis.routing.RouteOptions`.
#[pyfunction]
#[pyo3(signature = (fabric, engines, **options))]
fn manage(
    py: Python<'_>,
    fabric: &Fabric,
    engines: &str,
    options: Option<&Bound<'_, PyDict>>,
) -> PyResult<Managed> {
    let asked = Asked::of(options, &fabric.inner)?;
    let chain: Engines = engines.parse().map_err(|e| to_py(Failure::plain(&e)))?;
    let options = asked.options.clone();
    let made = py.detach(|| {
        let lids = asked.lids(&fabric.inner, &chain)?;
        failures::Managed::new(fabric.inner.clone(), lids, &chain, options).map_err(Failure::from)
    });
    Ok(Managed { inner: made.map_err(to_py)?, options: Arc::new(asked.options) })
}

/// Prepares the failure of every cable between switches (with `host_cables`, of every other cable too)
/// and of every switch: pairs of `pairs`, shifts of `hosts` by every `step`-th distance.
#[pyfunction]
#[pyo3(signature = (managed, hosts, *, pairs="all", host_cables=false, step=1))]
fn survey(
    managed: &Managed,
    hosts: &Participants,
    pairs: &str,
    host_cables: bool,
    step: usize,
) -> PyResult<Survey> {
    let population: Population = population(pairs)?;
    let participants: ranks::Participants = (*hosts.participants).clone();
    let parts = Failing::all(managed.inner.whole(), host_cables);
    Ok(Survey { inner: failures::Survey::new(managed.inner.clone(), population, participants, step), parts })
}

/// Every cable between switches, then every switch, each of which can fail alone.
#[pyfunction]
fn failing<'py>(py: Python<'py>, fabric: &Fabric) -> PyResult<Vec<Bound<'py, PyAny>>> {
    parts(py, &fabric.inner, &Failing::all(&fabric.inner, false))
}

fn parts<'py>(
    py: Python<'py>,
    whole: &fabric::Fabric,
    parts: &[Failing],
) -> PyResult<Vec<Bound<'py, PyAny>>> {
    let names = Names::of(whole);
    rows(py, "Failing", parts.iter().map(|&failing| (kind_of(failing), failing.name(whole, &names))))
}

/// Kind, name and adapters of each switch and cable that cuts host adapters off when it fails alone.
#[pyfunction]
fn cut_off(py: Python<'_>, fabric: &Fabric) -> Vec<(&'static str, String, u64)> {
    let (names, found) = (Names::of(&fabric.inner), py.detach(|| failures::cut_off(&fabric.inner)));
    found
        .into_iter()
        .map(|it| (kind_of(it.failing), it.failing.name(&fabric.inner, &names), it.adapters))
        .collect()
}

/// What a failing part is.
fn kind_of(failing: Failing) -> &'static str {
    if matches!(failing, Failing::Cable(_)) { "cable" } else { "switch" }
}

impl From<Interrupted> for Failure {
    fn from(error: Interrupted) -> Self {
        Self::plain(&error)
    }
}

pub(crate) fn register(m: &Bound<'_, PyModule>) -> PyResult<()> {
    m.add_class::<Managed>()?;
    m.add_class::<Step>()?;
    m.add_class::<Survey>()?;
    m.add_function(wrap_pyfunction!(manage, m)?)?;
    m.add_function(wrap_pyfunction!(survey, m)?)?;
    m.add_function(wrap_pyfunction!(failing, m)?)?;
    m.add_function(wrap_pyfunction!(cut_off, m)?)
}
