//! Lists of cables by name: never a panic.
#![no_main]

use lacis_core::io::cabling::{self, CablingColumns};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| {
    let _ = cabling::read(data, &CablingColumns::ufm());
});
