//! OpenSM's LID cache.
#![no_main]

use lacis_core::io::guid2lid;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| {
    let Ok(entries) = guid2lid::read(data) else { return };
    assert_eq!(guid2lid::read(guid2lid::write(&entries).as_bytes()), Ok(entries));
});
