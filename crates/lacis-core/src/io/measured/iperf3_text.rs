//! The text of `iperf3`, as it prints it without `--json`.
//!
//! ```text
//! Connecting to host 10.0.0.2, port 5201
//! [  5] local 10.0.0.1 port 34734 connected to 10.0.0.2 port 5201
//! [ ID] Interval           Transfer     Bitrate         Retr  Cwnd
//! [  5]   0.00-1.00   sec   164 MBytes  1.38 Gbits/sec   65   1013 KBytes
//! [  5]   0.00-10.00  sec  3.70 GBytes  3.18 Gbits/sec    0             sender
//! [  5]   0.00-10.04  sec  3.70 GBytes  3.16 Gbits/sec                  receiver
//! ```
//!
//! From outputs in public threads (3.1 to 3.17). As of its JSON, every interval is a sample and what the receiver got is the mean; of
//! several streams their sum. Bits are decimal, bytes (`-f M`) multiples of 2¹⁰. A row of iperf 2, whose times have other decimals,
//! is none of these.

use super::table::{Block, Class, Fate, Line, NONE, Series, Sink, Unit, after, float};

/// A row of rates.
#[derive(Debug)]
struct Row {
    line: usize,
    text: String,
    is_sum: bool,
    /// From the connected side to this one, if both ways are measured: `RX-C`.
    is_back: Option<bool>,
    rate: f64,
    /// `sender` or `receiver` at the end of a run.
    side: Option<&'static str>,
}

/// The output of one run.
#[derive(Debug, Default)]
pub(super) struct Iperf3Text {
    local: Option<String>,
    remote: Option<String>,
    /// The local side accepts the connection.
    is_server: bool,
    is_reverse: bool,
    is_udp: bool,
    streams: u32,
    rows: Vec<Row>,
}

/// Begins at the connection, or at the head of the columns where that is lost.
pub(super) fn begin(line: &Line<'_>, sink: &mut Sink) -> Option<Iperf3Text> {
    let text = line.text;
    let is_start = (text.starts_with("Connecting to host ") || text.starts_with("Accepted connection from "))
        && text.contains(", port ");
    let is_head = (text.starts_with("[ ID] Interval") || text.starts_with("[ ID][Role] Interval"))
        && text.contains("Bitrate");
    if !is_start && !is_head && connection(text).is_none() {
        return None;
    }
    sink.format("iperf3");
    let mut block = Iperf3Text::default();
    block.line(line, sink);
    Some(block)
}

/// `[  5] local A port 1 connected to B port 2`: both addresses.
fn connection(text: &str) -> Option<(&str, &str)> {
    let rest = text.strip_prefix('[')?.split_once(']')?.1;
    (rest.contains(" port ") && rest.contains(" connected to "))
        .then_some((after(rest, "local ")?, after(rest, " connected to ")?))
}

/// Bytes per second of a unit.
pub(super) fn factor(unit: &str) -> Option<f64> {
    const KIBI: f64 = 1024.0;
    Some(match unit {
        "bits/sec" => 0.125,
        "Kbits/sec" => 125.0,
        "Mbits/sec" => 125e3,
        "Gbits/sec" => 125e6,
        "Tbits/sec" => 125e9,
        "Bytes/sec" => 1.0,
        "KBytes/sec" => KIBI,
        "MBytes/sec" => KIBI * KIBI,
        "GBytes/sec" => KIBI * KIBI * KIBI,
        _ => return None,
    })
}

/// A row: `[  5]   0.00-1.00   sec   164 MBytes  1.38 Gbits/sec …`.
fn row(line: &Line<'_>) -> Option<Row> {
    let (id, rest) = line.text.strip_prefix('[')?.split_once(']')?;
    let (role, rest) = match rest.strip_prefix('[') {
        Some(rest) => rest.split_once(']')?,
        None => ("", rest),
    };
    let words: Vec<&str> = rest.split_whitespace().collect();
    let (begin, end) = words.first()?.split_once('-')?;
    let has_two_decimals = |text: &str| text.split_once('.').is_some_and(|(_, after)| after.len() == 2);
    if words.get(1) != Some(&"sec") || !has_two_decimals(begin) || !has_two_decimals(end) {
        return None;
    }
    let at = words.iter().position(|word| word.ends_with("/sec"))?;
    Some(Row {
        line: line.number,
        text: line.text.to_owned(),
        is_sum: id == "SUM",
        is_back: (!role.is_empty()).then(|| role.starts_with("RX")),
        rate: float(words.get(at.checked_sub(1)?)?)? * factor(words[at])?,
        side: ["sender", "receiver"].into_iter().find(|side| words.last() == Some(side)),
    })
}

impl Iperf3Text {
    fn has_ended(&self) -> bool {
        self.rows.iter().any(|row| row.side.is_some())
    }

    /// Adds a value of one way.
    fn add(&self, row: &Row, statistic: &str, is_both_ways: bool, sink: &mut Sink) {
        let protocol = if self.is_udp { "udp" } else { "tcp" };
        let test = format!("iperf3_{protocol}{}", if is_both_ways { " bidirectional" } else { "" });
        let mean = Series::mean(&test, "bandwidth", Unit::BytesPerSecond, None);
        let series = sink.series(Series { statistic: statistic.into(), ..mean });
        let ends = match (&self.local, &self.remote) {
            (Some(local), Some(remote)) if local != remote => {
                (sink.host(local, None), sink.host(remote, None))
            }
            _ => (NONE, NONE),
        };
        let is_back = row.is_back.unwrap_or(self.is_reverse != self.is_server);
        let ends = if is_back { (ends.1, ends.0) } else { ends };
        let line = Line { number: row.line, text: &row.text };
        sink.pair(series, ends, Class::Unknown, row.rate, &line);
    }
}

impl Block for Iperf3Text {
    fn goes_on(&self, line: &Line<'_>) -> bool {
        line.text.starts_with("[ ID]") || connection(line.text).is_some() && !self.has_ended()
    }

    fn line(&mut self, line: &Line<'_>, _sink: &mut Sink) -> Fate {
        let text = line.text;
        if let Some((local, remote)) = connection(text) {
            self.local = Some(local.to_owned());
            self.remote = Some(remote.to_owned());
            self.streams += 1;
        } else if text.starts_with("Accepted connection from ") {
            self.is_server = true;
        } else if text.starts_with("Reverse mode") {
            self.is_reverse = true;
        } else if text.starts_with("[ ID]") {
            self.is_udp |= text.contains("Datagrams");
        } else if let Some(row) = row(line) {
            // `--omit` excludes the warm-up.
            if !text.ends_with("(omitted)") {
                self.rows.push(row);
            }
        } else if ![
            "- - -",
            "iperf Done",
            "Connecting to host ",
            "Server listening",
            "Test Complete",
            "Starting Test",
        ]
        .iter()
        .any(|start| text.starts_with(start))
        {
            return if text.starts_with('[') && text.contains("bits/sec") {
                Fate::Broken
            } else {
                Fate::Foreign
            };
        }
        Fate::Taken
    }

    fn end(&mut self, sink: &mut Sink) {
        let rows = std::mem::take(&mut self.rows);
        let has_sum = rows.iter().any(|row| row.is_sum);
        let is_both_ways = rows.iter().any(|row| row.is_back.is_some());
        if self.streams > 1 {
            sink.setting(format!("num_streams={}", self.streams));
        }
        let received =
            |back: Option<bool>| rows.iter().any(|row| row.side == Some("receiver") && row.is_back == back);
        for row in rows.iter().filter(|row| row.is_sum == has_sum) {
            match row.side {
                None => self.add(row, "sample", is_both_ways, sink),
                Some("sender") if received(row.is_back) => {}
                Some(_) => self.add(row, "mean", is_both_ways, sink),
            }
        }
    }
}
