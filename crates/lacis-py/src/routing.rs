//! Routing: tables from an engine, and what became of it.

use std::sync::Arc;

use lacis_core::fabric;
use lacis_core::io;
use lacis_core::io::lft::GivenTables;
use lacis_core::io::omnipath::snapshot;
use lacis_core::routing::omnipath::port_groups::port_groups;
use lacis_core::routing::opensm::{file, ftree, updn};
use lacis_core::routing::{self, Sweep};
use lacis_core::sm::{
    self, Cost, Engine, EngineRow, Engines, NO_ENTRY, OPTIONS, OptionRow, OptionValue, PortGroups,
};
use numpy::{IntoPyArray, PyArray1, PyArray2, PyArrayMethods, PyReadonlyArray2};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict};

use crate::error::{Failure, to_py};
use crate::fabric::Fabric;
use crate::given::TableFile;
use crate::named::{by_fields, rows};
use crate::note::Note;
use crate::options::Asked;
use crate::refusal::refusals;

/// Forwarding tables of a fabric. Cheap to copy: both are shared.
#[pyclass(frozen, module = "lacis._core")]
#[derive(Clone)]
pub(crate) struct Routes {
    pub(crate) fabric: Fabric,
    pub(crate) inner: Arc<sm::Routes>,
    undefined: bool,
    /// The options of the engine; none for tables that were read.
    options: Option<Arc<routing::Options>>,
    /// The port groups that a file has beside its tables.
    read_groups: Option<Arc<PortGroups>>,
}

impl Routes {
    /// The roots that the engine was given.
    pub(crate) fn roots(&self) -> Option<&[lacis_core::fabric::Guid]> {
        self.options.as_ref()?.roots.as_deref()
    }

    /// The sweep that made the tables, and the engine.
    fn sweep<T>(&self, work: impl FnOnce(&Sweep<'_>, Engine) -> Result<T, Failure>) -> PyResult<T> {
        let used = &self.inner.engine_used;
        let Some(engine) = used.only() else {
            let reason =
                format!("its islands were routed by several engines ({used}): there is no one sweep");
            return Err(to_py(Failure::plain(&reason)));
        };
        let Some(options) = &self.options else {
            let reason = "the tables were read from a file, which does not say how they were made";
            return Err(to_py(Failure::plain(&reason)));
        };
        work(&Sweep::first(&self.fabric.inner, &self.inner.lids, options), engine).map_err(to_py)
    }

    fn not_of(&self, what: &str, engine: Engine) -> Failure {
        let used = &self.inner.engine_used;
        Failure::plain(&format!("{what} is written by {engine}, and the tables are {used}'s"))
    }
}

/// Entries, alternatives, and errors: see `Routes::verify_port_groups`.
type GroupProof = (usize, usize, Vec<(String, u64, u32, String, Option<u8>, &'static str)>);

/// Masks by group, and groups by LID.
type GroupsOf<'py> = (Bound<'py, PyArray1<u64>>, Bound<'py, PyArray1<u8>>);

impl Routes {
    /// The port groups that Omni-Path's manager has with these tables: with those of a file or of other engines
    /// the ones of its default engine.
    fn port_groups(&self) -> PortGroups {
        let usual = routing::Options::default();
        let options = self.options.as_deref().unwrap_or(&usual);
        let engine = self.inner.engine_used.only().filter(|engine| engine.is_omni_path());
        let sweep = Sweep::first(&self.fabric.inner, &self.inner.lids, options);
        port_groups(&sweep, engine.unwrap_or(Engine::ShortestPath))
    }

    pub(crate) fn new(
        fabric: Fabric,
        routes: sm::Routes,
        undefined: bool,
        options: Arc<routing::Options>,
    ) -> Self {
        Self { fabric, inner: Arc::new(routes), undefined, options: Some(options), read_groups: None }
    }
}

#[pymethods]
impl Routes {
    #[getter]
    fn fabric(&self) -> Fabric {
        self.fabric.clone()
    }

    /// What was asked for: an engine, a list `a,b`, or `file`.
    #[getter]
    fn engine_requested(&self) -> String {
        self.inner.engine_requested.to_string()
    }

    /// The engine that made the tables.
    #[getter]
    fn engine_used(&self) -> String {
        self.inner.engine_used.to_string()
    }

    /// The engines that refused before it, each with its reason.
    #[getter]
    fn refusals<'py>(&self, py: Python<'py>) -> PyResult<Vec<Bound<'py, PyAny>>> {
        refusals(py, &self.inner.refusals)
    }

    fn __repr__(&self) -> String {
        let (used, switches) = (&self.inner.engine_used, self.inner.lft.num_switches());
        format!(
            "<lacis.Routes: tables of {used}, switches: {switches}, LIDs: {}>",
            self.inner.lids.assigned().len()
        )
    }

    /// Whether OpenSM's own tables differ from run to run on this fabric, as ftree's do where a leaf
    /// with compute nodes has a cable to another leaf.
    #[getter]
    fn undefined(&self) -> bool {
        self.undefined
    }

    /// Number of (switch, assigned LID) entries without a port: to end nodes' LIDs, and to switches'.
    fn unrouted(&self, py: Python<'_>) -> (u64, u64) {
        let unrouted = py.detach(|| self.inner.unrouted(&self.fabric.inner));
        (unrouted.to_end_nodes, unrouted.to_switches)
    }

    /// Switches more than 63 hops from their manager, which OpenSM does not find.
    fn undiscovered(&self, py: Python<'_>) -> usize {
        py.detach(|| routing::undiscovered(&self.fabric.inner, &self.inner.lids))
    }

    /// The assigned LIDs, ascending, and the GUIDs of the ports that have them.
    fn lids<'py>(&self, py: Python<'py>) -> (Bound<'py, PyArray1<u32>>, Bound<'py, PyArray1<u64>>) {
        let fabric = &self.fabric.inner;
        let assigned = self.inner.lids.assigned();
        let (lids, guids): (Vec<u32>, Vec<u64>) =
            assigned.into_iter().map(|(lid, port)| (lid, fabric.end_port_guid(port).0)).unzip();
        (lids.into_pyarray(py), guids.into_pyarray(py))
    }

    /// How many LIDs are assigned.
    #[getter]
    fn num_lids(&self) -> usize {
        self.inner.lids.assigned().len()
    }

    /// LIDs that OpenSM gives twice, and the port that has one in vain.
    #[getter]
    fn doubled(&self) -> Vec<(u32, String)> {
        let doubled = self.inner.lids.doubled().into_iter();
        doubled.map(|(lid, port)| (lid, self.fabric.inner.port_name(port))).collect()
    }

    /// The port per switch and LID, 255 for none; shape `(switches, highest LID + 1)`, `uint8`.
    fn table<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray2<u8>>> {
        let lft = &self.inner.lft;
        lft.as_slice().to_vec().into_pyarray(py).reshape([lft.num_switches(), lft.stride()])
    }

    /// The same LIDs under other tables, as `table` has them: a port per switch and LID, 255 for none.
    ///
    /// # Errors
    /// When their shape is another, or a switch lacks a port.
    fn with_table(&self, table: PyReadonlyArray2<'_, u8>) -> PyResult<Self> {
        let lft = &self.inner.lft;
        let given = table.as_array();
        if given.shape() != [lft.num_switches(), lft.stride()] {
            let [(a, b), (c, d)] = [given.dim(), (lft.num_switches(), lft.stride())];
            let reason = format!("a table of {a} × {b} entries, where {c} × {d} (switches × LIDs) belong");
            return Err(to_py(Failure::plain(&reason)));
        }
        let fabric = &self.fabric.inner;
        for (switch, row) in fabric.switches().zip(given.rows()) {
            let radix = fabric.radix(switch);
            if let Some((lid, port)) = row.iter().enumerate().find(|&(_, &p)| p > radix && p != NO_ENTRY) {
                let name = fabric.name(switch);
                let reason =
                    format!("switch {name} has {radix} ports, and its entry for LID {lid} is {port}");
                return Err(to_py(Failure::plain(&reason)));
            }
        }
        let mut inner = sm::Routes {
            engine_requested: Engine::File.into(),
            engine_used: Engine::File.into(),
            refusals: Vec::new(),
            lanes: None,
            ..(*self.inner).clone()
        };
        inner.lft.as_mut_slice().iter_mut().zip(given).for_each(|(entry, &port)| *entry = port);
        Ok(Self { inner: Arc::new(inner), undefined: false, options: None, ..self.clone() })
    }

    /// The switch (its index) that each LID's owner hangs off, -1 for LIDs without one; `int32`, by LID.
    fn edge_switches<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<i32>> {
        let (lids, fabric) = (&self.inner.lids, &self.fabric.inner);
        let edge_switch =
            |lid| lids.owner(lid).and_then(|port| fabric.edge_switch(port)).map_or(-1, |s| s.0.cast_signed());
        (0..=lids.max_lid()).map(edge_switch).collect::<Vec<i32>>().into_pyarray(py)
    }

    /// The service level of packets from an end node on a switch to a LID, 0 where the engine gives
    /// none; shape `(switches, highest LID + 1)`, `uint8`. None where all is on one lane.
    fn service_levels<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyArray2<u8>>>> {
        let Some(lanes) = &self.inner.lanes else { return Ok(None) };
        let shape = [self.inner.lft.num_switches(), self.inner.lft.stride()];
        let lids = 0..shape[1] as u32;
        let of_switch = |s| lids.clone().map(move |lid| lanes.sl(s, lid));
        let levels: Vec<u8> = self.fabric.inner.switches().flat_map(of_switch).collect();
        levels.into_pyarray(py).reshape(shape).map(Some)
    }

    /// Hands the tables as `opensm-lfts.dump` to `sink`, one `bytes` a switch: a large fabric's dump
    /// does not fit in memory.
    fn dump(&self, py: Python<'_>, sink: &Bound<'_, PyAny>) -> PyResult<()> {
        let tables =
            io::lft::tables(&self.fabric.inner, &self.inner).map_err(|e| to_py(Failure::plain(&e)))?;
        for table in tables {
            sink.call1((PyBytes::new(py, table.as_bytes()),))?;
        }
        py.check_signals()
    }

    /// The tables as the engine `file` would read them from `dump`.
    fn as_file(&self, py: Python<'_>) -> PyResult<TableFile> {
        let given = py.detach(|| GivenTables::of(&self.fabric.inner, &self.inner));
        Ok(TableFile { inner: Arc::new(given.map_err(|e| to_py(Failure::plain(&e)))?) })
    }

    /// Hands a snapshot as `opareport -X` reads it to `sink`, with these tables and the port groups that Omni-Path's
    /// manager has with them, a `bytes` a node. Returns the number of cables that are not Omni-Path's, written as 100g.
    fn dump_snapshot(&self, py: Python<'_>, sink: &Bound<'_, PyAny>, unixtime: u64) -> PyResult<usize> {
        let fabric = &self.fabric.inner;
        let groups = py.detach(|| self.port_groups());
        let options = snapshot::WriteOptions { unixtime, groups: Some(&groups), counters: &[] };
        let pieces = snapshot::write(fabric, &self.inner, &options).map_err(|e| to_py(Failure::plain(&e)))?;
        for piece in pieces {
            sink.call1((PyBytes::new(py, piece.as_bytes()),))?;
        }
        py.check_signals()?;
        let foreign = |port| {
            let rate: Option<fabric::Rate> = fabric.port_info(port).rate;
            rate.is_some_and(|rate| !rate.speed.is_omni_path())
        };
        Ok(fabric.cables().filter(|&(a, b)| foreign(a) || foreign(b)).count())
    }

    /// What the port groups that were read with these tables do: how many LIDs have one at some switch, among how many
    /// ports these may be moved, and what is wrong: the switch, its GUID, the LID, its owner, the port, its kind. None
    /// where no port groups were read.
    fn verify_port_groups(&self, py: Python<'_>) -> Option<GroupProof> {
        let groups = self.read_groups.as_ref()?;
        let (fabric, routes) = (&self.fabric.inner, &self.inner);
        let proof =
            py.detach(|| lacis_core::verify::verify_port_groups(fabric, &routes.lids, &routes.lft, groups));
        let row = |error: &lacis_core::verify::GroupError| {
            let owner = routes.lids.owner(error.lid).map(|port| self.fabric.port_name(port));
            let (name, guid) = (fabric.name(error.switch).into_owned(), fabric.node(error.switch).guid.0);
            (name, guid, error.lid, owner.unwrap_or_default(), error.port, error.fault.name())
        };
        Some((proof.entries, proof.alternatives, proof.errors.iter().map(row).collect()))
    }

    /// The port groups that Omni-Path's manager has with these tables, by switch: masks by group, bit p - 1 for port
    /// p; and the group of each LID, 255 for none.
    #[pyo3(name = "port_groups")]
    fn groups<'py>(&self, py: Python<'py>) -> Vec<GroupsOf<'py>> {
        let groups = py.detach(|| self.port_groups());
        let of = |switch| (groups.masks(switch).to_vec(), groups.entries(switch).to_vec());
        let switches = self.fabric.inner.switches().map(of);
        switches.map(|(masks, entries)| (masks.into_pyarray(py), entries.into_pyarray(py))).collect()
    }

    /// The compute nodes in the order in which ftree balances them, as `opensm-ftree-ca-order.dump`.
    fn to_ca_order(&self, py: Python<'_>) -> PyResult<String> {
        py.detach(|| {
            self.sweep(|sweep, engine| {
                if engine != Engine::FTree {
                    return Err(self.not_of("opensm-ftree-ca-order.dump", Engine::FTree));
                }
                let order = ftree::ca_order(sweep.fabric, sweep.lids, sweep.options);
                let order = order.map_err(|e| Failure::plain(&e))?;
                Ok(io::order_dumps::ca_order(sweep.fabric, sweep.lids, &order))
            })
        })
    }

    /// The root switches of updn, as `opensm-updn-roots.dump`.
    fn to_updn_roots(&self, py: Python<'_>) -> PyResult<String> {
        py.detach(|| {
            self.sweep(|sweep, engine| {
                if engine != Engine::UpDn {
                    return Err(self.not_of("opensm-updn-roots.dump", Engine::UpDn));
                }
                let roots = updn::roots(sweep).map_err(|e| Failure::plain(&e))?;
                Ok(io::order_dumps::updn_roots(sweep.fabric, &roots))
            })
        })
    }

    /// Hands the hop matrices as `opensm-lid-matrix.dump` to `sink`, one `bytes` a switch.
    fn dump_lid_matrix(&self, py: Python<'_>, sink: &Bound<'_, PyAny>) -> PyResult<()> {
        let made = py.detach(|| {
            self.sweep(|sweep, engine| {
                let made =
                    routing::matrices(sweep, engine, &self.inner.lft).map_err(|e| Failure::plain(&e))?;
                made.ok_or_else(|| Failure::plain(&format!("the hop matrices of {engine} are not known")))
            })
        })?;
        for matrix in io::lid_matrix::write(&self.fabric.inner, &self.inner.lids, &made) {
            sink.call1((PyBytes::new(py, matrix.as_bytes()),))?;
        }
        py.check_signals()
    }

    /// Hands the tables from service levels to lanes as `opensm-sl2vl.dump` to `sink`, one `bytes` a switch or
    /// port.
    fn dump_sl2vl(&self, py: Python<'_>, sink: &Bound<'_, PyAny>) -> PyResult<()> {
        let vls = self.options.as_ref().map_or(routing::Options::default().vls, |options| options.vls);
        let (fabric, routes) = (&self.fabric.inner, &self.inner);
        for text in io::sl2vl::write(fabric, &routes.lids, routes.lanes.as_ref(), vls) {
            sink.call1((PyBytes::new(py, text.as_bytes()),))?;
        }
        py.check_signals()
    }

    /// Hands the service levels of paths to `sink`, one `bytes` a source switch.
    fn dump_service_levels(&self, py: Python<'_>, sink: &Bound<'_, PyAny>) -> PyResult<()> {
        let Some(lanes) = &self.inner.lanes else {
            let used = &self.inner.engine_used;
            return Err(to_py(Failure::plain(&format!(
                "{used} assigns no service levels: all paths have 0"
            ))));
        };
        for text in io::sl2vl::levels(&self.fabric.inner, &self.inner, lanes) {
            sink.call1((PyBytes::new(py, text.as_bytes()),))?;
        }
        py.check_signals()
    }

    /// How many lanes a port must have, and the number of (source switch, LID) entries by service level.
    /// None where all is on one lane.
    fn lane_census(&self, py: Python<'_>) -> Option<(usize, Vec<u64>)> {
        let lanes = self.inner.lanes.as_ref()?;
        let census = || lanes.census(&self.inner.lids, self.fabric.inner.switches()).to_vec();
        Some((lanes.num_lanes(), py.detach(census)))
    }

    /// How tables from a file fit the fabric and its LIDs: node GUIDs of `unknown_switches`, names of
    /// switches `without_table`, and numbers of entries that name `unknown_ports`, were `moved` to another
    /// LID or lie `beyond` the highest; and of `repeated` headings.
    fn fit<'py>(&self, py: Python<'py>, given: &TableFile) -> PyResult<Bound<'py, PyAny>> {
        let fabric = &self.fabric.inner;
        let fit = py.detach(|| file::fit(fabric, &self.inner.lids, &given.inner));
        let all = PyDict::new(py);
        let unknown: Vec<u64> = fit.unknown_switches.iter().map(|g| g.0).collect();
        let names: Vec<&str> = fit.without_table.iter().map(|&s| &*fabric.node(s).description).collect();
        all.set_item("unknown_switches", unknown)?;
        all.set_item("without_table", names)?;
        all.set_item("unknown_ports", fit.unknown_ports)?;
        all.set_item("moved", fit.moved)?;
        all.set_item("beyond", fit.beyond)?;
        all.set_item("repeated", fit.repeated)?;
        by_fields(py, "TableFit", &all)
    }

    /// The LIDs as OpenSM's `guid2lid` cache.
    fn to_guid2lid(&self, py: Python<'_>) -> PyResult<String> {
        let write =
            || io::guid2lid::entries(&self.fabric.inner, &self.inner.lids).map(|e| io::guid2lid::write(&e));
        py.detach(write).map_err(|e| to_py(Failure::plain(&e)))
    }
}

/// The table of engines.
#[pyfunction]
fn engine_table(py: Python<'_>) -> PyResult<Vec<Bound<'_, PyAny>>> {
    let row = |engine: &Engine| {
        let EngineRow { name, author, needs, cost, promise, .. } = *engine.row();
        let Cost { routing, outgrows_tables, failure, failure_doubles_by } = cost;
        (name, author.name(), needs, routing, outgrows_tables, failure, failure_doubles_by, promise)
    };
    rows(py, "EngineRow", Engine::ALL.iter().map(row))
}

/// The table of options of a manager.
#[pyfunction]
fn option_table(py: Python<'_>) -> PyResult<Vec<Bound<'_, PyAny>>> {
    let row = |row: &OptionRow| {
        let (kind, unit, range, default) = match row.value {
            OptionValue::Flag => ("flag", None, None, None),
            OptionValue::OnUnlessNot => ("on unless not", None, None, None),
            OptionValue::Number { least, most, default, unit } => {
                ("number", Some(unit), Some((least, most)), Some(default))
            }
            OptionValue::File => ("file", Some("FILE"), None, None),
            OptionValue::Node => ("node", Some("NODE"), None, None),
        };
        let engines: Vec<&str> = row.engines.iter().map(|engine| engine.name()).collect();
        (row.name, row.key, row.flags.to_vec(), kind, unit, range, default, engines, row.help)
    };
    rows(py, "OptionRow", OPTIONS.iter().map(row))
}

/// The node with an identifier, a GUID or a description.
#[pyfunction]
fn find_node(fabric: &Fabric, name: &str) -> PyResult<u32> {
    fabric.inner.find_node(name).map(|n| n.0).map_err(|e| to_py(Failure::plain(&e)))
}

/// Assigns LIDs as a fresh OpenSM does and routes with the first engine of the list that accepts
/// the fabric. The options are those of `lacis.RouteOptions`.
#[pyfunction]
#[pyo3(signature = (fabric, engines, **options))]
fn route(
    py: Python<'_>,
    fabric: &Fabric,
    engines: &str,
    options: Option<&Bound<'_, PyDict>>,
) -> PyResult<Routes> {
    let asked = Asked::of(options, &fabric.inner)?;
    let chain: Engines = engines.parse().map_err(|e| to_py(Failure::plain(&e)))?;
    let made = py.detach(|| {
        let f = &*fabric.inner;
        let lids = asked.lids(f, &chain)?;
        let routes = routing::route(f, lids, &chain, &asked.options).map_err(Failure::from)?;
        let is_ftree = routes.engine_used.contains(&Engine::FTree);
        let undefined = is_ftree && ftree::is_undefined(f, &routes.lids, &asked.options);
        Ok::<_, Failure>((routes, undefined))
    });
    let (routes, undefined) = made.map_err(to_py)?;
    Ok(Routes {
        fabric: fabric.clone(),
        inner: Arc::new(routes),
        undefined,
        options: Some(Arc::new(asked.options)),
        read_groups: None,
    })
}

/// The LIDs that a manager assigns, without tables, as OpenSM's `guid2lid` cache. The options are those
/// of `lacis.RouteOptions` that concern LIDs.
#[pyfunction]
#[pyo3(signature = (fabric, **options))]
fn assign_lids(py: Python<'_>, fabric: &Fabric, options: Option<&Bound<'_, PyDict>>) -> PyResult<String> {
    let asked = Asked::of(options, &fabric.inner)?;
    let cache = || {
        let lids = asked.lids(&fabric.inner, &[])?;
        let entries = io::guid2lid::entries(&fabric.inner, &lids).map_err(|e| Failure::plain(&e))?;
        Ok::<_, Failure>(io::guid2lid::write(&entries))
    };
    py.detach(cache).map_err(to_py)
}

/// Reads a dump of forwarding tables of a fabric, with its reader's remarks.
#[pyfunction]
fn read_lfts(py: Python<'_>, fabric: &Fabric, data: &[u8]) -> PyResult<(Routes, Vec<Note>)> {
    let loaded = py.detach(|| io::read_tables(data, &fabric.inner)).map_err(to_py)?;
    let notes = Note::all(&loaded.notes);
    let routes = Routes {
        fabric: fabric.clone(),
        inner: Arc::new(loaded.routes),
        undefined: false,
        options: None,
        read_groups: loaded.port_groups.map(Arc::new),
    };
    Ok((routes, notes))
}

pub(crate) fn register(m: &Bound<'_, PyModule>) -> PyResult<()> {
    m.add("MOST_HOPS", routing::MOST_HOPS)?;
    m.add_class::<Routes>()?;
    m.add_function(wrap_pyfunction!(assign_lids, m)?)?;
    m.add_function(wrap_pyfunction!(engine_table, m)?)?;
    m.add_function(wrap_pyfunction!(option_table, m)?)?;
    m.add_function(wrap_pyfunction!(find_node, m)?)?;
    m.add_function(wrap_pyfunction!(read_lfts, m)?)?;
    m.add_function(wrap_pyfunction!(route, m)?)
}
