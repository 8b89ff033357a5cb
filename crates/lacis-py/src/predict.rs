//! Prediction: a traffic pattern through the load or the fluid model.

use std::sync::Arc;

use lacis_core::cuts;
use lacis_core::fabric::{NodeId, PortId};
use lacis_core::model::load::{Crossings, Paths};
use lacis_core::predict::{self, Cells, Model, PredictRequest};
use lacis_core::ranks;
use lacis_core::traffic::Traffic;
use numpy::{IntoPyArray, PyArray1, PyArray2, PyArrayMethods};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::{IntoPyDict, PyDict, PyTuple};

use crate::error::{Failure, to_py};
use crate::fabric::Fabric;
use crate::hardware::Lanes;
use crate::interrupt::interruptible;
use crate::named::{by_fields, named};
use crate::ranks::Participants;
use crate::routing::Routes;
use crate::traffic::AskedTraffic;

/// What the flows of a pattern get.
#[pyclass(frozen, module = "lacis._core")]
pub(crate) struct Prediction {
    fabric: Fabric,
    participants: Arc<ranks::Participants>,
    labels: Vec<u32>,
    inner: predict::Prediction,
}

impl Prediction {
    /// A sender or receiver: its host, and the adapter where hosts have several.
    fn end_name(&self, slot: u32) -> String {
        let host = &self.participants.names()[self.participants.hosts_of_ports()[slot as usize] as usize];
        let node = self.fabric.inner.node_of(self.participants.ports()[slot as usize]);
        let adapter = self.fabric.inner.name(node);
        let named = self.participants.num_rails() > 1 && adapter.starts_with(&**host);
        if named { adapter.into_owned() } else { host.clone() }
    }
}

#[pymethods]
impl Prediction {
    #[getter]
    fn model(&self) -> &'static str {
        self.inner.model.name()
    }

    /// Flows that are delivered, over all phases.
    #[getter]
    fn flows(&self) -> u64 {
        self.inner.flows
    }

    /// Flows without a route.
    #[getter]
    fn unrouted(&self) -> u64 {
        self.inner.unrouted
    }

    /// Pairs of hosts left out on a rail that one of them lacks.
    #[getter]
    fn skipped(&self) -> u64 {
        self.inner.skipped
    }

    /// Of all flows, those without a route at 0: mean, min, max, p01, p50, p99; not a number where there is
    /// none.
    #[getter]
    fn relative_bandwidth<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let all = &self.inner.relative;
        [
            ("mean", self.inner.mean_relative),
            ("min", all.min()),
            ("max", all.max()),
            ("p01", all.quantile(0.01)),
            ("p50", all.quantile(0.5)),
            ("p99", all.quantile(0.99)),
        ]
        .into_py_dict(py)
    }

    /// Relative bandwidths, ascending, and how many flows have each.
    fn distribution<'py>(&self, py: Python<'py>) -> (Bound<'py, PyArray1<f64>>, Bound<'py, PyArray1<u64>>) {
        let (values, flows): (Vec<f64>, Vec<u64>) = self.inner.relative.values().iter().copied().unzip();
        (values.into_pyarray(py), flows.into_pyarray(py))
    }

    #[getter]
    fn max_contention(&self) -> u64 {
        self.inner.max_contention
    }

    /// Greatest contention of a phase, mean over the phases.
    #[getter]
    fn mean_max_contention(&self) -> f64 {
        self.inner.mean_max_contention
    }

    /// Rates of flows [bytes/s] in the fluid model: mean, min, max, and all flows of a phase together.
    #[getter]
    fn bandwidth<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyAny>>> {
        let row = self.inner.bandwidth.as_ref().map(|b| (b.mean, b.min, b.max, b.total));
        row.map(|row| named(py, "Bandwidth", row)).transpose()
    }

    /// Number of phases.
    #[getter]
    fn num_phases(&self) -> usize {
        self.inner.phases.len()
    }

    /// By phase: label (the distance of a shift, the offset of leaves), mean and least relative
    /// bandwidth, greatest contention, sum of the rates [bytes/s].
    fn phases<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let all = &self.inner.phases;
        let each =
            |of: fn(&predict::PhaseResult) -> f64| all.iter().map(of).collect::<Vec<_>>().into_pyarray(py);
        let dict = PyDict::new(py);
        dict.set_item("label", self.labels.clone().into_pyarray(py))?;
        dict.set_item("mean", each(predict::PhaseResult::relative))?;
        dict.set_item("min", each(|p| p.relative_min))?;
        dict.set_item("max_contention", each(|p| p.max_contention as f64))?;
        dict.set_item("throughput", each(|p| p.throughput))?;
        Ok(dict)
    }

    /// Every flow that has a route, where they were kept: numbers of its hosts, its phase, and its rate [bytes/s] in the
    /// fluid model; four arrays of one length.
    fn flow_rates<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let hosts = self.participants.hosts_of_ports();
        let all = &self.inner.flow_rates;
        let each =
            |of: &dyn Fn(&predict::FlowRate) -> u32| all.iter().map(of).collect::<Vec<_>>().into_pyarray(py);
        let dict = PyDict::new(py);
        dict.set_item("source", each(&|one| hosts[one.flow.from as usize]))?;
        dict.set_item("destination", each(&|one| hosts[one.flow.to as usize]))?;
        dict.set_item("phase", each(&|one| one.phase))?;
        dict.set_item("rate", all.iter().map(|one| one.rate).collect::<Vec<_>>().into_pyarray(py))?;
        Ok(dict)
    }

    /// The hottest links, hottest first.
    #[getter]
    fn hottest<'py>(&self, py: Python<'py>) -> PyResult<Vec<Bound<'py, PyAny>>> {
        let row = |hot: &predict::HotLink| {
            let far =
                self.fabric.inner.peer(hot.egress).map_or_else(String::new, |p| self.fabric.port_name(p));
            let flows = hot.flows.iter().map(|f| (self.end_name(f.from), self.end_name(f.to)));
            let dict = PyDict::new(py);
            dict.set_item("egress", self.fabric.port_name(hot.egress))?;
            dict.set_item("ingress", far)?;
            dict.set_item("contention", hot.contention)?;
            dict.set_item("phase", self.labels[hot.phase])?;
            dict.set_item("total", hot.total)?;
            dict.set_item("utilisation", hot.utilisation)?;
            dict.set_item("flows", flows.collect::<Vec<_>>())?;
            by_fields(py, "HottestLink", &dict)
        };
        self.inner.hottest.iter().map(row).collect()
    }

    /// Flows over all phases on every cabled port, in its egress direction: node, port, flows. Those of
    /// `predict_each` are not kept.
    #[expect(clippy::type_complexity, reason = "three parallel arrays")]
    fn loads<'py>(
        &self,
        py: Python<'py>,
    ) -> PyResult<(Bound<'py, PyArray1<u32>>, Bound<'py, PyArray1<u8>>, Bound<'py, PyArray1<u64>>)> {
        let f = &self.fabric.inner;
        if self.inner.loads.len() < f.num_ports() {
            return Err(PyValueError::new_err("the loads of links were not kept"));
        }
        let ports = || (0..f.num_ports() as u32).map(PortId).filter(|&p| f.peer(p).is_some());
        let nodes = ports().map(|p| f.node_of(p).0).collect::<Vec<_>>();
        let numbers = ports().map(|p| f.number_of(p)).collect::<Vec<_>>();
        let flows = ports().map(|p| self.inner.loads[p.ix()]).collect::<Vec<_>>();
        Ok((nodes.into_pyarray(py), numbers.into_pyarray(py), flows.into_pyarray(py)))
    }

    /// What the matrices' rows and columns are, `leaf` or `host`, and their names; nothing where no
    /// matrix was asked for.
    #[getter]
    fn matrix_labels(&self) -> Option<(&'static str, Vec<String>)> {
        self.inner.matrix.as_ref().map(|m| match m.cells {
            Cells::Leaves => {
                let f = &self.fabric.inner;
                let name = |&leaf| f.name(leaf).into_owned();
                ("leaf", self.participants.leaves().iter().map(name).collect())
            }
            Cells::Hosts => ("host", self.participants.names().to_vec()),
        })
    }

    /// Relative bandwidth by sender (row) and receiver: `mean`, `min` or `max`; not a number where
    /// nothing was sent.
    fn matrix<'py>(&self, py: Python<'py>, kind: &str) -> PyResult<Option<Bound<'py, PyArray2<f64>>>> {
        let Some(matrix) = &self.inner.matrix else { return Ok(None) };
        let values = match kind {
            "mean" => &matrix.mean,
            "min" => &matrix.min,
            "max" => &matrix.max,
            _ => return Err(PyValueError::new_err("a matrix is \"mean\", \"min\" or \"max\"")),
        };
        values.clone().into_pyarray(py).reshape([matrix.size, matrix.size]).map(Some)
    }

    /// Directed links whose rate had to be assumed in the fluid model, and the rate taken.
    #[getter]
    fn assumed_rates<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyAny>>> {
        let row = self.inner.unknown_rates.map(|u| (u.links, u.assumed.to_string()));
        row.map(|row| named(py, "AssumedRates", row)).transpose()
    }

    fn __repr__(&self) -> String {
        let (model, phases, flows) = (self.inner.model.name(), self.inner.phases.len(), self.inner.flows);
        let mean = self.inner.mean_relative;
        format!(
            "<lacis.Prediction: model {model}, phases: {phases}, flows: {flows}, mean relative bandwidth {mean:.4}>"
        )
    }
}

/// Refuses what is no share from 0 to 1.
pub(crate) fn check_part(name: &str, value: f64) -> PyResult<()> {
    if value > 0.0 && value <= 1.0 {
        return Ok(());
    }
    Err(PyValueError::new_err(format!("{name} is above 0 and at most 1")))
}

/// A link's node and egress port, and the flows over it.
type Crowded<'py> = (u32, u8, Bound<'py, PyArray2<u32>>);

/// The most flows that the tables can send over one link at the same time, no host sending or receiving
/// twice: the link's node and egress port, and senders and receivers by their indices among the hosts; shape
/// `(flows, 2)`. Of links between switches, or those that leave given `switches`; None where none is used.
#[pyfunction]
#[pyo3(signature = (routes, hosts, switches=None))]
fn worst_permutation<'py>(
    py: Python<'py>,
    routes: &Routes,
    hosts: &Participants,
    switches: Option<Vec<u32>>,
) -> PyResult<Option<Crowded<'py>>> {
    let fabric = &routes.fabric.inner;
    let chosen = switches.map(|all| all.into_iter().collect::<std::collections::BTreeSet<u32>>());
    let found = py.detach(|| {
        let paths = Paths::new(fabric, &routes.inner, hosts.participants.ports(), 0);
        let node = |link| fabric.node_of(paths.links().egress(link)).0;
        let worst =
            Crossings::of(&paths).worst(|link| chosen.as_ref().is_none_or(|all| all.contains(&node(link))));
        worst.map(|(link, flows)| (paths.links().egress(link), flows))
    });
    let Some((egress, flows)) = found else { return Ok(None) };
    let pairs: Vec<u32> = flows.iter().flat_map(|flow| [flow.from, flow.to]).collect();
    let pairs = pairs.into_pyarray(py).reshape([flows.len(), 2])?;
    Ok(Some((fabric.node_of(egress).0, fabric.number_of(egress), pairs)))
}

/// Predicts what the flows of a pattern get. `listed` is the text of the file that the traffic names;
/// `matrix` is `leaf`, `host` or nothing.
#[pyfunction]
#[pyo3(name = "predict", signature = (routes, hosts, traffic, *, patterns=1000, seed=1, model="load", listed="",
       host_efficiency=1.0, link_efficiency=1.0, hottest=10, flows_listed=64, matrix=None, lanes=None, keep_flows=false))]
#[expect(clippy::too_many_arguments, reason = "keyword-only, as the command line has them")]
fn predict_traffic(
    py: Python<'_>,
    routes: &Routes,
    hosts: &Participants,
    traffic: &str,
    patterns: usize,
    seed: u64,
    model: &str,
    listed: &str,
    host_efficiency: f64,
    link_efficiency: f64,
    hottest: usize,
    flows_listed: usize,
    matrix: Option<&str>,
    lanes: Option<Lanes>,
    keep_flows: bool,
) -> PyResult<Prediction> {
    let model = match model {
        "load" => Model::Load,
        "fluid" => Model::Fluid,
        _ => return Err(PyValueError::new_err("a model is \"load\" or \"fluid\"")),
    };
    check_part("host_efficiency", host_efficiency)?;
    check_part("link_efficiency", link_efficiency)?;
    let cells = match matrix {
        None => None,
        Some("leaf") => Some(Cells::Leaves),
        Some("host") => Some(Cells::Hosts),
        Some(_) => return Err(PyValueError::new_err("a matrix is by \"leaf\" or by \"host\"")),
    };
    let lanes = lanes.as_ref().map(Lanes::read).transpose()?;
    let request = PredictRequest {
        model,
        seed,
        host_efficiency,
        link_efficiency,
        lanes,
        hottest,
        flows_listed,
        cells,
        keep_flows,
    };
    let participants = hosts.participants.clone();
    let asked = AskedTraffic { spec: traffic, listed, patterns, bytes: 0, ranks_per_host: 1, striping: None };
    let traffic = asked.ready(&participants)?;
    let run =
        |stop: &_| predict::predict_until(stop, &routes.fabric.inner, &routes.inner, &traffic, &request);
    let inner = interruptible(py, run)?.map_err(|e| to_py(Failure::plain(&e)))?;
    let labels = labels(&traffic);
    Ok(Prediction { fabric: routes.fabric.clone(), participants, labels, inner })
}

/// Predicts what the flows of several patterns get in the load model, whose paths are found once for all; the loads of links
/// are not kept.
#[pyfunction]
#[pyo3(signature = (routes, hosts, traffic, *, patterns=1000, seed=1))]
fn predict_each(
    py: Python<'_>,
    routes: &Routes,
    hosts: &Participants,
    traffic: Vec<String>,
    patterns: usize,
    seed: u64,
) -> PyResult<Vec<Prediction>> {
    let request = PredictRequest { seed, hottest: 0, ..PredictRequest::default() };
    let participants = hosts.participants.clone();
    let ready = |spec: &String| {
        AskedTraffic { spec, listed: "", patterns, bytes: 0, ranks_per_host: 1, striping: None }
            .ready(&participants)
    };
    let all = traffic.iter().map(ready).collect::<PyResult<Vec<_>>>()?;
    let run = |stop: &_| predict::predict_each(stop, &routes.fabric.inner, &routes.inner, &all, &request);
    let found = interruptible(py, run)?.map_err(|e| to_py(Failure::plain(&e)))?;
    let predictions = found.into_iter().zip(&all).map(|(inner, traffic)| Prediction {
        fabric: routes.fabric.clone(),
        participants: participants.clone(),
        labels: labels(traffic),
        inner,
    });
    Ok(predictions.collect())
}

/// What the phases of a pattern are: distances of a shift, offsets between leaves; otherwise their numbers.
fn labels(traffic: &Traffic<'_>) -> Vec<u32> {
    match traffic {
        Traffic::Pattern(phases) => (0..phases.len()).map(|phase| phases.label(phase)).collect(),
        Traffic::Program(program) => (0..program.phases() as u32).collect(),
    }
}

/// What all shifts of hosts in an order can have at most, whatever the tables; none where no two hosts have a flow, or an adapter has several
/// planes.
#[pyfunction]
fn shift_bound<'py>(py: Python<'py>, participants: &Participants) -> PyResult<Option<Bound<'py, PyAny>>> {
    let (fabric, hosts) = (&*participants.fabric.inner, &*participants.participants);
    if hosts.planes() > 1 {
        return Ok(None);
    }
    let of_rail = |rail| {
        let port = |host| hosts.slot(host, rail).map(|slot| hosts.ports()[slot as usize]);
        (0..hosts.num_hosts() as u32).map(port).collect()
    };
    let rails: Vec<Vec<Option<PortId>>> = (0..hosts.num_rails()).map(of_rail).collect();
    let Some(found) = py.detach(|| cuts::shifts(fabric, &rails)) else { return Ok(None) };
    let out = PyDict::new(py);
    out.set_item("mean", found.mean)?;
    out.set_item("worst", found.worst)?;
    out.set_item("lost_at_edge_switches", found.lost_at_edges)?;
    out.set_item("lost_above", found.lost_above)?;
    out.set_item("lost_to_parts", found.lost_to_parts)?;
    out.set_item("narrow", found.narrow)?;
    let name = |&s: &NodeId| fabric.name(s).into_owned();
    out.set_item("parts", PyTuple::new(py, found.parts.iter().map(name))?)?;
    by_fields(py, "ShiftsBounded", &out).map(Some)
}

pub(crate) fn register(m: &Bound<'_, PyModule>) -> PyResult<()> {
    m.add_class::<Prediction>()?;
    m.add_function(wrap_pyfunction!(worst_permutation, m)?)?;
    m.add_function(wrap_pyfunction!(predict_each, m)?)?;
    m.add_function(wrap_pyfunction!(shift_bound, m)?)?;
    m.add_function(wrap_pyfunction!(predict_traffic, m)?)
}
