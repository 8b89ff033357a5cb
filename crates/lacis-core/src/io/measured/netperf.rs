//! `netperf`: streams, and requests with their responses, between two hosts.
//!
//! ```text
//! MIGRATED TCP STREAM TEST from 10.0.0.1 () port 0 AF_INET to 10.0.0.2 () port 0 AF_INET : demo
//! Recv   Send    Send
//! Socket Socket  Message  Elapsed
//! Size   Size    Size     Time     Throughput
//! bytes  bytes   bytes    secs.    10^6bits/sec
//! 131072  16384  16384    10.00    9412.12
//! OMNI Send TEST from 10.0.0.1 () port 0 AF_INET to 10.0.0.2 () port 0 AF_INET
//! THROUGHPUT=9412.12
//! THROUGHPUT_UNITS=10^6bits/s
//! ```
//!
//! From its manual, and outputs of 2.6 and 2.7 in public threads. Bits are decimal, bytes (`-f M`) multiples of 2¹⁰. Of UDP what
//! was received counts. Selected results are read where they say their unit: names and values (`-k`), CSV (`-o`), columns (`-O`)
//! that have the rate beside its unit. A local end that is any address (0.0.0.0) names no host: runs are then distinguished by the
//! remote one.

use super::table::{Block, Class, Fate, Line, NONE, Series, Sink, Unit, float, scaled};
use crate::io::NoteKind;

/// Latencies, in microseconds: the name with `-k`, the beginning of the name in CSV, and the statistic.
const LATENCIES: [(&str, &str, &str); 7] = [
    ("MIN_LATENCY", "Minimum Latency", "min"),
    ("MAX_LATENCY", "Maximum Latency", "max"),
    ("MEAN_LATENCY", "Mean Latency", "mean"),
    ("P50_LATENCY", "50th Percentile Latency", "median"),
    ("P90_LATENCY", "90th Percentile Latency", "p90"),
    ("P99_LATENCY", "99th Percentile Latency", "p99"),
    ("STDDEV_LATENCY", "Stddev Latency", "standard deviation"),
];
/// What lines of a head begin with.
const HEADS: [&str; 22] = [
    "Recv",
    "Socket",
    "Size",
    "bytes",
    "Local",
    "Remote",
    "Send",
    "Throughput",
    "Units",
    "Final",
    "Microseconds",
    "Minimum",
    "Maximum",
    "Mean",
    "Latency",
    "Transaction",
    "Rate",
    "Elapsed",
    "Percentile",
    "Stddev",
    "Request",
    "%",
];

/// What a test does.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Kind {
    /// One end sends, by connections.
    #[default]
    Stream,
    /// One end sends, and what arrives is counted.
    Datagrams,
    /// Requests with responses.
    Requests,
}

/// A result that has a name.
#[derive(Debug)]
struct Named {
    name: String,
    value: String,
    line: usize,
}

/// The output of one run.
#[derive(Debug, Default)]
pub(super) struct NetPerf {
    test: String,
    local: Option<String>,
    remote: Option<String>,
    /// The remote end sends.
    is_back: bool,
    does: Kind,
    /// The head is that of a test without selected results.
    has_usual_head: bool,
    /// Of the head.
    unit: Option<(Unit, f64)>,
    /// Bytes of a message that was sent, until what was received is known.
    sent: Option<u64>,
    has_row: bool,
    /// Names of the columns of CSV.
    columns: Vec<String>,
    named: Vec<Named>,
    /// The line of the title.
    line: usize,
}

/// Begins at the title.
pub(super) fn begin(line: &Line<'_>, sink: &mut Sink) -> Option<NetPerf> {
    let title = line.text.strip_prefix("MIGRATED ").unwrap_or(line.text);
    let (kind, rest) = title.split_once(" TEST from ")?;
    let (from, to) = rest.split_once(" to ")?;
    let starts = ["TCP ", "UDP ", "SCTP ", "DCCP ", "OMNI "];
    if !starts.iter().any(|start| title.starts_with(start)) || !from.contains(" AF_") {
        return None;
    }
    sink.format("netperf");
    let host = |text: &str| {
        let name = text.split_whitespace().next()?;
        let is_any = name == "(null)" || name.bytes().all(|byte| matches!(byte, b'0' | b'.' | b':'));
        Some(name.to_owned()).filter(|_| !is_any)
    };
    let kind = kind.to_lowercase().replace("request/response", "rr").replace("connect/rr", "crr");
    Some(NetPerf {
        test: format!("netperf_{}", kind.replace(|c: char| !c.is_ascii_alphanumeric(), "_")),
        local: host(from),
        remote: host(to),
        is_back: kind.ends_with("maerts") || kind == "omni receive",
        does: match kind.as_str() {
            "udp stream" => Kind::Datagrams,
            kind if kind.ends_with("rr") => Kind::Requests,
            _ => Kind::Stream,
        },
        line: line.number,
        ..NetPerf::default()
    })
}

/// A unit of a rate, and the factor to ours: `10^6bits/sec`, `MBytes/s`, `Trans/s`.
fn unit(text: &str) -> Option<(Unit, f64)> {
    const KIBI: f64 = 1024.0;
    let (amount, per) = text.split_once('/')?;
    if !matches!(per, "s" | "sec") {
        return None;
    }
    Some(match amount {
        "10^3bits" => (Unit::BytesPerSecond, 125.0),
        "10^6bits" => (Unit::BytesPerSecond, 125e3),
        "10^9bits" => (Unit::BytesPerSecond, 125e6),
        "KBytes" => (Unit::BytesPerSecond, KIBI),
        "MBytes" => (Unit::BytesPerSecond, KIBI * KIBI),
        "GBytes" => (Unit::BytesPerSecond, KIBI * KIBI * KIBI),
        "Trans" => (Unit::MessagesPerSecond, 1.0),
        _ => return None,
    })
}

/// Whether this is a name of `-k`: `THROUGHPUT_UNITS`.
fn is_name(text: &str) -> bool {
    text.bytes().any(|byte| byte.is_ascii_uppercase())
        && text.bytes().all(|byte| byte.is_ascii_uppercase() || byte.is_ascii_digit() || byte == b'_')
}

/// Whether this is a name of CSV.
fn is_column(text: &str) -> bool {
    text.starts_with("Throughput") || text.starts_with("Transaction Rate") || text.contains(" Latency ")
}

impl NetPerf {
    fn add(&self, series: Series, value: f64, line: &Line<'_>, sink: &mut Sink) {
        let series = sink.series(series);
        let ends = match (&self.local, &self.remote) {
            (Some(local), Some(remote)) if local != remote => {
                let (local, remote) = (sink.host(local, None), sink.host(remote, None));
                if self.is_back { (remote, local) } else { (local, remote) }
            }
            _ => (NONE, NONE),
        };
        sink.pair(series, ends, Class::Unknown, value, line);
    }

    /// Values of a rate: the mean of the run.
    fn rate(&self, unit: Unit, bytes: Option<u64>) -> Series {
        let what = if unit == Unit::MessagesPerSecond { "transaction rate" } else { "bandwidth" };
        Series::mean(&self.test, what, unit, bytes)
    }

    /// A row below the head of a test without selected results; none if it is cut short.
    fn row(&mut self, fields: &[&str], line: &Line<'_>, sink: &mut Sink) -> Option<()> {
        let numbers: Vec<f64> = fields.iter().map(|field| float(field)).collect::<Option<_>>()?;
        let size = |at: usize| fields.get(at).and_then(|field| field.parse::<u64>().ok());
        match self.does {
            // The sockets of the remote end stand alone in the second row.
            Kind::Requests if numbers.len() == 2 && self.has_row => {}
            Kind::Requests => {
                let (request, response, rate) = (size(2)?, size(3)?, *numbers.get(5)?);
                if request != response {
                    sink.setting(format!("response={response}"));
                }
                self.add(self.rate(Unit::MessagesPerSecond, Some(request)), rate, line, sink);
            }
            // Socket, message, time, messages, errors and rate that were sent.
            Kind::Datagrams if numbers.len() >= 6 => self.sent = size(1),
            // What was received, without two of these.
            Kind::Datagrams => {
                let ((unit, factor), rate) = (self.unit?, numbers.get(3)?);
                self.add(self.rate(unit, self.sent), rate * factor, line, sink);
            }
            Kind::Stream => {
                let (unit, factor) = self.unit?;
                self.add(self.rate(unit, size(2)), numbers.get(4)? * factor, line, sink);
            }
        }
        self.has_row = true;
        Some(())
    }

    /// `35344.39 10^6bits/s over 1.002 seconds ending at 1559149724.219`: an interval.
    fn interim(&self, text: &str, line: &Line<'_>, sink: &mut Sink) -> Option<()> {
        let mut words = text.split_whitespace();
        let (value, (unit, factor)) = (float(words.next()?)?, unit(words.next()?)?);
        let series = Series { statistic: "sample".into(), ..self.rate(unit, None) };
        self.add(series, value * factor, line, sink);
        Some(())
    }

    /// A line of CSV: the names of its columns, or their values.
    fn csv(&mut self, line: &Line<'_>) -> Fate {
        let fields: Vec<&str> = line.text.split(',').map(str::trim).collect();
        if fields.iter().any(|field| is_column(field)) {
            self.columns = fields.iter().map(|&field| field.to_owned()).collect();
            return Fate::Taken;
        }
        if self.columns.is_empty() {
            return Fate::Foreign;
        }
        if fields.len() != self.columns.len() {
            return Fate::Broken;
        }
        for (name, value) in self.columns.iter().zip(&fields) {
            let (name, value) = (name.clone(), (*value).to_owned());
            self.named.push(Named { name, value, line: line.number });
        }
        Fate::Taken
    }

    /// Adds the results that have a name: the rate and its unit, and times.
    fn add_named(&self, sink: &mut Sink) {
        let get = |key: &str, head: &str| {
            self.named.iter().find(|one| one.name == key || !head.is_empty() && one.name.starts_with(head))
        };
        let size = |key: &str, head: &str| get(key, head).and_then(|one| one.value.parse::<u64>().ok());
        let bytes = size("REQUEST_SIZE", "Request Size Bytes").filter(|&size| size > 0);
        let bytes = bytes.or_else(|| size("LOCAL_SEND_SIZE", "Local Send Size"));
        let units = get("THROUGHPUT_UNITS", "Throughput Units").and_then(|one| unit(&one.value));
        let rate = get("THROUGHPUT", "").or_else(|| get("Throughput", ""));
        let transactions = get("TRANSACTION_RATE", "Transaction Rate");
        let found = match (rate, units, transactions) {
            (Some(rate), Some(units), _) => Some((rate, units)),
            (_, _, Some(rate)) => Some((rate, (Unit::MessagesPerSecond, 1.0))),
            _ => None,
        };
        if let Some((one, (unit, factor))) = found
            && let Some(value) = float(&one.value)
        {
            let line = Line { number: one.line, text: &one.name };
            self.add(self.rate(unit, bytes), value * factor, &line, sink);
        }
        for (key, head, statistic) in LATENCIES {
            let Some(one) = get(key, head) else { continue };
            let Some(value) = float(&one.value).filter(|&value| value > 0.0) else { continue };
            let line = Line { number: one.line, text: &one.name };
            let mean = Series::mean(&self.test, "round trip", Unit::Seconds, bytes);
            self.add(Series { statistic: statistic.into(), ..mean }, scaled(value, 1e-6), &line, sink);
        }
    }
}

impl Block for NetPerf {
    fn line(&mut self, line: &Line<'_>, sink: &mut Sink) -> Fate {
        let text = line.text;
        if let (None, Some(remote)) = (&self.local, &self.remote) {
            sink.setting(format!("to={remote}"));
        }
        if let Some(rest) = text.strip_prefix("Interim result:") {
            return if self.interim(rest, line, sink).is_some() { Fate::Taken } else { Fate::Broken };
        }
        if let Some((name, value)) = text.split_once('=').filter(|(name, _)| is_name(name)) {
            let (name, value) = (name.to_owned(), value.trim().to_owned());
            self.named.push(Named { name, value, line: line.number });
            return Fate::Taken;
        }
        if text.starts_with("establish control") || text.starts_with("netperf: ") {
            sink.notes.add(NoteKind::ToolError, line.number, text);
            return Fate::Taken;
        }
        if text.contains(',') {
            return self.csv(line);
        }
        let fields: Vec<&str> = text.split_whitespace().collect();
        let is_row = fields.first().is_some_and(|field| float(field).is_some());
        if let Some(at) = fields.iter().position(|field| unit(field).is_some()) {
            let own = unit(fields[at]);
            if !is_row {
                self.unit = own;
                return Fate::Taken;
            }
            // Selected columns: the rate stands before its unit.
            let rate = at.checked_sub(1).and_then(|before| float(fields[before]));
            let (Some((unit, factor)), Some(rate)) = (own, rate) else { return Fate::Broken };
            self.add(self.rate(unit, None), rate * factor, line, sink);
            self.has_row = true;
            return Fate::Taken;
        }
        if is_row {
            let is_read = self.has_usual_head && self.row(&fields, line, sink).is_some();
            return if is_read { Fate::Taken } else { Fate::Broken };
        }
        let usual = ["Recv   Send", "Local /Remote", "Socket  Message"];
        self.has_usual_head |= usual.iter().any(|start| text.starts_with(start));
        let is_head = !self.has_row && HEADS.iter().any(|start| text.starts_with(start));
        if is_head { Fate::Taken } else { Fate::Foreign }
    }

    fn decimals(&self, line: &Line<'_>) -> Option<usize> {
        let is_row = line.text.starts_with(|c: char| c.is_ascii_digit()) && !line.text.contains(',');
        (is_row && self.has_usual_head).then_some(2)
    }

    fn end(&mut self, sink: &mut Sink) {
        self.add_named(sink);
        if !self.has_row && self.named.is_empty() {
            sink.notes.add(NoteKind::NoRows, self.line, &self.test);
        }
    }
}
