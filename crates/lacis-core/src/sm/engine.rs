//! The engines by name.

use std::fmt;
use std::str::FromStr;

use crate::nearest::nearest;

/// A routing engine, named as OpenSM spells it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Engine {
    /// Shortest paths, balanced by port counters.
    MinHop,
    /// Shortest paths that never turn up after they went down, from root switches outward.
    UpDn,
    /// The same from the leaves.
    DnUp,
    /// Fat-tree routing.
    FTree,
    /// Shortest paths, dimension after dimension in port order.
    Dor,
    /// Shortest paths of single links, spread over virtual lanes.
    Lash,
    /// Shortest paths weighted by the paths already there.
    Sssp,
    /// The same, spread over virtual lanes.
    DfSssp,
    /// Free of credit loops on any fabric with any number of lanes.
    Nue,
    /// Tables and hop matrices from files.
    File,
    /// Dimension after dimension on tori, free of credit loops, with two levels of service.
    Torus2Qos,
    /// Even loads on imperfect trees; Lacis' own.
    EvenTree,
    /// Free of credit loops on any fabric with any number of lanes; Lacis' own.
    Numbered,
}

impl Engine {
    /// All engines, in the order in which help texts list them.
    pub const ALL: [Self; 13] = [
        Self::MinHop,
        Self::UpDn,
        Self::DnUp,
        Self::FTree,
        Self::Dor,
        Self::Lash,
        Self::Sssp,
        Self::DfSssp,
        Self::Nue,
        Self::File,
        Self::Torus2Qos,
        Self::EvenTree,
        Self::Numbered,
    ];

    /// The name as OpenSM spells it.
    pub fn name(self) -> &'static str {
        match self {
            Self::MinHop => "minhop",
            Self::UpDn => "updn",
            Self::DnUp => "dnup",
            Self::FTree => "ftree",
            Self::Dor => "dor",
            Self::Lash => "lash",
            Self::Sssp => "sssp",
            Self::DfSssp => "dfsssp",
            Self::Nue => "nue",
            Self::File => "file",
            Self::Torus2Qos => "torus-2QoS",
            Self::EvenTree => "eventree",
            Self::Numbered => "numbered",
        }
    }

    /// Reads a list as OpenSM's `-R` takes it: `ftree,updn`.
    ///
    /// # Errors
    /// At the first name that is no engine.
    pub fn parse_chain(text: &str) -> Result<Vec<Self>, UnknownEngine> {
        text.split(',').map(|name| name.trim().parse()).collect()
    }
}

impl fmt::Display for Engine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// A name that is no engine's.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnknownEngine(pub String);

impl fmt::Display for UnknownEngine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names = Engine::ALL.map(Engine::name);
        write!(f, "unknown routing engine \"{}\"; ", self.0)?;
        match nearest(&self.0, names, 2).as_slice() {
            [] => {}
            near => write!(f, "did you mean {}? ", near.join(" or "))?,
        }
        write!(f, "(there are {})", names.join(", "))
    }
}

impl std::error::Error for UnknownEngine {}

impl FromStr for Engine {
    type Err = UnknownEngine;

    fn from_str(name: &str) -> Result<Self, Self::Err> {
        let same = |e: &Self| e.name().eq_ignore_ascii_case(name);
        Self::ALL.into_iter().find(same).ok_or_else(|| UnknownEngine(name.into()))
    }
}
