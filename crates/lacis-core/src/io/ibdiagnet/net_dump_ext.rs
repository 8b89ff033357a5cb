//! `ibdiagnet2.net_dump_ext`: a row for each port, with its errors; of a fabric that another file describes.
//!
//! ```text
//! Ty : #     : #IB : GUID               : LID : Sta : … : Symbol BER : Symbol Err : Effective Err : Node Desc
//! SW : 1     : 1   : 0x1070fd03001adeb4 : 10  : ACT : … : 3e-14      : 4          : 5             : "MF0;leaf-40:MQM9700/U1"
//! ```
//!
//! The grammar was read from the parsers of several sites.

use crate::fabric::{Counter, Fabric};
use crate::io::csv::header_name;
use crate::io::note::Notes;
use crate::io::query_errors::{CountedPort, attach};
use crate::io::text::{decimal, decode, guid, lines, plain, refuse_empty};
use crate::io::{Loaded, NoteKind, ReadError};

/// Whether a line is the header.
pub(in crate::io) fn is_line(s: &str) -> bool {
    s.starts_with("Ty ") && s.contains("Conn LID")
}

/// A fabric with the errors of such a file, and no other counters. `read_at` is when it was made, in seconds since 1970.
///
/// # Errors
/// When there is no header, a row cannot be read, or no node of the file is in the fabric.
pub fn read(bytes: &[u8], fabric: &Fabric, read_at: Option<u64>) -> Result<Loaded, ReadError> {
    let mut notes = Notes::default();
    refuse_empty(bytes)?;
    let bytes = plain(bytes, &mut notes);
    let text = decode(&bytes, &mut notes)?;
    let mut rows = lines(&text).map(|(line, s)| (line, s.trim())).filter(|(_, s)| !s.is_empty());
    let header = rows.find(|(_, s)| is_line(s));
    let (at, header) = header.ok_or_else(|| ReadError::whole("no header of a net_dump_ext"))?;
    let names: Vec<String> = header.split(':').map(header_name).collect();
    let find = |wanted: &str| names.iter().position(|name| name == wanted);
    let needed =
        |wanted: &str| find(wanted).ok_or_else(|| ReadError::at(at, format!("no column {wanted}"), header));
    let (number, node) = (needed("ib")?, needed("guid")?);
    let counters =
        [(Counter::SymbolErrors, find("symbolerr")), (Counter::EffectiveErrors, find("effectiveerr"))];
    let mut ports = Vec::new();
    for (line, s) in rows.filter(|(_, s)| !s.starts_with('#')) {
        let bad = |reason: &str| ReadError::at(line, reason, s);
        let cells: Vec<&str> = s.splitn(names.len(), ':').map(str::trim).collect();
        if cells.len() < names.len() {
            notes.add(NoteKind::BrokenRow, line, s);
            continue;
        }
        let guid = guid(cells[node]).ok_or_else(|| bad("a bad GUID"))?;
        let number = decimal(cells[number]).and_then(|n| u8::try_from(n).ok());
        let number = number.ok_or_else(|| bad("#IB is a port number"))?;
        let values =
            counters.iter().filter_map(|&(counter, column)| Some((counter, cells[column?].parse().ok()?)));
        ports.push(CountedPort { line, guid, number, counts: values.collect() });
    }
    attach(&ports, fabric, read_at, notes)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fabric::NodeId;
    use crate::generate::generate;

    #[test]
    fn errors_go_to_their_ports() {
        let fabric = generate("fat-tree:4,2").unwrap();
        let guid = fabric.node(NodeId(0)).guid;
        let text = format!(
            "# IBDIAG\nTy : # : #IB : GUID : LID : Sta : Conn LID (#) : Symbol BER : Symbol Err : Effective Err : Node Desc\n\
             SW : sw1p1 : 1 : {guid} : 10 (0xa) : ACT : 20 : 3e-14 : 4 : N/A : \"MF0;leaf:MQM9700/U1\"\n\
             SW : sw1p2 : 2 : {guid}\n"
        );
        let loaded = read(text.as_bytes(), &fabric, None).unwrap();
        let f = &loaded.fabric;
        assert_eq!(f.counters().value(f.port(NodeId(0), 1).unwrap(), Counter::SymbolErrors), Some(4));
        assert_eq!(f.counters().each().len(), 1);
        assert_eq!(loaded.notes.iter().map(|n| n.kind).collect::<Vec<_>>(), [NoteKind::BrokenRow]);
        let error = read(text.replace("sw1p1 : 1 ", "sw1p1 : x ").as_bytes(), &fabric, None).unwrap_err();
        assert_eq!((error.line, &*error.reason), (Some(3), "#IB is a port number"));
    }
}
