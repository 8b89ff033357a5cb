//! Reasons in words: of OpenSM's engines those that it logs, so that a search for its message finds them.

use std::fmt;

use super::{Refusal, RefusalReason};

impl Refusal {
    /// Why the engine does not route the fabric, in words, and which subnet of it.
    pub fn why(&self) -> String {
        within(&self.reason, self.subnet.as_deref())
    }
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} refuses: {}", self.engine, self.why())
    }
}

/// A reason in words, and the first switch of the subnet that it is about.
pub fn within(reason: &RefusalReason, subnet: Option<&str>) -> String {
    match subnet {
        Some(switch) => format!("{reason} (in the subnet of switch \"{switch}\")"),
        None => reason.to_string(),
    }
}

/// What to do where ports report LIDs that do not fit.
const DOUBLED: &str = "(ports report LIDs that do not fit the LMC; assign LIDs afresh)";

impl fmt::Display for RefusalReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::LidDoubled { lid } => write!(f, "LID {lid} is given to two ports {DOUBLED}"),
            Self::LidCircle { lid, switch } => write!(
                f,
                "LID {lid} is given to two ports, and packets from switch \"{switch}\" to it would run in a circle, which \
                 OpenSM's dfsssp follows for ever {DOUBLED}"
            ),
            Self::SwitchLidShared { lid, switches: [a, b] } => write!(
                f,
                "LID {lid} is given to two switches, \"{a}\" and \"{b}\", whose hops OpenSM keeps as one: where its tables \
                 lead then is not known (assign LIDs afresh)"
            ),
            Self::LmcSet { port, lmc } => {
                write!(f, "port {port} has LMC {lmc}; ftree routes one LID a port only")
            }
            Self::SwitchLidsSeveral { switch } => {
                write!(f, "switch \"{switch}\" has several LIDs: OpenSM's nue fails there")
            }
            Self::LidsMany => f.write_str("distances do not fit into 31 bits: too many LIDs"),
            Self::DistanceFar { hops, switch, lids } => write!(
                f,
                "{hops} hops from the manager's switch \"{switch}\" times the square of {lids} LIDs is more than a distance \
                 can be, 2^31 - 2"
            ),
            Self::RootsAbsent { .. } => {
                f.write_str("none of the given root GUIDs is the node GUID of a switch in the fabric")
            }
            Self::RootsUnknown => f.write_str(
                "no root switches given, and none found: no switch has more than nine tenths of the end nodes at one \
                 distance and no more than a twentieth at any other",
            ),
            Self::RootFar { hops, most } => {
                write!(f, "a switch is {hops} hops from the nearest root; {most} is the most")
            }
            Self::LevelsUnknown => f.write_str(
                "the switches have no levels, as those of a tree have; name the root switches, or use numbered",
            ),
            Self::LevelsFar { most } => write!(
                f,
                "some switches are more than {most} levels up and down from each other; name other root switches, or use \
                 numbered"
            ),
            Self::LeavesAbsent => f.write_str("no switch has an end node, so none is a leaf"),
            Self::TiersAbsent => f.write_str("no switch has a host, so there is no lowest tier"),
            Self::UnthrottledApart => {
                f.write_str("links that are not throttled do not connect all switches")
            }
            Self::TorusLanesFew { needed, lanes, is_around_lost } => {
                let around = if *is_around_lost { " around a lost switch" } else { "" };
                write!(f, "it takes {needed} lanes{around}, and links have {lanes}")
            }
            Self::LanesExhausted { lanes } => write!(
                f,
                "it needs more than the {lanes} virtual lanes there are to be free of credit loops"
            ),
            Self::FirstLaneHigh { start, lanes } => {
                write!(f, "the first lane {start} is too high for {lanes} lanes")
            }
            Self::LanesFew { needed, lanes, start } => {
                write!(f, "{needed} or more lanes are needed, {lanes} are there from lane {start} on")
            }
            Self::TreeMisfit { misfit } => misfit.fmt(f),
            Self::TorusUnconfigured => {
                f.write_str("there is no torus configuration with the sizes and a seed")
            }
            Self::TorusMisfit { misfit } => write!(f, "its configuration: {misfit}"),
            Self::RingBroken { axis, across: [a, b], at: [c, d] } => {
                write!(f, "failures have broken the {axis} ring at {a} = {c}, {b} = {d} into pieces")
            }
            Self::RingSwitchesLost { switches } => write!(
                f,
                "{switches} switches are missing, or were not found: that takes two dimensions longer than 1"
            ),
            Self::TorusSwitchesLost { switches, such_as: [[x, y, z], [u, v, w]] } => write!(
                f,
                "{switches} switches are missing, such as those at {x},{y},{z} and {u},{v},{w}: detours are free of credit \
                 loops around one, or several with the same x and y"
            ),
            Self::MeshEndless => f.write_str(
                "its mesh analysis finds an axis that leads back along none, and OpenSM never ends there",
            ),
            Self::FilePortAbsent { lid, guid, switch, port, ports } => write!(
                f,
                "the file sends LID 0x{lid:04x} of switch {guid} \"{switch}\" to port {port}, and the switch has {ports}"
            ),
        }
    }
}
