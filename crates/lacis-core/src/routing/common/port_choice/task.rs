//! What a choice of ports depends on.

use crate::fabric::switch_graph::SwitchGraph;
use crate::routing::common::destination_order::OrderedTargets;
use crate::routing::common::shortest_links::Candidates;
use crate::routing::common::sweep::Sweep;

/// Which of the candidates an engine chooses from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::routing) enum Among {
    /// All of them.
    All,
    /// The cables to one neighbour, that of the first candidate.
    FirstNeighbour,
}

/// All that tables depend on.
#[derive(Clone, Copy)]
pub(super) struct ChoiceTask<'a> {
    pub sweep: &'a Sweep<'a>,
    pub graph: &'a SwitchGraph,
    pub targets: &'a OrderedTargets,
    pub candidates: &'a Candidates,
    pub among: Among,
}
