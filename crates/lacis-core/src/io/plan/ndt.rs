//! NVIDIA's NDT: CSV with a line for each cable, which UFM compares with the fabric.
//!
//! ```text
//! #StartDevice,StartPort,EndDevice,EndPort,LinkType
//! SAT11-0101-0927-20IB0,Port 21,SAT11-0101-0903-01IB1-A,Blade 16_Port 2/20,Data
//! SAT111092710053,SAT111092710053 ibp11s0f0,SAT11-0101-0927-20IB0,Port 1, Data
//! ```
//!
//! Columns are found by their names, in any order and among others (`State`, `Domain`, `Speed`, racks). A port is
//! `Port N` (or as switches print it: `IB1/N`, `P N`, `#N`, `[N]`), on a director `Blade B_Port C/P` (leaf board B, port P of its chip C), on a host the adapter's name. Names are
//! compared without regard to case. Lines of another `LinkType` than `Data` are no cables of the fabric; a `State` of
//! `Disabled` and a line with one device plan a port that stays without one.
//!
//! The grammar was read in the manual of UFM's NDT plugin and in lists of that form.

use super::cable::{Cable, Chip, End, Plan, PlanFormat};
use super::rate::PlannedRate;
use super::table::{self, cells, plain, separator};
use crate::io::note::Notes;
use crate::io::text::{clean, decimal, decode, lines, plain as plain_bytes, refuse_empty};
use crate::io::{NoteKind, ReadError};
use crate::nearest::nearest;

/// Positions of the columns.
struct NdtColumns {
    ends: [(usize, usize); 2],
    link: Option<usize>,
    state: Option<usize>,
    rate: Option<usize>,
    length: Option<usize>,
}

impl NdtColumns {
    fn of(at: usize, line: &str, names: &[String]) -> Result<Self, ReadError> {
        let position = |wanted: &str| names.iter().position(|name| name == wanted);
        let needed = |wanted: &str| {
            position(wanted).ok_or_else(|| {
                let near = nearest(wanted, names.iter().map(String::as_str).filter(|n| !n.is_empty()), 1);
                let hint = near.first().map_or(String::new(), |near| format!("; is \"{near}\" meant?"));
                let reason = format!(
                    "no column {wanted}: an NDT has StartDevice, StartPort, EndDevice and EndPort{hint}"
                );
                ReadError::at(at, reason, line)
            })
        };
        let twice = table::NDT.iter().find(|wanted| names.iter().filter(|n| n == *wanted).count() > 1);
        if let Some(name) = twice {
            return Err(ReadError::at(at, format!("two columns {name}"), line));
        }
        Ok(Self {
            ends: [
                (needed("startdevice")?, needed("startport")?),
                (needed("enddevice")?, needed("endport")?),
            ],
            link: position("linktype"),
            state: position("state"),
            rate: position("speed"),
            length: position("cablelength"),
        })
    }
}

/// Reads a plan.
///
/// # Errors
/// When there is no header, a column is missing, or a line has no device or port that can be read.
pub fn read(bytes: &[u8]) -> Result<Plan, ReadError> {
    let mut notes = Notes::default();
    refuse_empty(bytes)?;
    let bytes = plain_bytes(bytes, &mut notes);
    let text = decode(&bytes, &mut notes)?;
    let mut rows = lines(&text);
    let found = rows.find(|(_, line)| table::header(line) == Some(PlanFormat::Ndt));
    let (at, header) = found.ok_or_else(|| {
        ReadError::whole(
            "no header of a plan: NDT has the columns StartDevice, StartPort, EndDevice, EndPort, opaxlattopology's CSV begins with Rack Group, Rack, Name",
        )
    })?;
    let separator = separator(header);
    let split = |at: usize, line| cells(line, separator).map_err(|reason| ReadError::at(at, reason, line));
    let names: Vec<String> = split(at, header)?.iter().map(|cell| plain(cell)).collect();
    let columns = NdtColumns::of(at, header, &names)?;
    let mut cables = Vec::new();
    for (at, line) in rows {
        if line.trim_matches([' ', '\t', separator].as_slice()).is_empty() {
            continue;
        }
        if line.trim_start().starts_with('#') {
            notes.add(NoteKind::Ignored, at, line);
            continue;
        }
        let row = split(at, line)?;
        let cell = |column: usize| row.get(column).map_or("", |cell| &**cell);
        let optional = |column: Option<usize>| column.map_or("", cell);
        let link = optional(columns.link);
        if !link.is_empty() && !link.eq_ignore_ascii_case("data") {
            notes.add(NoteKind::OtherLink, at, line);
            continue;
        }
        if optional(columns.state).eq_ignore_ascii_case("disabled") {
            notes.add(NoteKind::OpenPort, at, line);
            continue;
        }
        let needed = [columns.ends[0].0, columns.ends[0].1, columns.ends[1].0];
        if needed.iter().any(|&column| column >= row.len()) {
            let reason = format!("{} cells where the header has {}", row.len(), names.len());
            return Err(ReadError::at(at, reason, line));
        }
        let devices = columns.ends.map(|(device, _)| !cell(device).is_empty());
        if devices == [true, false] && cell(columns.ends[1].1).is_empty() {
            notes.add(NoteKind::OpenPort, at, line);
            continue;
        }
        if devices != [true, true] {
            return Err(ReadError::at(at, "a line without StartDevice or EndDevice", line));
        }
        let end = |notes: &mut Notes, (device, port): (usize, usize)| {
            let (device, port) = (clean(cell(device)), cell(port));
            end(&device, port, at, line, notes).map_err(|reason| ReadError::at(at, reason, line))
        };
        let ends = [end(&mut notes, columns.ends[0])?, end(&mut notes, columns.ends[1])?];
        let rate = optional(columns.rate);
        let rate = match PlannedRate::parse(rate) {
            None if !rate.is_empty() => {
                notes.add(NoteKind::UnknownRate, at, line);
                None
            }
            rate => rate,
        };
        let length = optional(columns.length).into();
        cables.push(Cable { line: at, ends, rate, length, ..Cable::default() });
    }
    Ok(Plan { cables, notes: table::remarks(notes), ..Plan::new(PlanFormat::Ndt) })
}

/// Takes a prefix off, without regard to case.
fn after<'a>(text: &'a str, prefix: &str) -> Option<&'a str> {
    let start = text.get(..prefix.len())?;
    start.eq_ignore_ascii_case(prefix).then(|| text[prefix.len()..].trim_start())
}

/// What follows the slot, or the mark of a port, where it is numbers alone: `9` of `IB1/9`, `32/2` of `IB1/32/2`, `9` of `P9`,
/// `#9` and `[9]`.
fn as_switches_print(port: &str) -> Option<&str> {
    let is_numbers = |text: &str| {
        text.starts_with(|c: char| c.is_ascii_digit())
            && text.bytes().all(|b| b.is_ascii_digit() || b == b'/')
    };
    let of_slot = || {
        let (slot, rest) = after(port, "ib")?.split_once('/')?;
        is_numbers(slot).then_some(rest)
    };
    let bracketed = || port.strip_prefix('[')?.strip_suffix(']');
    let marked = || after(port, "p").or_else(|| after(port, "#"));
    of_slot().or_else(bracketed).or_else(marked).map(str::trim).filter(|rest| is_numbers(rest))
}

fn number(text: &str) -> Result<u8, String> {
    let number = decimal(text.trim()).and_then(|n| u8::try_from(n).ok()).filter(|n| (1..=254).contains(n));
    number.ok_or_else(|| format!("bad port \"{text}\": ports are 1 to 254"))
}

fn end(device: &str, port: &str, at: usize, line: &str, notes: &mut Notes) -> Result<End, String> {
    let end = End { name: device.trim().into(), ..End::default() };
    if end.name.is_empty() {
        return Err("a device without a name".to_owned());
    }
    if let Some(rest) = after(port, "blade") {
        let small = |text: &str| decimal(text.trim()).and_then(|n| u16::try_from(n).ok()).filter(|&n| n > 0);
        let bad = || format!("bad port \"{port}\": a director's is \"Blade 16_Port 2/20\"");
        let split = rest.find(|c: char| !c.is_ascii_digit()).ok_or_else(bad)?;
        let board = small(&rest[..split]).ok_or_else(bad)?;
        let rest = rest[split..].trim_start_matches(['_', ' ', '-']);
        let rest = after(rest, "port").ok_or_else(bad)?;
        let (chip, port) = rest.split_once('/').unwrap_or(("1", rest));
        let chip = Chip { board, chip: small(chip).ok_or_else(bad)? };
        return Ok(End { chip: Some(chip), number: Some(number(port)?), ..end });
    }
    let rest = match after(port, "port").or_else(|| as_switches_print(port)) {
        Some(rest) => rest,
        None if port.bytes().all(|b| b.is_ascii_digit() || b == b'/') && !port.is_empty() => port,
        None if port.is_empty() => return Err("a line without StartPort or EndPort".to_owned()),
        None => return Ok(End { adapter: clean(port).into(), ..end }),
    };
    if let Some((cage, half)) = rest.split_once('/') {
        let (cage, half) = (number(cage)?, number(half)?);
        if half > 2 || cage > 127 {
            return Err(format!("bad port \"{port}\": without a blade, \"2/1\" is one half of a split port"));
        }
        notes.add(NoteKind::SplitPort, at, line);
        return Ok(End { number: Some(2 * (cage - 1) + half), ..end });
    }
    Ok(End { number: Some(number(rest)?), ..end })
}
