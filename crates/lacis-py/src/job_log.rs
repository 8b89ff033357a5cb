//! Job logs: known texts, and trouble without one; the forms of UTF-16.

use std::sync::{Mutex, PoisonError};

use lacis_core::io::Utf16;
use lacis_core::io::job_log::{Found, Hits, Scanner};
use pyo3::prelude::*;

use crate::error::{Failure, to_py};

/// How many lines have a text, and the first of them with their numbers.
type Lines = (u64, Vec<(u64, String)>);

/// Looks for texts in a log that is given piece by piece.
#[pyclass(frozen, module = "lacis._core")]
struct LogScanner {
    inner: Mutex<Option<Scanner>>,
}

#[pymethods]
impl LogScanner {
    /// `texts` are lists of fragments, as are `general` ones, which count where no other does, `trouble` words that errors
    /// have; `quoted` lines of each are kept.
    #[new]
    fn new(
        texts: Vec<Vec<String>>,
        general: Vec<Vec<String>>,
        trouble: Vec<String>,
        quoted: usize,
    ) -> PyResult<Self> {
        let scanner =
            Scanner::new(&texts, &general, &trouble, quoted).map_err(|e| to_py(Failure::plain(&e)))?;
        Ok(Self { inner: Mutex::new(Some(scanner)) })
    }

    /// Reads the next piece.
    fn feed(&self, py: Python<'_>, piece: &[u8]) {
        py.detach(|| {
            if let Some(scanner) = self.inner.lock().unwrap_or_else(PoisonError::into_inner).as_mut() {
                scanner.feed(piece);
            }
        });
    }

    /// Lines, bytes, lines by text, lines with trouble by kind, further lines with trouble, and lines too long to be
    /// looked at whole; once, after the last piece.
    fn finish(&self) -> (u64, u64, Vec<Lines>, Vec<Lines>, u64, u64) {
        let scanner = self.inner.lock().unwrap_or_else(PoisonError::into_inner).take();
        let found = scanner.map_or_else(Found::default, Scanner::finish);
        let lines = |hits: Vec<Hits>| hits.into_iter().map(|h| (h.count, h.first)).collect();
        let (known, unknown) = (lines(found.known), lines(found.unknown));
        (found.lines, found.bytes, known, unknown, found.more_unknown, found.long_lines)
    }
}

/// The form of UTF-16 that a text begins in, as Python names it; None where it is none.
#[pyfunction]
fn utf16_form(start: &[u8]) -> Option<&'static str> {
    lacis_core::io::utf16_form(start).map(|form| match form {
        Utf16::LittleEndian => "utf-16-le",
        Utf16::BigEndian => "utf-16-be",
    })
}

pub(crate) fn register(m: &Bound<'_, PyModule>) -> PyResult<()> {
    m.add_function(wrap_pyfunction!(utf16_form, m)?)?;
    m.add_class::<LogScanner>()
}
