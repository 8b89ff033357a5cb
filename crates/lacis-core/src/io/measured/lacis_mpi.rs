//! `lacis-mpi`'s own JSON lines, whole or as far as a run came.
//!
//! ```text
//! {"record": "run", "schema": "lacis.mpi/1", "ranks": 4, …}
//! {"record": "rank", "rank": 0, "host": "node001", …}
//! {"record": "sample", "test": "nxn", "what": "latency", "from": 0, "to": 1, "class": "same leaf", "bytes": 0, "unit": "s",
//!  "late": [3], "values": [1.1e-06, …]}
//! {"record": "end", "complete": true}
//! ```
//!
//! Repeats that began late are left out, unless they are the majority, as in its own summary, and counted. Times are
//! seconds, rates bytes per second.

use std::borrow::Cow;

use rustc_hash::FxHashMap;
use serde::Deserialize;

use super::table::{Class, Line, MOST_RANKS, NONE, Series, Sink, Unit};
use crate::io::NoteKind;

/// The fields of a record that are read.
#[derive(Debug, Deserialize)]
struct MpiRecord<'a> {
    #[serde(borrow)]
    #[serde(rename = "record")]
    kind: Cow<'a, str>,
    #[serde(borrow, default)]
    test: Cow<'a, str>,
    #[serde(borrow, default)]
    what: Cow<'a, str>,
    #[serde(borrow, default)]
    class: Option<Cow<'a, str>>,
    #[serde(borrow, default)]
    unit: Option<Cow<'a, str>>,
    #[serde(borrow, default)]
    host: Option<Cow<'a, str>>,
    #[serde(borrow, default)]
    beside: Option<Cow<'a, str>>,
    #[serde(borrow, default)]
    text: Option<Cow<'a, str>>,
    rank: Option<u32>,
    ranks: Option<u32>,
    round: Option<u32>,
    from: Option<u32>,
    to: Option<u32>,
    bytes: Option<u64>,
    #[serde(default)]
    late: Vec<u32>,
    #[serde(default)]
    values: Values,
    mean: Option<f64>,
    p99: Option<f64>,
    complete: Option<bool>,
    version: Option<Cow<'a, str>>,
    started: Option<Cow<'a, str>>,
    library: Option<Cow<'a, str>>,
}

/// `values` is a list in most records, and an object of counters in some.
#[derive(Debug, Deserialize)]
#[serde(untagged)]
enum Values {
    List(Vec<Option<f64>>),
    Other(serde::de::IgnoredAny),
}

impl Default for Values {
    fn default() -> Self {
        Self::List(Vec::new())
    }
}

/// One run.
#[derive(Debug, Default)]
pub(super) struct LacisMpi {
    begun: Option<usize>,
    is_whole: bool,
    ranks: Option<u32>,
    /// Ends by rank.
    ends: Vec<u32>,
    /// Number of inputs before this one.
    input: u32,
    /// By series: what was measured last.
    last: FxHashMap<u32, Last>,
}

/// Flows of a series that ran at the same time.
#[derive(Debug)]
struct Last {
    /// The input, and the round as the run counts it: pairs are measured there and then back in one of them.
    counted: (u32, u32),
    /// The rank that reported the last value.
    reporter: u32,
    round: u32,
}

/// Whether the receiving rank reports the value; else the sending one.
fn is_reported_by_receiver(what: &str) -> bool {
    matches!(what, "bandwidth" | "receive")
}

/// Whether a line looks like a record.
pub(super) fn looks_like(text: &str) -> bool {
    text.starts_with("{\"record\"")
}

/// Whether a record begins a run.
pub(super) fn begins_a_run(text: &str) -> bool {
    text.starts_with("{\"record\": \"run\"")
}

impl LacisMpi {
    /// Whether a record of it was read.
    pub(super) fn has_begun(&self) -> bool {
        self.begun.is_some()
    }

    /// Reads a record; false if it is broken.
    pub(super) fn record(&mut self, line: &Line<'_>, sink: &mut Sink) -> bool {
        let Ok(record) = serde_json::from_str::<MpiRecord<'_>>(line.text) else { return false };
        self.begun.get_or_insert(line.number);
        sink.format("lacis-mpi");
        match &*record.kind {
            "run" => {
                self.ranks = record.ranks;
                let facts = [("lacis-mpi version", record.version), ("started", record.started)];
                for (key, value) in facts.into_iter().filter_map(|(key, value)| Some((key, value?))) {
                    sink.fact(key, &value);
                }
                if let Some(ranks) = record.ranks {
                    sink.fact("ranks", &ranks);
                }
            }
            "environment" => {
                if let Some(library) = record.library {
                    sink.fact("MPI library", &library);
                }
            }
            "rank" => {
                let (Some(rank), Some(host)) = (record.rank.filter(|&rank| rank < MOST_RANKS), record.host)
                else {
                    return false;
                };
                if self.ranks.is_some_and(|ranks| rank >= ranks) {
                    sink.notes.add(NoteKind::RankCount, line.number, line.text);
                }
                let at = rank as usize;
                if at >= self.ends.len() {
                    self.ends.resize(at + 1, NONE);
                }
                self.ends[at] = sink.host(&host, Some(rank));
            }
            "sample" | "aggregate" => return self.sample(record, line, sink),
            "congestion" => {
                for (statistic, value) in [("mean", record.mean), ("p99", record.p99)] {
                    let what = record.beside.as_ref().map_or_else(
                        || record.what.to_string(),
                        |beside| format!("{} beside {beside}", record.what),
                    );
                    let mean = Series::mean(&record.test, &what, Unit::Seconds, record.bytes);
                    let series = Series { statistic: statistic.into(), ranks: self.ranks, ..mean };
                    sink.value(series, value.unwrap_or(f64::NAN), line);
                }
            }
            "remark" => {
                sink.notes.add(NoteKind::ToolError, line.number, record.text.as_deref().unwrap_or(""));
            }
            "end" => self.is_whole = record.complete == Some(true),
            // Other records follow from samples, or are no results.
            _ => {}
        }
        true
    }

    fn sample(&mut self, record: MpiRecord<'_>, line: &Line<'_>, sink: &mut Sink) -> bool {
        let Values::List(values) = record.values else { return false };
        let unit = match record.unit.as_deref() {
            // `aggregate` counts messages whatever its unit says.
            _ if record.what == "message rate" => Unit::MessagesPerSecond,
            Some(text) => match Unit::parse(text) {
                Some((unit, 1.0)) => unit,
                _ => return false,
            },
            None => return false,
        };
        let mut end = |rank: Option<u32>| match rank {
            None => Some(NONE),
            Some(rank) => match self.ends.get(rank as usize) {
                Some(&end) if end != NONE => Some(end),
                _ => sink.rank(rank),
            },
        };
        let (Some(source), Some(destination)) = (end(record.from), end(record.to)) else { return false };
        let class = match record.class.as_deref() {
            Some("same node") => Class::SameNode,
            Some("same leaf") => Class::SameLeaf,
            Some("different leaves") => Class::DifferentLeaves,
            _ => Class::Unknown,
        };
        let mean = Series::mean(&record.test, &record.what, unit, record.bytes);
        let series = sink.series(Series { statistic: "sample".into(), ranks: self.ranks, ..mean });
        if let (Some(counted), Some(from), Some(to)) = (record.round, record.from, record.to) {
            sink.round =
                self.round(series, counted, if is_reported_by_receiver(&record.what) { to } else { from });
        }
        // If most began late, all count, as in the program's own median.
        let late = |at: usize| record.late.contains(&(at as u32));
        let in_time = (0..values.len()).filter(|&at| !late(at)).count();
        for (at, value) in values.iter().copied().enumerate() {
            if late(at) && 2 * in_time >= values.len() {
                sink.notes.add(NoteKind::Late, line.number, line.text);
            } else {
                sink.pair(series, (source, destination), class, value.unwrap_or(f64::NAN), line);
            }
        }
        sink.round = NONE;
        true
    }

    /// The number of the round. Values of simultaneous flows come in the order of the ranks that report them: one out of
    /// order begins the opposite direction.
    fn round(&mut self, series: u32, counted: u32, reporter: u32) -> u32 {
        let counted = (self.input, counted);
        let last = self.last.entry(series).or_insert(Last { counted, reporter: 0, round: 0 });
        if last.counted != counted || reporter < last.reporter {
            *last = Last { counted, reporter, round: last.round + 1 };
        }
        last.reporter = reporter;
        last.round
    }

    /// The state for the next input: empty, except that round numbers continue.
    pub(super) fn next(&mut self) -> Self {
        Self { input: self.input + 1, last: std::mem::take(&mut self.last), ..Self::default() }
    }

    /// Ends the input: a run without its end stopped early.
    pub(super) fn end(&self, sink: &mut Sink) {
        if let Some(line) = self.begun.filter(|_| !self.is_whole) {
            sink.notes.add(NoteKind::Unfinished, line, "");
            sink.fact("complete", &false);
        }
    }
}
