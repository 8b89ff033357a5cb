//! Which turns the numbers of channels allow: the complete channel dependency graph, whose used edges are kept
//! free of cycles.

use super::component::Component;
use super::numbering::ChannelNumbering;
use crate::bits::ones;
use crate::routing::common::dependency_graph::DependencyGraph;

/// Which channels may follow each other. A turn is unused, used or blocked; the used ones close no cycle, and
/// a blocked one would.
pub(super) struct ChannelDependencies<'a> {
    component: &'a Component,
    used: DependencyGraph,
}

impl<'a> ChannelDependencies<'a> {
    /// No turn is used; the order is that of a numbering.
    pub fn new(component: &'a Component, numbering: ChannelNumbering) -> Self {
        Self { component, used: DependencyGraph::new(&component.channels, numbering.rank) }
    }

    /// 0 for a turn that is used, 1 for one that fits into the order as it is, 2 for any other.
    pub fn kind(&self, from: u32, to: u32) -> u8 {
        let is_used = self.used.has(&self.component.channels, (from, to));
        if is_used { 0 } else { 1 + u8::from(self.rank(from) > self.rank(to)) }
    }

    /// A channel's index in the order.
    pub fn rank(&self, channel: u32) -> u32 {
        self.used.positions()[channel as usize]
    }

    /// Uses a turn, unless that closes a cycle or goes straight back.
    pub fn use_turn(&mut self, from: u32, to: u32) -> bool {
        let (channels, turn) = (&self.component.channels, (from, to));
        if self.used.has(channels, turn) {
            return true;
        }
        if self.used.is_closing(channels, turn) || channels.back[from as usize] == to {
            return false;
        }
        let fits = self.used.insert(channels, turn);
        if !fits {
            self.used.mark_closing(channels, turn);
        }
        fits
    }

    /// Uses, of some turns from a channel, those that it can. `to` are bits of the channels out of its head.
    pub fn use_turns(&mut self, from: u32, to: &[u64]) {
        let channels = &self.component.channels;
        for (word, &bits) in to.iter().enumerate() {
            for bit in ones(bits & !self.used.next(from)[word] & !self.used.closing(from)[word]) {
                let to = channels.channel(channels.head[from as usize], 64 * word + bit);
                self.use_turn(from, to as u32);
            }
        }
    }

    /// The order, as a numbering: all used turns climb in it.
    pub fn into_numbering(self) -> ChannelNumbering {
        ChannelNumbering::new(self.component, self.used.positions().to_vec())
    }
}
