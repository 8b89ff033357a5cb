//! `iblinkinfo`, plain and with `--line`.

use super::line::{LinkEnd, LinkLine};
use crate::fabric::{Guid, NodeKind, PhysicalState, PortDetail, PortState, Rate, Speed, Width};
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
        // Rows of end nodes have their port's GUID, and those of switches none.
        Some(Heading { kind: NodeKind::Switch, guid, .. }) if near.guid.is_some() && near.guid != guid => {
            return Err(bad("a link of another node than its heading's: a heading above it is missing"));
        }
        Some(Heading { kind, guid, name }) => {
            LinkEnd { kind: Some(kind), guid: near.guid.or(guid), name, ..near }
        }
        None => {
            return Err(bad(
                "a link below no heading: neither plain iblinkinfo, whose headings grep takes away, nor --line",
            ));
        }
    };
    let (remarks, detail) = (remarks(right), states(state));
    if right.trim_start().starts_with('[') {
        return Ok(LinkLine { at, text: s, near, rate: None, detail, far: None });
    }
    let far = end(right).filter(|_| right.contains('"'));
    let far = far.ok_or_else(|| bad("not LID, PORT[ ] and \"name\" after the arrow: the line looks cut"))?;
    let rate = rate(state);
    Ok(LinkLine { at, text: s, near, rate, detail: could_be(remarks, rate, detail), far: Some(far) })
}

/// `Initialize/  LinkUp` at the end of the state: the logical and the physical state.
fn states(state: &str) -> PortDetail {
    let named = |name: &str, own: &str| name.eq_ignore_ascii_case(own);
    let Some((before, physical)) = state.rsplit_once('/') else { return PortDetail::default() };
    let logical = before.split_whitespace().next_back().unwrap_or_default();
    let physical = physical.split_whitespace().next().unwrap_or_default();
    let logical = PortState::ALL.into_iter().find(|&(.., own)| named(logical, own));
    let physical = PhysicalState::ALL.into_iter().find(|&(.., own)| named(physical, own));
    PortDetail {
        state: logical.map(|(state, ..)| state),
        physical: physical.map(|(state, ..)| state),
        ..PortDetail::default()
    }
}

/// The text in the parentheses after the far end's name.
fn remarks(right: &str) -> &str {
    let after_name = right.rsplit_once("\" (").map_or("", |(_, rest)| rest);
    after_name.rsplit_once(')').map_or(after_name, |(inside, _)| inside)
}

/// `Could be 4X Could be 53.125 Gbps`: what both ends can, where the link is narrower or slower. A link cannot be said
/// to become what it is.
fn could_be(remarks: &str, rate: Option<Rate>, mut detail: PortDetail) -> PortDetail {
    for remark in remarks.split("Could be").skip(1) {
        let first = remark.split_whitespace().next().unwrap_or_default();
        if let Some(lanes) = first.strip_suffix(['X', 'x']) {
            detail.could_be_width = lanes.parse().ok().and_then(Width::new);
        } else {
            detail.could_be_speed = speed(remark);
        }
    }
    if let Some(rate) = rate {
        detail.could_be_width = detail.could_be_width.filter(|&width| width != rate.width);
        detail.could_be_speed = detail.could_be_speed.filter(|&speed| speed != rate.speed);
    }
    detail
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
    Rate::of(width, speed(cursor.rest)?)
}

/// `25.78125 Gbps`, the signalling rate of a lane, or a name.
fn speed(text: &str) -> Option<Speed> {
    // FDR10 has QDR's rate in whole numbers, so it is named: `10.0 Gbps (FDR10)`.
    let mut words = text.split_whitespace().map(|word| word.trim_matches(['(', ')']));
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
    let signalled_at: Option<f64> = text.split_whitespace().next().and_then(|word| word.parse().ok());
    let by_rate = signalled
        .into_iter()
        .find(|(rate, _)| signalled_at.is_some_and(|gbps| (gbps - rate).abs() < 1e-3 * rate));
    named.map(|(speed, _)| speed).or(by_rate.map(|(_, speed)| speed))
}
