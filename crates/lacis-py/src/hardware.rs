//! Options of switches in models: lanes; in simulations also adaptive routing and congestion control.

use lacis_core::model::packet::{Adaptive, Algorithm, OmniPath, Throttle};
use lacis_core::qos::{self, Arbitration};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

use crate::error::{Failure, to_py};

/// Keys of Omni-Path's adaptive routing; what is not given is as the manager is shipped. `frequency` or `period`
/// [s], not both.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub(crate) struct Moving {
    algorithm: Option<u8>,
    threshold: Option<u8>,
    frequency: Option<u8>,
    period: Option<f64>,
    lost_route_only: bool,
}

/// A mistake of the user's.
fn refused<T>(reason: &str) -> PyResult<T> {
    Err(to_py(Failure::plain(&reason)))
}

impl Moving {
    fn read(&self) -> PyResult<OmniPath> {
        let usual = OmniPath::default();
        let algorithm = match self.algorithm {
            None => usual.algorithm,
            Some(0) => Algorithm::Random,
            Some(1) => Algorithm::Greedy,
            Some(2) => Algorithm::GreedyRandom,
            Some(_) => return Err(PyValueError::new_err("ar_algorithm is 0, 1 or 2")),
        };
        let threshold = self.threshold.unwrap_or(usual.threshold);
        if threshold > 7 || self.frequency.is_some_and(|frequency| frequency > 7) {
            return Err(PyValueError::new_err("ar_threshold and ar_frequency are 0 to 7"));
        }
        let period = match (self.period, self.frequency) {
            (None, None) => usual.period,
            (None, Some(frequency)) => OmniPath::period_of(frequency),
            (Some(seconds), None) if (1e-9..1e6).contains(&seconds) => (seconds * 1e12).round() as u64,
            (Some(_), None) => return refused("`period`: expected 1 ns to 1,000,000 s"),
            (Some(_), Some(_)) => {
                return refused("`frequency` and `period` set the same: give one");
            }
        };
        Ok(OmniPath { algorithm, threshold, period, lost_route_only: self.lost_route_only })
    }
}

/// How switches choose among shortest paths.
pub(crate) fn adaptive(name: &str, moving: Option<&Moving>) -> PyResult<Adaptive> {
    Ok(match (name, moving) {
        ("off", _) => Adaptive::Off,
        ("least", _) => Adaptive::Least,
        ("two", _) => Adaptive::TwoChoices,
        ("omni-path", None) => Adaptive::OmniPath(OmniPath::default()),
        ("omni-path", Some(moving)) => Adaptive::OmniPath(moving.read()?),
        _ => return Err(PyValueError::new_err("adaptive is \"off\", \"least\", \"two\" or \"omni-path\"")),
    })
}

/// Keys of lanes: how many (0: as many as needed), the lane of each service level, the arbitration tables
/// of (lane, weight), the limit of high priority in units of 4096 bytes, and whether that interrupts.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub(crate) struct Lanes {
    #[pyo3(item("lanes"))]
    count: u8,
    sl2vl: Option<Vec<u8>>,
    high: Vec<(u8, u8)>,
    low: Vec<(u8, u8)>,
    limit: u8,
    preempt: bool,
}

impl Lanes {
    pub(crate) fn read(&self) -> PyResult<qos::Lanes> {
        let mapping = self.sl2vl.as_ref().map(|lanes| <[u8; 16]>::try_from(lanes.as_slice())).transpose();
        let mapping = mapping.map_err(|_| PyValueError::new_err("sl2vl has 16 lanes"))?;
        let arbitration = if self.high.is_empty() && self.low.is_empty() {
            None
        } else {
            let tables = Arbitration::new(&self.high, &self.low, self.limit);
            Some(tables.ok_or_else(|| PyValueError::new_err("an arbitration table has at most 64 entries"))?)
        };
        Ok(qos::Lanes { count: self.count, mapping, arbitration, preempt: self.preempt })
    }
}

/// Parameters of congestion control; the size in bytes, the time in seconds.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub(crate) struct Slowing {
    threshold: u8,
    marking_rate: u16,
    packet_size: u32,
    increase: u16,
    limit: u16,
    least: u16,
    timer: f64,
    step: f64,
}

impl Slowing {
    pub(crate) fn read(&self) -> PyResult<Throttle> {
        let &Self { threshold, marking_rate, packet_size, increase, limit, least, timer, step } = self;
        if threshold > 15 || !(0.0..=1e6).contains(&step) {
            return refused("`congestion`: threshold is 0 to 15, step 0 to 1,000,000");
        }
        if least > limit {
            return refused(&format!("`congestion`: least is {least}, and limit {limit}"));
        }
        if !(1e-9..1e3).contains(&timer) {
            return refused("`congestion`: timer is 1 ns to 1,000 s");
        }
        let timer = (timer * 1e12).round() as u64;
        Ok(Throttle { threshold, marking_rate, packet_size, increase, limit, least, timer, step })
    }
}

/// The parameters of congestion control unless given.
#[pyfunction]
pub(crate) fn congestion_control() -> Vec<(&'static str, f64)> {
    let how = Throttle::default();
    vec![
        ("threshold", f64::from(how.threshold)),
        ("marking_rate", f64::from(how.marking_rate)),
        ("packet_size", f64::from(how.packet_size)),
        ("increase", f64::from(how.increase)),
        ("limit", f64::from(how.limit)),
        ("least", f64::from(how.least)),
        ("timer", how.timer as f64 / 1e12),
        ("step", how.step),
    ]
}
