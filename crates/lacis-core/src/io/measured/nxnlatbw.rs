//! `mpi_nxnlatbw`: one ordered pair at a time, 0 bytes 10,000 times, then 4 MiB 10 times.
//!
//! ```text
//! src,dst,lat(us),bandwidth((Mbytes/sec)
//! 7,0,0.81,12042.811187
//! ```
//!
//! Every rank writes its own rows: they come in any order, with or without the header and the last line's end, two in a
//! line, or with one inside another; the last are counted. Sizes and MB = 10⁶ from its source in opa-mpi-apps, rows from
//! real output.

use fixedbitset::FixedBitSet;

use super::table::{Block, Class, Fate, Line, Series, Sink, Unit, float, scaled};
use crate::io::NoteKind;

const TEST: &str = "mpi_nxnlatbw";
/// Bytes of the messages whose bandwidth is measured.
const LARGE: u64 = 4 << 20;

/// The rows of one run.
#[derive(Debug)]
pub(super) struct NxN {
    latency: u32,
    bandwidth: u32,
    first: usize,
    last_line: usize,
    rank_limit: u32,
    /// Measured pairs, `source << 32 | destination`.
    pairs: Vec<u64>,
}

/// Begins at the header, however it is spelt, or at a row.
pub(super) fn begin(line: &Line<'_>, sink: &mut Sink) -> Option<NxN> {
    let lower = line.text.get(..60.min(line.text.len())).unwrap_or("").to_ascii_lowercase();
    let is_header = lower.starts_with("src") && lower.contains("lat");
    if !is_header && row(line.text.split_whitespace().next()?).is_none() {
        return None;
    }
    sink.format(TEST);
    let latency = sink.series(Series::mean(TEST, "latency", Unit::Seconds, Some(0)));
    let bandwidth = sink.series(Series::mean(TEST, "bandwidth", Unit::BytesPerSecond, Some(LARGE)));
    let mut block = NxN {
        latency,
        bandwidth,
        first: line.number,
        last_line: line.number,
        rank_limit: 0,
        pairs: Vec::new(),
    };
    if !is_header {
        block.line(line, sink);
    }
    Some(block)
}

/// A row: two ranks, a latency and a bandwidth, both with a decimal point or no numbers at all.
fn row(text: &str) -> Option<(u32, u32, f64, f64)> {
    let mut fields = text.split(',');
    let mut next = || fields.next();
    let (source, destination) = (next()?.parse().ok()?, next()?.parse().ok()?);
    let (latency, bandwidth) = (measure(next()?)?, measure(next()?)?);
    next().is_none().then_some((source, destination, latency, bandwidth))
}

/// Whether a line is a row.
pub(super) fn is_row(text: &str) -> bool {
    row(text).is_some()
}

/// `%.2f` and `%f` print a point, or a word.
fn measure(text: &str) -> Option<f64> {
    let is_plain = text.contains('.') || text.bytes().any(|b| b.is_ascii_alphabetic());
    float(text).filter(|_| is_plain)
}

impl NxN {
    /// How many pairs of different ranks were measured, each once.
    fn distinct(&mut self) -> u64 {
        let n = self.rank_limit as usize;
        let ends = |pair: u64| ((pair >> 32) as usize, (pair & 0xffff_ffff) as usize);
        self.pairs.retain(|&pair| ends(pair).0 != ends(pair).1);
        if n.saturating_mul(n) <= 64 * self.pairs.len() + (1 << 20) {
            let mut seen = FixedBitSet::with_capacity(n * n);
            self.pairs.iter().for_each(|&pair| seen.insert(ends(pair).0 * n + ends(pair).1));
            return seen.count_ones(..) as u64;
        }
        self.pairs.sort_unstable();
        self.pairs.dedup();
        self.pairs.len() as u64
    }
}

impl Block for NxN {
    fn line(&mut self, line: &Line<'_>, sink: &mut Sink) -> Fate {
        if !line.text.starts_with(|c: char| c.is_ascii_digit()) || !line.text.contains(',') {
            return if line.text.starts_with("src") { Fate::Taken } else { Fate::Foreign };
        }
        let mut fate = Fate::Taken;
        for text in line.text.split_ascii_whitespace() {
            let Some((source, destination, latency, bandwidth)) = row(text) else {
                fate = Fate::Broken;
                continue;
            };
            let (Some(a), Some(b)) = (sink.rank(source), sink.rank(destination)) else {
                fate = Fate::Broken;
                continue;
            };
            self.last_line = line.number;
            self.rank_limit = self.rank_limit.max(source.max(destination) + 1);
            self.pairs.push(u64::from(source) << 32 | u64::from(destination));
            sink.pair(self.latency, (a, b), Class::Unknown, scaled(latency, 1e-6), line);
            sink.pair(self.bandwidth, (a, b), Class::Unknown, bandwidth * 1e6, line);
        }
        fate
    }

    /// Says which pairs are not there.
    fn end(&mut self, sink: &mut Sink) {
        let measured = self.distinct();
        let n = u64::from(self.rank_limit);
        sink.fact("ranks", &n);
        let missing = (n * n.saturating_sub(1)).saturating_sub(measured);
        if missing > 0 && n > 0 {
            let text = format!("{missing} of {} pairs of {n} ranks", n * (n - 1));
            sink.notes.add(NoteKind::MissingPairs, self.first, &text);
        }
        self.pairs = Vec::new();
    }
}
