//! Snapshots of `opareport -o snapshot`, which it reads with `-X FILE`:
//!
//! ```text
//! <?xml version="1.0" encoding="utf-8" ?>
//! <Snapshot date="…" unixtime="1700000000" stats="0" routes="1" …>
//! <Nodes>
//!   <Node id="0x0011750102600000">
//!     <NodeDesc>edge1</NodeDesc> <NodeGUID>0x0011750102600000</NodeGUID> <NodeType_Int>2</NodeType_Int> …
//!     <PortInfo id="0x0011750102600000:1">
//!       <PortNum>1</PortNum> … <LinkWidthActive_Int>8</LinkWidthActive_Int> …
//!     </PortInfo> …
//!     <SwitchData>
//!       <LinearFDBSize>49152</LinearFDBSize> … <LinearFDB><Value LID="0x1">5</Value>…</LinearFDB>
//!       <PortGroupElements><Value PortGroupNumber="0">0x30</Value></PortGroupElements>
//!       <PortGroupFDB><Value LID="0x1">0</Value></PortGroupFDB>
//!     </SwitchData>
//!   </Node>
//! </Nodes>
//! <SMs>…</SMs>
//! <Links><Link><From><NodeGUID>…</NodeGUID><PortNum>1</PortNum></From><To>…</To></Link></Links>
//! </Snapshot>
//! ```
//!
//! Numbers whose name ends in `_Int` are read, the texts beside them are not. Tags that opareport requires are
//! required, and unknown ones are counted. The grammar was read in the sources of opa-ff 10.10.3 and tried with
//! Debian's `opareport`.

mod build;
mod counters;
mod dump;
mod read;
mod tables;
mod tags;
mod write;

pub use counters::{COUNTERS, Counters};
pub use dump::{Snapshot, SnapshotCable, SnapshotNode, SnapshotPort, SnapshotSm};
pub use write::{NotSnapshot, WriteOptions, write};

use super::super::note::Notes;
use super::super::{Loaded, ReadError, xml};
use crate::fabric::Fabric;
use crate::io::lft::LoadedTables;
use crate::sm::PortGroups;

/// The subnet prefix of ports that report none: InfiniBand's default.
pub const DEFAULT_PREFIX: u64 = 0xfe80_0000_0000_0000;

/// Whether bytes begin like a snapshot, or like one that the reader refuses.
pub fn looks_like(bytes: &[u8]) -> bool {
    const HEAD: usize = 4096;
    const TAG: &[u8] = b"<Snapshot";
    if let Some(root) = xml::root(bytes) {
        return root == "Snapshot";
    }
    let head = &bytes[..bytes.len().min(HEAD)];
    let is_xml = head.iter().find(|b| !b.is_ascii_whitespace()) == Some(&b'<');
    is_xml && head.windows(TAG.len()).any(|window| window == TAG)
}

/// Reads a fabric from a snapshot.
///
/// # Errors
/// When it is no well-formed XML, lacks what opareport demands, or contradicts itself.
pub fn read(bytes: &[u8]) -> Result<Loaded, ReadError> {
    let mut notes = Notes::default();
    let text = xml::decode(bytes, &mut notes)?;
    let snapshot = Snapshot::parse(&text, &mut notes)?;
    let fabric = build::fabric(&snapshot, &mut notes)?;
    Ok(Loaded { fabric, notes: notes.finish() })
}

/// Reads the tables of a snapshot of a fabric: those of the switches that have one.
///
/// # Errors
/// As [`read`], and when the snapshot is of another fabric, or was taken without `-r`.
pub fn read_tables(bytes: &[u8], fabric: &Fabric) -> Result<LoadedTables, ReadError> {
    let mut notes = Notes::default();
    let text = xml::decode(bytes, &mut notes)?;
    let snapshot = Snapshot::parse(&text, &mut notes)?;
    let routes = tables::routes(&snapshot, fabric)?;
    let has_groups = !snapshot.group_entries.is_empty();
    let port_groups = has_groups.then(|| tables::port_groups(&snapshot, fabric)).transpose()?;
    Ok(LoadedTables { routes, port_groups, notes: notes.finish() })
}

/// Reads the port groups of a snapshot of a fabric, for LIDs up to the highest of its tables.
///
/// # Errors
/// As [`read_tables`].
pub fn read_port_groups(bytes: &[u8], fabric: &Fabric) -> Result<PortGroups, ReadError> {
    let mut notes = Notes::default();
    let text = xml::decode(bytes, &mut notes)?;
    tables::port_groups(&Snapshot::parse(&text, &mut notes)?, fabric)
}

#[cfg(test)]
mod tests;
