//! mpiGraph: in step D every rank sends to rank + D and receives from rank − D, all at once: D is the round of a value.
//!
//! ```text
//! START mpiGraph v1.5
//! MsgSize 16384
//! Send    node1:0 node2:1
//! node1:0 to      0.000   2301.512
//! node2:1 to      2299.021        0.000
//! ```
//!
//! From its source; no real output was at hand. MB is 2²⁰ bytes.

use super::table::{Block, Class, Fate, Line, NONE, Series, Sink, Unit, float};
use crate::io::NoteKind;

const MEBI: f64 = 1_048_576.0;

/// The output of one run.
#[derive(Debug, Default)]
pub(super) struct MpiGraph {
    bytes: Option<u64>,
    ranks: Option<u32>,
    /// The line of the current matrix's head.
    line: usize,
    /// Ends of the current matrix's columns.
    heads: Vec<u32>,
    is_receive: bool,
    rows: usize,
}

/// Begins at the title.
pub(super) fn begin(line: &Line<'_>, sink: &mut Sink) -> Option<MpiGraph> {
    line.text.starts_with("START mpiGraph").then(|| {
        sink.format("mpiGraph");
        if let Some(version) = line.text.split_whitespace().nth(2) {
            sink.fact("mpiGraph version", &version);
        }
        MpiGraph::default()
    })
}

/// `host:3` as an end.
fn end_of(text: &str, sink: &mut Sink) -> Option<u32> {
    let (host, rank) = text.rsplit_once(':')?;
    Some(sink.host(host, Some(rank.parse().ok()?)))
}

impl MpiGraph {
    fn missing(&mut self, sink: &mut Sink) {
        if self.rows < self.heads.len() {
            let text = format!("{} rows of {}", self.rows, self.heads.len());
            sink.notes.add(NoteKind::MissingPairs, self.line, &text);
        }
        self.rows = 0;
    }

    fn head(&mut self, line: &Line<'_>, sink: &mut Sink) -> Fate {
        self.missing(sink);
        self.line = line.number;
        self.is_receive = line.text.starts_with("Recv");
        let heads: Option<Vec<u32>> =
            line.text.split_whitespace().skip(1).map(|text| end_of(text, sink)).collect();
        let Some(heads) = heads else {
            self.heads.clear();
            return Fate::Broken;
        };
        self.heads = heads;
        if self.ranks.is_some_and(|ranks| ranks as usize != self.heads.len()) {
            sink.notes.add(NoteKind::RankCount, line.number, line.text);
        }
        Fate::Taken
    }

    fn row(&mut self, line: &Line<'_>, sink: &mut Sink) -> Option<()> {
        let (head, rest) = line.text.split_once(['\t', ' '])?;
        let rest = rest.trim_start().strip_prefix("to").or_else(|| rest.trim_start().strip_prefix("from"))?;
        let own = end_of(head, sink)?;
        let values: Vec<f64> = rest.split_whitespace().map(float).collect::<Option<_>>()?;
        if values.len() != self.heads.len() {
            return None;
        }
        let (test, what) = ("mpiGraph", if self.is_receive { "receive bandwidth" } else { "send bandwidth" });
        let mean = Series::mean(test, what, Unit::BytesPerSecond, self.bytes);
        let series = sink.series(Series { ranks: self.ranks, ..mean });
        let ranks = self.heads.len();
        let column = self.heads.iter().position(|&head| head == own);
        for (at, (&other, &value)) in self.heads.iter().zip(&values).enumerate() {
            // The diagonal is printed as 0: nothing is measured there.
            if own == other && value == 0.0 {
                continue;
            }
            let ends = if self.is_receive { (other, own) } else { (own, other) };
            let (from, to) = if self.is_receive { (Some(at), column) } else { (column, Some(at)) };
            sink.round = from.zip(to).map_or(NONE, |(from, to)| ((to + ranks - from) % ranks) as u32);
            sink.pair(series, ends, Class::Unknown, value * MEBI, line);
        }
        sink.round = NONE;
        self.rows += 1;
        Some(())
    }
}

impl Block for MpiGraph {
    fn line(&mut self, line: &Line<'_>, sink: &mut Sink) -> Fate {
        let mut words = line.text.split_whitespace();
        match (words.next(), words.next()) {
            (Some("MsgSize"), Some(size)) => self.bytes = size.parse().ok(),
            // A form with words: `Msg Size: 4194304 Bytes`, `Window Size: 64`.
            (Some("Msg"), Some("Size:")) => self.bytes = words.next().and_then(|size| size.parse().ok()),
            (Some("Window"), Some("Size:")) => {
                if let Some(window) = words.next() {
                    sink.fact("window", window);
                }
            }
            (Some("Iterations:"), Some(_)) => {}
            // How far it is: `2 of 16 (12.5%)`.
            (Some(_), Some("of")) if line.text.ends_with("%)") => {}
            (Some("Procs" | "Procs:"), Some(ranks)) => {
                self.ranks = ranks.parse().ok();
                sink.fact("ranks", &ranks);
            }
            (Some("Window"), Some(window)) => sink.fact("window", window),
            (Some("Send" | "Recv"), Some("max" | "avg")) | (Some("Times" | "Gathering" | "END"), _) => {}
            (Some("Send" | "Recv"), Some(_)) => return self.head(line, sink),
            (Some(_), Some("to" | "from")) => {
                return if self.row(line, sink).is_some() { Fate::Taken } else { Fate::Broken };
            }
            _ => return Fate::Foreign,
        }
        Fate::Taken
    }

    fn end(&mut self, sink: &mut Sink) {
        self.missing(sink);
    }
}
