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
//! From outputs in public documentation; no file of our own was at hand. GB is 10⁹ bytes. Outputs before 2.14 do not name the
//! collective: the call's own line in the log does, where it is there.

use super::table::{Block, Fate, Line, Series, Sink, Unit, float, scaled};
use crate::io::NoteKind;

/// The output of one run.
#[derive(Debug)]
pub(super) struct NcclTests {
    test: String,
    ranks: u32,
    /// Names of columns.
    columns: Vec<String>,
}

/// Begins at the lines that it prints first.
pub(super) fn begin(line: &Line<'_>, called: Option<&str>, sink: &mut Sink) -> Option<NcclTests> {
    let is_first =
        line.text.starts_with("# nThread ") || line.text.starts_with("# Collective test starting:");
    is_first.then(|| {
        sink.format("NCCL-tests");
        let mut block = NcclTests { test: called.map_or("nccl".into(), name), ranks: 0, columns: Vec::new() };
        block.line(line, sink);
        block
    })
}

/// The program that a line of a log calls: `all_reduce_perf`.
pub(super) fn called(text: &str) -> Option<&str> {
    let before = &text[..text.find("_perf")?];
    let start = before.trim_end_matches(|c: char| c.is_ascii_lowercase() || c == '_').len();
    (start < before.len()).then(|| &before[start..])
}

fn name(program: &str) -> String {
    format!("nccl_{}", program.trim_end_matches("_perf"))
}

impl NcclTests {
    fn comment(&mut self, line: &Line<'_>, sink: &mut Sink) {
        let text = line.text.trim_start_matches(['#', ' ']);
        if let Some(program) = text.strip_prefix("Collective test starting:") {
            self.test = name(program.trim());
        } else if let Some(version) = text.strip_prefix("nccl-tests version ") {
            sink.fact("nccl-tests version", &version.split(' ').next().unwrap_or(version));
        } else if text.starts_with("Rank ") {
            self.ranks += 1;
            let words: Vec<&str> = text.split_whitespace().collect();
            let host = words.iter().position(|w| *w == "on").and_then(|at| words.get(at + 1));
            if let (Some(rank), Some(host)) = (words.get(1), host) {
                sink.fact(&format!("rank {rank}"), &host);
            }
        } else if text.starts_with("size ") && text.contains("busbw") {
            self.columns = text.split_whitespace().map(str::to_owned).collect();
        }
    }
}

impl Block for NcclTests {
    fn goes_on(&self, line: &Line<'_>) -> bool {
        self.columns.is_empty() && line.text.starts_with('#')
    }

    fn line(&mut self, line: &Line<'_>, sink: &mut Sink) -> Fate {
        if line.text.starts_with('#') {
            self.comment(line, sink);
            return Fate::Taken;
        }
        let fields: Vec<&str> = line.text.split_whitespace().collect();
        let Some(Ok(bytes)) = fields.first().map(|field| field.parse::<u64>()) else { return Fate::Foreign };
        // `redop` is left blank by collectives that reduce nothing in some versions: the values stand at the end.
        let measures = self.columns.iter().skip_while(|name| *name != "time").count();
        if measures == 0 || fields.len() < measures + 2 {
            return Fate::Broken;
        }
        let names = &self.columns[self.columns.len() - measures..];
        let values = &fields[fields.len() - measures..];
        if values.iter().any(|value| float(value).is_none() && *value != "N/A") {
            return Fate::Broken;
        }
        let mut times = 0;
        for (name, text) in names.iter().zip(values) {
            let (what, unit, factor) = match name.as_str() {
                "time" => ("time", Unit::Seconds, 1e-6),
                "algbw" => ("algorithm bandwidth", Unit::BytesPerSecond, 1e9),
                "busbw" => ("bus bandwidth", Unit::BytesPerSecond, 1e9),
                _ => {
                    if float(text).is_some_and(|wrong| wrong > 0.0) {
                        sink.notes.add(NoteKind::Wrong, line.number, line.text);
                    }
                    continue;
                }
            };
            times += u32::from(name == "time");
            let Some(value) = float(text) else { continue };
            let what = if times > 1 { format!("{what}, in place") } else { what.to_owned() };
            let ranks = (self.ranks > 0).then_some(self.ranks);
            let series = Series { ranks, ..Series::mean(&self.test, &what, unit, Some(bytes)) };
            // Rates below 5 MB/s are printed as 0.00.
            sink.value(series, scaled(value, factor), line);
        }
        Fate::Taken
    }
}
