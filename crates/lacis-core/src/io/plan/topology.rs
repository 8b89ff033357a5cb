//! Topology XML of FastFabric: what `opareport -T` takes and `opareport -o topology` prints.
//!
//! ```xml
//! <Report>
//!   <LinkSummary>
//!     <Link>
//!       <Rate>100g</Rate> <MTU>8192</MTU> <Internal>0</Internal> <LinkDetails>…</LinkDetails>
//!       <Cable><CableLength>11m</CableLength><CableLabel>S4567</CableLabel><CableDetails>…</CableDetails></Cable>
//!       <Port><NodeGUID>0x…</NodeGUID><PortNum>1</PortNum><NodeType>FI</NodeType><NodeDesc>n1 hfi1_0</NodeDesc></Port>
//!       <Port>…</Port>
//!     </Link>
//!   </LinkSummary>
//!   <Nodes><FIs/><Switches/><SMs/></Nodes>
//! </Report>
//! ```
//!
//! Of a port any of `NodeGUID`, `PortGUID`, `PortNum`, `NodeDesc` may be absent; a link may have one port. Nodes are not
//! compared. The grammar was read in opa-ff 10.10.3 (`Topology/topology.c`).

use std::fmt::Write as _;

use super::cable::{Cable, End, Plan, PlanFormat};
use super::rate::PlannedRate;
use crate::fabric::{Guid, NodeKind};
use crate::io::note::Notes;
use crate::io::text::{MAX_DESCRIPTION, clean, decimal, guid};
use crate::io::xml::{Step, Xml, decode, escape};
use crate::io::{NoteKind, ReadError};

/// Static rates by the number that stands for them.
const RATES: [(&str, u32); 12] = [
    ("2", 25),
    ("5", 50),
    ("3", 100),
    ("6", 200),
    ("15", 250),
    ("4", 300),
    ("7", 400),
    ("12", 500),
    ("8", 600),
    ("9", 750),
    ("16", 1000),
    ("10", 1200),
];

/// Reads a plan.
///
/// # Errors
/// When the XML is not well-formed, there is no list of links, or a link cannot be read.
pub fn read(bytes: &[u8]) -> Result<Plan, ReadError> {
    let mut notes = Notes::default();
    let text = decode(bytes, &mut notes)?;
    let mut xml = Xml::new(&text);
    let mut cables = Vec::new();
    let mut has_links = false;
    let mut depth = 0;
    loop {
        match xml.next(&mut notes)? {
            Step::Open(tag) if depth == 0 => {
                if !matches!(tag.name, "Report" | "Topology") {
                    return Err(xml.refuse(format!(
                        "<{}> is no topology: it begins with <Report> or <Topology>",
                        tag.name
                    )));
                }
                depth = 1;
            }
            Step::Open(tag) if depth == 1 => match tag.name {
                "LinkSummary" | "ExternalLinkSummary" if has_links => {
                    return Err(xml.refuse("a second list of links"));
                }
                "LinkSummary" | "ExternalLinkSummary" => (has_links, depth) = (true, 2),
                name => {
                    let known = name == "Nodes";
                    let kind = if known { NoteKind::Ignored } else { NoteKind::UnknownTag };
                    notes.add(kind, xml.line(), name);
                    xml.skip(&mut notes)?;
                }
            },
            Step::Open(tag) if tag.name == "Link" => cables.push(link(&mut xml, &mut notes)?),
            Step::Open(tag) => {
                notes.add(NoteKind::UnknownTag, xml.line(), tag.name);
                xml.skip(&mut notes)?;
            }
            Step::Close(..) => depth -= 1,
            Step::End => break,
        }
    }
    if !has_links {
        return Err(ReadError::whole("no <LinkSummary>: the plan lists no cables"));
    }
    Ok(Plan { format: PlanFormat::Topology, cables, directors: Vec::new(), notes: notes.finish() })
}

/// The inside of a `<Link>`.
fn link(xml: &mut Xml<'_>, notes: &mut Notes) -> Result<Cable, ReadError> {
    let mut cable = Cable { line: xml.line(), ..Cable::default() };
    let mut ports = 0;
    loop {
        match xml.next(notes)? {
            Step::Open(tag) => match tag.name {
                "Port" => {
                    if ports == 2 {
                        return Err(xml.refuse("a third <Port>: a link has two ends"));
                    }
                    cable.ends[ports] = port(xml, notes)?;
                    ports += 1;
                }
                "Cable" => {}
                name => {
                    let text = value(xml, notes)?;
                    field(&mut cable, name, &text, xml, notes)?;
                }
            },
            Step::Close("Link", _) => break,
            Step::Close(..) => {}
            Step::End => return Err(xml.refuse("the file ends inside <Link>")),
        }
    }
    if ports == 0 || cable.ends.iter().all(End::is_open) {
        return Err(ReadError::at(cable.line, "a <Link> of which no end is named", ""));
    }
    Ok(cable)
}

/// The text of the element that has just opened.
fn value(xml: &mut Xml<'_>, notes: &mut Notes) -> Result<String, ReadError> {
    loop {
        match xml.next(notes)? {
            Step::Open(tag) => {
                notes.add(NoteKind::UnknownTag, xml.line(), tag.name);
                xml.skip(notes)?;
            }
            Step::Close(_, text) => {
                let text = clean(&text).trim().to_owned();
                if text.len() > MAX_DESCRIPTION {
                    return Err(xml.refuse(format!("a text of {} bytes", text.len())));
                }
                return Ok(text);
            }
            Step::End => return Ok(String::new()),
        }
    }
}

fn field(
    cable: &mut Cable,
    name: &str,
    text: &str,
    xml: &mut Xml<'_>,
    notes: &mut Notes,
) -> Result<(), ReadError> {
    match name {
        "Rate" | "Rate_Int" | "MTU" if text.is_empty() => {}
        "Rate" | "Rate_Int" => {
            let rate = if name == "Rate" {
                PlannedRate::parse(text).filter(|rate| matches!(rate, PlannedRate::Tenths(_)))
            } else {
                RATES.iter().find(|(number, _)| *number == text).map(|r| PlannedRate::Tenths(r.1))
            };
            if rate.is_none() {
                notes.add(NoteKind::UnknownRate, xml.line(), text);
            }
            cable.rate = rate.or(cable.rate);
        }
        "MTU" => {
            let mtu = decimal(text).ok_or_else(|| xml.refuse(format!("bad MTU \"{text}\": not a number")))?;
            cable.mtu = (mtu > 0).then_some(mtu);
        }
        "Internal" => {
            cable.internal = match text {
                "" | "0" => false,
                "1" => true,
                _ => return Err(xml.refuse(format!("bad Internal \"{text}\": 0 or 1"))),
            }
        }
        "LinkDetails" => cable.link_details = text.into(),
        "CableLength" => cable.length = text.into(),
        "CableLabel" => cable.label = text.into(),
        "CableDetails" => cable.details = text.into(),
        _ => notes.add(NoteKind::UnknownTag, xml.line(), name),
    }
    Ok(())
}

/// The inside of a `<Port>`.
fn port(xml: &mut Xml<'_>, notes: &mut Notes) -> Result<End, ReadError> {
    let mut end = End::default();
    loop {
        let tag = match xml.next(notes)? {
            Step::Open(tag) => tag,
            Step::Close(..) => return Ok(end),
            Step::End => return Err(xml.refuse("the file ends inside <Port>")),
        };
        let text = value(xml, notes)?;
        let mut hex = || match text.as_str() {
            "" => Ok(Guid::NONE),
            text => text.strip_prefix("0x").and_then(guid).ok_or_else(|| {
                xml.refuse(format!("bad {}: not 0x and 1 to 16 hexadecimal digits", tag.name))
            }),
        };
        match tag.name {
            "NodeGUID" => end.node_guid = hex()?,
            "PortGUID" => end.port_guid = hex()?,
            "NodeDesc" => end.name = text.into(),
            "PortNum" if text.is_empty() => {}
            "PortNum" => {
                let number =
                    decimal(&text).and_then(|n| u8::try_from(n).ok()).filter(|n| (1..=254).contains(n));
                let bad = || xml.refuse(format!("bad PortNum \"{text}\": ports are 1 to 254"));
                end.number = Some(number.ok_or_else(bad)?);
            }
            "NodeType" | "NodeType_Int" => match text.as_str() {
                "" => {}
                "FI" | "CA" | "1" => end.kind = Some(NodeKind::Adapter),
                "SW" | "2" => end.kind = Some(NodeKind::Switch),
                _ => return Err(xml.refuse(format!("bad {} \"{text}\": FI or SW", tag.name))),
            },
            "PortDetails" | "PortId" | "MgmtIfAddr" => notes.add(NoteKind::Ignored, xml.line(), tag.name),
            name => notes.add(NoteKind::UnknownTag, xml.line(), name),
        }
    }
}

/// Writes plans, which together are one, as topology XML.
pub fn write(plans: &[&Plan]) -> String {
    let mut out = String::from("<?xml version=\"1.0\" encoding=\"utf-8\" ?>\n<Report>\n  <LinkSummary>\n");
    for cable in plans.iter().flat_map(|plan| &plan.cables) {
        out += "    <Link>\n";
        if let Some(rate) = cable.rate {
            let _ = writeln!(out, "      <Rate>{}</Rate>", rate_text(rate));
        }
        if let Some(mtu) = cable.mtu {
            let _ = writeln!(out, "      <MTU>{mtu}</MTU>");
        }
        let _ = writeln!(out, "      <Internal>{}</Internal>", u8::from(cable.internal));
        element(&mut out, 6, "LinkDetails", &cable.link_details);
        if !(cable.length.is_empty() && cable.label.is_empty() && cable.details.is_empty()) {
            out += "      <Cable>\n";
            element(&mut out, 8, "CableLength", &cable.length);
            element(&mut out, 8, "CableLabel", &cable.label);
            element(&mut out, 8, "CableDetails", &cable.details);
            out += "      </Cable>\n";
        }
        for end in cable.ends.iter().filter(|end| **end != End::default()) {
            out += "      <Port>\n";
            for (name, guid) in [("NodeGUID", end.node_guid), ("PortGUID", end.port_guid)] {
                if guid.is_some() {
                    let _ = writeln!(out, "        <{name}>{guid}</{name}>");
                }
            }
            if let Some(number) = end.number {
                let _ = writeln!(out, "        <PortNum>{number}</PortNum>");
            }
            if let Some(kind) = end.kind {
                let _ = writeln!(out, "        <NodeType>{}</NodeType>", kind_text(kind));
            }
            element(&mut out, 8, "NodeDesc", &end.name);
            out += "      </Port>\n";
        }
        out += "    </Link>\n";
    }
    out += "  </LinkSummary>\n  <Nodes>\n";
    for (section, is_switch) in [("FIs", false), ("Switches", true)] {
        let _ = writeln!(out, "    <{section}>");
        nodes(&mut out, plans, is_switch);
        let _ = writeln!(out, "    </{section}>");
    }
    out + "    <SMs>\n    </SMs>\n  </Nodes>\n</Report>\n"
}

/// The nodes of a kind at the ends of cables, each once.
fn nodes(out: &mut String, plans: &[&Plan], is_switch: bool) {
    let mut known = rustc_hash::FxHashSet::default();
    for end in plans.iter().flat_map(|plan| &plan.cables).flat_map(|cable| &cable.ends) {
        let wanted = end.kind.is_some_and(|kind| (kind == NodeKind::Switch) == is_switch);
        if !wanted || !known.insert((end.node_guid, &end.name)) {
            continue;
        }
        *out += "      <Node>\n";
        if end.node_guid.is_some() {
            let _ = writeln!(out, "        <NodeGUID>{}</NodeGUID>", end.node_guid);
        }
        element(out, 8, "NodeDesc", &end.name);
        *out += "      </Node>\n";
    }
}

fn element(out: &mut String, indent: usize, name: &str, text: &str) {
    if !text.is_empty() {
        let _ = writeln!(out, "{:indent$}<{name}>{}</{name}>", "", escape(text));
    }
}

fn kind_text(kind: NodeKind) -> &'static str {
    if kind == NodeKind::Switch { "SW" } else { "FI" }
}

/// As `opareport` reads it: rates are called by their sum.
fn rate_text(rate: PlannedRate) -> String {
    match rate {
        PlannedRate::Exact(rate) => PlannedRate::Tenths(rate.nominal_tenths()).to_string(),
        rate => rate.to_string(),
    }
}
