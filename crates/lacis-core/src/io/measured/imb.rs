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
    columns: Vec<Column>,
}

/// Begins at the title, or at a benchmark's head where the title is lost.
pub(super) fn begin(line: &Line<'_>, sink: &mut Sink) -> Option<Imb> {
    let text = line.text.trim_start_matches(['#', ' ']);
    let is_title =
        text.starts_with("Benchmarking ") || text.starts_with("Intel") && text.contains("MPI Benchmark");
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
        columns: Vec::new(),
    };
    block.comment(text, sink);
    Some(block)
}

fn column(name: &str) -> Column {
    match name {
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
        if text.starts_with("Intel") {
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
            sink.fact("IMB version", &version.split(',').next().unwrap_or(version));
        } else if let Some(name) = text.strip_prefix("Benchmarking ") {
            self.test = format!("imb_{}", name.split_whitespace().next().unwrap_or("").to_lowercase());
            self.columns.clear();
            self.ranks = None;
            sink.forget_setting("mode=");
        } else if let Some(mode) = text.strip_prefix("MODE:") {
            sink.forget_setting("mode=");
            sink.setting(format!("mode={}", mode.trim()));
        } else if let Some(ranks) = after(text, "processes =") {
            self.ranks = ranks.parse().ok();
        }
    }
}

impl Imb {
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
        let times = match self.test.as_str() {
            "imb_pingpong"
            | "imb_pingping"
            | "imb_pingpongspecificsource"
            | "imb_pingpinganysource"
            | "imb_unidir_put"
            | "imb_unidir_get" => 1.0,
            "imb_sendrecv" => 2.0,
            "imb_exchange" => 4.0,
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
        line.text.trim_start_matches(['#', ' ']).starts_with("Benchmarking ")
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
        let bytes = self.columns.iter().zip(&fields).find(|(c, _)| **c == Column::Bytes);
        let bytes = bytes.and_then(|(_, field)| field.parse::<u64>().ok());
        let is_pair = self.ranks == Some(2)
            && matches!(
                self.test.as_str(),
                "imb_pingpong"
                    | "imb_pingping"
                    | "imb_pingpongspecificsource"
                    | "imb_pingpinganysource"
                    | "imb_unidir_put"
                    | "imb_unidir_get"
                    | "imb_bidir_put"
                    | "imb_bidir_get"
            );
        self.evidence(bytes, &fields);
        let ends =
            match (is_pair, is_pair.then(|| sink.rank(0)).flatten(), is_pair.then(|| sink.rank(1)).flatten())
            {
                (true, Some(a), Some(b)) => (a, b),
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
                test: self.test.clone(),
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
