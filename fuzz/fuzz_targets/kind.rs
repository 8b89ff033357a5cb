//! What a file is: never a panic.
#![no_main]

use lacis_core::io::{kind_of, read};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| {
    let _ = kind_of(data);
    let _ = read(data);
});
