//! `<Nodes>` of topology XML: the planned adapters, switches and managers.

use super::super::cable::{End, PlannedNode, PlannedNodes};
use super::end;
use crate::fabric::{Guid, NodeKind};
use crate::io::note::Notes;
use crate::io::xml::{Step, Xml};
use crate::io::{NoteKind, ReadError};

/// Reads the inside of `<Nodes>`.
pub(super) fn read(xml: &mut Xml<'_>, notes: &mut Notes) -> Result<PlannedNodes, ReadError> {
    let mut all = PlannedNodes::default();
    loop {
        match xml.next(notes)? {
            Step::Open(tag) => match tag.name {
                "FIs" => list(&mut all.adapters, "Node", Some(NodeKind::Adapter), xml, notes)?,
                "Switches" => list(&mut all.switches, "Node", Some(NodeKind::Switch), xml, notes)?,
                "SMs" => list(&mut all.managers, "SM", None, xml, notes)?,
                name => {
                    notes.add(NoteKind::UnknownTag, xml.line(), name);
                    xml.skip(notes)?;
                }
            },
            Step::Close(..) => return Ok(all),
            Step::End => return Err(xml.refuse("the file ends inside <Nodes>")),
        }
    }
}

/// The inside of a list.
fn list(
    into: &mut Vec<PlannedNode>,
    item: &str,
    kind: Option<NodeKind>,
    xml: &mut Xml<'_>,
    notes: &mut Notes,
) -> Result<(), ReadError> {
    loop {
        match xml.next(notes)? {
            Step::Open(tag) if tag.name == item => into.push(node(item, kind, xml, notes)?),
            Step::Open(tag) => {
                // What opareport writes besides the nodes.
                if !matches!(tag.name, "ConnectedFICount" | "ConnectedSwitchCount" | "ConnectedSMCount") {
                    notes.add(NoteKind::UnknownTag, xml.line(), tag.name);
                }
                xml.skip(notes)?;
            }
            Step::Close(..) => return Ok(()),
            Step::End => return Err(xml.refuse("the file ends inside <Nodes>")),
        }
    }
}

/// The inside of a `<Node>` or `<SM>`.
fn node(
    item: &str,
    kind: Option<NodeKind>,
    xml: &mut Xml<'_>,
    notes: &mut Notes,
) -> Result<PlannedNode, ReadError> {
    let mut node = PlannedNode { line: xml.line(), ..PlannedNode::default() };
    loop {
        let tag = match xml.next(notes)? {
            Step::Open(tag) => tag,
            Step::Close(..) => break,
            Step::End => return Err(xml.refuse(format!("the file ends inside <{item}>"))),
        };
        // Ports do not identify a node, nor do states a manager.
        if matches!(tag.name, "Port" | "SMState" | "SMState_Int") {
            xml.skip(notes)?;
            continue;
        }
        let text = end::value(xml, notes)?;
        match tag.name {
            "NodeDetails" | "SMDetails" => node.details = text.into(),
            name => {
                if !end::field(&mut node.end, name, &text, 0, xml)? {
                    notes.add(NoteKind::UnknownTag, xml.line(), name);
                }
            }
        }
    }
    if let Some(kind) = kind {
        // The list says what a node is; ports belong to managers.
        node.end = End { kind: Some(kind), number: None, port_guid: Guid::NONE, ..node.end };
    }
    if node.end.is_open() {
        return Err(ReadError::at(node.line, format!("a <{item}> that is not named"), ""));
    }
    Ok(node)
}
