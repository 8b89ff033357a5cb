//! Proof: verdicts, balance and credit loops of tables, and the route of one packet.

use std::collections::BTreeMap;

use lacis_core::cuts;
use lacis_core::fabric::{self, Population, PortId};
use lacis_core::health;
use lacis_core::verify::{self, Verdict};
use numpy::{IntoPyArray, PyArray1};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::{IntoPyDict, PyDict};

use crate::error::{Failure, to_py};
use crate::fabric::{Fabric, kind_name};
use crate::named::{by_fields, named, rows};
use crate::routing::Routes;

/// What tables do with every ordered pair of end ports.
#[pyclass(frozen, module = "lacis._core")]
pub(crate) struct Verification {
    fabric: Fabric,
    inner: verify::Verification,
}

#[pymethods]
impl Verification {
    /// Which end nodes were counted: `hosts` or `all`.
    #[getter]
    fn population(&self) -> &'static str {
        match self.inner.population {
            Population::Hosts => "hosts",
            Population::All => "all",
        }
    }

    /// Whether switch LIDs were counted.
    #[getter]
    fn switch_lids(&self) -> bool {
        self.inner.switch_lids
    }

    /// Whether every pair is delivered and there is no credit loop.
    #[getter]
    fn good(&self) -> bool {
        self.inner.is_good()
    }

    /// Number of ordered pairs.
    #[getter]
    fn pairs(&self) -> u64 {
        self.inner.verdicts.total()
    }

    /// Pairs per verdict; every verdict is there.
    #[getter]
    fn verdicts<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        Verdict::ALL.map(|v| (v.name(), self.inner.verdicts.get(v))).into_py_dict(py)
    }

    /// Of the pairs that are not delivered, those that no cables join.
    #[getter]
    fn apart(&self) -> u64 {
        self.inner.apart
    }

    /// Delivered pairs by number of switches traversed.
    #[getter]
    fn hops(&self) -> BTreeMap<usize, u64> {
        self.inner.hops.iter().copied().enumerate().filter(|&(_, pairs)| pairs > 0).collect()
    }

    /// All-to-all flows on the inter-switch links, per direction: maximum, mean over all, number of
    /// directions, number of used ones.
    #[getter]
    fn balance<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let b = self.inner.balance;
        named(py, "Balance", (b.max, b.mean, b.links, b.used))
    }

    /// For each set of channels that wait for each other: a shortest cycle, as egress ports, with
    /// their lanes (`leaf[3] VL 1`) where packets use more than one; and the size of the set.
    #[getter]
    fn credit_loops<'py>(&self, py: Python<'py>) -> PyResult<Vec<Bound<'py, PyAny>>> {
        let name = |port: &PortId, lane: &u8| match self.inner.lanes {
            1 => self.fabric.port_name(*port),
            _ => format!("{} VL {lane}", self.fabric.port_name(*port)),
        };
        let names = |l: &verify::CreditLoop| -> Vec<String> {
            l.cycle.iter().zip(&l.lanes).map(|(p, v)| name(p, v)).collect()
        };
        rows(py, "CreditLoop", self.inner.credit_loops.iter().map(|l| (names(l), l.channels)))
    }

    /// Lanes that packets use between switches.
    #[getter]
    fn lanes(&self) -> u32 {
        self.inner.lanes
    }

    /// Destinations that some sources do not reach: end port, LID, number of sources.
    #[getter]
    fn unreached<'py>(&self, py: Python<'py>) -> PyResult<Vec<Bound<'py, PyAny>>> {
        let name = |port| self.fabric.port_name(port);
        rows(py, "Unreached", self.inner.unreached.iter().map(|u| (name(u.port), u.lid, u.sources)))
    }

    /// One pair for each kind of failure: verdict, source, destination, its LID.
    #[getter]
    fn failures<'py>(&self, py: Python<'py>) -> PyResult<Vec<Bound<'py, PyAny>>> {
        let name = |port| self.fabric.port_name(port);
        let list = self.inner.failures.iter();
        rows(py, "Failure", list.map(|f| (f.verdict.name(), name(f.from), name(f.to), f.to_lid)))
    }

    /// The busiest inter-switch links: egress port, far port, flows.
    fn busiest<'py>(&self, py: Python<'py>, n: usize) -> PyResult<Vec<Bound<'py, PyAny>>> {
        let f = &self.fabric.inner;
        let far = |port| f.peer(port).map_or_else(String::new, |p| self.fabric.port_name(p));
        let busy = self.inner.busiest(n).into_iter();
        rows(py, "LinkLoad", busy.map(|(p, flows)| (self.fabric.port_name(p), far(p), flows)))
    }

    fn __repr__(&self) -> String {
        let (delivered, pairs) = (self.inner.verdicts.get(Verdict::Delivered), self.inner.verdicts.total());
        let loops = self.inner.credit_loops.len();
        format!("<lacis.Verification: {delivered} of {pairs} pairs delivered, credit loops: {loops}>")
    }

    /// Flows on every directed inter-switch link: node, egress port, flows.
    fn loads<'py>(&self, py: Python<'py>) -> Loads<'py> {
        loads(py, &self.fabric.inner, &self.inner.loads)
    }
}

/// Three parallel arrays: node, egress port, flows.
type Loads<'py> = (Bound<'py, PyArray1<u32>>, Bound<'py, PyArray1<u8>>, Bound<'py, PyArray1<u64>>);

fn loads<'py>(py: Python<'py>, f: &fabric::Fabric, by_port: &[u64]) -> Loads<'py> {
    let ports: Vec<PortId> = verify::inter_switch_ports(f).collect();
    let nodes = ports.iter().map(|&p| f.node_of(p).0).collect::<Vec<_>>();
    let numbers = ports.iter().map(|&p| f.number_of(p)).collect::<Vec<_>>();
    let flows = ports.iter().map(|&p| by_port[p.ix()]).collect::<Vec<_>>();
    (nodes.into_pyarray(py), numbers.into_pyarray(py), flows.into_pyarray(py))
}

/// The path of one packet.
#[pyclass(frozen, module = "lacis._core")]
pub(crate) struct Trace {
    fabric: Fabric,
    to: PortId,
    inner: verify::Trace,
}

#[pymethods]
impl Trace {
    /// The end port that sends, as `NAME[PORT]`.
    #[getter]
    fn source(&self) -> String {
        self.fabric.port_name(self.inner.from)
    }

    /// The end port that it is for.
    #[getter]
    fn target(&self) -> String {
        self.fabric.port_name(self.to)
    }

    /// The destination's LID, 0 where it has none.
    #[getter]
    fn lid(&self) -> u32 {
        self.inner.to_lid
    }

    #[getter]
    fn verdict(&self) -> &'static str {
        self.inner.verdict.name()
    }

    /// Number of switches traversed.
    #[getter]
    fn switches(&self) -> usize {
        self.inner.switches(&self.fabric.inner)
    }

    /// Number of cables crossed.
    #[getter]
    fn links(&self) -> usize {
        self.inner.links()
    }

    /// The nodes of the path: name, kind, GUID, port in, port out, rate of the link out (empty where
    /// unknown).
    #[getter]
    fn hops<'py>(&self, py: Python<'py>) -> PyResult<Vec<Bound<'py, PyAny>>> {
        let f = &self.fabric.inner;
        let number = |port: Option<PortId>| port.map(|p| f.number_of(p));
        let rate = |port: Option<PortId>| port.and_then(|p| f.port_info(p).rate);
        let row = |hop: &verify::Hop| {
            let node = f.node(hop.node);
            let name = f.name(hop.node).into_owned();
            let rate = rate(hop.egress).map_or_else(String::new, |r| r.to_string());
            (name, kind_name(node.kind), node.guid.0, number(hop.ingress), number(hop.egress), rate)
        };
        rows(py, "Hop", self.inner.hops.iter().map(row))
    }

    fn __repr__(&self) -> String {
        let (from, to, switches) = (self.source(), self.target(), self.switches());
        format!("<lacis.Trace: {from} to {to}, {}, switches: {switches}>", self.verdict())
    }
}

/// Judges every ordered pair of end ports: of host adapters (`hosts`) or of all end nodes (`all`),
/// with port 0 of every switch where asked.
#[pyfunction]
#[pyo3(name = "verify", signature = (routes, pairs="all", *, switches=false))]
fn verify_routes(py: Python<'_>, routes: &Routes, pairs: &str, switches: bool) -> PyResult<Verification> {
    let population = population(pairs)?;
    let inner = py.detach(|| verify::verify(&routes.fabric.inner, &routes.inner, population, switches));
    Ok(Verification { fabric: routes.fabric.clone(), inner })
}

/// The flows of all-to-all traffic alone: on every directed inter-switch link, node, egress port, flows.
#[pyfunction]
#[pyo3(signature = (routes, pairs="all"))]
fn all_to_all<'py>(py: Python<'py>, routes: &Routes, pairs: &str) -> PyResult<Loads<'py>> {
    let population = population(pairs)?;
    let by_port = py.detach(|| verify::all_to_all(&routes.fabric.inner, &routes.inner, population));
    Ok(loads(py, &routes.fabric.inner, &by_port))
}

/// What the fullest link between switches carries at least under all-to-all traffic, whatever the tables
/// that lose no pair; and why.
#[pyfunction]
#[pyo3(signature = (routes, pairs="all"))]
fn forced<'py>(py: Python<'py>, routes: &Routes, pairs: &str) -> PyResult<Bound<'py, PyAny>> {
    let (fabric, population) = (&*routes.fabric.inner, population(pairs)?);
    let ports = fabric.end_ports(population);
    let lids = |port| routes.inner.lids.range(port).len() as u64;
    let found = py.detach(|| cuts::forced(fabric, &ports, lids));
    let out = PyDict::new(py);
    let one = if population == Population::Hosts { "host adapter" } else { "end node" };
    out.set_item("flows", found.flows)?;
    out.set_item("why", health::why(fabric, &found.why, one))?;
    if let cuts::Why::Cut { border, hosts, cables, .. } = found.why {
        out.set_item("hosts", hosts)?;
        out.set_item("cables", cables)?;
        let name = |s: &fabric::NodeId| fabric.name(*s).into_owned();
        out.set_item("switches", border.iter().map(name).collect::<Vec<_>>())?;
    }
    by_fields(py, "Forced", &out)
}

pub(crate) fn population(pairs: &str) -> PyResult<Population> {
    match pairs {
        "hosts" => Ok(Population::Hosts),
        "all" => Ok(Population::All),
        other => Err(PyValueError::new_err(format!("pairs are \"hosts\" or \"all\", not {other:?}"))),
    }
}

/// Follows a packet between two end ports, each written as a name, pattern, GUID, LID or selector.
#[pyfunction]
fn trace(routes: &Routes, source: &str, target: &str) -> PyResult<Trace> {
    let find = |text| {
        verify::endpoint(&routes.fabric.inner, &routes.inner.lids, text)
            .map_err(|e| to_py(Failure::plain(&e)))
    };
    let (from, to) = (find(source)?, find(target)?);
    let inner = verify::trace(&routes.fabric.inner, &routes.inner, from, routes.inner.lids.base(to));
    Ok(Trace { fabric: routes.fabric.clone(), to, inner })
}

/// Follows packets between two names, there and back: the rail (none where one port alone is meant), and both
/// traces, for each rail that two hosts share.
#[pyfunction]
fn trace_rails(routes: &Routes, a: &str, b: &str) -> PyResult<Vec<(Option<usize>, Trace, Trace)>> {
    let (fabric, lids) = (&*routes.fabric.inner, &routes.inner.lids);
    let ends = verify::rail_ends(fabric, lids, a, b).map_err(|e| to_py(Failure::plain(&e)))?;
    let walk = |from, to| {
        let inner = verify::trace(fabric, &routes.inner, from, lids.base(to));
        Trace { fabric: routes.fabric.clone(), to, inner }
    };
    Ok(ends.into_iter().map(|e| (e.rail, walk(e.a, e.b), walk(e.b, e.a))).collect())
}

/// All routes between two points, as Omni-Path's `opareport -o route` prints them.
#[pyfunction]
fn routes_report(py: Python<'_>, routes: &Routes, source: &str, target: &str) -> PyResult<String> {
    let report = || verify::routes_report(&routes.fabric.inner, &routes.inner, source, target);
    py.detach(report).map_err(|e| to_py(Failure::plain(&e)))
}

pub(crate) fn register(m: &Bound<'_, PyModule>) -> PyResult<()> {
    m.add_class::<Verification>()?;
    m.add_class::<Trace>()?;
    m.add_function(wrap_pyfunction!(routes_report, m)?)?;
    m.add_function(wrap_pyfunction!(verify_routes, m)?)?;
    m.add_function(wrap_pyfunction!(all_to_all, m)?)?;
    m.add_function(wrap_pyfunction!(forced, m)?)?;
    m.add_function(wrap_pyfunction!(trace_rails, m)?)?;
    m.add_function(wrap_pyfunction!(trace, m)?)
}
