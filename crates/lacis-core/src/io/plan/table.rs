//! The tables of plans, recognised by the names in a header.

use super::cable::PlanFormat;
pub(super) use crate::io::csv::{cells, header_name as plain, separator};
use crate::io::note::{Note, Notes};
use crate::io::{NoteKind, text};

/// Bytes that are examined to recognise a table, and lines that may precede its header.
const HEAD: usize = 1 << 14;
const BEFORE: usize = 40;

/// The columns of an NDT that define cables.
pub(super) const NDT: [&str; 4] = ["startdevice", "startport", "enddevice", "endport"];

/// The remarks on a table, whose lines may end as spreadsheets end them.
pub(super) fn remarks(notes: Notes) -> Vec<Note> {
    let mut all = notes.finish();
    all.retain(|note| !matches!(note.kind, NoteKind::CarriageReturn | NoteKind::Encoding));
    all
}

/// Which format a line is the header of.
pub(super) fn header(line: &str) -> Option<PlanFormat> {
    let cells = cells(line, separator(line)).ok()?;
    let names: Vec<String> = cells.iter().map(|cell| plain(cell)).collect();
    let known = NDT.iter().filter(|name| names.iter().any(|n| n == *name)).count();
    if known >= 2 {
        return Some(PlanFormat::Ndt);
    }
    (names.len() > 2 && names[0] == "rackgroup").then_some(PlanFormat::Spreadsheet)
}

/// Which table bytes are, by the header among their first lines.
pub(super) fn kind(bytes: &[u8]) -> Option<PlanFormat> {
    let mut notes = Notes::default();
    let head = text::plain(&bytes[..bytes.len().min(HEAD)], &mut notes);
    let head = String::from_utf8_lossy(&head);
    text::lines(&head).take(BEFORE).find_map(|(_, line)| header(line))
}
