//! What is counted, one set per thread, and how the sets add up.

use crate::fabric::PortId;

use super::verdict::{Verdict, VerdictCounts};
use super::wiring::Wiring;

/// One destination LID.
#[derive(Clone, Copy, Debug)]
pub(super) struct Target {
    pub lid: u32,
    pub port: PortId,
    /// Its edge switch, if there is one.
    pub edge_switch: Option<u32>,
    /// 1 if the port is a source too: it does not send to itself.
    pub own: u32,
}

/// What one thread has counted so far.
pub(super) struct Counts {
    pub verdicts: VerdictCounts,
    /// Delivered pairs by number of switches traversed.
    pub hops: Vec<u64>,
    /// Delivered flows per channel.
    pub load: Vec<u64>,
    /// For each channel a bit per port of the next switch that packets leave by.
    pub depends: Vec<u64>,
    /// Words of `depends` per channel; 0 if dependencies are not asked for.
    pub words: usize,
    /// Destinations that some source does not reach, with the number of such sources.
    pub failed: Vec<(Target, u64)>,
    /// The first failure of each kind: destination LID, its port, switch.
    pub first: [Option<(u32, PortId, u32)>; Verdict::ALL.len()],
}

impl Counts {
    pub(super) fn new(wiring: &Wiring, with_dependencies: bool) -> Self {
        let words = if with_dependencies { wiring.width.div_ceil(64) } else { 0 };
        Self {
            verdicts: VerdictCounts::default(),
            hops: Vec::new(),
            load: vec![0; wiring.next.len()],
            depends: vec![0; wiring.next.len() * words],
            words,
            failed: Vec::new(),
            first: [None; Verdict::ALL.len()],
        }
    }

    /// Adds what another thread counted. Sums, unions and minima: the order does not matter.
    pub(super) fn merge(mut self, other: Self) -> Self {
        self.verdicts.merge(&other.verdicts);
        self.hops.resize(self.hops.len().max(other.hops.len()), 0);
        for (a, b) in self.hops.iter_mut().zip(&other.hops) {
            *a += b;
        }
        for (a, b) in self.load.iter_mut().zip(&other.load) {
            *a += b;
        }
        for (a, b) in self.depends.iter_mut().zip(&other.depends) {
            *a |= b;
        }
        self.failed.extend(other.failed);
        for (a, b) in self.first.iter_mut().zip(other.first) {
            *a = [*a, b].into_iter().flatten().min();
        }
        self
    }

    pub(super) fn add_hops(&mut self, depth: usize, pairs: u64) {
        if self.hops.len() <= depth {
            self.hops.resize(depth + 1, 0);
        }
        self.hops[depth] += pairs;
    }

    pub(super) fn add_failure(&mut self, verdict: Verdict, target: Target, switch: u32) {
        let first = &mut self.first[verdict as usize];
        *first = [*first, Some((target.lid, target.port, switch))].into_iter().flatten().min();
    }
}
