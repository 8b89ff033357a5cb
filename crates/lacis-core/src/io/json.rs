//! Lacis's own fabric file: JSON, schema `lacis.fabric-file/1`. It keeps all that a [`Fabric`] holds.
//!
//! ```json
//! {
//!  "schema": "lacis.fabric-file/1",
//!  "nodes": [
//!   {"kind": "switch", "id": "S-1", "guid": "0x0000000000000001", "description": "leaf", "radix": 4,
//!    "ports": [{"number": 0, "guid": "0x0000000000000001", "lid": 3},
//!              {"number": 1, "rate": "4xNDR", "listed": true}]}
//!  ],
//!  "cables": [["S-1", 1, "S-2", 1]]
//! }
//! ```
//!
//! Members that hold the usual value (no GUID, LID 0, port without data) may be absent. An unknown
//! member is an error: a file of a later schema must not be read as if it were this one.

use std::fmt::Write as _;

use serde::Serialize;

use super::note::excerpt;
use super::text::{MAX_DESCRIPTION, MAX_ID};
use super::{Loaded, ReadError};
use crate::fabric::{Counter, Fabric, FabricBuilder};
use crate::sm::lids::MAX_OMNI_PATH_LID;

mod detail;
mod items;

use detail::FileCoverage;
use items::{File, FileDeclared, FileNode, FilePort};

/// Name and version of the format.
pub const SCHEMA: &str = "lacis.fabric-file/1";

/// Whether bytes begin like JSON.
pub(super) fn looks_like(bytes: &[u8]) -> bool {
    let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    bytes.iter().find(|b| !b.is_ascii_whitespace()) == Some(&b'{')
}

/// Reads a fabric file.
///
/// # Errors
/// When the JSON or the schema is wrong, or the fabric is impossible.
pub fn read(bytes: &[u8]) -> Result<Loaded, ReadError> {
    let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    let file: File = serde_json::from_slice(bytes).map_err(|e| refusal(bytes, &e))?;
    if file.schema != SCHEMA {
        let reason = format!("schema \"{}\" where \"{SCHEMA}\" is read", excerpt(&file.schema));
        return Err(ReadError::whole(reason));
    }
    let mut builder = FabricBuilder::new();
    *builder.coverage_mut() = file.coverage.0;
    if let Some(read_at) = file.counters_read_at {
        builder.counted_at(read_at);
    }
    for node in &file.nodes {
        let id = &node.id;
        let refuse = |reason: &str| ReadError::whole(format!("node \"{}\": {reason}", excerpt(id)));
        if id.is_empty() || id.len() > MAX_ID || id.contains(|c: char| c == '"' || c.is_control()) {
            return Err(refuse("an id is 1 to 1024 bytes without quotes and control characters"));
        }
        if node.description.len() > MAX_DESCRIPTION {
            return Err(refuse("a description longer than 4096 bytes"));
        }
        if !(1..=254).contains(&node.radix) {
            return Err(refuse("a node has 1 to 254 ports"));
        }
        if let Some(FileDeclared(declared)) = node.declared
            && !declared.suits(node.to_node().kind)
        {
            return Err(refuse(&format!("declared {}, which a node of its kind cannot be", declared.name())));
        }
        let handle = builder.add_node(node.to_node(), node.radix).map_err(|e| refuse(&e.to_string()))?;
        let mut seen = [false; 256];
        for port in &node.ports {
            if std::mem::replace(&mut seen[usize::from(port.number)], true) {
                return Err(refuse(&format!("port {} appears twice", port.number)));
            }
            if port.lid > MAX_OMNI_PATH_LID || port.lmc > 7 {
                return Err(refuse(&format!(
                    "port {}: a LID ends at {MAX_OMNI_PATH_LID}, an LMC at 7",
                    port.number
                )));
            }
            let number = port.number.into();
            *builder.port_mut(handle, number).map_err(|e| refuse(&e.to_string()))? = port.to_port();
            if let Some(detail) = &port.detail {
                let detail = detail.to_detail().map_err(|reason| refuse(&reason))?;
                *builder.detail_mut(handle, number).map_err(|e| refuse(&e.to_string()))? = detail;
            }
            if let Some(part) = &port.cable {
                builder.part(handle, number, part.clone()).map_err(|e| refuse(&e.to_string()))?;
            }
            for (name, &value) in &port.counters {
                let counter = Counter::ALL.iter().find(|counter| counter.name() == name);
                let counter =
                    counter.ok_or_else(|| refuse(&format!("unknown counter \"{}\"", excerpt(name))))?;
                builder.count(handle, number, *counter, value).map_err(|e| refuse(&e.to_string()))?;
            }
        }
    }
    for (i, (a, p, b, q)) in file.cables.iter().enumerate() {
        let refuse = |reason: String| ReadError::whole(format!("cable {}: {reason}", i + 1));
        let handle_of = |id: &String| {
            builder.handle_of(id).ok_or_else(|| refuse(format!("node \"{}\" is never defined", excerpt(id))))
        };
        let (from, to) = (handle_of(a)?, handle_of(b)?);
        builder.connect((from, (*p).into()), (to, (*q).into())).map_err(|e| refuse(e.to_string()))?;
    }
    Ok(Loaded { fabric: builder.finish(), notes: Vec::new() })
}

/// What serde reports, with the line it happened on.
fn refusal(bytes: &[u8], error: &serde_json::Error) -> ReadError {
    let line = error.line().max(1);
    let text = bytes.split(|&b| b == b'\n').nth(line - 1).unwrap_or_default();
    let start = error.column().saturating_sub(40).min(text.len());
    let text = String::from_utf8_lossy(&text[start..text.len().min(start + 80)]);
    let reason = error.to_string();
    let reason = reason.rsplit_once(" at line ").map_or(reason.as_str(), |(reason, _)| reason);
    ReadError::at(line, format!("bad fabric file: {reason}"), &text)
}

/// Writes a fabric so that reading it gives an equal one.
pub fn write(fabric: &Fabric) -> String {
    let nodes = fabric.nodes().map(|(id, node)| {
        let ports = std::iter::once(fabric.port0(id)).chain(fabric.ports_of(id));
        FileNode::new(node, fabric.radix(id), ports.filter_map(|port| FilePort::of(fabric, port)).collect())
    });
    let cables = fabric.cables().map(|(a, b)| {
        let id = |p| fabric.node(fabric.node_of(p)).id.to_string();
        (id(a), fabric.number_of(a), id(b), fabric.number_of(b))
    });
    // One node and one cable a line: a difference between two files stays readable.
    let mut out = format!("{{\n \"schema\": \"{SCHEMA}\",");
    if !fabric.coverage().is_whole() {
        append_member(&mut out, "coverage", &FileCoverage(fabric.coverage()));
    }
    if let Some(read_at) = fabric.counters().read_at {
        append_member(&mut out, "counters_read_at", &read_at);
    }
    out.push_str("\n \"nodes\": [");
    append(&mut out, nodes);
    out.push_str("\n ],\n \"cables\": [");
    append(&mut out, cables);
    out.push_str("\n ]\n}\n");
    out
}

/// A member of the file itself, on a line of its own.
fn append_member<T: Serialize>(out: &mut String, key: &str, value: &T) {
    let value = serde_json::to_string(value).unwrap_or_default();
    let _ = write!(out, "\n \"{key}\": {value},");
}

fn append<T: Serialize>(out: &mut String, items: impl Iterator<Item = T>) {
    let mut separator = "\n  ";
    for item in items {
        out.push_str(separator);
        separator = ",\n  ";
        // These types have string keys and no failing conversion, so serialisation cannot fail.
        out.push_str(&serde_json::to_string(&item).unwrap_or_default());
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fabric::FabricPart;

    const SMALL: &str = r#"{"schema": "lacis.fabric-file/1", "nodes": [
        {"kind": "switch", "id": "S-1", "guid": "0x1", "description": "a \"leaf\"\n", "radix": 4,
         "chassis": {"number": 2, "position": "Line 1"},
         "ports": [{"number": 0, "guid": "0x1", "lid": 3}, {"number": 1, "rate": "4xNDR", "listed": true}]},
        {"kind": "aggregation", "id": "H-1", "guid": "0x2", "description": "", "radix": 1}],
        "cables": [["S-1", 1, "H-1", 1]]}"#;

    #[test]
    fn writing_and_reading_again_gives_the_same_fabric() {
        let f = read(SMALL.as_bytes()).unwrap().fabric;
        assert_eq!((f.num_switches(), f.num_nodes(), f.cables().count()), (1, 2, 1));
        assert_eq!(read(write(&f).as_bytes()).unwrap().fabric, f);
        assert_eq!(super::super::read(write(&f).as_bytes()).unwrap().fabric, f);
    }

    #[test]
    fn what_few_sources_say_is_kept() {
        let detail = r#""lid": 3, "detail": {"state": "Armed", "physical": "LinkUp", "supported_widths": [1, 4],
            "enabled_speeds": ["EDR", "HDR"], "could_be_width": 4, "could_be_speed": "HDR", "lanes": [4, 3, 2]},
            "counters": {"LinkDowned": 7, "LinkQualityIndicator": 5},
            "cable": {"vendor": "", "part": "MCP7", "serial": "MT1", "revision": "", "length": "3 m", "temperature": 42}"#;
        let text = SMALL.replace("\"lid\": 3", detail).replace(
            "\"nodes\"",
            "\"coverage\": {\"end_nodes\": false}, \"counters_read_at\": 1700000000, \"nodes\"",
        );
        let f = read(text.as_bytes()).unwrap().fabric;
        let port = f.port0(crate::fabric::NodeId(0));
        let read_detail = f.port_detail(port);
        assert_eq!(read_detail.state, Some(crate::fabric::PortState::Armed));
        assert_eq!(read_detail.supported.widest().map(crate::fabric::Width::lanes), Some(4));
        assert_eq!(read_detail.enabled.fastest(), Some(crate::fabric::Speed::Hdr));
        assert_eq!(read_detail.lanes.map(|it| (it.sending.lanes(), it.receiving.lanes())), Some((3, 2)));
        assert_eq!(f.counters().value(port, Counter::LinkDowned), Some(7));
        assert_eq!(f.cable_part(port).map(|part| (&*part.serial, part.temperature)), Some(("MT1", Some(42))));
        assert_eq!(
            (f.counters().read_at, f.coverage().shows(FabricPart::EndNodes)),
            (Some(1_700_000_000), false)
        );
        assert!(f.coverage().shows(FabricPart::Switches));
        assert_eq!(read(write(&f).as_bytes()).unwrap().fabric, f);
        for (from, to, reason) in [
            ("Armed", "Asleep", "unknown port state \"Asleep\""),
            ("[1, 4]", "[5]", "no link has 5 lanes"),
            ("\"LinkDowned\"", "\"LinkUpped\"", "unknown counter \"LinkUpped\""),
            ("[\"EDR\"", "[\"ADR\"", "unknown speed \"ADR\""),
        ] {
            let error = read(text.replacen(from, to, 1).as_bytes()).unwrap_err();
            assert!(error.reason.contains(reason), "{error}");
        }
    }

    #[test]
    fn bad_input_is_refused_with_its_reason() {
        for (from, to, line, reason) in [
            ("file/1", "file/2", None, "schema"),
            ("\"radix\": 4", "\"radix\": 4, \"colour\": 1", Some(2), "unknown field `colour`"),
            ("\"radix\": 4", "\"radix\": 0", None, "1 to 254"),
            ("\"radix\": 4", "\"radix\": 255", None, "1 to 254"),
            ("\"number\": 0", "\"number\": 1", None, "port 1 appears twice"),
            ("\"number\": 0", "\"number\": 9", None, "no port 9"),
            ("\"lid\": 3", "\"lid\": 4294967295", None, "LID ends"),
            ("4xNDR", "4xFOO", Some(4), "unknown link width or speed \"4xFOO\""),
            ("\"0x2\"", "\"2\"", Some(5), "bad GUID \"2\""),
            ("\"0x2\"", "\"0x\"", Some(5), "bad GUID \"0x\""),
            ("\"id\": \"H-1\"", "\"id\": \"S-1\"", None, "defined twice"),
            ("\"id\": \"H-1\"", "\"id\": \"\"", None, "an id is 1 to 1024"),
            ("[\"S-1\", 1, \"H-1\", 1]", "[\"S-1\", 1, \"H-9\", 1]", None, "\"H-9\" is never defined"),
            ("[\"S-1\", 1, \"H-1\", 1]", "[\"S-1\", 1, \"S-1\", 1]", None, "cabled to itself"),
            ("[\"S-1\", 1, \"H-1\", 1]", "[\"S-1\", 0, \"H-1\", 1]", None, "no port 0"),
            ("]]}", "]", Some(6), "EOF"),
        ] {
            let text = SMALL.replacen(from, to, 1);
            let error = read(text.as_bytes()).expect_err(&text);
            assert_eq!(error.line, line, "{to}: {error}");
            assert!(error.reason.contains(reason), "{to}: {error}");
        }
    }
}
