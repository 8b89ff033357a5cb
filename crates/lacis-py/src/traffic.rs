//! Traffic: what is sent, for every model in the same form.

use lacis_core::ranks::{Participants, Ranks};
use lacis_core::traffic::{Pattern, ProgramSpec, Striping, Traffic, TrafficOptions, TrafficSpec};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

use crate::error::to_py;

/// What is sent, as Python gives it.
pub(crate) struct AskedTraffic<'t> {
    /// Its name and arguments, as typed.
    pub spec: &'t str,
    /// The text of the file that it names, if any.
    pub listed: &'t str,
    /// How many phases a random pattern has.
    pub patterns: usize,
    /// Payload of a message, or of what a program exchanges `[bytes]`; 0 where only flows matter.
    pub bytes: u64,
    pub ranks_per_host: u32,
    /// The library that spreads messages over rails.
    pub striping: Option<&'t str>,
}

impl AskedTraffic<'_> {
    /// Makes it ready for hosts.
    pub(crate) fn ready<'a>(&self, participants: &'a Participants) -> PyResult<Traffic<'a>> {
        let spec: TrafficSpec = self.spec.parse().map_err(to_py)?;
        let unknown = |()| PyValueError::new_err("striping is psm2 or ucx");
        let striping = self.striping.map(str::parse::<Striping>).transpose().map_err(unknown)?;
        let Self { patterns, bytes, listed, .. } = *self;
        let options = TrafficOptions { patterns, bytes, listed, striping };
        Traffic::new(&spec, Ranks::in_a_row(participants, self.ranks_per_host), &options).map_err(to_py)
    }
}

/// The names of all phases of traffic.
pub(crate) fn phase_names(traffic: &Traffic<'_>) -> Vec<String> {
    (0..traffic.num_phases()).map(|phase| traffic.phase_name(phase)).collect()
}

/// What is asked for after `--traffic`: `pattern` or `program`, and the file that it names, if it names one.
#[pyfunction]
fn traffic_kind(spec: &str) -> PyResult<(&'static str, Option<String>)> {
    Ok(match spec.parse::<TrafficSpec>().map_err(to_py)? {
        TrafficSpec::Pattern(Pattern::File(path)) => ("pattern", Some(path)),
        TrafficSpec::Pattern(_) => ("pattern", None),
        TrafficSpec::Program(ProgramSpec::Trace(path)) => ("program", Some(path)),
        TrafficSpec::Program(_) => ("program", None),
    })
}

/// What can be asked for after `--traffic`; what ends in `:` needs an argument after it.
#[pyfunction]
fn traffic_names() -> Vec<String> {
    TrafficSpec::names()
}

pub(crate) fn register(m: &Bound<'_, PyModule>) -> PyResult<()> {
    m.add_function(wrap_pyfunction!(traffic_names, m)?)?;
    m.add_function(wrap_pyfunction!(traffic_kind, m)?)
}
