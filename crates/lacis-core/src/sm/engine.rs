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

/// What an engine promises on every fabric that it does not refuse, without options that ask for something else.
/// `tests/engines.rs` holds each engine to its claims.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Claim {
    /// Every pair of hosts that cables join is delivered.
    ReachesAll,
    /// No credit loop, on the virtual lanes that it assigns: as many as the options allow, at most.
    NoCreditLoop,
    /// Every path crosses as few switches as any between its ends; Omni-Path's manager takes those of least cost instead.
    ShortestPaths,
}

/// How long an engine takes, measured on fabrics of 40 and 666 switches.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Cost {
    /// About how many times as long as minhop it takes on selene-2021 (666 switches, 3,675 adapters).
    pub routing: u32,
    /// Whether this factor grows with the fabric, as the engine's time grows faster than the tables do.
    pub outgrows_tables: bool,
    /// Processor time of the sweep after a failure [ns for each entry of all tables].
    pub failure: u32,
    /// The number of switches that adds as much again to the time after a failure; none where it does not grow.
    pub failure_doubles_by: Option<u32>,
}

/// The cost of an engine whose time grows as the tables do.
const fn even(routing: u32, failure: u32) -> Cost {
    Cost { routing, outgrows_tables: false, failure, failure_doubles_by: None }
}

/// The cost of one whose time grows faster than the tables, though not after a failure.
const fn growing(routing: u32, failure: u32) -> Cost {
    Cost { outgrows_tables: true, ..even(routing, failure) }
}

/// The cost of one whose time grows faster than the tables after a failure too.
const fn growing_always(routing: u32, failure: u32) -> Cost {
    Cost { failure_doubles_by: Some(200), ..growing(routing, failure) }
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
    /// How long it takes.
    pub cost: Cost,
    /// What it promises on every fabric that it does not refuse.
    pub claims: &'static [Claim],
    /// What it does, in a line.
    pub promise: &'static str,
}

/// Makes [`Engine`], its list and its table from one row an engine.
macro_rules! engines {
    ($($engine:ident $name:literal $author:ident $needs:expr, $cost:expr, [$($claim:ident)*], $promise:literal;)+) => {
        /// A routing engine.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub enum Engine {
            $(#[doc = $promise] $engine,)+
        }

        impl Engine {
            /// All engines, in the order in which help texts list them.
            pub const ALL: &[Self] = &[$(Self::$engine),+];
            const TABLE: &[EngineRow] = &[$(EngineRow {
                name: $name, author: Author::$author, needs: $needs, cost: $cost,
                claims: &[$(Claim::$claim),*], promise: $promise,
            }),+];
        }
    };
}

engines! {
    MinHop "minhop" OpenSm None, even(1, 22), [ReachesAll ShortestPaths],
        "Shortest paths, balanced by port counters.";
    UpDn "updn" OpenSm None, even(1, 22), [],
        "Shortest paths that never turn up after they went down, from root switches outward.";
    DnUp "dnup" OpenSm None, even(1, 22), [],
        "The same from the leaves.";
    FTree "ftree" OpenSm None, even(2, 22), [],
        "Fat-tree routing: shifts without contention on whole trees.";
    Dor "dor" OpenSm None, even(1, 22), [ReachesAll ShortestPaths],
        "Shortest paths, dimension after dimension in port order.";
    Lash "lash" OpenSm None, growing(62, 25), [ReachesAll NoCreditLoop ShortestPaths],
        "Shortest paths of single links, spread over virtual lanes without a credit loop.";
    Sssp "sssp" OpenSm None, growing_always(6, 55), [ReachesAll ShortestPaths],
        "Shortest paths weighted by the paths already there.";
    DfSssp "dfsssp" OpenSm None, growing_always(115, 92), [ReachesAll NoCreditLoop ShortestPaths],
        "The same, spread over virtual lanes without a credit loop.";
    Nue "nue" OpenSm None, growing_always(82, 140), [ReachesAll NoCreditLoop],
        "Free of credit loops on any fabric with any number of virtual lanes.";
    File "file" OpenSm Some("lfts_file"), even(1, 22), [],
        "Tables and hop matrices from files.";
    Torus2Qos "torus-2QoS" OpenSm Some("torus_config"), even(2, 22), [NoCreditLoop],
        "Dimension after dimension on tori, without a credit loop, with two levels of service.";
    EvenTree "eventree" Lacis None, even(48, 160), [ReachesAll NoCreditLoop],
        "Even loads on imperfect trees, without a credit loop on one virtual lane.";
    Numbered "numbered" Lacis None, growing(79, 15_000), [ReachesAll NoCreditLoop],
        "Free of credit loops on any fabric with any number of virtual lanes; shorter and more even paths than nue's.";
    ShortestPath "shortestpath" OmniPath None, even(1, 22), [ReachesAll],
        "Paths of least cost, each LID by the port with the fewest: the default of Omni-Path's manager.";
    FatTree "fattree" OmniPath None, even(1, 22), [ReachesAll],
        "Omni-Path's fat-tree routing: destinations in turn over the ports up, and down again.";
    DgShortestPath "dgshortestpath" OmniPath None, even(1, 22), [ReachesAll],
        "As shortestpath, device group after device group.";
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

    /// Whether it promises this on every fabric that it does not refuse.
    pub fn claims(self, claim: Claim) -> bool {
        self.row().claims.contains(&claim)
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
        write!(f, "unknown routing engine \"{}\"", self.0)?;
        match nearest(&self.0, names.clone(), 2).as_slice() {
            [] => {}
            near => write!(f, "; did you mean {}?", near.join(" or "))?,
        }
        write!(f, " (there are {})", names.collect::<Vec<_>>().join(", "))
    }
}

impl std::error::Error for UnknownEngine {}
