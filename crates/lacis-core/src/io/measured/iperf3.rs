//! `iperf3 --json` and `--json-stream`: TCP or UDP between two hosts.
//!
//! ```text
//! {"start": {"connected": [{"local_host": "10.0.0.1", "remote_host": "10.0.0.2"}], "test_start": {"protocol": "TCP"}},
//!  "intervals": [{"sum": {"bits_per_second": 9.4e9}}], "end": {"sum_received": {"bits_per_second": 9.39e9}}}
//! {"event":"start","data":{…}}
//! {"event":"interval","data":{"streams":[{"socket":5,…}],"sum":{…}}}
//! {"event":"end","data":{…}}
//! ```
//!
//! Read from output of 3.12; events as sources of 3.17 and later have them. Every interval is a sample; the end is the mean. Events
//! of several runs in one log are distinguished by what stands before them, by their sockets, and by when an interval begins.

use rustc_hash::FxHashMap;
use serde_json::Value;

use super::table::{Class, Line, NONE, Series, Sink, Unit};
use crate::io::NoteKind;

/// A run, from what it says at its start.
#[derive(Debug)]
struct Run {
    /// From the sender to the receiver.
    ends: (u32, u32),
    test: String,
    sockets: Vec<u64>,
    /// The end of its last interval [s].
    until: f64,
    line: usize,
}

/// Reads what a run says at its start; none without hosts.
fn start(line: &Line<'_>, start: &Value, sink: &mut Sink) -> Option<Run> {
    sink.format("iperf3");
    sink.fact("iperf version", start["version"].as_str().unwrap_or(""));
    if let Some(seconds) = start["timestamp"]["timesecs"].as_u64() {
        sink.fact("started [s since 1970]", &seconds);
    }
    let connected = &start["connected"][0];
    let host = |key: &str, sink: &mut Sink| connected[key].as_str().map(|name| sink.host(name, None));
    let (local, remote) = (host("local_host", sink)?, host("remote_host", sink)?);
    let settings = &start["test_start"];
    let is_reverse = settings["reverse"].as_u64() == Some(1);
    let protocol = settings["protocol"].as_str().unwrap_or("TCP").to_lowercase();
    sink.fact("streams", &settings["num_streams"].as_u64().unwrap_or(1));
    let is_both_ways = settings["bidir"].as_u64() == Some(1);
    let sockets = start["connected"].as_array().into_iter().flatten();
    Some(Run {
        ends: if is_reverse { (remote, local) } else { (local, remote) },
        test: format!("iperf3_{protocol}{}", if is_both_ways { " bidirectional" } else { "" }),
        sockets: sockets.filter_map(|one| one["socket"].as_u64()).collect(),
        until: 0.0,
        line: line.number,
    })
}

/// Settings that tell runs of one test apart.
fn settings(start: &Value, sink: &mut Sink) {
    for key in ["num_streams", "blksize", "target_bitrate"] {
        if let Some(value) = start["test_start"][key].as_u64() {
            sink.setting(format!("{key}={value}"));
        }
    }
}

impl Run {
    fn add(&self, statistic: &str, is_back: bool, bits: &Value, line: &Line<'_>, sink: &mut Sink) {
        let Some(bits) = bits.as_f64() else { return };
        let mean = Series::mean(&self.test, "bandwidth", Unit::BytesPerSecond, None);
        let series = sink.series(Series { statistic: statistic.into(), ..mean });
        let (from, to) = if self.ends.0 == self.ends.1 { (NONE, NONE) } else { self.ends };
        sink.pair(series, if is_back { (to, from) } else { (from, to) }, Class::Unknown, bits / 8.0, line);
    }

    fn interval(&mut self, interval: &Value, line: &Line<'_>, sink: &mut Sink) {
        self.until = interval["sum"]["end"].as_f64().unwrap_or(self.until);
        for (key, is_back) in [("sum", false), ("sum_bidir_reverse", true)] {
            // --omit excludes the warm-up.
            if interval[key]["omitted"].as_bool() != Some(true) {
                self.add("sample", is_back, &interval[key]["bits_per_second"], line, sink);
            }
        }
    }

    fn end(&self, end: &Value, line: &Line<'_>, sink: &mut Sink) {
        let sum = if end["sum_received"].is_object() { &end["sum_received"] } else { &end["sum"] };
        self.add("mean", false, &sum["bits_per_second"], line, sink);
        let back = &end["sum_received_bidir_reverse"]["bits_per_second"];
        self.add("mean", true, back, line, sink);
    }
}

/// Reads an object; false if it is not iperf3's.
pub(super) fn read(line: &Line<'_>, value: &Value, sink: &mut Sink) -> bool {
    let begin = &value["start"];
    if !begin["version"].as_str().is_some_and(|version| version.starts_with("iperf 3")) {
        return false;
    }
    let context = sink.context.clone();
    settings(begin, sink);
    let run = start(line, begin, sink);
    if let Some(error) = value["error"].as_str() {
        sink.notes.add(NoteKind::ToolError, line.number, error);
    }
    if let Some(mut run) = run {
        for interval in value["intervals"].as_array().into_iter().flatten() {
            run.interval(interval, line, sink);
        }
        run.end(&value["end"], line, sink);
    }
    sink.context = context;
    true
}

/// Runs whose events are read, by what stands before their lines.
#[derive(Debug, Default)]
pub(super) struct Runs {
    open: FxHashMap<u32, Vec<(Run, Value)>>,
}

impl Runs {
    /// Reads an event; false if it is none.
    pub(super) fn event(&mut self, line: &Line<'_>, value: &Value, stream: u32, sink: &mut Sink) -> bool {
        let (Some(event), data) = (value["event"].as_str(), &value["data"]) else { return false };
        if !matches!(
            event,
            "start" | "interval" | "end" | "error" | "server_output_text" | "server_output_json"
        ) {
            return false;
        }
        let context = sink.context.clone();
        let is_known = self.known_event(event, data, stream, line, sink);
        sink.context = context;
        is_known
    }

    fn known_event(
        &mut self,
        event: &str,
        data: &Value,
        stream: u32,
        line: &Line<'_>,
        sink: &mut Sink,
    ) -> bool {
        let open = self.open.entry(stream).or_default();
        match event {
            "start" => {
                if !data["version"].as_str().is_some_and(|version| version.starts_with("iperf 3")) {
                    return false;
                }
                if let Some(run) = start(line, data, sink) {
                    open.push((run, data.clone()));
                }
            }
            "error" => {
                sink.format("iperf3");
                sink.notes.add(NoteKind::ToolError, line.number, data.as_str().unwrap_or(""));
            }
            "interval" | "end" => {
                let Some(at) = owner(open, event, data) else {
                    sink.notes.add(NoteKind::BrokenRow, line.number, line.text);
                    return true;
                };
                settings(&open[at].1, sink);
                if event == "interval" {
                    open[at].0.interval(data, line, sink);
                } else {
                    let (run, _) = open.remove(at);
                    run.end(data, line, sink);
                }
            }
            _ => {}
        }
        true
    }

    /// Ends an input: runs without their end stopped early.
    pub(super) fn end(&mut self, sink: &mut Sink) {
        let mut lines: Vec<usize> =
            std::mem::take(&mut self.open).into_values().flatten().map(|(run, _)| run.line).collect();
        lines.sort_unstable();
        for line in lines {
            sink.notes.add(NoteKind::Unfinished, line, "");
        }
    }
}

/// The run that an event is of: of those with its socket the one whose last interval ended where this one begins.
fn owner(open: &[(Run, Value)], event: &str, data: &Value) -> Option<usize> {
    let stream = &data["streams"][0];
    let socket = ["sender", "receiver", "udp"]
        .iter()
        .find_map(|side| stream[*side]["socket"].as_u64())
        .or_else(|| stream["socket"].as_u64());
    let has_socket = |at: &usize| socket.is_none_or(|socket| open[*at].0.sockets.contains(&socket));
    let mut fitting: Vec<usize> = (0..open.len()).filter(has_socket).collect();
    if fitting.is_empty() {
        fitting = (0..open.len()).collect();
    }
    // An end covers the whole run, so the run that is furthest ends first.
    let time = if event == "end" { f64::INFINITY } else { data["sum"]["start"].as_f64().unwrap_or(0.0) };
    let distance =
        |at: usize| if time.is_finite() { (open[at].0.until - time).abs() } else { -open[at].0.until };
    fitting.into_iter().min_by(|&a, &b| distance(a).total_cmp(&distance(b)))
}
