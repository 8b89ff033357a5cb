//! Differences: of two states of a fabric, and of two tables.

use std::fmt::Write as _;

use lacis_core::difference::{self, CableChange, Change, Match, NodeChange, Why};
use lacis_core::fabric::{self, NodeId, NodeKind, PortId, Rate};
use lacis_core::health::names;
use lacis_core::sm::NO_ENTRY;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict};

use crate::error::{Failure, to_py};
use crate::fabric::{Fabric, kind_name};
use crate::named::{by_fields, document};
use crate::routing::Routes;

/// What is different between two states of a fabric: `nodes`, `cables` and `lids` that changed, how many cables
/// are the `same`, and whether there is `no_guid` in common. With `by_name` GUIDs are not looked at.
#[pyfunction]
#[pyo3(signature = (old, new, *, by_name=false))]
fn cabling_difference<'py>(
    py: Python<'py>,
    old: &Fabric,
    new: &Fabric,
    by_name: bool,
) -> PyResult<Bound<'py, PyAny>> {
    let (was, is) = (&*old.inner, &*new.inner);
    let found = py.detach(|| difference::cabling(was, is, by_name)).map_err(|e| to_py(Failure::plain(&e)))?;
    let nodes =
        found.nodes.iter().map(|change| node_row(py, was, is, change)).collect::<PyResult<Vec<_>>>()?;
    let cables =
        found.cables.iter().map(|change| cable_row(py, old, new, change)).collect::<PyResult<Vec<_>>>()?;
    let lid = |&(a, b): &(PortId, PortId)| (new.port_name(b), was.port_info(a).lid, is.port_info(b).lid);
    let out = PyDict::new(py);
    out.set_item("nodes", nodes)?;
    out.set_item("cables", cables)?;
    out.set_item("lids", found.lids.iter().map(lid).collect::<Vec<_>>())?;
    out.set_item("same", found.same)?;
    out.set_item("no_guid", found.matched.no_guid)?;
    by_fields(py, "Cabling", &out)
}

fn by(found: Match) -> &'static str {
    match found {
        Match::Guid => "guid",
        Match::Name => "name",
        Match::Neighbours => "place",
    }
}

fn node_row<'py>(
    py: Python<'py>,
    was: &fabric::Fabric,
    is: &fabric::Fabric,
    change: &NodeChange,
) -> PyResult<Bound<'py, PyAny>> {
    let (name, old, new) = match *change {
        NodeChange::Gone(old) => ("gone", Some(old), None),
        NodeChange::New(new) => ("new", None, Some(new)),
        NodeChange::Replaced { old, new, .. } => ("replaced", Some(old), Some(new)),
        NodeChange::Renamed(old, new) => ("renamed", Some(old), Some(new)),
        NodeChange::Ports(old, new) => ("ports", Some(old), Some(new)),
    };
    let row = PyDict::new(py);
    row.set_item("change", name)?;
    for (key, fabric, node) in [("old", was, old), ("new", is, new)] {
        let facts = node.map(|n| node_facts(py, fabric, n)).transpose()?;
        row.set_item(key, facts)?;
    }
    if let NodeChange::Replaced { by: found, cables, .. } = *change {
        row.set_item("by", by(found))?;
        row.set_item("cables", cables)?;
    }
    document(py, "difference", "NodeChange", &row)
}

fn node_facts<'py>(py: Python<'py>, fabric: &fabric::Fabric, node: NodeId) -> PyResult<Bound<'py, PyAny>> {
    let cabled: Vec<PortId> = fabric.ports_of(node).filter(|&p| fabric.peer(p).is_some()).collect();
    let at = |p: &PortId| {
        let far = fabric.peer(*p)?;
        Some(format!("{}[{}]", fabric.name(fabric.node_of(far)), fabric.number_of(far)))
    };
    let row = PyDict::new(py);
    row.set_item("name", fabric.name(node))?;
    row.set_item("kind", kind_name(fabric.node(node).kind))?;
    let host =
        names::parse(&fabric.node(node).description).filter(|_| fabric.node(node).kind == NodeKind::Adapter);
    row.set_item("host", host.map(|n| n.host))?;
    row.set_item("guid", fabric.node(node).guid.to_string())?;
    row.set_item("ports", fabric.radix(node))?;
    row.set_item("cables", cabled.len())?;
    row.set_item("at", cabled.first().and_then(at))?;
    document(py, "difference", "Node", &row)
}

fn cable_row<'py>(
    py: Python<'py>,
    old: &Fabric,
    new: &Fabric,
    change: &CableChange,
) -> PyResult<Bound<'py, PyAny>> {
    let name = match change.change {
        Change::Gone => "gone",
        Change::New => "new",
        Change::Moved => "moved",
        Change::Rate => "rate",
    };
    let ends = |fabric: &Fabric, ends: Option<(PortId, PortId)>| {
        ends.map(|(a, b)| (fabric.port_name(a), fabric.port_name(b)))
    };
    let (at, is_new) = change.at;
    let at = if is_new { new.inner.name(at) } else { old.inner.name(at) };
    let row = PyDict::new(py);
    row.set_item("change", name)?;
    row.set_item("at", at)?;
    row.set_item("old", ends(old, change.old))?;
    row.set_item("new", ends(new, change.new))?;
    let rate = |rate: Option<Rate>| rate.map(|r| r.to_string());
    row.set_item("rates", change.rates.map(|(a, b)| (rate(a), rate(b))))?;
    row.set_item("with_node", change.with_node)?;
    document(py, "difference", "CableChange", &row)
}

/// How two tables of a fabric differ.
#[pyclass(frozen, module = "lacis._core")]
pub(crate) struct TableDifference {
    fabric: Fabric,
    expected: Routes,
    found: Routes,
    inner: difference::TableDifference,
}

impl TableDifference {
    /// Where a switch's port leads; nothing for no port or no cable.
    fn leads_to(&self, switch: NodeId, number: u8) -> Option<String> {
        let fabric = &self.fabric.inner;
        let port = fabric.port(switch, number).filter(|_| number != 0)?;
        fabric.peer(port).map(|far| self.fabric.port_name(far))
    }

    /// The LID in the expected tables, else in the found ones.
    fn lid(&self, entry: &difference::DifferingEntry) -> u32 {
        let of = |routes: &Routes| routes.inner.lids.range(entry.to).nth(entry.offset.into());
        of(&self.expected).or_else(|| of(&self.found)).unwrap_or(0)
    }

    /// Counts by a number below `size`, those above 0, most first.
    fn counts(&self, size: usize, key: impl Fn(&difference::DifferingEntry) -> usize) -> Vec<(usize, u64)> {
        let mut count = vec![0_u64; size];
        self.inner.entries.iter().for_each(|e| count[key(e)] += 1);
        let mut all: Vec<(usize, u64)> = count.into_iter().enumerate().filter(|c| c.1 > 0).collect();
        all.sort_by_key(|&(i, n)| (std::cmp::Reverse(n), i));
        all
    }
}

#[pymethods]
impl TableDifference {
    /// Number of entries compared: switches times LIDs that either knows.
    #[getter]
    fn compared(&self) -> u64 {
        self.inner.compared
    }

    /// Number of entries that differ.
    #[getter]
    fn differing(&self) -> usize {
        self.inner.entries.len()
    }

    /// Why entries differ: stable name, words, how many; most first.
    fn reasons(&self) -> Vec<(&'static str, &'static str, u64)> {
        let counted = self.counts(Why::ALL.len(), |e| e.why as usize);
        counted.into_iter().map(|(i, n)| (Why::ALL[i].name(), Why::ALL[i].words(), n)).collect()
    }

    /// Switches with entries that differ, and how many; most first.
    fn switches(&self) -> Vec<(String, u64)> {
        let fabric = &self.fabric.inner;
        let name = |i: usize| fabric.name(NodeId(i as u32)).into_owned();
        self.counts(fabric.num_switches(), |e| e.switch.ix()).into_iter().map(|(i, n)| (name(i), n)).collect()
    }

    /// Destinations whose entries differ: port, first LID in the expected tables (else in the found ones), and
    /// at how many switches and LIDs; most first.
    fn destinations(&self) -> Vec<(String, u32, u64)> {
        let counted = self.counts(self.fabric.inner.num_ports(), |e| e.to.ix());
        let lid = |port| match self.expected.inner.lids.base(port) {
            0 => self.found.inner.lids.base(port),
            lid => lid,
        };
        let row = |(i, n): (usize, u64)| {
            let port = PortId(i as u32);
            (self.fabric.port_name(port), lid(port), n)
        };
        counted.into_iter().map(row).collect()
    }

    /// Entries that differ, from the `first` on: `switch`, `to`, `lid`, `expected` and `found` ports (none for no
    /// entry), where they lead, and `why`. At most `each` of one reason where that is given.
    #[pyo3(signature = (first=0, count=20, each=None))]
    fn entries<'py>(
        &self,
        py: Python<'py>,
        first: usize,
        count: usize,
        each: Option<usize>,
    ) -> PyResult<Vec<Bound<'py, PyAny>>> {
        let mut counts = [0; Why::ALL.len()];
        let wanted = |e: &&difference::DifferingEntry| {
            counts[e.why as usize] += 1;
            each.is_none_or(|each| counts[e.why as usize] <= each)
        };
        let chosen = self.inner.entries.iter().filter(wanted).skip(first).take(count);
        let port = |number: u8| (number != NO_ENTRY).then_some(number);
        let row = |e: &difference::DifferingEntry| {
            let row = PyDict::new(py);
            row.set_item("switch", self.fabric.inner.name(e.switch))?;
            row.set_item("to", self.fabric.port_name(e.to))?;
            row.set_item("lid", self.lid(e))?;
            row.set_item("expected", port(e.expected))?;
            row.set_item("expected_to", self.leads_to(e.switch, e.expected))?;
            row.set_item("found", port(e.found))?;
            row.set_item("found_to", self.leads_to(e.switch, e.found))?;
            row.set_item("why", e.why.name())?;
            document(py, "difference", "DifferingEntry", &row)
        };
        chosen.map(row).collect()
    }

    /// Lines of text about `count` entries that differ, from the `first` on.
    fn lines<'py>(&self, py: Python<'py>, first: usize, count: usize) -> Bound<'py, PyBytes> {
        let entry = |number: u8| if number == NO_ENTRY { "none".to_owned() } else { number.to_string() };
        let text = py.detach(|| {
            let mut out = String::new();
            for e in self.inner.entries.iter().skip(first).take(count) {
                let (switch, to) = (self.fabric.inner.name(e.switch), self.fabric.port_name(e.to));
                let (expected, found) = (entry(e.expected), entry(e.found));
                let lid = self.lid(e);
                let _ = writeln!(out, "{switch}\tLID {lid}\t{to}\t{expected}\t{found}\t{}", e.why.name());
            }
            out
        });
        PyBytes::new(py, text.as_bytes())
    }
}

fn one_fabric(expected: &Routes, found: &Routes) -> PyResult<()> {
    let (a, b) = (&expected.fabric.inner, &found.fabric.inner);
    if std::sync::Arc::ptr_eq(a, b) || a == b {
        return Ok(());
    }
    Err(PyValueError::new_err("the tables are not of one fabric"))
}

/// How two tables of one fabric differ.
#[pyfunction]
fn table_difference(py: Python<'_>, expected: &Routes, found: &Routes) -> PyResult<TableDifference> {
    one_fabric(expected, found)?;
    let inner = py.detach(|| difference::tables(&expected.fabric.inner, &expected.inner, &found.inner));
    let fabric = expected.fabric.clone();
    Ok(TableDifference { fabric, expected: expected.clone(), found: found.clone(), inner })
}

/// How many entries of two tables of one fabric are equal, and how many there are.
#[pyfunction]
fn table_agreement(py: Python<'_>, expected: &Routes, found: &Routes) -> PyResult<(u64, u64)> {
    one_fabric(expected, found)?;
    Ok(py.detach(|| difference::agreement(&expected.fabric.inner, &expected.inner, &found.inner)))
}

pub(crate) fn register(m: &Bound<'_, PyModule>) -> PyResult<()> {
    m.add_class::<TableDifference>()?;
    m.add_function(wrap_pyfunction!(cabling_difference, m)?)?;
    m.add_function(wrap_pyfunction!(table_difference, m)?)?;
    m.add_function(wrap_pyfunction!(table_agreement, m)?)
}
