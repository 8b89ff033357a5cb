//! Thresholds of the search.

/// Thresholds of the search.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// The least loss, ln.
    pub loss: f64,
    /// The least loss in standard errors; `sure_of` raises it with the number of suspects.
    pub sure: f64,
    /// The least standard deviation assumed among healthy suspects, ln.
    pub differ: f64,
    /// The greatest chance of a false alarm in a measurement.
    pub chance: f64,
    /// The least share of a suspect's flows that are slow.
    pub slow_share: f64,
}

impl Limits {
    /// For rates: 7 % less. For times, which differ among healthy hosts by more: 30 % more.
    pub fn usual(is_time: bool) -> Self {
        let loss = if is_time { 1.3_f64.ln() } else { -(0.93_f64.ln()) };
        Self { loss, sure: 4.0, differ: 0.01, chance: 1e-3, slow_share: 0.7 }
    }

    /// The least gain of a suspect among so many. By chance a likelihood ratio exceeds e^x with probability e^−x at most.
    pub(super) fn enough(&self, suspects: usize) -> f64 {
        (suspects.max(1) as f64).ln() - self.chance.ln()
    }

    /// The number of standard errors that one of so many healthy suspects exceeds once in 3,000 measurements, by the normal
    /// distribution's tail φ(z) / z: 5.2 of 2,600, 5.8 of 70,000.
    pub(super) fn sure_of(&self, suspects: usize) -> f64 {
        let odds = 3000.0 * suspects.max(1) as f64;
        let beyond = |z: f64| (2.0 * (odds.ln() - (z * 2.5066).ln())).max(0.0).sqrt();
        beyond(beyond(5.0)).max(self.sure)
    }
}
