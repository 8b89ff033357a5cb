//! Options of LID assignment and routing, from Python's keyword arguments.

use lacis_core::fabric::{self, Guid, NodeId};
use lacis_core::health::find_manager;
use lacis_core::io;
use lacis_core::routing::Options;
use lacis_core::sm::Engine;
use lacis_core::sm::lids::{CacheEntry, LidOptions, Lids};
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyString};

use crate::error::{Failure, to_py};
use crate::given::{HopFile, TableFile};

/// What a caller asks of a manager.
#[derive(Default)]
pub(crate) struct Asked {
    /// The node that it runs on.
    sm: Option<NodeId>,
    /// The options of its LID manager.
    lid_options: LidOptions,
    /// The options of its engines.
    pub(crate) options: Options,
}

impl Asked {
    /// Reads keyword arguments; their names and types are those of `RouteOptions` in
    /// `lacis.routing`.
    pub(crate) fn of(keywords: Option<&Bound<'_, PyDict>>, fabric: &fabric::Fabric) -> PyResult<Self> {
        let mut asked = Self::default();
        let (o, lids) = (&mut asked.options, &mut asked.lid_options);
        for (name, value) in keywords.into_iter().flatten() {
            match name.cast::<PyString>()?.to_str()? {
                "sm" | "torus_config" if value.is_none() => {}
                "sm" => {
                    let name: String = value.extract()?;
                    asked.sm = Some(find_manager(fabric, &name).map_err(|e| to_py(Failure::plain(&e)))?);
                }
                "fresh_lids" => lids.fresh = value.extract()?,
                "lmc" => lids.lmc = value.extract()?,
                "lmc_esp0" => lids.lmc_esp0 = value.extract()?,
                "guid2lid" => {
                    let all: Vec<(u64, u32, u32)> = value.extract()?;
                    let entry = |(guid, first, last)| CacheEntry { guid: Guid(guid), first, last };
                    lids.cache = all.into_iter().map(entry).collect();
                }
                "order" => o.order = guids(&value)?,
                "order_no_scatter" => o.order_no_scatter = value.extract()?,
                "roots" => o.roots = maybe(&value)?,
                "cn" => o.cn = maybe(&value)?,
                "io" => o.io = maybe(&value)?,
                "reverse_hops" => o.reverse_hops = value.extract()?,
                "connect_roots" => o.connect_roots = value.extract()?,
                "ids" => o.ids = keyed(value.extract::<Vec<(u64, u64)>>()?),
                "hop_weights" => {
                    let all: Vec<(u64, u8, u8)> = value.extract()?;
                    o.hop_weights =
                        all.into_iter().map(|(g, port, weight)| (Guid(g), port, weight)).collect();
                }
                "ignore" => o.ignore = keyed(value.extract::<Vec<(u64, u8)>>()?),
                "search_order" => o.search_order = keyed(value.extract::<Vec<(u64, Vec<u8>)>>()?),
                "port_shifting" => o.port_shifting = value.extract()?,
                "scatter" => o.scatter = value.extract()?,
                "count_switches" => o.count_switches = value.extract()?,
                "quasi_ftree" => o.quasi_ftree = value.extract()?,
                "lash_start_vl" => o.lash_start_vl = value.extract()?,
                "mesh_analysis" => o.mesh_analysis = value.extract()?,
                "avoid_throttled" => o.avoid_throttled = value.extract()?,
                "vls" => o.vls = value.extract()?,
                "nue_include_switches" => o.nue_include_switches = value.extract()?,
                "nue_vls" => o.nue_vls = value.extract()?,
                "lfts_file" if value.is_none() => o.lfts_file = None,
                "lfts_file" => o.lfts_file = Some(value.cast::<TableFile>()?.get().inner.clone()),
                "lid_matrix_file" if value.is_none() => o.lid_matrix_file = None,
                "lid_matrix_file" => o.lid_matrix_file = Some(value.cast::<HopFile>()?.get().inner.clone()),
                "torus_config" => {
                    o.torus = Some(io::torus_conf::read(&value.extract::<Vec<u8>>()?).map_err(to_py)?);
                }
                "spine_first" => o.spine_first = value.extract()?,
                "tier_count" => o.tier_count = value.extract()?,
                "ucast_cache" => o.ucast_cache = value.extract()?,
                "fallback" => o.fallback = value.extract()?,
                other => return Err(PyTypeError::new_err(format!("unexpected keyword argument '{other}'"))),
            }
        }
        Ok(asked)
    }

    /// The LIDs that the manager of these engines assigns; Omni-Path's too where LIDs are beyond InfiniBand's.
    pub(crate) fn lids(&self, fabric: &fabric::Fabric, chain: &[Engine]) -> Result<Lids, Failure> {
        let sm = self.sm.map(|n| fabric.main_port(n)).or_else(|| Lids::default_sm(fabric));
        let sm = sm.ok_or_else(|| Failure::plain(&"the fabric has no node to run a subnet manager on"))?;
        let assign = if chain.iter().any(|engine| engine.is_omni_path()) || Lids::are_omni_path(fabric) {
            Lids::assign_omni_path
        } else {
            Lids::assign
        };
        assign(fabric, sm, &self.lid_options).map_err(|e| Failure::plain(&e))
    }
}

fn guids(value: &Bound<'_, PyAny>) -> PyResult<Vec<Guid>> {
    Ok(value.extract::<Vec<u64>>()?.into_iter().map(Guid).collect())
}

fn maybe(value: &Bound<'_, PyAny>) -> PyResult<Option<Vec<Guid>>> {
    if value.is_none() { Ok(None) } else { guids(value).map(Some) }
}

fn keyed<T>(all: Vec<(u64, T)>) -> Vec<(Guid, T)> {
    all.into_iter().map(|(guid, value)| (Guid(guid), value)).collect()
}
