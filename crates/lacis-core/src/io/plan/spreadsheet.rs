//! FastFabric's spreadsheet of cables, as the CSV that `opaxlattopology` translates to topology XML.
//!
//! ```text
//! Rack Group,Rack,Name,Name-2,Port,Type,Rack Group,Rack,Name,Name-2,Port,Type,Label,Length,Details,Rate,MTU,Details
//! row1,rack1,host01,gw,,FI,row1,rack1,sw11,,1,SW,host01 sw11P1,1m,Cable CU,100g,8192,
//! ,,host02,,,,,,sw12,,2,,host02 sw12P2,1m,Cable CU,,,
//! ,rack1,sw11,,19,SW,,rack3,core1,L108A,9,CL,,,,,,
//!
//! Core Name:core1,Core Group:row1,Core Rack:rack3,Core Size:288,Core Full:0
//! ```
//!
//! An empty cell of rack group, rack or type repeats the line above. Types: FI (a host, whose description is `NAME hfi1_0`
//! unless it names an adapter), SW (edge switch), CL and CS (leaf and spine of a director, `NAME NAME-2`), EN (an end
//! outside the fabric). The first empty source name ends the list. Lines about directors and managers may follow
//! (`directors`).
//!
//! The grammar was read in the script and its README (opa-ff 10.10.3).

mod directors;
mod wiring;

use rustc_hash::FxHashSet;

use super::cable::{Cable, End, Plan, PlanFormat, PlannedNode};
use super::rate::PlannedRate;
use super::table::{self, cells, plain, separator};
use crate::fabric::NodeKind;
use crate::io::note::Notes;
use crate::io::text::{clean, decimal, decode, lines, plain as plain_bytes, refuse_empty};
use crate::io::{NoteKind, ReadError};
use crate::nearest::nearest;
use directors::{FIRST_ADAPTER, Rest};

/// The required columns, in this order.
const COLUMNS: [&str; 12] = [
    "rackgroup",
    "rack",
    "name",
    "name2",
    "port",
    "type",
    "rackgroup",
    "rack",
    "name",
    "name2",
    "port",
    "type",
];
/// What `opaxlattopology` takes for an empty cell.
const DEFAULT_RATE: PlannedRate = PlannedRate::Tenths(1000);
const DEFAULT_MTU: u32 = 10240;

/// What a type means.
#[derive(Clone, Copy, PartialEq)]
enum Type {
    Host,
    Edge,
    Leaf,
    Spine,
    Outside,
}

fn type_of(word: &str) -> Result<Type, String> {
    const TYPES: [(&str, Type); 5] = [
        ("FI", Type::Host),
        ("SW", Type::Edge),
        ("CL", Type::Leaf),
        ("CS", Type::Spine),
        ("EN", Type::Outside),
    ];
    let found = TYPES.iter().find(|(name, _)| name.eq_ignore_ascii_case(word));
    found.map(|t| t.1).ok_or_else(|| match word {
        "" => "no Type here nor in a line above: FI, SW, CL, CS or EN".to_owned(),
        word => format!("unknown Type \"{word}\": FI, SW, CL, CS or EN"),
    })
}

/// Reads a plan.
///
/// # Errors
/// When columns are missing or otherwise named, or a line has no type, name or port that can be read.
pub fn read(bytes: &[u8]) -> Result<Plan, ReadError> {
    let mut notes = Notes::default();
    refuse_empty(bytes)?;
    let bytes = plain_bytes(bytes, &mut notes);
    let text = decode(&bytes, &mut notes)?;
    let mut rows = lines(&text);
    let found = rows.find(|(_, line)| table::header(line) == Some(PlanFormat::Spreadsheet));
    let (at, header) = found.ok_or_else(|| ReadError::whole("no header that begins with Rack Group"))?;
    let separator = separator(header);
    let split = |at: usize, line| cells(line, separator).map_err(|reason| ReadError::at(at, reason, line));
    check_header(at, header, &split(at, header)?)?;

    let mut plan = Plan::new(PlanFormat::Spreadsheet);
    let mut types = [String::new(), String::new()];
    let mut rest = Rest::default();
    let mut leaves: FxHashSet<Box<str>> = FxHashSet::default();
    let mut listed: FxHashSet<Box<str>> = FxHashSet::default();
    let mut switch_mtu = None;
    let mut in_links = true;
    for (at, line) in rows {
        let row = split(at, line)?;
        let cell = |column: usize| row.get(column).map_or("", |cell| &**cell);
        in_links &= !cell(2).is_empty();
        if !in_links {
            rest.line(at, &row, &mut notes, line).map_err(|reason| ReadError::at(at, reason, line))?;
            continue;
        }
        let row = link(at, &cell, &mut types, &mut notes, line);
        let SpreadsheetRow { source, cable, leads_to_leaf } =
            row.map_err(|reason| ReadError::at(at, reason, line))?;
        let is_host = source.end.kind == Some(NodeKind::Adapter);
        if listed.insert(source.end.name.clone()) {
            if is_host { &mut plan.nodes.adapters } else { &mut plan.nodes.switches }.push(source);
        }
        let Some(cable) = cable else { continue };
        if !is_host {
            switch_mtu = cable.mtu;
        }
        if leads_to_leaf {
            leaves.insert(cable.ends[1].name.clone());
        }
        plan.cables.push(cable);
    }
    rest.complete(&mut plan, &leaves, switch_mtu).map_err(ReadError::whole)?;
    plan.notes = table::remarks(notes);
    Ok(plan)
}

fn check_header(at: usize, line: &str, cells: &[std::borrow::Cow<'_, str>]) -> Result<(), ReadError> {
    for (i, wanted) in COLUMNS.iter().enumerate() {
        let found = cells.get(i).map_or(String::new(), |cell| plain(cell));
        if found != *wanted {
            let there = if found.is_empty() { "nothing".to_owned() } else { format!("\"{}\"", cells[i]) };
            let near = nearest(&found, COLUMNS, 1).first().map_or(String::new(), |n| format!(" (or {n})"));
            let reason = format!(
                "column {} is {there}, not {wanted}: the columns are Rack Group, Rack, Name, Name-2, Port, Type, twice{}",
                i + 1,
                if found.is_empty() { String::new() } else { near }
            );
            return Err(ReadError::at(at, reason, line));
        }
    }
    Ok(())
}

/// A line of the list.
struct SpreadsheetRow {
    /// The node that it begins at.
    source: PlannedNode,
    /// The cable; none if it leaves the fabric.
    cable: Option<Cable>,
    /// Whether the cable leads to a leaf of a director.
    leads_to_leaf: bool,
}

fn link<'a>(
    at: usize,
    cell: &impl Fn(usize) -> &'a str,
    types: &mut [String; 2],
    notes: &mut Notes,
    line: &str,
) -> Result<SpreadsheetRow, String> {
    for (i, column) in [5, 11].into_iter().enumerate() {
        if !cell(column).is_empty() {
            cell(column).clone_into(&mut types[i]);
        }
    }
    let kinds = [type_of(&types[0])?, type_of(&types[1])?];
    let first = end(cell(2), cell(3), cell(4), kinds[0])?;
    let details = if kinds[0] == Type::Host { clean(cell(3)).into() } else { Box::default() };
    let source = PlannedNode { line: at, end: End { number: None, ..first.clone() }, details };
    if kinds[1] == Type::Outside {
        notes.add(NoteKind::OtherLink, at, line);
        return Ok(SpreadsheetRow { source, cable: None, leads_to_leaf: false });
    }
    if kinds[1] == Type::Host {
        return Err("a host (FI) as the destination: it must be the source".to_owned());
    }
    let ends = [first, end(cell(8), cell(9), cell(10), kinds[1])?];
    let rate = match PlannedRate::parse(cell(15)) {
        None if !cell(15).is_empty() => {
            notes.add(NoteKind::UnknownRate, at, line);
            None
        }
        rate => rate.or(Some(DEFAULT_RATE)),
    };
    let mtu = match cell(16) {
        "" => DEFAULT_MTU,
        text => decimal(text).ok_or_else(|| format!("bad MTU \"{text}\": not a number"))?,
    };
    let text_of = |column: usize| clean(cell(column)).into();
    let cable = Cable {
        line: at,
        ends,
        rate,
        mtu: Some(mtu),
        internal: kinds[0] == Type::Spine,
        label: text_of(12),
        length: text_of(13),
        details: text_of(14),
        link_details: text_of(17),
    };
    Ok(SpreadsheetRow { source, cable: Some(cable), leads_to_leaf: kinds[1] == Type::Leaf })
}

fn end(name: &str, second: &str, port: &str, kind: Type) -> Result<End, String> {
    let name = clean(name);
    let name = name.trim();
    if name.is_empty() {
        return Err("a cable without a destination's Name".to_owned());
    }
    let name = match kind {
        Type::Host if names_adapter(name) => name.to_owned(),
        Type::Host => format!("{name} {FIRST_ADAPTER}"),
        Type::Leaf | Type::Spine => format!("{name} {second}"),
        Type::Edge | Type::Outside => name.to_owned(),
    };
    let number = match port {
        "" if kind == Type::Host => 1,
        text => decimal(text)
            .and_then(|n| u8::try_from(n).ok())
            .filter(|n| (1..=254).contains(n))
            .ok_or_else(|| format!("bad Port \"{text}\": ports are 1 to 254"))?,
    };
    let kind = if kind == Type::Host { NodeKind::Adapter } else { NodeKind::Switch };
    Ok(End { name: clean(name.trim()).into(), number: Some(number), kind: Some(kind), ..End::default() })
}

/// Whether a host's name ends in that of an adapter: `host01 hfi1_0`.
fn names_adapter(name: &str) -> bool {
    let Some((_, last)) = name.rsplit_once(' ') else { return false };
    let Some((card, port)) = last.strip_prefix("hfi").and_then(|rest| rest.split_once('_')) else {
        return false;
    };
    let digits = |s: &str| !s.is_empty() && s.bytes().all(|b| b.is_ascii_digit());
    card.len() == 1 && card != "0" && digits(card) && digits(port)
}
