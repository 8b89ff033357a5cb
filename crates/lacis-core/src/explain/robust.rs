//! Robust statistics that this room shares.

/// A median of absolute deviations times this is a standard deviation, of normal noise.
pub(super) const MAD: f64 = 1.4826;
/// Values that differ by less, relatively, are equal.
const SAME: f64 = 1e-9;
/// Logarithms that differ by less are of equal values.
const EQUAL: f64 = 1e-6;
/// Rounded values are so many times as many as there are different ones.
const TIED: usize = 4;
/// The most digits that rounded values have, less one.
const DIGITS: i32 = 5;
/// The commonest of rounded values is so many steps at least.
const FEWEST: f64 = 4.0;
/// Rounded values that are a step from the commonest are more than this share of its number.
const NEXT: f64 = 0.05;

/// Median, and standard deviation by the median absolute deviation; 0 and 0 of none.
pub(super) fn centre(mut values: Vec<f32>) -> (f64, f64) {
    let middle = median(&mut values);
    for value in &mut values {
        *value = (*value - middle).abs();
    }
    (f64::from(middle), MAD * f64::from(median(&mut values)))
}

/// The median; of an even number of values the greater of the middle two; 0 of none.
pub(super) fn median(values: &mut [f32]) -> f32 {
    if values.is_empty() {
        return 0.0;
    }
    let middle = values.len() / 2;
    *values.select_nth_unstable_by(middle, f32::total_cmp).1
}

/// The `p` quantile, interpolated between the two nearest values; NaN of none. Values change their order.
pub(super) fn quantile(values: &mut [f64], p: f64) -> f64 {
    match values.len() {
        0 => f64::NAN,
        1 => values[0],
        len => {
            let at = p * (len - 1) as f64;
            let (_, &mut low, above) = values.select_nth_unstable_by(at as usize, f64::total_cmp);
            let high = above.iter().copied().min_by(f64::total_cmp).unwrap_or(low);
            low + (high - low) * at.fract()
        }
    }
}

/// The step to which values were rounded, in their unit; 0 where they are not rounded, or so finely that hardly any other is
/// equal to the commonest of them or a step away. Steps are one, two or five times a power of ten, in bytes, in bits, or in
/// units of 2²⁰ or 2³⁰ bytes.
pub(super) fn step(values: &[f64]) -> f64 {
    let mut counts: Vec<(f64, usize)> = Vec::new();
    let mut sorted = values.to_vec();
    sorted.sort_unstable_by(f64::total_cmp);
    for group in sorted.chunk_by(|a, b| (b - a).abs() <= SAME * a.abs()) {
        counts.push((group[0], group.len()));
    }
    let Some(&(commonest, number)) = counts.iter().max_by(|a, b| a.1.cmp(&b.1).then(b.0.total_cmp(&a.0)))
    else {
        return 0.0;
    };
    if values.len() < TIED * counts.len() || commonest <= 0.0 {
        return 0.0;
    }
    let units = [1.0, 1.0 / 8.0, f64::from(1_u32 << 20), f64::from(1_u32 << 30)];
    let largest = |unit: f64| {
        let most = (commonest / unit).log10().floor() as i32;
        let powers = (most - DIGITS..=most).rev().map(|power| unit * 10_f64.powi(power));
        powers.flat_map(|power| [5.0, 2.0, 1.0].map(|times| times * power)).find(|step| {
            let is_whole = |value: f64| ((value / step).round() - value / step).abs() < SAME * value / step;
            counts.iter().all(|&(value, _)| is_whole(value))
        })
    };
    let is_next = |step: f64| {
        let near = |&&(value, _): &&(f64, usize)| ((value - commonest).abs() / step - 1.0).abs() < 0.01;
        let next: usize = counts.iter().filter(near).map(|one| one.1).sum();
        next as f64 > NEXT * number as f64
    };
    // Of values of a few steps each, as of links of which one has half of another's rate, none shows that it was rounded.
    let is_fine = |step: &f64| step * FEWEST <= commonest;
    let steps = units.into_iter().filter_map(largest).filter(|step| is_fine(step) && is_next(*step));
    steps.fold(0.0, f64::max)
}

/// Equal ones of rounded values, each given with the step to which it was rounded, spread evenly over this step; as they are
/// where that is 0. They are sorted.
pub(super) fn unrounded(values: impl Iterator<Item = (f64, f64)>) -> Vec<f64> {
    let mut all: Vec<(f64, f64)> = values.collect();
    all.sort_unstable_by(|a, b| a.0.total_cmp(&b.0).then(a.1.total_cmp(&b.1)));
    for group in all.chunk_by_mut(|a, b| b.0 - a.0 < EQUAL) {
        let number = group.len() as f64;
        for (at, (value, step)) in group.iter_mut().enumerate() {
            *value += *step * ((at as f64 + 0.5) / number - 0.5);
        }
    }
    let mut spread_out: Vec<f64> = all.into_iter().map(|(value, _)| value).collect();
    spread_out.sort_unstable_by(f64::total_cmp);
    spread_out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_values_are_spread_over_the_step_of_rounding() {
        let of = |steps: [f64; 3]| unrounded([2.0, 1.0, 1.0].into_iter().zip(steps));
        assert_eq!(of([0.0; 3]), [1.0, 1.0, 2.0]);
        assert_eq!(of([1.0; 3]), [0.75, 1.25, 2.0]);
        // Each over its own step: by a quarter of 2 to the left, and by a quarter of 4 to the right.
        assert_eq!(of([1.0, 2.0, 4.0]), [0.5, 2.0, 2.0]);
    }

    #[test]
    fn rounded_values_show_their_step() {
        // Whole GB/s about 10: 9, 10 and 11.
        let whole = |step: f64| {
            let each = move |at: u32| ((10.0 + f64::from(at % 21) / 10.0 - 1.0) / step).round() * step * 1e9;
            (0..500).map(each).collect::<Vec<_>>()
        };
        assert!((step(&whole(1.0)) - 1e9).abs() < 1.0, "{}", step(&whole(1.0)));
        // In twos and in halves of them.
        let twice: Vec<f64> = whole(1.0).iter().map(|value| 2.0 * value).collect();
        assert!((step(&twice) - 2e9).abs() < 1.0, "{}", step(&twice));
        assert!((step(&whole(0.5)) - 5e8).abs() < 1.0, "{}", step(&whole(0.5)));
        // In Gb/s, 80 of which are 10 GB/s.
        let bits: Vec<f64> = (0..500).map(|at| f64::from(78 + at % 5) * 1e9 / 8.0).collect();
        assert!((step(&bits) - 1e9 / 8.0).abs() < 1.0, "{}", step(&bits));
        // Exact values of a model, at all and at half of the rate, are no rounded ones; nor are those that differ.
        assert!(step(&[12.5e9, 12.5e9, 12.5e9, 12.5e9, 6.25e9, 6.25e9, 12.5e9, 12.5e9]) <= 0.0);
        assert!(step(&(0..500).map(|at| 1e9 + f64::from(at * at)).collect::<Vec<_>>()) <= 0.0);
        assert!(step(&[]) <= 0.0);
    }

    #[test]
    fn a_quantile_lies_between_the_two_nearest_values() {
        // Of four values the median is half-way from the second to the third, the quarter three quarters of the way from the
        // first to the second.
        let of = |p: f64| quantile(&mut [8.0, 1.0, 4.0, 2.0], p);
        for (p, value) in [(0.0, 1.0), (0.25, 1.75), (0.5, 3.0), (1.0, 8.0)] {
            assert!((of(p) - value).abs() < 1e-12, "{p}: {}", of(p));
        }
    }

    #[test]
    fn the_centre_is_the_median_and_the_spread_that_of_the_distances_from_it() {
        // The distances from 3 are 0, 1, 1, 2, 97: their median is 1.
        assert_eq!(centre(vec![100.0, 2.0, 3.0, 4.0, 1.0]), (3.0, MAD));
    }
}
