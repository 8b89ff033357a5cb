//! What is known of the links between switches, by entry of the tables that [`fans`](super::bipartite_blocks) lays
//! out: weights, and ports.
//!
//! Parallel cables share an entry: its weight is that of the lightest of them, the first by port number
//! at the end that the link leaves.

use super::bipartite_blocks::{Fans, MAX_WIDTH, NO_ROW, NONE, ROW_NUMBERS};
use super::plan::Step;
use crate::fabric::switch_graph::SwitchGraph;

/// The weight of a link that does not exist. Tables are good for paths lighter than this.
pub(super) const HOLE: u32 = 1 << 21;

/// What is known of all links.
#[derive(Debug, Default)]
pub(super) struct Cables {
    /// By entry: what has been added to the weight of the lightest cable; [`HOLE`] where there is none.
    pub weights: Vec<u32>,
    /// By entry: the port number of that cable at the switch that it enters; 0 where there is none.
    ports: Vec<u8>,
    /// No weight is greater.
    pub heaviest: u32,
    bundles: Bundles,
}

/// Parallel cables.
#[derive(Debug, Default)]
struct Bundles {
    /// By entry: its place in `cables`, [`NONE`] for a single cable. Empty where all are single.
    of: Vec<u32>,
    /// By port number at the near end.
    cables: Vec<Vec<Cable>>,
}

impl Bundles {
    /// Makes an entry stand for its lightest cable, having added to the weight of the one so far.
    #[cold]
    fn choose(&mut self, entry: u32, weight: &mut u32, port: &mut u8) {
        let bundle = self.of.get(entry as usize).copied().unwrap_or(NONE);
        let Some(cables) = self.cables.get_mut(bundle as usize) else { return };
        if let Some(used) = cables.iter_mut().find(|c| c.far_port == *port) {
            used.weight = *weight;
        }
        if let Some(lightest) = cables.iter().min_by_key(|c| c.weight) {
            (*weight, *port) = (lightest.weight, lightest.far_port);
        }
    }
}

#[derive(Clone, Copy, Debug)]
struct Cable {
    link: u32,
    far_port: u8,
    weight: u32,
}

impl Cables {
    /// Adds entries without a cable; the first of them.
    pub(super) fn add_holes(&mut self, count: usize) -> u32 {
        let first = self.weights.len();
        self.weights.resize(first + count, HOLE);
        self.ports.resize(first + count, 0);
        first as u32
    }

    /// Puts a link into its entry. Links come by port number.
    pub(super) fn add(&mut self, graph: &SwitchGraph, link: usize, entry_of: &[u32]) {
        let far_port = graph.port[graph.back[link] as usize];
        let cable = |link: usize, far_port| Cable { link: link as u32, far_port, weight: 0 };
        let entry = entry_of[link] as usize;
        if self.ports[entry] == 0 {
            (self.weights[entry], self.ports[entry]) = (0, far_port);
            return;
        }
        let Bundles { of, cables } = &mut self.bundles;
        of.resize(self.weights.len().max(of.len()), NONE);
        if of[entry] == NONE {
            of[entry] = cables.len() as u32;
            let near = graph.peer[graph.back[link] as usize] as usize;
            let first = graph.links(near).find(|&l| entry_of[l] == entry as u32).unwrap_or(link);
            cables.push(vec![cable(first, self.ports[entry])]);
        }
        cables[of[entry] as usize].push(cable(link, far_port));
    }

    /// Lays paths along the lightest cable of an entry: adds to its weight, and tells its port number
    /// at the switch that it enters.
    #[inline]
    pub(super) fn lay(&mut self, entry: u32, paths: u32) -> u8 {
        let (weight, port) = (&mut self.weights[entry as usize], &mut self.ports[entry as usize]);
        let taken = *port;
        *weight += paths;
        self.heaviest |= *weight;
        if !self.bundles.of.is_empty() {
            self.bundles.choose(entry, weight, port);
        }
        taken
    }

    /// Lays paths to the columns of a step along the links from the rows that their keys tell. `counts`: by
    /// column. Adds up the paths by row, and writes the ports by switch. The columns, as bits, that
    /// are left, as no row is told. Not for tiles with parallel cables.
    #[inline(never)] // the compiler finds more registers for the loop so
    pub(super) fn lay_columns(
        &mut self,
        fans: &Fans,
        step: &Step,
        keys: &[u32],
        counts: &[u32],
        passed: &mut [u32; ROW_NUMBERS],
        ports: &mut [u8],
    ) -> u32 {
        let tile = fans.tile(step.tile);
        let to = fans.to(tile);
        let (keys, counts) = (&keys[..to.len()], &counts[..to.len()]);
        let weights = &mut self.weights[tile.first as usize..];
        let taken = &self.ports[tile.first as usize..][..weights.len()];
        let mut entries = [0; MAX_WIDTH];
        let mut is_told = true;
        for (column, (entry, &key)) in (0..).zip(entries.iter_mut().zip(keys)) {
            *entry = (key & 0xff) * tile.width + column;
            is_told &= key as u8 != NO_ROW;
        }
        for (&key, &count) in keys.iter().zip(counts) {
            passed[usize::from(key as u8)] += count;
        }
        let mut left = 0;
        if !is_told {
            passed[usize::from(NO_ROW)] = 0;
            let is_left = |&column: &usize| keys[column] as u8 == NO_ROW;
            left = (0..keys.len()).filter(is_left).fold(0, |left, column| left | 1 << column);
        }
        let (mut near, mut bits) = (step.fresh & !left, 0);
        while near != 0 {
            let column = near.trailing_zeros() as usize;
            near &= near - 1;
            let entry = entries[column] as usize;
            weights[entry] += counts[column];
            bits |= weights[entry];
            ports[to[column] as usize] = taken[entry];
        }
        self.heaviest |= bits;
        left & step.fresh
    }

    /// Lays paths to the columns of a step along the links from one row, where none is parallel to another.
    /// `counts`: by column. Writes the ports by switch; how many paths there are in all.
    #[inline]
    pub(super) fn lay_row(
        &mut self,
        fans: &Fans,
        step: &Step,
        from: u8,
        counts: &[u32],
        ports: &mut [u8],
    ) -> u32 {
        let tile = fans.tile(step.tile);
        let to = fans.to(tile);
        let entries = tile.entry(from, 0) as usize..(tile.entry(from, 0) + tile.width) as usize;
        let taken = &self.ports[entries.clone()][..to.len()];
        if step.fresh.count_ones() as usize != to.len() {
            let fresh = (0..to.len()).filter(|column| step.fresh >> column & 1 == 1);
            fresh.for_each(|column| ports[to[column] as usize] = taken[column]);
        } else if tile.is_run {
            ports[to[0] as usize..][..to.len()].copy_from_slice(taken);
        } else {
            to.iter().zip(taken).for_each(|(&switch, &port)| ports[switch as usize] = port);
        }
        let (mut sum, mut bits) = (0, 0);
        for (weight, &count) in self.weights[entries].iter_mut().zip(counts) {
            *weight += count;
            // A hole counts for nobody.
            bits |= if count == 0 { 0 } else { *weight };
            sum += count;
        }
        self.heaviest |= bits;
        sum
    }

    /// The weight added so far to a link in an entry.
    #[inline]
    pub(super) fn weight_of(&self, link: usize, entry: u32) -> u32 {
        let lightest = self.weights[entry as usize];
        if self.bundles.of.is_empty() {
            return lightest;
        }
        let bundle = self.bundles.of.get(entry as usize).copied().unwrap_or(NONE);
        let cables = self.bundles.cables.get(bundle as usize);
        let cable = cables.and_then(|cables| cables.iter().find(|c| c.link == link as u32));
        cable.map_or(lightest, |c| c.weight)
    }

    /// Whether parallel cables share an entry.
    pub(super) fn is_bundle(&self, entry: u32) -> bool {
        self.bundles.of.get(entry as usize).is_some_and(|&bundle| bundle != NONE)
    }

    /// Whether an entry has no cable.
    #[inline]
    pub(super) fn is_hole(&self, entry: u32) -> bool {
        self.ports[entry as usize] == 0
    }

    /// The greatest weight of all links: `heaviest` may be greater, as it has the bits of all.
    pub(super) fn greatest_weight(&self) -> u32 {
        let links = self.weights.iter().zip(&self.ports).filter(|&(_, &port)| port != 0);
        links.map(|(&weight, _)| weight).max().unwrap_or(0)
    }
}
