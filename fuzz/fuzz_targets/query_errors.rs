//! Counters as ibqueryerrors prints them: never a panic, and no cable moves.
#![no_main]

use std::sync::LazyLock;

use lacis_core::fabric::Fabric;
use lacis_core::generate::generate;
use lacis_core::io::read_counters;
use libfuzzer_sys::fuzz_target;

static FABRIC: LazyLock<Fabric> = LazyLock::new(|| generate("fat-tree:4,2").expect("a fabric"));

fuzz_target!(|data: &[u8]| {
    let Ok(loaded) = read_counters(data, &FABRIC, Some(1)) else { return };
    assert_eq!(loaded.fabric.raw_peers(), FABRIC.raw_peers());
});
