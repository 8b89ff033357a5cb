//! Ranks: the hosts and ports that take part, in an order.

use std::sync::Arc;

use lacis_core::fabric::{Group, NodeId};
use lacis_core::io;
use lacis_core::ranks::{self, Groups, Order, Rails, Selection};
use lacis_core::routing::native::eventree;
use lacis_core::routing::opensm::ftree;
use numpy::{IntoPyArray, PyArray1};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

use crate::error::{Failure, to_py};
use crate::fabric::{Choice, Fabric};
use crate::routing::Routes;

/// Hosts and ports that take part in traffic, in an order.
#[pyclass(frozen, module = "lacis._core")]
pub(crate) struct Participants {
    pub(crate) fabric: Fabric,
    pub(crate) participants: Arc<ranks::Participants>,
}

impl Participants {
    pub(crate) fn new(fabric: Fabric, participants: Arc<ranks::Participants>) -> Self {
        Self { fabric, participants }
    }

    /// An adapter of each host that takes part.
    fn first_of_each(&self) -> Vec<NodeId> {
        let hosts = self.fabric.hosts();
        let mut seen = vec![false; hosts.hosts.len()];
        let nodes = self.participants.ports().iter().map(|&port| self.fabric.inner.node_of(port));
        nodes
            .filter(|&node| hosts.host_of(node).is_some_and(|h| !std::mem::replace(&mut seen[h], true)))
            .collect()
    }
}

#[pymethods]
impl Participants {
    /// The hosts' names, in order.
    #[getter]
    fn hosts(&self) -> Vec<String> {
        self.participants.names().to_vec()
    }

    /// Number of rails; one adapter of several planes is one.
    #[getter]
    fn rails(&self) -> usize {
        self.participants.num_rails() / self.participants.planes()
    }

    /// Planes of an adapter; 1 where an adapter is one end node.
    #[getter]
    fn planes(&self) -> usize {
        self.participants.planes()
    }

    /// How many hosts these are: several participants may be adapters of one, and none is where its host is unknown.
    #[getter]
    fn num_hosts(&self) -> usize {
        self.first_of_each().len()
    }

    /// How many adapters take part whose host nothing shows.
    #[getter]
    fn num_unknown(&self) -> usize {
        let hosts = self.fabric.hosts();
        let ports = self.participants.ports().iter().map(|&port| self.fabric.inner.node_of(port));
        let mut unknown: Vec<NodeId> = ports.filter(|&node| hosts.host_of(node).is_none()).collect();
        unknown.sort_unstable();
        unknown.dedup();
        unknown.len()
    }

    /// Number of ports, which is that of hosts times rails, less the missing ones.
    #[getter]
    fn num_ports(&self) -> usize {
        self.participants.ports().len()
    }

    /// How many of the hosts are of each group that any is of, compute first.
    #[getter]
    fn groups(&self) -> Vec<(&'static str, usize)> {
        let hosts = self.fabric.hosts();
        let mut count = [0; Group::ALL.len()];
        for node in self.first_of_each() {
            count[hosts.group(node) as usize] += 1;
        }
        Group::ALL.into_iter().zip(count).filter(|&(_, n)| n > 0).map(|(g, n)| (g.name(), n)).collect()
    }

    /// GUIDs of the ports, in order: what a `guid_routing_order_file` lists. `uint64`.
    fn guids<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<u64>> {
        let guid = |&port| self.fabric.inner.end_port_guid(port).0;
        self.participants.ports().iter().map(guid).collect::<Vec<_>>().into_pyarray(py)
    }

    /// The host of each port, in order, by its number in `hosts`. `uint32`.
    fn hosts_of_ports<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<u32>> {
        self.participants.hosts_of_ports().to_vec().into_pyarray(py)
    }

    /// GUIDs of the ports, rail by rail. `uint64`.
    fn guids_by_rail<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<u64>> {
        let hosts = || 0..self.participants.num_hosts() as u32;
        let slots = (0..self.participants.num_rails())
            .flat_map(|rail| hosts().filter_map(move |h| self.participants.slot(h, rail)));
        let guid = |slot: u32| self.fabric.inner.end_port_guid(self.participants.ports()[slot as usize]).0;
        slots.map(guid).collect::<Vec<_>>().into_pyarray(py)
    }

    /// Number of participants that have a port, by rail.
    #[getter]
    fn hosts_by_rail(&self) -> Vec<usize> {
        let planes = self.participants.planes();
        let hosts = || 0..self.participants.num_hosts() as u32;
        let has = |host, rail| {
            (rail * planes..(rail + 1) * planes).any(|slot| self.participants.slot(host, slot).is_some())
        };
        (0..self.rails()).map(|rail| hosts().filter(|&h| has(h, rail)).count()).collect()
    }

    /// The leaves, in the order in which `leaf-offset` numbers them.
    #[getter]
    fn leaves(&self) -> Vec<String> {
        let name = |&leaf| self.fabric.inner.name(leaf).into_owned();
        self.participants.leaves().iter().map(name).collect()
    }

    /// The leaf of each host, by the first rail that it is on; none where that hangs off no switch.
    fn leaf_of_hosts(&self) -> Vec<Option<String>> {
        let leaf = |host| {
            let slot =
                (0..self.participants.num_rails()).find_map(|rail| self.participants.slot(host, rail))?;
            let leaf = self.participants.leaf_of(slot)?;
            Some(self.fabric.inner.name(self.participants.leaves()[leaf as usize]).into_owned())
        };
        (0..self.participants.num_hosts() as u32).map(leaf).collect()
    }

    fn __repr__(&self) -> String {
        let (hosts, rails) = (self.participants.num_hosts(), self.rails());
        format!(
            "<lacis.Participants: hosts: {hosts}, rails: {rails}, ports: {}>",
            self.participants.ports().len()
        )
    }
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
/// `each`, a number or a label), in an order (`name`, `lid`, `topology`, `eventree`, `eventree-exchanges` or `file:PATH` with the hosts of
/// the file, each with its line, as `listed`); where `only` lists some, these alone. Leaves are in the order in which
/// ftree balances them, where it accepts the fabric, so that a shift in topological order suits its tables; with
/// `eventree` and `eventree-exchanges` in that engine's.
#[pyfunction]
#[pyo3(signature = (routes, *, groups="all", rail="all", order="name", listed=Vec::new(), only=Vec::new()))]
fn participants(
    py: Python<'_>,
    routes: &Routes,
    groups: &str,
    rail: &str,
    order: &str,
    listed: Vec<(usize, String)>,
    only: Vec<(usize, String)>,
) -> PyResult<Participants> {
    let order: Order = order.parse().map_err(to_py)?;
    let groups: Groups = groups.parse().map_err(to_py)?;
    let Ok(rails) = rail.parse::<Rails>();
    let participants = py.detach(|| {
        let (fabric, lids) = (&*routes.fabric.inner, &routes.inner.lids);
        let find = |choice: &Choice| {
            let Choice { groups, rails, order, roots, .. } = choice;
            let hosts = groups.of(routes.fabric.hosts())?;
            let leaves = match order {
                Order::Eventree | Order::Exchanges => eventree::leaf_order(fabric, roots.as_deref()),
                _ => ftree::leaf_order(fabric, lids),
            };
            let selection =
                Selection { rails, order, listed: &listed, only: &only, leaves: leaves.as_deref() };
            ranks::participants(fabric, lids, &hosts, &selection)
        };
        let is_rooted = matches!(order, Order::Eventree | Order::Exchanges);
        let roots = routes.roots().filter(|_| is_rooted).map(<[_]>::to_vec);
        let choice = Choice { groups, rails, order, roots, lids: lids.clone() };
        if listed.is_empty() && only.is_empty() {
            routes.fabric.participants(choice, find)
        } else {
            find(&choice).map(Arc::new)
        }
    });
    Ok(Participants { fabric: routes.fabric.clone(), participants: participants.map_err(to_py)? })
}

/// The names of all hosts that take part in traffic on a rail, in natural order.
#[pyfunction]
#[pyo3(signature = (fabric, *, rail="all"))]
fn host_names(py: Python<'_>, fabric: &Fabric, rail: &str) -> PyResult<Vec<String>> {
    let Ok(rails) = rail.parse::<Rails>();
    let chosen = py.detach(|| ranks::select(&fabric.inner, fabric.hosts(), &rails)).map_err(to_py)?;
    Ok(chosen.into_iter().map(|host| host.name).collect())
}

/// The words of a file of hosts, each with its line: of a list as launchers and schedulers write it (`hosts`), the same by
/// rank (`ranks`), those that a list of Slurm's stands for (`nodes`), or those of its topology (`topology.conf`).
#[pyfunction]
fn read_hosts(kind: &str, data: &[u8]) -> PyResult<Vec<(usize, String)>> {
    let named = match kind {
        "hosts" => ranks::host_file(&String::from_utf8_lossy(data)),
        "ranks" => ranks::hosts_of_ranks(&String::from_utf8_lossy(data)),
        "nodes" => io::slurm::node_list(data),
        "topology.conf" => io::slurm::topology(data),
        _ => {
            return Err(PyValueError::new_err(
                "a list is of \"hosts\", \"ranks\" or \"nodes\", or a \"topology.conf\"",
            ));
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
) -> PyResult<Participants> {
    let only = rails;
    let Ok(rails) = rail.parse::<Rails>();
    let participants = py.detach(|| {
        let (hosts, fabric) = (fabric.hosts(), &fabric.inner);
        let chosen = ranks::select(fabric, hosts, &rails).map_err(Failure::from)?;
        let names: Vec<String> = chosen.iter().map(|h| h.name.clone()).collect();
        let named = ranks::by_name(fabric, &chosen, &named);
        let found = ranks::find_hosts(&named, &names).map_err(|e| Failure::plain(&e))?;
        let mut listed: Vec<_> = found.into_iter().map(|host| chosen[host as usize].clone()).collect();
        if let Some(only) = &only {
            for host in &mut listed {
                host.ports = only.iter().filter_map(|&rail| host.ports.get(rail).copied()).collect();
            }
        }
        Ok::<_, Failure>(ranks::Participants::new(fabric, &listed, None))
    });
    Ok(Participants { fabric: fabric.clone(), participants: Arc::new(participants.map_err(to_py)?) })
}

/// At most `n` of some names that a person who wrote `name` may have meant, nearest first.
#[pyfunction]
fn nearest(name: &str, names: Vec<String>, n: usize) -> Vec<String> {
    lacis_core::nearest::nearest(name, names.iter().map(String::as_str), n)
        .into_iter()
        .map(Into::into)
        .collect()
}

pub(crate) fn register(m: &Bound<'_, PyModule>) -> PyResult<()> {
    m.add_class::<Participants>()?;
    m.add_function(wrap_pyfunction!(host_order_file, m)?)?;
    m.add_function(wrap_pyfunction!(listed_hosts, m)?)?;
    m.add_function(wrap_pyfunction!(host_names, m)?)?;
    m.add_function(wrap_pyfunction!(read_hosts, m)?)?;
    m.add_function(wrap_pyfunction!(nearest, m)?)?;
    m.add_function(wrap_pyfunction!(participants, m)?)
}
