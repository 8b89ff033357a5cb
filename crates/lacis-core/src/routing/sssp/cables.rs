//! What is known of the links between switches, by entry of the tables that [`fans`](super::fans) lays
//! out: weights, and ports.
//!
//! Parallel cables share an entry: its weight is that of the lightest of them, the first by port number
//! at the end that the link leaves.

use super::super::graph::SwitchGraph;
use super::fans::NONE;

/// The weight of a link that does not exist. Tables are good for paths lighter than this.
pub(super) const HOLE: u32 = 1 << 21;

/// What is known of all links.
#[derive(Debug, Default)]
pub(super) struct Cables {
    /// By entry: what has been added to the weight of the lightest cable; [`HOLE`] where there is none.
    pub weights: Vec<u32>,
    /// By entry: the port number of that cable at the switch that it enters; 0 where there is none.
    ports: Vec<u8>,
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
        if !self.bundles.of.is_empty() {
            self.bundles.choose(entry, weight, port);
        }
        taken
    }

    /// The weight added so far to a link in an entry.
    #[inline]
    pub(super) fn weight_of(&self, link: usize, entry: u32) -> u32 {
        if self.bundles.of.is_empty() {
            return self.weights[entry as usize];
        }
        let bundle = self.bundles.of.get(entry as usize).copied().unwrap_or(NONE);
        let cables = self.bundles.cables.get(bundle as usize);
        let cable = cables.and_then(|cables| cables.iter().find(|c| c.link == link as u32));
        cable.map_or(self.weights[entry as usize], |c| c.weight)
    }

    /// Whether an entry has no cable.
    #[inline]
    pub(super) fn is_hole(&self, entry: u32) -> bool {
        self.ports[entry as usize] == 0
    }

    /// The greatest weight of any entry.
    pub(super) fn heaviest(&self) -> u32 {
        let all = self.weights.iter().zip(&self.ports);
        all.map(|(&weight, &port)| if port == 0 { 0 } else { weight }).max().unwrap_or(0)
    }
}
