//! The JSON of perftest (`--out_json`), in both of its dialects: keys and words in quotes, or not, and then with a comma after
//! every value.
//!
//! ```text
//! {
//! test_info: {
//! test: RDMA_Write_Latency_Test,
//! Device: "rxe0",
//! },
//! results: {
//! MsgSize: 128,
//! t_avg: 2.42,
//! percentile_99.9: 4.03,
//! },
//! }
//! ```
//!
//! From its sources and outputs in public threads. The unit of rates is not written: bytes × messages a second tell whether it
//! is 2²⁰ bytes/s, as without options, or 10⁹ bits/s (`--report_gbits`).

use serde_json::{Map, Value};

use super::perftest::program;
use super::scale::{MEBI, Scale};
use super::table::{Class, Line, NONE, Series, Sink, Unit, scaled};
use crate::io::NoteKind;

/// Keys of results: what, statistic, factor to seconds.
const TIMES: [(&str, &str); 7] = [
    ("t_min", "min"),
    ("t_max", "max"),
    ("t_typical", "median"),
    ("t_avg", "mean"),
    ("t_stdev", "standard deviation"),
    ("percentile_99", "p99"),
    ("percentile_99.9", "p99.9"),
];
/// Most lines of an object.
const LINES: usize = 100_000;

/// Reads an object whose keys have no quotes; none if it is another one, else how many lines it has.
pub(super) fn read_relaxed(line: &Line<'_>, rest: &str, sink: &mut Sink) -> Option<usize> {
    let mut lines = rest.lines().map(str::trim);
    if lines.next()? != "{" || !lines.find(|text| !text.is_empty())?.starts_with("test_info") {
        return None;
    }
    let (value, count) = relaxed(rest);
    let is_known = read(line, &value, sink);
    if !is_known {
        sink.notes.add(NoteKind::BrokenRow, line.number, line.text);
    }
    Some(count)
}

/// The object that begins a text, line by line, and how many lines it has; what is cut short ends there.
fn relaxed(text: &str) -> (Value, usize) {
    let mut open: Vec<(String, Map<String, Value>)> = Vec::new();
    let mut count = 0;
    let close = |open: &mut Vec<(String, Map<String, Value>)>| -> Option<Map<String, Value>> {
        let (key, map) = open.pop()?;
        match open.last_mut() {
            None => Some(map),
            // Results of several sizes have one key.
            Some((_, outer)) => {
                match outer.get_mut(&key) {
                    Some(Value::Array(all)) => all.push(Value::Object(map)),
                    Some(first) => *first = Value::Array(vec![first.take(), Value::Object(map)]),
                    None => drop(outer.insert(key, Value::Object(map))),
                }
                None
            }
        }
    };
    for line in text.lines().take(LINES) {
        count += 1;
        let line = line.trim().trim_end_matches(',').trim();
        if line == "{" {
            open.push((String::new(), Map::new()));
        } else if line == "}" {
            if let Some(whole) = close(&mut open) {
                return (Value::Object(whole), count);
            }
        } else if let Some((key, value)) = line.split_once(':') {
            let (key, value) = (key.trim().trim_matches('"').to_owned(), value.trim());
            if value == "{" {
                open.push((key, Map::new()));
            } else if let Some((_, map)) = open.last_mut() {
                let number = value.parse::<f64>().ok().and_then(serde_json::Number::from_f64);
                let value = number.map_or_else(|| Value::from(value.trim_matches('"')), Value::Number);
                map.insert(key, value);
            }
        }
    }
    while !open.is_empty() {
        if let Some(whole) = close(&mut open) {
            return (Value::Object(whole), count);
        }
    }
    (Value::Null, count.max(1))
}

/// Reads an object; false if it is not perftest's.
pub(super) fn read(line: &Line<'_>, value: &Value, sink: &mut Sink) -> bool {
    let info = &value["test_info"];
    let Some(test) = info["test"].as_str() else { return false };
    if value["results"].is_null() {
        return false;
    }
    let Some(test) = program(test) else { return false };
    sink.format("perftest");
    let context = sink.context.clone();
    for key in ["Device", "Number_of_qps", "Connection_type", "Mtu", "Dual_port", "Using_SRQ", "Link_type"] {
        match &info[key] {
            Value::String(text) => sink.setting(format!("{}={text}", key.to_ascii_lowercase())),
            Value::Number(number) => sink.setting(format!("{}={number}", key.to_ascii_lowercase())),
            _ => {}
        }
    }
    let mut scale = Scale::new(&[MEBI, 125e6, 1e6]);
    let mut has_rate = false;
    let rows = value["results"].as_array().cloned().unwrap_or_else(|| vec![value["results"].clone()]);
    for row in &rows {
        let bytes = row["MsgSize"].as_f64().map(|bytes| bytes as u64);
        let of = |what: &str, statistic: &str, unit| Series {
            statistic: statistic.into(),
            ranks: Some(2),
            ..Series::mean(&test, what, unit, bytes)
        };
        let messages = row["MsgRate"].as_f64();
        for (key, statistic) in [("BW_peak", "max"), ("BW_average", "mean")] {
            let Some(rate) = row[key].as_f64() else { continue };
            // A peak of 0 was not measured.
            if statistic == "max" && rate == 0.0 {
                continue;
            }
            has_rate = true;
            let series = sink.series(of("bandwidth", statistic, Unit::BytesPerSecond));
            scale.value(series, rate, line, sink);
            if let (Some(bytes), Some(messages), "mean") = (bytes, messages, statistic) {
                scale.evidence(&digits(rate), &digits(messages), |messages| messages * 1e6 * bytes as f64);
            }
        }
        if let Some(messages) = messages {
            let series = sink.series(of("message rate", "mean", Unit::MessagesPerSecond));
            sink.pair(series, (NONE, NONE), Class::Unknown, messages * 1e6, line);
        }
        if let Some(rate) = row["tps_average"].as_f64() {
            let series = sink.series(of("message rate", "mean", Unit::MessagesPerSecond));
            sink.pair(series, (NONE, NONE), Class::Unknown, rate, line);
        }
        for (key, statistic) in TIMES {
            let Some(time) = row[key].as_f64() else { continue };
            if statistic == "standard deviation" && time == 0.0 {
                continue;
            }
            let series = sink.series(of("latency", statistic, Unit::Seconds));
            sink.pair(series, (NONE, NONE), Class::Unknown, scaled(time, 1e-6), line);
        }
    }
    if has_rate && !scale.is_settled() {
        sink.notes.add(NoteKind::AssumedMebi, line.number, line.text);
    }
    scale.settle_quietly(sink);
    sink.context = context;
    true
}

/// A number with the digits that the program prints: two decimals of a rate, six of messages.
fn digits(value: f64) -> String {
    format!("{value:.6}")
}
