//! Lists of links and nodes.
#![no_main]

use lacis_core::io::{links, net};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| {
    let Ok(loaded) = links::read(data) else { return };
    let again = net::read(net::write(&loaded.fabric).as_bytes());
    assert!(loaded.fabric.num_nodes() == 0 || again.is_ok(), "what is written is readable");
});
