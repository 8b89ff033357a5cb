//! What `ibqueryerrors` prints: counters of ports, of a fabric that another file describes.
//!
//! ```text
//! Errors for 0xec0d9a0300000480 "M2.1"
//!    GUID 0xec0d9a0300000480 port ALL: [SymbolErrorCounter == 77] [PortXmitWait == 4000000000]
//!    GUID 0xec0d9a0300000480 port 1: [SymbolErrorCounter == 77] [LinkDownedCounter == 3]
//!
//! ## Summary: 28 nodes checked, 1 bad nodes found
//! ##          553 ports checked, 2 ports have errors beyond threshold
//! ```
//!
//! With `--data` traffic follows (`[PortXmitData == 25704 (100.406KB)]`), with `--report-port` the link (`Link info:`). Ports
//! below the thresholds are not listed, and nor are nodes that did not answer: what is not here is not known to be clean.
//! An adapter's GUID is its port's, or with `--counters` its node's.
//!
//! The grammar was read from output of infiniband-diags 44 on ibsim 0.10 and from its source.

use rustc_hash::FxHashMap;

use super::counter_names;
use super::note::Notes;
use super::text::{decimal, decode, guid, lines, plain, refuse_empty};
use super::{Loaded, NoteKind, ReadError};
use crate::fabric::{Counter, Fabric, FabricBuilder, Guid, NodeId};

/// The counters of a port.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CountedPort {
    /// Number of the line, from 1.
    pub line: usize,
    /// GUID of the switch, or of an adapter or its port.
    pub guid: Guid,
    /// Port number.
    pub number: u8,
    /// Its counters.
    pub counts: Vec<(Counter, u64)>,
}

/// Parses a text.
///
/// # Errors
/// When a line of counters breaks the grammar, or there is neither such a line nor a summary.
fn parse(text: &str, notes: &mut Notes) -> Result<Vec<CountedPort>, ReadError> {
    let mut ports = Vec::new();
    let mut is_one = false;
    for (line, raw) in lines(text) {
        let s = raw.trim();
        if let Some(rest) = s.strip_prefix("GUID ") {
            is_one = true;
            ports.extend(port(line, s, rest, notes)?);
        } else if s.starts_with("Errors for ") || s.starts_with("Data Counters for ") || s.starts_with("##") {
            is_one = true;
        } else if !(s.is_empty() || s.starts_with("Link info:") || s.starts_with('#')) {
            notes.add(NoteKind::UnknownLine, line, s);
        }
    }
    if is_one { Ok(ports) } else { Err(ReadError::whole("no counters as ibqueryerrors prints them")) }
}

/// `0x… port 1: [NAME == VALUE] …`; none for the sum over all ports.
fn port(line: usize, s: &str, rest: &str, notes: &mut Notes) -> Result<Option<CountedPort>, ReadError> {
    let bad = |reason: &str| ReadError::at(line, reason, s);
    let (node, rest) =
        rest.split_once(" port ").ok_or_else(|| bad("not `GUID 0x… port N: [NAME == VALUE]`"))?;
    let node = node.strip_prefix("0x").and_then(guid).ok_or_else(|| bad("a bad GUID"))?;
    let (number, rest) =
        rest.split_once(':').ok_or_else(|| bad("no colon after the port: the line looks cut"))?;
    if number == "ALL" {
        return Ok(None);
    }
    let number =
        decimal(number).and_then(|n| u8::try_from(n).ok()).ok_or_else(|| bad("a bad port number"))?;
    let mut counts = Vec::new();
    for item in rest.split('[').skip(1) {
        let item = item
            .trim_end()
            .strip_suffix(']')
            .ok_or_else(|| bad("no ] ends a counter: the line looks cut"))?;
        let (name, value) = item.split_once(" == ").ok_or_else(|| bad("not `[NAME == VALUE]`"))?;
        let value = value.split(' ').next().and_then(|value| value.parse().ok());
        let value = value.ok_or_else(|| bad("the value of a counter is a number"))?;
        match counter_names::counter(name.trim()) {
            Some(counter) => counts.push((counter, value)),
            None => notes.add(NoteKind::UnknownText, line, s),
        }
    }
    Ok(Some(CountedPort { line, guid: node, number, counts }))
}

/// A fabric with the counters of such a file, and no others. `read_at` is when it was made, in seconds since 1970.
///
/// # Errors
/// When a line breaks the grammar, or no node of the file is in the fabric.
pub fn read(bytes: &[u8], fabric: &Fabric, read_at: Option<u64>) -> Result<Loaded, ReadError> {
    let mut notes = Notes::default();
    refuse_empty(bytes)?;
    let bytes = plain(bytes, &mut notes);
    let text = decode(&bytes, &mut notes)?;
    let ports = parse(&text, &mut notes)?;
    attach(&ports, fabric, read_at, notes)
}

/// Gives ports their counters, in place of any that they have.
pub(super) fn attach(
    ports: &[CountedPort],
    fabric: &Fabric,
    read_at: Option<u64>,
    mut notes: Notes,
) -> Result<Loaded, ReadError> {
    let mut nodes: FxHashMap<Guid, NodeId> = FxHashMap::default();
    for (node, known) in fabric.nodes() {
        for port in std::iter::once(fabric.port0(node)).chain(fabric.ports_of(node)) {
            nodes.entry(fabric.port_info(port).guid).or_insert(node);
        }
        nodes.insert(known.guid, node);
    }
    nodes.remove(&Guid::NONE);
    let mut builder = FabricBuilder::from(fabric);
    builder.uncount();
    let (mut known, mut first) = (0, None);
    for port in ports {
        let node = nodes.get(&port.guid).filter(|&&node| port.number <= fabric.radix(node));
        let Some(handle) = node.and_then(|node| builder.nth(node.ix())) else {
            notes.add(NoteKind::UnknownEnd, port.line, &format!("{} port {}", port.guid, port.number));
            first = first.or(Some(port));
            continue;
        };
        known += 1;
        for &(counter, value) in &port.counts {
            let counted = builder.count(handle, port.number.into(), counter, value);
            counted.map_err(|e| ReadError::at(port.line, e.to_string(), ""))?;
        }
    }
    if let Some(port) = first.filter(|_| known == 0) {
        let reason = format!("counters of another fabric: it has no port {} of {}", port.number, port.guid);
        return Err(ReadError::at(port.line, reason, ""));
    }
    if let Some(at) = read_at {
        builder.counted_at(at);
    }
    Ok(Loaded { fabric: builder.finish(), notes: notes.finish() })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::generate::generate;

    /// As infiniband-diags 44 printed it, with GUIDs of `fat-tree:4,2`.
    fn printed(fabric: &Fabric) -> String {
        let (switch, host) =
            (fabric.node(NodeId(0)).guid, fabric.node(NodeId(fabric.num_switches() as u32)).guid);
        format!(
            "Errors for {switch} \"leaf-01\"\n\
             \x20  GUID {switch} port ALL: [SymbolErrorCounter == 77] [PortXmitData == 9 (9.000)]\n\
             \x20  GUID {switch} port 1: [SymbolErrorCounter == 77] [PortXmitData == 92160 (360.000KB)]\n\
             \x20      Link info:     18   1[  ] ==( 4X 10.0 Gbps Active/  LinkUp)==>  0x1     22    5[  ] \"L2.0\" ( )\n\
             Errors for \"node0001 HCA-1\"\n\
             \x20  GUID {host} port 1: [LinkDownedCounter == 3] [NewCounter == 1]\n\n\
             ## Summary: 28 nodes checked, 1 bad nodes found\n##          553 ports checked\n## Thresholds: \n"
        )
    }

    #[test]
    fn counters_go_to_their_ports_and_to_no_others() {
        let fabric = generate("fat-tree:4,2").unwrap();
        let loaded = read(printed(&fabric).as_bytes(), &fabric, Some(5)).unwrap();
        let f = &loaded.fabric;
        let host = f.port(NodeId(f.num_switches() as u32), 1).unwrap();
        let leaf = f.port(NodeId(0), 1).unwrap();
        assert_eq!(f.counters().value(leaf, Counter::SymbolErrors), Some(77));
        assert_eq!(f.counters().value(leaf, Counter::XmitData), Some(92160));
        assert_eq!(f.counters().value(host, Counter::LinkDowned), Some(3));
        assert_eq!((f.counters().each().len(), f.counters().read_at), (3, Some(5)));
        assert_eq!(
            loaded.notes.iter().map(|n| (n.kind, n.line)).collect::<Vec<_>>(),
            [(NoteKind::UnknownText, 6)]
        );
    }

    #[test]
    fn bad_files_are_refused_with_their_line() {
        let fabric = generate("fat-tree:4,2").unwrap();
        let text = printed(&fabric);
        let cases = [
            (text.replace("port 1:", "port 1"), 3, "no colon after the port"),
            (text.replace("port 1:", "port x:"), 3, "a bad port number"),
            (text.replace("== 3]", "== 3"), 6, "no ] ends a counter"),
            (text.replace("== 3]", "== many]"), 6, "the value of a counter is a number"),
            ("GUID 0x9 port 1: [LinkDownedCounter == 3]\n".into(), 1, "counters of another fabric"),
            ("hello\n".into(), 0, "no counters"),
        ];
        for (text, line, reason) in cases {
            let error = read(text.as_bytes(), &fabric, None).unwrap_err();
            assert!(error.reason.contains(reason), "{error}");
            assert_eq!(error.line.unwrap_or(0), line, "{error}");
        }
    }

    #[test]
    fn a_clean_fabric_has_no_counters_and_is_not_known_to_be_clean() {
        let fabric = generate("fat-tree:4,2").unwrap();
        let clean = read(b"\n## Summary: 28 nodes checked, 0 bad nodes found\n", &fabric, None).unwrap();
        assert!(clean.fabric.counters().is_empty() && clean.notes.is_empty());
    }
}
