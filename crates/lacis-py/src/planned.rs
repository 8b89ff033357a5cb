//! Cabling plans, and what is found of them.

use std::sync::Arc;

use lacis_core::difference::planned::{
    self, CableDeviation, CableKind, Counts, List, NodeDeviation, PlannedWork, Site, Verdict, Why,
};
use lacis_core::fabric::{NodeKind, PortId};
use lacis_core::io::{self, ReadError, plan};
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::error::{Failure, to_py};
use crate::fabric::Fabric;
use crate::named::{by_fields, document};
use crate::note::Note;

/// What a site wants cabled.
#[pyclass(frozen, module = "lacis._core")]
pub(crate) struct Plan {
    inner: Arc<plan::Plan>,
}

#[pymethods]
impl Plan {
    /// What the format is called.
    #[getter]
    fn format(&self) -> &'static str {
        self.inner.format.name()
    }

    /// Directors whose inner cables are those of their maker's wiring.
    #[getter]
    fn directors(&self) -> Vec<String> {
        self.inner.directors.iter().map(ToString::to_string).collect()
    }

    /// What the reader noticed.
    #[getter]
    fn notes(&self) -> Vec<Note> {
        Note::all(&self.inner.notes)
    }

    /// How many adapters, switches and managers it lists.
    #[getter]
    fn listed(&self) -> (usize, usize, usize) {
        let nodes = &self.inner.nodes;
        (nodes.adapters.len(), nodes.switches.len(), nodes.managers.len())
    }

    fn __len__(&self) -> usize {
        self.inner.cables.len()
    }

    fn __repr__(&self) -> String {
        format!("<lacis.Plan: {}, cables: {}>", self.inner.format.name(), self.inner.cables.len())
    }
}

/// Reads a plan in any format; a fabric is one too.
#[pyfunction]
fn read_plan(py: Python<'_>, data: &[u8]) -> PyResult<Plan> {
    let read = || -> Result<plan::Plan, ReadError> {
        if plan::looks_like(data) {
            return plan::read(data);
        }
        match io::read(data) {
            Ok(loaded) => Ok(plan::Plan { notes: loaded.notes, ..plan::Plan::of(&loaded.fabric, true) }),
            // Commas are of a table whose header is not known.
            Err(error) => Err(if is_table(data) { plan::read(data).err().unwrap_or(error) } else { error }),
        }
    };
    py.detach(read).map(|inner| Plan { inner: Arc::new(inner) }).map_err(to_py)
}

fn is_table(data: &[u8]) -> bool {
    let mut lines = data.split(|&b| b == b'\n').filter(|line| !line.trim_ascii().is_empty());
    lines.next().is_some_and(|line| line.iter().filter(|&&b| b == b',' || b == b';').count() >= 2)
}

/// The plan that a fabric fulfils; without GUIDs only descriptions identify nodes.
#[pyfunction]
#[pyo3(signature = (fabric, *, guids=true))]
fn plan_of(py: Python<'_>, fabric: &Fabric, guids: bool) -> Plan {
    Plan { inner: Arc::new(py.detach(|| plan::Plan::of(&fabric.inner, guids))) }
}

/// Plans, which together are one, as topology XML.
#[pyfunction]
fn write_topology(py: Python<'_>, plans: Vec<PyRef<'_, Plan>>) -> String {
    let shared: Vec<Arc<plan::Plan>> = plans.iter().map(|plan| plan.inner.clone()).collect();
    py.detach(|| plan::topology::write(&shared.iter().map(|plan| &**plan).collect::<Vec<_>>()))
}

/// Rows of a comparison.
struct Rows<'a> {
    fabric: &'a Fabric,
    plans: Vec<&'a plan::Plan>,
    cables: Vec<&'a plan::Cable>,
    /// By [`List`] as a number.
    lists: [Vec<&'a plan::PlannedNode>; List::ALL.len()],
}

fn kind(kind: NodeKind) -> String {
    if kind == NodeKind::Switch { "switch" } else { "adapter" }.to_owned()
}

/// Counts by verdict, without those that nodes cannot have.
fn counted(py: Python<'_>, counts: Counts, of_nodes: bool) -> PyResult<Bound<'_, PyAny>> {
    let out = PyDict::new(py);
    for (verdict, count) in Verdict::ALL.iter().zip(counts) {
        if !of_nodes || *verdict != Verdict::Misconnected {
            out.set_item(verdict.name(), count)?;
        }
    }
    document(py, "topology", if of_nodes { "NodeVerdicts" } else { "CableVerdicts" }, &out)
}

impl Rows<'_> {
    /// Which plan a cable is of, from 0, and its line.
    fn line(&self, cable: usize) -> (usize, usize) {
        let mut first = 0;
        for (number, plan) in self.plans.iter().enumerate() {
            if cable < first + plan.cables.len() {
                return (number, self.cables[cable].line);
            }
            first += plan.cables.len();
        }
        (0, 0)
    }

    /// Which plan a listed node is of, from 0, and its line.
    fn line_of_node(&self, list: List, number: usize) -> (usize, usize) {
        let mut first = 0;
        for (plan, one) in self.plans.iter().enumerate() {
            first += match list {
                List::Adapters => one.nodes.adapters.len(),
                List::Switches => one.nodes.switches.len(),
                List::Managers => one.nodes.managers.len(),
            };
            if number < first {
                return (plan, self.lists[list as usize][number].line);
            }
        }
        (0, 0)
    }

    /// A node that a plan lists.
    fn planned_node<'py>(&self, py: Python<'py>, list: List, number: usize) -> PyResult<Bound<'py, PyAny>> {
        let (plan, line) = self.line_of_node(list, number);
        let row = PyDict::new(py);
        row.set_item("plan", plan)?;
        row.set_item("line", (line > 0).then_some(line))?;
        row.set_item("name", self.lists[list as usize][number].end.label())?;
        document(py, "topology", "PlannedNode", &row)
    }

    fn node<'py>(&self, py: Python<'py>, of: &NodeDeviation) -> PyResult<Bound<'py, PyAny>> {
        let fabric = &*self.fabric.inner;
        let end = of.planned.map(|(list, number)| &self.lists[list as usize][number].end);
        let found = of.found.map(|node| fabric.node(node));
        let row = PyDict::new(py);
        row.set_item("list_", of.list.name())?;
        row.set_item("verdict", of.verdict.name())?;
        row.set_item("planned", of.planned.map(|(list, n)| self.planned_node(py, list, n)).transpose()?)?;
        let name = |node: &lacis_core::fabric::Node| node.description.to_string();
        let port = of.port.map(|port| self.fabric.port_name(port));
        row.set_item("found", port.or(found.map(name)))?;
        let why = of.why.iter().map(|why| -> PyResult<_> {
            let (name, planned, there) = match *why {
                Why::NoNode(_) => ("no_node", None, None),
                Why::NoManager => ("no_manager", None, None),
                Why::NodeGuid(_) => {
                    ("node_guid", end.map(|end| end.node_guid.to_string()), found.map(|n| n.guid.to_string()))
                }
                Why::Name(_) => ("name", end.map(|end| end.name.to_string()), found.map(name)),
                Why::Number(_) => (
                    "port",
                    end.and_then(|end| end.number).map(|number| number.to_string()),
                    of.port.map(|port| fabric.number_of(port).to_string()),
                ),
                Why::PortGuid(_) => (
                    "port_guid",
                    end.map(|end| end.port_guid.to_string()),
                    of.port.map(|port| fabric.end_port_guid(port).to_string()),
                ),
                Why::RepeatsNode(..) => ("repeats", None, None),
                _ => ("kind", end.and_then(|end| end.kind).map(kind), found.map(|n| kind(n.kind))),
            };
            let row = PyDict::new(py);
            row.set_item("reason", name)?;
            row.set_item("planned", planned)?;
            row.set_item("found", there)?;
            let repeats = match *why {
                Why::RepeatsNode(list, other) => Some(self.planned_node(py, list, other)?),
                _ => None,
            };
            row.set_item("repeats", repeats)?;
            document(py, "topology", "NodeReason", &row)
        });
        row.set_item("why", why.collect::<PyResult<Vec<_>>>()?)?;
        document(py, "topology", "NodeRow", &row)
    }

    fn ends(&self, ends: (PortId, PortId)) -> [String; 2] {
        [self.fabric.port_name(ends.0), self.fabric.port_name(ends.1)]
    }

    fn rate(&self, ends: (PortId, PortId)) -> Option<String> {
        let rate = |port| self.fabric.inner.port_info(port).rate;
        rate(ends.0).or_else(|| rate(ends.1)).map(|rate| rate.to_string())
    }

    fn site(&self, site: Site) -> String {
        match site {
            Site::Port(port) => self.fabric.port_name(port),
            Site::Planned(cable, side) => self.cables[cable].ends[side].label(),
        }
    }

    fn planned<'py>(&self, py: Python<'py>, cable: usize) -> PyResult<Bound<'py, PyAny>> {
        let planned = self.cables[cable];
        let (plan, line) = self.line(cable);
        let row = PyDict::new(py);
        row.set_item("plan", plan)?;
        row.set_item("line", (line > 0).then_some(line))?;
        row.set_item("ends", planned.ends.each_ref().map(plan::End::label))?;
        row.set_item("rate", planned.rate.map(|rate| rate.to_string()))?;
        row.set_item("label", &*planned.label)?;
        document(py, "topology", "PlannedCable", &row)
    }

    fn deviation<'py>(&self, py: Python<'py>, of: &CableDeviation) -> PyResult<Bound<'py, PyAny>> {
        let row = PyDict::new(py);
        row.set_item("verdict", of.verdict.name())?;
        row.set_item("planned", of.cable.map(|cable| self.planned(py, cable)).transpose()?)?;
        let found = of.found.map(|ends| -> PyResult<_> {
            let found = PyDict::new(py);
            found.set_item("ends", self.ends(ends))?;
            found.set_item("rate", self.rate(ends))?;
            document(py, "topology", "FoundCable", &found)
        });
        row.set_item("found", found.transpose()?)?;
        let why = of.why.iter().map(|&why| self.why(py, of, why)).collect::<PyResult<Vec<_>>>()?;
        row.set_item("why", why)?;
        document(py, "topology", "CableRow", &row)
    }

    /// A reason: its name, the end that it is about, what was planned and what was found.
    fn why<'py>(&self, py: Python<'py>, of: &CableDeviation, why: Why) -> PyResult<Bound<'py, PyAny>> {
        let fabric = &*self.fabric.inner;
        let cable = of.cable.map(|cable| self.cables[cable]);
        let end = |side: usize| cable.map(|cable| &cable.ends[side]);
        let port = |side: usize| of.found.map(|ends| if side == 0 { ends.0 } else { ends.1 });
        let node = |side: usize| port(side).map(|port| fabric.node(fabric.node_of(port)));
        let (name, side, planned, found) = match why {
            Why::NoNode(side) => ("no_node", Some(side), None, None),
            Why::NoPort(side) => ("no_port", Some(side), None, None),
            Why::NoCable(side) => ("no_cable", Some(side), None, None),
            Why::LeadsTo(side, far) => ("leads_to", Some(side), None, Some(self.fabric.port_name(far))),
            Why::Repeats(_) => ("repeats", None, None, None),
            Why::NodeGuid(side) => (
                "node_guid",
                Some(side),
                end(side).map(|end| end.node_guid.to_string()),
                node(side).map(|node| node.guid.to_string()),
            ),
            Why::Name(side) => (
                "name",
                Some(side),
                end(side).map(|end| end.name.to_string()),
                node(side).map(|node| node.description.to_string()),
            ),
            Why::Number(side) => (
                "port",
                Some(side),
                end(side).and_then(|end| end.number).map(|number| number.to_string()),
                port(side).map(|port| fabric.number_of(port).to_string()),
            ),
            Why::PortGuid(side) => (
                "port_guid",
                Some(side),
                end(side).map(|end| end.port_guid.to_string()),
                port(side).map(|port| fabric.port_info(port).guid.to_string()),
            ),
            Why::Kind(side) => (
                "kind",
                Some(side),
                end(side).and_then(|end| end.kind).map(kind),
                node(side).map(|node| kind(node.kind)),
            ),
            Why::Rate => (
                "rate",
                None,
                cable.and_then(|cable| cable.rate).map(|rate| rate.to_string()),
                of.found.and_then(|ends| self.rate(ends)),
            ),
            Why::Mtu => {
                let mtu = |port| fabric.port_info(port).mtu;
                let found = of.found.map(|(a, b)| mtu(a).min(mtu(b)).to_string());
                ("mtu", None, cable.and_then(|cable| cable.mtu).map(|mtu| mtu.to_string()), found)
            }
            Why::Inactive(side) => ("inactive", Some(side), None, None),
            Why::RepeatsNode(..) | Why::NoManager => ("no_manager", None, None, None),
        };
        let row = PyDict::new(py);
        row.set_item("reason", name)?;
        row.set_item("end", side.and_then(|side| end(side).map(plan::End::label)))?;
        row.set_item("planned", planned)?;
        row.set_item("found", found)?;
        let repeats = if let Why::Repeats(other) = why { Some(self.planned(py, other)?) } else { None };
        row.set_item("repeats", repeats)?;
        document(py, "topology", "CableReason", &row)
    }

    fn planned_work<'py>(&self, py: Python<'py>, work: &PlannedWork) -> PyResult<Bound<'py, PyAny>> {
        let moves = work.moves.iter().map(|m| {
            let row = PyDict::new(py);
            row.set_item("stays", self.site(m.stays))?;
            row.set_item("from_", self.site(m.from))?;
            row.set_item("to", self.site(m.to))?;
            row.set_item("label", &*self.cables[m.cable].label)?;
            document(py, "topology", "PlugMove", &row)
        });
        let row = PyDict::new(py);
        row.set_item("kind", work.kind.name())?;
        row.set_item("moves", moves.collect::<PyResult<Vec<_>>>()?)?;
        row.set_item("connect", work.connect.map(|(_, ends)| ends.map(|end| self.site(end))))?;
        row.set_item("take_out", work.take_out.map(|ends| self.ends(ends)))?;
        document(py, "topology", "PlannedWork", &row)
    }
}

/// Compares plans, which together are one, with a fabric.
#[pyfunction]
fn planned_difference<'py>(
    py: Python<'py>,
    plans: Vec<PyRef<'py, Plan>>,
    fabric: &Fabric,
) -> PyResult<Bound<'py, PyAny>> {
    let shared: Vec<Arc<plan::Plan>> = plans.iter().map(|plan| plan.inner.clone()).collect();
    let plans: Vec<&plan::Plan> = shared.iter().map(|plan| &**plan).collect();
    let result = py.detach(|| planned::planned(&plans, &fabric.inner));
    let result = result.map_err(|e| to_py(Failure::plain(&e)))?;
    let cables = planned::cables(&plans);
    let lists = List::ALL.map(|list| planned::listed(&plans, list));
    let rows = Rows { fabric, plans, cables, lists };
    let by_kind = PyDict::new(py);
    for (kind, counts) in CableKind::ALL.iter().zip(result.by_kind) {
        by_kind.set_item(kind.name(), counted(py, counts, false)?)?;
    }
    let lists = PyDict::new(py);
    for (list, judged) in List::ALL.iter().zip(result.lists) {
        let row = PyDict::new(py);
        row.set_item("listed", rows.lists[*list as usize].len())?;
        row.set_item("compared", judged.is_compared)?;
        row.set_item("counts", counted(py, judged.counts, true)?)?;
        row.set_item("not_judged", judged.beyond)?;
        lists.set_item(list.name(), document(py, "topology", "NodeList", &row)?)?;
    }
    let unknown = result.unknown.iter().map(|one| {
        let (plan, line) = rows.line(one.cable);
        let row = PyDict::new(py);
        row.set_item("name", &one.name)?;
        row.set_item("plan", plan)?;
        row.set_item("line", (line > 0).then_some(line))?;
        row.set_item("cables", one.cables)?;
        row.set_item("misnamed", one.misnamed)?;
        row.set_item("near", &one.near)?;
        document(py, "topology", "UnknownName", &row)
    });
    let beyond = PyDict::new(py);
    beyond.set_item("inside_directors", result.beyond.inside)?;
    beyond.set_item("aggregation_nodes", result.beyond.aggregation)?;
    beyond.set_item("hosts", result.beyond.hosts)?;
    beyond.set_item("between_switches", result.beyond.switches)?;
    let out = PyDict::new(py);
    out.set_item("good", result.is_good())?;
    out.set_item("counts", counted(py, result.counts, false)?)?;
    out.set_item("counts_by_kind", document(py, "topology", "CableKinds", &by_kind)?)?;
    out.set_item("lists", document(py, "topology", "NodeLists", &lists)?)?;
    let nodes = result.nodes.iter().map(|of| rows.node(py, of));
    out.set_item("nodes", nodes.collect::<PyResult<Vec<_>>>()?)?;
    let cables = result.deviations.iter().map(|of| rows.deviation(py, of));
    out.set_item("cables", cables.collect::<PyResult<Vec<_>>>()?)?;
    let work = result.work.iter().map(|work| rows.planned_work(py, work));
    out.set_item("work", work.collect::<PyResult<Vec<_>>>()?)?;
    out.set_item("unknown_names", unknown.collect::<PyResult<Vec<_>>>()?)?;
    out.set_item("not_planned_kinds", document(py, "topology", "UnplannedKinds", &beyond)?)?;
    out.set_item("mtu_not_compared", result.mtu_not_compared)?;
    out.set_item("rate_not_compared", result.rate_not_compared)?;
    out.set_item("no_guid", result.no_guid)?;
    by_fields(py, "Comparison", &out)
}

pub(crate) fn register(m: &Bound<'_, PyModule>) -> PyResult<()> {
    m.add_class::<Plan>()?;
    m.add_function(wrap_pyfunction!(read_plan, m)?)?;
    m.add_function(wrap_pyfunction!(plan_of, m)?)?;
    m.add_function(wrap_pyfunction!(write_topology, m)?)?;
    m.add_function(wrap_pyfunction!(planned_difference, m)?)
}
