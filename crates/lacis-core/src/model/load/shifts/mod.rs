//! All shifts of a list of hosts at once: what every distance is worth.
//!
//! In the shift by `d` every host sends to the one `d` places on, around the list, rail by rail. So
//! every port sends once and receives once, host links carry one flow, and only links between
//! switches are counted. Neighbours in the list mostly share a switch: their flows' links lie side
//! by side in a table by home and receiver, which each distance reads twice from end to end.
//!
//! The numbers are those of [`crate::predict`] for the pattern `shift`, at a fraction of the cost.
//! [`Counted`] keeps what was counted, so that after a failure only what changes is counted again.

use std::sync::atomic::{AtomicBool, Ordering};

use rayon::prelude::*;

mod incremental;
mod rail;
mod recount;
mod tally;

pub use incremental::Counted;

use super::{Contention, Paths, Steps};
use rail::rails;
use tally::Tally;

use crate::traffic::{Participants, Pattern, Phase, Plan};

/// What the flows of one shift get.
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

/// What all shifts get.
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

/// Distances that a thread takes at a time.
const CHUNK: usize = 16;

/// Counts the shifts of hosts by given distances. `paths` is made for the hosts' ports. Stops soon
/// after `stop` is set, with nothing.
pub fn shifts(stop: &AtomicBool, paths: &Paths<'_>, who: &Participants, distances: &[u32]) -> Option<Shifts> {
    let rails = rails(paths, who);
    let chunk = |distances: &[u32]| match &rails {
        Some(rails) => {
            let mut tally = Tally::new(paths, who);
            distances.iter().map(|&d| tally.count(rails, d)).collect()
        }
        None => one_by_one(paths, who, distances),
    };
    let each = by_chunks(stop, distances, chunk)?;
    Some(Shifts { each })
}

/// Something for every distance, in order; nothing where it was stopped.
fn by_chunks<T: Send>(
    stop: &AtomicBool,
    distances: &[u32],
    of_chunk: impl Fn(&[u32]) -> Vec<T> + Sync,
) -> Option<Vec<T>> {
    let go_on = || !stop.load(Ordering::Relaxed);
    let of_chunk = |distances: &[u32]| if go_on() { of_chunk(distances) } else { Vec::new() };
    let each = distances.par_chunks(CHUNK).flat_map_iter(of_chunk).collect();
    go_on().then_some(each)
}

/// The shifts, flow by flow.
fn one_by_one(paths: &Paths<'_>, who: &Participants, distances: &[u32]) -> Vec<Shift> {
    let (mut phase, mut steps) = (Phase::default(), Steps::default());
    let mut contention = Contention::new(paths.links());
    let Ok(plan) = Plan::new(&Pattern::MpiGraph, who, 0, Vec::new()) else { return Vec::new() };
    let mut shift = |&distance: &u32| {
        plan.fill(distance as usize - 1, 0, &mut phase);
        paths.steps(&phase.flows, &mut steps);
        contention.count(&steps);
        let highest = contention.of_flows().iter().copied().max().unwrap_or(0);
        let mut by_contention = vec![0_u64; highest as usize + 1];
        contention.of_flows().iter().for_each(|&k| by_contention[k as usize] += 1);
        let shares = by_contention.iter().enumerate().skip(1);
        Shift {
            distance,
            flows: by_contention[1..].iter().sum(),
            unrouted: by_contention[0],
            relative_sum: shares.map(|(k, &flows)| flows as f64 / k as f64).sum(),
            max_contention: highest,
        }
    };
    distances.iter().map(&mut shift).collect()
}
