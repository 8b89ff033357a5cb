//! `sockperf`: latencies and message rates over sockets.
//!
//! ```text
//! sockperf: == version #3.10-no.git ==
//! [ 0] IP = 10.9.9.1        PORT = 11111 # TCP
//! sockperf: Summary: Latency is 24.571 usec
//! sockperf: ---> <MAX> observation = 103294.331
//! sockperf: ---> percentile 99.000 =   33.390
//! sockperf: Summary: Message Rate is 2384000 [msg/sec]
//! sockperf: Summary: BandWidth is 2728.271 MBps (21826.172 Mbps)
//! ```
//!
//! From outputs in public threads (3.6 to 3.10). A latency is one way unless the summary says round trip. `MBps` are 2²⁰ bytes/s; bytes ×
//! messages a second decide where the size of messages is known.

use super::launch::Call;
use super::scale::{MEBI, Scale};
use super::table::{Block, Class, Fate, Line, NONE, Series, Sink, Unit, after, float, scaled};
use crate::io::NoteKind;

/// The output of one run.
#[derive(Debug)]
pub(super) struct SockPerf {
    protocol: &'static str,
    bytes: Option<u64>,
    /// `latency`, or `round trip`.
    what: &'static str,
    /// The text of the message rate.
    messages: Option<String>,
    scale: Scale,
}

/// Begins at a line that it prints first, or at a result where those are lost.
pub(super) fn begin(line: &Line<'_>, called: Option<&Call>, sink: &mut Sink) -> Option<SockPerf> {
    let starts = ["== version", "[Total Run]", "Total of ", "====> avg-", "Summary:"];
    let own = line.text.strip_prefix("sockperf: ")?;
    if !starts.iter().any(|start| own.starts_with(start)) {
        return None;
    }
    sink.format("sockperf");
    let called = called.filter(|call| call.program == "sockperf");
    let size = called.and_then(|call| call.value("--msg-size").or_else(|| call.value("-m")));
    let mut block = SockPerf {
        protocol: "udp",
        bytes: size.and_then(|size| size.parse().ok()),
        what: "latency",
        messages: None,
        scale: Scale::new(&[MEBI, 1e6]),
    };
    if called.is_some_and(|call| call.arguments.iter().any(|word| word == "--tcp")) {
        block.protocol = "tcp";
    }
    block.line(line, sink);
    Some(block)
}

/// Whether a run lost messages: `# dropped messages = 8; …`.
fn has_lost(text: &str) -> bool {
    after(text, "dropped messages =").is_some_and(|count| count.trim_end_matches(';') != "0")
}

/// The statistic that a percentile is: `99.990`.
fn percentile(text: &str) -> String {
    let short = if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.') } else { text };
    if short == "50" { "median".into() } else { format!("p{short}") }
}

impl SockPerf {
    fn time(&self, statistic: &str, text: &str, line: &Line<'_>, sink: &mut Sink) -> Option<()> {
        let value = float(text)?;
        let test = format!("sockperf_{}", self.protocol);
        let series = Series {
            statistic: statistic.into(),
            ..Series::mean(&test, self.what, Unit::Seconds, self.bytes)
        };
        let series = sink.series(series);
        sink.pair(series, (NONE, NONE), Class::Unknown, scaled(value, 1e-6), line);
        Some(())
    }

    /// A line after `Summary:`; none if it is cut short.
    fn summary(&mut self, text: &str, line: &Line<'_>, sink: &mut Sink) -> Option<()> {
        let words: Vec<&str> = text.split_whitespace().collect();
        let value = words.iter().position(|word| *word == "is").and_then(|at| words.get(at + 1))?;
        if text.starts_with("Latency") || text.starts_with("Round trip") {
            self.what = if text.starts_with("Latency") { "latency" } else { "round trip" };
            return self.time("mean", value, line, sink);
        }
        let test = format!("sockperf_{}", self.protocol);
        if text.starts_with("Message Rate") {
            let series =
                sink.series(Series::mean(&test, "message rate", Unit::MessagesPerSecond, self.bytes));
            sink.pair(series, (NONE, NONE), Class::Unknown, float(value)?, line);
            self.messages = Some((*value).to_owned());
        } else if text.starts_with("BandWidth") {
            let series = sink.series(Series::mean(&test, "bandwidth", Unit::BytesPerSecond, self.bytes));
            self.scale.value(series, float(value)?, line, sink);
            if let (Some(messages), Some(bytes)) = (&self.messages, self.bytes) {
                self.scale.evidence(value, messages, |rate| rate * bytes as f64);
            }
        }
        Some(())
    }
}

impl Block for SockPerf {
    fn goes_on(&self, line: &Line<'_>) -> bool {
        line.text.starts_with("sockperf: ") && !line.text.starts_with("sockperf: == version")
    }

    fn line(&mut self, line: &Line<'_>, sink: &mut Sink) -> Fate {
        if line.text.starts_with("[ ") && line.text.contains("PORT =") {
            self.protocol = if line.text.ends_with("# TCP") { "tcp" } else { "udp" };
            return Fate::Taken;
        }
        let Some(own) = line.text.strip_prefix("sockperf: ") else {
            let is_known = line.text.starts_with("sockperf[") || line.text.starts_with("maximum throughput");
            return if is_known { Fate::Taken } else { Fate::Foreign };
        };
        let own = own.trim();
        if let Some(version) = own.strip_prefix("== version") {
            sink.fact("sockperf version", version.trim_matches(['#', '=', ' ']));
        } else if let Some(size) = after(own, "msg-size=") {
            self.bytes = size.trim_end_matches('.').parse().ok().or(self.bytes);
        } else if own.starts_with("====> avg-rtt") {
            self.what = "round trip";
        } else if let Some(text) = own.strip_prefix("Summary: ") {
            return if self.summary(text, line, sink).is_some() { Fate::Taken } else { Fate::Broken };
        } else if let Some((name, value)) = own.strip_prefix("---> ").and_then(|rest| rest.split_once('=')) {
            let statistic = match name.trim() {
                "<MAX> observation" => "max".into(),
                "<MIN> observation" => "min".into(),
                name => percentile(name.trim_start_matches("percentile").trim()),
            };
            return if self.time(&statistic, value.trim(), line, sink).is_some() {
                Fate::Taken
            } else {
                Fate::Broken
            };
        } else if own.starts_with("ERROR") || own.starts_with("WARNING") || has_lost(own) {
            sink.notes.add(NoteKind::ToolError, line.number, own);
        }
        Fate::Taken
    }

    fn end(&mut self, sink: &mut Sink) {
        self.scale.settle(sink);
    }
}
