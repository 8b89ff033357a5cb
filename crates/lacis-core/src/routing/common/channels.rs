//! The channels of some switches: their links, one a direction.

use std::ops::Range;

/// Channels between switches that are numbered from 0. Those out of a switch are consecutive.
#[derive(Clone, Debug)]
pub(in crate::routing) struct Channels {
    /// First channel out of each switch, and the end.
    first: Vec<u32>,
    /// Switch that a channel leaves.
    pub tail: Vec<u32>,
    /// Switch that it enters.
    pub head: Vec<u32>,
    /// The channel of the same cable in the other direction.
    pub back: Vec<u32>,
    /// 64-bit words for one bit a channel out of a switch.
    pub words: usize,
}

impl Channels {
    /// Channels by the first out of each switch (and the end), the switch that each enters, and its other direction.
    pub fn new(first: Vec<u32>, head: Vec<u32>, back: Vec<u32>) -> Self {
        let mut tail = Vec::with_capacity(head.len());
        let mut most = 1;
        for (switch, ends) in (0..).zip(first.windows(2)) {
            let own = (ends[1] - ends[0]) as usize;
            tail.resize(tail.len() + own, switch);
            most = most.max(own);
        }
        Self { first, tail, head, back, words: most.div_ceil(64) }
    }

    /// Number of switches.
    pub fn num_switches(&self) -> usize {
        self.first.len() - 1
    }

    /// Number of channels.
    pub fn len(&self) -> usize {
        self.head.len()
    }

    /// The channels out of a switch.
    #[inline]
    pub fn out_of(&self, switch: u32) -> Range<usize> {
        self.first[switch as usize] as usize..self.first[switch as usize + 1] as usize
    }

    /// A channel's index among those out of its switch.
    #[inline]
    pub fn index(&self, channel: usize) -> usize {
        channel - self.first[self.tail[channel] as usize] as usize
    }

    /// The channel with an index among those out of a switch.
    #[inline]
    pub fn channel(&self, switch: u32, index: usize) -> usize {
        self.first[switch as usize] as usize + index
    }
}
