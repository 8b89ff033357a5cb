//! `iperf3 --json`: TCP or UDP between two hosts.
//!
//! ```text
//! {"start": {"connected": [{"local_host": "10.0.0.1", "remote_host": "10.0.0.2"}], "test_start": {"protocol": "TCP"}},
//!  "intervals": [{"sum": {"bits_per_second": 9.4e9}}], "end": {"sum_received": {"bits_per_second": 9.39e9}}}
//! ```
//!
//! Read from output of 3.12. Every interval is a sample; the end is the mean.

use serde_json::Value;

use super::table::{Class, Line, Series, Sink, Unit};
use crate::io::NoteKind;

/// Reads an object; false if it is not iperf3's.
pub(super) fn read(line: &Line<'_>, value: &Value, sink: &mut Sink) -> bool {
    let (start, intervals) = (&value["start"], &value["intervals"]);
    if !start["version"].as_str().is_some_and(|version| version.starts_with("iperf 3")) {
        return false;
    }
    sink.format("iperf3");
    sink.fact("iperf version", &start["version"].as_str().unwrap_or(""));
    if let Some(seconds) = start["timestamp"]["timesecs"].as_u64() {
        sink.fact("started [s since 1970]", &seconds);
    }
    if let Some(error) = value["error"].as_str() {
        sink.notes.add(NoteKind::ToolError, line.number, error);
    }
    let connected = &start["connected"][0];
    let host = |key: &str, sink: &mut Sink| connected[key].as_str().map(|name| sink.host(name, None));
    let (Some(local), Some(remote)) = (host("local_host", sink), host("remote_host", sink)) else {
        return true;
    };
    let settings = &start["test_start"];
    let is_reverse = settings["reverse"].as_u64() == Some(1);
    let ends = if is_reverse { (remote, local) } else { (local, remote) };
    let protocol = settings["protocol"].as_str().unwrap_or("TCP").to_lowercase();
    let streams = settings["num_streams"].as_u64().unwrap_or(1);
    sink.fact("streams", &streams);
    let test = format!("iperf3_{protocol}");
    let mut add = |statistic: &str, bits: Option<f64>| {
        let Some(bits) = bits else { return };
        let mean = Series::mean(&test, "bandwidth", Unit::BytesPerSecond, None);
        let series = sink.series(Series { statistic: statistic.into(), ..mean });
        sink.pair(series, ends, Class::Unknown, bits / 8.0, line);
    };
    for interval in intervals.as_array().into_iter().flatten() {
        // --omit excludes the warm-up.
        if interval["sum"]["omitted"].as_bool() != Some(true) {
            add("sample", interval["sum"]["bits_per_second"].as_f64());
        }
    }
    let end = &value["end"];
    let sum = if end["sum_received"].is_object() { &end["sum_received"] } else { &end["sum"] };
    add("mean", sum["bits_per_second"].as_f64());
    true
}
