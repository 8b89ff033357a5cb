//! Verdicts on cables, nodes and managers, with reasons.

use crate::fabric::PortId;

/// The verdict on a cable, a node or a manager.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Verdict {
    /// Found as planned.
    AsPlanned,
    /// Planned; neither end has a cable, or neither exists.
    Missing,
    /// Found and not planned.
    Unexpected,
    /// Planned; one end has a cable, which leads to another port.
    Misconnected,
    /// Planned; both ends have cables, but not this one between them: the plan has a port twice, or the cables are
    /// swapped.
    Duplicate,
    /// Found where planned, with another GUID, name, port, kind or rate.
    Different,
}

impl Verdict {
    /// All verdicts.
    pub const ALL: [Self; 6] = [
        Self::AsPlanned,
        Self::Missing,
        Self::Unexpected,
        Self::Misconnected,
        Self::Duplicate,
        Self::Different,
    ];

    /// Its stable name.
    pub fn name(self) -> &'static str {
        match self {
            Self::AsPlanned => "as_planned",
            Self::Missing => "missing",
            Self::Unexpected => "unexpected",
            Self::Misconnected => "misconnected",
            Self::Duplicate => "duplicate",
            Self::Different => "different",
        }
    }
}

/// How many have each verdict, by [`Verdict`] as a number.
pub type Counts = [usize; Verdict::ALL.len()];

/// Why a cable has its verdict. Sides are those of the planned cable.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Why {
    /// No node has the name of this end.
    NoNode(usize),
    /// The node has no port of that number.
    NoPort(usize),
    /// The port has no cable.
    NoCable(usize),
    /// The port at this end has a cable that leads elsewhere.
    LeadsTo(usize, PortId),
    /// Another planned cable, by number, has this port.
    Repeats(usize),
    /// Another node GUID than planned at this end.
    NodeGuid(usize),
    /// Another description.
    Name(usize),
    /// Another port.
    Number(usize),
    /// Another port GUID.
    PortGuid(usize),
    /// Another kind of node.
    Kind(usize),
    /// Another rate.
    Rate,
    /// Another MTU: the lower of what both ends are capable of.
    Mtu,
    /// The port has a link and is not active.
    Inactive(usize),
    /// Another planned node or manager, by list and number, has claimed this one.
    RepeatsNode(List, usize),
    /// The node exists, but no manager runs at that port.
    NoManager,
}

/// A cable that differs from the plan.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CableDeviation {
    /// The verdict.
    pub verdict: Verdict,
    /// The planned cable, by number; none of an unexpected one.
    pub cable: Option<usize>,
    /// The found cable, in the order of the planned ends, if there is one.
    pub found: Option<(PortId, PortId)>,
    /// Why.
    pub why: Vec<Why>,
}

/// A list of a plan.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum List {
    /// Host adapters.
    Adapters,
    /// Switches.
    Switches,
    /// Subnet managers.
    Managers,
}

impl List {
    /// All lists.
    pub const ALL: [Self; 3] = [Self::Adapters, Self::Switches, Self::Managers];

    /// Its stable name.
    pub fn name(self) -> &'static str {
        match self {
            Self::Adapters => "adapters",
            Self::Switches => "switches",
            Self::Managers => "managers",
        }
    }
}
