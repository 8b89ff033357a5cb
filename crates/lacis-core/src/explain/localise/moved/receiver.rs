//! What the host that receives the flows of an entry loses by itself.
//!
//! Healthy hosts differ by τ: what one loses is normal with deviation τ before its flows are known. n flows that lose y with
//! deviation σ leave it normal with variance v = 1 ÷ (1 ÷ τ² + n ÷ σ²) about m = v · Σ y ÷ σ².

/// Losses farther from 0, in deviations of a healthy host's flow, do not say what the host loses.
const NEAR: f64 = 3.0;

/// What is known of a host's own loss.
#[derive(Clone, Copy, Debug)]
pub struct Receiver {
    /// τ², ln².
    differ: f64,
    /// 1 ÷ v.
    weight: f64,
    /// Σ y ÷ σ².
    sum: f64,
}

impl Receiver {
    /// A host among others that differ by τ, of which no flow is known.
    pub fn unknown(differ: f64) -> Self {
        let differ = differ * differ;
        Self { differ, weight: 1.0 / differ, sum: 0.0 }
    }

    /// With a flow that loses so much besides what other things take, ln, of this deviation.
    pub fn add(&mut self, loss: f64, spread: f64) {
        self.weigh(loss, spread, 1.0);
    }

    /// Without a flow that was added.
    pub fn remove(&mut self, loss: f64, spread: f64) {
        self.weigh(loss, spread, -1.0);
    }

    fn weigh(&mut self, loss: f64, spread: f64, number: f64) {
        let variance = spread * spread;
        if loss * loss < NEAR * NEAR * (variance + self.differ) {
            self.weight += number / variance;
            self.sum += number * loss / variance;
        }
    }

    /// The likeliest loss, ln.
    pub fn loss(&self) -> f64 {
        self.sum / self.weight
    }

    /// How unlikely it is that the host loses so much, −ln of the density up to a constant.
    pub fn surprise(&self, loss: f64) -> f64 {
        (loss - self.loss()).powi(2) * self.weight / 2.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn flows_say_what_a_host_loses_as_far_as_noise_lets_them() {
        // Hosts differ by 0.02, four flows lose 0.03 each with a deviation of 0.04: 1 ÷ v = 2,500 + 4 · 625 = 5,000, so half of
        // what they lose is the host's.
        let mut host = Receiver::unknown(0.02);
        for _ in 0..4 {
            host.add(0.03, 0.04);
        }
        assert!((host.loss() - 0.015).abs() < 1e-12);
        // 0.02 from there is √2 deviations of √(1 ÷ 5,000): as unlikely as (√2)² ÷ 2 = 1.
        assert!((host.surprise(0.035) - 1.0).abs() < 1e-12);
        // A flow that loses 0.2 does so by something else: 3 √(0.04² + 0.02²) = 0.134.
        host.add(0.2, 0.04);
        assert!((host.loss() - 0.015).abs() < 1e-12);
        for _ in 0..4 {
            host.remove(0.03, 0.04);
        }
        assert!(host.loss().abs() < 1e-12);
        assert!((host.surprise(0.02) - 0.5).abs() < 1e-12);
    }
}
