//! `NetPIPE`: ping-pongs of many sizes between two processes.
//!
//! ```text
//!   0:       1 bytes  23983 times -->      4.35 Mbps in       1.75 usec
//! 100: 8388608  bytes      7 times -->    9.411  Gbps  in  7130.79 usec
//! ```
//!
//! From its sources (3.7, 5.1) and outputs in public repositories. A time is one way. Mbps are 2²⁰ bits/s in version 3; bytes ÷
//! time decides.

use super::scale::{MEBI, Scale};
use super::table::{Block, Class, Fate, Line, NONE, Series, Sink, Unit, float, scaled};

const TEST: &str = "netpipe";

/// The rows of one run.
#[derive(Debug)]
pub(super) struct NetPipe {
    scale: Scale,
    /// The unit of the rates.
    unit: String,
    /// The number of the last row.
    last: u32,
}

/// A row: its number, bytes, the rate with its unit, and the time with its unit.
struct Row<'a> {
    number: u32,
    bytes: u64,
    rate: (&'a str, &'a str),
    time: (&'a str, &'a str),
}

fn row(text: &str) -> Option<Row<'_>> {
    let (number, rest) = text.split_once(':')?;
    let (left, right) = rest.split_once("-->")?;
    let mut left = left.split_whitespace();
    let bytes = left.next()?.parse().ok()?;
    left.next().filter(|word| matches!(*word, "bytes" | "byte" | "B" | "Bytes"))?;
    let mut right = right.split_whitespace();
    let rate = (right.next()?, right.next()?);
    let time = (right.by_ref().find(|word| *word != "in")?, right.next()?);
    Some(Row { number: number.trim().parse().ok()?, bytes, rate, time })
}

/// Factors of a unit to bytes per second, the likeliest first.
fn factors(unit: &str) -> Option<Vec<f64>> {
    Some(match unit.trim_end_matches("/s").trim_end_matches("ps") {
        "Mb" | "Mbits" => vec![MEBI / 8.0, 125e3],
        "Gb" | "Gbits" => vec![125e6, MEBI * 128.0],
        "MB" => vec![1e6, MEBI],
        "GB" => vec![1e9, MEBI * 1024.0],
        _ => return None,
    })
}

/// Begins at a row.
pub(super) fn begin(line: &Line<'_>, sink: &mut Sink) -> Option<NetPipe> {
    let first = row(line.text)?;
    let factors = factors(first.rate.1)?;
    sink.format("NetPIPE");
    let mut block = NetPipe { scale: Scale::new(&factors), unit: first.rate.1.to_owned(), last: 0 };
    block.line(line, sink);
    Some(block)
}

impl Block for NetPipe {
    fn line(&mut self, line: &Line<'_>, sink: &mut Sink) -> Fate {
        let Some(row) = row(line.text) else {
            return if line.text.contains("times -->") { Fate::Broken } else { Fate::Foreign };
        };
        let (Some(rate), Some(time)) = (float(row.rate.0), float(row.time.0)) else { return Fate::Broken };
        let Some((Unit::Seconds, factor)) = Unit::parse(row.time.1.trim_end_matches('s')) else {
            return Fate::Broken;
        };
        // A second run begins, or rates reach the next unit.
        if row.number < self.last || row.rate.1 != self.unit {
            let Some(factors) = factors(row.rate.1) else { return Fate::Broken };
            self.scale.settle_quietly(sink);
            self.scale = Scale::new(&factors);
            row.rate.1.clone_into(&mut self.unit);
        }
        self.last = row.number;
        let ends = match (sink.rank(0), sink.rank(1)) {
            (Some(a), Some(b)) => (a, b),
            _ => (NONE, NONE),
        };
        let of =
            |what: &str, unit| Series { ranks: Some(2), ..Series::mean(TEST, what, unit, Some(row.bytes)) };
        let latency = sink.series(of("latency", Unit::Seconds));
        sink.pair(latency, ends, Class::Unknown, scaled(time, factor), line);
        let bandwidth = sink.series(of("bandwidth", Unit::BytesPerSecond));
        self.scale.pair(bandwidth, ends, rate, line, sink);
        self.scale.evidence(row.rate.0, row.time.0, |time| row.bytes as f64 / scaled(time, factor));
        Fate::Taken
    }

    fn end(&mut self, sink: &mut Sink) {
        self.scale.settle_quietly(sink);
    }
}
