//! Why an engine does not route a fabric: a closed list of reasons, with fields. `words` says each in a sentence, and
//! nothing else does: a number or a name is read in its field.

mod torus;
mod tree;
mod words;

use serde::Serialize;

use super::engine::Engine;
use crate::fabric::Guid;

pub use torus::TorusMisfit;
pub use tree::{NodeList, SwitchCount, TreeMisfit};
pub use words::within;

/// An engine that would not route this fabric, and why.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refusal {
    /// The engine.
    pub engine: Engine,
    /// The reason.
    pub reason: RefusalReason,
    /// The first switch of the subnet that it would not route, by name; none where there is one subnet.
    pub subnet: Option<String>,
}

/// Why an engine does not route a fabric.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum RefusalReason {
    // --- LIDs ---
    /// A LID is given to two ports, of which one can have no path.
    LidDoubled {
        /// The first such LID.
        lid: u32,
    },
    /// A LID is given to two ports, and packets to it would run in a circle, which OpenSM follows for ever.
    LidCircle {
        /// The LID.
        lid: u32,
        /// A switch from which they do, by name.
        switch: String,
    },
    /// A LID is given to two switches, whose hops OpenSM keeps as one.
    SwitchLidShared {
        /// The first such LID.
        lid: u32,
        /// The switches, by name.
        switches: [String; 2],
    },
    /// A port has several LIDs, and the engine routes one a port.
    LmcSet {
        /// The first such port, by name.
        port: String,
        /// Its LMC.
        lmc: u8,
    },
    /// A switch has several LIDs, where OpenSM's engine fails.
    SwitchLidsSeveral {
        /// The switch, by name.
        switch: String,
    },
    /// So many LIDs that distances do not fit into 31 bits.
    LidsMany,
    /// So many hops and LIDs that a distance would be more than it can be.
    DistanceFar {
        /// Hops from the manager's switch to the farthest.
        hops: u32,
        /// The manager's switch, by name.
        switch: String,
        /// LIDs of end ports, whose square is multiplied with the hops.
        lids: u32,
    },

    // --- roots, levels and leaves ---
    /// None of the GUIDs that are given as roots is that of a switch in the fabric.
    RootsAbsent {
        /// How many are given.
        given: usize,
    },
    /// No roots are given, and none are found.
    RootsUnknown,
    /// A switch is too far from the nearest root.
    RootFar {
        /// Hops from the farthest switch to the nearest root.
        hops: u32,
        /// The most that there may be.
        most: u32,
    },
    /// The switches have no levels, as those of a tree have.
    LevelsUnknown,
    /// Switches are too many levels up and down from each other.
    LevelsFar {
        /// The most that there may be.
        most: u32,
    },
    /// No switch has an end node, so that none is a leaf.
    LeavesAbsent,
    /// No switch has a host, so that there is no lowest tier.
    TiersAbsent,
    /// Links that are not throttled do not connect all switches.
    UnthrottledApart,

    // --- lanes ---
    /// A torus takes more lanes than links have.
    TorusLanesFew {
        /// Lanes that it takes.
        needed: u8,
        /// Lanes that links have.
        lanes: u8,
        /// Whether it takes so many because a switch is lost.
        is_around_lost: bool,
    },
    /// More lanes than there are would be needed to be free of credit loops.
    LanesExhausted {
        /// Lanes that there are.
        lanes: u8,
    },
    /// The first lane that may be used is beyond the lanes that there are.
    FirstLaneHigh {
        /// The first that may be used.
        start: u8,
        /// Lanes that there are.
        lanes: u8,
    },
    /// More lanes are needed than there are from the first on.
    LanesFew {
        /// At least so many are needed.
        needed: usize,
        /// Lanes that there are from the first on.
        lanes: usize,
        /// The first that may be used.
        start: u8,
    },

    // --- a tree, a torus, a mesh, a file ---
    /// The fabric is not a tree as OpenSM's ftree would have it.
    TreeMisfit {
        /// In what.
        misfit: TreeMisfit,
    },
    /// There is no torus configuration with the sizes and a seed.
    TorusUnconfigured,
    /// The torus configuration is not one of this fabric.
    TorusMisfit {
        /// In what; in a box, as it is larger than any other reason.
        misfit: Box<TorusMisfit>,
    },
    /// Failures have broken a ring of the torus into pieces.
    RingBroken {
        /// Its dimension: `x`, `y` or `z`.
        axis: char,
        /// The other two dimensions.
        across: [char; 2],
        /// Its coordinates in these.
        at: [u32; 2],
    },
    /// Switches of a ring are missing: to go around takes two dimensions.
    RingSwitchesLost {
        /// How many are missing.
        switches: usize,
    },
    /// Missing switches lie so that detours around them would close a credit loop.
    TorusSwitchesLost {
        /// How many are missing.
        switches: usize,
        /// The coordinates of two that differ in x or y.
        such_as: [[u32; 3]; 2],
    },
    /// The mesh analysis never ends in OpenSM.
    MeshEndless,
    /// A file of tables names a port that the switch lacks.
    FilePortAbsent {
        /// The LID of the entry.
        lid: u32,
        /// The GUID of the switch.
        guid: Guid,
        /// Its name.
        switch: String,
        /// The port that the file names.
        port: u8,
        /// Ports that the switch has.
        ports: u8,
    },
}

impl From<TreeMisfit> for RefusalReason {
    fn from(misfit: TreeMisfit) -> Self {
        Self::TreeMisfit { misfit }
    }
}

impl From<TorusMisfit> for RefusalReason {
    fn from(misfit: TorusMisfit) -> Self {
        Self::TorusMisfit { misfit: Box::new(misfit) }
    }
}

impl RefusalReason {
    /// Whether no engine comes after it: OpenSM never comes to its end, or what it makes there is not known.
    pub fn is_last(&self) -> bool {
        matches!(self, Self::LidCircle { .. } | Self::MeshEndless | Self::SwitchLidShared { .. })
    }
}

#[cfg(test)]
mod tests;
