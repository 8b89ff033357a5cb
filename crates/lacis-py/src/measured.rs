//! Results of measurements: files in, columns out.

use std::sync::{Mutex, PoisonError};

use lacis_core::io::measured::{CLASSES, Reader, Unit, Wanted};
use numpy::IntoPyArray;
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::error::{Failure, to_py};

/// A unit's factor to ours, and its name.
fn unit(text: &str) -> PyResult<(Unit, f64)> {
    Unit::parse(text).ok_or_else(|| {
        let known = "s, ms, us, ns, B/s, MB/s, MiB/s, GB/s, GiB/s, Gb/s, messages/s, bytes";
        to_py(Failure::plain(&format!("{text:?} is no unit ({known})")))
    })
}

/// Reads files that belong together, one after the other.
#[pyclass(frozen, module = "lacis._core")]
struct MeasuredReader {
    inner: Mutex<Reader>,
}

#[pymethods]
impl MeasuredReader {
    /// `test`, `what`, `unit` and `size` (bytes of a message) are those of matrices, which do not say them.
    #[new]
    #[pyo3(signature = (test=None, what="value", unit=None, size=None))]
    fn new(test: Option<String>, what: &str, unit: Option<&str>, size: Option<u64>) -> PyResult<Self> {
        let unit = unit.map(self::unit).transpose()?;
        let wanted = Wanted { test, what: what.to_owned(), unit, bytes: size };
        Ok(Self { inner: Mutex::new(Reader::new(wanted)) })
    }

    /// Reads a file.
    fn feed(&self, py: Python<'_>, data: &[u8]) -> PyResult<()> {
        py.detach(|| self.inner.lock().unwrap_or_else(PoisonError::into_inner).feed(data)).map_err(to_py)
    }

    /// What was read. `facts` have the number of their file; `input` is that of each row. `series` and `ends` are rows that the columns `of`, `source` and `destination` point into; an end
    /// beyond the last is none. `notes` are remarks with the number of their file, the line and how many lines there are.
    fn finish<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let reader = std::mem::take(&mut *self.inner.lock().unwrap_or_else(PoisonError::into_inner));
        let found = py.detach(|| reader.finish());
        let series: Vec<_> = found
            .series
            .into_iter()
            .map(|s| (s.test, s.what, s.statistic, s.unit.name(), s.ranks, s.bytes))
            .collect();
        let ends: Vec<_> = found.ends.into_iter().map(|end| (end.host, end.rank)).collect();
        let notes: Vec<_> = found
            .notes
            .iter()
            .map(|(input, note)| (*input, note.line, note.count, note.to_string()))
            .collect();
        let out = PyDict::new(py);
        out.set_item("series", series)?;
        out.set_item("ends", ends)?;
        out.set_item("classes", CLASSES)?;
        out.set_item("of", found.of.into_pyarray(py))?;
        out.set_item("source", found.source.into_pyarray(py))?;
        out.set_item("destination", found.destination.into_pyarray(py))?;
        out.set_item("repeat", found.repeat.into_pyarray(py))?;
        out.set_item("input", found.input.into_pyarray(py))?;
        out.set_item("round", found.round.into_pyarray(py))?;
        out.set_item("class", found.class.into_pyarray(py))?;
        out.set_item("value", found.value.into_pyarray(py))?;
        out.set_item("formats", found.formats)?;
        out.set_item("facts", found.facts)?;
        out.set_item("notes", notes)?;
        Ok(out)
    }
}

pub(crate) fn register(m: &Bound<'_, PyModule>) -> PyResult<()> {
    m.add_class::<MeasuredReader>()
}
