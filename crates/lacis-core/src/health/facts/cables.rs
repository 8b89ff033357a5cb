//! Facts about cables: their rates, the pattern of uplinks, and parts of the fabric behind few of them.

use serde::Serialize;

use super::super::{Cable, Location, names};
use super::nodes::Side;
use crate::cuts::Why;
use crate::fabric::{Fabric, NodeId, Rate};

/// Links whose two ends report different rates.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct UnevenLinks {
    /// Each link.
    pub links: Vec<UnevenLink>,
}

/// A link whose two ends report different rates.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct UnevenLink {
    /// Its ends.
    pub cable: Cable,
    /// What each end reports.
    pub rates: [Option<Rate>; 2],
}

/// Links that only one of their ends reports.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct OneSidedLinks {
    /// Each link.
    pub links: Vec<OneSidedLink>,
}

/// A link that only one of its ends reports.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct OneSidedLink {
    /// Its ends.
    pub cable: Cable,
    /// The end that does not report it.
    pub silent: Location,
}

/// Links below the rate that is expected of them.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct LinksBelow {
    /// Each link.
    pub links: Vec<LinkBelow>,
    /// What is expected.
    pub usual: Rate,
    /// How many links of the kind run at that; 0 where the basis is another.
    pub at_usual: usize,
    /// How many links of the kind there are; 0 where the basis is another.
    pub of_kind: usize,
    /// Why it is expected.
    pub basis: Basis,
    /// The switch whose cables to other switches they are, all of them; none where single links are concerned.
    pub switch: Option<Location>,
}

/// Why a rate is expected of a link.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Basis {
    /// It was brought up with more lanes.
    LanesLost,
    /// The source says that the link could be faster.
    CouldBe,
    /// Both ends have it enabled.
    Enabled,
    /// Links of its kind run at it.
    Peers,
    /// Both devices can do it.
    Devices,
}

/// Links slower than others, all of their like: how they were built.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct SlowAlike {
    /// What they have in common, and which they are.
    pub groups: Vec<AlikeLinks>,
}

/// Links with something in common that run at one rate.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct AlikeLinks {
    /// What they have in common.
    pub like: Likeness,
    /// Its name: of the leaf, the switch, or the series of hosts.
    pub name: String,
    /// The leaf, the switch, or the adapters.
    pub nodes: Vec<Location>,
    /// What they run at.
    pub rate: Rate,
    /// What others run at.
    pub usual: Rate,
    /// How many links there are.
    pub links: usize,
}

/// What links have in common.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Likeness {
    /// Hosts of one series.
    Series,
    /// Hosts of one leaf.
    Leaf,
    /// A switch of unknown model, all of whose links are alike.
    Switch,
}

/// A link below the rate of its kind.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct LinkBelow {
    /// Its ends.
    pub cable: Cable,
    /// What it runs at.
    pub rate: Rate,
}

/// Pairs of switches with fewer cables than their peers have, all of one switch.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct UplinkGaps {
    /// The switch that all pairs have in common.
    pub switch: Location,
    /// On which side of the cables it is.
    pub side: Side,
    /// The pairs, by the name of the other switch.
    pub gaps: Vec<UplinkGap>,
}

/// A lower and an upper switch with fewer cables than their peers have.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct UplinkGap {
    /// The lower switch.
    pub lower: Location,
    /// The upper switch.
    pub upper: Location,
    /// Cables that there are.
    pub have: u16,
    /// Cables that peers have.
    pub expected: u16,
    /// The two ports of each missing cable, the lower switch's first; empty where the peers' cabling does not show them.
    pub ports: Vec<Cable>,
}

impl UplinkGap {
    /// The missing cables by their two ends: their ports, or the two switches once where the ports are not known.
    pub fn cables(&self) -> Vec<Cable> {
        if self.ports.is_empty() {
            vec![[self.lower.clone(), self.upper.clone()]]
        } else {
            self.ports.clone()
        }
    }
}

/// Missing cables of a switch, each of which led to one of several switches above.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct UnsureUplinks {
    /// The lower switch.
    pub lower: Location,
    /// The switches above, by name.
    pub uppers: Vec<Location>,
    /// Cables that led to one of these.
    pub missing: usize,
    /// Cables up that there are.
    pub have: usize,
    /// Cables up that peers have.
    pub expected: usize,
}

impl UnsureUplinks {
    /// One of the missing cables: the far end has no GUID, and stands for one of the switches above.
    pub fn cable(&self) -> Cable {
        let uppers: Vec<&str> = self.uppers.iter().map(|upper| &*upper.node).collect();
        [self.lower.clone(), Location::absent(&format!("one of {}", names::some_of(&uppers, 10)))]
    }
}

/// Cables of a switch at other ports than its peers'.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct MisplacedCables {
    /// The lower switch.
    pub switch: Location,
    /// Each cable, by port.
    pub cables: Vec<MisplacedCable>,
}

/// A cable at another port than its peers'.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct MisplacedCable {
    /// Its ports, the lower switch's first.
    pub cable: Cable,
    /// The switch that the same port of the peers leads to.
    pub expected: Location,
}

/// Cables that are plugged into the wrong one of two switches: one has more than its peers, the other as many fewer.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct AstrayCables {
    /// The switch at the end that stays; none where it may be the end of any of several cables.
    pub stays: Option<Location>,
    /// The switch that they are plugged into.
    pub at: Location,
    /// The switch that they belong in.
    pub to: Location,
    /// Cables that these two have to the first, or global ones where that is not known.
    pub have: [u16; 2],
    /// Cables that they should have, as their peers.
    pub expected: [u16; 2],
    /// Each cable.
    pub cables: Vec<AstrayCable>,
}

/// A cable to be moved, with its ports where the peers' cabling shows them.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct AstrayCable {
    /// The end that stays; none where it may be that of several cables.
    pub stays: Option<Location>,
    /// The end that is to be moved.
    pub at: Location,
    /// Where it belongs.
    pub to: Location,
}

/// A cable that joins switches as none of their peers' cables does.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct StrayCable {
    /// Its ends, the lower switch's first.
    pub cable: Cable,
    /// How the two switches stand to each other.
    pub joins: Joins,
}

/// How two switches that a stray cable joins stand to each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Joins {
    /// They are of the same level.
    SameLevel,
    /// They are of adjacent levels, and of groups that share no other cable.
    DifferentGroups,
    /// They are two or more levels apart.
    LevelsApart,
}

/// Hosts, and the cables that all their traffic to others takes.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Cut {
    /// End ports inside.
    pub hosts: u64,
    /// Switches inside.
    pub switches: usize,
    /// Cables out.
    pub cables: u64,
    /// The switches inside that have a cable out.
    pub border: Vec<Location>,
    /// Other single switches with as few cables; 0 where several are inside.
    pub alike: usize,
}

impl Cut {
    /// The cut that forces a link to carry much, if one does.
    pub fn of(fabric: &Fabric, why: &Why) -> Option<Self> {
        let Why::Cut { inside, border, hosts, cables, alike } = why else { return None };
        let switch = |&switch: &NodeId| Location {
            guid: Some(fabric.node(switch).guid),
            ..Location::absent(&fabric.name(switch))
        };
        Some(Self {
            hosts: *hosts,
            switches: inside.len(),
            cables: *cables,
            border: border.iter().map(switch).collect(),
            alike: *alike,
        })
    }
}

/// A part of the fabric that little bandwidth joins with the rest.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ThinSection {
    /// What is inside, and the cables out.
    pub cut: Cut,
    /// Host adapters outside.
    pub others: usize,
    /// What the cables out carry in each direction [bytes/s].
    pub bytes_per_second: f64,
    /// That as a share of what the hosts inside can send.
    pub share: f64,
    /// What the share is compared with.
    pub compared: Beside,
}

/// The share of what hosts can send that is let through elsewhere.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Beside {
    /// By the thinnest level of the fabric.
    Levels {
        /// The share.
        share: f64,
    },
    /// Between halves of the section itself.
    Halves {
        /// The share.
        share: f64,
    },
}

/// Hosts behind cables one of which must carry far more than other links, whatever the tables.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct CrowdedHosts {
    /// The hosts and the cables.
    pub cut: Cut,
    /// What one of these carries when all hosts send to each other, over the mean of links between switches.
    pub over_mean: f64,
    /// What the fullest link must carry without these hosts, over the same mean.
    pub over_mean_without: f64,
}
