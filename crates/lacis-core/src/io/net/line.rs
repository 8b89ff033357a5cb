//! The grammar of the two lines that carry a fabric: node lines and port lines.

use super::block::{Kind, NodeBlock, PortLine};
use crate::fabric::{Guid, Rate};
use crate::io::note::Notes;
use crate::io::text::{Cursor, MAX_DESCRIPTION, MAX_ID, decimal, guid};
use crate::io::{NoteKind, ReadError};
use crate::sm::lids::MAX_UNICAST_LID;

/// The kind of node that a line opens, if any, and what follows its word. In text copied from a
/// terminal the tab after the word may be lost: `Switch41 "S-…"`.
pub(super) fn node_word(s: &str) -> Option<(Kind, &str)> {
    [("Switch", Kind::Switch), ("Ca", Kind::Ca), ("Hca", Kind::Ca), ("Rt", Kind::Router)]
        .into_iter()
        .find_map(|(word, kind)| Some((kind, s.strip_prefix(word)?)))
        .filter(|(_, rest)| rest.starts_with([' ', '\t']) || lost_tab(rest))
}

/// Whether a number follows without a tab, and then a quoted identifier.
pub(super) fn lost_tab(rest: &str) -> bool {
    let after = rest.trim_start_matches(|c: char| c.is_ascii_digit());
    after.len() < rest.len() && after.trim_start().starts_with('"')
}

/// A shell's prompt in brackets, as in `[root@node01 ~]# ibnetdiscover`, which is no port number.
pub(super) fn is_prompt(s: &str) -> bool {
    Cursor::new(s).between('[', ']').is_some_and(|inner| inner.contains('@'))
}

/// The GUID in an identifier of the form `S-…`, `H-…` or `R-…`.
pub(super) fn named_guid(id: &str) -> Option<Guid> {
    let digits = id.strip_prefix("S-").or_else(|| id.strip_prefix("H-")).or_else(|| id.strip_prefix("R-"))?;
    guid(digits).filter(|_| digits.bytes().all(|b| b.is_ascii_hexdigit()))
}

/// A node line: `Switch 65 "S-…" # "description" enhanced port 0 lid 73 lmc 0`.
pub(super) fn node<'a>(
    n: usize,
    s: &'a str,
    (kind, rest): (Kind, &'a str),
    first_port: usize,
    notes: &mut Notes,
) -> Result<NodeBlock<'a>, ReadError> {
    let bad = |reason: &str| ReadError::at(n, reason, s);
    if lost_tab(rest) {
        notes.add(NoteKind::LostTabs, n, s);
    }
    let mut cursor = Cursor::new(rest);
    cursor.blanks();
    let end = cursor.rest.find([' ', '\t', '"']).unwrap_or(cursor.rest.len());
    let (radix, rest) = cursor.rest.split_at(end);
    cursor.rest = rest;
    let radix = decimal(radix).ok_or_else(|| bad("a node line without a number of ports"))?;
    let radix = u8::try_from(radix).ok().filter(|r| (1..=254).contains(r));
    let radix = radix.ok_or_else(|| bad("a node has 1 to 254 ports"))?;
    cursor.blanks();
    let id = cursor.between('"', '"').ok_or_else(|| bad("a node line without a quoted identifier"))?;
    if id.is_empty() || id.len() > MAX_ID || id.contains(char::is_control) {
        return Err(bad("an identifier is 1 to 1024 bytes of plain text"));
    }
    let mut block = NodeBlock {
        line: n,
        text: s,
        kind,
        radix,
        id,
        description: None,
        enhanced: false,
        lid: 0,
        lmc: 0,
        guid: Guid::NONE,
        guid_given: false,
        port_guid: None,
        system_guid: Guid::NONE,
        vendor: 0,
        device: 0,
        chassis: None,
        position: "",
        ports: first_port..first_port,
    };
    cursor.blanks();
    if !cursor.eat("#") {
        if !cursor.rest.is_empty() {
            notes.add(NoteKind::UnknownText, n, s);
        }
        return Ok(block);
    }
    cursor.blanks();
    if cursor.rest.starts_with('"') {
        let description =
            quoted(&mut cursor).ok_or_else(|| bad("a description without its closing quote"))?;
        block.description = Some(description);
    } else {
        // Releases before 2007 print the description bare.
        let ends = [" enhanced port ", " base port ", " port 0", " lid "];
        let end = ends.iter().filter_map(|e| cursor.rest.find(e)).min().unwrap_or(cursor.rest.len());
        block.description = Some(cursor.rest[..end].trim());
        cursor.rest = &cursor.rest[end..];
    }
    // In characters: bytes that are no text are replaced by longer ones.
    if block.description.is_some_and(|d| d.chars().count() > MAX_DESCRIPTION) {
        return Err(bad("a description longer than 4096 characters"));
    }
    loop {
        match cursor.word() {
            "" => return Ok(block),
            "enhanced" => block.enhanced = true,
            "base" | "(scp)" => {}
            "port" => {
                cursor.word();
            }
            "lid" => block.lid = lid(n, cursor.word())?,
            "lmc" => block.lmc = lmc(n, cursor.word())?,
            _ => {
                notes.add(NoteKind::UnknownText, n, s);
                return Ok(block);
            }
        }
    }
}

/// A port line: `[1][ext 4](guid) "peer"[2](guid) # lid 4 lmc 0 "description" lid 7 4xEDR`.
pub(super) fn port<'a>(n: usize, s: &'a str, notes: &mut Notes) -> Result<PortLine<'a>, ReadError> {
    let bad = |reason: &str| ReadError::at(n, reason, s);
    let bad_guid = || bad("bad port GUID: not a hexadecimal number");
    let bad_number = || bad("bad port number");
    let mut cursor = Cursor::new(s);
    let number = cursor.between('[', ']').and_then(decimal).ok_or_else(bad_number)?;
    skip_external(&mut cursor);
    let mut own_guid = None;
    if cursor.rest.starts_with('(') {
        own_guid = Some(cursor.between('(', ')').and_then(guid).ok_or_else(bad_guid)?);
    }
    cursor.blanks();
    let peer = cursor.between('"', '"').filter(|p| !p.is_empty());
    let peer = peer.ok_or_else(|| bad("a port line without a quoted peer: is the file truncated?"))?;
    let mut line = PortLine {
        line: n,
        text: s,
        number,
        guid: own_guid,
        lid: None,
        peer,
        peer_number: 1,
        peer_guid: None,
        peer_lid: None,
        rate: None,
    };
    if cursor.rest.starts_with('[') {
        line.peer_number = cursor.between('[', ']').and_then(decimal).ok_or_else(bad_number)?;
    }
    skip_external(&mut cursor);
    cursor.blanks();
    if cursor.rest.starts_with('(') {
        line.peer_guid = Some(cursor.between('(', ')').and_then(guid).ok_or_else(bad_guid)?);
    }
    cursor.blanks();
    // Options of net files: enabled widths and speeds, `w=4 s=2`.
    while !cursor.rest.is_empty() && !cursor.rest.starts_with('#') {
        if !is_option(cursor.word()) {
            notes.add(NoteKind::UnknownText, n, s);
        }
        cursor.blanks();
    }
    if cursor.eat("#") {
        comment(n, s, cursor, &mut line, notes)?;
    }
    Ok(line)
}

/// What follows `#` on a port line.
fn comment<'a>(
    n: usize,
    s: &'a str,
    mut cursor: Cursor<'a>,
    line: &mut PortLine<'a>,
    notes: &mut Notes,
) -> Result<(), ReadError> {
    let bad = |reason: &str| ReadError::at(n, reason, s);
    cursor.blanks();
    if cursor.eat("lid ") {
        let base = lid(n, cursor.word())?;
        cursor.blanks();
        if cursor.eat("lmc ") {
            line.lid = Some((base, lmc(n, cursor.word())?));
        } else {
            line.peer_lid = Some(base);
        }
        cursor.blanks();
    }
    if cursor.rest.starts_with('"') {
        quoted(&mut cursor).ok_or_else(|| bad("a description without its closing quote"))?;
    } else if let Some(at) = cursor.rest.rfind(" lid ") {
        cursor.rest = &cursor.rest[at..];
    }
    loop {
        match cursor.word() {
            "" => return Ok(()),
            "lid" => line.peer_lid = Some(lid(n, cursor.word())?),
            "slot" => {
                cursor.word();
            }
            "(scp)" => {}
            word if word.contains('?') => notes.add(NoteKind::UnknownRate, n, s),
            word if word.starts_with(|c: char| c.is_ascii_digit()) && word.contains('x') => {
                let unknown = |()| ReadError::at(n, "unknown link width or speed", word);
                line.rate = Some(word.parse::<Rate>().map_err(unknown)?);
            }
            word if is_option(word) => {}
            _ => {
                notes.add(NoteKind::UnknownText, n, s);
                return Ok(());
            }
        }
    }
}

/// Text between the next quote and the last one of the line: a description may hold quotes itself.
fn quoted<'a>(cursor: &mut Cursor<'a>) -> Option<&'a str> {
    let inner = cursor.rest.strip_prefix('"')?;
    let end = inner.rfind('"')?;
    cursor.rest = &inner[end + 1..];
    Some(&inner[..end])
}

/// `[ext 5]`: the number on the chassis's face.
fn skip_external(cursor: &mut Cursor) {
    if cursor.rest.starts_with("[ext") {
        cursor.between('[', ']');
    }
}

/// `s=4`, `w=2`, `v=4`: enabled speeds, widths and lanes.
fn is_option(word: &str) -> bool {
    matches!(word.split_once('='), Some(("s" | "w" | "v", value)) if decimal(value).is_some())
}

/// A LID. 0 means that none is assigned; a port that was never set up shows 0xFFFF, the same here.
/// Refusals quote the word: it follows the description, so an excerpt of the line may not reach it.
fn lid(n: usize, word: &str) -> Result<u32, ReadError> {
    match decimal(word) {
        Some(0xFFFF) => Ok(0),
        Some(lid) if lid <= MAX_UNICAST_LID => Ok(lid),
        _ => Err(ReadError::at(n, "bad LID: it is 0 to 49151", word)),
    }
}

fn lmc(n: usize, word: &str) -> Result<u8, ReadError> {
    match decimal(word) {
        Some(lmc @ 0..=7) => Ok(lmc as u8),
        _ => Err(ReadError::at(n, "bad LMC: it is 0 to 7", word)),
    }
}
