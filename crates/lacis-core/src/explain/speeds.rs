//! Rates at which a link that is slower than reported may run.

use crate::fabric::{Rate, Speed, Width};

/// Rates whose ratio to `rate` is between `low` and `high`, the nearest to the middle first: fewer lanes of the same speed, or
/// as many lanes of a lower speed.
pub fn slower(rate: Rate, low: f64, high: f64) -> Vec<Rate> {
    let fewer = [1, 2].into_iter().filter_map(Width::new).map(|width| Rate { width, ..rate });
    let technology = rate.speed.is_omni_path();
    let others =
        Speed::ALL.into_iter().map(|(speed, _)| speed).filter(|speed| speed.is_omni_path() == technology);
    let lower = others.map(|speed| Rate { speed, ..rate });
    let share = |other: &Rate| other.bytes_per_second() / rate.bytes_per_second();
    let mut all: Vec<Rate> = fewer
        .chain(lower)
        .filter(|other| share(other) < 0.99 && (low..=high).contains(&share(other)))
        .collect();
    let away = |other: &Rate| (share(other) - f64::midpoint(low, high)).abs();
    all.sort_by(|a, b| away(a).total_cmp(&away(b)));
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn half_of_edr_is_two_lanes_of_it_and_half_of_hdr_also_edr() {
        let names = |rate: Rate| slower(rate, 0.48, 0.52).iter().map(Rate::to_string).collect::<Vec<_>>();
        assert_eq!(names(Rate::x4(Speed::Edr)), ["2xEDR"]);
        // 4x HDR: 200 Gb/s; 4x EDR: 100 Gb/s.
        assert_eq!(names(Rate::x4(Speed::Hdr)), ["2xHDR", "4xEDR"]);
        assert!(slower(Rate::x4(Speed::Edr), 0.7, 0.9).is_empty());
        // Half is 0.12 from the middle of 0.24 and 0.52, FDR's 54.5 Gb/s 0.107, and a single lane 0.13.
        let near: Vec<String> =
            slower(Rate::x4(Speed::Hdr), 0.24, 0.52).iter().map(Rate::to_string).collect();
        assert_eq!(near, ["4xFDR", "2xHDR", "4xEDR", "1xHDR"]);
    }
}
