//! `ucc_perftest`: collectives of UCC.
//!
//! ```text
//! Collective:             Allreduce
//! Memory type:            host
//! Datatype:               float32
//! Reduction:              sum
//!        Count        Size                Time, us                           Bandwidth, GB/s
//!                                  avg         min         max         avg         max         min
//!        65536      262144       76.46       72.62       82.30       24.00       25.27       22.30
//! ```
//!
//! From its sources, and outputs in public threads. GB is 10⁹ bytes. The rate is that which nccl-tests call bus bandwidth. Which of its
//! last two columns is the least rate depends on the release: the lesser of the two is.

use super::table::{Block, Fate, Line, Series, Sink, Unit, float, scaled};
use crate::io::NoteKind;

/// Lines of the head that tell runs of one collective apart.
const SETTINGS: [(&str, &str); 6] = [
    ("Memory type:", "memory"),
    ("Datatype:", "type"),
    ("Data type:", "type"),
    ("Reduction:", "reduction"),
    ("Operation type:", "reduction"),
    ("Inplace:", "in_place"),
];

/// The output of one run.
#[derive(Debug)]
pub(super) struct UccPerf {
    test: String,
    has_row: bool,
    /// The line of the title.
    line: usize,
}

/// Begins at the collective.
pub(super) fn begin(line: &Line<'_>, sink: &mut Sink) -> Option<UccPerf> {
    let name = line.text.strip_prefix("Collective:")?.trim();
    let is_word = !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
    is_word.then(|| {
        sink.format("ucc_perftest");
        UccPerf { test: format!("ucc_{}", name.to_lowercase()), has_row: false, line: line.number }
    })
}

impl UccPerf {
    fn add(
        &self,
        what: &str,
        values: [(&str, Option<f64>); 3],
        unit: Unit,
        bytes: Option<u64>,
        line: &Line<'_>,
        sink: &mut Sink,
    ) {
        for (statistic, value) in values {
            let Some(value) = value else { continue };
            let series =
                Series { statistic: statistic.into(), ..Series::mean(&self.test, what, unit, bytes) };
            sink.value(series, value, line);
        }
    }
}

impl Block for UccPerf {
    fn line(&mut self, line: &Line<'_>, sink: &mut Sink) -> Fate {
        let setting = SETTINGS.iter().find_map(|&(start, name)| Some((name, line.text.strip_prefix(start)?)));
        if let Some((name, value)) = setting {
            if value.trim() != "N/A" {
                sink.setting(format!("{name}={}", value.trim()));
            }
            return Fate::Taken;
        }
        let fields: Vec<&str> = line.text.split_whitespace().collect();
        let known = ["Warmup", "small", "large", "Iterations", "Count", "avg"];
        if fields.first().is_some_and(|first| known.contains(&first.trim_end_matches(':'))) {
            return Fate::Taken;
        }
        // A barrier has no size.
        let is_row = matches!(fields[..], [count, size, ..]
            if [count, size].iter().all(|field| *field == "N/A" || field.parse::<u64>().is_ok()));
        if !is_row || fields.len() > 8 {
            return Fate::Foreign;
        }
        let mut numbers: Vec<Option<f64>> = Vec::new();
        for field in &fields[2..] {
            match (float(field), *field) {
                (_, "N/A") => numbers.push(None),
                (Some(number), _) => numbers.push(Some(number)),
                (None, _) => return Fate::Broken,
            }
        }
        let bytes = fields[1].parse::<u64>().ok();
        let (times, rates) = match numbers[..] {
            [mean, least, most] => ([mean, least, most], [None; 3]),
            [mean, least, most, rate, one, other] => ([mean, least, most], [rate, one, other]),
            _ => return Fate::Broken,
        };
        let [mean, least, most] = times.map(|time| time.map(|time| scaled(time, 1e-6)));
        self.add("time", [("mean", mean), ("min", least), ("max", most)], Unit::Seconds, bytes, line, sink);
        let [mean, one, other] = rates.map(|rate| rate.map(|rate| rate * 1e9));
        let (least, most) = match (one, other) {
            (Some(one), Some(other)) => (Some(one.min(other)), Some(one.max(other))),
            // Of a gather only the rate by the longest time is printed.
            (None, least) | (least, None) => (least, None),
        };
        let rates = [("mean", mean), ("min", least), ("max", most)];
        self.add("bus bandwidth", rates, Unit::BytesPerSecond, bytes, line, sink);
        self.has_row = true;
        Fate::Taken
    }

    fn end(&mut self, sink: &mut Sink) {
        if !self.has_row {
            sink.notes.add(NoteKind::NoRows, self.line, &self.test);
        }
    }
}
