//! The engines: one table, which names them, says what they promise, and feeds the command line, its help, the
//! report, benchmarks and tests. What routes by each is [`run`](crate::routing::run).

use std::fmt;
use std::ops::Deref;
use std::str::FromStr;

use crate::nearest::nearest;

/// The project whose rules an engine follows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Author {
    /// OpenSM has an engine of that name, and Lacis makes the same tables.
    OpenSm,
    /// Lacis alone has it.
    Lacis,
    /// Omni-Path's fabric manager (opa-fm) has it, and Lacis follows its rules.
    OmniPath,
}

impl Author {
    /// The name as it is printed.
    pub fn name(self) -> &'static str {
        match self {
            Self::OpenSm => "OpenSM",
            Self::Lacis => "Lacis",
            Self::OmniPath => "Omni-Path",
        }
    }
}

/// A row of the table.
#[derive(Clone, Copy, Debug)]
pub struct EngineRow {
    /// The name as its manager spells it.
    pub name: &'static str,
    /// The project whose rules it follows.
    pub author: Author,
    /// The option without which it cannot route, by its name in [`OPTIONS`](super::OPTIONS).
    pub needs: Option<&'static str>,
    /// About how many times as long as minhop it takes on selene-2021 (666 switches, 3,675 adapters; measured).
    pub cost: u32,
    /// What it does, in a line.
    pub promise: &'static str,
}

/// Makes [`Engine`], its list and its table from one row an engine.
macro_rules! engines {
    ($($engine:ident $name:literal $author:ident $needs:expr, $cost:literal, $promise:literal;)+) => {
        /// A routing engine.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub enum Engine {
            $(#[doc = $promise] $engine,)+
        }

        impl Engine {
            /// All engines, in the order in which help texts list them.
            pub const ALL: &[Self] = &[$(Self::$engine),+];
            const TABLE: &[EngineRow] = &[$(EngineRow {
                name: $name, author: Author::$author, needs: $needs, cost: $cost, promise: $promise,
            }),+];
        }
    };
}

engines! {
    MinHop "minhop" OpenSm None, 1, "Shortest paths, balanced by port counters.";
    UpDn "updn" OpenSm None, 1, "Shortest paths that never turn up after they went down, from root switches outward.";
    DnUp "dnup" OpenSm None, 1, "The same from the leaves.";
    FTree "ftree" OpenSm None, 2, "Fat-tree routing: shifts without contention on whole trees.";
    Dor "dor" OpenSm None, 1, "Shortest paths, dimension after dimension in port order.";
    Lash "lash" OpenSm None, 62, "Shortest paths of single links, spread over virtual lanes without a credit loop.";
    Sssp "sssp" OpenSm None, 6, "Shortest paths weighted by the paths already there.";
    DfSssp "dfsssp" OpenSm None, 115, "The same, spread over virtual lanes without a credit loop.";
    Nue "nue" OpenSm None, 82, "Free of credit loops on any fabric with any number of virtual lanes.";
    File "file" OpenSm Some("lfts_file"), 1, "Tables and hop matrices from files.";
    Torus2Qos "torus-2QoS" OpenSm Some("torus_config"), 2, "Dimension after dimension on tori, without a credit loop, with two levels of service.";
    EvenTree "eventree" Lacis None, 48, "Even loads on imperfect trees, without a credit loop on one virtual lane.";
    Numbered "numbered" Lacis None, 79, "Free of credit loops on any fabric with any number of virtual lanes; shorter and more even paths than nue's.";
    ShortestPath "shortestpath" OmniPath None, 1, "Paths of least cost, each LID by the port with the fewest: the default of Omni-Path's manager.";
    FatTree "fattree" OmniPath None, 1, "Omni-Path's fat-tree routing: destinations in turn over the ports up, and down again.";
    DgShortestPath "dgshortestpath" OmniPath None, 1, "As shortestpath, device group after device group.";
}

impl Engine {
    /// Its row in the table.
    pub fn row(self) -> &'static EngineRow {
        &Self::TABLE[self as usize]
    }

    /// The name as its manager spells it.
    pub fn name(self) -> &'static str {
        self.row().name
    }

    /// Whether Lacis alone has it.
    pub fn is_native(self) -> bool {
        self.row().author == Author::Lacis
    }

    /// Whether Omni-Path's fabric manager has it.
    pub fn is_omni_path(self) -> bool {
        self.row().author == Author::OmniPath
    }
}

impl fmt::Display for Engine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for Engine {
    type Err = UnknownEngine;

    fn from_str(name: &str) -> Result<Self, Self::Err> {
        let same = |e: &Self| e.name().eq_ignore_ascii_case(name);
        Self::ALL.iter().copied().find(same).ok_or_else(|| UnknownEngine(name.into()))
    }
}

/// Engines in order: a list as OpenSM's `-R` takes it, or those that made the tables of a fabric's islands.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Engines(Vec<Engine>);

impl Engines {
    /// The engine, where there is just one.
    pub fn only(&self) -> Option<Engine> {
        <[Engine; 1]>::try_from(self.0.as_slice()).ok().map(|[engine]| engine)
    }

    /// Adds the engines that are not in the list.
    pub fn merge(&mut self, others: &[Engine]) {
        for engine in others {
            if !self.0.contains(engine) {
                self.0.push(*engine);
            }
        }
    }
}

impl Deref for Engines {
    type Target = [Engine];

    fn deref(&self) -> &[Engine] {
        &self.0
    }
}

impl From<Engine> for Engines {
    fn from(engine: Engine) -> Self {
        Self(vec![engine])
    }
}

impl From<&[Engine]> for Engines {
    fn from(engines: &[Engine]) -> Self {
        Self(engines.to_vec())
    }
}

impl PartialEq<Engine> for Engines {
    /// Whether it is that engine alone.
    fn eq(&self, engine: &Engine) -> bool {
        self.only() == Some(*engine)
    }
}

impl FromIterator<Engine> for Engines {
    fn from_iter<I: IntoIterator<Item = Engine>>(engines: I) -> Self {
        Self(engines.into_iter().collect())
    }
}

impl FromStr for Engines {
    type Err = UnknownEngine;

    /// Reads `ftree,updn`; fails at the first name that is no engine's.
    fn from_str(text: &str) -> Result<Self, Self::Err> {
        text.split(',').map(|name| name.trim().parse()).collect()
    }
}

impl fmt::Display for Engines {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names: Vec<&str> = self.0.iter().map(|engine| engine.name()).collect();
        f.write_str(&names.join(","))
    }
}

/// A name that is no engine's.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnknownEngine(pub String);

impl fmt::Display for UnknownEngine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names = Engine::ALL.iter().map(|engine| engine.name());
        write!(f, "unknown routing engine \"{}\"; ", self.0)?;
        match nearest(&self.0, names.clone(), 2).as_slice() {
            [] => {}
            near => write!(f, "did you mean {}? ", near.join(" or "))?,
        }
        write!(f, "(there are {})", names.collect::<Vec<_>>().join(", "))
    }
}

impl std::error::Error for UnknownEngine {}
