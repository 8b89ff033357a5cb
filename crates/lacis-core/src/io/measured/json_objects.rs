//! JSON objects in a text: one a line, or one over many lines.

use serde_json::Value;

use super::table::{Line, Sink};
use super::{iperf3, lacis_mpi, nccl_inspector};
use crate::io::NoteKind;

/// The state between objects.
#[derive(Debug, Default)]
pub(super) struct Objects {
    inspector: nccl_inspector::Inspector,
    mpi: lacis_mpi::LacisMpi,
    /// An object over many lines had no end, so no later one has.
    is_cut: bool,
}

impl Objects {
    /// Reads the object that begins with `line`, at the start of `rest`; returns how many lines it has.
    pub(super) fn read(&mut self, line: &Line<'_>, rest: &str, sink: &mut Sink) -> usize {
        if line.text.ends_with('}') {
            if lacis_mpi::looks_like(line.text) {
                if !self.mpi.record(line, sink) {
                    sink.notes.add(NoteKind::BrokenRow, line.number, line.text);
                }
                return 1;
            }
            if let Ok(value) = serde_json::from_str::<Value>(line.text) {
                self.object(line, &value, sink);
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
                self.object(line, &value, sink);
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

    fn object(&mut self, line: &Line<'_>, value: &Value, sink: &mut Sink) {
        let is_known = iperf3::read(line, value, sink) || self.inspector.record(line, value, sink);
        if !is_known {
            sink.notes.add(NoteKind::UnknownLine, line.number, line.text);
        }
    }

    /// Ends an input.
    pub(super) fn end_input(&mut self, sink: &mut Sink) {
        self.mpi.end(sink);
        self.mpi = self.mpi.next();
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
