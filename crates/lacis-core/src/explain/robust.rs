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
