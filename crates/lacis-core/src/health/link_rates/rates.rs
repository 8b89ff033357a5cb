//! How many links of a group run at each rate, and which is usual.

use crate::fabric::Rate;
use crate::health::majority::agree;

/// The fewest links whose majority says what is usual.
const FEWEST: usize = 3;
/// How many links of a group run at each rate.
#[derive(Default)]
pub(super) struct Rates(Vec<(Rate, usize)>);

impl Rates {
    pub(super) fn add(&mut self, rate: Rate) {
        match self.0.iter_mut().find(|count| count.0 == rate) {
            Some(count) => count.1 += 1,
            None => self.0.push((rate, 1)),
        }
    }

    pub(super) fn all(&self) -> usize {
        self.0.iter().map(|count| count.1).sum()
    }

    pub(super) fn at(&self, rate: Rate) -> usize {
        self.0.iter().find(|count| count.0 == rate).map_or(0, |count| count.1)
    }

    /// The rate at which two thirds run, and how many do.
    pub(super) fn usual(&self) -> Option<(Rate, usize)> {
        let all = self.all();
        let &(rate, count) = self.0.iter().max_by_key(|count| count.1)?;
        (all >= FEWEST && agree(count, all)).then_some((rate, count))
    }

    /// The fastest rate at which at least two run, if at least half run at it or faster.
    pub(super) fn fastest_of_half(&self) -> Option<(Rate, usize)> {
        let several = self.0.iter().filter(|count| count.1 > 1);
        let &(rate, count) = several.max_by(|a, b| bytes(a.0).total_cmp(&bytes(b.0)))?;
        let as_fast: usize =
            self.0.iter().filter(|seen| bytes(seen.0) >= bytes(rate)).map(|seen| seen.1).sum();
        (2 * as_fast >= self.all()).then_some((rate, count))
    }
}

/// Bytes a second.
pub(super) fn bytes(rate: Rate) -> f64 {
    rate.bytes_per_second()
}

/// Whether a rate is less than another, and in which respect.
pub(super) fn is_below(rate: Rate, expected: Rate) -> bool {
    bytes(rate) < bytes(expected) && (rate.width < expected.width || rate.speed < expected.speed)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fabric::Speed;

    fn of(links: &[(Speed, usize)]) -> Rates {
        let mut rates = Rates::default();
        for &(speed, number) in links {
            (0..number).for_each(|_| rates.add(Rate::x4(speed)));
        }
        rates
    }

    #[test]
    fn two_thirds_of_three_links_or_more_show_what_is_usual() {
        let usual = |links: &[(Speed, usize)]| of(links).usual().map(|(rate, number)| (rate.speed, number));
        assert_eq!(usual(&[(Speed::Edr, 2)]), None);
        assert_eq!(usual(&[(Speed::Edr, 1), (Speed::Fdr, 2)]), Some((Speed::Fdr, 2)));
        assert_eq!(usual(&[(Speed::Edr, 2), (Speed::Fdr, 2)]), None);
    }

    #[test]
    fn the_fastest_rate_is_that_of_two_links_if_half_are_as_fast() {
        let fastest = |links: &[(Speed, usize)]| of(links).fastest_of_half().map(|(rate, _)| rate.speed);
        // A single link is none of several, but as fast.
        assert_eq!(fastest(&[(Speed::Hdr, 1), (Speed::Edr, 2), (Speed::Fdr, 3)]), Some(Speed::Edr));
        assert_eq!(fastest(&[(Speed::Hdr, 1), (Speed::Edr, 2), (Speed::Fdr, 4)]), None);
        assert_eq!(fastest(&[(Speed::Hdr, 1)]), None);
    }
}
