//! `iperf` 2 as CSV (`-y C`): a row for each stream and interval, and none of their sum in recent versions.
//!
//! ```text
//! 20261129103632,10.0.0.1,39381,10.0.0.2,5001,2,0.0-1.0,2738094140,21904753120
//! 20261129103632,10.0.0.1,51595,10.0.0.2,5001,1,0.0-1.0,1225916476,9807331808
//! ```
//!
//! Read from output of 2.1.8, and from outputs in public threads. Of several streams (`-P N`) the sum over an interval is the
//! bandwidth of the pair; old versions print it, with an id below 0. Streams of one run have ids of their own and begin together.
//! 2.1 names the sender first, and what a client receives over a connection for both ways has no second end. Older ones name
//! their own end first, and count ids from 3. Of UDP what the receiver reports is the mean, in rows with further fields.

use super::iperf2_sums::{Part, sums};
use super::table::{Block, Class, Fate, Line, NONE, Series, Sink, Unit, float};
use crate::io::NoteKind;

/// The port of a server that names none.
const USUAL_PORT: &str = "5001";
/// Most that the beginnings of streams of one run differ by [s]: a row's time is when it was printed.
const TOGETHER: f64 = 2.0;

/// An address and a port.
type Address = (String, String);

/// A row as it stands.
#[derive(Clone, Debug)]
struct Row {
    line: usize,
    text: String,
    id: i64,
    /// Seconds since 1970; none where the program had no clock.
    time: Option<f64>,
    first: Address,
    second: Address,
    begin: f64,
    end: f64,
    rate: f64,
    /// It has what only a receiver counts.
    has_losses: bool,
}

/// A stream of a run, one way.
#[derive(Debug)]
struct Stream {
    id: i64,
    from: Address,
    to: Address,
    rows: Vec<Row>,
}

/// Rows of one or several runs.
#[derive(Debug, Default)]
pub(super) struct Iperf2Csv {
    rows: Vec<Row>,
}

/// Begins at a row.
pub(super) fn begin(line: &Line<'_>, sink: &mut Sink) -> Option<Iperf2Csv> {
    let row = row(line)?;
    sink.format("iperf");
    Some(Iperf2Csv { rows: vec![row] })
}

fn is_number(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit())
}

/// The time that a row begins with: `20261129103632`, a zone before it, a fraction of a second behind it.
fn time(text: &str) -> Option<&str> {
    let time = text.rsplit_once(':').map_or(text, |(_, time)| time);
    let digits = time.split('.').next().unwrap_or("");
    (digits.len() == 14 && is_number(digits)).then_some(digits)
}

/// Seconds since 1970 of a time; months and years have days enough for a difference.
fn seconds(digits: &str) -> Option<f64> {
    let part = |at: std::ops::Range<usize>| digits.get(at)?.parse::<u32>().ok().map(f64::from);
    let (year, month, day) = (part(0..4)?, part(4..6)?, part(6..8)?);
    let days = (year * 12.0 + month) * 31.0 + day;
    let clock = part(8..10)? * 3600.0 + part(10..12)? * 60.0 + part(12..14)?;
    (year > 1970.0).then_some(days * 86400.0 + clock)
}

fn row(line: &Line<'_>) -> Option<Row> {
    let fields: Vec<&str> = line.text.split(',').map(str::trim).collect();
    let [at, local, local_port, remote, remote_port, id, interval, bytes, bits, ..] = fields[..] else {
        return None;
    };
    let digits = time(at)?;
    let (begin, end) = interval.split_once('-')?;
    let is_row = is_number(local_port) && is_number(remote_port) && is_number(bytes);
    let made = Row {
        line: line.number,
        text: line.text.to_owned(),
        id: id.parse().ok()?,
        time: seconds(digits),
        first: (local.to_owned(), local_port.to_owned()),
        second: (remote.to_owned(), remote_port.to_owned()),
        begin: float(begin.trim())?,
        end: float(end.trim())?,
        rate: float(bits)? / 8.0,
        has_losses: fields.len() > 9,
    };
    Some(made).filter(|_| is_row)
}

impl Row {
    /// When its run began, by the clock.
    fn run_began(&self) -> Option<f64> {
        Some(self.time? - self.end)
    }

    /// The other end is unknown: `::,0`, what a client receives over a connection for both ways.
    fn is_back(&self) -> bool {
        self.second.1 == "0" && matches!(self.second.0.as_str(), "::" | "0.0.0.0")
    }

    /// Whether it may be of the run that has these rows.
    fn may_be_of(&self, run: &[Row]) -> bool {
        let Some(first) = run.first() else { return true };
        let length = run.iter().map(|row| row.end).fold(self.end, f64::max);
        let is_together = match (first.run_began(), self.run_began()) {
            // A row of one second may be printed in the next one.
            (Some(one), Some(other)) => (one - other).abs() <= TOGETHER.min(length.max(1.0)),
            _ => true,
        };
        let is_same = |row: &Row| row.id == self.id && !row.is_back() && !self.is_back();
        let ends = |row: &Row| {
            let mut both = [row.first.clone(), row.second.clone()];
            both.sort_unstable();
            both
        };
        let is_other_connection =
            self.id >= 0 && run.iter().any(|row| is_same(row) && ends(row) != ends(self));
        // A stream has a first interval, and a whole.
        let own = run.iter().filter(|row| row.id == self.id && row.first == self.first);
        let beginnings = own.filter(|row| row.begin == 0.0 && row.has_losses == self.has_losses).count();
        is_together && !is_other_connection && !(self.begin == 0.0 && beginnings >= 2)
    }
}

/// The streams of a run, each one way.
fn streams(run: &[Row]) -> Vec<Stream> {
    // 2.1 counts from 1, and names the sender first.
    let is_recent = run.iter().any(|row| matches!(row.id, 1 | 2));
    let mut streams: Vec<Stream> = Vec::new();
    for row in run {
        let forward = (row.first.clone(), row.second.clone());
        let (from, to) = if row.is_back() {
            // Back over the connection that another row names.
            let there = run.iter().find(|other| other.id == row.id && !other.is_back());
            (row.first.clone(), there.map_or_else(Default::default, |there| there.first.clone()))
        } else if !is_recent && row.first.1 == USUAL_PORT && row.second.1 != USUAL_PORT {
            (forward.1, forward.0)
        } else {
            forward
        };
        let known = streams.iter_mut().find(|stream| {
            stream.id == row.id && (stream.from.0.as_str(), &stream.to) == (from.0.as_str(), &to)
        });
        match known {
            Some(stream) => stream.rows.push(row.clone()),
            None => streams.push(Stream { id: row.id, from, to, rows: vec![row.clone()] }),
        }
    }
    streams
}

impl Stream {
    /// The hosts.
    fn way(&self) -> (&str, &str) {
        (&self.from.0, &self.to.0)
    }

    /// Its rows; where some have what only a receiver counts, those are reports.
    fn parts(&self) -> Vec<Part> {
        let has_both =
            self.rows.iter().any(|row| row.has_losses) && self.rows.iter().any(|row| !row.has_losses);
        let part = |row: &Row| Part {
            line: row.line,
            text: row.text.clone(),
            begin: row.begin,
            rate: row.rate,
            is_report: has_both && row.has_losses,
        };
        self.rows.iter().map(part).collect()
    }
}

/// Whether rows of two ways alternate, as they do where both are measured at once.
fn are_at_once(run: &[Row], streams: &[Stream]) -> bool {
    let way = |row: &Row| {
        streams.iter().find(|one| one.rows.iter().any(|own| own.line == row.line)).map(Stream::way)
    };
    let ways: Vec<_> = run.iter().filter_map(way).collect();
    let is_back = |one: (&str, &str)| ways.iter().any(|other| (one.1, one.0) == *other && one.0 != one.1);
    let changes = ways.windows(2).filter(|two| two[0] != two[1]).count();
    run.iter().any(Row::is_back) || changes > 1 && ways.iter().any(|&one| is_back(one))
}

/// The values of a run.
fn emit(run: &[Row], sink: &mut Sink) {
    let mut streams = streams(run);
    let is_sum = |stream: &Stream| stream.id < 0;
    let is_both_ways = are_at_once(run, &streams);
    let count = streams.iter().filter(|stream| !is_sum(stream)).count();
    // A sum that is printed; of both ways it is the rate of neither.
    let has_sum = streams.iter().any(is_sum) && !is_both_ways;
    streams.retain(|stream| is_sum(stream) == has_sum);
    let mut ways: Vec<(String, String)> = Vec::new();
    for stream in &streams {
        let way = (stream.from.0.clone(), stream.to.0.clone());
        if !ways.contains(&way) {
            ways.push(way);
        }
    }
    let protocol = if run.iter().any(|row| row.has_losses) { "udp" } else { "tcp" };
    let both = if is_both_ways { " bidirectional" } else { "" };
    let mean = Series::mean(&format!("iperf2_{protocol}{both}"), "bandwidth", Unit::BytesPerSecond, None);
    let context = sink.context.clone();
    for way in ways {
        let own: Vec<&Stream> = streams.iter().filter(|one| one.way() == (&way.0, &way.1)).collect();
        let streams = if has_sum { count } else { own.len() };
        if streams > 1 {
            sink.setting(format!("num_streams={streams}"));
        }
        // Where it had no clock, streams may be runs one after the other.
        if own.len() > 1 && own.iter().all(|one| one.rows.iter().all(|row| row.time.is_none())) {
            sink.notes.add(NoteKind::AssumedStreams, own[0].rows[0].line, &own[0].rows[0].text);
        }
        let ends = if way.0 == way.1 || way.0.is_empty() || way.1.is_empty() {
            (NONE, NONE)
        } else {
            (sink.host(&way.0, None), sink.host(&way.1, None))
        };
        let parts: Vec<Vec<Part>> = own.iter().map(|stream| stream.parts()).collect();
        let rows: Vec<Vec<&Part>> = parts.iter().map(|rows| rows.iter().collect()).collect();
        for (statistic, rate, row) in sums(&rows, sink) {
            let series = sink.series(Series { statistic: statistic.into(), ..mean.clone() });
            let line = Line { number: row.line, text: &row.text };
            sink.pair(series, ends, Class::Unknown, rate, &line);
        }
        sink.context = context.clone();
    }
}

impl Block for Iperf2Csv {
    fn line(&mut self, line: &Line<'_>, _sink: &mut Sink) -> Fate {
        if let Some(row) = row(line) {
            self.rows.push(row);
            return Fate::Taken;
        }
        let is_cut = line.text.split(',').next().is_some_and(|first| time(first).is_some());
        if is_cut && line.text.contains(',') { Fate::Broken } else { Fate::Foreign }
    }

    fn end(&mut self, sink: &mut Sink) {
        let mut runs: Vec<Vec<Row>> = Vec::new();
        for row in std::mem::take(&mut self.rows) {
            match runs.last_mut() {
                Some(run) if row.may_be_of(run) => run.push(row),
                _ => runs.push(vec![row]),
            }
        }
        for run in runs {
            emit(&run, sink);
        }
    }
}
