//! Dumps of linear forwarding tables, as OpenSM and infiniband-diags print them:
//!
//! ```text
//! Unicast lids [0-7] of switch Lid 4 guid 0x0000000008f10001 ('leaf 1'):
//! 0x0002 001 # Channel Adapter portguid 0x00000000000000a1: 'node1 HCA-1'
//! 0x0004 000 # Switch portguid 0x0000000008f10001: 'leaf 1'
//! 7 lids dumped
//! ```
//!
//! That is `opensm-lfts.dump`, which `opensm -R file -U FILE` loads; the number before `lids dumped`
//! is the last LID, not a count. `dump_lfts` and `ibroute` print LIDs of the heading in hexadecimal,
//! two lines of column titles, and destinations in parentheses after a colon; from the second LID
//! of a port on, `(path #2 out of 4: portguid 0x…)`. With `-n` there are no destinations, with `-a`
//! also entries without a port: `255 : (illegal port)`. Entries are a hexadecimal LID and a decimal
//! port, padded with zeros, which many number parsers would take for octal.
//!
//! Lists of routes (`opensm.fdbs`, `ibdiagnet2.fdbs`) say the same without the owners of LIDs.
//!
//! The grammar was read from the output of OpenSM 3.3.23 and infiniband-diags 44 on ibsim 0.10.

mod dump;
mod given;
mod owners;
mod resolve;
mod route_list;
mod write;

pub use dump::{Entry, LftDump, Table};
pub use given::{GivenEntry, GivenTables, read_given};
pub use write::{UnfitLid, tables, write};

use super::note::{Note, Notes};
use super::{ReadError, text};
use crate::fabric::Fabric;
use crate::sm::{PortGroups, Routes};

/// Tables matched against a fabric, with the reader's remarks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LoadedTables {
    /// LIDs and tables; engine `file`.
    pub routes: Routes,
    /// The port groups of Omni-Path's switches that stand beside the tables, if any do.
    pub port_groups: Option<PortGroups>,
    /// Remarks, by line.
    pub notes: Vec<Note>,
}

/// Reads a dump and matches it against the fabric it was taken of: switches by node GUID, LIDs by
/// the port GUIDs that the dump names, else by the LIDs that the fabric's file reports.
///
/// # Errors
/// When a line breaks the grammar, tables contradict each other, or the dump is of another fabric.
pub fn read(bytes: &[u8], fabric: &Fabric) -> Result<LoadedTables, ReadError> {
    let mut notes = Notes::default();
    text::refuse_empty(bytes)?;
    let text = text::decode(bytes, &mut notes)?;
    let dump = if route_list::looks_like(&text) {
        route_list::parse(&text, &mut notes)?
    } else {
        LftDump::parse(&text, &mut notes)?
    };
    let routes = resolve::resolve(&dump, fabric, &mut notes)?;
    Ok(LoadedTables { routes, port_groups: None, notes: notes.finish() })
}

#[cfg(test)]
mod tests;
