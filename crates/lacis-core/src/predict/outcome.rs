//! The results of a prediction.

use super::matrix::Matrix;
use super::request::Model;
use crate::fabric::{Fabric, PortId};
use crate::model::fluid::Unknown;
use crate::model::load::Links;
use crate::ranks::Flow;

/// How a quantity is distributed over flows.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Distribution {
    values: Vec<(f64, u64)>,
}

impl Distribution {
    /// From values and how many flows have each, ascending by value.
    pub fn new(values: Vec<(f64, u64)>) -> Self {
        Self { values }
    }

    /// The values and how many flows have each, ascending.
    pub fn values(&self) -> &[(f64, u64)] {
        &self.values
    }

    /// Number of flows.
    pub fn count(&self) -> u64 {
        self.values.iter().map(|v| v.1).sum()
    }

    /// Sum over all flows.
    pub fn sum(&self) -> f64 {
        self.values.iter().map(|&(value, n)| value * n as f64).sum()
    }

    /// The least; not a number where there is no flow.
    pub fn min(&self) -> f64 {
        self.values.first().map_or(f64::NAN, |v| v.0)
    }

    /// The greatest; not a number where there is no flow.
    pub fn max(&self) -> f64 {
        self.values.last().map_or(f64::NAN, |v| v.0)
    }

    /// The least value that a share of at least `q` of the flows does not exceed (nearest rank);
    /// not a number where there is no flow.
    pub fn quantile(&self, q: f64) -> f64 {
        let rank = ((q * self.count() as f64).ceil() as u64).max(1);
        let mut below = 0;
        for &(value, n) in &self.values {
            below += n;
            if below >= rank {
                return value;
            }
        }
        self.max()
    }
}

/// The result of one phase.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PhaseResult {
    /// Its number.
    pub phase: usize,
    /// Its delivered flows.
    pub flows: u64,
    /// Its flows without a route.
    pub unrouted: u64,
    /// Sum of the relative bandwidths, to which flows without a route add nothing.
    pub relative_sum: f64,
    /// The least of them, 0 where a flow has no route; not a number where there is no flow.
    pub relative_min: f64,
    /// Greatest contention.
    pub max_contention: u64,
    /// Sum of the rates [bytes/s]; 0 in the load model.
    pub throughput: f64,
}

impl PhaseResult {
    /// Mean relative bandwidth over all flows, those without a route at 0; not a number where there is
    /// no flow.
    pub fn relative(&self) -> f64 {
        self.relative_sum / (self.flows + self.unrouted) as f64
    }
}

/// Rates of flows [bytes/s].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Bandwidth {
    /// Mean over all flows, those without a route at 0.
    pub mean: f64,
    /// The least; 0 where a flow has no route.
    pub min: f64,
    /// The greatest.
    pub max: f64,
    /// All flows of a phase together, mean over the phases.
    pub total: f64,
}

/// The rate of a flow.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FlowRate {
    /// Number of its phase.
    pub phase: u32,
    /// Its ends.
    pub flow: Flow,
    /// What it gets [bytes/s].
    pub rate: f64,
}

/// A hot link.
#[derive(Clone, Debug, PartialEq)]
pub struct HotLink {
    /// Its egress port.
    pub egress: PortId,
    /// The most flows that share it in one phase.
    pub contention: u64,
    /// The first phase in which they do.
    pub phase: usize,
    /// Its flows over all phases.
    pub total: u64,
    /// Share of its rate in use in that phase; in the fluid model.
    pub utilisation: Option<f64>,
    /// The flows of that phase, not more than asked for.
    pub flows: Vec<Flow>,
}

/// The prediction for a pattern.
#[derive(Clone, Debug, PartialEq)]
pub struct Prediction {
    /// The model behind it.
    pub model: Model,
    /// Flows that are delivered, over all phases.
    pub flows: u64,
    /// Flows without a route, over all phases. They load nothing, and their bandwidth is 0.
    pub unrouted: u64,
    /// Pairs of hosts left out on a rail that one of them lacks.
    pub skipped: u64,
    /// Mean relative bandwidth; for `bisection` the effective bisection bandwidth.
    pub mean_relative: f64,
    /// Relative bandwidth over all flows. In the fluid model values that differ by less
    /// than 2^-16 may be counted as the least of them; the extremes are exact.
    pub relative: Distribution,
    /// Greatest contention of any flow.
    pub max_contention: u64,
    /// Greatest contention of a phase, mean over the phases.
    pub mean_max_contention: f64,
    /// Rates, in the fluid model.
    pub bandwidth: Option<Bandwidth>,
    /// Every phase, in order.
    pub phases: Vec<PhaseResult>,
    /// The hottest links, hottest first.
    pub hottest: Vec<HotLink>,
    /// Flows over all phases by egress port, shape `(ports,)`; empty where they are not kept.
    pub loads: Vec<u64>,
    /// Relative bandwidth by leaf or host, where asked for.
    pub matrix: Option<Matrix>,
    /// Every flow that has a route, phase by phase, where asked for.
    pub flow_rates: Vec<FlowRate>,
    /// Rates that had to be assumed, in the fluid model.
    pub unknown_rates: Option<Unknown>,
}

/// Loads by link as loads by egress port.
pub(super) fn by_port(fabric: &Fabric, links: &Links, on_link: Vec<u64>) -> Vec<u64> {
    let mut loads = vec![0; fabric.num_ports()];
    for (link, flows) in on_link.into_iter().enumerate().skip(1) {
        loads[links.egress(link as u32).ix()] = flows;
    }
    loads
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quantiles_are_of_nearest_rank() {
        // 100 flows: 2 at a quarter, 97 at a half, 1 at 1. The first percentile is the first flow.
        let d = Distribution::new(vec![(0.25, 2), (0.5, 97), (1.0, 1)]);
        let q = |q| d.quantile(q).to_bits();
        assert_eq!(
            [q(0.01), q(0.02), q(0.03), q(0.5), q(0.99), q(1.0)],
            [0.25, 0.25, 0.5, 0.5, 0.5, 1.0].map(f64::to_bits)
        );
        assert_eq!(
            (d.count(), d.min().to_bits(), d.max().to_bits()),
            (100, 0.25_f64.to_bits(), 1.0_f64.to_bits())
        );
        assert!(Distribution::default().quantile(0.5).is_nan());
    }
}
