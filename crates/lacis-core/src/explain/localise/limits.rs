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
    /// The least share of a suspect's flows that are slow, of those that noise lets seem slow if all are.
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

    /// The standard errors to ask for where one is itself an estimate with so many degrees of freedom: no fewer than for an
    /// exact one, and so many that a healthy suspect exceeds them once in 300 measurements at most.
    pub(super) fn sure_by(&self, freedom: f64) -> f64 {
        let square = (self.sure * self.sure - 2.0 * (300.0 * self.chance).ln().abs()).max(0.0);
        self.sure.max(student(square.sqrt(), freedom))
    }

    /// The number of standard errors that one of so many healthy suspects exceeds by the chance of a false alarm, by the
    /// normal distribution's tail φ(z) / z: 4.9 of 2,600, 5.5 of 70,000.
    pub(super) fn sure_of(&self, suspects: usize) -> f64 {
        let odds = suspects.max(1) as f64 / self.chance;
        let beyond = |z: f64| (2.0 * (odds.ln() - (z * 2.5066).ln())).max(0.0).sqrt();
        beyond(beyond(5.0)).max(self.sure)
    }
}

/// The quantile of Student's t that is as far out as z is in the normal distribution: M. Abramowitz, I. Stegun, "Handbook of
/// Mathematical Functions", 26.7.5, to three terms.
fn student(z: f64, freedom: f64) -> f64 {
    let (freedom, square) = (freedom.max(1.0), z * z);
    let first = (square + 1.0) / (4.0 * freedom);
    let second = ((5.0 * square + 16.0) * square + 3.0) / (96.0 * freedom.powi(2));
    let third = (((3.0 * square + 19.0) * square + 17.0) * square - 15.0) / (384.0 * freedom.powi(3));
    z * (1.0 + first + second + third)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn errors_that_are_estimates_ask_for_more_of_them() {
        // From tables of t, one-sided 0.0005: 3.2905 of the normal distribution, 3.646 of 30 degrees of freedom, 4.587 of 10.
        for (freedom, quantile) in [(1e12, 3.2905), (30.0, 3.646), (10.0, 4.587)] {
            assert!((student(3.2905, freedom) - quantile).abs() < 0.01, "{freedom}");
        }
        // Of 4.9 errors, which one in a thousand measurements exceeds, no more are asked where the error is well known; of 4.65,
        // which are as far out as one in 300, √(4.9² + 2 ln 0.3), Student's t of 20 degrees of freedom asks for 6.6.
        let limits = Limits { sure: 4.9, ..Limits::usual(false) };
        assert!((limits.sure_by(f64::INFINITY) - 4.9).abs() < 1e-12);
        assert!((limits.sure_by(1000.0) - 4.9).abs() < 1e-12);
        assert!((limits.sure_by(20.0) - student(4.648, 20.0)).abs() < 0.01);
        assert!(limits.sure_by(20.0) > 5.9);
    }
}
