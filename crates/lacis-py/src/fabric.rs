//! Fabrics: reading, generating, changing, writing.

use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use lacis_core::fabric::{self, Guid, NodeId, NodeKind, Population, PortId};
use lacis_core::health::Hosts;
use lacis_core::ranks::{Groups, Order, Participants, Rails};
use lacis_core::sm::lids::Lids;
use lacis_core::{generate, io};
use numpy::{IntoPyArray, PyArray1};
use pyo3::prelude::*;

use crate::error::{Failure, to_py};
use crate::note::Note;

/// A fabric and what its reader noticed. Cheap to copy: the fabric itself is shared.
#[pyclass(frozen, module = "lacis._core")]
#[derive(Clone)]
pub(crate) struct Fabric {
    pub(crate) inner: Arc<fabric::Fabric>,
    notes: Arc<Vec<io::Note>>,
    taken: Option<Arc<str>>,
    hosts: Arc<OnceLock<Hosts>>,
    participants: Arc<Mutex<Vec<Kept>>>,
}

/// What it depends on which hosts of a fabric take part, where no list names them.
#[derive(Clone, PartialEq)]
pub(crate) struct Choice {
    pub(crate) groups: Groups,
    pub(crate) rails: Rails,
    pub(crate) order: Order,
    /// The roots of the tables, for orders that depend on them.
    pub(crate) roots: Option<Vec<Guid>>,
    pub(crate) lids: Lids,
}

/// A choice, and the participants that were found for it.
type Kept = (Choice, Arc<Participants>);

/// Choices whose participants are kept.
const KEPT: usize = 4;

impl Fabric {
    /// A fabric that no reader has remarks about.
    pub(crate) fn new(fabric: fabric::Fabric) -> Self {
        Self::shared(Arc::new(fabric))
    }

    /// The same, of a fabric that is shared already.
    pub(crate) fn shared(inner: Arc<fabric::Fabric>) -> Self {
        Self {
            inner,
            notes: Arc::default(),
            taken: None,
            hosts: Arc::default(),
            participants: Arc::default(),
        }
    }

    /// The hosts that names and cables show, found once.
    pub(crate) fn hosts(&self) -> &Hosts {
        self.hosts.get_or_init(|| Hosts::of(&self.inner, None))
    }

    /// The participants of a choice, found once for the last few: what compares tables asks for the same ones with each.
    pub(crate) fn participants<E>(
        &self,
        choice: Choice,
        find: impl FnOnce(&Choice) -> Result<Participants, E>,
    ) -> Result<Arc<Participants>, E> {
        let kept = || self.participants.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, found)) = kept().iter().find(|(of, _)| *of == choice) {
            return Ok(Arc::clone(found));
        }
        let found = Arc::new(find(&choice)?);
        let mut kept = kept();
        kept.truncate(KEPT - 1);
        kept.insert(0, (choice, Arc::clone(&found)));
        Ok(found)
    }

    /// This fabric, changed: what was taken when stays true, remarks of the reader do not.
    pub(crate) fn changed(&self, fabric: fabric::Fabric) -> Self {
        Self { taken: self.taken.clone(), ..Self::new(fabric) }
    }

    /// A port as it is printed: the short name of its node, and its number.
    pub(crate) fn port_name(&self, port: PortId) -> String {
        let name = self.inner.name(self.inner.node_of(port));
        format!("{name}[{}]", self.inner.number_of(port))
    }
}

#[pymethods]
impl Fabric {
    /// What the reader noticed: lines ignored or not understood, contradictions resolved.
    #[getter]
    fn notes(&self) -> Vec<Note> {
        Note::all(&self.notes)
    }

    /// When the dump was made, as its header says.
    #[getter]
    fn taken(&self) -> Option<&str> {
        self.taken.as_deref()
    }

    fn __repr__(&self) -> String {
        let (switches, ends) = (self.num_switches(), self.num_end_nodes());
        format!(
            "<lacis.Fabric: switches: {switches}, end nodes: {ends}, cables: {}>",
            self.inner.cables().count()
        )
    }

    #[getter]
    fn num_switches(&self) -> usize {
        self.inner.num_switches()
    }

    #[getter]
    fn num_end_nodes(&self) -> usize {
        self.inner.num_nodes() - self.inner.num_switches()
    }

    /// `Omni-Path` where all links whose rate is known are, else `InfiniBand`.
    #[getter]
    fn technology(&self) -> &'static str {
        if self.inner.is_omni_path() { "Omni-Path" } else { "InfiniBand" }
    }

    /// Whether the source says the LID of some port; else the LIDs of tables are those that a manager would assign now.
    #[getter]
    fn has_lids(&self) -> bool {
        let inner = &self.inner;
        inner.nodes().any(|(node, _)| inner.ports_of(node).any(|port| inner.port_info(port).lid != 0))
    }

    /// Kind of each node: `switch`, `adapter`, `router` or `aggregation`.
    fn kinds(&self) -> Vec<&'static str> {
        self.inner.nodes().map(|(_, n)| kind_name(n.kind)).collect()
    }

    /// Description of each node.
    fn descriptions(&self) -> Vec<String> {
        self.inner.nodes().map(|(_, n)| n.description.to_string()).collect()
    }

    /// GUID of each node, `uint64`.
    fn guids<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<u64>> {
        self.inner.nodes().map(|(_, n)| n.guid.0).collect::<Vec<_>>().into_pyarray(py)
    }

    /// Whether any two nodes are cabled to each other.
    #[getter]
    fn has_cables(&self) -> bool {
        self.inner.cables().next().is_some()
    }

    /// Every cable once: node, port, node, port; `uint32`, flat.
    fn cables<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<u32>> {
        let f = &self.inner;
        let end = |p| [f.node_of(p).0, u32::from(f.number_of(p))];
        f.cables().flat_map(|(a, b)| [end(a), end(b)]).flatten().collect::<Vec<_>>().into_pyarray(py)
    }

    /// Rates of the cables, in their order: names of rates, and for each cable which of them it has at its
    /// first end, `uint8`.
    fn cable_rates<'py>(&self, py: Python<'py>) -> (Vec<String>, Bound<'py, PyArray1<u8>>) {
        let mut names: Vec<String> = Vec::new();
        let mut number = |port| {
            let rate = self.inner.port_info(port).rate;
            let name = rate.map_or_else(|| "unknown".to_owned(), |rate| rate.to_string());
            let known = names.iter().position(|n| *n == name);
            known.unwrap_or_else(|| {
                names.push(name);
                names.len() - 1
            }) as u8
        };
        let numbers: Vec<u8> = self.inner.cables().map(|(a, _)| number(a)).collect();
        (names, numbers.into_pyarray(py))
    }

    /// System image GUID of each node, `uint64`: equal on all chips of a chassis; 0 where unknown.
    fn systems<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<u64>> {
        self.inner.nodes().map(|(_, n)| n.system_guid.0).collect::<Vec<_>>().into_pyarray(py)
    }

    /// Cables between switches: the two switches and how many there are; shape `(n, 3)`, flat.
    fn bundles<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<u32>> {
        let bundles = fabric::Bundles::of(&self.inner);
        bundles.iter().flat_map(|(a, b, n)| [a, b, n]).collect::<Vec<_>>().into_pyarray(py)
    }

    /// Hops of each switch from the nearest of some switches, -1 where no cables lead there; `int32`.
    fn hops_from<'py>(&self, py: Python<'py>, switches: Vec<u32>) -> Bound<'py, PyArray1<i32>> {
        let some: Vec<NodeId> = switches.into_iter().map(NodeId).collect();
        let hops = py.detach(|| lacis_core::routing::hops_from(&self.inner, &some));
        hops.into_iter().map(|h| i32::try_from(h).unwrap_or(-1)).collect::<Vec<_>>().into_pyarray(py)
    }

    /// Level of each switch, 0 for leaves and -1 for none, and its pod; `None` where the fabric is no tree.
    fn levels(&self, py: Python<'_>) -> Option<(Vec<i16>, Vec<u32>)> {
        py.detach(|| {
            let levels = fabric::levels::Levels::of(&self.inner)?;
            let level = self.inner.switches().map(|s| levels.level(s).map_or(-1, i16::from)).collect();
            Some((level, fabric::pods(&self.inner, &levels)))
        })
    }

    /// Host adapters on each switch, and its short name.
    fn switches(&self) -> Vec<(String, usize)> {
        let f = &self.inner;
        let hosts =
            |s| f.ports_of(s).filter_map(|p| f.peer(p)).filter(|&p| f.is_in(Population::Hosts, f.node_of(p)));
        f.switches().map(|s| (f.name(s).into_owned(), hosts(s).count())).collect()
    }

    /// Number of physical ports of a node.
    fn radix(&self, node: u32) -> u8 {
        self.inner.radix(NodeId(node))
    }

    /// The fabric less the cables, switches or hosts that the selectors name.
    fn without(&self, py: Python<'_>, selectors: Vec<String>) -> PyResult<Self> {
        let selectors: Vec<&str> = selectors.iter().map(String::as_str).collect();
        py.detach(|| generate::without(&self.inner, &selectors)).map(|f| self.changed(f)).map_err(to_py)
    }

    /// The fabric changed by selectors: like `without`, and `+A--B` adds cables, `+host@A` hosts.
    fn edit(&self, py: Python<'_>, selectors: Vec<String>) -> PyResult<Self> {
        let selectors: Vec<&str> = selectors.iter().map(String::as_str).collect();
        py.detach(|| generate::edit(&self.inner, &selectors)).map(|f| self.changed(f)).map_err(to_py)
    }

    /// The fabric with what a roles file says of its nodes.
    fn declared(&self, py: Python<'_>, roles: &[u8]) -> PyResult<Self> {
        let new = py.detach(|| generate::declare(&self.inner, &io::roles::read(roles)?));
        Ok(Self { notes: self.notes.clone(), ..self.changed(new.map_err(to_py)?) })
    }

    /// The fabric with counters of its ports that another file has; `read_at` is when that was made, in seconds since 1970.
    #[pyo3(signature = (data, read_at = None))]
    fn counted(&self, py: Python<'_>, data: &[u8], read_at: Option<u64>) -> PyResult<Self> {
        let new = py.detach(|| io::read_counters(data, &self.inner, read_at)).map_err(to_py)?;
        let notes = self.notes.iter().cloned().chain(new.notes).collect();
        Ok(Self { notes: Arc::new(notes), ..self.changed(new.fabric) })
    }

    /// The fabric with what another source says of its ports and this one does not: states, counters, rates, LIDs.
    fn completed(&self, py: Python<'_>, other: &Self) -> Self {
        let new = py.detach(|| fabric::completed(&self.inner, &other.inner));
        Self { notes: self.notes.clone(), ..self.changed(new) }
    }

    /// The fabric with the LIDs of a `guid2lid` where it has none: how many ports the cache knows, how many LIDs were taken,
    /// ports whose own LIDs differ with both, and ports whose LID another has with that one's name.
    fn with_lid_cache(&self, py: Python<'_>, data: &[u8]) -> PyResult<(Self, CachedLids)> {
        let found = py.detach(|| {
            io::guid2lid::read(data).map(|entries| io::guid2lid::completed(&self.inner, &entries))
        });
        let found = found.map_err(to_py)?;
        let name = |port| self.port_name(port);
        let differing = found.differing.iter().map(|&(port, own, other)| (name(port), own, other)).collect();
        let occupied =
            found.occupied.iter().map(|&(port, lid, other)| (name(port), lid, name(other))).collect();
        let new = Self { notes: self.notes.clone(), ..self.changed(found.fabric) };
        Ok((new, (found.known, found.taken, differing, occupied)))
    }

    /// Where this source and another differ: cables of this one alone and of the other alone as names of their ends,
    /// LIDs as name of the port and the two, and names of the nodes of one alone.
    fn source_difference(&self, py: Python<'_>, other: &Self) -> SourceDifference {
        let found = py.detach(|| fabric::source_difference(&self.inner, &other.inner));
        let cables = |whose: &Self, cables: &[(PortId, PortId)]| {
            cables.iter().map(|&(a, b)| (whose.port_name(a), whose.port_name(b))).collect()
        };
        let nodes = |whose: &Self, nodes: &[NodeId]| {
            nodes.iter().map(|&n| whose.inner.name(n).into_owned()).collect()
        };
        (
            cables(self, &found.only_first),
            cables(other, &found.only_second),
            found.lids.iter().map(|&(port, own, others)| (self.port_name(port), own, others)).collect(),
            nodes(self, &found.strangers.0),
            nodes(other, &found.strangers.1),
        )
    }

    /// Error counters that have grown since an earlier reading: name of the port and of the one at the other end, counter,
    /// by how much, what the link carries [bytes/s]; then the seconds between, how many were cleared, and how many ports the earlier one does not have.
    fn error_growth(&self, py: Python<'_>, before: &Self) -> ErrorGrowth {
        let found = py.detach(|| fabric::error_growth(&self.inner, &before.inner));
        let rows = found.grown.iter().map(|one| {
            let far = self.inner.peer(one.port).map(|far| self.port_name(far));
            let rate = self.inner.link_rate(one.port).map(fabric::Rate::bytes_per_second);
            (self.port_name(one.port), far, one.counter.name(), one.by, rate)
        });
        (rows.collect(), found.seconds, found.cleared, found.unknown)
    }

    /// How many ports have counters, and when they were read, in seconds since 1970.
    #[getter]
    fn counters(&self) -> (usize, Option<u64>) {
        let counters = self.inner.counters();
        (counters.each().chunk_by(|a, b| a.port == b.port).count(), counters.read_at)
    }

    /// The same fabric with other GUIDs, chosen by seed.
    fn shuffle_guids(&self, py: Python<'_>, seed: u64) -> Self {
        Self::new(py.detach(|| generate::shuffle_guids(&self.inner, seed)))
    }

    /// The same fabric with the cables of its switches at other ports and its nodes in another order, chosen by seed.
    fn shuffle_ports(&self, py: Python<'_>, seed: u64) -> Self {
        Self::new(py.detach(|| generate::shuffle_ports(&self.inner, seed)))
    }

    /// As an ibsim net file, which is also what `ibnetdiscover` prints.
    fn to_net(&self, py: Python<'_>) -> String {
        py.detach(|| io::net::write(&self.inner))
    }

    /// As versioned JSON.
    fn to_json(&self, py: Python<'_>) -> String {
        py.detach(|| io::json::write(&self.inner))
    }
}

/// Rows, seconds, counters that were cleared, ports of which nothing is known.
type ErrorGrowth = (Vec<GrownRow>, Option<u64>, usize, usize);

/// Port, the one at the other end, counter, by how much, and what the link carries [bytes/s].
type GrownRow = (String, Option<String>, &'static str, u64, Option<f64>);

/// Cables of one and of the other, LIDs that differ, nodes of one and of the other.
type CachedLids = (usize, usize, Vec<(String, u32, u32)>, Vec<(String, u32, String)>);

type SourceDifference =
    (Vec<(String, String)>, Vec<(String, String)>, Vec<(String, u32, u32)>, Vec<String>, Vec<String>);

pub(crate) fn kind_name(kind: NodeKind) -> &'static str {
    match kind {
        NodeKind::Switch => "switch",
        NodeKind::Adapter => "adapter",
        NodeKind::Router => "router",
        NodeKind::Aggregation => "aggregation",
    }
}

/// Reads a fabric in any supported format, recognised by content.
#[pyfunction]
fn read_fabric(py: Python<'_>, data: &[u8]) -> PyResult<Fabric> {
    let loaded = py.detach(|| io::read(data)).map_err(to_py)?;
    let taken = io::net::time_of(data).map(Into::into);
    Ok(Fabric { notes: Arc::new(loaded.notes), taken, ..Fabric::new(loaded.fabric) })
}

/// Reads a list of cables by the names of nodes, whose columns are named.
#[pyfunction]
fn read_cabling(
    py: Python<'_>,
    data: &[u8],
    switch: String,
    port: String,
    peer: String,
    peer_port: String,
) -> PyResult<Fabric> {
    let columns = io::cabling::CablingColumns { switch, port, peer, peer_port };
    let loaded = py.detach(|| io::cabling::read(data, &columns)).map_err(to_py)?;
    Ok(Fabric { notes: Arc::new(loaded.notes), ..Fabric::new(loaded.fabric) })
}

/// What bytes seem to be: the name of the format, what it is in words, and what to give where a fabric is asked for;
/// empty where it is one.
#[pyfunction]
fn file_kind(py: Python<'_>, data: &[u8]) -> Option<(&'static str, &'static str, &'static str)> {
    py.detach(|| io::kind_of(data)).map(|kind| (kind.name(), kind.describe(), kind.instead()))
}

/// Joins fabrics, the planes of one machine, into one.
#[pyfunction]
fn join_fabrics(py: Python<'_>, fabrics: Vec<PyRef<'_, Fabric>>) -> PyResult<Fabric> {
    let owned: Vec<Arc<fabric::Fabric>> = fabrics.iter().map(|f| f.inner.clone()).collect();
    let joined = py.detach(|| {
        let fabrics: Vec<&fabric::Fabric> = owned.iter().map(|f| &**f).collect();
        fabric::join(&fabrics)
    });
    joined.map(Fabric::new).map_err(|e| to_py(Failure::plain(&e)))
}

/// Generates a fabric from a synthetic spec.
#[pyfunction]
fn generate_fabric(py: Python<'_>, spec: &str) -> PyResult<Fabric> {
    py.detach(|| generate::generate(spec)).map(Fabric::new).map_err(to_py)
}

/// About how much memory the fabric of a synthetic spec needs while it is made [bytes].
#[pyfunction]
fn spec_memory(spec: &str) -> PyResult<u64> {
    generate::memory(spec).map_err(to_py)
}

/// Whether a text names a synthetic fabric.
#[pyfunction]
fn is_spec(text: &str) -> bool {
    generate::is_spec(text)
}

/// The names that a spec can begin with, and whether each is a whole spec.
#[pyfunction]
fn families() -> Vec<(&'static str, bool)> {
    generate::FAMILIES.iter().map(|&name| (name, generate::generate(name).is_ok())).collect()
}

pub(crate) fn register(m: &Bound<'_, PyModule>) -> PyResult<()> {
    m.add_class::<Fabric>()?;
    m.add_function(wrap_pyfunction!(read_fabric, m)?)?;
    m.add_function(wrap_pyfunction!(read_cabling, m)?)?;
    m.add_function(wrap_pyfunction!(file_kind, m)?)?;
    m.add_function(wrap_pyfunction!(join_fabrics, m)?)?;
    m.add_function(wrap_pyfunction!(generate_fabric, m)?)?;
    m.add_function(wrap_pyfunction!(spec_memory, m)?)?;
    m.add_function(wrap_pyfunction!(families, m)?)?;
    m.add_function(wrap_pyfunction!(is_spec, m)?)
}
