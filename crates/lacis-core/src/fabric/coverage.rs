//! What a source can show of a fabric. A list of switches shows no host, a list of nodes no cable: what cannot be there is
//! not missing.

use std::fmt;

/// A part of a fabric that a source can show as a whole.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FabricPart {
    /// Every switch.
    Switches,
    /// Every end node that has a cable.
    EndNodes,
    /// Every cable between nodes that the source shows.
    Cables,
    /// Each cable between switches from both of its ends.
    BothEndsOfTrunks,
    /// Each cable to an end node from both of its ends.
    BothEndsOfEndNodes,
    /// The node GUIDs of end nodes; without, a port's GUID stands for its node, and two ports of an adapter are two nodes.
    EndNodeGuids,
    /// How many ports a switch has; without, its highest port in use.
    Radix,
}

impl FabricPart {
    /// Every part.
    pub const ALL: [Self; 7] = [
        Self::Switches,
        Self::EndNodes,
        Self::Cables,
        Self::BothEndsOfTrunks,
        Self::BothEndsOfEndNodes,
        Self::EndNodeGuids,
        Self::Radix,
    ];
    /// The names of all parts in fabric files.
    pub const NAMES: [&'static str; 7] = [
        "switches",
        "end_nodes",
        "cables",
        "both_ends_of_trunks",
        "both_ends_of_end_nodes",
        "end_node_guids",
        "radix",
    ];

    /// The name in fabric files.
    pub fn name(self) -> &'static str {
        Self::NAMES[self as usize]
    }

    const fn bit(self) -> u8 {
        1 << self as u8
    }
}

/// The parts of a fabric that a source can show. All of them, by default: a dump of a whole fabric.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Coverage(u8);

impl Coverage {
    /// All of a fabric.
    pub const WHOLE: Self = Self((1 << FabricPart::ALL.len()) - 1);

    /// Whether the source can show a part.
    pub fn shows(self, part: FabricPart) -> bool {
        self.0 & part.bit() != 0
    }

    /// The same with a part shown, or not.
    #[must_use]
    pub fn with(self, part: FabricPart, is_shown: bool) -> Self {
        Self(if is_shown { self.0 | part.bit() } else { self.0 & !part.bit() })
    }

    /// The same with none of some parts shown.
    #[must_use]
    pub fn without(self, parts: &[FabricPart]) -> Self {
        parts.iter().fold(self, |coverage, &part| coverage.with(part, false))
    }

    /// What both sources can show.
    #[must_use]
    pub fn both(self, other: Self) -> Self {
        Self(self.0 & other.0)
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

impl fmt::Debug for Coverage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(FabricPart::ALL.iter().filter(|&&part| self.shows(part))).finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_part_is_shown_or_not_by_itself() {
        for (number, part) in FabricPart::ALL.into_iter().enumerate() {
            assert_eq!(part as usize, number);
            let others = Coverage::WHOLE.without(&[part]);
            let shown: Vec<FabricPart> = FabricPart::ALL.into_iter().filter(|&p| others.shows(p)).collect();
            let expected: Vec<FabricPart> = FabricPart::ALL.into_iter().filter(|&p| p != part).collect();
            assert_eq!(shown, expected);
            assert!(!others.is_whole() && others.with(part, true).is_whole());
            assert_eq!(others.both(Coverage::WHOLE), others);
        }
        assert_eq!(format!("{:?}", Coverage::WHOLE.without(&FabricPart::ALL[1..])), "{Switches}");
    }
}
