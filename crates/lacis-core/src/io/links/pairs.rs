//! The lines of `ibnetdiscover -p`: one for each end of a cable, and one for each port of a switch without a cable.

use super::line::{LinkEnd, LinkLine};
use crate::fabric::{NodeKind, PortDetail};
use crate::io::ReadError;
use crate::io::text::{Cursor, decimal, guid};

fn kind(word: &str) -> Option<NodeKind> {
    match word {
        "CA" => Some(NodeKind::Adapter),
        "SW" => Some(NodeKind::Switch),
        "RT" => Some(NodeKind::Router),
        _ => None,
    }
}

/// Whether a line is one of `ibnetdiscover -p`: it begins with a kind and a LID.
pub(super) fn is_line(s: &str) -> bool {
    let mut cursor = Cursor::new(s);
    kind(cursor.word()).is_some() && decimal(cursor.word()).is_some()
}

/// A line: `CA LID PORT GUID WIDTH SPEED - SW LID PORT GUID ( 'near' - 'far' )`, without a cable
/// `SW LID PORT GUID WIDTH SPEED 'near'`.
pub(super) fn line(at: usize, s: &str) -> Result<LinkLine<'_>, ReadError> {
    let bad = |reason: &str| ReadError::at(at, reason, s);
    let mut cursor = Cursor::new(s.trim_end());
    let near = end(&mut cursor).ok_or_else(|| bad("not KIND LID PORT GUID"))?;
    let (width, speed) = (cursor.word(), cursor.word());
    if !width.ends_with('x') {
        return Err(bad("no width such as 4x after the GUID"));
    }
    let rate = format!("{width}{speed}").parse().ok();
    cursor.blanks();
    if !cursor.eat("-") {
        // Some releases print the name bare.
        let name = cursor.rest.trim();
        let quotes = name.len() - name.trim_matches('\'').len();
        if name.is_empty() || quotes == 1 {
            return Err(bad("no 'name' at the end: the line looks cut"));
        }
        let near = LinkEnd { name: name.trim_matches(['\'', ' ', '\t']), ..near };
        return Ok(LinkLine { at, text: s, near, rate: None, detail: PortDetail::default(), far: None });
    }
    let far = end(&mut cursor).ok_or_else(|| bad("not KIND LID PORT GUID at the far end"))?;
    let names = cursor.rest.trim();
    let names = names.strip_prefix('(').and_then(|rest| rest.strip_suffix(')')).map(str::trim);
    let names = names.and_then(|both| both.split_once("' - '"));
    let (one, other) = names.ok_or_else(|| bad("no ( 'name' - 'name' ) at the end: the line looks cut"))?;
    let near = LinkEnd { name: one.trim_start_matches('\'').trim(), ..near };
    let far = Some(LinkEnd { name: other.trim_end_matches('\'').trim(), ..far });
    Ok(LinkLine { at, text: s, near, rate, detail: PortDetail::default(), far })
}

fn end<'a>(cursor: &mut Cursor<'a>) -> Option<LinkEnd<'a>> {
    let kind = Some(kind(cursor.word())?);
    let (lid, number) = (decimal(cursor.word())?, decimal(cursor.word())?);
    let guid = Some(cursor.word()).filter(|word| word.starts_with("0x")).and_then(guid);
    Some(LinkEnd { kind, guid: Some(guid?), lid, number, name: "" })
}
