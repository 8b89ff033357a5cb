//! Changes to a fabric and the sweeps that follow, from outside.
#![allow(clippy::unwrap_used)] // a test may panic, in its helper functions too

mod losses;
mod reference;
mod shifts;
mod survey;
mod sweeps;
mod ucast_cache;

use std::sync::Arc;

use lacis_core::failures::{Change, Event, Kind, Managed};
use lacis_core::generate::generate;
use lacis_core::routing::Options;
use lacis_core::sm::Engine;
use lacis_core::sm::lids::{LidOptions, Lids};

/// A synthetic fabric after its first sweep, with the manager on the first end node.
fn managed(spec: &str, chain: &[Engine]) -> Managed {
    let whole = generate(spec).unwrap();
    let lids = Lids::assign(&whole, Lids::default_sm(&whole).unwrap(), &LidOptions::fresh()).unwrap();
    Managed::new(Arc::new(whole), lids, chain, Options::default()).unwrap()
}

/// What `cut leaf-01--spine-01`, `drop spine-01` or `restore …` means.
fn event(managed: &Managed, text: &str) -> Event {
    let (kind, selector) = text.split_once(' ').unwrap();
    let kind = match kind {
        "cut" => Kind::Cut,
        "drop" => Kind::Drop,
        "restore" => Kind::Restore,
        other => panic!("{other}"),
    };
    Change { kind, selector: selector.into() }.meant(managed.whole(), managed.present()).unwrap()
}

/// One sweep after another.
fn after(managed: &Managed, changes: &[&str]) -> Managed {
    changes.iter().fold(managed.clone(), |now, change| now.after(&[event(&now, change)]).0)
}
