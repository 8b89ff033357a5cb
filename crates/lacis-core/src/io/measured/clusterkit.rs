//! `ClusterKit`: latencies and bandwidths of pairs of nodes, as matrices.
//!
//! ```text
//! Cluster Kit 1.15, bandwidth test, message size 33554432 bytes
//!     Rank:                0        1        2
//!        0 (node001):       0.00  46190.2  46012.9
//!        1 (node002):   46190.2      0.00  46055.4
//! Average bandwidth: 46086.2 MB/s
//! ```
//!
//! The matrix as a public tool around it reads the files `bandwidth.txt` and `latency.txt`, sizes and directions as its manual has
//! them; no file of our own was at hand. MB is taken as 10⁶ bytes. Bandwidths are of both directions unless `--unidirectional` was
//! asked for. Which test a matrix is of is read in the lines above it, else its numbers decide: latencies are of microseconds.

use super::table::{Block, Class, Fate, Line, Series, Sink, Unit, float, scaled};
use crate::io::NoteKind;

/// A bandwidth in MB/s is above this, a latency in µs below.
const LEAST_BANDWIDTH: f64 = 400.0;

/// A row of the matrix: rank, host and values.
#[derive(Debug)]
struct Row {
    line: usize,
    rank: u32,
    host: Option<String>,
    values: Vec<f64>,
}

/// The output of one test.
#[derive(Debug, Default)]
pub(super) struct ClusterKit {
    /// Whether lines above the matrix name the test: of bandwidth, or of latency.
    is_bandwidth: Option<bool>,
    bytes: Option<u64>,
    columns: Vec<u32>,
    rows: Vec<Row>,
    one_way: bool,
}

/// Begins at the title, or at the head of a matrix.
pub(super) fn begin(line: &Line<'_>, sink: &mut Sink) -> Option<ClusterKit> {
    let lower = line.text.to_ascii_lowercase();
    let is_title = ["cluster kit", "clusterkit"]
        .iter()
        .any(|title| lower.trim_start_matches(['#', ' ']).starts_with(title));
    if !is_title && head(line.text).is_none() {
        return None;
    }
    sink.format("ClusterKit");
    let mut block = ClusterKit::default();
    block.line(line, sink);
    Some(block)
}

/// `Rank:  0  1  2`: the ranks of the columns.
fn head(text: &str) -> Option<Vec<u32>> {
    let ranks: Option<Vec<u32>> =
        text.strip_prefix("Rank:")?.split_whitespace().map(|rank| rank.parse().ok()).collect();
    ranks.filter(|ranks| ranks.len() > 1)
}

/// `0 (node001):  0.00 46190.2`.
fn row(text: &str) -> Option<(u32, Option<String>, Vec<f64>)> {
    let (own, values) = text.split_once(':')?;
    let (rank, host) =
        own.trim().split_once(' ').map_or((own.trim(), None), |(rank, host)| (rank, Some(host.trim())));
    let host = match host {
        Some(host) => Some(host.strip_prefix('(')?.strip_suffix(')')?.to_owned()),
        None => None,
    };
    let values: Option<Vec<f64>> =
        values.split_whitespace().map(|v| float(v.trim_end_matches('*'))).collect();
    Some((rank.parse().ok()?, host, values.filter(|values| !values.is_empty())?))
}

impl ClusterKit {
    /// The matrix is whole, or ends here.
    fn matrix(&mut self, sink: &mut Sink) {
        let rows = std::mem::take(&mut self.rows);
        let columns = std::mem::take(&mut self.columns);
        let Some(first) = rows.first() else { return };
        let mut measured: Vec<f64> =
            rows.iter().flat_map(|row| row.values.iter().copied()).filter(|v| *v > 0.0).collect();
        measured.sort_by(f64::total_cmp);
        let Some(&median) = measured.get(measured.len() / 2) else { return };
        let is_bandwidth = self.is_bandwidth.unwrap_or(median > LEAST_BANDWIDTH);
        if self.is_bandwidth.is_none() {
            let text = if is_bandwidth { "bandwidths in MB/s" } else { "latencies in usec" };
            sink.notes.add(NoteKind::AssumedTest, first.line, text);
        }
        let test = match (is_bandwidth, self.one_way) {
            (true, true) => "clusterkit bandwidth",
            (true, false) => "clusterkit bandwidth bidirectional",
            _ => "clusterkit latency",
        };
        let (what, unit, factor, usual) = if is_bandwidth {
            ("bandwidth", Unit::BytesPerSecond, 1e6, 32 << 20)
        } else {
            ("latency", Unit::Seconds, 1e-6, 0)
        };
        let ranks = Some(columns.len() as u32);
        let series = Series { ranks, ..Series::mean(test, what, unit, Some(self.bytes.unwrap_or(usual))) };
        let series = sink.series(series);
        let host = |rank: u32| rows.iter().find(|row| row.rank == rank).and_then(|row| row.host.clone());
        for row in &rows {
            let line = Line { number: row.line, text: "" };
            for (&other, &value) in columns.iter().zip(&row.values) {
                // Nothing is measured of a node with itself.
                if other == row.rank || value == 0.0 {
                    continue;
                }
                let mut end = |rank: u32| match host(rank) {
                    Some(host) => Some(sink.host(&host, Some(rank))),
                    None => sink.rank(rank),
                };
                if let (Some(from), Some(to)) = (end(row.rank), end(other)) {
                    sink.pair(series, (from, to), Class::Unknown, scaled(value, factor), &line);
                }
            }
        }
        if rows.len() < columns.len() {
            let text = format!("{} rows of {}", rows.len(), columns.len());
            sink.notes.add(NoteKind::MissingPairs, first.line, &text);
        }
        self.is_bandwidth = None;
    }
}

impl Block for ClusterKit {
    fn goes_on(&self, line: &Line<'_>) -> bool {
        line.text.starts_with("Rank:")
    }

    fn line(&mut self, line: &Line<'_>, sink: &mut Sink) -> Fate {
        if let Some(columns) = head(line.text) {
            self.matrix(sink);
            self.columns = columns;
            return Fate::Taken;
        }
        if let Some((rank, host, values)) = row(line.text).filter(|_| !self.columns.is_empty()) {
            if values.len() != self.columns.len() {
                return Fate::Broken;
            }
            self.rows.push(Row { line: line.number, rank, host, values });
            return Fate::Taken;
        }
        let lower = line.text.to_ascii_lowercase();
        let (bandwidth, latency) = (lower.contains("bandwidth"), lower.contains("latency"));
        if !bandwidth && !latency && !lower.contains("size") && !lower.contains("cluster") {
            return Fate::Foreign;
        }
        if (bandwidth || latency) && self.rows.is_empty() {
            self.is_bandwidth = if bandwidth == latency { None } else { Some(bandwidth) };
        }
        self.one_way |= lower.contains("unidirectional");
        if let Some((_, rest)) = lower.split_once("message size") {
            let rest = rest.trim_start_matches([':', '=', ' ']);
            let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
            self.bytes = rest[..digits].parse().ok().or(self.bytes);
        }
        Fate::Taken
    }

    fn end(&mut self, sink: &mut Sink) {
        self.matrix(sink);
    }
}
