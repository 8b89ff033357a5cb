//! Comma-separated tables: cells of a line, columns by the names in a header.

use std::borrow::Cow;

use super::cable::PlanFormat;
use crate::io::note::{Note, Notes};
use crate::io::{NoteKind, text};

/// Bytes that are examined to recognise a table, and lines that may precede its header.
const HEAD: usize = 1 << 14;
const BEFORE: usize = 40;

/// The columns of an NDT that define cables.
pub(super) const NDT: [&str; 4] = ["startdevice", "startport", "enddevice", "endport"];

/// A name of a column as it is compared: letters and digits, in lower case.
pub(super) fn plain(cell: &str) -> String {
    let cell = cell.trim().trim_start_matches('#');
    let cell = cell.strip_prefix("Fields:").unwrap_or(cell);
    cell.chars().filter(char::is_ascii_alphanumeric).map(|c| c.to_ascii_lowercase()).collect()
}

/// The remarks on a table, whose lines may end as spreadsheets end them.
pub(super) fn remarks(notes: Notes) -> Vec<Note> {
    let mut all = notes.finish();
    all.retain(|note| !matches!(note.kind, NoteKind::CarriageReturn | NoteKind::Encoding));
    all
}

/// What separates the cells of a header; a comma by default.
pub(super) fn separator(header: &str) -> char {
    let count = |c: char| header.matches(c).count();
    [',', ';', '\t'].into_iter().max_by_key(|&c| (count(c), c == ',')).unwrap_or(',')
}

/// The cells of a line without the blanks around them; a quoted cell may hold separators.
///
/// # Errors
/// When a quote is not closed.
pub(super) fn cells(line: &str, separator: char) -> Result<Vec<Cow<'_, str>>, &'static str> {
    let mut out = Vec::new();
    let mut rest = line;
    loop {
        let begin = rest.trim_start_matches([' ', '\t'].as_slice());
        let begin = if separator == '\t' { rest } else { begin };
        let Some(mut inner) = begin.strip_prefix('"') else {
            let (cell, more) = rest.split_once(separator).map_or((rest, None), |(c, more)| (c, Some(more)));
            out.push(Cow::Borrowed(cell.trim()));
            match more {
                Some(more) => rest = more,
                None => return Ok(out),
            }
            continue;
        };
        let mut cell = String::new();
        loop {
            let (text, more) = inner.split_once('"').ok_or("a quote that is not closed")?;
            cell.push_str(text);
            inner = more;
            match inner.strip_prefix('"') {
                Some(more) => {
                    cell.push('"');
                    inner = more;
                }
                None => break,
            }
        }
        out.push(Cow::Owned(cell.trim().to_owned()));
        match inner.split_once(separator) {
            Some((between, more)) if between.trim().is_empty() => rest = more,
            None if inner.trim().is_empty() => return Ok(out),
            _ => return Err("text after a quoted cell"),
        }
    }
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
