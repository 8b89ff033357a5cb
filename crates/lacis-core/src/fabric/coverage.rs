//! What a source can show of a fabric. A list of switches shows no host, a list of nodes no cable: what cannot be there is
//! not missing.

/// What a source can show. All of it, by default: a dump of a whole fabric.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Coverage {
    /// Every switch.
    pub switches: bool,
    /// Every end node that has a cable.
    pub end_nodes: bool,
    /// Every cable between nodes that it shows.
    pub cables: bool,
    /// Each cable between switches from both of its ends.
    pub both_ends_of_trunks: bool,
    /// Each cable to an end node from both of its ends.
    pub both_ends_of_end_nodes: bool,
    /// The node GUIDs of end nodes; without, a port's GUID stands for its node, and two ports of an adapter are two nodes.
    pub end_node_guids: bool,
    /// How many ports a switch has; without, its highest port in use.
    pub radix: bool,
}

impl Coverage {
    /// All of a fabric.
    pub const WHOLE: Self = Self {
        switches: true,
        end_nodes: true,
        cables: true,
        both_ends_of_trunks: true,
        both_ends_of_end_nodes: true,
        end_node_guids: true,
        radix: true,
    };

    /// What both sources can show.
    #[must_use]
    pub fn both(self, other: Self) -> Self {
        Self {
            switches: self.switches && other.switches,
            end_nodes: self.end_nodes && other.end_nodes,
            cables: self.cables && other.cables,
            both_ends_of_trunks: self.both_ends_of_trunks && other.both_ends_of_trunks,
            both_ends_of_end_nodes: self.both_ends_of_end_nodes && other.both_ends_of_end_nodes,
            end_node_guids: self.end_node_guids && other.end_node_guids,
            radix: self.radix && other.radix,
        }
    }

    /// Whether all of a fabric can be shown.
    pub fn is_whole(self) -> bool {
        self == Self::WHOLE
    }
}

impl Default for Coverage {
    fn default() -> Self {
        Self::WHOLE
    }
}
