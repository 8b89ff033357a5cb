//! A map of the losses: the median loss of the flows that cross each link.

use rayon::prelude::*;

use super::residuals::Residuals;
use super::robust::median;

/// Losses by link. Neighbours of a slow link share its flows, so a high median alone accuses no link.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct LinkLosses {
    /// Routed flows that cross the link; for times, there or back.
    pub flows: Vec<u32>,
    /// Median of their losses, ln; not a number where no flow crosses.
    pub median: Vec<f32>,
}

impl LinkLosses {
    /// For `links` links.
    pub fn of(links: usize, residuals: &Residuals) -> Self {
        let mut starts = vec![0_usize; links + 1];
        let crossings = || {
            let flows = (0..residuals.len()).filter(|&flow| !residuals.loss[flow].is_nan());
            flows.flat_map(|flow| residuals.of_flow(flow).map(move |(link, _)| (link as usize, flow)))
        };
        for (link, _) in crossings() {
            starts[link + 1] += 1;
        }
        for link in 0..links {
            starts[link + 1] += starts[link];
        }
        let mut next = starts.clone();
        let mut losses = vec![0.0_f32; starts[links]];
        for (link, flow) in crossings() {
            losses[next[link]] = residuals.loss[flow];
            next[link] += 1;
        }
        let mut rest = losses.as_mut_slice();
        let mut by_link = Vec::with_capacity(links);
        for link in 0..links {
            let (own, after) = rest.split_at_mut(starts[link + 1] - starts[link]);
            by_link.push(own);
            rest = after;
        }
        let flows = by_link.iter().map(|losses| losses.len() as u32).collect();
        let middle = |losses: &mut [f32]| if losses.is_empty() { f32::NAN } else { median(losses) };
        Self { flows, median: by_link.into_par_iter().map(middle).collect() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_link_has_the_median_of_the_flows_that_cross_it() {
        // Three flows over links 1 2, 1 3 and 1; the fourth has no route. Losses 0.1, 0.5, 0.2.
        let residuals = Residuals {
            room: Vec::new(),
            rounded_to: 0.0,
            width: 2,
            links: vec![1, 2, 1, 3, 1, 0, 0, 0],
            slack: vec![0.0; 8],
            expected: vec![1.0; 4],
            spare: vec![0.0; 4],
            short: vec![0.1, 0.5, 0.2, f32::NAN],
            loss: vec![0.1, 0.5, 0.2, f32::NAN],
            slower: Vec::new(),
            class: vec![0; 4],
            classes: Vec::new(),
            unrouted: 1,
        };
        let found = LinkLosses::of(5, &residuals);
        assert_eq!(found.flows, [0, 3, 1, 1, 0]);
        assert_eq!(found.median[1..4], [0.2, 0.1, 0.5]);
        assert!(found.median[0].is_nan() && found.median[4].is_nan());
    }
}
