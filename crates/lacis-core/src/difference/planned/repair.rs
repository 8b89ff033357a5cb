//! What repairs a fabric: plugs to move, cables to add and to take out.

use crate::fabric::PortId;

/// A port of the fabric, or of the plan if the fabric does not show it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Site {
    /// A port of the fabric.
    Port(PortId),
    /// An end of a planned cable: its number, and the side.
    Planned(usize, usize),
}

/// One plug to move.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Move {
    /// The end of the cable that stays.
    pub stays: Site,
    /// The plug's current port.
    pub from: Site,
    /// The port that it belongs in.
    pub to: Site,
    /// The planned cable that this makes.
    pub cable: usize,
}

/// What kind of work on cables it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum PlannedWorkKind {
    /// Two cables each have the other's port: two plugs change sides.
    Swap,
    /// Three or more cables in a cycle, each in the next one's port.
    Rotation,
    /// One plug is in a wrong port, and the right one is free.
    Move,
    /// Several plugs in a row, each in the next one's port.
    Shift,
    /// A planned cable that is absent, or dead.
    Connect,
    /// A cable that is not planned.
    TakeOut,
}

impl PlannedWorkKind {
    /// All kinds of work.
    pub const ALL: [Self; 6] =
        [Self::Swap, Self::Rotation, Self::Move, Self::Shift, Self::Connect, Self::TakeOut];

    /// Its stable name.
    pub fn name(self) -> &'static str {
        match self {
            Self::Swap => "swap",
            Self::Rotation => "rotation",
            Self::Move => "move",
            Self::Shift => "shift",
            Self::Connect => "connect",
            Self::TakeOut => "take_out",
        }
    }
}

/// One piece of work on cables: its plugs are pulled first, then plugged in.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PlannedWork {
    /// What kind it is.
    pub kind: PlannedWorkKind,
    /// Plugs to move.
    pub moves: Vec<Move>,
    /// The planned cable to add, by number, and its ends.
    pub connect: Option<(usize, [Site; 2])>,
    /// The cable to take out.
    pub take_out: Option<(PortId, PortId)>,
}
