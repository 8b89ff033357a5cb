//! Lacis's own fabric files.
#![no_main]

use lacis_core::io::json;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| {
    let Ok(loaded) = json::read(data) else { return };
    let again = json::read(json::write(&loaded.fabric).as_bytes()).expect("what is written is readable");
    assert_eq!(again.fabric, loaded.fabric);
});
