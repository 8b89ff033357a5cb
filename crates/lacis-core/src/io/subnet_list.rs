//! `opensm-subnet.lst`, which OpenSM writes at every heavy sweep, and `ibdiagnet.lst`: a line for each end of a cable.
//!
//! ```text
//! { SW Ports:24 SystemGUID:ec0d9a0300000300 NodeGUID:ec0d9a0300000300 PortGUID:ec0d9a0300000300 VenID:0002C9 DevID:CB20
//!   Rev:000000A1 {M1.1} LID:0002 PN:01 } { CA-SM Ports:01 SystemGUID:… PortGUID:ec0d9a0300000271 VenID:000002C9
//!   DevID:CB200000 Rev:000000A1 {h7} LID:0001 PN:01 } PHY=4x LOG=ACT SPD=10
//! ```
//!
//! (one line in the file). All numbers are hexadecimal. `-SM` marks the port of the master. OpenSM 3.3.23 shifts the far
//! end's device by 16 bits, and writes `??` for speeds that it does not know: NDR, XDR. Nodes without a cable are not in
//! the file, and neither are LMCs.
//!
//! The grammar was read from output of OpenSM 3.3.23 on ibsim 0.10 and the source of its `osm_dump.c`.

use rustc_hash::FxHashMap;

use super::assembly::{Assembly, Listing, Place};
use super::lane;
use super::note::Notes;
use super::text::{cut_short, decode, lines, plain, refuse_empty};
use super::{Loaded, NoteKind, ReadError};
use crate::fabric::{Guid, NodeKind, PortState, Rate};
use crate::sm::lids::MAX_UNICAST_LID;

/// One end of a cable.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SubnetEnd<'a> {
    /// What the node is.
    pub kind: NodeKind,
    /// Whether the master runs at this port.
    pub manager: bool,
    /// How many ports the node has.
    pub radix: u32,
    /// System image GUID.
    pub system_guid: Guid,
    /// Node GUID.
    pub guid: Guid,
    /// GUID of the port, of a switch that of port 0.
    pub port_guid: Guid,
    /// Vendor.
    pub vendor: u32,
    /// Device.
    pub device: u32,
    /// Description.
    pub name: &'a str,
    /// Base LID.
    pub lid: u32,
    /// Port number.
    pub number: u32,
}

/// A line: one end, the other, and what the first says of the link.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SubnetLine<'a> {
    /// Its number, from 1.
    pub line: usize,
    /// Its text.
    pub text: &'a str,
    /// The end that the line is about.
    pub near: SubnetEnd<'a>,
    /// The other one.
    pub far: SubnetEnd<'a>,
    /// Width and speed, where the writer knew both.
    pub rate: Option<Rate>,
    /// The state of the port that the line is about.
    pub state: PortState,
}

/// Whether a line is one of this format.
pub(super) fn is_line(s: &str) -> bool {
    s.strip_prefix("{ ").is_some_and(|rest| rest.contains(" NodeGUID:") && rest.contains(" PN:"))
}

/// Reads a fabric.
///
/// # Errors
/// When a line breaks the grammar, or cables contradict each other.
pub fn read(bytes: &[u8]) -> Result<Loaded, ReadError> {
    let mut notes = Notes::default();
    refuse_empty(bytes)?;
    let bytes = plain(bytes, &mut notes);
    let text = decode(&bytes, &mut notes)?;
    let mut nodes = Nodes::default();
    for (at, s) in lines(&text).filter(|(_, s)| !s.trim().is_empty()) {
        let s = s.trim();
        if !s.starts_with('{') {
            let kind = if s.starts_with('#') { NoteKind::Ignored } else { NoteKind::UnknownLine };
            notes.add(kind, at, s);
            continue;
        }
        let line = parse(at, s).map_err(|error| cut_short(&text, error))?;
        nodes.add(&line, &mut notes)?;
    }
    if nodes.assembly.len() == 0 {
        return Err(ReadError::whole("no line `{ … NodeGUID:… PN:… } { … }` of a subnet list"));
    }
    Ok(Loaded { fabric: nodes.assembly.finish(&mut notes)?, notes: notes.finish() })
}

/// Reads one line.
///
/// # Errors
/// When it breaks the grammar.
pub fn parse(line: usize, text: &str) -> Result<SubnetLine<'_>, ReadError> {
    let bad = |reason: &str| ReadError::at(line, reason, text);
    let (near, rest) = end(text).ok_or_else(|| bad(SHAPE))?;
    let (far, rest) = end(rest).ok_or_else(|| bad("no second end `{ … }`: the line looks cut"))?;
    let value = |key: &str| {
        rest.split_whitespace().find_map(|word| word.strip_prefix(key).and_then(|v| v.strip_prefix('=')))
    };
    let (width, state, speed) = (value("PHY"), value("LOG"), value("SPD"));
    let (Some(width), Some(state), Some(speed)) = (width, state, speed) else {
        return Err(bad("no PHY=, LOG= and SPD= at the end: the line looks cut"));
    };
    for end in [&near, &far] {
        if end.lid > MAX_UNICAST_LID {
            return Err(bad("no unicast LID"));
        }
    }
    let state = lane::state(state).ok_or_else(|| bad("LOG= is ACT, ARM, INI or DWN"))?;
    Ok(SubnetLine { line, text, near, far, rate: lane::rate(width, speed), state })
}

const SHAPE: &str =
    "not `{ KIND Ports:… SystemGUID:… NodeGUID:… PortGUID:… VenID:… DevID:… Rev:… {NAME} LID:… PN:… }`";

fn hex(text: &str) -> Option<u64> {
    let plain = !text.is_empty() && text.len() <= 16 && text.bytes().all(|b| b.is_ascii_hexdigit());
    plain.then(|| u64::from_str_radix(text, 16).ok()).flatten()
}

/// One end and what follows it. Its name may hold braces: it ends where `} LID:… PN:… }` follows.
fn end(text: &str) -> Option<(SubnetEnd<'_>, &str)> {
    let rest = text.trim_start().strip_prefix('{')?;
    let (head, rest) = rest.split_once('{')?;
    let (name, tail, after) = rest.match_indices("} LID:").find_map(|(at, _)| {
        let (tail, after) = rest[at + 1..].split_once('}')?;
        let is_tail = tail.split_whitespace().all(|word| {
            word.strip_prefix("LID:").or_else(|| word.strip_prefix("PN:")).is_some_and(|v| hex(v).is_some())
        });
        let ends = after.trim_start();
        let goes_on = ends.is_empty() || ends.starts_with('{') || ends.starts_with("PHY=");
        (is_tail && goes_on).then_some((&rest[..at], tail, after))
    })?;
    let mut words = head.split_whitespace();
    let kind = words.next()?;
    let (kind, manager) = kind.strip_suffix("-SM").map_or((kind, false), |kind| (kind, true));
    let kind = match kind {
        "SW" => NodeKind::Switch,
        "CA" => NodeKind::Adapter,
        "Rt" | "RT" => NodeKind::Router,
        _ => return None,
    };
    let value = |key: &str| {
        let mut all = head.split_whitespace().chain(tail.split_whitespace());
        all.find_map(|word| word.strip_prefix(key).and_then(|v| v.strip_prefix(':'))).and_then(hex)
    };
    let small = |key: &str| value(key).and_then(|v| u32::try_from(v).ok());
    // The far end's device is shifted by 16 bits, and no device has more.
    let device = small("DevID").map_or(0, |device| if device > 0xffff { device >> 16 } else { device });
    let end = SubnetEnd {
        kind,
        manager,
        radix: small("Ports")?,
        system_guid: Guid(value("SystemGUID").unwrap_or(0)),
        guid: Guid(value("NodeGUID")?),
        port_guid: Guid(value("PortGUID")?),
        vendor: small("VenID").unwrap_or(0),
        device,
        name,
        lid: small("LID")?,
        number: small("PN")?,
    };
    Some((end, after))
}

/// The nodes so far, by GUID.
#[derive(Default)]
struct Nodes<'a> {
    assembly: Assembly<'a>,
    by_guid: FxHashMap<Guid, u32>,
}

impl<'a> Nodes<'a> {
    fn add(&mut self, line: &SubnetLine<'a>, notes: &mut Notes) -> Result<(), ReadError> {
        let place = Place { line: line.line, text: line.text };
        let near = self.node(&line.near, place, notes)?;
        let far = self.node(&line.far, place, notes)?;
        let ends = ((near, line.near.number), (far, line.far.number));
        self.assembly.cable(ends.0, ends.1, Listing::Near, place, notes)?;
        if line.rate.is_none() {
            notes.add(NoteKind::UnknownRate, line.line, line.text);
        }
        self.assembly.port_mut(near, line.near.number, place)?.rate = line.rate;
        self.assembly.detail_mut(near, line.near.number, place)?.state = Some(line.state);
        Ok(())
    }

    /// The node of an end. A node that another line describes otherwise is refused, unless only its LID differs.
    fn node(&mut self, end: &SubnetEnd<'a>, place: Place<'a>, notes: &mut Notes) -> Result<u32, ReadError> {
        if !end.guid.is_some() {
            return Err(place.refuse("an end without a GUID"));
        }
        let described = super::assembly::node(end.kind, end.guid, end.name);
        let node = if let Some(&node) = self.by_guid.get(&end.guid) {
            let known = self.assembly.node(node);
            let same = known.kind == described.kind && known.description == described.description;
            if !same || self.assembly.stated_radix(node).map(u32::from) != Some(end.radix) {
                let before = self.assembly.place(node).line;
                let reason = format!("node {} is described differently on line {before}", end.guid);
                return Err(place.refuse(reason));
            }
            node
        } else {
            let described = crate::fabric::Node {
                system_guid: end.system_guid,
                vendor: end.vendor,
                device: end.device,
                ..described
            };
            let node = self.assembly.add(described, Some(end.radix), place)?;
            self.by_guid.insert(end.guid, node);
            node
        };
        let number = if end.kind == NodeKind::Switch { 0 } else { end.number };
        let port = self.assembly.port_mut(node, number, place)?;
        let differs = port.guid.is_some() && (port.guid, port.lid) != (end.port_guid, end.lid);
        if differs {
            notes.add(NoteKind::Disagreement, place.line, place.text);
        } else {
            (port.guid, port.lid) = (end.port_guid, end.lid);
        }
        port.manager |= end.manager;
        Ok(node)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fabric::{NodeId, Population, Speed};

    /// As OpenSM 3.3.23 wrote it of `tests/fabrics/plain`, with a name that ends like a line.
    const LIST: &str = "\
{ SW-SM Ports:04 SystemGUID:0000000008f10001 NodeGUID:0000000008f10001 PortGUID:0000000008f10001 VenID:0002C9 DevID:CB20 Rev:000000A1 {leaf {1} LID:0001} LID:0001 PN:01 } { CA Ports:02 SystemGUID:00000000000000a0 NodeGUID:00000000000000a0 PortGUID:00000000000000a1 VenID:000002C9 DevID:10030000 Rev:000000A1 {node1 HCA-1} LID:0010 PN:01 } PHY=4x LOG=ACT SPD=50
{ SW-SM Ports:04 SystemGUID:0000000008f10001 NodeGUID:0000000008f10001 PortGUID:0000000008f10001 VenID:0002C9 DevID:CB20 Rev:000000A1 {leaf {1} LID:0001} LID:0001 PN:03 } { SW Ports:04 SystemGUID:0000000008f10002 NodeGUID:0000000008f10002 PortGUID:0000000008f10002 VenID:000002C9 DevID:CB200000 Rev:000000A1 {leaf 2} LID:0002 PN:01 } PHY=4x LOG=INI SPD=??
{ SW Ports:04 SystemGUID:0000000008f10002 NodeGUID:0000000008f10002 PortGUID:0000000008f10002 VenID:0002C9 DevID:CB20 Rev:000000A1 {leaf 2} LID:0002 PN:01 } { SW-SM Ports:04 SystemGUID:0000000008f10001 NodeGUID:0000000008f10001 PortGUID:0000000008f10001 VenID:000002C9 DevID:CB200000 Rev:000000A1 {leaf {1} LID:0001} LID:0001 PN:03 } PHY=4x LOG=ACT SPD=FDR10
{ CA Ports:02 SystemGUID:00000000000000a0 NodeGUID:00000000000000a0 PortGUID:00000000000000a1 VenID:0002C9 DevID:1003 Rev:000000A1 {node1 HCA-1} LID:0010 PN:01 } { SW-SM Ports:04 SystemGUID:0000000008f10001 NodeGUID:0000000008f10001 PortGUID:0000000008f10001 VenID:000002C9 DevID:CB200000 Rev:000000A1 {leaf {1} LID:0001} LID:0001 PN:01 } PHY=4x LOG=ACT SPD=50
";

    #[test]
    fn nodes_cables_rates_and_states_are_read() {
        let Loaded { fabric: f, notes } = read(LIST.as_bytes()).unwrap();
        assert_eq!((f.num_switches(), f.num_nodes(), f.cables().count()), (2, 3, 2));
        let leaf = f.node(NodeId(0));
        assert_eq!(
            (&*leaf.description, &*leaf.id, leaf.vendor, leaf.device),
            ("leaf {1} LID:0001", "S-0000000008f10001", 0x2c9, 0xcb20)
        );
        let host = f.port_info(f.end_ports(Population::Hosts)[0]);
        assert_eq!(
            (host.guid, host.lid, f.radix(NodeId(2)), f.node(NodeId(2)).device),
            (Guid(0xa1), 16, 2, 0x1003)
        );
        assert!(f.port_info(f.port0(NodeId(0))).manager);
        let [up, down] = [(0, 3), (1, 1)].map(|(n, p)| *f.port_info(f.port(NodeId(n), p).unwrap()));
        assert_eq!((up.rate, up.inactive), (None, true));
        assert_eq!((down.rate.unwrap().speed, down.inactive), (Speed::Fdr10, false));
        assert_eq!(notes.iter().map(|n| (n.kind, n.line)).collect::<Vec<_>>(), [(NoteKind::UnknownRate, 2)]);
    }

    #[test]
    fn bad_lines_are_refused_with_their_reason() {
        let first = LIST.lines().next().unwrap();
        let cases = [
            (first[..120].to_string(), 1, "looks truncated: not `{ KIND"),
            (first[..300].to_string(), 1, "no second end"),
            (first[..first.len() - 8].to_string(), 1, "no PHY="),
            (first.replace("SW-SM", "XX"), 1, "not `{ KIND"),
            (first.replace("LID:0010", "LID:C000"), 1, "no unicast LID"),
            (format!("{LIST}{}", first.replace("PN:01 } PHY", "PN:02 } PHY")), 5, "another cable on line 1"),
            (LIST.replacen("{leaf 2}", "{leaf 3}", 1), 3, "described differently on line 2"),
            (first.replace("LID:0001 PN:01", "LID:0001 PN:05"), 1, "has 4 ports, so no port 5"),
            ("# nothing\n".into(), 0, "no line"),
        ];
        for (text, line, reason) in cases {
            let error = read(text.as_bytes()).unwrap_err();
            assert!(error.reason.contains(reason), "{error}\n{text}");
            assert_eq!(error.line.unwrap_or(0), line, "{error}");
        }
        let half: String = LIST.split_inclusive('\n').take(3).collect();
        assert!(read(half.as_bytes()).unwrap().notes.iter().any(|n| n.kind == NoteKind::OneSided));
    }
}
