//! The typed dump: exactly what the tables say.

use crate::fabric::Guid;
use crate::io::note::Notes;
use crate::io::text::{decimal, guid, lines};
use crate::io::{NoteKind, ReadError};
use crate::sm::NO_ENTRY;
use crate::sm::lids::MAX_UNICAST_LID;

/// One entry of one switch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Entry {
    /// Number of its line, from 1.
    pub line: u32,
    /// Destination LID.
    pub lid: u32,
    /// Port.
    pub port: u8,
}

/// One switch's table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Table<'a> {
    /// Number of the heading, from 1.
    pub line: usize,
    /// The heading.
    pub text: &'a str,
    /// Node GUID of the switch.
    pub guid: Guid,
    /// The switch's LID, if the heading has it.
    pub lid: Option<u32>,
    /// The last LID that the heading names, if hexadecimal.
    pub last: Option<u32>,
    /// Its entries: a range of [`LftDump::entries`].
    pub entries: std::ops::Range<usize>,
    /// Whether the closing line was seen.
    pub closed: bool,
}

/// A whole file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LftDump<'a> {
    /// Tables in file order.
    pub tables: Vec<Table<'a>>,
    /// Entries in file order.
    pub entries: Vec<Entry>,
    /// By LID: the GUID of the port that answers to it and the first line that says so.
    pub owners: Vec<Option<(Guid, u32)>>,
}

impl<'a> LftDump<'a> {
    /// Parses a text.
    pub(super) fn parse(text: &'a str, notes: &mut Notes) -> Result<Self, ReadError> {
        let mut dump = Self::default();
        // The destination text of each LID, as first seen: later tables repeat it.
        let mut destinations: Vec<&str> = Vec::new();
        let mut multicast = false;
        for (n, raw) in lines(text) {
            let s = raw.trim();
            if s.starts_with("0x") {
                if multicast {
                    continue;
                }
                let Some(table) = dump.tables.last_mut().filter(|t| !t.closed) else {
                    return Err(ReadError::at(n, "an entry outside any table", s));
                };
                let (entry, destination) = entry(n, s)?;
                let lid = entry.lid as usize;
                if lid == 0 || entry.port == NO_ENTRY {
                    // LID 0 belongs to no port; an entry without a port equals none.
                    continue;
                }
                if lid >= destinations.len() {
                    destinations.resize(lid + 1, "");
                    dump.owners.resize(lid + 1, None);
                }
                if !destination.is_empty() && destination != destinations[lid] {
                    destinations[lid] = destination;
                    note_owner(&mut dump.owners[lid], n, s, destination)?;
                }
                dump.entries.push(entry);
                table.entries.end = dump.entries.len();
            } else if s.starts_with("Unicast lids") {
                multicast = false;
                let start = dump.entries.len();
                let (guid, lid, last) = heading(n, s)?;
                let entries = start..start;
                dump.tables.push(Table { line: n, text: s, guid, lid, last, entries, closed: false });
            } else if s.starts_with("Multicast mlids") {
                multicast = true;
                notes.add(NoteKind::Ignored, n, s);
            } else if s.ends_with("lids dumped") {
                if let Some(table) = dump.tables.last_mut().filter(|_| !multicast) {
                    table.closed = true;
                }
            } else if !(s.is_empty() || s.starts_with('#') || multicast || is_known(s)) {
                notes.add(NoteKind::UnknownLine, n, s);
            }
        }
        let Some(last) = dump.tables.last() else {
            let (n, s) = lines(text).find(|(_, l)| !l.trim().is_empty()).unwrap_or((1, ""));
            return Err(ReadError::at(n, "no forwarding table found (no line \"Unicast lids …\")", s));
        };
        if !last.closed && dump.tables.iter().any(|t| t.closed) {
            return Err(ReadError::at(
                last.line,
                "the last table has no end: the file looks truncated",
                last.text,
            ));
        }
        dump.note_lost_lids(notes);
        Ok(dump)
    }

    /// If the last LID is a multiple of 64, `dump_lfts` and `ibroute` of infiniband-diags (such as 44)
    /// omit it: they stop at the block before.
    fn note_lost_lids(&self, notes: &mut Notes) {
        for table in &self.tables {
            let lost = table.last.filter(|l| l % 64 == 0 && *l != 0);
            if lost.is_some_and(|l| self.entries[table.entries.clone()].iter().all(|e| e.lid != l)) {
                notes.add(NoteKind::LostLid, table.line, table.text);
            }
        }
    }
}

/// Column titles and the remark of `dump_lfts`.
pub(super) fn is_known(s: &str) -> bool {
    s.starts_with("Lid ") || s.starts_with("Port ") || s.starts_with("*** WARNING ***")
}

/// `Unicast lids [0-7] of switch Lid 4 guid 0x0000000008f10001 ('leaf 1'):`
fn heading(n: usize, s: &str) -> Result<(Guid, Option<u32>, Option<u32>), ReadError> {
    let bad = || ReadError::at(n, "a table without the GUID of its switch", s);
    let (before, after) = s.split_once(" guid 0x").ok_or_else(bad)?;
    let end = after.find(|c: char| !c.is_ascii_hexdigit()).unwrap_or(after.len());
    let guid = guid(&after[..end]).ok_or_else(bad)?;
    let lid = before.rsplit_once(" Lid ").and_then(|(_, lid)| decimal(lid.trim()));
    let range = before.split_once("-0x").and_then(|(_, r)| r.split_once(']'));
    let last = range.and_then(|(last, _)| u32::from_str_radix(last, 16).ok());
    Ok((guid, lid.filter(|l| (1..=MAX_UNICAST_LID).contains(l)), last))
}

/// `0x0002 001 # Channel Adapter portguid …`: the entry and what follows it.
fn entry(n: usize, s: &str) -> Result<(Entry, &str), ReadError> {
    let bad = |reason: &str| ReadError::at(n, reason, s);
    let end = s.find([' ', '\t']).unwrap_or(s.len());
    let lid = u32::from_str_radix(&s[2..end], 16).ok().filter(|&l| l <= MAX_UNICAST_LID);
    let lid = lid.ok_or_else(|| bad("bad LID: it is hexadecimal, up to 0xbfff"))?;
    let rest = s[end..].trim_start_matches([' ', '\t']);
    let end = rest.find([' ', '\t']).unwrap_or(rest.len());
    let port = decimal(&rest[..end]).and_then(|p| u8::try_from(p).ok());
    let port = port.ok_or_else(|| bad("bad port: it is decimal, up to 255"))?;
    let destination = rest[end..].trim_start();
    let port = if destination.contains("illegal port)") { NO_ENTRY } else { port };
    Ok((Entry { line: n as u32, lid, port }, destination))
}

/// Keeps the port GUID that a destination names.
fn note_owner(
    owner: &mut Option<(Guid, u32)>,
    n: usize,
    s: &str,
    destination: &str,
) -> Result<(), ReadError> {
    let Some((_, after)) = destination.split_once("portguid 0x") else { return Ok(()) };
    let end = after.find(|c: char| !c.is_ascii_hexdigit()).unwrap_or(after.len());
    let named = guid(&after[..end]).ok_or_else(|| ReadError::at(n, "bad port GUID", s))?;
    match *owner {
        Some((before, line)) if before != named => {
            Err(ReadError::at(n, format!("line {line} gives this LID to port {before}"), s))
        }
        Some(_) => Ok(()),
        None => {
            *owner = Some((named, n as u32));
            Ok(())
        }
    }
}
