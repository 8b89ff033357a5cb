//! Which rounds of flows to measure, so that a slow link can be distinguished from every other.
//!
//! A measured flow says something about all links on its path. Two links that the same measured flows cross (columns of the
//! matrix of flows and links that are proportional) cannot be distinguished, however exact the measurements: rounds are chosen
//! for *identifiability*, not for coverage. After Y. Peng et al., "deTector: a topology-aware monitoring system for data
//! center networks", USENIX ATC 2017.
//!
//! | here       | meaning                                                                           |
//! |------------|-----------------------------------------------------------------------------------|
//! | suspect    | a directed link that the flow of some pair of hosts crosses                         |
//! | class      | suspects that the same flows cross                                                  |
//! | finest     | the classes under the flows of all pairs: what no choice of rounds can split further |
//! | crossings  | measured flows over a suspect, which average noise away                             |

mod candidates;
mod choose;
mod columns;
mod finest;
mod gain;
#[cfg(test)]
mod tests;

use std::fmt;

use crate::model::load::LinkId;
use crate::ranks::Flow;
use crate::ranks::Participants;

pub use choose::{choose, choose_about};

/// What a campaign is to reach.
#[derive(Clone, Copy, Debug)]
pub struct Goal {
    /// The most rounds that are chosen.
    pub rounds: usize,
    /// Flows that are to cross every suspect.
    pub crossings: u32,
    /// Seed of random rounds.
    pub seed: u64,
}

/// Flows at once: every host sends at most once and receives at most once.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Round {
    /// How the flows were made.
    pub kind: Kind,
    /// In the order of their senders.
    pub flows: Vec<Flow>,
    /// The most of them on one link; 1 measures links without contention.
    pub contention: u32,
    /// Classes of suspects once the round is measured.
    pub classes: usize,
}

/// How a round's flows are made. Hosts are counted leaf by leaf.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// It was given.
    Given,
    /// Every host to the host so many further on.
    Shift(u32),
    /// Inside leaves: every host to the host so many further on, around its leaf.
    Inside(u32),
    /// Every leaf to the leaf so many further on, host by host, around the leaf by the second number.
    Leaves(u32, u32),
    /// A permutation at random, by number.
    Random(u64),
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Given => write!(f, "given"),
            Self::Shift(by) => write!(f, "shift by {by}"),
            Self::Inside(by) => write!(f, "inside leaves, by {by}"),
            Self::Leaves(offset, by) => write!(f, "leaf offset {offset}, by {by}"),
            Self::Random(number) => write!(f, "random {number}"),
        }
    }
}

impl Round {
    /// Senders and receivers by name.
    pub fn names<'a>(&'a self, participants: &'a Participants) -> impl Iterator<Item = (&'a str, &'a str)> {
        let name =
            |slot: u32| participants.names()[participants.hosts_of_ports()[slot as usize] as usize].as_str();
        self.flows.iter().map(move |flow| (name(flow.from), name(flow.to)))
    }
}

/// Links that cannot be distinguished.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Class {
    /// Ascending.
    pub links: Vec<LinkId>,
    /// Whether flows of other pairs would split it.
    pub can_be_split: bool,
}

/// The rounds, and what they can distinguish.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Campaign {
    /// Given ones first.
    pub rounds: Vec<Round>,
    /// Number of suspects.
    pub suspects: usize,
    /// Their classes under all pairs.
    pub finest: usize,
    /// Classes under the rounds. Those that no flow of a round crosses are one.
    pub classes: usize,
    /// Classes of more than one link under the rounds, by their first links.
    pub inseparable: Vec<Class>,
    /// Suspects that no round crosses.
    pub uncrossed: usize,
    /// Fewest flows of the rounds over a suspect.
    pub least_crossings: u32,
    /// Pairs of hosts without a route.
    pub unrouted: u64,
}

impl Campaign {
    /// The rounds that were not given, as `lacis-mpi rounds --schedule file:PATH` reads them: lines `ROUND FROM TO`.
    pub fn text(&self, participants: &Participants) -> String {
        use std::fmt::Write;
        let mut text = String::from("# ROUND FROM TO, for lacis-mpi rounds --schedule file:PATH\n");
        let added = self.rounds.iter().filter(|round| round.kind != Kind::Given);
        for (number, round) in (1..).zip(added) {
            let _ = writeln!(text, "# {number}: {}", round.kind);
            for (from, to) in round.names(participants) {
                let _ = writeln!(text, "{number} {from} {to}");
            }
        }
        text
    }
}
