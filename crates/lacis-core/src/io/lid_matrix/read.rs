//! Reading hop matrices: the typed dump, exactly what the file says.

use crate::fabric::Guid;
use crate::io::note::{Note, Notes};
use crate::io::text::{decode, guid, lines, refuse_empty};
use crate::io::{NoteKind, ReadError};
use crate::sm::hop_matrix::NO_HOPS;
use crate::sm::lids::MAX_UNICAST_LID;

/// A switch's row for one LID; rows without a path count as absent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HopRow {
    /// Its line, from 1.
    pub line: usize,
    /// The LID.
    pub lid: u32,
    /// The least hops, and those by port 1 and on.
    pub hops: Vec<u8>,
    /// GUID of the port that answers to the LID, if the line has it.
    pub owner: Option<Guid>,
}

/// What a file says of one switch.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SwitchMatrix {
    /// Its heading, from 1.
    pub line: usize,
    /// Node GUID.
    pub guid: Guid,
    /// Its rows, in file order.
    pub rows: Vec<HopRow>,
}

/// A whole file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct HopMatrixDump {
    /// Switches in file order.
    pub switches: Vec<SwitchMatrix>,
    /// Remarks, by line.
    pub notes: Vec<Note>,
}

/// Reads a dump of hop matrices.
///
/// # Errors
/// When a line breaks the grammar, or there is no switch.
pub fn read(bytes: &[u8]) -> Result<HopMatrixDump, ReadError> {
    let mut notes = Notes::default();
    refuse_empty(bytes)?;
    let text = decode(bytes, &mut notes)?;
    let mut switches: Vec<SwitchMatrix> = Vec::new();
    for (n, raw) in lines(&text) {
        let s = raw.trim();
        if let Some(rest) = s.strip_prefix("Switch: guid 0x") {
            let guid = hexadecimal(rest).and_then(guid);
            let guid = guid.ok_or_else(|| ReadError::at(n, "a heading without the GUID of its switch", s))?;
            switches.push(SwitchMatrix { line: n, guid, rows: Vec::new() });
        } else if s.starts_with("0x") {
            let row = row(n, s)?;
            let matrix = switches.last_mut();
            let matrix = matrix.ok_or_else(|| ReadError::at(n, "a row before the first switch", s))?;
            if row.hops.iter().any(|&hops| hops != NO_HOPS) {
                matrix.rows.push(row);
            }
        } else if !(s.is_empty() || s.starts_with('#')) {
            notes.add(NoteKind::UnknownLine, n, s);
        }
    }
    if switches.is_empty() {
        let (n, s) = lines(&text).find(|(_, l)| !l.trim().is_empty()).unwrap_or((1, ""));
        return Err(ReadError::at(n, "no hop matrix found (no line \"Switch: guid 0x…\")", s));
    }
    Ok(HopMatrixDump { switches, notes: notes.finish() })
}

/// `0x0004: 00 02 ff # portguid 0x0000000008f10001`
fn row(line: usize, s: &str) -> Result<HopRow, ReadError> {
    let bad = |reason: &str| ReadError::at(line, reason, s);
    let (lid, rest) = s[2..].split_once(':').ok_or_else(|| bad("a row without a colon after its LID"))?;
    let lid = hexadecimal(lid).and_then(|l| u32::from_str_radix(l, 16).ok());
    let lid = lid.filter(|l| (1..=MAX_UNICAST_LID).contains(l));
    let lid = lid.ok_or_else(|| bad("bad LID: it is hexadecimal, from 0x0001 to 0xbfff"))?;
    let (numbers, comment) = rest.split_once('#').unwrap_or((rest, ""));
    let byte = |word| hexadecimal(word).and_then(|w| u8::from_str_radix(w, 16).ok());
    let hops: Option<Vec<u8>> = numbers.split_ascii_whitespace().map(byte).collect();
    let hops = hops.ok_or_else(|| bad("bad hops: they are hexadecimal, from 00 to ff"))?;
    if hops.is_empty() || hops.len() > 256 {
        return Err(bad("a row has hops for 1 to 256 ports, port 0 included"));
    }
    let owner = match comment.trim_start().strip_prefix("portguid 0x") {
        None => None,
        Some(text) => Some(hexadecimal(text).and_then(guid).ok_or_else(|| bad("bad port GUID"))?),
    };
    Ok(HopRow { line, lid, hops, owner })
}

/// The text, if it has only hexadecimal digits.
fn hexadecimal(text: &str) -> Option<&str> {
    let text = text.trim();
    (!text.is_empty() && text.bytes().all(|b| b.is_ascii_hexdigit())).then_some(text)
}
