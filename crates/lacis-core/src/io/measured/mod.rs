//! Results of measurements, of our own and of others' programs, as one table.
//!
//! Formats are recognised by content, also inside the output of jobs, where lines of a scheduler and several programs are
//! mixed. A row that is cut short or mixed with another is counted; the rest is read.
//!
//! | module | format |
//! |---|---|
//! | `osu` | OSU micro-benchmarks 3 to 7 |
//! | `imb` | Intel MPI Benchmarks |
//! | `gpcnet` | `GPCNeT` |
//! | `netpipe` | `NetPIPE` |
//! | `clusterkit` | `ClusterKit` |
//! | `ucx_perftest` | `ucx_perftest` |
//! | `multibw` | `mpi_multibw` |
//! | `nxnlatbw` | `mpi_nxnlatbw` |
//! | `deviation` | FastFabric's `deviation` |
//! | `latencystress` | `mpi_latencystress -c` |
//! | `mpigraph` | mpiGraph |
//! | `nccl_tests`, `nccl_json` | NCCL-tests, RCCL-tests, and their JSON |
//! | `nccl_inspector` | NCCL Inspector's JSON |
//! | `perftest`, `perftest_json` | `ib_write_bw` and its like, and their JSON |
//! | `iperf3`, `iperf3_text` | `iperf3 --json`, `--json-stream`, and its text |
//! | `iperf2`, `iperf2_csv`, `iperf2_sums` | `iperf` 2, and its CSV |
//! | `netperf` | `netperf` |
//! | `mpibench` | `mpiBench` |
//! | `ucc_perftest` | `ucc_perftest` |
//! | `qperf` | `qperf` |
//! | `sockperf` | `sockperf` |
//! | `lacis_mpi` | `lacis-mpi`'s JSON lines |
//! | `matrix` | a matrix as CSV |
//!
//! What launchers put before lines is taken off first (`prefix`); what stands above a run says how it was launched (`launch`);
//! of runs whose rows are mixed `mixed` says which may be whose; the unit of a rate is settled by rows that show it (`scale`); of what is not read `others` says so.

mod clusterkit;
mod deviation;
mod gpcnet;
mod imb;
mod iperf2;
mod iperf2_csv;
mod iperf2_sums;
mod iperf3;
mod iperf3_text;
mod json_objects;
mod lacis_mpi;
mod latencystress;
mod launch;
mod matrix;
mod mixed;
mod mpibench;
mod mpigraph;
mod multibw;
mod nccl_inspector;
mod nccl_json;
mod nccl_tests;
mod netperf;
mod netpipe;
mod nxnlatbw;
mod osu;
mod others;
mod perftest;
mod perftest_json;
mod prefix;
mod qperf;
mod scale;
mod sockperf;
mod streams;
mod table;
#[cfg(test)]
mod tests;
mod ucc_perftest;
mod ucx_perftest;

pub use table::{CLASSES, Class, End, Measured, NONE, Series, Unit, Wanted};

use std::borrow::Cow;

use super::note::Notes;
use super::text::{packed, plain, refuse_empty};
use super::{NoteKind, ReadError};
use json_objects::Objects;
use launch::Call;
use prefix::Prefixes;
use streams::{Formats, Streams};
use table::{Block, Line, Sink};

/// Lines of an input among which its title is.
const LINES_ABOVE: usize = 500;

/// Reads several inputs of one measurement, such as the files that the processes of one job wrote.
#[derive(Debug, Default)]
pub struct Reader {
    wanted: Wanted,
    sink: Sink,
    objects: Objects,
    inputs: usize,
}

impl Reader {
    /// A reader that knows what matrices hold.
    pub fn new(wanted: Wanted) -> Self {
        Self { wanted, ..Self::default() }
    }

    /// Reads an input; remarks on it get its number, from 0.
    ///
    /// # Errors
    /// When it is no text, or has no line of a known format. What was read before remains.
    pub fn feed(&mut self, bytes: &[u8]) -> Result<(), ReadError> {
        let input = self.inputs;
        self.sink.input = input;
        self.inputs += 1;
        let before = self.sink.table.value.len();
        let formats = std::mem::take(&mut self.sink.table.formats);
        let found = self.read(bytes);
        let is_known = !self.sink.table.formats.is_empty();
        let own = std::mem::replace(&mut self.sink.table.formats, formats);
        for name in own {
            self.sink.format(name);
        }
        self.sink.end_input(input);
        found?;
        if !is_known {
            return Err(others::refuse(&String::from_utf8_lossy(bytes)));
        }
        // Operations between ranks wait for other inputs.
        if self.sink.table.value.len() == before && self.objects.waiting() == 0 {
            let notes = self.sink.table.notes.iter().filter(|(of, _)| *of == input);
            let mut why: Vec<String> = notes.map(|(_, note)| note.to_string()).collect();
            if why.is_empty() {
                why.push("no row with a value".into());
            }
            return Err(ReadError::whole(format!("no usable result ({})", why.join("; "))));
        }
        Ok(())
    }

    /// All that was read.
    pub fn finish(mut self) -> Measured {
        self.objects.finish(&mut self.sink);
        self.sink.end_input(0);
        self.sink.finish()
    }

    fn read(&mut self, bytes: &[u8]) -> Result<(), ReadError> {
        refuse_empty(bytes)?;
        if let Some(kind) = packed(bytes) {
            return Err(ReadError::whole(format!("{kind} data, not text: unpack it first")));
        }
        let mut notes = Notes::default();
        let bytes = plain(bytes, &mut notes);
        self.sink.notes = notes;
        if bytes.contains(&0) {
            let at = bytes.iter().take_while(|&&byte| byte != 0).count();
            let line = bytes[..at].split(|&byte| byte == b'\n').count();
            return Err(ReadError::at(line, "a NUL byte: this is binary data, not text", ""));
        }
        let text = String::from_utf8_lossy(&bytes);
        if text.contains('\u{fffd}') {
            self.sink.notes.add(NoteKind::NotText, 1, "");
        }
        if has_title(&text) || !matrix::read(&bare(&text), &self.wanted, &mut self.sink)? {
            Streams::new(&text, Formats { begin, begin_row }).read(
                &text,
                &mut self.objects,
                &mut self.sink,
            )?;
        }
        self.objects.end_input(&mut self.sink);
        Ok(())
    }
}

/// Whether a comment is the title of a format: few of its rows may look like a matrix.
fn has_title(text: &str) -> bool {
    let mut prefixes = Prefixes::of(text);
    text.lines().take(LINES_ABOVE).enumerate().any(|(at, raw)| {
        let bare = prefixes.strip(raw);
        let line = Line { number: at + 1, text: bare.text.trim() };
        line.text.starts_with('#') && begin(&line, None, &mut Sink::default()).is_some()
    })
}

/// A text whose lines have prefixes, without them.
fn bare(text: &str) -> Cow<'_, str> {
    let mut prefixes = Prefixes::of(text);
    let first = text.lines().find(|line| !line.trim().is_empty()).unwrap_or_default();
    if prefixes.strip(first).text == first.trim() {
        return Cow::Borrowed(text);
    }
    let lines: Vec<String> = text.split('\n').map(|line| prefixes.strip(line).text.into_owned()).collect();
    Cow::Owned(lines.join("\n"))
}

/// The format that begins with a title.
fn begin(line: &Line<'_>, called: Option<&Call>, sink: &mut Sink) -> Option<Box<dyn Block>> {
    fn boxed<B: Block + 'static>(block: Option<B>) -> Option<Box<dyn Block>> {
        block.map(|block| Box::new(block) as Box<dyn Block>)
    }
    boxed(osu::begin(line, sink))
        .or_else(|| boxed(imb::begin(line, sink)))
        .or_else(|| boxed(multibw::begin(line, sink)))
        .or_else(|| boxed(mpigraph::begin(line, sink)))
        .or_else(|| boxed(deviation::begin(line, sink)))
        .or_else(|| boxed(gpcnet::begin(line, sink)))
        .or_else(|| boxed(clusterkit::begin(line, sink)))
        .or_else(|| boxed(ucx_perftest::begin(line, called, sink)))
        .or_else(|| boxed(perftest::begin(line, sink)))
        .or_else(|| boxed(iperf3_text::begin(line, sink)))
        .or_else(|| boxed(iperf2::begin(line, sink)))
        .or_else(|| boxed(netperf::begin(line, sink)))
        .or_else(|| boxed(mpibench::begin(line, sink)))
        .or_else(|| boxed(ucc_perftest::begin(line, sink)))
        .or_else(|| boxed(sockperf::begin(line, called, sink)))
        .or_else(|| boxed(qperf::begin(line, called, sink)))
        .or_else(|| boxed(nccl_tests::begin(line, called, sink)))
}

/// The format, among those without a title, whose row this is.
fn begin_row(line: &Line<'_>, sink: &mut Sink) -> Option<Box<dyn Block>> {
    if let Some(block) = nxnlatbw::begin(line, sink) {
        return Some(Box::new(block));
    }
    if let Some(block) = netpipe::begin(line, sink) {
        return Some(Box::new(block));
    }
    if let Some(block) = nccl_tests::begin_row(line, sink) {
        return Some(Box::new(block));
    }
    if let Some(block) = iperf2_csv::begin(line, sink) {
        return Some(Box::new(block));
    }
    latencystress::begin(line, sink).map(|block| Box::new(block) as Box<dyn Block>)
}

/// Reads one input.
///
/// # Errors
/// When it is no text, has no line of a known format, or none that can be used.
pub fn read(bytes: &[u8], wanted: &Wanted) -> Result<Measured, ReadError> {
    let mut reader = Reader::new(wanted.clone());
    reader.feed(bytes)?;
    Ok(reader.finish())
}
