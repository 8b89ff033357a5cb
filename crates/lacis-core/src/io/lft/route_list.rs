//! `opensm.fdbs` and `ibdiagnet2.fdbs`: for each switch the routes to all LIDs.
//!
//! ```text
//! dump_ucast_routes: Switch 0x0000000008f10001
//! LID    : Port : Hops : Optimal
//! 0x0001 : 000  : 00   : yes
//! 0x0002 : 004  : 03   : No  : 01 hop path possible via port 0x01
//! 0x0007 : UNREACHABLE
//! ```
//!
//! Older releases write `osm_ucast_mgr_dump_ucast_routes:`. Every switch has a row for each LID up to the highest. The
//! file does not say whose a LID is: the fabric's file does.
//!
//! The grammar was read from output of OpenSM 3.3.23 and from published files of ibdiagnet.

use super::dump::{Entry, LftDump, Table};
use crate::io::note::Notes;
use crate::io::text::{decimal, guid, lines};
use crate::io::{NoteKind, ReadError};
use crate::sm::NO_ENTRY;
use crate::sm::lids::MAX_UNICAST_LID;

const OPENS: &str = "dump_ucast_routes: Switch 0x";

/// Whether a text is such a list, rather than a dump of tables.
pub(super) fn looks_like(text: &str) -> bool {
    let telling = |s: &&str| s.contains(OPENS) || s.starts_with("Unicast lids");
    text.split('\n').find(telling).is_some_and(|s| s.contains(OPENS))
}

/// Parses a text.
pub(super) fn parse<'a>(text: &'a str, notes: &mut Notes) -> Result<LftDump<'a>, ReadError> {
    let mut dump = LftDump::default();
    let mut rows: Vec<usize> = Vec::new();
    for (n, raw) in lines(text) {
        let s = raw.trim();
        if let Some((_, rest)) = s.split_once(OPENS) {
            let switch = guid(rest.trim()).ok_or_else(|| ReadError::at(n, "not the GUID of a switch", s))?;
            let start = dump.entries.len();
            let entries = start..start;
            dump.tables.push(Table {
                line: n,
                text: s,
                guid: switch,
                lid: None,
                last: None,
                entries,
                closed: true,
            });
            rows.push(0);
        } else if s.starts_with("0x") {
            let (Some(table), Some(rows)) = (dump.tables.last_mut(), rows.last_mut()) else {
                return Err(ReadError::at(n, "an entry outside any table", s));
            };
            *rows += 1;
            if let Some(entry) = entry(n, s)? {
                dump.entries.push(entry);
                table.entries.end = dump.entries.len();
            }
        } else if !(s.is_empty() || s.starts_with('#') || s.starts_with("LID ")) {
            notes.add(NoteKind::UnknownLine, n, s);
        }
    }
    if let (Some(table), Some(first), Some(last)) = (dump.tables.last(), rows.first(), rows.last())
        && last < first
    {
        let reason = format!("{last} rows where the first switch has {first}: the file looks truncated");
        return Err(ReadError::at(table.line, reason, table.text));
    }
    Ok(dump)
}

/// `0x0001 : 030  : 00   : yes`; none where the LID is not reached.
fn entry(n: usize, s: &str) -> Result<Option<Entry>, ReadError> {
    let bad = |reason: &str| ReadError::at(n, reason, s);
    let mut cells = s.split(':').map(str::trim);
    let lid = cells.next().and_then(|cell| u32::from_str_radix(cell.strip_prefix("0x")?, 16).ok());
    let lid = lid.filter(|&lid| lid <= MAX_UNICAST_LID);
    let lid = lid.ok_or_else(|| bad("bad LID: it is hexadecimal, up to 0xbfff"))?;
    let port = cells.next().ok_or_else(|| bad("no port: the line looks cut"))?;
    if port == "UNREACHABLE" {
        return Ok(None);
    }
    let port = decimal(port).and_then(|port| u8::try_from(port).ok());
    let port = port.ok_or_else(|| bad("bad port: it is decimal, up to 255, or UNREACHABLE"))?;
    Ok((port != NO_ENTRY && lid > 0).then_some(Entry { line: n as u32, lid, port }))
}
