//! perftest: `ib_write_bw`, `ib_send_lat` and their like.
//!
//! ```text
//!                     RDMA_Write BW Test
//!  #bytes     #iterations    BW peak[MB/sec]    BW average[MB/sec]   MsgRate[Mpps]
//!  65536      5000             1103.39            1103.38            0.017654
//! ```
//!
//! From its sources and outputs in public documentation; no file of our own was at hand. `MB/sec` is 2²⁰ bytes/s there, `Gb/sec`
//! 10⁹ bits/s.

use super::table::{Block, Fate, Line, Series, Sink, Unit, float, scaled};

/// Columns by their names: what, statistic, unit and factor.
const COLUMNS: [(&str, &str, &str, Unit, f64); 12] = [
    ("BW peak[MB/sec]", "bandwidth", "max", Unit::BytesPerSecond, 1_048_576.0),
    ("BW average[MB/sec]", "bandwidth", "mean", Unit::BytesPerSecond, 1_048_576.0),
    ("BW peak[Gb/sec]", "bandwidth", "max", Unit::BytesPerSecond, 125e6),
    ("BW average[Gb/sec]", "bandwidth", "mean", Unit::BytesPerSecond, 125e6),
    ("MsgRate[Mpps]", "message rate", "mean", Unit::MessagesPerSecond, 1e6),
    ("t_min[usec]", "latency", "min", Unit::Seconds, 1e-6),
    ("t_max[usec]", "latency", "max", Unit::Seconds, 1e-6),
    ("t_typical[usec]", "latency", "median", Unit::Seconds, 1e-6),
    ("t_avg[usec]", "latency", "mean", Unit::Seconds, 1e-6),
    ("t_stdev[usec]", "latency", "standard deviation", Unit::Seconds, 1e-6),
    ("99% percentile[usec]", "latency", "p99", Unit::Seconds, 1e-6),
    ("99.9% percentile[usec]", "latency", "p99.9", Unit::Seconds, 1e-6),
];
const OTHERS: [&str; 4] = ["#bytes", "#iterations", "#sl", "tps average"];

/// The output of one run.
#[derive(Debug)]
pub(super) struct PerfTest {
    test: String,
    /// By column: its row of [`COLUMNS`], or none.
    columns: Vec<Option<usize>>,
}

/// Begins at the title, or at the head of the columns.
pub(super) fn begin(line: &Line<'_>, sink: &mut Sink) -> Option<PerfTest> {
    let text = line.text;
    if text.starts_with("#bytes") && text.contains("#iterations") {
        sink.format("perftest");
        let test = if text.contains("BW average") { "ib_bw" } else { "ib_lat" };
        return Some(PerfTest { test: test.into(), columns: columns(text) });
    }
    let (name, kind) = match (text.strip_suffix(" BW Test"), text.strip_suffix(" Latency Test")) {
        (Some(name), _) => (name, "bw"),
        (_, Some(name)) => (name, "lat"),
        _ => return None,
    };
    let verb = match name.split(' ').next()? {
        "RDMA_Write" => "write",
        "RDMA_Read" => "read",
        "Send" => "send",
        "Atomic" => "atomic",
        "Raw" | "RawEth" => "raw_ethernet",
        _ => return None,
    };
    sink.format("perftest");
    Some(PerfTest { test: format!("ib_{verb}_{kind}"), columns: Vec::new() })
}

/// Columns in the order of their names in the head, separated by blanks.
fn columns(head: &str) -> Vec<Option<usize>> {
    let mut rest = head.trim_start();
    let mut found = Vec::new();
    while !rest.is_empty() {
        let known = COLUMNS.iter().position(|(name, ..)| rest.starts_with(name));
        let length = match known {
            Some(at) => COLUMNS[at].0.len(),
            None => OTHERS
                .iter()
                .find(|name| rest.starts_with(**name))
                .map_or_else(|| rest.find(char::is_whitespace).unwrap_or(rest.len()), |name| name.len()),
        };
        found.push(known);
        rest = rest[length..].trim_start();
    }
    found
}

impl Block for PerfTest {
    fn goes_on(&self, line: &Line<'_>) -> bool {
        line.text.starts_with("#bytes") && line.text.contains("#iterations")
    }

    fn line(&mut self, line: &Line<'_>, sink: &mut Sink) -> Fate {
        if line.text.starts_with("#bytes") {
            self.columns = columns(line.text);
            return Fate::Taken;
        }
        let fields: Vec<&str> = line.text.split_whitespace().collect();
        let Some(Ok(bytes)) = fields.first().map(|field| field.parse::<u64>()) else {
            // Settings above the columns (`Link type : IB`), the rule around them, and warnings among them.
            let is_known = line.text.starts_with("---")
                || line.text.contains(" : ")
                || ["local address", "remote address", "GID:", "Conflicting CPU", "PCIe", "ibv_wr"]
                    .iter()
                    .any(|word| line.text.starts_with(word));
            return if is_known { Fate::Taken } else { Fate::Foreign };
        };
        if self.columns.is_empty() {
            return Fate::Foreign;
        }
        if fields.len() != self.columns.len() || fields.iter().any(|field| float(field).is_none()) {
            return Fate::Broken;
        }
        for (column, field) in self.columns.iter().zip(&fields) {
            let (Some(at), Some(value)) = (*column, float(field)) else { continue };
            let (_, what, statistic, unit, factor) = COLUMNS[at];
            // `--run_infinitely` and short tests print a peak of 0: it was not measured.
            if matches!(statistic, "max" | "standard deviation") && value == 0.0 {
                continue;
            }
            let mean = Series::mean(&self.test, what, unit, Some(bytes));
            sink.value(
                Series { statistic: statistic.into(), ranks: Some(2), ..mean },
                scaled(value, factor),
                line,
            );
        }
        Fate::Taken
    }
}
