//! `mpiBench`: collectives of LLNL.
//!
//! ```text
//! START mpiBench v1.5
//! 0 : node001
//! 1 : node002
//! Allreduce               Bytes:      1024        Iters:     1000 Avg:      5.1234        Min:      5.1001        Max:      5.1500        Comm: MPI_COMM_WORLD    Ranks: 2
//! ```
//!
//! From its sources, and outputs in public repositories (1.5). Times are µs: of each rank its mean over the iterations, and of these the
//! mean, the least and the greatest.

use super::nccl_tests::ends;
use super::table::{Block, Class, Fate, Line, MOST_RANKS, Series, Sink, Unit, after, float, scaled};
use crate::io::NoteKind;

/// The output of one run.
#[derive(Debug)]
pub(super) struct MpiBench {
    hosts: Vec<String>,
    has_row: bool,
    has_ended: bool,
    /// The line of the title.
    line: usize,
}

/// Begins at the title.
pub(super) fn begin(line: &Line<'_>, sink: &mut Sink) -> Option<MpiBench> {
    let rest = line.text.strip_prefix("START mpiBench")?;
    sink.format("mpiBench");
    if let Some((_, version)) = rest.split_once(" v") {
        sink.fact("mpiBench version", version.trim());
    }
    // `START mpiBench CUDA v1.6.0`: the memory of the messages.
    let memory =
        rest.split_whitespace().next().filter(|word| !word.starts_with('v') && !word.starts_with('_'));
    if let Some(memory) = memory {
        sink.setting(format!("memory={memory}"));
    }
    Some(MpiBench { hosts: Vec::new(), has_row: false, has_ended: false, line: line.number })
}

/// A rank and its host: `0 : node001`.
fn rank(text: &str) -> Option<(usize, &str)> {
    let (rank, host) = text.split_once(" : ")?;
    let rank = rank.trim().parse::<u32>().ok().filter(|&rank| rank < MOST_RANKS)?;
    let host = host.trim();
    (!host.is_empty() && !host.contains(' ')).then_some((rank as usize, host))
}

impl MpiBench {
    /// A row; none if it is cut short.
    fn row(&self, line: &Line<'_>, sink: &mut Sink) -> Option<()> {
        let text = line.text;
        let test = format!("mpibench_{}", text.split_whitespace().next()?.to_lowercase());
        let bytes = after(text, "Bytes:")?.parse::<u64>().ok()?;
        let ranks = after(text, "Ranks:")?.parse::<u32>().ok()?;
        let mut values = Vec::new();
        for (key, statistic) in [("Avg:", "mean"), ("Min:", "min"), ("Max:", "max")] {
            values.push((statistic, float(after(text, key)?)?));
        }
        let context = sink.context.clone();
        if let Some(comm) = after(text, "Comm:").filter(|comm| *comm != "MPI_COMM_WORLD") {
            sink.setting(format!("communicator={comm}"));
        }
        // Hosts of all ranks are known, or of none.
        let none = Vec::new();
        let is_whole = self.hosts.len() == ranks as usize && self.hosts.iter().all(|host| !host.is_empty());
        let hosts = if is_whole { &self.hosts } else { &none };
        let ends = ends(hosts, sink);
        for (statistic, value) in values {
            let mean = Series::mean(&test, "time", Unit::Seconds, Some(bytes));
            let series = Series { statistic: statistic.into(), ranks: Some(ranks), ..mean };
            let series = sink.series(series);
            sink.pair(series, ends, Class::Unknown, scaled(value, 1e-6), line);
        }
        sink.context = context;
        Some(())
    }
}

impl Block for MpiBench {
    fn line(&mut self, line: &Line<'_>, sink: &mut Sink) -> Fate {
        if line.text.contains("Bytes:") && line.text.contains("Avg:") {
            if self.row(line, sink).is_none() {
                return Fate::Broken;
            }
            self.has_row = true;
        } else if line.text.starts_with("END mpiBench") {
            self.has_ended = true;
        } else if line.text.contains("buffer corruption detected") {
            sink.notes.add(NoteKind::Wrong, line.number, line.text);
        } else if let Some((at, host)) = rank(line.text).filter(|_| !self.has_row) {
            if at >= self.hosts.len() {
                self.hosts.resize(at + 1, String::new());
            }
            host.clone_into(&mut self.hosts[at]);
            sink.fact(&format!("rank {at}"), host);
        } else if !line.text.starts_with("Message buffers") {
            return if line.text.contains("Bytes:") { Fate::Broken } else { Fate::Foreign };
        }
        Fate::Taken
    }

    fn end(&mut self, sink: &mut Sink) {
        if !self.has_row {
            sink.notes.add(NoteKind::NoRows, self.line, "mpiBench");
        } else if !self.has_ended {
            sink.notes.add(NoteKind::Unfinished, self.line, "");
        }
    }
}
