//! Traces of message programs.
#![no_main]

use lacis_core::traffic::Trace;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| {
    let text = String::from_utf8_lossy(data);
    let Ok(trace) = Trace::read(&text, 4) else { return };
    // What a program of four ranks may do, one of more may.
    assert_eq!(Trace::read(&text, 5), Ok(trace));
});
