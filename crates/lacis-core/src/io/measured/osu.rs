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
//! column `Validation`) as its sources print it. MB is 10⁶ bytes; where messages a second stand beside it, they decide.
//! One-sided tests (`# OSU MPI_Put Bandwidth Test`) are tests of their own, distinguished by window and synchronisation.

use super::scale::{MEBI, Scale};
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
    /// The line of the title.
    line: usize,
    /// The library and the memory that the title names: `CUDA`.
    setting: Option<String>,
    /// The size of the last row.
    last: Option<u64>,
    scale: Scale,
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
    let (test, setting) = name(kind);
    let scale = Scale::new(&[1e6, MEBI]);
    Some(Osu {
        test,
        columns: Vec::new(),
        ranks: None,
        begun: false,
        line: line.number,
        setting,
        last: None,
        scale,
    })
}

/// The program that prints a title, and the kind of memory that it names: `MPI-CUDA Latency`, `MPI_Put Bandwidth`.
fn name(title: &str) -> (String, Option<String>) {
    // 3.x: `One Sided MPI_Put Bi-directional Bandwidth`.
    let title = title.strip_prefix("One Sided ").unwrap_or(title);
    let (library, what) = title.split_once(' ').unwrap_or(("MPI", title));
    // `MPI-CUDA`, `MPI_Put-ROCM`.
    let (library, memory) =
        library.split_once('-').map_or((library, None), |(library, memory)| (library, Some(memory)));
    let memory = memory.map(|memory| format!("memory={memory}"));
    if let Some(operation) = library.strip_prefix("MPI_") {
        let operation = match operation.to_lowercase().as_str() {
            "accumulate" => "acc".to_owned(),
            "get_accumulate" => "get_acc".to_owned(),
            "fetch_and_op" => "fop".to_owned(),
            "compare_and_swap" => "cas".to_owned(),
            other => other.to_owned(),
        };
        let kind = match what.to_lowercase().as_str() {
            "bandwidth" => "bw".to_owned(),
            "bi-directional bandwidth" => "bibw".to_owned(),
            other => other.replace(|c: char| !c.is_ascii_alphanumeric(), "_"),
        };
        return (format!("osu_{operation}_{kind}"), memory);
    }
    let (what, is_persistent) = what.strip_suffix(" Persistent").map_or((what, false), |what| (what, true));
    let plain = match what {
        "Latency" => "latency".to_owned(),
        "Multi Latency" => "multi_lat".to_owned(),
        "Multi-threaded Latency" => "latency_mt".to_owned(),
        "Multi-process Latency" => "latency_mp".to_owned(),
        "Bandwidth" => "bw".to_owned(),
        "Bi-Directional Bandwidth" => "bibw".to_owned(),
        "Multiple Bandwidth / Message Rate" => "mbw_mr".to_owned(),
        "All-to-All Personalized Exchange Latency" => "alltoall".to_owned(),
        "Broadcast Latency" => "bcast".to_owned(),
        other => {
            // `Non-blocking Allreduce Latency` is osu_iallreduce, `Neighborhood Allgather Latency` osu_neighbor_allgather.
            let other = other.trim_end_matches(" Latency").to_lowercase();
            let other = other.strip_prefix("non-blocking ").map_or(other.clone(), |rest| format!("i{rest}"));
            let other = other.replacen("neighborhood ", "neighbor ", 1);
            other.replace(|c: char| !c.is_ascii_alphanumeric(), "_")
        }
    };
    let library = match library {
        "OpenSHMEM" => "oshm_",
        "UPC" => "upc_",
        "UPC++" => "upcxx_",
        "NCCL" | "RCCL" | "XCCL" => "xccl_",
        _ => "",
    };
    (format!("osu_{library}{plain}{}", if is_persistent { "_persistent" } else { "" }), memory)
}

/// The columns of a head line: a name ends at its unit in brackets, at two blanks, or is known as a whole.
fn columns(head: &str) -> Option<Vec<Column>> {
    const WHOLE: [&str; 8] =
        ["Size", "MB/s", "Messages/s", "Iterations", "Validation", "Overlap", "Latency", "Bandwidth"];
    let head = head.trim_start_matches(['#', ' ']);
    let mut names: Vec<String> = Vec::new();
    for part in
        head.split("  ").flat_map(|part| part.split('\t')).map(str::trim).filter(|part| !part.is_empty())
    {
        let mut name = String::new();
        let mut words = part.split(' ').filter(|word| !word.is_empty()).peekable();
        while let Some(word) = words.next() {
            if !name.is_empty() {
                name.push(' ');
            }
            name.push_str(word);
            // `Latency (us)` goes on with its unit.
            let has_unit_after = words.peek().is_some_and(|next| next.starts_with('('));
            if word.ends_with(')') || WHOLE.contains(&name.as_str()) && !has_unit_after {
                names.push(std::mem::take(&mut name));
            }
        }
        // What is left is a name of words without a unit.
        if !name.is_empty() {
            names.push(name);
        }
    }
    let columns: Vec<Column> = names.iter().map(|name| column(name)).collect();
    columns.iter().any(|column| matches!(column, Column::Value { .. })).then_some(columns)
}

fn column(name: &str) -> Column {
    let lower = name.to_lowercase();
    let unit = name.find('(').and_then(|at| name[at + 1..].split(')').next());
    let (unit, factor) = match unit.or(Some(name)).and_then(Unit::parse) {
        Some(found) => found,
        None if lower == "messages/s" => (Unit::MessagesPerSecond, 1.0),
        None if lower == "size" || lower == "transfer size" => return Column::Size,
        None => return Column::Other,
    };
    let what = match unit {
        Unit::BytesPerSecond => "bandwidth",
        Unit::MessagesPerSecond => "message rate",
        Unit::Bytes => return Column::Size,
        Unit::Ratio => return Column::Other,
        Unit::Seconds if lower.starts_with("compute") => return Column::Other,
        // Parts of a collective that does not block.
        Unit::Seconds if ["coll. init", "mpi_"].iter().any(|part| lower.starts_with(part)) => {
            return Column::Other;
        }
        // `Pure Comm.(us)`, `Min Comm.(us)`, `Max Comm.(us)`.
        Unit::Seconds if lower.contains(" comm.") => "communication alone",
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
    /// Whether the test is of bandwidth or of messages a second.
    fn is_of_rates(&self) -> bool {
        let name = self.test.trim_end_matches("_persistent");
        ["bw", "mr"].iter().any(|end| name.ends_with(end))
    }

    /// The columns of a benchmark whose head line is lost, if its rows can have no others.
    fn usual(&self, count: usize) -> Vec<Column> {
        let heads = match self.test.as_str() {
            name if name.ends_with("bw") => "Size  MB/s",
            "osu_mbw_mr" => "Size  MB/s  Messages/s",
            _ => "Size  Latency (us)",
        };
        columns(heads).filter(|columns| columns.len() == count).unwrap_or_default()
    }
}

/// The first field in a unit.
fn fields_of<'a>(row: &'a str, columns: &[Column], wanted: Unit) -> Option<&'a str> {
    let at =
        columns.iter().position(|column| matches!(column, Column::Value { unit, .. } if *unit == wanted))?;
    row.split_whitespace().nth(at)
}

/// Whether any column is of bandwidth or of messages a second.
fn has_rates(columns: &[Column]) -> bool {
    let is_rate = |column: &Column| {
        matches!(column, Column::Value { unit: Unit::BytesPerSecond | Unit::MessagesPerSecond, .. })
    };
    columns.iter().any(is_rate)
}

/// The size that a row begins with.
fn size_of(row: &str) -> Option<u64> {
    row.split_whitespace().next()?.parse().ok()
}

/// Lines of a head that tell runs of one test apart.
const SETTINGS: [(&str, &str); 3] =
    [("Window creation:", "window"), ("Synchronization:", "synchronisation"), ("Datatype:", "type")];

impl Osu {
    fn settings(&self, text: &str, sink: &mut Sink) {
        if let Some(setting) = &self.setting {
            sink.setting(setting.clone());
        }
        for (start, name) in SETTINGS {
            if let Some((_, value)) = text.split_once(start) {
                sink.forget_setting(&format!("{name}="));
                sink.setting(format!("{name}={}", value.trim().trim_end_matches('.')));
            }
        }
        // `Send Buffer on DEVICE (D) and Receive Buffer on HOST (H)`.
        if text.contains("Buffer on") {
            let sides: Vec<&str> =
                text.split('(').skip(1).filter_map(|part| part.split(')').next()).collect();
            sink.forget_setting("buffers=");
            sink.setting(format!("buffers={}", sides.join("")));
        }
    }

    /// The ends of tests between ranks 0 and 1 by definition; a get fetches from rank 1.
    fn ends(&self, sink: &mut Sink) -> Option<(u32, u32)> {
        let name = self.test.trim_start_matches("osu_").trim_end_matches("_persistent");
        let is_pair = matches!(
            name,
            "latency"
                | "bw"
                | "bibw"
                | "latency_mt"
                | "latency_mp"
                | "put_latency"
                | "put_bw"
                | "put_bibw"
                | "get_latency"
                | "get_bw"
                | "acc_latency"
                | "get_acc_latency"
                | "fop_latency"
                | "cas_latency"
                | "partitioned_latency"
                | "oshm_put"
                | "oshm_get"
        );
        if !is_pair {
            return None;
        }
        let (first, second) = (sink.rank(0)?, sink.rank(1)?);
        Some(if matches!(name, "get_bw" | "get_latency" | "oshm_get") {
            (second, first)
        } else {
            (first, second)
        })
    }
}

impl Block for Osu {
    fn awaits_rows(&self) -> bool {
        !self.begun
    }

    fn expects(&self, line: &Line<'_>) -> bool {
        if line.text.starts_with('#') {
            // Of heads that are mixed, that of rates is a test's of rates.
            let fits = match columns(line.text) {
                Some(columns) => has_rates(&columns) == self.is_of_rates(),
                None => !line.text.contains("pairs:") || self.test.starts_with("osu_m"),
            };
            return self.columns.is_empty() && fits;
        }
        // Empty messages have no bandwidth.
        let is_next =
            |size: u64| (size > 0 || !self.is_of_rates()) && self.last.is_none_or(|last| size > last);
        self.is_row(line) && size_of(line.text).is_some_and(is_next)
    }

    fn is_row(&self, line: &Line<'_>) -> bool {
        let count = line.text.split_whitespace().count();
        let is_of_columns =
            if self.columns.is_empty() { !self.usual(count).is_empty() } else { count == self.columns.len() };
        is_of_columns && size_of(line.text).is_some()
    }

    fn decimals(&self, line: &Line<'_>) -> Option<usize> {
        let is_value = matches!(self.columns.last(), None | Some(Column::Value { .. }));
        (is_value && self.is_row(line)).then_some(2)
    }

    fn likeness(&self) -> Option<String> {
        Some(format!("{} {:?} {:?} {:?}", self.test, self.setting, self.ranks, self.columns))
    }

    fn line(&mut self, line: &Line<'_>, sink: &mut Sink) -> Fate {
        if line.text.starts_with('#') {
            self.settings(line.text, sink);
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
        let pair = self.ends(sink);
        let ends = pair.unwrap_or((NONE, NONE));
        if self.setting.is_some() {
            self.settings("", sink);
        }
        let messages = fields_of(line.text, &self.columns, Unit::MessagesPerSecond);
        for (column, value) in values {
            let Column::Value { what, statistic, unit, factor } = column else { continue };
            let series = sink.series(Series {
                test: self.test.clone(),
                what: (*what).to_owned(),
                statistic: statistic.clone(),
                unit: *unit,
                ranks: if pair.is_some() { Some(2) } else { self.ranks },
                bytes,
            });
            if *unit == Unit::BytesPerSecond && factor.to_bits() == 1e6_f64.to_bits() {
                self.scale.pair(series, ends, value, line, sink);
                let rate = fields_of(line.text, &self.columns, Unit::BytesPerSecond);
                if let (Some(rate), Some(messages), Some(bytes)) = (rate, messages, bytes) {
                    self.scale.evidence(rate, messages, |messages| messages * bytes as f64);
                }
            } else {
                sink.pair(series, ends, Class::Unknown, scaled(value, *factor), line);
            }
        }
        self.last = bytes.or(self.last);
        self.begun = true;
        Fate::Taken
    }

    fn end(&mut self, sink: &mut Sink) {
        self.scale.settle(sink);
        if !self.begun {
            sink.notes.add(NoteKind::NoRows, self.line, &self.test);
        }
    }
}
