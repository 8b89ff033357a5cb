//! The results of shifts.

/// The result of one shift.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Shift {
    /// How far on each host sends.
    pub distance: u32,
    /// Its delivered flows.
    pub flows: u64,
    /// Flows without a route.
    pub unrouted: u64,
    /// Sum of the flows' relative bandwidths, each 1 / its contention.
    pub relative_sum: f64,
    /// Greatest contention.
    pub max_contention: u32,
}

impl Shift {
    /// Mean relative bandwidth of its flows, those without a route at 0; not a number where there is none.
    pub fn relative(&self) -> f64 {
        self.relative_sum / (self.flows + self.unrouted) as f64
    }
}

/// The results of all shifts.
#[derive(Clone, Debug, PartialEq)]
pub struct Shifts {
    /// Every shift, by distance.
    pub each: Vec<Shift>,
}

impl Shifts {
    /// The shift with the least mean relative bandwidth, the nearest of equals; none where there is no
    /// flow.
    pub fn worst(&self) -> Option<&Shift> {
        let shifts = self.each.iter().filter(|s| s.flows + s.unrouted > 0);
        shifts.min_by(|a, b| a.relative().total_cmp(&b.relative()))
    }

    /// Mean relative bandwidth over the flows of all shifts, those without a route at 0; not a number
    /// where there is none.
    pub fn mean(&self) -> f64 {
        let sum: f64 = self.each.iter().map(|s| s.relative_sum).sum();
        sum / self.each.iter().map(|s| s.flows + s.unrouted).sum::<u64>() as f64
    }

    /// Greatest contention of any flow.
    pub fn max_contention(&self) -> u32 {
        self.each.iter().map(|s| s.max_contention).max().unwrap_or(0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_worst_has_flows_and_is_the_nearest_of_equals() {
        let shift = |distance, flows, unrouted, relative_sum| Shift {
            distance,
            flows,
            unrouted,
            relative_sum,
            max_contention: 1,
        };
        let (none, half, lost) = (shift(1, 0, 0, 0.0), shift(2, 1, 1, 1.0), shift(4, 0, 2, 0.0));
        let worst = |each: &[Shift]| Shifts { each: each.to_vec() }.worst().map(|shift| shift.distance);
        assert_eq!(worst(&[none]), None);
        assert_eq!(worst(&[none, half, shift(3, 2, 2, 2.0)]), Some(2));
        assert_eq!(worst(&[half, lost]), Some(4));
    }
}
