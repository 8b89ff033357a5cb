//! The typed dump: exactly what the file says, block by block.

use crate::fabric::Guid;
use crate::io::note::Notes;
use crate::io::text::{Cursor, decimal, guid, lines, number};
use crate::io::{NoteKind, ReadError};

use super::block::{Kind, NodeBlock, PortLine};
use super::line;

/// A whole file.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct NetDump<'a> {
    /// Node blocks in file order; one node may have several.
    pub blocks: Vec<NodeBlock<'a>>,
    /// All port lines in file order.
    pub ports: Vec<PortLine<'a>>,
    /// Number of the last line with text.
    pub last_line: usize,
    /// Whether that line has no end.
    pub is_cut: bool,
}

/// What the lines before a node line say about it.
#[derive(Default)]
struct Pending<'a> {
    system_guid: Guid,
    vendor: u32,
    device: u32,
    guid_given: bool,
    port_guid: Option<Guid>,
    chassis: Option<u32>,
    position: &'a str,
    /// The first of those lines.
    begun: Option<(usize, &'a str)>,
}

impl<'a> NetDump<'a> {
    /// Parses a text.
    ///
    /// # Errors
    /// When a line that has a meaning breaks the grammar, or there is no node.
    pub(super) fn parse(text: &'a str, notes: &mut Notes) -> Result<Self, ReadError> {
        let mut dump = Self { is_cut: !text.ends_with('\n'), ..Self::default() };
        let mut guids = GuidCounters::default();
        let mut pending = Pending::default();
        let mut heading = None;
        let mut open = false;
        let mut headers = 0;
        for (n, raw) in lines(text) {
            let s = raw.trim();
            let Some(&first) = s.as_bytes().first() else {
                open = false;
                continue;
            };
            dump.last_line = n;
            match first {
                b'[' if !line::is_prompt(s) => {
                    let Some(block) = dump.blocks.last_mut().filter(|_| open) else {
                        return Err(ReadError::at(n, "a port line outside any node", s));
                    };
                    dump.ports.push(line::port(n, s, notes)?);
                    block.ports.end = dump.ports.len();
                    continue;
                }
                b'#' => {
                    if s.starts_with("# Topology file:") {
                        headers += 1;
                        if headers > 1 {
                            notes.add(NoteKind::Joined, n, s);
                        }
                    }
                    // Without a system image GUID the chassis comment stands alone, indented.
                    if let Some((chassis, position)) =
                        chassis_comment(s).filter(|_| raw.starts_with(['\t', ' ']))
                    {
                        (pending.chassis, pending.position) = (Some(chassis), position);
                    }
                    continue;
                }
                _ => {}
            }
            if let Some(opens) = line::node_word(s) {
                let mut block = line::node(n, s, opens, dump.ports.len(), notes)?;
                block.guid = guids.take(&block, pending.guid_given);
                // Some directors' chips report the chassis' GUID there: 0xCHASSIS(CHIP), the chip named S-CHIP.
                let own = pending.port_guid.filter(|&port| line::named_guid(block.id) == Some(port));
                if let Some(own) = own.filter(|&own| own != block.guid) {
                    notes.add(NoteKind::SystemGuid, n, s);
                    block.guid = own;
                }
                block.guid_given = pending.guid_given;
                block.port_guid = pending.port_guid;
                block.system_guid = pending.system_guid;
                block.vendor = pending.vendor;
                block.device = pending.device;
                block.chassis = pending.chassis.or(heading);
                block.position = pending.position;
                dump.blocks.push(block);
                pending = Pending::default();
                open = true;
                continue;
            }
            open = false;
            if assignment(n, s, &mut pending, &mut guids)? {
                pending.begun = pending.begun.or(Some((n, s)));
            } else if let Some(rest) = s.strip_prefix("Chassis ") {
                heading = decimal(Cursor::new(rest).word());
            } else if s == "Non-Chassis Nodes" {
                heading = None;
            } else if s.starts_with("include ") {
                let reason = "a net file that includes another: join the files first";
                return Err(ReadError::at(n, reason, s));
            } else if is_ignored(s) {
                notes.add(NoteKind::Ignored, n, s);
            } else {
                notes.add(NoteKind::UnknownLine, n, s);
            }
        }
        if dump.blocks.is_empty() {
            return Err(unrecognised(text));
        }
        if let Some((n, s)) = pending.begun {
            return Err(ReadError::at(n, "no node line follows these lines: the file looks truncated", s));
        }
        dump.check_end()?;
        dump.check_rates(notes);
        Ok(dump)
    }
}

impl NetDump<'_> {
    /// In a file with rates, which tools write, a last line without line end was cut short if it is a node
    /// line, or a port line without a rate.
    fn check_end(&self) -> Result<(), ReadError> {
        if !self.is_cut || self.ports.first().is_none_or(|first| first.rate.is_none()) {
            return Ok(());
        }
        let port = self.ports.last().filter(|last| last.line == self.last_line && last.rate.is_none());
        if let Some(port) = port {
            return Err(ReadError::at(port.line, "a port line without the rate that others have", port.text));
        }
        match self.blocks.last().filter(|last| last.line == self.last_line) {
            Some(node) => Err(ReadError::at(node.line, "a node line without its ports", node.text)),
            None => Ok(()),
        }
    }

    /// Counts lines without a rate, such as cut ones, if others have one.
    fn check_rates(&self, notes: &mut Notes) {
        if self.ports.iter().any(|p| p.rate.is_some()) {
            for line in self.ports.iter().filter(|p| p.rate.is_none() && !p.text.contains('?')) {
                notes.add(NoteKind::NoRate, line.line, line.text);
            }
        }
    }
}

/// Reads a `key=value` line before a node line. Returns whether it was one.
fn assignment<'a>(
    n: usize,
    s: &'a str,
    pending: &mut Pending<'a>,
    guids: &mut GuidCounters,
) -> Result<bool, ReadError> {
    let Some((key, value)) = s.split_once('=').or_else(|| s.split_once('+')) else { return Ok(false) };
    let (value, comment) = value.split_once('#').map_or((value, ""), |(v, c)| (v, c.trim()));
    let value = value.trim_end();
    let bad = |what: &str| ReadError::at(n, format!("bad {what}: not a hexadecimal number"), s);
    let small = |what| number(value).and_then(|v| u32::try_from(v).ok()).ok_or_else(|| bad(what));
    match key {
        "vendid" => pending.vendor = small("vendor id")?,
        "devid" => pending.device = small("device id")?,
        "sysimgguid" => {
            pending.system_guid = number(value).map(Guid).ok_or_else(|| bad("system image GUID"))?;
            if let Some((chassis, position)) = chassis_comment(comment) {
                (pending.chassis, pending.position) = (Some(chassis), position);
            }
        }
        "switchguid" | "caguid" | "hcaguids" | "rtguid" => {
            let kind = match key {
                "switchguid" => Kind::Switch,
                "rtguid" => Kind::Router,
                _ => Kind::Ca,
            };
            let mut cursor = Cursor::new(value);
            let end = value.find('(').unwrap_or(value.len());
            let node = number(value[..end].trim_end()).ok_or_else(|| bad("node GUID"))?;
            cursor.rest = &value[end..];
            if !cursor.rest.is_empty() {
                let port = cursor.between('(', ')').and_then(guid).ok_or_else(|| bad("port GUID"))?;
                pending.port_guid = Some(port);
            }
            guids.set(kind, Guid(node), s[key.len()..].starts_with('+'));
            pending.guid_given = true;
            if !comment.is_empty() {
                pending.position = comment;
            }
        }
        _ => return Ok(false),
    }
    Ok(true)
}

/// `Chassis 3` with the rest (`slot 2`, or a host's name in parentheses) as position.
fn chassis_comment(comment: &str) -> Option<(u32, &str)> {
    let mut cursor = Cursor::new(comment.trim_start_matches(['#', ' ']));
    if !cursor.eat("Chassis ") {
        return None;
    }
    let number = decimal(cursor.word())?;
    Some((number, cursor.rest.trim()))
}

/// Whether a line of the format says nothing about the fabric.
fn is_ignored(s: &str) -> bool {
    ["Hostname:", "do ", "width=", "speed=", "pdebug"].iter().any(|p| s.starts_with(p))
}

/// The refusal of a text without nodes: says what it is, if that can be recognised.
fn unrecognised(text: &str) -> ReadError {
    let (n, s) = lines(text).find(|(_, l)| !l.trim().is_empty()).unwrap_or((1, ""));
    let what = if text.contains("Unicast lids") {
        "a dump of forwarding tables, not a fabric"
    } else if s.starts_with("<?xml") || s.starts_with('<') {
        "XML, which this version does not read"
    } else {
        "no node found: neither ibnetdiscover output, nor a net file, nor Lacis JSON"
    };
    ReadError::at(n, what, s)
}

/// The GUIDs that ibsim gives to nodes in file order: a GUID line sets the counter of its kind, a
/// switch takes one, an end node one and one for each port.
struct GuidCounters {
    next: [u64; 3],
    base: [u64; 3],
}

impl Default for GuidCounters {
    fn default() -> Self {
        let start = [0x20_0000, 0x10_0000, 0];
        Self { next: start, base: start }
    }
}

impl GuidCounters {
    fn set(&mut self, kind: Kind, guid: Guid, relative: bool) {
        let k = kind as usize;
        if relative {
            self.next[k] = self.base[k].wrapping_add(guid.0);
        } else {
            (self.base[k], self.next[k]) = (guid.0, guid.0);
        }
    }

    /// The GUID of a node: from its line, else from an identifier of the form `S-<16 digits>`,
    /// else the counter's.
    fn take(&mut self, block: &NodeBlock, given: bool) -> Guid {
        if !given
            && block.id.len() == 18
            && let Some(guid) = line::named_guid(block.id)
        {
            return guid;
        }
        let next = &mut self.next[block.kind as usize];
        let guid = *next;
        let ports = if block.kind == Kind::Switch { 0 } else { u64::from(block.radix) };
        *next = next.wrapping_add(1 + ports);
        Guid(guid)
    }
}
