//! `iblinkinfo`, plain and with `--line`.

use super::line::{LinkEnd, LinkLine};
use crate::fabric::{Guid, NodeKind, Rate, Speed, Width};
use crate::io::ReadError;
use crate::io::text::{Cursor, decimal, guid};

/// Between the ends of a link.
const ARROW: (&str, &str) = ("==(", ")==>");

/// What a heading of the plain form says about the lines below.
#[derive(Clone, Copy, Debug)]
pub(super) struct Heading<'a> {
    kind: NodeKind,
    guid: Option<Guid>,
    name: &'a str,
}

/// A heading: `Switch: 0x506b4b03005c2740 leaf 4:`, `CA: node1 HCA-1:`, `Router: gate:`.
pub(super) fn heading(s: &str) -> Option<Heading<'_>> {
    let kinds = [("Switch", NodeKind::Switch), ("CA", NodeKind::Adapter), ("Router", NodeKind::Router)];
    let (kind, rest) = kinds.into_iter().find_map(|(word, kind)| Some((kind, s.strip_prefix(word)?)))?;
    let rest = rest.strip_prefix(':').unwrap_or(rest);
    let name = rest.strip_prefix(' ')?.trim_end().strip_suffix(':')?.trim();
    if kind != NodeKind::Switch {
        return Some(Heading { kind, guid: None, name });
    }
    let (number, name) = name.split_once(' ').unwrap_or((name, ""));
    Some(Heading { kind, guid: Some(guid(number.strip_prefix("0x")?)?), name: name.trim() })
}

/// Whether a line has their arrow.
pub(super) fn is_line(s: &str) -> bool {
    s.split_once(ARROW.0).is_some_and(|(_, rest)| rest.contains(ARROW.1))
}

/// A line: `[GUID] ["name"] LID PORT[ext] ==(WIDTH SPEED STATE)==> [GUID] LID PORT[ext] "name" (…)`. What is
/// not there is the heading's.
pub(super) fn line<'a>(
    at: usize,
    s: &'a str,
    heading: Option<Heading<'a>>,
) -> Result<LinkLine<'a>, ReadError> {
    let bad = |reason: &str| ReadError::at(at, reason, s);
    let (left, rest) = s.split_once(ARROW.0).ok_or_else(|| bad("no arrow"))?;
    let (state, right) = rest.split_once(ARROW.1).ok_or_else(|| bad("no arrow"))?;
    let near = end(left).ok_or_else(|| bad("not GUID, LID and PORT[ ] before the arrow"))?;
    let is_named = near.guid.is_some() && !near.name.is_empty();
    let near = match heading {
        _ if is_named => near,
        Some(Heading { kind, guid, name }) => {
            LinkEnd { kind: Some(kind), guid: near.guid.or(guid), name, ..near }
        }
        None => return Err(bad("a link below no heading: neither plain iblinkinfo nor --line")),
    };
    if right.trim_start().starts_with('[') {
        return Ok(LinkLine { at, text: s, near, rate: None, far: None });
    }
    let far = end(right).filter(|_| right.contains('"'));
    let far = far.ok_or_else(|| bad("not LID, PORT[ ] and \"name\" after the arrow: the line looks cut"))?;
    Ok(LinkLine { at, text: s, near, rate: rate(state), far: Some(far) })
}

fn end(s: &str) -> Option<LinkEnd<'_>> {
    let mut cursor = Cursor::new(s);
    cursor.blanks();
    let given = if cursor.rest.starts_with("0x") { Some(guid(cursor.word())?) } else { None };
    cursor.blanks();
    let before = cursor.between('"', '"');
    let lid = decimal(cursor.word())?;
    cursor.blanks();
    let (number, rest) = cursor.rest.split_once('[')?;
    let after = rest.split_once(']')?.1.trim_start();
    let after = match after.strip_prefix('"') {
        // The name ends at the last quote before the remarks in parentheses.
        Some(quoted) => quoted.rsplit_once("\" (").or_else(|| quoted.rsplit_once('"'))?.0,
        None => "",
    };
    let name = before.unwrap_or(after).trim();
    Some(LinkEnd { kind: None, guid: given, lid, number: decimal(number.trim())?, name })
}

/// `4X 25.78125 Gbps Active/  LinkUp`: lanes, and the signalling rate of each.
fn rate(state: &str) -> Option<Rate> {
    let mut cursor = Cursor::new(state);
    let width = cursor.word().strip_suffix('X')?.parse().ok().and_then(Width::new)?;
    let speed = cursor.word();
    // FDR10 has QDR's rate in whole numbers, so it is named: `10.0 Gbps (FDR10)`.
    let mut words = state.split_whitespace().map(|word| word.trim_matches(['(', ')']));
    let named = words.find_map(|word| Speed::ALL.into_iter().find(|&(_, name)| name == word));
    let signalled = [
        (2.5, Speed::Sdr),
        (5.0, Speed::Ddr),
        (10.0, Speed::Qdr),
        (10.3125, Speed::Fdr10),
        (14.0625, Speed::Fdr),
        (25.78125, Speed::Edr),
        (53.125, Speed::Hdr),
        (106.25, Speed::Ndr),
        (212.5, Speed::Xdr),
    ];
    let signalled_at: Option<f64> = speed.parse().ok();
    let by_rate = signalled
        .into_iter()
        .find(|(rate, _)| signalled_at.is_some_and(|gbps| (gbps - rate).abs() < 1e-3 * rate));
    let speed = named.map(|(speed, _)| speed).or(by_rate.map(|(_, speed)| speed))?;
    Some(Rate { width, speed })
}
