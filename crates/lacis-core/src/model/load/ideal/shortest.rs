//! Shortest paths between the switches of hosts, over which flows are split.

use crate::model::load::LinkId;
use crate::model::load::multipath::{FAR, Spray};

/// How far the least rate may be below the best possible when the search converges.
pub const GAP: f64 = 0.01;

/// Splits flows over the shortest paths between their edge switches.
#[derive(Debug)]
pub struct Ideal<'a, 'b> {
    pub(super) spray: &'b Spray<'a>,
    /// By destination switch: the switches from which a path leads there, nearest first.
    pub(super) near: Vec<Vec<u32>>,
    /// Number of links between switches.
    pub(super) width: usize,
}

/// A flow to be split.
#[derive(Clone, Copy)]
pub(super) struct SplitFlow {
    pub(super) flow: u32,
    pub(super) from: u32,
    pub(super) edge_switch: u32,
    pub(super) up: LinkId,
    pub(super) down: LinkId,
    pub(super) weight: f64,
}

impl<'a, 'b> Ideal<'a, 'b> {
    /// Sorts the switches by their distance from each destination switch.
    pub fn new(spray: &'b Spray<'a>) -> Self {
        let switches = spray.begin.len() - 1;
        let near = |row: &[u16]| {
            let mut order: Vec<u32> = (0..switches as u32).filter(|&s| row[s as usize] != FAR).collect();
            order.sort_by_key(|&s| row[s as usize]);
            order
        };
        let near = spray.hops.chunks_exact(switches.max(1)).map(near).collect();
        Self { spray, near, width: spray.links.len() }
    }

    pub(super) fn hops(&self, edge_switch: usize, switch: u32) -> u16 {
        self.spray.hops[edge_switch * (self.spray.begin.len() - 1) + switch as usize]
    }

    /// The links of a switch that lead nearer to a destination switch: index, and switch at the other end.
    pub(super) fn ahead(&self, edge_switch: usize, switch: u32) -> impl Iterator<Item = (usize, u32)> {
        let range = self.spray.begin[switch as usize]..self.spray.begin[switch as usize + 1];
        let here = self.hops(edge_switch, switch);
        range.filter_map(move |index| {
            let peer = self.spray.links[index].1;
            (self.hops(edge_switch, peer) < here).then_some((index, peer))
        })
    }
}
