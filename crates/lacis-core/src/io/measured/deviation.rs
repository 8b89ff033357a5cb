//! `FastFabric`'s `deviation`: every host against a baseline host.
//!
//! ```text
//! Sequential MPI Performance Test Results
//!   Latency Summary:
//!     Min: 1.29 usec, Max: 1.41 usec, Avg: 1.35 usec
//!          Message Size: 0, Loops: 4000
//!   Latency Details:
//!     Result      Lat     Dev    Host (rank) <-> Host (rank)
//!     PASSED     1.33   -1.5%  node001 (0) <-> node002 (1)
//! ```
//!
//! From its source in opa-mpi-apps; no real output was at hand. MB is 10⁶ bytes, as its help says.

use super::table::{Block, Class, Fate, Line, Series, Sink, Unit, after, float, scaled};

const TEST: &str = "deviation";

/// The results of one pass.
#[derive(Debug, Default)]
pub(super) struct DeviationRun {
    is_bandwidth: bool,
    /// Of latency, of bandwidth.
    bytes: [Option<u64>; 2],
    /// Summary lines that wait for the size, which is below them.
    waiting: Vec<(&'static str, f64)>,
}

/// Begins at the title.
pub(super) fn begin(line: &Line<'_>, sink: &mut Sink) -> Option<DeviationRun> {
    line.text.ends_with("MPI Performance Test Results").then(|| {
        sink.format(TEST);
        DeviationRun::default()
    })
}

impl DeviationRun {
    fn series(&self, statistic: &str) -> Series {
        let (what, unit) =
            if self.is_bandwidth { ("bandwidth", Unit::BytesPerSecond) } else { ("latency", Unit::Seconds) };
        let bytes = self.bytes[usize::from(self.is_bandwidth)];
        Series { statistic: statistic.into(), ..Series::mean(TEST, what, unit, bytes) }
    }

    fn factor(&self) -> f64 {
        if self.is_bandwidth { 1e6 } else { 1e-6 }
    }

    /// `PASSED  1.33 -1.5%  host (rank) <-> host (rank)`.
    fn row(&self, line: &Line<'_>, sink: &mut Sink) -> Option<()> {
        let mut words = line.text.split_whitespace().skip(1);
        let value = float(words.next()?)?;
        words.next().filter(|word| word.ends_with('%'))?;
        let mut end = || {
            let host = words.next()?;
            let rank = words.next()?.strip_prefix('(')?.strip_suffix(')')?.parse().ok()?;
            let _arrow = words.next();
            Some(sink.host(host, Some(rank)))
        };
        let ends = (end()?, end()?);
        let series = sink.series(self.series("mean"));
        sink.pair(series, ends, Class::Unknown, scaled(value, self.factor()), line);
        Some(())
    }
}

impl Block for DeviationRun {
    fn line(&mut self, line: &Line<'_>, sink: &mut Sink) -> Fate {
        let text = line.text;
        if text.starts_with("Latency ") || text.starts_with("Bandwidth ") {
            self.is_bandwidth = text.starts_with('B');
        } else if text.starts_with("Min:") {
            let number = |key| after(text, key).and_then(float);
            let found = [("min", number("Min:")), ("max", number("Max:")), ("mean", number("Avg:"))];
            self.waiting = found.iter().filter_map(|&(name, value)| Some((name, value?))).collect();
        } else if let Some(size) = after(text, "Message Size:") {
            self.bytes[usize::from(self.is_bandwidth)] = size.parse().ok();
            for (statistic, value) in std::mem::take(&mut self.waiting) {
                let what = if self.is_bandwidth { "bandwidth of all pairs" } else { "latency of all pairs" };
                let series = Series { what: what.into(), ..self.series(statistic) };
                sink.value(series, scaled(value, self.factor()), line);
            }
        } else if ["PASSED", "FAILED", "RETRY"].iter().any(|word| text.starts_with(word)) {
            return if self.row(line, sink).is_some() { Fate::Taken } else { Fate::Broken };
        } else if !["Range:", "Worst:", "Cfg:", "Result", "Latency:", "Bandwidth:"]
            .iter()
            .any(|w| text.starts_with(w))
        {
            return Fate::Foreign;
        }
        Fate::Taken
    }
}
