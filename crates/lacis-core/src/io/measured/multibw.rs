//! `mpi_multibw`, `PathScale`'s form of an early OSU benchmark: the first half of the ranks sends to the second.
//!
//! ```text
//! # PathScale Modified OSU MPI Bandwidth Test
//! (OSU Version 2.2, PathScale $Revision$)
//! # Running on 8 procs per node (uni-directional traffic for each process pair)
//! # Size          Aggregate Bandwidth (MB/s)      Messages/s
//! 1               8.529120                        8529120.127
//! ```
//!
//! From its source in opa-mpi-apps; no real output was at hand. MB is 10⁶ bytes.

use super::table::{Block, Fate, Line, Series, Sink, Unit, after, float};

/// The output of one run.
#[derive(Debug, Default)]
pub(super) struct MultiBw {
    ranks: Option<u32>,
    two_ways: bool,
}

/// Begins at the title.
pub(super) fn begin(line: &Line<'_>, sink: &mut Sink) -> Option<MultiBw> {
    line.text.contains("PathScale Modified OSU").then(|| {
        sink.format("mpi_multibw");
        MultiBw::default()
    })
}

impl Block for MultiBw {
    fn line(&mut self, line: &Line<'_>, sink: &mut Sink) -> Fate {
        if line.text.starts_with(['#', '(']) {
            if let Some(pairs) = after(line.text, "Running on").and_then(|n| n.parse::<u32>().ok()) {
                self.ranks = pairs.checked_mul(2);
                self.two_ways = line.text.contains("bi-directional");
            }
            return Fate::Taken;
        }
        // The search for the size that gets half the bandwidth, at the end.
        if line.text.contains("N/2") {
            return Fate::Taken;
        }
        let fields: Vec<&str> = line.text.split_whitespace().collect();
        let Some(Ok(bytes)) = fields.first().map(|field| field.parse::<u64>()) else { return Fate::Foreign };
        let [_, rate, messages] = fields[..] else { return Fate::Broken };
        let (Some(rate), Some(messages)) = (float(rate), float(messages)) else { return Fate::Broken };
        let test = if self.two_ways { "mpi_multibw bidirectional" } else { "mpi_multibw" };
        for (what, unit, value) in [
            ("bandwidth", Unit::BytesPerSecond, rate * 1e6),
            ("message rate", Unit::MessagesPerSecond, messages),
        ] {
            let series = Series { ranks: self.ranks, ..Series::mean(test, what, unit, Some(bytes)) };
            sink.value(series, value, line);
        }
        Fate::Taken
    }
}
