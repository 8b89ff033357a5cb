//! Lists of links: `ibnetdiscover -p` and `iblinkinfo`, plain and with `--line`; and lists of nodes,
//! which name no cables: `ibnetdiscover -l`, `-H`, `-S`, `-R`, `ibhosts`, `ibswitches`.
//!
//! ```text
//! CA   134  1 0x7cfe9003003b4bde 4x EDR - SW  1719 10 0x7cfe9003009ce5b0 ( 'o1 HCA-1' - 'leaf 1' )
//! SW  2052 37 0x506b4b03005c2740 4x ???                                    'leaf 4'
//!
//! 0x506b4b03005c2740 "   leaf 4"  2052   35[  ] ==( 4X 25.78125 Gbps Active/  LinkUp)==>  0x506b… 1432    1[  ] "p1 HCA-1" ( )
//!
//! Switch: 0x506b4b03005c2740 leaf 4:
//!         2052   35[  ] ==( 4X 25.78125 Gbps Active/  LinkUp)==>    1432    1[  ] "p1 HCA-1" ( )
//!
//! Switch  : 0x506b4b03005c2740 ports 36 devid 0xcb20 vendid 0x2c9 "leaf 4"
//! ```
//!
//! Lists of links say less than a dump. An end node has only its port's GUID, which is used as the node's, so two ports
//! of an adapter are two nodes. A node has as many ports as its highest number in the list. LMCs count as 0.
//! `iblinkinfo --line` has no kinds: nodes with several lines are switches.
//!
//! The grammars were read from output of infiniband-diags 44 on ibsim and of the tools of 2010 to 2023.

mod build;
mod line;
mod linkinfo;
mod nodes;
mod pairs;

use super::note::Notes;
use super::{Loaded, NoteKind, ReadError, text};
use line::LinkLine;

/// Bytes that are examined to recognise a list.
const HEAD: usize = 1 << 16;

/// Whether bytes are such a list.
pub fn looks_like(bytes: &[u8]) -> bool {
    let mut notes = Notes::default();
    let head = text::plain(&bytes[..bytes.len().min(HEAD)], &mut notes);
    let head = String::from_utf8_lossy(&head);
    text::lines(&head).any(|(_, s)| pairs::is_line(s) || linkinfo::is_line(s) || nodes::is_line(s))
}

/// Whether a line is one of such a list.
pub(super) fn is_line(s: &str) -> bool {
    pairs::is_line(s) || linkinfo::is_line(s) || nodes::is_line(s)
}

/// Reads a fabric.
///
/// # Errors
/// When a line breaks the grammar, a cable contradicts another, or an end cannot be identified.
pub fn read(bytes: &[u8]) -> Result<Loaded, ReadError> {
    let mut notes = Notes::default();
    text::refuse_empty(bytes)?;
    let bytes = text::plain(bytes, &mut notes);
    let text = text::decode(&bytes, &mut notes)?;
    let mut lines: Vec<LinkLine<'_>> = Vec::new();
    let mut listed: Vec<nodes::Listed<'_>> = Vec::new();
    let mut heading = None;
    let refuse = |error| text::cut_short(&text, error);
    for (at, s) in text::lines(&text).filter(|(_, s)| !s.trim().is_empty()) {
        if pairs::is_line(s) {
            lines.push(pairs::line(at, s).map_err(refuse)?);
        } else if linkinfo::is_line(s) {
            lines.push(linkinfo::line(at, s, heading).map_err(refuse)?);
        } else if nodes::is_line(s) {
            listed.push(nodes::line(at, s).map_err(refuse)?);
        } else if let Some(found) = linkinfo::heading(s) {
            heading = Some(found);
        } else {
            notes.add(NoteKind::UnknownLine, at, s);
        }
    }
    let fabric = if lines.is_empty() {
        nodes::build(&listed, &mut notes)?
    } else {
        for node in &listed {
            notes.add(NoteKind::UnknownLine, node.at, node.text);
        }
        build::build(&lines, &mut notes)?
    };
    Ok(Loaded { fabric, notes: notes.finish() })
}

#[cfg(test)]
mod tests;
