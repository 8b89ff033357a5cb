//! `mpi_latencystress -c`: latencies of all pairs in disjoint rounds.
//!
//! ```text
//! node001, 0, node002, 1, 1.23
//! ```
//!
//! From its source in opa-mpi-apps; no real output was at hand. The size is in a line `Msg Size:` if standard
//! error is in the file too.

use super::table::{Block, Class, Fate, Line, Series, Sink, Unit, after, float, scaled};

const TEST: &str = "mpi_latencystress";

/// The rows of one run.
#[derive(Debug, Default)]
pub(super) struct LatencyStress {
    bytes: Option<u64>,
}

/// Begins at the title or at a row.
pub(super) fn begin(line: &Line<'_>, sink: &mut Sink) -> Option<LatencyStress> {
    let is_title = line.text == "MPI HCA Latency Stress Test";
    if !is_title && row(line.text).is_none() {
        return None;
    }
    sink.format(TEST);
    let mut block = LatencyStress::default();
    if !is_title {
        block.line(line, sink);
    }
    Some(block)
}

fn row(text: &str) -> Option<(&str, u32, &str, u32, f64)> {
    let mut fields = text.split(", ").map(str::trim);
    let mut next = || fields.next();
    let (host_a, rank_a) = (next()?, next()?.parse().ok()?);
    let (host_b, rank_b) = (next()?, next()?.parse().ok()?);
    let latency = float(next()?)?;
    let plain = |host: &str| !host.is_empty() && !host.contains(char::is_whitespace) && float(host).is_none();
    (next().is_none() && plain(host_a) && plain(host_b)).then_some((host_a, rank_a, host_b, rank_b, latency))
}

impl Block for LatencyStress {
    fn decimals(&self, line: &Line<'_>) -> Option<usize> {
        row(line.text).map(|_| 2)
    }

    fn line(&mut self, line: &Line<'_>, sink: &mut Sink) -> Fate {
        if let Some(size) = after(line.text, "Msg Size:") {
            self.bytes = size.parse().ok();
            return Fate::Taken;
        }
        if let Some((host_a, rank_a, host_b, rank_b, latency)) = row(line.text) {
            let ends = (sink.host(host_a, Some(rank_a)), sink.host(host_b, Some(rank_b)));
            let series = sink.series(Series::mean(TEST, "latency", Unit::Seconds, self.bytes));
            sink.pair(series, ends, Class::Unknown, scaled(latency, 1e-6), line);
            return Fate::Taken;
        }
        let known = [
            "MPI HCA",
            "Time Left:",
            "Avg Latency:",
            "Fastest",
            "Slowest",
            "Final",
            "Iteration",
            "No pairs",
            "Allocating",
        ];
        if known.iter().any(|word| line.text.starts_with(word)) || line.text.contains(" -> ") {
            return Fate::Taken;
        }
        if line.text.matches(", ").count() >= 3 { Fate::Broken } else { Fate::Foreign }
    }
}
