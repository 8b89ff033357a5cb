//! All shifts of a list of hosts at once.
//!
//! In the shift by `d` every host sends to the host `d` further on, around the list, rail by rail. So
//! every port sends once and receives once, host links carry one flow, and only links between
//! switches are counted. Neighbours in the list mostly share a switch: their flows' links are neighbours
//! in a table by edge switch and receiver, which each distance reads twice from end to end.
//!
//! The numbers are those of [`crate::predict`] for the pattern `shift`, at a fraction of the cost.
//! [`Counted`] keeps the counts, so that after a failure only what changes is recounted.

use std::sync::atomic::{AtomicBool, Ordering};

use rayon::prelude::*;

mod counted;
mod incremental;
mod outcome;
mod recount;
mod tally;

pub use counted::Counted;
pub use outcome::{Shift, Shifts};

use super::rail::rails;
use super::{Contention, Paths, Steps};
use tally::ShiftCounter;

use crate::ranks::Participants;
use crate::traffic::{Pattern, Phase, Phases};

/// Distances that a thread takes at a time.
const CHUNK: usize = 16;

/// Counts the shifts of hosts by given distances; none soon after `stop` is set. `paths` is made for the
/// hosts' ports.
pub fn shifts(
    stop: &AtomicBool,
    paths: &Paths<'_>,
    participants: &Participants,
    distances: &[u32],
) -> Option<Shifts> {
    let rails = rails(paths, participants);
    let chunk = |distances: &[u32]| match &rails {
        Some(rails) => {
            let mut tally = ShiftCounter::new(paths, participants);
            distances.iter().map(|&d| tally.count(rails, d)).collect()
        }
        None => one_by_one(paths, participants, distances),
    };
    let each = by_chunks(stop, distances, chunk)?;
    Some(Shifts { each })
}

/// The results of every distance, in order; none where it was stopped.
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
fn one_by_one(paths: &Paths<'_>, participants: &Participants, distances: &[u32]) -> Vec<Shift> {
    let (mut phase, mut steps) = (Phase::default(), Steps::default());
    let mut contention = Contention::new(paths.links());
    let Ok(phases) = Phases::new(&Pattern::MpiGraph, participants, 0, Vec::new()) else { return Vec::new() };
    let mut shift = |&distance: &u32| {
        phases.fill(distance as usize - 1, 0, &mut phase);
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
