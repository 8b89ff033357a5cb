//! Numberings of channels: what keeps a lane free of credit loops.
//!
//! A packet may go on from one channel to another only if that has a higher number. So no circle
//! of channels can wait for each other (Dally and Seitz, 1987), whatever the routes are.

use super::component::Component;

/// Distinct numbers, by channel.
#[derive(Clone, Debug)]
pub(super) struct ChannelNumbering {
    pub rank: Vec<u32>,
    /// The number of the same cable's other direction.
    pub back: Vec<u32>,
}

impl ChannelNumbering {
    /// From the number of each channel.
    pub fn new(component: &Component, rank: Vec<u32>) -> Self {
        let back = component.channels.back.iter().map(|&channel| rank[channel as usize]).collect();
        Self { rank, back }
    }

    /// Numbers channels in the order given, which has each once.
    pub fn in_order(component: &Component, channels: &[u32]) -> Self {
        let mut rank = vec![0; channels.len()];
        for (number, &channel) in (0..).zip(channels) {
            rank[channel as usize] = number;
        }
        Self::new(component, rank)
    }

    /// Up*/down* for an order of the switches: all channels up, to earlier switches, come before all
    /// channels down. Up they are numbered towards the first switch, down away from it. Where each
    /// switch but the first has a neighbour that comes before it, every switch reaches every other:
    /// up to the first and then down.
    pub fn up_down(component: &Component, index: &[u32]) -> Self {
        let mut channels: Vec<u32> = (0..component.channels.len() as u32).collect();
        channels.sort_by_key(|&channel| {
            let from = index[component.channels.tail[channel as usize] as usize];
            let up = index[component.channels.head[channel as usize] as usize] < from;
            (!up, if up { u32::MAX - from } else { from })
        });
        Self::in_order(component, &channels)
    }

    /// The channels from the highest number to the lowest.
    pub fn descending(&self) -> Vec<u32> {
        let mut channels = vec![0; self.rank.len()];
        let last = channels.len();
        for (channel, &rank) in (0..).zip(&self.rank) {
            channels[last - 1 - rank as usize] = channel;
        }
        channels
    }
}
