//! What a simulation uses beside the plain switch: several lanes, weights, preemption, congestion control,
//! inputs that one output at a time reads.

use super::application::Application;
use super::settings::{Queueing, Reads};
use super::simulator::Simulator;

impl<A: Application> Simulator<'_, A> {
    /// The index of an output's lane among all lanes.
    #[inline]
    pub(super) fn link(&self, output: u32, lane: usize) -> usize {
        output as usize * self.num_lanes + lane
    }

    /// Whether all packets of a queue leave by the same lane of the same output.
    #[inline]
    pub(super) fn is_uniform(&self) -> bool {
        self.num_lanes == 1 && self.set.queueing == Queueing::Virtual
    }

    /// Whether one output at a time reads an input.
    #[inline]
    pub(super) fn reads_one(&self) -> bool {
        self.set.reads == Reads::One
    }

    /// Whether lanes have weights; otherwise they take turns.
    #[inline]
    pub(super) fn arbitrates(&self) -> bool {
        !self.arbiters.is_empty()
    }

    /// Whether packets may be interrupted.
    #[inline]
    pub(super) fn preempts(&self) -> bool {
        self.preemption.is_some()
    }

    /// Whether senders slow down for marked packets.
    #[inline]
    pub(super) fn throttles(&self) -> bool {
        self.throttling.is_some()
    }
}
