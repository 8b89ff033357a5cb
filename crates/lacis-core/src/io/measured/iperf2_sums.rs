//! Rows of a stream of `iperf` 2, and sums over the streams of one run.

use super::table::Sink;
use crate::io::NoteKind;

/// A row of a stream.
#[derive(Clone, Debug)]
pub(super) struct Part {
    pub(super) line: usize,
    pub(super) text: String,
    /// Of its interval [s].
    pub(super) begin: f64,
    /// Bytes per second.
    pub(super) rate: f64,
    /// What the receiver counted.
    pub(super) is_report: bool,
}

/// The row of the whole, and those of intervals. What a receiver reports is the whole; a run that was cut short has its first
/// interval, and no whole.
fn split<'a>(rows: &[&'a Part]) -> (Option<&'a Part>, Vec<&'a Part>) {
    let report = rows.iter().rev().find(|row| row.is_report && row.rate.is_finite() && row.rate > 0.0);
    let own: Vec<&Part> = rows.iter().copied().filter(|row| !row.is_report).collect();
    let whole = own.iter().rposition(|row| row.begin == 0.0).filter(|&at| at > 0 || own.len() == 1);
    let intervals = (0..own.len()).filter(|&at| Some(at) != whole).map(|at| own[at]).collect();
    (report.copied().or(whole.map(|at| own[at])), intervals)
}

/// The sums over streams: of each interval, and of the whole. What not all streams have is cut short.
pub(super) fn sums<'a>(streams: &[Vec<&'a Part>], sink: &mut Sink) -> Vec<(&'static str, f64, &'a Part)> {
    let parts: Vec<_> = streams.iter().map(|rows| split(rows)).collect();
    let mut out = Vec::new();
    let mut known: Vec<f64> = Vec::new();
    for (_, intervals) in &parts {
        for row in intervals {
            if streams.len() == 1 {
                out.push(("sample", row.rate, *row));
                continue;
            }
            let is_of = |begin: f64| (begin - row.begin).abs() < 0.06;
            if known.iter().any(|&begin| is_of(begin)) {
                continue;
            }
            known.push(row.begin);
            let rates = parts.iter().filter_map(|(_, own)| own.iter().find(|other| is_of(other.begin)));
            let rates: Vec<f64> = rates.map(|row| row.rate).collect();
            if rates.len() == streams.len() {
                out.push(("sample", rates.iter().sum(), *row));
            } else {
                sink.notes.add(NoteKind::BrokenRow, row.line, &row.text);
            }
        }
    }
    let wholes: Vec<&Part> = parts.iter().filter_map(|(whole, _)| *whole).collect();
    match wholes.first() {
        Some(row) if wholes.len() == streams.len() => {
            out.push(("mean", wholes.iter().map(|row| row.rate).sum(), row));
        }
        Some(row) => sink.notes.add(NoteKind::BrokenRow, row.line, &row.text),
        None => {}
    }
    out
}
