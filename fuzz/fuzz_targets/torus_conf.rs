//! Configurations of torus-2QoS.
#![no_main]

use lacis_core::io::torus_conf;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| {
    let Ok(conf) = torus_conf::read(data) else { return };
    let once = torus_conf::write(&conf);
    let again = torus_conf::read(once.as_bytes()).expect("what is written is readable");
    assert_eq!(torus_conf::write(&again), once);
});
