//! Results of measurements in every format: no text makes a reader panic, and its columns have one length.
#![no_main]

use lacis_core::io::measured::{Reader, Unit, Wanted};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| {
    // A zero byte stands between files that are read together.
    let wanted = Wanted { test: Some("t".into()), what: "w".into(), unit: Unit::parse("us"), bytes: None };
    let mut reader = Reader::new(wanted);
    let mut is_read = false;
    for file in data.split(|&byte| byte == 0) {
        is_read |= reader.feed(file).is_ok();
    }
    let found = reader.finish();
    let n = found.value.len();
    assert!(found.value.iter().all(|value| value.is_finite() && *value > 0.0));
    assert!([found.of.len(), found.source.len(), found.repeat.len(), found.class.len()] == [n; 4]);
    assert!(found.of.iter().all(|&of| (of as usize) < found.series.len()));
    assert!(is_read || !found.notes.is_empty() || n == 0);
});
