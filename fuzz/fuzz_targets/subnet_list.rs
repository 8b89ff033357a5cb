//! Subnet lists of OpenSM and ibdiagnet: never a panic, and what is read is kept by a fabric file.
#![no_main]

use lacis_core::io::{json, subnet_list};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| {
    let Ok(loaded) = subnet_list::read(data) else { return };
    let again = json::read(json::write(&loaded.fabric).as_bytes()).expect("what is written is readable");
    assert_eq!(again.fabric, loaded.fabric);
});
