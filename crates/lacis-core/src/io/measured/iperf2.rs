//! `iperf` 2: TCP or UDP between two hosts, as its text and as CSV (`-y C`).
//!
//! ```text
//! Client connecting to 10.0.0.2, TCP port 5001
//! [  3] local 10.0.0.1 port 49597 connected with 10.0.0.2 port 5001
//! [ ID] Interval       Transfer     Bandwidth
//! [  3]  0.0- 1.0 sec  28.6 MBytes   240 Mbits/sec
//! [  3]  0.0-10.0 sec   264 MBytes   221 Mbits/sec
//! 20261129072600,10.0.0.1,49597,10.0.0.2,5001,3,0.0-10.0,276824064,221459251
//! ```
//!
//! Read from output of 2.1.8, and from outputs in public threads (2.0.5 to 2.1). An interval is a sample, the row from 0 to the end
//! the mean; of UDP what the receiver reports is the mean; of several streams their sum, which CSV does not have. Bits are decimal,
//! bytes (`-f M`) multiples of 2¹⁰. The end whose port is the server's receives, unless the connection is reversed (`-R`). Of
//! `--full-duplex` a row with a star is what the server sends.

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
}

/// A row of rates.
#[derive(Debug)]
struct Row {
    line: usize,
    text: String,
    /// Its connection; none of a sum.
    of: Option<usize>,
    /// What the server sends, of a connection for both ways.
    is_back: bool,
    begin: f64,
    rate: f64,
    /// What the receiver counted, as the sender prints it at the end.
    is_report: bool,
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

/// Begins at the title, at a connection, at the head of the columns, or at a row of CSV.
pub(super) fn begin(line: &Line<'_>, sink: &mut Sink) -> Option<Iperf2> {
    let text = line.text;
    // iperf3 of the first years has the same words, and "Retr".
    let is_head = text.starts_with("[ ID] Interval") && text.contains("Bandwidth") && !text.contains("Retr ");
    if !is_title(text) && !is_head && connection(text).is_none() && csv(text).is_none() {
        return None;
    }
    sink.format("iperf");
    let mut block = Iperf2::default();
    block.line(line, sink);
    Some(block)
}

/// Begins at a row of CSV.
pub(super) fn begin_row(line: &Line<'_>, sink: &mut Sink) -> Option<Iperf2> {
    csv(line.text).and_then(|_| begin(line, sink))
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
    })
}

/// The begin of `0.0- 1.0`.
fn begin_of(interval: &str) -> Option<f64> {
    let (begin, end) = interval.split_once('-')?;
    float(end.trim())?;
    float(begin.trim())
}

/// A row of CSV: its connection, the begin of its interval, and its rate. The ids of sums are below 0.
fn csv(text: &str) -> Option<(Connection, f64, f64)> {
    let fields: Vec<&str> = text.split(',').map(str::trim).collect();
    let [time, local, local_port, remote, remote_port, id, interval, bytes, bits, ..] = fields[..] else {
        return None;
    };
    // A zone may stand before the time, and a fraction of a second behind it.
    let time = time.rsplit_once(':').map_or(time, |(_, time)| time);
    let digits = time.split('.').next().unwrap_or("");
    let is_number = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    let is_row = digits.len() == 14
        && is_number(digits)
        && is_number(local_port)
        && is_number(remote_port)
        && is_number(bytes)
        && is_number(id.trim_start_matches('-'));
    let made = Connection {
        id: id.to_owned(),
        local: local.to_owned(),
        local_port: local_port.to_owned(),
        remote: remote.to_owned(),
        is_reverse: false,
        is_full_duplex: false,
    };
    Some((made, begin_of(interval)?, float(bits)? / 8.0)).filter(|_| is_row)
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
            line: line.number,
            text: line.text.to_owned(),
            is_back: id.contains('*') && of.is_some_and(|at| self.connections[at].is_full_duplex),
            of: of.filter(|_| !id.contains("SUM")),
            begin: begin_of(interval)?,
            rate: float(words.get(at.checked_sub(1)?)?)? * factor(words[at])?,
            is_report: self.has_report,
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

    /// The rows of one way of one connection, or of sums.
    fn emit(&self, rows: &[&Row], sink: &mut Sink) {
        let protocol = if self.is_udp { "udp" } else { "tcp" };
        let both = if self.is_both_ways { " bidirectional" } else { "" };
        let mean = Series::mean(&format!("iperf2_{protocol}{both}"), "bandwidth", Unit::BytesPerSecond, None);
        let report = rows.iter().rposition(|row| row.is_report && row.rate.is_finite() && row.rate > 0.0);
        let whole = rows.iter().rposition(|row| !row.is_report && row.begin == 0.0);
        // A run that was cut short has its first interval, and no row of the whole.
        let whole = whole.filter(|&at| at > 0 || rows.iter().filter(|row| !row.is_report).count() == 1);
        for (at, row) in rows.iter().enumerate() {
            let statistic = if Some(at) == report || Some(at) == whole && report.is_none() {
                "mean"
            } else if Some(at) == whole || row.is_report {
                continue;
            } else {
                "sample"
            };
            let series = sink.series(Series { statistic: statistic.into(), ..mean.clone() });
            let ends = self.ends(row.of, row.is_back, sink);
            let line = Line { number: row.line, text: &row.text };
            sink.pair(series, ends, Class::Unknown, row.rate, &line);
        }
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
            self.connections.push(found);
        } else if let Some((found, begin, rate)) = csv(text) {
            let is_sum = found.id.starts_with('-');
            let known = self.connections.iter().position(|one| *one == found);
            let of = known.unwrap_or(self.connections.len());
            if known.is_none() && !is_sum {
                self.connections.push(found);
            }
            self.is_udp |= text.split(',').count() > 9;
            let of = Some(of).filter(|_| !is_sum);
            let (text, is_report) = (text.to_owned(), false);
            self.add(Row { line: line.number, text, of, is_back: false, begin, rate, is_report });
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
        if self.connections.len() > 1 && has_sum {
            sink.setting(format!("num_streams={}", self.connections.len()));
        }
        let mut groups: Vec<(Option<usize>, bool)> = Vec::new();
        for row in self.rows.iter().filter(|row| row.of.is_none() == has_sum) {
            if !groups.contains(&(row.of, row.is_back)) {
                groups.push((row.of, row.is_back));
            }
        }
        for (of, is_back) in groups {
            let rows: Vec<&Row> =
                self.rows.iter().filter(|row| (row.of, row.is_back) == (of, is_back)).collect();
            self.emit(&rows, sink);
        }
    }
}
