//! OpenSM's files about switches and their ports, by switch node GUID:
//!
//! ```text
//! 0x2c5eab0300c26280 17          # an id, a port to ignore
//! 0x2c5eab0300c26280 17 4        # a port and its weight
//! 0x2c5eab0300c26280 3 1 2       # ports in the order in which they are searched
//! ```
//!
//! The lines are those of a `guid_list`. OpenSM 3.3.23 skips a line whose numbers it cannot
//! use, and says so in its log at most; here it is refused.

use super::ReadError;
use super::guid_list::{self, GuidLine};
use super::text::number;
use crate::fabric::Guid;

/// How to treat lines that OpenSM drops, and switches or ports that occur twice.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mistakes {
    /// As errors.
    Refused,
    /// As OpenSM does: such lines are dropped, and several about one switch or port are all kept in their order.
    AsOpenSm,
}

/// Ids that decide between switches of one rank (`ids_guid_file`).
///
/// # Errors
/// When a line is not a GUID in hexadecimal and a number, or a switch occurs twice, unless mistakes are taken as OpenSM does.
pub fn ids(bytes: &[u8], mistakes: Mistakes) -> Result<Vec<(Guid, u64)>, ReadError> {
    let entries = guid_list::read(bytes)?;
    once(&entries, mistakes)?;
    entries.iter().map(|e| one(e, "an id", u64::MAX).map(|id| (e.guid, id))).collect()
}

/// Ports whose load is not counted (`port_prof_ignore_file`).
///
/// # Errors
/// When a line is not a GUID in hexadecimal and a port.
pub fn ignored(bytes: &[u8]) -> Result<Vec<(Guid, u8)>, ReadError> {
    let entries = guid_list::read(bytes)?;
    entries.iter().map(|e| one(e, "a port", 254).map(|port| (e.guid, port as u8))).collect()
}

/// Ports and the weight of leaving by them (`hop_weights_file`).
///
/// # Errors
/// When a line is not a GUID in hexadecimal, a port and a weight from 1 to 255, or a port has
/// two weights, unless mistakes are taken as OpenSM does.
pub fn weights(bytes: &[u8], mistakes: Mistakes) -> Result<Vec<(Guid, u8, u8)>, ReadError> {
    let mut all: Vec<(Guid, u8, u8)> = Vec::new();
    for entry in &guid_list::read(bytes)? {
        let bad = |reason: &str| Err(refused(entry, reason));
        let [port, weight] = numbers(entry)?[..] else {
            return bad("a port and a weight follow the GUID");
        };
        if mistakes == Mistakes::AsOpenSm && !((1..=254).contains(&port) && (1..=255).contains(&weight)) {
            continue;
        }
        if !(1..=254).contains(&port) {
            return bad("a port is a number from 1 to 254");
        }
        if !(1..=255).contains(&weight) {
            return bad("a weight is a number from 1 to 255: OpenSM would skip the line");
        }
        let new = (entry.guid, port as u8, weight as u8);
        let is_other = |old: &(Guid, u8, u8)| (old.0, old.1) == (new.0, new.1) && old.2 != new.2;
        if mistakes == Mistakes::Refused && all.iter().any(is_other) {
            return bad("the port has another weight on a line before");
        }
        all.push(new);
    }
    Ok(all)
}

/// Ports in the order in which they are searched (`port_search_ordering_file`).
///
/// # Errors
/// When a line is not a GUID in hexadecimal and ports, each once, or a switch occurs twice, unless mistakes are taken as OpenSM does.
pub fn search_order(bytes: &[u8], mistakes: Mistakes) -> Result<Vec<(Guid, Vec<u8>)>, ReadError> {
    let entries = guid_list::read(bytes)?;
    once(&entries, mistakes)?;
    let mut all = Vec::new();
    for entry in &entries {
        match ports(entry) {
            Ok(ports) => all.push((entry.guid, ports)),
            Err(_) if mistakes == Mistakes::AsOpenSm => {}
            Err(error) => return Err(error),
        }
    }
    Ok(all)
}

/// Ports in an order.
fn ports(entry: &GuidLine) -> Result<Vec<u8>, ReadError> {
    let mut ports: Vec<u8> = Vec::new();
    for port in numbers(entry)? {
        if !(1..=254).contains(&port) {
            return Err(refused(entry, "a port is a number from 1 to 254: OpenSM would drop the line"));
        }
        if ports.contains(&(port as u8)) {
            return Err(refused(entry, "a port appears twice: OpenSM would drop the line"));
        }
        ports.push(port as u8);
    }
    if ports.is_empty() {
        return Err(refused(entry, "no port follows the GUID"));
    }
    Ok(ports)
}

fn refused(entry: &GuidLine, reason: &str) -> ReadError {
    ReadError::at(entry.line, reason, &format!("{} {}", entry.guid, entry.argument))
}

/// The numbers that follow a GUID.
fn numbers(entry: &GuidLine) -> Result<Vec<u64>, ReadError> {
    let words = entry.argument.split_ascii_whitespace();
    words.map(|word| number(word).ok_or_else(|| refused(entry, &format!("not a number: {word}")))).collect()
}

/// The one number that follows a GUID.
fn one(entry: &GuidLine, what: &str, most: u64) -> Result<u64, ReadError> {
    match numbers(entry)?[..] {
        [n] if n <= most => Ok(n),
        [] => Err(refused(entry, &format!("{what} follows the GUID"))),
        [n] => Err(refused(entry, &format!("{n} is too large for {what}"))),
        _ => Err(refused(entry, &format!("text after {what}"))),
    }
}

/// Refuses a switch that occurs twice: OpenSM would take one of the lines.
fn once(entries: &[GuidLine], mistakes: Mistakes) -> Result<(), ReadError> {
    if mistakes == Mistakes::AsOpenSm {
        return Ok(());
    }
    let mut seen = rustc_hash::FxHashMap::default();
    for entry in entries {
        if let Some(line) = seen.insert(entry.guid, entry.line) {
            return Err(refused(entry, &format!("the GUID appears twice, first on line {line}")));
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_follow_the_guid() {
        assert_eq!(
            ids(b"0x1 7 # a\n0x2\t0x10\r\n", Mistakes::Refused),
            Ok(vec![(Guid(1), 7), (Guid(2), 16)])
        );
        assert_eq!(ignored(b"0x1 7\n0x1 8\n"), Ok(vec![(Guid(1), 7), (Guid(1), 8)]));
        assert_eq!(weights(b"0x1 7 255\n", Mistakes::Refused), Ok(vec![(Guid(1), 7, 255)]));
        assert_eq!(search_order(b"0x1 3 1 2\n", Mistakes::Refused), Ok(vec![(Guid(1), vec![3, 1, 2])]));
    }

    #[test]
    fn mistakes_are_taken_as_opensm_takes_them_where_asked() {
        assert_eq!(weights(b"0x1 1 0\n0x1 1 3\n", Mistakes::AsOpenSm), Ok(vec![(Guid(1), 1, 3)]));
        assert_eq!(search_order(b"0x1 2 2\n0x2 3\n", Mistakes::AsOpenSm), Ok(vec![(Guid(2), vec![3])]));
        assert_eq!(
            weights(b"0x1 1 2\n0x1 1 3\n", Mistakes::AsOpenSm),
            Ok(vec![(Guid(1), 1, 2), (Guid(1), 1, 3)])
        );
        assert_eq!(ids(b"0x1 1\n0x1 2\n", Mistakes::AsOpenSm), Ok(vec![(Guid(1), 1), (Guid(1), 2)]));
        let both = vec![(Guid(1), vec![1]), (Guid(1), vec![2])];
        assert_eq!(search_order(b"0x1 1\n0x1 2\n", Mistakes::AsOpenSm), Ok(both));
    }

    #[test]
    fn lines_that_opensm_would_skip_are_refused() {
        let reason = |error: ReadError| error.to_string();
        for (text, words) in [
            ("0x1\n", "line 1: an id follows"),
            ("0x1 x\n", "not a number: x"),
            ("0x1 1 2\n", "text after an id"),
            ("0x1 1\n0x1 2\n", "line 2: the GUID appears twice, first on line 1"),
            ("1 1\n", "write 0x1"),
        ] {
            assert!(reason(ids(text.as_bytes(), Mistakes::Refused).unwrap_err()).contains(words), "{text}");
        }
        for (text, words) in [
            ("0x1 1\n", "a port and a weight"),
            ("0x1 0 1\n", "1 to 254"),
            ("0x1 1 256\n", "1 to 255"),
            ("0x1 1 0\n", "1 to 255"),
            ("0x1 1 2\n0x1 1 3\n", "line 2: the port has another weight"),
        ] {
            assert!(
                reason(weights(text.as_bytes(), Mistakes::Refused).unwrap_err()).contains(words),
                "{text}"
            );
        }
        assert!(reason(ignored(b"0x1 300\n").unwrap_err()).contains("too large"));
        for (text, words) in [
            ("0x1\n", "no port"),
            ("0x1 1 1\n", "twice"),
            ("0x1 0\n", "1 to 254"),
            ("0x1 1\n0x1 2\n", "twice"),
        ] {
            assert!(
                reason(search_order(text.as_bytes(), Mistakes::Refused).unwrap_err()).contains(words),
                "{text}"
            );
        }
    }
}
