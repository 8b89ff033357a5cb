//! What is found.

use super::super::fitness::Fitness;
use super::suspects::Suspect;
use crate::fabric::{NodeId, PortId};

/// A suspect that makes flows slow.
#[derive(Clone, Debug, PartialEq)]
pub struct FoundSuspect {
    /// The suspect.
    pub suspect: Suspect,
    /// How much its flows lose, ln.
    pub loss: f64,
    /// Standard error of `loss`, ln.
    pub error: f64,
    /// Flows for which it is decisive, and which no other found suspect explains.
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

/// What makes only some of its flows slow.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum FaultSite {
    /// An entry of a switch's table that leads elsewhere. Times show neither its port nor whether it is this entry or a later
    /// one on the path.
    Entry {
        /// The switch.
        switch: NodeId,
        /// Index of the receiver's port among the participants'.
        destination: u32,
        /// The port by which they leave instead.
        port: Option<PortId>,
    },
    /// A link, adapter or cable that is slow at times.
    Suspect(Suspect),
}

/// An entry or a link that more slow or unsteady flows share than chance explains.
#[derive(Clone, Debug, PartialEq)]
pub struct PartialFault {
    /// The entry or link.
    pub site: FaultSite,
    /// Flows over it that nothing else explains; for an entry whose port is known, those that it makes faster or slower.
    pub flows: usize,
    /// Those that are slow, at times or always.
    pub slow: usize,
    /// The share of their values that is slow.
    pub share: f64,
    /// Median loss of these while they are slow, ln.
    pub loss: f64,
    /// Whether most slow flows are slow in some repeats only; otherwise each is slow always or never.
    pub swings: bool,
    /// The rounds in which it was slow, where these follow each other.
    pub spell: Option<Spell>,
    /// Sites that explain the same flows about as well.
    pub instead: Vec<FaultSite>,
    /// ln of the likelihood ratio.
    pub gain: f64,
}

/// Rounds in a row in which a suspect was slow, and none before or after.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Spell {
    /// The first round with slow flows.
    pub first: u32,
    /// The last one.
    pub last: u32,
    /// The last round before with flows over it; none where it was slow from its first flow on.
    pub before: Option<u32>,
    /// The first round after; none where it was slow to its last flow.
    pub after: Option<u32>,
    /// Flows over it in other rounds.
    pub others: usize,
    /// Their median loss, ln.
    pub others_median: f64,
}

/// Suspects of one switch: a fault of its own may be behind them.
#[derive(Clone, Debug, PartialEq)]
pub struct SuspectGroup {
    /// The switch that all of them end at.
    pub switch: NodeId,
    /// Their numbers in [`Located::found`].
    pub members: Vec<usize>,
    /// Cables of the switch that flows cross.
    pub cables: usize,
    /// Median of their losses, ln.
    pub loss: f64,
}

/// What was found, and what could have been found.
#[derive(Clone, Debug, PartialEq)]
pub struct Located {
    /// Most likely first.
    pub found: Vec<FoundSuspect>,
    /// What makes only some of its flows slow, most likely first.
    pub partial: Vec<PartialFault>,
    /// Directed links that flows cross.
    pub links: usize,
    /// For each loss of [`ASKED`]: links on which it would have been found.
    pub visible: Vec<usize>,
    /// For each loss of [`ASKED`]: how many times as many flows would find it nine times in ten, on the mean of the links; 1
    /// where these do, none where no number does, as healthy ones differ by too much.
    pub times: Vec<Option<f64>>,
    /// Suspects that have a switch or a chassis in common.
    pub groups: Vec<SuspectGroup>,
    /// Whether the measurement is fit to blame anyone.
    pub fitness: Fitness,
    /// Flows that lose more than `Limits::loss` and more than 5 σ, which nothing found explains.
    pub unexplained: Vec<u32>,
    /// How much healthy suspects differ: hosts that send, hosts that receive, links between switches; ln.
    pub differ: [f64; 3],
}

impl Located {
    /// What suspects lose, ln, those of one switch once.
    pub(super) fn losses(&self) -> Vec<f64> {
        let is_alone = |at: &usize| !self.groups.iter().any(|group| group.members.contains(at));
        let alone = (0..self.found.len()).filter(is_alone).map(|at| self.found[at].loss);
        let for_a_time = self.partial.iter().filter(|fault| fault.spell.is_some()).map(|fault| fault.loss);
        alone.chain(self.groups.iter().map(|group| group.loss)).chain(for_a_time).collect()
    }
}

/// Losses, as shares of a link's rate, for which [`Located::visible`] counts the links.
pub const ASKED: [f64; 3] = [0.1, 0.2, 0.5];
