//! Health: hosts and rails, the summary and findings.

use lacis_core::fabric::NodeId;
use lacis_core::{health, io};
use numpy::{IntoPyArray, PyArray1};
use pyo3::prelude::*;

use crate::error::{Failure, to_py};
use crate::fabric::Fabric;
use crate::note::Note;

/// The hosts of a fabric and the rails of their adapters.
#[pyclass(frozen, module = "lacis._core")]
pub(crate) struct Hosts {
    fabric: Fabric,
}

#[pymethods]
impl Hosts {
    /// Names of the hosts, in natural order.
    #[getter]
    fn names(&self) -> Vec<String> {
        self.fabric.hosts().hosts.iter().map(|h| h.name.to_string()).collect()
    }

    /// Whether no description names the host, for each of them: cards, cabling and numbering imply it.
    #[getter]
    fn inferred(&self) -> Vec<bool> {
        self.fabric.hosts().hosts.iter().map(|h| h.inferred).collect()
    }

    /// Number of rails: ports of an adapter have one each, its planes one together.
    #[getter]
    fn num_rails(&self) -> usize {
        self.fabric.hosts().num_rails() * self.fabric.hosts().ports_per_adapter()
    }

    /// Nodes of a host's adapters, in natural order of their labels.
    fn adapters<'py>(&self, py: Python<'py>, host: usize) -> PyResult<Bound<'py, PyArray1<u32>>> {
        let host = self.fabric.hosts().hosts.get(host);
        let host = host.ok_or_else(|| pyo3::exceptions::PyIndexError::new_err("no such host"))?;
        Ok(host.ends.iter().map(|n| n.0).collect::<Vec<_>>().into_pyarray(py))
    }

    /// How programs call hosts that know no names: host, LID (0 where the dump has none) and GUID of each port of its adapters.
    fn addresses(&self) -> Vec<(usize, u32, u64)> {
        let fabric = &self.fabric.inner;
        let ports = |host: &health::Host| {
            let ports = host.ends.iter().flat_map(|&node| fabric.ports_of(node));
            ports.map(|port| (fabric.port_info(port).lid, fabric.end_port_guid(port).0)).collect::<Vec<_>>()
        };
        let hosts = self.fabric.hosts().hosts.iter().enumerate();
        hosts.flat_map(|(at, host)| ports(host).into_iter().map(move |(lid, guid)| (at, lid, guid))).collect()
    }

    /// Nodes of the adapters whose description names no host.
    fn unnamed<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<u32>> {
        self.fabric.hosts().unnamed.iter().map(|n| n.0).collect::<Vec<_>>().into_pyarray(py)
    }

    /// Nodes of the adapters whose host nothing shows.
    fn unknown<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<u32>> {
        self.fabric.hosts().unknown.iter().map(|n| n.0).collect::<Vec<_>>().into_pyarray(py)
    }

    /// Label of an adapter, such as `HCA-1`; empty where its description has none.
    fn label(&self, node: u32) -> &str {
        self.fabric.hosts().label(NodeId(node))
    }

    /// Rail of each end node, from 0; -1 if unknown. `int32`, in node order.
    fn rails<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<i32>> {
        let rail = |n| self.fabric.hosts().rail(n).and_then(|r| i32::try_from(r).ok()).unwrap_or(-1);
        self.fabric.inner.end_nodes().map(rail).collect::<Vec<_>>().into_pyarray(py)
    }

    /// Rack of each node and that rack's row, in node order, as names say them; both empty where a name says none. None
    /// where the names of the fabric are no racks.
    fn racks(&self) -> Option<Vec<(String, String)>> {
        health::racks_of_nodes(&self.fabric.inner, self.fabric.hosts())
    }
}

/// Finds hosts and rails.
#[pyfunction]
fn hosts(py: Python<'_>, fabric: &Fabric) -> Hosts {
    py.detach(|| fabric.hosts());
    Hosts { fabric: fabric.clone() }
}

/// What a fabric is, what is wrong with it and what to do at its cables, as JSON: an object with `summary`, `findings` and
/// `cable_work`.
#[pyfunction]
fn health_json(py: Python<'_>, fabric: &Fabric) -> PyResult<String> {
    let examine = || serde_json::to_string(&health::examine(&fabric.inner, fabric.hosts()));
    py.detach(examine).map_err(|e| to_py(Failure::plain(&e)))
}

/// Which adapter of which host is on which plane, rail and leaf, as JSON. `prefixes` are the subnet prefixes of
/// planes, in their order, where they are known.
#[pyfunction]
#[pyo3(signature = (fabric, prefixes=Vec::new()))]
fn rail_map_json(py: Python<'_>, fabric: &Fabric, prefixes: Vec<Option<u64>>) -> PyResult<String> {
    let map = || serde_json::to_string(&health::rail_map(&fabric.inner, fabric.hosts(), &prefixes));
    py.detach(map).map_err(|e| to_py(Failure::plain(&e)))
}

/// How the levels of a fabric were found, as JSON: a list of planes.
#[pyfunction]
fn why_levels_json(py: Python<'_>, fabric: &Fabric) -> PyResult<String> {
    py.detach(|| serde_json::to_string(&health::why_levels(&fabric.inner)))
        .map_err(|e| to_py(Failure::plain(&e)))
}

/// Every code of a finding: name, severity, meaning.
#[pyfunction]
fn finding_codes() -> Vec<(&'static str, &'static str, &'static str)> {
    health::Code::ALL.iter().map(|c| (c.name(), c.severity().name(), c.meaning())).collect()
}

/// Renames nodes after a node name map. Returns the fabric, how many nodes got a name, and what the
/// map's reader noticed.
#[pyfunction]
fn rename_nodes(py: Python<'_>, fabric: &Fabric, name_map: &[u8]) -> PyResult<(Fabric, usize, Vec<Note>)> {
    let (map, notes) = io::name_map::read(name_map).map_err(to_py)?;
    let old = &*fabric.inner;
    let named = old.nodes().filter(|(_, n)| map.get(n.guid).is_some()).count();
    let new = py.detach(|| old.clone().renamed(|node| map.get(node.guid).map(Into::into)));
    Ok((fabric.changed(new), named, Note::all(&notes)))
}

/// Probable names of adapters that have none of their own, as a node name map; how many these are; and for how many adapters
/// nothing shows one.
#[pyfunction]
fn likely_name_map(py: Python<'_>, fabric: &Fabric) -> (String, usize, usize) {
    py.detach(|| {
        let (hosts, fabric) = (fabric.hosts(), &fabric.inner);
        let names = health::likely_names(hosts);
        let without = hosts.unnamed.len() + hosts.generic.iter().map(|name| name.ends.len()).sum::<usize>();
        let (named, unknown) = (names.len(), without - names.len());
        let map = io::name_map::NameMap::of(names.into_iter().map(|(n, name)| (fabric.node(n).guid, name)));
        (io::name_map::write(&map), named, unknown)
    })
}

pub(crate) fn register(m: &Bound<'_, PyModule>) -> PyResult<()> {
    m.add_class::<Hosts>()?;
    m.add_function(wrap_pyfunction!(hosts, m)?)?;
    m.add_function(wrap_pyfunction!(health_json, m)?)?;
    m.add_function(wrap_pyfunction!(rail_map_json, m)?)?;
    m.add_function(wrap_pyfunction!(why_levels_json, m)?)?;
    m.add_function(wrap_pyfunction!(finding_codes, m)?)?;
    m.add_function(wrap_pyfunction!(likely_name_map, m)?)?;
    m.add_function(wrap_pyfunction!(rename_nodes, m)?)
}
