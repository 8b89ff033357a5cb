//! How long messages and phases take.

use crate::fabric::PortId;
use crate::model::fluid::Unknown;
use crate::predict::outcome::Distribution;

/// The time of one phase.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PhaseTime {
    /// When it began `[s]`; 0 for the phases of a pattern.
    pub begun: f64,
    /// From then to its last message's end `[s]`.
    pub time: f64,
    /// Messages that arrive.
    pub messages: u64,
    /// Their bytes.
    pub bytes: u64,
}

/// A link and what it carries over all phases.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BusyLink {
    /// The port that it leaves.
    pub egress: PortId,
    /// Bytes over all phases.
    pub bytes: u64,
    /// Share of the total time that it needs for them at its full rate.
    pub utilisation: f64,
}

/// How long messages and phases take.
#[derive(Clone, Debug, PartialEq)]
pub struct Times {
    /// From the first message's beginning to the last one's end, where phases follow each other;
    /// otherwise the sum over phases, each alone `[s]`.
    pub total: f64,
    /// Every phase, in order.
    pub phases: Vec<PhaseTime>,
    /// How long messages take from the beginning of their phase `[s]`.
    pub completion: Distribution,
    /// Messages that arrive.
    pub messages: u64,
    /// Their bytes.
    pub bytes: u64,
    /// Of these messages, those inside a host.
    pub inside: u64,
    /// Messages without a route. They load nothing, and no phase waits for them.
    pub unrouted: u64,
    /// Pairs of hosts left out on a rail that one of them lacks.
    pub skipped: u64,
    /// The number of times at which messages ended, over all phases.
    pub events: u64,
    /// The links that take longest for what they carry.
    pub busiest: Vec<BusyLink>,
    /// With ideal splits: how far the least rate of a phase may be below the best possible, relative.
    pub gap: Option<f64>,
    /// Rates that had to be assumed.
    pub unknown_rates: Option<Unknown>,
}
