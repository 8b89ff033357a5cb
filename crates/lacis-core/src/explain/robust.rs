//! Robust statistics that this room shares.

/// A median of absolute deviations times this is a standard deviation, of normal noise.
pub(super) const MAD: f64 = 1.4826;

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

#[cfg(test)]
mod tests {
    use super::*;

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
