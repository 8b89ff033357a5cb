//! OpenSM's options, and the files that they name, as its own engines understand them: unknown GUIDs and text after
//! a GUID count for nothing.

use std::path::Path;
use std::sync::Arc;

use lacis_core::fabric::Guid;
use lacis_core::io::port_list::{self, Mistakes};
use lacis_core::io::{ReadError, guid_list, lft, lid_matrix, torus_conf};
use lacis_core::routing::Options;
use lacis_core::sm::Engine;

use crate::ffi::{self, File};

/// What an engine is told; `lanes` are the data lanes that each link has. Only files that it reads are read.
///
/// # Errors
/// When a file cannot be read, or makes no sense; names it with the line. Where torus-2QoS is asked for without quality of service.
pub(crate) fn read(told: &ffi::Options, engine: Engine, lanes: u8) -> Result<Options, String> {
    let counts_hops = matches!(engine, Engine::MinHop | Engine::UpDn | Engine::DnUp | Engine::Dor);
    let takes_nodes = matches!(engine, Engine::FTree | Engine::Sssp | Engine::DfSssp);
    let takes_roots = matches!(engine, Engine::UpDn | Engine::FTree | Engine::EvenTree);
    if engine == Engine::Torus2Qos && !told.qos {
        return Err("refuses: it needs qos TRUE".to_owned());
    }
    let (from_file, is_torus) = (engine == Engine::File, engine == Engine::Torus2Qos);
    let chosen = |wanted: bool, file: File| told.path(file).filter(|_| wanted);
    Ok(Options {
        order: parse(chosen(counts_hops, File::Order), guids)?.unwrap_or_default(),
        order_no_scatter: told.guid_routing_order_no_scatter,
        roots: parse(chosen(takes_roots, File::Roots), guids)?,
        cn: parse(chosen(takes_nodes, File::ComputeNodes), guids)?,
        io: parse(chosen(takes_nodes, File::IoNodes), guids)?,
        reverse_hops: u8::try_from(told.max_reverse_hops).unwrap_or(u8::MAX),
        connect_roots: told.connect_roots,
        ids: parse(chosen(engine == Engine::UpDn, File::Ids), |b| port_list::ids(b, Mistakes::AsOpenSm))?
            .unwrap_or_default(),
        hop_weights: parse(told.path(File::HopWeights), |b| port_list::weights(b, Mistakes::AsOpenSm))?
            .unwrap_or_default(),
        ignore: parse(told.path(File::Ignored), port_list::ignored)?.unwrap_or_default(),
        search_order: parse(chosen(counts_hops, File::SearchOrder), |b| {
            port_list::search_order(b, Mistakes::AsOpenSm)
        })?
        .unwrap_or_default(),
        port_shifting: told.port_shifting,
        scatter: told.scatter_ports,
        count_switches: told.port_profile_switch_nodes,
        quasi_ftree: told.quasi_ftree_indexing,
        // Throttled cables are left out of the fabric, by OpenSM's own judgement.
        avoid_throttled: false,
        lash_start_vl: told.lash_start_vl,
        mesh_analysis: told.do_mesh_analysis,
        vls: if told.vls > 0 { told.vls } else { lanes },
        // As OpenSM's nue: without quality of service nothing maps levels to lanes.
        nue_vls: if told.qos { told.nue_max_num_vls } else { 1 },
        nue_include_switches: told.nue_include_switches,
        lfts_file: parse(chosen(from_file, File::Tables), lft::read_given)?.map(Arc::new),
        lid_matrix_file: parse(chosen(from_file, File::HopMatrices), lid_matrix::read)?.map(Arc::new),
        torus: parse(chosen(is_torus, File::Torus), torus_conf::read)?,
        fallback: false,
    })
}

/// Whether an engine leaves throttled cables out.
pub(crate) fn leaves_out_throttled(told: &ffi::Options, engine: Engine) -> bool {
    told.avoid_throttled_links && matches!(engine, Engine::Sssp | Engine::DfSssp | Engine::Nue)
}

fn parse<T>(
    path: Option<impl AsRef<Path>>,
    read: impl Fn(&[u8]) -> Result<T, ReadError>,
) -> Result<Option<T>, String> {
    let Some(path) = path else { return Ok(None) };
    let shown = path.as_ref().display();
    let bytes = std::fs::read(path.as_ref()).map_err(|error| format!("{shown}: {error}"))?;
    read(&bytes).map(Some).map_err(|error| format!("{shown}: {error}"))
}

fn guids(bytes: &[u8]) -> Result<Vec<Guid>, ReadError> {
    Ok(guid_list::read(bytes)?.into_iter().map(|entry| entry.guid).collect())
}
