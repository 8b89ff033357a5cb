//! Prediction: a traffic pattern through the load or the fluid model.

use std::sync::Arc;

use lacis_core::fabric::{Group, PortId};
use lacis_core::health::Hosts;
use lacis_core::io;
use lacis_core::model::load::{Crossings, Paths};
use lacis_core::predict::{self, Cells, Model, PredictRequest};
use lacis_core::traffic::{
    self, Groups, JobSpec, Order, Participants, Pattern, Plan, Rails, Traffic as Asked,
};
use numpy::{IntoPyArray, PyArray1, PyArray2, PyArrayMethods};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::{IntoPyDict, PyDict};

use crate::error::{Failure, to_py};
use crate::fabric::Fabric;
use crate::hardware::Classes;
use crate::interrupt::interruptible;
use crate::named::named;
use crate::routing::Routes;

/// Hosts and ports that take part in traffic, in an order.
#[pyclass(frozen, module = "lacis._core")]
pub(crate) struct Traffic {
    fabric: Fabric,
    pub(crate) who: Arc<Participants>,
}

impl Traffic {
    pub(crate) fn new(fabric: Fabric, who: Arc<Participants>) -> Self {
        Self { fabric, who }
    }
}

#[pymethods]
impl Traffic {
    /// The hosts' names, in order.
    #[getter]
    fn hosts(&self) -> Vec<String> {
        self.who.names().to_vec()
    }

    #[getter]
    fn rails(&self) -> usize {
        self.who.num_rails()
    }

    /// Number of ports: hosts times rails, less the missing ones.
    #[getter]
    fn num_ports(&self) -> usize {
        self.who.ports().len()
    }

    /// How many of the hosts are of each group that any is of, compute first.
    #[getter]
    fn groups(&self) -> Vec<(&'static str, usize)> {
        let fabric = &self.fabric.inner;
        let hosts = Hosts::of(fabric, None);
        let mut count = [0; Group::ALL.len()];
        for host in 0..self.who.num_hosts() as u32 {
            let slot = (0..self.who.num_rails()).find_map(|rail| self.who.slot(host, rail));
            if let Some(slot) = slot {
                count[hosts.group(fabric.node_of(self.who.ports()[slot as usize])) as usize] += 1;
            }
        }
        Group::ALL.into_iter().zip(count).filter(|&(_, n)| n > 0).map(|(g, n)| (g.name(), n)).collect()
    }

    /// GUIDs of the ports, in order: what a `guid_routing_order_file` lists. `uint64`.
    fn guids<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<u64>> {
        let guid = |&port| self.fabric.inner.end_port_guid(port).0;
        self.who.ports().iter().map(guid).collect::<Vec<_>>().into_pyarray(py)
    }

    /// The same, rail by rail. `uint64`.
    fn guids_by_rail<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<u64>> {
        let hosts = || 0..self.who.num_hosts() as u32;
        let slots =
            (0..self.who.num_rails()).flat_map(|rail| hosts().filter_map(move |h| self.who.slot(h, rail)));
        let guid = |slot: u32| self.fabric.inner.end_port_guid(self.who.ports()[slot as usize]).0;
        slots.map(guid).collect::<Vec<_>>().into_pyarray(py)
    }

    /// Number of hosts that have a port, by rail.
    #[getter]
    fn hosts_by_rail(&self) -> Vec<usize> {
        let hosts = || 0..self.who.num_hosts() as u32;
        let on = |rail| hosts().filter(|&h| self.who.slot(h, rail).is_some()).count();
        (0..self.who.num_rails()).map(on).collect()
    }

    /// The leaves, in the order in which `leaf-offset` numbers them.
    #[getter]
    fn leaves(&self) -> Vec<String> {
        let name = |&leaf| self.fabric.inner.name(leaf).into_owned();
        self.who.leaves().iter().map(name).collect()
    }

    /// The leaf of each host, by the first rail that it is on; none where that hangs off no switch.
    fn leaf_of_hosts(&self) -> Vec<Option<String>> {
        let leaf = |host| {
            let slot = (0..self.who.num_rails()).find_map(|rail| self.who.slot(host, rail))?;
            let leaf = self.who.leaf_of(slot)?;
            Some(self.fabric.inner.name(self.who.leaves()[leaf as usize]).into_owned())
        };
        (0..self.who.num_hosts() as u32).map(leaf).collect()
    }

    fn __repr__(&self) -> String {
        let (hosts, rails) = (self.who.num_hosts(), self.who.num_rails());
        format!("<lacis.Traffic: hosts: {hosts}, rails: {rails}, ports: {}>", self.who.ports().len())
    }
}

/// What the flows of a pattern get.
#[pyclass(frozen, module = "lacis._core")]
pub(crate) struct Prediction {
    fabric: Fabric,
    who: Arc<Participants>,
    labels: Vec<u32>,
    inner: predict::Prediction,
}

impl Prediction {
    /// A sender or receiver: its host, and the adapter where hosts have several.
    fn end_name(&self, slot: u32) -> String {
        let host = &self.who.names()[self.who.hosts_of_ports()[slot as usize] as usize];
        let node = self.fabric.inner.node_of(self.who.ports()[slot as usize]);
        let adapter = self.fabric.inner.name(node);
        let named = self.who.num_rails() > 1 && adapter.starts_with(&**host);
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

    /// The hottest links, hottest first.
    #[getter]
    fn hottest<'py>(&self, py: Python<'py>) -> PyResult<Vec<Bound<'py, PyDict>>> {
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
            Ok(dict)
        };
        self.inner.hottest.iter().map(row).collect()
    }

    /// Flows over all phases on every cabled port, in its egress direction: node, port, flows.
    #[expect(clippy::type_complexity, reason = "three parallel arrays")]
    fn loads<'py>(
        &self,
        py: Python<'py>,
    ) -> (Bound<'py, PyArray1<u32>>, Bound<'py, PyArray1<u8>>, Bound<'py, PyArray1<u64>>) {
        let f = &self.fabric.inner;
        let ports = || (0..f.num_ports() as u32).map(PortId).filter(|&p| f.peer(p).is_some());
        let nodes = ports().map(|p| f.node_of(p).0).collect::<Vec<_>>();
        let numbers = ports().map(|p| f.number_of(p)).collect::<Vec<_>>();
        let flows = ports().map(|p| self.inner.loads[p.ix()]).collect::<Vec<_>>();
        (nodes.into_pyarray(py), numbers.into_pyarray(py), flows.into_pyarray(py))
    }

    /// What the matrices' rows and columns are, `leaf` or `host`, and their names; nothing where no
    /// matrix was asked for.
    #[getter]
    fn matrix_labels(&self) -> Option<(&'static str, Vec<String>)> {
        self.inner.matrix.as_ref().map(|m| match m.cells {
            Cells::Leaves => {
                let f = &self.fabric.inner;
                let name = |&leaf| f.name(leaf).into_owned();
                ("leaf", self.who.leaves().iter().map(name).collect())
            }
            Cells::Hosts => ("host", self.who.names().to_vec()),
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

/// Refuses what is no part of a whole.
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
    hosts: &Traffic,
    switches: Option<Vec<u32>>,
) -> PyResult<Option<Crowded<'py>>> {
    let fabric = &routes.fabric.inner;
    let chosen = switches.map(|all| all.into_iter().collect::<std::collections::BTreeSet<u32>>());
    let found = py.detach(|| {
        let paths = Paths::new(fabric, &routes.inner, hosts.who.ports(), 0);
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

/// What is asked for after `--traffic`: `pattern` or `job`, and the file that it names, if it names one.
#[pyfunction]
fn traffic_kind(spec: &str) -> PyResult<(&'static str, Option<String>)> {
    Ok(match spec.parse::<Asked>().map_err(to_py)? {
        Asked::Pattern(Pattern::File(path)) => ("pattern", Some(path)),
        Asked::Pattern(_) => ("pattern", None),
        Asked::Job(JobSpec::Trace(path)) => ("job", Some(path)),
        Asked::Job(_) => ("job", None),
    })
}

/// The file that an order of hosts (`file:PATH`) names, if it names one.
#[pyfunction]
fn host_order_file(spec: &str) -> PyResult<Option<String>> {
    match spec.parse::<Order>().map_err(to_py)? {
        Order::File(path) => Ok(Some(path)),
        _ => Ok(None),
    }
}

/// The hosts of a fabric that take part: of some groups (`all`, or names with commas), on a rail (`all`,
/// `each`, a number or a label), in an order (`name`, `lid`, `topology` or `file:PATH` with the hosts of the
/// file, each with its line, as `listed`); where `only` lists some, these alone.
#[pyfunction]
#[pyo3(signature = (routes, *, groups="all", rail="all", order="name", listed=Vec::new(), only=Vec::new()))]
fn traffic_hosts(
    py: Python<'_>,
    routes: &Routes,
    groups: &str,
    rail: &str,
    order: &str,
    listed: Vec<(usize, String)>,
    only: Vec<(usize, String)>,
) -> PyResult<Traffic> {
    let order: Order = order.parse().map_err(to_py)?;
    let groups: Groups = groups.parse().map_err(to_py)?;
    let Ok(rails) = rail.parse::<Rails>();
    let who = py.detach(|| {
        let fabric = &routes.fabric.inner;
        let hosts = groups.of(&Hosts::of(fabric, None))?;
        traffic::participants(fabric, &routes.inner.lids, &hosts, &rails, &order, &listed, &only)
    });
    Ok(Traffic { fabric: routes.fabric.clone(), who: Arc::new(who.map_err(to_py)?) })
}

/// The names of all hosts that take part in traffic on a rail, in natural order.
#[pyfunction]
#[pyo3(signature = (fabric, *, rail="all"))]
fn host_names(py: Python<'_>, fabric: &Fabric, rail: &str) -> PyResult<Vec<String>> {
    let Ok(rails) = rail.parse::<Rails>();
    let fabric = &fabric.inner;
    let chosen = py.detach(|| traffic::select(fabric, &Hosts::of(fabric, None), &rails)).map_err(to_py)?;
    Ok(chosen.into_iter().map(|host| host.name).collect())
}

/// The words of a file of hosts, each with its line: the first of each line (`hosts`), those that a list of
/// Slurm's stands for (`nodes`), or those of its `topology.conf` (`topology.conf`).
#[pyfunction]
fn read_hosts(kind: &str, data: &[u8]) -> PyResult<Vec<(usize, String)>> {
    let named = match kind {
        "hosts" => Ok(traffic::listed_names(&String::from_utf8_lossy(data))),
        "nodes" => io::slurm::node_list(data),
        "topology.conf" => io::slurm::topology(data),
        _ => {
            return Err(PyValueError::new_err("a list is of \"hosts\" or \"nodes\", or a \"topology.conf\""));
        }
    };
    named.map_err(to_py)
}

/// The hosts of a fabric in the order of a list of names or port GUIDs, each with its line. Hosts that are not
/// listed take no part, nor do rails other than `rails` where these are given.
#[pyfunction]
#[pyo3(signature = (fabric, named, *, rail="all", rails=None))]
fn listed_hosts(
    py: Python<'_>,
    fabric: &Fabric,
    named: Vec<(usize, String)>,
    rail: &str,
    rails: Option<Vec<usize>>,
) -> PyResult<Traffic> {
    let only = rails;
    let Ok(rails) = rail.parse::<Rails>();
    let who = py.detach(|| {
        let fabric = &fabric.inner;
        let chosen = traffic::select(fabric, &Hosts::of(fabric, None), &rails).map_err(Failure::from)?;
        let names: Vec<String> = chosen.iter().map(|h| h.name.clone()).collect();
        let named = traffic::by_name(fabric, &chosen, &named);
        let places = traffic::find_hosts(&named, &names).map_err(|e| Failure::plain(&e))?;
        let mut listed: Vec<_> = places.into_iter().map(|place| chosen[place as usize].clone()).collect();
        if let Some(only) = &only {
            for host in &mut listed {
                host.ports = only.iter().filter_map(|&rail| host.ports.get(rail).copied()).collect();
            }
        }
        Ok::<_, Failure>(Participants::new(fabric, &listed, None))
    });
    Ok(Traffic { fabric: fabric.clone(), who: Arc::new(who.map_err(to_py)?) })
}

/// At most `n` of some names that a person who wrote `name` may have meant, nearest first.
#[pyfunction]
fn nearest(name: &str, names: Vec<String>, n: usize) -> Vec<String> {
    lacis_core::nearest::nearest(name, names.iter().map(String::as_str), n)
        .into_iter()
        .map(Into::into)
        .collect()
}

/// Predicts what the flows of a pattern get. `pairs` is the text of the file of a `file:` pattern;
/// `matrix` is `leaf`, `host` or nothing.
#[pyfunction]
#[pyo3(name = "predict", signature = (routes, hosts, traffic, *, patterns=1000, seed=1, model="load", pairs="",
       host_efficiency=1.0, link_efficiency=1.0, hottest=10, flows_listed=64, matrix=None, lanes=None))]
#[expect(clippy::too_many_arguments, reason = "keyword-only, as the command line has them")]
fn predict_traffic(
    py: Python<'_>,
    routes: &Routes,
    hosts: &Traffic,
    traffic: &str,
    patterns: usize,
    seed: u64,
    model: &str,
    pairs: &str,
    host_efficiency: f64,
    link_efficiency: f64,
    hottest: usize,
    flows_listed: usize,
    matrix: Option<&str>,
    lanes: Option<Classes>,
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
    let lanes = lanes.as_ref().map(Classes::read).transpose()?;
    let request =
        PredictRequest { model, seed, host_efficiency, link_efficiency, lanes, hottest, flows_listed, cells };
    let pattern: Pattern = traffic.parse().map_err(to_py)?;
    let who = hosts.who.clone();
    let plan = plan(&pattern, &who, patterns, pairs)?;
    let run = |stop: &_| predict::predict_until(stop, &routes.fabric.inner, &routes.inner, &plan, &request);
    let inner = interruptible(py, run)?.map_err(|e| to_py(Failure::plain(&e)))?;
    let labels = (0..plan.len()).map(|phase| plan.label(phase)).collect();
    Ok(Prediction { fabric: routes.fabric.clone(), who, labels, inner })
}

/// Predicts what the flows of several patterns get in the load model, whose paths are found once for all.
#[pyfunction]
#[pyo3(signature = (routes, hosts, traffic, *, patterns=1000, seed=1))]
fn predict_each(
    py: Python<'_>,
    routes: &Routes,
    hosts: &Traffic,
    traffic: Vec<String>,
    patterns: usize,
    seed: u64,
) -> PyResult<Vec<Prediction>> {
    let request = PredictRequest { seed, hottest: 0, ..PredictRequest::default() };
    let who = hosts.who.clone();
    let made = |spec: &String| plan(&spec.parse().map_err(to_py)?, &who, patterns, "");
    let plans = traffic.iter().map(made).collect::<PyResult<Vec<_>>>()?;
    let run = |stop: &_| predict::predict_each(stop, &routes.fabric.inner, &routes.inner, &plans, &request);
    let found = interruptible(py, run)?.map_err(|e| to_py(Failure::plain(&e)))?;
    let told = found.into_iter().zip(&plans).map(|(inner, plan)| {
        let labels = (0..plan.len()).map(|phase| plan.label(phase)).collect();
        Prediction { fabric: routes.fabric.clone(), who: who.clone(), labels, inner }
    });
    Ok(told.collect())
}

/// A pattern made ready; `listed` is the text of the file of a `file:` pattern.
pub(crate) fn plan<'a>(
    pattern: &Pattern,
    who: &'a Participants,
    patterns: usize,
    listed: &str,
) -> PyResult<Plan<'a>> {
    let pairs = match pattern {
        Pattern::File(_) => traffic::listed_pairs(listed, who.names()).map_err(to_py)?,
        _ => Vec::new(),
    };
    Plan::new(pattern, who, patterns, pairs).map_err(to_py)
}

pub(crate) fn register(m: &Bound<'_, PyModule>) -> PyResult<()> {
    m.add_class::<Traffic>()?;
    m.add_class::<Prediction>()?;
    m.add_function(wrap_pyfunction!(traffic_kind, m)?)?;
    m.add_function(wrap_pyfunction!(host_order_file, m)?)?;
    m.add_function(wrap_pyfunction!(listed_hosts, m)?)?;
    m.add_function(wrap_pyfunction!(host_names, m)?)?;
    m.add_function(wrap_pyfunction!(read_hosts, m)?)?;
    m.add_function(wrap_pyfunction!(nearest, m)?)?;
    m.add_function(wrap_pyfunction!(traffic_hosts, m)?)?;
    m.add_function(wrap_pyfunction!(worst_permutation, m)?)?;
    m.add_function(wrap_pyfunction!(predict_each, m)?)?;
    m.add_function(wrap_pyfunction!(predict_traffic, m)?)
}
