//! `iperf` 2: TCP or UDP between two hosts, as its text.
//!
//! ```text
//! Client connecting to 10.0.0.2, TCP port 5001
//! [  3] local 10.0.0.1 port 49597 connected with 10.0.0.2 port 5001
//! [ ID] Interval       Transfer     Bandwidth
//! [  3]  0.0- 1.0 sec  28.6 MBytes   240 Mbits/sec
//! [  3]  0.0-10.0 sec   264 MBytes   221 Mbits/sec
//! ```
//!
//! Read from output of 2.1.8, and from outputs in public threads (2.0.5 to 2.1). An interval is a sample, the row from 0 to the end
//! the mean; of UDP what the receiver reports is the mean; of several streams their sum. Bits are decimal,
//! bytes (`-f M`) multiples of 2¹⁰. The end whose port is the server's receives, unless the connection is reversed (`-R`). Of
//! `--full-duplex` a row with a star is what the server sends.

use super::iperf2_sums::{Part, sums};
use super::iperf3_text::factor;
use super::table::{Block, Class, Fate, Line, NONE, Series, Sink, Unit, after, float};

/// The port of a server that names none.
const USUAL_PORT: &str = "5001";

/// A connection: of one stream of a test.
#[derive(Clone, Debug, PartialEq)]
struct Connection {
    id: String,
    local: String,
    local_port: String,
    remote: String,
    is_reverse: bool,
    /// One connection for both ways.
    is_full_duplex: bool,
    /// How many rows stand above it.
    rows_above: usize,
}

/// A row of rates.
#[derive(Debug)]
struct Row {
    /// Its connection; none of a sum.
    of: Option<usize>,
    /// What the server sends, of a connection for both ways.
    is_back: bool,
    /// A report is what the receiver counted, as the sender prints it at the end.
    part: Part,
}

/// The output of one run.
#[derive(Debug, Default)]
pub(super) struct Iperf2 {
    port: Option<String>,
    is_udp: bool,
    /// Both ways at once.
    is_both_ways: bool,
    connections: Vec<Connection>,
    rows: Vec<Row>,
    /// The next row is the receiver's.
    has_report: bool,
}

/// Begins at the title, at a connection, or at the head of the columns.
pub(super) fn begin(line: &Line<'_>, sink: &mut Sink) -> Option<Iperf2> {
    let text = line.text;
    // iperf3 of the first years has the same words, and "Retr".
    let is_head = text.starts_with("[ ID] Interval") && text.contains("Bandwidth") && !text.contains("Retr ");
    if !is_title(text) && !is_head && connection(text).is_none() {
        return None;
    }
    sink.format("iperf");
    let mut block = Iperf2::default();
    block.line(line, sink);
    Some(block)
}

/// `Client connecting to 10.0.0.2, TCP port 5001`, `Server listening on UDP port 5001`.
fn is_title(text: &str) -> bool {
    let is_of_a_side = text.starts_with("Client connecting to ") || text.starts_with("Server listening on ");
    is_of_a_side && (text.contains("TCP port ") || text.contains("UDP port "))
}

/// `[  3] local A port 1 connected with B port 2 (reverse)`.
fn connection(text: &str) -> Option<Connection> {
    let (id, rest) = text.strip_prefix('[')?.split_once(']')?;
    let (here, there) = rest.split_once(" connected with ")?;
    // An interface may stand behind an address: `10.0.0.1%ib0`.
    let address = |part: &str| Some(part.split_whitespace().next()?.split('%').next()?.to_owned());
    Some(Connection {
        id: id.trim_matches([' ', '*']).to_owned(),
        local: address(here.trim_start().strip_prefix("local ")?)?,
        local_port: after(here, " port ")?.to_owned(),
        remote: address(there)?,
        // A server that connects back (`-d`) has a star here; it sends as any client.
        is_reverse: there.contains("(reverse)") && !id.contains('*'),
        is_full_duplex: there.contains("(full-duplex)"),
        rows_above: 0,
    })
}

/// The begin of `0.0- 1.0`.
fn begin_of(interval: &str) -> Option<f64> {
    let (begin, end) = interval.split_once('-')?;
    float(end.trim())?;
    float(begin.trim())
}

impl Iperf2 {
    /// Whether the local end of a connection receives.
    fn receives(&self, connection: &Connection) -> bool {
        let port = self.port.as_deref().unwrap_or(USUAL_PORT);
        (connection.local_port == port) != connection.is_reverse
    }

    /// A row of text; none if it is no row.
    fn row(&self, line: &Line<'_>) -> Option<Row> {
        let (id, rest) = line.text.strip_prefix('[')?.split_once(']')?;
        let (interval, rest) = rest.split_once(" sec")?;
        let words: Vec<&str> = rest.split_whitespace().collect();
        let at = words.iter().position(|word| word.ends_with("/sec"))?;
        let name = id.trim_matches([' ', '*']);
        let of = self.connections.iter().rposition(|connection| connection.id == name);
        Some(Row {
            is_back: id.contains('*') && of.is_some_and(|at| self.connections[at].is_full_duplex),
            of: of.filter(|_| !id.contains("SUM")),
            part: Part {
                line: line.number,
                text: line.text.to_owned(),
                begin: begin_of(interval)?,
                rate: float(words.get(at.checked_sub(1)?)?)? * factor(words[at])?,
                is_report: self.has_report,
            },
        })
    }

    fn add(&mut self, row: Row) {
        // One after the other (`-r`), the second way connects after the rows of the first.
        self.is_both_ways |= self.rows.is_empty() && self.has_both_ways();
        self.has_report = false;
        self.rows.push(row);
    }

    /// Whether the connections send in both directions.
    fn has_both_ways(&self) -> bool {
        let is_one = |way: bool| self.connections.iter().any(|one| self.receives(one) == way);
        self.connections.iter().any(|one| one.is_full_duplex) || is_one(true) && is_one(false)
    }

    /// From the sender to the receiver, for a connection; of sums for all, if they have the same ends.
    fn ends(&self, of: Option<usize>, is_back: bool, sink: &mut Sink) -> (u32, u32) {
        let Some(one) = of.or_else(|| Some(0).filter(|_| !self.connections.is_empty())) else {
            return (NONE, NONE);
        };
        let one = &self.connections[one];
        let alike = |other: &Connection| (&other.local, &other.remote) == (&one.local, &one.remote);
        let is_alone = of.is_some() || self.connections.iter().all(alike);
        if one.local == one.remote || !is_alone {
            return (NONE, NONE);
        }
        let (local, remote) = (sink.host(&one.local, None), sink.host(&one.remote, None));
        if self.receives(one) == is_back { (local, remote) } else { (remote, local) }
    }

    /// The rows of one way of some streams, which are added, or of sums.
    fn emit(&self, rows: &[Vec<&Row>], sink: &mut Sink) {
        let Some(first) = rows.first().and_then(|rows| rows.first()) else { return };
        let protocol = if self.is_udp { "udp" } else { "tcp" };
        let both = if self.is_both_ways { " bidirectional" } else { "" };
        let mean = Series::mean(&format!("iperf2_{protocol}{both}"), "bandwidth", Unit::BytesPerSecond, None);
        let ends = self.ends(first.of, first.is_back, sink);
        let parts: Vec<Vec<&Part>> =
            rows.iter().map(|rows| rows.iter().map(|row| &row.part).collect()).collect();
        for (statistic, rate, part) in sums(&parts, sink) {
            let series = sink.series(Series { statistic: statistic.into(), ..mean.clone() });
            let line = Line { number: part.line, text: &part.text };
            sink.pair(series, ends, Class::Unknown, rate, &line);
        }
    }

    /// Whether two connections are streams of one run: one way, and connected before either has a row.
    fn are_streams(&self, one: usize, other: usize) -> bool {
        let (one, other) = (&self.connections[one], &self.connections[other]);
        let of = |one: &Connection| (one.rows_above, self.receives(one), one.is_full_duplex);
        of(one) == of(other) && (&one.local, &one.remote) == (&other.local, &other.remote)
    }
}

impl Block for Iperf2 {
    fn goes_on(&self, line: &Line<'_>) -> bool {
        line.text.starts_with("[ ID]")
            || connection(line.text).is_some()
            || self.rows.is_empty() && is_title(line.text)
    }

    fn line(&mut self, line: &Line<'_>, _sink: &mut Sink) -> Fate {
        let text = line.text;
        if is_title(text) {
            self.port = after(text, " port ").map(str::to_owned).or(self.port.take());
            self.is_udp |= text.contains("UDP port ");
        } else if let Some(found) = connection(text) {
            self.connections.push(Connection { rows_above: self.rows.len(), ..found });
        } else if text.ends_with("Server Report:") {
            self.has_report = true;
        } else if let Some(row) = self.row(line) {
            // `--omit` excludes the warm-up.
            if !text.ends_with("(omitted)") {
                self.add(row);
            }
        } else {
            let known = [
                "[ ID]",
                "TCP window size",
                "UDP buffer size",
                "Sending ",
                "Write buffer",
                "Read buffer",
                "Binding to ",
                "TOS set ",
                "Waiting for server",
            ];
            let is_known = known.iter().any(|start| text.starts_with(start))
                || text.starts_with('[') && (text.contains(" Sent ") || text.contains("WARNING"));
            let is_broken = text.starts_with('[') && text.contains(" sec ");
            return match (is_known, is_broken) {
                (true, _) => Fate::Taken,
                (false, true) => Fate::Broken,
                (false, false) => Fate::Foreign,
            };
        }
        Fate::Taken
    }

    fn end(&mut self, sink: &mut Sink) {
        // A sum of both ways is the rate of neither.
        let has_sum = self.rows.iter().any(|row| row.of.is_none()) && !self.has_both_ways();
        let mut groups: Vec<(Option<usize>, bool)> = Vec::new();
        for row in self.rows.iter().filter(|row| row.of.is_none() == has_sum) {
            if !groups.contains(&(row.of, row.is_back)) {
                groups.push((row.of, row.is_back));
            }
        }
        let context = sink.context.clone();
        while let Some((of, is_back)) = groups.first().copied() {
            let is_beside = |&(other, back): &(Option<usize>, bool)| {
                back == is_back
                    && (other == of || of.zip(other).is_some_and(|(one, other)| self.are_streams(one, other)))
            };
            let (own, rest): (Vec<_>, Vec<_>) = groups.into_iter().partition(is_beside);
            groups = rest;
            let streams = if has_sum { self.connections.len() } else { own.len() };
            if streams > 1 {
                sink.setting(format!("num_streams={streams}"));
            }
            let of_group = |group: (Option<usize>, bool)| {
                self.rows.iter().filter(|row| (row.of, row.is_back) == group).collect::<Vec<&Row>>()
            };
            let rows: Vec<Vec<&Row>> = own.into_iter().map(of_group).collect();
            self.emit(&rows, sink);
            sink.context = context.clone();
        }
    }
}
