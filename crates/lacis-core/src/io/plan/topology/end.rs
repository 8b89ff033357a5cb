//! What topology XML says of one end of a link, of a node or of a manager.

use super::super::cable::End;
use crate::fabric::{Guid, NodeKind};
use crate::io::note::Notes;
use crate::io::text::{MAX_DESCRIPTION, clean, decimal, guid};
use crate::io::xml::{Step, Xml};
use crate::io::{NoteKind, ReadError};

/// The text of the element that has just opened.
pub(super) fn value(xml: &mut Xml<'_>, notes: &mut Notes) -> Result<String, ReadError> {
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

/// Copies an element into an end; returns whether it describes ends. Ports begin at `lowest`.
pub(super) fn field(
    end: &mut End,
    name: &str,
    text: &str,
    lowest: u8,
    xml: &mut Xml<'_>,
) -> Result<bool, ReadError> {
    let mut hex = || match text {
        "" => Ok(Guid::NONE),
        text => text
            .strip_prefix("0x")
            .and_then(guid)
            .ok_or_else(|| xml.refuse(format!("bad {name}: not 0x and 1 to 16 hexadecimal digits"))),
    };
    match name {
        "NodeGUID" => end.node_guid = hex()?,
        "PortGUID" => end.port_guid = hex()?,
        "NodeDesc" => end.name = text.into(),
        "PortNum" if text.is_empty() => {}
        "PortNum" => {
            let number =
                decimal(text).and_then(|n| u8::try_from(n).ok()).filter(|n| (lowest..=254).contains(n));
            let bad = || xml.refuse(format!("bad PortNum \"{text}\": ports are {lowest} to 254"));
            end.number = Some(number.ok_or_else(bad)?);
        }
        "NodeType" | "NodeType_Int" => match text {
            "" => {}
            "FI" | "CA" | "1" => end.kind = Some(NodeKind::Adapter),
            "SW" | "2" => end.kind = Some(NodeKind::Switch),
            _ => return Err(xml.refuse(format!("bad {name} \"{text}\": FI or SW"))),
        },
        _ => return Ok(false),
    }
    Ok(true)
}
