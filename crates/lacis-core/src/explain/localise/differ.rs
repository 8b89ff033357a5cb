//! By how much healthy suspects of one kind differ: τ.
//!
//! The mean loss of the flows over a suspect deviates from that of its kind with variance τ² + (s² − τ²) ÷ n: its own
//! difference, and the noise of its n flows, whose variance s² contains the difference as each flow of a class crosses another
//! suspect of the kind. τ² is what lets the squares of these deviations be as great as normal ones are (R. Paule, J. Mandel,
//! "Consensus values and weighting factors", 1982), each weighed by how exactly it is known. Squares are cut off as in P. J.
//! Huber, "Robust Statistics", 1981, "proposal 2": early on the slow side, which faults reach, late on the fast one.

/// A slow deviation counts as so many standard deviations at most.
const SLOW: f64 = 1.5;
/// A fast one.
const FAST: f64 = 3.0;
/// The mean square of normal deviations that are cut off so: 0.7785 on the slow side, 0.9950 on the fast one.
const CUT: f64 = 0.886_736;
/// The mean square on the fast side alone.
const CUT_FAST: f64 = 0.995;
/// Where all suspects differ by so many times as much as those on the fast side, faults are many, and these alone count.
const MANY: f64 = 2.0;
/// The variance of a normal sample's s² by all squares over that by these: what cutting off costs.
const EFFICIENCY: f64 = 0.82;
/// Steps of the search for τ².
const STEPS: usize = 50;

/// What the flows over a suspect lose.
#[derive(Clone, Copy, Debug)]
pub struct Level {
    /// The mean loss, ln.
    pub loss: f64,
    /// How many flows.
    pub flows: usize,
    /// The variance of a flow.
    pub variance: f64,
}

/// How much suspects of one kind differ.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Difference {
    /// τ, ln.
    pub deviation: f64,
    /// The variance of the estimate of τ².
    pub uncertain: f64,
}

impl Difference {
    /// Estimates it from suspects with at least two flows, about the loss that healthy ones usually have.
    pub fn of(levels: &[Level], usual: f64) -> Self {
        let by_all = square(levels, usual, CUT);
        let fast: Vec<Level> = levels.iter().copied().filter(|level| level.loss < usual).collect();
        let by_fast = square(&fast, usual, CUT_FAST);
        let square = if by_all > MANY * MANY * by_fast { by_fast } else { by_all };
        // Var τ² is the least that normal values allow, over what cutting off costs.
        let known: f64 = levels.iter().map(|level| variance(level, square).powi(-2)).sum();
        let uncertain = if known > 0.0 { 2.0 / (EFFICIENCY * known) } else { 0.0 };
        Self { deviation: square.sqrt(), uncertain }
    }

    /// τ if τ² is a standard error more: what is promised of further flows is not to hang on a lucky estimate.
    pub fn most(&self) -> f64 {
        (self.deviation.powi(2) + self.uncertain.sqrt()).sqrt()
    }
}

/// The variance of a suspect's mean loss, with τ².
fn variance(level: &Level, square: f64) -> f64 {
    (square + (level.variance - square).max(0.0) / level.flows as f64).max(1e-12)
}

/// τ², with which the mean square of the deviations is `cut`; 0 where noise alone makes them as great.
fn square(levels: &[Level], usual: f64, cut: f64) -> f64 {
    if excess(levels, usual, 0.0, cut) <= 0.0 {
        return 0.0;
    }
    let (mut low, mut high) =
        (0.0, levels.iter().map(|level| (level.loss - usual).powi(2)).fold(0.0, f64::max));
    for _ in 0..STEPS {
        let middle = f64::midpoint(low, high);
        if excess(levels, usual, middle, cut) > 0.0 { low = middle } else { high = middle }
    }
    high
}

/// By how much squares exceed those of normal values with τ², each weighed by what it is known with.
fn excess(levels: &[Level], usual: f64, square: f64, cut: f64) -> f64 {
    let more = |level: &Level| {
        let variance = variance(level, square);
        let z = (level.loss - usual) / variance.sqrt();
        (z.clamp(-FAST, SLOW).powi(2) - cut) / variance
    };
    levels.iter().map(more).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The middles of `number` equally likely parts of the standard normal distribution, by bisection of its function.
    fn normal_values(number: usize) -> Vec<f64> {
        let below = |z: f64| {
            // Simpson's rule from −8, where nothing is left.
            let (steps, density) =
                (2_000, |x: f64| (-x * x / 2.0).exp() / (2.0 * std::f64::consts::PI).sqrt());
            let width = (z + 8.0) / f64::from(steps);
            let weight = |at: i32| if at == 0 || at == steps { 1.0 } else { f64::from(2 + 2 * (at % 2)) };
            (0..=steps).map(|at| weight(at) * density(-8.0 + width * f64::from(at))).sum::<f64>() * width
                / 3.0
        };
        let quantile = |p: f64| {
            let (mut low, mut high) = (-6.0, 6.0);
            for _ in 0..40 {
                let middle = f64::midpoint(low, high);
                if below(middle) < p { low = middle } else { high = middle }
            }
            high
        };
        (0..number).map(|at| quantile((at as f64 + 0.5) / number as f64)).collect()
    }

    fn levels(deviation: f64, flows: usize, variance: f64) -> Vec<Level> {
        normal_values(200).iter().map(|z| Level { loss: deviation * z, flows, variance }).collect()
    }

    #[test]
    fn the_difference_is_what_noise_leaves_of_the_spread() {
        // Means of 16 flows of variance 0.05² that differ by 0.0194 = √(0.015² · 15/16 + 0.05² / 16): τ is 0.015.
        let spread = (0.015_f64.powi(2) * 15.0 / 16.0 + 0.05_f64.powi(2) / 16.0).sqrt();
        let found = Difference::of(&levels(spread, 16, 0.0025), 0.0);
        assert!((found.deviation - 0.015).abs() < 3e-4, "{found:?}");
        // Of 200 values s² = 3.673e-4 has the standard error s² √(2 / (0.82 · 200)) = 4.06e-5.
        assert!((found.uncertain.sqrt() - 4.06e-5).abs() < 2e-6, "{found:?}");
        assert!((found.most() - (0.015_f64.powi(2) + 4.06e-5).sqrt()).abs() < 3e-4, "{found:?}");
        // No more than the noise of 0.05² / 16 alone gives: nothing is left.
        assert!(Difference::of(&levels(0.0115, 16, 0.0025), 0.0).deviation < 1e-9);
        assert!(Difference::of(&[], 0.0).most() < 1e-9);
    }

    #[test]
    fn suspects_of_few_flows_count_as_what_they_are_known_with() {
        // 200 suspects of 400 flows differ by 0.01; as many of 2 flows only by what chance gives to these.
        let mut all = levels(0.01, 400, 0.0025);
        let rest = (0.0001 + (0.0025_f64 - 0.0001) / 2.0).sqrt();
        all.extend(levels(rest, 2, 0.0025));
        let both = Difference::of(&all, 0.0);
        assert!((both.deviation - 0.01).abs() < 4e-4, "{both:?}");
        // And where these differ by a tenth more than chance gives, that says next to nothing about τ: by plain squares it
        // would be √(0.0001 + 0.00126 · 0.21 / 2) = 0.015.
        all.truncate(200);
        all.extend(levels(1.1 * rest, 2, 0.0025));
        let both = Difference::of(&all, 0.0);
        assert!((both.deviation - 0.01).abs() < 6e-4, "{both:?}");
    }

    #[test]
    fn slow_suspects_hardly_add_to_the_difference_and_fast_ones_do() {
        // A tenth of the suspects lose half: each counts as 1.5 deviations, so s² grows by the factor that lets the others'
        // squares, 0.9 · cut(s), make room for 0.1 · 2.25.
        let mut all = levels(0.015, 100_000, 0.0025);
        let healthy = Difference::of(&all, 0.0).deviation;
        all.iter_mut().rev().take(20).for_each(|level| level.loss = 0.69);
        let slow = Difference::of(&all, 0.0).deviation;
        assert!(slow < 1.1 * healthy, "{slow} {healthy}");
        for level in &mut all {
            level.loss = -level.loss;
        }
        assert!(Difference::of(&all, 0.0).deviation > 1.3 * healthy);
    }
    #[test]
    fn where_four_in_ten_are_slow_the_fast_ones_show_the_difference() {
        // The median of all is exceeded by a sixth of the healthy ones: it lies at 0.97 of their standard deviations. Those
        // before it are on average at most that much farther away.
        let mut all = levels(0.015, 100_000, 0.0025);
        all.iter_mut().rev().step_by(5).for_each(|level| level.loss = 0.69);
        all.iter_mut().skip(1).rev().step_by(5).for_each(|level| level.loss = 0.69);
        let mut losses: Vec<f64> = all.iter().map(|level| level.loss).collect();
        losses.sort_by(f64::total_cmp);
        let found = Difference::of(&all, losses[losses.len() / 2]).deviation;
        assert!((0.015..0.03).contains(&found), "{found}");
    }
}
