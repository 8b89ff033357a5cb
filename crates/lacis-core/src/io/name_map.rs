//! `node-name-map` files, which infiniband-diags and OpenSM share: names for nodes whose description
//! says nothing.
//!
//! ```text
//! # line cards
//! 0x0008f104003f125c "IB1 (Rack 11 slot 1   ) ISR9288/ISR9096 Voltaire sLB-24D"
//! ```
//!
//! The format is described in `ibnetdiscover(8)`. GUIDs are read as in [GUID lists](super::guid_list);
//! of two lines for one node the first counts, as it does there.

use std::fmt::Write as _;

use rustc_hash::FxHashMap;

use super::note::{Note, Notes};
use super::text::{c_guid, decode, lines};
use super::{NoteKind, ReadError};
use crate::fabric::Guid;

/// Names by node GUID.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct NameMap {
    names: Vec<(Guid, Box<str>)>,
    index: FxHashMap<Guid, usize>,
}

impl NameMap {
    /// The name of a node, if the map has one.
    pub fn get(&self, guid: Guid) -> Option<&str> {
        self.index.get(&guid).map(|&i| &*self.names[i].1)
    }

    /// A map of given names. Of two for one node the first counts; a quote within a name, which the format
    /// cannot hold, becomes an apostrophe.
    pub fn of(names: impl IntoIterator<Item = (Guid, String)>) -> Self {
        let mut map = Self::default();
        for (guid, name) in names {
            if !map.index.contains_key(&guid) {
                map.index.insert(guid, map.names.len());
                map.names.push((guid, name.replace('"', "'").into()));
            }
        }
        map
    }

    /// All names, in file order.
    pub fn names(&self) -> impl ExactSizeIterator<Item = (Guid, &str)> {
        self.names.iter().map(|(guid, name)| (*guid, &**name))
    }
}

/// Reads a map, with remarks on lines that have no effect.
///
/// # Errors
/// When a line does not begin with a GUID in hexadecimal.
pub fn read(bytes: &[u8]) -> Result<(NameMap, Vec<Note>), ReadError> {
    let mut notes = Notes::default();
    let text = decode(bytes, &mut notes)?;
    let mut map = NameMap::default();
    for (line, raw) in lines(&text) {
        let s = raw.trim();
        if s.is_empty() || s.starts_with('#') {
            continue;
        }
        let end = s.find([' ', '\t', '#']).unwrap_or(s.len());
        let guid = c_guid(&s[..end]).map_err(|reason| ReadError::at(line, reason, raw))?;
        let rest = s[end..].trim_start();
        let name = match rest.strip_prefix('"') {
            Some(quoted) => quoted.split('"').next().unwrap_or_default(),
            None => rest.split(['"', '#']).next().unwrap_or_default().trim_end(),
        };
        if name.is_empty() {
            notes.add(NoteKind::Ignored, line, raw);
        } else if map.index.contains_key(&guid) {
            notes.add(NoteKind::Repeated, line, raw);
        } else {
            map.index.insert(guid, map.names.len());
            map.names.push((guid, name.into()));
        }
    }
    Ok((map, notes.finish()))
}

/// Writes a map, one name a line.
pub fn write(map: &NameMap) -> String {
    map.names().fold(String::new(), |mut out, (guid, name)| {
        let _ = writeln!(out, "{guid} \"{name}\"");
        out
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_read_and_written() {
        let text = "# spines\r\n0x8f1 \"IB1 (Rack 11  ) # 2\"  # x\r\n\r\n0x8f2 plain name # y\r\n0x8f1 \"later\"\r\n0x8f3\r\n";
        let (map, notes) = read(text.as_bytes()).unwrap();
        assert_eq!(map.get(Guid(0x8f1)), Some("IB1 (Rack 11  ) # 2"));
        assert_eq!(map.get(Guid(0x8f2)), Some("plain name"));
        assert_eq!(map.get(Guid(0x8f3)), None);
        let kinds: Vec<_> = notes.iter().map(|n| (n.line, n.kind)).collect();
        assert_eq!(kinds, [(5, NoteKind::Repeated), (6, NoteKind::Ignored)]);
        assert_eq!(read(write(&map).as_bytes()).unwrap(), (map, Vec::new()));
    }

    #[test]
    fn a_bare_guid_is_refused() {
        let error = read(b"0x1 \"a\"\n8f104 \"b\"\n").unwrap_err();
        assert_eq!(error.line, Some(2));
        assert!(error.reason.contains("write 0x8f104"), "{error}");
    }
}
