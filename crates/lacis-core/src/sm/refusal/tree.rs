//! Why OpenSM's ftree takes a fabric for no tree.

use std::fmt;

use serde::Serialize;

use crate::fabric::Guid;

/// In what a fabric is not a tree.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum TreeMisfit {
    /// Too few switches for a tree.
    SwitchesFew {
        /// How many have a cable.
        switches: usize,
    },
    /// Too few end nodes for a tree.
    NodesFew {
        /// Nodes, switches and all.
        nodes: usize,
        /// The switches.
        switches: usize,
    },
    /// Too few channel adapters for a tree.
    AdaptersFew {
        /// How many there are.
        adapters: usize,
    },
    /// A cable joins two channel adapters.
    AdaptersJoined {
        /// The GUIDs of the two.
        adapters: [Guid; 2],
    },
    /// No channel adapter is a compute node.
    ComputeNodesAbsent,
    /// The switches between the first and the last leaf cannot be found.
    LeafRangeAbsent,
    /// Several switches would be roots, and none is below another.
    RootsAlone,
    /// A tree of too few or too many levels.
    DepthUnfit {
        /// The levels that it would have.
        levels: u32,
        /// The fewest that there may be.
        least: u32,
        /// The most that there may be.
        most: u32,
    },
    /// A compute node hangs on a switch of another rank than that of leaves.
    ComputeNodeMisplaced {
        /// The GUID of its port.
        port: Guid,
        /// The GUID of the switch.
        switch: Guid,
        /// The rank of the switch.
        rank: u32,
        /// The rank of leaves.
        leaf_rank: u32,
    },
    /// Two switches of one rank differ.
    SwitchesDiffer {
        /// In what.
        count: SwitchCount,
        /// The GUID of the first of its rank, and that of the one that differs from it.
        switches: [Guid; 2],
        /// What each has.
        numbers: [usize; 2],
    },
    /// A file of nodes has no valid GUID.
    GuidsAbsent {
        /// What its nodes are.
        nodes: NodeList,
    },
}

/// What is counted of a switch, to compare it with others of its rank.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum SwitchCount {
    /// Groups of parallel cables up.
    UpwardGroups,
    /// Groups of parallel cables down.
    DownwardGroups,
    /// Cables of a group up.
    UpwardPorts,
    /// Cables of a group down.
    DownwardPorts,
}

/// What the nodes of a file are.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum NodeList {
    /// Compute nodes.
    ComputeNodes,
    /// I/O nodes.
    IoNodes,
}

impl fmt::Display for TreeMisfit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::SwitchesFew { switches } => {
                write!(f, "Fabric has {switches} switches - topology is not fat-tree")
            }
            Self::NodesFew { nodes, switches } => {
                write!(f, "Fabric has {nodes} nodes ({switches} switches) - topology is not fat-tree")
            }
            Self::AdaptersFew { adapters } => {
                write!(f, "Fabric has {adapters} CAs - topology is not fat-tree")
            }
            Self::AdaptersJoined { adapters: [a, b] } => {
                write!(f, "CA connected directly to another CA: {a} <---> {b}")
            }
            Self::ComputeNodesAbsent => f.write_str("Fabric has no valid compute nodes"),
            Self::LeafRangeAbsent => f.write_str("Failed to find leaf switches - topology is not fat-tree"),
            Self::RootsAlone => f.write_str("Found more than one root on fabric with maximum rank 0"),
            Self::DepthUnfit { levels, least, most } => {
                write!(f, "Fabric rank is {levels} (should be between {least} and {most})")
            }
            Self::ComputeNodeMisplaced { port, switch, rank, leaf_rank } => write!(
                f,
                "CN port {port} is connected to switch {switch} with rank {rank}, while FatTree leaf rank is {leaf_rank}"
            ),
            Self::SwitchesDiffer { count, switches: [a, b], numbers: [of_a, of_b] } => {
                let (what, unit) = count.words();
                write!(
                    f,
                    "Different number of {what} on switches: GUID {a} - {of_a} {unit}, GUID {b} - {of_b} {unit}"
                )
            }
            Self::GuidsAbsent { nodes: NodeList::ComputeNodes } => {
                f.write_str("Compute node guids file has no valid guids")
            }
            Self::GuidsAbsent { nodes: NodeList::IoNodes } => {
                f.write_str("I/O node guids file has no valid guids")
            }
        }
    }
}

impl SwitchCount {
    /// What is counted, and its unit, as OpenSM spells them.
    fn words(self) -> (&'static str, &'static str) {
        match self {
            Self::UpwardGroups => ("upward port groups", "groups"),
            Self::DownwardGroups => ("downward port groups", "port groups"),
            Self::UpwardPorts => ("ports in an upward port group", "ports"),
            // "an" is OpenSM's spelling.
            Self::DownwardPorts => ("ports in an downward port group", "ports"),
        }
    }
}
