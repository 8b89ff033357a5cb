//! Times: a pattern or a job with sizes through the fluid model.

use lacis_core::model::load::Multipath;
use lacis_core::predict::{self, TimesRequest};
use lacis_core::traffic::Traffic;
use numpy::{IntoPyArray, PyArray1};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::{IntoPyDict, PyDict};

use crate::error::{Failure, to_py};
use crate::fabric::Fabric;
use crate::hardware::Lanes;
use crate::interrupt::interruptible;
use crate::named::{named, rows};
use crate::predict::check_part;
use crate::ranks::Participants;
use crate::routing::Routes;
use crate::traffic::{AskedTraffic, phase_names};

/// How long messages take.
#[pyclass(frozen, module = "lacis._core")]
pub(crate) struct Times {
    fabric: Fabric,
    inner: predict::Times,
    names: Vec<String>,
    ranks: Option<u32>,
    terms: Option<(f64, f64)>,
}

#[pymethods]
impl Times {
    /// All phases [s]: one after the other as they depend on each other; of a pattern, whose phases do not,
    /// the sum.
    #[getter]
    fn total(&self) -> f64 {
        self.inner.total
    }

    /// Number of ranks; nothing for a pattern.
    #[getter]
    fn ranks(&self) -> Option<u32> {
        self.ranks
    }

    /// Messages: that arrive, their bytes, of them those inside a host, those without a route, pairs left
    /// out on a rail that one lacks.
    #[getter]
    fn counts<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let t = &self.inner;
        let counts = [
            ("messages", t.messages),
            ("bytes", t.bytes),
            ("inside_hosts", t.inside),
            ("unrouted", t.unrouted),
            ("skipped", t.skipped),
            ("events", t.events),
        ];
        counts.into_py_dict(py)
    }

    /// How long messages take from the beginning of their phase [s]: mean, min, max, p01, p50, p99; not a
    /// number where there is none.
    #[getter]
    fn completion<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let all = &self.inner.completion;
        let values = [
            ("mean", all.sum() / all.count() as f64),
            ("min", all.min()),
            ("max", all.max()),
            ("p01", all.quantile(0.01)),
            ("p50", all.quantile(0.5)),
            ("p99", all.quantile(0.99)),
        ];
        values.into_py_dict(py)
    }

    /// Completion times, ascending [s], and how many messages have each.
    fn distribution<'py>(&self, py: Python<'py>) -> (Bound<'py, PyArray1<f64>>, Bound<'py, PyArray1<u64>>) {
        let (values, messages): (Vec<f64>, Vec<u64>) = self.inner.completion.values().iter().copied().unzip();
        (values.into_pyarray(py), messages.into_pyarray(py))
    }

    /// Number of phases.
    #[getter]
    fn num_phases(&self) -> usize {
        self.inner.phases.len()
    }

    /// By phase: its `name`; when it `begins` and what `time` it takes [s]; its `messages` and their `bytes`.
    fn phases<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let all = &self.inner.phases;
        let dict = PyDict::new(py);
        dict.set_item("name", self.names.clone())?;
        dict.set_item("begins", all.iter().map(|p| p.begun).collect::<Vec<_>>().into_pyarray(py))?;
        dict.set_item("time", all.iter().map(|p| p.time).collect::<Vec<_>>().into_pyarray(py))?;
        dict.set_item("messages", all.iter().map(|p| p.messages).collect::<Vec<_>>().into_pyarray(py))?;
        dict.set_item("bytes", all.iter().map(|p| p.bytes).collect::<Vec<_>>().into_pyarray(py))?;
        Ok(dict)
    }

    /// The links that need longest for what they carry: egress, ingress, bytes, share of the time.
    #[getter]
    fn busiest<'py>(&self, py: Python<'py>) -> PyResult<Vec<Bound<'py, PyAny>>> {
        let far = |port| self.fabric.inner.peer(port).map_or_else(String::new, |p| self.fabric.port_name(p));
        let row =
            |b: &predict::BusyLink| (self.fabric.port_name(b.egress), far(b.egress), b.bytes, b.utilisation);
        rows(py, "BusyLink", self.inner.busiest.iter().map(row))
    }

    fn __repr__(&self) -> String {
        let (phases, messages) = (self.inner.phases.len(), self.inner.messages);
        format!("<lacis.Times: {} s, phases: {phases}, messages: {messages}>", self.inner.total)
    }

    /// Algorithm and bus bandwidth of a collective, as nccl-tests define them [bytes/s].
    #[getter]
    fn bandwidth<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyAny>>> {
        let per_second =
            |(size, factor): (f64, f64)| (size / self.inner.total, size / self.inner.total * factor);
        let row = self.terms.filter(|_| self.inner.total > 0.0).map(per_second);
        row.map(|row| named(py, "Collective", row)).transpose()
    }

    /// With ideal splits: how far the least rate of a phase may be below the best possible, relative.
    #[getter]
    fn gap(&self) -> Option<f64> {
        self.inner.gap
    }

    /// Directed links whose rate had to be assumed, and the rate taken.
    #[getter]
    fn assumed_rates<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyAny>>> {
        let row = self.inner.unknown_rates.map(|u| (u.links, u.assumed.to_string()));
        row.map(|row| named(py, "AssumedRates", row)).transpose()
    }
}

/// Says how long a pattern or a job takes whose sizes are given by `size`. `listed` is the text of the
/// file that it names.
#[pyfunction]
#[pyo3(name = "times", signature = (routes, hosts, traffic, size, *, patterns=1000, seed=1, listed="",
       ranks_per_host=1, host_efficiency=1.0, link_efficiency=1.0, local_rate=1e10, hottest=10, multipath="none",
       lanes=None, striping=None))]
#[expect(clippy::too_many_arguments, reason = "keyword-only, as the command line has them")]
fn times_of(
    py: Python<'_>,
    routes: &Routes,
    hosts: &Participants,
    traffic: &str,
    size: u64,
    patterns: usize,
    seed: u64,
    listed: &str,
    ranks_per_host: u32,
    host_efficiency: f64,
    link_efficiency: f64,
    local_rate: f64,
    hottest: usize,
    multipath: &str,
    lanes: Option<Lanes>,
    striping: Option<&str>,
) -> PyResult<Times> {
    check_part("host_efficiency", host_efficiency)?;
    check_part("link_efficiency", link_efficiency)?;
    if !(local_rate > 0.0 && local_rate.is_finite()) || size == 0 || ranks_per_host == 0 {
        return Err(PyValueError::new_err("size, ranks_per_host and local_rate are above 0"));
    }
    let known = || format!("multipath is one of {}", Multipath::NAMES.map(|n| n.0).join(", "));
    let multipath = multipath.parse().map_err(|()| PyValueError::new_err(known()))?;
    let lanes = lanes.as_ref().map(Lanes::read).transpose()?;
    let request =
        TimesRequest { seed, host_efficiency, link_efficiency, local_rate, lanes, hottest, multipath };
    let participants = hosts.participants.clone();
    let asked = AskedTraffic { spec: traffic, listed, patterns, bytes: size, ranks_per_host, striping };
    let traffic = asked.ready(&participants)?;
    let run = |stop: &_| predict::times_until(stop, &routes.fabric.inner, &routes.inner, &traffic, &request);
    let inner = interruptible(py, run)?.map_err(|e| to_py(Failure::plain(&e)))?;
    let (ranks, terms) = match &traffic {
        Traffic::Pattern(_) => (None, None),
        Traffic::Program(program) => (Some(program.ranks().len()), program.bandwidth_terms()),
    };
    Ok(Times { fabric: routes.fabric.clone(), inner, names: phase_names(&traffic), ranks, terms })
}

pub(crate) fn register(m: &Bound<'_, PyModule>) -> PyResult<()> {
    m.add_class::<Times>()?;
    m.add_function(wrap_pyfunction!(times_of, m)?)
}
