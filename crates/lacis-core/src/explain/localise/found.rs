//! What is found.

use super::columns::Suspect;
use crate::fabric::{NodeId, PortId};
use crate::model::load::LinkId;

/// A suspect that was found.
#[derive(Clone, Debug, PartialEq)]
pub struct Found {
    /// What.
    pub suspect: Suspect,
    /// How much its flows lose, ln.
    pub loss: f64,
    /// Standard error of `loss`, ln.
    pub error: f64,
    /// Flows about which it decides, that no other found suspect explains.
    pub flows: usize,
    /// Those that lose at least half of `loss`.
    pub slow: usize,
    /// Their median loss, ln.
    pub median: f64,
    /// Flows that share other links with them, but do not cross it.
    pub beside: usize,
    /// Their median loss, ln.
    pub beside_median: f64,
    /// Suspects that explain the same flows about as well, with their probability; itself first.
    pub instead: Vec<(Suspect, f64)>,
    /// ln of how much more likely the losses are with it than without, clipped residuals.
    pub gain: f64,
}

/// On what flows meet of which only some are slow.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Part {
    /// Flows to one destination through one switch: an entry of its table that leads elsewhere; of times, which do not tell by
    /// which port, or one after it.
    Entry {
        /// The switch.
        switch: NodeId,
        /// Index of the receiver's port among the participants'.
        destination: u32,
        /// The port by which they leave instead.
        port: Option<PortId>,
    },
    /// A link that is slow at times.
    Link(LinkId),
}

/// A part on which slow or unsteady flows meet, more than by chance.
#[derive(Clone, Debug, PartialEq)]
pub struct Partly {
    /// What.
    pub part: Part,
    /// Flows over it that nothing else explains; of an entry of which the port is known, those that it makes faster or slower.
    pub flows: usize,
    /// Those that are slow, at times or always.
    pub slow: usize,
    /// The part of their values that are slow.
    pub share: f64,
    /// Median loss of these while they are slow, ln.
    pub loss: f64,
    /// Whether most slow flows are slow in some of their repeats; else from flow to flow.
    pub swings: bool,
    /// Parts of which the same can be said.
    pub instead: Vec<Part>,
    /// ln of the likelihood ratio.
    pub gain: f64,
}

/// What was found, and what could have been.
#[derive(Clone, Debug, PartialEq)]
pub struct Located {
    /// Most likely first.
    pub found: Vec<Found>,
    /// What makes only some of its flows slow, most likely first.
    pub partly: Vec<Partly>,
    /// Directed links that flows cross.
    pub links: usize,
    /// By loss asked for in `asked`: links whose loss of so much would have been found.
    pub visible: Vec<usize>,
    /// Flows that lose more than `Limits::loss` and more than 5 σ, which nothing found explains.
    pub unexplained: Vec<u32>,
    /// How much healthy suspects differ: hosts that send, hosts that receive, links between switches; ln.
    pub differ: [f64; 3],
}

/// The part of its rate that a link loses, for which it is told how many links could be judged.
pub const ASKED: [f64; 3] = [0.1, 0.2, 0.5];
