//! OSU micro-benchmarks, 3 to 7.
//!
//! ```text
//! # OSU MPI Multiple Bandwidth / Message Rate Test v5.6.2
//! # [ pairs: 8 ] [ window size: 64 ]
//! # Size                  MB/s        Messages/s
//! 1                       8.71        8710288.67
//! ```
//!
//! Read from real output of 5.6.2; 7.x (`# Datatype: MPI_CHAR.` before or after the columns, columns of `-f` and `-x`, a
//! column `Validation`) as its sources print it. MB is 10⁶ bytes.

use super::table::{Block, Class, Fate, Line, NONE, Series, Sink, Unit, after, float, scaled};
use crate::io::NoteKind;

/// What a column holds.
#[derive(Clone, Debug, PartialEq)]
enum Column {
    Size,
    Value {
        what: &'static str,
        statistic: String,
        unit: Unit,
        factor: f64,
    },
    /// Known, but not kept: iterations, overlap.
    Other,
}

/// The output of one benchmark.
#[derive(Debug)]
pub(super) struct Osu {
    test: String,
    columns: Vec<Column>,
    ranks: Option<u32>,
    begun: bool,
}

/// Begins at a title.
pub(super) fn begin(line: &Line<'_>, sink: &mut Sink) -> Option<Osu> {
    let title = line.text.trim_start_matches(['#', ' ']).strip_prefix("OSU ")?;
    let (kind, version) = title.split_once(" Test v").or_else(|| title.split_once(" Test"))?;
    sink.format("OSU");
    let version = version.split_whitespace().next().unwrap_or("");
    if !version.is_empty() {
        sink.fact("OSU version", &version);
    }
    // `MPI`, `MPI-CUDA`, `OpenSHMEM` stand before what is measured.
    let what = kind.split_once(' ').map_or(kind, |(_, what)| what);
    Some(Osu { test: name(what), columns: Vec::new(), ranks: None, begun: false })
}

/// The program that prints a title.
fn name(title: &str) -> String {
    let name = match title {
        "Latency" => "latency",
        "Multi Latency" => "multi_lat",
        "Multi-threaded Latency" => "latency_mt",
        "Bandwidth" => "bw",
        "Bi-Directional Bandwidth" => "bibw",
        "Multiple Bandwidth / Message Rate" => "mbw_mr",
        "All-to-All Personalized Exchange Latency" => "alltoall",
        "Broadcast Latency" => "bcast",
        other => {
            let other = other.trim_end_matches(" Latency").to_lowercase();
            return format!("osu_{}", other.replace(|c: char| !c.is_ascii_alphanumeric(), "_"));
        }
    };
    format!("osu_{name}")
}

/// The columns of a head line: two blanks separate names.
fn columns(head: &str) -> Option<Vec<Column>> {
    let head = head.trim_start_matches(['#', ' ']);
    let names =
        head.split("  ").flat_map(|name| name.split('\t')).map(str::trim).filter(|name| !name.is_empty());
    let columns: Vec<Column> = names.map(column).collect();
    columns.iter().any(|column| matches!(column, Column::Value { .. })).then_some(columns)
}

fn column(name: &str) -> Column {
    let lower = name.to_lowercase();
    let unit = name.find('(').and_then(|at| name[at + 1..].split(')').next());
    let (unit, factor) = match unit.or(Some(name)).and_then(Unit::parse) {
        Some(found) => found,
        None if lower == "messages/s" => (Unit::MessagesPerSecond, 1.0),
        None if lower == "size" => return Column::Size,
        None => return Column::Other,
    };
    let what = match unit {
        Unit::BytesPerSecond => "bandwidth",
        Unit::MessagesPerSecond => "message rate",
        Unit::Bytes => return Column::Size,
        Unit::Seconds if lower.starts_with("compute") => return Column::Other,
        Unit::Seconds if lower.starts_with("pure comm") => "communication alone",
        Unit::Seconds if lower.starts_with("overall") => "overlapped",
        Unit::Seconds => "latency",
    };
    let statistic = match lower.split(' ').next() {
        Some("min") => "min".to_owned(),
        Some("max") => "max".to_owned(),
        Some(first) if first.strip_prefix('p').is_some_and(|rest| float(rest).is_some()) => first.to_owned(),
        _ => "mean".to_owned(),
    };
    Column::Value { what, statistic, unit, factor }
}

impl Osu {
    /// The columns of a benchmark whose head line is lost, if its rows can have no others.
    fn usual(&self, count: usize) -> Vec<Column> {
        let heads = match self.test.as_str() {
            "osu_bw" | "osu_bibw" => "Size  MB/s",
            "osu_mbw_mr" => "Size  MB/s  Messages/s",
            _ => "Size  Latency (us)",
        };
        columns(heads).filter(|columns| columns.len() == count).unwrap_or_default()
    }
}

impl Block for Osu {
    fn line(&mut self, line: &Line<'_>, sink: &mut Sink) -> Fate {
        if line.text.starts_with('#') {
            if let Some(columns) = columns(line.text) {
                self.columns = columns;
            } else if let Some(pairs) = after(line.text, "pairs:").and_then(|n| n.parse::<u32>().ok()) {
                self.ranks = pairs.checked_mul(2);
                if let Some(window) = after(line.text, "window size:") {
                    sink.fact("window", &window);
                }
            }
            return Fate::Taken;
        }
        let mut fields = line.text.split_whitespace();
        if fields.clone().next().and_then(float).is_none() {
            return Fate::Foreign;
        }
        let count = fields.clone().count();
        if self.columns.is_empty() {
            self.columns = self.usual(count);
            if self.columns.is_empty() {
                return Fate::Broken;
            }
            sink.notes.add(NoteKind::NoHeader, line.number, line.text);
        }
        if count != self.columns.len() {
            return Fate::Broken;
        }
        let (mut bytes, mut values) = (None, Vec::new());
        for (column, field) in self.columns.iter().zip(fields.by_ref()) {
            match (column, float(field)) {
                (Column::Size, _) => match field.parse::<u64>() {
                    Ok(size) => bytes = Some(size),
                    Err(_) => return Fate::Broken,
                },
                (Column::Value { .. }, Some(value)) => values.push((column, value)),
                (Column::Value { .. }, None) => return Fate::Broken,
                (Column::Other, _) if field == "Fail" => {
                    sink.notes.add(NoteKind::Wrong, line.number, line.text);
                }
                (Column::Other, _) => {}
            }
        }
        // These three are between ranks 0 and 1 by definition.
        let is_pair = matches!(self.test.as_str(), "osu_latency" | "osu_bw" | "osu_bibw");
        let ends =
            match (is_pair, is_pair.then(|| sink.rank(0)).flatten(), is_pair.then(|| sink.rank(1)).flatten())
            {
                (true, Some(a), Some(b)) => (a, b),
                _ => (NONE, NONE),
            };
        for (column, value) in values {
            let Column::Value { what, statistic, unit, factor } = column else { continue };
            let series = sink.series(Series {
                test: self.test.clone(),
                what: (*what).to_owned(),
                statistic: statistic.clone(),
                unit: *unit,
                ranks: if is_pair { Some(2) } else { self.ranks },
                bytes,
            });
            sink.pair(series, ends, Class::Unknown, scaled(value, *factor), line);
        }
        self.begun = true;
        Fate::Taken
    }

    fn end(&mut self, sink: &mut Sink) {
        if !self.begun {
            sink.notes.add(NoteKind::NoRows, 1, &self.test);
        }
    }
}
