//! `ibnetdiscover` output and net files.
#![no_main]

use lacis_core::io::net;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| {
    let Ok(loaded) = net::read(data) else { return };
    let again = net::read(net::write(&loaded.fabric).as_bytes()).expect("what is written is readable");
    assert_eq!(again.fabric, loaded.fabric);
});
