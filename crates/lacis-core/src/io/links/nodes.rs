//! `ibnetdiscover -l`, `-H`, `-S` and `-R`, `ibhosts`, `ibswitches`, `ibrouters`.

use crate::fabric::{Coverage, Fabric, FabricBuilder, FabricPart, Guid, Node, NodeKind, Port};
use crate::io::note::Notes;
use crate::io::text::{Cursor, clean, decimal, guid, number};
use crate::io::{NoteKind, ReadError};

/// A node of a list.
#[derive(Clone, Copy, Debug)]
pub(super) struct Listed<'a> {
    pub at: usize,
    pub text: &'a str,
    kind: NodeKind,
    guid: Guid,
    radix: u8,
    vendor: u32,
    device: u32,
    name: &'a str,
    lid: u32,
}

fn kind(s: &str) -> Option<(NodeKind, &str)> {
    let kinds = [
        ("Switch", NodeKind::Switch),
        ("Ca", NodeKind::Adapter),
        ("Router", NodeKind::Router),
        ("Rt", NodeKind::Router),
    ];
    let (kind, rest) = kinds.into_iter().find_map(|(word, kind)| Some((kind, s.strip_prefix(word)?)))?;
    let rest = rest.strip_prefix([' ', '\t'])?.trim_start().strip_prefix(':')?;
    Some((kind, rest))
}

/// Whether a line begins like one of these: `Ca : 0x`.
pub(super) fn is_line(s: &str) -> bool {
    kind(s).is_some_and(|(_, rest)| rest.trim_start().starts_with("0x"))
}

/// A line: `Switch : 0x506b4b03005c2740 ports 36 devid 0xcb20 vendid 0x2c9 "leaf 4" base port 0 lid 3 lmc 0`.
pub(super) fn line(at: usize, s: &str) -> Result<Listed<'_>, ReadError> {
    let bad = |reason: &str| ReadError::at(at, reason, s);
    let (kind, rest) = kind(s).ok_or_else(|| bad("not a node"))?;
    let mut cursor = Cursor::new(rest);
    let guid = guid(cursor.word()).ok_or_else(|| bad("a bad GUID"))?;
    let (mut radix, mut vendor, mut device) = (None, 0, 0);
    cursor.blanks();
    while !cursor.rest.starts_with('"') {
        let (key, value) = (cursor.word(), cursor.word());
        let value = number(value).and_then(|value| u32::try_from(value).ok());
        let value =
            value.ok_or_else(|| bad("not `ports N devid N vendid N \"name\"`: the line looks cut"))?;
        match key {
            "ports" => radix = u8::try_from(value).ok().filter(|n| (1..=254).contains(n)),
            "devid" => device = value,
            "vendid" => vendor = value,
            _ => return Err(bad("not `ports N devid N vendid N \"name\"`")),
        }
        cursor.blanks();
    }
    let radix = radix.ok_or_else(|| bad("a node has 1 to 254 ports"))?;
    let (name, rest) =
        cursor.rest[1..].rsplit_once('"').ok_or_else(|| bad("no quote ends the name: the line looks cut"))?;
    let mut rest = rest.split_whitespace().skip_while(|&word| word != "lid");
    let lid = rest.nth(1).and_then(decimal).unwrap_or(0);
    Ok(Listed { at, text: s, kind, guid, radix, vendor, device, name, lid })
}

/// A fabric of nodes without cables.
pub(super) fn build(listed: &[Listed<'_>], notes: &mut Notes) -> Result<Fabric, ReadError> {
    let mut builder = FabricBuilder::new();
    for node in listed {
        notes.add(NoteKind::NoCables, node.at, node.text);
        let refuse = |e: crate::fabric::BuildError| ReadError::at(node.at, e.to_string(), node.text);
        let handle = builder.add_node(
            Node {
                kind: super::build::kind(node.kind, node.name),
                guid: node.guid,
                system_guid: Guid::NONE,
                id: super::build::ident(node.kind, node.guid),
                description: clean(node.name.trim()).into(),
                vendor: node.vendor,
                device: node.device,
                enhanced_port0: false,
                chassis: None,
                declared: None,
            },
            node.radix,
        );
        let handle = handle.map_err(refuse)?;
        if node.kind == NodeKind::Switch {
            *builder.port_mut(handle, 0).map_err(refuse)? =
                Port { guid: node.guid, lid: node.lid, ..Port::default() };
        }
    }
    let has = |is_switch: bool| listed.iter().any(|node| (node.kind == NodeKind::Switch) == is_switch);
    *builder.coverage_mut() = Coverage::WHOLE
        .with(FabricPart::Switches, has(true))
        .with(FabricPart::EndNodes, has(false))
        .without(&[FabricPart::Cables, FabricPart::BothEndsOfTrunks, FabricPart::BothEndsOfEndNodes]);
    Ok(builder.finish())
}
