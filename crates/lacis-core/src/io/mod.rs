//! Reading and writing: vendor formats stop here.
//!
//! [`read`] takes bytes, recognises the format by content and yields a [`Fabric`] with [`Note`]s on
//! everything unusual: each input line is understood, known and ignored, or counted.
//! Readers take bytes or text, never a path; every refusal is one [`ReadError`] with its line.
//!
//! | module | format |
//! |---|---|
//! | [`cabling`] | cables by the names of nodes: UFM's ports, a site's own list |
//! | [`FileKind`] | what a file is, by its content |
//! | [`guid2lid`] | OpenSM's LID cache |
//! | [`guid_list`] | GUID lists: roots, compute nodes, routing order |
//! | [`ibdiagnet`] | what ibdiagnet leaves on disk: `db_csv`, `net_dump` |
//! | [`job_log`] | known failure texts in the output of jobs |
//! | [`json`] | Lacis's own fabric file, schema `lacis.fabric-file/1` |
//! | [`links`] | lists of links and nodes: `ibnetdiscover -p`, `-l`, `-H`, `-S`, `-R`, `iblinkinfo` |
//! | [`lft`] | dumps of forwarding tables: OpenSM, `dump_lfts`, `ibroute` |
//! | [`lid_matrix`] | dumps of hop matrices: OpenSM |
//! | [`measured`] | results of measurements, of our own and of others' programs |
//! | [`name_map`] | `node-name-map` files |
//! | [`net`] | `ibnetdiscover` output and ibsim net files |
//! | [`omnipath`] | what Omni-Path's tools write: snapshots of `opareport` |
//! | [`opafm`] | `opafm.xml`, the configuration of the Omni-Path manager |
//! | [`opensm_conf`] | OpenSM's configuration |
//! | [`plan`] | cabling plans: topology XML, `opaxlattopology`'s CSV, NVIDIA's NDT |
//! | [`port_list`] | files about switches and ports: ids, weights, ports to ignore, search order |
//! | [`query_errors`] | counters as `ibqueryerrors` prints them |
//! | [`roles`] | what a site declares its switches and hosts to be |
//! | [`sl2vl`] | service levels of paths, and the lanes that they mean |
//! | [`slurm`] | lists of hosts as Slurm writes them, and its `topology.conf` |
//! | [`subnet_list`] | OpenSM's `opensm-subnet.lst`, `ibdiagnet.lst` |
//! | [`torus_conf`] | the configuration of OpenSM's `torus-2QoS` |
//! | [`order_dumps`] | what OpenSM's `ftree` and `updn` write about their order and roots |

mod assembly;
mod counter_names;
mod csv;
mod kind;
mod lane;
mod note;
pub(crate) mod text;
mod xml;

pub mod cabling;
pub mod guid2lid;
pub mod guid_list;
pub mod ibdiagnet;
pub mod job_log;
pub mod json;
pub mod lft;
pub mod lid_matrix;
pub mod links;
pub mod measured;
pub mod name_map;
pub mod net;
pub mod omnipath;
pub mod opafm;
pub mod opensm_conf;
pub mod order_dumps;
pub mod plan;
pub mod port_list;
pub mod query_errors;
pub mod roles;
pub mod sl2vl;
pub mod slurm;
pub mod subnet_list;
pub mod torus_conf;

pub use kind::{FileKind, kind_of};
pub use note::{Loaded, Note, NoteKind, ReadError};
pub use text::{Utf16, utf16_form};

use crate::fabric::Fabric;

/// Reads tables of a fabric in any supported format, recognised by content.
///
/// # Errors
/// When the input is no such format, contradicts itself, or is of another fabric.
pub fn read_tables(bytes: &[u8], fabric: &Fabric) -> Result<lft::LoadedTables, ReadError> {
    if omnipath::snapshot::looks_like(bytes) {
        omnipath::snapshot::read_tables(bytes, fabric)
    } else {
        lft::read(bytes, fabric)
    }
}

/// Reads counters of a fabric's ports, in place of any that it has: from the output of `ibqueryerrors`, ibdiagnet's
/// `net_dump_ext`, or any file of the fabric that has some.
/// `read_at` is when the file was made, in seconds since 1970, where it does not say so itself.
///
/// # Errors
/// When the input is no such format, or is of another fabric.
pub fn read_counters(bytes: &[u8], fabric: &Fabric, read_at: Option<u64>) -> Result<Loaded, ReadError> {
    if kind_of(bytes) == Some(FileKind::QueryErrors) {
        return query_errors::read(bytes, fabric, read_at);
    }
    if kind_of(bytes) == Some(FileKind::NetDumpExt) {
        return ibdiagnet::net_dump_ext::read(bytes, fabric, read_at);
    }
    let Loaded { fabric: other, notes } = read(bytes)?;
    if other.counters().is_empty() {
        let what = kind_of(bytes).map_or("this file", FileKind::describe);
        return Err(ReadError::whole(format!(
            "no counters in {what}: ibqueryerrors, a db_csv of ibdiagnet and snapshots of opareport have some"
        )));
    }
    let mut bare = crate::fabric::FabricBuilder::from(fabric);
    bare.uncount();
    let with = crate::fabric::completed(&bare.finish(), &other);
    if with.counters().is_empty() {
        return Err(ReadError::whole("counters of another fabric: it has none of their ports"));
    }
    let Some(at) = read_at.filter(|_| other.counters().read_at.is_none()) else {
        return Ok(Loaded { fabric: with, notes });
    };
    let mut builder = crate::fabric::FabricBuilder::from(&with);
    builder.counted_at(at);
    Ok(Loaded { fabric: builder.finish(), notes })
}

/// Reads a fabric in any supported format, recognised by content.
///
/// # Errors
/// When the input is no such format, or contradicts itself.
pub fn read(bytes: &[u8]) -> Result<Loaded, ReadError> {
    match kind_of(bytes) {
        Some(FileKind::FabricFile) => json::read(bytes),
        Some(FileKind::Snapshot) => omnipath::snapshot::read(bytes),
        Some(FileKind::SubnetList) => subnet_list::read(bytes),
        Some(FileKind::DbCsv) => ibdiagnet::db_csv::read(bytes),
        Some(FileKind::NetDump) => ibdiagnet::net_dump::read(bytes),
        Some(FileKind::Cabling) => cabling::read(bytes, &cabling::CablingColumns::ufm()),
        Some(FileKind::Links) => links::read(bytes),
        Some(FileKind::Net) | None => net::read(bytes),
        Some(_) => Err(kind::refusal(bytes).unwrap_or_else(|| ReadError::whole("not a fabric"))),
    }
}
