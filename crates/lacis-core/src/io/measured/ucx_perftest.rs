//! `ucx_perftest`: one test between two processes over UCX.
//!
//! ```text
//! | API:          protocol layer                                                                             |
//! | Test:         tag match bandwidth                                                                        |
//! | Message size: 8                                                                                          |
//! |              |              |       overhead (usec)        |   bandwidth (MB/s)  |  message rate (msg/s) |
//! |    Stage     | # iterations | 50.0%ile | average | overall |  average |  overall |  average  |  overall  |
//! Final:               1000000      0.183     0.183     0.183       41.80      41.80     5478763     5478763
//! ```
//!
//! From its sources (1.8 to 1.17) and outputs in public threads. The line "Final:" is read, those of intervals before it are not. MB
//! is 2²⁰ bytes; bytes × messages a second decide.

use super::launch::Call;
use super::scale::{MEBI, Scale};
use super::table::{Block, Class, Fate, Line, NONE, Series, Sink, Unit, float, scaled};

/// Bytes of a message without `-s`.
const USUAL_BYTES: u64 = 8;

/// The output of one run.
#[derive(Debug)]
pub(super) struct UcxPerf {
    test: String,
    bytes: Option<u64>,
    /// `latency` or `overhead`.
    time: &'static str,
    scale: Scale,
}

impl UcxPerf {
    /// The side that connects prints no box: what the line above called says which test it is.
    fn called(&mut self, call: &Call) {
        if let Some(test) = call.value("-t") {
            let words = TESTS.iter().find(|(known, _)| *known == test).map_or(test, |(_, words)| words);
            self.test = format!("ucx {words}");
        }
        self.bytes = match call.value("-s") {
            Some(size) => size.parse().ok(),
            None => Some(USUAL_BYTES),
        };
    }

    fn new() -> Self {
        Self { test: "ucx".into(), bytes: None, time: "latency", scale: Scale::new(&[MEBI, 1e6]) }
    }
}

/// The text of a line of the box.
fn boxed(text: &str) -> Option<&str> {
    Some(text.strip_prefix('|')?.strip_suffix('|')?.trim())
}

/// Begins at the head of the box, or of the columns where that is lost.
pub(super) fn begin(line: &Line<'_>, called: Option<&Call>, sink: &mut Sink) -> Option<UcxPerf> {
    let test = heading(line.text);
    let inside = boxed(line.text).unwrap_or_default();
    let is_head =
        inside.starts_with("API:") || inside.contains("(usec)") && inside.contains("bandwidth (MB/s)");
    if !is_head && test.is_none() {
        return None;
    }
    sink.format("ucx_perftest");
    let mut block = UcxPerf::new();
    if let Some(call) = called.filter(|call| call.program == "ucx_perftest") {
        block.called(call);
    }
    if let Some(test) = test {
        block.test = format!("ucx {test}");
    }
    block.line(line, sink);
    Some(block)
}

/// The test of a batch that begins: `====== tag_bw ======`.
fn heading(text: &str) -> Option<&'static str> {
    let name = text.strip_prefix("====")?.strip_suffix("====")?.trim_matches('=').trim();
    TESTS.iter().find(|(known, _)| *known == name).map(|(_, words)| *words)
}

/// What `-t` names, as the box has it.
const TESTS: [(&str, &str); 26] = [
    ("am_lat", "active message latency"),
    ("am_bw", "active message bandwidth / message rate"),
    ("put_lat", "put latency"),
    ("put_bw", "put bandwidth / message rate"),
    ("get", "get latency / bandwidth / message rate"),
    ("get_bw", "get latency / bandwidth / message rate"),
    ("tag_lat", "tag match latency"),
    ("tag_bw", "tag match bandwidth"),
    ("tag_sync_lat", "tag sync match latency"),
    ("tag_sync_bw", "tag sync match bandwidth"),
    ("ucp_put_lat", "put latency"),
    ("ucp_put_bw", "put bandwidth"),
    ("ucp_get", "get latency / bandwidth / message rate"),
    ("ucp_am_lat", "am latency"),
    ("ucp_am_bw", "am bandwidth / message rate"),
    ("stream_lat", "stream latency"),
    ("stream_bw", "stream bandwidth"),
    ("add_lat", "atomic add latency"),
    ("add_mr", "atomic add message rate"),
    ("fadd", "atomic fetch-and-add latency / rate"),
    ("swap", "atomic swap latency / rate"),
    ("cswap", "atomic compare-and-swap latency / rate"),
    ("ucp_add", "atomic add bandwidth / message rate"),
    ("ucp_fadd", "atomic fetch-and-add latency / bandwidth / rate"),
    ("ucp_swap", "atomic swap latency / bandwidth / rate"),
    ("ucp_cswap", "atomic compare-and-swap latency / bandwidth / rate"),
];

impl Block for UcxPerf {
    fn goes_on(&self, line: &Line<'_>) -> bool {
        line.text.starts_with('|') && !boxed(line.text).is_some_and(|inside| inside.starts_with("API:"))
    }

    fn line(&mut self, line: &Line<'_>, sink: &mut Sink) -> Fate {
        if let Some(inside) = boxed(line.text) {
            if inside.contains("(usec)") {
                self.time = if inside.contains("overhead") { "overhead" } else { "latency" };
            } else if let Some((name, value)) = inside.split_once(':') {
                let value = value.trim();
                match name.trim() {
                    "Test" => self.test = format!("ucx {value}"),
                    "Message size" => {
                        self.bytes = value.split([',', ' ']).next().and_then(|size| size.parse().ok());
                    }
                    name @ ("API" | "Send memory" | "Recv memory" | "Transport" | "Device"
                    | "Data layout" | "Window size") => {
                        sink.setting(format!("{}={value}", name.to_ascii_lowercase().replace(' ', "_")));
                    }
                    _ => {}
                }
            }
            return Fate::Taken;
        }
        let Some(rest) = line.text.strip_prefix("Final:") else {
            let known = ["[thread ", "Waiting for connection", "Accepted connection", "===="];
            let is_interval = known.iter().any(|start| line.text.starts_with(start));
            return if is_interval { Fate::Taken } else { Fate::Foreign };
        };
        let fields: Vec<&str> = rest.split_whitespace().collect();
        let numbers: Option<Vec<f64>> = fields.iter().map(|field| float(field)).collect();
        let Some(numbers) = numbers else { return Fate::Broken };
        // Old versions print no median.
        let (median, times) = match numbers[..] {
            [_, median, _, _, _, _, _, _] => (Some(median), 2),
            [_, _, _, _, _, _, _] => (None, 1),
            _ => return Fate::Broken,
        };
        let ends = match (sink.rank(0), sink.rank(1)) {
            (Some(a), Some(b)) => (a, b),
            _ => (NONE, NONE),
        };
        let of = |what: &str, statistic: &str, unit| Series {
            statistic: statistic.into(),
            ranks: Some(2),
            ..Series::mean(&self.test, what, unit, self.bytes)
        };
        let overall = times + 1;
        if let Some(median) = median {
            let series = sink.series(of(self.time, "median", Unit::Seconds));
            sink.pair(series, ends, Class::Unknown, scaled(median, 1e-6), line);
        }
        let time = sink.series(of(self.time, "mean", Unit::Seconds));
        sink.pair(time, ends, Class::Unknown, scaled(numbers[overall], 1e-6), line);
        let bandwidth = sink.series(of("bandwidth", "mean", Unit::BytesPerSecond));
        let messages = sink.series(of("message rate", "mean", Unit::MessagesPerSecond));
        self.scale.pair(bandwidth, ends, numbers[overall + 2], line, sink);
        sink.pair(messages, ends, Class::Unknown, numbers[overall + 4], line);
        if let Some(bytes) = self.bytes {
            self.scale.evidence(fields[overall + 2], fields[overall + 4], |rate| rate * bytes as f64);
        }
        Fate::Taken
    }

    fn end(&mut self, sink: &mut Sink) {
        self.scale.settle(sink);
    }
}
