//! Intel MPI Benchmarks: several benchmarks in one output, some for several numbers of processes.
//!
//! ```text
//! # Benchmarking Uniband
//! # #processes = 16
//! #---------------------------------------------------
//!        #bytes #repetitions   Mbytes/sec      Msg/sec
//!             1         1000        20.60     20599297
//! ```
//!
//! Read from real output of 2019 update 5, where bytes ÷ time shows that `Mbytes/sec` is 10⁶ bytes/s; 2²⁰ were it before 2018.
//! Rows with a time, or with messages a second, settle it; without them the version does, and an output that names none is
//! taken as recent, with a remark.

use super::scale::{MEBI, Scale};
use super::table::{Block, Class, Fate, Line, NONE, Series, Sink, Unit, after, float, scaled};
use crate::io::NoteKind;

/// What a column holds.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Column {
    Bytes,
    Time(&'static str, &'static str),
    Bandwidth,
    Rate,
    Defects,
    Group,
    Other,
}

/// The whole output of the program.
#[derive(Debug)]
pub(super) struct Imb {
    year: Option<u32>,
    scale: Scale,
    /// A row with a bandwidth in an output without a version.
    unsure: Option<(usize, String)>,
    test: String,
    ranks: Option<u32>,
    /// Ranks of groups that run beside each other (`-multi`), by their number.
    groups: Vec<Vec<u32>>,
    columns: Vec<Column>,
    /// The size of the last row of this benchmark.
    last: Option<u64>,
    /// The least size that a benchmark began with.
    first: Option<u64>,
    /// This benchmark has a row.
    has_row: bool,
    /// Any benchmark has one.
    has_rows: bool,
}

/// Begins at the title, or at a benchmark's head where the title is lost.
pub(super) fn begin(line: &Line<'_>, sink: &mut Sink) -> Option<Imb> {
    let text = line.text.trim_start_matches(['#', ' ']);
    let is_title = text.starts_with("Benchmarking ") || is_title(text);
    if !line.text.starts_with('#') || !is_title {
        return None;
    }
    sink.format("IMB");
    let mut block = Imb {
        year: None,
        scale: Scale::new(&[1e6, MEBI]),
        unsure: None,
        test: String::new(),
        ranks: None,
        groups: Vec::new(),
        columns: Vec::new(),
        last: None,
        first: None,
        has_row: false,
        has_rows: false,
    };
    block.comment(text, sink);
    Some(block)
}

/// `Intel(R) MPI Benchmarks 2019`, `PALLAS MPI Benchmark Suite V2.2`.
fn is_title(text: &str) -> bool {
    (text.starts_with("Intel") || text.starts_with("PALLAS")) && text.contains("MPI Benchmark")
}

fn column(name: &str) -> Column {
    match name {
        "Group" => Column::Group,
        "#bytes" => Column::Bytes,
        "t[usec]" | "t_avg[usec]" => Column::Time("time", "mean"),
        "t_min[usec]" => Column::Time("time", "min"),
        "t_max[usec]" => Column::Time("time", "max"),
        "t_ovrl[usec]" => Column::Time("overlapped", "mean"),
        "t_pure[usec]" => Column::Time("communication alone", "mean"),
        "Mbytes/sec" => Column::Bandwidth,
        "Msg/sec" => Column::Rate,
        "defects" => Column::Defects,
        _ => Column::Other,
    }
}

impl Imb {
    fn comment(&mut self, text: &str, sink: &mut Sink) {
        if is_title(text) {
            // `2019 Update 5`, `2021.8`.
            let words = text
                .split([' ', ',', '.'])
                .find_map(|w| w.parse::<u32>().ok().filter(|y| (2000..2200).contains(y)));
            // Versions before the years: `Benchmark Suite V4.0.0`.
            self.year = Some(words.unwrap_or(0));
            self.scale.settle(sink);
            self.scale.assume(if words.is_some_and(|year| year >= 2018) { 1e6 } else { MEBI });
            let version =
                text.split_once("MPI Benchmark").map_or("", |(_, v)| v.trim_start_matches('s').trim());
            let version = version.trim_start_matches("Suite").trim_start();
            sink.fact("IMB version", &version.split(',').next().unwrap_or(version));
        } else if let Some(name) = text.strip_prefix("Benchmarking ") {
            self.test = format!("imb_{}", name.split_whitespace().next().unwrap_or("").to_lowercase());
            self.columns.clear();
            self.ranks = None;
            self.groups.clear();
            (self.last, self.has_row) = (None, false);
            sink.forget_setting("mode=");
        } else if let Some(mode) = text.strip_prefix("MODE:") {
            sink.forget_setting("mode=");
            sink.setting(format!("mode={}", mode.trim()));
        } else if let Some(ranks) = after(text, "processes =") {
            self.ranks = ranks.parse().ok();
        } else if let Some((groups, rest)) = text.split_once(" groups of ") {
            let number =
                |text: &str| text.trim_start_matches(['(', ' ']).split(' ').next()?.parse::<u32>().ok();
            self.ranks = number(groups).zip(number(rest)).and_then(|(groups, each)| groups.checked_mul(each));
        } else if let Some((_, ranks)) = text.strip_prefix("Group ").and_then(|rest| rest.split_once(':')) {
            self.groups.push(ranks.split_whitespace().filter_map(|rank| rank.parse().ok()).collect());
        }
    }
}

impl Imb {
    /// The two ranks that a row is of.
    fn pair(&self, fields: &[&str]) -> Option<(u32, u32)> {
        let is_of_two = matches!(
            self.test.trim_start_matches("imb_").trim_start_matches("multi-"),
            "pingpong"
                | "pingping"
                | "pingpongspecificsource"
                | "pingpinganysource"
                | "unidir_put"
                | "unidir_get"
                | "bidir_put"
                | "bidir_get"
        );
        let group = self.columns.iter().position(|column| *column == Column::Group);
        let ranks = match group {
            Some(at) => self.groups.get(fields[at].parse::<usize>().ok()?)?.clone(),
            None => (0..self.ranks?).take(3).collect(),
        };
        match ranks[..] {
            [a, b] if is_of_two => Some((a, b)),
            _ => None,
        }
    }

    /// The size of a row.
    fn size(&self, fields: &[&str]) -> Option<u64> {
        fields.get(self.columns.iter().position(|column| *column == Column::Bytes)?)?.parse().ok()
    }

    /// What the bandwidth of a row follows from: its time, or its messages.
    fn evidence(&mut self, bytes: Option<u64>, fields: &[&str]) {
        let of = |wanted: &dyn Fn(&Column) -> bool| self.columns.iter().position(wanted).map(|at| fields[at]);
        let (Some(bytes), Some(rate)) = (bytes, of(&|column| *column == Column::Bandwidth)) else { return };
        let bytes = bytes as f64;
        if let Some(messages) = of(&|column| *column == Column::Rate) {
            self.scale.evidence(rate, messages, |messages| messages * bytes);
            return;
        }
        // As often as each rank sends or receives the message in that time.
        let times = match self.test.trim_start_matches("imb_").trim_start_matches("multi-") {
            "pingpong"
            | "pingping"
            | "pingpongspecificsource"
            | "pingpinganysource"
            | "unidir_put"
            | "unidir_get" => 1.0,
            "sendrecv" => 2.0,
            "exchange" => 4.0,
            _ => return,
        };
        let time = of(&|column| matches!(column, Column::Time("time", "max")))
            .or_else(|| of(&|column| matches!(column, Column::Time("time", "mean"))));
        if let Some(time) = time {
            self.scale.evidence(rate, time, |time| times * bytes / time * 1e6);
        }
    }
}

impl Block for Imb {
    fn goes_on(&self, line: &Line<'_>) -> bool {
        // Two heads before a row are of two runs.
        let lacks_rows = !self.test.is_empty() && !self.has_row;
        line.text.trim_start_matches(['#', ' ']).starts_with("Benchmarking ") && !lacks_rows
    }

    fn awaits_rows(&self) -> bool {
        !self.has_rows
    }

    fn expects(&self, line: &Line<'_>) -> bool {
        let text = line.text.trim_start_matches(['#', ' ']);
        if line.text.contains("#repetitions") {
            return !self.test.is_empty() && self.columns.is_empty();
        }
        if text.starts_with("Benchmarking ") {
            return self.test.is_empty() || self.has_row;
        }
        if text.contains("processes =") {
            return !self.test.is_empty() && self.ranks.is_none();
        }
        let size = self.size(&line.text.split_whitespace().collect::<Vec<_>>());
        let is_next = |size: u64| match self.last {
            Some(last) => size > last,
            // Benchmarks of one run begin with one size.
            None => self.first.is_none_or(|first| size <= first),
        };
        self.is_row(line) && size.map_or(!self.has_row, is_next)
    }

    fn is_row(&self, line: &Line<'_>) -> bool {
        let fields: Vec<&str> = line.text.split_whitespace().collect();
        !self.columns.is_empty()
            && fields.len() == self.columns.len()
            && fields.iter().all(|field| float(field).is_some())
    }

    fn likeness(&self) -> Option<String> {
        let Self { year, test, ranks, groups, columns, .. } = self;
        Some(format!("{year:?} {test} {ranks:?} {groups:?} {columns:?}"))
    }

    fn line(&mut self, line: &Line<'_>, sink: &mut Sink) -> Fate {
        let is_head = line.text.contains("#repetitions");
        if is_head {
            self.columns = line.text.split_whitespace().map(column).collect();
            return Fate::Taken;
        }
        if line.text.starts_with('#') {
            self.comment(line.text.trim_start_matches(['#', ' ']), sink);
            return Fate::Taken;
        }
        let fields: Vec<&str> = line.text.split_whitespace().collect();
        if self.columns.is_empty() || fields.first().copied().and_then(float).is_none() {
            return Fate::Foreign;
        }
        if fields.len() != self.columns.len() || fields.iter().any(|field| float(field).is_none()) {
            return Fate::Broken;
        }
        let bytes = self.size(&fields);
        (self.has_row, self.has_rows) = (true, true);
        self.first = self.first.or(bytes);
        self.last = bytes.or(self.last);
        self.evidence(bytes, &fields);
        let pair = self.pair(&fields);
        let ends = match pair.map(|(a, b)| (sink.rank(a), sink.rank(b))) {
            Some((Some(a), Some(b))) => (a, b),
            _ => (NONE, NONE),
        };
        for (column, field) in self.columns.iter().zip(&fields) {
            let Some(value) = float(field) else { continue };
            let (what, statistic, unit, factor) = match *column {
                Column::Time(what, statistic) => (what, statistic, Unit::Seconds, 1e-6),
                // Empty messages have no bandwidth: not a measured 0.
                Column::Bandwidth if bytes == Some(0) => continue,
                Column::Bandwidth => ("bandwidth", "mean", Unit::BytesPerSecond, 1.0),
                Column::Rate => ("message rate", "mean", Unit::MessagesPerSecond, 1.0),
                Column::Defects if value > 0.0 => {
                    sink.notes.add(NoteKind::Wrong, line.number, line.text);
                    continue;
                }
                _ => continue,
            };
            let series = sink.series(Series {
                // Rows of a benchmark whose title is not there are of no known one.
                test: if self.test.is_empty() { "imb".into() } else { self.test.clone() },
                what: what.into(),
                statistic: statistic.into(),
                unit,
                ranks: self.ranks,
                bytes,
            });
            if unit == Unit::BytesPerSecond {
                if self.year.is_none() {
                    self.unsure.get_or_insert((line.number, line.text.to_owned()));
                }
                self.scale.pair(series, ends, value, line, sink);
            } else {
                sink.pair(series, ends, Class::Unknown, scaled(value, factor), line);
            }
        }
        Fate::Taken
    }

    fn end(&mut self, sink: &mut Sink) {
        if let Some((line, text)) = self.unsure.take().filter(|_| !self.scale.is_settled()) {
            sink.notes.add(NoteKind::AssumedUnit, line, &text);
        }
        if self.year.is_none() {
            self.scale.settle_quietly(sink);
        } else {
            self.scale.settle(sink);
        }
    }
}
