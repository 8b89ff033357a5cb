//! Panics of the engine, which are bugs: where the last one was, for a program that reports it in a line of its own.

use std::panic::{set_hook, take_hook};
use std::sync::{Mutex, Once, PoisonError};

use pyo3::prelude::*;

static LAST: Mutex<Option<String>> = Mutex::new(None);
static HUSHED: Once = Once::new();

/// From now on a panic prints nothing, except where `LACIS_DEBUG` is set, and `panicked_at` says where it was.
#[pyfunction]
fn hush_panics() {
    HUSHED.call_once(|| {
        let usual = take_hook();
        set_hook(Box::new(move |panic| {
            *LAST.lock().unwrap_or_else(PoisonError::into_inner) = panic.location().map(ToString::to_string);
            if std::env::var_os("LACIS_DEBUG").is_some_and(|value| !value.is_empty()) {
                usual(panic);
            }
        }));
    });
}

/// The file, line and column of the last panic since `hush_panics`; none where there was none.
#[pyfunction]
fn panicked_at() -> Option<String> {
    LAST.lock().unwrap_or_else(PoisonError::into_inner).clone()
}

pub(crate) fn register(m: &Bound<'_, PyModule>) -> PyResult<()> {
    m.add_function(wrap_pyfunction!(hush_panics, m)?)?;
    m.add_function(wrap_pyfunction!(panicked_at, m)?)
}
