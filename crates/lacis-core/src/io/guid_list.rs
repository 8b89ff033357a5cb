//! GUID lists, the files that OpenSM takes for roots, compute nodes, I/O nodes and routing order:
//!
//! ```text
//! # spines
//! 0x2c5eab0300c26280
//! 0x2c5eab0300c26380  17     # a GUID and what the option makes of the rest
//! ```
//!
//! One GUID a line; blank lines and `#` lines count for nothing. OpenSM 3.3.23 reads the first word as
//! C's `strtoull` with base 0 does: **without `0x` it is decimal**, octal after a leading zero, and a
//! syntax error where a hexadecimal letter follows. That is hardly ever meant, so a bare word is refused.
//! Whether GUIDs exist or appear twice is checked where they are looked up.

use std::fmt::Write as _;

use super::ReadError;
use super::note::Notes;
use super::text::{c_guid, decode, lines};
use crate::fabric::Guid;

/// One line of a list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GuidLine {
    /// Its number, from 1.
    pub line: usize,
    /// The GUID.
    pub guid: Guid,
    /// The rest of the line without comment; empty where there is none.
    pub argument: String,
}

/// Reads a list.
///
/// # Errors
/// When a line does not begin with a GUID in hexadecimal.
pub fn read(bytes: &[u8]) -> Result<Vec<GuidLine>, ReadError> {
    let text = decode(bytes, &mut Notes::default())?;
    let mut entries = Vec::new();
    for (line, raw) in lines(&text) {
        let s = raw.trim();
        if s.is_empty() || s.starts_with('#') {
            continue;
        }
        let s = s.split('#').next().unwrap_or_default();
        let (word, rest) = s.split_once([' ', '\t']).unwrap_or((s, ""));
        let guid = c_guid(word).map_err(|reason| ReadError::at(line, reason, raw))?;
        entries.push(GuidLine { line, guid, argument: rest.trim().to_string() });
    }
    Ok(entries)
}

/// Reads a list of GUIDs only, for an option that ignores what follows them. OpenSM skips that silently; here it
/// must be a comment.
///
/// # Errors
/// As [`read`], and when text follows a GUID.
pub fn plain(bytes: &[u8]) -> Result<Vec<Guid>, ReadError> {
    let entries = read(bytes)?;
    match entries.iter().find(|entry| !entry.argument.is_empty()) {
        Some(GuidLine { line, guid, argument }) => {
            let reason = "text after the GUID, which OpenSM would ignore (a comment begins with #)";
            Err(ReadError::at(*line, reason, &format!("{guid} {argument}")))
        }
        None => Ok(entries.into_iter().map(|entry| entry.guid).collect()),
    }
}

/// Writes a list, one GUID a line.
pub fn write(entries: &[GuidLine]) -> String {
    entries.iter().fold(String::new(), |mut out, entry| {
        let blank = if entry.argument.is_empty() { "" } else { " " };
        let _ = writeln!(out, "{}{blank}{}", entry.guid, entry.argument);
        out
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn guids_and_their_arguments_are_read() {
        let entries = read(b"# roots\r\n\r\n  0x2c9\t17 18 # why\r\n0x00000000000002ca#x\r\n").unwrap();
        let all: Vec<_> = entries.iter().map(|e| (e.line, e.guid.0, e.argument.as_str())).collect();
        assert_eq!(all, [(3, 0x2c9, "17 18"), (4, 0x2ca, "")]);
        let again = read(write(&entries).as_bytes()).unwrap();
        assert!(again.iter().zip(&entries).all(|(a, b)| (a.guid, &a.argument) == (b.guid, &b.argument)));
        assert_eq!(read(b"\n"), Ok(Vec::new()));
        assert_eq!(plain(b"0x2c9 # spine 1\r\n0x2ca\n"), Ok(vec![Guid(0x2c9), Guid(0x2ca)]));
        let trailing = plain(b"0x1\n0x2c9 spine-1\n").unwrap_err();
        assert_eq!(trailing.line, Some(2));
        assert!(trailing.reason.contains("text after the GUID"), "{trailing}");
    }

    #[test]
    fn what_opensm_would_misread_is_refused() {
        for (word, reason) in [
            ("12345", "as decimal: write 0x12345"),
            ("0012345", "as octal: write 0x0012345"),
            ("0099", "as octal"),
            ("2c5eab0300c26280", "stop at \"c\": write 0x2c5eab0300c26280"),
            ("e09d", "not a GUID: write 0xe09d"),
            ("0x", "bad GUID"),
            ("0xzz", "bad GUID"),
            ("0x12345678901234567", "bad GUID"),
            ("S-0002c9", "bad GUID"),
            ("-1", "bad GUID"),
        ] {
            let error = read(format!("0x1\n{word}\n").as_bytes()).unwrap_err();
            assert_eq!(error.line, Some(2), "{word}");
            assert!(error.reason.contains(reason), "{word}: {error}");
        }
    }
}
