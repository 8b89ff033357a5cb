//! Measured flows between the hosts of a fabric.

use rayon::prelude::*;

use super::robust::quantile;
use crate::ranks::Flow;
use crate::ranks::Participants;

/// In a list of rounds: the flow ran alone, as far as is known.
pub const ALONE: u32 = u32::MAX;
/// In a list of hosts: no host of the fabric.
pub const NO_HOST: u32 = u32::MAX;

/// What a value is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Quantity {
    /// Bandwidth of a flow [bytes/s], from its source to its destination.
    Rate,
    /// Half a round trip, in seconds: it crosses the links there and those back.
    Time,
}

/// Values as they were measured, one after the other: four lists of one length.
#[derive(Clone, Copy, Debug)]
pub struct Values<'a> {
    /// Hosts that send, by their number among the participants, or [`NO_HOST`].
    pub source: &'a [u32],
    /// Hosts that receive.
    pub destination: &'a [u32],
    /// Flows of one round share the network; [`ALONE`] where a flow had it to itself.
    pub round: &'a [u32],
    /// Bytes per second, or seconds.
    pub value: &'a [f64],
}

/// Values that cannot be used, and why.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LeftOut {
    /// An end is no host of the fabric, or is not on the rail.
    pub unknown_host: usize,
    /// From a host to itself.
    pub to_itself: usize,
    /// No finite number above 0.
    pub no_number: usize,
}

impl LeftOut {
    /// All of them.
    pub fn total(&self) -> usize {
        self.unknown_host + self.to_itself + self.no_number
    }
}

/// Measured flows, by round, source and destination; repeats are summed up by their median.
#[derive(Clone, Debug, PartialEq)]
pub struct Observed {
    /// What values are.
    pub quantity: Quantity,
    /// By flow: its ends, as indices of the participants' ports.
    pub flows: Vec<Flow>,
    /// By flow: its round, or [`ALONE`].
    pub round: Vec<u32>,
    /// By flow: the median of its repeats.
    pub value: Vec<f64>,
    /// By value used, flow after flow: ln of it over `value`.
    pub repeats: Vec<f32>,
    /// By flow: where its repeats begin; the last is their number.
    pub starts: Vec<usize>,
    /// Number of values used.
    pub used: usize,
    /// Values that are not.
    pub left_out: LeftOut,
}

impl Observed {
    /// Puts values onto the ports that hosts have on a rail. The order of the values does not matter.
    pub fn of(participants: &Participants, rail: usize, quantity: Quantity, values: &Values<'_>) -> Self {
        let mut left_out = LeftOut::default();
        let hosts = participants.num_hosts() as u32;
        let slot = |host: u32| {
            if host < hosts && rail < participants.num_rails() { participants.slot(host, rail) } else { None }
        };
        let mut keys: Vec<(u32, Flow, u32)> = Vec::with_capacity(values.value.len());
        let columns = values.source.iter().zip(values.destination).zip(values.round.iter().zip(values.value));
        for (at, ((&source, &destination), (&round, &value))) in (0..).zip(columns) {
            if !value.is_finite() || value <= 0.0 {
                left_out.no_number += 1;
            } else if let (Some(from), Some(to)) = (slot(source), slot(destination)) {
                if from == to {
                    left_out.to_itself += 1;
                } else {
                    keys.push((round, Flow { from, to }, at));
                }
            } else {
                left_out.unknown_host += 1;
            }
        }
        keys.par_sort_unstable();
        let mut all = Self {
            quantity,
            flows: Vec::new(),
            round: Vec::new(),
            value: Vec::new(),
            repeats: Vec::with_capacity(keys.len()),
            starts: vec![0],
            used: keys.len(),
            left_out,
        };
        let mut repeats: Vec<f64> = Vec::new();
        for group in keys.chunk_by(|a, b| (a.0, a.1) == (b.0, b.1)) {
            repeats.clear();
            repeats.extend(group.iter().map(|&(_, _, at)| values.value[at as usize]));
            all.flows.push(group[0].1);
            all.round.push(group[0].0);
            let middle = quantile(&mut repeats, 0.5);
            repeats.sort_unstable_by(f64::total_cmp);
            all.value.push(middle);
            all.repeats.extend(repeats.iter().map(|value| (value / middle).ln() as f32));
            all.starts.push(all.repeats.len());
        }
        all
    }

    /// Number of flows.
    pub fn len(&self) -> usize {
        self.flows.len()
    }

    /// Whether there is no flow.
    pub fn is_empty(&self) -> bool {
        self.flows.is_empty()
    }

    /// By how much the repeats of a flow lose more than their median does, ln.
    pub fn losses(&self, flow: usize) -> impl Iterator<Item = f32> + Clone + '_ {
        let sign = if self.quantity == Quantity::Time { 1.0 } else { -1.0 };
        self.repeats[self.starts[flow]..self.starts[flow + 1]].iter().map(move |repeat| sign * repeat)
    }

    /// The flows of each round, as ranges of indices, and whether they share the network: all flows that ran alone are one
    /// range that does not.
    pub fn rounds(&self) -> impl Iterator<Item = (std::ops::Range<usize>, bool)> + '_ {
        let mut at = 0;
        self.round.chunk_by(|a, b| a == b).map(move |chunk| {
            let first = at;
            at += chunk.len();
            (first..at, chunk[0] != ALONE)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::load::testing::two_tier;

    #[test]
    fn values_are_grouped_and_what_cannot_be_used_is_counted() {
        let net = two_tier(2, 2, 1);
        let participants = Participants::each_port(&net.fabric, &net.hosts);
        // Three repeats of 0 → 1 in round 7, one alone; then a diagonal, two unknown hosts, two unusable values.
        let values = Values {
            source: &[0, 0, 0, 0, 2, NO_HOST, 9, 1, 1],
            destination: &[1, 1, 1, 1, 2, 0, 0, 3, 3],
            round: &[7, 7, ALONE, 7, 7, 7, 7, 7, 7],
            value: &[3.0, 1.0, 5.0, 2.0, 1.0, 1.0, 1.0, f64::NAN, 0.0],
        };
        let found = Observed::of(&participants, 0, Quantity::Rate, &values);
        assert_eq!(found.flows, [Flow { from: 0, to: 1 }; 2]);
        assert_eq!(found.round, [7, ALONE]);
        assert_eq!(found.value, [2.0, 5.0]);
        assert_eq!((found.used, found.left_out.total()), (4, 5));
        assert_eq!(found.left_out, LeftOut { unknown_host: 2, to_itself: 1, no_number: 2 });
        assert_eq!(found.rounds().collect::<Vec<_>>(), [(0..1, true), (1..2, false)]);
        // On a rail that does not exist all hosts are unknown.
        assert_eq!(Observed::of(&participants, 1, Quantity::Rate, &values).left_out.unknown_host, 7);
    }

    #[test]
    fn repeats_are_kept_beside_their_median() {
        let net = two_tier(2, 2, 1);
        let participants = Participants::each_port(&net.fabric, &net.hosts);
        let values = Values {
            source: &[0, 1, 0, 0],
            destination: &[1, 0, 1, 1],
            round: &[0; 4],
            value: &[4.0, 3.0, 1.0, 2.0],
        };
        let found = Observed::of(&participants, 0, Quantity::Rate, &values);
        assert_eq!((found.value, found.starts), (vec![2.0, 3.0], vec![0, 3, 4]));
        let half = 2.0_f32.ln();
        assert_eq!(found.repeats, [-half, 0.0, half, 0.0]);
    }
}
