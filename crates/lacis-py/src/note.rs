//! What readers notice, with fields.

use lacis_core::io;
use pyo3::prelude::*;

/// A remark of a reader on its input, about one line or more.
#[pyclass(frozen, module = "lacis._core")]
pub(crate) struct Note(io::Note);

impl Note {
    /// Those of a reader, in its order.
    pub(crate) fn all(notes: &[io::Note]) -> Vec<Self> {
        notes.iter().cloned().map(Self).collect()
    }
}

#[pymethods]
impl Note {
    /// What it is about, of a closed list: `unknown_line`.
    #[getter]
    fn kind(&self) -> String {
        self.0.kind.name()
    }

    /// The first line that it is about, from 1.
    #[getter]
    fn line(&self) -> usize {
        self.0.line
    }

    /// How many lines it is about.
    #[getter]
    fn count(&self) -> usize {
        self.0.count
    }

    /// The text of the first, cut to 80 characters.
    #[getter]
    fn text(&self) -> &str {
        &self.0.text
    }

    /// In words.
    fn __str__(&self) -> String {
        self.0.to_string()
    }

    fn __repr__(&self) -> String {
        format!("<lacis.Note: {}>", self.0)
    }
}

pub(crate) fn register(m: &Bound<'_, PyModule>) -> PyResult<()> {
    m.add_class::<Note>()
}
