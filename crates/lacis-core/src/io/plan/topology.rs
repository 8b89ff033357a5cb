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
//!   <Nodes>
//!     <FIs><Node><NodeGUID>0x…</NodeGUID><NodeDesc>n1 hfi1_0</NodeDesc><NodeDetails>…</NodeDetails></Node></FIs>
//!     <Switches><Node>…</Node></Switches>
//!     <SMs><SM><NodeDesc>n1 hfi1_0</NodeDesc><PortNum>1</PortNum><SMDetails>…</SMDetails></SM></SMs>
//!   </Nodes>
//! </Report>
//! ```
//!
//! Any of `NodeGUID`, `PortGUID`, `PortNum`, `NodeDesc` of a port may be absent; a link may have one port. Either list, of
//! links or of nodes, may be absent. The grammar was read in opa-ff 10.10.3 (`Topology/topology.c`).

mod end;
mod nodes;

use std::fmt::Write as _;

use super::cable::{Cable, End, Plan, PlanFormat, PlannedNode, PlannedNodes};
use super::rate::PlannedRate;
use crate::fabric::NodeKind;
use crate::io::note::Notes;
use crate::io::text::decimal;
use crate::io::xml::{Step, Xml, decode, escape};
use crate::io::{NoteKind, ReadError};

/// Static rates by their number.
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
    let mut planned: Option<PlannedNodes> = None;
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
                "Nodes" if planned.is_some() => return Err(xml.refuse("a second <Nodes>")),
                "Nodes" => planned = Some(nodes::read(&mut xml, &mut notes)?),
                name => {
                    notes.add(NoteKind::UnknownTag, xml.line(), name);
                    xml.skip(&mut notes)?;
                }
            },
            Step::Open(tag) if tag.name == "Link" => cables.push(link(&mut xml, &mut notes)?),
            Step::Open(tag) => {
                if tag.name != "LinkCount" {
                    notes.add(NoteKind::UnknownTag, xml.line(), tag.name);
                }
                xml.skip(&mut notes)?;
            }
            Step::Close(..) => depth -= 1,
            Step::End => break,
        }
    }
    let nodes = planned.unwrap_or_default();
    if !has_links && nodes.is_empty() {
        return Err(ReadError::whole(
            "no <LinkSummary> and no <Nodes>: the plan lists neither cables nor nodes",
        ));
    }
    Ok(Plan { cables, nodes, notes: notes.finish(), ..Plan::new(PlanFormat::Topology) })
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
                    let text = end::value(xml, notes)?;
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
        let text = end::value(xml, notes)?;
        match tag.name {
            "PortDetails" | "PortId" | "MgmtIfAddr" => notes.add(NoteKind::Ignored, xml.line(), tag.name),
            name => {
                if !end::field(&mut end, name, &text, 1, xml)? {
                    notes.add(NoteKind::UnknownTag, xml.line(), name);
                }
            }
        }
    }
}

/// Writes plans, joined, as topology XML.
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
            write_end(&mut out, end);
            out += "      </Port>\n";
        }
        out += "    </Link>\n";
    }
    out += "  </LinkSummary>\n  <Nodes>\n";
    for (section, is_switch) in [("FIs", false), ("Switches", true)] {
        let _ = writeln!(out, "    <{section}>");
        write_nodes(&mut out, plans, is_switch);
        let _ = writeln!(out, "    </{section}>");
    }
    out += "    <SMs>\n";
    for manager in plans.iter().flat_map(|plan| &plan.nodes.managers) {
        out += "      <SM>\n";
        write_end(&mut out, &manager.end);
        element(&mut out, 8, "SMDetails", &manager.details);
        out += "      </SM>\n";
    }
    out + "    </SMs>\n  </Nodes>\n</Report>\n"
}

/// The nodes of a kind that plans list, or else those at the ends of cables, each once.
fn write_nodes(out: &mut String, plans: &[&Plan], is_switch: bool) {
    let mut known = rustc_hash::FxHashSet::default();
    for plan in plans {
        let listed = if is_switch { &plan.nodes.switches } else { &plan.nodes.adapters };
        let wanted = |end: &&End| end.kind.is_some_and(|kind| (kind == NodeKind::Switch) == is_switch);
        let ends = plan.cables.iter().flat_map(|cable| &cable.ends).filter(wanted);
        let of_lists = listed.iter().map(|node: &PlannedNode| (&node.end, &*node.details));
        let of_cables = ends.filter(|_| listed.is_empty()).map(|end| (end, ""));
        for (end, details) in of_lists.chain(of_cables) {
            // A node that a plan lists twice is the plan's mistake, which is kept.
            if listed.is_empty() && !known.insert((end.node_guid, &end.name)) {
                continue;
            }
            *out += "      <Node>\n";
            if end.node_guid.is_some() {
                let _ = writeln!(out, "        <NodeGUID>{}</NodeGUID>", end.node_guid);
            }
            element(out, 8, "NodeDesc", &end.name);
            element(out, 8, "NodeDetails", details);
            *out += "      </Node>\n";
        }
    }
}

/// Writes what is known of an end.
fn write_end(out: &mut String, end: &End) {
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
    element(out, 8, "NodeDesc", &end.name);
}

fn element(out: &mut String, indent: usize, name: &str, text: &str) {
    if !text.is_empty() {
        let _ = writeln!(out, "{:indent$}<{name}>{}</{name}>", "", escape(text));
    }
}

fn kind_text(kind: NodeKind) -> &'static str {
    if kind == NodeKind::Switch { "SW" } else { "FI" }
}

/// As `opareport` reads it: by the nominal sum of all lanes.
fn rate_text(rate: PlannedRate) -> String {
    match rate {
        PlannedRate::Exact(rate) => PlannedRate::Tenths(rate.nominal_tenths()).to_string(),
        rate => rate.to_string(),
    }
}
