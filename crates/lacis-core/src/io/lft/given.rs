//! Tables that a manager is given (`opensm -R file -U FILE`): what OpenSM 3.3.23 takes of a dump.
//!
//! The grammar is that of [`read`](super::read), but less is required: any switch may be missing, ports and
//! LIDs need not exist, and no line must say which port answers to a LID. What OpenSM would misread, or stop
//! at, is refused with its line; by experiment:
//!
//! * a line without meaning is skipped, and so is an entry before the first heading;
//! * a second heading for a switch empties its table, a second entry for a LID counts instead of the first;
//! * ` portguid 0x` and digits, then a colon, a blank or the end: the port that the entry is for.

use rustc_hash::FxHashMap;

use super::write::{UnfitLid, order, top};
use crate::fabric::{Fabric, Guid, NodeId};
use crate::io::note::{Note, Notes};
use crate::io::text::{decimal, decode, guid, lines};
use crate::io::{NoteKind, ReadError};
use crate::sm::lids::MAX_UNICAST_LID;
use crate::sm::{NO_ENTRY, Routes};

/// One entry of a table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct GivenEntry {
    /// Destination LID when the file was written.
    pub lid: u16,
    /// Port.
    pub port: u8,
    /// Index in [`GivenTables::owners`], plus one; 0 if the line names no port.
    owner: u32,
}

/// The tables of a file, in its order.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct GivenTables {
    /// Node GUIDs of switches and their entries, one for each heading.
    pub tables: Vec<(Guid, Vec<GivenEntry>)>,
    /// Remarks, by line.
    pub notes: Vec<Note>,
    owners: Vec<Guid>,
}

impl GivenTables {
    /// What [`read_given`] makes of a dump of routes ([`write`](super::write())), without the text: of 10,000 nodes
    /// that is a gigabyte.
    ///
    /// # Errors
    /// When a LID is beyond InfiniBand's range.
    pub fn of(fabric: &Fabric, routes: &Routes) -> Result<Self, UnfitLid> {
        let top = top(routes)?;
        let mut owners = Owners::default();
        let mut by_lid: Vec<Option<u32>> = vec![None; top as usize + 1];
        let mut number = |lid: usize| {
            *by_lid[lid].get_or_insert_with(|| {
                let port = routes.lids.owner(lid as u32);
                port.map_or(0, |port| owners.number(fabric.port_info(port).guid))
            })
        };
        let table = |switch: NodeId| {
            let routed = || routes.lft.row(switch).iter().enumerate().filter(|&(_, &port)| port != NO_ENTRY);
            let mut entries = Vec::with_capacity(routed().count());
            entries.extend(routed().map(|(lid, &port)| GivenEntry {
                lid: lid as u16,
                port,
                owner: number(lid),
            }));
            (fabric.node(switch).guid, entries)
        };
        let tables = order(fabric).into_iter().map(table).collect();
        Ok(Self { tables, notes: Vec::new(), owners: owners.guids })
    }

    /// The GUID of the port that an entry is for, if its line names one.
    pub fn owner(&self, entry: &GivenEntry) -> Option<Guid> {
        self.owners.get((entry.owner as usize).checked_sub(1)?).copied()
    }

    /// What `find` knows by the GUID of the port that an entry is for, looked up once for each port.
    pub fn owners<T: Copy>(&self, find: impl Fn(Guid) -> Option<T>) -> impl Fn(&GivenEntry) -> Option<T> {
        let found: Vec<Option<T>> =
            std::iter::once(None).chain(self.owners.iter().map(|&g| find(g))).collect();
        move |entry| found[entry.owner as usize]
    }
}

/// The ports that entries are for, each once.
#[derive(Default)]
struct Owners {
    guids: Vec<Guid>,
    index: FxHashMap<Guid, u32>,
}

impl Owners {
    /// The index of a port, plus one.
    fn number(&mut self, guid: Guid) -> u32 {
        *self.index.entry(guid).or_insert_with(|| {
            self.guids.push(guid);
            self.guids.len() as u32
        })
    }
}

/// Reads tables for a manager.
///
/// # Errors
/// When OpenSM would misread a line, or stop at it.
pub fn read_given(bytes: &[u8]) -> Result<GivenTables, ReadError> {
    let mut notes = Notes::default();
    let text = decode(bytes, &mut notes)?;
    let mut given = GivenTables::default();
    let mut owners = Owners::default();
    let (mut closed, mut any_closed) = (true, false);
    let mut last = (0, "");
    for (n, raw) in lines(&text) {
        let s = raw.trim();
        if let Some(rest) = s.strip_prefix("0x") {
            let (lid, port, owner) = entry(n, s, rest)?;
            let Some((_, entries)) = given.tables.last_mut() else {
                notes.add(NoteKind::UnknownLine, n, s);
                continue;
            };
            let owner = owner.map_or(0, |guid| owners.number(guid));
            entries.push(GivenEntry { lid, port, owner });
        } else if s.starts_with("Unicast lids") {
            given.tables.push((heading(n, s)?, Vec::new()));
            (closed, last) = (false, (n, s));
        } else if s.ends_with("lids dumped") {
            (closed, any_closed) = (true, true);
        } else if !(s.is_empty() || s.starts_with('#') || super::dump::is_known(s)) {
            notes.add(NoteKind::UnknownLine, n, s);
        }
    }
    if given.tables.is_empty() {
        let (n, s) = lines(&text).find(|(_, l)| !l.trim().is_empty()).unwrap_or((1, ""));
        return Err(ReadError::at(n, "no forwarding table found (no line \"Unicast lids …\")", s));
    }
    if !closed && any_closed {
        notes.add(NoteKind::Truncated, last.0, last.1);
    }
    Ok(GivenTables { notes: notes.finish(), owners: owners.guids, ..given })
}

/// `Unicast lids [0-7] of switch Lid 4 guid 0x0000000008f10001 ('leaf 1'):`
fn heading(n: usize, s: &str) -> Result<Guid, ReadError> {
    let bad = || ReadError::at(n, "a table without the GUID of its switch", s);
    let (_, after) = s.split_once(" guid 0x").ok_or_else(bad)?;
    let end = after.find(|c: char| !c.is_ascii_hexdigit()).unwrap_or(after.len());
    if !after[end..].chars().next().is_none_or(char::is_whitespace) {
        return Err(ReadError::at(n, "OpenSM wants a blank after the GUID of the switch", s));
    }
    guid(&after[..end]).ok_or_else(bad)
}

/// `0x0002 001 # Channel Adapter portguid …`, less its first two characters: LID, port and the port's GUID.
fn entry(n: usize, s: &str, rest: &str) -> Result<(u16, u8, Option<Guid>), ReadError> {
    let bad = |reason: &str| ReadError::at(n, reason, s);
    let word = |rest: &str| rest.find([' ', '\t']).unwrap_or(rest.len());
    let (lid, rest) = rest.split_at(word(rest));
    let plain = !lid.is_empty() && lid.bytes().all(|b| b.is_ascii_hexdigit());
    let lid = u32::from_str_radix(lid, 16).ok().filter(|&l| plain && l <= MAX_UNICAST_LID);
    let lid = lid.and_then(|l| u16::try_from(l).ok());
    let lid = lid.ok_or_else(|| bad("bad LID: it is hexadecimal, up to 0xbfff, and a blank follows"))?;
    let rest = rest.trim_start_matches([' ', '\t']);
    let (port, rest) = rest.split_at(word(rest));
    let port = decimal(port).and_then(|p| u8::try_from(p).ok());
    let port = port.ok_or_else(|| bad("bad port: it is decimal, up to 255, and a blank follows"))?;
    let owner = rest.split_once(" portguid 0x").and_then(|(_, after)| {
        let end = after.find(|c: char| !c.is_ascii_hexdigit()).unwrap_or(after.len());
        let next = after[end..].chars().next();
        guid(&after[..end]).filter(|_| next.is_none_or(|c| c == ':' || c.is_whitespace()))
    });
    Ok((lid, port, owner))
}

#[cfg(test)]
mod tests {
    use super::*;

    const SAMPLE: &str = "\
Unicast lids [0-7] of switch Lid 4 guid 0x0000000008f10001 ('leaf 1'):
0x0002 001 # Channel Adapter portguid 0x00000000000000a1: 'node1 HCA-1'
0x0004 000
7 lids dumped
";

    #[test]
    fn tables_are_what_opensm_takes() {
        let given = read_given(SAMPLE.replace('\n', "\r\n").as_bytes()).unwrap();
        let [(switch, entries)] = given.tables.as_slice() else { panic!("one table") };
        assert_eq!(*switch, Guid(0x8f1_0001));
        let all: Vec<_> = entries.iter().map(|e| (e.lid, e.port, given.owner(e))).collect();
        assert_eq!(all, [(2, 1, Some(Guid(0xa1))), (4, 0, None)]);
        assert_eq!(given.notes, []);
        // By experiment with OpenSM 3.3.23: these name no port.
        for tail in
            [" #portguid 0xa1", " # portguid 0xzz", " # portguid 0xa1zz", " : (path #2: portguid 0xa1)"]
        {
            let given =
                read_given(SAMPLE.replace("0x0004 000", &format!("0x0004 000{tail}")).as_bytes()).unwrap();
            assert_eq!(given.owner(&given.tables[0].1[1]), None, "{tail}");
        }
    }

    #[test]
    fn a_file_without_its_end_is_remarked_on() {
        let cut = format!("{SAMPLE}Unicast lids guid 0x2\n0x0001 1\n");
        let notes = read_given(cut.as_bytes()).unwrap().notes;
        assert_eq!((notes.len(), notes[0].kind, notes[0].line), (1, NoteKind::Truncated, 5));
        let odd = format!("0x0001 1\nhello\n{SAMPLE}");
        let notes = read_given(odd.as_bytes()).unwrap().notes;
        assert_eq!((notes.len(), notes[0].kind, notes[0].count), (1, NoteKind::UnknownLine, 2));
    }

    #[test]
    fn what_opensm_would_misread_is_refused_with_its_line() {
        for (text, line, reason) in [
            ("", 1, "no forwarding table"),
            ("hello\n", 1, "no forwarding table"),
            ("Unicast lids\n", 1, "without the GUID"),
            ("Unicast lids guid 0xzz\n", 1, "a blank after the GUID"),
            ("Unicast lids guid 0x1:\n", 1, "a blank after the GUID"),
            ("Unicast lids guid 0x1\n0x0002\n", 2, "bad port"),
            ("Unicast lids guid 0x1\n0x0002 256\n", 2, "bad port"),
            ("Unicast lids guid 0x1\n0x0002 5,\n", 2, "bad port"),
            ("Unicast lids guid 0x1\n0x0002 0x5\n", 2, "bad port"),
            ("Unicast lids guid 0x1\n0x0002 +5\n", 2, "bad port"),
            ("Unicast lids guid 0x1\n0xzz 5\n", 2, "bad LID"),
            ("Unicast lids guid 0x1\n0x0002:5\n", 2, "bad LID"),
            ("Unicast lids guid 0x1\n0xc000 5\n", 2, "bad LID"),
            ("Unicast lids guid 0x1\n0x10002 5\n", 2, "bad LID"),
        ] {
            let error = read_given(text.as_bytes()).unwrap_err();
            assert_eq!(error.line, Some(line), "{text:?}: {error}");
            assert!(error.reason.contains(reason), "{text:?}: {error}");
        }
    }
}
