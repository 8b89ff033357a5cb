//! Python binding of lacis-core: types in, arrays out, no algorithm. One file a room.

#![allow(clippy::needless_pass_by_value)] // PyO3 hands arguments over by value

mod campaign;
mod difference;
mod error;
mod explain;
mod explain_tables;
mod fabric;
mod failures;
mod given;
mod hardware;
mod health;
mod interrupt;
mod job;
mod job_log;
mod mapping;
mod measured;
mod named;
mod note;
mod opafm;
mod options;
mod panic;
mod planned;
mod predict;
mod rails;
mod ranks;
mod refusal;
mod routing;
mod simulate;
mod simulation;
mod structure;
mod times;
mod traffic;
mod verify;

use pyo3::prelude::*;

#[pymodule]
fn _core(m: &Bound<'_, PyModule>) -> PyResult<()> {
    m.add("PROFILE", if cfg!(debug_assertions) { "debug" } else { "release" })?;
    campaign::register(m)?;
    difference::register(m)?;
    explain::register(m)?;
    explain_tables::register(m)?;
    fabric::register(m)?;
    failures::register(m)?;
    given::register(m)?;
    health::register(m)?;
    job::register(m)?;
    job_log::register(m)?;
    mapping::register(m)?;
    measured::register(m)?;
    note::register(m)?;
    opafm::register(m)?;
    panic::register(m)?;
    planned::register(m)?;
    predict::register(m)?;
    traffic::register(m)?;
    rails::register(m)?;
    ranks::register(m)?;
    routing::register(m)?;
    times::register(m)?;
    simulate::register(m)?;
    structure::register(m)?;
    verify::register(m)
}
