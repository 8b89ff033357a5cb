//! OpenSM's configuration.
#![no_main]

use lacis_core::io::opensm_conf;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| {
    let _ = opensm_conf::read(data);
});
