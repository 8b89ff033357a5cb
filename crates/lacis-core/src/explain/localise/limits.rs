//! From what on something is found.

/// From what on something is found.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// The least loss, ln.
    pub loss: f64,
    /// So many standard errors; more where there are many suspects, see `sure_of`.
    pub sure: f64,
    /// Healthy suspects are taken to differ by this at least, ln.
    pub differ: f64,
    /// The most chance of a false alarm in a measurement.
    pub chance: f64,
    /// The part of a suspect's flows that are slow, at least.
    pub part: f64,
}

impl Limits {
    /// For rates: 7 % less. For times, which differ among healthy hosts by more: 30 % more.
    pub fn usual(is_time: bool) -> Self {
        let loss = if is_time { 1.3_f64.ln() } else { -(0.93_f64.ln()) };
        Self { loss, sure: 4.0, differ: 0.01, chance: 1e-3, part: 0.7 }
    }

    /// The least gain of one of so many suspects. By chance a likelihood ratio exceeds e^x at most with probability e^−x.
    pub(super) fn enough(&self, suspects: usize) -> f64 {
        (suspects.max(1) as f64).ln() - self.chance.ln()
    }

    /// So many standard errors that among healthy suspects one exceeds them once in 3,000 measurements, by the normal
    /// distribution's tail φ(z) / z: 5.2 of 2,600, 5.8 of 70,000.
    pub(super) fn sure_of(&self, suspects: usize) -> f64 {
        let odds = 3000.0 * suspects.max(1) as f64;
        let beyond = |z: f64| (2.0 * (odds.ln() - (z * 2.5066).ln())).max(0.0).sqrt();
        beyond(beyond(5.0)).max(self.sure)
    }
}
