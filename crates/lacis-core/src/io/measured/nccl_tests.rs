//! NCCL-tests and RCCL-tests: a collective, out of place and in place.
//!
//! ```text
//! # Collective test starting: all_reduce_perf
//! #  Rank  0 Group  0 Pid  15784 on  nid007106 device  0 [0009:01:00] NVIDIA GH200 120GB
//! #       size         count      type   redop    root     time   algbw   busbw #wrong     time   algbw   busbw #wrong
//! #        (B)    (elements)                               (us)  (GB/s)  (GB/s)            (us)  (GB/s)  (GB/s)
//!      1048576        262144     float     sum      -1   339.61    3.09    3.09      0   335.85    3.12    3.12      0
//! ```
//!
//! From its sources (2.0 to 2.19) and outputs in public threads. GB is 10⁹ bytes. `-I` adds columns over iterations, `-S` a
//! time of day, `-C` has the processor's time. The column `error` of old versions is a rounding error, no count of wrong
//! values: the line "Out of bounds values" decides. Outputs before 2.14 do not name the collective: the call's own line in
//! the log does, if its operation and numbers of elements are the collective's; else these tell which it may be.

use super::launch::Call;
use super::scale::Scale;
use super::table::{
    Block, Class, Fate, Line, MOST_RANKS, NONE, Series, Sink, Unit, float, scaled, two_hosts,
};
use crate::io::NoteKind;

/// GB is 10⁹ bytes; a fork may print 2³⁰.
const GIGA: [f64; 2] = [1e9, 1_073_741_824.0];

/// A row, until the collective is known.
#[derive(Debug)]
struct Row {
    line: usize,
    text: String,
    bytes: u64,
    count: Option<u64>,
    kind: String,
    operation: String,
    root: Option<i64>,
    /// By column that has a value: its name, and the value's text.
    values: Vec<(String, String)>,
}

/// The output of one run.
#[derive(Debug)]
pub(super) struct NcclTests {
    /// The collective, if the output names it.
    named: Option<String>,
    /// The program that the log calls above.
    called: Option<String>,
    /// Hosts by rank.
    hosts: Vec<String>,
    /// Names of columns.
    columns: Vec<String>,
    /// Microseconds, or in the first versions milliseconds [s].
    time_unit: f64,
    /// The first line.
    line: usize,
    rows: Vec<Row>,
    /// The line of settings was read.
    has_settings: bool,
    has_failed: bool,
}

/// Begins at the lines that it prints first, or at the list of ranks or the head of the columns where those are lost.
pub(super) fn begin(line: &Line<'_>, called: Option<&Call>, sink: &mut Sink) -> Option<NcclTests> {
    let starts =
        ["# nThread ", "# Collective test starting:", "# nccl-tests version", "# rccl-tests version"];
    let is_first = starts.iter().any(|start| line.text.starts_with(start))
        // The first versions print it without a comment's sign.
        || line.text.starts_with("nThread ") && line.text.contains(" nGpus ");
    let is_rank =
        line.text.starts_with("#  Rank ") && line.text.contains(" Pid ") && line.text.contains(" device ");
    (is_first || is_rank || is_head(line.text)).then(|| {
        let mut block = NcclTests::new(line, called, sink);
        block.line(line, sink);
        block
    })
}

/// Begins at a row whose heads are lost, as in the end of a log; its bytes ÷ time must be its rate.
pub(super) fn begin_row(line: &Line<'_>, sink: &mut Sink) -> Option<NcclTests> {
    is_usual(line.text).then(|| {
        let mut block = NcclTests::new(line, None, sink);
        block.line(line, sink);
        block
    })
}

/// Whether this is the head of the columns: `#       size         count      type   redop    root     time   algbw   busbw #wrong`.
fn is_head(text: &str) -> bool {
    let text = text.trim_start_matches(['#', ' ']);
    (text.starts_with("size ") || text.starts_with("bytes "))
        && text.contains("algbw")
        && text.contains("busbw")
}

/// The columns since 2.13.
const USUAL: [&str; 13] = [
    "size", "count", "type", "redop", "root", "time", "algbw", "busbw", "#wrong", "time", "algbw", "busbw",
    "#wrong",
];

/// Whether this can be no other row than one of the usual columns.
fn is_usual(text: &str) -> bool {
    let fields: Vec<&str> = text.split_whitespace().collect();
    if fields.len() != USUAL.len() || size_of(fields[2]).is_none() || fields[4].parse::<i64>().is_err() {
        return false;
    }
    let (Ok(bytes), Ok(_)) = (fields[0].parse::<u64>(), fields[1].parse::<u64>()) else { return false };
    let (Some(time), Some(rate)) = (float(fields[5]), float(fields[6])) else { return false };
    let measures = [7, 9, 10, 11].iter().all(|&at| float(fields[at]).is_some());
    // A first digit may be cut off; small rates are printed with few digits.
    let seen = bytes as f64 / time / 1e3;
    measures && time > 0.0 && (rate - seen).abs() <= 0.006 + 0.02 * seen
}

/// The name of a test by its program: `all_reduce_perf`.
pub(super) fn name(program: &str) -> String {
    let program = program.rsplit('/').next().unwrap_or(program);
    // Builds beside others without MPI have a suffix.
    format!("nccl_{}", program.trim_end_matches("_mpi").trim_end_matches("_perf"))
}

/// `1 nGpus 1 minBytes 8 maxBytes 128 step: 2(factor) …`: what changes the measurement.
fn head_settings(text: &str, sink: &mut Sink) {
    let words: Vec<&str> = text.split_whitespace().collect();
    if let Some(threads) = words.first() {
        sink.setting(format!("nThread={threads}"));
    }
    for (at, word) in words.iter().enumerate() {
        if let ("nGpus" | "graph:" | "unalign:", Some(value)) = (*word, words.get(at + 1)) {
            sink.setting(format!("{}={value}", word.trim_end_matches(':')));
        } else if let (["agg", "iters:"], Some(value)) =
            (words.get(at..at + 2).unwrap_or(&[]), words.get(at + 2))
        {
            sink.setting(format!("agg_iters={value}"));
        }
    }
}

/// Bytes of an element.
fn size_of(kind: &str) -> Option<u64> {
    Some(match kind {
        "int8" | "uint8" | "char" | "f8e4m3" | "f8e5m2" | "fp8_e4m3" | "fp8_e5m2" => 1,
        "half" | "float16" | "bfloat16" => 2,
        "int32" | "uint32" | "int" | "float" => 4,
        "int64" | "uint64" | "double" => 8,
        _ => return None,
    })
}

impl NcclTests {
    fn new(line: &Line<'_>, called: Option<&Call>, sink: &mut Sink) -> Self {
        sink.format("NCCL-tests");
        let called = called.map(|call| call.program.trim_end_matches("_mpi"));
        Self {
            named: None,
            called: called.filter(|name| name.ends_with("_perf")).map(name),
            hosts: Vec::new(),
            columns: Vec::new(),
            time_unit: 1e-6,
            line: line.number,
            rows: Vec::new(),
            has_settings: false,
            has_failed: false,
        }
    }

    fn comment(&mut self, line: &Line<'_>, sink: &mut Sink) {
        let text = line.text.trim_start_matches(['#', ' ']);
        if let Some(program) = text.strip_prefix("Collective test starting:") {
            self.named = Some(name(program.trim()));
        } else if let Some((_, version)) = text.split_once("ccl-tests version ") {
            sink.fact("nccl-tests version", &version.split(' ').next().unwrap_or(version));
        } else if let Some(settings) = text.strip_prefix("nThread ") {
            self.has_settings = true;
            head_settings(settings, sink);
        } else if text.starts_with("Rank ") {
            let words: Vec<&str> = text.split_whitespace().collect();
            let host = words.iter().position(|w| *w == "on").and_then(|at| words.get(at + 1));
            let rank =
                words.get(1).and_then(|rank| rank.parse::<u32>().ok()).filter(|&rank| rank < MOST_RANKS);
            if let (Some(rank), Some(host)) = (rank, host) {
                let at = rank as usize;
                if at >= self.hosts.len() {
                    self.hosts.resize(at + 1, String::new());
                }
                (*host).clone_into(&mut self.hosts[at]);
                sink.fact(&format!("rank {rank}"), host);
            }
        } else if is_head(text) {
            self.columns = text.split_whitespace().map(str::to_owned).collect();
            // `bytes  N  type  op  time  algbw  busbw  res`, the time in ms.
            if text.starts_with("bytes ") {
                self.time_unit = 1e-3;
                for name in &mut self.columns {
                    if name == "res" {
                        "error".clone_into(name);
                    }
                }
            }
        } else if let Some(count) = text.strip_prefix("Out of bounds values :") {
            self.has_failed |= count.contains("FAILED");
            if self.has_failed {
                sink.notes.add(NoteKind::Wrong, line.number, line.text);
            }
        }
    }

    /// A row: fields by column, from the left as far as the type, the rest from the right.
    fn row(&self, line: &Line<'_>) -> Option<Row> {
        let fields: Vec<&str> = line.text.split_whitespace().collect();
        let names: Vec<&str> = self.columns.iter().map(String::as_str).collect();
        let first = names.iter().position(|name| matches!(*name, "time" | "cputime"))?;
        let mut measures: Vec<&str> = names[first..].to_vec();
        // A day and an hour.
        let is_dated = measures.last() == Some(&"timestamp");
        if is_dated {
            measures.push("");
        }
        let head = fields.len().checked_sub(measures.len()).filter(|&head| head >= 2)?;
        let (head, values) = fields.split_at(head);
        let words = &head[2..];
        let values: Vec<(String, String)> = measures
            .iter()
            .zip(values)
            .filter(|(name, _)| !matches!(**name, "timestamp" | ""))
            .map(|(name, value)| ((*name).to_owned(), (*value).to_owned()))
            .collect();
        if values.iter().any(|(_, value)| float(value).is_none() && value != "N/A") {
            return None;
        }
        // The operation is blank where nothing is reduced, in some versions.
        let root = words.last().and_then(|word| word.parse::<i64>().ok());
        let words = &words[..words.len() - usize::from(root.is_some())];
        Some(Row {
            line: line.number,
            text: line.text.to_owned(),
            bytes: head[0].parse().ok()?,
            count: head[1].parse().ok(),
            kind: words.first().map_or_else(String::new, |word| (*word).to_owned()),
            operation: words.get(1).map_or_else(String::new, |word| (*word).to_owned()),
            root,
            values,
        })
    }

    /// The collective: as the output names it, else as the log calls it if the rows agree, else as rows show.
    fn test(&self) -> String {
        if let Some(named) = &self.named {
            return named.clone();
        }
        // One rank has the whole of every collective.
        if let Some(called) = self.called.as_ref().filter(|_| self.hosts.len() == 1) {
            return called.clone();
        }
        let Some(seen) = self.collective() else {
            return self.called.clone().unwrap_or_else(|| "nccl".into());
        };
        match &self.called {
            Some(called) if seen.iter().any(|name| *called == format!("nccl_{name}")) => called.clone(),
            // A program that is unknown here may do anything.
            Some(called) if !ALL.iter().any(|name| *called == format!("nccl_{name}")) => called.clone(),
            _ => format!("nccl_{}", seen.first().copied().unwrap_or("")),
        }
    }

    /// The collectives that have such rows, the most likely first.
    fn collective(&self) -> Option<&'static [&'static str]> {
        let row =
            self.rows.iter().rev().find(|row| row.bytes > 0 && row.count.is_some_and(|count| count > 0))?;
        let whole = size_of(&row.kind)?.checked_mul(row.count?)? >= row.bytes;
        let has_root = row.root.is_some_and(|root| root >= 0);
        let is_reducing = !matches!(row.operation.as_str(), "" | "none");
        let value = |name: &str, at: usize| {
            let found = row.values.iter().filter(|(known, _)| known == name).nth(at);
            found.map(|(_, text)| text.as_str())
        };
        Some(match (is_reducing, whole, has_root) {
            (true, true, true) => &["reduce"],
            (true, true, false) => &["all_reduce", "reduce", "sendrecv"],
            (true, false, _) => &["reduce_scatter"],
            (false, true, true) => &["broadcast"],
            (false, true, false) => &["sendrecv", "broadcast"],
            (false, false, true) => &["gather", "scatter"],
            (false, false, false) => {
                // Values in place are wrong after an alltoall, or not looked at.
                let check = |at| value("#wrong", at).or_else(|| value("error", at));
                let is_wrong = |text: &str| text == "N/A" || float(text).is_some_and(|error| error >= 1.0);
                let (out, inside) = (check(0).is_some_and(is_wrong), check(1).is_some_and(is_wrong));
                if inside && !out {
                    &["alltoall", "all_gather"]
                } else {
                    &["all_gather", "alltoall", "hypercube"]
                }
            }
        })
    }

    fn emit(&self, row: &Row, test: &str, ends: (u32, u32), scale: &mut Scale, sink: &mut Sink) {
        let line = Line { number: row.line, text: &row.text };
        let ranks = (!self.hosts.is_empty()).then_some(self.hosts.len() as u32);
        let context = sink.context.clone();
        for word in [&row.kind, &row.operation] {
            if !matches!(word.as_str(), "" | "none") {
                sink.setting(word.clone());
            }
        }
        if let Some(root) = row.root.filter(|&root| root >= 0) {
            sink.setting(format!("root={root}"));
        }
        let (mut times, mut time) = (0, "");
        for (name, text) in &row.values {
            let (what, statistic, unit, factor) = match name.as_str() {
                "time" => ("time", "mean", Unit::Seconds, self.time_unit),
                "cputime" => ("processor time", "mean", Unit::Seconds, 1e-6),
                "algbw" => ("algorithm bandwidth", "mean", Unit::BytesPerSecond, 1e9),
                "busbw" => ("bus bandwidth", "mean", Unit::BytesPerSecond, 1e9),
                "i_min" => ("time", "min", Unit::Seconds, 1e-6),
                "i_max" => ("time", "max", Unit::Seconds, 1e-6),
                "i_p99" => ("time", "p99", Unit::Seconds, 1e-6),
                "#wrong" => {
                    if float(text).is_some_and(|wrong| wrong > 0.0) {
                        sink.notes.add(NoteKind::Wrong, line.number, line.text);
                    }
                    continue;
                }
                // A rounding error, or the spread of iterations.
                _ => continue,
            };
            if statistic == "mean" && unit == Unit::Seconds {
                times += 1;
                time = text;
            }
            let Some(value) = float(text) else { continue };
            let what = if times > 1 { format!("{what}, in place") } else { what.to_owned() };
            let series = Series {
                statistic: statistic.into(),
                ranks,
                ..Series::mean(test, &what, unit, Some(row.bytes))
            };
            let series = sink.series(series);
            if unit == Unit::BytesPerSecond {
                // Rates below 5 MB/s are printed as 0.00.
                scale.pair(series, ends, value, &line, sink);
                if name == "algbw" {
                    scale.evidence(text, time, |time| row.bytes as f64 / scaled(time, self.time_unit));
                }
            } else {
                sink.pair(series, ends, Class::Unknown, scaled(value, factor), &line);
            }
        }
        sink.context = context;
    }
}

/// Collectives that are known.
const ALL: [&str; 9] = [
    "all_reduce",
    "all_gather",
    "reduce_scatter",
    "reduce",
    "broadcast",
    "sendrecv",
    "alltoall",
    "gather",
    "scatter",
];

/// The ends of a run between two hosts, else none: the first rank of each.
pub(super) fn ends(hosts: &[String], sink: &mut Sink) -> (u32, u32) {
    match two_hosts(hosts) {
        Some((a, b)) => (sink.host(&hosts[a], Some(a as u32)), sink.host(&hosts[b], Some(b as u32))),
        None => (NONE, NONE),
    }
}

impl Block for NcclTests {
    fn goes_on(&self, line: &Line<'_>) -> bool {
        let begins =
            line.text.starts_with("# nccl-tests version") || line.text.starts_with("# rccl-tests version");
        let names = line.text.starts_with("# Collective test starting:")
            && (self.named.is_some() || self.has_settings)
            || line.text.starts_with("# nThread ") && self.has_settings;
        let is_of_head = line.text.starts_with('#') || is_head(line.text);
        self.columns.is_empty() && is_of_head && !begins && !names
    }

    fn awaits_rows(&self) -> bool {
        self.rows.is_empty()
    }

    fn expects(&self, line: &Line<'_>) -> bool {
        let text = line.text.trim_start_matches(['#', ' ']);
        if let Some(rank) = text.strip_prefix("Rank ") {
            let rank = rank.split_whitespace().next().and_then(|rank| rank.parse::<usize>().ok());
            return rank == Some(self.hosts.len());
        }
        if is_head(text) {
            return self.columns.is_empty();
        }
        if text.starts_with("nThread ") {
            return !self.has_settings;
        }
        if text.starts_with("Collective test starting:") {
            return self.named.is_none();
        }
        let last = self.rows.last();
        !line.text.starts_with('#')
            && self.row(line).is_some_and(|row| last.is_none_or(|last| row.bytes > last.bytes))
    }

    fn is_row(&self, line: &Line<'_>) -> bool {
        line.text.starts_with(|c: char| c.is_ascii_digit()) && self.row(line).is_some()
    }

    fn likeness(&self) -> Option<String> {
        Some(format!("{:?} {:?} {} {:?}", self.named, self.called, self.hosts.len(), self.columns))
    }

    fn hosts(&self) -> &[String] {
        &self.hosts
    }

    fn forget_hosts(&mut self, sink: &mut Sink) {
        self.hosts.fill(String::new());
        sink.forget_facts("rank ");
    }

    fn line(&mut self, line: &Line<'_>, sink: &mut Sink) -> Fate {
        let known = ["nThread ", "Out of bounds values :", "Avg bus bandwidth"];
        if line.text.starts_with('#')
            || is_head(line.text)
            || known.iter().any(|start| line.text.starts_with(start))
        {
            self.comment(line, sink);
            return Fate::Taken;
        }
        for (start, name) in
            [("NCCL version ", "NCCL version"), ("rccl-tests: Version ", "nccl-tests version")]
        {
            if let Some(version) = line.text.strip_prefix(start) {
                sink.fact(name, version.trim());
                return Fate::Taken;
            }
        }
        // `node1:21:27 [0] NCCL INFO Connected all rings`; warnings are counted.
        if line.text.contains(" NCCL INFO ") || line.text.starts_with("(B) ") {
            return Fate::Taken;
        }
        let first = line.text.split_whitespace().next();
        if first.is_none_or(|field| field.parse::<u64>().is_err()) {
            return Fate::Foreign;
        }
        if self.columns.is_empty() && is_usual(line.text) {
            self.columns = USUAL.iter().map(|&name| name.to_owned()).collect();
            sink.notes.add(NoteKind::NoHeader, line.number, line.text);
        }
        let Some(row) = self.row(line) else { return Fate::Broken };
        self.rows.push(row);
        Fate::Taken
    }

    fn end(&mut self, sink: &mut Sink) {
        let test = self.test();
        if self.rows.is_empty() {
            sink.notes.add(NoteKind::NoRows, self.line, &test);
        }
        let hosts = if self.hosts.is_empty() { sink.context.hosts.clone() } else { self.hosts.clone() };
        let ends = ends(&hosts, sink);
        let mut scale = Scale::new(&GIGA);
        for row in std::mem::take(&mut self.rows) {
            self.emit(&row, &test, ends, &mut scale, sink);
        }
        scale.settle(sink);
    }
}
