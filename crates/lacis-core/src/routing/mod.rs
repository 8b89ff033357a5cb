//! Routing: from a fabric and its LIDs to forwarding tables. One engine, one file.
//!
//! [`route`] tries a list of engines as OpenSM 3.3.23 does: the first that accepts the fabric
//! wins, and where all refuse, `minhop` routes. What was refused, and why, stays in [`Routes`].

mod candidates;
mod choice;
pub mod ftree;
mod graph;
pub mod minhop;
mod routes;
mod subnets;
mod targets;
pub mod updn;
mod walk;

use std::fmt;
use std::str::FromStr;

pub use routes::{Lft, NO_ENTRY, Refusal, Routes, Unrouted};

use crate::fabric::{Fabric, Guid, PortId};
use crate::lids::Lids;

/// A routing engine, named as OpenSM spells it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Engine {
    /// Shortest paths, balanced by port counters.
    MinHop,
    /// Shortest paths that never turn up after they went down.
    UpDn,
    /// Fat-tree routing.
    FTree,
}

impl Engine {
    /// All engines, in the order in which help texts list them.
    pub const ALL: [Self; 3] = [Self::MinHop, Self::UpDn, Self::FTree];

    /// The name as OpenSM spells it.
    pub fn name(self) -> &'static str {
        match self {
            Self::MinHop => "minhop",
            Self::UpDn => "updn",
            Self::FTree => "ftree",
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
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("unknown routing engine \"{0}\" (there are minhop, updn and ftree)")]
pub struct UnknownEngine(pub String);

impl FromStr for Engine {
    type Err = UnknownEngine;

    fn from_str(name: &str) -> Result<Self, Self::Err> {
        Self::ALL.into_iter().find(|e| e.name() == name).ok_or_else(|| UnknownEngine(name.into()))
    }
}

/// What the engines can be told; the default is OpenSM's.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Options {
    /// Port GUIDs whose LIDs are routed first (`guid_routing_order_file`); unknown and repeated
    /// ones are skipped. For `minhop` and `updn`.
    pub order: Vec<Guid>,
    /// Node GUIDs of the root switches (`root_guid_file`). For `updn` and `ftree`.
    pub roots: Option<Vec<Guid>>,
    /// Port GUIDs of the compute nodes (`cn_guid_file`). For `ftree`.
    pub cn: Option<Vec<Guid>>,
    /// Port GUIDs of the I/O nodes (`io_guid_file`). For `ftree`.
    pub io: Option<Vec<Guid>>,
    /// How often a path to an I/O node may turn up again (`max_reverse_hops`). For `ftree`.
    pub reverse_hops: u8,
    /// Route between root switches too (`connect_roots`). For `updn` and `ftree`.
    pub connect_roots: bool,
    /// Whether `minhop` routes where all engines refuse.
    pub fallback: bool,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            order: Vec::new(),
            roots: None,
            cn: None,
            io: None,
            reverse_hops: 0,
            connect_roots: false,
            fallback: true,
        }
    }
}

/// Why an engine does not route a fabric, in words.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{reason}")]
pub struct Refused {
    /// The reason.
    pub reason: String,
}

impl Refused {
    /// A refusal with its reason.
    pub fn new(reason: impl Into<String>) -> Self {
        Self { reason: reason.into() }
    }
}

/// Why there are no tables.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum RouteError {
    /// Every engine of the list refused and falling back was forbidden.
    #[error("{}", describe(.0))]
    AllRefused(Vec<Refusal>),
    /// A port with more than one LID.
    #[error("port {port} has LMC {lmc}; the engines route LMC 0 only")]
    Lmc {
        /// The port, by node description and number.
        port: String,
        /// Its LID mask control.
        lmc: u8,
    },
}

fn describe(refusals: &[Refusal]) -> String {
    let all: Vec<String> = refusals.iter().map(|r| format!("{} refuses: {}", r.engine, r.reason)).collect();
    all.join("; ")
}

/// Routes a fabric with the first engine of `chain` that accepts it; an empty chain means `minhop`.
///
/// # Errors
/// When all engines refuse and [`Options::fallback`] is off, or a port has an LMC above 0.
pub fn route(fabric: &Fabric, lids: Lids, chain: &[Engine], options: &Options) -> Result<Routes, RouteError> {
    let chain = if chain.is_empty() { &[Engine::MinHop] } else { chain };
    let ports = (0..fabric.num_ports() as u32).map(PortId);
    if let Some(port) = ports.into_iter().find(|&p| lids.lmc(p) > 0) {
        return Err(RouteError::Lmc { port: fabric.port_name(port), lmc: lids.lmc(port) });
    }
    let names: Vec<&str> = chain.iter().map(|e| e.name()).collect();
    let engine_requested = names.join(",");
    let mut refusals = Vec::new();
    let fallback = options.fallback.then_some(&Engine::MinHop);
    for &engine in chain.iter().chain(fallback) {
        match run(engine, fabric, &lids, options) {
            Ok(lft) => {
                let engine_used = engine.name().to_owned();
                return Ok(Routes { lids, lft, engine_requested, engine_used, refusals });
            }
            Err(Refused { reason }) => refusals.push(Refusal { engine: engine.name().to_owned(), reason }),
        }
    }
    Err(RouteError::AllRefused(refusals))
}

fn run(engine: Engine, fabric: &Fabric, lids: &Lids, options: &Options) -> Result<Lft, Refused> {
    match engine {
        Engine::MinHop => Ok(minhop::route(fabric, lids, options)),
        Engine::UpDn => updn::route(fabric, lids, options),
        Engine::FTree => ftree::route(fabric, lids, options),
    }
}
