//! Work of the core whose instructions callgrind counts, one piece a process: `lacis-counts` lists the pieces,
//! `lacis-counts NAME` does one, all but [`counted`] being preparation. Everything runs on the one thread of the process.
//!
//! `python -m benchmarks.counts` runs it.

use std::error::Error;
use std::fmt::Write as _;
use std::hint::black_box;
use std::io::{self, Write as _};
use std::sync::atomic::AtomicBool;

use lacis_core::fabric::{Fabric, Population, PortId};
use lacis_core::generate::{edit, generate};
use lacis_core::io::read;
use lacis_core::model::packet::{Network, Settings, Streams, simulate};
use lacis_core::ranks::Flow;
use lacis_core::routing::{Options, route};
use lacis_core::sm::lids::{LidOptions, Lids};
use lacis_core::sm::{Engine, Routes};
use lacis_core::verify::verify;

/// What is done with a fabric.
#[derive(Clone, Copy)]
enum Work {
    /// Tables by an engine.
    Tables(&'static str),
    /// The proof of ftree's tables.
    Verification,
    /// Every host sends 16 messages of 64 KiB to the host half of all farther on, over ftree's tables.
    Packets,
    /// The fabric is read from a file.
    Reading,
}

/// A tree without a twentieth of its cables, on which eventree has something to even out.
const DAMAGED: &str = "fat-tree:12,3 without random-cables=5%,seed=1";

/// Each with its fabric: a specification, or a file of which the path is given.
const ALL: &[(Work, &str)] = &[
    (Work::Tables("minhop"), "fat-tree:36,3:pods=8"),
    (Work::Tables("updn"), "fat-tree:36,3:pods=8"),
    (Work::Tables("ftree"), "fat-tree:36,3:pods=8"),
    (Work::Tables("eventree"), "fat-tree:36,3:pods=8"),
    (Work::Tables("eventree"), DAMAGED),
    (Work::Tables("sssp"), "fat-tree:36,3:pods=8"),
    (Work::Tables("dfsssp"), "pgft:3;12,12,18;1,12,12;1,1,1"),
    (Work::Tables("nue"), "torus:4x4x4"),
    (Work::Tables("lash"), "torus:6x6"),
    (Work::Tables("numbered"), "torus:4x4x4"),
    (Work::Verification, "fat-tree:36,3:pods=8"),
    (Work::Packets, "fat-tree:8,3"),
    (Work::Reading, "selene-2021.ibnetdiscover"),
];

impl Work {
    fn name(self) -> String {
        match self {
            Self::Tables(engine) => format!("tables of {engine}"),
            Self::Verification => "verification".to_owned(),
            Self::Packets => "packets".to_owned(),
            Self::Reading => "reading".to_owned(),
        }
    }
}

/// What callgrind counts.
#[inline(never)]
fn counted<T>(work: impl FnOnce() -> T) -> T {
    black_box(work())
}

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    let names: Vec<String> = ALL.iter().map(|(work, fabric)| format!("{}, {fabric}", work.name())).collect();
    let Some(name) = arguments.next() else {
        let mut list = String::new();
        names.iter().try_for_each(|name| writeln!(list, "{name}"))?;
        io::stdout().write_all(list.as_bytes())?;
        return Ok(());
    };
    let at = names.iter().position(|known| *known == name).ok_or("no such work")?;
    let (work, fabric) = ALL[at];
    rayon::ThreadPoolBuilder::new().num_threads(1).use_current_thread().build_global()?;
    if let Work::Reading = work {
        let bytes = std::fs::read(arguments.next().ok_or("no file")?)?;
        let loaded = counted(|| read(&bytes))?;
        black_box(loaded);
        return Ok(());
    }
    let fabric = of_spec(fabric)?;
    match work {
        Work::Tables(engine) => {
            let lids = lids(&fabric)?;
            let chain = [engine.parse()?];
            let options = Options { fallback: false, ..Options::default() };
            counted(|| route(&fabric, lids, &chain, &options))?;
        }
        Work::Verification => {
            let routes = by_ftree(&fabric)?;
            counted(|| verify(&fabric, &routes, Population::Hosts, true));
        }
        Work::Packets => {
            let routes = by_ftree(&fabric)?;
            let hosts: Vec<PortId> = fabric.end_ports(Population::Hosts);
            let count = hosts.len() as u32;
            let flows = (0..count).map(|from| Flow { from, to: (from + count / 2) % count }).collect();
            let network = Network::new(&fabric, &routes, &hosts);
            let program = Streams::new(flows, 1 << 16, 4, 4, None);
            counted(|| simulate(&network, &Settings::default(), program, &AtomicBool::new(false)));
        }
        Work::Reading => {}
    }
    Ok(())
}

/// A synthetic fabric; what is to be taken away stands after `without`.
fn of_spec(spec: &str) -> Result<Fabric, Box<dyn Error>> {
    let (spec, without) = spec.split_once(" without ").unwrap_or((spec, ""));
    let fabric = generate(spec)?;
    if without.is_empty() { Ok(fabric) } else { Ok(edit(&fabric, &[without])?) }
}

fn lids(fabric: &Fabric) -> Result<Lids, Box<dyn Error>> {
    let manager = Lids::default_sm(fabric).ok_or("no end port")?;
    Ok(Lids::assign(fabric, manager, &LidOptions::fresh())?)
}

fn by_ftree(fabric: &Fabric) -> Result<Routes, Box<dyn Error>> {
    Ok(route(fabric, lids(fabric)?, &[Engine::FTree], &Options::default())?)
}
