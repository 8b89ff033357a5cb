//! JSON objects in a text: one a line, or one over many lines.

use rustc_hash::FxHashMap;
use serde_json::Value;

use super::table::{Line, Sink};
use super::{iperf3, lacis_mpi, nccl_inspector, nccl_json, perftest_json};
use crate::io::NoteKind;

/// The state between objects.
#[derive(Debug, Default)]
pub(super) struct Objects {
    inspector: nccl_inspector::Inspector,
    /// By stream: the run whose records are read.
    mpi: FxHashMap<u32, lacis_mpi::LacisMpi>,
    /// What the next run begins with.
    next_mpi: lacis_mpi::LacisMpi,
    iperf: iperf3::Runs,
    /// An object over many lines had no end, so no later one has.
    is_cut: bool,
}

impl Objects {
    /// Reads the object that begins with `line`, at the start of `rest`; returns how many lines it has.
    pub(super) fn read(&mut self, line: &Line<'_>, rest: &str, stream: u32, sink: &mut Sink) -> usize {
        if line.text.ends_with('}') {
            if lacis_mpi::looks_like(line.text) {
                if !self.mpi(line, stream, sink) {
                    sink.notes.add(NoteKind::BrokenRow, line.number, line.text);
                }
                return 1;
            }
            if let Ok(value) = serde_json::from_str::<Value>(line.text) {
                self.object(line, &value, stream, sink);
                return 1;
            }
        }
        // A record of one line that is cut, or has another's beginning inside.
        if lacis_mpi::looks_like(line.text) || nccl_inspector::looks_like(line.text) || self.is_cut {
            sink.notes.add(NoteKind::BrokenRow, line.number, line.text);
            return 1;
        }
        let mut objects = serde_json::Deserializer::from_str(rest).into_iter::<Value>();
        match objects.next() {
            Some(Ok(value)) => {
                self.object(line, &value, stream, sink);
                let end = objects.byte_offset();
                1 + rest.get(..end).map_or(0, |text| text.matches('\n').count())
            }
            found => {
                self.is_cut = matches!(found, Some(Err(error)) if error.is_eof());
                if self.is_cut {
                    sink.notes.add(NoteKind::BrokenRow, line.number, line.text);
                } else {
                    sink.notes.add(NoteKind::UnknownLine, line.number, line.text);
                }
                1
            }
        }
    }

    /// Reads a record of `lacis-mpi`; false if it is broken.
    fn mpi(&mut self, line: &Line<'_>, stream: u32, sink: &mut Sink) -> bool {
        let run = self.mpi.entry(stream).or_insert_with(|| self.next_mpi.next());
        // A second run in one file is a run of its own.
        if run.has_begun() && lacis_mpi::begins_a_run(line.text) {
            run.end(sink);
            *run = run.next();
        }
        run.record(line, sink)
    }

    fn object(&mut self, line: &Line<'_>, value: &Value, stream: u32, sink: &mut Sink) {
        let is_known = iperf3::read(line, value, sink)
            || self.iperf.event(line, value, stream, sink)
            || nccl_json::read(line, value, sink)
            || perftest_json::read(line, value, sink)
            || self.inspector.record(line, value, sink);
        if !is_known {
            sink.notes.add(NoteKind::UnknownLine, line.number, line.text);
        }
    }

    /// Ends an input.
    pub(super) fn end_input(&mut self, sink: &mut Sink) {
        let mut runs: Vec<(u32, lacis_mpi::LacisMpi)> = std::mem::take(&mut self.mpi).into_iter().collect();
        runs.sort_unstable_by_key(|&(stream, _)| stream);
        for (_, mut run) in runs {
            run.end(sink);
            self.next_mpi = run.next();
        }
        self.iperf.end(sink);
        self.is_cut = false;
    }

    /// Operations that wait for the end.
    pub(super) fn waiting(&self) -> usize {
        self.inspector.waiting()
    }

    /// Ends the last input.
    pub(super) fn finish(self, sink: &mut Sink) {
        self.inspector.finish(sink);
    }
}
