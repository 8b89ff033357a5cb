//! OpenSM's options, and the files that they name, as its own engines understand them: unknown GUIDs and text after
//! a GUID count for nothing.

use std::fs;
use std::io::{self, Read};
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;
use std::sync::Arc;

use lacis_core::fabric::Guid;
use lacis_core::io::port_list::{self, Mistakes};
use lacis_core::io::{ReadError, guid_list, lft, lid_matrix, torus_conf};
use lacis_core::routing::Options;
use lacis_core::sm::Engine;

use crate::question::{self, File};

/// The options of an engine; `lanes` are the data lanes that each link has. Only files that it reads are read.
///
/// # Errors
/// When a file cannot be read, or makes no sense; names it with the line. Where torus-2QoS is asked for without quality of service.
pub(crate) fn read(given: &question::Options<'_>, engine: Engine, lanes: u8) -> Result<Options, String> {
    let values = given.values;
    if engine == Engine::Torus2Qos && !values.qos {
        return Err("refuses: it needs qos TRUE".to_owned());
    }
    let chosen = |option: &str, file: File| given.path(file).filter(|_| engine.reads(option));
    Ok(Options {
        order: parse(chosen("order", File::Order), guids)?.unwrap_or_default(),
        order_no_scatter: values.guid_routing_order_no_scatter,
        roots: parse(chosen("roots", File::Roots), guids)?,
        cn: parse(chosen("cn", File::ComputeNodes), guids)?,
        io: parse(chosen("io", File::IoNodes), guids)?,
        reverse_hops: u8::try_from(values.max_reverse_hops).unwrap_or(u8::MAX),
        connect_roots: values.connect_roots,
        ids: parse(chosen("ids", File::Ids), |b| port_list::ids(b, Mistakes::AsOpenSm))?.unwrap_or_default(),
        hop_weights: parse(chosen("hop_weights", File::HopWeights), |b| {
            port_list::weights(b, Mistakes::AsOpenSm)
        })?
        .unwrap_or_default(),
        ignore: parse(chosen("ignore", File::Ignored), port_list::ignored)?.unwrap_or_default(),
        search_order: parse(chosen("search_order", File::SearchOrder), |b| {
            port_list::search_order(b, Mistakes::AsOpenSm)
        })?
        .unwrap_or_default(),
        port_shifting: values.port_shifting,
        scatter: values.scatter_ports,
        count_switches: values.port_profile_switch_nodes,
        quasi_ftree: values.quasi_ftree_indexing,
        // Throttled cables are left out of the fabric, by OpenSM's own judgement.
        avoid_throttled: false,
        lash_start_vl: values.lash_start_vl,
        mesh_analysis: values.do_mesh_analysis,
        vls: if values.vls > 0 { values.vls } else { lanes },
        // As OpenSM's nue: without quality of service nothing maps levels to lanes.
        nue_vls: if values.qos { values.nue_max_num_vls } else { 1 },
        nue_include_switches: values.nue_include_switches,
        lfts_file: parse(chosen("lfts_file", File::Tables), lft::read_given)?.map(Arc::new),
        lid_matrix_file: parse(chosen("lid_matrix_file", File::HopMatrices), lid_matrix::read)?.map(Arc::new),
        torus: parse(chosen("torus_config", File::Torus), torus_conf::read)?,
        fallback: false,
        ..Options::default()
    })
}

/// Whether an engine leaves throttled cables out.
pub(crate) fn leaves_out_throttled(given: &question::Options<'_>, engine: Engine) -> bool {
    given.values.avoid_throttled_links && engine.reads("avoid_throttled")
}

fn parse<T>(path: Option<&Path>, read: impl Fn(&[u8]) -> Result<T, ReadError>) -> Result<Option<T>, String> {
    let Some(path) = path else { return Ok(None) };
    let shown = path.display();
    let bytes = content(path).map_err(|error| format!("{shown}: {error}"))?;
    read(&bytes).map(Some).map_err(|error| format!("{shown}: {error}"))
}

/// What a regular file holds. Whatever else has this name is not waited for: a pipe may never have anything to say.
fn content(path: &Path) -> io::Result<Vec<u8>> {
    let mut file =
        fs::OpenOptions::new().read(true).custom_flags(libc::O_NONBLOCK | libc::O_NOCTTY).open(path)?;
    if !file.metadata()?.is_file() {
        return Err(io::Error::other("it is no regular file"));
    }
    let mut bytes = Vec::new();
    file.read_to_end(&mut bytes)?;
    Ok(bytes)
}

fn guids(bytes: &[u8]) -> Result<Vec<Guid>, ReadError> {
    Ok(guid_list::read(bytes)?.into_iter().map(|entry| entry.guid).collect())
}
